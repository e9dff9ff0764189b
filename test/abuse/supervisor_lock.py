# holding the lock of a pipe
# holds: writers that get no CPU time cannot keep process 1 from ending the run
# ends: timeout output-limit
# timeout: 2

"""The kernel locks a pipe while somebody writes to it. A writer of the lowest priority may lose the CPU with the lock,
and process 1 waits for it. The lock is held for one write at a time, so this only delays the end."""
import ctypes
import mmap
import os
import time

SIZE = 1 << 20
libc = ctypes.CDLL(None)
for _ in range(30):
    if os.fork() == 0:
        while True:
            pass
for stream in (1, 2, 1, 2):
    if os.fork() == 0:
        os.nice(19)
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
        memory = mmap.mmap(-1, SIZE)
        address = ctypes.c_void_p(ctypes.addressof(ctypes.c_char.from_buffer(memory)))
        while True:
            libc.madvise(address, ctypes.c_size_t(SIZE), 4)  # MADV_DONTNEED: each page is a fault again
            libc.write(stream, address, ctypes.c_size_t(SIZE))
time.sleep(1000)
