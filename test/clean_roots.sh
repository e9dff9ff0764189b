# What test/roots and test/release have in common: clean systems, made by mmdebstrap in a tmpfs.
# shellcheck shell=bash
#
# The roots are in $roots, a tmpfs that nothing outside sees: it is gone, with all processes, when the script ends, even by
# SIGKILL. A script sources this file and calls `in_clean_roots FUNCTION ARG...`, which calls the function there.

roots=/mnt # hidden by the tmpfs
script=${0##*/}

say() { printf '%s: %s\n' "$script" "$*" >&2; }
die() { say "$*"; exit 1; }

# make_root NAME SUITE [PACKAGE,...]
make_root() { mmdebstrap --variant=apt ${3+"--include=$3"} "$2" "$roots/$1" "$mirror"; }

# chrooted NAME MOUNTS SCRIPT [UNSHARE-OPTION]: runs a shell script in the root, which is a mount point, as on a real
# system. MOUNTS is a script that mounts more, with the root as its current directory.
chrooted() {
    # shellcheck disable=SC2016 # the inner shell expands these
    unshare --mount --pid --fork --kill-child ${4+"$4"} sh -c '
        mount --bind "$1" "$1" && mount -t proc proc "$1/proc" &&
        mount -t sysfs -o ro sysfs "$1/sys" &&
        mount -t devpts -o newinstance,ptmxmode=0666 devpts "$1/dev/pts" && mount -t tmpfs tmpfs "$1/dev/shm" &&
        cd "$1" && eval "$2" &&
        exec chroot "$1" env -i PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root sh -c "$3"' \
        sh "$roots/$1" "$2" "$3"
}

# step NAME TITLE COMMAND...: runs it, with its output in the log of the root NAME. Sets $outcome if it fails.
step() {
    local name=$1 title=$2 log=$roots/$1.log; shift 2
    say "$name: $title"
    "$@" >"$log" 2>&1 </dev/null && return
    tail -n 60 "$log" | sed "s/^/$script: | /" >&2
    outcome="$name: failed: $title"
    return 1
}

# Calls itself in namespaces of its own, and ends with the exit status of the function there.
in_clean_roots() {
    local status=0
    mirror=$(share/packaging/mirror) || exit
    if [ "${WITHIN_CLEAN_ROOTS-}" = yes ]; then
        unset WITHIN_CLEAN_ROOTS
        mount -t tmpfs -o mode=755 tmpfs "$roots" || die "cannot mount a tmpfs at $roots"
        mkdir -m 1777 "$roots/tmp"
        export TMPDIR=$roots/tmp # so that no temporary file stays either
        "$@"
        exit
    fi
    [ "$(id -u)" -eq 0 ] || die 'this needs root'
    command -v mmdebstrap >/dev/null || die 'install the Debian packages mmdebstrap and debian-archive-keyring'
    WITHIN_CLEAN_ROOTS=yes setpriv --pdeathsig KILL unshare --mount --pid --fork --kill-child --mount-proc "$0" "${@:2}" </dev/null &
    trap 'kill -KILL $! 2>/dev/null' EXIT
    trap 'exit 130' INT TERM HUP # wait ends at once
    wait $! || status=$?
    trap - EXIT
    exit "$status"
}
