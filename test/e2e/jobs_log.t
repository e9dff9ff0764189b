#!/usr/bin/env bash
# What the engine stores of a job on its disk is bounded, whatever the program writes, and within that bound the log is whole.
# shellcheck source=test/e2e/lib.sh disable=SC2016,SC2154 # single quotes are for eval; lib.sh sets $out and its like
. "$(dirname "$0")/lib.sh"

root=$(docker info -f '{{.DockerRootDir}}')

# log_bytes ID: the size of all files of the log of a container. The engine must be on this host, and this user root.
log_bytes() {
    local directory="$root/containers/$1/local-logs"
    [ -r "$directory" ] || { echo "cannot read $directory"; return; }
    du -cb "$directory"/* | tail -n 1 | cut -f 1
}

# job ARG...: starts a job; sets $id, $container, and $max, the bytes that its log may have.
job() {
    isolator start "$@"
    is "$status|$err" "0|" "the job is started"
    id=$out
    container=$(docker inspect -f '{{.Id}}' "isolator-job-$id")
    is "$(docker inspect -f '{{.HostConfig.LogConfig.Type}} {{index .HostConfig.LogConfig.Config "max-file"}}' "$container")" "local 1" \
        "one file of a driver that has a maximum"
    max=$(docker inspect -f '{{index .HostConfig.LogConfig.Config "max-size"}}' "$container")
    [[ $max =~ ^[0-9]+k$ ]]
    ok $? "the maximum is in KB: $max"
    max=$((${max%k} * 1024))
}

# bounded EXPECTED NAME FIELD...: looks at the size of the log until the job has ended, and asserts these members of its result.
bounded() {
    local largest=0 now
    while :; do
        state=$(docker inspect -f '{{.State.Status}}' "$container")
        now=$(log_bytes "$container")
        [ "$now" -gt "$largest" ] 2>/dev/null && largest=$now
        [ "$state" = running ] || break
        sleep 0.1
    done
    within "$now" 1 "$max" "$2: bytes on the disk after it has ended"
    within "$largest" 1 "$max" "$2: bytes on the disk while it runs"
    isolator wait "$id"
    is "$(field "${@:3}" | words)" "$1" "$2: the result"
    echo "# figures: $2: $largest bytes of $max"
}
words() { tr -s '\n' ' ' | sed 's/ $//'; }

test_case 'two floods until the output limit ends the program' && {
    job "$(snippet ash 'yes & yes >&2')" --timeout 60s
    bounded output-limit "floods" reason
}

# small_pieces COUNT: a program that writes so many pieces of one byte to each stream, and leaves time to read each alone.
small_pieces() {
    snippet pl "for (1 .. $1) { syswrite STDOUT, 'x'; syswrite STDERR, 'y'; select undef, undef, undef, 0.0001 }"
}

test_case 'many small pieces on both streams' && {
    job "$(small_pieces 25000)" --timeout 200s --cpus 1
    bounded "exit 25000 25000" "small pieces" reason stdoutBytes stderrBytes
}

test_case 'small pieces beyond the output limit' && {
    job "$(small_pieces 10000)" --timeout 200s --cpus 1 --output-limit 1024
    bounded "exit 10000 10000" "small pieces that are left out" reason stdoutBytes stderrBytes
}

finish
