# calls of tools that the rules refuse
# holds: a tool stays refused, whatever its name is written like, and so does the server of another run
# tools: 1

"""The program may call `open` of one server. That server has `closed` as well, and there is another server, which the
request does not name. No other name may reach a tool: neither in other letters or other forms of Unicode, nor with what
may be cut off or taken for a path, nor in a message that says it twice."""
import json
import os
import socket

MINE, OTHER = "isolator-selftest", "isolator-selftest-other"


def exchange(line):
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(10)
        connection.connect(os.environ["ISOLATOR_TOOLS"])
        connection.sendall(line + b"\n")
        connection.shutdown(socket.SHUT_WR)
        with connection.makefile("rb") as stream:
            return [json.loads(answer) for answer in stream]


def call(name, **more):
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": {}, **more}}
    return exchange(json.dumps(message).encode())


through = []
if "result" not in call(MINE + ".open")[0]:
    raise SystemExit("the tool that is allowed cannot be called")
NAMES = ["closed", "Open", "OPEN", "\uff4fpen", "\u043epen", "o\u0301pen", "open\0", "open\0closed", "open ", " open", "open\n",
         "open.", ".open", "./open", "../open", "closed/../open", "open,closed", "*", "o*", "?pen", "", "open\x7f", "open%00"]
TRIED = [MINE + "." + name for name in NAMES] + [
    OTHER + ".open", OTHER + ".closed", MINE.upper() + ".open", "." + MINE + ".open", MINE + "..open", "open", MINE, ".", "",
    MINE + "-other.open", "../" + OTHER + ".open", MINE + "." + OTHER + ".open"]
for name in TRIED:
    through += [repr(name) for answer in call(name) if "result" in answer]
for name in ([MINE + ".closed"], {"x": 1}, None, 5):
    through += [repr(name) for answer in call(name) if "result" in answer]
through += ["a second member " + key for key in ("server", "tool", "servers", "_meta")
            for answer in call(MINE + ".closed", **{key: OTHER}) if "result" in answer]
TWICE = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"%s.open","name":"%s.closed"}}' % (MINE, MINE)
through += ["the name twice" for answer in exchange(TWICE.encode()) if "result" in answer]
[listed] = exchange(b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}')
names = [tool["name"] for tool in listed["result"]["tools"]]
if names != [MINE + ".open"]:
    through.append("a list with %s" % names)
for what in through:
    print("got through:", what)
if not through:
    print("held: %d names refused, one tool listed" % len(TRIED))
