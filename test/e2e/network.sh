# A network of a test, which nothing else can see: a switch, and hosts with a cable to it that can be pulled out. What belongs to
# no host enters the network by `inside`.
# shellcheck shell=bash

switch=              # a process that holds the network of the switch
declare -A cables=() # by host: the process that holds its network
switch_address=192.0.2.254 # these are for documentation (RFC 5737), so no other network has them

# address N, hardware N: of the host with this number, from 1 to 9.
address() { echo "192.0.2.$1"; }
hardware() { echo "02:00:00:00:00:0$1"; }

in_network_of() { nsenter --target "$1" --net "${@:2}"; } # PID COMMAND...
inside() { in_network_of "$switch" "$@"; }                # COMMAND...
has_own_network() { [ "$(readlink "/proc/$1/ns/net")" != "$(readlink /proc/self/ns/net)" ]; } # PID

# Ends with this test also if that is killed.
open_switch() {
    setpriv --pdeathsig KILL unshare --net sleep infinity &
    switch=$!
    until_true has_own_network "$switch" && inside ip link set lo up && inside ip link add switch type bridge &&
        inside ip address add "$switch_address/24" dev switch && inside ip link set switch up
}

# connect_host N PID: connects this host, whose network the process has. The switch knows its hardware: else a host that is cut
# off would be found out after three seconds.
connect_host() {
    cables[$1]=$2
    inside ip link delete "host$1" 2>/dev/null # of one that has died: it takes a moment to go
    until_true has_own_network "$2" &&
        inside ip link add "host$1" type veth peer name cable address "$(hardware "$1")" netns "$2" &&
        inside ip link set "host$1" master switch up &&
        inside ip neighbour replace "$(address "$1")" lladdr "$(hardware "$1")" dev switch nud permanent &&
        in_network_of "$2" ip link set lo up && in_network_of "$2" ip address add "$(address "$1")/24" dev cable && plug "$1"
}

# unplug N: from now on no packet arrives at this host or leaves it, and nobody is told. plug N: undoes that.
unplug() { in_network_of "${cables[$1]}" ip link set cable down; }
plug() { in_network_of "${cables[$1]}" ip link set cable up; }

# ---- ssh

sshd=$PWD/build/engine/sshd # by test/setup

# ssh_files DIRECTORY: makes the keys and the files sshd_config and ssh_config there.
ssh_files() {
    local name
    mkdir -p "$1" && ssh-keygen -q -t ed25519 -N '' -f "$1/host_key" && ssh-keygen -q -t ed25519 -N '' -f "$1/key" || return
    cat >"$1/sshd_config" <<END
HostKey $1/host_key
AuthorizedKeysFile $1/key.pub
PidFile none
StrictModes no
UsePAM no
PasswordAuthentication no
PermitRootLogin prohibit-password
END
    # Later versions consist of several programs.
    for name in session auth; do
        [ ! -e "$sshd/usr/lib/openssh/sshd-$name" ] || echo "Sshd${name^}Path $sshd/usr/lib/openssh/sshd-$name" >>"$1/sshd_config"
    done
    cat >"$1/ssh_config" <<END
User root
IdentityFile $1/key
IdentitiesOnly yes
StrictHostKeyChecking no
UserKnownHostsFile /dev/null
LogLevel ERROR
END
}

# sshd_command DIRECTORY [VARIABLES]: sets $sshd_command, an sshd whose sessions have these variables: "A=b C=d". SHLVL: the shell of
# a session then does not read ~/.bashrc, which may hang if a session is killed in the middle of it.
sshd_command() {
    sshd_command=("$sshd/usr/sbin/sshd" -D -e -f "$1/sshd_config" -o "SetEnv=SHLVL=9${2:+ $2}")
}
