# unread data in pipes, sockets and queues
# holds: data that the kernel buffers counts as memory
# ends: oom
# timeout: 10
# memory: 24
# copies: 4

"""The kernel keeps data that was written and not read yet. A thousand descriptors in each of many processes hold
far more than --memory, and queues need no descriptor at all. So these buffers must be charged to the
container. Each copy tries another kind. For network sockets see tcp_buffers."""
import ctypes
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
while total <= limit:
    total += make()
print("got through: %d MB by %s(), the limit is %d MB" % (total >> 20, make.__name__, limit >> 20))
