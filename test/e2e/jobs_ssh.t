#!/usr/bin/env bash
# Jobs on an engine that is reached by ssh: the connection is cut, and the job goes on. The engine is the one of the other
# tests, through an sshd of this test, which has its own port, keys and configuration.
# shellcheck source=test/e2e/lib.sh disable=SC2016,SC2154 # single quotes are for eval; lib.sh sets $out and its like
. "$(dirname "$0")/lib.sh"

# ---- the sshd, which needs root

bed=$scratch/ssh
unpacked=$PWD/build/engine/sshd # by test/setup
sshd=
port=

make_bed() {
    mkdir -p "$bed/bin"
    [ -d /run/sshd ] || { mkdir -p /run/sshd && made_run=yes; } # sshd wants this directory
    ssh-keygen -q -t ed25519 -N '' -f "$bed/host_key" && ssh-keygen -q -t ed25519 -N '' -f "$bed/key" || return
    cp "$bed/key.pub" "$bed/authorized_keys"
    # SHLVL: the shell of a session then does not read ~/.bashrc, which may hang if a session is killed in the middle of it.
    port=$(perl -MIO::Socket::INET -e 'print IO::Socket::INET->new(LocalAddr => "127.0.0.1", Listen => 1)->sockport')
    cat >"$bed/sshd_config" <<END
ListenAddress 127.0.0.1:$port
HostKey $bed/host_key
AuthorizedKeysFile $bed/authorized_keys
PidFile none
StrictModes no
UsePAM no
PasswordAuthentication no
PermitRootLogin prohibit-password
SetEnv SHLVL=9
END
    # Later versions consist of several programs.
    [ ! -e "$unpacked/usr/lib/openssh/sshd-session" ] ||
        echo "SshdSessionPath $unpacked/usr/lib/openssh/sshd-session" >>"$bed/sshd_config"
    [ ! -e "$unpacked/usr/lib/openssh/sshd-auth" ] ||
        echo "SshdAuthPath $unpacked/usr/lib/openssh/sshd-auth" >>"$bed/sshd_config"
    cat >"$bed/config" <<END
IdentityFile $bed/key
IdentitiesOnly yes
StrictHostKeyChecking no
UserKnownHostsFile /dev/null
LogLevel ERROR
END
    printf '#!/bin/sh\nexec %s -F %s "$@"\n' "$(command -v ssh)" "$bed/config" >"$bed/bin/ssh"
    chmod +x "$bed/bin/ssh"
}

# connect: starts the sshd, which ends with this test also if that is killed, and waits until it lets one in.
connect() {
    setpriv --pdeathsig KILL "$unpacked/usr/sbin/sshd" -D -E "$bed/log" -f "$bed/sshd_config" &
    sshd=$!
    until_true far docker version >/dev/null 2>&1 || cat "$bed/log" >&2
}

# cut: kills the sshd and the sessions in it, as if the network were gone.
cut() {
    [ -n "$sshd" ] || return
    kill -STOP "$sshd" # so that it begins no more sessions
    # shellcheck disable=SC2046 # numbers
    kill -KILL "$sshd" $(descendants "$sshd") 2>/dev/null
    wait "$sshd" 2>/dev/null
    sshd=
}
descendants() {
    local child
    for child in $(pgrep -P "$1"); do
        echo "$child"
        descendants "$child"
    done
}
trap 'in_main || exit; cut; [ -z "${made_run-}" ] || rmdir /run/sshd; rm -rf "$scratch"' EXIT

# far COMMAND...: the command, with the engine that is reached by ssh.
far() { PATH=$bed/bin:$PATH DOCKER_HOST=ssh://root@127.0.0.1:$port "$@"; }

# start_job TEXT: starts a job on that engine; sets $id.
start_job() {
    far isolator start "$(snippet ash "$1")"
    is "$status|$err" "0|" "the job is started"
    id=$out
}

notes() { ls -A "$XDG_STATE_HOME/isolator/jobs"; }

# in_session PID: whether a docker command of this isolator runs, and the sshd has begun a session for it.
in_session() { pgrep -P "$1" docker >/dev/null && [ "$(descendants "$sshd" | wc -l)" -ge 2 ]; }

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
