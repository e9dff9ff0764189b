# stdout in flight in a UNIX socket
# holds: the run ends with its program though the kernel still holds its stdout
# status: 3
# timeout: 10

"""A descriptor that is sent over a UNIX socket is held by the socket. Two sockets that hold each other, and the
program's stdout, stay until the kernel collects such garbage: the end of the output may not come."""
import array
import os
import socket
import sys

for _ in range(20):
    one, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    for sender, held in ((one, other), (other, one)):
        sender.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [sender.fileno(),
                                                                                          held.fileno(), 0, 1, 2]))])
    one.detach()
    other.detach()
print("held: 20 pairs of sockets hold stdin, stdout and stderr")
sys.stdout.flush()
os._exit(3)
