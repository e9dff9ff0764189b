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

# drop N...: the connections with these numbers, counted from now on from 1, are refused as sshd does it if too many begin at
# once; "hang": all of them wait for ever.
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
*" hang "*) exec sleep 600 ;;
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
    nothing_is_left() { [ -z "$(docker ps --quiet --filter name=isolator-)" ]; }
    until_true nothing_is_left
    is "$(docker ps --quiet --filter name=isolator-)" "" "its container has ended"
}

# The time of the program is not waited for.
test_case 'a host that does not answer' && {
    drop hang
    PATH=$bed/bin:$PATH DOCKER_HOST=ssh://root@127.0.0.1:$port timeout 30 "$ISOLATOR" run --timeout 60 "$hello" >"$scratch/out"
    is "$?" 3 "it ends"
    out=$(cat "$scratch/out")
    is "$(field reason)|$(field error)" "engine|cannot start the container: the container engine does not answer at \
ssh://root@127.0.0.1:$port; unset DOCKER_HOST, or start the engine that it names: it did not answer in time" "the reason"
    drop
}

test_case 'doctor' && {
    echo '{"warm": {"python": 0}, "languages": {"busybox": {"image": "isolator-test/busybox:1", "command": ["sh", "{entrypoint}"],
        "extensions": [".ash"], "defaultFilename": "main.ash"}}}' >"$scratch/doctor.json"
    checks() { far isolator doctor --config "$scratch/doctor.json"; found=$(grep -A 1 -E '^[a-z]+ +ssh ' <<<"$out" | tr -s ' ' | sed 's/[0-9]* ms/N ms/'); }
    checks
    is "$found" "warn ssh a docker command takes N ms, since each one is a connection of its own; a connection that hangs is not noticed
 -> set ControlMaster, ControlPath and ControlPersist for this host in ~/.ssh/config" "as ssh is by default"
    printf '%s\n' 'ControlMaster auto' "ControlPath $bed/control" 'ControlPersist 30' 'ServerAliveInterval 15' >>"$bed/config"
    checks
    ssh -F "$bed/config" -O exit -p "$port" root@127.0.0.1 2>/dev/null
    has "$found" "ssh a docker command takes N ms" "with a connection that is shared"
    hasnt "$found" "a connection of its own" "with a connection that is shared"
    hasnt "$found" "not noticed" "with a connection that is looked after"
}

finish
