# signals and dying children against the timeout
# holds: process 1 sees the order to end the program at once, whatever else it has to do
# ends: timeout
# timeout: 2
# gvisor: gVisor lets a program end process 1, and so its container

"""The loop of process 1 must reach isolator's frames, and the end of its stdin, whatever the program does. Processes
send it signals, orphans end as fast as they can be made, and output waits all the time."""
import os
import signal

for number in range(6):
    if os.fork() == 0:
        os.setsid()
        while True:
            if number < 2:
                os.kill(1, signal.SIGCHLD)
                os.kill(1, signal.SIGRTMAX)
            elif number < 4:
                try:
                    if os.fork() == 0:
                        if os.fork() == 0:
                            os._exit(0)  # an orphan of process 1
                        os._exit(0)
                    os.wait()
                except OSError:
                    pass
            else:
                os.write(number - 3, b"x")
while True:
    signal.pause()
