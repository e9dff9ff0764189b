# takes the processor from process 1
# holds: the run is answered, and its sandbox ends
# ends: exit timeout
# timeout: 4

"""Process 1 is of the same user, so a program may give it the lowest priority, and keep its processors busy
with every process that it may have. Then process 1 neither tells the end nor dies of a signal in time: the
engine gives up. What ends the sandbox is a new process in it, which has its share like all others."""
import os

try:
    os.sched_setscheduler(1, os.SCHED_IDLE, os.sched_param(0))
    os.setpriority(os.PRIO_PROCESS, 1, 19)
except PermissionError:
    pass  # so much the better
processes = 1
try:
    while True:
        if os.fork() == 0:
            while True:
                pass
        processes += 1
except BlockingIOError:
    pass
print("held: %d busy processes beside an idle process 1" % processes)
