# The beds of test/engines that are virtual machines, for what a root on this host cannot have: a kernel of its own, whose
# control groups are those of version 2 alone.
# shellcheck shell=bash disable=SC2034,SC2154 # some variables are those of test/clean_roots.sh and test/engines
#
# qemu emulates the processor in software, so this needs no KVM and takes its time: the clock of the machine counts
# instructions (-icount), at some 0.4 of the speed of a real clock, and no timeout of a test expires because the host is
# busy. Hence fewer suites and images than in the other beds. Only x86-64.
#
# The root is made like that of the other beds. An engine on this host loads the images into it; with the kernel's modules
# and a copy of this directory it then becomes the disk of the machine. An initramfs of busybox and the driver of that disk
# starts test/fixtures/machine-init there, which runs the suites. What these print comes through the second serial port;
# the first is the console. All files are in $roots.

# Left out, beside what is slow: what needs the image isolator-test/languages:trixie (1.4 GB) or a network.
machine_suites="hello.t"
# Cases of other suites, by their titles, one a line: those whose answers depend on control groups, and some of each feature.
machine_cases="outcomes.t: exit status 137, signals to process 1, and closed streams
outcomes.t: a child runs out of memory and the program fails
outcomes.t: busybox: the program runs out of memory
outcomes.t: busybox: a timeout of a busy program that ignores signals
outcomes.t: a program that has used up its CPU time
outcomes.t: CPU time of child processes, and of a program that has ended
outcomes.t: a program that owes CPU time
outcomes.t: isolator is killed while its program owes CPU time
outcomes.t: a program that sleeps uses no CPU time
outcomes.t: no shell: the program runs out of memory
container.t: what a program sees and may do in its container
container.t: each kind of container has the guards of kernel memory
container.t: a fork bomb ends at the timeout
container.t: the engine's record of a container, and SIGTERM while the program runs
container.t: no shell: the engine's record, and many signals while the program runs
lifeline.t: killed with its docker commands and its reaper
lifeline.t: killed with its reaper, while the docker commands live on
tests.t: each status
tests.t: all tests pass; names; one container
tests.t: what one test leaves is gone for the next
tests.t: memory of a process that nobody waits for
tests.t: a container that is killed costs the tests that are left
tests.t: a build, and then tests
tests.t: the limits of the build are not those of the program
batch.t: right and wrong lines, each with a result of its own
batch.t: limits of a line
batch.t: SIGINT ends the running requests and starts no new ones
mcp_calls.mjs: one call runs, one waits, the third is refused
mcp_calls.mjs: a running call is cancelled: its container goes, the next call begins, and nothing is answered
mcp_sessions.mjs: all calls of a session have one container, which no other call gets
mcp_sessions.mjs: two sessions and a call without one see nothing of each other
mcp_sessions.mjs: a session that has used up its CPU time or its output ends, and the result says so
mcp_sessions.mjs: when the server is killed, its busy sessions end
abuse.t: every attack is held, or gets through a known gap
abuse.t: the limits of a container as the kernel has them
leftovers.t: a test reads what the one before it has changed only in the numbers that SECURITY.md names
guards.t: left_metrics
guards.t: uncounted_attributes
guards.t: uncounted_sockets
guards.t: odd_sockets"
# Those of them that run with another OCI runtime than runc.
machine_runtime_cases='^(container.t: what|outcomes.t: busybox|lifeline.t: killed with its docker|tests.t|abuse.t: every)'
machine_images="isolator-test/busybox:1 isolator-test/noshell:1 isolator-test/python:bookworm isolator-test/javascript:bookworm
    isolator-test/go:compiled"
# gcc, libc6-dev and make compile what the tests run; kmod and busybox-static are for the machine itself.
machine_packages=docker.io,docker-cli,containerd,runc,iptables,nftables,ca-certificates,iproute2,kmod,busybox-static
machine_packages+=,procps,util-linux,perl,gcc,libc6-dev,make,nodejs
# The packages of npm, in test/mcp/node_modules of this host, by which the tests of isolator-mcp validate messages.
machine_modules="ajv ajv-formats fast-deep-equal fast-uri json-schema-traverse require-from-string"
machine_memory=4096  # MB
machine_seconds=5400 # of this host, until a machine that has not ended is killed

is_machine() { [[ $1 = *-cgroup2 ]]; } # BED

# Ends the script if this host lacks what a machine needs.
need_machine() {
    local missing=() pair
    [ "$(uname -m)" = x86_64 ] || die 'the beds that are machines need x86-64'
    for pair in qemu-system-x86_64:qemu-system-x86 mke2fs:e2fsprogs cc:gcc; do
        command -v "${pair%:*}" >/dev/null || missing+=("${pair#*:}")
    done
    [ ${#missing[@]} -eq 0 ] || die "install the Debian packages ${missing[*]}"
}

# Prints the suite as test/run takes it, with a space: as a whole, or as the numbers of its cases; nothing if the machine
# does not run it. Fails if a title is not that of a case.
machine_suite() { # BED SUITE
    local suite=$2 cases=$machine_cases title number numbers=
    [ -z "$(runtime_of "$1")" ] || cases=$(grep -E "$machine_runtime_cases" <<<"$cases")
    if [[ " $machine_suites " = *" $suite "* ]]; then
        printf '%s ' "test/e2e/$suite"
        return
    fi
    while IFS= read -r title; do
        number=$("test/e2e/$suite" --list | cut -f 2- | grep -nFx -- "$title" | cut -d : -f 1)
        [ -n "$number" ] || { say "test/e2e/$suite has no case '$title'"; return 1; }
        numbers+=+$number
    done < <(sed -n "s/^$suite: //p" <<<"$cases")
    [ -z "$numbers" ] || printf '%s ' "test/e2e/$suite:${numbers#+}"
}

# The kernel is not installed, which would make an initramfs of Debian: its files are in /kernel, and its modules, in
# /usr/lib/modules, are listed by depmod.
make_machine_root() { # BED
    local root=$roots/$1 runtime
    runtime=$(runtime_of "$1")
    # shellcheck disable=SC2016 # mmdebstrap's shell expands these
    mmdebstrap --variant=minbase --dpkgopt=path-exclude=/usr/share/{doc,man,locale}'/*' --include="$machine_packages${runtime:+,$runtime}" \
        --customize-hook='cd "$1" && export APT_CONFIG="$MMDEBSTRAP_APT_CONFIG" &&
            kernel=$(apt-cache depends linux-image-cloud-amd64 | sed -n "s/^ *Depends: \(linux-image-[0-9]\)/\1/p") &&
            apt-get -q download "$kernel" && dpkg-deb -x linux-image-*.deb kernel && rm linux-image-*.deb &&
            mv kernel/usr/lib/modules usr/lib/modules && chroot . depmod "$(ls usr/lib/modules)"' \
        "$(suite_of "$1")" "$root" "$mirror" || return
    mkdir -p "$root/sock" "$root/old" "$root/etc/docker"
    [ -z "$runtime" ] || machine_engine "$runtime" >"$root/etc/docker/daemon.json"
}
machine_engine() { printf '{"default-runtime": "%s", "runtimes": {"%s": {"path": "/usr/bin/%s"}}}\n' "$1" "$1" "$1"; } # RUNTIME

# Copies this directory, with the programs that are tested and those libraries that they need and the root lacks. It is at
# the same path there when the machine runs, since build/engine/test.json has absolute paths.
copy_tree() { # BED
    local root=$roots/$1 tree=$roots/$1/isolator library
    mkdir -p "$tree/build" "$root$PWD" || return
    test/mcp/install || return
    # shellcheck disable=SC2086 # words
    { git -c safe.directory="$PWD" ls-files -z && printf '%s\0' build/isolator build/isolator-mcp build/engine/test.json &&
        printf 'test/mcp/node_modules/%s\0' .package-lock.json $machine_modules; } |
        tar -c --null -T - | tar -x --no-same-owner -C "$tree" || return
    cc -O1 -o "$tree/build/field" test/fixtures/field.c -ljansson || return # of test/e2e/lib.sh
    ldd "$tree/build/isolator" "$tree/build/isolator-mcp" "$tree/build/field" | sed -n 's/.* => \(\/[^ ]*\) .*/\1/p' | sort -u |
        while read -r library; do
            [ -e "$root/usr/lib/x86_64-linux-gnu/${library##*/}" ] || cp -Lv "$library" "$root/usr/lib/x86_64-linux-gnu/" || return
        done
}

# The initramfs: ext4 is built into Debian's kernel for virtual machines, the driver of the disk is a module.
make_initramfs() { # BED
    local root=$roots/$1 files=$roots/$1.initramfs
    mkdir -p "$files/bin" "$files/dev" "$files/root" || return
    cp "$root/usr/bin/busybox" "$files/bin/" &&
        xz -dc "$root"/usr/lib/modules/*/kernel/drivers/block/virtio_blk.ko.xz >"$files/virtio_blk.ko" || return
    cat >"$files/init" <<'INIT'
#!/bin/busybox sh
set -e
busybox=/bin/busybox
$busybox mount -t devtmpfs devtmpfs /dev
$busybox insmod /virtio_blk.ko
$busybox mount -t ext4 /dev/vda /root
$busybox mount --move /dev /root/dev
exec $busybox switch_root /root /isolator/test/fixtures/machine-init
INIT
    chmod +x "$files/init"
    (cd "$files" && find . | bin/busybox cpio -o -H newc) >"$roots/$1.initrd"
}

# Turns the root into a disk, which has 3 GB left, and removes it. The file takes up only what is written to it.
make_disk() { # BED
    local root=$roots/$1 megabytes
    # shellcheck disable=SC2086 # words
    printf '%s\n' "$PWD" $tested >"$root/etc/machine" # for machine-init
    rm -rf "${root:?}"/{sock,old,var/cache/apt,var/lib/apt}
    cp "$root"/kernel/boot/vmlinuz-* "$roots/$1.kernel" && rm -rf "${root:?}/kernel" || return
    megabytes=$(du -sm --apparent-size "$root" | cut -f 1)
    truncate -s "$((megabytes * 5 / 4 + 3072))M" "$roots/$1.disk" &&
        mke2fs -q -t ext4 -O ^has_journal -d "$root" "$roots/$1.disk" || return
    rm -rf --one-file-system "$root"
}

# Runs the machine until it powers off.
# - cx16=off: else the kernel dies of a double fault when dockerd starts.
# - icount: the clock counts instructions, 2 ns each.
# - panic=-1 and -no-reboot: qemu ends when the kernel panics, which it does if process 1 exits.
# - loglevel=1: else the kernel reports each program that runs out of memory.
run_machine() { # BED
    timeout --kill-after=10 "$machine_seconds" qemu-system-x86_64 -accel tcg,tb-size=512 -icount shift=1 \
        -cpu max,la57=off,cx16=off -smp 1 -m "$machine_memory" -nodefaults -display none -no-reboot -nic none \
        -kernel "$roots/$1.kernel" -initrd "$roots/$1.initrd" -drive "file=$roots/$1.disk,format=raw,if=virtio,cache=unsafe" \
        -append 'console=ttyS0 loglevel=1 mitigations=off nokaslr nowatchdog random.trust_cpu=on cgroup_no_v1=all panic=-1' \
        -serial "file:$roots/$1.console" -serial "file:$roots/$1.suites"
}

# Makes the machine and runs the suites in it. Sets $outcome if it fails.
try_machine() { # BED
    local bed=$1 images=$machine_images engine='' began count
    step "$bed" 'make the root' make_machine_root "$bed" && step "$bed" 'start the engine' start_engine "$bed" &&
        step "$bed" 'load the images' load_images "$bed" || return
    kill "$engine" && wait "$engine"
    step "$bed" 'copy the programs and the tests' copy_tree "$bed" && step "$bed" 'make the initramfs' make_initramfs "$bed" &&
        step "$bed" 'make the disk' make_disk "$bed" || return
    say "$bed: run the machine, at most $machine_seconds s: $tested"
    began=$SECONDS
    run_machine "$bed" || outcome="$bed: qemu ended with status $?"
    say "$bed: the machine ran for $((SECONDS - began)) s"
    rm -f "$roots/$bed.disk"
    sed "s/^/$script: | /" "$roots/$bed.suites" >&2
    count=$(grep -E '^[0-9]+ passed, [0-9]+ failed$' "$roots/$bed.suites") || count='the machine ended before its tests'
    [ -n "$outcome" ] || [[ $count = [1-9]*' passed, 0 failed' ]] || outcome="$bed: $count"
    [ -z "$outcome" ] || tail -n 20 "$roots/$bed.console" | tr -d '\r' | sed "s/^/$script: console | /" >&2
    [ -z "$outcome" ]
}
