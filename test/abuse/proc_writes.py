# kernel settings in /proc
# holds: no file in /proc is writable except those of the program itself
# timeout: 20
# gvisor: gVisor has no such file, counter or call

"""/proc contains settings of the whole machine: /proc/sys, /proc/sysrq-trigger, /proc/irq and more. Each file is
opened for writing and closed again; nothing is written. /proc/pressure is not tried: a write there only
requests a notification and changes nothing."""
import errno
import os

REFUSED = (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOENT, errno.EINVAL, errno.EIO, errno.ENXIO, errno.ENODEV,
           errno.EBUSY)
tried = 0
opened = []
for directory, names, files in os.walk("/proc"):
    if directory == "/proc":
        names[:] = [name for name in names if not name.isdigit() and name not in ("self", "thread-self",
                                                                                 "pressure")]
    for name in files:
        path = os.path.join(directory, name)
        if os.path.islink(path):
            continue
        tried += 1
        try:
            os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK))
            # A masked file is a bind mount of /dev/null: what is written there is gone.
            if os.stat(path).st_rdev != os.makedev(1, 3):
                opened.append(path)
        except OSError as error:
            if error.errno not in REFUSED:
                raise
for path in opened:
    print("got through:", path)
if tried < 100:
    print("odd: found only %d files in /proc" % tried)
    raise SystemExit(1)
if not opened:
    print("held: none of %d files opens for writing" % tried)
