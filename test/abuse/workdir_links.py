# links in the working directory
# holds: no link is followed, and the run ends normally
# timeout: 10

"""A reader that copied, scanned or removed these files as another user would follow links to secrets, or wait
forever for a FIFO. Nothing outside the container reads the working directory, which ends with it."""
import os
import socket

for name in os.listdir("."):
    os.unlink(name)
TARGETS = ["/etc/passwd", "/etc/shadow", "/proc/1/environ", "/proc/1/root", "/dev/stdin", "../../../../etc/passwd",
           "/var/run/docker.sock", "/"]
for number, target in enumerate(TARGETS):
    os.symlink(target, "link%d" % number)
os.symlink("loop", "loop")
os.symlink("/etc/passwd", "main.py")
os.mkfifo("fifo")
socket.socket(socket.AF_UNIX).bind("socket")
os.mkdir("\n\x1b[2J")
for depth in range(500):  # a path longer than PATH_MAX
    os.mkdir("d" * 100)
    os.chdir("d" * 100)
print("held: %d links, a FIFO, a socket and a deep tree" % (len(TARGETS) + 2))
