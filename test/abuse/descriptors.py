# thousands of open files
# holds: a process can open at most 1024 file descriptors
# timeout: 10

"""Open files use memory of the kernel, and the machine has a limit for all together. RLIMIT_NOFILE
bounds each process (EMFILE), --pids-limit the number of these, and only a privileged one may raise it."""
import errno
import os
import resource

failed = False
held = []
try:
    while len(held) <= 1024:
        held.append(os.open("/dev/null", os.O_RDONLY))
    print("got through: %d descriptors" % len(held))
    failed = True
except OSError as error:
    if error.errno != errno.EMFILE:
        raise
try:
    os.dup2(0, 5000)
    print("got through: descriptor 5000")
    failed = True
except OSError as error:
    if error.errno != errno.EBADF:
        raise
try:
    resource.setrlimit(resource.RLIMIT_NOFILE, (4096, 4096))
    print("got through: the limit was raised")
    failed = True
except ValueError:  # what Python makes of EPERM
    pass
if not failed:
    print("held: %d files, then EMFILE" % len(held))
