# Hashes or encodes the bytes on stdin. Argument: md5, sha1, sha256, sha512, blake2b, crc32, base64, unbase64, hex or unhex (default: the usual hashes).
import base64
import hashlib
import sys
import zlib

HASHES = ("md5", "sha1", "sha256", "sha512", "blake2b")


def decode(data, how):
    try:
        return how(b"".join(data.split()))
    except ValueError as error:
        sys.exit(f"hash_text: stdin cannot be decoded: {error}")


def main():
    data = sys.stdin.buffer.read()
    what = sys.argv[1] if len(sys.argv) > 1 else "all"
    if what == "all":
        for name in HASHES:
            print(f"{name:8} {hashlib.new(name, data).hexdigest()}")
    elif what in HASHES:
        print(hashlib.new(what, data).hexdigest())
    elif what == "crc32":
        print(f"{zlib.crc32(data):08x}")
    elif what == "base64":
        print(base64.b64encode(data).decode())
    elif what == "hex":
        print(data.hex())
    elif what == "unbase64":
        sys.stdout.buffer.write(decode(data, lambda text: base64.b64decode(text, validate=True)))
    elif what == "unhex":
        sys.stdout.buffer.write(decode(data, lambda text: bytes.fromhex(text.decode("ascii"))))
    else:
        sys.exit(f"hash_text: {what!r} is none of {', '.join(HASHES)}, crc32, base64, unbase64, hex, unhex")


main()
