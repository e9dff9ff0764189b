#!/usr/bin/env bash
# Jobs: runs that outlive the isolator that started them. Their results are those of isolator run, their limits hold without
# isolator, and a program can neither forge nor find what belongs to its job.
# shellcheck source=test/e2e/lib.sh disable=SC2016,SC2154 # single quotes are for eval; lib.sh sets $out and its like
. "$(dirname "$0")/lib.sh"

volumes_image=isolator-test/job-volumes:$$ volumes_name=isolator-job-volumes-$$
trap 'in_main || exit; docker rm --force "$volumes_name" >/dev/null 2>&1; docker rmi --force "$volumes_image" >/dev/null 2>&1; rm -rf "$scratch"' EXIT

# job ARG...: starts a job; $id is what is printed. wait_for ID [ARG...]: waits for it, and sets $status, $out and $err.
job() {
    isolator start "$@"
    is "$status|$err" "0|" "the job is started"
    id=$out
}
wait_for() { isolator wait "$@"; }

# notes: the files of jobs on this host.
notes() { ls "$XDG_STATE_HOME/isolator/jobs" 2>/dev/null; }
state_of() { docker inspect -f '{{.State.Status}}' "isolator-job-$1" 2>/dev/null; }
has_ended() { [ "$(state_of "$1")" = exited ]; }

# same_result EXTENSION TEXT [ARG...]: the program runs, and then as a job: both results agree in all but figures and names.
same_result() {
    local file run_result run_status
    file=$(snippet "$1" "$2")
    shift 2
    run "$file" "$@"
    run_status=$status
    run_result=$(comparable)
    job "$file" "$@"
    wait_for "$id"
    is "$status" "$run_status" "the exit status"
    expect "$(comparable)" "the result of isolator run" <<<"$run_result"
}
comparable() {
    json 'delete @$r{qw(durationMs cpuMs peakMemoryBytes container warm)};
        delete @{$r->{build}}{qw(durationMs cpuMs)} if $r->{build}; JSON::PP->new->canonical->pretty->encode($r)'
}

words() { tr -s '\n' ' ' | sed 's/ $//'; }

# ---- results

test_case 'a job has the result of isolator run, and is gone after that' && {
    job "$(snippet ash 'echo hello; echo error >&2; exit 3')"
    [[ $id =~ ^[0-9a-f]{16}$ ]]
    ok $? "start prints an id of 16 digits: $id"
    is "$(notes)" "$id" "there is a file of it"
    is "$(stat -c %a "$XDG_STATE_HOME/isolator/jobs" "$XDG_STATE_HOME/isolator/jobs/$id" | words)" "700 600" "only for its user"
    wait_for "$id"
    is "$status $(field status exitCode reason stdout stderr container)" "1 error 3 exit hello"$'\n'" error"$'\n'" isolator-job-$id" \
        "wait prints the result"
    is "$(state_of "$id")|$(notes)" "|" "the container and the file are gone"
    wait_for "$id"
    is "$status|$out|$err" "2||isolator: no job '$id'; isolator ps lists them" "there is no such job any more"
}

test_case 'arguments, environment, standard input, files and artifacts' && {
    echo "some input" >"$scratch/input"
    echo "a file" >"$scratch/more.txt"
    same_result ash 'echo "$@" "$GREETING"; cat; cat more.txt; echo made >made.txt; echo changed >>more.txt; ls' \
        --stdin "$scratch/input" --file "$scratch/more.txt" --env GREETING=hello --artifacts "$scratch/artifacts" --force -- one two
    expect "$(cd "$scratch/artifacts" && grep . *)" "the artifacts" <<'END'
made.txt:made
more.txt:a file
more.txt:changed
END
}

test_case 'artifacts go to the directory that start has named, from wherever the result is waited for' && {
    file=$(snippet ash 'echo content >made.txt')
    isolator=$(realpath "$ISOLATOR")
    id=$(cd "$scratch" && "$isolator" start "$file" --artifacts relative)
    (cd / && "$isolator" wait "$id" >/dev/null)
    is "$(cat "$scratch/relative/made.txt")" content "the file is there"
}

test_case 'an artifact that exists keeps the job' && {
    mkdir "$scratch/taken"
    echo mine >"$scratch/taken/made.txt"
    job "$(snippet ash 'echo theirs >made.txt')" --artifacts "$scratch/taken"
    wait_for "$id"
    is "$status $(cat "$scratch/taken/made.txt")" "2 mine" "the file is not replaced, and that is a failure"
    rm "$scratch/taken/made.txt"
    wait_for "$id"
    is "$status $(cat "$scratch/taken/made.txt")" "0 theirs" "the job is waited for once more"
}

test_case 'bytes of all values' && same_result pl 'print map chr, 0..255; print STDERR map chr, reverse 0..255'

test_case 'output beyond the limit: the head, how much is left out, and the tail' && {
    same_result ash 'i=0; while [ $i -lt 20000 ]; do echo "line $i"; i=$((i + 1)); done; echo end >&2' --output-limit 5000
    is "$(field stdoutBytes stdoutTruncated)" "208890 true" "it is counted in whole"
    same_result ash 'head -c 5000 /dev/zero | tr "\0" x' --output-limit 5000
    is "$(field stdoutBytes stdoutTruncated)" "5000 false" "output of just this length is there in whole"
}

test_case 'limits hold without isolator: time, CPU time, memory, processes, output' && {
    same_result ash 'echo begun; sleep 1000' --timeout 1s
    is "$status $(field reason)" "124 timeout" "the timeout"
    same_result ash 'while :; do :; done' --cpu-seconds 1
    is "$(field reason)" "cpu-time" "the CPU time"
    job "$(snippet py 'x = bytearray(200 << 20)')" --memory 64m
    wait_for "$id"
    is "$(field reason)" "oom" "the memory"
    job "$(snippet ash 'i=0; while [ $i -lt 50 ]; do sleep 5 & i=$((i + 1)); done; wait')" --pids-limit 10 --timeout 20s
    wait_for "$id"
    has "$(field warnings)" "the limit of 10 processes and threads" "the processes"
    job "$(snippet ash 'yes')" --timeout 60s
    wait_for "$id"
    is "$status $(field reason)" "1 output-limit" "the output"
}

test_case 'a program that ignores signals and leaves processes' && {
    same_result ash 'trap "" TERM INT HUP; (trap "" TERM; sleep 1000) & sleep 1000' --timeout 1s
    same_result ash 'sleep 1000 & echo over'
    same_result ash 'kill -9 $$'
}

test_case 'what a program lacks: the warning of isolator run says what helps' && {
    same_result py 'import no_such_module'
    has "$(field warnings)" "the package 'no_such_module' is not in the image; to add it: isolator prepare python" "a package"
}

test_case 'a program with a build' && {
    same_result c '#include <stdio.h>
int main(void) { puts("built"); return 4; }'
    same_result c 'int main(void) { return x; }'
    is "$status $(field reason)" "1 build" "a build that fails is the result of the job"
    job "$(snippet c '#include <stdio.h>
int main(void)
{
    char text[64] = "0";
    FILE *file = fopen("/sys/fs/cgroup/memory/memory.limit_in_bytes", "r");
    if (!file)
        file = fopen("/sys/fs/cgroup/memory.max", "r");
    fgets(text, sizeof text, file);
    printf("%s", text);
}')" --memory 200m
    wait_for "$id"
    within "$(($(field stdout) >> 20))" 200 210 "the program has its own memory limit and not that of the build"
}

# The container has the limits of the program from the start, but for the copy of its files.
test_case 'a build without limits of its own, and a program that ends before the engine has changed them all' && {
    perl -MJSON::PP -0777 -ne 'my $config = decode_json($_);
        $config->{languages}{built} = {image => "isolator-test/busybox:1", build => ["cp", "{entrypoint}", "program"],
            command => ["sh", "program"], extensions => [".built"], defaultFilename => "main.built", memoryMB => 64};
        print encode_json($config)' "$ISOLATOR_CONFIG" >"$scratch/built.json"
    mkdir "$scratch/late"
    cat >"$scratch/late/$engine_command" <<END
#!/bin/sh
real='$(command -v docker)'
[ "\$1" = update ] || exec "\$real" "\$@"
for name; do :; done
sleep 1
"\$real" "\$@" && "\$real" wait "\$name"
echo "the container does not run"
exit 1
END
    chmod +x "$scratch/late/$engine_command"
    PATH=$scratch/late:$PATH job --config "$scratch/built.json" \
        "$(snippet built 'cat /sys/fs/cgroup/memory/memory.limit_in_bytes 2>/dev/null || cat /sys/fs/cgroup/memory.max')"
    wait_for "$id"
    is "$status $(($(field stdout) >> 20))" "0 66" "the job ran with its own limit, and MB for output"
}

test_case 'a program that cannot be executed, and an image that is missing' && {
    job "$(snippet ash 'echo never')" --image isolator-test/noshell:1
    wait_for "$id"
    is "$status $(field reason)" "3 command" "a command that the image does not have"
    isolator start "$(snippet ash 'echo')" --image isolator-test/missing:1
    is "$status|$out" "3|" "no job is started without its image"
    is "$err" "isolator: image 'isolator-test/missing:1' is not on the engine; run: docker pull isolator-test/missing:1" "the message"
    sed 's|"isolator-test/busybox:1"|"isolator-test/missing:1"|' "$ISOLATOR_CONFIG" >"$scratch/missing.json"
    isolator start --config "$scratch/missing.json" "$(snippet ash 'echo')"
    is "$status|$out|$err" "3||isolator: image 'isolator-test/missing:1' is not on the engine; run: isolator pull busybox" \
        "that of a language: as a run says it"
    is "$(notes)" "" "no file remains"
}

test_case 'the audit file has a line of the start and one of the result' && {
    audit=$scratch/audit.jsonl
    job "$(snippet ash 'exit 3')" --audit "$audit"
    wait_for --audit "$audit" "$id"
    lines=$(perl -MJSON::PP -ne 'my $l = decode_json($_);
        print join(" ", map { $_ // "null" } @$l{qw(container status reason exitCode language)}, length($l->{codeSha256} // "")), "\n"' "$audit")
    expect "$lines" "both lines" <<END
isolator-job-$id started null null busybox 64
isolator-job-$id error exit 3 busybox 0
END
    job "$(snippet ash 'echo hello')"
    wait_for --audit /dev/full "$id"
    is "$status|$out" "2|" "a result that cannot be recorded is not printed"
    wait_for "$id"
    is "$(field stdout)" "hello" "and the job is still there"
}

# ---- who is gone

test_case 'a job goes on when isolator and its reaper were killed, and another isolator cleans up' && {
    start_isolator start "$(snippet ash 'sleep 2; echo survived')"
    until_true test -s "$scratch/out"
    take_output
    id=$out
    kill -KILL "$pid" $(pgrep -f "isolator start .*${id:0:4}" ) 2>/dev/null
    await 2>/dev/null
    run "$(snippet ash 'echo')"
    isolator gc
    hasnt "$out" "$id" "gc leaves it alone"
    wait_for "$id"
    is "$status $(field stdout)" "0 survived" "its result"
}

test_case 'a job that has expired is removed with its file, and that of another user stays' && {
    # By this docker command, the jobs are those of a user of this case: another isolator of theirs may remove an expired job.
    mkdir "$scratch/bin"
    printf '#!/usr/bin/env bash\nexec %s "${@/isolator.job.user=*/isolator.job.user=%s@case}"\n' "$(command -v docker)" "$$" >"$scratch/bin/$engine_command"
    chmod +x "$scratch/bin/$engine_command"
    former_path=$PATH
    PATH=$scratch/bin:$PATH
    ! engine_is podman || "$ISOLATOR" doctor >/dev/null # what another podman command has shown does not count
    # again NAME EXPRESSION: a container with the labels of the job, changed by sed.
    again() {
        sed "$2" "$scratch/labels" >"$scratch/changed"
        docker create --name "isolator-job-$1" --network none --label-file "$scratch/changed" isolator-test/busybox:1 true >/dev/null
    }
    job "$(snippet ash 'echo')"
    wait_for --keep "$id"
    docker inspect -f '{{range $key, $value := .Config.Labels}}{{println (printf "%s=%s" $key $value)}}{{end}}' "isolator-job-$id" |
        grep '^isolator\.' >"$scratch/labels"
    isolator gc
    is "$(state_of "$id")|$(notes)" "exited|$id" "a job that has ended stays"
    docker rm -v "isolator-job-$id" >/dev/null
    other=$(od -An -N8 -tx1 /dev/urandom | tr -d ' \n')
    again "$other" 's/^\(isolator.job.user\)=.*/\1=4242@elsewhere/; s/^\(isolator.job.expires\)=.*/\1=1000/'
    again "$id" 's/^\(isolator.job.expires\)=.*/\1=1000/'
    flock "$XDG_STATE_HOME/isolator/jobs/$id" "$ISOLATOR" gc >/dev/null
    is "$(state_of "$id")|$(notes)" "created|$id" "it stays while someone works on it"
    isolator gc
    has "$out" "removed isolator-job-$id (Created): the result of the job was not fetched within jobs.keepHours" "gc says why"
    is "$(state_of "$id")|$(notes)" "|" "the expired one is gone, and its file"
    is "$(state_of "$other")" created "that of another user is there"
    docker rm "isolator-job-$other" >/dev/null
    PATH=$former_path
}

test_case 'a container that was removed, and one whose log was cut, are told as engine' && {
    job "$(snippet ash 'sleep 100')"
    docker rm -fv "isolator-job-$id" >/dev/null
    wait_for "$id"
    is "$status $(field reason)" "3 engine" "a container that is gone"
    is "$(notes)" "$id" "the job stays, since it may be on another engine"
    isolator rm "$id"
    is "$status|$out|$(notes)" "0|$id|" "until it is removed"
    job "$(snippet ash 'sleep 100')"
    docker kill "isolator-job-$id" >/dev/null
    wait_for "$id"
    is "$status $(field reason exitCode)" "3 engine -1" "a container that was killed"
}

test_case 'what the engine gives in place of the log is no result' && {
    job "$(snippet ash 'echo hello')"
    until_true has_ended "$id"
    faulty "logs 1 garbage" isolator wait --keep "$id"
    is "$status $(field reason)" "3 engine" "garbage"
    faulty "logs 1 fail" isolator wait "$id"
    is "$status|$out" "3|" "a failure of the engine is no result"
    has "$err" "cannot read the log of the job" "the message says so"
    wait_for "$id"
    is "$status $(field stdout)" "0 hello" "the job is still there"
}

test_case 'the six commands of docker, each once' && {
    faulty "" isolator start "$(snippet ash 'echo hello')"
    id=$out
    is "$(docker_calls)" "create cp start" "those of start"
    faulty "" isolator wait "$id"
    is "$(docker_calls)" "wait logs rm" "those of wait"
}

# For cp, Docker before 29.5.1 mounts the volumes of a container by paths that its program can redirect, as it can a directory
# above a volume of the image.
test_case 'stop: a container with volumes of its image is paused while the order is copied' && {
    docker run --name "$volumes_name" --network none isolator-test/python:bookworm sh -c 'mkdir -p /data/of/image && chmod 777 /data'
    docker commit --change 'VOLUME /data/of/image' "$volumes_name" "$volumes_image" >/dev/null
    sleeper=$(snippet py 'import time; print("begun", flush=True); time.sleep(1000)')
    for image in isolator-test/python:bookworm "$volumes_image"; do
        job --image "$image" "$sleeper"
        until_true eval 'isolator logs "$id" && [ "$out" ]'
        faulty "" isolator stop "$id"
        is "$status|$err" "0|" "$image: it is stopped"
        calls_of_stop=$(docker_calls)
        wait_for "$id"
        is "$status $(field reason stdout)" "143 cancelled begun" "$image: its result"
        [ "$image" != "$volumes_image" ] || break
        is "$calls_of_stop" "inspect cp" "without another volume"
    done
    has "$calls_of_stop" "pause cp unpause" "with one"
    job --image "$volumes_image" "$sleeper"
    until_true docker pause "isolator-job-$id" >/dev/null 2>&1
    faulty "" isolator stop "$id"
    is "$status|$(docker_calls)" "0|inspect cp unpause" "an isolator that was killed has paused it"
    wait_for "$id"
    is "$status $(field reason)" "143 cancelled" "then it ends, too"
    job --image "$volumes_image" "$sleeper"
    faulty "cp * fail" isolator stop "$id"
    is "$status|$(state_of "$id")" "3|running" "it goes on if the order cannot be copied"
    faulty "pause * fail" isolator stop "$id"
    is "$status|$(docker_calls)" "3|$(yes inspect pause | head -n 5 | paste -s -d " ")" "nothing is copied if it cannot be paused"
    docker kill "isolator-job-$id" >/dev/null
    faulty "" isolator stop "$id"
    is "$status|$(docker_calls)" "0|inspect cp" "what has ended is not paused"
    isolator rm --force "$id"
    is "$status" 0 "it is removed"
}

# ---- the commands

test_case 'wait: a timeout, a name, the start of an id, --keep, several jobs' && {
    job "$(snippet ash 'sleep 1000')" --name sleeper
    wait_for --timeout 500ms sleeper
    is "$status|$out|$err" "124||isolator: the job $id has not ended within the --timeout" "wait --timeout"
    isolator start --name sleeper "$(snippet ash 'echo')"
    is "$status|$err" "2|isolator: there is a job or workspace 'sleeper' already" "a name is given once"
    isolator stop "${id:0:6}"
    is "$status|$out" "0|$id" "stop by the start of the id"
    wait_for --keep sleeper
    is "$status $(field reason)" "143 cancelled" "a job that was stopped"
    first=$id
    job "$(snippet ash 'exit 5')"
    wait_for "$first" "$id"
    is "$(grep -c '^{' "$scratch/out")" 2 "two results"
    is "$status" 1 "the status of the last one that has failed"
    is "$(notes)" "" "both are removed"
}

test_case 'of starts with one name at the same time, one gets it' && {
    file=$(snippet ash 'sleep 1000')
    pids=()
    for i in 1 2 3 4; do
        "$ISOLATOR" start --name same "$file" >"$scratch/start.$i" 2>&1 &
        pids+=($!)
    done
    wait "${pids[@]}"
    is "$(sort "$scratch"/start.? | sed -E 's/^[0-9a-f]{16}$/ID/' | uniq -c | tr -s ' ')" \
        $' 1 ID\n 3 isolator: there is a job or workspace \'same\' already' "the others are told"
    is "$(notes)" "$(sed -n '/^[0-9a-f]*$/p' "$scratch"/start.?).same" "one job"
    isolator rm --force same
}

test_case 'a job whose id cannot be printed is removed' && {
    "$ISOLATOR" start "$(snippet ash 'sleep 1000')" >/dev/full 2>"$scratch/stderr"
    is "$?|$(cat "$scratch/stderr")" "3|isolator: cannot write the id of the job: No space left on device" "status 3"
    is "$(notes)" "" "no job is left"
}

test_case 'two wait at the same time: one gets the result' && {
    job "$(snippet ash 'sleep 2; echo once')"
    "$ISOLATOR" wait "$id" >"$scratch/first" 2>&1 &
    until_true pgrep -f "$engine_command wait isolator-job-$id" >/dev/null
    wait_for "$id"
    is "$status|$out" "3|" "the second one"
    has "$err" "another isolator works on the job" "it is told why"
    wait
    has "$(<"$scratch/first")" '"stdout": "once\n"' "the first one"
}

test_case 'a result that cannot be written keeps the job' && {
    job "$(snippet ash 'echo precious')"
    "$ISOLATOR" wait "$id" >/dev/full 2>/dev/null
    is $? 3 "wait fails"
    wait_for "$id"
    is "$(field stdout)" "precious" "the result is still there"
}

test_case 'ps, logs and rm' && {
    job --name watched "$(snippet ash 'printf "out\033[2J\n"; echo err >&2; sleep 1000')"
    until_true eval '[ "$("$ISOLATOR" logs watched 2>&1 | wc -l)" = 2 ]'
    isolator logs watched
    is "$status|$out|$err" "0|"$'out\e[2J'"|err" "logs: both streams, unchanged"
    [[ $(script -qec "'$ISOLATOR' logs watched" /dev/null </dev/null) == *'out\x1b[2J'* ]]
    ok $? "logs: escape sequences are visible at a terminal"
    isolator ps
    has "$(tr -s " " <<<"$out")" "$id watched job busybox" "ps lists it"
    is "$("$ISOLATOR" ps --quiet | grep -x "$id")" "$id" "ps --quiet" # jobs of other suites are there too
    "$ISOLATOR" ps --json | grep -F "$id" >"$scratch/out"
    is "$(field id name language state)" "$id watched busybox running" "ps --json"
    isolator rm watched
    is "$status|$err" "2|isolator: the job runs; to end and remove it, use --force" "rm refuses"
    isolator rm --force watched
    is "$status|$out" "0|$id" "rm --force"
    is "$(state_of "$id")|$(notes)" "|" "it is gone"
}

test_case 'logs -f goes on until the job ends' && {
    job "$(snippet ash 'echo one; sleep 1; echo two')"
    isolator logs --follow "$id"
    is "$status|$out" "0|one"$'\n'two "all that it writes"
    isolator rm "$id"
}

test_case --quick 'commands on jobs: wrong command lines' && {
    while IFS='|' read -r command kind; do
        isolator "$command"
        is "$status|$out|$err" "2||isolator: no $kind is named; isolator ps lists them" "$command without a name"
        isolator "$command" abc
        is "$status|$out|$err" "2||isolator: no $kind 'abc'; isolator ps lists them" "$command of one that is not there"
    done <<'END'
logs|job
wait|job
stop|job or workspace
rm|job or workspace
END
    isolator ps --config "$scratch/none"
    is "$status|$out" "2|" "ps --config"
    isolator stop --config "$scratch/none" abc
    is "$status|$out" "2|" "stop --config"
    isolator logs --config "$scratch/none" abc
    is "$status|$out" "2|" "logs --config"
}

test_case --quick 'what a job cannot have is refused with a reason' && {
    file=$(snippet ash 'echo')
    while IFS='|' read -r options message; do
        # shellcheck disable=SC2086 # words
        isolator run --detach "$file" $options
        is "$status|$out|$err" "2||isolator: $message" "$options"
    done <<'END'
--stream|a job cannot have --stream: isolator logs shows its output
--interactive|a job cannot have --interactive: give it its input with --stdin FILE
--save-image a:b|a job cannot have --save-image: only isolator run saves images
--json|a job cannot have --json: isolator wait prints the result
--network bridge|a job cannot have a network or reach hosts, since isolator may have ended: do not run it as a job, or use the network 'none'
--allow-host example.com|a job cannot have a network or reach hosts, since isolator may have ended: do not run it as a job, or use the network 'none' (in JSON: "hosts": [])
--user 0|a job cannot run as user 0, which could read and change its script
--name abc|'abc' cannot be the name of a job: up to 64 letters, digits, _ . and -, and not only digits from 0 to 9 and a to f, which could be an id
END
    isolator run "$file" --name x
    is "$status|$err" "2|isolator: --name is the name of a job, so it needs --detach" "--name without a job"
}

# ---- attacks

test_case 'no link in the directory of the state is followed' && {
    mkdir -p "$scratch/linked/isolator" "$scratch/aim"
    ln -s "$scratch/aim/jobs.lock" "$scratch/linked/isolator/jobs.lock"
    XDG_STATE_HOME=$scratch/linked isolator start "$(snippet sh true)"
    has "$err" "isolator: cannot write '$scratch/linked/isolator/jobs.lock': Too many levels of symbolic links" "a file that is a link"
    rm -r "$scratch/linked/isolator" && ln -s "$scratch/aim" "$scratch/linked/isolator"
    XDG_STATE_HOME=$scratch/linked isolator start "$(snippet sh true)"
    has "$err" "isolator: cannot write '$scratch/linked/isolator/jobs.lock': Too many levels of symbolic links" "a directory that is a link"
    is "$(ls -A "$scratch/aim")" "" "nothing was made elsewhere"
}

test_case 'a program finds neither the script nor its name, and writes nothing to the volume' && {
    job "$(snippet py '
import os
print(open("/proc/1/cmdline").read().replace("\0", " ").split())
for what, call in (("list", lambda: os.listdir("/.isolator/scripts")), ("write", lambda: open("/.isolator/x", "w")),
                   ("stop", lambda: open("/.isolator/stop", "w")), ("chmod", lambda: os.chmod("/.isolator/scripts", 0o777)),
                   ("rename", lambda: os.rename("/.isolator/scripts", "/tmp/s")), ("in", lambda: open("/.isolator/scripts/x", "w")),
                   ("fd", lambda: os.listdir("/proc/1/fd")), ("environ", lambda: open("/proc/1/environ").read()),
                   ("mem", lambda: open("/proc/1/mem", "rb")), ("maps", lambda: open("/proc/1/maps").read())):
    try:
        call()
        print(what, "succeeds")
    except OSError as error:
        print(what, error.errno)
')"
    wait_for "$id"
    expect "$(field stdout)" "what it finds" <<'END'
['/.isolator/supervisor', '/workspace']
list 13
write 13
stop 13
chmod 1
rename 18
in 13
fd 13
environ 13
mem 13
maps 13
END
}

test_case 'a program that forges lines of the log, and floods, is bounded' && {
    key=$(printf '%032d' 0)
    same_result ash "echo AAAAAAAAAAAAAAAAAAAAAAAAAAAA; echo '$key'; printf '\\001\\000\\000\\000\\021\\000\\000\\000'; echo >/proc/1/fd/1"
    job "$(snippet ash 'while :; do echo x; done')" --timeout 3s --output-limit 100000
    wait_for --keep "$id"
    log=$(docker inspect -f '{{.LogPath}}' "isolator-job-$id")
    options=$(docker inspect -f '{{json .HostConfig.LogConfig}}' "isolator-job-$id")
    if engine_is podman; then
        has "$options" '"Type":"k8s-file"' "the driver of the log, which has one file"
    else
        has "$options" '"Type":"local"' "the driver of the log"
        has "$options" '"max-file":"1"' "one file"
    fi
    isolator rm "$id"
}

finish
