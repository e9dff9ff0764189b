# escape sequences for terminals
# holds: control characters are escaped in the result and never reach a terminal
# timeout: 10

"""A terminal obeys escape sequences: they can clear it, rename it, fill the clipboard, or make it answer as if
someone typed. Bytes that are not UTF-8 must not break the JSON."""
import os

SEQUENCES = [
    b"\x1b[2J\x1b[H", b"\x1b]0;title\x07", b"\x1b]52;c;cm0gLXJmIC8=\x07", b"\x1b]8;;http://x/\x1b\\link\x1b]8;;\x1b\\",
    b"\x1bP+q544e\x1b\\", b"\x1b[6n", b"\x1b[c", b"\x1b[21t", b"\x1b[?1049h", b"\x1b[8m", b"\x1b(0", b"\x1b_x\x1b\\",
    b"\x9b2J", b"\xc2\x9b2J", b"\xc2\x9d0;x\xc2\x9c", b"\x0e", b"\x08" * 20, b"\x7f", b"\r", b"\x0b\x0c",
    "\u202e\u2066\u200b\ufeff\u2028\u2029".encode(), b"\xff\xfe", b"\xed\xa0\x80", b"\xc0\xaf", b"\xf4\x90\x80\x80",
]
for stream in (1, 2):
    os.write(stream, bytes(range(256)) + b"\n".join(SEQUENCES) + b"\n\x1bc\x1b[0m\n")
os.write(1, b"held: %d sequences and every byte\n" % len(SEQUENCES))
