#!/usr/bin/env bash
# Garbage collection: an isolator that is killed between docker create and docker start leaves an orphan, a container in
# which nothing runs. Its reaper removes the orphan. If the reaper was killed too, the next start of any isolator removes
# it, or isolator gc. Containers of living owners are never touched, those of other hosts only if they are overdue.
#
# This file starts an engine of its own: on a shared one, any isolator that starts meanwhile would remove the orphans.
# shellcheck source=test/e2e/lib.sh disable=SC2016,SC2154 # single quotes are for eval; lib.sh sets $out and its like
. "$(dirname "$0")/lib.sh"

engine=$scratch/engine
trap 'in_main || exit; test/fixtures/own-engine remove "$engine" >/dev/null; rm -rf "$scratch"' EXIT
test/fixtures/own-engine start "$engine" isolator-test/busybox:1 isolator-test/noshell:1 || {
    echo "Bail out! no engine of its own"
    exit 1
}
export DOCKER_HOST=unix://$engine/socket

# Called by finish.
check_at_end() { is "$(test/fixtures/own-engine remove "$engine")" "" "nothing is left of the engine"; }

hello=$(snippet ash 'echo "Hello, World"')

# there NAME: "yes" or "no".
there() {
    if docker inspect --type container --format . "$1" >/dev/null 2>&1; then echo yes; else echo no; fi
}
gone_is() { [ "$(there "$1")" = no ]; }

# abandon [FILE]: kills an isolator right before its container starts, together with its docker command and its reaper,
# which are found by their command lines; $name is the orphan.
abandon() {
    local file=${1:-$(snippet txt abandoned)} # without a shell, so that it is created and started by two commands
    faulty "start 1 hang" start --timeout 10m "$file"
    until_true test -s "$calls/start.1"
    name=$(tail -n 1 "$calls/start.1")
    kill -KILL "$(children "$pid")" $(pgrep -f -- "$file") # words
    await 2>/dev/null
}

# remove_made: removes the containers that `make` made.
made=()
remove_made() {
    docker rm -f "${made[@]}" >/dev/null 2>&1
    made=()
}

# make OWNER DEADLINE [NAME]: creates a container of some isolator; OWNER is "boot namespaces pid start".
make() {
    local boot namespaces owner start
    read -r boot namespaces owner start <<<"$1"
    name=${3:-isolator-$(od -An -N8 -tx1 /dev/urandom | tr -d ' \n')}
    docker create --name "$name" --network none --label isolator.host=elsewhere \
        --label "isolator.boot=$boot" --label "isolator.namespaces=$namespaces" \
        --label "isolator.pid=$owner" --label "isolator.start=$start" \
        --label "isolator.deadline=$2" isolator-test/busybox:1 true >/dev/null
    made+=("$name")
}

# mentions NAME: the line of gc's output about this container.
mentions() { grep -F "$1" <<<"$out"; }

# ---- by isolator gc

test_case 'isolator gc removes an orphan' && {
    abandon
    is "$(docker inspect -f '{{.State.Status}}' "$name")" created "an isolator killed before the start leaves its container"
    isolator gc --dry-run
    is "$status|$(mentions "$name")|$err" \
        "0|would remove $name (Created): isolator process $pid has ended|" "gc --dry-run lists it"
    is "$(there "$name")" yes "gc --dry-run removes nothing"
    isolator gc
    is "$status|$(mentions "$name")|$err" "0|removed $name (Created): isolator process $pid has ended|" \
        "gc lists the container that it removes"
    is "$(there "$name")" no "gc removes it"
    isolator gc
    is "$status|$(mentions "$name")|$err" "0||" "gc again finds nothing"
}

test_case 'a container that the engine could not remove: gc says why, and removes it when it can' && {
    abandon
    layer=$(docker inspect -f '{{.GraphDriver.Data.UpperDir}}' "$name")
    chattr +i "$layer"
    perl -pe 's/"engineTimeoutSeconds": 300/"engineTimeoutSeconds": 2/' "$ISOLATOR_CONFIG" >"$scratch/hurried.json"
    isolator gc --config "$scratch/hurried.json"
    has "$(mentions "$name")" "cannot remove $name (Created): isolator process $pid has ended: cannot remove the container: " "it says so"
    is "$status" 3 "status 3"
    is "$(there "$name")" yes "the engine keeps what is left of it"
    chattr -i "$layer"
    isolator gc
    has "$(mentions "$name")" "removed $name (" "it is removed"
    is "$status|$(there "$name")" "0|no" "it is gone"
}

# ---- by the reaper, a background process of each isolator

test_case 'the reaper removes the container of an isolator that is killed alone' && {
    faulty "start 1 hang" start --timeout 10m "$(snippet txt killed)"
    until_true test -s "$calls/start.1"
    name=$(tail -n 1 "$calls/start.1")
    kill -KILL "$pid" "$(children "$pid")"
    await 2>/dev/null
    until_true gone_is "$name"
    is "$(there "$name")" no "an isolator that is killed alone leaves nothing"
}

test_case 'no shell: the reaper removes a container whose program runs' && {
    start --timeout 10m "$(snippet txt text)" -- --sleep=600
    until_true eval 'name=$(docker ps --filter "label=isolator.pid=$pid" --format "{{.Names}}"); [ "$name" ]'
    kill -KILL "$pid"
    await 2>/dev/null
    until_true gone_is "$name"
    is "$(there "$name")" no "no shell: the container is removed"
}

test_case 'an engine that is gone is asked less and less often' && {
    file=$(snippet txt killed)
    faulty "start 1 hang;gc * fail" start --timeout 10m "$file"
    until_true test -s "$calls/start.1"
    name=$(tail -n 1 "$calls/start.1")
    kill -KILL "$pid" "$(children "$pid")"
    await 2>/dev/null
    until_true test -e "$calls/gc.4"
    sleep 8
    within "$(find "$calls" -name 'gc.*' | wc -l)" 4 7 "an engine that is gone: the number of calls"
    pkill -KILL -f -- "$file" # its reaper, which has the same command line
    isolator gc
    is "$(there "$name")" no "an engine that is gone: gc removes the orphan later"
}

# ---- by the next start

test_case 'the next run removes an orphan' && {
    abandon
    run "$hello"
    is "$status $(field status) $(field stdout)" "0 success Hello, World" "the next run"
    until_true gone_is "$name"
    is "$(there "$name")" no "the orphan is gone"
}

test_case 'the next batch removes an orphan' && {
    abandon
    input=/dev/null isolator batch
    until_true gone_is "$name"
    is "$status $(there "$name")" "0 no" "the orphan is gone"
}

test_case 'the next isolator-mcp removes an orphan' && {
    abandon
    "${ISOLATOR%/*}/isolator-mcp" < <(until_true gone_is "$name") >"$scratch/out" 2>&1
    is "$?$(cat "$scratch/out") $(there "$name")" "0 no" "the orphan is gone"
}

test_case 'no shell: the volume is removed with the container' && {
    abandon "$(snippet txt text)"
    volume=$(docker inspect -f '{{range .Mounts}}{{.Name}}{{end}}' "$name")
    is "$(docker volume ls -q --filter "name=$volume")" "$volume" "no shell: there is a volume"
    isolator gc
    is "$(there "$name") $(docker volume ls -q --filter "name=$volume")" "no " "no shell: container and volume are gone"
}

# ---- which containers are orphans

test_case 'the container of a running isolator is not touched' && {
    start --timeout 10m "$(snippet ash 'sleep 600')"
    until_true eval '[ "$(docker ps -q --filter label=isolator.pid=$pid)" ]'
    live=$(docker ps --filter "label=isolator.pid=$pid" --format '{{.Names}}')
    isolator gc
    is "$(mentions "$live")|$(there "$live")" "|yes" "it is not touched"
    kill -TERM "$pid"
    wait "$pid"
}

test_case 'a session is listed as in use, and not touched' && {
    code='{"session": "s", "language": "busybox", "entrypoint_code": "true"}'
    (
        echo "$code"
        while [ ! -e "$scratch/listed" ]; do sleep 0.1; done
    ) | "$ISOLATOR" batch >"$scratch/results" 2>/dev/null &
    batch=$!
    until_true eval 'docker ps --format "{{.Names}}" | grep -q ^isolator-session-'
    live=$(docker ps --format '{{.Names}}' | grep ^isolator-session-)
    owner=$(docker inspect -f '{{index .Config.Labels "isolator.pid"}}' "$live")
    isolator gc
    is "$status|$(sed -E 's/Up [^)]*/Up/' <<<"$out")|$(there "$live")" "0|in use: $live (Up): session of process $owner on $(hostname)
no orphaned containers|yes" "it is listed"
    touch "$scratch/listed"
    wait "$batch"
    is "$(there "$live")" no "the end of the batch ends it"
}

now=$(date +%s)
here="$(cat /proc/sys/kernel/random/boot_id) $(stat -L -c %i /proc/self/ns/pid).$(stat -L -c %i /proc/self/ns/time)"
elsewhere="01234567-89ab-cdef-0123-456789abcdef 1.1"
self="$$ $(sed 's/.*) //' /proc/$$/stat | cut -d ' ' -f 20)"
# kept OWNER DEADLINE NAME [CONTAINER]: asserts that gc does not touch such a container.
kept() {
    make "$1" "$2" "${4:-}"
    isolator gc
    is "$(mentions "$name")|$(there "$name")" "|yes" "not touched: $3"
}

test_case 'containers of others are not touched' && {
    ours=$(docker create --rm --network none --label isolator.pid=5 isolator-test/busybox:1 true)
    docker rm "$ours" >/dev/null
    kept "$here $self" "$((now - 100000))" "overdue, but its owner lives"
    kept "$elsewhere $$ 1" "$((now + 1000))" "of another host, before its deadline"
    kept "$elsewhere $$ 1" "$((now - 200))" "of another host, a little overdue: the clocks may differ"
    kept "$here $$ 1" "$((now - 100000))" "a name that isolator does not give" "isolator-test-$$"
    kept "   " "" "empty labels"
    remove_made
}

test_case 'a container of another host that is overdue is removed' && {
    make "$elsewhere $$ 1" "$((now - 1000))"
    isolator gc
    is "$(mentions "$name")|$(there "$name")" \
        "removed $name (Created): past its deadline; created by process $$ on elsewhere|no" "it is removed"
}

test_case 'a container is removed if another process has the number of its owner' && {
    make "$here $$ 1" "$((now + 1000))"
    isolator gc
    is "$(mentions "$name")|$(there "$name")" \
        "removed $name (Created): isolator process $$ has ended|no" "it is removed"
}

# ---- failures
said="Error response from daemon: a fault for the test"
hurried=$scratch/hurried.json
perl -MJSON::PP -e 'local $/; print encode_json({%{decode_json(<STDIN>)}, engineTimeoutSeconds => 5})' \
    <"$ISOLATOR_CONFIG" >"$hurried"

test_case 'a container that cannot be removed is reported' && {
    make "$elsewhere $$ 1" "$((now - 1000))"
    faulty "rm * fail;ps * fail" isolator gc --config "$hurried"
    has "$(mentions "$name")" "cannot remove $name (Created): past its deadline; created by process $$ on elsewhere: cannot \
remove the container: $said" "it is reported"
    is "$status $(there "$name")" "3 yes" "the status"
    remove_made
}

test_case 'an engine that does not list the containers' && {
    faulty "gc 1 fail" isolator gc
    is "$status|$out|$err" "3||isolator: cannot list the containers: $said" "docker ps fails"
    faulty "gc 1 hang" isolator gc --config "$hurried"
    is "$status|$out" "3|" "an engine that hangs"
    has "$err" "isolator: cannot list the containers: 'docker ps' did not end within " "an engine that hangs: the message"
    faulty "gc 1 garbage" isolator gc
    is "$status|$out|$err" "0|no orphaned containers|" "garbage instead of a list"
}

test_case 'a run does not wait long for its garbage collection' && {
    faulty "gc 1 hang" run --config "$hurried" "$hello"
    is "$status $(field status reason)" "0 success exit" "docker ps hangs"
    faulty "gc 1 garbage" run "$hello"
    is "$status $(field status reason)" "0 success exit" "docker ps prints garbage"
}

# ---- the command line
wrong() { # MESSAGE NAME ARG...
    local message=$1 name=$2
    shift 2
    isolator gc "$@"
    is "$status|$out|$err" "2||isolator: $message" "$name"
}

test_case 'wrong use' && {
    wrong "unknown option '--try'; see isolator gc --help" "an unknown option" --try
    wrong "unknown option '-x'; see isolator gc --help" "an unknown letter" -x
    wrong "option '--dry-run' takes no value" "a value too much" --dry-run=yes
    wrong "option '--config' needs a value" "a value too few" --config
    wrong "unexpected argument 'all'; see isolator gc --help" "an argument" all
    wrong "cannot open the configuration '/nonexistent': No such file or directory" "no such configuration" --config /nonexistent
}

test_case 'gc --help, and a full device' && {
    isolator gc --help
    is "$status|${out%%$'\n'*}|$err" "0|usage: isolator gc [-n] [--config FILE]|" "gc --help"
    "$ISOLATOR" gc >/dev/full 2>"$scratch/err"
    is "$?|$(cat "$scratch/err")" "3|isolator: cannot write the list: No space left on device" "a full device"
}

test_case 'control characters in labels' && {
    name=isolator-$(od -An -N8 -tx1 /dev/urandom | tr -d ' \n')
    docker create --name "$name" --network none --label isolator.host="$(printf 'a\nb\tc\033[2J')" \
        --label isolator.boot=01234567-89ab-cdef-0123-456789abcdef --label isolator.namespaces=1.1 \
        --label isolator.pid=7 --label isolator.start=1 --label isolator.deadline=1000 isolator-test/busybox:1 true >/dev/null
    isolator gc
    is "$status|$out" "0|removed $name (Created): past its deadline; created by process 7 on a\nb\tc\x1b[2J" \
        "labels with control characters"
}

finish
