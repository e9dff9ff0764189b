# stopping every process in the container
# holds: the run ends at the timeout at the latest
# ends: timeout
# timeout: 2
# gvisor: gVisor reports no CPU time of the container, or not the machine's

"""SIGSTOP cannot be caught. Nothing that the program could stop is needed to end it: process 1 cannot be stopped,
and isolator's clock is outside the container."""
import os
import signal
import time

if os.fork() == 0:
    time.sleep(1000)
os.kill(-1, signal.SIGSTOP)
os.kill(1, signal.SIGSTOP)
os.kill(os.getpid(), signal.SIGSTOP)
