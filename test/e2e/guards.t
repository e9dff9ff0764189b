#!/usr/bin/env bash
# Each attack of `isolator selftest` gets through if the guard against it is taken out. So it is this guard that holds
# the attack, and an attack that holds proves something. The docker command here changes the options of the container
# and, for some attacks, the script of the supervisor; see test/fixtures/docker-without. Attacks whose guard is not an
# option of the engine but isolator itself (its clock, its limit of output) have tests elsewhere: see `without_guard`
# below.
#
# Nothing runs here without limits, and no attack does harm: each stops as soon as it sees that it could.
# shellcheck source=test/e2e/lib.sh disable=SC2016,SC2154 # single quotes are for sed; lib.sh sets $out and its like
. "$(dirname "$0")/lib.sh"

root='/^--cap-drop/d;s/^--user=.*/--user=0:0/;s/uid=[0-9]*,gid=[0-9]*/uid=0,gid=0/'
memory='s/^--memory\(-swap\)*=.*/--memory\1=512m/'
writable='s/^--read-only=true/--read-only=false/'
bridge='s/^--network=none/--network=bridge/'
unfiltered='1a --security-opt=seccomp=unconfined'
gains='s/^no-new-privileges$/label=disable/'

# gives_way ATTACK WORDS OPTIONS [SUPERVISOR]: asserts that with these changes, scripts for sed, the attack gets through
# and that its report has these words.
gives_way() {
    DOCKER_SUPERVISOR=${4-} without "$3" isolator selftest "$1"
    has "$(grep -E '^(BREACH|UNCLEAR) ' <<<"$out")" "$2" "$1: $2"
    is "$status" 1 "$1: $2: the status"
}

test_case 'applied_limits' && {
    gives_way applied_limits "memory is" "$memory"
    gives_way applied_limits "processes is" 's/^--pids-limit=.*/--pids-limit=500/'
    gives_way applied_limits "CPU quota is" 's/^--cpus=.*/--cpus=2/'
    gives_way applied_limits "NoNewPrivs is" "$gains"
    gives_way applied_limits "Seccomp is" "$unfiltered"
    gives_way applied_limits "CapBnd is" '/^--cap-drop/d'
    gives_way applied_limits "user is" 's/^--user=.*/--user=1000:1000/;s/uid=[0-9]*,gid=[0-9]*/uid=1000,gid=1000/'
    gives_way applied_limits "other groups is" '1a --group-add=4'
    gives_way applied_limits "/ read-only is" "$writable"
    gives_way applied_limits "core dumps is" 's/^core=0/core=4096/'
    gives_way applied_limits "descriptors is" 's/^nofile=.*/nofile=4096:4096/'
    gives_way applied_limits "size of /tmp is" '/^\/tmp:/s/size=64m/size=128m/'
    gives_way applied_limits "nosuid,nodev of . is" '/^\/workspace:/s/nosuid,nodev/suid,dev/'
}

test_case 'clock_and_priority' && {
    gives_way clock_and_priority "nice -5" "$root;1a --cap-add=SYS_NICE"
}

test_case 'core_dump' && {
    gives_way core_dump "a core was written" 's/^core=0/core=-1/'
}

test_case 'descriptors' && {
    gives_way descriptors "1025 descriptors" 's/^nofile=.*/nofile=4096:4096/'
}

test_case 'disk_filling' && {
    gives_way disk_filling "can be written (overlay)" "$root;$writable"
    gives_way disk_filling "MB in /tmp" '/^\/tmp:/s/size=64m/size=80m/'
}

test_case 'docker_socket' && {
    gives_way docker_socket "a socket, /run/engine.sock" '1a --mount=type=bind,src=/var/run/docker.sock,dst=/run/engine.sock'
    gives_way docker_socket "a variable, DOCKER_HOST" '1a --env=DOCKER_HOST=unix:///x'
}

test_case 'fork_bomb' && {
    gives_way fork_bomb "processes, the limit is" 's/^--pids-limit=.*/--pids-limit=500/'
}

test_case 'host_files' && {
    gives_way host_files "a mount, /mnt" "1a --volume=$scratch:/mnt:ro"
    gives_way host_files "/etc/hosts can be written" "$root;$writable"
}

test_case 'inodes' && {
    gives_way inodes "files" "$memory"
}

test_case 'io_uring' && {
    gives_way io_uring "a route to 1.1.1.1" "$bridge"
    gives_way io_uring "made /usr/abuse" "$root;$writable"
}

test_case 'kernel_buffers' && {
    gives_way kernel_buffers "MB by" "$memory"
}

test_case 'keyctl' && {
    gives_way keyctl "keyctl was allowed" "$unfiltered"
}

test_case 'kill_all' && {
    gives_way kill_all "the program kept running" '' 's/{ kill -CONT \$timer \&\& kill -0 \$runner; }/true/'
}

test_case 'supervisor_signals' && {
    gives_way supervisor_signals "ended with reason engine" '' 's/^trap .*/trap "woke=1" CHLD/'
}

test_case 'masked_paths' && {
    gives_way masked_paths "/proc/timer_list" "$root;1a --security-opt=systempaths=unconfined"
}

test_case 'memory_bomb' && {
    gives_way memory_bomb "MB used, the limit is" "$memory"
}

test_case 'memory_shm' && {
    gives_way memory_shm "MB in /dev/shm" '1a --shm-size=128m'
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

test_case 'mount' && {
    gives_way mount "mount of tmpfs" "$root;1a --cap-add=SYS_ADMIN"
}

test_case 'namespaces' && {
    gives_way namespaces "unshare user" "$unfiltered"
}

test_case 'network' && {
    gives_way network "a route to 1.1.1.1" "$bridge"
}

test_case 'odd_sockets' && {
    gives_way odd_sockets "AF_PACKET" "$root"
}

test_case 'other_sandboxes' && {
    gives_way other_sandboxes "a shared segment of the other" 's/^private$/host/'
    gives_way other_sandboxes "a port of the other" 's/^--network=none/--network=host/'
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
    gives_way supervisor_ptrace "ptrace attach" '' 's/umask 666/umask 0/'
}

test_case 'raw_sockets' && {
    gives_way raw_sockets "raw ICMP" "$root;1a --cap-add=NET_ADMIN"
}

test_case 'refused_calls' && {
    gives_way refused_calls "personality was allowed" "$unfiltered"
}

test_case 'secrets_of_host' && {
    gives_way secrets_of_host "AWS_SECRET of" '1a --env=AWS_SECRET=x'
    gives_way secrets_of_host "the host name host7" 's/^sandbox$/host7/'
}

test_case 'setuid_files' && {
    gives_way setuid_files "ran with uid, gid, capabilities" "$gains"
}

test_case 'sys_writes' && {
    gives_way sys_writes "/sys/" "$root;1a --mount=type=bind,src=/sys,dst=/sys,bind-nonrecursive=true"
}

test_case 'thread_bomb' && {
    gives_way thread_bomb "threads, the limit is" 's/^--pids-limit=.*/--pids-limit=500/'
}

test_case 'zombies_daemons' && {
    gives_way zombies_daemons "a daemon outlived its program" '' 's/^  finish \$?/  sleep 5; finish 0/'
}

# Attacks whose guard is in isolator itself, that get through known gaps, that need what this machine may not have, or,
# cpu_hog, that need a core which nothing else uses.
without_guard="cpu_hog fake_end_frame fake_json fake_frames flood_after_end fork_storm supervisor_priority supervisor_rlimits huge_pages
ignores_sigterm long_line memory_swap output_flood_both output_flood_stderr output_flood_stdout shared_quotas stop_all
tcp_buffers terminal_escapes workdir_deleted workdir_links"

test_case --quick 'every attack is here, or has a guard that cannot be taken out here' && {
    for file in test/abuse/*.py; do
        name=$(basename "$file" .py)
        has " ${without_guard//$'\n'/ } $(grep -oE "^ +gives_way [a-z_]*" "$0" | sed 's/.* //' | sort -u | paste -s -d ' ') " " $name " \
            "$name: tested here, or listed in without_guard"
    done
}

finish
