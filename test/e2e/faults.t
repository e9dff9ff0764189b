#!/usr/bin/env bash
# shellcheck disable=SC2016 # what stands in single quotes is for Perl and for the sandbox
# What can go wrong around a program: docker missing, the engine failing or hanging at any step, the
# docker command or isolator itself killed, streams closed. Each is said clearly, takes no longer
# than the timeout and ten seconds, and leaves nothing behind.
. "$(dirname "$0")/lib.sh"

hello=prompts/hello_world.py
text=$(snippet txt 'the text') # for the image without a shell
said="Error response from daemon: a fault for the test"

# left [PID]: the containers of this isolator, or of the last run or start.
left() {
    docker ps -a --filter "label=isolator.pid=${1:-$!}" --format '{{.Names}}' 2>&1 || echo "docker ps failed"
}

# ---- hanging: these take their time, so they run beside the rest. See the end of this file.
now() { echo $((${EPOCHREALTIME/./} / 1000)); }
hangs=()
hang() { # FAULT ARG...
    local dir=$scratch/hang-${#hangs[@]}
    mkdir "$dir"
    hangs+=("$dir")
    (
        trap - EXIT
        began=$(now)
        scratch=$dir calls=$dir/calls faulty "$1" start --timeout 1s "${@:2}"
        echo "$pid" >"$dir/pid"
        wait "$pid"
        echo "$? $(($(now) - began))" >"$dir/ended"
    ) &
}
# hung NAME: the next of them has ended; sets the variables of `run`.
hung() {
    until_true test -s "${hangs[0]}/ended"
    cp "${hangs[0]}/out" "${hangs[0]}/err" "$scratch"
    read -r status elapsed <"${hangs[0]}/ended"
    read -r pid <"${hangs[0]}/pid"
    own_pids="$own_pids$pid "
    hangs=("${hangs[@]:1}")
    take_output
    is "$(left "$pid")" "" "$1: nothing is left"
    within "$elapsed" 0 12000 "$1: it ends within timeout and ten seconds (in ms)"
}

perl -MSocket -e 'socket(S, AF_UNIX, SOCK_STREAM, 0) && bind(S, pack_sockaddr_un($ARGV[0])) && listen(S, 100) or die;
    sleep 300' "$scratch/silent" &
silent=$!
hang "create 1 hang" "$hello"
hang "start 1 hang" "$hello"
hang "rm 1 hang" "$hello"
hang "rm * fail" "$hello"
hang "create 2 hang" "$text"
hang "cp 2 hang" "$text"
hang "start 2 hang" "$text"
hang "inspect 1 hang" "$text"
hang "rm 2 hang" "$text"
until_true test -S "$scratch/silent"
DOCKER_HOST=unix://$scratch/silent hang "" "$hello"

# ---- no engine
echo '{"containerCommand": "no-such-docker"}' >"$scratch/config.json"
run --config "$scratch/config.json" "$hello"
outcome "3 error -1 engine null cannot run 'no-such-docker': No such file or directory" "no docker command"
is "$err" "" "no docker command: nothing on stderr"
echo "{\"containerCommand\": \"$scratch\"}" >"$scratch/config.json"
run --config "$scratch/config.json" "$hello"
outcome "3 error -1 engine null cannot run '$scratch': Permission denied" "a docker command that is none"

DOCKER_HOST=unix:///nonexistent/docker.sock run "$hello"
is "$status $(fields status exitCode reason)" "3 error -1 engine" "an engine that cannot be reached"
has "$(field error)" "cannot create a container: the container engine does not answer; is it running, and may this \
user reach it? ('docker info' tells more): " "an engine that cannot be reached: the message"
has "$(field error)" "unix:///nonexistent/docker.sock" "an engine that cannot be reached: docker's words"
DOCKER_HOST=tcp://127.0.0.1:1 run --stream "$hello"
is "$status|$out" "3|" "an engine that cannot be reached, with --stream"
has "$err" "isolator: cannot create a container: the container engine does not answer" \
    "an engine that cannot be reached, with --stream: the message"

# ---- no image, no language
run --image isolator-test/none:1 "$hello"
outcome "3 error -1 image-missing null image 'isolator-test/none:1' is not on the engine; run: docker pull \
isolator-test/none:1" "no image"
is "$(fields image container)" "isolator-test/none:1 null" "no image: its name, no container"
run --stream --image isolator-test/none:1 "$hello"
is "$status|$out|$err" \
    "3||isolator: image 'isolator-test/none:1' is not on the engine; run: docker pull isolator-test/none:1" \
    "no image, with --stream"
refused "unknown language 'pyhton'; known are: python, go, javascript, bash, busybox, noshell" \
    "an unknown language" --language pyhton "$hello"
refused "cannot tell the language of 'README.md'; give --language (python, go, javascript, bash, busybox, noshell)" \
    "a file of no known language" README.md

# ---- one call of docker goes wrong
# wrong FAULT OUTCOME [FILE]: how the run ends, and that nothing is left then.
wrong() {
    faulty "$1" run "${3:-$hello}"
    outcome "$2" "docker $1"
    is "$(left)" "" "docker $1: nothing is left"
}
success="0 success 0 exit null null"
failed="3 error -1 engine null"
because() { is "$(json '$r->{error} =~ /: $/ ? "(nothing)" : "something"')" something "$1: the error says why"; }

wrong "create 1 fail" "$failed cannot create a container: $said"
wrong "create 1 late" "$failed cannot create a container: $said"
wrong "create 1 slow" "$success"
wrong "create 1 warn" "$success"
is "$(field warnings)|$(field stderr)" "WARNING: a warning for the test|" "docker create 1 warn: the warning"
faulty "create 1 kill" run "$hello"
is "$status $(fields status exitCode reason)|$(left)" "3 error -1 engine|" "docker create 1 kill"
because "docker create 1 kill"
faulty "create * garbage" run "$hello"
is "$status $(fields status exitCode reason)|$(left)" "3 error -1 engine|" "docker create * garbage"

wrong "start 1 fail" "$failed cannot start the container: $said"
wrong "start * fail" "$failed cannot start the container: $said"
wrong "start 1 slow" "$success"
wrong "start 1 warn" "$success"
is "$(field stdout)|$(field stderr)" "Hello, World from Python!|" "docker start 1 warn: it is not the program's stderr"
faulty "start * kill" run "$hello"
is "$status $(fields status exitCode reason)|$(left)" "3 error -1 engine|" "docker start * kill"
because "docker start * kill"
faulty "start * garbage" run "$hello"
is "$status $(fields status exitCode reason stdoutBytes stderrBytes)|$(left)" "3 error -1 engine 0 0|" "docker start * garbage"

for fault in fail late slow warn kill; do
    wrong "rm 1 $fault" "$success"
    is "$(field stdout)|$(field warnings)" "Hello, World from Python!|" "docker rm 1 $fault: nobody has to know"
done

wrong "create 2 fail" "$failed cannot create a container: $said" "$text"
wrong "create 2 late" "$failed cannot create a container: $said" "$text"
wrong "create 2 warn" "$success" "$text"
has "$(field warnings)" "WARNING: a warning for the test" "docker create 2 warn: the warning"
wrong "cp 2 fail" "$failed cannot copy the files into the container: $said" "$text"
wrong "cp 2 warn" "$success" "$text"
faulty "cp 2 kill" run "$text"
is "$status $(fields status exitCode reason)|$(left)" "3 error -1 engine|" "docker cp 2 kill"
because "docker cp 2 kill"
wrong "start 2 fail" "$failed cannot start the container: $said" "$text"
wrong "start 2 warn" "$success" "$text"
faulty "start 2 kill" run "$text"
is "$status $(fields status exitCode reason)|$(left)" "3 error -1 engine|" "docker start 2 kill"
because "docker start 2 kill"
wrong "inspect 1 fail" "$failed cannot inspect the container: $said" "$text"
wrong "inspect 1 warn" "$success" "$text"
faulty "inspect 1 garbage" run "$text"
is "$status $(fields status exitCode reason)|$(left)" "3 error -1 engine|" "docker inspect 1 garbage"
has "$(field error)" "cannot inspect the container: " "docker inspect 1 garbage: the message"
for fault in fail late warn kill; do
    wrong "rm 2 $fault" "$success" "$text"
done

# A docker command that complains about its own configuration each time.
mkdir "$scratch/docker"
echo '{' >"$scratch/docker/config.json"
DOCKER_CONFIG=$scratch/docker run "$hello"
outcome "$success" "docker with a broken configuration"
is "$(field stdout)|$(field stderr)" "Hello, World from Python!|" "docker with a broken configuration: streams"
has "$(field warnings)" "WARNING: Error " "docker with a broken configuration: the warning"

# ---- the docker command is killed while the program runs
waiting=$(snippet sh 'echo started; sleep 60')
start -v "$waiting"
until_running
child=$(children "$pid")
has "$(tr '\0' ' ' <"/proc/$child/cmdline")" "docker start" "isolator has one child, docker start"
kill -KILL "$child"
await
is "$status $(fields status exitCode reason)" "3 error -1 engine" "docker start is killed"
has "$(field error)" "the container ended and did not say how the program did (docker start: status 137)" \
    "docker start is killed: the message"
is "$(field stdout)|$(left)" "started|" "docker start is killed: what was written is kept, nothing is left"

start "$text" -- --sleep=60
until_true eval 'docker top "$(left)" >"$scratch/top" 2>&1'
sleep 0.5
kill -KILL "$(children "$pid")"
await
outcome "$failed 'docker start' ended before the program did; was it killed?" "no shell: docker start is killed"
is "$(left)" "" "no shell: docker start is killed: nothing is left"

# ---- isolator is killed: the lifeline
# killed SECONDS NAME: kills it; its container goes within that time.
killed() {
    kill -KILL "$pid"
    await 2>/dev/null
    for _ in $(seq "$1"0); do
        [ -n "$(left "$pid")" ] || break
        sleep 0.1
    done
    is "$status|$(left "$pid")" "137|" "isolator is killed $2: the container is gone"
}
start -v "$waiting"
until_running
killed 2 "while the program runs"

start -v "$(snippet sh 'trap "" HUP INT TERM PIPE; exec >&- 2>&-; setsid sleep 60 & sleep 60')"
until_running
killed 2 "while a program runs that ignores signals"

faulty "start 1 slow" start "$waiting"
until_true test -e "$calls/start.1"
killed 10 "while the container starts"

# A program may do to process 1 what its user may. It must not keep the container beyond its timeout.
lifeline='import os, signal, time
for fd in range(20):
    for mode in (os.O_RDWR, os.O_WRONLY | os.O_NONBLOCK):
        try: os.set_inheritable(os.open("/proc/1/fd/%d" % fd, mode), True)
        except OSError: pass
os.kill(-1, signal.SIGSTOP)
time.sleep(60)'
start -v --timeout 2s "$(snippet py "$lifeline")"
until_running
sleep 0.5
killed 10 "while a program holds the lifeline open"

start -v --timeout 2s "$(snippet py 'import ctypes, time
ctypes.CDLL(None).ptrace(16, 1, 0, 0)
time.sleep(60)')"
until_running
sleep 0.5
killed 10 "while a program traces process 1"

# ---- isolator's own streams
odd=$(snippet sh 'echo out; echo err >&2; exit 4')
# streams REDIRECTIONS ARG...: runs it with these, in a shell of its own; sets $status and $err.
streams() {
    local redirections=$1
    shift
    sh -c 'exec "$0" run "$@" '"$redirections" "$ISOLATOR" "$@" </dev/null >"$scratch/out" 2>"$scratch/err" &
    own_pids="$own_pids$! "
    wait $!
    status=$?
    take_output
}
streams '<&-' "$odd"
is "$status $(fields exitCode stdout stderr)" "1 4 out
 err" "stdin closed"
streams '2>&-' "$odd"
is "$status $(fields exitCode stdout stderr)" "1 4 out
 err" "stderr closed"
streams '<&- 2>&-' --stream "$(snippet sh 'echo out; exit 4')"
is "$status|$out" "4|out" "stdin and stderr closed, with --stream"
streams '>&-' "$odd"
is "$out|$(left)" "|" "stdout closed: nothing is left"
within "$status" 1 3 "stdout closed: the status is one of a failure"
streams '<&- >&- 2>&-' "$odd"
is "$out$err|$(left)" "|" "all streams closed: nothing is left"
within "$status" 1 3 "all streams closed: the status is one of a failure"
streams '>/dev/full' "$hello"
is "$status|$err|$(left)" "3|isolator: cannot write the result: No space left on device|" "stdout on a full device"
streams '>/dev/full' --stream "$waiting"
is "$(left)" "" "stdout on a full device with --stream: nothing is left"
within "$status" 1 255 "stdout on a full device with --stream: the status is one of a failure"
"$ISOLATOR" run --stream "$(snippet sh 'while echo line; do :; done')" </dev/null \
    > >(head -n 1 >"$scratch/out") 2>"$scratch/err" &
pid=$!
own_pids="$own_pids$pid "
wait "$pid"
is "$?|$(cat "$scratch/out")|$(left "$pid")" "141|line|" "a reader that goes away, with --stream"

mkfifo "$scratch/fifo"
exec 7<>"$scratch/fifo" # a reader that does not read
began=$(now)
"$ISOLATOR" run --stream --timeout 2s "$(snippet sh 'while echo line; do :; done')" </dev/null >&7 2>"$scratch/err" &
pid=$!
own_pids="$own_pids$pid "
wait "$pid"
is "$?|$(cat "$scratch/err")|$(left "$pid")" "124|isolator: program did not end within 2 s|" "a reader that stops reading: the timeout holds"
within "$(($(now) - began))" 2000 12000 "a reader that stops reading: how long it took in ms"
exec 7<&-
rm "$scratch/fifo"

mkfifo "$scratch/fifo"
exec 7<>"$scratch/fifo"
"$ISOLATOR" run "$(snippet py 'print("x" * 1000000)')" </dev/null >&7 2>"$scratch/err" &
pid=$!
own_pids="$own_pids$pid "
is "$(timeout 20 head -c 10 <&7)" '{"status":' "nobody reads the result: it comes"
kill -INT "$pid"
wait "$pid"
is "$?|$(left "$pid")" "130|" "nobody reads the result: SIGINT ends isolator"
exec 7<&-

# ---- hanging, as started above
hung "docker create hangs"
outcome "$failed $(field error)" "docker create hangs"
has "$(field error)" "'docker create' did not end within " "docker create hangs: the message"
hung "docker start hangs"
outcome "$failed the engine did not start the container in time" "docker start hangs"
hung "docker rm hangs"
outcome "$success" "docker rm hangs"
is "$(field stdout)" "Hello, World from Python!" "docker rm hangs: the program's output"
hung "docker rm always fails"
outcome "$success" "docker rm always fails"
has "$(field warnings)" "container '$(field container)' may be left behind: cannot remove the container: $said" \
    "docker rm always fails: the warning"
hung "no shell: docker create hangs"
is "$status $(fields status exitCode reason)" "3 error -1 engine" "no shell: docker create hangs"
has "$(field error)" "'docker create' did not end within " "no shell: docker create hangs: the message"
hung "no shell: docker cp hangs"
is "$status $(fields status exitCode reason)" "3 error -1 engine" "no shell: docker cp hangs"
has "$(field error)" "cannot copy the files into the container: 'docker cp' did not end within " \
    "no shell: docker cp hangs: the message"
hung "no shell: docker start hangs"
is "$status $(fields status exitCode reason)" "3 error -1 engine" "no shell: docker start hangs"
hung "no shell: docker inspect hangs"
is "$status $(fields status exitCode reason)" "3 error -1 engine" "no shell: docker inspect hangs"
has "$(field error)" "cannot inspect the container: 'docker inspect' did not end within " \
    "no shell: docker inspect hangs: the message"
hung "no shell: docker rm hangs"
outcome "$success" "no shell: docker rm hangs"
hung "an engine that never answers"
is "$status $(fields status exitCode reason)" "3 error -1 engine" "an engine that never answers"
has "$(field error)" "; does the container engine answer?" "an engine that never answers: the message"
kill "$silent"

finish
own_containers | xargs -r docker rm --force --volumes >/dev/null # what bugs have left
