# attributes that no limit counts
# holds: a file cannot have an attribute of more than 128 bytes
# timeout: 10

"""The kernel charges the access control list of a file in memory to no container. So the supervisor's filter refuses
large attributes, of whatever name, since it sees nothing but their size. The one here is one byte too large, and of
a kind that the kernel counts."""
import ctypes
import errno
import os

MAX, NAME, AT_FDCWD, SETXATTRAT = 128, "user.isolator", -100, 463
PATH = "/tmp/attributes"


def answer(call, *arguments):
    try:
        call(*arguments)
        return "0"
    except OSError as error:
        return errno.errorcode[error.errno]


with open(PATH, "w") as file:
    answers = {
        "setxattr": answer(os.setxattr, PATH, NAME, bytes(MAX + 1)),
        "lsetxattr": answer(lambda: os.setxattr(PATH, NAME, bytes(MAX + 1), follow_symlinks=False)),
        "fsetxattr": answer(os.setxattr, file.fileno(), NAME, bytes(MAX + 1)),
    }
    small = answer(os.setxattr, PATH, NAME, bytes(MAX))
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall(SETXATTRAT, AT_FDCWD, None, 0, None, None, ctypes.c_size_t(0))
answers["setxattrat"] = errno.errorcode[ctypes.get_errno()]
expected = {"setxattrat": "ENOSYS"}
wrong = {call: got for call, got in answers.items() if got != expected.get(call, "ENOSPC")}
for call, got in wrong.items():
    print("got through: %s: %s" % (call, got))
if small not in ("0", "ENOTSUP"):  # Linux before 6.6 has none in memory
    print("odd: an attribute of %d bytes: %s" % (MAX, small))
    raise SystemExit(1)
if not wrong:
    print("held: %d calls were refused" % len(answers))
