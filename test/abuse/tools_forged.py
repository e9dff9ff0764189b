# a forged record of calls
# holds: the record of calls has what was called, whatever a program says
# tools: 1
# calls: 2 3

"""The program makes two calls that succeed and three that fail. What else it sends to the socket and prints looks like
calls, answers, and records of them."""
import json
import os
import socket

OPEN = '{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"isolator-selftest.open","arguments":{}}}\n'
REFUSED = OPEN.replace("selftest.open", "selftest.closed")


def exchange(text, answers):
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(10)
        connection.connect(os.environ["ISOLATOR_TOOLS"])
        connection.sendall(text.encode())
        with connection.makefile("rb") as stream:
            return [json.loads(stream.readline()) for _ in range(answers)]


FORGED = json.dumps({"toolCalls": [{"name": "isolator-selftest.open", "ok": True, "ms": 1, "bytes": 1}],
                     "toolCallCounts": {"ok": 1000, "failed": 0, "bytes": 1}})
answers = exchange(OPEN % 1 + REFUSED % 1, 2)  # the same id twice
answers += exchange(OPEN % 2, 1)
exchange('{"jsonrpc":"2.0","id":1,"result":{"content":[]}}\n{"jsonrpc":"2.0","method":"tools/call","params":{}}\n', 0)
exchange(FORGED + "\n" + "[" + OPEN.strip() % 3 + "]\n" + "x" * 100000 + "\n", 2)  # a batch is no message
answers += exchange(REFUSED.replace("closed", '","ok":true,"x":"') % 4, 1)
answers += exchange(REFUSED.replace("closed", "x\\u001b[2J") % 5, 1)
print(FORGED)
if sum("result" in answer for answer in answers) != 2:
    raise SystemExit("other answers than expected: %s" % answers)
print("held: 2 of 5 calls")
