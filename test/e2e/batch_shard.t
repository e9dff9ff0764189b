#!/usr/bin/env bash
# isolator batch --shard: several batches that divide a file of requests, each of which runs its part of the lines.
# shellcheck source=test/e2e/lib.sh disable=SC2016,SC2154 # single quotes are for Perl and programs; lib.sh sets $out and its like
. "$(dirname "$0")/lib.sh"

. test/e2e/batch.sh

# 13 lines: requests with the number of their line as id, but for a blank line (4) and one that is no request (8).
perl -e 'print $_ == 4 ? "  \n" : $_ == 8 ? "nothing\n" :
    qq({"id": $_, "language": "noshell", "entrypoint_code": "text $_"}\n) for 1 .. 13' >"$scratch/requests"
ran='join " ", $r->{line}, $r->{id} // "null", $r->{reason}, $r->{stdout} =~ /(text \d+)/ ? $1 : "-"'

# shards: runs three, whose results are in shard-1 to shard-3, and sets $statuses.
shards() {
    local i
    statuses=
    for i in 1 2 3; do
        batch -q --shard "$i/3" "$scratch/requests"
        cp "$scratch/out" "$scratch/shard-$i"
        statuses+="$status "
    done
}
# lines FILE...: the numbers of the lines that have a result in these files, sorted.
lines() { perl -MJSON::PP -e 'print join " ", sort { $a <=> $b } map { decode_json($_)->{line} } <>' "$@"; }

test_case --quick 'three shards together have a result for each line' && {
    batch -q "$scratch/requests"
    results "$ran" >"$scratch/expected"
    is "$(lines "$scratch/out")" "1 2 3 5 6 7 8 9 10 11 12 13" "without --shard: all lines"
    shards
    is "$statuses" "0 1 0 " "the one with a line that is no request fails"
    is "$(lines "$scratch/shard-1")|$(lines "$scratch/shard-2")|$(lines "$scratch/shard-3")" "1 7 10 13|2 5 8 11|3 6 9 12" \
        "each has every third line; a blank line counts"
    cat "$scratch"/shard-[123] >"$scratch/out"
    expect "$(results "$ran")" "with the line, the id and the result that each has in one batch" <"$scratch/expected"
}

test_case --quick 'the summary names the shard' && {
    batch --shard 2/3 "$scratch/requests"
    is "$status|$(summary)" "1|isolator: shard 2/3: 4 requests in TIME: 3 success, 1 input" "the second of three"
    batch -j 1 --shard 01/1 "$scratch/requests"
    is "$status|$(summary)" "1|isolator: shard 1/1: 12 requests in TIME: 11 success, 1 input" "the only one has all lines"
    input=$scratch/requests batch --shard=3/3
    is "$status|$(summary)|$(lines "$scratch/out")" "0|isolator: shard 3/3: 4 requests in TIME: 4 success|3 6 9 12" "from stdin"
}

test_case --quick 'a shard without a request succeeds' && {
    batch --shard 14/1000000 "$scratch/requests"
    is "$status|$out|$err" "0||isolator: the input has no request of shard 14/1000000" "more shards than lines"
    batch --shard 4/20 "$scratch/requests"
    is "$status|$out|$err" "0||isolator: the input has no request of shard 4/20" "its only line is blank"
    batch -q --shard 4/20 "$scratch/requests"
    is "$status|$out|$err" "0||" "--quiet"
}

test_case --quick 'a line of another shard may be anything' && {
    { echo '{"id": 1, "language": "noshell", "entrypoint_code": "text 1"}'; perl -e 'print "x" x (65 << 20), "\n{\n"'; } >"$scratch/odd"
    batch --shard 1/3 "$scratch/odd"
    is "$status|$(summary)" "0|isolator: shard 1/3: 1 request in TIME: 1 success" "a line that is too long, and one that is cut off"
    batch --shard 2/3 "$scratch/odd"
    is "$status|$(results '"$r->{line} $r->{error}"')" "1|2 a line cannot be longer than 64 MiB" "the shard that has it"
}

test_case --quick 'wrong values' && {
    form="is not I/N, with I from 1 to N, and N at most 1000000"
    for value in 4/3 3 3/ /3 -1/3 1/1000001 1.5/3 a/b 1/2/3 "" " 1/2"; do
        batch --shard="$value" "$scratch/requests"
        is "$status|$out|$err" "2||isolator: --shard: '$value' $form" "--shard=$value"
    done
    batch --shard 0/3 "$scratch/requests"
    is "$status|$out|$err" "2||isolator: --shard: '0/3' $form; if the index begins at 0, add 1 to it" "--shard 0/3"
    batch --shard
    is "$status|$err" "2|isolator: option '--shard' needs a value" "no value"
}

test_case --quick 'a line with a session is refused' && {
    cat >"$scratch/sessions" <<'END'
{"id": 1, "language": "noshell", "session": "a", "entrypoint_code": "text 1"}
{"id": 2, "language": "noshell", "session": "a", "entrypoint_code": "text 2", "close_session": true}
{"id": 3, "language": "noshell", "session": null, "entrypoint_code": "text 3"}
END
    batch --shard 1/2 "$scratch/sessions"
    is "$status|$(summary)" "1|isolator: shard 1/2: 2 requests in TIME: 1 input, 1 success" "the other lines run"
    expect "$(results '"$r->{line} $r->{reason} " . ($r->{error} // "none")')" "each result" <<'END'
1 input the lines of a session or workspace cannot be divided into shards: run them without --shard
3 exit none
END
    batch --shard 1/1 "$scratch/sessions"
    is "$(grep -c 'divided into shards' "$scratch/out")" 0 "a single shard has all lines of a session"
}

# ---- --resume

test_case --quick '--resume runs what a lost shard has not run' && {
    shards
    head -n 1 "$scratch/shard-1" >"$scratch/cut"
    batch --shard 1/3 --resume "$scratch/cut" "$scratch/requests"
    is "$status|$(summary)" "0|isolator: shard 1/3: 3 requests in TIME: 3 success; 1 skipped" "its other lines"
    is "$(lines "$scratch/cut" "$scratch/out")" "1 7 10 13" "each line once"
    cat "$scratch/cut" "$scratch/shard-2" "$scratch/shard-3" >"$scratch/some"
    batch --shard 1/3 --resume "$scratch/some" "$scratch/requests"
    is "$status|$(summary)" "0|isolator: shard 1/3: 3 requests in TIME: 3 success; 1 skipped" "the file has results of other shards too"
    batch --shard 3/3 --resume "$scratch/shard-1" "$scratch/requests"
    is "$status|$(summary)|$(lines "$scratch/out")" "0|isolator: shard 3/3: 4 requests in TIME: 4 success|3 6 9 12" "or only those"
    batch --shard 1/3 --resume "$scratch/shard-1" "$scratch/requests"
    is "$status|$out|$(summary)" "0||isolator: shard 1/3: 0 requests in TIME; 4 skipped" "nothing is left to do"
    batch --shard 2/3 --resume <(cat "$scratch/shard-2") <(cat "$scratch/requests")
    is "$status|$(summary)" "1|isolator: shard 2/3: 1 request in TIME: 1 input; 3 skipped" "from pipes; a line without an id runs again"
}

test_case --quick '--resume: lines of different shards cannot have the same id' && {
    { cat "$scratch/requests"; echo '{"id": 1, "language": "noshell", "entrypoint_code": "text 14"}'; } >"$scratch/same"
    echo '{"id":1,"line":1,"reason":"exit"}' >"$scratch/first"
    batch --shard 2/3 --resume "$scratch/first" "$scratch/same"
    is "$status|$out|$err" "2||isolator: lines 1 and 14 have the same id 1; --resume needs different ids" \
        "the result of another shard would stand for its own"
}

test_case --quick 'the exit status is about the lines of the shard' && {
    noshell='"language": "noshell", "entrypoint_code": ""'
    printf '%s\n' "{\"id\": 1, $noshell, \"arguments\": [\"--exit=3\"]}" "{\"id\": 2, $noshell}" "{\"id\": 3, $noshell}" >"$scratch/mixed"
    faulty "" batch -q --shard 1/3 "$scratch/mixed"
    is "$status|$(results '$r->{reason}')" "1|exit" "a program that failed"
    faulty "create 1 fail" batch -q --shard 2/3 "$scratch/mixed"
    is "$status|$(results '$r->{reason}')" "3|engine" "a failure of the engine"
    faulty "" batch -q --shard 3/3 "$scratch/mixed"
    is "$status|$(results '$r->{reason}')" "0|exit" "success"
}

# ---- jobs

test_case '--detach starts the jobs of the shard' && {
    for i in 1 2 3 4; do echo "{\"id\": \"job $i\", \"language\": \"busybox\", \"entrypoint_code\": \"echo $i\"}"; done >"$scratch/four"
    batch --detach --shard 2/2 "$scratch/four"
    is "$status|$(summary)|$(results '"$r->{line} $r->{id}"' | tr '\n' ' ')" \
        "0|isolator: shard 2/2: 2 requests in TIME: 2 started|2 job 2 4 job 4" "two jobs, with the lines of the whole file"
    cp "$scratch/out" "$scratch/started"
    batch --detach --shard 2/2 --resume "$scratch/started" "$scratch/four"
    is "$status|$out|$(summary)" "0||isolator: shard 2/2: 0 requests in TIME; 2 skipped" "--resume: both were started"
    isolator wait --all
    is "$status|$(summary)" "0|isolator: 2 requests in TIME: 2 success" "their results"
    expect "$(results '"$r->{line} $r->{id} " . quoted($r->{stdout})')" "line and id" <<'END'
2 job 2 "2\n"
4 job 4 "4\n"
END
}

finish
