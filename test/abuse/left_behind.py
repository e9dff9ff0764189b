# what a program leaves for the next one
# holds: each test finds the container as the first one did
# tests: 26
# timeout: 20
# gvisor: gVisor has no such file, counter or call

"""Every other test leaves something: files, links, permissions, processes, System V objects, queues, sockets, a full
file system. The test after it looks at everything that it could find."""
import ctypes
import errno
import os
import signal
import socket
import struct
import sys

NUMBER = int(os.environ["TEST"])
WORKDIR = os.getcwd()
OWN = [WORKDIR, "/tmp", "/.isolator"]
SHARED = ["/dev/shm", "/dev/mqueue"]
IPC_CREAT, SHM_LOCK = 0o1000, 11
libc = ctypes.CDLL(None, use_errno=True)
try:
    queues = ctypes.CDLL("librt.so.1", use_errno=True)
except OSError:
    queues = libc


def write(path, text="left"):
    with open(path, "w") as file:
        file.write(text)


def hidden_files():
    write(".hidden")
    write("/tmp/file")
    write("/dev/shm/file")
    write("/.isolator/file")
    os.mkfifo("fifo")
    with open(b"/tmp/\xff\n \\", "w"):
        pass


def own_files_changed():
    name = os.path.basename(sys.argv[0])
    os.link(name, "/tmp/../%s/link" % WORKDIR)
    write(name, "print('got through: a changed program')")
    os.chmod(name, 0)
    os.mkdir("other")
    os.rename(name, "other/" + name)
    os.mkdir(name)


def permissions_of_the_roots():
    for path in OWN:
        os.chmod(path, 0o7777)
        os.utime(path, (1, 1))
    for path in OWN:
        os.chmod(path, 0)


def attributes_of_the_roots():
    everyone = struct.pack("<I", 2) + b"".join(
        struct.pack("<HHI", tag, 7, 0xffffffff) for tag in (1, 4, 16, 32))
    for path in OWN:
        for name in ("system.posix_acl_default", "system.posix_acl_access", "user.left"):
            try:
                os.setxattr(path, name, everyone)
            except OSError as error:
                if error.errno != errno.ENOTSUP:
                    raise


def closed_trees():
    for root in (WORKDIR, "/tmp", "/dev/shm"):
        os.chdir(root)
        for level in range(300):
            os.mkdir("d")
            write("f")
            os.chmod("f", 0)
            os.chdir("d")
            if level > 0:
                os.chmod("..", 0o100)


def links():
    os.symlink("/", "/tmp/root")
    os.symlink(WORKDIR, "/tmp/work")
    os.symlink("/dev/shm", "shm")
    sock = socket.socket(socket.AF_UNIX)
    sock.bind("/tmp/socket")


def full_file_systems():
    for path in OWN[:1] + OWN[2:]:
        with open(path + "/full", "wb", 0) as file:
            try:
                for _ in range(40):
                    file.write(b"x" * 1000000)
            except OSError:
                pass


def name_of(pid): return open(f"/proc/{pid}/comm").read()


def processes():
    for number in range(1, 32):
        if number not in (signal.SIGKILL, signal.SIGSTOP):
            signal.signal(number, signal.SIG_IGN)
    for _ in range(10):
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                while True:
                    write("/tmp/daemon%d" % os.getpid())
            os._exit(0)


def system_v_objects():
    for key in range(1, 50):
        segment = libc.shmget(key, 65536, IPC_CREAT)
        libc.shmctl(segment, SHM_LOCK, None)
        libc.semget(key, 5, IPC_CREAT)
        libc.msgget(key, IPC_CREAT)
    queue = libc.msgget(99, IPC_CREAT | 0o600)
    libc.msgsnd(queue, ctypes.create_string_buffer(struct.pack("<q", 1) + b"left" * 10), 40, 0)


def message_queues():
    for number in range(5):
        queues.mq_open(b"/left%d" % number, os.O_CREAT | os.O_RDWR, 0, None)


def abstract_sockets():
    sock = socket.socket(socket.AF_UNIX)
    sock.bind("\0left")
    sock.listen()
    if os.fork() == 0:
        while True:
            signal.pause()


def hard_links():
    write("/tmp/one")
    for number in range(500):
        os.link("/tmp/one", "/tmp/%d" % number)
    os.chmod("/tmp/one", 0)


def many_names():
    for number in range(3000):
        os.mkdir("/tmp/%d" % number)
        if number % 2:
            write("/tmp/%d/file" % number, "")


LEAVE = [hidden_files, own_files_changed, permissions_of_the_roots, attributes_of_the_roots, closed_trees, links,
         full_file_systems, processes, system_v_objects, message_queues, abstract_sockets, hard_links, many_names]


def complain(what):
    print("got through: after %s: %s" % (LEAVE[NUMBER // 2].__name__, what))


def expect(what, got, expected):
    if got != expected:
        complain("%s is %s instead of %s" % (what, got, expected))


def look():
    for path in OWN + SHARED:
        status = os.stat(path)
        names = [os.path.basename(sys.argv[0])] if path == WORKDIR else []
        expect("list of " + path, sorted(os.listdir(path))[:5], names)
        if status.st_mode & 0o7777 not in (0o700, 0o755, 0o777, 0o1777):  # an engine may take that of the image
            complain("the mode of %s is %o" % (path, status.st_mode))
        if status.st_mtime < 1000:
            complain("the time of %s is %d" % (path, status.st_mtime))
        try:
            expect("attributes of " + path, os.listxattr(path), [])
        except OSError:
            pass
    for path in OWN:  # process 1 is executed from a file that is removed
        size = os.statvfs(path)
        used = (size.f_blocks - size.f_bfree) * size.f_frsize
        if used > 160 << 10:
            complain("%d bytes are used in %s" % (used, path))
    expect("permissions of a new file", oct(os.stat(sys.argv[0]).st_mode), "0o100644")
    for kind in ("shm", "sem", "msg"):
        with open("/proc/sysvipc/" + kind) as file:
            expect("objects in " + kind, len(file.readlines()) - 1, 0)
    with open("/proc/net/unix") as file:
        expect("UNIX sockets", len(file.readlines()) - 1, 0)
    relay = lambda pid: "http_proxy" in os.environ and pid != 1 and name_of(pid) == name_of(1)
    expect("processes", [pid for pid in map(int, filter(str.isdigit, os.listdir("/proc"))) if not relay(pid)], [1, os.getpid()])
    expect("signals ignored", [number for number in range(1, 32) if signal.getsignal(number) == signal.SIG_IGN],
           [signal.SIGPIPE, signal.SIGXFSZ])  # by Python


if NUMBER % 2 == 0:
    LEAVE[NUMBER // 2]()
else:
    look()
    if NUMBER == 2 * len(LEAVE) - 1:
        print("held: nothing was found after %d programs" % len(LEAVE))
sys.stdout.flush()
os._exit(0)
