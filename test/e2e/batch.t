#!/usr/bin/env bash
# isolator batch: reads requests, one a line, and writes results, one a line; right and wrong lines; how it ends.
# shellcheck source=test/e2e/lib.sh disable=SC2016,SC2154 # single quotes are for Perl and programs; lib.sh sets $out and its like
. "$(dirname "$0")/lib.sh"

. test/e2e/batch.sh

cat >"$scratch/requests" <<'END'
{"id": "first", "language": "busybox", "entrypoint_code": "echo one; cat", "stdin": "two\n"}

{"id": 7, "language": "busybox", "entrypoint_code": "echo $WORD $1; cat a/b; exit 3", "environment": {"WORD": "three"}, "arguments": ["four"], "additional_files": [{"filename": "a/b", "content": "five\n"}]}
{"id": {"deep": [null]}, "language": "busybox"}
no JSON
[]
{"language": "busybox", "entrypoint_code": "sleep 600", "timeout_seconds": 0.5}
END
printf '{"id":8,"language":"nope","entrypoint_code":""}' >>"$scratch/requests" # without a newline
echo '{"language": "busybox", "entrypoint_code": "echo fine"}' >"$scratch/good"
perl -e 'print "{\"id\": $_}\n" for 1 .. 200000' >"$scratch/many"
perl -e 'print "{\"id\": $_, \"language\": \"busybox\", \"entrypoint_code\": \"echo begun; sleep 600\"}\n" for 1 .. 5' >"$scratch/long"

test_case 'right and wrong lines, each with a result of its own' && {
    batch -j 2 "$scratch/requests"
    is "$status|$(summary)" "1|isolator: 7 requests in TIME: 4 input, 1 exit, 1 success, 1 timeout" "a batch with failures: status 1, a summary on stderr"
    expect "$(results "$brief" | sed 's/HASH([^)]*)/HASH/')" "each line has its result" <<'END'
1 first success 0 "one\ntwo\n"
3 7 error 3 "three four\nfive\n"
4 HASH error -1 ""
5 null error -1 ""
6 null error -1 ""
7 null timeout 137 ""
8 8 error -1 ""
END
    expect "$(results '"$r->{line} $r->{reason} " . ($r->{error} // "none")')" "each reason and error" <<END
1 exit none
3 exit program exited with status 3
4 input entrypoint_code is missing: give the source code of the program
5 input a line must be a JSON object in UTF-8; column 2: invalid token near 'no'
6 input a line must be a JSON object in UTF-8; one object a line: jq -c '.[]' makes that of an array
7 timeout program did not end within 0.5 s
8 input unknown language 'nope'; known are: $built_in, busybox, noshell
END
    has "$out" '{"id":{"deep":[null]},"line":4,' "an id of any kind comes back"
}

test_case 'limits of a line' && {
    perl -MJSON::PP -e '
        my $seen = q(cd /sys/fs/cgroup; cat memory/memory.limit_in_bytes memory.max cpu/cpu.cfs_quota_us cpu.max pids/pids.max pids.max 2>/dev/null; :);
        my @limits = ({memory_mb => 100, cpus => 0.25, pids_limit => 20}, {cpu_seconds => 0.3}, {memory_mb => 1}, {cpus => 3}, {memory => 5});
        for (@limits) { print encode_json({language => "busybox",
            entrypoint_code => $_->{cpu_seconds} ? "while :; do :; done" : $seen, %$_}), "\n" }' >"$scratch/limits"
    batch_with '{"maximums": {"cpus": 2}}' "$scratch/limits"
    seen=$(results 'quoted($r->{stdout})' | head -n 1)
    has "$seen" '"104857600\n25000' "limits: as the kernel has them"
    has "$seen" '\n20\n"' "limits: processes"
    expect "$(results '"$r->{line} $r->{reason} $r->{status} " . ($r->{error} // "none")')" "limits: each outcome" <<'END'
1 exit success none
2 cpu-time timeout program used more than 0.3 s of CPU time
3 input error memory_mb must be from 6 to 16777216 MB
4 input error cpus 3 is more than the configuration allows (maximums.cpus: 2)
5 input error there is no argument 'memory'; known are: language, image, entrypoint_code, entrypoint_filename, entrypoint_file, additional_files, snippet_name, stdin, arguments, environment, artifacts, hosts, tools, workspace, command, shell, session, keep_processes, close_session, tests, call, groups, stop_on_failure, test_output_bytes, detail, checker, timeout_seconds, memory_mb, cpus, cpu_seconds, pids_limit
END
}

test_case 'programs of a directory that the command line names' && {
    mkdir -p "$scratch/programs/sub/.git"
    echo 'print("from a file", __file__)' >"$scratch/programs/sub/a.py"
    echo 'print("hidden")' >"$scratch/programs/sub/.git/b.py"
    ln -s a.py "$scratch/programs/sub/link.py"
    printf '%s\n' '{"entrypoint_file": "sub/a.py"}' '{"entrypoint_file": "sub/a.py", "entrypoint_filename": "x/y.py"}' \
        '{"entrypoint_file": "sub/a.py", "entrypoint_code": "1"}' '{"entrypoint_file": "sub/link.py"}' '{"entrypoint_file": "sub/.git/b.py"}' \
        '{"entrypoint_file": "../requests"}' '{"entrypoint_file": "/etc/passwd"}' '{"entrypoint_file": "sub"}' >"$scratch/named"
    batch --programs "$scratch/programs" "$scratch/named"
    expect "$(results '"$r->{line} " . ($r->{error} // quoted($r->{stdout}))')" "each line" <<'END'
1 "from a file /workspace/a.py\n"
2 "from a file /workspace/x/y.py\n"
3 entrypoint_file excludes entrypoint_code and snippet_name
4 cannot open the program 'sub/link.py': Too many levels of symbolic links
5 cannot open the program 'sub/.git/b.py': No such file or directory
6 cannot open the program '../requests': No such file or directory
7 cannot open the program '/etc/passwd': No such file or directory
8 cannot open the program 'sub': No such file or directory
END
    batch "$scratch/named"
    is "$(results '$r->{error}' | head -n 1)" "entrypoint_file: name the directory of programs with isolator batch --programs" "without --programs"
    isolator batch --programs "$scratch/none" "$scratch/named"
    is "$status|$err" "2|isolator: cannot open the directory '$scratch/none': No such file or directory" "no such directory"
}

test_case 'an image of a line, if the configuration allows it' && {
    perl -MJSON::PP -e 'my $id = 0;
        for (qw(isolator-test/busybox:1 docker.io/isolator-test/busybox:1 isolator-test/noshell:1 isolator-test/busybox python
            evil.io/isolator-test/busybox:1 x@y isolator-test/busybox-none:1)) {
            print encode_json({language => "bash", image => $_, entrypoint_code => "echo hi"}), "\n" }' >"$scratch/images"
    batch_with '{"images": ["isolator-test/busybox*:1"], "languages": {"bash": {"image": "isolator-test/none", "command": ["sh", "{entrypoint}"],
        "extensions": [".sh"], "defaultFilename": "main.sh"}}}' "$scratch/images"
    expect "$(results '"$r->{reason} " . ($r->{error} // quoted($r->{stdout}) . " $r->{image}")')" \
        "images: what the configuration allows, and nothing is pulled" <<END
exit "hi\n" docker.io/isolator-test/busybox:1
exit "hi\n" docker.io/isolator-test/busybox:1
input image 'docker.io/isolator-test/noshell:1' is not allowed by the configuration (images)
input image 'docker.io/isolator-test/busybox:latest' is not allowed by the configuration (images)
input image 'docker.io/library/python:latest' is not allowed by the configuration (images)
input image 'evil.io/isolator-test/busybox:1' is not allowed by the configuration (images)
input image: 'x@y' is not an image; write it like name:tag
image-missing image 'docker.io/isolator-test/busybox-none:1' is not on the engine; run: $engine_command pull docker.io/isolator-test/busybox-none:1
END
    batch "$scratch/images"
    has "$(results '$r->{error}')" "image 'docker.io/isolator-test/busybox:1' is not allowed by the configuration (images: none)
" "images: none by default"
}

test_case 'what a program lacks: a warning says what helps, in a table once' && {
    cat >"$scratch/lacking.jsonl" <<'END'
{"language": "python", "entrypoint_code": "import no_such_module"}
{"language": "python", "entrypoint_code": "import no_such_module"}
{"language": "python", "entrypoint_code": "import socket; socket.getaddrinfo('web.test', 80)"}
{"language": "busybox", "entrypoint_code": "exec tail -c 100000000 /dev/zero", "memory_mb": 32}
END
    hints=$(cat <<'END'
line 1: the package 'no_such_module' is not in the image; to add it: isolator prepare python --network bridge --run 'pip install no_such_module'
line 2: the package 'no_such_module' is not in the image; to add it: isolator prepare python --network bridge --run 'pip install no_such_module'
line 3: this container has no network; network.allow of the configuration allows hosts
line 4: for more memory, raise memory_mb
END
    )
    batch "$scratch/lacking.jsonl"
    expect "$(results '"line $r->{line}: @{$r->{warnings}}"')" "JSON" <<<"$hints"
    batch -j 1 --format text --quiet "$scratch/lacking.jsonl"
    expect "$(sed 's/warning: //' <<<"$err")" "a table" < <(sed '2d; s/^/isolator: /' <<<"$hints")
    batch --detach -j 1 --quiet "$scratch/lacking.jsonl"
    isolator wait --all
    expect "$(results '"line $r->{line}: @{$r->{warnings}}"')" "jobs" <<<"$hints"
}

test_case --quick 'numbers in an id come back unchanged' && {
    printf '%s\n' '{"id": [0.1, 1e100, -0.0, 12345678901234567], "language": "nope", "entrypoint_code": ""}' >"$scratch/numbers"
    batch "$scratch/numbers"
    has "$out" '{"id":[0.1,1e100,-0.0,12345678901234567],"line":1,' "numbers of an id come back as they were"
}

test_case --quick 'a member that is there twice' && {
    printf '%s\n' '{"id": 1, "language": "noshell", "entrypoint_code": "text one", "language": "noshell"}' \
        '{"id": 2, "language": "noshell", "entrypoint_code": "", "environment": {"A": "1", "A": "2"}}' '{"id": 3, "id": 4}' >"$scratch/twice"
    batch "$scratch/twice"
    is "$status" 1 "the lines fail"
    expect "$(results '"$r->{reason} $r->{error}"')" "a member twice, at any level" <<'END'
input an object has a member twice; column 74: duplicate object key near '"language"'
input an object has a member twice; column 85: duplicate object key near '"A"'
input an object has a member twice; column 14: duplicate object key near '"id"'
END
}

test_case --quick 'lines that are too large' && {
    perl -e 'print "{\"id\": \"", "x" x (64 << 20), "\"}\n{\"a\": [", "0," x 200000, "0]}\n"' >"$scratch/large"
    batch "$scratch/large"
    expect "$(results '"$r->{line} $r->{reason} $r->{error}"')" "lines that are too large" <<'END'
1 input a line cannot be longer than 64 MiB
2 input a line cannot have more than 200000 values
END
}

test_case 'requests from stdin, and --verbose' && {
    input=$scratch/requests batch - -v
    is "$status" 1 "from stdin"
    is "$(grep -c '^isolator: line [0-9]*: container ' <<<"$err")" 7 "--verbose: a line for each"
}

test_case --quick 'no shell: each request has a result of its own' && {
    for word in one two three; do
        echo '{"id": "'$word'", "language": "noshell", "entrypoint_code": "text '$word'", "arguments": ["'$word'"]}'
    done >"$scratch/noshell"
    batch -j 2 "$scratch/noshell"
    is "$status|$(summary)" "0|isolator: 3 requests in TIME: 3 success" "all succeed"
    expect "$(results "$brief")" "the results" <<'END'
1 one success 0 "--cat\nmain.txt\none\ntext one"
2 two success 0 "--cat\nmain.txt\ntwo\ntext two"
3 three success 0 "--cat\nmain.txt\nthree\ntext three"
END
}

test_case --quick 'a byte order mark before the first line, of requests and of results' && {
    printf '\357\273\277{"id": 7, "language": "nope", "entrypoint_code": ""}\r\n' >"$scratch/bom"
    isolator batch "$scratch/bom"
    has "$out" '"id":7,"line":1,' "the request is read"
    printf '\357\273\277%s\n' "$out" >"$scratch/bom.results"
    isolator batch --resume "$scratch/bom.results" "$scratch/bom"
    is "$out" "" "--resume: so is the result"
}

test_case --quick 'no request' && {
    batch /dev/null
    is "$status|$out|$err" "0||isolator: the input is empty: it has no request" "nothing to do"
    batch -q /dev/null
    is "$status|$out|$err" "0||" "nothing to do, --quiet"
}

test_case 'all requests succeed' && {
    batch "$scratch/good"
    is "$status $(results "$brief")" '0 1 null success 0 "fine\n"' "all good: status 0"
}

# ---- many requests

requests=60 # as many containers
[ -z "${SOAK-}" ] || requests=1000
test_case 'many requests: a container for each, no result lost or mixed up' && {
    perl -e 'print "{\"id\": $_, \"language\": \"busybox\", \"entrypoint_code\": \"echo $_; touch /tmp/used /dev/shm/used; ls -A | wc -l\"}\n" for 1 .. $ARGV[0]' "$requests" >"$scratch/requests"
    batch -j 4 "$scratch/requests"
    is "$status" 0 "$requests lines: all succeed"
    is "$(results '$r->{id} == $r->{line} && $r->{stdout} eq "$r->{id}\n1\n" ? () : "$r->{line}: $r->{stdout}"')" "" \
        "$requests lines: each has its own result"
    is "$(sed 's/.*"container":"\([^"]*\)".*/\1/' "$scratch/out" | sort -u | wc -l)" "$requests" "$requests lines: as many containers"
    is "$(own_containers)" "" "$requests lines: none is left"
}

test_case 'warm containers, if fewer requests run at a time than there are cores' && {
    cores=$(getconf _NPROCESSORS_ONLN)
    perl -e 'print "{\"language\": \"busybox\", \"entrypoint_code\": \"\"}\n" x 10' >"$scratch/10"
    for jobs in 1 "$cores"; do
        batch_with '{"warm": {"busybox": 1}}' -v -j "$jobs" "$scratch/10"
        is "$status $(grep -c 'warm: true' <<<"$err" | sed 's/^[^0].*/some/')" "0 $([ "$jobs" -lt "$cores" ] && echo some || echo 0)" \
            "-j $jobs of $cores: warm containers"
    done
}

test_case '200,000 lines need no more memory than a few' && {
    peak=$(peak "$ISOLATOR" batch -q -j 2 "$scratch/many")
    memory "$peak" 8192 "200,000 lines: peak memory in kB"

    # ---- how it ends
}

# sleepers: how many programs of the batch are running.
sleepers() {
    local name
    for name in $(docker ps -q --filter label=isolator.pid="$pid"); do processes_of "$name"; done 2>/dev/null | grep -c "sleep 600"
}

test_case 'SIGINT ends the running requests and starts no new ones' && {
    start_isolator batch -j 2 "$scratch/long"
    until_true eval '[ "$(sleepers)" = 2 ]'
    sleep 2
    is "$(sleepers)" 2 "-j 2: two at a time"
    kill -INT "$pid"
    await
    is "$status" 130 "SIGINT: the status"
    expect "$(results "$brief"' . " $r->{reason}"')" "SIGINT: running programs are ended, no other is started" <<'END'
1 1 error 137 "begun\n" cancelled
2 2 error 137 "begun\n" cancelled
END
    is "$(own_containers)" "" "SIGINT: no container is left"
}

test_case 'SIGHUP while it waits for input' && {
    mkfifo "$scratch/fifo"
    exec {feed}<>"$scratch/fifo"
    cat "$scratch/good" >&"$feed"
    input=$scratch/fifo start_isolator batch -j 1
    until_true test -s "$scratch/out"
    kill -HUP "$pid"
    await
    exec {feed}>&-
    is "$status $(results "$brief")" '129 1 null success 0 "fine\n"' "SIGHUP while it waits for input"
}

mkfifo "$scratch/slow"

# has_stalled: the batch has written something and writes nothing more.
has_stalled() {
    local before
    before=$(grep wchar "/proc/$pid/io")
    sleep 0.5
    [ "$before" != "wchar: 0" ] && [ "$(grep wchar "/proc/$pid/io")" = "$before" ]
}
# interrupt_stalled OUT ERR ARG...: sends SIGINT to a batch that writes to these files and cannot go on; sets $status.
interrupt_stalled() {
    local to=$1 remarks=$2
    shift 2
    exec {slow}<>"$scratch/slow"
    "$ISOLATOR" batch "$@" "$scratch/many" >"$to" 2>"$remarks" &
    pid=$!
    own_pids="$own_pids$pid "
    until_true has_stalled
    kill -INT "$pid"
    wait "$pid"
    status=$?
    exec {slow}>&-
}

test_case --quick 'SIGINT while stdout is a full pipe' && {
    interrupt_stalled "$scratch/slow" "$scratch/err" -j 1
    is "$status|$(sed 's/ [0-9].*//' "$scratch/err")" "130|isolator:" "SIGINT while stdout is a full pipe: only the summary is on stderr"
}

test_case --quick 'a stderr that is not read does not delay a batch' && {
    exec {slow}<>"$scratch/slow"
    timeout 100 "$ISOLATOR" batch -v -j 2 <(head -n 20000 "$scratch/many") >"$scratch/out" 2>"$scratch/slow"
    is "$? $(wc -l <"$scratch/out")" "1 20000" "every line has its result"
    exec {slow}>&-
}

test_case 'a reader that goes on after SIGTERM sees no line after one that was cut' && {
    # A result is being written when the signal comes, and the other results come after it. They may follow only if that
    # line is complete.
    {
        echo '{"language": "busybox", "entrypoint_code": "head -c 300000 /dev/zero | tr \\\\0 x"}'
        cat "$scratch/long"
    } >"$scratch/wide"
    exec {slow}<>"$scratch/slow"
    "$ISOLATOR" batch -j 4 "$scratch/wide" >"$scratch/slow" 2>"$scratch/err" &
    pid=$!
    own_pids="$own_pids$pid "
    until_true eval 'grep -q "^wchar: [0-9]\{5\}" "/proc/$pid/io" && [ "$(sleepers)" = 3 ]'
    kill -TERM "$pid"
    cat <&"$slow" >"$scratch/out" &
    reader=$!
    wait "$pid"
    is "$?" 143 "SIGTERM while a result is written"
    sleep 0.5
    kill "$reader" 2>/dev/null
    exec {slow}>&-
    is "$(head -n -1 "$scratch/out" | perl -MJSON::PP -ne 'eval { decode_json($_) } or print "line $. is cut"')" "" \
        "SIGTERM while a result is written: nothing follows a line that was cut"
    has "$(head -c 1000 "$scratch/out")" '"stdout":"xxx' "SIGTERM while a result is written: the line had begun"
}

test_case 'a reader that goes away' && {
    perl -e 'print "{\"id\": $_, \"language\": \"busybox\", \"entrypoint_code\": \"echo on\"}\n" for 1 .. 1000' >"$scratch/endless"
    "$ISOLATOR" batch "$scratch/endless" > >(trap - EXIT; head -n 1 >"$scratch/out") 2>"$scratch/err" &
    pid=$!
    own_pids="$own_pids$pid "
    wait "$pid"
    is "$?|$(sed 's/ [0-9].*//' "$scratch/err")" "141|isolator:" "a reader that goes away: only the summary is on stderr"
}

test_case 'a container that cannot be removed is reported' && {
    faulty "run * status;rm * fail;ps * fail" batch_with '{"engineTimeoutSeconds": 2}' "$scratch/good"
    is "$status $(summary | sed "s/'isolator-[0-9a-f]*'/NAME/; s/container: .*/container/")" \
        "0 isolator: warning: container NAME may still exist: cannot remove the container
isolator: 1 request in TIME: 1 success" "a removal that fails"
}

test_case 'results to a full device' && {
    "$ISOLATOR" batch "$scratch/good" >/dev/full 2>"$scratch/err"
    is "$?|$(cat "$scratch/err")" "3|isolator: cannot write the results: No space left on device" "a full device"
}

# ---- stderr is a terminal, and stdout is not; terminal.t has the status line of what takes longer
on_terminal() {
    script -qec "'$ISOLATOR' batch $1 '$scratch/good' 2>&1 >'$scratch/out'" /dev/null | tr -d '\r' |
        sed 's/ in [0-9]*\.[0-9] s/ in TIME/'
}

test_case 'the summary on a terminal' && {
    is "$(on_terminal "")" "isolator: 1 request in TIME: 1 success" "the summary"
    is "$(on_terminal -q)" "" "--quiet: none"
}

# ---- the command line
wrong() { # MESSAGE NAME ARG...
    local message=$1 name=$2
    shift 2
    batch "$@"
    is "$status|$out|$err" "2||isolator: $message" "$name"
}

test_case --quick 'wrong use' && {
    wrong "cannot open '$scratch/none': No such file or directory" "no such file" "$scratch/none"
    wrong "--jobs: must be a whole number from 1 to 1024" "-j 0" -j 0
    wrong "--jobs: must be a whole number from 1 to 1024" "-j 1.5" -j 1.5
    wrong "--retries: must be a whole number from 0 to 10" "--retries 11" --retries 11
    wrong "--retries: '-1' is not a number" "--retries -1" --retries=-1
    wrong "option '--resume' needs a value" "--resume without a value" --resume
    wrong "unexpected argument 'b'; see isolator batch --help" "two files" a b
    wrong "unknown option '--nope'; see isolator batch --help" "an unknown option" --nope
    wrong "unknown option '--artifact'; did you mean --artifacts?" "an option of isolator run only" --artifact x
    wrong "unknown option '-x'; see isolator batch --help" "an unknown short option" -xv
    wrong "option '--verbose' takes no value" "--verbose with a value" --verbose=x
    wrong "option '--config' needs a value" "--config without a value" --config
}

test_case --quick 'one file for requests and results' && {
    cp "$scratch/good" "$scratch/both"
    "$ISOLATOR" batch "$scratch/both" 2>"$scratch/err" >>"$scratch/both"
    is "$?|$(cat "$scratch/err")|$(cat "$scratch/both")" \
        "2|isolator: input and output are the same file; write the results to another file|$(cat "$scratch/good")" "one file for both"
}

test_case --quick 'a directory instead of a file' && {
    wrong "cannot read the requests: Is a directory" "a directory" "$scratch"
}

test_case --quick 'isolator batch --help' && {
    batch --help
    has "$out" "usage: isolator batch " "--help"
}

finish
