#!/usr/bin/env bash
# Programs that call tools: what they get, what is refused, limits and ends. The servers are fakes (test/fixtures/upstream).
# shellcheck source=test/e2e/lib.sh disable=SC2016,SC2154 # single quotes are for the programs; lib.sh sets $out and its like
. "$(dirname "$0")/lib.sh"

export PROBE_SECRET=s3cret-of-a-server

# python TEXT ARG...: runs the program.
python() { code py "$@"; }
# calls: "NAME ok|failed" of each call, and the counts.
calls() { json 'join(" ", map({ $_->{name} . ($_->{ok} ? " ok" : " failed") } @{$r->{toolCalls}}), map { "$_=" . $r->{toolCallCounts}{$_} } qw(ok failed))'; }

test_case 'a program calls the tools of a server, and finds out which there are' && {
    with_servers "$(tool_server one rich ', "allow": ["echo", "dashed-*"]'), $(tool_server two good)"
    python 'import tools, inspect
print(tools.one.echo(a=1, b="\u00e9"))
print(tools.search("echo"), tools.describe("one.echo")["inputSchema"])
print(dir(tools), dir(tools.one), tools.one.echo.__doc__, tools.one.dashed_name.__signature__)
print(tools.one.dashed_name(city="x"), tools.one["dashed-name"](city="y"))
for call in (lambda: tools.one.create_thing(a=1), lambda: tools.two.echo(), lambda: tools.one.ECHO(), lambda: tools.describe("one.none")):
    try: call()
    except tools.ToolError as e: print(e)' --tools one
    is "$status" 0 "exit status"
    expect "$(field stdout)" "what the program got" <<'END'
{'got': {'a': 1, 'b': 'é'}}
{'one.echo': 'Does echo.'} {'type': 'object'}
['ToolError', 'aio', 'describe', 'one', 'search'] ['dashed_name', 'echo'] Does echo.
More. (*, city, country=None)
{'got': {'city': 'x'}} {'got': {'city': 'y'}}
the tool 'one.create_thing' is not allowed
the tool 'two.echo' is not allowed
the tool 'one.ECHO' is not allowed
there is no tool 'one.none'
END
    is "$(calls)" "one.echo ok one.dashed-name ok one.dashed-name ok one.create_thing failed two.echo failed one.ECHO failed ok=3 failed=3" "the record"
    is "$(field warnings)" "" "no warning"
}

test_case 'values: texts, JSON, pictures, errors' && {
    with_servers "$(tool_server one values)"
    python 'import tools
print(repr(tools.one.text()), tools.one.json(), tools.one.empty() == "")
name = tools.one.picture(); print(name, open(name, "rb").read())
print(tools.one.mixed())
try: tools.one.fails()
except tools.ToolError as e: print("ToolError:", e)' --tools one
    expect "$(field stdout)" "what the program got" <<'END'
'two\nlines' [1, {'a': None}] True
tool-1.png b'\x89PNG\x00'
['see', 'tool-2.png', {'type': 'resource_link', 'uri': 'file:///x', 'name': 'x'}]
ToolError: no such repository
END
    is "$(calls)" "one.text ok one.json ok one.empty ok one.picture ok one.mixed ok one.fails failed ok=5 failed=1" "an error of a tool is a failure"
}

test_case 'values: FastMCP wraps what is no object, and returns a list as several texts' && {
    with_servers "$(tool_server one values)"
    python 'import tools
print([tools.one[name]() for name in ("none", "word", "object", "objects", "text")])' --tools one
    is "$(field stdout)" "[[], 'w', {'result': 1}, [{'a': 1}, [2]], 'two\\nlines']" "in Python"
    code cjs 'const { one } = require("./tools.cjs");
Promise.all(["none", "word", "object", "objects", "text"].map((name) => one[name]())).then((all) => console.log(JSON.stringify(all)))' --tools one
    is "$(field stdout)" '[[],"w",{"result":1},[{"a":1},[2]],"two\nlines"]' "in JavaScript"
}

test_case 'names: servers with a dash, and those that have a name of the module' && {
    names='a-b json os search describe constructor both_x both-x'
    set --
    for name in $names; do set -- "$@" --tools "$name"; done
    with_servers "$(for name in $names; do tool_server "$name" rich; done | sed 's/}"/}, "/g')"
    python 'import tools, asyncio
print(dir(tools), dir(tools.a_b) == dir(tools.search), "dashed_name" in dir(tools.a_b))
print([call(x=1)["got"]["x"] for call in (tools.a_b.dashed_name, getattr(tools, "a-b").echo, tools.json.echo, tools.os.echo, tools.search.echo, tools.describe.echo)])
print(sorted(tools.search("json.dashed")), tools.describe("a_b.dashed_name")["name"], tools.both_x.echo()["got"], tools.both_x.dashed_name()["got"])
print(asyncio.run(tools.aio.a_b.dashed_name(x=2)))' "$@"
    expect "$(field stdout)" "in Python" <<'END'
['ToolError', 'a_b', 'aio', 'both_x', 'constructor', 'describe', 'json', 'os', 'search'] True True
[1, 1, 1, 1, 1, 1]
['json.dashed-name'] a-b.dashed-name {} {}
{'got': {'x': 2}}
END
    is "$(calls | grep -o 'both[^ ]*' | tr '\n' ' ')" "both_x.echo both_x.dashed-name " "a server that has the very name"
    code cjs 'const tools = require("./tools.cjs");
(async () => {
    for (const call of [tools.a_b.dashed_name, tools.search.echo, tools.describe.echo, tools.constructor.echo]) console.log(JSON.stringify(await call({ x: 1 })));
    console.log(Object.keys(await tools.search("json.dashed")), (await tools.describe("a_b.dashed_name")).name);
})()' "$@"
    expect "$(field stdout)" "in JavaScript" <<'END'
{"got":{"x":1}}
{"got":{"x":1}}
{"got":{"x":1}}
{"got":{"x":1}}
[ 'json.dashed-name' ] a-b.dashed-name
END
}

test_case 'arguments without names: an object of them, and an error that shows how to write it' && {
    with_servers "$(tool_server one rich)"
    python 'import tools
print(tools.one.echo({"a": 1}), tools.one.echo(self="a"))
for call in (lambda: tools.one.dashed_name("x"), lambda: tools.one.dashed_name({"city": "x"}, country="y"), lambda: tools.one.dashed_name({}, {})):
    try: call()
    except TypeError as e: print(e)' --tools one
    expect "$(field stdout)" "in Python" <<'END'
{'got': {'a': 1}} {'got': {'self': 'a'}}
arguments of a tool have names: tools.one.dashed_name(country=..., city=...)
arguments of a tool have names: tools.one.dashed_name(country=..., city=...)
arguments of a tool have names: tools.one.dashed_name(country=..., city=...)
END
    code cjs 'const { one } = require("./tools.cjs");
(async () => {
    console.log(await one.echo(), await one.echo(undefined));
    for (const args of [["x"], [null], [["x"]], [{ city: "x" }, "y"]]) await one.dashed_name(...args).catch((error) => console.log(`${error}`));
})()' --tools one
    expect "$(field stdout)" "in JavaScript" <<'END'
{ got: {} } { got: {} }
TypeError: arguments of a tool have names: tools.one.dashed_name({ country: ..., city: ... })
TypeError: arguments of a tool have names: tools.one.dashed_name({ country: ..., city: ... })
TypeError: arguments of a tool have names: tools.one.dashed_name({ country: ..., city: ... })
TypeError: arguments of a tool have names: tools.one.dashed_name({ country: ..., city: ... })
END
}

test_case 'the same in JavaScript, as CommonJS and as a module' && {
    with_servers "$(tool_server one rich), $(tool_server values values)"
    code cjs 'const tools = require("./tools.cjs");
(async () => {
    console.log(JSON.stringify([await tools.one.echo({ a: 1 }), await tools.search("echo"), await tools.one.dashed_name({ city: "x" }),
        (await tools.describe("one.dashed_name")).inputSchema.required, await tools.values.text(), await tools.values.json(), await tools.values.mixed()]));
    for (const call of [() => tools.values.fails(), () => tools.one.none(), () => tools.two.echo()])
        await call().catch((error) => console.log(error instanceof tools.ToolError, error.message));
    console.log((await Promise.all(Array.from({ length: 30 }, (_, n) => tools.one.echo({ n })))).reduce((sum, r) => sum + r.got.n, 0));
})()' --tools one --tools values
    is "$status" 0 "exit status"
    expect "$(field stdout)" "what the program got" <<'END'
[{"got":{"a":1}},{"one.echo":"Does echo."},{"got":{"city":"x"}},["city"],"two\nlines",[1,{"a":null}],["see","tool-1.png",{"type":"resource_link","uri":"file:///x","name":"x"}]]
true no such repository
true there is no tool 'one.none'
true the tool 'two.echo' is not allowed
435
END
    code mjs 'import tools from "./tools.cjs"; console.log(await tools.one.echo({ a: 2 }));' --tools one
    is "$status $(field stdout)" "0 { got: { a: 2 } }" "a module"
}

test_case '50 threads, asyncio, and processes that are forked' && {
    with_servers "$(tool_server one good)" ', "toolLimits": {"calls": 300}'
    python 'import tools, asyncio, os, concurrent.futures
with concurrent.futures.ThreadPoolExecutor(50) as pool:
    print(sum(r["got"]["n"] for r in pool.map(lambda n: tools.one.echo(n=n), range(100))))
async def main(): return await asyncio.gather(*(tools.aio.one.echo(n=n) for n in range(20)))
print(sum(r["got"]["n"] for r in asyncio.run(main())))
child = os.fork()
if child == 0: os._exit(tools.one.echo(n=7)["got"]["n"])
print(os.waitpid(child, 0)[1] >> 8, tools.one.echo(n=8)["got"])' --tools one
    is "$status $(field stdout)" "0 4950"$'\n'"190"$'\n'"7 {'n': 8}" "each call gets its own answer"
}

test_case 'without --tools there are none, and nothing is said of them' && {
    with_servers "$(tool_server one good)"
    python 'import os
print(os.path.exists("/tmp/.isolator-tools"), "ISOLATOR_TOOLS" in os.environ, len(os.listdir(".")))
try: import tools
except ImportError as e: print(e)'
    is "$(field stdout)" "False False 1"$'\n'"No module named 'tools'" "the program"
    is "$(json 'exists $r->{toolCalls} || exists $r->{toolCallCounts} ? "there" : "not there"')" "not there" "the result"
    run --tools none "$(snippet py 'print(1)')"
    is "$status|$err" "2|isolator: --tools: unknown tool server 'none'; known are: one" "an unknown server"
}

# arguments ARG...: the arguments of `docker run` for a program with these options, without what is drawn.
arguments() {
    faulty '' run "$@" "$scratch/same.py" 2>/dev/null
    own_users <"$calls/run.1" | sed -E 's/isolator-[0-9a-f]{16}/NAME/; s/isolator\.[a-z]+=[^[:space:]]*/LABEL/'
}
test_case 'the container is the same with tools and without' && {
    with_servers "$(tool_server one good)"
    echo 'print(1)' >"$scratch/same.py"
    is "$(arguments --tools one)" "$(arguments)" "the arguments of docker"
    has "$(arguments --tools one)" "none" "it has no network"
}

test_case 'modules: a tools.py of the program, a program in a directory, and files that come back' && {
    with_servers "$(tool_server one good)"
    mkdir -p "$scratch/tree/src"
    echo 'name = "my own"' >"$scratch/tree/src/tools.py"
    echo 'import tools, isolator_tools; print(tools.name, isolator_tools.one.echo(a=1)); open("new", "w")' >"$scratch/tree/src/main.py"
    run --tools one --artifacts "$scratch/files" --artifact '**' --dir "$scratch/tree" --entrypoint src/main.py
    is "$status $(field stdout)" "0 my own {'got': {'a': 1}}" "the program's own module is the one that is imported"
    is "$(json 'join " ", map { $_->{name} } @{$r->{artifacts}}')" "new" "the modules do not come back"
}

test_case 'any language: the command isolator-call' && {
    with_servers "$(tool_server one rich), $(tool_server values values)"
    code ash 'isolator-call --list ECHO; isolator-call one.echo "{\"a\":
1}"; echo "{\"x\": [1]}" | isolator-call one.echo -; isolator-call values.text; isolator-call values.json
cat $(isolator-call values.picture) | od -An -c | head -1; isolator-call values.mixed
for args in "values.fails" "one.none" "one.echo {" "one.echo/x" "-x" "" "one.echo {} {}"; do isolator-call $args 2>&1 | head -1; done
isolator-call values.fails 2>/dev/null; echo $?; isolator-call 2>/dev/null; echo $?
ISOLATOR_TOOLS=/nowhere isolator-call one.echo 2>&1; isolator-call one.echo >/dev/full; echo $?' --tools one --tools values
    is "$status" 0 "exit status"
    expect "$(field stdout)" "what the program got" <<'END'
one.echo: Does echo.
{"got":{"a":1}}
{"got":{"x":[1]}}
two
lines
[1, {"a": null}]
 211   P   N   G  \0
see
tool-2.png
{"type":"resource_link","uri":"file:///x","name":"x"}
isolator-call: no such repository
isolator-call: there is no tool 'one.none'
isolator-call: the arguments are no JSON object, or have too many values
isolator-call: a tool has a name as in SERVER.TOOL
usage: isolator-call SERVER.TOOL [JSON]   calls a tool with these arguments, by default {};
usage: isolator-call SERVER.TOOL [JSON]   calls a tool with these arguments, by default {};
usage: isolator-call SERVER.TOOL [JSON]   calls a tool with these arguments, by default {};
1
2
isolator-call: cannot reach the tools: No such file or directory
1
END
    has "$(field stderr)" "isolator-call: cannot write: No space left on device" "a full device"
    code ash 'isolator-call; ls -d /tmp/.isolator-bin; echo "$PATH"'
    hasnt "$(field stdout stderr)" isolator-bin/ "a program without tools"
    is "$(field stdout)" "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" "its PATH"
    code txt 'x' --tools one
    is "$(field status)" success "an image without a shell"
}

test_case 'any language: MCP at the socket' && {
    with_servers "$(tool_server one good)"
    code ash 'printf "%s\n" "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"one.echo\",\"arguments\":{\"a\":1}}}" | nc local:"$ISOLATOR_TOOLS" || echo "{}"' --tools one
    if [ "$(field stdout)" = '{}' ]; then # this busybox has no nc for UNIX sockets
        python 'import socket, os
s = socket.socket(socket.AF_UNIX); s.connect(os.environ["ISOLATOR_TOOLS"])
s.sendall(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"one.echo\",\"arguments\":{\"a\":1}}}"); s.shutdown(1)
print(s.makefile().read(), end="")' --tools one
    fi
    is "$(field stdout)" '{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"{\"a\": 1}"}],"isError":false,"structuredContent":{"got":{"a":1}}}}' "the answer"
}

test_case 'a secret of a server is nowhere, and docker does not inherit it' && {
    with_servers "$(tool_server one rich ", \"allow\": [\"*\"], \"env\": {\"TOKEN\": \"env:PROBE_SECRET\"}")"
    python 'import tools, os
text = tools.one.environment()
print("TOKEN=s3cret" in text, any("s3cret" in value for value in os.environ.values()))
print(sum(b"s3cret" in open("/proc/%s/environ" % pid, "rb").read() for pid in os.listdir("/proc") if pid.isdigit() and os.access("/proc/%s/environ" % pid, os.R_OK)))' --tools one -v
    is "$(field stdout)" "True False"$'\n'"0" "the server has it, the container not"
    is "$(grep -c s3cret "$scratch/err" "$scratch/out" | cut -d: -f2 | tr '\n' ' ')" "0 0 " "neither the trace nor the result has it"
}

test_case 'limits: calls of a run, time, size, and what waits at the end' && {
    with_servers "$(tool_server one good), $(tool_server slow slow), $(tool_server huge huge)" ', "toolLimits": {"calls": 4, "callSeconds": 1, "valueBytes": 1000}'
    python 'import tools
for call in (tools.slow.echo, tools.huge.echo, tools.one.echo, tools.one.echo, tools.one.echo):
    try: print(call(bytes=2000))
    except tools.ToolError as e: print(e)' --tools one --tools slow --tools huge
    expect "$(field stdout)" "each limit is an error that the program can catch" <<'END'
'slow.echo' has not ended after 1 seconds
the value of 'huge.echo' has 2055 bytes, more than 1000: ask for less
{'got': {'bytes': 2000}}
{'got': {'bytes': 2000}}
all 4 calls of tools are made
END
    with_servers "$(tool_server slow slow)"
    python 'import tools; print("begun", flush=True); tools.slow.echo()' --tools slow --timeout 2
    outcome "124 timeout 137 timeout SIGKILL program did not end within 2 s" "a call does not outlive the timeout"
    is "$(calls)" "slow.echo failed ok=0 failed=1" "the call is noted"
}

test_case 'tests of one submission share the limit, and each has the socket' && {
    with_servers "$(tool_server one good)" ', "toolLimits": {"calls": 2}'
    mkdir "$scratch/tests"
    for n in 1 2 3; do echo "$n" >"$scratch/tests/$n.in"; echo "{'n': $n}" >"$scratch/tests/$n.out"; done
    isolator test --tools one --tests "$scratch/tests" "$(snippet py 'import tools; print(tools.one.echo(n=int(input()))["got"])')" --json
    is "$status $(json '"$r->{summary}{passed} $r->{summary}{firstFailure}"')" "1 2 3" "the third has none left"
    is "$(json '$r->{toolCallCounts}{ok} . $r->{toolCallCounts}{failed}')" "21" "the record of all"
}

test_case 'a batch narrows, and a session keeps its tools' && {
    with_servers "$(tool_server one good), $(tool_server two good)"
    cat >"$scratch/lines" <<'END'
{"id": 1, "language": "python", "entrypoint_code": "import tools; print(tools.search('echo'))"}
{"id": 2, "language": "python", "tools": ["two"], "entrypoint_code": "import tools; print(tools.search('echo'))"}
{"id": 3, "language": "python", "tools": [], "entrypoint_code": "import tools"}
{"id": 4, "language": "python", "tools": ["three"], "entrypoint_code": "1"}
{"id": 5, "session": "a", "language": "python", "entrypoint_code": "import tools; x = tools.one.echo(a=1)"}
{"id": 6, "session": "a", "entrypoint_code": "print(x, tools.two.echo(a=2))"}
END
    isolator batch -j 1 --tools one --tools two "$scratch/lines"
    expect "$(perl -MJSON::PP -ne 'my $r = decode_json($_); print join("|", $r->{id}, $r->{reason}, $r->{stdout} =~ s/\n//r, $r->{error} // ""), "\n"' "$scratch/out" | sort)" "the lines" <<'END'
1|exit|{'one.echo': 'Does echo.', 'two.echo': 'Does echo.'}|
2|exit|{'two.echo': 'Does echo.'}|
3|exit||program exited with status 1
4|input||tools[0]: there is no tool server 'three' for this program; there are: one, two
5|exit||
6|exit|{'got': {'a': 1}} {'got': {'a': 2}}|
END
}

test_case 'cells of isolator session' && {
    with_servers "$(tool_server one good)"
    printf '%s\n' 'import tools' '# %%' 'tools.one.echo(a=1)' '# %%' 'tools.one.echo(a=2)["got"]' >"$scratch/cells"
    input=$scratch/cells isolator session --tools one
    is "$status|$out|$err" "0|{'got': {'a': 1}}"$'\n'"{'a': 2}|" "the module of the first cell serves the later ones"
}

test_case 'a program that attacks the socket loses its own calls, and the run is told truly' && {
    with_servers "$(tool_server one good)"
    python 'import socket, os, threading, signal, sys
path = os.environ["ISOLATOR_TOOLS"]
open_ones = []
for i in range(100):
    s = socket.socket(socket.AF_UNIX); s.settimeout(0.2)
    try:
        s.connect(path); s.sendall(os.urandom(1000) + b"\n" * 50)
    except OSError: break
    open_ones.append(s)
flood = socket.socket(socket.AF_UNIX)
for s in open_ones: s.close()
flood.connect(path); flood.settimeout(1)
try:
    for i in range(200): flood.sendall(b"x" * 65536)
except OSError as e: pass
flood.close()
import tools
print(tools.one.echo(a=1))
print("x" * 100000)' --tools one
    is "$status $(json '$r->{stdoutBytes}')" "0 100019" "garbage, many connections and a flood: calls go on, and so does the output"
    python 'import os, signal
try: os.kill(-1, signal.SIGKILL)
except OSError: pass
import tools
try: tools.one.echo()
except tools.ToolError as e: print("no tools")
print("goes on")' --tools one
    is "$status $(field stdout)" "0 no tools"$'\n'"goes on" "it kills the relay"
    python 'import tools, os
os.unlink(os.environ["ISOLATOR_TOOLS"]); os.mkdir(os.environ["ISOLATOR_TOOLS"])
try: tools.one.echo()
except tools.ToolError as e: print("no tools")' --tools one
    is "$status $(field stdout) $(json 'scalar @{$r->{toolCalls}}')" "0 no tools 0" "it takes the place of the socket"
}

test_case 'the audit file has the calls, without arguments' && {
    with_servers "$(tool_server one good)"
    python 'import tools; tools.one.echo(secret="hush")' --tools one --audit "$scratch/audit"
    is "$(perl -MJSON::PP -ne 'my $r = decode_json($_); print join " ", map { "$_->{name} " . ($_->{ok} ? "ok" : "failed") } @{$r->{toolCalls}}' "$scratch/audit")" "one.echo ok" "the call"
    is "$(grep -c hush "$scratch/audit")" 0 "no argument"
}

test_case 'what a server writes to its standard error goes to that of isolator, not to the program' && {
    with_servers "$(tool_server one dies)"
    python 'import tools
try: tools.one.echo()
except tools.ToolError as e: print(e)' --tools one
    is "$status|$(field stdout)" "0|'one.echo' failed: has ended with exit status 7" "the program"
    is "$err" "isolator: tool server 'one': the last\\x1b[31m words" "isolator's standard error"
}

test_case 'servers end with isolator, also after SIGKILL' && {
    with_servers "$(tool_server one rich)"
    start "$(snippet py 'import tools, time; print(tools.one.pid(), flush=True); time.sleep(60)')" --stream --tools one
    until_true grep -q '^[0-9]' "$scratch/out"
    upstream=$(head -1 "$scratch/out")
    kill -0 "$upstream"
    ok $? "the server runs"
    kill -KILL "$pid"
    await
    until_true eval '! kill -0 "$upstream" 2>/dev/null'
    ok $? "it has ended"
    gone "no container is left"
}

finish
