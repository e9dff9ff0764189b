# killing every process in the container
# holds: the run ends and reports a signal
# ends: signal
# timeout: 5

"""kill(-1) reaches every process of this user except process 1 and the caller. That includes the process that
would report the end, and the timer. Process 1 notices and reports the end itself."""
import os
import signal
import time

os.kill(-1, signal.SIGKILL)
time.sleep(3)
print("got through: the program kept running")
