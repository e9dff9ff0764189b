#!/usr/bin/env bash
# The command isolator-mcp: its options, errors in its own configuration. What it prints for hosts is in mcp_hosts.t.
# shellcheck source=test/e2e/lib.sh disable=SC2016,SC2154 # single quotes are for Perl; lib.sh sets $out and its like
. "$(dirname "$0")/lib.sh"

mcp=$(realpath "${ISOLATOR_MCP:-$(dirname "$ISOLATOR")/isolator-mcp}")
export ISOLATOR_CONFIG='' XDG_CONFIG_HOME=$scratch/none
unset DOCKER_HOST DOCKER_CONTEXT DOCKER_CONFIG DOCKER_CERT_PATH DOCKER_TLS_VERIFY

# server ARG...: runs isolator-mcp with $input as its stdin, which ends after $lines lines of output, and sets $status,
# $out and $err. The messages are kept in $scratch/messages-*.
lines=0
server() {
    : >"$scratch/out"
    "$mcp" "$@" < <(cat "${input:-/dev/null}"; until_true answered) >"$scratch/out" 2>"$scratch/err" &
    own_pids="$own_pids$! "
    wait $!
    status=$?
    take_output
    [ "$lines" = 0 ] || (sed 's/^/> /' "$input" && sed 's/^/< /' "$scratch/out") >"$(mktemp "$scratch/messages-XXX")"
}
answered() { [ "$(wc -l <"$scratch/out")" -ge "$lines" ]; }

ping=$scratch/ping
echo '{"jsonrpc":"2.0","id":1,"method":"ping"}' >"$ping"
lists=$scratch/lists
printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' \
    '{"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}' >"$lists"
file=$scratch/config.json

# ---- options

test_case --quick 'the options' && {
    server --help
    is "$status|$err|${out%%$'\n'*}" "0||usage: isolator-mcp [OPTIONS]" "--help"
    help=$out
    server -h
    is "$status|$err|$out" "0||$help" "-h"
    server --version
    is "$status|$err|$out" "0||isolator-mcp $("$ISOLATOR" --version | sed 's/.* //')" "--version: that of isolator"
    "$mcp" --version >/dev/full 2>"$scratch/err"
    is "$?|$(<"$scratch/err")" "3|isolator-mcp: cannot write to stdout: No space left on device" "--version: stdout is full"
}

# refused MESSAGE NAME ARG...: asserts that these arguments are refused with this message on stderr.
refused() {
    local message=$1 name=$2
    shift 2
    server "$@"
    is "$status|$out|$err" "2||isolator-mcp: $message" "$name"
}

test_case --quick 'wrong use' && {
    server --nope
    refused "unknown option '--nope'; see isolator-mcp --help" "an unknown option" --nope
    refused "unknown option '--no=value'; see isolator-mcp --help" "an unknown option with a value" --no=value
    refused "unknown option '--verb'; did you mean --verbose?" "an abbreviated option" --verb
    refused "unknown option '-x'; see isolator-mcp --help" "an unknown letter after a known one" -vx
    refused "unknown option '--\\x1b[31m'; see isolator-mcp --help" "an escape sequence is escaped" $'--\e[31m'
    refused "option '--config' needs a value" "--config without a file" --config
    refused "option '--help' takes no value" "--help with a value" --help=all
    refused "unexpected argument 'run'; see isolator-mcp --help" "an argument" run
    refused "unexpected argument 'run'; see isolator-mcp --help" "an argument after --" -- run
    refused "unexpected argument ''; see isolator-mcp --help" "an empty argument" ''
}

# ---- its own configuration
# broken JSON MESSAGE NAME: asserts that this configuration is refused with this message on stderr.
broken() {
    printf '%s' "$1" >"$file"
    server --config "$file"
    is "$status|$out|$err" "2||isolator-mcp: $2" "$3"
}

test_case --quick 'a wrong configuration is refused before anything is read or written' && {
    broken '{"languages": 7}' "$file: languages: must be an object" "a wrong value"
    broken '{"maxQueue": 7}' "$file: maxQueue: unknown key; did you mean 'maxQueued'?" "an unknown key"
    broken '{"maxConcurrent": 0}' "$file: maxConcurrent: must be a whole number from 1 to 1024" "maxConcurrent 0"
    broken '{"maxQueued": -1}' "$file: maxQueued: must be a whole number from 0 to 100000" "maxQueued -1"
    broken '{"maxTextBytes": 999}' "$file: maxTextBytes: must be a whole number from 1000 to 450000" "maxTextBytes 999"
    broken '{"maxConcurrent": "2"}' "$file: maxConcurrent: must be a whole number from 1 to 1024" "maxConcurrent \"2\""
    broken '{' "$file:1:1: string or '}' expected near end of file" "no JSON"
    server --config "$scratch/nothing"
    is "$status|$out|$err" "2||isolator-mcp: cannot open the configuration '$scratch/nothing': No such file or directory" \
        "a missing configuration"
    ISOLATOR_CONFIG=$scratch/nothing server
    is "$status|$out|$err" "2||isolator-mcp: cannot open the configuration '$scratch/nothing': No such file or directory" \
        "ISOLATOR_CONFIG: a missing configuration"
}

test_case --quick 'a good configuration, and --verbose: only responses on stdout' && {
    input=$ping lines=1
    echo '{"maxQueued": 0}' >"$file"
    server --config "$file"
    is "$status|$out|$err" '0|{"jsonrpc":"2.0","id":1,"result":{}}|' "a good configuration: the ping is answered, nothing on stderr"
    server --verbose
    is "$status|$out|$err" '0|{"jsonrpc":"2.0","id":1,"result":{}}|' "--verbose: only the response on stdout"
}

# ---- timeouts
# timeouts [ARG...]: those in tools/list, "python: 45, go: 45, ...".
timeouts() {
    server "$@"
    perl -MJSON::PP -ne '
        my $tools = decode_json($_)->{result}{tools} or next;
        my %seconds; # a line is for all languages with the same limits
        while ($tools->[0]{description} =~ /^- ([^:]+): ([\d.]+) s,/mg) { my $s = $2; $seconds{$_} = $s for split /, /, $1 }
        print join ", ", map "$_: $seconds{$_}", @{$tools->[0]{inputSchema}{properties}{language}{enum}}' "$scratch/out"
}
each() { sed "s/,/: $1,/g; s/\$/: $1/" <<<"$built_in"; } # SECONDS: every language has these
configured() { printf '%s' "$1" >"$file"; timeouts --config "$file"; }

test_case --quick 'the timeout of each language, in tools/list' && {
    input=$lists lines=2
    export DOCKER_HOST=unix:///nonexistent # no engine, so all languages are offered
    is "$(timeouts)" "$(each 45)" "no configured timeout: 45 s"
    is "$(configured '{"defaults": {"memoryMB": 128}}')" "$(each 45)" "a file without a timeout: 45 s"
    is "$(configured '{"defaults": {"timeoutSeconds": 7.5}}')" "$(each 7.5)" "a file with a timeout"
    is "$(configured '{"defaults": {"timeoutSeconds": 60}}')" "$(each 60)" "a file with the timeout of isolator run"
    is "$(configured '{"languages": {"go": {"timeoutSeconds": 90}}}')" "$(each 45 | sed "s/go: 45/go: 90/")" \
        "a file with a timeout for a language"
    is "$(configured '{"maximums": {"timeoutSeconds": 20}}')" "$(each 20)" "a file with a smaller maximum"
    server --config "$file"
    has "$out" "A value above 20 is lowered to 20." "the description of timeout_seconds names the maximum"
    unset DOCKER_HOST
}

# ---- languages that are offered
# offered JSON [COMMAND...]: the languages in tools/list under this configuration; COMMAND may be `faulty FAULT`.
offered() {
    printf '%s' "$1" >"$file"
    shift
    "$@" server --config "$file"
    perl -MJSON::PP -ne 'my $tools = decode_json($_)->{result}{tools} or next;
        print join ", ", @{$tools->[0]{inputSchema}{properties}{language}{enum}}' "$scratch/out"
}
# The images of the languages that the tests build are there under these names, and no others.
absent=$(perl -e 'print join ", ", map qq("$_": {"image": "isolator-test/none-such:1"}), split /, /, $ARGV[0]' "$built_in")
some='"engineTimeoutSeconds": 300, "languages": {'${absent/'"python": {"image": "isolator-test/none-such:1"}'/'"python": {"image": "isolator-test/python:bookworm"}'}

test_case 'only languages whose images are on the engine are offered' && {
    input=$lists lines=2
    is "$(offered "{$some}}")" "python" "one image is there"
    is "$(offered "{$some, \"sh\": {\"image\": \"isolator-test/busybox:1\", \"command\": [\"sh\", \"{entrypoint}\"],
        \"extensions\": [\".x\"], \"defaultFilename\": \"x\"}}}")" "python, sh" "two"
    is "$(offered "{${some/'none-such:1"'/'languages:trixie", "imageVersions": {"NODE_VERSION": "99"}'}}}")" "python" "one is there, and one is too old"
    is "$(offered "{\"engineTimeoutSeconds\": 300, \"languages\": {$absent}}")" "$built_in" "none is there: all are offered"
    is "$(offered "{\"languages\": {$absent}, \"containerCommand\": \"no-such-docker\"}")" "$built_in" "docker cannot say: all"
    has "$(<"$scratch/out")" '"id":1,' "the request has its response"
}

test_case 'the engine is asked once, and only if a client begins to talk' && {
    input=$scratch/many lines=102
    for i in {1..101}; do echo '{"jsonrpc":"2.0","id":'"$i"',"method":"tools/list"}'; done >"$input"
    echo '{"jsonrpc":"2.0","id":102,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}' >>"$input"
    printf '%s' "{$some}}" >"$file"
    faulty "" server --config "$file"
    is "$(grep -c '"enum":\["python"\]' "$scratch/out") $(grep -c '"enum":\["python","go"' "$scratch/out")" "100 1" \
        "one hundred wait, more than that get all languages"
    is "$(docker_calls)" "image" "one docker command"
    input=$ping lines=1
    faulty "" server --config "$file"
    is "$(docker_calls)" "" "none for a ping"
}

test_case 'an engine that hangs delays no other answer' && {
    input=$lists lines=1 # stdin ends after the response to initialize
    is "$(offered "{$some}}" faulty "image * hang")" "$built_in" "when stdin ends, the list has all languages"
    is "$(sed 's/.*"id":\([0-9]*\).*/\1/' "$scratch/out" | paste -s -d ' ')" "2 1" "initialize was answered before"
}

test_case 'all messages of the servers fit the schema of their revision' && {
    input=$ping lines=1
    server
    input=$lists lines=2
    server
    said=$(test/mcp/install 2>&1 && node test/mcp/validate.mjs "$scratch"/messages-* 2>&1)
    ok $? "all messages of the servers fit the schema of their revision" || diag "$said"
}

finish
