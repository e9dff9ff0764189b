# lower limits for process 1
# holds: the run ends and is answered, if only by a complaint
# ends: exit signal engine
# timeout: 10
# copies: 2

"""prlimit() asks only for the same user. A process 1 without descriptors, memory or processor time must not
become one that never ends. It may be unable to report the end: then the answer is that the sandbox ended
without one, which is the reason `engine`, though it is the program's doing."""
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
