# resources that the kernel counts by user
# holds: one container cannot use up what others and the machine need
# timeout: 15
# copies: 2
# gap: the kernel counts some small resources by user or for the whole machine, not by container

"""The kernel limits some resources neither by process nor by cgroup but by user or for the whole machine. A
container that takes all of them leaves nothing to others. Two copies each take a part, a small one if the
machine needs the resource. They detect sharing from the kernel's count, or because one of them gets less. A
user (or user namespace) for each container would separate the first three; seccomp can refuse asynchronous
I/O."""
import ctypes
import os
import time

libc = ctypes.CDLL(None, use_errno=True)
# Some of them are not in every C library: by number.
MQ_OPEN, TIMER_CREATE, IO_SETUP = (240, 222, 206) if os.uname().machine == "x86_64" else (180, 107, 0)


def number(path):
    with open(path) as file:
        return int(file.read())


def signals():
    with open("/proc/self/status") as file:
        return [int(line.split()[1].split("/")[0]) for line in file if line.startswith("SigQ:")][0]


def inotify(i):
    return libc.inotify_init()


def queue(i):
    return libc.syscall(MQ_OPEN, b"queue%d" % i, os.O_CREAT | os.O_RDWR, 0o600, None)


def timer(i):
    return libc.syscall(TIMER_CREATE, 1, None, ctypes.byref(ctypes.c_void_p()))


def events(i):
    return libc.syscall(IO_SETUP, 1000, ctypes.byref(ctypes.c_ulong(0)))


def terminal(i):
    try:
        return os.open("/dev/ptmx", os.O_RDWR | os.O_NOCTTY)
    except OSError:
        return -1


def take(make, count):
    for i in range(count):
        if make(i) < 0:
            return i
    return count


time.sleep(2)  # so that both run
most = number("/proc/sys/fs/inotify/max_user_instances") // 2 + 1
shared = []
if take(inotify, min(most, 900)) < min(most, 900):
    shared.append("inotify instances (by user)")
if take(queue, 5) < 5:  # of the nine that fit into 800 kB
    shared.append("POSIX message queues (by user)")
if take(timer, 1000) < 1000 or time.sleep(1) or signals() >= 2000:
    shared.append("timers and queued signals (by user)")
if take(events, 2) < 2 or time.sleep(1) or number("/proc/sys/fs/aio-nr") >= 4000:
    shared.append("asynchronous I/O (of the machine)")
if take(terminal, 50) < 50 or time.sleep(1) or number("/proc/sys/kernel/pty/nr") >= 100:
    shared.append("pseudo-terminals (of the machine)")
time.sleep(2)
for what in shared:
    print("got through: shared with another container:", what)
if not shared:
    print("held: nothing is shared with another container")
