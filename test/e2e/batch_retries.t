#!/usr/bin/env bash
# isolator batch: what the engine failed runs again (--retries), and a batch goes on after an interruption (--resume).
# shellcheck source=test/e2e/lib.sh disable=SC2016,SC2154 # single quotes are for Perl and programs; lib.sh sets $out and its like
. "$(dirname "$0")/lib.sh"
. test/e2e/batch.sh

# ---- failures of the engine

# noshell_lines N: requests with the ids 1 to N, whose programs print their id.
noshell_lines() { perl -e 'print "{\"id\": $_, \"language\": \"noshell\", \"entrypoint_code\": \"text $_\"}\n" for 1 .. $ARGV[0]' "$1"; }
noshell_lines 3 >"$scratch/three"
tried='join " ", $r->{id}, $r->{reason}, $r->{retries} // "-"'

test_case --quick '--retries: what the engine failed runs again' && {
    faulty "create 2 fail" batch -j 1 --retries 1 "$scratch/three"
    is "$status|$(summary)" "0|isolator: 3 requests in TIME: 3 success; 1 retry" "the second time it works"
    expect "$(results "$tried")" "the retries of each" <<'END'
1 exit -
2 exit 1
3 exit -
END
    has "$out" '{"id":2,"line":2,"retries":1,"status":"success",' "the result says so"
    faulty "create * fail" batch -j 1 --retries 1 "$scratch/three"
    is "$status|$(summary)" "3|isolator: 3 requests in TIME: 3 engine; 3 retries" "it never works"
    expect "$(results "$tried")" "each has a retry" <<'END'
1 engine 1
2 engine 1
3 engine 1
END
    is "$(docker_calls | tr ' ' '\n' | grep -c create)" 6 "each was tried twice"
    faulty "create * fail" batch -j 1 "$scratch/three"
    is "$(docker_calls | tr ' ' '\n' | grep -c create)" 3 "without --retries: once"
}

test_case --quick '--retries: nothing else runs again' && {
    cat >"$scratch/failing" <<'END'
{"id": 1, "language": "noshell", "entrypoint_code": "", "arguments": ["--exit=3"]}
{"id": 2, "language": "noshell", "entrypoint_code": "", "arguments": ["--sleep=60"], "timeout_seconds": 0.1}
{"id": 3, "language": "nope", "entrypoint_code": ""}
END
    faulty "" batch -j 1 --retries 3 "$scratch/failing"
    is "$status" 1 "the status"
    expect "$(results "$tried")" "each reason" <<'END'
1 exit -
2 timeout -
3 input -
END
    is "$(docker_calls | tr ' ' '\n' | grep -c start)" 2 "each program was started once"
}

test_case '--retries: a program that has called a tool does not run again, since the call would be made twice' && {
    with_servers "\"one\": {\"command\": \"sh\", \"args\": [\"-c\", \"tee '$scratch/said' | '$PWD/test/fixtures/upstream' good\"], \"allow\": [\"*\"]}"
    echo '{"id": 1, "language": "python", "entrypoint_code": "import tools, time; tools.one.echo(); time.sleep(60)", "timeout_seconds": 20}' >"$scratch/calls"
    start_isolator batch -j 1 --retries 3 --tools one "$scratch/calls"
    until_true grep -qs tools/call "$scratch/said"
    for child in $(children "$pid"); do # the containers: that of the program, and those that wait
        [[ $(tr '\0' ' ' <"/proc/$child/cmdline") != *' run '* ]] || kill -KILL "$child"
    done
    await
    is "$status|$(results "$tried")" "3|1 engine -" "the engine failed it, and it has no retry"
    is "$(grep -c tools/call "$scratch/said")" 1 "the calls"
}

test_case --quick 'status 3 if the engine failed a request, whatever the others have' && {
    cat >"$scratch/mixed" <<'END'
{"id": 1, "language": "noshell", "entrypoint_code": "text 1", "arguments": ["--exit=3"]}
{"id": 2, "language": "noshell", "entrypoint_code": "text 2"}
nothing
END
    faulty "create 2 fail" batch -j 1 "$scratch/mixed"
    is "$status|$(summary)" "3|isolator: 3 requests in TIME: 1 engine, 1 exit, 1 input" "a program that failed before it, a wrong line after it"
    cp "$scratch/out" "$scratch/first"
    faulty "" batch -j 1 --resume "$scratch/first" "$scratch/mixed"
    is "$status|$(summary)" "1|isolator: 2 requests in TIME: 1 input, 1 success; 1 skipped" "--resume: the status is about what ran"
}

test_case 'status 3 if an image is missing' && {
    merge '{"languages": {"gone": {"image": "isolator-test/none", "command": ["sh", "{entrypoint}"], "extensions": [".gone"], "defaultFilename": "main.gone"}}}'
    printf '%s\n' '{"language": "gone", "entrypoint_code": ""}' '{"language": "busybox", "entrypoint_code": "exit 3"}' >"$scratch/gone"
    batch --config "$scratch/laid.json" -j 1 "$scratch/gone"
    is "$status|$(results '$r->{reason}' | tr '\n' ' ')" "3|image-missing exit" "a program failed too"
}

test_case --quick 'SIGINT while requests wait to be run again' && {
    faulty "create * fail" start_isolator batch -j 2 --retries 10 "$scratch/three"
    until_true test -e "$calls/create.6"
    kill -INT "$pid"
    await
    is "$status" 130 "SIGINT ends it"
    expect "$(results '$r->{reason}')" "those that wait are cancelled" <<'END'
cancelled
cancelled
END
}

# Each container takes its time, and the others wait for the first two.
test_case --quick '-j 8 begins with two' && {
    noshell_lines 8 >"$scratch/eight"
    merge '{"engineTimeoutSeconds": 10}' # the docker commands that hang get a part of it to end
    faulty "run * hang" start_isolator batch --config "$scratch/laid.json" -j 8 "$scratch/eight"
    until_true test -e "$calls/run.2"
    sleep 1
    is "$(docker_calls)" "run run" "two containers are asked for"
    kill -INT "$pid"
    await
    faulty "" batch -j 8 "$scratch/eight"
    is "$status|$(summary)" "0|isolator: 8 requests in TIME: 8 success" "an engine that keeps up: all run"
}

# ---- --resume

cat >"$scratch/wanted" <<'END'
{"id": "done", "language": "noshell", "entrypoint_code": "text 1"}
{"id": {"n": 1.5}, "language": "noshell", "entrypoint_code": "text 2"}
{"id": "engine", "language": "noshell", "entrypoint_code": "text 3"}

{"id": "cancelled", "language": "noshell", "entrypoint_code": "text 5"}
{"language": "noshell", "entrypoint_code": "text 6"}
{"id": "new", "language": "noshell", "entrypoint_code": "text 7"}
END
cat >"$scratch/earlier" <<'END'
{"id":"done","line":1,"status":"error","reason":"timeout"}
{"id":{"n":1.5},"line":2,"status":"success","reason":"exit"}

{"id":"engine","line":3,"status":"error","reason":"engine"}
{"id":"cancelled","line":5,"status":"error","reason":"cancelled"}
{"id":null,"line":6,"status":"success","reason":"exit"}
{"id":"of another file","line":9,"status":"success","reason":"exit"}
END
ran='"$r->{line} " . ($r->{id} // "null")'

test_case --quick '--resume: requests with a result are skipped' && {
    batch --resume "$scratch/earlier" "$scratch/wanted"
    is "$status|$(summary)" "0|isolator: 4 requests in TIME: 4 success; 2 skipped" "two are skipped"
    expect "$(results "$ran")" "the others run" <<'END'
3 engine
5 cancelled
6 null
7 new
END
    batch --resume "$scratch/out.1" "$scratch/wanted"
    is "$status|$out|$err" "2||isolator: cannot open '$scratch/out.1': No such file or directory" "no such file"
    batch --resume /dev/null "$scratch/wanted"
    is "$(summary)" "isolator: 6 requests in TIME: 6 success" "no results: all run"
    cp "$scratch/out" "$scratch/all"
    printf '%s\n' '{"id":"new","line":7,"reason":"engine"}' >>"$scratch/all"
    sed -i '/"id":null/d' "$scratch/all"
    grep -v '^{"lang' "$scratch/wanted" >"$scratch/named"
    batch --resume "$scratch/all" "$scratch/named"
    is "$status|$out|$(summary)" "0||isolator: 0 requests in TIME; 5 skipped" "all have a result, of which one ran again"
}

# The checker of tests says nothing about the program if it fails.
test_case 'an error of the judges runs again, with --retries and with --resume' && {
    echo '{"id": "judged", "language": "noshell", "entrypoint_code": "text 1", "tests": [{"expected_stdout": "1"}],
        "checker": {"language": "noshell", "code": "", "arguments": ["--exit=3"]}}' | tr -d '\n' >"$scratch/judged"
    batch --retries 1 "$scratch/judged"
    is "$status|$(results "$tried")|$(summary)" "3|judged judge-error 1|isolator: 1 request in TIME: 1 judge-error; 1 retry" "--retries"
    cp "$scratch/out" "$scratch/unjudged"
    sed -i 's/exit=3/exit=1/' "$scratch/judged"
    batch --resume "$scratch/unjudged" "$scratch/judged"
    is "$status|$(results "$tried")" "1|judged tests -" "--resume"
    cp "$scratch/out" "$scratch/verdict"
    batch --resume "$scratch/verdict" "$scratch/judged"
    is "$status|$(summary)" "0|isolator: 0 requests in TIME; 1 skipped" "a verdict stands"
}

test_case --quick '--resume: requests and results from pipes' && {
    mkfifo "$scratch/pipe"
    cat "$scratch/wanted" >"$scratch/pipe" &
    batch --resume <(cat "$scratch/earlier") "$scratch/pipe"
    is "$status" 0 "what can be read only once: the status"
    expect "$(results "$ran")" "what can be read only once" <<'END'
3 engine
5 cancelled
6 null
7 new
END
    { read -r; "$ISOLATOR" batch -q --resume "$scratch/earlier"; } <"$scratch/wanted" >"$scratch/out"
    expect "$(results "$ran")" "stdin from where it is" <<'END'
2 engine
4 cancelled
5 null
6 new
END
}

# append: runs a batch that goes on with the file of its results.
append() { "$ISOLATOR" batch --resume "$scratch/log" "$scratch/wanted" >>"$scratch/log" 2>"$scratch/err"; status=$?; err=$(cat "$scratch/err"); }

test_case --quick '--resume: the results are appended to the same file' && {
    cp "$scratch/earlier" "$scratch/log"
    append
    is "$status|$(summary)|$(wc -l <"$scratch/log")" "0|isolator: 4 requests in TIME: 4 success; 2 skipped|11" "the first time"
    append
    is "$status|$(summary)|$(wc -l <"$scratch/log")" "0|isolator: 1 request in TIME: 1 success; 5 skipped|12" "the second time"
    for cut in '{"id":"new","line":7,"sta' '{"i'; do
        { cat "$scratch/earlier"; printf %s "$cut"; } >"$scratch/log"
        append
        is "$status|$(summary)" "0|isolator: warning: the last line of '$scratch/log' is incomplete and was removed
isolator: 4 requests in TIME: 4 success; 2 skipped" "a last line that is cut off"
        is "$(head -n 7 "$scratch/log")|$(perl -MJSON::PP -ne '/./ && eval { decode_json($_) } or print "line $.: $@"' "$scratch/log")" \
            "$(cat "$scratch/earlier")|line 3: " "the results begin a line of their own"
    done
    { cat "$scratch/earlier"; printf %s '{"id":"new","line":7,"reason":"exit"}'; } >"$scratch/log"
    append
    is "$status|$(summary)" "0|isolator: 3 requests in TIME: 3 success; 3 skipped" "a last line without a newline"
    is "$(sed -n 8p "$scratch/log")|$(wc -l <"$scratch/log")" '{"id":"new","line":7,"reason":"exit"}|11' "a newline follows it"
    cp "$scratch/earlier" "$scratch/log"
    "$ISOLATOR" batch --resume "$scratch/log" "$scratch/wanted" 1<>"$scratch/log" 2>"$scratch/err"
    is "$?|$(cat "$scratch/err")|$(cat "$scratch/log")" \
        "2|isolator: stdout overwrites '$scratch/log', which is to be resumed; append to it with >>|$(cat "$scratch/earlier")" "not appended"
}

test_case --quick '--resume: a last line that is cut off, in another file' && {
    { cat "$scratch/earlier"; printf %s '{"id":"new","line":7,"sta'; } >"$scratch/log"
    batch --resume "$scratch/log" "$scratch/wanted"
    is "$status|$(summary)|$(tail -n 1 "$scratch/log")" "0|isolator: warning: the last line of '$scratch/log' is incomplete
isolator: 4 requests in TIME: 4 success; 2 skipped|{\"id\":\"new\",\"line\":7,\"sta" "the file is not changed"
}

test_case --quick '--resume: what is no result' && {
    while IFS='|' read -r name text; do
        { cat "$scratch/earlier"; printf '%b' "$text"; } >"$scratch/log"
        batch --resume "$scratch/log" "$scratch/wanted"
        is "$status|$out|$err" "2||isolator: '$scratch/log', line 8: not a result of isolator batch" "$name"
        append
        is "$status|$(tail -n +8 "$scratch/log")" "2|$(printf '%b' "$text")" "$name: the file is not changed"
    done <<'END'
no JSON|oops\n
a cut line in the middle|{"id":"new","li\n{"id":"new","reason":"exit"}\n
a cut line of something else|{"name":"new","li
no reason|{"id":"new","line":7}\n
a request|{"id":"new","language":"noshell","entrypoint_code":""}\n
no id|{"line":7,"reason":"exit"}\n
no object|[]\n
END
    batch --resume "$scratch" "$scratch/wanted"
    is "$status|$out|$err" "2||isolator: cannot read the results: Is a directory" "a directory"
}

# Requests that are refused need no engine.
test_case --quick 'ids that are real numbers come back exactly' && {
    for id in 1.7976931348623157e308 5e-324 0.1 0.10000000000000002 -1.5 '[0.3,0.30000000000000004]'; do
        echo "{\"id\": $id, \"language\": \"busybox\"}"
    done >"$scratch/real"
    batch "$scratch/real"
    expect "$(sort -t : -k 3n "$scratch/out" | sed 's/{"id"://; s/,"line".*//')" "each id" <<'END'
1.7976931348623157e308
4.94065645841247e-324
0.1
0.10000000000000002
-1.5
[0.29999999999999999,0.30000000000000004]
END
    cp "$scratch/out" "$scratch/real.log"
    batch --resume "$scratch/real.log" "$scratch/real"
    is "$status|$(summary)" "0|isolator: 0 requests in TIME; 6 skipped" "the results are read, and no two ids are the same"
}

test_case --quick '--resume: two requests with one id' && {
    { cat "$scratch/wanted"; echo '{"language": "nope", "id": {"n": 15e-1}}'; } >"$scratch/same"
    faulty "" batch --resume "$scratch/earlier" "$scratch/same"
    is "$status|$out|$err" '2||isolator: lines 2 and 8 have the same id {"n":1.5}; --resume needs different ids' "refused"
    is "$(docker_calls)" "" "before the first request runs"
    batch "$scratch/same"
    is "$(results '$r->{line}')" $'1\n2\n3\n5\n6\n7\n8' "without --resume they run"
}

# has_open FILE: whether the started isolator has it open.
has_open() { find "/proc/$pid/fd" -lname "$1" 2>/dev/null | grep -q .; }

test_case --quick '--resume: SIGINT before the first request' && {
    mkfifo "$scratch/endless-pipe"
    exec {feed}<>"$scratch/endless-pipe"
    start_isolator batch --resume /dev/null "$scratch/endless-pipe"
    until_true has_open "$scratch/endless-pipe"
    sleep 0.5
    kill -INT "$pid"
    await
    exec {feed}>&-
    is "$status|$out|$err" "130||" "SIGINT while the requests are copied"
}

test_case '--resume: 200,000 results need little memory' && {
    perl -e 'print "{\"id\":\"task/$_\",\"line\":$_,\"reason\":\"exit\"}\n" for 1 .. 200000' >"$scratch/done"
    perl -e 'print "{\"id\": \"task/$_\"}\n" for 1 .. 200000' >"$scratch/many-named"
    peak=$(peak "$ISOLATOR" batch -j 2 --resume "$scratch/done" "$scratch/many-named" 2>"$scratch/err")
    memory "$peak" 49152 "200,000 ids: peak memory in kB" # 40,388 measured
    err=$(cat "$scratch/err")
    is "$(summary)" "isolator: 0 requests in TIME; 200000 skipped" "all are skipped"
}

finish
