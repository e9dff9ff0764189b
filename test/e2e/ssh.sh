# An sshd of a test, on a host in a network of its own, by which the engine of the other tests is reached: only the ssh command
# enters that network, and the engine's socket needs none.
# shellcheck shell=bash disable=SC2154 # lib.sh sets $scratch

# shellcheck source=test/e2e/network.sh
. test/e2e/network.sh
bed=$scratch/ssh
host=       # a process that holds the network of the host
sshd_pid=

make_bed() {
    ssh_files "$bed" && mkdir "$bed/bin" && open_switch || return
    setpriv --pdeathsig KILL unshare --net sleep infinity &
    host=$!
    connect_host 1 "$host" || return
    [ -d /run/sshd ] || { mkdir -p /run/sshd && made_run=yes; } # sshd wants this directory
    printf '#!/bin/sh\nexec nsenter --target %s --net %s -F %s "$@"\n' "$switch" "$(command -v ssh)" "$bed/ssh_config" >"$bed/bin/ssh"
    chmod +x "$bed/bin/ssh"
}

port_is_free() { ! in_network_of "$host" grep -hqE '^ *[0-9]+: [0-9A-F]+:0016 [0-9A-F:]+ 0A' /proc/net/tcp /proc/net/tcp6; }

# connect: starts the sshd, which ends with this test also if that is killed, and waits until it lets one in.
connect() {
    until_true port_is_free # a session that cut() has killed may still end, and hold it
    sshd_command "$bed"
    in_network_of "$host" setpriv --pdeathsig KILL "${sshd_command[@]}" 2>"$bed/log" &
    sshd_pid=$!
    until_true far docker version >/dev/null 2>&1 || cat "$bed/log" >&2
}

# cut: kills the sshd and the sessions in it, as if its host had been switched off and on again.
cut() {
    [ -n "$sshd_pid" ] || return
    kill -STOP "$sshd_pid" # so that it begins no more sessions
    # shellcheck disable=SC2046 # numbers
    kill -KILL "$sshd_pid" $(descendants "$sshd_pid") 2>/dev/null
    wait "$sshd_pid" 2>/dev/null
    sshd_pid=
}
descendants() {
    local child
    for child in $(pgrep -P "$1"); do
        echo "$child"
        descendants "$child"
    done
}
trap 'in_main || exit; cut; kill $host $switch 2>/dev/null; [ -z "${made_run-}" ] || rmdir /run/sshd; rm -rf "$scratch"' EXIT

# far COMMAND...: the command, with the engine that is reached by ssh.
far() { PATH=$bed/bin:$PATH DOCKER_HOST=ssh://root@$(address 1) "$@"; }
