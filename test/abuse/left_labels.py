# what a test leaves in flow labels
# holds: a flow label of IPv6 tells nothing to the next test, and takes none from another container
# tests: 2
# timeout: 10
# gvisor: gVisor has no such file, counter or call

"""The kernel keeps a flow label for a minute after its socket is gone. It has 16 bytes of the program's choice, which
anyone in the container can read, and a machine has only 4,096 of them."""
import os
import socket
import struct

IPV6_FLOWLABEL_MGR, GET, EXCLUSIVE, CREATE = 32, 0, 1, 1
if os.environ["TEST"] == "0":
    try:
        with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as one:
            one.setsockopt(socket.IPPROTO_IPV6, IPV6_FLOWLABEL_MGR, struct.pack(
                "16sIBBHHHI", b"\x20\x01the answer: 42", 0, GET, EXCLUSIVE, CREATE, 60, 60, 0))
        print("got through: a flow label was made")
    except OSError as error:  # refused; or there is no IPv6
        print("held: %s" % error.strerror)
else:
    with open("/proc/net/ip6_flowlabel") as file:
        labels = file.read().splitlines()[1:]
    for label in labels:
        print("got through: the next test reads", label)
    if not labels:
        print("held: the next test finds no flow label")
