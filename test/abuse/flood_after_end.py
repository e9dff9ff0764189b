# daemons that flood stderr
# holds: the run ends with its program even if daemons keep writing
# ends: exit output-limit
# timeout: 10

"""Ten daemons write to stderr without end, even while process 1 writes its frame there and while the container is
removed. The frame must arrive, and isolator must not wait for the flood to end. Later output is read and
dropped, because a container cannot be removed while its output is not read."""
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
