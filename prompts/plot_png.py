# Draws the numbers on stdin as a line into the file plot.png; request it with artifacts. Arguments: width and height (default: 640 400), or base64 to print the image as text.
import base64
import re
import struct
import sys
import zlib

WHITE, GREY, BLUE = 0, 1, 2
PALETTE = bytes((255, 255, 255, 200, 200, 200, 31, 119, 180))
MARGIN = 10


def chunk(name, data):
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def png(rows, width):
    header = struct.pack(">IIBBBBB", width, len(rows), 8, 3, 0, 0, 0)  # 8 bits into a palette
    pixels = zlib.compress(b"".join(b"\0" + bytes(row) for row in rows), 9)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"PLTE", PALETTE)
            + chunk(b"IDAT", pixels) + chunk(b"IEND", b""))


def draw(numbers, width, height):
    rows = [bytearray(width) for _ in range(height)]
    low, high = min(numbers), max(numbers)
    across, down = width - 2 * MARGIN - 1, height - 2 * MARGIN - 1

    def place(i):
        x = MARGIN + (across * i / (len(numbers) - 1) if len(numbers) > 1 else across / 2)
        y = MARGIN + (down * (high - numbers[i]) / (high - low) if high > low else down / 2)
        return round(x), round(y)

    for part in range(5):
        y = MARGIN + round(down * part / 4)
        rows[y][MARGIN : width - MARGIN] = bytes([GREY]) * (width - 2 * MARGIN)
    before = place(0)
    for i in range(len(numbers)):
        x, y = place(i)
        steps = max(abs(x - before[0]), abs(y - before[1]), 1)
        for step in range(steps + 1):
            at_x = before[0] + round((x - before[0]) * step / steps)
            at_y = before[1] + round((y - before[1]) * step / steps)
            for thick in (0, 1):
                rows[at_y + thick][at_x] = BLUE
        before = x, y
    return rows


def main():
    sizes = [word for word in sys.argv[1:] if word != "base64"]
    if len(sizes) not in (0, 2) or not all(re.fullmatch(r"\d{2,4}", size) for size in sizes):
        sys.exit("plot_png: takes width and height, of two to four digits, and base64")
    width, height = map(int, sizes or ("640", "400"))
    if min(width, height) < 4 * MARGIN:
        sys.exit(f"plot_png: width and height are {4 * MARGIN} at least")
    words = re.findall(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?", sys.stdin.buffer.read().decode("utf-8", "replace"))
    numbers = [value for value in map(float, words) if abs(value) < 1e300]
    if not numbers:
        sys.exit("plot_png: there are no numbers on stdin")
    image = png(draw(numbers, width, height), width)
    if "base64" in sys.argv[1:]:
        print(base64.b64encode(image).decode())
        return
    try:
        with open("plot.png", "wb") as file:
            file.write(image)
    except OSError as error:
        sys.exit(f"plot_png: {error}")
    print(f"plot.png: {width} x {height}, {len(numbers)} numbers from {min(numbers):g} to {max(numbers):g}")


main()
