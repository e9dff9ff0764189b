# System V shared memory
# holds: segments count as memory even after their process has ended
# ends: oom
# timeout: 10
# memory: 64

"""A segment outlives the process that created it, and no file system limits its size. It is still charged to the
container, and disappears with the container's IPC namespace."""
import ctypes
import os

IPC_PRIVATE, SIZE = 0, 8 << 20
libc = ctypes.CDLL(None, use_errno=True)
libc.shmat.restype = ctypes.c_void_p
limit = int(os.environ["LIMIT_MEMORY_BYTES"])
used = 0
while used < 2 * limit:
    segment = libc.shmget(IPC_PRIVATE, ctypes.c_size_t(SIZE), 0o1600)
    address = libc.shmat(segment, None, 0)
    if segment < 0 or address == ctypes.c_void_p(-1).value:
        print("odd: shared memory:", os.strerror(ctypes.get_errno()))
        raise SystemExit(1)
    ctypes.memset(address, 1, SIZE)
    libc.shmdt(ctypes.c_void_p(address))
    used += SIZE
print("got through: %d MB in segments, the limit is %d MB" % (used >> 20, limit >> 20))
