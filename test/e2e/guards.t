#!/usr/bin/env bash
# Each attack of `isolator selftest` gets through if the guard against it is taken out. So it is this guard that holds
# the attack, and an attack that holds proves something. The docker command here changes the options of the container,
# see test/fixtures/docker-without, or has the container execute a supervisor that was built without the guard. Attacks
# whose guard is not an option of the engine and not in the supervisor but in isolator itself (its clock, its limit of
# output) have tests elsewhere: see `without_guard` below.
#
# Nothing runs here without limits, and no attack does harm: each stops as soon as it sees that it could.
# shellcheck source=test/e2e/lib.sh disable=SC2016,SC2154 # single quotes are for sed; lib.sh sets $out and its like
. "$(dirname "$0")/lib.sh"

user_0='s/^--user=.*/--user=0:0/;s/uid=[0-9]*,gid=[0-9]*/uid=0,gid=0/'
root="/^--cap-drop/d;$user_0"
memory='s/^--memory\(-swap\)*=.*/--memory\1=512m/'
writable='s/^--read-only=true/--read-only=false/'
bridge='s/^--network=none/--network=bridge/'
unfiltered=$'1a --security-opt=seccomp=unconfined\ns,^seccomp=/dev/.*,seccomp=unconfined,' # podman is told a profile
pings='1a --sysctl=net.ipv4.ping_group_range=0 2147483647' # podman has them for root alone
gains='s/^no-new-privileges$/label=disable/'

# gives_way ATTACK WORDS OPTIONS [SCRIPT]: asserts that with these changes, scripts for sed, to the options of the
# container and to the script that starts the supervisor, the attack gets through, and that its report has these words. An
# attack that tries several things reports each, so several guards can be taken out at once: WORDS|WORDS.
gives_way() {
    local report words
    DOCKER_SUPERVISOR=${4-} without "$3" isolator selftest "$1"
    report=$(grep -E '^(BREACH|UNCLEAR) ' <<<"$out")
    while read -r -d '|' words; do
        has "$report" "$words" "$1: $words"
    done <<<"$2|"
    is "$status" 1 "$1: $2: the status"
}

# gives_way_to ATTACK WORDS FILE CHANGE [OPTIONS]: the same with a supervisor whose source file is changed by this script.
# The shell executes $before_weak first. All are built in one copy of the sources, so that only that file is compiled again.
before_weak=
weak=$scratch/weak
gives_way_to() {
    local file=src/supervisor/$3
    [ -d "$weak" ] || { mkdir "$weak" && cp -r --parents Makefile test/Makefile src "$weak"; }
    sed -i -e "$4" "$weak/$file"
    has "$(cmp "$file" "$weak/$file")" differ "$1: the guard is in $3"
    env -u MAKEFLAGS -u MAKELEVEL make -s -C "$weak" "build/supervisor/$(uname -m).elf" >"$scratch/weak.log" 2>&1 ||
        cat "$scratch/weak.log"
    cp "$file" "$weak/$file"
    gives_way "$1" "$2" "1a --volume=$weak/build/supervisor:/weak:ro"$'\n'"${5-}" \
        "s,^exec /.isolator/supervisor,${before_weak}exec /weak/$(uname -m).elf,"
}

# still_holds ATTACK OPTIONS: asserts that with these changes to the options of the container the attack is held: the
# supervisor alone does what the engine does too.
still_holds() {
    without "$2" isolator selftest "$1"
    has "$out" "1 attacks: 1 held" "$1: held by the supervisor alone"
    is "$status" 0 "$1: the status"
}
# What both the engine and the supervisor do: the supervisor without it.
without_filter=(program.c 's/filter_install(program_has.*;/0;/')
without_second_thread=(filter.c 's/watch > 0 ?/watch < 0 ?/')
with_cores=(program.c /RLIMIT_CORE/d)
with_netlink='s/netlink ? AF_NETLINK : NO_FAMILY/AF_NETLINK/'
frames_from_program=(program.c 's/dup2(wanted.items\[i\], i)/i == 1 ? fcntl(1, F_SETFD, 0) : &/')

test_case 'applied_limits' && {
    gives_way applied_limits "memory is|processes is|CPU quota is|CapBnd is|user is|other groups is|/ read-only is|descriptors is|size of /tmp is|nosuid,nodev of . is" \
        "$memory;$writable;s/^--pids-limit=.*/--pids-limit=500/;s/^--cpus=.*/--cpus=2/;/^--cap-drop/d
s/^--user=.*/--user=1000:1000/;s/uid=[0-9]*,gid=[0-9]*/uid=1000,gid=1000/;s/^nofile=.*/nofile=4096:4096/
/^\/tmp:/s/size=64m/size=128m/;/^\/workspace:/s/nosuid,nodev/suid,dev/;1a --group-add=4"
    gives_way_to applied_limits "NoNewPrivs is|Seccomp is|core dumps is" program.c "${without_filter[1]};${with_cores[1]}" \
        "$gains;s/^core=0/core=4096/;$unfiltered"
}

test_case 'clock_and_priority' && {
    gives_way clock_and_priority "nice -5" "$root;1a --cap-add=SYS_NICE"
}

test_case 'core_dump' && {
    gives_way_to core_dump "a core was written" "${with_cores[@]}" 's/^core=0/core=-1/'
}

test_case 'cpu_seconds' && {
    gives_way_to cpu_seconds "children used 5 s of CPU time" ending.c 's/ending_begin(supervisor, FRAME_CAUSE_CPU)/(void)0/'
}

test_case 'descriptors' && {
    gives_way descriptors "1025 descriptors" 's/^nofile=.*/nofile=4096:4096/'
}

test_case 'disk_filling' && {
    gives_way disk_filling "can be written (overlay)" "$root;$writable"
    gives_way disk_filling "MB in /tmp" '/^\/tmp:/s/size=64m/size=80m/'
}

test_case 'docker_socket' && {
    gives_way docker_socket "a socket, /run/engine.sock|a variable, DOCKER_HOST" \
        '1a --mount=type=bind,src=/var/run/docker.sock,dst=/run/engine.sock\n--env=DOCKER_HOST=unix:///x'
}

test_case 'fork_bomb' && {
    gives_way fork_bomb "processes, the limit is" 's/^--pids-limit=.*/--pids-limit=500/'
}

test_case 'host_files' && {
    gives_way host_files "a mount, /mnt|/etc/hosts can be written" "$root;$writable;1a --volume=$scratch:/mnt:ro"
}

test_case 'inodes' && {
    gives_way inodes "files" "$memory;s/nr_inodes=[0-9]*,//"
}

test_case 'io_uring' && {
    gives_way_to io_uring "a route to 1.1.1.1|made /usr/abuse" filter.c /IO_URING_/d "$bridge;$root;$writable"
}

test_case 'kernel_buffers' && {
    gives_way kernel_buffers "MB by" "$memory"
}

test_case 'keyctl' && {
    still_holds keyctl "$unfiltered"
    gives_way_to keyctl "keyctl was allowed" filter.c /key/d "$unfiltered"
}

test_case 'kill_all' && {
    gives_way kill_all "ended with reason engine" '' 's/^exec //' # it is not process 1
}

test_case 'supervisor_signals' && {
    gives_way_to supervisor_signals "signals wait for process 1" supervise.c 's/sigemptyset(&child)/sigfillset(\&child)/'
}

test_case 'masked_paths' && {
    gives_way masked_paths "/proc/timer_list" "$root;1a --security-opt=systempaths=unconfined"
}

test_case 'memory_bomb' && {
    gives_way memory_bomb "MB used, the limit is" "$memory"
}

test_case 'memory_shm' && {
    gives_way memory_shm "MB in /dev/shm" '/^\/dev\/shm:/s/size=64m/size=128m/'
}

test_case 'memory_sysv' && {
    gives_way memory_sysv "MB in segments" "$memory"
}

test_case 'memory_tmpfs' && {
    gives_way memory_tmpfs "in /tmp, the limit is" 's/size=64m/size=128m/'
}

test_case 'memory_tmpfs_oom' && {
    gives_way memory_tmpfs_oom "MB in files, the limit is" "$memory"
}

test_case 'metadata' && {
    gives_way metadata "a route to 169.254.169.254" "$bridge"
}

test_case 'mknod' && {
    gives_way mknod "made a disk (8:0)" "$root"
}

# chroot needs another capability, and the rest this one: so it is the filter that holds the attack.
test_case 'mount' && {
    may_mount="$user_0;1a --cap-add=SYS_ADMIN"$'\n'$unfiltered
    still_holds mount "$may_mount"
    gives_way_to mount "mount of tmpfs|umount of a mask|pivot_root|open_tree|move_mount|fsopen|fspick|mount_setattr" filter.c \
        '/SYS_mount,/d;/SYS_umount2,/d;/SYS_pivot_root,/d;/CALL_OPEN_TREE, EPERM/d;/CALL_MOVE_MOUNT, EPERM/d;/CALL_FSOPEN, EPERM/d;/CALL_FSPICK, EPERM/d;/CALL_MOUNT_SETATTR, EPERM/d' \
        "$may_mount"
}

test_case 'namespaces' && {
    still_holds namespaces "$unfiltered"
    gives_way_to namespaces "unshare user|clone user|clone3 user|setns user of self" filter.c \
        '/SYS_unshare,/d;/SYS_clone,/d;/CALL_CLONE3, ENOSYS/d;/SYS_setns,/d' "$unfiltered"
}

test_case 'network' && {
    gives_way network "a route to 1.1.1.1" "$bridge"
}

test_case 'odd_sockets' && {
    gives_way_to odd_sockets "family 16|family 17|family 2, 136|family 2, 262|family 10, 136|family 10, 262" filter.c \
        '/{JUMP_EQUAL, 0, 15, SYS_socket},/,/^$/d' "$root"
}

test_case 'other_sandboxes' && {
    gives_way other_sandboxes "a shared segment of the other|a port of the other" \
        's/^private$/host/; s/^--network=none/--network=host/; /^--sysctl=/d'
}

test_case 'page_cache' && {
    gives_way page_cache "MB used, the limit is" "$memory"
}

test_case 'privileges' && {
    gives_way privileges "setuid(0)" "$root"
}

test_case 'proc_writes' && {
    gives_way proc_writes "/proc/uptime" "$root;1a --security-opt=systempaths=unconfined"
}

test_case 'supervisor_ptrace' && {
    # Process 1 stays stopped if it is left before it has stopped: then the run ends at its timeout.
    gives_way_to supervisor_ptrace "supervisor_ptrace" supervise.c 's/PR_SET_DUMPABLE, 0/PR_SET_DUMPABLE, 1/'
}

test_case 'supervisor_proc' && {
    gives_way_to supervisor_proc "/proc/1/environ opens" supervise.c 's/PR_SET_DUMPABLE, 0/PR_SET_DUMPABLE, 1/'
}

test_case 'raw_sockets' && {
    gives_way raw_sockets "raw IP" "$root;1a --cap-add=NET_ADMIN"
}

test_case 'refused_calls' && {
    gives_way refused_calls "personality was allowed" "$unfiltered"
    report=$out
    calls="fanotify_init get_mempolicy mbind pidfd_getfd set_mempolicy" changes= words=
    for call in $calls; do
        hasnt "$report" "$call was allowed" "$call: refused by the supervisor alone"
        changes+="/NEVER([A-Z]*_$call,/Id;" words+="${words:+|}$call was allowed"
    done
    gives_way_to refused_calls "$words" filter.c "$changes" "$unfiltered"
}

test_case 'secrets_of_host' && {
    gives_way secrets_of_host "AWS_SECRET of|the host name host7" 's/^sandbox$/host7/;1a --env=AWS_SECRET=x'
}

test_case 'setuid_files' && {
    gives_way_to setuid_files "ran with uid, gid, capabilities" "${without_filter[@]}" "$gains"
}

# All containers have the same user.
test_case 'shared_quotas' && {
    without 's/^--user=.*/--user=1000:1000/;s/uid=[0-9]*,gid=[0-9]*/uid=1000,gid=1000/' isolator selftest shared_quotas
    # Which of the two containers is told about, and what the other one had taken by then, is not the same each time.
    has "$(grep '^gap ' <<<"$out")" "shared with another container: " "shared_quotas: something is shared"
    is "$status" 0 "shared_quotas: the status"
}

test_case 'sys_writes' && {
    gives_way sys_writes "/sys/" "$root;1a --mount=type=bind,src=/sys,dst=/sys,bind-nonrecursive=true"
}

test_case 'thread_bomb' && {
    gives_way thread_bomb "threads, the limit is" 's/^--pids-limit=.*/--pids-limit=500/'
}

test_case 'zombies_daemons' && {
    gives_way_to zombies_daemons "a daemon outlived its program" processes.c 's/kill(-1, number)/(void)0/'
}

# Several tests in one container. KEEP is refused if a file that the program can change is there from the start.
test_case 'left_behind' && {
    before_weak='rm /.isolator/supervisor; '
    gives_way_to left_behind "after hidden_files: list of /workspace is ['.hidden'" keep.c \
        's/place_is(place, keep->workdir) ? workdir : others/place_is(place, keep->workdir) ? !others : others/'
    gives_way_to left_behind "after hidden_files: list of /dev/shm is" keep.c \
        's/place_is(place, keep->workdir) ? workdir : others/place_is(place, keep->workdir) \&\& workdir/'
    gives_way_to left_behind "after system_v_objects: objects in shm is|after system_v_objects: objects in sem is|after system_v_objects: objects in msg is" \
        clean.c 's/{"shm", remove_shm}, {"sem", remove_sem}, {"msg", remove_msg}//'
    gives_way_to left_behind "after permissions_of_the_roots: the mode of|after permissions_of_the_roots: the time of|after attributes_of_the_roots: attributes of" \
        clean.c 's/place->mode | 0700/07777/;s/fchmod(place->fd, place->mode) == 0/true/;s/futimens(place->fd, place->times) == 0/true/;s/if (!remove_attributes(place))/if (false)/'
    before_weak=
}

test_case 'left_labels' && {
    before_weak='rm /.isolator/supervisor; '
    gives_way_to left_labels "the next test reads" filter.c '/OPTION_FLOWLABEL_MGR, EPERM/d'
    before_weak=
}

test_case 'left_metrics' && {
    gives_way left_metrics "tcp_no_metrics_save is 0" '/^--sysctl=.*tcp_no_metrics_save/d'
}

test_case 'left_ports' && {
    gives_way left_ports "port 5555: " '/^--sysctl=.*tcp_max_tw_buckets/d'
}

test_case 'left_trees' && {
    before_weak='rm /.isolator/supervisor; '
    gives_way_to left_trees "/tmp has ['d'" keep.c 's/empty_places(keep, true, true)/true/'
    before_weak=
}

test_case 'left_memory' && {
    before_weak='rm /.isolator/supervisor; '
    gives_way_to left_memory "ended with reason tests" keep.c 's/remove_objects(keep) && empty/empty/'
    before_weak=
}

# Control groups of version 2 count what waits in sockets of ICMP: the memory is full then, and the attack ends.
test_case 'uncounted_sockets' && {
    times='|times, option 37|times, option 65'
    [ ! -e /sys/fs/cgroup/cgroup.controllers ] || times=
    gives_way_to uncounted_sockets "sockets of netlink|sockets of ICMP,|sockets of ICMPv6$times|a filter, option 26|a filter, option 51|keys, option 14|keys, option 32|keys, option 38|keys, option 39|keys, option 40|below TLS, option 31|group of IPv4, option 35|group of IPv4, option 39|group of IPv4, option 42|group of IPv4, option 46|group of IPv6, option 20|group of IPv6, option 42|group of IPv6, option 46|header of IPv6, option 6:|header of IPv6, option 57" \
        filter.c "$with_netlink;/AF_INET, 2, IPPROTO_ICMP,/d;/AF_INET6, 2, IPPROTO_ICMPV6,/d;/, OPTION_TIMESTAMPING,/d;/, OPTION_TIMESTAMPING_NEW,/d;/, OPTION_ATTACH_FILTER,/d;/, OPTION_ATTACH_REUSEPORT,/d;/IPPROTO_[A-Z0-9]*, 2, OPTION_/d;s/REFUSE(EPROTONOSUPPORT)/ALLOW/" "$pings"
}

# Linux has setxattrat since 6.13.
test_case 'uncounted_attributes' && {
    calls='setxattr: |lsetxattr: |fsetxattr: '
    perl -e 'syscall(463, -1, 0, 0, 0, 0, 0); exit $! == 38' && calls+='|setxattrat: '
    gives_way_to uncounted_attributes "$calls" filter.c \
        '/NOT_ABOVE(SYS_/d;/CALL_SETXATTRAT, /d' "$unfiltered"
}

test_case 'frames of the program' && {
    gives_way_to fake_end_frame "exit status 3 was reported as 0" "${frames_from_program[@]}"
    gives_way_to fake_frames "ended with reason engine" "${frames_from_program[@]}"
    gives_way_to stream_flags "ended with reason engine" "${frames_from_program[@]}"
}

# A kernel without calls of i386 ends the program that tries one, so there the attack is held without the guard too.
test_case 'foreign_calls' && {
    echo 'int main(void) { int result; __asm__ volatile("int $0x80" : "=a"(result) : "a"(20) : "memory"); return result < 0; }' |
        gcc -x c -o "$scratch/getpid" -
    if (ulimit -c 0; "$scratch/getpid") 2>/dev/null; then
        gives_way_to foreign_calls "of i386 gave" filter.c '/{JUMP_EQUAL, 1, 0, ARCHITECTURE},/,+1d'
    else
        is $? 139 "getpid of i386 is ended by SIGSEGV"
        isolator selftest foreign_calls
        has "$out" "1 held" "foreign_calls: the kernel has none of i386"
    fi
}

test_case 'supervisor_files' && {
    gives_way_to supervisor_files "/.isolator/supervisor is there" supervisor.c /unlink/d
}

test_case 'supervisor_oom' && {
    export DOCKER_EVENTLESS=1
    gives_way supervisor_oom "ended with reason engine" ''
    unset DOCKER_EVENTLESS
}

test_case 'supervisor_priority' && {
    gives_way_to supervisor_priority "setpriority of thread 1 of process 1|ioprio_set of thread 1 of process 1|sched_setscheduler to 5|sched_setparam|sched_setattr|sched_setaffinity" \
        filter.c '/SYS_setpriority/d;/SYS_ioprio_set/d;/SYS_sched_setscheduler/d;/SYS_sched_setparam/d;/SYS_sched_setattr/d;/SYS_sched_setaffinity/d'
    gives_way_to supervisor_priority "sched_setattr" "${without_second_thread[@]}"
}

test_case 'supervisor_rlimits' && {
    gives_way_to supervisor_rlimits "limit 7" filter.c /SYS_prlimit64/d
    gives_way_to supervisor_rlimits "limit 7" "${without_second_thread[@]}"
}

test_case 'supervisor_tracer' && {
    gives_way_to supervisor_tracer "ended with reason exit" supervise.c 's/ \&\& !WIFSTOPPED(status)//'
}

# Attacks whose guard is in isolator itself, that get through known gaps, that need what this machine may not have, or,
# cpu_hog, that need a core which nothing else uses. The container of cpu_debt lives on for a minute or more without its
# guard; outcomes.t tests that.
without_guard="cpu_debt cpu_hog fake_json flood_after_end fork_storm huge_pages ignores_sigterm long_line machine_quotas memory_swap
output_flood_both output_flood_stderr output_flood_stdout pipes_in_flight shared_quotas stop_all supervisor_exhausted
supervisor_flood supervisor_lock supervisor_memory tcp_buffers terminal_escapes tools_forged tools_other_runs tools_refused
tools_secret workdir_deleted workdir_links"

test_case --quick 'every attack is here, or has a guard that cannot be taken out here' && {
    for file in test/abuse/*.py; do
        name=$(basename "$file" .py)
        has " ${without_guard//$'\n'/ } $(grep -oE "^ +gives_way(_to)? [a-z_0-9]*" "$0" | sed 's/.* //' | sort -u | paste -s -d ' ') " " $name " \
            "$name: tested here, or listed in without_guard"
    done
}

finish
