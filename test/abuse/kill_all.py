# killing every process in the container
# holds: process 1 survives and reports the program's own exit status
# status: 3
# timeout: 5
# gvisor: gVisor itself uses memory of the container, whose end is the end of all

"""kill(-1) reaches every process of this user except process 1 and the caller. Only process 1 is needed to report
the end, and the kernel protects it from signals of its container."""
import os
import signal
import sys
import time

for _ in range(3):
    if os.fork() == 0:
        time.sleep(1000)
for number in (signal.SIGTERM, signal.SIGSTOP, signal.SIGKILL):
    try:
        os.kill(-1, number)
    except ProcessLookupError:
        pass
for _ in range(3):
    os.wait()
for number in (signal.SIGSTOP, signal.SIGKILL):
    os.kill(1, number)
print("held: only process 1 is left")
sys.stdout.flush()
os._exit(3)
