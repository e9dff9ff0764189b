#!/usr/bin/env bash
# isolator batch --detach: hands requests over as jobs, of which so many run at once; and isolator wait --all, which prints
# the results of all jobs as they come.
# shellcheck source=test/e2e/lib.sh disable=SC2016,SC2154 # single quotes are for Perl and programs; lib.sh sets $out and its like
. "$(dirname "$0")/lib.sh"

. test/e2e/batch.sh

# request MEMBERS: a line whose program is busybox's shell.
request() { echo "{\"language\": \"busybox\", $1}"; }
# program ID CODE: a line with this id.
program() { request "\"id\": \"$1\", \"entrypoint_code\": \"$2\""; }

words() { tr -s '\n' ' ' | sed 's/ $//'; }
notes() { ls "$XDG_STATE_HOME/isolator/jobs"; }
# jobs EXPRESSION: the value of a Perl expression for each line that batch --detach has printed.
jobs() { results "$1"; }
# job_of LINE: the id of its job.
job_of() { results '$r->{job} // ""' | sed -n "$1p"; }
state_of() { docker inspect -f '{{.State.Status}}' "isolator-job-$1" 2>/dev/null; }
# running: how many of the jobs run.
running() { for id in $(notes); do state_of "$id"; done | grep -c running; }
results_without_figures() {
    results 'delete @$r{qw(durationMs cpuMs peakMemoryBytes container warm)};
        delete @$_{qw(durationMs cpuMs peakMemoryBytes)} for @{$r->{tests} // []}; delete @{$r->{build}}{qw(durationMs cpuMs)} if $r->{build};
        JSON::PP->new->canonical->encode($r)'
}

test_case 'each request becomes a job, and its result is that of isolator batch' && {
    {
        request '"id": "first", "entrypoint_code": "echo one; cat; echo $1 $WORD >&2; exit 3", "stdin": "two\n", "arguments": ["three"], "environment": {"WORD": "four"}'
        echo
        request '"id": {"deep": [null, 1.5]}, "entrypoint_code": "cat a/b", "additional_files": [{"filename": "a/b", "content": "five\n"}]'
        request '"entrypoint_code": "sleep 600", "timeout_seconds": 0.5'
        request '"id": 5, "entrypoint_code": "read a; echo $((a + 1))", "tests": [
            {"stdin": "1\n", "expected_stdout": "2\n"}, {"name": "wrong", "stdin": "2\n", "expected_stdout": "4\n"},
            {"stdin": "3\n", "no_expected": true}, {"stdin": "4", "expected_stdout": "5.0000001", "compare": "float"}]' | tr -d '\n'
        echo
        echo '{"id": 6, "language": "c", "entrypoint_code": "#include <stdio.h>\nint main(void) { puts(\"built\"); return 0; }", "tests": [{"expected_stdout": "built"}]}'
        echo '{"id": 7, "language": "c", "entrypoint_code": "int main(void) { return nothing; }"}'
    } >"$scratch/requests"
    batch "$scratch/requests"
    results_without_figures >"$scratch/expected"
    batch --detach -j 2 "$scratch/requests"
    is "$status|$(summary)" "0|isolator: 6 requests in TIME: 6 started" "all are started"
    expect "$(jobs 'join " ", $r->{line}, ref $r->{id} ? "object" : $r->{id} // "null", join(",", sort keys %$r), $r->{job} =~ /^[0-9a-f]{16}$/ ? "an id" : $r->{job}')" \
        "a line for each" <<'END'
1 first id,job,line,warnings an id
3 object id,job,line,warnings an id
4 null id,job,line,warnings an id
5 5 id,job,line,warnings an id
6 6 id,job,line,warnings an id
7 7 id,job,line,warnings an id
END
    is "$(notes)" "$(jobs '$r->{job}' | sort)" "there is a file of each"
    isolator wait --all
    is "$status|$(summary)" "1|isolator: 6 requests in TIME: 2 success, 1 build, 1 exit, 1 tests, 1 timeout" "each has a result"
    expect "$(results_without_figures)" "the results of isolator batch" <"$scratch/expected"
    is "$(notes)" "" "no job is left"
}

test_case 'a test whose files do not fit does not become a job' && {
    perl -MJSON::PP -e 'local $/; my $config = decode_json(<STDIN>); $config->{defaults}{workdirMB} = 2; print encode_json($config)' \
        <"$ISOLATOR_CONFIG" >"$scratch/narrow.json"
    perl -e 'print q({"language": "python", "entrypoint_code": "", "tests": [{"no_expected": true},
        {"no_expected": true, "files": [{"filename": "x", "content": ") =~ tr/\n//dr, "x" x (3 << 20), "\"}]}]}\n"' >"$scratch/requests"
    isolator batch --config "$scratch/narrow.json" --detach "$scratch/requests"
    is "$(json '"$r->{reason} $r->{error}"')" \
        "input the files need 3.0 MB, more than the 2 MB of the working directory; 'x' has 3.0 MB; raise workdirMB" "it is refused"
    is "$(notes)" "" "there is no job"
}

test_case 'so many run at once, and the command ends when the last one is started' && {
    for i in 1 2 3 4; do program "$i" 'cut -d\" \" -f1 /proc/uptime; sleep 1; cut -d\" \" -f1 /proc/uptime'; done | sed 's/\\" \\"/\\" \\"/g' >"$scratch/requests"
    { program long 'echo begun; sleep 600'; echo; echo '  '; } >>"$scratch/requests"
    batch --detach -j 2 "$scratch/requests"
    long=$(job_of 5)
    is "$status $(state_of "$long")" "0 running" "the last one runs, and the blank lines after it are waited for by no one"
    isolator stop "$long"
    isolator wait --all
    is "$status $(results '$r->{reason}' | words)" "1 exit exit exit exit cancelled" "the results"
    # At each beginning it is counted how many others have begun and not ended.
    is "$(results '$r->{stdout}' | perl -e '
        my @times = map { /([\d.]+)/ ? $1 : () } <STDIN>;
        my @runs = map [@times[2 * $_, 2 * $_ + 1]], 0 .. @times / 2 - 1;
        my $max = 0;
        for my $run (@runs) { my $n = grep { $_->[0] <= $run->[0] && $_->[1] > $run->[0] } @runs; $max = $n if $n > $max }
        print scalar @runs, " ", $max <= 2 ? "at most two" : "$max at once"')" "4 at most two" "no more than two at once"
}

test_case 'a line that cannot be a job has its result, and the others are started' && {
    {
        program good 'echo good'
        request '"id": "session", "entrypoint_code": "echo", "session": "s"'
        request '"id": "wrong", "timeout_seconds": "never"'
        echo nothing
        program last 'echo last'
    } >"$scratch/requests"
    batch --detach "$scratch/requests"
    is "$status|$(summary)" "1|isolator: 5 requests in TIME: 3 input, 2 started" "status 1"
    has "$(results '($r->{error} // "") . "\n"')" "a job cannot use a session or a workspace: run such lines without --detach" "a session"
    isolator wait --all
    is "$status $(results '$r->{id} . " " . $r->{stdout}' | words)" "0 good good last last" "the two"
}

test_case 'a batch that was interrupted: what was started goes on, and the rest is started later' && {
    for i in 1 2 3; do program "$i" "echo begun; sleep 600"; done >"$scratch/requests"
    "$ISOLATOR" batch --detach -j 2 "$scratch/requests" >"$scratch/started" 2>"$scratch/stderr" &
    until_true eval '[ "$(grep -c job "$scratch/started")" = 2 ]'
    kill -INT $!
    wait $!
    is "$?|$(tail -n 1 "$scratch/stderr")" "130|isolator: the jobs that were started go on: isolator wait --all" "status 130, and what to do"
    is "$(running)" 2 "two run"
    "$ISOLATOR" batch --detach -j 2 --resume "$scratch/started" "$scratch/requests" >>"$scratch/started" 2>"$scratch/stderr"
    is "$?|$(sed 's/ in .* s:/:/' "$scratch/stderr")" "0|isolator: 1 request: 1 started; 2 skipped" "the third one is started"
    cp "$scratch/started" "$scratch/out"
    is "$(jobs '$r->{id}' | words)|$(running)" "1 2 3|3" "each once"
    isolator rm --force $(jobs '$r->{job}')
    is "$status $(notes)" "0 " "they are removed"
}

test_case 'a job whose id cannot be printed is removed' && {
    program one 'sleep 600' >"$scratch/requests"
    "$ISOLATOR" batch --detach "$scratch/requests" >/dev/full 2>"$scratch/stderr"
    is "$?|$(grep -c 'cannot write the results: No space left' "$scratch/stderr")" "3|1" "status 3"
    is "$(notes)" "" "no job is left, which --resume would start again"
}

test_case 'artifacts go to a directory for each line' && {
    for i in 1 2; do request "\"entrypoint_code\": \"echo $i >made.txt\", \"artifacts\": [\"*.txt\"]"; done >"$scratch/requests"
    isolator=$(realpath "$ISOLATOR")
    (cd "$scratch" && "$isolator" batch --detach --artifacts files requests >out 2>err)
    isolator wait --all
    is "$status $(cd "$scratch/files" && grep . */*.txt | words)" "0 1/made.txt:1 2/made.txt:2" "below the directory that batch has named"
}

test_case --quick 'options that exclude each other' && {
    batch --detach --retries 1 /dev/null
    is "$status|$err" "2|isolator: --retries is not for jobs, which run once" "--retries"
    isolator wait --all 3f9c
    is "$status|$err" "2|isolator: --all waits for all jobs: name none" "--all and a name"
}

# ---- wait --all

test_case 'results come while a batch is still starting jobs' && {
    for i in 1 2 3 4; do program "$i" "echo $i"; done >"$scratch/requests"
    mkfifo "$scratch/input"
    "$ISOLATOR" batch --detach -j 1 "$scratch/input" >"$scratch/started" 2>&1 &
    exec 5>"$scratch/input"
    head -n 1 "$scratch/requests" >&5
    "$ISOLATOR" wait --all >"$scratch/out" 2>"$scratch/stderr" 5>&- & # or it would keep the input open
    waiting=$!
    until_true grep -q reason "$scratch/out"
    sleep 1 # no job is left, and the input has not ended
    kill -0 "$waiting"
    ok $? "it waits for what is still to come"
    tail -n 3 "$scratch/requests" >&5
    exec 5>&-
    wait "$waiting"
    is "$? $(results '$r->{id} . $r->{stdout}' | words)" "0 11 22 33 44" "all results"
}

test_case 'jobs of all kinds: a table, results that are kept, and a timeout' && {
    program of-batch 'echo of a batch' >"$scratch/requests"
    file=$(snippet ash 'echo by hand; exit 3')
    isolator start "$file" --name by-hand
    batch --detach "$scratch/requests"
    isolator wait --all --keep --format text
    is "$status" 1 "one has failed"
    expect "$(sed -E 's/ +[0-9.]+ (ms|MB)//g; s/  +/  /g' <<<"$out" | sort)" "the table" <<'END'
ID  RESULT  TIME  MEMORY  DETAIL
by-hand  exit  program exited with status 3
of-batch  success  of a batch
END
    isolator wait -q --all --json
    is "$err" "" "without a summary"
    is "$(results '($r->{id} // "-") . ($r->{line} // "-") . $r->{stdout}' | words)" "--by hand of-batch1of a batch" "they were kept, and are fetched now"
    isolator start "$(snippet ash 'sleep 600')"
    id=$out
    isolator wait --all --timeout 1s
    is "$status|$out|$(head -n 1 <<<"$err")" "124||isolator: jobs have not ended within the --timeout: 1" "one goes on"
    is "$(state_of "$id")" running "it runs"
    isolator rm --force "$id"
    isolator wait --all
    is "$status|$out|$err" "0||" "nothing is left to wait for"
}

test_case 'status 3 if the engine failed a job, and 124 if others go on' && {
    { program long 'sleep 600'; program killed 'sleep 600'; program fails 'exit 3'; } >"$scratch/requests"
    batch --detach -j 3 "$scratch/requests"
    long=$(job_of 1)
    docker kill "isolator-job-$(job_of 2)" >/dev/null
    until_true eval '[ "$(running)" = 1 ]'
    isolator wait --all --keep --timeout 3s
    is "$status|$(results '"$r->{id} $r->{reason}"')|$(tail -n 1 <<<"$err")" \
        $'124|killed engine\nfails exit|isolator: jobs have not ended within the --timeout: 1' "before all have ended"
    isolator rm --force "$long"
    isolator wait --all
    is "$status|$(summary)" "3|isolator: 2 requests in TIME: 1 engine, 1 exit" "then, since a program failed too"
}

test_case 'a result that cannot be written keeps its job' && {
    program one 'echo one' >"$scratch/requests"
    batch --detach "$scratch/requests"
    "$ISOLATOR" wait --all >/dev/full 2>"$scratch/stderr"
    is "$?|$(head -n 1 "$scratch/stderr")" "3|isolator: cannot write the results: No space left on device" "status 3"
    isolator wait --all
    is "$status $(results '$r->{stdout}')" "0 one" "it is fetched now"
}

test_case 'a job that docker ps lists as created, since it has just started' && {
    mkdir "$scratch/bin"
    printf '#!/usr/bin/env bash\n[ "$1" = ps ] || exec %s "$@"\n%s "$@" | sed "s/running/created/"\n' "$(command -v docker)" "$(command -v docker)" \
        >"$scratch/bin/docker"
    chmod +x "$scratch/bin/docker"
    isolator start "$(snippet ash 'sleep 2; echo over')"
    id=$out
    PATH=$scratch/bin:$PATH "$ISOLATOR" ps --json | grep -F "$id" >"$scratch/out" # jobs of other suites are there too
    is "$(results '$r->{state}')" running "it runs"
    PATH=$scratch/bin:$PATH isolator wait --all
    is "$status $(results '$r->{stdout}')" "0 over" "it is waited for"
}

test_case 'a job that another isolator waits for, and one that is not on the engine' && {
    isolator start "$(snippet ash 'sleep 3; echo over')"
    id=$out
    "$ISOLATOR" wait "$id" >"$scratch/first" 2>/dev/null &
    until_true grep -q "FLOCK .*:$(stat -c %i "$XDG_STATE_HOME/isolator/jobs/$id") " /proc/locks
    isolator wait --all
    is "$status|$out|$err" "0||" "it has no result for this one"
    wait $!
    has "$(cat "$scratch/first")" '"stdout": "over' "the other one has it"
    isolator start "$(snippet ash 'echo lost')"
    id=$out
    docker rm -fv "isolator-job-$id" >/dev/null
    isolator wait --all
    is "$status|$out|$err" "0||isolator: the job $id does not run on this engine: to forget it, use isolator rm" "a container that is gone"
    isolator rm "$id"
    is "$status $(notes)" "0 " "it is forgotten"
}

finish
