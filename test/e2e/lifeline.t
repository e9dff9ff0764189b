#!/usr/bin/env bash
# A program ends where nobody of isolator can end it: by the lifeline where all of isolator is killed, by the timer in
# the sandbox where all of it is stopped.
#
# On an engine of its own: on any other, whoever starts meanwhile ends what killed ones have left.
. "$(dirname "$0")/lib.sh"

engine=$scratch/engine
trap 'test/fixtures/own-engine remove "$engine" >/dev/null; rm -rf "$scratch"' EXIT
test/fixtures/own-engine start "$engine" isolator-test/busybox:1 || {
    echo "Bail out! no engine of its own"
    exit 1
}
export DOCKER_HOST=unix://$engine/socket
volumes_before=$(dangling_volumes)

stubborn='trap "" HUP INT TERM QUIT; setsid sleep 600 & while :; do sleep 0.1; done'

# begin TIMEOUT: runs a program that ignores what can be ignored. $name is its container, $clients are the docker
# commands, and $all are these, isolator and its janitor, which has the same command line.
begin() {
    local file
    file=$(snippet ash "$stubborn")
    start -v --timeout "$1" "$file"
    until_running
    name=$(docker ps --filter "label=isolator.pid=$pid" --format '{{.Names}}')
    until_true runs_is yes
    clients=$(children "$pid")
    all="$clients $(pgrep -f -- "$file" | paste -s -d ' ')"
    has " $all " " $pid " "$what: isolator runs"
    is "$(runs)|$(there)" "yes|$name" "$what: its program runs"
}
# runs: whether anything of the program is left; the gate, which is process 1 of the sandbox, may wait for orders.
runs() { if docker top "$name" -o pid,args 2>/dev/null | grep -q 'sleep 600$'; then echo yes; else echo no; fi; }
runs_is() { [ "$(runs)" = "$1" ]; }
there() { docker ps --format '{{.Names}}' --filter "name=$name"; }

# ---- the lifeline
what="killed with its docker commands and its janitor"
begin 10m
# shellcheck disable=SC2086 # words
kill -KILL $all
await 2>/dev/null
until_true eval '[ -z "$(there)" ]'
is "$(there)" "" "$what: the sandbox ends"

what="killed with its janitor, the docker commands live on"
begin 10m
# shellcheck disable=SC2046,SC2086 # words
kill -KILL $(comm -23 <(printf '%s\n' $all | sort) <(printf '%s\n' $clients | sort))
await 2>/dev/null
until_true eval '[ -z "$(there)" ]'
is "$(there)" "" "$what: the sandbox ends"

# ---- the timer in the sandbox; ten seconds, so that all of isolator is stopped before them where the machine is slow
what="stopped with its docker commands and its janitor"
begin 10s
# shellcheck disable=SC2086 # words
kill -STOP $all
until_true runs_is no
is "$(runs)" no "$what: the program ends"
# shellcheck disable=SC2086 # words
kill -CONT $all
await
outcome "124 timeout 137 timeout SIGKILL program did not end within 10 s" "$what: isolator goes on, and tells it"

what="stopped with its janitor, the docker commands run"
begin 10s
# shellcheck disable=SC2046,SC2086 # words
kill -STOP $(comm -23 <(printf '%s\n' $all | sort) <(printf '%s\n' $clients | sort))
until_true runs_is no
is "$(runs)" no "$what: the program ends"
# shellcheck disable=SC2086 # words
kill -CONT $all
await
outcome "124 timeout 137 timeout SIGKILL program did not end within 10 s" "$what: isolator goes on, and tells it"
finish
