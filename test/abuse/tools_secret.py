# the secret of a tool server
# holds: what the environment of a tool server has is nowhere in the container
# tools: 1

"""A server of tools runs on the host and has a secret in its environment, a text that begins with known words. The
program calls its tool, and then looks for the words in all that it can read: variables and arguments of processes,
answers of the tools, and files."""
import glob
import json
import os
import socket

MARK = b"isolator-selftest" + b"-secret-"


def exchange(method, params):
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(10)
        connection.connect(os.environ["ISOLATOR_TOOLS"])
        connection.sendall(json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode() + b"\n")
        connection.shutdown(socket.SHUT_WR)
        with connection.makefile("rb") as stream:
            return stream.read()


answers = [exchange("initialize", {"protocolVersion": "2025-11-25"}), exchange("tools/list", {}),
           exchange("tools/call", {"name": "isolator-selftest.open", "arguments": {"env": "TOKEN"}}),
           exchange("tools/call", {"name": "isolator-selftest.$TOKEN", "arguments": {}})]
if b"called" not in answers[2]:
    raise SystemExit("the tool cannot be called: %r" % answers[2])
through = ["an answer" for answer in answers if MARK in answer]
read = 0


def look(path, at_most=1 << 20):
    global read
    try:
        with open(path, "rb") as file:
            found = MARK in file.read(at_most)
    except OSError:
        return
    read += 1
    if found:
        through.append(path)


for pid in map(int, filter(str.isdigit, os.listdir("/proc"))):
    for name in ("environ", "cmdline", "maps", "mountinfo"):
        look("/proc/%d/%s" % (pid, name))
for root in ("/tmp", "/dev/shm", "/.isolator", "/run", "/var/tmp", "/etc"):
    for directory, _, files in os.walk(root):
        for name in files:
            if not os.path.islink(os.path.join(directory, name)):
                look(os.path.join(directory, name))
for path in glob.glob("/proc/net/*") + glob.glob("/proc/sys/kernel/*"):
    look(path)
for what in through:
    print("got through: the secret is in", what)
if not through:
    print("held: not in %d answers and %d files" % (len(answers), read))
