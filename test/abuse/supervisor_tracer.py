# making process 1 the tracer of the program
# holds: a signal that stops a traced program is not its end
# ends: timeout
# timeout: 2
# gvisor: gVisor reports no CPU time of the container, or not the machine's

"""PTRACE_TRACEME makes the parent of a process its tracer, and the parent of the program is process 1. The kernel then
tells process 1 of each signal to the program, with a wait status that looks like an exit status."""
import ctypes
import os
import signal

libc = ctypes.CDLL(None, use_errno=True)
if libc.ptrace(0, None, None, None) != 0:
    os.kill(os.getpid(), signal.SIGSTOP)  # refused: it must end at its timeout too
for number in (signal.SIGCONT, signal.SIGWINCH, signal.SIGTERM):
    os.kill(os.getpid(), number)
