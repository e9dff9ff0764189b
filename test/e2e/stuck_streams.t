#!/usr/bin/env bash
# stderr or stdout takes nothing, because a pipe is full or a terminal is stopped with Ctrl-S: messages are dropped,
# results wait, and in both cases isolator still notices signals and still ends.
# shellcheck source=test/e2e/lib.sh disable=SC2154 # lib.sh sets $out and its like
. "$(dirname "$0")/lib.sh"

cc -O2 -w -o "$scratch/stuck" test/fixtures/stuck.c
hello=$(snippet ash 'echo hello')
flood=$(snippet ash 'echo begun >&2; sleep 1; yes') # docker passes on what comes later only after what came before
for i in $(seq 20); do
    echo "{\"id\": $i, \"language\": \"busybox\", \"entrypoint_code\": \"echo hello\"}"
done >"$scratch/requests"
server=$(realpath "${ISOLATOR_MCP:-$(dirname "$ISOLATOR")/isolator-mcp}")
endless=$(snippet ash 'echo begun; sleep 600')

# A language that no other test prepares.
ours=t$$
cat >"$scratch/config.json" <<END
{"languages": {"$ours": {"image": "isolator-test/busybox:1", "command": ["sh", "{entrypoint}"],
    "extensions": [".ours"], "defaultFilename": "main.ours"}}}
END
perl -MJSON::PP -e 'local $/; my ($all, $own) = map { open my $file, "<", $_; decode_json(<$file>) } @ARGV;
    $all->{languages} = {%{$all->{languages} // {}}, %{$own->{languages}}}; print encode_json($all)' \
    "$ISOLATOR_CONFIG" "$scratch/config.json" >"$scratch/stuck.json"
export ISOLATOR_CONFIG=$scratch/stuck.json

# start_stuck pipe|terminal DESCRIPTORS ARG...: starts isolator ARG... in the background with these streams stuck; $pid
# is the process. The output on other streams is in $scratch/out and $scratch/err. Stdin is the file $input, and
# $program is another program than isolator.
start_stuck() {
    local kind=$1 streams=$2
    shift 2
    : >"$scratch/out" 2>"$scratch/err"
    "$scratch/stuck" "$kind" "$streams" "${program:-$ISOLATOR}" "$@" <"${input:-/dev/null}" >"$scratch/out" 2>"$scratch/err" 8>&- &
    pid=$!
    own_pids="$own_pids$pid "
}

# await_stuck SECONDS: like await, but kills a process that takes longer: $status is 137 then.
await_stuck() {
    local end=$((SECONDS + $1))
    while kill -0 "$pid" 2>/dev/null && [ "$SECONDS" -lt "$end" ]; do
        sleep 0.1
    done
    kill -KILL "$pid" 2>/dev/null
    await 2>/dev/null
}

# has_begun: the program that prints "begun" runs.
has_begun() { cat "$scratch/out" "$scratch/err" | grep -qs begun; }

# interrupted ARG...: checks that SIGTERM ends isolator ARG... with its stdout and stderr stuck, in a pipe and in a
# terminal. Each command waits to print its first line, which it has after a few seconds; whenever the signal comes, it
# ends.
interrupted() {
    local kind pids=()
    for kind in pipe terminal; do
        XDG_CONFIG_HOME=$scratch/$kind start_stuck "$kind" 12 "$@" # prepare locks a file there
        pids+=("$pid")
    done
    sleep 4
    kill -TERM "${pids[@]}" 2>/dev/null
    for pid in "${pids[@]}"; do
        await_stuck 60
        is "$status" 143 "the status is that of the signal"
    done
}

test_case 'run -v, stderr takes nothing' && {
    for kind in pipe terminal; do
        start_stuck "$kind" 2 run -v "$hello"
        await_stuck 60
        is "$status|$(field stdout)" "0|hello" "a $kind: the result is printed"

        start_stuck "$kind" 2 run -v --stream "$endless"
        until_true has_begun
        kill -TERM "$pid"
        await_stuck 60
        is "$status|$out" "143|begun" "a $kind: SIGTERM ends it"
    done
}

test_case 'selftest, stderr takes nothing' && {
    for kind in pipe terminal; do
        start_stuck "$kind" 2 selftest mount
        await_stuck 120
        is "$status|$(tail -n 1 <<<"$out" | cut -d ';' -f 1)" \
            "0|1 attacks: 1 held, 0 known gaps, 0 breaches, 0 unclear" "a $kind: the table is printed"
    done
}

test_case 'prepare, stderr takes nothing' && {
    for kind in pipe terminal; do
        XDG_CONFIG_HOME=$scratch/$kind-home start_stuck "$kind" 2 prepare "$ours" --run "echo $kind; seq 100000"
        await_stuck 120
        is "$status|${out%%:*}" "0|$ours is prepared" "a $kind: the steps run to their end"
        XDG_CONFIG_HOME=$scratch/$kind-home isolator prepare --remove "$ours"
        is "$status|$out" "0|$ours: removed" "a $kind: the image is removed"
    done
}

test_case 'batch -v, stderr takes nothing' && {
    for kind in pipe terminal; do
        start_stuck "$kind" 2 batch -v "$scratch/requests"
        await_stuck 120
        is "$status $(grep -c '"stdout":"hello' "$scratch/out")" "0 20" "a $kind: the results are printed"
    done
}

test_case 'isolator-mcp --verbose, stderr takes nothing' && {
    for kind in pipe terminal; do
        rm -f "$scratch/fifo"
        mkfifo "$scratch/fifo"
        exec 8<>"$scratch/fifo"
        program=$server input=$scratch/fifo start_stuck "$kind" 2 --verbose
        cat >&8 <<'END'
{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"execute_code","arguments":{"language":"busybox","entrypoint_code":"echo hello"}}}
END
        until_true grep -qs '"id":2' "$scratch/out"
        has "$(cat "$scratch/out")" hello "a $kind: a call gets its response"
        exec 8>&-
        await_stuck 60
        is "$status" 0 "a $kind: it ends after stdin has closed"
    done
}

test_case 'SIGTERM ends selftest while its streams take nothing' && interrupted selftest mount
test_case 'SIGTERM ends doctor while its streams take nothing' && interrupted doctor
test_case 'SIGTERM ends gc while its streams take nothing' && interrupted gc --dry-run
test_case 'SIGTERM ends pull while its streams take nothing' && faulty "pull * hang" interrupted pull python
test_case 'SIGTERM ends prepare while its streams take nothing' && interrupted prepare "$ours" --run 'date; sleep 600' # else both end, and one replaces the image of the other
test_case 'SIGTERM ends batch while its streams take nothing' && interrupted batch -v "$scratch/requests"

test_case 'run --stream, stdout takes nothing from the start, or after 100 kB' && {
    for kind in pipe terminal stopping; do
        start_stuck "$kind" 1 run --stream --timeout 3s "$flood"
        await_stuck 60
        is "$status|$err" "124|begun
isolator: program did not end within 3 s" "a $kind: the timeout holds"

        start_stuck "$kind" 1 run --stream --timeout 10m "$flood"
        until_true has_begun
        sleep 1 # by then the terminal is stopped
        kill -TERM "$pid"
        await_stuck 60
        is "$status|$err" "143|begun
isolator: cancelled while the program ran" "a $kind: SIGTERM ends it"
    done
}

# The program has ended long before its output was read, and nothing more comes from its container then.
test_case 'run --stream, a reader that is slow' && {
    "$ISOLATOR" run --stream --timeout 100s "$(snippet ash 'head -c 200000 /dev/zero')" 2>"$scratch/err" |
        { sleep 2; wc -c; } >"$scratch/read"
    is "${PIPESTATUS[0]}|$(cat "$scratch/read" "$scratch/err")" "0|200000" "all is read"
}

finish
