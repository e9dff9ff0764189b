#!/usr/bin/env bash
# What can go wrong around a program: docker is missing, the engine fails or hangs at any step, the docker command or
# isolator itself is killed, streams are closed. Each is reported clearly, takes no longer than the timeout and
# engineTimeoutSeconds, and leaves nothing behind.
# shellcheck source=test/e2e/lib.sh disable=SC2016,SC2154,SC2030,SC2031 # single quotes are for Perl and programs; lib.sh sets $out and its like
. "$(dirname "$0")/lib.sh"

trap 'in_main || exit; own_containers | xargs -r docker rm --force --volumes >/dev/null; rm -rf "$scratch"' EXIT

hello=$(snippet ash 'echo "Hello, World"')
text=$(snippet txt 'the text') # for the image without a shell
said="Error response from daemon: a fault for the test"
success="0 success 0 exit null null"
failed="3 error -1 engine null"

# left [PID]: the containers of this isolator, or of the last `run` or `start`.
left() {
    docker ps -a --filter "label=isolator.pid=${1:-$!}" --format '{{.Names}}' 2>&1 || echo "docker ps failed"
}
nothing_left() { [ -z "$(left "$@")" ]; }
now() { echo $((${EPOCHREALTIME/./} / 1000)); }

# ---- an engine that hangs: it gets little time here, yet several times what it needs if it does not hang
engine=$(engine_seconds)
hurried=$scratch/hurried.json
perl -MJSON::PP -e 'local $/; print encode_json({%{decode_json(<STDIN>)}, engineTimeoutSeconds => $ARGV[0] + 0})' \
    "$engine" <"$ISOLATOR_CONFIG" >"$hurried"

# in_time MS TIMEOUT NAME: asserts that a run with this timeout took no longer than it may. The steps that do not hang
# take time, too.
in_time() {
    within "$1" 0 $((($2 + engine) * 1000 + engine * 400 + 2000)) \
        "$3: it ends within timeout and engineTimeoutSeconds (in ms)"
}

hangs=()
hang() { # FAULT TIMEOUT FILE: runs it in the background
    local dir
    dir=$(mktemp -d "$scratch/hang-XXXXXX")
    (
        trap - EXIT
        scratch=$dir calls=$dir/calls began=$(now)
        faulty "$1" start --config "$hurried" --timeout "$2s" "$3"
        wait "$pid"
        echo "$? $pid $(($(now) - began)) $2" >"$dir/ended"
    ) &
    hangs+=("$! $dir")
}
# hung NAME: waits until the next of them has ended, and sets the variables of `run`.
hung() {
    local job dir elapsed timeout
    read -r job dir <<<"${hangs[0]}"
    hangs=("${hangs[@]:1}")
    wait "$job"
    read -r status pid elapsed timeout <"$dir/ended"
    own_pids="$own_pids$pid "
    cp "$dir/out" "$dir/err" "$scratch"
    take_output
    until_true nothing_left "$pid"
    is "$(left "$pid")" "" "$1: nothing is left"
    nothing_left "$pid" || diag "$(field warnings)"
    in_time "$elapsed" "$timeout" "$1"
}

# Some run side by side, of which at most one keeps the engine busy before it hangs. The timeout is short if it passes
# before isolator gives up the engine.

test_case 'the engine, docker run or docker cp hangs before the start' && {
    perl -MSocket -e 'socket(S, AF_UNIX, SOCK_STREAM, 0) && bind(S, pack_sockaddr_un($ARGV[0])) && listen(S, 100) or die;
    sleep 3000' "$scratch/silent" &
    silent=$!
    until_true test -S "$scratch/silent"
    DOCKER_HOST=unix://$scratch/silent hang "" 1 "$hello"
    hang "run 1 hang" 1 "$hello"
    hang "cp 1 hang" 1 "$text"
    hung "an engine that never answers"
    is "$status $(field status exitCode reason)" "3 error -1 engine" "an engine that never answers"
    has "$(field error)" "cannot start the container: the container engine does not answer at unix://$scratch/silent; " \
        "an engine that never answers: the message"
    kill "$silent"
    hung "docker run hangs"
    outcome "$failed the engine did not start the container in time" "docker run hangs"
    hung "no shell: docker cp hangs"
    is "$status $(field status exitCode reason)" "3 error -1 engine" "no shell: docker cp hangs"
    has "$(field error)" "cannot copy the supervisor into the container: 'docker cp' did not end within " \
        "no shell: docker cp hangs: the message"
}

test_case 'no shell: docker create or docker start hangs' && {
    hang "create 1 hang" 1 "$text"
    hang "start 1 hang" 1 "$text"
    hung "no shell: docker create hangs"
    outcome "$failed $(field error)" "no shell: docker create hangs"
    has "$(field error)" "'docker create' did not end within " "no shell: docker create hangs: the message"
    hung "no shell: docker start hangs"
    outcome "$failed the engine did not start the container in time" "no shell: docker start hangs"
}

test_case 'docker rm hangs after the program, or docker image inspect before it' && {
    hang "run 1 status;rm 1 hang" "$engine" "$hello"
    hang "image * hang" "$engine" "$text"
    hung "docker rm hangs"
    outcome "$success" "docker rm hangs"
    is "$(field stdout)" "Hello, World" "docker rm hangs: the program's output"
    hung "no shell: docker image inspect hangs"
    outcome "$success" "no shell: docker image inspect hangs"
}

test_case 'docker rm always fails, or hangs' && {
    hang "run 1 status;rm * fail;ps * fail" "$engine" "$hello"
    hang "rm 1 hang" "$engine" "$text"
    hung "docker rm always fails"
    outcome "$success" "docker rm always fails"
    has "$(field warnings)" "container '$(field container)' may still exist: cannot remove the container: $said" \
        "docker rm always fails: the warning"
    hung "no shell: docker rm hangs for the container whose shell is missing"
    outcome "$success" "no shell: docker rm hangs"
}

# ---- no engine

test_case --quick 'no docker command' && {
    echo '{"containerCommand": "no-such-docker"}' >"$scratch/config.json"
    run --config "$scratch/config.json" prompts/hello_world.py
    outcome "3 error -1 engine null cannot run 'no-such-docker': No such file or directory; is it installed, and on PATH?" "no docker command"
    is "$err" "" "no docker command: nothing on stderr"
    echo "{\"containerCommand\": \"$scratch\"}" >"$scratch/config.json"
    run --config "$scratch/config.json" prompts/hello_world.py
    outcome "3 error -1 engine null cannot run '$scratch': Permission denied; is it installed, and on PATH?" "a docker command that is none"
}

test_case --quick 'an engine that cannot be reached' && {
    DOCKER_HOST=unix:///nonexistent/docker.sock run "$hello"
    is "$status $(field status exitCode reason)" "3 error -1 engine" "an engine that cannot be reached"
    is "$(field error)|$(field warnings)" "cannot start the container: /nonexistent/docker.sock does not exist; unset DOCKER_HOST, or \
start the engine that it names|" "an engine that cannot be reached: the message, and no warning"
    DOCKER_HOST=tcp://127.0.0.1:1 run --stream "$hello"
    is "$status|$out" "3|" "an engine that cannot be reached, with --stream"
    has "$err" "isolator: cannot start the container: the container engine does not answer at tcp://127.0.0.1:1; unset DOCKER_HOST, \
or start the engine that it names: " "an engine that cannot be reached, with --stream: the message"
    has "$err" ": Cannot connect to the Docker daemon at tcp://127.0.0.1:1." "an engine that cannot be reached, with --stream: docker's words"
}

# processes MARK: those that have this mark in their environment. none_stays MARK NAME: asserts that soon there is none. A
# reaper that has something to do stays for minutes.
processes() { grep -lsz "^ISOLATOR_MARK=$1$" /proc/[0-9]*/environ; }
none_stays() {
    local left end=$((SECONDS + 30))
    while left=$(processes "$1"); [ -n "$left" ] && [ "$SECONDS" -lt "$end" ]; do
        sleep 0.1
    done
    is "$left" "" "$2: no process stays"
}

as=as_another
# unreached NAME ERROR [VARIABLE=VALUE...]: asserts that a run with this environment, as an unprivileged user, fails with
# ERROR, or a message that begins so if it ends in "*"; that it does so at once and without a warning; and that its reaper
# ends with it.
unreached() {
    local name=$1 error=$2 began mark=$BASHPID-$RANDOM
    shift 2
    began=$(now)
    $as env HOME=/nonexistent ISOLATOR_MARK="$mark" PATH="$(dirname "$client"):$PATH" "$@" \
        "$scratch/isolator" run --config "$hurried" --timeout 1s "$hello" >"$scratch/out" 2>"$scratch/err"
    status=$?
    none_stays "$mark" "$client, $name"
    within "$(($(now) - began))" 0 $((engine * 500)) "$client, $name: at once (in ms)"
    is "$status $(field reason)|$(field warnings)|$(cat "$scratch/err")" "3 engine||" "$client, $name: no warning"
    case $error in
    *'*') has "|$(field error)" "|${error%'*'}" "$client, $name: the message" ;;
    *) is "$(field error)" "$error" "$client, $name: the message" ;;
    esac
}

test_case 'an engine that was never reached: what to do about it, and no process stays' && {
    cp "$ISOLATOR" "$scratch/isolator"
    chmod 755 "$scratch"
    chmod 644 "$hurried" "$hello"
    perl -MIO::Socket::UNIX -e 'IO::Socket::UNIX->new(Local => $ARGV[0], Listen => 1) or die; chmod 0, $ARGV[0]' "$scratch/closed"
    for client in $(type -aP docker | xargs realpath | sort -u); do
        unreached "no permission" "cannot start the container: $scratch/closed is not accessible to this user; sudo usermod -aG docker \
$(as_another id -un), and log in again" DOCKER_HOST="unix://$scratch/closed"
        unreached "no socket" "cannot start the container: /nonexistent does not exist; unset DOCKER_HOST, or start the engine \
that it names" DOCKER_HOST=unix:///nonexistent
        unreached "no such context" "cannot start the container: the docker context 'nope' cannot be used; unset DOCKER_CONTEXT, or \
set it to a name that docker context ls shows: *" DOCKER_CONTEXT=nope
        has "$(field error)" 'context "nope"' "$client, no such context: docker's words"
        unreached "connection refused" "cannot start the container: the container engine does not answer at tcp://127.0.0.1:1; unset \
DOCKER_HOST, or start the engine that it names: *" DOCKER_HOST=tcp://127.0.0.1:1
        unreached "no such host" "cannot start the container: the container engine does not answer at tcp://none.invalid:2375; *" \
            DOCKER_HOST=tcp://none.invalid:2375
        as= unreached "an API version that the engine refuses" "cannot start the container: the docker command is too new \
for the container engine; unset DOCKER_API_VERSION, which is 9.99: *" \
            DOCKER_API_VERSION=9.99
        unreached "no certificate" "cannot start the container: *" DOCKER_TLS_VERIFY=1 DOCKER_HOST=tcp://127.0.0.1:1
    done
    chmod 700 "$scratch"
}

test_case 'an engine that is lost while it creates the first container: the reaper removes it' && {
    mkdir "$scratch/loses"
    cat >"$scratch/loses/docker" <<'END'
#!/bin/sh
# docker run creates the container, when the reaper has listed the others, but does not live to tell; then no command
# reaches the engine until the file "back" exists. The file "removed" has what is removed then: another isolator, of
# another test, may remove the container as well.
cd "$LOST" || exit 1
away() { echo "Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?" >&2; exit "$1"; }
[ ! -e created ] || [ -e back ] || away 1
case $1 in
ps) "$DOCKER_REAL" "$@" && >listed; exit ;;
rm) [ ! -e back ] || echo "$@" >>removed ;;
run)
    until [ -e listed ]; do sleep 0.1; done
    shift
    "$DOCKER_REAL" create "$@" >created
    away "$LOST_STATUS" ;;
esac
exec "$DOCKER_REAL" "$@"
END
    chmod +x "$scratch/loses/docker"
    for status_of_run in 1 125 126; do
        rm -f "$scratch"/loses/listed "$scratch"/loses/created "$scratch"/loses/back "$scratch"/loses/removed
        mark=$$-lost-$status_of_run
        DOCKER_REAL=$(command -v docker) LOST=$scratch/loses LOST_STATUS=$status_of_run ISOLATOR_MARK=$mark PATH=$scratch/loses:$PATH \
            run "$hello"
        is "$status $(field reason)" "3 engine" "docker run ends with $status_of_run"
        is "$(tr -d "0-9a-f\n" <"$scratch/loses/created")|$(wc -l <"$scratch/loses/created")" "|1" "docker run ends with $status_of_run: the container exists"
        : >"$scratch/loses/back"
        until_true grep -qs '^rm --force --volumes isolator-' "$scratch/loses/removed"
        until_true nothing_left
        is "$(left)" "" "docker run ends with $status_of_run: the container is gone when the engine is back"
        none_stays "$mark" "docker run ends with $status_of_run"
    done
}

test_case --quick 'an image that is not on the engine' && {
    run --image isolator-test/none:1 "$hello"
    outcome "3 error -1 image-missing null image 'isolator-test/none:1' is not on the engine; run: docker pull \
isolator-test/none:1" "no image"
    is "$(field image container)" "isolator-test/none:1 null" "no image: its name, no container"
    run --stream --image isolator-test/none:1 "$hello"
    is "$status|$out|$err" \
        "3||isolator: image 'isolator-test/none:1' is not on the engine; run: docker pull isolator-test/none:1" \
        "no image, with --stream"
}

test_case --quick 'an unknown language' && {
    refused "unknown language 'pyhton'; known are: $built_in, busybox, noshell" \
        "an unknown language" --language pyhton "$hello"
    refused "cannot tell the language of 'README.md'; give --language ($built_in, busybox, noshell)" \
        "a file of no known language" README.md
}

# ---- one call of docker goes wrong
# wrong FAULT OUTCOME [FILE]: asserts how the run ends, and that nothing is left.
wrong() {
    faulty "$1" run "${3:-$hello}"
    outcome "$2" "docker $1"
    is "$(left)" "" "docker $1: nothing is left"
}

test_case 'docker run fails' && {
    wrong "run 1 fail" "$failed cannot start the container: $said"
    is "$(docker_calls)" "run version image version rm image info" "an engine that cannot start it is not asked for another one"
}

# It asks for the version first. If that is lost, as connections by ssh may be, it takes its own, which may be too new.
test_case 'after docker has called itself too new, its commands are told the version of the API' && {
    mkdir "$scratch/noting"
    cat >"$scratch/noting/$engine_command" <<END
#!/bin/sh
echo "\$1 \${DOCKER_API_VERSION-unset}" >>"$scratch/noted"
[ "\$(grep -c ^run "$scratch/noted")-\$1" != 2-run ] ||
    { echo 'Error response from daemon: client version 9.99 is too new. Maximum supported API version is 1.41' >&2; exit 1; }
exec "$(command -v docker)" "\$@"
END
    chmod +x "$scratch/noting/$engine_command"
    printf '{"language": "busybox", "entrypoint_code": "echo %s"}\n' 1 2 3 >"$scratch/lines"
    noting() { local PATH=$scratch/noting:$PATH; "$@"; }
    noting isolator batch -j 1 "$scratch/lines"
    is "$(grep -o '"status":"[a-z]*"' <<<"$out" | paste -s -d ' ')" '"status":"success" "status":"error" "status":"success"' "the requests"
    api=$(docker version --format '{{.Client.APIVersion}}')
    expect "$(grep -E '^(run|version|image)' "$scratch/noted")" "the docker commands" <<END
run unset
run unset
version unset
version unset
image $api
version $api
image $api
run $api
END
}

test_case 'docker run is killed or prints garbage, and then docker create or docker start' && {
    for fault in "run * kill;create 1 kill" "run * garbage;create * garbage" "run * garbage;start * kill" "run * kill;start * garbage"; do
        faulty "$fault" run "$hello"
        is "$status $(field status exitCode reason stdoutBytes stderrBytes)|$(left)" "3 error -1 engine 0 0|" \
            "docker $fault"
        is "$(json '$r->{error} =~ /: $/ ? "(nothing)" : "something"')" something "docker $fault: the error says why"
    done
}

test_case 'faults that the caller need not know' && {
    for fault in "* * slow" "run 1 status" "run 1 status;rm 1 fail"; do
        wrong "$fault" "$success"
        is "$(field stdout)|$(field warnings)" "Hello, World|" "docker $fault: the output, and no warning"
    done
}

test_case 'no shell: docker run, create, cp or start fails' && {
    wrong "cp 1 fail" "$failed cannot copy the supervisor into the container: $said" "$text"
    wrong "create 1 fail" "$failed cannot create a container: $said" "$text"
    wrong "create 1 late" "$failed cannot create a container: $said" "$text"
    wrong "start 1 fail" "$failed cannot start the container: $said" "$text"
    wrong "run 1 fail" "$failed cannot start the container: $said" "$text"
    for fault in "run 1 kill" "start 1 status" "image 2 fail" "rm 1 fail"; do
        wrong "$fault" "$success" "$text"
    done
}

# With this configuration the docker command complains in each call.
mkdir "$scratch/docker"
echo '{' >"$scratch/docker/config.json"

test_case 'a docker command that complains about its own configuration' && {
    DOCKER_CONFIG=$scratch/docker run "$hello"
    outcome "$success" "docker with a broken configuration"
    is "$(field stdout)|$(field stderr)" "Hello, World|" "docker with a broken configuration: streams"
    has "$(field warnings)" "WARNING: Error " "docker with a broken configuration: the warning"
    DOCKER_CONFIG=$scratch/docker run "$text"
    outcome "$success" "no shell: docker with a broken configuration"
    has "$(field warnings)" "WARNING: Error " "no shell: docker with a broken configuration: the warning"
    is "$(left)" "" "no shell: docker with a broken configuration: nothing is left"
}

test_case 'docker run is killed while the program runs' && {
    start --timeout 10m "$(snippet ash 'head -c 300000 /dev/zero | tr "\0" x; sleep 600')"
    until_true awk '/^rchar:/ { exit $2 < 300000 }' "/proc/$pid/io" # it has read the program's output
    child=$(children "$pid")
    has "$(tr '\0' ' ' <"/proc/$child/cmdline")" "docker run" "isolator has one child, docker run"
    kill -KILL "$child"
    await
    outcome "$failed the connection to the engine was lost before the end of the program: the network failed, \
the engine was restarted, or the docker command was killed; run the program again" "docker run is killed"
    within "$(field stdoutBytes)" 200000 300000 "docker run is killed: the output is kept"
    is "$(left)" "" "docker run is killed: nothing is left"
}

test_case 'no shell: docker start is killed while the program runs' && {
    start -v --timeout 10m "$text" -- --sleep=600
    until_running
    kill -KILL "$(children "$pid")"
    await
    outcome "$failed the connection to the engine was lost before the end of the program: the network failed, \
the engine was restarted, or the docker command was killed; run the program again" "no shell: docker start is killed"
    is "$(left)" "" "no shell: docker start is killed: nothing is left"
}

# ---- isolator is killed: the lifeline
# killed WHEN: kills isolator and asserts that its container is gone long before the timeout.
killed() {
    kill -KILL "$pid"
    await 2>/dev/null
    until_true nothing_left "$pid"
    is "$status|$(left "$pid")" "137|" "isolator is killed $1: the container is gone"
}
until_ready() { until_true grep -qs ready "$scratch/out"; }

test_case 'isolator is killed while a program runs that ignores signals' && {
    start --stream --timeout 10m "$(snippet ash 'trap "" HUP INT TERM PIPE
setsid sleep 600 >/dev/null 2>&1 &
echo ready
exec >&- 2>&-
sleep 600')"
    until_ready
    killed "while a program runs that ignores signals"
}

test_case 'isolator is killed while the container starts' && {
    faulty "run 1 slow" start --timeout 10m "$(snippet ash 'sleep 600')"
    until_true test -e "$calls/run.1"
    killed "while the container starts"
}

test_case 'isolator is killed while a program does all it can to process 1' && {
    # It tries to hold the lifeline open, to trace process 1 and to stop all other processes.
    start --stream --timeout 10m "$(snippet py 'import ctypes, os, signal, time
for fd in range(20):
    for mode in (os.O_RDWR, os.O_WRONLY | os.O_NONBLOCK):
        try: os.set_inheritable(os.open("/proc/1/fd/%d" % fd, mode), True)
        except OSError: pass
ctypes.CDLL(None).ptrace(16, 1, 0, 0)
if os.fork() == 0: time.sleep(600)
os.kill(-1, signal.SIGSTOP)
os.kill(1, signal.SIGSTOP)
print("ready", flush=True)
time.sleep(600)')"
    until_ready
    killed "while a program does all it can to process 1"
}

# ---- isolator's own streams
odd=$(snippet ash 'echo out; echo err >&2; exit 4')
# streams REDIRECTIONS ARG...: runs isolator run with these redirections in a new shell; sets the variables of `run`.
streams() {
    local redirections=$1
    shift
    sh -c 'exec "$0" run "$@" '"$redirections" "$ISOLATOR" "$@" </dev/null >"$scratch/out" 2>"$scratch/err" &
    own_pids="$own_pids$! "
    wait $!
    status=$?
    take_output
}
flood=$(snippet ash 'while echo line; do :; done')

test_case 'stdin and stderr closed' && {
    streams '<&- 2>&-' "$odd"
    is "$status $(field exitCode stdout stderr)" "1 4 out
 err" "stdin and stderr closed"
    streams '<&- 2>&-' --stream "$(snippet ash 'echo out; exit 4')"
    is "$status|$out" "4|out" "stdin and stderr closed, with --stream"
}

test_case 'all streams closed' && {
    streams '<&- >&- 2>&-' "$odd"
    is "$out$err|$(left)" "|" "all streams closed: nothing is left"
    within "$status" 1 3 "all streams closed: the status is one of a failure"
}

test_case 'stdout on a full device' && {
    streams '>/dev/full' "$hello"
    is "$status|$err|$(left)" "3|isolator: cannot write the result: No space left on device|" "stdout on a full device"
    streams '>/dev/full' --stream "$(snippet ash 'echo started; sleep 600')"
    for option in --stream --format=text; do
        streams '>/dev/full' "$option" "$flood"
        is "$status|$err|$(left)" "3|isolator: cannot write the output: No space left on device|" "stdout on a full device, with $option"
    done
}

test_case 'a reader that goes away' && {
    for option in --stream --format=text; do
        "$ISOLATOR" run "$option" "$flood" </dev/null > >(head -n 1 >"$scratch/out") 2>"$scratch/err" &
        pid=$!
        own_pids="$own_pids$pid "
        wait "$pid"
        is "$?|$(cat "$scratch/out")|$(left "$pid")" "141|line|" "a reader that goes away, with $option"
    done
}

test_case 'a reader that stops reading, with --stream: the timeout holds' && {
    mkfifo "$scratch/fifo"
    exec 7<>"$scratch/fifo" # a reader that does not read
    began=$(now)
    "$ISOLATOR" run --config "$hurried" --stream --timeout 2s "$flood" </dev/null >&7 2>"$scratch/err" &
    pid=$!
    own_pids="$own_pids$pid "
    wait "$pid"
    is "$?|$(cat "$scratch/err")|$(left "$pid")" "124|isolator: program did not end within 2 s|" \
        "a reader that stops reading: the timeout holds"
    in_time "$(($(now) - began))" 2 "a reader that stops reading"
    exec 7<&-
}

test_case 'a reader that stops reading the result' && {
    rm -f "$scratch/fifo"
    mkfifo "$scratch/fifo"
    exec 7<>"$scratch/fifo"
    "$ISOLATOR" run "$(snippet ash 'head -c 1000000 /dev/zero | tr "\0" x')" </dev/null >&7 2>"$scratch/err" &
    pid=$!
    own_pids="$own_pids$pid "
    is "$(timeout 600 head -c 10 <&7)" '{"status":' "the result comes"
    kill -INT "$pid"
    wait "$pid"
    is "$?|$(left "$pid")" "130|" "SIGINT ends isolator"
    exec 7<&-
}

finish
