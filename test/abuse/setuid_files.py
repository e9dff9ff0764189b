# setuid programs and file capabilities
# holds: no program gains privileges, neither the image's programs nor its own
# timeout: 20

"""An image contains programs that run as root for every user: su, passwd, mount. no-new-privileges disables that.
Each is started without arguments or input. The kernel reports its user, even after it has ended, until it
is waited for."""
import os
import shutil
import stat
import subprocess
import time

through = []
tried = []


def privileges(path):
    """User, group and capabilities that the program had: the first that are not as expected."""
    process = subprocess.Popen([path], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    for _ in range(50):  # it changes a moment after it was started
        with open("/proc/%d/status" % process.pid) as file:
            status = dict(line.rstrip("\n").split(":\t", 1) for line in file if ":\t" in line)
        found = status["Uid"].split()[1:], status["Gid"].split()[1:], int(status["CapPrm"], 16)
        if found != expected or status["State"].startswith("Z"):
            break
        time.sleep(0.01)
    process.kill()
    process.wait()
    return found


expected = [str(os.getuid())] * 3, [str(os.getgid())] * 3, 0  # applied_limits checks who that is
for directory, names, files in os.walk("/"):
    if directory == "/":
        names[:] = [name for name in names if name not in ("proc", "sys", "dev")]
    for path in (os.path.join(directory, name) for name in files):
        mode = os.lstat(path).st_mode
        if not stat.S_ISREG(mode) or not os.access(path, os.X_OK):
            continue
        if mode & (stat.S_ISUID | stat.S_ISGID) or "security.capability" in os.listxattr(path):
            tried.append(path)
            found = privileges(path)
            if found != expected:
                through.append("%s ran with uid, gid, capabilities %s %s %x" % ((path,) + found))
own = os.path.join(os.getcwd(), "own")
shutil.copy("/bin/sleep", own)
for change in (lambda: os.chmod(own, 0o6755), lambda: os.chown(own, 0, 0)):
    try:
        change()
    except PermissionError:
        pass
if os.stat(own).st_uid != os.getuid():
    through.append("a file was given to another user")
try:
    os.setxattr(own, "security.capability", bytes.fromhex("0000000200200000000000000000000000000000"))
    through.append("a file was given capabilities")
except OSError:
    pass
for what in through:
    print("got through:", what)
if not through:
    print("held: %d files of the image give nothing" % len(tried))
