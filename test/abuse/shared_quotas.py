# resources that the kernel counts by user
# holds: one container cannot use up what others need
# timeout: 15
# copies: 2
# gvisor: gVisor has no such file, counter or call
# gap: containers with one user, or of an engine that maps users, share what the kernel counts by user

"""The kernel limits some resources neither by process nor by cgroup but by user. A container that takes all of them
leaves nothing to others of the same user, but each has a user of its own. Two copies each take more than half. They
detect sharing from the kernel's count, or because one of them gets less."""
import array
import ctypes
import fcntl
import os
import resource
import socket
import time

libc = ctypes.CDLL(None, use_errno=True)
# Some of them are not in every C library: by number.
MQ_OPEN, TIMER_CREATE = (240, 222) if os.uname().machine == "x86_64" else (180, 107)


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


def pipe(i):
    """A pipe of 1 MB, as far as the kernel's count of pages is concerned."""
    pipes.append(os.pipe())
    try:
        return fcntl.fcntl(pipes[-1][1], 1031, 1 << 20)  # F_SETPIPE_SZ
    except PermissionError:
        return -1


def flight(i):
    """A hundred descriptors that are sent and not received."""
    try:
        return sockets[0].sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [0] * 100))])
    except OSError:
        return -1


def locked(i):
    """More than half of what may be locked, in a segment of System V."""
    return libc.shmctl(libc.shmget(0, memlock // 2 + 4096, 0o1600), 11, None)  # SHM_LOCK


def take(make, count):
    for i in range(count):
        if make(i) < 0:
            return i
    return count


pipes, sockets = [], socket.socketpair()
memlock = resource.getrlimit(resource.RLIMIT_MEMLOCK)[0]
time.sleep(2)  # so that both run
most = number("/proc/sys/fs/inotify/max_user_instances") // 2 + 1
shared = []
if take(inotify, min(most, 900)) < min(most, 900):
    shared.append("inotify instances")
if take(queue, 5) < 5:  # of the nine that fit into 800 kB
    shared.append("POSIX message queues")
if take(timer, 1000) < 1000 or time.sleep(1) or signals() >= 2000:
    shared.append("timers and queued signals")
pages = number("/proc/sys/fs/pipe-user-pages-soft")
if 0 < pages <= 65536 and take(pipe, pages // 512 + 1) < pages // 512 + 1:
    shared.append("pages of pipes")
if take(flight, 7) < 7:  # of the 1024 that may be in flight
    shared.append("descriptors in flight")
if 0 < memlock <= 16 << 20 and take(locked, 1) < 1:
    shared.append("locked memory")
time.sleep(2)
for what in shared:
    print("got through: shared with another container:", what)
if not shared:
    print("held: nothing is shared with another container")
