# An sshd of a test, with its own port, keys and configuration, by which the engine of the other tests is reached.
# shellcheck shell=bash disable=SC2154 # lib.sh sets $scratch

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
