# memory that a program leaves in use
# holds: each test has its memory, whatever is left of the one before
# tests: 6
# timeout: 30
# memory: 96

"""Files, shared memory and message queues are counted to the container and outlive their program. The next one takes
most of the limit, which it could not do beside them."""
import ctypes
import os

NUMBER = int(os.environ["TEST"])
LIMIT = int(os.environ["LIMIT_MEMORY_BYTES"])
libc = ctypes.CDLL(None, use_errno=True)
libc.shmat.restype = ctypes.c_void_p


def files():
    for path in ("/tmp/left", "/dev/shm/left"):
        with open(path, "wb", 0) as file:
            for _ in range(LIMIT * 3 // 8 // 65536):
                file.write(bytes(65536))


def shared_memory():
    for _ in range(LIMIT * 3 // 4 >> 20):
        segment = libc.shmget(0, ctypes.c_size_t(1 << 20), 0o1600)
        address = libc.shmat(segment, None, 0)
        ctypes.memset(address, 1, 1 << 20)
        libc.shmctl(segment, 11, None)  # SHM_LOCK
        libc.shmdt(ctypes.c_void_p(address))


def processes():
    for _ in range(10):
        if os.fork() == 0:
            os.setsid()
            block = bytearray(b"x") * (LIMIT * 3 // 4 // 10)
            while block:
                pass


if NUMBER % 2:
    taken = bytearray(b"x") * (LIMIT * 5 // 8)
    if NUMBER == 5:
        print("held: %d MB of %d" % (len(taken) >> 20, LIMIT >> 20))
else:
    (files, shared_memory, processes)[NUMBER // 2]()
