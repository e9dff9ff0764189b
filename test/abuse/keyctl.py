# the kernel's keyrings
# holds: the system calls for keys are refused
# timeout: 10
# gvisor: gVisor has no such file, counter or call

"""Keyrings belong to users, not to containers. Containers with the same user would share them with each other and
with that user's processes on the host. seccomp refuses the calls. Their arguments are invalid: an error other
than a refusal shows that the call was allowed, and nothing changes."""
import ctypes
import errno
import os

NUMBERS = (248, 249, 250) if os.uname().machine == "x86_64" else (217, 218, 219)
libc = ctypes.CDLL(None, use_errno=True)
failed = False
for name, number in zip(("add_key", "request_key", "keyctl"), NUMBERS):
    if libc.syscall(number, 9999, None, None, None, None) < 0 and ctypes.get_errno() in (errno.EPERM, errno.ENOSYS):
        continue
    print("got through: %s was allowed (%s)" % (name, os.strerror(ctypes.get_errno())))
    failed = True
with open("/proc/keys") as file:  # masked by an empty file
    if file.read():
        print("got through: /proc/keys has something to read")
        failed = True
if not failed:
    print("held: add_key, request_key and keyctl are refused")
