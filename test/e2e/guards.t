#!/usr/bin/env bash
# The attacks of `isolator selftest` get through where the guard against them is taken out: so the guard is what holds
# them, and an attack that holds says something. The docker command here changes what the engine is told about the
# sandbox, and for some the scripts of the gate; see test/fixtures/docker-without. Not among them are attacks against
# which no option of the engine is the guard, but isolator's own clock, limit of output and reading of it: these
# have tests of their own (see `without_guard` below).
#
# Nothing here is without limits, and nothing writes to what it should not reach: the attacks stop where they see
# that they could.
. "$(dirname "$0")/lib.sh"

root='/^--cap-drop/d;s/^--user=.*/--user=0:0/;s/uid=65534,gid=65534/uid=0,gid=0/'
memory='s/^--memory\(-swap\)*=.*/--memory\1=512m/'
writable='s/^--read-only=true/--read-only=false/'
bridge='s/^--network=none/--network=bridge/'
unfiltered='1a --security-opt=seccomp=unconfined'
gains='s/^no-new-privileges$/label=disable/'

# gives_way ATTACK WORDS OPTIONS [GATE]: with these changes the attack does not hold, and says so with these words.
gives_way() {
    DOCKER_GATE=${4-} without "$3" isolator selftest "$1"
    has "$(grep -E '^(THROUGH|ODD) ' <<<"$out")" "$2" "$1: $2"
    is "$status" 1 "$1: $2: the status tells it"
}

gives_way applied_limits "memory is" "$memory"
gives_way applied_limits "processes is" 's/^--pids-limit=.*/--pids-limit=500/'
gives_way applied_limits "CPU quota is" 's/^--cpus=.*/--cpus=2/'
gives_way applied_limits "NoNewPrivs is" "$gains"
gives_way applied_limits "Seccomp is" "$unfiltered"
gives_way applied_limits "CapBnd is" '/^--cap-drop/d'
gives_way applied_limits "user is" 's/65534/1000/g'
gives_way applied_limits "other groups is" '1a --group-add=4'
gives_way applied_limits "/ read-only is" "$writable"
gives_way applied_limits "core dumps is" 's/^core=0/core=4096/'
gives_way applied_limits "descriptors is" 's/^nofile=.*/nofile=4096:4096/'
gives_way applied_limits "size of /tmp is" '/^\/tmp:/s/size=64m/size=128m/'
gives_way applied_limits "nosuid,nodev of . is" '/^\/workspace:/s/nosuid,nodev/suid,dev/'
gives_way clock_and_priority "nice -5" "$root;1a --cap-add=SYS_NICE"
gives_way core_dump "a core was written" 's/^core=0/core=-1/'
gives_way descriptors "1025 descriptors" 's/^nofile=.*/nofile=4096:4096/'
gives_way disk_filling "can be written (overlay)" "$root;$writable"
gives_way disk_filling "MB in /tmp" '/^\/tmp:/s/size=64m/size=80m/'
gives_way docker_socket "a socket, /run/engine.sock" '1a --mount=type=bind,src=/var/run/docker.sock,dst=/run/engine.sock'
gives_way docker_socket "a variable, DOCKER_HOST" '1a --env=DOCKER_HOST=unix:///x'
gives_way fork_bomb "processes, the limit is" 's/^--pids-limit=.*/--pids-limit=500/'
gives_way host_files "a mount, /mnt" "1a --volume=$scratch:/mnt:ro"
gives_way host_files "/etc/hosts can be written" "$root;$writable"
gives_way inodes "files" "$memory"
gives_way io_uring "a route to 1.1.1.1" "$bridge"
gives_way io_uring "made /usr/abuse" "$root;$writable"
gives_way kernel_buffers "MB by" "$memory"
gives_way keyctl "keyctl was let in" "$unfiltered"
gives_way kill_all "it runs on alone" '' 's/{ kill -CONT \$timer \&\& kill -0 \$runner; }/true/'
gives_way kill_gate "ended by engine" '' 's/^trap .*/trap "woke=1" CHLD/'
gives_way masked_paths "/proc/timer_list" "$root;1a --security-opt=systempaths=unconfined"
gives_way memory_bomb "MB used, the limit is" "$memory"
gives_way memory_shm "MB in /dev/shm" '1a --shm-size=128m'
gives_way memory_sysv "MB in segments" "$memory"
gives_way memory_tmpfs "in /tmp, the limit is" 's/size=64m/size=128m/'
gives_way memory_tmpfs_oom "MB in files, the limit is" "$memory"
gives_way metadata "a route to 169.254.169.254" "$bridge"
gives_way mknod "made a disk (8:0)" "$root"
gives_way mount "mount of tmpfs" "$root;1a --cap-add=SYS_ADMIN"
gives_way namespaces "unshare user" "$unfiltered"
gives_way network "a route to 1.1.1.1" "$bridge"
gives_way odd_sockets "AF_PACKET" "$root"
gives_way other_sandboxes "a shared segment of the other" 's/^private$/host/'
gives_way other_sandboxes "a port of the other" 's/^--network=none/--network=host/'
gives_way page_cache "MB used, the limit is" "$memory"
gives_way privileges "setuid(0)" "$root"
gives_way proc_writes "/proc/uptime" "$root;1a --security-opt=systempaths=unconfined"
gives_way ptrace_gate "ptrace attach" '' 's/umask 666/umask 0/'
gives_way raw_sockets "raw ICMP" "$root;1a --cap-add=NET_ADMIN"
gives_way refused_calls "personality was let in" "$unfiltered"
gives_way secrets_of_host "AWS_SECRET of" '1a --env=AWS_SECRET=x'
gives_way secrets_of_host "the host name host7" 's/^sandbox$/host7/'
gives_way setuid_files "ran with uid, gid, capabilities" "$gains"
gives_way sys_writes "/sys/" "$root;1a --mount=type=bind,src=/sys,dst=/sys,bind-nonrecursive=true"
gives_way thread_bomb "threads, the limit is" 's/^--pids-limit=.*/--pids-limit=500/'
gives_way zombies_daemons "a daemon outlived its program" '' 's/^  finish \$?/  sleep 5; finish 0/'

# Those whose guard is in isolator itself, with known gaps, against what this machine may not have, or, cpu_hog, for
# which there has to be a core that nobody else uses.
without_guard="cpu_hog fake_gate_end fake_json fake_marks flood_after_end fork_storm gate_priority gate_rlimits huge_pages
ignores_sigterm long_line memory_swap output_flood_both output_flood_stderr output_flood_stdout shared_quotas stop_all
tcp_buffers terminal_escapes workdir_deleted workdir_links"
for file in test/abuse/*.py; do
    name=$(basename "$file" .py)
    has " $(echo $without_guard) $(grep -o "^gives_way [a-z_]*" "$0" | cut -d ' ' -f 2 | paste -s -d ' ') " " $name " \
        "$name: its guard is taken out here, or it has none to take out"
done

finish
