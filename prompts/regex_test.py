# Applies a Python regular expression to each line of stdin and prints the matches and their groups. Arguments: the expression, then any of the flags i, m, s, x.
import re
import sys


def main():
    if len(sys.argv) not in (2, 3) or set(sys.argv[2:3] and sys.argv[2]) - set("imsx"):
        sys.exit("regex_test: takes an expression and flags (any of imsx)")
    flags = 0
    for letter in sys.argv[2] if len(sys.argv) == 3 else "":
        flags |= getattr(re, letter.upper())
    try:
        expression = re.compile(sys.argv[1], flags)
    except (re.error, OverflowError, RecursionError) as error:
        sys.exit(f"regex_test: {error}")
    found = 0
    for number, line in enumerate(sys.stdin.buffer.read().decode("utf-8", "replace").splitlines(), 1):
        for match in expression.finditer(line):
            found += 1
            print(f"line {number}, {match.start()} to {match.end()}: {match[0]!r}")
            names = {place: name for name, place in expression.groupindex.items()}
            for i, group in enumerate(match.groups(), 1):
                print(f"  {names.get(i, i)}: {group!r}")
    print(f"{found} matches")
    sys.exit(0 if found else 1)


main()
