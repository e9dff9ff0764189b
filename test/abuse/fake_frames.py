# malformed frames of the supervisor
# holds: frames that are wrong, cut short or too long are treated as output
# timeout: 10

"""The reader of the supervisor's frames also reads bytes of the program. It must cope with numbers out of
range, with frames that do not end, and with thousands of frames."""
import os
import re

with open("/proc/1/cmdline", "rb") as file:
    nonces = re.findall(rb"\0([0-9a-f]{32})\0", file.read()) or [b"0" * 32]
for nonce in nonces[:1]:
    for words in (b"", b"end", b"end -1 0 0 0", b"end 256 0 0 0", b"end 99999999999999999999 0 0 0", b"end 0",
                  b"end 0 0 0 0 0 0 0", b"end %s %n %n %n", b"end " + b"9" * 500 + b" 0 0 0", b"fail tools",
                  b"ready", b"begin", b"x" * 5000, b"end \0 0 0 0"):
        os.write(2, b"\0" + nonce + b" " + words + b"\n")
    for words in (b"", b" ", b" fail tools", b" ready", b" begin", b" ended", b" " + b"x" * 5000):
        os.write(1, b"\0" + nonce + words + b"\n")
    os.write(1, (b"\0" + nonce) * 10000 + b"\n")
for stream in (1, 2):  # with a guessed number
    os.write(stream, b"\0" + b"0" * 32 + b" end\n\0" + b"0" * 32 + b" end 0 0 0 0\n")
print("held: the program reached its own end")
