# lowering the limits of process 1
# holds: the run ends with a result, at least with an error
# ends: exit signal engine
# timeout: 10
# copies: 2

"""prlimit() requires only the same user. Process 1 must end even without descriptors, memory or CPU time. It may
be unable to report the end. The run then ends with the reason `engine` because the container ended without a
report, although the program caused it."""
import os
import resource
import signal
import time

LIMITS = {"CPU": 0, "FSIZE": 1, "DATA": 2, "STACK": 3, "NPROC": 6, "NOFILE": 7, "MEMLOCK": 8, "AS": 9, "SIGPENDING": 11}
lowered = 0
for process in (1, os.getppid()):  # the second one reports the end
    for name, number in LIMITS.items():
        if (name == "CPU") == (os.environ["COPY"] == "0"):
            try:
                resource.prlimit(process, number, (0, 0))
                lowered += 1
            except PermissionError:
                pass
print("held: %d limits lowered to 0" % lowered, flush=True)
if os.environ["COPY"] == "0":  # keeps process 1 busy, so that it spends its time
    end = time.monotonic() + 2
    while time.monotonic() < end:
        os.kill(1, signal.SIGUSR1)
