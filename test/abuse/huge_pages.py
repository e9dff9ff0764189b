# huge pages
# holds: huge pages reserved by the machine cannot be used beyond --memory
# ends: exit oom
# timeout: 10
# gvisor: this changes gVisor's kernel, which the container has for itself, and not the machine

"""Reserved huge pages (vm.nr_hugepages) are not charged to the memory of a cgroup but to a limit of their own,
which the engine does not set. Whoever maps some takes them from their intended user. If the machine has
reserved none, there are none to take."""
import errno
import mmap
import os

MAP_HUGETLB, SIZE = 0x40000, 2 << 20
limit = int(os.environ["LIMIT_MEMORY_BYTES"])
kept = []
try:
    while len(kept) * SIZE <= limit:
        kept.append(mmap.mmap(-1, SIZE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | MAP_HUGETLB))
        kept[-1][0] = 1
except OSError as error:
    if error.errno not in (errno.ENOMEM, errno.EINVAL, errno.EPERM, errno.ENOSYS):
        raise
if len(kept) * SIZE > limit:
    print("got through: %d MB in huge pages, the limit is %d MB" % (len(kept) * SIZE >> 20, limit >> 20))
else:
    print("held: %d huge pages, then no more" % len(kept))
