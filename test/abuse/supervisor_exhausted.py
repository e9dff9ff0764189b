# ending with no process and no descriptor left
# holds: process 1 needs no new process and no new descriptor to report the end
# status: 3
# timeout: 15
# gvisor: gVisor itself uses memory of the container, whose end is the end of all

"""All processes that the container may have exist, in sessions of their own, and each has opened all the files it may.
They hold the program's stdout and stderr and ignore signals when the program ends."""
import os
import signal
import sys
import time

for number in range(1, 65):
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
processes = 0
try:
    while True:
        if os.fork() == 0:
            os.setsid()
            break
        processes += 1
except BlockingIOError:
    time.sleep(1)
    print("held: %d processes are left" % processes)
    sys.stdout.flush()
    os._exit(3)
try:
    while True:
        os.dup(1)
except OSError:
    pass
time.sleep(1000)
