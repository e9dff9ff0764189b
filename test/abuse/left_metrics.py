# what a test leaves in the figures of TCP
# holds: the kernel keeps no figures of a connection that has ended
# gvisor: gVisor has no such file, counter or call

"""The kernel remembers what it has measured of a connection of TCP, for the next one to the same address. A program
decides what is measured, and the next one can ask for it. The container is set not to keep any."""
with open("/proc/sys/net/ipv4/tcp_no_metrics_save") as file:
    setting = file.read().strip()
if setting == "1":
    print("held: none are kept")
else:
    print("got through: the next test reads figures of TCP: tcp_no_metrics_save is", setting)
