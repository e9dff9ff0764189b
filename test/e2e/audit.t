#!/usr/bin/env bash
# The audit file: each run adds a line, which has what an administrator needs, and nothing that may be secret.
# shellcheck source=test/e2e/lib.sh disable=SC2154 # lib.sh sets $out and its like
. "$(dirname "$0")/lib.sh"

mcp=$(realpath "${ISOLATOR_MCP:-$(dirname "$ISOLATOR")/isolator-mcp}")
audit=$scratch/audit
hello=$(snippet py 'print("the output")')
digest=$(sha256sum <"$hello" | cut -d ' ' -f 1)

# lines PERL: the expression for each line of the audit file, whose object is $_.
lines() {
    perl -MJSON::PP -e 'while (my $line = <STDIN>) { $_ = decode_json($line); print join(" ", map { $_ // "null" } eval $ARGV[0]), "\n" }' \
        "$1" <"$audit"
}

test_case 'a run' && {
    TOKEN=the-secret run --audit "$audit" --env TOKEN --memory 32 "$hello" -- the-argument
    is "$status $(field stdout)" "0 the output" "the run"
    is "$(lines '@{$_->{caller}}{"uid", "user", "program"}, $_->{language}, $_->{codeSha256}, $_->{limits}{memoryMB}, $_->{network}')" \
        "$(id -u) $(id -un) isolator python $digest 32 none" "who, what and with which limits"
    is "$(lines '@$_{"status", "reason", "exitCode", "signal"}, $_->{peakMemoryBytes} > 0')" "success exit 0 null 1" "the outcome"
    is "$(lines '@$_{"container", "image", "imageId"}')" \
        "$(field container) $(field image) $(docker image inspect -f '{{.Id}}' "$(field image)")" "container, image and its id"
    like=$(grep -cE 'the-secret|the-argument|the output|print|TOKEN' "$audit")
    is "$like $(stat -c %a "$audit") $(wc -l <"$audit")" "0 600 1" "no secret; for its owner alone; one line"
}

test_case 'what fails, and what never begins' && {
    rm -f "$audit"
    run --audit "$audit" -t 0.3 "$(snippet ash 'sleep 100')"
    run --audit "$audit" --image isolator-test/none-such:1 "$hello"
    run --audit "$audit" --language nope "$hello"
    is "$(lines '@$_{"status", "reason", "signal", "imageId"} ' | sed 's/sha256:.*/ID/')" \
        "timeout timeout SIGKILL ID
error image-missing null null" "a timeout, an image that is missing; nothing for a wrong option"
}

test_case 'test, session and batch, and the key auditFile' && {
    rm -f "$audit"
    mkdir -p "$scratch/tests"
    touch "$scratch/tests/1.in"
    echo "the output" | tee "$scratch/tests/1.out" >"$scratch/tests/2.out"
    touch "$scratch/tests/2.in"
    isolator test --audit "$audit" --tests "$scratch/tests" "$hello" "$hello"
    printf 'x = 1\n# %%%%\nx\n' >"$scratch/cells.py"
    isolator session --audit "$audit" "$scratch/cells.py"
    is "$status|$out" "0|1" "the session"
    perl -MJSON::PP -e 'local $/; print encode_json({%{decode_json(<STDIN>)}, auditFile => $ARGV[0]})' \
        "$audit" <"$ISOLATOR_CONFIG" >"$scratch/audited.json"
    echo '{"id": 1, "language": "python", "entrypoint_code": "print(1)"}' >"$scratch/requests"
    isolator batch -q --config "$scratch/audited.json" "$scratch/requests"
    is "$(lines '@$_{"language", "tests", "status"}')" "python 2 success
python 2 success
python 0 success
python 0 success
python 0 success" "a line for each program, cell and request"
    is "$(lines '$_->{codeSha256}' | sort -u | wc -l)" "4" "the digests differ as the programs do"
}

test_case 'many processes write whole lines' && {
    rm -f "$audit"
    for i in 1 2 3; do
        "$ISOLATOR" run --audit "$audit" "$hello" </dev/null >"$scratch/many.$i" &
        own_pids+="$! "
        others[i]=$!
    done
    wait "${others[@]}"
    is "$(lines '@$_{"codeSha256", "status"}')" "$digest success
$digest success
$digest success" "three lines"
}

test_case --quick 'a file that cannot be written' && {
    run --audit /dev/null "$hello"
    is "$status $(field reason) $(field error)" "2 input the audit file '/dev/null' is not a regular file" "a device"
    run --audit "$scratch/none/audit" "$hello"
    is "$status $(field error)" "2 cannot write the audit file '$scratch/none/audit': No such file or directory" "no directory"
}

# The server has opened it; then a directory takes its place.
test_case 'a run that cannot be recorded has no result' && {
    rm -f "$audit"
    call='{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"execute_code","arguments":{"language":"python","entrypoint_code":"print(40 + 2)"}}}'
    mkfifo "$scratch/calls"
    : >"$scratch/answers"
    "$mcp" --audit "$audit" <"$scratch/calls" >"$scratch/answers" 2>"$scratch/err" &
    own_pids+="$! "
    server=$!
    exec 7>"$scratch/calls"
    echo "$call" >&7
    until_true grep -q '"id":1' "$scratch/answers"
    rm "$audit"
    mkdir "$audit"
    echo "${call/\"id\":1/\"id\":2}" >&7
    until_true grep -q '"id":2' "$scratch/answers"
    exec 7>&-
    wait "$server"
    has "$(sed -n 1p "$scratch/answers")" "42" "the first call"
    has "$(sed -n 2p "$scratch/answers")" "cannot write the audit file '$audit': Is a directory" "the second one: the reason"
    is "$(sed -n 2p "$scratch/answers" | grep -c 42)" "0" "the second one: no output"
    rmdir "$audit"
}

finish
