# sockets of unusual families
# holds: no address family reaches past the container, except AF_VSOCK, a known gap
# timeout: 10

"""Each address family is a lot of kernel code. Most families belong to the network namespace and reach only lo;
these may be opened. The ones listed here do not, or they reach hardware. AF_VSOCK leads to the host of the
engine's machine if that is a virtual machine. Older engines allow it, and this attack only reports it."""
import socket

NAMES = {15: "AF_KEY", 17: "AF_PACKET", 31: "AF_BLUETOOTH", 32: "AF_IUCV", 35: "AF_PHONET", 37: "AF_CAIF",
         39: "AF_NFC", 41: "AF_KCM", 42: "AF_QIPCRTR", 44: "AF_XDP"}
USUAL = {1, 2, 10, 16}  # UNIX, INET, INET6, NETLINK
VSOCK, ALG = 40, 38
opened = set()
for family in range(50):
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW, socket.SOCK_SEQPACKET):
        try:
            socket.socket(family, kind, 0).close()
            opened.add(family)
        except OSError:  # refused, or not in this kernel: each family has its own words for it
            pass
for family in sorted(opened & set(NAMES)):
    print("got through:", NAMES[family])
if not USUAL <= opened:
    print("odd: not even the usual families opened")
    raise SystemExit(1)
if not opened & set(NAMES):
    odd = sorted(opened - USUAL)
    names = {VSOCK: "AF_VSOCK (known gap)", ALG: "AF_ALG (the kernel's ciphers)"}
    print("held: besides the usual four families opened:",
          ", ".join(names.get(family, str(family)) for family in odd) or "none")
