# The beds of test/engines that have podman, which has no daemon.
# shellcheck shell=bash disable=SC2034,SC2154 # some variables are those of test/clean_roots.sh and test/engines
#
# A holder, a process that only waits, keeps the root, the mounts, the network and the control groups of the bed. The commands
# `podman` and `docker` of the bed are one script, which enters these and becomes the podman there, with the descriptors and
# the process id of its caller. Also the directory for temporary files and this directory are there, at the same paths: podman
# reads files that its options name, as docker does.
#
# The containers of podman have control groups below /libpod_parent. So that these are the bed's own and are removed with
# it, the bed has a namespace of control groups whose root is $ENGINES_GROUP.

# crun, podman's usual runtime, refuses hosts that have control groups of version 1 and of version 2. netavark calls the nft
# of nftables from podman 5 on, and iptables before.
podman_packages=podman,conmon,runc,netavark,iptables,nftables,ca-certificates,iproute2,procps

is_podman() { [[ $1 = podman-* ]]; } # BED

podman_config() {
    cat <<'END'
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
[network]
network_backend = "netavark"
END
}

# Configures the podman in the root of the bed, and makes its commands and the configuration of isolator.
configure_podman() { # BED
    local root=$roots/$1
    mkdir -p "$root$PWD" "$root$roots/tmp" "$root/etc/containers" "$roots/$1.bin" || return
    podman_config >"$root/etc/containers/containers.conf"
    sed '1s/^{/{"containerCommand": "podman", /' build/engine/test.json >"$roots/$1.json"
    cat >"$roots/$1.bin/podman" <<END
#!/bin/sh
export PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root PODMAN_IGNORE_CGROUPSV1_WARNING=1
read -r holder <"$roots/$1.holder" || exit
exec nsenter --target "\$holder" --mount --net --cgroup podman "\$@"
END
    chmod +x "$roots/$1.bin/podman" && ln -s podman "$roots/$1.bin/docker"
}

# To podman, docker.io/NAME is another image than one that was loaded as NAME.
name_images() {
    local image
    for image in $images; do podman tag "$image" "docker.io/$image" || return; done
}

use_podman() { # BED
    unset DOCKER_HOST
    export ISOLATOR_CONFIG=$roots/$1.json PATH=$roots/$1.bin:$PATH
}

# Moves this process into a control group in each hierarchy.
enter_group() { # NAME
    local procs group file
    for procs in /sys/fs/cgroup/cgroup.procs /sys/fs/cgroup/*/cgroup.procs; do
        [ -e "$procs" ] || continue
        group=${procs%/*}/$1
        mkdir -p "$group" || return
        for file in cpuset.cpus cpuset.mems; do # of version 1: empty in a new group
            [ ! -e "$group/$file" ] || cat "${procs%/*}/$file" >"$group/$file"
        done
        echo "$BASHPID" >"$group/cgroup.procs" || return
    done
}

# Becomes the holder of the bed, whose process id it writes to a file when all is there: until then, nothing may enter it, as
# that would run the podman of this host. Each hierarchy of control groups is mounted again, which shows what is below $ENGINES_GROUP.
become_holder() { # BED
    enter_group "$ENGINES_GROUP" && exec 3>"$roots/$1.holder" || exit
    # shellcheck disable=SC2016 # the inner shell expands these
    exec unshare --mount --net --cgroup sh -ec '
        mount --make-rprivate /
        mount --bind "$1" "$1"
        mount --bind "$2" "$1$2"
        mount --bind "$3" "$1$3"
        cd "$1"
        mount -t proc proc proc
        mount -t sysfs sysfs sys
        mount --rbind /dev dev
        mount -t tmpfs tmpfs dev/shm
        mount -t tmpfs tmpfs run
        mount -t tmpfs -o mode=1777 tmpfs tmp
        if [ -e /sys/fs/cgroup/cgroup.procs ]; then
            mount -t cgroup2 cgroup2 sys/fs/cgroup
        else
            mount -t tmpfs -o mode=755 tmpfs sys/fs/cgroup
            sed -nE "s|^([^ ]+ ){4}/sys/fs/cgroup/([^ ]+) .* - (cgroup2?) [^ ]+ rw,?(.*)|\2 \3 \4|p" /proc/self/mountinfo |
                while read -r name type options; do
                    mkdir "sys/fs/cgroup/$name"
                    mount -t "$type" ${options:+-o "$options"} "$type" "sys/fs/cgroup/$name"
                done
        fi
        pivot_root . old
        umount -l /old
        mount --make-rshared /
        ip link set lo up
        echo "$$" >&3
        exec sleep infinity 3>&-' sh "$roots/$1" "$PWD" "$roots/tmp"
}
