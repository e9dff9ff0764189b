# An sshd of a test, with its own network, keys and configuration, by which the engine of the other tests is reached.
#
# The sshd is in a network namespace, and the ssh command of the test enters another one. A cable connects them, which can be
# pulled out. The engine is that of this host: the way from its command to its socket needs no network.
# shellcheck shell=bash disable=SC2154 # lib.sh sets $scratch

bed=$scratch/ssh
unpacked=$PWD/build/engine/sshd # by test/setup
sshd=
networks=()                # processes that each hold one: that of ssh, and that of the sshd
near_address=192.0.2.1     # RFC 5737: for documentation, so no other network has it
far_address=192.0.2.2
far_hardware=02:00:00:00:00:02

# network N COMMAND...: in this network.
network() { nsenter --target "${networks[$1]}" --net "${@:2}"; }

# What holds a network ends with this test also if that is killed, and so does the network. The address of the far hardware is
# known: else a host that is cut off would be found out after three seconds.
make_networks() {
    local i
    for i in 0 1; do
        setpriv --pdeathsig KILL unshare --net sleep infinity &
        networks+=($!)
        until_true is_apart "$!" || return
    done
    network 0 ip link add near type veth peer name far address "$far_hardware" netns "${networks[1]}" &&
        network 0 ip address add "$near_address/24" dev near && network 0 ip link set near up &&
        network 0 ip neighbour add "$far_address" lladdr "$far_hardware" dev near nud permanent &&
        network 1 ip address add "$far_address/24" dev far && network 1 ip link set far up
}
is_apart() { [ "$(readlink "/proc/$1/ns/net")" != "$(readlink /proc/self/ns/net)" ]; } # PID

# unplug: from now on no packet arrives, and nobody is told. plug: undoes that.
unplug() { network 1 ip link set far down; }
plug() { network 1 ip link set far up; }

make_bed() {
    make_networks || return
    mkdir -p "$bed/bin"
    [ -d /run/sshd ] || { mkdir -p /run/sshd && made_run=yes; } # sshd wants this directory
    ssh-keygen -q -t ed25519 -N '' -f "$bed/host_key" && ssh-keygen -q -t ed25519 -N '' -f "$bed/key" || return
    cp "$bed/key.pub" "$bed/authorized_keys"
    # SHLVL: the shell of a session then does not read ~/.bashrc, which may hang if a session is killed in the middle of it.
    cat >"$bed/sshd_config" <<END
ListenAddress $far_address
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
    printf '#!/bin/sh\nexec nsenter --target %s --net %s -F %s "$@"\n' "${networks[0]}" "$(command -v ssh)" "$bed/config" >"$bed/bin/ssh"
    chmod +x "$bed/bin/ssh"
}

# connect: starts the sshd, which ends with this test also if that is killed, and waits until it lets one in.
connect() {
    network 1 setpriv --pdeathsig KILL "$unpacked/usr/sbin/sshd" -D -E "$bed/log" -f "$bed/sshd_config" &
    sshd=$!
    until_true far docker version >/dev/null 2>&1 || cat "$bed/log" >&2
}

# cut: kills the sshd and the sessions in it, as if its host had been switched off and on again.
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
trap 'in_main || exit; cut; kill "${networks[@]}" 2>/dev/null; [ -z "${made_run-}" ] || rmdir /run/sshd; rm -rf "$scratch"' EXIT

# far COMMAND...: the command, with the engine that is reached by ssh.
far() { PATH=$bed/bin:$PATH DOCKER_HOST=ssh://root@$far_address "$@"; }
