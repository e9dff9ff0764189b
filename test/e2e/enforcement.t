#!/usr/bin/env bash
# A limit that the engine cannot enforce, because of its kernel or its rights, fails the run before the program starts.
# Such an engine makes a remark when it creates the container. The docker command here drops the options before the real
# engine sees them, and makes the remark.
# shellcheck source=test/e2e/lib.sh disable=SC2154 # lib.sh sets $out and its like
. "$(dirname "$0")/lib.sh"

hello=$(snippet ash 'echo "Hello, World"')
text=$(snippet txt 'the text') # for the image without a shell
remark="WARNING: Your kernel does not support memory limit capabilities. Limitation discarded."

# lacks WHAT SED [FILE]: asserts that the run fails and says which limits are missing.
lacks() {
    DOCKER_REMARK=$remark without "$2" run "${3:-$hello}"
    outcome "3 error -1 engine null the engine does not enforce the limit of $1, see the warnings; to run without it, \
set allowUnenforced in the configuration" "without $1"
    is "$(field stdout)|$(field warnings)" "|$remark" "without $1: no program ran, and the warning quotes the engine"
}
export DOCKER_REMARK=

test_case 'a limit that the engine does not enforce fails the run' && {
    lacks "memory" 's/^--memory=.*/--memory=32m/'
    lacks "memory, swap" '/^--memory/d'
    lacks "swap" 's/^--memory-swap=.*/--memory-swap=-1/'
    lacks "processes" '/^--pids-limit=/d'
    lacks "cpus" '/^--cpus=/d'
    lacks "memory, swap, processes, cpus" '/^--memory/d;/^--pids-limit=/d;/^--cpus=/d'
}

test_case 'no shell: a limit that the engine does not enforce fails the run' && {
    lacks "processes" '/^--pids-limit=/d' "$text"
}

test_case 'a remark of an engine that enforces all limits is a warning' && {
    DOCKER_REMARK=$remark without '' run "$hello"
    outcome "0 success 0 exit null null" "a remark, but all limits hold"
    is "$(field stdout)|$(field warnings)" "Hello, World|$remark" "a remark, but all limits hold: it is a warning"
}

test_case 'allowUnenforced makes it a warning' && {
    perl -MJSON::PP -e 'local $/; print encode_json({%{decode_json(<STDIN>)}, allowUnenforced => JSON::PP::true})' \
        <"$ISOLATOR_CONFIG" >"$scratch/allow.json"
    DOCKER_REMARK=$remark without '/^--pids-limit=/d' run --config "$scratch/allow.json" "$hello"
    outcome "0 success 0 exit null null" "allowUnenforced"
    is "$(field stdout)|$(field warnings)" "Hello, World|$remark" "allowUnenforced: it is a warning"
}

test_case 'the limits cannot be inspected' && {
    # The engine makes a remark, and the inspection of the container fails.
    mkdir "$scratch/docker"
    echo '{' >"$scratch/docker/config.json"
    DOCKER_CONFIG=$scratch/docker faulty "inspect 1 fail" run "$hello"
    is "$status $(field status exitCode reason)" "3 error -1 engine" "a remark, and docker inspect fails"
    has "$(field error)" "cannot inspect the container: Error response from daemon: a fault for the test" \
        "a remark, and docker inspect fails: the message"
}

# ---- limits that the engine refuses

cpus=$(docker info --format '{{.NCPU}}')

# with MEMBERS: a configuration with these members of "defaults" and "buildLimits" of a language with a build.
with() {
    perl -MJSON::PP -e 'local $/; my ($c, $m) = (decode_json(<STDIN>), decode_json($ARGV[0])); $c->{defaults} = $m->{defaults};
        $c->{languages}{built} = {%{$c->{languages}{busybox}}, aliases => [], extensions => [".built"], build => ["true"], buildLimits => $m->{build} // {}};
        print encode_json($c)' "$1" <"$ISOLATOR_CONFIG" >"$scratch/with.json"
}

test_case 'more CPUs than the engine has: those of the configuration are lowered, a request is refused' && {
    quota=$(snippet ash 'cat /sys/fs/cgroup/cpu.max /sys/fs/cgroup/cpu/cpu.cfs_quota_us 2>/dev/null | cut -d " " -f 1')
    with "{\"defaults\": {\"cpus\": $((cpus + 1))}, \"build\": {\"cpus\": $((cpus + 2))}}"
    run --config "$scratch/with.json" "$quota"
    is "$status|$(field stdout warnings)" "0|${cpus}00000
 " "more than there are, of the configuration"
    cp "$quota" "$scratch/quota.built"
    run --config "$scratch/with.json" --cpus 0.25 "$scratch/quota.built"
    is "$status|$(field stdout warnings)" "0|25000
 " "more than there are, of a build"
    run --cpus "$((cpus + 1))" "$quota"
    outcome "2 error -1 input null --cpus $((cpus + 1)) is more than the engine has: $cpus" "more than there are, of a request"
}

test_case 'an engine that needs more memory to start a container' && {
    # docker refuses 1 MB, and starts no container with less than 14 here.
    without 's/^--memory\(-swap\)\{0,1\}=\([0-9]\|1[0-3]\)m$/--memory\1=1m/' run --memory 6 "$hello"
    outcome "2 error -1 input null --memory of 6 MB is too little for a container of this engine; it starts with 16 MB" "too little memory"
    without 's/^--memory\(-swap\)\{0,1\}=.*m$/--memory\1=1m/' run --memory 6 "$hello"
    is "$status $(field reason)" "3 engine" "no memory is enough: the engine's message"
    # A docker that starts nothing; the trial with more memory is interrupted.
    cat >"$scratch/interrupting" <<'END'
#!/bin/sh
case $* in
*--memory=6m*) echo 'container init was OOM-killed (memory limit too low?)' >&2; exit 125 ;;
run*) kill -INT "$PPID"; exec cat >/dev/null ;;
*) exec docker "$@" ;;
esac
END
    chmod +x "$scratch/interrupting"
    perl -MJSON::PP -e 'local $/; print encode_json({%{decode_json(<STDIN>)}, containerCommand => $ARGV[0]})' \
        "$scratch/interrupting" <"$ISOLATOR_CONFIG" >"$scratch/interrupted.json"
    run --config "$scratch/interrupted.json" --memory 6 "$hello"
    is "$status $(field reason)" "130 cancelled" "interrupted while it is tried out"
}

test_case 'figures are those of the container: it has a namespace of cgroups' && {
    run "$(snippet ash 'cut -d : -f 3 /proc/self/cgroup | sort -u')"
    is "$(field stdout)" "/" "all cgroups are the root"
}

finish
