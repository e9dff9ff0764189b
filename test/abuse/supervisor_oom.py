# making process 1 the victim of the OOM killer
# holds: if memory runs out, the reason is oom and not a failure of the engine
# ends: oom
# silent: engine
# timeout: 15
# memory: 48

"""The kernel kills the largest process. The supervisor makes the program its first choice (oom_score_adj), but a
program can take that back, and be smaller than process 1: a page of machine code that fills a file in
memory. If process 1 is killed, the container ends, and isolator has to find out why."""
import os
import struct

X86_64 = bytes.fromhex("bf03000000"  # mov edi, 3
                       "be00004000"  # mov esi, 0x400000
                       "ba00100000"  # mov edx, 4096
                       "b801000000"  # mov eax, 1: write
                       "0f05"        # syscall
                       "ebed")       # jmp to "mov esi"
AARCH64 = struct.pack("<6I", 0xD2800060,   # mov x0, 3
                      0xD2A00801,          # mov x1, 0x400000
                      0xD2820002,          # mov x2, 4096
                      0xD2800808,          # mov x8, 64: write
                      0xD4000001,          # svc 0
                      0x17FFFFFB)          # b to "mov x0"
machine, code = (62, X86_64) if os.uname().machine == "x86_64" else (183, AARCH64)
header = b"\x7fELF\2\1\1".ljust(16, b"\0") + struct.pack("<HHIQQQIHHHHHH", 2, machine, 1, 0x400078, 64, 0, 0, 64, 56,
                                                         1, 0, 0, 0)
segment = struct.pack("<IIQQQQQQ", 1, 5, 0, 0x400000, 0x400000, 4096, 4096, 4096)
with open("tiny", "wb") as file:
    file.write((header + segment + code).ljust(4096, b"\0"))
os.chmod("tiny", 0o755)
with open("/proc/self/oom_score_adj", "w") as file:
    file.write("0")
descriptor = os.open("/dev/shm/filling", os.O_CREAT | os.O_WRONLY)
os.dup2(descriptor, 9)  # so that 3 is another one
os.dup2(9, 3)
os.execv("./tiny", ["tiny"])
