# forged end of the program
# holds: a run whose program claims to have ended is ended
# timeout: 10

"""The supervisor (process 1) reports the end of the program with a frame that contains a random number. That
number is among the arguments of process 1, which every process can read, so a program can forge the frame.
It can only lie about its own figures, on which no limit depends. The result then comes at once, and what
the program does afterwards must not count."""
import os
import re
import time

print("held: the program claimed to have ended", flush=True)
with open("/proc/1/cmdline", "rb") as file:
    nonces = set(re.findall(rb"\0([0-9a-f]{32})\0", file.read()))
for nonce in nonces:
    os.write(1, b"\0" + nonce + b" end\n")
    os.write(2, b"\0" + nonce + b" end 0 0 0 0\n")
if nonces:
    time.sleep(3)
    print("got through: output after the end", flush=True)
    time.sleep(1000)
