# endless fork bomb
# holds: isolator ends it at the timeout
# ends: timeout
# timeout: 2

"""Forks for ever, in every process, and ends some, so that there is always one to be made. The clock
that ends it is outside; killing all processes must be faster than the birth of new ones: process 1
of the sandbox ends, and then the kernel ends all others at once."""
import os

while True:
    try:
        if os.fork() == 0 and os.getpid() % 3 == 0:
            os._exit(0)
    except BlockingIOError:
        pass
