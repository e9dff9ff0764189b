# kills every process of the sandbox
# holds: the run ends, as one that a signal ended
# ends: signal
# timeout: 5

"""kill(-1) reaches every process of this user but process 1 and itself: also the one that would report the
end, and the timer. Process 1 notices and speaks for them."""
import os
import signal
import time

os.kill(-1, signal.SIGKILL)
time.sleep(3)
print("got through: it runs on alone")
