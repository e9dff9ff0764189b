# the engine's socket
# holds: no socket, port or environment variable leads to the engine
# timeout: 15

"""Whoever can use the engine's socket is root on its machine. Searches for sockets in the whole file system and
in /proc/net/unix, for environment variables that lead to one, and for the engine's TCP ports. It sends
nothing to any of them."""
import os
import socket
import stat

WORDS = ("docker", "containerd", "podman", "crio", "buildkit", "shim")
through = []
directories = 0
for directory, names, files in os.walk("/"):
    if directory == "/":
        names[:] = [name for name in names if name not in ("proc", "sys")]
    directories += 1
    for name in files:
        path = os.path.join(directory, name)
        if stat.S_ISSOCK(os.lstat(path).st_mode):
            through.append("a socket, " + path)
with open("/proc/net/unix") as file:
    through += ["a listener, " + line.split()[7] for line in file
                if len(line.split()) > 7 and any(word in line for word in WORDS)]
through += ["a variable, " + name for name in os.environ if name.startswith(("DOCKER_", "CONTAINER_", "CONTAINERD_"))]
for address in ("127.0.0.1", "172.17.0.1"):
    for port in (2375, 2376):
        with socket.socket() as connection:
            connection.settimeout(1)
            if connection.connect_ex((address, port)) == 0:
                through.append("%s:%d" % (address, port))
for what in through:
    print("got through:", what)
if not through:
    print("held: no socket in %d directories" % directories)
