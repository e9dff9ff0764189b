# fork bomb, counted
# holds: no more processes than --pids-limit allows
# timeout: 10
# gvisor: gVisor itself uses memory of the container, whose end is the end of all

"""Every process forks as often as it can, and so do its children. The pids cgroup refuses fork() at the limit.
Each success adds a byte to a file; the bomb stops itself at twice the limit, or when fork was refused ten times."""
import os
import time

limit = int(os.environ["LIMIT_PIDS"])
count = os.open("/tmp/count", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
end = time.monotonic() + 8  # a slow machine needs seconds to start so many
first = os.getpid()
refusals = 0
while time.monotonic() < end and refusals < 10 and os.fstat(count).st_size < 2 * limit:
    try:
        if os.fork() == 0:
            os.write(count, b".")
    except BlockingIOError:  # EAGAIN
        refusals += 1
    time.sleep(0.01)
if os.getpid() != first:
    time.sleep(1000)  # alive, so that it counts, until the container ends
processes = os.fstat(count).st_size + 1
if processes > limit:
    print("got through: %d processes, the limit is %d" % (processes, limit))
elif not refusals:
    print("odd: no fork was refused, with %d processes" % processes)
    raise SystemExit(1)
else:
    print("held: fork was refused with %d processes" % processes)
