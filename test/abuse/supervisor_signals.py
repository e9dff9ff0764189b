# sending all signals to process 1
# holds: process 1 survives and returns the result
# timeout: 10

"""The kernel protects process 1 of a PID namespace from signals of that namespace, unless process 1 has a
handler for them. A shell reacts to some signals; process 1 has handlers for these."""
import ctypes
import os
import signal
import time

PIDFD_OPEN, PIDFD_SEND_SIGNAL = 434, 424
libc = ctypes.CDLL(None, use_errno=True)
pidfd = libc.syscall(PIDFD_OPEN, 1, 0)
sent = 0
for number in range(1, 65):
    if number in (32, 33, 34):  # of the C library
        continue
    os.kill(1, number)
    if pidfd >= 0:
        libc.syscall(PIDFD_SEND_SIGNAL, pidfd, number, None, 0)
    sent += 1
for _ in range(100):
    os.kill(1, signal.SIGKILL)
    os.kill(1, signal.SIGSTOP)
time.sleep(0.5)
with open("/proc/1/stat") as file:
    state = file.read().rsplit(")")[1].split()[0]
if state in "TtZX":
    print("got through: process 1 is in state", state)
else:
    print("held: process 1 took %d signals" % sent)
