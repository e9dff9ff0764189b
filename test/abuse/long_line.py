# a line of 100 MB
# holds: output without line breaks is cut like any other output
# ends: output-limit
# timeout: 20

"""Whoever reads lines keeps one until it ends. Nothing on the way may do so."""
import os

for _ in range(100):
    os.write(1, b"x" * (1 << 20))
print("\ngot through: a line of 100 MB")
