# deleting and replacing every file in reach
# holds: process 1 needs no file that the program can reach
# status: 3
# timeout: 20

"""Truncates, removes and replaces whatever can be: among it the directory from which process 1 was executed, and the
working directory. The file of process 1 is gone before the program starts."""
import os
import shutil
import sys

if os.path.isdir("/.isolator"):
    for name in os.listdir("/.isolator"):
        print("got through: /.isolator/%s is there" % name)
changed = 0
for directory, names, files in os.walk("/", topdown=False):
    if directory == "/" or directory.startswith(("/proc", "/sys")):
        continue
    for name in files + names:
        path = os.path.join(directory, name)
        for change in (lambda: os.close(os.open(path, os.O_WRONLY | os.O_TRUNC | os.O_NONBLOCK | os.O_NOFOLLOW)),
                       lambda: shutil.rmtree(path) if os.path.isdir(path) else os.unlink(path),
                       lambda: os.symlink("/bin/sh", path)):
            try:
                change()
                changed += 1
            except OSError:
                pass
for path in ("/.isolator", os.getcwd(), "/tmp"):
    os.chmod(path, 0)
print("held: %d changes" % changed)
sys.stdout.flush()
os._exit(3)
