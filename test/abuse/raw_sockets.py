# raw sockets and network changes
# holds: no packet can be forged, and the container's network cannot be changed
# timeout: 10
# gvisor: this changes gVisor's kernel, which the container has for itself, and not the machine

"""Raw and packet sockets forge and read packets; they need CAP_NET_RAW. netlink and ioctl change interfaces and
routes; they need CAP_NET_ADMIN. Both capabilities are dropped. For netlink and ping sockets see
uncounted_sockets."""
import errno
import fcntl
import os
import socket
import struct

SIOCSIFFLAGS, SIOCSIFADDR, SIOCADDRT = 0x8914, 0x8916, 0x890B
NEWLINK, NEWADDR, NEWROUTE = 16, 20, 24
LO = struct.pack("16sH14x", b"lo", 0x41)  # struct ifreq: up, running
LO_ADDRESS = struct.pack("16sHH4s8x", b"lo", socket.AF_INET, 0, bytes([127, 0, 0, 2]))


def netlink(kind, body):
    """A request to change something; raises what the kernel answers."""
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0) as route:
        route.send(struct.pack("IHHII", 16 + len(body), kind, 0x405, 1, 0) + body)  # REQUEST, ACK, CREATE
        answer = -struct.unpack_from("i", route.recv(4096), 16)[0]
    if answer:
        raise OSError(answer, os.strerror(answer))


def ioctl(request, argument):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, request, argument)


ATTACKS = {
    "a packet socket": lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0).close(),
    "a packet socket for datagrams": lambda: socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, 0).close(),
    "raw ICMP": lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1).close(),
    "raw IP": lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 255).close(),
    "raw ICMPv6": lambda: socket.socket(socket.AF_INET6, socket.SOCK_RAW, 58).close(),
    "a new interface": lambda: netlink(NEWLINK, struct.pack("BxHiII", 0, 0, 0, 0, 0)
                                       + struct.pack("HH8s", 12, 3, b"dummy7")
                                       + struct.pack("HHHH8s", 16, 18, 12, 1, b"dummy\0\0\0")),
    "another address": lambda: netlink(NEWADDR, struct.pack("BBBBI", 2, 8, 0, 0, 1)
                                       + struct.pack("HH4B", 8, 2, 127, 0, 0, 3)),
    "a default route": lambda: netlink(NEWROUTE, struct.pack("8BI", 2, 0, 0, 0, 254, 3, 0, 1, 0)
                                       + struct.pack("HHI", 8, 4, 1)),
    "interface flags": lambda: ioctl(SIOCSIFFLAGS, LO),
    "an interface's address": lambda: ioctl(SIOCSIFADDR, LO_ADDRESS),
    "a route by ioctl": lambda: ioctl(SIOCADDRT, bytes(120)),
}
failed = False
for what, attack in ATTACKS.items():
    try:
        attack()
        print("got through:", what)
        failed = True
    except OSError as error:
        if error.errno not in (errno.EPERM, errno.EACCES, errno.EAFNOSUPPORT):
            print("got through: %s was allowed (%s)" % (what, error.strerror))
            failed = True
if not failed:
    print("held: %d attempts were refused" % len(ATTACKS))
