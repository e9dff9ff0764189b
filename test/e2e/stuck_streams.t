#!/usr/bin/env bash
# stderr or stdout takes nothing, because a pipe is full or a terminal is stopped with Ctrl-S: messages are dropped,
# results wait, and in both cases isolator still notices signals and still ends.
# shellcheck source=test/e2e/lib.sh disable=SC2154 # lib.sh sets $out and its like
. "$(dirname "$0")/lib.sh"

cc -O2 -w -o "$scratch/stuck" test/fixtures/stuck.c
hello=$(snippet ash 'echo hello')
flood=$(snippet ash 'echo begun >&2; sleep 1; yes') # docker passes on what comes later only after what came before
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
# is the process. The output on other streams is in $scratch/out and $scratch/err.
start_stuck() {
    local kind=$1 streams=$2
    shift 2
    : >"$scratch/out" 2>"$scratch/err"
    "$scratch/stuck" "$kind" "$streams" "$ISOLATOR" "$@" </dev/null >"$scratch/out" 2>"$scratch/err" &
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

for kind in pipe terminal; do
    test_case "run -v, stderr is a $kind that takes nothing" && {
        start_stuck "$kind" 2 run -v "$hello"
        await_stuck 60
        is "$status|$(field stdout)" "0|hello" "the result is printed"

        start_stuck "$kind" 2 run -v --stream "$endless"
        until_true has_begun
        kill -TERM "$pid"
        await_stuck 60
        is "$status|$out" "143|begun" "SIGTERM ends it"
    }

    test_case "selftest, stderr is a $kind that takes nothing" && {
        start_stuck "$kind" 2 selftest mount
        await_stuck 120
        is "$status|$(tail -n 1 <<<"$out" | cut -d ';' -f 1)" \
            "0|1 attacks: 1 held, 0 known gaps, 0 breaches, 0 unclear" "the table is printed"
    }

    # Each waits to print its first line, which it has after a few seconds; whenever the signal comes, it ends.
    for command in "selftest mount" doctor "gc --dry-run" "pull python" "prepare $ours --run date"; do
        test_case "${command/$ours/LANGUAGE}, stdout and stderr are a $kind that takes nothing: SIGTERM ends it" && {
            # shellcheck disable=SC2086 # words
            start_stuck "$kind" 12 $command
            sleep 4
            kill -TERM "$pid" 2>/dev/null
            await_stuck 60
            is "$status" 143 "the status is that of the signal"
        }
    done
done

for kind in pipe terminal stopping; do
    test_case "run --stream, stdout is a ${kind/stopping/terminal that is stopped after 100 kB, and} that takes nothing" && {
        start_stuck "$kind" 1 run --stream --timeout 3s "$flood"
        await_stuck 60
        is "$status|$err" "124|begun
isolator: program did not end within 3 s" "the timeout holds"

        start_stuck "$kind" 1 run --stream --timeout 10m "$flood"
        until_true has_begun
        sleep 1 # by then the terminal is stopped
        kill -TERM "$pid"
        await_stuck 60
        is "$status|$err" "143|begun
isolator: cancelled while the program ran" "SIGTERM ends it"
    }
done

finish
