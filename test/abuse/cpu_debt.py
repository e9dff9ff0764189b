# CPU time in debt
# holds: it ends at the timeout, with its figures, and is gone then
# ends: timeout
# timeout: 3
# gvisor: gVisor itself uses memory of the container, whose end is the end of all

"""A call that stays in the kernel for seconds, in more processes than the limit has CPUs for, uses CPU time that the kernel
collects afterwards: from process 1 too, which then neither ends the program nor reports its figures for a minute. Each call
here reads 1 GiB into the same 1 MiB."""
import ctypes
import os
import signal

PARTS = 1024

libc = ctypes.CDLL(None)
for _ in range(20):
    if os.fork() == 0:
        buffer = ctypes.create_string_buffer(1 << 20)
        vector = (ctypes.c_size_t * (2 * PARTS))(*[ctypes.addressof(buffer), 1 << 20] * PARTS)
        while True:
            libc.readv(os.open("/dev/urandom", os.O_RDONLY), vector, PARTS)
signal.pause()
