# network connections
# holds: there is no interface except lo, and no route to any address
# timeout: 20
# gvisor: gVisor has no such file, counter or call

"""Tries addresses on the Internet and in private networks, the engine's own gateway, broadcast and multicast.
Connecting a datagram socket asks the kernel for a route and sends nothing. A real connection is tried only
if there is a route."""
import errno
import os
import socket
import threading

NO_WAY = {errno.ENETUNREACH, errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT, errno.EACCES, errno.EPERM}
ADDRESSES = ["1.1.1.1", "8.8.8.8", "172.17.0.1", "172.18.0.1", "10.0.0.1", "192.168.0.1", "192.168.65.2", "100.64.0.1",
             "255.255.255.255", "224.0.0.1", "2606:4700:4700::1111", "fe80::1", "fd00::1", "ff02::1"]
through = []

with open("/proc/net/dev") as file:
    interfaces = {line.split(":")[0].strip() for line in file if ":" in line} | set(os.listdir("/sys/class/net"))
# Some kernels give every network namespace these, unconnected and down.
tunnels = {"tunl0", "gre0", "gretap0", "erspan0", "ip_vti0", "ip6_vti0", "sit0", "ip6tnl0", "ip6gre0"}
if interfaces - tunnels != {"lo"}:
    through.append("interfaces " + " ".join(sorted(interfaces)))
for address in ADDRESSES:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
            probe.connect((address, 53))
        through.append("a route to " + address)
        with socket.socket(family, socket.SOCK_STREAM) as connection:
            connection.settimeout(1)
            connection.connect((address, 53))
        through.append("a connection to " + address)
    except socket.timeout:
        pass
    except OSError as error:
        if error.errno not in NO_WAY | {errno.ECONNREFUSED, errno.EHOSTUNREACH, errno.EINVAL}:
            raise


def resolve(name):
    try:
        through.append("%s is %s" % (name, socket.getaddrinfo(name, 80)[0][4][0]))
    except socket.gaierror:
        pass


# At the same time: some C libraries wait for seconds although nothing could be sent.
resolvers = [threading.Thread(target=resolve, args=(name,))
             for name in ("example.com", "host.docker.internal", "gateway.docker.internal")]
for thread in resolvers:
    thread.start()
for thread in resolvers:
    thread.join()
for what in through:
    print("got through:", what)
if not through:
    print("held: no route to %d addresses, no name resolved" % len(ADDRESSES))
