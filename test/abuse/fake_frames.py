# frames of the supervisor, good and malformed
# holds: frames of each type, cut short, too long or nonsense, are treated as output
# status: 3
# timeout: 10

"""The supervisor sends output as frames, each with its length. Output that is a frame itself must not be read as
one, also not where one of the supervisor's frames ends and the next one begins."""
import os
import struct
import sys

MAGIC = b"isolator supervisor\0" + struct.pack("<I", 5)


def frame(kind, payload=b"", length=None, rest=0):
    return struct.pack("<IBBBB", len(payload) if length is None else length, kind, rest, 0, 0) + payload


total = 0
for stream in (1, 2):
    for kind in range(256):
        for payload in (b"", b"x", bytes(8), bytes(64), b"\xff" * 64, MAGIC + bytes(12288 - len(MAGIC))):
            total += os.write(stream, frame(kind, payload))
    for length in (0, 64, 131071, 131072, 1 << 31, (1 << 32) - 1):
        total += os.write(stream, frame(17, b"", length))
        total += os.write(stream, frame(17, bytes(64), length, 1))
    end = frame(17, bytes(64))
    for size in range(32760, 32776):  # about the length of the supervisor's frames
        total += os.write(stream, bytes(size))
        total += os.write(stream, end)
print("\nheld: %d bytes of frames" % total)
sys.stdout.flush()
os._exit(3)
