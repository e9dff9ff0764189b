# devices and cgroups in /sys
# holds: no file in /sys is writable, and no cgroup can be created
# timeout: 20
# gvisor: gVisor has no such file, counter or call

"""/sys contains the devices of the machine, and the cgroups whose files are the limits. It is mounted read-only.
Each file is opened for writing and closed again; nothing is written."""
import errno
import os

REFUSED = (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOENT, errno.EINVAL, errno.EIO, errno.ENXIO, errno.ENODEV,
           errno.EOPNOTSUPP)
tried = 0
opened = []
for directory, names, files in os.walk("/sys"):
    if directory in ("/sys/kernel/debug", "/sys/kernel/tracing"):  # root's; opening has effects there
        if names or files:
            opened.append(directory)
        names[:] = []
        continue
    if directory.startswith("/sys/fs/cgroup"):
        try:
            os.mkdir(directory + "/abuse")
            os.rmdir(directory + "/abuse")
            opened.append(directory + ": a new cgroup")
        except OSError as error:
            if error.errno not in REFUSED:
                raise
    for name in files:
        path = os.path.join(directory, name)
        if os.path.islink(path):
            continue
        tried += 1
        try:
            os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK))
            opened.append(path)
        except OSError as error:
            if error.errno not in REFUSED:
                raise
for path in opened:
    print("got through:", path)
if tried < 100:
    print("odd: found only %d files in /sys" % tried)
    raise SystemExit(1)
if not opened:
    print("held: none of %d files opens for writing" % tried)
