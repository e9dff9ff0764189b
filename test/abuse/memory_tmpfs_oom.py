# files in memory that exceed --memory
# holds: files in the working directory, /tmp and /dev/shm count as memory
# ends: oom
# timeout: 10
# memory: 64

"""The sizes of the three file systems together exceed --memory. Their pages are charged to the container that
wrote them, so it runs out of memory before they are full. Killing the program does not free the files:
process 1 must have enough memory left to report the end."""
import errno
import os

written = 0
for path in (".", "/tmp", "/dev/shm"):
    try:
        with open(path + "/filling", "wb", buffering=0) as file:
            while True:
                written += file.write(bytes(1 << 20))
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
print("got through: %d MB in files, the limit is %d MB" %
      (written >> 20, int(os.environ["LIMIT_MEMORY_BYTES"]) >> 20))
