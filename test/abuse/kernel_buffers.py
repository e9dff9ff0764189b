# unread data in pipes, sockets and queues
# holds: data that the kernel buffers counts as memory
# ends: oom
# timeout: 10
# memory: 24
# copies: 4

"""The kernel keeps data that was written and not read yet. A thousand descriptors in each of many processes hold
far more than --memory, and queues need no descriptor at all. So these buffers must be charged to the
container. Each copy tries another kind. For network sockets see tcp_buffers.

Buffers of half the limit and as much memory fit together only if the buffers are not charged. A single call takes that
memory. If the program filled all of it in small steps, and the pages of its own code were charged to the container,
the kernel might drop these pages and read them again without end instead of killing it."""
import ctypes
import mmap
import os
import socket

limit = int(os.environ["LIMIT_MEMORY_BYTES"])
libc = ctypes.CDLL(None, use_errno=True)
kept = []


def stuff(write, size):
    """Writes until the buffer is full; returns how much that was."""
    written = 0
    try:
        while True:
            written += write(bytes(size))
    except BlockingIOError:
        return written


def pipe():
    ends = os.pipe()
    os.set_blocking(ends[1], False)
    return stuff(lambda data: os.write(ends[1], data), 4096)


def stream():
    kept.append(socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM))
    kept[-1][0].setblocking(False)
    return stuff(kept[-1][0].send, 16384)


def datagrams():
    kept.append(socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM))
    kept[-1][0].setblocking(False)
    return stuff(kept[-1][0].send, 16384)


def message_queue():
    """System V; 16 kB each."""
    queue = libc.msgget(0, 0o1600)
    if queue < 0:
        raise OSError(ctypes.get_errno(), "msgget")
    message = ctypes.create_string_buffer(b"\1" * 8, 8 + 4096)
    written = 0
    while libc.msgsnd(queue, message, ctypes.c_size_t(4096), 0o4000) == 0:
        written += 4096
    return written


make = (pipe, stream, datagrams, message_queue)[int(os.environ["COPY"])]
total = 0
while total <= limit // 2:
    total += make()
memory = mmap.mmap(-1, limit - total, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x8000)  # MAP_POPULATE
memory[::4096] = bytes(len(memory[::4096]))  # else it is not certain that it has all pages
print("got through: %d MB by %s() and %d MB of memory, the limit is %d MB" % (
    total >> 20, make.__name__, len(memory) >> 20, limit >> 20))
