#!/usr/bin/env bash
# A stderr or stdout that takes nothing, a full pipe or a terminal stopped with Ctrl-S: what is said there is
# dropped, what is printed there waits, and neither keeps a signal, or the end of the program, from being seen.
# shellcheck shell=bash source=test/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

cc -O2 -w -o "$scratch/stuck" test/fixtures/stuck.c
hello=$(snippet ash 'echo hello')
endless=$(snippet ash 'echo begun; sleep 600')

# A language that nobody else prepares.
ours=t$$
cat >"$scratch/config.json" <<END
{"languages": {"$ours": {"image": "isolator-test/busybox:1", "command": ["sh", "{entrypoint}"],
    "extensions": [".ours"], "defaultFilename": "main.ours"}}}
END
perl -MJSON::PP -e 'local $/; my ($all, $own) = map { open my $file, "<", $_; decode_json(<$file>) } @ARGV;
    $all->{languages} = {%{$all->{languages} // {}}, %{$own->{languages}}}; print encode_json($all)' \
    "$ISOLATOR_CONFIG" "$scratch/config.json" >"$scratch/stuck.json"
export ISOLATOR_CONFIG=$scratch/stuck.json

# start_stuck pipe|terminal DESCRIPTORS ARG...: isolator ARG... in the background with these streams; $pid is the
# process. What it writes on others is in $scratch/out and $scratch/err.
start_stuck() {
    local kind=$1 streams=$2
    shift 2
    : >"$scratch/out" 2>"$scratch/err"
    "$scratch/stuck" "$kind" "$streams" "$ISOLATOR" "$@" </dev/null >"$scratch/out" 2>"$scratch/err" &
    pid=$!
    own_pids="$own_pids$pid "
}

# await_stuck SECONDS: as await, but a process that does not end in this time is killed: $status is 137.
await_stuck() {
    local end=$((SECONDS + $1))
    while kill -0 "$pid" 2>/dev/null && [ "$SECONDS" -lt "$end" ]; do
        sleep 0.1
    done
    kill -KILL "$pid" 2>/dev/null
    await 2>/dev/null
}

# has_begun: the program that prints "begun" runs.
has_begun() { grep -qs begun "$scratch/out"; }

for kind in pipe terminal; do
    start_stuck "$kind" 2 run -v "$hello"
    await_stuck 60
    is "$status|$(field stdout)" "0|hello" "run -v, stderr is a $kind that takes nothing: the result"

    start_stuck "$kind" 2 run -v --stream "$endless"
    until_true has_begun
    kill -TERM "$pid"
    await_stuck 60
    is "$status|$out" "143|begun" "run -v, stderr is a $kind that takes nothing: SIGTERM"

    start_stuck "$kind" 2 selftest mount
    await_stuck 120
    is "$status|$(tail -n 1 <<<"$out" | cut -d ';' -f 1)" \
        "0|1 attacks: 1 held, 0 got through known gaps, 0 got through, 0 cannot be judged" \
        "selftest, stderr is a $kind that takes nothing: the table"

    # Each waits to print its first line, which it has after a few seconds; whenever the signal comes, it ends.
    for command in "selftest mount" doctor "gc --dry-run" "pull python" "prepare $ours --run date"; do
        # shellcheck disable=SC2086 # words
        start_stuck "$kind" 12 $command
        sleep 4
        kill -TERM "$pid" 2>/dev/null
        await_stuck 60
        is "$status" 143 "${command/$ours/LANGUAGE}, both are a $kind that takes nothing: SIGTERM"
    done
done

finish
