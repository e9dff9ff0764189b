#!/usr/bin/env bash
# isolator tools: the table, its JSON, servers that fail, and signals. The servers are fakes (test/fixtures/upstream).
# shellcheck source=test/e2e/lib.sh disable=SC2154 # lib.sh sets $out and its like
. "$(dirname "$0")/lib.sh"

fake=$PWD/test/fixtures/upstream

# configured JSON: makes a configuration of these servers the one that is used.
configured() { printf '{"tools": {%s}}\n' "$1" >"$scratch/config.json"; export ISOLATOR_CONFIG=$scratch/config.json; }
# fake MODE [MORE]: an entry of a server.
fake() { printf '{"command": "%s", "args": ["%s"]%s}' "$fake" "$1" "${2-}"; }

test_case --quick 'the table' && {
    configured "\"one\": $(fake good ', "allow": ["list_*"], "ask": ["create_*"]'), \"two\": $(fake good)"
    isolator tools
    is "$status|$err" "0|" "it succeeds"
    expect "$out" "a row for each tool" <<'TABLE'
SERVER  TOOL          CALLS    DESCRIPTION
one     echo          refused  Does echo.
one     list_things   allowed  Does list_things.
one     create_thing  ask      Does create_thing.
two     echo          allowed  Does echo.
two     list_things   allowed  Does list_things.
two     create_thing  refused  Does create_thing.
TABLE
    isolator tools two
    is "$status|$(wc -l <<<"$out")|$(grep -c one <<<"$out")" "0|4|0" "one server"
}

test_case --quick 'JSON' && {
    configured "\"one\": $(fake good ', "allow": ["echo"]')"
    isolator tools --json
    is "$status|$err" "0|" "it succeeds"
    is "$(perl -MJSON::PP -e 'local $/; my ($one) = @{decode_json(<STDIN>)}; my ($echo, $list) = @{$one->{tools}};
        print join " ", $one->{name}, defined $one->{error} ? 1 : 0, $one->{dropped}, scalar @{$one->{tools}}, $echo->{name},
            $echo->{calls}, $echo->{title}, $echo->{inputSchema}{type}, $echo->{outputSchema}{type}, $echo->{readOnlyHint}, $list->{calls}' \
        <"$scratch/out")" "one 0 0 3 echo allowed Echo object object 1 refused" "the members"
}

test_case --quick 'the servers of a .mcp.json allow nothing' && {
    printf '{"mcpServers": {"one": %s}}\n' "$(fake good ', "type": "stdio", "disabled": true')" >"$scratch/mcp.json"
    isolator tools --config "$scratch/mcp.json"
    is "$status|$(grep -c refused <<<"$out")" "0|3" "all tools are refused"
    printf '{"mcpServers": {"one": {"url": "http://localhost"}}}\n' >"$scratch/mcp.json"
    isolator tools --config "$scratch/mcp.json"
    is "$status" 2 "a server over HTTP is an error"
    has "$err" 'mcpServers.one: must be a server over stdio' "its message"
}

test_case --quick 'servers that fail' && {
    configured "\"dead\": $(fake dies-at-start), \"good\": $(fake good), \"text\": $(fake not-json), \"none\": {\"command\": \"/none\"}"
    isolator tools
    is "$status|$(grep -c '^good ' <<<"$out")" "3|3" "the other server is listed"
    expect "$err" "what is wrong" <<'MESSAGES'
isolator: tool server 'dead': has ended with exit status 3: no such database
isolator: tool server 'text': writes text that is not JSON on standard output: Hello \x1b[1m100
isolator: tool server 'none': cannot run '/none': No such file or directory
MESSAGES
    isolator tools --json dead
    has "$out" "\"error\": \"tool server 'dead': has ended with exit status 3: no such database\"" "as JSON"
}

test_case --quick 'a value that is not set, and isolator as a server' && {
    configured "\"one\": $(fake good ', "env": {"TOKEN": "env:ISOLATOR_NO_SUCH"}'), \"self\": {\"command\": \"$ISOLATOR-mcp\"}"
    isolator tools
    is "$status" 3 "both fail"
    has "$err" "tool server 'one': variable 'TOKEN': environment variable 'ISOLATOR_NO_SUCH' is not set" "the variable"
    has "$err" "is isolator itself, which cannot be a tool server" "isolator-mcp"
}

test_case --quick 'bad names are left out and counted' && {
    configured "\"one\": $(fake names ', "allow": ["*"]')"
    isolator tools
    is "$status|$(wc -l <<<"$out")" "0|6" "five tools"
    has "$err" "tool server 'one': 12 tools are left out" "the count"
    is "$(grep -c $'\e' <<<"$out$err")" 0 "no escape sequence"
}

test_case --quick 'no servers, and a name that is unknown' && {
    configured ''
    isolator tools
    is "$status|$out|$err" "0|SERVER  TOOL  CALLS  DESCRIPTION|" "only the heading"
    configured "\"one\": $(fake good)"
    isolator tools two
    is "$status|$err" "2|isolator: unknown tool server 'two'; known are: one" "an unknown name"
}

test_case --quick 'no server is left after SIGKILL, not even one that ignores the end of its input and SIGTERM' && {
    configured "\"one\": {\"command\": \"$fake\", \"args\": [\"stubborn\", \"$scratch/pid\"]}"
    start_isolator tools
    until_true test -s "$scratch/pid"
    kill -KILL "$pid"
    await
    is "$status" 137 "isolator is killed"
    until_true eval '! kill -0 "$(<"$scratch/pid")" 2>/dev/null'
    ok $? "the server is gone"
}

finish
