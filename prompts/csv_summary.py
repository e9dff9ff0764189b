# Summarizes CSV from stdin: for each column its type, the number of values, and minimum, mean and maximum or the most frequent value. Argument: the delimiter (default: detected).
import collections
import csv
import io
import sys


def number(text):
    try:
        value = float(text.replace("_", "x"))  # float() takes "1_000"
    except ValueError:
        return None
    return value if value - value == 0 else None  # neither infinite nor NaN


def delimiter_of(text):
    head = "\n".join(text.splitlines()[:50])
    try:
        return csv.Sniffer().sniff(head, delimiters=",;\t|").delimiter
    except csv.Error:
        return ","


def describe(name, values):
    present = [value.strip() for value in values if value.strip()]
    numbers = [number(value) for value in present]
    line = f"{name}: {len(present)} of {len(values)}"
    if not present:
        return line + ", empty"
    if None not in numbers:
        mean = sum(numbers) / len(numbers)
        return line + f", number, {min(numbers):g} to {max(numbers):g}, mean {mean:.6g}"
    counts = collections.Counter(present)
    value, times = counts.most_common(1)[0]
    return line + f", text, {len(counts)} different, most often {value[:40]!r} ({times})"


def main():
    text = sys.stdin.buffer.read().decode("utf-8-sig", "replace")
    given = sys.argv[1] if len(sys.argv) > 1 else delimiter_of(text)
    delimiter = "\t" if given == "\\t" else given
    if len(delimiter) != 1:
        sys.exit("csv_summary: the delimiter is one character")
    csv.field_size_limit(1 << 30)
    try:
        rows = [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter) if row]
    except csv.Error as error:
        sys.exit(f"csv_summary: {error}")
    if not rows:
        sys.exit("csv_summary: there is nothing on stdin; its first line names the columns")
    names, data = rows[0], rows[1:]
    print(f"{len(data)} rows, {len(names)} columns")
    for i, name in enumerate(names):
        print(describe(name.strip() or f"column {i + 1}", [row[i] if i < len(row) else "" for row in data]))
    odd = sum(len(row) != len(names) for row in data)
    if odd:
        print(f"{odd} rows have another number of columns")


main()
