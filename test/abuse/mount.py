# mounting, unmounting and remounting
# holds: nothing can be mounted, unmounted, moved or made writable
# timeout: 10

"""Whoever can mount can bring the machine's disks into the container, or remove the masks and the read-only root.
That needs CAP_SYS_ADMIN; seccomp refuses the calls too."""
import ctypes
import errno
import os

PIVOT_ROOT = 155 if os.uname().machine == "x86_64" else 41
OPEN_TREE, MOVE_MOUNT, FSOPEN, FSPICK, MOUNT_SETATTR = 428, 429, 430, 433, 442
RDONLY, REMOUNT, BIND, MOVE, REC = 1, 32, 4096, 8192, 16384
HERE = -100
libc = ctypes.CDLL(None, use_errno=True)
os.makedirs("/tmp/a/b")
ATTACKS = {
    "mount of tmpfs": lambda: libc.mount(b"none", b"/tmp/a", b"tmpfs", 0, None),
    "mount of proc": lambda: libc.mount(b"none", b"/tmp/a", b"proc", 0, None),
    "mount of cgroup": lambda: libc.mount(b"none", b"/tmp/a", b"cgroup", 0, b"memory"),
    "mount of cgroup2": lambda: libc.mount(b"none", b"/tmp/a", b"cgroup2", 0, None),
    "mount of overlay": lambda: libc.mount(b"none", b"/tmp/a", b"overlay", 0, b"lowerdir=/etc:/usr"),
    "bind mount": lambda: libc.mount(b"/", b"/tmp/a", None, BIND | REC, None),
    "move of a mount": lambda: libc.mount(b"/tmp", b"/mnt", None, MOVE, None),
    "/ made writable": lambda: libc.mount(None, b"/", None, REMOUNT | BIND, None),
    "/sys made writable": lambda: libc.mount(None, b"/sys", None, REMOUNT | BIND, None),
    "/proc/sys made writable": lambda: libc.mount(None, b"/proc/sys", None, REMOUNT | BIND, None),
    "/tmp made larger": lambda: libc.mount(None, b"/tmp", None, REMOUNT, b"size=65m"),
    "umount of a mask": lambda: libc.umount2(b"/sys/firmware", 2),
    "umount of /proc/sys": lambda: libc.umount2(b"/proc/sys", 2),
    "pivot_root": lambda: libc.syscall(PIVOT_ROOT, b"/tmp/a", b"/tmp/a/b"),
    "chroot": lambda: libc.chroot(b"/tmp/a"),
    "fsopen": lambda: libc.syscall(FSOPEN, b"tmpfs", 0),
    "fspick": lambda: libc.syscall(FSPICK, HERE, b"/", 0),
    "open_tree": lambda: libc.syscall(OPEN_TREE, HERE, b"/", 1),  # a clone of the mount
    "move_mount": lambda: libc.syscall(MOVE_MOUNT, HERE, b"/tmp", HERE, b"/mnt", 0),
    "mount_setattr": lambda: libc.syscall(MOUNT_SETATTR, HERE, b"/", 0, (ctypes.c_uint64 * 4)(0, RDONLY, 0, 0), 32),
}
failed = False
for what, attack in ATTACKS.items():
    if attack() >= 0:
        print("got through:", what)
        failed = True
    elif ctypes.get_errno() not in (errno.EPERM, errno.EACCES, errno.ENOSYS):
        print("got through: %s was allowed (%s)" % (what, os.strerror(ctypes.get_errno())))
        failed = True
if not failed:
    print("held: %d attempts were refused" % len(ATTACKS))
