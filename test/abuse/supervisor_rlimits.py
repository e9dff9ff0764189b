# lowering the limits of process 1
# holds: no limit of process 1 can be changed
# timeout: 10

"""prlimit() requires only the same user. Process 1 without descriptors, memory or CPU time could not report the end,
which would look like a failure of the engine. The supervisor's filter refuses the call for process 1."""
import ctypes
import errno
import os

PRLIMIT64 = 302 if os.uname().machine == "x86_64" else 261
libc = ctypes.CDLL(None, use_errno=True)
nothing, now = (ctypes.c_uint64 * 2)(0, 0), (ctypes.c_uint64 * 2)()
through = []
for new, old in ((None, now), (nothing, None), (nothing, now)):
    # The call takes the id of any thread, and the kernel ignores the upper half of an int.
    for pid in (*map(int, os.listdir("/proc/1/task")), 1 << 32 | 1):
        for limit in range(16):
            if through and new:  # those that can be read can be set
                break
            if libc.syscall(PRLIMIT64, ctypes.c_size_t(pid), ctypes.c_size_t(limit), new, old) >= 0 or \
                    ctypes.get_errno() != errno.EPERM:
                through.append("limit %d (%s)" % (limit, os.strerror(ctypes.get_errno())))
own = libc.syscall(PRLIMIT64, ctypes.c_size_t(0), ctypes.c_size_t(7), None, now)
for what in through:
    print("got through:", what)
if own != 0:
    print("odd: a process cannot ask for a limit of its own")
    raise SystemExit(1)
if not through:
    print("held: 16 limits were refused")
