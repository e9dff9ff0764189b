# Compares two texts and prints a unified diff: two files (arguments), or the two halves of stdin, separated by a line "=====". Exit status 1 if they differ.
import difflib
import sys


def halves(lines):
    for i, line in enumerate(lines):
        if line.strip() == "=====":
            return lines[:i], lines[i + 1 :]
    sys.exit('text_diff: stdin has no line "=====" between two texts')


def read(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read().splitlines()
    except OSError as error:
        sys.exit(f"text_diff: {error}")


def main():
    if len(sys.argv) == 3:
        names = sys.argv[1:]
        before, after = map(read, names)
    elif len(sys.argv) == 1:
        names = ["before", "after"]
        before, after = halves(sys.stdin.buffer.read().decode("utf-8", "replace").splitlines())
    else:
        sys.exit("text_diff: takes two files or none")
    lines = list(difflib.unified_diff(before, after, *names, lineterm=""))
    print("\n".join(lines) if lines else "no difference")
    sys.exit(1 if lines else 0)


main()
