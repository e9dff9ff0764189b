# thousands of open files
# holds: a process can open at most 1024 file descriptors
# timeout: 10
# gvisor: gVisor has no such file, counter or call

"""Open files use kernel memory, and the machine has one limit for all of them. RLIMIT_NOFILE limits each process
(EMFILE), and --pids-limit limits the number of processes. Only a privileged process can raise the limit."""
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
