# swapping memory out
# holds: the container uses no swap, so swap adds nothing to --memory
# timeout: 10
# gvisor: gVisor has no such file, counter or call

"""Asks the kernel to move half of the memory to swap (MADV_PAGEOUT), which would make room for the same amount
again. --memory-swap equals --memory, which means no swap. On a machine without swap there is nothing to
test."""
import mmap
import os

MADV_PAGEOUT = 21
with open("/proc/meminfo") as file:
    total = [int(line.split()[1]) for line in file if line.startswith("SwapTotal:")][0]
size = int(os.environ["LIMIT_MEMORY_BYTES"]) // 2
memory = mmap.mmap(-1, size)
for offset in range(0, size, 4096):
    memory[offset] = offset >> 12 & 0xFF
try:
    memory.madvise(MADV_PAGEOUT)
except OSError as error:
    print("odd: madvise:", error)
    raise SystemExit(1)
with open("/proc/self/status") as file:
    swapped = [int(line.split()[1]) for line in file if line.startswith("VmSwap:")][0]
if swapped:
    print("got through: %d kB are in swap" % swapped)
else:
    print("held: nothing was swapped;", "the machine has %d MB of swap" % (total >> 10) if total
          else "the machine has no swap")
