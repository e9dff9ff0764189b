# other modes of stdout and stderr
# holds: the program's streams are its own, and whatever it sets there changes only them
# status: 3
# timeout: 10
# gvisor: gVisor has no such file, counter or call

"""O_NONBLOCK and O_ASYNC belong to an open file, and whoever shares it has them too. Pipes also have a size and a
mode for packets. Programs with event loops set O_NONBLOCK; it must not lose output or the end."""
import fcntl
import os
import select
import sys

F_SETPIPE_SZ = 1031
for descriptor in (1, 2):
    for size in (1 << 20, 4096):
        fcntl.fcntl(descriptor, F_SETPIPE_SZ, size)
    fcntl.fcntl(descriptor, fcntl.F_SETFL, os.O_NONBLOCK | os.O_ASYNC | os.O_DIRECT)
    for flags in (os.O_RDONLY, os.O_WRONLY, os.O_RDWR):  # also the other end
        os.open("/proc/self/fd/%d" % descriptor, flags | os.O_NONBLOCK)
text = b"x" * 999 + b"\n"
for stream in (1, 2):
    fcntl.fcntl(stream, fcntl.F_SETFL, os.O_NONBLOCK)
    left = text * 300
    while left:
        try:
            left = left[os.write(stream, left):]
        except BlockingIOError:
            select.select([], [stream], [])
while True:
    try:
        os.write(1, b"held: 300 kB on each stream\n")
        break
    except BlockingIOError:
        select.select([], [1], [])
os._exit(3)
