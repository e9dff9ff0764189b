#!/usr/bin/env bash
# shellcheck disable=SC2016 # what stands in single quotes is for jq's likes and for the sandbox
# isolator batch: requests in, one a line, results out, one a line; wrong lines beside right ones; how it ends.
. "$(dirname "$0")/lib.sh"

# batch ARG...: runs it; $out has a line for each result.
batch() { isolator batch "$@"; }

# batch_with MEMBERS ARG...: with these laid over the configuration.
batch_with() {
    perl -MJSON::PP -e '
        local $/;
        my ($config, $laid) = (JSON::PP->new->decode(<STDIN>), JSON::PP->new->decode($ARGV[0]));
        $config->{$_} = ref $laid->{$_} ? {%{$config->{$_}}, %{$laid->{$_}}} : $laid->{$_} for keys %$laid;
        print JSON::PP->new->encode($config)' "$1" <"$ISOLATOR_CONFIG" >"$scratch/laid.json"
    shift
    batch --config "$scratch/laid.json" "$@"
}

# results EXPRESSION: a Perl expression about each result %$r, by the number of its line.
results() {
    perl -MJSON::PP -e '
        binmode STDOUT, ":utf8";
        my @results = sort { $a->{line} <=> $b->{line} } map { JSON::PP->new->utf8->decode($_) } <STDIN>;
        print join "; ", map { our $r = $_; eval $ARGV[0] } @results' "$1" <"$scratch/out"
}
brief='join " ", $r->{line}, $r->{id} // "null", $r->{status}, $r->{exitCode}, $r->{stdout} =~ s/\n/|/gr'

cat >"$scratch/requests" <<'END'
{"id": "first", "language": "busybox", "entrypoint_code": "echo one; cat", "stdin": "two\n"}

{"id": 7, "language": "busybox", "entrypoint_code": "echo $WORD $1; cat a/b; exit 3", "environment": {"WORD": "three"}, "arguments": ["four"], "additional_files": [{"filename": "a/b", "content": "five\n"}]}
{"id": {"deep": [null]}, "language": "busybox"}
no JSON
[]
{"language": "busybox", "entrypoint_code": "sleep 600", "timeout_seconds": 0.5}
END
printf '{"id":8,"language":"nope","entrypoint_code":""}' >>"$scratch/requests" # without a newline
batch -j 2 "$scratch/requests"
is "$status|$err" "1|" "a batch with failures: status 1, nothing on stderr"
is "$(results "$brief" | sed 's/HASH([^)]*)/HASH/')" "1 first success 0 one|two|; 3 7 error 3 three four|five|; \
4 HASH error -1 ; 5 null error -1 ; 6 null error -1 ; 7 null timeout 137 ; 8 8 error -1 " "each line has its result"
is "$(results '$r->{error} // "none"')" "none; program exited with status 3; \
entrypoint_code is missing: give the source code of the program; a line must be a JSON object in UTF-8; \
column 2: invalid token near 'no'; a line must be a JSON object in UTF-8; program did not end within 0.5 s; unknown language 'nope'; known are: \
python, go, javascript, bash, busybox, noshell" "each says what was wrong"
is "$(results '$r->{reason}')" "exit; exit; input; input; input; timeout; input" "and why"
has "$out" '{"id":{"deep":[null]},"line":4,' "an id of any kind comes back"

printf '%s\n' '{"id": [0.1, 1e100, -0.0, 12345678901234567], "language": "nope", "entrypoint_code": ""}' >"$scratch/numbers"
batch "$scratch/numbers"
has "$out" '{"id":[0.1,1e100,-0.0,12345678901234567],"line":1,' "numbers of an id come back as they were"
perl -e 'print "{\"id\": \"", "x" x (64 << 20), "\"}\n{\"a\": [", "0," x 200000, "0]}\n"' >"$scratch/large"
batch "$scratch/large"
is "$(results '"$r->{line} $r->{reason} $r->{error}"')" \
    "1 input a line cannot be longer than 64 MiB; 2 input a line cannot have more than 200000 values" "lines that are too large"

input=$scratch/requests batch - -v
is "$status" 1 "from stdin"
is "$(grep -c '^isolator: line [0-9]*: container ' <<<"$err")" 7 "--verbose: a line for each"
batch /dev/null
is "$status|$out|$err" "0||" "nothing to do"
echo '{"language": "busybox", "entrypoint_code": "echo fine"}' >"$scratch/good"
batch "$scratch/good"
is "$status $(results "$brief")" "0 1 null success 0 fine|" "all good: status 0"

# ---- many: each in a container of its own, none lost, none mixed up
perl -e 'print "{\"id\": $_, \"language\": \"busybox\", \"entrypoint_code\": \"echo $_; touch /tmp/used /dev/shm/used; ls -A | wc -l\"}\n" for 1 .. 200' >"$scratch/200"
batch_with '{"warm": {"busybox": 2}}' -j 4 "$scratch/200"
is "$status" 0 "200 lines: all succeed"
is "$(results '$r->{id} == $r->{line} && $r->{stdout} eq "$r->{id}\n1\n" ? () : "$r->{line}: $r->{stdout}"' | tr -d ' ;')" "" \
    "200 lines: each has the result of its own"
is "$(sed 's/.*"container":"\([^"]*\)".*/\1/' "$scratch/out" | sort -u | wc -l)" 200 "200 lines: 200 containers"
has "$(cat "$scratch/out")" '"warm":true' "200 lines: some had waited"
is "$(own_containers)" "" "200 lines: none is left"

# ---- a stream: memory does not grow with it
perl -e 'print "{\"id\": $_}\n" for 1 .. 200000' >"$scratch/many"
peak=$(peak "$ISOLATOR" batch -j 2 "$scratch/many")
memory "$peak" 8192 "200,000 lines: peak memory in kB"

# ---- how it ends
perl -e 'print "{\"id\": $_, \"language\": \"busybox\", \"entrypoint_code\": \"echo begun; sleep 600\"}\n" for 1 .. 5' >"$scratch/long"
# sleepers: how many programs of the batch run.
sleepers() {
    local name
    for name in $(docker ps -q --filter label=isolator.pid="$pid"); do docker top "$name"; done 2>/dev/null | grep -c "sleep 600"
}
start_isolator batch -j 2 "$scratch/long"
until_true eval '[ "$(sleepers)" = 2 ]'
sleep 2
is "$(sleepers)" 2 "-j 2: two at a time"
kill -INT "$pid"
await
is "$status $(results "$brief")" "130 1 1 error 137 begun|; 2 2 error 137 begun|" "SIGINT: what runs is ended, nothing more is begun"
is "$(results '$r->{reason}')" "cancelled; cancelled" "SIGINT: and says so"
is "$(own_containers)" "" "SIGINT: no container is left"

mkfifo "$scratch/fifo"
exec {feed}<>"$scratch/fifo"
cat "$scratch/good" >&"$feed"
input=$scratch/fifo start_isolator batch -j 1
until_true test -s "$scratch/out"
kill -HUP "$pid"
await
exec {feed}>&-
is "$status $(results "$brief")" "129 1 null success 0 fine|" "SIGHUP while it waits for input"

# A reader that has stopped: the pipe is full, then a signal comes.
mkfifo "$scratch/slow"
# has_stalled: it has written something, and then nothing any more.
has_stalled() {
    local before
    before=$(grep wchar "/proc/$pid/io")
    sleep 0.5
    [ "$before" != "wchar: 0" ] && [ "$(grep wchar "/proc/$pid/io")" = "$before" ]
}
# interrupt_stalled OUT ERR ARG...: a batch that writes to these; $status is how it ends.
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
interrupt_stalled "$scratch/slow" "$scratch/err" -j 1
is "$status|$(cat "$scratch/err")" "130|" "SIGINT while nobody takes the results"
interrupt_stalled /dev/null "$scratch/slow" -v -j 2
is "$status" 130 "SIGINT while nobody takes what --verbose says"

# The reader goes on after the signal, when the results of those that still ran are about to come: they are written
# behind a line only if all of that was.
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
    "SIGTERM while a result is written: nothing is behind a line that was cut"
has "$(head -c 1000 "$scratch/out")" '"stdout":"xxx' "SIGTERM while a result is written: it was begun"

perl -e 'print "{\"id\": $_, \"language\": \"busybox\", \"entrypoint_code\": \"echo on\"}\n" for 1 .. 1000' >"$scratch/endless"
"$ISOLATOR" batch "$scratch/endless" > >(trap - EXIT; head -n 1 >"$scratch/out") 2>"$scratch/err" &
pid=$!
own_pids="$own_pids$pid "
wait "$pid"
is "$?|$(cat "$scratch/err")" "141|" "a reader that goes away"
# What cannot be removed is said.
faulty "start * status;rm * fail;ps * fail" batch_with '{"engineTimeoutSeconds": 2}' "$scratch/good"
is "$status $(sed "s/'isolator-[0-9a-f]*'/NAME/; s/container: .*/container/" <<<"$err")" \
    "0 isolator: warning: container NAME may be left behind: cannot remove the container" "a removal that fails"
"$ISOLATOR" batch "$scratch/good" >/dev/full 2>"$scratch/err"
is "$?|$(cat "$scratch/err")" "3|isolator: cannot write the results: No space left on device" "a full device"

# ---- progress, where stderr is a terminal and stdout is none
on_terminal() { TERM=${2-xterm} script -qec "'$ISOLATOR' batch $1 '$scratch/good' 2>&1 >'$scratch/out'" /dev/null | tr -d '\r' | sed 's/[0-9.]* a second/RATE/g; s/\x1b\[K/|/g'; }
is "$(on_terminal "")" "|1 done, 0 failed, RATE, about 0 remain|1 done, 0 failed, RATE" "progress on a terminal; the last line stays"
is "$(on_terminal -q)" "" "--quiet: none"
for kind in dumb ""; do
    is "$(on_terminal "" "$kind")" "1 done, 0 failed, RATE" "TERM='$kind': the last line alone, and nothing is erased"
done

# ---- the command line
wrong() { # MESSAGE NAME ARG...
    local message=$1 name=$2
    shift 2
    batch "$@"
    is "$status|$out|$err" "2||isolator: $message" "$name"
}
wrong "cannot open '$scratch/none': No such file or directory" "no such file" "$scratch/none"
wrong "--jobs: must be a whole number from 1 to 1024" "-j 0" -j 0
wrong "--jobs: must be a whole number from 1 to 1024" "-j 1.5" -j 1.5
wrong "'b' is one argument too many; see isolator batch --help" "two files" a b
wrong "unknown option '--nope'; see isolator batch --help" "an unknown option" --nope
wrong "unknown option '--artifact'; did you mean --artifacts?" "an option of isolator run, which is none here" --artifact x
wrong "unknown option '-x'; see isolator batch --help" "an unknown short option" -xv
wrong "option '--verbose' takes no value" "--verbose with a value" --verbose=x
wrong "option '--config' needs a value" "--config without a value" --config
cp "$scratch/good" "$scratch/both"
"$ISOLATOR" batch "$scratch/both" 2>"$scratch/err" >>"$scratch/both"
is "$?|$(cat "$scratch/err")|$(cat "$scratch/both")" \
    "2|isolator: the results would go to the file from which the requests come|$(cat "$scratch/good")" "one file for both"
wrong "cannot read the requests: Is a directory" "a directory" "$scratch"
batch --help
has "$out" "usage: isolator batch " "--help"

finish
