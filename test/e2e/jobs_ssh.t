#!/usr/bin/env bash
# Jobs on an engine that is reached by ssh: the connection is cut, and the job goes on.
# shellcheck source=test/e2e/lib.sh disable=SC2016,SC2154 # single quotes are for eval; lib.sh sets $out and its like
. "$(dirname "$0")/lib.sh"

# shellcheck source=test/e2e/ssh.sh
. test/e2e/ssh.sh

# start_job TEXT: starts a job on that engine; sets $id.
start_job() {
    far isolator start "$(snippet ash "$1")"
    is "$status|$err" "0|" "the job is started"
    id=$out
}

notes() { ls -A "$XDG_STATE_HOME/isolator/jobs"; }

# in_session PID: whether a docker command of this isolator runs, and the sshd has begun a session for it.
in_session() { pgrep -P "$1" docker >/dev/null && [ "$(descendants "$sshd_pid" | wc -l)" -ge 2 ]; }

# interrupted RESTARTS COMMAND ARG...: cuts the connection of `isolator COMMAND ARG... $id`. If RESTARTS is "yes", the sshd
# is there again before isolator has noticed.
interrupted() {
    local restarts=$1
    shift
    far start_isolator "$@" "$id"
    until_true in_session "$pid"
    sleep 0.5 # its request reaches the engine
    kill -STOP "$pid"
    cut
    [ "$restarts" = no ] || connect
    kill -CONT "$pid"
    await
    is "$status" 3 "$1, sshd is there again: $restarts: the exit status"
    has "$err" "isolator: " "$1: an error is reported: $err"
    is "$(notes)" "$id" "$1: the job is kept"
    [ "$restarts" = yes ] || connect
}
make_bed && connect

test_case 'started here, connection cut, waited for from another terminal' && {
    start_job 'echo begun; sleep 2; echo ended; exit 3'
    cut
    far isolator wait "$id"
    is "$status|$out" "3|" "without a connection, wait fails"
    is "$(notes)" "$id" "and the job is kept"
    connect
    (cd / && far setsid "$(realpath "$ISOLATOR")" wait "$id") >"$scratch/out" 2>"$scratch/err"
    is "$? $(field reason exitCode stdout)" "1 exit 3 begun"$'\n'ended "its result"
    is "$(notes)" "" "the job is removed"
}

test_case 'the connection is cut during wait and logs -f' && {
    for restarts in no yes; do
        start_job 'echo begun; sleep 600'
        interrupted "$restarts" wait
        interrupted "$restarts" logs --follow
        far isolator stop "$id"
        far isolator wait "$id"
        is "$status $(field reason stdout)" "143 cancelled begun" "the next wait has the result"
        is "$(notes)" "" "the job is removed"
    done
}

finish
