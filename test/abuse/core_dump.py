# crash with a core dump
# holds: a program that crashes leaves no core file
# timeout: 10
# gvisor: gVisor has no such file, counter or call

"""A core file contains all the memory of a program, and core_pattern decides where it is written. The limit for
core files is 0. If core_pattern is a pipe, the kernel starts a program of the host despite the limit. That
program has to respect the limit itself; a container cannot prevent it."""
import os
import resource
import signal

with open("/proc/sys/kernel/core_pattern") as file:
    pattern = file.read().strip()
before = set(os.listdir(".")) | set(os.listdir("/tmp"))
failed = False
try:
    resource.setrlimit(resource.RLIMIT_CORE, (1 << 20, 1 << 20))
    print("got through: the limit was raised")
    failed = True
except ValueError:  # what Python makes of EPERM
    pass
child = os.fork()
if child == 0:
    os.kill(os.getpid(), signal.SIGSEGV)
status = os.waitpid(child, 0)[1]
if os.WTERMSIG(status) != signal.SIGSEGV:
    print("odd: the child ended with", status)
    raise SystemExit(1)
left = (set(os.listdir(".")) | set(os.listdir("/tmp"))) - before
if left or os.WCOREDUMP(status) and not pattern.startswith("|"):
    print("got through: a core was written:", *left)
elif not failed:
    print("held: no core;", "core_pattern is a pipe" if pattern.startswith("|") else "core_pattern is a file")
