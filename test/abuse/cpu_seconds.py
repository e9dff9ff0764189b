# CPU time used by children that have ended
# holds: isolator ends it when its processes have used one second of CPU time together
# ends: cpu-time
# cpu: 1
# timeout: 120
# gvisor: gVisor reports no CPU time of the container, or not the machine's

"""A limit of each process, as RLIMIT_CPU is, never ends this: no process lives longer than some hundredths of a second,
and their parents do not wait for them. Each writes a byte for what it has used."""
import os
import signal
import time

STEP = 0.01
ENOUGH = 5

signal.signal(signal.SIGCHLD, signal.SIG_IGN)
counter, count = os.pipe()
for _ in range(4):
    if os.fork() == 0:
        while True:
            try:
                child = os.fork()
            except BlockingIOError:  # the limit of processes; they end soon
                child = -1
            if child == 0:
                os.setsid()
                while time.process_time() < STEP:
                    pass
                os.write(count, b"x")
                os._exit(0)
            time.sleep(STEP)
used = 0
while used < ENOUGH:
    used += STEP * len(os.read(counter, 4096))
print("got through: children used %d s of CPU time" % ENOUGH)
os.kill(-1, signal.SIGKILL)
