# busy loops in many processes
# holds: all processes together get no more CPU time than --cpus allows
# timeout: 10
# gvisor: gVisor reports no CPU time of the container, or not the machine's

"""Eight processes spin for two seconds. The quota of the cgroup applies to all of them together. Without it they
would get every core of the machine."""
import os
import resource
import time

began = time.monotonic()
for _ in range(8):
    if os.fork() == 0:
        while time.monotonic() < began + 2:
            pass
        os._exit(0)
for _ in range(8):
    os.wait()
elapsed = time.monotonic() - began
used = resource.getrusage(resource.RUSAGE_CHILDREN)
cores = (used.ru_utime + used.ru_stime) / elapsed
limit = float(os.environ["LIMIT_CPUS"])
if cores > limit * 1.3:
    print("got through: %.2f cores used of %.2f" % (cores, limit))
else:
    print("held: 8 busy loops got %.2f cores of %.2f" % (cores, limit))
