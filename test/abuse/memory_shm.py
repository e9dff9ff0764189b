# POSIX shared memory
# holds: /dev/shm is full (ENOSPC) at 64 MB
# timeout: 10
# memory: 256

"""The engine, not isolator, mounts /dev/shm and sets its size. Each container has its own."""
import errno
import os

written = 0
try:
    with open("/dev/shm/filling", "wb", buffering=0) as file:
        while written <= 64 << 20:
            written += file.write(bytes(1 << 20))
    print("got through: %d MB in /dev/shm" % (written >> 20))
except OSError as error:
    if error.errno != errno.ENOSPC:
        raise
    print("held: %d MB, then no more" % (written >> 20))
os.unlink("/dev/shm/filling")
