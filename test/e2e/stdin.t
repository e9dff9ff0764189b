#!/usr/bin/env bash
# Standard input that is passed on while the program runs, and the warning about input that the program did not get.
# shellcheck source=test/e2e/lib.sh disable=SC2016,SC2154 # single quotes are for the container; lib.sh sets $out and its like
. "$(dirname "$0")/lib.sh"

echoes=$(snippet ash 'while read -r line; do echo "got $line"; done; echo end')
silent=$(snippet ash 'echo ran')
pipe=$scratch/pipe
mkfifo "$pipe"
printf 'a\nb\n' >"$scratch/lines"
head -c 10000000 /dev/urandom >"$scratch/big"
missed="the program did not get what waits on standard input; pass it on with --interactive (-i), or redirect \
standard input from /dev/null"

# shows LINE: waits until this is a line of the output.
shows() { until_true grep -qsx "$1" "$scratch/out"; }

# rest COMMAND...: runs the command with the large file as its stdin and prints how many bytes of that are left then.
rest() {
    {
        "$@" >"$scratch/out" 2>"$scratch/err"
        echo "$?" >"$scratch/status"
        wc -c
    } <"$scratch/big"
}

test_case --quick '--interactive and another use of stdin' && {
    refused "--interactive and --stdin cannot be used together; the program has one standard input" "--stdin FILE" \
        -i --stdin "$scratch/lines" "$silent"
    refused "--interactive and --stdin cannot be used together; the program has one standard input" "--stdin -" \
        --interactive --stdin - "$silent"
    refused "--interactive passes stdin on, so the program cannot be read from it; give a FILE or --dir" "FILE is -" \
        -i -l python -
    for command in test session; do
        isolator $command -i "$silent"
        is "$status|$out|$err" "2||isolator: unknown option '-i'; see isolator $command --help" "isolator $command has no -i"
    done
}

test_case 'a pipe, as its bytes come' && {
    input=$pipe start -i --stream "$echoes"
    exec 7>"$pipe"
    echo a >&7
    shows "got a"
    is "$(cat "$scratch/out")" "got a" "the first line arrives while the pipe is open"
    echo b >&7
    shows "got b"
    is "$(cat "$scratch/out")" $'got a\ngot b' "and so does the second"
    exec 7>&-
    await
    is "$status|$out|$err" $'0|got a\ngot b\nend|' "the end of the pipe is the end of the program's stdin"

    input=$pipe start -i "$echoes"
    (echo a; sleep 1; echo b) >"$pipe"
    await
    is "$status $(field reason stdout warnings)" $'0 exit got a\ngot b\nend\n ' "the JSON result"
}

# As judges give it: programs read its size, map it, and read it again.
test_case 'known input is a file' && {
    shown() { field stdout stderr | tr -s ' \n' ' '; }
    python=$(snippet py 'import mmap, os, stat, sys
kind = os.fstat(0)
if stat.S_ISFIFO(kind.st_mode): sys.exit(f"pipe {len(sys.stdin.buffer.read())}")
mapped = mmap.mmap(0, 0, access=mmap.ACCESS_READ)[:3] if kind.st_size else b""
print(kind.st_size, mapped, sys.stdin.readline().strip(), sys.stdin.seek(0), len(sys.stdin.read()), end=" ")
for flags in (os.O_WRONLY, os.O_RDWR, os.O_WRONLY | os.O_TRUNC):
    try: print(os.write(os.open("/proc/self/fd/0", flags), b"x"), end=" ")
    except OSError as error: print(error.errno, end=" ")')
    seen="4 b'a\\nb' a 0 4 1 1 1 "
    run --stdin "$scratch/lines" "$python"
    is "$(shown)" "$seen" "--stdin"
    run "$python"
    is "$(shown)" "0 b'' 0 0 1 1 1 " "there is none"
    run --stdin "$scratch/lines" "$(snippet js 'const fs = require("fs"); console.log(fs.fstatSync(0).size, fs.readFileSync(0, "utf8").length)')"
    is "$(shown)" "4 4 " "Node.js"
    isolator start --stdin "$scratch/lines" "$python"
    isolator wait --all
    is "$(shown)" "$seen" "a job"
    mkdir "$scratch/known"
    for i in 1 2 3 4 5 6; do cp "$scratch/lines" "$scratch/known/$i.in"; done
    isolator test --json --no-expected --tests "$scratch/known" "$python"
    is "$(json 'join "", map { "$_->{stdout}$_->{stderr}\n" } @{$r->{tests}}' | sort | uniq -c | sed 's/^ *//')" "6 $seen" "tests, which are forks"
    head -c 8388608 /dev/zero | tee "$scratch/largest" | cat - "$scratch/lines" >"$scratch/larger"
    run --memory 64 --stdin "$scratch/largest" "$(snippet py 'import os; print(os.fstat(0).st_size)')"
    is "$(shown)" "8388608 " "8 MiB, an eighth of the memory"
    run --memory 63 --stdin "$scratch/largest" "$python"
    is "$(shown)" " pipe 8388608 " "more than an eighth"
    run --stdin "$scratch/larger" "$python"
    is "$(shown)" " pipe 8388612 " "more than 8 MiB"
    input=$scratch/lines run -i "$python"
    is "$(shown)" " pipe 4 " "--interactive"
}

test_case 'a file, from where it is, and one that is empty' && {
    input=$scratch/lines run -i "$echoes"
    is "$status $(field reason stdout warnings)" $'0 exit got a\ngot b\nend\n ' "a file"
    {
        read -r first
        "$ISOLATOR" run -i --stream "$echoes" >"$scratch/out" 2>"$scratch/err"
    } <"$scratch/lines"
    take_output
    is "$first|$out|$err" $'a|got b\nend|' "the rest of a file"
    run -i --stream "$echoes"
    is "$status|$out|$err" "0|end|" "/dev/null"
    "$ISOLATOR" run -i --stream "$echoes" <&- >"$scratch/out" 2>"$scratch/err"
    is "$?|$(cat "$scratch/out" "$scratch/err")" "0|end" "a closed stdin is empty"
    input=$scratch run -i "$echoes"
    is "$status $(field stdout warnings)" $'0 end\n cannot read standard input, which ended there for the program: Is a directory' \
        "a stdin that cannot be read"
}

test_case '10 MB of any bytes' && {
    checksum=$(snippet ash 'sha256sum')
    expected=$(sha256sum <"$scratch/big")
    input=$scratch/big run -i --stream "$checksum"
    is "$status|$out|$err" "0|$expected|" "from a file"
    cat "$scratch/big" | "$ISOLATOR" run -i --stream "$checksum" >"$scratch/out" 2>"$scratch/err"
    is "$(cat "$scratch/out" "$scratch/err")" "$expected" "from a pipe"
    memory "$(peak "$ISOLATOR" run -i --stream "$checksum" <"$scratch/big")" 12000 "isolator's memory does not grow with the input"
}

test_case 'a program that ends while the writer of the pipe goes on' && {
    input=$pipe start -i --stream "$silent"
    exec 7>"$pipe"
    await
    is "$status|$out|$err" "0|ran|" "a writer that writes nothing"
    exec 7>&-

    input=$pipe start -i --stream "$(snippet ash 'read -r line; echo "$line"')"
    yes >"$pipe" 2>/dev/null &
    writer=$!
    await
    is "$status|$out|$err" "0|y|" "a writer that never ends"
    wait "$writer"
    is "$?" 141 "it ends with SIGPIPE"
}

test_case 'a program that takes little: isolator reads little more' && {
    left=$(rest "$ISOLATOR" run -i --stream --timeout 2s "$(snippet ash 'sleep 60')")
    is "$(cat "$scratch/status" "$scratch/err")" $'124\nisolator: program did not end within 2 s' "one that reads nothing, at its timeout"
    within $((10000000 - left)) 65536 131072 "as much was read as the pipe and the window hold"

    left=$(rest "$ISOLATOR" run -i --stream "$(snippet ash 'exec </dev/null; sleep 2; echo end')")
    is "$(cat "$scratch/status" "$scratch/out" "$scratch/err")" $'0\nend' "one that closes its stdin goes on"
    within $((10000000 - left)) 1 131072 "and no more than that is read"
}

test_case 'Ctrl-C while the program waits for input' && {
    input=$pipe start -i -v "$echoes"
    exec 7>"$pipe"
    until_running
    kill -INT "$pid"
    await
    exec 7>&-
    outcome "130 error 137 cancelled SIGKILL cancelled while the program ran" "SIGINT"
}

test_case 'a build gets none of the input' && {
    perl -MJSON::PP -e 'local $/; my $config = decode_json(<STDIN>);
        $config->{languages}{built} = {image => "isolator-test/busybox:1", build => ["sh", "-c", "cat >there; cp {entrypoint} {stem}"],
            command => ["sh", "-c", "wc -c <there; cat"], extensions => [".built"], defaultFilename => "main.built"};
        print encode_json($config)' <"$ISOLATOR_CONFIG" >"$scratch/built.json"
    echo >"$scratch/main.built"
    input=$scratch/lines run -i --stream --config "$scratch/built.json" "$scratch/main.built"
    is "$status|$out|$err" $'0|0\na\nb|' "the program gets all of it"
}

test_case 'a terminal' && {
    (
        until_true grep -qs Ctrl-D "$scratch/typescript"
        echo typed
        until_true grep -qs "got typed" "$scratch/typescript"
        printf '\004'
        until_true grep -qs end "$scratch/typescript"
    ) | script -qec "'$ISOLATOR' run -i --stream '$echoes'" /dev/null >"$scratch/typescript" 2>&1
    is "$(tr -d '\r' <"$scratch/typescript")" $'isolator: standard input is this terminal; Ctrl-D ends it\ntyped\ngot typed\nend' \
        "a line says how to end it, which Ctrl-D does"
    (
        echo typed
        until_true grep -qs ran "$scratch/typescript"
    ) | script -qec "'$ISOLATOR' run --stream '$silent'" /dev/null >"$scratch/typescript" 2>&1
    is "$(tr -d '\r' <"$scratch/typescript")" $'typed\nran' "without -i: neither that line nor a warning, although a line was typed"
}

test_case 'input that nobody asked for is left alone, and named' && {
    {
        "$ISOLATOR" run --stream "$silent" >"$scratch/out" 2>"$scratch/err"
        left=$(cat)
    } <"$scratch/lines"
    take_output
    is "$out|$err|$left" "ran|isolator: warning: $missed|"$'a\nb' "a file, with --stream"
    input=$scratch/lines run "$silent"
    is "$status $(field status warnings)" "0 success $missed" "a file"
    printf 'a\nb\n' | {
        "$ISOLATOR" run --stream "$silent" >"$scratch/out" 2>"$scratch/err"
        cat >"$scratch/left"
    }
    take_output
    is "$out|$err|$(cat "$scratch/left")" "ran|isolator: warning: $missed|"$'a\nb' "a pipe"
    perl -MSocket -e 'socketpair(my $one, my $other, AF_UNIX, SOCK_STREAM, 0); syswrite $one, "a\n";
        open STDIN, "<&", $other; system @ARGV' "$ISOLATOR" run --stream "$silent" >"$scratch/out" 2>"$scratch/err"
    take_output
    is "$out|$err" "ran|isolator: warning: $missed" "a socket"
    input=$pipe start -v "$(snippet ash 'sleep 2')"
    exec 7>"$pipe"
    until_running
    echo late >&7
    await
    exec 7>&-
    is "$(field warnings)" "$missed" "a pipe whose writer is later than the program"
}

test_case 'no warning if nothing waits, or the input has another use' && {
    run --stream "$silent"
    is "$out|$err" "ran|" "/dev/null"
    "$ISOLATOR" run --stream "$silent" <&- >"$scratch/out" 2>"$scratch/err"
    take_output
    is "$out|$err" "ran|" "a closed stdin"
    : >"$scratch/empty"
    input=$scratch/empty run --stream "$silent"
    is "$out|$err" "ran|" "an empty file"
    {
        cat >"$scratch/copy"
        "$ISOLATOR" run --stream "$silent" >"$scratch/out" 2>"$scratch/err"
    } <"$scratch/lines"
    take_output
    is "$out|$err" "ran|" "a file that was read to its end"
    : | "$ISOLATOR" run --stream "$silent" >"$scratch/out" 2>"$scratch/err"
    take_output
    is "$out|$err" "ran|" "a pipe at its end"
    input=$pipe start --stream "$silent"
    exec 7>"$pipe"
    await
    exec 7>&-
    is "$out|$err" "ran|" "an open pipe with nothing in it"
    input=$scratch/lines run --stream --stdin "$scratch/lines" "$echoes"
    is "$out|$err" $'got a\ngot b\nend|' "--stdin FILE"
    input=$scratch/lines run --stream --stdin - "$echoes"
    is "$out|$err" $'got a\ngot b\nend|' "--stdin -"
    input=$silent run --stream -l busybox -
    is "$out|$err" "ran|" "a program from stdin"
    input=$scratch/lines run --image isolator-test/missing:1 "$silent"
    is "$status|$(field warnings)" "3|" "a run without a program"

    mkdir -p "$scratch/tests"
    : >"$scratch/tests/one.in"
    echo ran >"$scratch/tests/one.out"
    input=$scratch/lines isolator test --json --tests "$scratch/tests" "$silent"
    is "$status|$(field warnings)|$err" "0||" "isolator test"
    input=$scratch/lines isolator session --json --language busybox "$silent"
    hasnt "$status$out$err" "standard input" "isolator session"
}

finish
