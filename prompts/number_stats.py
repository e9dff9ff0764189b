# Prints statistics of the numbers on stdin, with any separator: count, sum, mean, median, standard deviation, quartiles, minimum and maximum.
import re
import statistics
import sys

NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?![\w])")


def main():
    text = sys.stdin.buffer.read().decode("utf-8", "replace")
    numbers = [value for value in map(float, NUMBER.findall(text)) if value - value == 0]
    if not numbers:
        sys.exit("number_stats: there are no numbers on stdin")
    print(f"count     {len(numbers)}")
    print(f"sum       {sum(numbers):.10g}")
    print(f"mean      {sum(numbers) / len(numbers):.10g}")
    print(f"median    {statistics.median(numbers):.10g}")
    if len(numbers) > 1:
        low, _, high = statistics.quantiles(numbers, n=4, method="inclusive")
        print(f"deviation {statistics.stdev(numbers):.10g}")
        print(f"quartiles {low:.10g} {high:.10g}")
    print(f"least     {min(numbers):.10g}")
    print(f"greatest  {max(numbers):.10g}")


main()
