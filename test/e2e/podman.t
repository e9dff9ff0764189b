#!/usr/bin/env bash
# podman, the one of this host with files of its own. `test/engines` runs whole suites with several versions.
# shellcheck source=test/e2e/lib.sh disable=SC2016,SC2154 # single quotes are for a shell; lib.sh sets $out and its like
. "$(dirname "$0")/lib.sh"

trap 'in_main || exit; test/fixtures/own-podman remove "$scratch/podman"; rm -rf "$scratch"' EXIT
test/fixtures/own-podman start "$scratch/podman" isolator-test/busybox:1 isolator-test/noshell:1 isolator-test/python:bookworm || {
    echo "Bail out! no podman of its own"
    exit 1
}
PATH=$scratch/podman/bin:$PATH
cat >"$scratch/podman.json" <<'END'
{"containerCommand": "podman", "warm": {"python": 0, "go": 0, "javascript": 0},
 "languages": {
    "ash": {"image": "isolator-test/busybox:1", "command": ["sh", "{entrypoint}"], "extensions": [".ash"],
            "defaultFilename": "main.ash"},
    "python": {"image": "isolator-test/python:bookworm"},
    "noshell": {"image": "isolator-test/noshell:1", "command": ["/hello", "--cat", "{entrypoint}"], "extensions": [".txt"],
                "defaultFilename": "main.txt"},
    "built": {"image": "isolator-test/busybox:1", "buildLimits": {"pidsLimit": 100},
              "build": ["sh", "-c", "cp $0 built; cat /sys/fs/cgroup/pids/pids.max || cat /sys/fs/cgroup/pids.max", "{entrypoint}"],
              "command": ["sh", "built"], "extensions": [".built"], "defaultFilename": "main.built"}
}}
END
sed -i 's/"extensions": \[".ash"\],/& "hello": "echo hello",/' "$scratch/podman.json"
export ISOLATOR_CONFIG=$scratch/podman.json
left() { podman ps --all --format '{{.Names}} {{.Status}}'; podman volume ls --quiet; }
nothing_is_left() { [ -z "$(left)" ]; }

rm -rf "$XDG_STATE_HOME/isolator" # what other engines have shown
proven() { [ -d "$XDG_STATE_HOME/isolator/enforced" ] || "$ISOLATOR" doctor >/dev/null; }

test_case 'the first run, or call, tries its limits' && {
    rm -rf "$XDG_STATE_HOME/isolator"
    run "$(snippet ash 'echo hello')"
    is "$status|$(field stdout)" "0|hello" "a run"
    is "$(ls "$XDG_STATE_HOME/isolator/enforced" | wc -l)" 1 "which is remembered"
    rm -rf "$XDG_STATE_HOME/isolator"
    printf '%s\n' '{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "execute_code", "arguments":
        {"language": "ash", "entrypoint_code": "echo $((6 * 7))"}}}' | paste -s -d ' ' >"$scratch/call"
    answered() { grep -q '"id":1' "$scratch/answer"; }
    { cat "$scratch/call"; until_true answered; } | "$ISOLATOR-mcp" --config "$scratch/podman.json" >"$scratch/answer"
    has "$(cat "$scratch/answer")" '"stdout":"42\n"' "a server tries them by itself"
    run "$(snippet ash 'echo hello')"
    is "$status|$(field stdout)" "0|hello" "which is remembered"
    is "$(left)" "" "nothing is left"
}
proven

test_case 'hello, with one command' && {
    run -v "$(snippet ash 'echo hello $((6 * 7)); pwd; env | sort | cut -d = -f 1 | paste -s -d " "')"
    is "$status $(field status exitCode)|$(field stdout)" "0 success 0|hello 42
/workspace
HOME HOSTNAME LOGNAME PATH PWD SHLVL USER" "hello"
    is "$(field warnings)" "" "no warnings"
    is "$(left)" "" "nothing is left"
}

test_case 'an image without a shell' && {
    echo there >"$scratch/main.txt"
    run "$scratch/main.txt"
    is "$status|$(field stdout)" "0|--cat
main.txt
there" "its program runs"
    is "$(left)" "" "nothing is left, no volume either"
}

test_case 'what the container is' && {
    run --memory 48 --pids-limit 20 --cpus 0.5 "$(snippet ash '
        id -u; id -G
        grep -E "^(CapEff|CapBnd|NoNewPrivs|Seccomp|Seccomp_filters):" /proc/self/status | tr -s "\t" " "
        ls /sys/class/net
        cat /sys/fs/cgroup/memory/memory.limit_in_bytes /sys/fs/cgroup/memory.max 2>/dev/null
        cat /sys/fs/cgroup/pids/pids.max /sys/fs/cgroup/pids.max 2>/dev/null
        touch /x /run/x /var/tmp/x; touch /tmp/x /workspace/x && echo written')"
    user=$(field stdout | head -n 1)
    within "$user" 1900000 1965535 "a user of its own"
    expect "$(field stdout | tail -n +2)" "no privileges, no network, the limits" <<END
$user
CapEff: 0000000000000000
CapBnd: 0000000000000000
NoNewPrivs: 1
Seccomp: 2
Seccomp_filters: 2
lo
50331648
20
written
END
    expect "$(field stderr)" "the root is read-only" <<'END'
touch: /x: Read-only file system
touch: /run/x: Read-only file system
touch: /var/tmp/x: No such file or directory
END
}

# conmon creates a file named oom in its working directory.
test_case 'memory and time' && {
    endless=$(snippet ash 'x=x; while :; do x=$x$x; done')
    mkdir "$scratch/here"
    cd "$scratch/here" || exit
    run --memory 32 "$endless"
    cd - >/dev/null || exit
    is "$(ls "$scratch/here")" "" "the working directory of isolator stays empty"
    is "$status $(field status reason)" "1 error oom" "out of memory"
    run --timeout 1 "$(snippet ash 'while :; do :; done')"
    is "$status $(field status reason)" "124 timeout timeout" "out of time"
    is "$(left)" "" "nothing is left"
}

test_case 'tests with a build, which has the limit of processes of the program' && {
    mkdir "$scratch/tests"
    for number in 1 2 3; do
        echo "$number" >"$scratch/tests/$number.in"
        echo "$((number * number))" >"$scratch/tests/$number.out"
    done
    isolator test --json --pids-limit 30 --tests "$scratch/tests" "$(snippet built 'read -r n; echo $((n * n)); touch left; ls')"
    is "$status $(json '"$r->{summary}{passed} of $r->{summary}{total}"')" "1 0 of 3" "what is left"
    isolator test --json --pids-limit 30 --tests "$scratch/tests" "$(snippet built 'read -r n; echo $((n * n))')"
    is "$status $(json '"$r->{summary}{passed} of $r->{summary}{total}"')" "0 3 of 3" "all pass"
    is "$(json '$r->{build}{stdout}')" 30 "the limit of the build"
    is "$(left)" "" "nothing is left"
}

test_case 'a workspace' && {
    isolator create --name box --language ash
    is "$status|$out|$err" "0|box|" "it is made"
    isolator exec box -- sh -c 'echo made >file; id -u; sleep 1000 & exit 3'
    user=$(field stdout)
    within "$user" 1900000 1965535 "a user of its own"
    is "$(field exitCode reason)" "3 exit" "a command"
    "$ISOLATOR" exec box --stream -- sh -c 'echo begun; sleep 1000' >"$scratch/begun" &
    until_true grep -q begun "$scratch/begun"
    kill -9 $!
    wait $! 2>/dev/null
    isolator exec box -- sh -c 'cat file; ps | grep -c "[s]leep"'
    is "$(field stdout)" $'made\n0' "the file of the first one, and no processes of others, also of one that was killed"
    isolator stop box
    is "$status" 0 "stop"
    isolator exec box -- true
    is "$status $(field error)" "2 the workspace has ended: it was stopped" "which the next one says"
    isolator rm box
    is "$status|$(left)" "0|" "nothing is left"
}

test_case 'a job, whose order to stop no program can give' && {
    id=$("$ISOLATOR" start --timeout 60 "$(snippet ash 'touch /.isolator/stop; rm -r /.isolator/scripts; ls -ld /.isolator | cut -c 1-40; sleep 60')")
    is "$("$ISOLATOR" ps --quiet)" "$id" "it is listed"
    has_output() { "$ISOLATOR" logs "$id" 2>&1 | grep -q .; }
    until_true has_output
    "$ISOLATOR" stop "$id" >/dev/null
    isolator wait "$id"
    is "$(field reason)" cancelled "it was stopped"
    has "$(field stderr)" "touch: /.isolator/stop: Permission denied" "the order"
    is "$(left)" "" "nothing is left"
}

# killed_while ARGUMENT...: isolator is killed while it runs this.
killed_while() {
    start --timeout 60 -v "$@"
    until_running
    has "$(podman ps --format '{{.Names}}')" isolator- "$1: the container runs"
    kill -KILL "$pid"
    wait "$pid" 2>/dev/null
    until_true nothing_is_left
    is "$(left)" "" "$1: nothing is left"
}

test_case 'a program reaches a host of the list, and no other' && {
    proven
    reaches_hosts
}

# Other suites take the engine of their configuration for docker.
test_case 'guards of kernel memory: what each kind of container has, and what gets through without them' && {
    proven
    mkdir "$scratch/both"
    ln -s "$scratch/podman/bin/podman" "$scratch/both/docker"
    for cases in 'container.t each kind of container' 'guards.t left_metrics' 'guards.t odd_sockets' 'guards.t uncounted_'; do
        got=$(PATH=$scratch/both:$PATH "test/e2e/${cases%% *}" --run "${cases#* }" 2>&1)
        is "$?|$(grep '^not ok' <<<"$got")" "0|" "$cases: $got"
    done
    is "$(left)" "" "nothing is left"
}

test_case 'isolator is killed' && {
    killed_while "$(snippet ash 'sleep 60')"
    echo there >"$scratch/main.txt"
    killed_while "$scratch/main.txt" -- --sleep=60
}

test_case 'doctor, --runtime, and a host without docker' && {
    isolator doctor
    expect "$(grep -E '^[a-z]+ +(podman command|engine|limits|tried limits|seccomp) ' <<<"$out" | sed -E 's/ +/ /g; s/ [0-9][0-9.]+//; s/cgroup [12]/cgroup N/')" "doctor" <<END
ok podman command $scratch/podman/bin/podman,
ok engine podman, debian
ok limits cgroup N; enforced: memory, swap, processes, CPU time
ok seccomp profile of isolator, in place of the engine's
ok tried limits a program could not exceed memory and processes
END
    sed 's/"containerCommand": "podman", //' "$scratch/podman.json" >"$scratch/docker.json"
    run --runtime podman --config "$scratch/docker.json" "$(snippet ash 'ls /run/.containerenv')"
    is "$status|$(field stdout)" "0|/run/.containerenv" "--runtime podman"
    isolator start --runtime podman --config "$scratch/docker.json" "$(snippet ash '')"
    is "$status|$err" "2|isolator: --runtime: isolator wait would look for the job with 'docker', which is \"containerCommand\" in the configuration; set it there" "a job"
    out=$(PATH=$scratch/podman/bin "$ISOLATOR" run --config "$scratch/docker.json" "$(snippet ash '')")
    has "$out" "podman is installed: use --runtime podman" "no docker command"
}

finish
