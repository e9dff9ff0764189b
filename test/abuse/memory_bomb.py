# memory bomb
# holds: a program that uses more than --memory is killed with reason oom
# ends: oom
# timeout: 10
# memory: 64

"""Allocates memory and writes to it. The memory cgroup counts each page when it is first written."""
import os

limit = int(os.environ["LIMIT_MEMORY_BYTES"])
hoard = []
while len(hoard) << 20 < 2 * limit:
    hoard.append(b"x" * (1 << 20))
print("got through: %d MB used, the limit is %d MB" % (len(hoard), limit >> 20))
