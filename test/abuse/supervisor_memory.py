# ending with no memory left
# holds: the result is true if files have filled the memory and output waits
# ends: oom
# timeout: 15
# memory: 48

"""Files in memory stay when the program has ended. They fill the container's memory up to the last page, output waits
in both pipes, and daemons take what becomes free. Process 1 must still send the output and the end."""
import mmap
import os

PLACES = ("/tmp/filling", "filling", "/dev/shm/filling", "/.isolator/filling")
pages, output = [bytes(65536)] * 64, b"y" * 65536


def adjust(text):
    with open("/proc/self/oom_score_adj", "w") as file:
        file.write(text)


def fill():
    adjust("1000")
    while True:
        for path in PLACES:
            try:
                descriptor = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_APPEND)
                while True:
                    os.writev(descriptor, pages)  # many, else its own code might be dropped and read again without end
            except OSError:
                pass


adjust("0")
reserve = mmap.mmap(-1, 512 << 10)  # what this process needs to go on after its child
for offset in range(0, len(reserve), 4096):
    reserve[offset] = 1
child = os.fork()
if child == 0:
    fill()
os.waitpid(child, 0)  # the kernel has killed it
reserve.close()
for stream in (1, 2):
    os.write(stream, output)
for _ in range(3):
    if os.fork() == 0:
        fill()
os._exit(3)
