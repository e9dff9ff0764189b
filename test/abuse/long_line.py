# a line of 100 MB
# holds: output without line breaks is cut like any other output
# ends: output-limit
# timeout: 20

"""A reader that reads whole lines keeps a line in memory until it ends. No part of isolator may do that."""
import os

for _ in range(100):
    os.write(1, b"x" * (1 << 20))
print("\ngot through: a line of 100 MB")
