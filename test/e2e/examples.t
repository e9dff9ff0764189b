#!/usr/bin/env bash
# The scripts in share/examples.
# shellcheck source=test/e2e/lib.sh disable=SC2154 # lib.sh sets $scratch and its like
. "$(dirname "$0")/lib.sh"

mkdir "$scratch/solutions" "$scratch/tests"
printf 'import sys\nprint(sum(map(int, input().split())) + len(sys.argv) - 1)\n' >"$scratch/solutions/ann.py"
printf 'a, b = map(int, input().split())\nprint(a * b)\n' >"$scratch/solutions/ben.py"
printf 'print(\n' >"$scratch/solutions/cid.py"
echo "not a solution" >"$scratch/solutions/README"
for test in '2-and-2|2 2|4' '3-and-4|3 4|7'; do
    IFS='|' read -r name given expected <<<"$test"
    echo "$given" >"$scratch/tests/$name.in"
    echo "$expected" >"$scratch/tests/$name.out"
done
cp "$scratch/tests/3-and-4.in" "$scratch/tests/arguments.in"
echo 9 >"$scratch/tests/arguments.out"
printf 'one\ntwo words\n' >"$scratch/tests/arguments.args"

# grade ARG...: runs share/examples/grade.py for $solutions; sets $status, $out and $err.
solutions=$scratch/solutions
grade() {
    PATH=$(dirname "$ISOLATOR"):$PATH share/examples/grade.py "$solutions" "$scratch/tests" "$scratch/results" "$@" \
        >"$scratch/out" 2>"$scratch/err"
    status=$?
    take_output
}
summary() { sed 's/ in [0-9]*\.[0-9] s/ in TIME/' <<<"$err"; }
table='ann.py  3/3
ben.py  1/3  3-and-4: wrong-answer
cid.py  0/3  2-and-2: runtime-error'

test_case 'grade.py prints a table, and goes on after an interruption' && {
    rm -f "$scratch/results"
    grade -j 1
    is "$status|$out|$(summary)" "0|$table|isolator: 3 requests in TIME: 2 tests, 1 success" "the table"
    grade
    is "$status|$out|$(summary)" "0|$table|isolator: 0 requests in TIME; 3 skipped" "nothing is left to do"
    sed -i '/"id":"ben.py"/d' "$scratch/results"
    printf '{"id":"ben.py","li' >>"$scratch/results"
    grade
    is "$status|$out|$(summary)" "0|$table|isolator: warning: the last line of '$scratch/results' is incomplete and was removed
isolator: 1 request in TIME: 1 tests; 2 skipped" "a batch that was killed"
}

test_case 'grade.py grades programs in C++' && {
    mkdir "$scratch/cpp"
    printf '#include <cstdio>\nint main(int count, char **) { int a, b; return scanf("%%d %%d", &a, &b) != 2 || printf("%%d\\n", a + b + count - 1) < 0; }\n' >"$scratch/cpp/ann.cpp"
    echo 'int main() { return wrong; }' >"$scratch/cpp/eve.cpp"
    rm -f "$scratch/results"
    solutions=$scratch/cpp grade
    is "$status|$out" "0|ann.cpp  3/3
eve.cpp  build: build exited with status 1" "the table"
}

test_case 'grade.py refuses a test without an expected output' && {
    mv "$scratch/tests/3-and-4.out" "$scratch/3-and-4.expected"
    grade
    is "$status|$out|$err" "1||$scratch/tests/3-and-4.in has no expected output; write it to $scratch/tests/3-and-4.out" "the message"
    mv "$scratch/3-and-4.expected" "$scratch/tests/3-and-4.out"
}

test_case 'grade.py shows failures of isolator' && {
    rm -f "$scratch/results"
    grade --config /nonexistent.json
    is "$status|$out" "2|" "the exit status of isolator batch"
    has "$err" "isolator: cannot open the configuration '/nonexistent.json'" "its message"
    printf '%s\n' '{"id":"ann.py","line":1,"reason":"command","error":"cannot execute"}' >"$scratch/results"
    grade
    is "$(head -n 1 <<<"$out")" "ann.py  command: cannot execute" "a result without tests"
    rm "$scratch/results"
    faulty "run 1 fail" grade -j 1 --retries 0
    is "$status|$(sed -n 2,3p <<<"$out")" "3|$(sed -n 2,3p <<<"$table")" "the engine fails one: the table, and its status"
    has "$out" "ann.py  engine: " "the one"
}

test_case 'subtasks: a solution that has a part of the points' && {
    figures() { sed -E 's/ +[0-9]+ ms/ T/g; s/ +[0-9]+\.[0-9] MB/ M/; s/ +/ /g'; }
    isolator test --table --tests share/examples/subtasks/data share/examples/subtasks/solutions/partial.py
    expect "$status $(sed -n '/^GROUP/,$p' <<<"$out")" "its groups" <<'END'
1 GROUP            STATUS  PASSED  SCORE
sample           passed  1/1     0 of 0
secret           failed  3/5     60 of 100
secret/any       failed  1/3     20 of 60
secret/positive  passed  2/2     40 of 40
4 of 6 passed; score 60 of 100; first failure: secret/any/1
END
    isolator test --table --tests share/examples/subtasks/data share/examples/subtasks/solutions/*.py
    expect "$status $(figures <<<"$out")" "both solutions" <<'END'
1 SOLUTION STATUS PASSED SCORE TIME CPU MEMORY DETAIL
share/examples/subtasks/solutions/full.py passed 6/6 100 of 100 T T M
share/examples/subtasks/solutions/partial.py failed 4/6 60 of 100 T T M first: secret/any/1 (wrong-answer, line 1 differs: expected '-8', found '0')
1 of 2 solutions passed all tests
END
    isolator test --json --tests share/examples/subtasks/data "$(snippet py 'print(20)')"
    is "$(json 'join " ", $r->{summary}{score}, map { "$_->{name} $_->{status} $_->{score}" } @{$r->{groups}}')" \
        "0 sample failed 0 secret failed 0 secret/any blocked 0 secret/positive blocked 0" "the sample is required"
}

finish
