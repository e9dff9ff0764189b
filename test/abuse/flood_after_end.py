# daemons that flood stderr
# holds: the run ends with its program, while others still write as much as they can
# ends: exit output-limit
# timeout: 10

"""Ten daemons fill stderr without end, also while process 1 writes its mark there and while the sandbox is
taken down. The mark must get through, and nobody may wait for the flood to end: what comes later is read
and dropped, since a container whose output is not read cannot be removed."""
import os
import time

for _ in range(10):
    if os.fork() == 0:
        os.setsid()
        if os.fork():
            os._exit(0)
        end = time.monotonic() + 20
        while time.monotonic() < end:
            os.write(2, b"x" * 4095 + b"\n")
        os._exit(0)
time.sleep(0.2)
print("held: 10 daemons write to stderr")
