#!/usr/bin/env bash
# test/setup start: the engine starts also where a dockerd was killed in the middle of its work. The machine for that is a
# set of namespaces, with /run and /var/lib/docker in memory: everything in it ends with its process 1, also if this file
# is killed. Needs root or sudo.
# shellcheck source=test/e2e/lib.sh disable=SC2016,SC2034,SC2154 # the dollars are those of another shell; lib.sh sets $scratch and its like
[ "$(id -u)" = 0 ] || exec sudo -n env PATH="$PATH" ISOLATOR="${ISOLATOR-}" ISOLATOR_CONFIG="${ISOLATOR_CONFIG-}" "$0" "$@"
. "$(dirname "$0")/lib.sh"
PATH=$PATH:/usr/sbin:/sbin
unset DOCKER_HOST DOCKER_CONTEXT

# The machine's engine: one container runs, and one is about to, when dockerd is killed.
killed='
start() { echo "start: $(test/setup start 2>&1)"; docker version >/dev/null || exit 1; }
within() { # SECONDS COMMAND: waits until it succeeds
    local end=$((SECONDS + $1))
    until eval "$2"; do [ "$SECONDS" -lt "$end" ] || { echo "waited $1 s in vain: $2"; exit 1; }; sleep 0.02; done
}
mount -t tmpfs none /run && mkdir -p /var/lib/docker && mount -t tmpfs none /var/lib/docker && cd "$1" || exit 1
start
docker load -q -i busybox.tar >/dev/null
docker run -d --name before isolator-test/busybox:1 sleep 1000 >/dev/null
docker run --name cut isolator-test/busybox:1 true >/dev/null 2>&1 &
within 30 "docker inspect cut >/dev/null 2>&1"
dockerd=$(cat /run/docker.pid)
kill -KILL "$dockerd"
within 30 "[ ! -e /proc/$dockerd ]"
pgrep containerd-shim >/dev/null && echo "containers are there"
grep -q "^overlay /var/lib/docker" /proc/mounts && echo "mounts are there"
'
again='
start
docker run --rm isolator-test/busybox:1 echo it works
docker rm -f before cut >/dev/null 2>&1
docker ps -aq
'

# on_machine SCRIPT: sets out. The sources are a copy, so that the log of this engine is not that of the tests.
on_machine() {
    [ -d "$scratch/tree" ] || {
        mkdir -p "$scratch/tree/test"
        cp test/setup "$scratch/tree/test"
        docker save -o "$scratch/tree/busybox.tar" isolator-test/busybox:1
    }
    out=$(timeout -k 5 240 unshare --mount --pid --net --ipc --fork --kill-child --mount-proc \
        bash -c "$1" bash "$scratch/tree" 2>&1 </dev/null)
}

starts='setup: starting the engine
setup: starting dockerd (log: build/engine/dockerd.log)'

test_case 'a dockerd that was killed while it started a container, whose containers are still there' && {
    on_machine "$killed$again"
    # containerd gets SIGKILL when dockerd ends, which may take a moment
    is "$(grep -v 'left by a dead containerd' <<<"$out")" "start: $starts
containers are there
mounts are there
start: setup: starting the engine
setup: removing /var/run/docker.pid, left by a dead dockerd
setup: starting dockerd (log: build/engine/dockerd.log)
it works" "it starts again, runs a container, and has removed both"
}

test_case 'all of it was killed, and other processes have got the numbers' && {
    on_machine "$killed"'
pkill -KILL containerd
within 30 "! pgrep containerd >/dev/null"
sleep 1000 &
echo $! | tee /run/docker.pid >/run/docker/containerd/containerd.pid
'"$again"
    is "$out" "start: $starts
containers are there
mounts are there
start: setup: starting the engine
setup: removing /var/run/docker.pid, left by a dead dockerd
setup: removing /var/run/docker/containerd/containerd.pid, left by a dead containerd
setup: starting dockerd (log: build/engine/dockerd.log)
it works" "it starts again, runs a container, and has removed both"
}

finish
