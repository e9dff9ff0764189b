# daemons and zombies
# holds: the run ends with its program, whatever processes it leaves behind
# timeout: 10

"""Daemons leave the session and the process group and keep stdout open, so a reader that waits for the end of the
output waits for them. Nobody reaps the zombies. Process 1 ends all of them with the container. A daemon that
is still alive after three seconds reports it."""
import os
import time

for _ in range(10):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(3)
            os.write(1, b"got through: a daemon outlived its program\n")
            time.sleep(1000)
        os._exit(0)  # and a zombie: nobody waits for it
print("held: 10 daemons, 10 zombies")
