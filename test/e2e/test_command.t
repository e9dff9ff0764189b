#!/usr/bin/env bash
# isolator test: the directory of tests, the table and the JSON, the ways to compare, and what is refused.
# shellcheck source=test/e2e/lib.sh disable=SC2016,SC2154 # single quotes are for other shells; lib.sh sets $out and its like
. "$(dirname "$0")/lib.sh"

# add DIRECTORY NAME INPUT [EXPECTED]: adds a test.
add() {
    mkdir -p "$scratch/$1"
    printf '%b' "$3" >"$scratch/$1/$2.in"
    [ $# -lt 4 ] || printf '%b' "$4" >"$scratch/$1/$2.out"
}

# figures: the table on stdin without its figures, which differ each time, and with single spaces.
figures() { sed -E 's/ +[0-9]+ ms/ T/g; s/ +[0-9]+\.[0-9] MB/ M/; s/ +/ /g; s/--language \(.*/--language (LANGUAGES/'; }

# tests EXPRESSION: a Perl expression about each test of the result, which is the hash %$_, one a line.
tests() { json "join qq(\\n), map { $1 } @{\$r->{tests}}"; }

# lines EXPRESSION: a Perl expression about each result %$r, one a line.
lines() {
    perl -MJSON::PP -e '
        binmode STDOUT, ":utf8";
        my $expression = shift;
        print join "\n", map { our $r = JSON::PP->new->utf8->decode($_); eval $expression } <STDIN>' "$1" <"$scratch/out"
}

# A program that does what its input says.
cat >"$scratch/obey.py" <<'END'
import sys
order = input()
if order == "fail":
    print("to stdout")
    raise IndexError("out of range")
if order == "exit":
    sys.exit(3)
if order == "wait":
    while True: pass
if order == "eat":
    bytearray(500 << 20)
print(order, *sys.argv[1:])
END
obey=$scratch/obey.py

# ---- what needs no container

add one a ''
echo x >"$scratch/x.txt"

test_case --quick 'wrong command lines' && {
    wrong() {
        local message=$1
        shift
        isolator test "$@"
        is "$status|$out|$err" "2||isolator: $message" "isolator test $*"
    }
    wrong "nothing to run; give a FILE, - or --dir"
    wrong "nothing to test with; give a directory with --tests" x.py
    wrong "FILE and --dir cannot be used together; name the program in --dir with --entrypoint" --tests t --dir d x.py
    wrong "--compare: 'same' is not a way to compare; use trim, exact, tokens, float or lines" --tests t --compare same x.py
    wrong "--tolerance needs --compare float" --tests t --tolerance 1 x.py
    wrong "--tolerance: 'inf' is not a number from 0, like 1e-6" --tests t --compare float --tolerance inf x.py
    wrong "--output-limit: must be a whole number from 64 to 1048576" --tests t --output-limit 63 x.py
    wrong "--json and --table cannot be used together" --tests t --json --table x.py
    wrong "unknown option '--stdin'; see isolator test --help" --stdin f
    wrong "--read-only must be true for a request with tests: nothing of one program may be left for the next" \
        --tests "$scratch/one" --no-expected --read-only=false "$scratch/x.txt"
}

test_case --quick 'a directory that cannot be read' && {
    mkdir -p "$scratch/empty" "$scratch/odd"
    mkfifo "$scratch/odd/a.in"
    touch "$scratch/odd/a.out"
    unread() {
        isolator test --tests "$1" "$scratch/x.txt"
        outcome "2 error -1 input null $2" "$2"
        isolator test --table --tests "$1" "$scratch/x.txt"
        is "$status|$out|$err" "2||isolator: $2" "with --table: $2"
    }
    unread "$scratch/none" "cannot open the directory '$scratch/none': No such file or directory"
    unread "$scratch/empty" "'$scratch/empty' has no tests; a test is a file NAME.in and a file NAME.out"
    unread "$scratch/odd" "'$scratch/odd/a.in' is not a regular file"
    echo >"$scratch/empty/a.out"
    chmod 0 "$scratch/empty/a.out"
    chmod 755 "$scratch"
    cp "$ISOLATOR" "$ISOLATOR_CONFIG" "$scratch" # the other user may not reach them where they are
    got=$(ISOLATOR_CONFIG=$scratch/${ISOLATOR_CONFIG##*/} as_another "$scratch/isolator" test --table --tests "$scratch/empty" "$scratch/x.txt" 2>&1)
    is "$?|$got" "2|isolator: cannot open '$scratch/empty/a.out': Permission denied" "a file that cannot be read"
}

# What would pass without having been compared is refused before anything runs.
test_case --quick 'tests without an expected output' && {
    or_none="or check only the exit status with --no-expected"
    # lacks MESSAGE FILE...: a directory with these files, and a.in and a.out, is refused; DIR stands for its path.
    lacks() {
        local message=${1//DIR/$scratch/lacks}
        rm -rf "$scratch/lacks"
        add lacks a '' ''
        (cd "$scratch/lacks" && touch "${@:2}")
        isolator test --tests "$scratch/lacks" "$scratch/x.txt"
        outcome "2 error -1 input null $message" "$message"
        isolator test --table --tests "$scratch/lacks" "$scratch/x.txt"
        is "$status|$out|$err" "2||isolator: $message" "with --table: $message"
        isolator test --tests "$scratch/lacks" "$scratch/x.txt" "$scratch/x.txt"
        is "$status|$out|$err" "2||isolator: $message" "with several files: $message"
    }
    lacks "'DIR/1.in': there is no expected output; add 'DIR/1.out', $or_none" 1.in
    lacks "'DIR/1.in' and 1 more: there is no expected output; rename 'DIR/1.expected' to 'DIR/1.out', $or_none" 1.in 1.expected 2.args
    lacks "'DIR/1.in': there is no expected output; rename 'DIR/1.OUT' to 'DIR/1.out', $or_none" 1.in 1.OUT
    lacks "'DIR/1.IN' belongs to no test, since its ending is not in lower case; rename it to 'DIR/1.in'" 1.IN 1.out
}

# ---- statuses

add all 1 'one\n' 'one\n'
add all 2 'two\n' 'Two\n'
add all 3 'fail\n' ''
add all 4 'exit\n' ''
add all 5 'wait\n' ''
add all 6 'eat\n' ''
add all 10 'ten\r\n' 'ten \r\n\r\n'

test_case 'the table' && {
    isolator test --table --tests "$scratch/all" --timeout 2s --memory 64 "$obey"
    is "$status|$err" "1|" "some tests are not passed"
    is "$(figures <<<"$out")" "TEST STATUS TIME CPU MEMORY DETAIL
1 passed T T M
2 wrong-answer T T M line 1 differs: expected 'Two', found 'two'
3 runtime-error T T M program exited with status 1: IndexError: out of range
4 runtime-error T T M program exited with status 3
5 timeout T T M program did not end within 2 s
6 oom T T M program ran out of memory (limit 64 MB)
10 passed T T M
2 of 7 passed; first failure: 2" "a line for each test in natural order, and a summary"
}

test_case 'the JSON result' && {
    isolator test --tests "$scratch/all" --cpu-seconds 1 --memory 64 "$obey"
    outcome "1 error -1 tests null 5 of 7 tests are not passed; the first is '2'" "some tests are not passed"
    expect "$(tests '"$_->{name} $_->{status} $_->{exitCode}"')" "the tests with their statuses" <<END
1 passed 0
2 wrong-answer 0
3 runtime-error 1
4 runtime-error 3
5 cpu-time 137
6 oom $(json '$r->{tests}[5]{exitCode}')
10 passed 0
END
    is "$(json 'join " ", map { "$_ $r->{summary}{$_}" } sort keys %{$r->{summary}}')" \
        "failed 5 firstFailure 2 passed 2 total 7" "the summary"
    is "$(json '$r->{tests}[2]{stdout}')" "to stdout" "standard output of a test"
    has "$(json '$r->{tests}[2]{stderr}')" "IndexError: out of range" "standard error of a test"
    is "$(json '$r->{tests}[1]{error}')" "line 1 differs: expected 'Two', found 'two'" "why a test is not passed"
    expect "$(tests '$_->{peakMemoryBytes} > 1000000 && $_->{durationMs} >= 0 && $_->{cpuMs} > 0 ? "$_->{name} good" : "$_->{name} wrong"')" \
        "the figures of each test" <<'END'
1 good
2 good
3 good
4 good
5 good
6 good
10 good
END
}

test_case 'all tests passed, and stop on failure' && {
    add good a 'x\n' 'x\n'
    add good b 'y\n'
    printf 'z one  two\n' >"$scratch/good/c.ans"
    printf 'z\n' >"$scratch/good/c.in"
    printf 'one \r\ntwo' >"$scratch/good/c.args"
    isolator test --table --tests "$scratch/good" --no-expected "$obey"
    is "$status|$(figures <<<"$out")" "0|TEST STATUS TIME CPU MEMORY DETAIL
a passed T T M
b passed T T M
c passed T T M
3 of 3 passed" "with --no-expected a test without an expected output, and one with arguments and .ans"
    isolator test --tests "$scratch/all" --stop-on-failure "$obey"
    is "$status" 1 "--stop-on-failure: the status"
    expect "$(tests '"$_->{name} $_->{status}"')" "--stop-on-failure: the tests after the first failure do not run" <<'END'
1 passed
2 wrong-answer
3 not-run
4 not-run
5 not-run
6 not-run
10 not-run
END
}

test_case 'files that belong to no test' && {
    mkdir -p "$scratch/others/empty"
    add others a 'x\n' 'x\n'
    touch "$scratch/others/"{notes.txt,a.expected,.hidden}
    warning="'$scratch/others': ignored what belongs to no test: a.expected, notes.txt"
    isolator test --table --tests "$scratch/others" "$obey"
    is "$status|$(tail -n 1 <<<"$out")|$err" "0|1 of 1 passed|isolator: warning: $warning" "the table"
    isolator test --tests "$scratch/others" "$obey"
    is "$status|$(json 'join "|", @{$r->{warnings}}')|$err" "0|$warning|" "JSON"
    isolator test --table --tests "$scratch/others" "$obey" "$obey"
    is "$status|$(tail -n 1 <<<"$out")|$err" "0|2 of 2 solutions passed all tests|isolator: warning: $warning" "several files: once"
    isolator test --tests "$scratch/others" "$obey" "$obey"
    is "$status|$err" "0|" "several files as JSON"
    expect "$(lines '@{$r->{warnings}}')" "several files as JSON: each" <<END
$warning
$warning
END
}

test_case 'NAME.files that do not fit into the working directory' && {
    add wide 1 '1\n' 'one\n'
    add wide 2 '2\n' 'one\n'
    mkdir "$scratch/wide/1.files"
    truncate -s 3M "$scratch/wide/1.files/zeros"
    program=$(snippet py 'print("one")')
    isolator test --tests "$scratch/wide" --workdir-size 2 "$program"
    expect "$status
$(tests '"$_->{name} $_->{status} " . ($_->{error} // "null")')" "the other test runs" <<'END'
1
1 not-run the files need 3.0 MB, more than the 2 MB of the working directory; 'zeros' has 3.0 MB; raise workdirMB
2 passed null
END
    isolator test --tests "$scratch/wide" --workdir-size 4 "$program"
    is "$status $(tests '$_->{status}')" "0 passed
passed" "they fit"
}

# As a contest package has them: directories, one of them a group, settings in YAML, and input in files.
test_case 'directories below, NAME.yaml, test_group.yaml and NAME.files' && {
    add data/sample 1 'one\n' 'ONE\n'
    add data/secret/group 1 'two\n' 'two -v 0\n'
    add data/secret/group 2 'three\n' '3.0001\n'
    add data/secret/group 10 'wait\n' ''
    mkdir "$scratch/data/secret/group/2.files"
    echo 3 >"$scratch/data/secret/group/2.files/three"
    printf 'output_validator_args: []\n' >"$scratch/data/sample/test_group.yaml"
    printf 'args: [-v, "0"]\n' >"$scratch/data/secret/group/test_group.yaml"
    printf 'output_validator_args: [float_absolute_tolerance, 0.001]\nargs: [three]\n' >"$scratch/data/secret/group/2.yaml"
    printf 'limits: {timeout_seconds: 0.5, cpu_seconds: 9}\n' >"$scratch/data/secret/group/10.yaml"
    program=$(snippet py 'import sys, time
word = input()
if word == "wait": time.sleep(100)
if word == "three": word, sys.argv = open(sys.argv[1]).read().strip(), []
print(word, *sys.argv[1:])')
    isolator test --tests "$scratch/data" "$program"
    expect "$(tests '"$_->{name} $_->{status} " . ($_->{error} // "null")')" "the tests" <<'END'
sample/1 passed null
secret/group/1 passed null
secret/group/2 passed null
secret/group/10 timeout program did not end within 0.5 s
END
    isolator test --tests "$scratch/data" "$program" "$program"
    expect "$(lines 'join " ", map { $_->{status} } @{$r->{tests}}')" "two programs with the same tests" <<'END'
passed passed passed timeout
passed passed passed timeout
END
    printf 'arguments: [x]\n' >"$scratch/data/sample/1.yaml"
    isolator test --table --tests "$scratch/data" "$program"
    has "$status|$err" "2|isolator: '$scratch/data/sample/1.yaml': there is no key 'arguments'; known are: args, " "a key that is not known"
}

test_case 'a wrong answer shows what was expected and found' && {
    long=$(printf '%0200d' 0)
    add shown blank 'a\t \033[2J\302\240\n' 'a b\n'
    add shown long "${long}1$long\n" "${long}2$long\n"
    add shown short '\n' 'a\nb\n'
    printf 'import sys\nsys.stdout.write(sys.stdin.read())\n' >"$scratch/copy.py"
    zeros=${long:0:40} more=${long:0:59}
    errors="line 1 differs: expected 'a b', found 'a\\t \\x1b[2J\\xc2\\xa0'
line 1 differs: expected '...${zeros}2$more...', found '...${zeros}1$more...'
the output is empty: expected 'a'"
    isolator test --tests "$scratch/shown" "$scratch/copy.py"
    is "$status|$(json 'join "\n", map { $_->{error} } @{$r->{tests}}')" "1|$errors" "JSON"
    isolator test --table --tests "$scratch/shown" "$scratch/copy.py"
    is "$(sed -n 's/.* MB  //p' <<<"$out")" "$errors" "the table"
}

test_case 'the timeout of a test: 10 s, unless the configuration or the command line says otherwise' && {
    sleeps=$(snippet sh 'exec sleep 31415926')
    add sleep a '' ''
    isolator test --tests "$scratch/sleep" "$sleeps"
    is "$status $(tests '"$_->{status} $_->{error}"')" "1 timeout program did not end within 10 s" "no option"
    sed 's/^{/{"defaults": {"timeoutSeconds": 0.5},/' "$ISOLATOR_CONFIG" >"$scratch/timeout.json"
    isolator test --config "$scratch/timeout.json" --tests "$scratch/sleep" "$sleeps"
    is "$(tests '$_->{error}')" "program did not end within 0.5 s" "the defaults of the configuration"
    isolator test --config "$scratch/timeout.json" --timeout 0.4s --tests "$scratch/sleep" "$sleeps"
    is "$(tests '$_->{error}')" "program did not end within 0.4 s" "--timeout"
}

test_case 'the ways to compare' && {
    add ways a '1.0\n' '1\n'
    add ways b 'a   b\n' 'a\nb'
    add ways c 'c \n' 'c\n'
    add ways d 'd\n' 'd\n'
    add ways e '1000\n' '1001\n'
    passed() {
        local names=${1// /$'\n'}
        shift
        isolator test --tests "$scratch/ways" "$@" "$obey"
        is "$(tests '$_->{status} eq "passed" ? $_->{name} : ()')" "$names" "passed with '$*'"
    }
    passed "c d"
    passed "d" --compare exact
    passed "b c d" --compare tokens
    passed "a b c d" --compare float
    passed "a b c d e" --compare float --tolerance 0.001
    passed "a b c d e" --compare float --tolerance absolute=1
    passed "a b c d e" --compare float --tolerance relative=0.001
    passed "a b c d" --compare float --tolerance relative=0.0001 --tolerance absolute=0.5
    passed "a c d" --compare lines
    add ways f 'F\n' 'f\n'
    passed "c d f" --ignore-case
}

test_case 'the program: a directory, standard input, arguments, and an output that is cut' && {
    mkdir -p "$scratch/project"
    cp "$obey" "$scratch/project/main.py"
    add args a 'x\n' 'x -v 1\n'
    isolator test --tests "$scratch/args" --dir "$scratch/project" --entrypoint main.py -- -v 1
    is "$status $(tests '$_->{status}')" "0 passed" "the program of a directory, with arguments"
    input=$obey isolator test --tests "$scratch/args" --language python - -- -v 1
    is "$status $(tests '$_->{status}')" "0 passed" "a program from standard input"
    isolator test --tests "$scratch/one" --no-expected --output-limit 64 "$(snippet py 'print("x" * 1000)')"
    is "$status $(tests '"$_->{status} $_->{stdoutTruncated}"')" "0 passed 1" "--output-limit"
}

test_case '--max-output, and --no-detail' && {
    add quiet a 'one two\n' 'secret\n'
    isolator test --tests "$scratch/quiet" --no-detail "$obey"
    is "$status $(tests '"$_->{status} <$_->{stdout}> $_->{error}"')" "1 wrong-answer <> the output is not the expected one" "--no-detail"
    is "$(grep -cE "secret|two" "$scratch/out")" 0 "neither what is expected nor what the program prints"
    isolator test --tests "$scratch/quiet" --table --no-detail "$obey"
    has "$out" "the output is not the expected one" "the table"
    isolator test --tests "$scratch/quiet" --max-output 7 "$obey"
    is "$(tests '"$_->{status} $_->{error}"')" "output-limit program wrote more than 7 bytes to one stream" "--max-output"
}

# More inputs than the soft limit of descriptors.
test_case 'many tests' && {
    for i in {1..150}; do add many "$i" "$i\n" "$i\n"; done
    out=$(ulimit -Sn 100 && "$ISOLATOR" test --table --tests "$scratch/many" "$obey")
    is "$? $(tail -n 1 <<<"$out")" "0 150 of 150 passed" "150 tests with 100 descriptors"
}

# ---- what is no verdict

cat >"$scratch/build.json" <<END
{"languages": {"checked": {"image": "isolator-test/busybox:1", "build": ["sh", "-n", "{entrypoint}"],
    "command": ["sh", "{entrypoint}"], "extensions": [".chk"], "defaultFilename": "main.chk"}}}
END

test_case 'a build' && {
    printf 'read line\necho "$line"\n' >"$scratch/good.chk"
    printf 'if then\n\033[2J\n' >"$scratch/bad.chk"
    add build a 'x\n' 'x\n'
    isolator test --config "$scratch/build.json" --table --tests "$scratch/build" "$scratch/good.chk"
    is "$status|$(figures <<<"$out" | tail -n 2)|$err" "0|a passed T T M
1 of 1 passed|" "a program that is built"
    isolator test --config "$scratch/build.json" --table --tests "$scratch/build" "$scratch/bad.chk"
    has "$status|$out" '1|bad.chk: line 1: syntax error: unexpected "then"' "the compiler's output takes the place of the table"
    hasnt "$out" "not-run" "no table"
    is "$err" "isolator: build exited with status 2" "why"
    isolator test --config "$scratch/build.json" --tests "$scratch/build" "$scratch/bad.chk"
    is "$status $(field status reason) $(tests '$_->{status}')" "1 error build not-run" "as JSON"
}

test_case 'the first line of each of several files without an extension names its language' && {
    printf '#!/usr/bin/env python3\nprint(input())\n' >"$scratch/first"
    printf '#!/usr/bin/python3\nprint(input())\n' >"$scratch/second"
    echo 'print(input())' >"$scratch/third"
    add named a 'x\n' 'x\n'
    isolator test --table --tests "$scratch/named" "$scratch/first" "$scratch/second" "$scratch/third"
    is "$status|$(figures <<<"$out" | sed -n "s|^$scratch/||p" | cut -d ' ' -f -3)" "1|first passed 1/1
second passed 1/1
third input 0/1" "two have a language"
}

test_case 'an image that is missing, and an engine that is' && {
    isolator test --table --tests "$scratch/all" --image isolator-test/none-such:1 "$obey"
    is "$status|$out|$err" "3||isolator: image 'isolator-test/none-such:1' is not on the engine; \
run: docker pull isolator-test/none-such:1" "an image that is missing"
    isolator test --tests "$scratch/all" --image isolator-test/none-such:1 "$obey"
    is "$status $(field reason)" "3 image-missing" "the same as JSON"
}

add cancel a 'x\n' 'x\n'
add cancel b 'sleep\n' ''
add cancel c 'x\n' 'x\n'
sleeper=$(snippet sh 'read -r line; [ "$line" != sleep ] || exec sleep 31415926; echo "$line"')

test_case 'SIGINT in a test' && {
    start_isolator test --table --tests "$scratch/cancel" "$sleeper"
    until_true eval 'processes_of "$(own_containers)" 2>"$scratch/top" | grep -q "sleep 31415926"'
    kill -INT "$pid"
    await
    is "$(own_containers)" "" "the container is gone"
    is "$status|$(figures <<<"$out")|$err" "130|TEST STATUS TIME CPU MEMORY DETAIL
a passed T T M
b not-run - - - cancelled while the program ran
c not-run - - - cancelled while the program ran
1 of 3 passed; 2 not run|isolator: cancelled while the program ran" "the tests that have ended are shown"
}

test_case 'rows appear as the tests end, also in a pipe' && {
    mkfifo "$scratch/rows"
    "$ISOLATOR" test --table --tests "$scratch/cancel" "$sleeper" >"$scratch/rows" 2>"$scratch/err" &
    pid=$!
    own_pids+="$pid "
    exec 9<"$scratch/rows"
    IFS= read -r -t 60 heading <&9 && IFS= read -r -t 60 row <&9
    is "$(figures <<<"$heading|$row")" "TEST STATUS TIME CPU MEMORY DETAIL|a passed T T M" "before the second test has ended"
    until_true eval 'processes_of "$(own_containers)" 2>"$scratch/top" | grep -q "sleep 31415926"'
    kill -INT "$pid"
    is "$(figures <&9 | head -n 1)" "b not-run - - - cancelled while the program ran" "the rest"
    wait "$pid"
    is "$?" 130 "interrupted"
    exec 9<&-
}

# The pipe holds 4096 bytes, and its reader waits until the container is gone.
test_case 'a reader that does not read stops no test' && {
    for i in {1..150}; do add stalled "$i" "$i\n" "$i\n"; done
    rm -f "$scratch/read" "$scratch/err"
    perl -e '
        my $go = shift;
        pipe my $in, my $out;
        fcntl $out, 1031, 4096 or die; # F_SETPIPE_SZ
        my $child = fork // die;
        if (!$child) { open STDOUT, ">&", $out; close $in; close $out; exec @ARGV }
        close $out;
        syswrite STDERR, "$child\n";
        select undef, undef, undef, 0.05 until -e $go;
        print <$in>;
        waitpid $child, 0;
        exit $? >> 8' "$scratch/read" "$ISOLATOR" test --table --tests "$scratch/stalled" "$obey" >"$scratch/out" 2>"$scratch/err" &
    pid=$!
    until_true test -s "$scratch/err"
    own_pids+="$(head -n 1 "$scratch/err") "
    until_true eval '[ -n "$(own_containers)" ]'
    until_true eval '[ -z "$(own_containers)" ]'
    touch "$scratch/read"
    await
    is "$status $(wc -l <<<"$out") $(tail -n 1 <<<"$out")" "0 152 150 of 150 passed" "all rows"
}

test_case 'a container that is removed in a test' && {
    start_isolator test --tests "$scratch/cancel" "$sleeper"
    until_true eval 'processes_of "$(own_containers)" 2>"$scratch/top" | grep -q "sleep 31415926"'
    docker rm -f "$(own_containers)" >/dev/null
    await
    is "$status $(field status reason)" "3 error engine" "the engine failed"
    expect "$(tests '"$_->{name} $_->{status}"')" "the test has no verdict" <<'END'
a passed
b engine
c not-run
END
    start_isolator test --table --tests "$scratch/cancel" "$sleeper"
    until_true eval 'processes_of "$(own_containers)" 2>"$scratch/top" | grep -q "sleep 31415926"'
    docker rm -f "$(own_containers)" >/dev/null
    await
    is "$status|$(tail -n 1 <<<"$out")" "3|1 of 3 passed; 1 ended by an error of the engine; 1 not run" "the table says so"
    has "$err" "isolator: " "the error is on stderr"
}

# ---- several files

# Solutions, of which the first ends last, and two tests.
add grade s1 '1\n' '1\n'
add grade s2 '2\n' '4\n'
mkdir "$scratch/solutions"
echo 'import time; n = int(input()); time.sleep(2); print(n * n)' >"$scratch/solutions/ann.py"
echo 'print(2 * int(input()) - 1)' >"$scratch/solutions/bob.py"
printf 'read -r n\necho $((n * n))\n' >"$scratch/solutions/cy.ash"
echo text | tee "$scratch"/solutions/{ann.txt,bob.txt,dan.unknown} >"$scratch/x.txt"

# grade ARG...: isolator test in the directory of the solutions, for short names.
grade() {
    cd "$scratch/solutions" || exit
    isolator test --tests ../grade "$@"
    cd "$OLDPWD" || exit
}
# waiting: how many containers run a program called wait.
waiting() {
    for name in $(own_containers); do processes_of "$name"; done 2>"$scratch/top" | grep -c ' [w]ait[0-9]*.py'
}

test_case --quick 'several files, none of which can be sent' && {
    printf -v name 'a\033[2J\302\233'
    grade --table none.py dan.unknown ../solutions "$name"
    is "$status|$err" "1|" "that is what is said of each"
    is "$(figures <<<"$out")" "SOLUTION STATUS PASSED TIME CPU MEMORY DETAIL
none.py input 0/2 - - - cannot open 'none.py': No such file or directory
dan.unknown input 0/2 - - - cannot tell the language of 'dan.unknown'; give --language (LANGUAGES
../solutions input 0/2 - - - '../solutions' has several programs: ann.py, ann.txt, bob.py, and 2 more; name the main one 'main.py'
a\\x1b[2J\\xc2\\x9b input 0/2 - - - cannot open 'a\\x1b[2J\\xc2\\x9b': No such file or directory
0 of 4 solutions passed all tests; 4 not graded" "the table"
    printf -v name 'b\377'
    grade none.py "$name"
    is "$status" 1 "the same as JSON: the status"
    expect "$(lines '"$r->{file} $r->{reason} $r->{error}"')" "the same as JSON" <<'END'
none.py input cannot open 'none.py': No such file or directory
b� input cannot open 'b\xff': No such file or directory
END
    is "$(grep -o '^{"[a-z]*"' "$scratch/out" | sort -u)" '{"file"' "the file is the first member"
}

test_case --quick 'several files: errors of all of them' && {
    all_wrong() {
        local message=$1
        shift
        grade "$@"
        is "$status|$out|$err" "2||isolator: $message" "isolator test $*"
    }
    all_wrong "cannot open the directory 'none': No such file or directory" --tests none ann.py bob.py
    all_wrong "--read-only must be true for a request with tests: nothing of one program may be left for the next" \
        --read-only=false dan.unknown ann.py bob.py
    all_wrong "- and another FILE cannot be used together; stdin is one program" --language python ann.py -
    all_wrong "--jobs: must be a whole number from 1 to 1024" --jobs 0 ann.py bob.py
}

test_case --quick 'several files: an engine that fails' && {
    faulty "create * fail;run * fail" grade --table ann.txt dan.unknown bob.txt
    is "$status|$(awk '{print $1, $2, $3}' <<<"$out")" "3|SOLUTION STATUS PASSED
ann.txt engine 0/2
dan.unknown input 0/2
bob.txt engine 0/2
0 of 3" "none is graded"
}

test_case 'several files: one that the engine fails' && {
    faulty "create 2 fail;run 2 fail" grade -j 1 bob.py ann.py bob.py
    is "$status" 3 "the status"
    expect "$(lines '"$r->{file} $r->{reason}"')" "the others are graded" <<'END'
bob.py tests
ann.py engine
bob.py tests
END
}

test_case '--retries: what the engine failed is tested again, and the summary counts it' && {
    again() { faulty "run $1 fail;create * fail" isolator test -j 1 --tests "$scratch/again" "${@:2}"; }
    mkdir -p "$scratch/again"
    touch "$scratch/again/s1.in"
    echo 1 >"$scratch/again/s1.out"
    echo 'echo 1' | tee "$scratch/again.ash" >"$scratch/more.ash"
    again 2 --table "$scratch/again.ash" "$scratch/more.ash"
    is "$status|$(tail -n 1 <<<"$out")" "3|1 of 2 solutions passed all tests; 1 not graded, 1 of them since the engine failed" "without --retries"
    again 2 --table --retries 1 "$scratch/again.ash" "$scratch/more.ash"
    is "$status|$(tail -n 1 <<<"$out")" "0|2 of 2 solutions passed all tests; 1 retry" "several files"
    again 1 --json --retries 1 "$scratch/again.ash"
    is "$status|$(json '"$r->{retries} $r->{status}"')" "0|1 success" "one file, as JSON"
    again 1 --table --retries 1 "$scratch/again.ash"
    is "$status|$(grep -c passed <<<"$out")" "0|2" "as a table: a row, and the summary"
}

test_case 'several files: creations that are interrupted are one warning, with their number' && {
    sed -E 's/("engineTimeoutSeconds": *)[0-9]+/\12/' "$ISOLATOR_CONFIG" >"$scratch/hurried.json"
    for i in 1 2 3; do echo 'echo 1' >"$scratch/late$i.ash"; done
    faulty "run * hang" isolator test --config "$scratch/hurried.json" --table -j 3 --timeout 1 --tests "$scratch/grade" "$scratch"/late?.ash
    is "$status" 3 "the status"
    is "$(grep -c 'the creation of container' <<<"$err")" 1 "one is named"
    has "$err" "isolator: warning: the creation of 3 containers was interrupted; " "the number"
}

test_case 'several files: the table and the JSON, in the order of the command line' && {
    grade --table -j 4 ann.py bob.py dan.unknown cy.ash
    is "$status|$err" "1|" "some tests are not passed"
    is "$(figures <<<"$out")" "SOLUTION STATUS PASSED TIME CPU MEMORY DETAIL
ann.py passed 2/2 T T M
bob.py failed 1/2 T T M first: s2 (wrong-answer, line 1 differs: expected '4', found '3')
dan.unknown input 0/2 - - - cannot tell the language of 'dan.unknown'; give --language (LANGUAGES
cy.ash passed 2/2 T T M
2 of 4 solutions passed all tests; 1 not graded" "a row for each"
    grade -j 4 ann.py bob.py dan.unknown cy.ash
    is "$status" 1 "as JSON: the status"
    expect "$(lines '"$r->{file} $r->{reason}: " . (join(", ", map { $_->{status} } @{$r->{tests}}) || "none")')" "a line for each" <<'END'
ann.py exit: passed, passed
bob.py tests: passed, wrong-answer
dan.unknown input: none
cy.ash exit: passed, passed
END
    grade ann.py cy.ash
    is "$status" 0 "all passed"
}

test_case 'several files: a warning says what helps, in a table once' && {
    add lacking 1 '' 'x'
    add lacking 2 '' 'x'
    for name in a b c; do printf '%s\n' 'import no_such_module' >"$scratch/lacking-$name.py"; done
    echo 'import other_module' >"$scratch/lacking-d.py"
    echo 'print("x")' >"$scratch/lacking-e.py"
    cd "$scratch" || exit
    isolator test --table --tests lacking lacking-{e,a,b,c,d}.py
    cd "$OLDPWD" || exit
    expect "$err" "the table" <<'END'
isolator: lacking-a.py: warning: the package 'no_such_module' is not in the image; to add it: isolator prepare python --network bridge --run 'pip install no_such_module'
isolator: lacking-d.py: warning: the package 'other_module' is not in the image; to add it: isolator prepare python --network bridge --run 'pip install other_module'
END
    isolator test --tests "$scratch/lacking" "$scratch"/lacking-{a,b,e}.py
    expect "$(lines 'scalar(@{$r->{warnings}}) . ($r->{warnings}[0] =~ / is not in the image; to add it: / && " added")')" "JSON" <<'END'
1 added
1 added
0
END
}

test_case 'several files: a build' && {
    printf 'read line\necho "$line"\n' >"$scratch/solutions/good.chk"
    printf 'echo x\nif then\n\033[2J\n' >"$scratch/solutions/bad.chk"
    grade --config "$scratch/build.json" --table bad.chk good.chk
    is "$status|$(figures <<<"$out")|$err" "1|SOLUTION STATUS PASSED TIME CPU MEMORY DETAIL
bad.chk build 0/2 - - - bad.chk: line 2: syntax error: unexpected \"then\"
good.chk failed 1/2 T T M first: s2 (wrong-answer, line 1 differs: expected '4', found '2')
0 of 2 solutions passed all tests|" "what the compiler says"
}

# With two at a time, the second solution that waits begins only when another has ended.
test_case 'solutions of several files: a directory for each' && {
    mkdir -p "$scratch"/class/{ann,bob,cy}
    echo 'from helper import square; print(square(int(input())))' >"$scratch/class/ann/main.py"
    echo 'def square(n): return n * n' >"$scratch/class/ann/helper.py"
    echo 'print(int(input()) ** int(open("power").read()))' >"$scratch/class/bob/solve.py"
    echo 2 >"$scratch/class/bob/power"
    touch "$scratch"/class/cy/{a,b}.py
    cd "$scratch/class" || exit
    isolator test --table --tests "$scratch/grade" *
    is "$status|$(figures <<<"$out")" "1|SOLUTION STATUS PASSED TIME CPU MEMORY DETAIL
ann passed 2/2 T T M
bob passed 2/2 T T M
cy input 0/2 - - - 'cy' has several programs: a.py, b.py; name the main one 'main.py'
2 of 3 solutions passed all tests; 1 not graded" "the table"
    isolator test --tests "$scratch/grade" bob
    is "$status $(tests '$_->{status}' | tr '\n' ' ')" "0 passed passed" "one directory"
    cd "$OLDPWD" || exit
}

test_case 'several files: SIGINT' && {
    for i in 1 2 3; do echo "import time; time.sleep(31415926)" >"$scratch/solutions/wait$i.py"; done
    cd "$scratch/solutions" || exit
    start_isolator test --table -j 2 --tests ../grade bob.py wait1.py bob.py wait2.py wait3.py
    cd "$OLDPWD" || exit
    until_true eval '[ "$(waiting)" = 2 ]'
    is "$(figures <"$scratch/out" | tail -n 1)" "bob.py failed 1/2 T T M first: s2 (wrong-answer, line 1 differs: expected '4', found '3')" \
        "a row is printed when its solution and those before it are done"
    is "$(wc -l <"$scratch/out")" 2 "and not before that"
    until_true eval '[ "$(own_containers | wc -l)" = 2 ]' # those of bob.py are removed
    is "$(waiting)" 2 "two run at a time"
    kill -INT "$pid"
    await
    gone "the containers are gone"
    is "$status|$(figures <<<"$out")|$err" "130|SOLUTION STATUS PASSED TIME CPU MEMORY DETAIL
bob.py failed 1/2 T T M first: s2 (wrong-answer, line 1 differs: expected '4', found '3')
bob.py failed 1/2 T T M first: s2 (wrong-answer, line 1 differs: expected '4', found '3')
0 of 5 solutions passed all tests; 3 not graded|" "what is complete is printed"
}

# They share the open files of the tests.
test_case 'several files with many tests' && {
    for i in {1..150}; do add several "$i" "$i\n" "$i\n"; done
    for i in {1..6}; do cp "$obey" "$scratch/solutions/obey$i.py"; done
    out=$(ulimit -n 400 && "$ISOLATOR" test --table --tests "$scratch/several" -j 3 "$scratch"/solutions/obey?.py)
    is "$? $(tail -n 1 <<<"$out")" "0 6 of 6 solutions passed all tests" "6 solutions and 150 tests with 400 descriptors"
}

test_case '50 solutions in C with 20 tests each' && {
    mkdir "$scratch/class"
    for i in {1..20}; do add squares "s$i" "$i\n" "$((i * i))\n"; done
    for i in {01..50}; do
        case $i in
        07) result='n == 7 ? 0 : n * n' ;;
        23) result='n * n n' ;;
        42) result='n < 19 ? n * n : (exit(3), 0)' ;;
        *) result='n * n' ;;
        esac
        printf '#include <stdio.h>\n#include <stdlib.h>\nint main(void) { int n; scanf("%%d", &n); printf("%%d\\n", %s); }\n' "$result" >"$scratch/class/$i.c"
    done
    cd "$scratch/class" || exit
    isolator test --table --tests ../squares ./*.c
    cd "$OLDPWD" || exit
    is "$status|$err" "1|" "three are not passed"
    is "$(figures <<<"$out" | grep -v ' passed 20/20 ')" "SOLUTION STATUS PASSED TIME CPU MEMORY DETAIL
./07.c failed 19/20 T T M first: s7 (wrong-answer, line 1 differs: expected '49', found '0')
./23.c build 0/20 - - - ./23.c:3:62: error: expected ')' before 'n'
./42.c failed 18/20 T T M first: s19 (runtime-error, program exited with status 3)
47 of 50 solutions passed all tests" "the table says which, and why"
    is "$(grep -c ' passed  *20/20 ' <<<"$out")" 47 "the others passed all tests"
}

test_case 'several files: --pull, and a reader that ends' && {
    faulty "pull * fail" grade --pull --image isolator-test/none-such:1 ann.py bob.py
    is "$status|$(lines '$r->{reason}')" $'3|image-missing\nimage-missing' "an image that cannot be fetched"
    is "$(docker_calls | tr ' ' '\n' | grep -c pull)" 1 "it is tried once"
    (cd "$scratch/solutions" && "$ISOLATOR" test --tests ../grade cy.ash bob.py cy.ash 2>"$scratch/err" | head -c 1; exit "${PIPESTATUS[0]}") >"$scratch/out"
    is "$?|$(cat "$scratch/out" "$scratch/err")" "141|{" "a reader that is gone"
}

# ---- terminals

test_case 'at a terminal: the table, without control characters' && {
    name=$(printf 'a\033[2J\302\233b')
    add screen "$name" 'fail\n' ''
    cp "$obey" "$scratch/hostile.py"
    sed -i 's/out of range/\\x1b[31m\\u202e/' "$scratch/hostile.py"
    script -qec "'$ISOLATOR' test --tests '$scratch/screen' '$scratch/hostile.py'" /dev/null </dev/null >"$scratch/out" 2>&1
    take_output
    has "$(figures <<<"$out")" 'a\x1b[2J\xc2\x9bb runtime-error' "a name is escaped"
    has "$out" ': IndexError: \x1b[31m\xe2\x80\xae' "a text of the program is escaped"
    is "$(tr -d '\r' <<<"$out" | LC_ALL=C grep -c '[^[:print:]]')" 0 "nothing controls the terminal"
    script -qec "'$ISOLATOR' test --json --tests '$scratch/screen' '$scratch/hostile.py'" /dev/null </dev/null >"$scratch/out" 2>&1
    is "$(tests '$_->{status}')" "runtime-error" "--json: JSON at a terminal"
}

finish
