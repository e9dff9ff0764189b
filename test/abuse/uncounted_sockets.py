# sockets that no limit counts
# holds: sockets whose memory counts for no container cannot be opened
# timeout: 60
# memory: 64

"""The kernel charges the buffers of netlink and ICMP sockets to the machine and not to the container. A thousand
descriptors in each of many processes would hold more than the machine has. A container with an engine's default
may open ICMP datagram sockets (net.ipv4.ping_group_range). A socket that wants the times of what it sends keeps a copy
of each packet, and those count nowhere either, nor do filters of packets. Stops at twice the memory. The same is true of
the keys with which TCP signs packets, of the state of protocols above it, of members of multicast groups and of headers
of IPv6; here they are empty, which the kernel refuses with another error."""
import ctypes
import errno
import os
import socket
import struct
import sys

LIMIT = int(os.environ["LIMIT_MEMORY_BYTES"])
GET_LINKS = struct.pack("IHHII", 17, 18, 0x301, 1, 0) + bytes(1)  # RTM_GETLINK: REQUEST, DUMP
NETLINK = (socket.AF_NETLINK, socket.SOCK_RAW, 0)
PING = (socket.AF_INET, socket.SOCK_DGRAM, socket.IPPROTO_ICMP)
PING6 = (socket.AF_INET6, socket.SOCK_DGRAM, socket.IPPROTO_ICMPV6)
SO_TIMESTAMPING = (37, 65)  # the old and the new one
TX_SOFTWARE = 2  # of SOF_TIMESTAMPING
IP, TCP, IPV6 = 0, 6, 41
EMPTY = (
    *(("TCP with keys", TCP, option, "EPERM") for option in (14, 32, 38, 39, 40)),  # TCP_MD5SIG, TCP_MD5SIG_EXT, TCP_AO_*
    ("TCP below TLS", TCP, 31, "EPERM"),  # TCP_ULP
    *(("a group of IPv4", IP, option, "ENODEV") for option in (35, 39, 42, 46)),  # IP_ADD_*MEMBERSHIP, MCAST_JOIN_*GROUP
    *(("a group of IPv6", IPV6, option, "ENODEV") for option in (20, 42, 46)),
    *(("a header of IPv6", IPV6, option, "EPERM") for option in (6, 57)),  # IPV6_2292PKTOPTIONS, IPV6_RTHDR
)
SO_ATTACH = (26, 51)  # SO_ATTACH_FILTER, SO_ATTACH_REUSEPORT_CBPF
INSTRUCTIONS = 4096  # the most that a filter may have
ACCEPT_ALL = ctypes.create_string_buffer(struct.pack("HBBI", 6, 0, 0, 0xFFFF) * INSTRUCTIONS)  # BPF_RET


def ask(one):
    """The answers stay in the kernel, since nobody reads them."""
    return 20 * sum(one.send(GET_LINKS) for _ in range(1000))


def ping(one, address, kind):
    """Echo requests to lo come back and stay."""
    one.connect((address, 0))
    return sum(one.send(struct.pack("BBHHH", kind, 0, 0, 0, 0) + bytes(60000)) for _ in range(3))


def timed(option):
    """A socket that sends to itself, and keeps the times."""
    one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    one.bind(("127.0.0.1", 0))
    one.connect(one.getsockname())
    one.setsockopt(socket.SOL_SOCKET, option, TX_SOFTWARE)
    return one


def filtered(option):
    """A socket with a filter, of which each has a copy."""
    one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    one.setsockopt(socket.SOL_SOCKET, option, struct.pack("HP", INSTRUCTIONS, ctypes.addressof(ACCEPT_ALL)))
    return one


def fill(make, write):
    kept, total = [], 0
    try:
        while total < 2 * LIMIT and len(kept) < 500:
            kept.append(make())
            kept[-1].setblocking(False)
            total += write(kept[-1])
    except OSError:
        pass
    return len(kept), total


through = False
for what, level, option, expected in EMPTY:
    family, kind = (socket.AF_INET6 if level == IPV6 else socket.AF_INET), (socket.SOCK_STREAM if level == TCP else socket.SOCK_DGRAM)
    with socket.socket(family, kind) as one:
        try:
            one.setsockopt(level, option, b"")
            answer = "0"
        except OSError as error:
            answer = errno.errorcode[error.errno]
    if answer != expected:
        print("got through: %s, option %d: %s" % (what, option, answer))
        through = True
sys.stdout.flush()
for name, make, write in (*(("UDP with a filter, option %d" % option, lambda option=option: filtered(option),
                             lambda one: 8 * INSTRUCTIONS) for option in SO_ATTACH),
                          ("netlink", lambda: socket.socket(*NETLINK), ask),
                          ("ICMP", lambda: socket.socket(*PING), lambda one: ping(one, "127.0.0.1", 8)),
                          ("ICMPv6", lambda: socket.socket(*PING6), lambda one: ping(one, "::1", 128)),
                          *(("UDP with times, option %d" % option, lambda option=option: timed(option),
                             lambda one: sum(one.send(bytes(60000)) for _ in range(3))) for option in SO_TIMESTAMPING)):
    if name == "netlink" and os.environ["LIMIT_NETLINK"] == "1":
        continue
    child = os.fork()  # which the kernel kills if it counts the memory
    if child == 0:
        count, total = fill(make, write)
        if count:
            print("got through: %d sockets of %s, with up to %d MB" % (count, name, total >> 20), flush=True)
        os._exit(count > 0)
    through |= os.waitpid(child, 0)[1] == 256
if not through:
    print("held: none of them can be opened")
