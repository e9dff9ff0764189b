# takes the processor from process 1
# holds: the run is answered, and its sandbox ends
# ends: exit timeout
# timeout: 4

"""A known weakness: process 1 is of the same user, so a program may give it the lowest priority, and keep its
processors busy with every process that it may have. Then the end of the sandbox is late: up to minutes, with
nothing but these processors to use. These processes spin for four seconds only, so that it is no more here."""
import os
import time

try:
    os.sched_setscheduler(1, os.SCHED_IDLE, os.sched_param(0))
    os.setpriority(os.PRIO_PROCESS, 1, 19)
except PermissionError:
    pass  # so much the better
end = time.monotonic() + 4
processes = 1
try:
    while True:
        if os.fork() == 0:
            while time.monotonic() < end:
                pass
            os._exit(0)
        processes += 1
except BlockingIOError:
    pass
print("held: %d busy processes beside an idle process 1" % processes)
