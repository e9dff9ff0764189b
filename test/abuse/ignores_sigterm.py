# ignoring every signal
# holds: isolator ends it at the timeout
# ends: timeout
# timeout: 2
# gvisor: gVisor reports no CPU time of the container, or not the machine's

"""A program may ignore every signal except SIGKILL and SIGSTOP. isolator does not ask it to end: process 1 ends,
and the kernel kills the rest."""
import signal
import time

for number in range(1, 65):
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):  # SIGKILL, SIGSTOP, those of libc
        pass
signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))
time.sleep(20)
print("got through: it is still running")
