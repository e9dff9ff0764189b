#!/usr/bin/env bash
# Tests whose program talks to an interactor: the conventions of testlib and of Kattis, who waits for whom, transcripts, and
# programs and interactors that are hostile to each other.
# shellcheck source=test/e2e/lib.sh disable=SC2016,SC2154 # single quotes are for other shells; lib.sh sets $out and its like
. "$(dirname "$0")/lib.sh"

# tests EXPRESSION: a Perl expression about each test of the result, which is the hash %$_, one a line.
tests() { json "join qq(\\n), map { $1 } @{\$r->{tests}}"; }
verdicts='"$_->{name} $_->{status} " . ($_->{error} // "-")'

mkdir "$scratch/tests" "$scratch/one"
for i in 1 2; do
    echo $((i * 300)) >"$scratch/tests/$i.in"
    echo "answer $i" >"$scratch/tests/$i.ans"
done
echo 300 >"$scratch/one/1.in"

# Guess a number. It writes the output file, and what it has been given to stderr.
cat >"$scratch/guess.py" <<'END'
import sys
number = int(open(sys.argv[1]).read())
print("answer:", open(sys.argv[3]).read().strip(), file=sys.stderr)
for turn in range(12):
    line = sys.stdin.readline()
    if not line: sys.exit([print("no guess", file=sys.stderr), 2][1])
    if int(line) == number:
        print("found", flush=True)
        open(sys.argv[2], "x").write(f"{turn} turns")
        sys.exit(0)
    print("more" if int(line) < number else "less", flush=True)
sys.exit([print("too many turns", file=sys.stderr), 1][1])
END
# The same as a validator of Kattis.
cat >"$scratch/validate.py" <<'END'
import sys
number = int(open(sys.argv[1]).read())
for turn in range(12):
    line = sys.stdin.readline()
    if line.strip() == str(number):
        print("found", flush=True)
        open(sys.argv[3] + "score.txt", "w").write(str(turn))
        sys.exit(42)
    if not line: break
    print("more" if int(line) < number else "less", flush=True)
open(sys.argv[3] + "judgemessage.txt", "w").write("not found")
sys.exit(43)
END
right='low, high = 1, 1000
while True:
    guess = (low + high) // 2
    print(guess, flush=True)
    word = input()
    if word == "found": break
    low, high = (guess + 1, high) if word == "more" else (low, guess - 1)'
# talk INTERACTOR PROGRAM [OPTION ...]: one test of Python code that talks to other code.
talk() {
    local interactor program
    interactor=$(snippet py "$1") program=$(snippet py "$2")
    isolator test --tests "$scratch/one" --interactor "$interactor" --timeout 100s "${@:3}" "$program"
}

# ---- verdicts

test_case 'testlib: right and wrong' && {
    isolator test --tests "$scratch/tests" --interactor "$scratch/guess.py" "$(snippet py "$right")"
    expect "$status $(json '"$r->{reason} $r->{summary}{passed}"')
$(tests '"$_->{name} $_->{status} $_->{interactor}{exitCode} " . ($_->{interactor}{relayed} ? "relayed" : "joined") .
    " $_->{interactor}{stderr}"')" "the result" <<'END'
0 exit 2
1 passed 0 joined answer: answer 1

2 passed 0 joined answer: answer 2
END
    isolator test --tests "$scratch/tests" --interactor "$scratch/guess.py" \
        "$(snippet py 'for i in range(280, 300): print(i, flush=True); input()')"
    expect "$status
$(tests "$verdicts")" "a program that guesses in order" <<'END'
1
1 wrong-answer answer: answer 1
2 wrong-answer answer: answer 2
END
}

test_case 'Kattis: accepted, wrong, score and messages' && {
    isolator test --tests "$scratch/tests" --interactive-validator "$scratch/validate.py" "$(snippet py "$right")"
    is "$status $(tests '"$_->{status} $_->{score}"')" "0 passed 7
passed 9" "accepted"
    isolator test --tests "$scratch/tests" --interactive-validator "$scratch/validate.py" "$(snippet py 'print(5)')"
    is "$(tests "$verdicts")" "1 wrong-answer not found
2 wrong-answer not found" "a program that ends early"
}

test_case 'the one who ends first decides' && {
    talk 'import sys; input(); print("bad word", file=sys.stderr); sys.exit(1)' 'print(1, flush=True); input(); input()'
    is "$(tests "$verdicts")" "1 wrong-answer bad word" "the program fails since the interactor has ended"
    talk 'import sys; input(); input(); sys.exit(1)' 'print(1, flush=True); raise SystemExit(7)'
    is "$(tests "$verdicts")" "1 runtime-error program exited with status 7" "the interactor never reads the end"
    talk 'import sys; input(); sys.exit(0)' 'print(1, flush=True); raise SystemExit(7)'
    is "$(tests "$verdicts")" "1 runtime-error program exited with status 7" "right, and then the program fails"
    talk 'import sys; input(); sys.exit(0)' 'import time; print(1, flush=True); time.sleep(100)' --timeout 1s
    is "$(tests "$verdicts")" "1 timeout program did not end within 1 s" "right, and then the program does not end"
    talk 'import sys; input(); sys.exit(1)' 'import time; print(1, flush=True); time.sleep(100)'
    is "$(tests "$verdicts")" "1 wrong-answer the output is not right" "wrong, and then the program does not end"
    for relay in '' --transcript; do
        talk 'input()' 'import time
print(1, flush=True); time.sleep(0.5); print("x" * 1000000, flush=True)' $relay
        is "$(tests "$verdicts")" "1 passed -" "what is written after the end of an interactor that is content $relay"
        talk 'import sys, time; time.sleep(4); sys.exit(len(sys.stdin.read()) != 60001)' 'print("x" * 60000)' --timeout 3s $relay
        is "$(tests "$verdicts")" "1 passed -" "a program that has ended in time, and an interactor that reads later $relay"
    done
    isolator test --tests "$scratch/one" --interactor "$(snippet c 'int main(void) { return 1; }')" "$(snippet py 'input()')"
    is "$(tests '$_->{status}')" "wrong-answer" "the interactor has ended before the program begins"
    talk 'print("x" * 1000000); print("y", flush=True)' ''
    is "$(tests "$verdicts")" "1 passed -" "what no one reads any more"
}

# ---- who waits for whom

test_case 'a deadlock, and an interactor that does not answer' && {
    for relay in '' --transcript; do
        talk 'input()' 'input()' --timeout 3s $relay
        is "$(tests "$verdicts")" "1 timeout deadlock: the program and the interactor waited for each other to write; is a\
 line missing, or not flushed?" "both read $relay"
        talk 'print("x" * 5000000, flush=True); input()' 'print("x" * 5000000, flush=True); input()' --timeout 3s $relay
        is "$(tests "$verdicts")" "1 timeout deadlock: the program and the interactor waited for each other to read" \
            "both write $relay"
        talk 'while True: pass' 'input()' --timeout 3s $relay
        is "$status $(tests "$verdicts")" "3 1 judge-error the interactor did not answer: the program waited for it until its\
 timeout" "the interactor computes $relay"
        talk 'input()' 'while True: pass' --timeout 3s $relay
        is "$(tests "$verdicts")" "1 timeout program did not end within 3 s" "the program computes $relay"
        talk 'for line in __import__("sys").stdin: print(line, end="", flush=True)' \
            'while True: print(1, flush=True); input()' --timeout 3s $relay
        is "$(tests "$verdicts")" "1 timeout program did not end within 3 s" "they talk without end $relay"
    done
    talk 'import time
while True: time.sleep(0.01)' 'print(1)' --timeout 1s
    is "$status $(tests '$_->{status}')" "3 judge-error" "an interactor that does not end"
}

test_case 'time that a program waits is not its CPU time' && {
    talk 'import time
input(); end = time.process_time() + 0.4
while time.process_time() < end: pass
print(1, flush=True)' 'print(1, flush=True); input()' --cpu-seconds 0.3
    is "$(tests '"$_->{status} " . ($_->{cpuMs} < 300 ? "little" : $_->{cpuMs}) . " " .
        ($_->{interactor}{cpuMs} >= 400 ? "much" : $_->{interactor}{cpuMs})')" "passed little much" "CPU time of both"
}

# ---- transcripts

test_case 'a transcript' && {
    isolator test --tests "$scratch/one" --interactor "$scratch/guess.py" --transcript "$(snippet py "$right")"
    expect "$status $(tests '"$_->{status} $_->{stdout}$_->{interactor}{transcript}" . ($_->{interactor}{relayed} ? "relayed" : "")')" \
        "the transcript" <<'END'
0 passed 500
250
375
312
281
296
304
300
>500
<less
>250
<more
>375
<less
>312
<less
>281
<more
>296
<more
>304
<less
>300
<found
relayed
END
    talk 'import os; os.write(1, b"half"); input(); os.write(1, b" a line"); input()' \
        'import os; os.read(0, 4); print("a\x1b\xff", flush=True); os.read(0, 7); print("b")' --transcript
    is "$(tests '$_->{interactor}{transcript}')" ">a"$'\e'"ÿ
>b
<half a line" "lines, in the order of their ends"
    talk 'input()' 'print("x" * 3000000)' --transcript --output-limit 1000
    is "$(tests '"$_->{status} $_->{interactor}{transcript}" . ($_->{interactor}{transcriptTruncated} ? "cut" : "whole")')" \
        "passed cut" "a line that does not fit"
    talk 'print(1)' 'print(input())' --no-detail --transcript
    is "$(tests '"$_->{status} [$_->{interactor}{stderr}] " . ($_->{interactor}{transcript} // "none")')" "passed [] none" \
        "with --no-detail there is none"
}

# ---- hostile ones

test_case 'neither reaches what belongs to the other' && {
    talk 'import os, sys
for path in ("/.isolator", "/.isolator/to-program"):
    for call in (lambda: os.chmod(path, 0o777), lambda: os.unlink(path), lambda: os.rename(path, path + "x"),
                 lambda: open(path + "/x", "w"), lambda: os.chown(path, os.getuid(), -1)):
        try: call(); print("DONE", path, file=sys.stderr)
        except OSError: pass
print(os.path.exists("secret"), file=sys.stderr)' 'open("secret", "w").write("x")
import os, sys
for path in ("/.isolator", "/.isolator/to-interactor"):
    for call in (lambda: os.chmod(path, 0o777), lambda: os.unlink(path), lambda: os.rename(path, path + "x"),
                 lambda: open(path + "/x", "w"), lambda: os.chown(path, os.getuid(), -1)):
        try: call(); print("DONE", path, file=sys.stderr)
        except OSError: pass
print(os.path.exists("judge"), sorted(os.listdir("/.isolator")), file=sys.stderr)'
    is "$(tests '"$_->{status} $_->{stderr}$_->{interactor}{stderr}"')" \
        "passed False ['supervisor', 'to-interactor', 'to-program']
False" "files"
}

test_case 'volumes of the image are not shared' && {
    image=isolator-test/volume-$$:1
    container=$(docker create isolator-test/python:bookworm true)
    docker commit --change 'VOLUME /data' "$container" "$image" >/dev/null
    docker rm "$container" >/dev/null
    isolator test --tests "$scratch/tests" --interactor "$scratch/guess.py" --image "$image" "$(snippet py "$right")"
    is "$(tests '$_->{status} . ($_->{interactor}{relayed} ? " relayed" : "")')" "passed relayed
passed relayed" "isolator passes on what they say"
    docker rmi "$image" >/dev/null
}

test_case 'a program that keeps the FIFOs open, forks, or writes to its own input' && {
    keep='import os
fds = [os.open("/.isolator/" + name, os.O_RDWR | os.O_NONBLOCK) for name in ("to-program", "to-interactor")]
'
    isolator test --tests "$scratch/tests" --interactor "$scratch/guess.py" --timeout 2s "$(snippet py "$keep$right")"
    is "$(tests '$_->{status}')" "passed
passed" "both ends of both"
    isolator test --tests "$scratch/tests" --interactor "$scratch/guess.py" --timeout 2s "$(snippet py "$keep
if os.fork() == 0:
    while True: __import__('time').sleep(1)
print(5)")"
    is "$(tests '"$_->{status} $_->{interactor}{exitCode}"')" "wrong-answer 2
wrong-answer 2" "a child that stays"
    talk 'print("true", flush=True); input(); __import__("sys").exit(1)' "$keep"'os.write(fds[0], b"forged\n" * 9)
print(5, flush=True); input()'
    is "$(tests '$_->{status}')" "wrong-answer" "its own input"
    isolator test --tests "$scratch/tests" --interactor "$scratch/guess.py" --timeout 2s "$(snippet py "$keep
os.write(fds[1], b'1\n' * 30000)
$right")"
    is "$(tests '$_->{status}')" "wrong-answer
wrong-answer" "a pipe that is full, and the next test"
}

test_case 'an interactor that keeps the FIFOs open says nothing for the next test' && {
    isolator test --tests "$scratch/tests" --timeout 2s --interactor "$(snippet py 'import os, sys
fds = [os.open("/.isolator/" + name, os.O_RDWR | os.O_NONBLOCK) for name in ("to-program", "to-interactor")]
if os.fork() == 0:
    while True: __import__("time").sleep(1)
print(sys.stdin.readline().strip(), file=sys.stderr)
os.write(fds[0], b"left\n" * 1000)
os._exit(0)')" "$(snippet py 'import sys; print(sys.argv, flush=True); print(input(), file=sys.stderr)')"
    is "$(tests '"$_->{status} $_->{stderr}"')" "passed left

passed left" "both tests"
    isolator test --tests "$scratch/tests" --timeout 2s --interactor "$(snippet py 'import sys
if "300" in open(sys.argv[1]).read(): print("left\n" * 1000, flush=True)
else: print("fresh", flush=True)')" "$(snippet py 'import sys; print(input(), file=sys.stderr)')"
    is "$(tests '$_->{stderr}')" "left

fresh" "nothing of the first is in the second"
}

test_case 'errors of the judges' && {
    talk 'raise SystemExit(3)' 'input()'
    is "$status $(json '$r->{reason}') $(tests "$verdicts")" "3 judge-error 1 judge-error the interactor exited with status 3" "fail"
    talk 'import os; os.kill(os.getpid(), 11)' 'input()'
    is "$status $(tests "$verdicts")" "3 1 judge-error the interactor was ended by SIGSEGV" "a signal"
    talk 'bytearray(900 << 20)' 'input()'
    is "$status $(tests '$_->{status}')" "3 judge-error" "memory"
    isolator test --tests "$scratch/tests" --interactor "$(snippet go 'package main; func main() { no }')" \
        "$(snippet py 'input()')"
    is "$status $(json '$r->{reason}') $(tests '$_->{status}')" "3 judge-error not-run
not-run" "it is not built"
    isolator test --tests "$scratch/tests" --interactor "$scratch/guess.py" \
        "$(snippet go 'package main; func main() { no }')"
    is "$status $(json '$r->{reason}')" "1 build" "a program that is not built"
}

test_case 'limits of the program are its own' && {
    talk 'for line in __import__("sys").stdin: pass' 'bytearray(900 << 20)'
    is "$(tests '$_->{status}')" "oom" "memory"
    talk 'for line in __import__("sys").stdin: pass' 'while True: pass' --cpu-seconds 0.3
    is "$(tests '$_->{status}')" "cpu-time" "CPU time"
    talk 'for line in __import__("sys").stdin: pass' 'import sys
while True: sys.stderr.write("x" * 65536)' --max-output 100000
    is "$(tests '$_->{status}')" "output-limit" "stderr"
    talk 'for line in __import__("sys").stdin: pass' 'while True: print("x" * 65536)' --max-output 1000000 --transcript
    is "$(tests '$_->{status}')" "output-limit" "stdout, if it passes through isolator"
    talk 'for i in range(1000): print("x" * 65536)' 'for i in range(9): input()'
    is "$(tests '$_->{status}')" "passed" "an interactor that floods"
}

# ---- the command line, and requests

test_case --quick 'options that exclude each other' && {
    for other in checker validator interactive-validator; do
        isolator test --tests "$scratch/tests" --interactor "$scratch/guess.py" "--$other" "$scratch/guess.py" x.py
        is "$status" 2 "--$other and --interactor"
        has "$err" "cannot be used together" "its message"
    done
    isolator test --tests "$scratch/tests" --checker "$scratch/guess.py" --transcript x.py
    is "$status $err" "2 isolator: --transcript needs --interactor or --interactive-validator" "a transcript of a checker"
}

test_case 'a batch' && {
    perl -MJSON::PP -e 'local $/; my ($interactor, $right) = map { open my $file, "<", $_ or die; <$file> } @ARGV;
        print encode_json({language => "python", entrypoint_code => $_, tests => [{stdin => "300"}],
            checker => {language => "python", code => $interactor, interactive => JSON::PP::true,
                transcript => JSON::PP::true}}), "\n" for $right, "print(1)"' \
        "$scratch/guess.py" "$(snippet py "$right")" >"$scratch/lines"
    input="$scratch/lines" isolator batch
    is "$(perl -MJSON::PP -ne '$r = decode_json($_)->{tests}[0]; print "$r->{status} ", length $r->{interactor}{transcript}, "\n"' \
        <<<"$out" | sort)" "passed 89
wrong-answer 9" "the results"
    echo '{"language": "python", "entrypoint_code": "", "checker": {"language": "python", "code": "", "transcript": true}}' \
        >"$scratch/lines"
    input="$scratch/lines" isolator batch
    has "$out" "checker.transcript needs checker.interactive" "a transcript of a checker"
}

test_case 'nothing is left: a signal while they talk' && {
    for signal in INT KILL; do
        start_isolator test --tests "$scratch/one" --interactor "$(snippet py 'input()')" --timeout 100s \
            "$(snippet py 'input()')"
        until_true eval '[ "$(own_containers | wc -l)" = 2 ]'
        volume=$(docker inspect --format '{{range .Mounts}}{{.Name}}{{end}}' "$(own_containers | head -n 1)")
        is "${#volume}" 64 "SIG$signal: they share a volume"
        sleep 0.5
        kill -s "$signal" "$pid"
        await
        until_true eval '[ -z "$(own_containers)$(docker volume ls -q --filter "name=$volume")" ]'
        is "$(own_containers)$(docker volume ls -q --filter "name=$volume")" "" "SIG$signal: both and their volume are gone"
    done
}

test_case 'Ctrl-C while the interactor goes on alone' && {
    start_isolator test --tests "$scratch/one" --timeout 100s --interactor "$(snippet py 'import sys, time
sys.stdin.read()
print("alone", file=sys.stderr, flush=True)
time.sleep(100)')" "$(snippet py '')"
    until_true eval '[ "$(own_containers | wc -l)" = 2 ]'
    sleep 2
    kill -INT "$pid"
    await
    is "$status $(tests '"$_->{status} $_->{interactor}{stderr}"')" "130 not-run alone" "it is ended, and there is no verdict"
}

test_case 'nothing is left: a signal at any time' && {
    for delay in 0.1 0.3 0.5 0.7 1.0; do
        start_isolator test --tests "$scratch/one" --interactor "$(snippet py 'input()')" --timeout 100s \
            "$(snippet py 'input()')"
        sleep "$delay"
        kill -s KILL "$pid"
        await
        isolator gc
        gone "after $delay s" # a look in between: the engine may complete a creation later
    done
    sleep 2
    gone "after all of them"
}

finish
