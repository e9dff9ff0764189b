#!/usr/bin/env bash
# A program ends even if isolator cannot end it: by the lifeline if all of isolator's processes are killed, by a timer
# in the container if all of them are stopped.
#
# This file starts an engine of its own: on a shared one, any isolator that starts meanwhile would remove the orphans.
# shellcheck source=test/e2e/lib.sh disable=SC2016,SC2154 # single quotes are for eval; lib.sh sets $out and its like
. "$(dirname "$0")/lib.sh"

engine=$scratch/engine
trap 'in_main || exit; test/fixtures/own-engine remove "$engine" >/dev/null; rm -rf "$scratch"' EXIT
test/fixtures/own-engine start "$engine" isolator-test/busybox:1 || {
    echo "Bail out! no engine of its own"
    exit 1
}
export DOCKER_HOST=unix://$engine/socket

stubborn='trap "" HUP INT TERM QUIT; setsid sleep 600 & while :; do sleep 0.1; done'

# begin TIMEOUT: runs a program that ignores the signals that can be ignored. $name is its container, $clients are the
# docker commands, and $all are these, isolator and its reaper, which has the same command line.
begin() {
    local file
    file=$(snippet ash "$stubborn")
    start -v --timeout "$1" "$file"
    until_running
    until_true named
    until_true runs_is yes
    clients=$(children "$pid")
    all="$clients $(pgrep -f -- "$file" | paste -s -d ' ')"
    has " $all " " $pid " "$what: isolator runs"
    is "$(runs)|$(there)" "yes|$name" "$what: its program runs"
}
# named: sets $name to the container; docker lists one as running a moment after it runs.
named() { name=$(docker ps --filter "label=isolator.pid=$pid" --format '{{.Names}}') && [ -n "$name" ]; }
# runs: whether a process of the program is left; the supervisor, process 1 of the container, may wait for orders.
runs() { if processes_of "$name" 2>/dev/null | grep -q 'sleep 600$'; then echo yes; else echo no; fi; }
runs_is() { [ "$(runs)" = "$1" ]; }
there() { docker ps --format '{{.Names}}' --filter "name=$name"; }

# ---- the lifeline

test_case 'killed with its docker commands and its reaper' && {
    what="killed with its docker commands and its reaper"
    begin 10m
    # shellcheck disable=SC2086 # words
    kill -KILL $all
    await 2>/dev/null
    until_true eval '[ -z "$(there)" ]'
    is "$(there)" "" "$what: the container ends"
}

test_case 'killed with its reaper, while the docker commands live on' && {
    what="killed with its reaper, while the docker commands live on"
    begin 10m
    # shellcheck disable=SC2046,SC2086 # words
    kill -KILL $(comm -23 <(printf '%s\n' $all | sort) <(printf '%s\n' $clients | sort))
    await 2>/dev/null
    until_true eval '[ -z "$(there)" ]'
    is "$(there)" "" "$what: the container ends"
}

# ---- the timer in the container: ten seconds, so that isolator is stopped before it even on a slow machine

test_case 'stopped with its docker commands and its reaper' && {
    what="stopped with its docker commands and its reaper"
    begin 10s
    # shellcheck disable=SC2086 # words
    kill -STOP $all
    until_true runs_is no
    is "$(runs)" no "$what: the program ends"
    # shellcheck disable=SC2086 # words
    kill -CONT $all
    await
    outcome "124 timeout 137 timeout SIGKILL program did not end within 10 s" "$what: isolator goes on and reports the timeout"
    within "$(field cpuMs)" 0 60000 "$what: its CPU time is known"
}

test_case 'stopped with its reaper, while the docker commands run' && {
    what="stopped with its reaper, while the docker commands run"
    begin 10s
    # shellcheck disable=SC2046,SC2086 # words
    kill -STOP $(comm -23 <(printf '%s\n' $all | sort) <(printf '%s\n' $clients | sort))
    until_true runs_is no
    is "$(runs)" no "$what: the program ends"
    # shellcheck disable=SC2086 # words
    kill -CONT $all
    await
    outcome "124 timeout 137 timeout SIGKILL program did not end within 10 s" "$what: isolator goes on and reports the timeout"
    within "$(field cpuMs)" 0 60000 "$what: its CPU time is known"
}

finish
