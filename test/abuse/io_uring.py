# input and output through io_uring
# holds: io_uring is refused, or it allows nothing that plain system calls refuse
# timeout: 10

"""io_uring does the work of other system calls, and seccomp does not see it. Newer engines refuse it. Older ones
allow it; then the kernel's own checks must hold, with the files, networks and limits of the program. This
attack opens forbidden files, and makes a socket and connects it."""
import ctypes
import errno
import os
import socket
import struct

SETUP, ENTER = 425, 426
OPENAT, CONNECT = 18, 16
libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
parameters = (ctypes.c_uint32 * 30)()
ring = libc.syscall(SETUP, 4, parameters)
if ring < 0:
    if ctypes.get_errno() not in (errno.EPERM, errno.ENOSYS):
        print("odd: io_uring_setup:", os.strerror(ctypes.get_errno()))
        raise SystemExit(1)
    print("held: io_uring_setup is refused")
    raise SystemExit(0)


def area(size, offset):
    address = libc.mmap(None, ctypes.c_size_t(size), 3, 1, ring, ctypes.c_long(offset))
    return (ctypes.c_uint8 * size).from_address(address)


sq_tail, sq_array, cq_head, cq_cqes = parameters[11], parameters[16], parameters[20], parameters[25]
sq, cq, entries = area(sq_array + 16, 0), area(cq_cqes + 16 * parameters[1], 0x8000000), area(256, 0x10000000)
done = 0


def submit(opcode, descriptor, offset, address, length, flags):
    """One operation, to its end; returns its result."""
    global done
    entries[:64] = struct.pack("=BBHiQQII32x", opcode, 0, 0, descriptor, offset, address, length, flags)
    struct.pack_into("=I", sq, sq_array + 4 * (done % 4), 0)
    struct.pack_into("=I", sq, sq_tail, done + 1)
    if libc.syscall(ENTER, ring, 1, 1, 1, None, ctypes.c_size_t(0)) != 1:
        raise OSError(ctypes.get_errno(), "io_uring_enter")
    result = struct.unpack_from("=i", cq, cq_cqes + 16 * (done % parameters[1]) + 8)[0]
    done += 1
    struct.pack_into("=I", cq, cq_head, done)
    return result


def opened(path, flags):
    name = ctypes.create_string_buffer(path)
    return submit(OPENAT, -100, 0, ctypes.addressof(name), 0o600, flags)


def connected(address, port):
    name = ctypes.create_string_buffer(struct.pack("=H", socket.AF_INET) + struct.pack(">H", port)
                                       + socket.inet_aton(address) + bytes(8))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as unconnected:
        return submit(CONNECT, unconnected.fileno(), 16, ctypes.addressof(name), 0, 0)


works = opened(b"/tmp/own", os.O_CREAT | os.O_WRONLY)  # otherwise the other results would prove nothing
results = {
    "opened /etc/shadow": opened(b"/etc/shadow", os.O_RDONLY),
    "opened /proc/1/environ": opened(b"/proc/1/environ", os.O_RDONLY),
    "opened /proc/sys/kernel/core_pattern": opened(b"/proc/sys/kernel/core_pattern", os.O_WRONLY),
    "made /usr/abuse": opened(b"/usr/abuse", os.O_CREAT | os.O_WRONLY),
    "a route to 1.1.1.1": connected("1.1.1.1", 53),
}
if works < 0:
    print("odd: io_uring cannot even make a file:", os.strerror(-works))
    raise SystemExit(1)
failed = False
for what, result in results.items():
    if result >= 0:
        print("got through:", what)
        failed = True
    elif -result not in (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOENT, errno.ENETUNREACH):
        print("odd: %s: %s" % (what, os.strerror(-result)))
        raise SystemExit(1)
if not failed:
    print("held: io_uring is allowed but gives no access: %d refusals" % len(results))
