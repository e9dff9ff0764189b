#!/usr/bin/env bash
# The filters of share/formats: lines of data sets and samples become requests of isolator batch, and its results pass@k.
# shellcheck source=test/e2e/lib.sh disable=SC2016,SC2154 # single quotes are for Perl; lib.sh sets $scratch and its like
. "$(dirname "$0")/lib.sh"

# convert FILTER: converts $scratch/set with $scratch/samples; sets $status and $err, with "DIR" for $scratch.
convert() {
    "share/formats/$1" "$scratch/set" "$scratch/samples" >"$scratch/requests" 2>"$scratch/messages"
    status=$?
    err=$(sed "s|$scratch|DIR|g; s|share/formats/||; s/position [0-9]*/position N/" "$scratch/messages")
}
# graded FILTER: also runs the requests; sets $graded to the id, the status and how many tests passed of each, and the error.
graded() {
    convert "$1"
    is "$status|$err" "0|" "$1: converts"
    isolator batch -q "$scratch/requests"
    is "$err" "" "isolator batch says nothing"
    graded=$(perl -MJSON::PP -ne '$_ = decode_json($_); push @all, "$_->{id} $_->{status} $_->{summary}{passed}/$_->{summary}{total} $_->{error}" =~ s/ $//r;
        END { print "$_\n" for sort @all }' "$scratch/out")
}
# members EXPRESSION: a Perl expression about each request, which is the hash %$_, one a line.
members() { perl -MJSON::PP -ne "\$_ = decode_json(\$_); print $1, qq(\\n)" "$scratch/requests"; }

# pass_at_k ARG...: of $scratch/results; sets $status, $out and $err.
pass_at_k() {
    share/formats/pass_at_k "$@" "$scratch/results" >"$scratch/out" 2>"$scratch/err"
    status=$?
    take_output
}
# results LINE...: writes $scratch/results, a line for each ID REASON STATUS.
results() {
    local each
    for each in "$@"; do
        read -r id reason ended <<<"$each"
        echo "{\"id\": $id, \"line\": 1, \"reason\": \"$reason\", \"status\": \"$ended\"}"
    done >"$scratch/results"
}

livecodebench() {
    python3 - <<'END' >"$scratch/set"
import base64, json, pickle, zlib
def row(name, public, private, **metadata):
    return json.dumps({"question_id": name, "starter_code": "", "public_test_cases": json.dumps(public),
        "private_test_cases": private, "metadata": json.dumps(metadata)})
def test(kind, given, output): return {"input": given, "output": output, "testtype": kind}
def packed(tests): return base64.b64encode(zlib.compress(pickle.dumps(json.dumps(tests)))).decode()
print(row("double_1", [test("stdin", "2\n", "4\n")], packed([test("stdin", "3\n", "6.0")])))
print(row("3002", [test("functional", "1", "[[2, 1], {\"1\": 2}, true]")], "[]", func_name="values"))
print(row("3001", [test("functional", "[1, 2]\n3", "[1, 2, 3]")], json.dumps([test("functional", "[]\n1", "[1]")]), func_name="count"))
END
}

test_case 'livecodebench: programs that read, and methods' && {
    livecodebench
    cat >"$scratch/samples" <<'END'
{"task_id": "3001", "completion": "Here it is:\n```python\nclass Solution:\n    def count(self, a: List[int], b: int) -> List[int]:\n        return tuple(a) + (b,)\n```\nDone."}
{"task_id": "3001", "completion": "class Solution:\n    def count(self, a, b):\n        return [1, 2, 3]"}
{"task_id": "3002", "solution": "def values(a): return [(2, 1), {1: 2}, True]"}
{"task_id": "3002", "solution": "def values(a): return [{1, 2}, {'1': 2}, True]"}
{"task_id": "3002", "solution": "def values(a): return [[2, 1], {'1': 2}, 1]"}
{"task_id": "double_1", "solution": "print('', int(input()) * 2, '')"}
{"task_id": "double_1", "solution": "print(floor(math.pi) + 1)"}
{"task_id": "double_1", "solution": "if __name__ == '__main__':\n    print(int(input()) * 2)\n    sys.exit(1)"}
{"task_id": "double_1", "solution": "print(int(input()) * 2)\nraise ValueError"}
{"task_id": "double_1", "language": "c", "solution": "#include <stdio.h>\nint main(void) { int n; scanf(\"%d\", &n); printf(\"%d\", n * 2); }"}
END
    graded livecodebench
    expect "$graded" "the results" <<'END'
3001/0 success 2/2
3001/1 error 1/2 1 of 2 tests are not passed; the first is '2'
3002/0 success 1/1
3002/1 success 1/1
3002/2 error 0/1 1 of 1 tests are not passed; the first is '1'
double_1/0 success 2/2
double_1/1 error 1/2 1 of 2 tests are not passed; the first is '2'
double_1/2 success 2/2
double_1/3 error 0/2 2 of 2 tests are not passed; the first is '1'
double_1/4 success 2/2
END
}

test_case --quick 'livecodebench: a pickle that names a function is refused' && {
    python3 - "$scratch/touched" <<'END' >"$scratch/set"
import base64, json, os, pickle, sys, zlib
class Evil:
    def __reduce__(self): return os.system, ("touch " + sys.argv[1],)
def row(name, private):
    return json.dumps({"question_id": name, "public_test_cases": "[]", "metadata": "{}", "private_test_cases": private})
def packed(data): return base64.b64encode(data).decode()
print(row("evil", packed(zlib.compress(pickle.dumps(Evil())))))
print(row("bomb", packed(zlib.compress(bytes(65 << 20)))))
print(row("cut", packed(zlib.compress(bytes(65 << 10))[:-4])))
print(row("empty", "[]"))
print(row("memo", packed(zlib.compress(b"\x80\x02X\x02\0\0\0[]r\xff\xff\xff\xff."))))
END
    for task in evil bomb cut empty memo; do echo "{\"task_id\": \"$task\", \"solution\": \"\"}"; done >"$scratch/samples"
    convert livecodebench
    expect "$status $(wc -c <"$scratch/requests")
$err" "the messages" <<'END'
1 0
DIR/set:1: private_test_cases: the pickle has something else than a text
DIR/set:2: private_test_cases: cut off, or more than 64 MiB
DIR/set:3: private_test_cases: cut off, or more than 64 MiB
DIR/samples:4: there are no tests
DIR/samples:5: there are no tests
END
    ok "$([ ! -e "$scratch/touched" ]; echo $?)" "the function was not called"
}

test_case 'apps: programs that read, functions, and the shape of PRIME' && {
    cat >"$scratch/set" <<'END'
{"problem_id": 7, "input_output": "{\"inputs\": [\"1 3\\n\", [\"2\", \"3\"]], \"outputs\": [\"0.333333\\n\", [\"0.6666667\"]]}"}
{"problem_id": 8, "input_output": "{\"fn_name\": \"add\", \"inputs\": [[1, 2], [0.1, 0.2]], \"outputs\": [[3], [0.30000000000000004]]}"}
{"reward_model": {"ground_truth": "{\"fn_name\": \"same\", \"inputs\": [\"[1]\"], \"outputs\": [\"[1]\"]}"}, "extra_info": {"index": 9}}
{"input_output": "{\"inputs\": [\"a\"], \"outputs\": [\"10000000\\n2\"]}"}
END
    cat >"$scratch/samples" <<'END'
{"task_id": 7, "solution": "a = sys.stdin.read().split()\nprint(int(a[0]) / int(a[1]))"}
{"task_id": "8", "solution": "def add(a, b):\n    return a + b"}
{"task_id": "8", "solution": "def add(a, b):\n    return round(a + b, 9)"}
{"task_id": 9, "solution": "class Solution:\n    def same(self, a): return a"}
{"task_id": 3, "solution": "print('10000000.0', 2, sep='\\n')"}
{"task_id": 3, "solution": "print('10000001', 2, sep='\\n')"}
END
    graded apps
    expect "$graded" "the results" <<'END'
3/0 success 1/1
3/1 error 0/1 1 of 1 tests are not passed; the first is '1'
7/0 success 2/2
8/0 success 2/2
8/1 error 1/2 1 of 2 tests are not passed; the first is '2'
9/0 success 1/1
END
}

test_case 'apps: integers of any size, and values in a list of their own' && {
    cat >"$scratch/set" <<'END'
{"problem_id": 1, "input_output": "{\"fn_name\": \"f\", \"inputs\": [[36893488147419103232]], \"outputs\": [[73786976294838206464]]}"}
{"problem_id": 2, "input_output": "{\"fn_name\": \"f\", \"inputs\": [[1], [2]], \"outputs\": [[2], [4]]}"}
{"problem_id": 3, "input_output": "{\"fn_name\": \"f\", \"inputs\": [[1], [2]], \"outputs\": [[2], [1, 2]]}"}
END
    cat >"$scratch/samples" <<'END'
{"task_id": 1, "solution": "def f(a): return 2 * a"}
{"task_id": 1, "solution": "def f(a): return 2 * a + 1"}
{"task_id": 2, "solution": "def f(a): return 2 * a"}
{"task_id": 2, "solution": "def f(a): return [2 * a]"}
{"task_id": 2, "solution": "def f(a): return [[2 * a]]"}
{"task_id": 3, "solution": "def f(a): return [2] if a == 1 else (1, 2)"}
{"task_id": 3, "solution": "def f(a): return 2 if a == 1 else 1"}
END
    graded apps
    expect "$graded" "the results" <<'END'
1/0 success 1/1
1/1 error 0/1 1 of 1 tests are not passed; the first is '1'
2/0 success 2/2
2/1 success 2/2
2/2 error 0/2 2 of 2 tests are not passed; the first is '1'
3/0 success 2/2
3/1 error 1/2 1 of 2 tests are not passed; the first is '2'
END
}

test_case 'codeforces: words, checkers and limits' && {
    cat >"$scratch/set" <<'END'
{"id": "1/A", "time_limit": 2.5, "memory_limit": 128.0, "input_mode": "stdio", "official_tests": [{"input": "1\r\n2\r\n", "output": "YES\r\n\r\n1 2\r\n"}], "generated_checker": null}
{"id": "1/B", "time_limit": 1.0, "memory_limit": 256.0, "official_tests": [{"input": "5\n", "output": "2\n3\n"}], "generated_checker": "import sys\nn, answer, output = (list(map(int, open(path).read().split('\\n')[:-1])) for path in sys.argv[1:4])\nassert answer == [2, 3]\nprint(int(sum(output) == n[0]))"}
{"id": "1/C", "official_tests": [{"input": "", "output": "Ab\n"}]}
{"id": "1/D", "official_tests": [{"input": "", "output": ""}], "generated_checker": "print(1)\nraise SystemExit(2)"}
END
    cat >"$scratch/samples" <<'END'
{"task_id": "1/A", "solution": "assert open(0, newline='').read() == '1\\n2\\n'\nprint('yes  1\\n2')"}
{"task_id": "1/A", "language": "c", "solution": "#include <stdio.h>\nint main(void) { puts(\"YES 1 3\"); }"}
{"task_id": "1/B", "solution": "print(1, 4, sep='\\n\\n')"}
{"task_id": "1/B", "solution": "print(1, 5, sep='\\n')"}
{"task_id": "1/B", "solution": "print('x')"}
{"task_id": "1/C", "solution": "print('ab')"}
{"task_id": "1/D", "solution": ""}
END
    graded codeforces
    expect "$graded" "the results" <<'END'
1/A/0 success 1/1
1/A/1 error 0/1 1 of 1 tests are not passed; the first is '1'
1/B/0 success 1/1
1/B/1 error 0/1 1 of 1 tests are not passed; the first is '1'
1/B/2 error 0/1 1 of 1 tests are not passed; the first is '1'
1/C/0 error 0/1 1 of 1 tests are not passed; the first is '1'
1/D/0 error 0/1 1 of 1 tests are not passed; the first is '1'
END
    is "$(members '"$_->{id} $_->{timeout_seconds} $_->{memory_mb}"' | sed -n '1p;3p;6p' | tr '\n' ';')" "1/A/0 2.5 128;1/B/0 1 256;1/C/0 6 ;" "the limits"
}

test_case --quick 'codeforces: tasks that lack official tests are converted and counted' && {
    for task in '"1/A", "official_tests_complete": true' '"1/B", "official_tests_complete": false' '"1/C"'; do
        echo "{\"id\": $task, \"official_tests\": [{\"input\": \"\", \"output\": \"\"}]}"
    done >"$scratch/set"
    for task in A B C; do echo "{\"task_id\": \"1/$task\", \"solution\": \"\"}"; done >"$scratch/samples"
    convert codeforces
    is "$status|$err|$(members '$_->{id}' | tr '\n' ' ')" "0|codeforces: tasks without some of their official tests: 1|1/A/0 1/B/0 1/C/0 " "all"
    sed -i 2d "$scratch/samples"
    convert codeforces
    is "$status|$err|$(members '$_->{id}' | tr '\n' ' ')" "0|codeforces: tasks without a sample: 1|1/A/0 1/C/0 " "without a sample"
}

test_case 'humaneval and mbpp: completions, solutions, and programs that exit early' && {
    printf '%s\n' '{"task_id": "HumanEval/0", "prompt": "def one():\n    \"\"\"One.\"\"\"\n", "entry_point": "one", "test": "def check(candidate):\n    assert candidate() == 1\n"}' |
        gzip >"$scratch/set.gz"
    cat >"$scratch/samples" <<'END'
{"task_id": "HumanEval/0", "completion": "    return 1"}
{"task_id": "HumanEval/0", "completion": "    return 2"}
{"task_id": "HumanEval/0", "solution": "def one(): return 1"}
{"task_id": "HumanEval/0", "solution": "import os\nos._exit(0)"}
{"task_id": "HumanEval/0", "completion": "    exit(0)"}
END
    share/formats/humaneval "$scratch/set.gz" - <"$scratch/samples" >"$scratch/requests"
    ok $? "humaneval: from a packed file and standard input"
    gzip -dc "$scratch/set.gz" >"$scratch/set"
    graded humaneval
    expect "$(cut -c 1-25 <<<"$graded")" "the results" <<'END'
HumanEval/0/0 success 1/1
HumanEval/0/1 error 0/1 1
HumanEval/0/2 success 1/1
HumanEval/0/3 error 0/1 1
HumanEval/0/4 error 0/1 1
END
    cat >"$scratch/set" <<'END'
{"task_id": 2, "code": "", "test_list": ["assert tree.value == 1", "assert math.pi > 3"], "test_imports": ["import math"], "test_setup_code": "tree = Node(1)"}
{"task_id": 3, "test_list": ["assert False"], "test_imports": [], "test": "for i in [1, 2]:\n    assert two(i) == 2\n"}
END
    cat >"$scratch/samples" <<'END'
{"task_id": "Mbpp/2", "solution": "class Node:\n    def __init__(self, value): self.value = value"}
{"task_id": 3, "completion": "def two(i):\n    return 2"}
{"task_id": 3, "completion": "def two(i):\n    return i"}
END
    graded mbpp
    expect "$(cut -c 1-15 <<<"$graded")" "the results" <<'END'
2/0 success 1/1
3/0 success 1/1
3/1 error 0/1 1
END
}

test_case --quick 'a sample: the last block that names its language, with or without its fences' && {
    echo '{"id": "1/A", "official_tests": [{"input": "", "output": "1"}]}' >"$scratch/set"
    cat >"$scratch/samples" <<'END'
"not a block"
"Here:\n```python\nnot closed"
"```\nneither a name nor an end"
"only an end\n```\nAnd that is it."
"an end and a block\n```\nThat is:\n```python\nthis one\n```"
"an end before output\n```\nOutput:\n```\n1\n```"
"an end before text\n```\nOutput:\n```text\n1\n```"
"1. Do\n    ```python\n  indented_less = 1\n    ```"
"```f()``` is no fence"
"1. Do\n    ```python\n    if indented:\n        pass\n    ```\n"
"~~~py\n```tildes```\n~~~"
"````python\n'''\n```\nlonger'''\n````"
"```Python3\nbefore output\n```\n```\n1\n```\n```text\n2\n```\n```sh\n3\n```"
"```python\nfirst\n```\n```{.python}\nlast\n```"
"```\nno language\n```\n```sh\n3\n```"
"```text\nanother language\n```"
"```python\n'''\n    ```\n    in a string\n    ```\n'''\n```"
"    '''\n    ```\n    no block\n    ```\n    '''"
END
    sed -i 's/.*/{"task_id": "1\/A", "completion": &}/' "$scratch/samples"
    echo '{"task_id": "1/A", "language": "cpp", "completion": "```c++\nC++\n```\n```python\n1\n```"}' >>"$scratch/samples"
    convert codeforces
    expect "$status|$err
$(members '$_->{entrypoint_code} =~ s/\n/|/gr')" "the programs" <<'END'
0|
not a block
not closed|
neither a name nor an end|
only an end|
this one|
an end before output|
an end before text|
indented_less = 1|
```f()``` is no fence
if indented:|    pass|
```tildes```|
'''|```|longer'''|
before output|
last|
no language|
another language|
'''|    ```|    in a string|    ```|'''|
    '''|    ```|    no block|    ```|    '''
C++|
END
}

test_case --quick 'a file in the wrong place is reported once' && {
    for task in 1 2 3; do echo "{\"task_id\": $task, \"test_list\": [\"pass\"]}"; done >"$scratch/set"
    for task in 1 2 3; do echo "{\"task_id\": $task, \"solution\": \"\"}"; done >"$scratch/samples"
    cp "$scratch/set" "$scratch/a"
    cp "$scratch/samples" "$scratch/set"
    convert mbpp
    is "$status|$err" "1|DIR/set: none of its 3 lines can be used as DATASET: there is no 'test_list'" "samples in place of the data set"
    cp "$scratch/a" "$scratch/set"
    cp "$scratch/a" "$scratch/samples"
    convert mbpp
    is "$status|$err" "1|mbpp: tasks without a sample: 3
DIR/samples: none of its 3 lines can be used as SAMPLES: there is no 'completion'" "and the other way round"
    printf '%s\n' '[' '"a",' '"b"]' >"$scratch/samples"
    convert mbpp
    is "$status|$err" "1|mbpp: tasks without a sample: 3
DIR/samples: none of its 3 lines can be used as SAMPLES: not a JSON object" "no lines of JSON"
    for task in x y; do echo "{\"task_id\": \"$task\", \"solution\": \"\"}"; done >"$scratch/samples"
    convert mbpp
    is "$status|$err" "1|mbpp: tasks without a sample: 3
DIR/samples: none of its 2 lines can be used as SAMPLES: the data set has no such task, or it cannot be converted" "samples of another data set"
    echo '{"task_id": 1, "solution": ""}' >>"$scratch/samples"
    convert mbpp
    is "$status|$err" "1|mbpp: tasks without a sample: 2
DIR/samples:1: the data set has no such task, or it cannot be converted: 'x'
DIR/samples:2: the data set has no such task, or it cannot be converted: 'y'" "one line can be used"
    cp "$scratch/requests" "$scratch/results"
    cat "$scratch/requests" >>"$scratch/results"
    pass_at_k
    expect "$status
${err//$scratch/DIR}" "requests in place of results" <<'END'
1
DIR/results: none of its 2 lines can be used as RESULTS: not a result of isolator batch
DIR/results: there is no task to count
END
    rm "$scratch/set"
    echo '{}' >"$scratch/samples"
    convert mbpp
    is "$status|$err" "1|DIR/samples:1: there is no 'task_id'
cannot read 'DIR/set': No such file or directory" "a file that cannot be read does not hide the rest"
}

test_case --quick 'what cannot be converted is reported, and the rest is converted' && {
    cat >"$scratch/set" <<'END'
{"task_id": "a", "prompt": "", "entry_point": "f", "test": ""}
["b"]
{"task_id":

{"prompt": ""}
{"task_id": "c", "prompt": "", "entry_point": "f", "base_input": []}
{"task_id": "d", "prompt": "", "entry_point": "f", "test": ""}
END
    cat >"$scratch/samples" <<'END'
{"task_id": "a", "solution": "one"}
{"task_id": "c", "solution": ""}
{"task_id": "e", "solution": ""}
{"task_id": "a", "code": ""}
{"task_id": "a", "solution": "\ud800"}
{"solution": ""}
{"task_id": "a", "solution": "two"}
END
    convert humaneval
    expect "$status
$err
$(members '"$_->{id} $_->{language} " . $_->{entrypoint_code} =~ s/\n.*//sr')" "humaneval" <<'END'
1
humaneval: tasks without a sample: 1
DIR/samples:4: there is no 'completion'
DIR/samples:6: there is no 'task_id'
DIR/samples:5: 'utf-8' codec can't encode character '\ud800' in position N: surrogates not allowed
DIR/samples:3: the data set has no such task, or it cannot be converted: 'e'
DIR/set:2: not a JSON object
DIR/set:3: not a JSON object
DIR/set:5: there is no 'task_id'
DIR/set:6: there is no 'test'
a/0 python one
a/2 python two
END
    perl -e 'print q({"task_id": "a", "solution": "), "#" x (64 << 20), qq("}\n)' >"$scratch/samples"
    head -n 1 "$scratch/set" >"$scratch/first"
    mv "$scratch/first" "$scratch/set"
    convert humaneval
    is "$status|$err|$(wc -c <"$scratch/requests")" "1|DIR/samples:1: the request has more than 64 MiB, which isolator batch does not read|0" "a long line"
    echo '{"problem_id": 1, "input_output": "{\"inputs\": [\"1\"], \"outputs\": []}"}' >"$scratch/set"
    echo '{"task_id": 1, "solution": ""}' >"$scratch/samples"
    convert apps
    is "$status|$err" "1|DIR/set:1: there are 1 inputs and 0 outputs" "apps"
    echo '{"id": 1, "input_mode": "file", "official_tests": [{"input": "", "output": ""}]}' >"$scratch/set"
    convert codeforces
    is "$status|$err" "1|DIR/set:1: input_mode 'file' is not supported" "codeforces"
    printf '%s\n' '{"task_id": 1, "test_list": []}' '{"task_id": "\u001b[2J"}' >"$scratch/set"
    echo '{"task_id": 1, "solution": ""}' >"$scratch/samples"
    echo '{"task_id": "\u001b[2J", "solution": ""}' >>"$scratch/samples"
    convert mbpp
    expect "$status
$err" "mbpp: nothing to test, and an id with escape sequences" <<'END'
1
DIR/set:1: there are no tests
DIR/set:2: there is no 'test_list'
END
    echo '{"task_id": "\u001b[2J", "solution": ""}' >"$scratch/samples"
    echo '{"task_id": 1, "test_list": []}' >"$scratch/set"
    convert mbpp
    has "$err" "the data set has no such task, or it cannot be converted: '\x1b[2J'" "an id is escaped"
    rm "$scratch/set"
    convert mbpp
    is "$status|$err" "1|cannot read 'DIR/set': No such file or directory" "no such file"
    for filter in humaneval mbpp livecodebench apps codeforces pass_at_k; do
        out=$("share/formats/$filter" 2>&1)
        is "$? $(head -n 1 <<<"$out" | cut -c 1-10)" "1 usage: sha" "$filter: says how it is called"
    done
}

test_case --quick 'a packed line that is too long is skipped' && {
    for task in a b; do echo "{\"task_id\": \"$task\", \"solution\": \"\"}"; done >"$scratch/samples"
    perl -e '$row = qq({"task_id": "%s", "prompt": "", "entry_point": "f", "test": ""}\n); printf $row, "a";
        print "[" x (64 << 20) for 1 .. 4; print "]\n"; printf $row, "b"' | gzip -1 >"$scratch/set.gz"
    share/formats/humaneval "$scratch/set.gz" "$scratch/samples" >"$scratch/requests" 2>"$scratch/messages"
    is "$?|$(sed "s|$scratch|DIR|g" "$scratch/messages")|$(members '$_->{id}' | tr '\n' ' ')" \
        "1|DIR/set.gz:2: the line has more than 256 MiB|a/0 b/0 " "the messages and the requests"
}

test_case --quick 'pass_at_k' && {
    results '"1/A/0" engine error' '"1/A/0" exit success' '"1/B/0" tests error' '"2/0" timeout error'
    pass_at_k
    is "$status|$out|$err" "0|pass@1 0.333 (1 of 3 tasks solved, 1 sample each)|" "one sample each; the last result of an id counts"
    results '"a/0" exit success' '"a/1" tests error' '"a/2" tests error' '"a/3" tests error' '"b/0" exit success' '"b/1" exit success'
    pass_at_k 2
    is "$status|$out|$err" "0|pass@2 0.750 (2 of 2 tasks solved, 2 to 4 samples each)|" "several samples: 1 - C(3,2)/C(4,2) and 1"
    results '"a/0" exit success' '"a/1" judge-error error' 'null input error' '"b/0" image-missing error'
    pass_at_k
    is "$status|$out|${err//$scratch/DIR}" "1|pass@1 1.000 (1 of 1 tasks solved, 1 sample each)|DIR/results: 3 not graded" "not graded"
    pass_at_k 2
    is "$status|$out|${err//$scratch/DIR}" "1||DIR/results: 3 not graded
DIR/results: tasks with fewer than 2 samples: 1, the first is 'a'
DIR/results: there is no task to count" "too few samples"
    results 'null exit success' '"a/0" exit success'
    echo '{"id": "a/1", "li' >>"$scratch/results"
    echo '{"id": "a/1"}' >>"$scratch/results"
    pass_at_k
    expect "$status
$out
${err//$scratch/DIR}" "broken lines" <<'END'
1
pass@1 1.000 (1 of 1 tasks solved, 1 sample each)
DIR/results:1: the result has no id
DIR/results:3: not a JSON object
DIR/results:4: not a result of isolator batch
END
}

finish
