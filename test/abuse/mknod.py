# device files
# holds: no device can be created, and only harmless ones like /dev/null exist
# timeout: 10
# gvisor: this changes gVisor's kernel, which the container has for itself, and not the machine

"""A device file gives access to the kernel and its disks. Creating one needs CAP_MKNOD, and the devices cgroup
restricts opening one. Writable file systems are mounted with nodev. Disks and memory are opened read-only,
and nothing is read from them."""
import errno
import glob
import os
import stat

KNOWN = {"null", "zero", "full", "random", "urandom", "tty", "console", "ptmx"}
DEVICES = {
    "a disk (8:0)": (stat.S_IFBLK, 8, 0), "a disk (254:0)": (stat.S_IFBLK, 254, 0),
    "a disk (259:0)": (stat.S_IFBLK, 259, 0), "/dev/mem": (stat.S_IFCHR, 1, 1),
    "/dev/port": (stat.S_IFCHR, 1, 4), "/dev/kmsg": (stat.S_IFCHR, 1, 11), "/dev/null": (stat.S_IFCHR, 1, 3),
    "/dev/fuse": (stat.S_IFCHR, 10, 229), "/dev/net/tun": (stat.S_IFCHR, 10, 200),
}
through = []
for directory in ("/tmp", ".", "/dev/shm", "/dev"):
    for what, (kind, major, minor) in DEVICES.items():
        path = directory + "/device"
        try:
            os.mknod(path, kind | 0o600, os.makedev(major, minor))
            through.append("made %s in %s" % (what, directory))
            os.unlink(path)
        except OSError as error:
            if error.errno not in (errno.EPERM, errno.EACCES, errno.EROFS):
                raise
found = 0
for directory, _, names in os.walk("/dev"):
    for name in names:
        path = os.path.join(directory, name)
        mode = os.lstat(path).st_mode
        found += stat.S_ISCHR(mode)
        if stat.S_ISBLK(mode) or stat.S_ISCHR(mode) and name not in KNOWN and directory != "/dev/pts":
            through.append(path + " is there")
NAMES = ["/dev/mem", "/dev/kmem", "/dev/port", "/dev/kmsg", "/dev/fuse", "/dev/kvm"]
for path in NAMES + glob.glob("/dev/[svx]d[a-z]*"):
    try:
        os.close(os.open(path, os.O_RDONLY | os.O_NONBLOCK))
        through.append(path + " opens")
    except OSError as error:
        if error.errno not in (errno.ENOENT, errno.EPERM, errno.EACCES):
            raise
for what in through:
    print("got through:", what)
if not through:
    print("held: %d attempts were refused, %d harmless devices" % (4 * len(DEVICES), found))
