# endless output on stdout
# holds: the run ends at 64 MiB, and isolator keeps only head and tail of the output
# ends: output-limit
# timeout: 20

"""Writes without end. Neither isolator's memory nor the engine's disk may fill up: output beyond the limit is
dropped as it arrives, the engine keeps no log, and the run ends soon."""
import os

written = 0
while written < 1 << 30:
    for stream in (1,):
        written += os.write(stream, b"The same line, again and again.\n" * 2048)
print("\ngot through: %d MB written" % (written >> 20))
