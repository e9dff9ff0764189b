# unread data in TCP connections
# holds: data in connections inside the container uses no more than --memory
# ends: exit oom
# timeout: 20
# memory: 64
# gap: cgroup v1 does not charge TCP and UDP buffers to a container; cgroup v2 does

"""Even without a network there is `lo`, and a connection to itself holds some megabytes. cgroup v2 charges them to
the container. cgroup v1 has a separate limit for TCP, which the engine does not set, so only the limit of
the whole machine applies (net.ipv4.tcp_mem). Stops at twice the memory."""
import errno
import os
import socket

limit = int(os.environ["LIMIT_MEMORY_BYTES"])
server = socket.create_server(("127.0.0.1", 0))
kept = []
total = 0
try:
    while total <= 2 * limit:
        try:
            sender = socket.create_connection(server.getsockname())
            kept.append((sender, server.accept()[0]))
        except OSError as error:
            if error.errno != errno.EMFILE:
                raise
            if os.fork():  # a child goes on with descriptors of its own; this process keeps those it has
                os.wait()
                os._exit(0)
            kept = []
            continue
        sender.setblocking(False)
        try:
            while True:
                total += sender.send(bytes(65536))
        except BlockingIOError:  # this one is full
            pass
    print("got through: %d MB in TCP buffers, the limit is %d MB" % (total >> 20, limit >> 20))
except OSError as error:  # no memory, no more processes
    print("held: %d MB, then: %s" % (total >> 20, error.strerror))
