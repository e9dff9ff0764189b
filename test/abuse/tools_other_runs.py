# the tools of another run
# holds: a run reaches the socket of its own tools and no other one
# copies: 2
# tools: 1
# calls: 1 0

"""Two runs have the same tools at the same time. Neither may find the socket of the other one, so the record of each has
its own call and no other."""
import json
import os
import socket
import time

time.sleep(1)
with open("/proc/net/unix") as file:
    sockets = [line.split()[7] for line in list(file)[1:] if len(line.split()) == 8]
with socket.socket(socket.AF_UNIX) as connection:
    connection.settimeout(10)
    connection.connect(os.environ["ISOLATOR_TOOLS"])
    connection.sendall(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                                   "params": {"name": "isolator-selftest.open", "arguments": {}}}).encode() + b"\n")
    answer = connection.recv(100000)
if b"called" not in answer:
    raise SystemExit("the tool cannot be called: %r" % answer)
time.sleep(2)  # the other run is there
mine = os.environ["ISOLATOR_TOOLS"]
through = [name for name in sockets if name != mine and not name.startswith("@")]
through += [mine + " of the other run"] * (sockets.count(mine) - 1)
for what in through:
    print("got through: a socket", what)
if not through:
    print("held: %d socket" % len(sockets))
