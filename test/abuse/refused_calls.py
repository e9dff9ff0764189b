# system calls that need root
# holds: calls that load kernels, modules or programs, or set clocks or quotas, are refused
# timeout: 10
# gvisor: this changes gVisor's kernel, which the container has for itself, and not the machine

"""Programs do not need these calls, and flaws were found in them. seccomp refuses most of them, and missing
capabilities the rest. The arguments are invalid, so an allowed call does nothing: it fails with an error
other than a refusal."""
import ctypes
import errno
import os

X86 = os.uname().machine == "x86_64"
BAD = ctypes.c_void_p(1)  # an address that is never mapped
ALL = ctypes.c_ulong(-1)
NO_FD = -1
CALLS = [  # name, number on x86_64, number on aarch64, arguments
    ("acct", 163, 89, BAD),
    ("bpf", 321, 280, 9999, BAD, 8),
    ("clock_settime", 227, 112, 9999, BAD),
    ("delete_module", 176, 106, BAD, 0),
    ("fanotify_init", 300, 262, 0x200, ALL),  # FAN_REPORT_FID, which needs no capability
    ("finit_module", 313, 273, NO_FD, BAD, ALL),
    ("get_mempolicy", 239, 236, BAD, 0, 0, 0, ALL),
    ("init_module", 175, 105, BAD, 0, BAD),
    ("ioperm", 173, None, ALL, 1, 1),
    ("iopl", 172, None, 9),
    ("kexec_file_load", 320, 294, NO_FD, NO_FD, 0, BAD, ALL),
    ("kexec_load", 246, 104, 0, 100, BAD, ALL),
    ("lookup_dcookie", 212, 18, 0, BAD, 0),
    ("mbind", 237, 235, 0, 0, 9999, BAD, 0, ALL),
    ("move_pages", 279, 239, 1, 1, BAD, BAD, BAD, ALL),
    ("nfsservctl", 180, 42, 9999, BAD, BAD),
    ("open_by_handle_at", 304, 265, NO_FD, BAD, 0),
    ("perf_event_open", 298, 241, BAD, 0, -1, -1, 0),
    ("personality", 135, 92, 0x0040000),  # ADDR_NO_RANDOMIZE
    ("pidfd_getfd", 438, 438, NO_FD, NO_FD, ALL),
    ("quotactl", 179, 60, ALL, BAD, 0, BAD),
    ("quotactl_fd", 443, 443, NO_FD, ALL, 0, BAD),
    ("reboot", 169, 142, 0, 0, 0, BAD),  # without its magic numbers
    ("set_mempolicy", 238, 237, 9999, BAD, 0),
    ("sethostname", 170, 161, BAD, ctypes.c_long(-1)),
    ("setdomainname", 171, 162, BAD, ctypes.c_long(-1)),
    ("settimeofday", 164, 170, BAD, BAD),
    ("swapoff", 168, 225, BAD),
    ("swapon", 167, 224, BAD, ALL),
    ("syslog", 103, 116, 3, BAD, -1),
    ("userfaultfd", 323, 282, ALL),
]
libc = ctypes.CDLL(None, use_errno=True)
failed = False
for name, x86_64, aarch64, *arguments in CALLS:
    number = x86_64 if X86 else aarch64
    if number is None:
        continue
    ctypes.set_errno(0)
    libc.syscall(number, *arguments)
    if ctypes.get_errno() not in (errno.EPERM, errno.EACCES, errno.ENOSYS):
        print("got through: %s was allowed (%s)" % (name, os.strerror(ctypes.get_errno())))
        failed = True
if not failed:
    print("held: %d calls are refused" % len(CALLS))
