#!/usr/bin/env bash
# A limit that the engine leaves out, because its kernel or its rights do not allow it, makes the run fail before
# the program begins: an engine remarks that when it creates the container. The docker command here leaves the
# options out before the real engine sees them, and makes the remark.
. "$(dirname "$0")/lib.sh"

hello=$(snippet ash 'echo "Hello, World"')
text=$(snippet txt 'the text') # for the image without a shell
remark="WARNING: Your kernel does not support memory limit capabilities. Limitation discarded."

# lacks WHAT SED [FILE]: the run is refused, and says which limits are missing.
lacks() {
    DOCKER_REMARK=$remark without "$2" run "${3:-$hello}"
    outcome "3 error -1 engine null the engine does not enforce the limit of $1, see the warnings; to run without it, \
set allowUnenforced in the configuration" "without $1"
    is "$(field stdout)|$(field warnings)" "|$remark" "without $1: no program has run, and the engine's words are there"
}
export DOCKER_REMARK=
lacks "memory" 's/^--memory=.*/--memory=32m/'
lacks "memory, swap" '/^--memory/d'
lacks "swap" 's/^--memory-swap=.*/--memory-swap=-1/'
lacks "processes" '/^--pids-limit=/d'
lacks "cpus" '/^--cpus=/d'
lacks "memory, swap, processes, cpus" '/^--memory/d;/^--pids-limit=/d;/^--cpus=/d'
lacks "processes" '/^--pids-limit=/d' "$text"

DOCKER_REMARK=$remark without '' run "$hello"
outcome "0 success 0 exit null null" "a remark, but all limits hold"
is "$(field stdout)|$(field warnings)" "Hello, World|$remark" "a remark, but all limits hold: it is a warning"

perl -MJSON::PP -e 'local $/; print encode_json({%{decode_json(<STDIN>)}, allowUnenforced => JSON::PP::true})' \
    <"$ISOLATOR_CONFIG" >"$scratch/allow.json"
DOCKER_REMARK=$remark without '/^--pids-limit=/d' run --config "$scratch/allow.json" "$hello"
outcome "0 success 0 exit null null" "allowUnenforced"
is "$(field stdout)|$(field warnings)" "Hello, World|$remark" "allowUnenforced: it is a warning"

# The engine creates the container, remarks on something, and does not say what it has noted.
mkdir "$scratch/docker"
echo '{' >"$scratch/docker/config.json"
DOCKER_CONFIG=$scratch/docker faulty "inspect 1 fail" run "$hello"
is "$status $(fields status exitCode reason)" "3 error -1 engine" "a remark, and the question fails"
has "$(field error)" "cannot inspect the container: Error response from daemon: a fault for the test" \
    "a remark, and the question fails: the message"

finish
