# holding the lock of a pipe
# holds: writers that get no CPU time cannot keep process 1 from ending the run
# ends: timeout output-limit
# timeout: 2
# gvisor: gVisor reports no CPU time of the container, or not the machine's

"""The kernel locks a pipe while somebody writes to it, also while it fetches the pages of the writer's memory. A writer
of the lowest priority may lose the CPU with the lock, and process 1 waits for it. One write of 1024 parts, each on a
border of two pages that the writer has given back, holds the lock for 2048 faults. A second thread of process 1 reads no
pipe: it sees the end of isolator, and of time."""
import ctypes
import mmap
import os
import time

PAGE, PARTS = mmap.PAGESIZE, 1024
SIZE = (2 * PARTS + 2) * PAGE
libc = ctypes.CDLL(None)
for _ in range(50):
    if os.fork() == 0:
        while True:
            pass
for stream in (1, 2, 1, 2):
    if os.fork() == 0:
        os.nice(19)
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
        memory = mmap.mmap(-1, SIZE)
        address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
        parts = (ctypes.c_size_t * (2 * PARTS))(
            *[word for i in range(PARTS) for word in (address + PAGE * (2 * i + 1) - 1, 2)])
        while True:
            libc.madvise(ctypes.c_void_p(address), ctypes.c_size_t(SIZE), 4)  # MADV_DONTNEED: each page is a fault again
            libc.writev(stream, parts, PARTS)
time.sleep(1000)
