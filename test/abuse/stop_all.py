# stopping every process in the container
# holds: the run ends at the timeout at the latest
# ends: timeout exit signal
# timeout: 2

"""SIGSTOP cannot be caught. It stops the process that would report the end, and the timer in the container.
isolator's own clock is outside the container."""
import os
import signal

print("held: all were stopped", flush=True)
os.kill(-1, signal.SIGSTOP)
