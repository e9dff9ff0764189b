# sockets of unusual families
# holds: only sockets of UNIX, TCP and UDP can be opened, and of netlink for routes if allowed
# timeout: 60

"""Each address family is a lot of kernel code, and some lead out of the container: AF_VSOCK to the host of the
engine's machine, if that is a virtual machine, others to hardware. The supervisor's filter refuses all but
those that programs need, and so it does with protocols of IP."""
import os
import socket

KINDS = (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW, socket.SOCK_SEQPACKET, socket.SOCK_RDM)
UNIX, INET, INET6, NETLINK = 1, 2, 10, 16
TCP, UDP, UDP_LITE, MPTCP = 6, 17, 136, 262
PROTOCOLS = {INET: (0, 1, TCP, UDP, UDP_LITE, MPTCP), INET6: (0, 1, TCP, UDP, UDP_LITE, MPTCP), NETLINK: range(24)}
opened = set()
tried = 0
for family in list(range(64)) + [(1 << 31) - 1]:
    for kind in KINDS:
        for protocol in PROTOCOLS.get(family, range(2)):
            tried += 1
            try:
                socket.socket(family, kind, protocol).close()
                opened.add((family, 0 if family != NETLINK and protocol in (0, 1, TCP, UDP) else protocol))
            except OSError:  # refused, or not in this kernel: each family has its own words for it
                pass
        try:
            tried += 1
            for one in socket.socketpair(family, kind):
                one.close()
            opened.add((family, 0) if family == UNIX else (family, "pair"))
        except OSError:
            pass
usual = {(UNIX, 0), (INET, 0)} | ({(NETLINK, 0)} if os.environ["LIMIT_NETLINK"] == "1" else set())
odd = opened - usual - {(INET6, 0)}
for family, protocol in sorted(odd, key=str):
    print("got through: family %d, %s" % (family, protocol))
if not usual <= opened:
    print("odd: not even the usual families opened")
    raise SystemExit(1)
if not odd:
    print("held: %d attempts, only the usual families opened" % tried)
