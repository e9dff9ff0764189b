# changing user and capabilities
# holds: a program keeps its user, has no capabilities and cannot unset no-new-privileges
# timeout: 10

"""Changing the user needs CAP_SETUID. A capability that is not in the bounding set cannot be gained, and
no-new-privileges cannot be unset."""
import ctypes
import errno
import os

CAPSET = 126 if os.uname().machine == "x86_64" else 91
SET_NO_NEW_PRIVS, CAP_AMBIENT, SET_SECUREBITS = 38, 47, 28
libc = ctypes.CDLL(None, use_errno=True)
header = (ctypes.c_uint32 * 2)(0x20080522, 0)
every = (ctypes.c_uint32 * 6)(*[0xFFFFFFFF] * 6)
ATTACKS = {
    "setuid(0)": lambda: libc.setuid(0),
    "setgid(0)": lambda: libc.setgid(0),
    "setresuid(0)": lambda: libc.setresuid(0, 0, 0),
    "setreuid to another": lambda: libc.setreuid(1000, 1000),
    "setgroups(root)": lambda: libc.setgroups(ctypes.c_size_t(1), (ctypes.c_uint32 * 1)(0)),
    "initgroups": lambda: libc.initgroups(b"root", 0),
    "all capabilities": lambda: libc.syscall(CAPSET, header, every),
    "an ambient capability": lambda: libc.prctl(CAP_AMBIENT, 2, ctypes.c_ulong(21), 0, 0),
    "the securebits": lambda: libc.prctl(SET_SECUREBITS, ctypes.c_ulong(1), 0, 0, 0),
    "new privileges again": lambda: libc.prctl(SET_NO_NEW_PRIVS, ctypes.c_ulong(0), 0, 0, 0),
}
user = {os.getuid(), os.getgid()}  # applied_limits checks who that is
failed = False
for what, attack in ATTACKS.items():
    if attack() >= 0:
        print("got through:", what)
        failed = True
    elif ctypes.get_errno() not in (errno.EPERM, errno.EACCES, errno.EINVAL, errno.ENOSYS):
        print("odd: %s: %s" % (what, os.strerror(ctypes.get_errno())))
        raise SystemExit(1)
if set(os.getresuid()) | set(os.getresgid()) != user:
    print("got through: user and group are", os.getresuid(), os.getresgid())
    failed = True
if not failed:
    print("held: %d attempts were refused" % len(ATTACKS))
