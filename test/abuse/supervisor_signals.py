# sending all signals to process 1
# holds: process 1 survives a flood of every signal, and returns the result
# timeout: 10
# gvisor: gVisor lets a program end process 1, and so its container

"""The kernel protects process 1 of a PID namespace from signals of that namespace, unless process 1 has a handler
for them. The supervisor has none. It blocks SIGCHLD alone, of which one can wait: a flood of signals fills no
queue. Signals also come from timers, descriptors and children, with any number."""
import ctypes
import fcntl
import os
import signal
import sys
import time

X86 = os.uname().machine == "x86_64"
PIDFD_OPEN, PIDFD_SEND_SIGNAL = 434, 424
RT_SIGQUEUEINFO, RT_TGSIGQUEUEINFO, TGKILL = (129, 297, 234) if X86 else (138, 240, 131)
libc = ctypes.CDLL(None, use_errno=True)
pidfd = libc.syscall(PIDFD_OPEN, 1, 0)
information = (ctypes.c_int * 32)(0, 0, -1)  # siginfo_t: SI_QUEUE
sent = 0


def send_all():
    count = 0
    for number in range(1, 65):
        information[0] = number
        for arguments in ((RT_SIGQUEUEINFO, 1, number, information), (RT_TGSIGQUEUEINFO, 1, 1, number, information),
                          (TGKILL, 1, 1, number), (PIDFD_SEND_SIGNAL, pidfd, number, None, 0)):
            count += libc.syscall(*arguments) >= 0
        count += libc.kill(1, number) >= 0
    return count


children = []
for _ in range(4):
    pid = os.fork()
    if pid == 0:
        while True:
            send_all()
    children.append(pid)
for number in range(1, 65):  # from a descriptor: F_SETSIG lets the owner of a pipe choose the signal
    reader, writer = os.pipe()
    fcntl.fcntl(reader, 10, number)  # F_SETSIG
    try:
        fcntl.fcntl(reader, fcntl.F_SETOWN, 1)
        fcntl.fcntl(reader, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK)
        os.write(writer, b"x")
    except OSError:
        pass
    os.close(reader)
    os.close(writer)
end = time.monotonic() + 1
while time.monotonic() < end:
    sent += send_all()
with open("/proc/1/stat") as file:
    state = file.read().rsplit(")")[1].split()[0]
with open("/proc/1/status") as file:
    status = dict(line.rstrip("\n").split(":\t", 1) for line in file if ":\t" in line)
waiting = int(status["SigPnd"], 16) | int(status["ShdPnd"], 16)
if state in "TtZX":
    print("got through: process 1 is in state", state)
elif waiting & ~(1 << signal.SIGCHLD - 1):
    print("got through: signals wait for process 1: %x" % waiting)
else:
    print("held: process 1 took %d signals" % sent)
