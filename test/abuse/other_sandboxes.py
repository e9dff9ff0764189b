# two containers that search for each other
# holds: neither sees the other's processes, ports, sockets, shared memory, files or locks
# timeout: 20
# copies: 2

"""Two containers of one engine run at the same time. Each leaves things with a known name where others could find
them. Then it searches for those of the other for three seconds."""
import ctypes
import fcntl
import os
import socket
import time

me = int(os.environ["COPY"])
other = 1 - me
KEY, PORT = 0x15017A70, 21700  # below the ports of clients, of which one could connect to itself
MQ_OPEN, MQ_UNLINK = (240, 241) if os.uname().machine == "x86_64" else (180, 181)  # not in every C library
libc = ctypes.CDLL(None, use_errno=True)
libc.prctl(15, b"abuse-copy-%d" % me, 0, 0, 0)
server = socket.create_server(("0.0.0.0", PORT + me))
listener = socket.socket(socket.AF_UNIX)
listener.bind("\0abuse-copy-%d" % me)
segment = libc.shmget(KEY + me, ctypes.c_size_t(4096), 0o1666)
libc.syscall(MQ_OPEN, b"abuse-copy-%d" % me, os.O_CREAT | os.O_RDWR, 0o666, None)
for directory in ("/tmp", ".", "/dev/shm"):
    with open("%s/abuse-copy-%d" % (directory, me), "w"):
        pass
passwd = open("/etc/passwd")
found = set()
try:
    fcntl.flock(passwd, fcntl.LOCK_EX | fcntl.LOCK_NB)  # of a file that both images have
except BlockingIOError:
    found.add("a lock")


def processes():
    for name in os.listdir("/proc"):
        try:
            if name.isdigit():
                with open("/proc/%s/comm" % name) as file:
                    yield file.read().strip()
        except OSError:  # it has ended
            pass


def listens(address):
    with socket.socket() as connection:
        connection.settimeout(0.2)
        return connection.connect_ex((address, PORT + other)) == 0


def sockets():
    with open("/proc/net/unix") as file:
        return "@abuse-copy-%d" % other in file.read()


name = "abuse-copy-%d" % other
SEARCHES = {
    "a process": lambda: name in processes(),
    "a port": lambda: listens("127.0.0.1") or listens("172.17.0.2") or listens("172.17.0.3"),
    "an abstract socket": sockets,
    "a shared segment": lambda: libc.shmget(KEY + other, ctypes.c_size_t(1), 0) >= 0,
    "a message queue": lambda: libc.syscall(MQ_OPEN, name.encode(), os.O_RDWR) >= 0,
    "a file": lambda: any(os.path.exists("%s/%s" % (d, name)) for d in ("/tmp", ".", "/dev/shm", "/dev/mqueue")),
}
end = time.monotonic() + 3
while time.monotonic() < end:
    found |= {what for what, search in SEARCHES.items() if search()}
    time.sleep(0.1)
time.sleep(0.5)  # the other has started a little later
libc.shmctl(segment, 0, None)
libc.syscall(MQ_UNLINK, b"abuse-copy-%d" % me)
for directory in ("/tmp", ".", "/dev/shm"):
    os.unlink("%s/abuse-copy-%d" % (directory, me))
for what in sorted(found):
    print("got through: %s of the other container" % what)
if not found:
    print("held: nothing of the other container in 3 s")
