#!/usr/bin/env bash
# Kinds of images: whatever an image brings or lacks, the supervisor gets into it and a run has the same outcomes. The
# images are those of test/setup.
# shellcheck source=test/e2e/lib.sh disable=SC2016,SC2154 # single quotes are for the programs; lib.sh sets $out and its like
. "$(dirname "$0")/lib.sh"

export ISOLATOR_CONFIG=$scratch/images.json
cat >"$ISOLATOR_CONFIG" <<'END'
{"engineTimeoutSeconds": 300,
 "warm": {"python": 0, "go": 0, "javascript": 0},
 "languages": {
    "debian": {"image": "isolator-test/python:bookworm", "command": ["python3", "{entrypoint}"],
               "extensions": [".debian"], "defaultFilename": "main.debian"},
    "bash": {"image": "isolator-test/bash:1", "command": ["sh", "{entrypoint}"],
             "extensions": [".bash"], "defaultFilename": "main.bash"},
    "busybox": {"image": "isolator-test/busybox:1", "command": ["sh", "{entrypoint}"],
                "extensions": [".busybox"], "defaultFilename": "main.busybox"},
    "musl": {"image": "isolator-test/musl:1", "command": ["hello", "--cat", "{entrypoint}"],
             "extensions": [".musl"], "defaultFilename": "main.musl"},
    "noshell": {"image": "isolator-test/noshell:1", "command": ["/hello", "--cat", "{entrypoint}"],
                "extensions": [".noshell"], "defaultFilename": "main.noshell"},
    "foreignhello": {"image": "isolator-test/foreign-hello:1", "command": ["/hello", "{entrypoint}"],
                     "extensions": [".foreignhello"], "defaultFilename": "main.foreignhello"},
    "foreignsh": {"image": "isolator-test/foreign-sh:1", "command": ["/bin/sh", "{entrypoint}"],
                  "extensions": [".foreignsh"], "defaultFilename": "main.foreignsh"}}}
END

# What a program does, as Python, as shell, and as arguments of test/fixtures/noshell.c.
declare -A python=(
    [hello]='print("hello")'
    [stdin]='import sys; sys.stdout.write(sys.stdin.read())'
    [files]='open("made", "w").write("its content")'
    [timeout]='import time; time.sleep(1000000)'
    [oom]='x = [bytearray(1 << 20) for i in range(1000)]'
    [signal]='import os; os.kill(os.getpid(), 11)'
    [status]='raise SystemExit(137)'
)
declare -A shell=(
    [hello]='echo hello'
    [stdin]='cat'
    [files]='printf "its content" >made'
    [timeout]='sleep 1000000'
    [oom]='exec awk "BEGIN { for (x = 1; ; x = x x) ; }"'
    [signal]='kill -SEGV $$'
    [status]='exit 137'
)
declare -A arguments=(
    [hello]=''
    [stdin]=''
    [files]='--made=its content'
    [timeout]=--sleep=1000000
    [oom]=--fill
    [signal]=--signal=11
    [status]=--exit=137
)

# runs LANGUAGE WORD [OPTION...]: runs the program of the language that does this.
runs() {
    local language=$1 word=$2
    shift 2
    case $language in
    debian) code debian "${python[$word]}" "$@" ;;
    busybox | bash) code "$language" "${shell[$word]}" "$@" ;;
    *) code "$language" hello "$@" -- ${arguments[$word]:+"${arguments[$word]}"} ;;
    esac
}

# all_outcomes LANGUAGE
all_outcomes() {
    local language=$1 dir
    dir=$(mktemp -d "$scratch/artifacts-XXXXXX")
    runs "$language" hello
    outcome "0 success 0 exit null null" "hello"
    is "$(field stdout | tail -n 1)|$(field stderr)|$(field warnings)" "hello||" "hello: its output"
    within "$(field peakMemoryBytes)" 100000 268435456 "hello: peakMemoryBytes"
    within "$(field cpuMs)" 0 "$(($(field durationMs) + 1000))" "hello: cpuMs" # of half a core
    head -c 300000 /dev/zero | tr '\0' x >"$scratch/input"
    runs "$language" stdin --stdin "$scratch/input"
    outcome "0 success 0 exit null null" "stdin"
    is "$(field stdout | tail -n 1 | tr -d '\n' | sha256sum)" "$(sha256sum <"$scratch/input")" "stdin: 300000 bytes come back"
    runs "$language" files --artifacts "$dir" --artifact made
    outcome "0 success 0 exit null null" "files"
    is "$(ls -A "$dir") $(cat "$dir/made") $(field warnings)" "made its content " "files: what the program made comes back"
    runs "$language" timeout --timeout 2s
    outcome "124 timeout 137 timeout SIGKILL program did not end within 2 s" "timeout"
    runs "$language" oom --timeout 10m --memory 32
    outcome "1 error 137 oom SIGKILL program ran out of memory (limit 32 MB)" "out of memory"
    runs "$language" signal
    outcome "1 error 139 signal SIGSEGV program was ended by signal SIGSEGV" "a signal"
    runs "$language" status
    outcome "1 error 137 exit null program exited with status 137" "status 137 is no signal"
    is "$(own_containers)" "" "no container is left"
}

test_case 'Debian' && all_outcomes debian

test_case 'a shell that is bash' && {
    all_outcomes bash
    code bash 'echo "${BASH_VERSION:+bash}"'
    is "$(field stdout)" bash "its sh is bash"
}

test_case 'busybox' && all_outcomes busybox

test_case 'musl and busybox, like Alpine Linux' && {
    all_outcomes musl
    code musl '' -- --cat /proc/self/maps
    has "$(field stdout)" "/lib/ld-musl-" "its program uses the shared library of musl"
}

test_case 'no shell' && all_outcomes noshell

# ---- an image without a shell takes a second try, but only once

line() { echo '{"language": "'"$1"'", "entrypoint_code": "hello"}'; }

test_case 'within one service the shell is tried once' && {
    { line noshell; line noshell; line musl; } >"$scratch/lines"
    faulty "" isolator batch -j 1 "$scratch/lines"
    is "$status $(wc -l <"$scratch/out") $(grep -c '"reason":"exit"' "$scratch/out")" "0 3 3" "three programs"
    expect "$(docker_calls | tr ' ' '\n' | grep -x -e run -e create -e cp)" \
        "the containers: the first try, two without a shell, one with a shell" <<'END'
run
create
cp
create
cp
run
END
    expect "$(grep -lx /bin/sh "$calls"/run.* "$calls"/create.* | sed 's,.*/,,')" "who is asked for its shell" <<'END'
run.1
run.2
END
}

# ---- an image for another architecture

own=amd64
[ "$(uname -m)" != aarch64 ] || own=arm64

test_case 'an image for another architecture' && {
    for program in hello sh; do
        image=isolator-test/foreign-$program:1
        code "foreign$program" hello
        is "$status $(field status exitCode reason durationMs image)" "3 error -1 command 0 $image" "$program: the outcome"
        has "$(field error)" "the image '$image' is for riscv64, and this isolator was built to run images for $own" \
            "$program: the error names both"
        is "$(own_containers)" "" "$program: no container is left"
    done
}

finish
