# writing to every place in the file system
# holds: only size-limited file systems in memory are writable
# timeout: 60
# memory: 256

"""Walks the whole file system: tries to create a file in each directory and to open each file for writing. A
writable place must be in memory, so that it disappears with the container; it is then filled to its limit.
Any other place would be on the engine's disk."""
import errno
import os

REFUSED = (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOENT, errno.ETXTBSY)
SIZES = {os.getcwd(): int(os.environ["LIMIT_WORKDIR_BYTES"]), "/tmp": int(os.environ["LIMIT_TMP_BYTES"]),
         "/dev/shm": 64 << 20, "/.isolator": 2 << 20}  # the engine's, and that of the supervisor
with open("/proc/self/mountinfo") as file:
    mounts = {line.split()[4]: line.split(" - ")[1].split()[0] for line in file}


def mount_of(path):
    while path not in mounts:
        path = os.path.dirname(path)
    return path


def tries(path, flags):
    try:
        os.close(os.open(path, flags | os.O_WRONLY | os.O_NONBLOCK, 0o600))
        return True
    except OSError as error:
        if error.errno not in REFUSED:
            raise
        return False


writable = set()
tried = 0
own = os.path.realpath(__file__)
for directory, names, files in os.walk("/"):
    if directory == "/":
        names[:] = [name for name in names if name not in ("proc", "sys")]
    tried += 1
    if tries(directory + "/abuse", os.O_CREAT | os.O_EXCL):
        os.unlink(directory + "/abuse")
        writable.add(directory)
    for name in files:
        path = os.path.join(directory, name)
        if os.path.isfile(path) and not os.path.islink(path) and path != own and tries(path, 0):
            writable.add(path)
failed = False
for path in sorted(writable):
    mount = mount_of(path)
    if mounts[mount] == "mqueue":
        continue  # not files but queues, bounded by RLIMIT_MSGQUEUE
    if mounts[mount] != "tmpfs" or path != mount:
        print("got through: %s can be written (%s)" % (path, mounts[mount]))
        failed = True
        continue
    written = 0
    try:
        with open(path + "/filling", "wb", buffering=0) as file:
            while written <= SIZES.get(path, 0):
                written += file.write(bytes(1 << 20))
        print("got through: %d MB in %s" % (written >> 20, path))
        failed = True
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
    os.unlink(path + "/filling")
if not failed:
    print("held: tried %d directories; writable, in memory and limited in size: %s" % (tried, " ".join(sorted(writable))))
