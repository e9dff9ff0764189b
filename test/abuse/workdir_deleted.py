# deleting its own working directory
# holds: the run ends normally whatever happens to the working directory
# timeout: 10

"""Process 1 runs in the working directory, and the copy of its shell was there. A program that deletes both must
not prevent the report of its end."""
import os
import shutil

workdir = os.getcwd()
for name in os.listdir(workdir):
    path = os.path.join(workdir, name)
    shutil.rmtree(path) if os.path.isdir(path) else os.unlink(path)
failed = False
for what, change in (("removed", lambda: os.rmdir(workdir)),
                     ("renamed", lambda: os.rename(workdir, "/tmp/elsewhere")),
                     ("replaced", lambda: os.symlink("/etc", workdir))):
    try:
        change()
        print("got through: the working directory was", what)
        failed = True
    except OSError:  # a mount point: EBUSY, EROFS, EEXIST
        pass
os.chmod(workdir, 0)
os.chmod("/tmp", 0)
if not failed:
    print("held: it is empty, has mode 000, and stays")
