#!/usr/bin/env bash
# Escape sequences of a hostile program, of docker or in a file name never reach a terminal: no control character gets
# there but line feeds, unless the user asks for the program's own bytes with --stream.
# shellcheck source=test/e2e/lib.sh disable=SC2016,SC2154 # single quotes are for other shells; lib.sh sets $out and its like
. "$(dirname "$0")/lib.sh"

# All control characters, C0, DEL, and C1 as UTF-8 and as single bytes, and those that turn the direction of text or
# are not seen; on both streams.
hostile=$(snippet py 'import os
text = bytes(range(256)) + "".join(map(chr, range(128, 160))).encode() + b"\x1b]0;title\x07\x1b[2J\x9b31m"
turned = [0x61c, *range(0x200e, 0x2010), *range(0x2028, 0x202f), *range(0x2066, 0x206a), 0xe0041]
text += "".join(map(chr, turned)).encode()
os.write(1, text)
os.write(2, text)
os._exit(3)')

name=$(printf 'a\033[2J\302\233b') # of files, options and commands
hello=$(snippet ash 'echo hello')

# on_terminal COMMAND: runs it on a terminal, which turns LF into CR LF; its output is in $scratch/typescript.
on_terminal() { script -qec "$1" /dev/null </dev/null >"$scratch/typescript" 2>&1; }
# controls: the control characters in it, without CR LF, and others that are invisible, as code points.
controls() {
    perl -e 'binmode STDIN; local $/; $_ = <STDIN>; s/\r\n/\n/g; my $text = $_;
        utf8::decode($text) or print "(no UTF-8) ";
        print join " ", map { sprintf "%02x", ord } grep { $_ ne "\n" } $text =~ /[\x00-\x1f\x7f-\x9f\x{61c}\x{200e}\x{200f}\x{2028}-\x{202e}\x{2066}-\x{2069}\x{e0000}-\x{e007f}]/g' \
        <"$scratch/typescript"
}
# harmless NAME PART: asserts that the typescript has this part and no control character.
harmless() {
    has "$(cat "$scratch/typescript")" "$2" "$1: the escaped text is shown"
    is "$(controls)" "" "$1: without control characters"
}

# rows: the lines in it that may come in any order, without figures, those of a table and the remarks.
rows() {
    tr -d '\r' <"$scratch/typescript" | sed 's/ \+/ /g; s/[0-9]\+ ms/TIME/; s/[0-9.]\+ MB/MEMORY/' | grep -v '^isolator: [0-9]* requests' | LC_ALL=C sort
}

test_case --quick 'the test itself finds control characters' && {
    on_terminal "printf 'a\\033[2Jb\\177\\302\\233c\\342\\200\\256d\\363\\240\\201\\201'"
    is "$(controls)" "1b 7f 9b 202e e0041" "the control characters are found"
}

test_case 'the output of a hostile program, by run and batch' && {
    on_terminal "'$ISOLATOR' run --json '$hostile'"
    harmless "isolator run --json" '\u001B]0;title\u0007\u001B[2J'
    on_terminal "NO_COLOR=1 '$ISOLATOR' run '$hostile'"
    is "$(controls)" "09 09" "isolator run: tabs are the only control characters"
    has "$(cat "$scratch/typescript")" '\x1b]0;title\x07\x1b[2J' "isolator run: the escaped text is shown"
    has "$(tail -n 1 "$scratch/typescript")" "error, exit 3, " "isolator run: the last line"
    perl -MJSON::PP -e 'local $/; print encode_json({language => "python", entrypoint_code => <STDIN>}), "\n"' \
        <"$hostile" >"$scratch/requests"
    on_terminal "'$ISOLATOR' batch --json '$scratch/requests'"
    harmless "isolator batch --json" '\u001B]0;title\u0007\u001B[2J'
    echo '{"id": "a\u001b[2J\u009bb\u202e", "language": "busybox", "entrypoint_code": "printf \"\\033[2J\\302\\233b\" >&2; exit 3"}' >"$scratch/requests"
    on_terminal "'$ISOLATOR' batch '$scratch/requests'"
    harmless "isolator batch" 'exited with status 3: \x1b[2J\xc2\x9bb'
    has "$(cat "$scratch/typescript")" 'a\x1b[2J' "isolator batch: the id is escaped"
    on_terminal "'$ISOLATOR' run '$hostile' | cat"
    harmless "isolator run, through a pipe" '\u001B]0;title\u0007\u001B[2J'
    has "$(cat "$scratch/typescript")" \
        '\u061c\u200e\u200f\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\udb40\udc41' \
        "isolator run, through a pipe: characters that turn the direction of text are escaped"
}

test_case --quick 'hostile names of files, options and commands' && {
    on_terminal "'$ISOLATOR' run --json '$scratch/$name.py'"
    harmless "a file name, with --json" 'a\\x1b[2J'
    on_terminal "'$ISOLATOR' run '$scratch/$name.py'"
    harmless "a file name" 'a\x1b[2J'
    on_terminal "'$ISOLATOR' run --stream '$scratch/$name.py'"
    harmless "a file name, with --stream" 'a\x1b[2J'
    on_terminal "'$ISOLATOR' session '$scratch/$name'"
    harmless "a file of cells" 'a\x1b[2J'
    on_terminal "'$ISOLATOR' run '--$name'"
    harmless "an option" 'a\x1b[2J'
    on_terminal "'$ISOLATOR' '$name'"
    harmless "a command" 'a\x1b[2J'
    on_terminal "'$ISOLATOR' gc '$name'"
    harmless "an argument of gc" 'a\x1b[2J'
    for command in selftest doctor languages config bench; do
        on_terminal "'$ISOLATOR' $command '$name'"
        harmless "an argument of $command" 'a\x1b[2J'
    done
}

# A docker that writes control characters, with a failure and as a remark.
cat >"$scratch/docker" <<END
#!/bin/sh
[ "\$1" = run ] || exec docker "\$@"
printf 'a\\033[2J\\302\\233b\\n' >&2
[ ! "\$REMARK" ] || exec docker "\$@"
exit 1
END
chmod +x "$scratch/docker"
perl -MJSON::PP -e 'local $/; print encode_json({%{decode_json(<STDIN>)}, containerCommand => $ARGV[0]})' \
    "$scratch/docker" <"$ISOLATOR_CONFIG" >"$scratch/hostile.json"

test_case 'a docker that writes control characters, on a failure and as a remark' && {
    for options in "" --stream; do
        on_terminal "NO_COLOR=1 '$ISOLATOR' run --config '$scratch/hostile.json' $options '$hello'"
        harmless "docker's complaint, run $options" 'x1b[2J'
        on_terminal "NO_COLOR=1 REMARK=1 '$ISOLATOR' run --config '$scratch/hostile.json' $options '$hello'"
        harmless "docker's remark, run $options" 'x1b[2J'
    done
    on_terminal "'$ISOLATOR' selftest --config '$scratch/hostile.json' mount"
    harmless "docker's complaint, selftest" 'x1b[2J'
}

test_case --quick 'doctor, languages and config with a hostile docker, configuration and environment' && {
    cat >"$scratch/docker" <<'END'
#!/bin/sh
case $1 in
version) printf '{"Client":{"Version":"\302\233","Context":"\\u001b[2Jclient"},"Server":{"Version":"\177"}}' ;;
info) printf '{"Driver":"\\u001b[2Jdriver","Warnings":["\302\233"],"SecurityOptions":["name=seccomp,profile=\\u007f"]}' ;;
*) printf 'a\033[2J\302\233b\n' >&2; exit 1 ;;
esac
END
    printf '{"containerCommand": "%s", "languages": {"python": {"extensions": [".p\\u001b[2Jy\302\233"], "env": {"A": "\\u001b[2J\302\233"}}}}' \
        "$scratch/docker" >"$scratch/$name.json"
    on_terminal "env NO_COLOR=1 DOCKER_HOST='$name' '$ISOLATOR' doctor --config '$scratch/$name.json'"
    harmless "doctor" '\x1b[2Jdriver'
    on_terminal "env NO_COLOR=1 DOCKER_HOST='$name' '$ISOLATOR' doctor --json --config '$scratch/$name.json'"
    harmless "doctor --json" 'x1b[2Jdriver'
    on_terminal "env NO_COLOR=1 '$ISOLATOR' doctor --config '$scratch/$name'"
    harmless "doctor, with a configuration that does not exist" 'a\x1b[2J'
    for command in languages 'languages --json' config 'config --json'; do
        on_terminal "'$ISOLATOR' $command --config '$scratch/$name.json'"
        harmless "$command" '[2J'
    done
}

test_case 'isolator run at a terminal: text, and JSON if it is asked for' && {
    colours=$(snippet py 'import sys
print("\x1b[31mred", flush=True)
print("to stderr", file=sys.stderr)
sys.exit(3)')
    on_terminal "env TERM=xterm NO_COLOR= '$ISOLATOR' run '$colours'"
    is "$(sed 's/[0-9]* ms, [0-9.]* MB/FIGURES/; s/\r$//' "$scratch/typescript")" $'\033[31mred\nto stderr\n\033[0m\033[31merror, exit 3, FIGURES\033[0m' "output, and a line"
    for variables in 'TERM=xterm NO_COLOR=1' TERM=dumb '-u TERM'; do
        on_terminal "env $variables '$ISOLATOR' run '$colours'"
        is "$(sed 's/[0-9]* ms, [0-9.]* MB/FIGURES/; s/\r$//' "$scratch/typescript")" $'\\x1b[31mred\nto stderr\nerror, exit 3, FIGURES' "without colours: $variables"
    done
    on_terminal "'$ISOLATOR' run --json '$hello'"
    has "$(cat "$scratch/typescript")" '"stdout": "hello\n"' "--json"
    on_terminal "'$ISOLATOR' run --format json '$hello'"
    has "$(cat "$scratch/typescript")" '"stdout": "hello\n"' "--format json"
    on_terminal "'$ISOLATOR' run '$scratch/missing.py'"
    is "$(tr -d '\r' <"$scratch/typescript")" "isolator: cannot open '$scratch/missing.py': No such file or directory" "an error before the run is one line"
    run --format text "$(snippet c 'int main(void) { return x; }')"
    is "$status|$out" "1|" "--format text, in a pipe: what a compiler writes goes to stderr"
    has "$err" "'x' undeclared" "--format text: the compiler's message"
    run --format text -t 0.3 "$(snippet ash 'echo begun; sleep 100')"
    is "$status|$out|$(sed 's/[0-9]* ms, [0-9.]* MB/FIGURES/' <<<"$err")" "124|begun|isolator: program did not end within 0.3 s
timeout, SIGKILL, FIGURES; --timeout raises the limit" "a limit that ended the program is named with its option"
}

test_case 'isolator batch at a terminal: a table, and JSON if it is asked for' && {
    cat >"$scratch/requests" <<'END'
{"id": "first", "language": "busybox", "entrypoint_code": "echo one; echo two"}
{"id": "the second", "language": "busybox", "entrypoint_code": "echo why >&2; exit 3"}
no JSON
{"id": {"deep": [4]}, "language": "busybox", "entrypoint_code": "sleep 600", "timeout_seconds": 0.3}
{"id": 5, "language": "busybox", "entrypoint_code": "echo kept", "artifacts": ["none"]}
{"id": 6, "language": "busybox", "entrypoint_code": "cat", "tests": [{"stdin": "a", "expected_stdout": "a"}, {"stdin": "b", "expected_stdout": "a"}]}
END
    cat >"$scratch/expected" <<'END'
5 success TIME MEMORY kept
6 tests - MEMORY 1 of 2 passed; first failure: 2
ID RESULT TIME MEMORY DETAIL
first success TIME MEMORY two
isolator: line 5: warning: no artifact was found: the program created or changed no file in its working directory
line 3 input - - a line must be a JSON object in UTF-8; column 2: invalid token near 'no'
the second exit TIME MEMORY program exited with status 3: why
{"deep":[4]} timeout TIME MEMORY program did not end within 0.3 s
END
    on_terminal "'$ISOLATOR' batch '$scratch/requests'"
    is "$(rows)" "$(cat "$scratch/expected")" "a row for each result, and the warnings"
    has "$(tail -n 1 "$scratch/typescript")" " s: 2 success, 1 exit, 1 input, 1 tests, 1 timeout" "the summary is the last line"
    on_terminal "'$ISOLATOR' batch -q '$scratch/requests' 2>'$scratch/err'"
    is "$(grep -c . "$scratch/typescript")|$(grep -c 'line 5: warning: ' "$scratch/err")|$(grep -c ' requests in ' "$scratch/err")" "7|1|0" "--quiet: no summary"
    for options in --json '--format json'; do
        on_terminal "'$ISOLATOR' batch $options '$scratch/requests'"
        has "$(cat "$scratch/typescript")" '{"id":"first","line":1,"status":"success","exitCode":0,' "$options"
    done
    "$ISOLATOR" batch "$scratch/requests" >"$scratch/out" 2>"$scratch/err"
    is "$(head -c 6 "$scratch/out")" '{"id":' "JSON if standard output is no terminal"
    "$ISOLATOR" batch --format text "$scratch/requests" >"$scratch/typescript" 2>"$scratch/err"
    has "$(rows)" "first success TIME MEMORY two" "--format text, in a file"
}

# ---- the status line of what takes longer

# screen: what a terminal shows of the typescript: what is erased is gone.
screen() { perl -0777 -pe 's/\r\n/\n/g; s/\e\[\?7[lh]//g; s/[^\n]*\r\e\[K//g' "$scratch/typescript"; }
# begin_on_terminal COMMAND: begins it on a terminal; its process id is in $scratch/pid.
begin_on_terminal() {
    rm -f "$scratch/pid"
    : >"$scratch/typescript"
    TERM=xterm script -qfec "echo \$\$ >'$scratch/pid'; exec $1" /dev/null </dev/null >"$scratch/typescript" 2>&1 &
    script=$!
}
# status_line COMMAND TEXT NAME: runs it on a terminal until this is in its status line, and ends it by SIGINT; $screen is
# what it leaves there.
status_line() {
    begin_on_terminal "$1"
    until_true grep -qF "$2" "$scratch/typescript"
    kill -INT "$(cat "$scratch/pid")"
    wait "$script"
    screen=$(screen)
    hasnt "$screen" "$2" "$3: the line is erased at the end"
    hasnt "$screen" $'\e[?7' "$3: lines wrap again"
}
test_case 'the status line: batch and test' && {
    echo '{"language": "busybox", "entrypoint_code": "sleep 600"}' >"$scratch/more"
    { printf '%060d\n' 1 2; cat "$scratch/more"; } >"$scratch/requests"
    status_line "'$ISOLATOR' batch -j 1 '$scratch/requests'" "] 2 done, 2 failed, " batch
    has "$screen" "line 2  input " "batch: rows stay"
    has "$screen" " s: 2 input, 1 cancelled" "batch: the summary stays"
    status_line "'$ISOLATOR' batch '$scratch/more' >'$scratch/out'" "0 done, 0 failed, 0.0 per second" "batch, in a file"
    mkdir -p "$scratch/tests"
    for name in a b c; do
        echo "$name" | tee "$scratch/tests/$name.in" >"$scratch/tests/$name.out"
    done
    slow=$(snippet ash 'read -r name; [ "$name" = a ] || sleep 600; echo "$name"')
    status_line "'$ISOLATOR' test -t 600 --tests '$scratch/tests' '$slow'" "[######              ] 1 done, 0 failed, " test
    has "$screen" "a     passed " "test: rows stay"
    cp "$slow" "$scratch/other.ash"
    status_line "'$ISOLATOR' test -t 600 --tests '$scratch/tests' '$slow' '$scratch/other.ash'" "[                    ] 0 done, 0 failed, " "test of several files"
}

test_case 'the status line: doctor, selftest, bench and prepare' && {
    status_line "'$ISOLATOR' selftest mount cpu_debt" "[                    ] 1 of 2: cpu_debt, " selftest
    perl -MJSON::PP -e 'local $/; my $config = decode_json(<STDIN>); $config->{languages}{busybox}{hello} = "sleep 600"; print encode_json($config)' \
        <"$ISOLATOR_CONFIG" >"$scratch/slow.json"
    status_line "'$ISOLATOR' doctor --config '$scratch/slow.json'" ": running a program in busybox, " doctor
    has "$screen" "run python " "doctor: findings stay"
    status_line "'$ISOLATOR' doctor --json --config '$scratch/slow.json'" ": running a program in busybox, " "doctor --json"
    has "$screen" '"check": "run python"' "doctor --json: the JSON stays"
    status_line "'$ISOLATOR' bench --rounds 1000" " of 6000: " bench
    is "$(tr -d '\n' <<<"$screen")" "" "bench: no figures"
    status_line "'$ISOLATOR' prepare busybox --run 'printf one; sleep 3; echo; sleep 600'" "preparing busybox, " prepare
    has "$screen" $'\none' "prepare: an incomplete line of a step stays"
}

test_case --quick 'the status line: none without a terminal that erases lines' && {
    printf '#!/bin/sh\n[ "$1" = version ] || exit 1\nsleep 4\nexit 1\n' >"$scratch/docker"
    printf '{"containerCommand": "%s"}' "$scratch/docker" >"$scratch/slow.json"
    begin_on_terminal "'$ISOLATOR' doctor --config '$scratch/slow.json'"
    wait "$script"
    has "$(cat "$scratch/typescript")" "asking the engine which one it is, 2 s" "a terminal"
    hasnt "$(screen)" "asking the engine" "it is erased"
    for variables in TERM=dumb '-u TERM'; do
        on_terminal "env $variables '$ISOLATOR' doctor --config '$scratch/slow.json'"
        is "$(controls)" "" "env $variables"
        hasnt "$(cat "$scratch/typescript")" "asking the engine" "env $variables: nothing is drawn"
    done
    TERM=xterm on_terminal "'$ISOLATOR' doctor --config '$scratch/slow.json' 2>'$scratch/err'"
    is "$(cat "$scratch/err")" "" "stderr is no terminal"
}

test_case --quick 'text and JSON exclude each other' && {
    isolator batch --json --format text /dev/null
    is "$status|$out|$err" "2||isolator: --json and --format text cannot be used together" "batch --json --format text"
    isolator batch --format xml /dev/null
    is "$status|$out|$err" "2||isolator: --format: 'xml' is not json or text" "batch --format xml"
    refused "--stream prints no result, so --json cannot be used with it" "--stream --json" --stream --json "$hello"
    refused "--stream prints no result, so --format cannot be used with it" "--stream --format" --stream --format text "$hello"
    refused "--json and --format text cannot be used together" "--json --format text" --json --format text "$hello"
    refused "--format: 'xml' is not json or text" "--format xml" --format xml "$hello"
}

test_case --quick 'a file in the place of a command' && {
    isolator "$scratch/nothing.py"
    is "$status|$out|$err" "2||isolator: unknown command '$scratch/nothing.py'; there is no such file" "no such file"
    isolator "$hello" --tolerance 1
    has "$status|$err" "2|isolator: unknown option '--tolerance'" "a file: the options of isolator run"
}

test_case '--stream passes on what the program writes' && {
    on_terminal "'$ISOLATOR' run --stream '$(snippet ash 'printf "a\033[1mb"')'"
    is "$(controls)" "1b" "--stream passes on what the program writes"
}

finish
