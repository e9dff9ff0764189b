#!/usr/bin/env bash
# Tests whose outputs a checker decides about: the conventions of testlib and of Kattis, errors of the judges, and programs
# and checkers that are hostile to each other.
# shellcheck source=test/e2e/lib.sh disable=SC2016,SC2154 # single quotes are for other shells; lib.sh sets $out and its like
. "$(dirname "$0")/lib.sh"

# tests EXPRESSION: a Perl expression about each test of the result, which is the hash %$_, one a line.
tests() { json "join qq(\\n), map { $1 } @{\$r->{tests}}"; }
verdicts='"$_->{name} $_->{status} " . ($_->{score} // "-") . " " . ($_->{error} // "-")'
# figures: the table on stdin without its figures, and with single spaces.
figures() { sed -E 's/ +[0-9]+ ms/ T/g; s/ +[0-9]+\.[0-9] MB/ M/; s/ +/ /g'; }

mkdir "$scratch/tests"
for i in 1 2 3; do
    echo $i >"$scratch/tests/$i.in"
    echo $((i * i)) >"$scratch/tests/$i.ans"
done
# A program that prints what the words of its test say: program WORD WORD WORD.
program() { snippet py "print('$1 $2 $3'.split()[int(input()) - 1])"; }

# A checker as testlib has them. A word that is no number is an order.
cat >"$scratch/check.py" <<'END'
import os, sys, time
data, output, answer = (open(path).read().split() for path in sys.argv[1:4])
word = output[0] if output else ""
if word.startswith("exit"):
    print("because", word, file=sys.stderr)
    sys.exit(int(word[4:]))
if word.startswith("points"): sys.exit([print("points", word[6:], "of 10", file=sys.stderr), 7][1])
if word.startswith("pc"): sys.exit([print(f"partially correct ({word[2:]}) more", file=sys.stderr), int(word[2:])][1])
if word == "kill": os.kill(os.getpid(), 9)
if word == "wait": time.sleep(100)
if word == "eat": bytearray(900 << 20)
if output != answer:
    print(f"test {data[0]}: expected {answer[0]}, found {word}\nmore", file=sys.stderr)
    sys.exit(1)
END
# An output validator.
cat >"$scratch/validate.py" <<'END'
import sys
data, answer, feedback = sys.argv[1:4]
word = sys.stdin.read().strip()
assert feedback.endswith("/"), feedback
if word.startswith("say"): open(feedback + "judgemessage.txt", "w").write(f"input {open(data).read()}said\n")
if word.startswith("team"): open(feedback + "teammessage.txt", "w").write("to the team\n")
if word.startswith("score"): open(feedback + "score.txt", "w").write(word[5:] + "\n")
code = word[-2:] if word[:1].isalpha() else ""
sys.exit(int(code) if code else 42 if word == open(answer).read().strip() else 43)
END

# config EXPRESSION: prints a configuration in which Perl has changed the hash %$config. "made" is a language that is built.
config() {
    perl -MJSON::PP -e '
        local $/;
        my $config = JSON::PP->new->decode(<STDIN>);
        $config->{languages}{made} = {image => "isolator-test/busybox:1", extensions => [".made"], defaultFilename => "main.made",
            build => ["sh", "-c", "! grep SYNTAX {entrypoint} >&2 && cp {entrypoint} {stem}"], command => ["sh", "./{stem}"]};
        eval $ARGV[0] // die $@;
        print JSON::PP->new->encode($config)' "$1" <"$ISOLATOR_CONFIG"
}
config 1 >"$scratch/made.json"

# ---- verdicts

test_case 'testlib: right, wrong, partly right' && {
    isolator test --tests "$scratch/tests" --checker "$scratch/check.py" "$(program 1 5 points2.5)"
    expect "$status $(json '"$r->{reason} $r->{summary}{passed} $r->{summary}{firstFailure}"')
$(tests "$verdicts")" "the result" <<'END'
1 tests 1 2
1 passed - -
2 wrong-answer - test 2: expected 4, found 5
3 partly-right 2.5 points 2.5 of 10
END
    for code in 1 2 4 8; do
        isolator test --tests "$scratch/tests" --checker "$scratch/check.py" "$(program exit$code 4 9)"
        is "$(tests "$verdicts" | head -n 1)" "1 wrong-answer - because exit$code" "exit status $code"
    done
    isolator test --tests "$scratch/tests" --checker "$scratch/check.py" --table "$(program 1 4 points3)"
    is "$status|$(figures <<<"$out")" "1|TEST STATUS TIME CPU MEMORY DETAIL
1 passed T T M
2 passed T T M
3 partly-right T T M points 3 of 10
2 of 3 passed; first failure: 3" "the table"
    isolator test --tests "$scratch/tests" --checker "$scratch/check.py" "$(program 1 4 9)"
    is "$status $(json '$r->{reason}')" "0 exit" "all are right"
}

test_case 'Kattis: accepted, wrong, feedback' && {
    isolator test --tests "$scratch/tests" --validator "$scratch/validate.py" "$(program 1 say43 team43)"
    expect "$status
$(tests "$verdicts")" "the messages" <<'END'
1
1 passed - -
2 wrong-answer - input 2
3 wrong-answer - to the team
END
    isolator test --tests "$scratch/tests" --validator "$scratch/validate.py" "$(program score7.5/42 score1/43 9)"
    expect "$(tests "$verdicts")" "scores that are no numbers are errors of the judges" <<'END'
1 judge-error - the checker has given no number as score: '7.5/42'
2 not-run - test '1': the checker has given no number as score: '7.5/42'
3 not-run - test '1': the checker has given no number as score: '7.5/42'
END
    isolator test --tests "$scratch/tests" --validator "$scratch/validate.py" "$(program score42 score43 9)"
    expect "$(tests "$verdicts")" "scores" <<'END'
1 passed 42 -
2 wrong-answer - the output is not right
3 passed - -
END
}

test_case 'feedback that is too large' && {
    config '$config->{maxArtifactBytes} = 1000' >"$scratch/small.json"
    judges() { # FILE [STATUS]: a validator that writes too much into it
        snippet py "import sys
open(sys.argv[3] + '$1', 'w').write('1' * 2000); sys.exit(${2:-43})"
    }
    feedback=judge/feedback
    limit="it exceeds the limit maxArtifactBytes"
    isolator test --no-checker-trial --config "$scratch/small.json" --tests "$scratch/tests" --validator "$(judges judgemessage.txt)" "$(program 1 4 9)"
    expect "$(json 'join "\n", @{$r->{warnings}}')
$(tests "$verdicts")" "a message is not needed" <<END
the checker: the artifact '$feedback/judgemessage.txt' is omitted: $limit
1 wrong-answer - the output is not right
2 wrong-answer - the output is not right
3 wrong-answer - the output is not right
END
    isolator test --no-checker-trial --config "$scratch/small.json" --tests "$scratch/tests" --validator "$(judges score.txt 42)" "$(program 1 4 9)"
    is "$status $(tests "$verdicts" | head -n 1)" \
        "3 1 judge-error - no score can be read: the artifact '$feedback/score.txt' is omitted: $limit" "a score is"
    isolator test --no-checker-trial --config "$scratch/small.json" --tests "$scratch/tests" --validator "$(judges score.txt)" "$(program 1 4 9)"
    is "$status $(tests "$verdicts" | head -n 1)" "1 1 wrong-answer - the output is not right" "but not that of a wrong output"
    isolator test --no-checker-trial --config "$scratch/small.json" --tests "$scratch/tests" --validator "$(judges other.txt)" "$(program 1 4 9)"
    is "$(json '"@{$r->{warnings}}"') $(tests '$_->{status}' | sort -u)" " wrong-answer" "other files are not read"
}

test_case 'a long message is cut between characters' && {
    isolator test --tests "$scratch/tests" --validator "$(snippet py 'import sys
open(sys.argv[3] + "judgemessage.txt", "w").write("x" * 999 + "\u00e9" * 9); sys.exit(43)')" "$(program 1 4 9)"
    is "$(tests '$_->{error}' | sed 's/x*//' | sort -u)" "" "nothing follows the x"
    is "$(tests 'length $_->{error}' | sort -u)" 999 "all x"
}

test_case 'arguments of a validator are those of the tests' && {
    mkdir "$scratch/flags"
    touch "$scratch/flags/1.in"
    printf 'output_validator_args: [near, "0.5"]\n' >"$scratch/flags/test_group.yaml"
    isolator test --tests "$scratch/flags" --validator "$(snippet py 'import sys
open(sys.argv[3] + "judgemessage.txt", "w").write(" ".join(sys.argv[4:])); sys.exit(43)')" "$(snippet py '')"
    is "$(tests "$verdicts")" "1 wrong-answer - near 0.5" "the message has the arguments"
}

test_case 'only the output of a program that has ended well is checked' && {
    isolator test --tests "$scratch/tests" --checker "$scratch/check.py" --timeout 1s \
        "$(snippet py 'import sys, time
n = int(input())
if n == 2: sys.exit(5)
if n == 3: time.sleep(100)
print("exit3")')"
    is "$status" 3 "an output that makes the checker fail"
    isolator test --tests "$scratch/tests" --checker "$scratch/check.py" --timeout 1s \
        "$(snippet py 'import sys, time
n = int(input())
print(1 if n == 1 else "exit3", flush=True)
if n == 2: sys.exit(5)
if n == 3: time.sleep(100)')"
    expect "$status
$(tests "$verdicts")" "the others" <<'END'
1
1 passed - -
2 runtime-error - program exited with status 5
3 timeout - program did not end within 1 s
END
}

test_case 'tests without an answer, and with arguments and files' && {
    mkdir "$scratch/bare"
    echo 7 >"$scratch/bare/1.in"
    isolator test --tests "$scratch/bare" --checker "$(snippet py 'import sys
data, output, answer = (open(path).read() for path in sys.argv[1:4])
print(repr((data, output, answer)), file=sys.stderr)
sys.exit(1)')" "$(snippet py 'print(int(input()) + 1)')"
    is "$(tests "$verdicts")" "1 wrong-answer - ('7\\n', '8\\n', '')" "what the checker is given"
    mkdir "$scratch/judge"
    echo 'import sys, helper; sys.exit(helper.judge(open(sys.argv[2]).read()))' >"$scratch/judge/main.py"
    echo 'judge = lambda text: 0 if text == "8\n" else 1' >"$scratch/judge/helper.py"
    isolator test --tests "$scratch/bare" --checker "$scratch/judge" "$(snippet py 'print(int(input()) + 1)')"
    is "$(tests "$verdicts")" "1 passed - -" "a checker of several files"
    isolator test --tests "$scratch/bare" --checker "$scratch/judge" "$(snippet py 'print(8)')" "$(snippet py 'print(9)')"
    is "$status|$(perl -MJSON::PP -ne 'print decode_json($_)->{tests}[0]{status}, " "' <"$scratch/out")" "1|passed wrong-answer " "several programs"
}

test_case 'a line of a batch has a checker' && {
    perl -MJSON::PP -e 'local $/; my $code = <STDIN>; print encode_json({language => "python", entrypoint_code => "print(input())",
        checker => {language => "python", code => $code, arguments => ["more"]},
        tests => [map { {stdin => "$_", expected_stdout => "5", name => "$_"} } 5, 6, "points1"]}), "\n"' <"$scratch/check.py" >"$scratch/lines"
    isolator batch "$scratch/lines"
    expect "$status
$(tests "$verdicts")" "the tests" <<'END'
1
5 passed - -
6 wrong-answer - test 6: expected 5, found 6
points1 partly-right 1 points 1 of 10
END
    echo '{"language": "python", "entrypoint_code": "print(1)", "tests": [{}, {"expected_stdout": "1"}],
        "checker": {"language": "python", "code": "import sys; sys.exit(1 if open(sys.argv[3]).read() else 0)"}}' | tr -d '\n' >"$scratch/lines"
    isolator batch "$scratch/lines"
    is "$(tests '$_->{status}' | tr '\n' ' ')" "passed wrong-answer" "a test without an answer"
    refused() {
        perl -MJSON::PP -e 'print encode_json({language => "python", entrypoint_code => "", eval $ARGV[0]}), "\n"' "$1" >"$scratch/lines"
        isolator batch "$scratch/lines"
        is "$(json '"$r->{reason} $r->{error}"')" "input $2" "$1"
    }
    refused 'checker => {language => "python", code => ""}' "a checker needs tests"
    refused 'tests => [{}], checker => {language => "python"}' "checker needs a language and code"
    refused 'tests => [{}], checker => {language => "python", code => "", convention => "icpc"}' \
        'checker.convention must be "testlib" or "kattis"'
}

# ---- errors of the judges

test_case 'a checker that fails is an error of the judges, and no verdict' && {
    fails() {
        isolator test --tests "$scratch/tests" --checker "$scratch/check.py" "$(program 1 "$1" 9)"
        expect "$status $(json '"$r->{reason} $r->{status}"')
$(tests "$verdicts")" "$1" <<END
3 judge-error error
1 passed - -
2 judge-error - $2
3 not-run - test '2': $2
END
    }
    fails exit3 "the checker exited with status 3: because exit3"
    fails exit5 "the checker exited with status 5: because exit5"
    fails exit42 "the checker exited with status 42: because exit42"
    fails kill "the checker was ended by SIGKILL"

    fails points "the checker has given no number as score: 'points  of 10'"
    isolator test --table --tests "$scratch/tests" --checker "$scratch/check.py" "$(program 1 exit3 9)"
    is "$status|$(tail -n 1 <<<"$out")|$err" "3|1 of 3 passed; 1 not judged; 1 not run|isolator: test '2': the checker exited with status 3: because exit3" "the table"
    isolator test --table --tests "$scratch/tests" --checker "$scratch/check.py" "$(program 1 exit3 9)" "$(program 1 4 9)"
    is "$status|$(tail -n 1 <<<"$out")" "3|1 of 2 solutions passed all tests; 1 not graded" "several programs"
}

test_case 'testlib: _pc, percents of the points of a test' && {
    mkdir "$scratch/percents"
    cp "$scratch/tests"/* "$scratch/percents"
    isolator test --tests "$scratch/percents" --checker "$scratch/check.py" "$(program 1 pc50 pc0)"
    expect "$status
$(tests "$verdicts")" "without points" <<'END'
1
1 passed - -
2 partly-right - partially correct (50) more
3 partly-right - partially correct (0) more
END
    printf 'max_score: 30\nscore_aggregation: sum\n' >"$scratch/percents/test_group.yaml"
    isolator test --tests "$scratch/percents" --checker "$scratch/check.py" "$(program 1 pc50 pc0)"
    expect "$(tests "$verdicts")
$(json '$r->{summary}{score}')" "with points" <<'END'
1 passed 10 -
2 partly-right 5 partially correct (50) more
3 partly-right 0 partially correct (0) more
15
END
    isolator test --tests "$scratch/percents" --checker "$scratch/check.py" "$(program 1 pc120 9)"
    is "$status $(json '$r->{error}')" "3 test '2': the checker has given the multiplier 1.2, which is not from 0 to 1" "more than all"
}

test_case 'an uncaught exception of a checker is an error of the judges' && {
    # raises CODE RESULT [EXTENSION]: the status, the error, and what is said of the first test.
    raises() {
        printf '%b' "$1" >"$scratch/raises.${3:-py}"
        isolator test --no-checker-trial --tests "$scratch/tests" --checker "$scratch/raises.${3:-py}" "$(program 1 4 9)"
        is "$status $(tests '"$_->{status}: $_->{error}"' | head -n 1)" "$2" "$1"
    }
    raises 'import nosuch\n' "3 judge-error: the checker exited with status 1: ModuleNotFoundError: No module named 'nosuch'"
    is "$(json '$r->{error}')" "test '1': the checker exited with status 1: ModuleNotFoundError: No module named 'nosuch'" "the test is named"
    raises 'if :\n' "3 judge-error: the checker exited with status 1: SyntaxError: invalid syntax"
    raises 'import sys\nsys.exit("Traceback of mine")\n' "1 wrong-answer: Traceback of mine"
    raises 'import sys, traceback\ntry: 1 / 0\nexcept Exception: traceback.print_exc()\nsys.exit(2)\n' \
        "1 wrong-answer: Traceback (most recent call last):"
    raises 'require("nosuch")\n' "3 judge-error: the checker exited with status 1: Error: Cannot find module 'nosuch'" js
    raises 'if (\n' "3 judge-error: the checker exited with status 1: SyntaxError: Unexpected end of input" js
    raises 'console.error("Node.js v20\\n\\nNode.js v20\\nmore"); process.exit(1)\n' "1 wrong-answer: Node.js v20" js
    printf 'assert False, "no"\n' >"$scratch/raises.py"
    isolator test --no-checker-trial --tests "$scratch/tests" --validator "$scratch/raises.py" "$(program 1 4 9)"
    is "$(json '$r->{error}')" "test '1': the validator exited with status 1: AssertionError: no" "a validator"
}

test_case 'a checker is tried on an expected output before the tests' && {
    echo 'import sys; sys.exit("never" if open(sys.argv[2]).read() == open(sys.argv[3]).read() else 0)' >"$scratch/never.py"
    refuses="the checker does not accept the expected output of test '1': never"
    try() { isolator test --json --tests "$scratch/tests" --checker "$scratch/never.py" "$@"; }
    try "$(program x x x)"
    is "$status $(json '"@{$r->{warnings}}"')" "0 $refuses" "one program"
    try --no-detail "$(program x x x)"
    is "$(json '"@{$r->{warnings}}"')" "${refuses%never}the output is not right" "--no-detail"
    try --no-checker-trial "$(program x x x)"
    is "$(json '"@{$r->{warnings}}"')" "" "--no-checker-trial"
    for i in 1 2 3 4; do echo 'print("x")' >"$scratch/try$i.py"; done
    echo 'SYNTAX' >"$scratch/try0.made"
    try -j 1 --config "$scratch/made.json" "$scratch"/try0.made "$scratch"/try[1-4].py
    is "$(grep -c "$refuses" "$scratch/out") $(sed -n 2p "$scratch/out" | grep -c "$refuses")" "1 1" "a class: with the first program that is built"
    echo 'import nosuch' >"$scratch/never.py"
    try "$(program 1 4 9)"
    is "$status $(json '$r->{error}') $(tests '$_->{status}' | tr '\n' ' ')" \
        "3 test '1': the checker exited with status 1: ModuleNotFoundError: No module named 'nosuch' not-run not-run not-run" "it fails"
    echo 'import sys; sys.exit(42 if sys.stdin.read() == open(sys.argv[2]).read() and open(sys.argv[1]).read() == "1\n" else 43)' >"$scratch/never.py"
    isolator test --stop-on-failure --tests "$scratch/tests" --validator "$scratch/never.py" "$(program 1 4 9)"
    is "$(json '"@{$r->{warnings}}"') $(json '$r->{summary}{passed}')" " 1" "a validator that accepts it, with its input"
}

test_case 'what fails in the container of a checker is an error of the judges, too' && {
    mkdir "$scratch/clash"
    echo 'import sys; sys.exit(0)' >"$scratch/clash/main.py"
    touch "$scratch/clash/judge" # where the files of a test are
    isolator test --no-checker-trial --tests "$scratch/tests" --checker "$scratch/clash" "$(program 1 4 9)"
    is "$status $(json '$r->{reason}') $(tests '$_->{status}' | tr '\n' ' ')" "3 judge-error judge-error not-run not-run" "a file in the way"
}

test_case '--no-detail: nothing of what a checker says is shown' && {
    for word in exit1 exit3 points2; do
        isolator test --no-detail --tests "$scratch/tests" --checker "$scratch/check.py" "$(program 1 $word 9)"
        is "$(grep -cE "because|points 2" "$scratch/out")" 0 "$word"
    done
    isolator test --no-detail --tests "$scratch/tests" --checker "$scratch/check.py" "$(program 1 exit3 9)"
    is "$status $(json '$r->{error}') $(tests '$_->{error} // "-"' | head -n 2 | tail -n 1)" "3 the checker failed the checker failed" "an error of the judges"
}

test_case 'files that do not fit into the working directory of a checker' && {
    config '$config->{maximums}{workdirMB} = 64' >"$scratch/narrow.json"
    isolator test --config "$scratch/narrow.json" --tests "$scratch/tests" --checker "$scratch/check.py" "$(snippet py 'import os
if input() == "1": print(1); exit()
for i in range(64): os.write(1, b"0" * (1 << 20)) == 1 << 20 or exit(9)')"
    why="the files need 64.1 MB, more than the 64 MB of the working directory of the checker; 'judge/output' has 64.0 MB"
    expect "$status
$(tests "$verdicts")" "the output" <<END
3
1 passed - -
2 judge-error - $why
3 not-run - test '2': $why
END
    truncate -s 65M "$scratch/large"
    mkdir "$scratch/wide"
    cp "$scratch/large" "$scratch/wide/1.in"
    isolator test --config "$scratch/narrow.json" --tests "$scratch/wide" --checker "$scratch/check.py" "$(program 1 4 9)"
    is "$status $err" \
        "2 isolator: the checker: the input and the answer of test '1' need 66 MB, and it can have 64 MB (maximums.workdirMB)" "the input"
}

test_case 'a checker that takes too long, and one that cannot be built or sent' && {
    perl -MJSON::PP -e 'local $/; print encode_json({language => "python", entrypoint_code => "print(input())",
        checker => {language => "python", code => <STDIN>, timeout_seconds => 0.5},
        tests => [{stdin => "wait", expected_stdout => ""}]}), "\n"' <"$scratch/check.py" >"$scratch/lines"
    isolator batch --retries 1 "$scratch/lines"
    is "$(json '"$r->{reason} $r->{retries} $r->{tests}[0]{status} $r->{error}"')" \
        "judge-error 1 judge-error test '1': the checker did not end within 0.5 s" "too long, and tried again"
    echo 'SYNTAX error here' >"$scratch/broken.made"
    isolator test --config "$scratch/made.json" --tests "$scratch/tests" --checker "$scratch/broken.made" "$(program 1 4 9)"
    is "$status $(json '"$r->{reason} $r->{error}"')|$(tests '$_->{status}' | sort -u)" \
        "3 judge-error the checker cannot be built: SYNTAX error here|not-run" "it cannot be built"
    echo 'cmp -s "$2" "$3"' >"$scratch/good.made"
    isolator test --config "$scratch/made.json" --tests "$scratch/tests" --checker "$scratch/good.made" "$(program 1 4 8)"
    is "$status $(tests '$_->{status}' | tr '\n' ' ')" "1 passed passed wrong-answer" "one that is built"
    isolator test --tests "$scratch/tests" --checker "$scratch/none.py" "$(program 1 4 9)"
    is "$status $(json '"$r->{reason} $r->{error}"')" "2 input the checker: cannot open '$scratch/none.py': No such file or directory" "no such file"
}

test_case 'the warnings of the checker are those of the run, each once' && {
    config '$config->{defaults}{capDrop} = ["NET_RAW"]' >"$scratch/capable.json"
    isolator test --config "$scratch/capable.json" --tests "$scratch/tests" --checker "$scratch/check.py" "$(program 1 4 9)"
    expect "$status $(json 'join "\n", @{$r->{warnings}}')" "the warnings" <<'END'
0 not all capabilities are dropped, so the program could forge its result
the checker: not all capabilities are dropped, so the program could forge its result
END
}

test_case 'the audit file names the checker' && {
    rm -f "$scratch/audit"
    start_isolator test --audit "$scratch/audit" --tests "$scratch/tests" --checker "$scratch/check.py" \
        "$(snippet py 'import time; time.sleep(1)')"
    until_true eval '[ "$(own_containers | wc -l)" = 2 ]'
    names=$(own_containers | sort)
    await
    is "$(perl -MJSON::PP -ne '$l = decode_json($_); print "$_\n" for sort map { $_->{container} } $l, $l->{checker}' "$scratch/audit")" \
        "$names" "both containers"
    is "$(perl -MJSON::PP -ne '$l = decode_json($_); print $l->{checker}{image} eq $l->{image}' "$scratch/audit")" 1 "its image"
}

# A build of the checker that is never over would keep this process until the timeout of the build.
test_case 'a program that cannot be built does not wait for the build of the checker' && {
    config '$config->{languages}{slow} = {%{$config->{languages}{made}}, extensions => [".slow"], defaultFilename => "main.slow",
        build => ["sh", "-c", "sleep 1000"], buildLimits => {timeoutSeconds => 1000}}' >"$scratch/slow.json"
    echo 'SYNTAX error here' >"$scratch/broken.made"
    touch "$scratch/check.slow"
    start_isolator test --config "$scratch/slow.json" --tests "$scratch/tests" --checker "$scratch/check.slow" "$scratch/broken.made"
    until_true eval '! kill -0 "$pid" 2>/dev/null' || kill -KILL "$pid"
    await
    is "$status $(json '"$r->{reason} $r->{error}"')|$(tests '$_->{status}' | sort -u)" \
        "1 build build exited with status 1|not-run" "the result is that of the program"
}

test_case 'several programs whose checker is built once: it cannot be, or Ctrl-C' && {
    echo 'SYNTAX error here' >"$scratch/broken.made"
    for name in a b c; do cp "$(program 1 4 9)" "$scratch/$name.py"; done
    isolator test --json --jobs 3 --config "$scratch/made.json" --tests "$scratch/tests" --checker "$scratch/broken.made" "$scratch"/[abc].py
    is "$status $(grep -c '"the checker cannot be built: SYNTAX error here"' "$scratch/out")" "3 3" "each says so"
    config '$config->{languages}{slow} = {%{$config->{languages}{made}}, extensions => [".slow"], defaultFilename => "main.slow",
        build => ["sh", "-c", "sleep 1000"], buildLimits => {timeoutSeconds => 1000}};
        $config->{languages}{late} = {%{$config->{languages}{made}}, extensions => [".late"], defaultFilename => "main.late", build => ["sh", "-c", "sleep 5; exit 1"]}' >"$scratch/slow.json"
    touch "$scratch/check.slow" "$scratch/d.late"
    start_isolator test --jobs 2 --config "$scratch/slow.json" --tests "$scratch/tests" --checker "$scratch/check.slow" "$scratch/a.py" "$scratch/d.late"
    until_true eval '[ "$(own_containers | wc -l)" = 3 ]'
    until_true eval '[ "$(own_containers | wc -l)" = 2 ]' # a program that cannot be built does not wait
    kill -INT "$pid"
    until_true eval '! kill -0 "$pid" 2>/dev/null' || kill -KILL "$pid"
    await
    is "$status" 130 "it ends"
    gone "all containers are gone"
}

# ---- each is hostile to the other

test_case 'a program learns nothing of the answer, and the checker nothing of an earlier test' && {
    isolator test --tests "$scratch/tests" --checker "$(snippet py 'import os, sys
if os.path.exists("/tmp/left") or os.path.exists("left"): print("left", file=sys.stderr); sys.exit(3)
for path in "/tmp/left", "left", sys.argv[1] + "x": open(path, "w").write("x")
if os.fork() == 0:
    import time
    while True: time.sleep(1)
print(len(os.listdir("/proc")) , file=sys.stderr)
sys.exit(0 if open(sys.argv[2]).read() == "none\n" else 1)')" "$(snippet py 'import glob, os, subprocess
found = [path for top in ("/workspace", "/tmp", "/home", "/var") for path in glob.glob(top + "/**", recursive=True)
         if "answer" in path or "judge" in path]
found += [pid for pid in os.listdir("/proc") if pid.isdigit() and int(pid) not in (1, os.getpid())
          and b"argv" in open(f"/proc/{pid}/cmdline", "rb").read()]
print(found or "none")')"
    expect "$status
$(tests '$_->{status}')" "each test is the first" <<'END'
0
passed
passed
passed
END
}

test_case 'output that acts on a terminal, and outputs without an end' && {
    isolator test --table --tests "$scratch/tests" --checker "$(snippet py 'import sys
print(open(sys.argv[2]).read(), file=sys.stderr); sys.exit(1)')" "$(snippet py 'print("\x1b[2J\u202ered" + "x" * 3000)')"
    is "$(grep -c $'\x1b' "$scratch/out")" 0 "the message of the checker in the table"
    isolator test --tests "$scratch/tests" --checker "$scratch/check.py" "$(snippet py 'import os
while True: os.write(1, b"0" * 65536)')"
    is "$status $(tests '$_->{status}' | sort -u)" "1 output-limit" "an output without an end"
    isolator test --no-checker-trial --tests "$scratch/tests" --checker "$(snippet py 'import sys
sys.exit(0 if len(open(sys.argv[2]).read()) == 60 << 20 else 3)')" "$(snippet py 'import os
for i in range(60): os.write(1, b"0" * (1 << 20)) == 1 << 20 or exit(9)')"
    is "$status $(tests '"$_->{status} " . ($_->{error} // "-")' | sort -u)" "0 passed -" "60 MiB reach the checker"
}

test_case 'nothing of either is left after SIGKILL, or Ctrl-C' && {
    for signal in KILL INT; do
        start_isolator test --tests "$scratch/tests" --checker "$scratch/check.py" "$(program wait 4 9)"
        until_true eval '[ "$(own_containers | wc -l)" = 2 ]'
        sleep 0.5
        kill -$signal "$pid"
        await
        gone "SIG$signal: both containers are gone"
        [ $signal = KILL ] || is "$(tests '$_->{status}' | sort -u)" "not-run" "a cancelled test has no verdict"
    done
}

finish
