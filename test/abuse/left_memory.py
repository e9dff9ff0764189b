# memory that a program leaves in use
# holds: each test has its memory, whatever is left of the one before
# tests: 8
# timeout: 30
# memory: 96
# gvisor: gVisor itself uses memory of the container, whose end is the end of all

"""Files and shared memory are counted to the container and outlive their program, and so may a file that only a message
in a socket holds. The next program takes most of the limit, which it could not do beside them."""
import array
import ctypes
import os
import socket

NUMBER = int(os.environ["TEST"])
LIMIT = int(os.environ["LIMIT_MEMORY_BYTES"])
libc = ctypes.CDLL(None, use_errno=True)
libc.shmat.restype = ctypes.c_void_p


def files():
    for path in ("/tmp/left", "/dev/shm/left"):
        with open(path, "wb", 0) as file:
            for _ in range(LIMIT * 3 // 8 // 65536):
                file.write(bytes(65536))


def shared_memory():
    for _ in range(LIMIT * 3 // 4 >> 20):
        segment = libc.shmget(0, ctypes.c_size_t(1 << 20), 0o1600)
        address = libc.shmat(segment, None, 0)
        ctypes.memset(address, 1, 1 << 20)
        libc.shmctl(segment, 11, None)  # SHM_LOCK
        libc.shmdt(ctypes.c_void_p(address))


def processes():
    for _ in range(10):
        if os.fork() == 0:
            os.setsid()
            block = bytearray(b"x") * (LIMIT * 3 // 4 // 10)
            while block:
                pass


def files_in_flight():
    one, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    file = os.memfd_create("left")
    for _ in range(LIMIT * 3 // 4 // 65536):
        os.write(file, bytes(65536))
    for sender, held in ((one, other), (other, one)):
        sender.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [held.fileno(), file]))])


if NUMBER % 2:
    taken = bytearray(b"x") * (LIMIT * 5 // 8)
    if NUMBER == 7:
        print("held: %d MB of %d" % (len(taken) >> 20, LIMIT >> 20))
else:
    (files, shared_memory, processes, files_in_flight)[NUMBER // 2]()
