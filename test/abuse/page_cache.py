# reading more files than fit in memory
# holds: the page cache is reclaimed: no OOM kill, and never more than --memory
# timeout: 60
# memory: 32
# gvisor: gVisor has no such file, counter or call

"""Reads files below /usr, twice as much as fits. The page cache is charged to the container. It must not cause an OOM
kill, because it can be reclaimed, and it must not grow beyond the limit. Pages that others have read are charged to
them, and so they are dropped first. From a slow disk this takes a while."""
import os


def cgroup(*paths):
    for path in paths:
        if os.path.exists("/sys/fs/cgroup/" + path):
            with open("/sys/fs/cgroup/" + path) as file:
                return int(file.read())
    return 0


def files():
    for directory, _, names in os.walk("/usr"):
        for path in (os.path.join(directory, name) for name in names):
            if os.path.isfile(path) and os.access(path, os.R_OK):
                yield path


limit = int(os.environ["LIMIT_MEMORY_BYTES"])
total = most = 0
for path in files():
    with open(path, "rb", buffering=0) as file:
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        while True:
            size = len(file.read(1 << 18))
            if not size:
                break
            total += size
    most = max(most, cgroup("memory/memory.usage_in_bytes", "memory.current"))
    if total >= 2 * limit:
        break
if not most or total < limit:
    print("odd: read %d MB, used at most %d MB" % (total >> 20, most >> 20))
    raise SystemExit(1)
if most > limit:
    print("got through: %d MB used, the limit is %d MB" % (most >> 20, limit >> 20))
else:
    print("held: %d MB read with at most %d of %d MB" % (total >> 20, most >> 20, limit >> 20))
