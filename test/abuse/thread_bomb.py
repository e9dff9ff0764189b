# thread bomb
# holds: threads count as processes for --pids-limit
# timeout: 10
# gvisor: the container may have more threads, for gVisor's own

"""Threads need no fork(), but the pids cgroup counts them too."""
import os
import threading
import time

limit = int(os.environ["LIMIT_PIDS"])
threading.stack_size(65536)
threads = 1
try:
    while threads <= limit:
        threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()
        threads += 1
    print("got through: %d threads, the limit is %d" % (threads, limit), flush=True)
except RuntimeError:  # "can't start new thread"
    print("held: %d threads, then no more" % threads, flush=True)
os._exit(0)
