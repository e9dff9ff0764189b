# higher priority, locked memory
# holds: a program cannot raise its priority, lock more memory or avoid the OOM killer
# timeout: 10
# gvisor: this changes gVisor's kernel, which the container has for itself, and not the machine

"""Real-time priority would take the processors from everyone. Locked memory cannot be reclaimed. A process that
the OOM killer must not choose makes it kill others. All of this needs privileges."""
import ctypes
import errno
import mmap
import os
import resource

X86 = os.uname().machine == "x86_64"
IOPRIO_SET, SCHED_SETATTR = (251, 314) if X86 else (30, 274)
libc = ctypes.CDLL(None, use_errno=True)


def call(result):
    if result < 0:
        raise OSError(ctypes.get_errno(), "refused")


def write(path, text):
    with open(path, "w") as file:
        file.write(text)


def lock():
    size = resource.getrlimit(resource.RLIMIT_MEMLOCK)[1] + (1 << 20)
    if size <= 0:  # no limit: locked memory still counts as memory
        raise OSError(errno.EPERM, "no limit to exceed")
    memory = mmap.mmap(-1, size)
    call(libc.mlock(ctypes.addressof(ctypes.c_char.from_buffer(memory)), ctypes.c_size_t(size)))


deadline = (ctypes.c_uint64 * 6)(48 | 6 << 32, 0, 0, 10000000, 20000000, 20000000)  # struct sched_attr
ATTACKS = {
    "nice -5": lambda: os.nice(-5),
    "setpriority of process 1": lambda: os.setpriority(os.PRIO_PROCESS, 1, -10),
    "SCHED_FIFO": lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1)),
    "SCHED_RR": lambda: os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(99)),
    "SCHED_DEADLINE": lambda: call(libc.syscall(SCHED_SETATTR, 0, deadline, 0)),
    "real-time input and output": lambda: call(libc.syscall(IOPRIO_SET, 1, 0, 1 << 13)),
    "RLIMIT_NICE": lambda: resource.prlimit(0, 13, (40, 40)),
    "RLIMIT_RTPRIO": lambda: resource.prlimit(0, 14, (99, 99)),
    "more locked memory": lock,
    "RLIMIT_MEMLOCK": lambda: resource.prlimit(0, resource.RLIMIT_MEMLOCK, (1 << 40, 1 << 40)),
    "oom_score_adj -1000": lambda: write("/proc/self/oom_score_adj", "-1000"),
    "oom_score_adj -1": lambda: write("/proc/self/oom_score_adj", "-1"),
}
failed = False
for what, attack in ATTACKS.items():
    try:
        attack()
        print("got through:", what)
        failed = True
    except (OSError, ValueError) as error:
        if isinstance(error, OSError) and error.errno not in (errno.EPERM, errno.EACCES, errno.ENOMEM, errno.EAGAIN,
                                                              errno.ENOSYS):
            raise
if not failed:
    print("held: %d attempts were refused" % len(ATTACKS))
