# forged end of the program
# holds: a run that says it has ended is ended
# timeout: 10

"""Process 1 reports the end with a mark that holds a random number. The number stands in its arguments,
which every process may read, so a program can forge the mark (it may lie about its own figures: no
limit depends on them). Then the answer comes, and what the program does afterwards must not count."""
import os
import re
import time

print("held: the program said that it ended", flush=True)
with open("/proc/1/cmdline", "rb") as file:
    nonces = set(re.findall(rb"\0([0-9a-f]{32})\0", file.read()))
for nonce in nonces:
    os.write(1, b"\0" + nonce + b" end\n")
    os.write(2, b"\0" + nonce + b" end 0 0 0 0\n")
if nonces:
    time.sleep(3)
    print("got through: output after the end", flush=True)
    time.sleep(1000)
