# starving process 1 of CPU time
# holds: the priority and the processors of process 1 cannot be changed, and it returns a result
# ends: exit timeout
# timeout: 6
# gvisor: gVisor reports no CPU time of the container, or not the machine's

"""Process 1 has the same user as the program, so the kernel would let the program give it the lowest priority, alone
or as one of its group or user. The supervisor's filter refuses that. All the processes that the program may
have then keep the processors busy."""
import ctypes
import errno
import os

X86 = os.uname().machine == "x86_64"
SETPRIORITY, SCHED_SETPARAM, SCHED_SETSCHEDULER, SCHED_SETAFFINITY, IOPRIO_SET, SCHED_SETATTR = (
    (141, 142, 144, 203, 251, 314) if X86 else (140, 118, 119, 122, 30, 274))
libc = ctypes.CDLL(None, use_errno=True)
zero = ctypes.create_string_buffer(128)
attributes = (ctypes.c_uint64 * 6)(48 | 5 << 32)  # struct sched_attr: SCHED_IDLE
processors = ctypes.create_string_buffer(b"\1".ljust(128, b"\0"))
user, high = os.getuid(), 1 << 32  # the kernel ignores the upper half of an int
tasks = [int(name) for name in os.listdir("/proc/1/task")]  # the calls take the id of any thread
CALLS = [("setpriority of %s" % what, SETPRIORITY, which, who, 19)
         for what, which, who in (*(("thread %d of process 1" % task, 0, task) for task in tasks),
                                  ("process 1 with upper bits", 0, high | 1), ("its group", 1, 1), ("this group", 1, 0), ("the user", 2, user),
                                  ("this user", 2, 0), ("the user with upper bits", high | 2, user))]
CALLS += [("ioprio_set of %s" % what, IOPRIO_SET, which, who, 3 << 13)
          for what, which, who in (*(("thread %d of process 1" % task, 1, task) for task in tasks),
                                   ("process 1 with upper bits", high | 1, high | 1), ("its group", 2, 1), ("this group", 2, 0), ("the user", 3, user))]
for pid in (*tasks, high | 1):
    CALLS += [("sched_setscheduler to %d" % policy, SCHED_SETSCHEDULER, pid, policy, zero) for policy in (0, 3, 5)]
    CALLS += [("sched_setparam", SCHED_SETPARAM, pid, zero), ("sched_setattr", SCHED_SETATTR, pid, attributes, 0),
              ("sched_setaffinity", SCHED_SETAFFINITY, pid, 128, processors)]
through = 0
for what, *arguments in CALLS:
    whole = [ctypes.c_size_t(value) if isinstance(value, int) else value for value in arguments]
    if libc.syscall(*whole) >= 0 or ctypes.get_errno() != errno.EPERM:
        print("got through: %s (%s)" % (what, os.strerror(ctypes.get_errno())))
        through += 1
processes = 1
try:
    while not through:
        if os.fork() == 0:
            while True:
                pass
        processes += 1
except BlockingIOError:
    pass
if not through:
    print("held: %d calls were refused, %d processes are busy" % (len(CALLS), processes))
