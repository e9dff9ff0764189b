#!/usr/bin/env bash
# gVisor, an OCI runtime whose kernel is a program: with an engine of its own, which knows it under several names.
# shellcheck source=test/e2e/lib.sh disable=SC2016,SC2154 # single quotes are for a shell; lib.sh sets $out and its like
. "$(dirname "$0")/lib.sh"

engine=$scratch/engine
runsc=${RUNSC-$PWD/build/engine/runsc} # test/engines has another one
mkdir "$engine"
cat >"$engine/daemon.json" <<END
{"runtimes": {
    "runsc": {"path": "$runsc", "runtimeArgs": ["--network=none", "--platform=ptrace"]},
    "unlimited": {"path": "$runsc", "runtimeArgs": ["--network=none", "--platform=ptrace", "--ignore-cgroups"]},
    "missing": {"path": "$scratch/nothing"}
}}
END
trap 'in_main || exit; test/fixtures/own-engine remove "$engine" >/dev/null; rm -rf "$scratch"' EXIT
test/fixtures/own-engine start "$engine" isolator-test/busybox:1 isolator-test/noshell:1 isolator-test/python:bookworm || {
    echo "Bail out! no engine of its own"
    exit 1
}
export DOCKER_HOST=unix://$engine/socket
check_at_end() { is "$(test/fixtures/own-engine remove "$engine")" "" "nothing is left of the engine"; }

cat >"$scratch/config.json" <<'END'
{"warm": {"python": 0, "go": 0, "javascript": 0}, "defaults": {"ociRuntime": "runsc"}, "languages": {
    "ash": {"image": "isolator-test/busybox:1", "command": ["sh", "{entrypoint}"], "extensions": [".ash"],
            "defaultFilename": "main.ash", "hello": "echo hello"},
    "python": {"image": "isolator-test/python:bookworm"},
    "noshell": {"image": "isolator-test/noshell:1", "command": ["/hello", "--cat", "{entrypoint}"], "extensions": [".txt"],
                "defaultFilename": "main.txt"},
    "built": {"image": "isolator-test/busybox:1", "build": ["cp", "{entrypoint}", "built"], "command": ["sh", "built"],
              "extensions": [".built"], "defaultFilename": "main.built"}
}}
END
sed 's/"defaults"/"allowUnenforced": true, "defaults"/' "$scratch/config.json" >"$scratch/unenforced.json"
sed 's/"defaults": {"ociRuntime": "runsc"}, //' "$scratch/config.json" >"$scratch/default.json"
export ISOLATOR_CONFIG=$scratch/config.json
rm -rf "$XDG_STATE_HOME/isolator" # what other engines have shown
kernel=$(snippet ash 'cat /proc/version')
words() { tr -s ' \n' ' '; }
left() { docker ps --all --format '{{.Names}} {{.Status}}'; docker volume ls --quiet; }
# proven: lets doctor try the limits, which the first cases do without.
proven() { [ -n "$(ls "$XDG_STATE_HOME/isolator/enforced" 2>/dev/null)" ] || "$ISOLATOR" doctor >/dev/null; }
nothing_is_left() { [ -z "$(left)" ]; }

test_case 'the first run tries its limits' && {
    run "$kernel"
    has "$(field stdout)" "PST 2016" "a run"
    is "$(ls "$XDG_STATE_HOME/isolator/enforced" | wc -l)" 1 "which is remembered"
    rm -rf "$XDG_STATE_HOME/isolator"
    isolator start --timeout 60 "$kernel"
    id=$out
    isolator wait "$id"
    has "$status $(field stdout)" "PST 2016" "a job"
    is "$(left)" "" "nothing is left"
    rm -rf "$XDG_STATE_HOME/isolator"
    run --config "$scratch/unenforced.json" "$kernel"
    has "$(field stdout)" "PST 2016" "with allowUnenforced"
}

test_case 'runtimes that the engine does not have, and that do not start' && {
    run --oci-runtime none "$kernel"
    has "$status $(field reason)|$(field error)" "2 input|--oci-runtime 'none' is not on the engine, which has: " "a run"
    has "$(field error)" "runsc, unlimited" "the names of the others"
    isolator start --oci-runtime none "$kernel"
    has "$status|$err" "2|isolator: --oci-runtime 'none' is not on the engine" "a job"
    isolator create --oci-runtime none
    has "$status|$err" "2|isolator: --oci-runtime 'none' is not on the engine" "a workspace"
    isolator create --oci-runtime runsc
    has "$status|$err" "2|isolator: there can be no workspace with gVisor" "a workspace with gVisor"
    sed 's/"runsc"/"none"/' "$scratch/config.json" >"$scratch/none.json"
    run --config "$scratch/none.json" "$kernel"
    has "$status $(field error)" "2 --oci-runtime 'none' is not on the engine" "in the configuration"
    run --oci-runtime missing "$kernel"
    is "$status $(field reason)" "3 engine" "a file that is not there"
    is "$(left)" "" "nothing is left"
}

test_case 'one that ignores limits is refused' && {
    refusal="the OCI runtime 'unlimited' enforces no limits: its options on the engine have --ignore-cgroups;"
    run --oci-runtime unlimited "$kernel"
    has "$status $(field reason)|$(field error)" "3 engine|$refusal" "a run"
    isolator doctor --oci-runtime unlimited
    has "$(words <<<"$out")" "fail tried limits $refusal" "doctor"
    run --oci-runtime unlimited --config "$scratch/unenforced.json" "$kernel"
    has "$(field stdout)" "PST 2016" "with allowUnenforced"
}

test_case 'an engine whose own choice is gVisor has to name it' && {
    mkdir -p "$scratch/choosing"
    cat >"$scratch/choosing/docker" <<END
#!/bin/sh
[ "\$1" != run ] || { shift; exec "$(command -v docker)" run --runtime runsc "\$@"; }
exec "$(command -v docker)" "\$@"
END
    chmod +x "$scratch/choosing/docker"
    PATH=$scratch/choosing:$PATH run --config "$scratch/default.json" "$kernel"
    is "$status $(field reason)|$(field stdout)" "3 engine|" "it runs nothing"
    has "$(field error)" "the container runs with gVisor, which has to be known beforehand: set \"ociRuntime\"" "why"
    is "$(left)" "" "nothing is left"
}

# What is tried is not what the options say: here the options of the engine are hidden.
test_case 'doctor tries the limits, and finds what no option says' && {
    mkdir -p "$scratch/hiding"
    cat >"$scratch/hiding/docker" <<END
#!/bin/sh
[ "\$1" != info ] || exec sh -c '"$(command -v docker)" "\$@" | sed "s/,\"--ignore-cgroups\"//"' sh "\$@"
exec "$(command -v docker)" "\$@"
END
    chmod +x "$scratch/hiding/docker"
    out=$(PATH=$scratch/hiding:$PATH "$ISOLATOR" doctor --oci-runtime unlimited)
    has "$(words <<<"$out")" "fail tried limits the engine does not enforce the limit of memory: a program got 256 MB, twice its limit with the OCI runtime unlimited" "doctor"
    has "$(PATH=$scratch/hiding:$PATH "$ISOLATOR" run --oci-runtime unlimited "$kernel")" "the engine does not enforce the limit of memory" "a run"
    isolator doctor
    has "$(words <<<"$out")" "ok tried limits a program could not exceed memory and processes with the OCI runtime runsc" "doctor with runsc"
    is "$status|$(grep -oh " in $scratch.*" "$XDG_STATE_HOME"/isolator/enforced/*)" \
        "0| in $engine/data: runsc = $runsc --network=none --platform=ptrace" "what is remembered"
    is "$(left)" "" "nothing is left"
}

test_case 'hello, and what the container is' && {
    proven
    run -v --memory 64 --pids-limit 100 "$(snippet ash 'cat /proc/version; id -u; ls /sys/class/net; touch /x; ls /.isolator')"
    is "$status $(field reason) $(field warnings)" "0 exit " "it runs"
    has "$(field stdout)" "PST 2016" "with gVisor"
    within "$(field stdout | sed -n 2p)" 1900000 1965535 "a user of its own"
    has "$(field stderr)" "touch: /x: Permission denied" "the root is not for it"
    is "$(grep -c '^isolator: start' <<<"$err")" 1 "with one start"
    echo there >"$scratch/main.txt"
    run "$scratch/main.txt"
    is "$status|$(field stdout)" "0|--cat
main.txt
there" "an image without a shell"
    run --oci-runtime runc --config "$scratch/default.json" "$kernel"
    is "$status|$(field stdout)" "0|$(cat /proc/version)" "with runc"
    is "$(left)" "" "nothing is left"
}

test_case 'memory, processes and time' && {
    proven
    run --memory 64 "$(snippet ash 'x=x; while :; do x=$x$x; done')"
    is "$status $(field status reason)" "1 error oom" "out of memory"
    run --memory 128 --timeout 10m "$(snippet py 'import functools, resource, sys, threading
@functools.lru_cache(None)
def sum_to(n): return 0 if n == 0 else n + sum_to(n - 1)
sys.setrecursionlimit(10**6)
ran = []
threads = [threading.Thread(target=ran.append, args=(1,)) for _ in range(20)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(sum_to(50000), len(ran), resource.getrlimit(resource.RLIMIT_STACK)[0])')"
    is "$status $(field stdout)" "0 1250025000 20 134217728" "a deep recursion, and threads"
    run --timeout 1 "$(snippet ash 'while :; do :; done')"
    is "$status $(field status reason)" "124 timeout timeout" "out of time"
    run --pids-limit 30 "$(snippet ash 'i=0; while [ $i -lt 400 ]; do sleep 5 & i=$((i + 1)); done; echo all')"
    is "$(field stdout)|$(field reason)" "|engine" "too many processes end the whole container"
    has "$(field error)" "there were too many processes for gVisor" "which the message says"
    is "$(left)" "" "nothing is left"
}

test_case 'tests, between which nothing stays' && {
    proven
    mkdir "$scratch/tests"
    for number in 1 2 3; do
        echo "$number" >"$scratch/tests/$number.in"
        echo "$((number * number)) 2" >"$scratch/tests/$number.out"
    done
    isolator test --json --tests "$scratch/tests" \
        "$(snippet built 'read -r n; echo $((n * n)) $(find . /tmp /dev/shm -type f | wc -l); touch left /tmp/left /dev/shm/left 2>/dev/null')"
    is "$status $(json '"$r->{summary}{passed} of $r->{summary}{total}"')" "0 3 of 3" "all pass"

    # What could not be emptied cannot be made: message queues of POSIX and of System V. A program that runs alone may.
    queues=$(snippet py 'import ctypes, sys
libc = ctypes.CDLL(None, use_errno=True)
for made in libc.mq_open(b"/left", 66, 0o600, None), libc.msgget(0, 0o1600):
    print("refused" if made < 0 and ctypes.get_errno() == 38 else "made")')
    mkdir "$scratch/queues"
    touch "$scratch/queues/1.in"
    printf 'refused\nrefused\n' >"$scratch/queues/1.out"
    isolator test --json --tests "$scratch/queues" "$queues"
    is "$status|$(json '$r->{tests}[0]{stdout}')" "0|refused"$'\n'"refused" "queues in a test"
    run "$queues"
    is "$status|$(field stdout)" "0|made"$'\n'"made" "queues of a program that runs alone"
    is "$(left)" "" "nothing is left"
}

# gVisor lets a program open what process 1 has open. What it writes there ends the container.
test_case 'a program cannot forge its result' && {
    proven
    foreign="the connection to the container has bytes that its supervisor did not send, so the result is not known; with gVisor \
a program can write to this connection"
    forged=$(snippet py 'import os, struct, time
if input() == "forge":
    frames = struct.pack("<IBBBB", 6, 14, 0, 0, 0) + b"right\n"
    frames += struct.pack("<IBBBB", 88, 17, 0, 0, 0) + struct.pack("<IIIIQQQQQQQQQ", *[0] * 13)
    os.write(os.open("/proc/1/fd/1", os.O_WRONLY), frames + b"\n")
    time.sleep(20)
print("right")')
    echo forge >"$scratch/forge"
    input=$scratch/forge run -i "$forged"
    is "$status $(field status) $(field reason)|$(field error)" "3 error engine|$foreign" "a run"
    mkdir "$scratch/forged"
    for name in 1 2; do echo right >"$scratch/forged/$name.out"; done
    echo >"$scratch/forged/1.in"
    cp "$scratch/forge" "$scratch/forged/2.in"
    isolator test --json --tests "$scratch/forged" "$forged"
    is "$status $(json 'join " ", map { $_->{status} } @{$r->{tests}}')" "3 passed engine" "a test"
    is "$(left)" "" "nothing is left"
}

test_case 'a session, and attacks that gVisor answers or does not hold' && {
    proven
    run "$(snippet ash 'ls /sys/fs/cgroup')"
    case $(field stdout) in # older ones show no control groups
    *cpuacct*) expected="0|42|" ;;
    *) expected="1||isolator: --cpu-seconds cannot be enforced: the container does not see how much CPU time it uses" ;;
    esac
    echo '6 * 7' >"$scratch/cell"
    input=$scratch/cell isolator session --oci-runtime runsc
    is "$status|$out|$(grep -v warning <<<"$err")" "$expected" "a session"
    isolator selftest --runtime docker --oci-runtime runsc memory_tmpfs supervisor_ptrace supervisor_proc core_dump
    is "$status|$(sed -E 's/ +/ /g' <<<"$out" | cut -d ' ' -f 1,4 | grep -E '^(held|gap|BREACH|UNCLEAR)')" \
        "0|gap core_dump
held memory_tmpfs
gap supervisor_proc
held supervisor_ptrace" "attacks"
    is "$(left)" "" "nothing is left"
}

test_case 'a program reaches a host of the list, and no other' && {
    proven
    reaches_hosts
}

test_case 'isolator is killed' && {
    proven
    start --timeout 60 -v "$(snippet ash 'sleep 60')"
    until_running
    has "$(docker ps --format '{{.Names}}')" isolator- "the container runs"
    kill -KILL "$pid"
    wait "$pid" 2>/dev/null
    until_true nothing_is_left
    is "$(left)" "" "nothing is left"
}

# gVisor shows a program the name of the script, which is the start of the key that seals what process 1 reports.
test_case 'a job' && {
    proven
    id=$("$ISOLATOR" start --timeout 60 "$(snippet ash 'ls -l /proc/1/fd')")
    key=$(perl -MJSON::PP -e 'local $/; print decode_json(<>)->{key}' "$XDG_STATE_HOME/isolator/jobs/$id")
    isolator wait "$id"
    has "$(field stdout)" "/.isolator/scripts/${key:0:16}"$'\n' "the name of the script, and not more of the key"
    is "${#key}" 48 "the key"
    id=$("$ISOLATOR" start --timeout 60 "$kernel")
    isolator wait "$id"
    has "$status $(field stdout)" "0 Linux version" "its result"
    is "$(left)" "" "nothing is left"
}

finish
