# creating and entering namespaces
# holds: no namespace can be created or entered
# timeout: 10

"""In its own user namespace a program is root. With all capabilities there, it reaches much kernel code that
otherwise only root can reach. seccomp refuses to create or enter any, the other kinds need CAP_SYS_ADMIN too, and
the namespaces of other processes cannot be opened."""
import ctypes
import errno
import os
import signal

X86 = os.uname().machine == "x86_64"
CLONE, SETNS = (56, 308) if X86 else (220, 268)
CLONE3, PIDFD_OPEN = 435, 434
KINDS = {"user": 0x10000000, "mnt": 0x20000, "net": 0x40000000, "pid": 0x20000000, "ipc": 0x8000000,
         "uts": 0x4000000, "cgroup": 0x2000000, "time": 0x80}
libc = ctypes.CDLL(None, use_errno=True)


def in_child(attack):
    """The errno of the attack, 0 if it was done: in a process of its own, since it may change that."""
    child = os.fork()
    if child == 0:
        os._exit(0 if attack() >= 0 else ctypes.get_errno())
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def clone(flags):
    child = libc.syscall(CLONE, ctypes.c_ulong(flags | signal.SIGCHLD), None, None, None, None)
    if child == 0:
        os._exit(0)
    return child


def clone3(flags):
    child = libc.syscall(CLONE3, (ctypes.c_uint64 * 8)(flags, 0, 0, 0, signal.SIGCHLD), ctypes.c_size_t(64))
    if child == 0:
        os._exit(0)
    return child


def enter(path, kind):
    try:
        return libc.syscall(SETNS, os.open(path, os.O_RDONLY), kind)
    except OSError as error:
        ctypes.set_errno(error.errno)
        return -1


def enter_by_pidfd(kind):
    pidfd = libc.syscall(PIDFD_OPEN, 1, 0)
    return pidfd if pidfd < 0 else libc.syscall(SETNS, pidfd, kind)


attacks = {}
for name, flag in KINDS.items():
    attacks["unshare " + name] = lambda flag=flag: libc.unshare(flag)
    if name != "time":  # clone() has another use for this bit
        attacks["clone " + name] = lambda flag=flag: clone(flag)
    attacks["clone3 " + name] = lambda flag=flag: clone3(flag)
    attacks["clone3 user and " + name] = lambda flag=flag: clone3(flag | KINDS["user"])
    for process in ("1", "self"):
        attacks["setns %s of %s" % (name, process)] = \
            lambda path="/proc/%s/ns/%s" % (process, name), flag=flag: enter(path, flag)
    attacks["setns by pidfd " + name] = lambda flag=flag: enter_by_pidfd(flag)
failed = False
for what, attack in attacks.items():
    result = in_child(attack)
    if result not in (errno.EPERM, errno.EACCES, errno.ENOSYS) and not (
            result == errno.ENOENT and "setns" in what):  # a kind that this kernel has not
        print("got through:", what, "" if result == 0 else "was allowed (%s)" % os.strerror(result))
        failed = True
if not failed:
    print("held: %d attempts were refused" % len(attacks))
