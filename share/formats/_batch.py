"""What the filters of this directory have in common: samples and a data set in, lines of isolator batch out.

    FILTER DATASET SAMPLES >requests.jsonl

Both files have a JSON object on each line; "-" is standard input, and a name that ends in .gz is unpacked. A sample is
{"task_id": ..., "completion": ...} or {"task_id": ..., "solution": ...}; a task may have several. If its text has a
block in ```, the last one is the program. A sample may also name its "language", which is Python by default.

Each request has the id TASK/N, where N counts the samples of the task from 0, the time limit of the data set for each
test, and one processor core, which "maximums" of the configuration must allow. What cannot be converted is reported
with its file and line; the other lines are converted, and the exit status is 1. The programs are untrusted, and so are
the files: no code of them runs here.
"""
import collections
import gzip
import itertools
import json
import re
import sys
import zlib

LINE_MAX = 64 << 20  # bytes that isolator batch reads of a line
INPUT_LINE_MAX = 256 << 20  # bytes of a line of a data set, whose texts may have more escapes than the request
MODULES = ("string re datetime collections heapq bisect copy math random statistics itertools functools operator io "
           "sys json builtins typing").split()
# The names that graders of LiveCodeBench, APPS and PRIME define for each program, as programs of models expect.
PRELUDE = "; ".join([f"from {name} import *" for name in MODULES] + [f"import {', '.join(MODULES)}",
                                                                     "sys.setrecursionlimit(50000)"]) + "\n"
failed = False


def complain(place, text):
    global failed
    failed = True
    shown = "".join(one if one.isprintable() else ascii(one)[1:-1] for one in f"{place}: {text}"[:1000])
    print(shown, file=sys.stderr)


def rows(path):
    """The place and the object of each line that has one; the others are reported."""
    try:
        opened = gzip.open(path) if path.endswith(".gz") else open(0 if path == "-" else path, "rb")
        with opened as file:
            for place, line in lines(path, file):
                if line.strip():
                    yield from row_of(place, line)
    except (OSError, EOFError, zlib.error) as error:
        sys.exit(f"cannot read '{path}': {getattr(error, 'strerror', None) or error}")


def lines(path, file):
    """The place and the bytes of each line; one that is too long, as a small packed file can have it, is reported."""
    for number in itertools.count(1):
        place, line = f"{path}:{number}", file.readline(INPUT_LINE_MAX + 1)
        if not line:
            return
        if len(line) <= INPUT_LINE_MAX:
            yield place, line
            continue
        complain(place, "the line has more than 256 MiB")
        while line and not line.endswith(b"\n"):
            line = file.readline(INPUT_LINE_MAX)


def row_of(place, line):
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        row = None
    if isinstance(row, dict):
        yield place, row
    else:
        complain(place, "not a JSON object")


def program_of(row, sample):
    """The text of a sample, a whole program."""
    text = sample["solution"] if "solution" in sample else sample["completion"]
    blocks = re.findall(r"^```[^\n]*\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    return blocks[-1] if blocks else text


def program_with_prelude(row, sample):
    python = sample.get("language", "python") == "python"
    return (PRELUDE if python else "") + program_of(row, sample)


def call_tests(function, tests):
    """Members of a request whose tests call a function. Numbers must be equal, as for the graders of the data sets."""
    return {"call": {"function": function}, "tests": [{**test, "tolerance": 0} for test in tests]}


def checked_program(program, check="pass"):
    """A program whose function "isolator_check" executes check. It has to return, so an early exit is not a success."""
    return f"{program}\n\ndef isolator_check():\n    {check}\n    return True\n"


CHECK = {"call": {"function": "isolator_check"}, "tests": [{"call_arguments": [], "expected_value": True}]}


def request(members, sample, code):
    if not members["tests"]:
        raise ValueError("there are no tests")
    line = {"language": sample.get("language", "python"), "entrypoint_code": code, "cpus": 1, "stop_on_failure": True,
            **members}
    # As graders do it: the method is meant, even if something that is imported has the same name.
    if "call" in members and members is not CHECK and "class Solution" in code:
        line["call"] = {**members["call"], "class": "Solution"}
    return line


def encoded(line):
    text = json.dumps(line, ensure_ascii=False, allow_nan=False).encode() + b"\n"
    if len(text) > LINE_MAX:
        raise ValueError("the request has more than 64 MiB, which isolator batch does not read")
    return text


def reason(error):
    return f"there is no {error}" if isinstance(error, KeyError) else str(error) or type(error).__name__


def convert(document, key, members, program=program_of, timeout=6, key_of_sample=str):
    """The main function of a filter.

    key(ROW, NUMBER) is the id of a task, members(ROW) what the requests of its samples have in common, and
    program(ROW, SAMPLE) the source of one. timeout is in seconds.
    """
    if len(sys.argv) != 3:
        sys.exit(f"usage: {sys.argv[0]} DATASET SAMPLES\n\n{document}")
    samples = collections.defaultdict(list)
    for place, sample in rows(sys.argv[2]):
        if "task_id" in sample:
            samples[key_of_sample(sample["task_id"])].append((place, sample))
        else:
            complain(place, "there is no 'task_id'")
    without = 0
    for number, (place, row) in enumerate(rows(sys.argv[1])):
        try:
            task = str(key(row, number))
            wanted = samples.pop(task, [])
            common = members(row) if wanted else None
        except Exception as error:  # whatever a file can provoke is a matter of this line alone
            complain(place, reason(error))
            continue
        without += not wanted
        for count, (place, sample) in enumerate(wanted):
            try:
                line = request(common, sample, program(row, sample))
                text = encoded({"id": f"{task}/{count}", "timeout_seconds": timeout, **line})
            except Exception as error:
                complain(place, reason(error))
                continue
            sys.stdout.buffer.write(text)
    for task, unknown in samples.items():
        for place, _ in unknown:
            complain(place, f"the data set has no task '{task}', or it cannot be converted")
    if without:
        print(f"{sys.argv[0]}: tasks without a sample: {without}", file=sys.stderr)
    sys.exit(failed)
