# files of the host
# holds: no host file is mounted except read-only ones like /etc/hosts
# timeout: 10
# gvisor: this changes gVisor's kernel, which the container has for itself, and not the machine

"""Each mount must be one that a container needs. Then it tries escapes that runtimes once allowed: an inherited
descriptor of an outside directory, a working directory outside, `..` above the root, and /proc/PID/root."""
import errno
import glob
import os

ENGINES = {"/etc/hosts", "/etc/hostname", "/etc/resolv.conf",
           "/etc/passwd", "/etc/group", "/run/.containerenv"}  # podman, which makes them for each container
OWN = {"/", "/dev", "/dev/pts", "/dev/shm", "/dev/mqueue", "/dev/console", "/tmp", "/.isolator", os.getcwd()}
through = []
with open("/proc/self/mountinfo") as file:
    mounts = [line.split() for line in file]
for mount in mounts:
    point, options, kind = mount[4], mount[5].split(","), mount[mount.index("-") + 1]
    if point in ENGINES:
        try:
            os.close(os.open(point, os.O_WRONLY))
            through.append(point + " can be written")
        except OSError as error:
            if error.errno not in (errno.EROFS, errno.EACCES):
                raise
    elif point not in OWN and not (point + "/").startswith(("/proc/", "/sys/")):
        through.append("a mount, %s (%s)" % (point, kind))
    elif (point + "/").startswith("/sys/") and "ro" not in options and point != "/sys/fs/cgroup":
        through.append("%s is not read-only" % point)
root = os.stat("/")
for path in [os.getcwd() + "/.." * 64, "/.."] + glob.glob("/proc/[0-9]*/root") + glob.glob("/proc/[0-9]*/cwd"):
    try:
        found = os.stat(path)
        if path.endswith("cwd"):
            if not os.path.isdir(os.readlink(path)):  # "(unreachable)..." outside of the root
                through.append("%s is %s" % (path, os.readlink(path)))
        elif (found.st_dev, found.st_ino) != (root.st_dev, root.st_ino):
            through.append(path + " is not the root")
    except PermissionError:
        pass  # of process 1 and its forks
for number in os.listdir("/proc/self/fd"):
    try:
        target = os.readlink("/proc/self/fd/" + number)
    except FileNotFoundError:  # that of listdir() itself
        continue
    if int(number) > 2 or not target.startswith(("pipe:", "/memfd:stdin ", "/dev/null", os.getcwd())):
        through.append("descriptor %s is %s" % (number, target))
for what in through:
    print("got through:", what)
if not through:
    print("held: %d mounts, none of them a directory of the host" % len(mounts))
