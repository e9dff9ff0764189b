# system calls of other architectures
# holds: 32-bit calls (int 0x80) and those of x32 are refused
# timeout: 10
# gvisor: this changes gVisor's kernel, which the container has for itself, and not the machine

"""A kernel for x86_64 also takes the system calls of i386 and of x32, which have numbers of their own. A filter that
looks at the number alone reads them as other calls. Each call is tried in a child: without 32-bit support the
kernel ends it with a signal."""
import ctypes
import errno
import mmap
import os

CODE = bytes.fromhex("53"      # push rbx
                     "89f8"    # mov eax, edi
                     "89f3"    # mov ebx, esi
                     "89d1"    # mov ecx, edx
                     "31d2"    # xor edx, edx
                     "31f6"    # xor esi, esi
                     "31ff"    # xor edi, edi
                     "cd80"    # int 0x80
                     "5b"      # pop rbx
                     "c3")     # ret
# getpid, setpriority, sched_setscheduler, prlimit64 of process 1, socketcall, socket, keyctl, io_uring_setup
I386 = [(20, 0, 0), (97, 0, 1), (156, 1, 5), (340, 1, 7), (102, 1, 0), (359, 40, 1), (288, 0, 0), (425, 1, 0)]
X32 = [(39, 0, 0), (141, 0, 1), (144, 1, 5), (302, 1, 7), (41, 40, 1), (250, 0, 0), (425, 1, 0), (520, 0, 0)]


def in_child(call):
    """What the call returns; None if a signal ended the child."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.write(writer, b"%d" % call())
        os._exit(0)
    os.close(writer)
    text = os.read(reader, 100)
    os.close(reader)
    return int(text) if os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0 else None


def x32(number, *arguments):
    result = libc.syscall(ctypes.c_size_t(0x40000000 | number), *[ctypes.c_size_t(value) for value in arguments])
    return result if result >= 0 else -ctypes.get_errno()


if os.uname().machine != "x86_64":
    print("held: this architecture has no such calls here")
    raise SystemExit
libc = ctypes.CDLL(None, use_errno=True)
memory = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
memory.write(CODE)
i386 = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_int)(
    ctypes.addressof(ctypes.c_char.from_buffer(memory)))
through = 0
for name, call, calls in (("i386", i386, I386), ("x32", x32, X32)):
    for arguments in calls:
        result = in_child(lambda: call(*arguments))
        if result not in (None, -errno.ENOSYS):
            print("got through: call %d of %s gave %d" % (arguments[0], name, result))
            through += 1
if not through:
    print("held: %d calls of i386 and %d of x32 are refused" % (len(I386), len(X32)))
