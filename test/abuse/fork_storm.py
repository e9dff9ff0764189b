# endless fork bomb
# holds: isolator ends it at the timeout
# ends: timeout
# timeout: 2
# gvisor: gVisor itself uses memory of the container, whose end is the end of all

"""Every process forks without end and ends some children, so that there is always room for another one. The timer
that ends the run is outside. Killing all processes must be faster than creating new ones: process 1 of the
container ends, and then the kernel kills all others at once."""
import os

while True:
    try:
        if os.fork() == 0 and os.getpid() % 3 == 0:
            os._exit(0)
    except BlockingIOError:
        pass
