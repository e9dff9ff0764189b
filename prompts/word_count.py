# Counts the lines, words and characters of the text on stdin, and prints its most frequent words. Argument: how many of them (default: 10).
import collections
import re
import sys


def main():
    try:
        most = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    except ValueError:
        sys.exit("word_count: the argument is a whole number")
    text = sys.stdin.buffer.read().decode("utf-8", "replace")
    words = re.findall(r"\w+(?:['\u2019]\w+)*", text.lower())
    print(f"{len(text.splitlines())} lines, {len(text.split())} words, {len(text)} characters")
    counts = collections.Counter(words)
    for word, times in sorted(counts.items(), key=lambda item: (-item[1], item[0]))[: max(most, 0)]:
        print(f"{times:7} {word}")


main()
