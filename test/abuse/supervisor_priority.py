# starving process 1 of CPU time
# holds: the run returns a result and its container is removed
# ends: exit timeout
# timeout: 4

"""Process 1 has the same user as the program. So a program can give it the lowest priority and keep the
processors busy with all the processes it may have. Process 1 then neither reports the end nor dies of a
signal in time, and the engine gives up. A new process in the container, which gets a normal share of CPU
time, ends it."""
import os

try:
    os.sched_setscheduler(1, os.SCHED_IDLE, os.sched_param(0))
    os.setpriority(os.PRIO_PROCESS, 1, 19)
except PermissionError:
    pass  # refused: even better
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
