#!/usr/bin/env bash
# An engine that is reached by ssh: connections that are refused, cut, or hang.
# shellcheck source=test/e2e/lib.sh disable=SC2016,SC2154 # single quotes are for eval; lib.sh sets $out and its like
. "$(dirname "$0")/lib.sh"
# shellcheck source=test/e2e/ssh.sh
. test/e2e/ssh.sh

sed 's/"engineTimeoutSeconds": 300/"engineTimeoutSeconds": 10/' "$ISOLATOR_CONFIG" >"$scratch/config.json"
export ISOLATOR_CONFIG=$scratch/config.json
make_bed && connect
hello=$(snippet ash 'echo hello')
lost="the connection to the engine was lost before the end of the program: the network failed, the engine was restarted, or \
the docker command was killed; run the program again"

has_ended() { [ -n "$1" ] && [ -z "$(docker ps --quiet --filter "name=$1")" ]; } # CONTAINER

# drop N...: the connections with these numbers, counted from now on from 1, are refused as sshd does it if too many begin at
# once.
drop() { echo 0 >"$bed/count"; echo " $* " >"$bed/dropped"; }
drop
mv "$bed/bin/ssh" "$bed/bin/real-ssh"
cat >"$bed/bin/ssh" <<END
#!/bin/sh
read -r count <"$bed/count"
count=\$((count + 1))
echo "\$count" >"$bed/count"
read -r dropped <"$bed/dropped"
case " \$dropped " in
*" \$count "*) echo 'kex_exchange_identification: Connection closed by remote host' >&2; exit 255 ;;
esac
exec "$bed/bin/real-ssh" "\$@"
END
chmod +x "$bed/bin/ssh"

test_case 'a connection that is refused is no missing image' && {
    for numbers in 1 2 3 '1 2' '1 3' '2 3' '1 2 3' '1 2 4' '1 2 5' '1 2 3 5' '1 2 3 6'; do
        drop "$numbers"
        far isolator run "$hello"
        case $status in
        0) is "$(field stdout)" hello "$numbers: it runs in spite of that" ;;
        *) is "$status $(field reason)" "3 engine" "$numbers: the reason" ;;
        esac
    done
    drop
    far isolator run --image isolator-test/no-such:1 "$hello"
    is "$status $(field reason)" "3 image-missing" "an image that is missing"
}

test_case 'the connection is cut while the program runs' && {
    for restarts in no yes; do
        far start_isolator run -v --timeout 60 "$(snippet ash 'echo begun; sleep 60')"
        until_running
        kill -STOP "$pid"
        cut
        [ "$restarts" = no ] || connect
        kill -CONT "$pid"
        await
        is "$status $(field reason stdout)|$(field error)" "3 engine begun|$lost" "sshd is there again: $restarts"
        [ "$restarts" = yes ] || connect
    done
    until_true has_ended "$(field container)"
}

# The time of the program is not waited for.
test_case 'a host that does not answer' && {
    unplug 1
    PATH=$bed/bin:$PATH DOCKER_HOST=ssh://root@$(address 1) timeout 30 "$ISOLATOR" run --timeout 60 "$hello" >"$scratch/out"
    is "$?" 3 "it ends"
    out=$(cat "$scratch/out")
    is "$(field reason)|$(field error)" "engine|cannot start the container: the container engine does not answer at \
ssh://root@$(address 1); it may be busy: try again, or raise engineTimeoutSeconds: it did not answer in time" "the reason"
    far isolator start --timeout 600 "$hello"
    has "$status $err" "3 isolator: warning: the creation of container" "a job: it may be created later"
    has "$err" "ssh://root@$(address 1); it may be busy: try again, or raise engineTimeoutSeconds: it did not answer in time" "a job"
    plug 1
}

# Nobody says that the network is gone, so the program's time has to pass. The supervisor ends it, and waits for some minutes
# for orders; its container ends when the network is there again and tells that nobody waits for its answers.
test_case 'the network is gone while the program runs' && {
    far start_isolator run -v --format text --timeout 5 "$(snippet ash 'echo begun; exec sleep 6000')"
    until_true grep -qx begun "$scratch/out" # what it has written has passed the network
    unplug 1
    await
    container=$(sed -n "s/.*container '\([^']*\)' may still exist.*/\1/p" <<<"$err")
    is "$status $out" "124 begun" "the timeout"
    has "$err" "isolator: warning: container '$container' may still exist: cannot remove the container" "the warning"
    ended_in() { ! docker top "$1" | grep -q 'sleep 6000'; }
    until_true ended_in "$container"
    plug 1
    until_true has_ended "$container"
}

test_case 'doctor' && {
    echo '{"warm": {"python": 0}, "languages": {"busybox": {"image": "isolator-test/busybox:1", "command": ["sh", "{entrypoint}"],
        "extensions": [".ash"], "defaultFilename": "main.ash"}}}' >"$scratch/doctor.json"
    checks() { far isolator doctor --config "$scratch/doctor.json"; found=$(grep -A 1 -E '^[a-z]+ +ssh ' <<<"$out" | tr -s ' ' | sed 's/[0-9]* ms/N ms/'); }
    checks
    is "$found" "warn ssh a docker command takes N ms, since each one is a connection of its own; a connection that hangs is not noticed
 -> set ControlMaster, ControlPath and ControlPersist for this host in ~/.ssh/config" "as ssh is by default"
    printf '%s\n' 'ControlMaster auto' "ControlPath $bed/control" 'ControlPersist 30' 'ServerAliveInterval 15' >>"$bed/ssh_config"
    checks
    "$bed/bin/real-ssh" -O exit "root@$(address 1)" 2>/dev/null
    has "$found" "ssh a docker command takes N ms" "with a connection that is shared"
    hasnt "$found" "a connection of its own" "with a connection that is shared"
    hasnt "$found" "not noticed" "with a connection that is looked after"
}

finish
