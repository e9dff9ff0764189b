# metadata services of cloud providers
# holds: addresses that hand out credentials of the machine cannot be reached
# timeout: 20
# gvisor: gVisor has no such file, counter or call

"""A machine in a cloud gets its keys from an address that only it can reach. Often its containers can reach it
too. Connecting a datagram socket looks up a route and sends nothing. Nothing is sent to any address."""
import errno
import socket

ADDRESSES = ["169.254.169.254", "169.254.170.2", "169.254.169.253", "100.100.100.200", "168.63.129.16", "192.0.0.192",
             "fd00:ec2::254", "fd20:ce::254"]
through = []
for address in ADDRESSES:
    try:
        with socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.connect((address, 80))
        through.append("a route to " + address)
    except OSError as error:
        if error.errno not in (errno.ENETUNREACH, errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT):
            raise
try:
    through.append("metadata.google.internal is " + socket.gethostbyname("metadata.google.internal"))
except socket.gaierror:
    pass
for what in through:
    print("got through:", what)
if not through:
    print("held: no route to %d addresses" % len(ADDRESSES))
