# trees that are hard to remove
# holds: each test finds empty directories, however deep and full they were
# tests: 6
# timeout: 60
# memory: 128
# gvisor: gVisor itself uses memory of the container, whose end is the end of all

"""Thousands of levels of directories, and many files in one. The path of the deepest directory is
longer than any may be, and none of them can be read."""
import os

NUMBER = int(os.environ["TEST"])
LEVELS, FILES = 20000, 30000


def deep(start):
    os.chdir(start)
    for level in range(LEVELS):
        os.mkdir("d", 0o700)
        os.chdir("d")
        if level > 0 and level % 2:
            os.chmod("..", 0o300)


def wide(start):
    os.mkdir(start + "/wide")
    for number in range(FILES):
        os.close(os.open("%s/wide/%d" % (start, number), os.O_CREAT | os.O_WRONLY, 0))
    os.chmod(start + "/wide", 0)


if NUMBER % 2:
    for path in (os.getcwd(), "/tmp", "/dev/shm"):
        names = [name for name in os.listdir(path) if name != "main.py"]
        if names:
            print("got through: %s has %s" % (path, names[:5]))
        files = os.statvfs(path)
        if files.f_files - files.f_ffree > 10:
            print("got through: %d inodes are used in %s" % (files.f_files - files.f_ffree, path))
try:
    if NUMBER == 0:
        deep("/tmp")
    elif NUMBER == 2:
        wide("/tmp")
    elif NUMBER == 4:
        wide("/dev/shm")
        deep(os.getcwd())
except OSError as error:
    print("stopped:", error)
if NUMBER == 5:
    print("held: %d levels and %d files were removed" % (LEVELS, FILES))
