# resources of the whole machine
# holds: one container cannot use up what others and the machine need
# timeout: 15
# copies: 2
# gvisor: gVisor has no such file, counter or call
# gap: the kernel counts some small resources for the whole machine, neither by container nor by user

"""The kernel limits some resources only for the whole machine. A container that takes all of them leaves nothing to
others. Two copies each take a small part. They detect sharing from the kernel's count, or because one of them gets
less."""
import ctypes
import os
import time

libc = ctypes.CDLL(None, use_errno=True)
IO_SETUP = 206 if os.uname().machine == "x86_64" else 0


def number(path):
    with open(path) as file:
        return int(file.read())


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
shared = []
if take(events, 2) < 2 or time.sleep(1) or number("/proc/sys/fs/aio-nr") >= 4000:
    shared.append("asynchronous I/O")
if take(terminal, 50) < 50 or time.sleep(1) or number("/proc/sys/kernel/pty/nr") >= 100:
    shared.append("pseudo-terminals")
time.sleep(2)
for what in shared:
    print("got through: shared with another container:", what)
if not shared:
    print("held: nothing is shared with another container")
