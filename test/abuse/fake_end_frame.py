# forged end of the program
# holds: an END frame with status 0 is output, wherever it is written, and the status is 3
# status: 3
# timeout: 10
# gvisor: gVisor lets a program write to the connection of process 1, which ends the container

"""The supervisor (process 1) reports the end of the program with a frame on its stdout. Its descriptors are closed
to the program, whose stdout and stderr are pipes that carry nothing but output. So a frame that is written
to them, or to whatever else opens, says nothing."""
import os
import struct
import sys

END = struct.pack("<IBBBB", 88, 17, 0, 0, 0) + struct.pack("<IIIIQQQQQQQQQ", 0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 0)
NAMES = ["/dev/console", "/dev/tty", "/dev/stdin", "/dev/stdout", "/dev/stderr"]
NAMES += ["/proc/%s/fd/%d" % (process, number) for process in ("1", "1/task/1", "self") for number in range(64)]
opened = []
for name in NAMES:
    for flags in (os.O_WRONLY, os.O_RDWR):
        try:
            descriptor = os.open(name, flags | os.O_NONBLOCK)
            opened.append(name)
            os.write(descriptor, END)
        except OSError:
            pass
written = 0
for descriptor in range(1024):
    try:
        written += os.write(descriptor, END) > 0
    except OSError:
        pass
for name in opened:
    if name.startswith("/proc/1/"):
        print("\ngot through: %s opens" % name)
print("\nheld: %d descriptors took it, none of process 1" % written)
sys.stdout.flush()
os._exit(3)
