"""What the filters of this directory have in common: samples and a data set in, lines of isolator batch out.

    FILTER DATASET SAMPLES >requests.jsonl

Both files have a JSON object on each line; "-" is standard input, and a name that ends in .gz is unpacked. A sample is
{"task_id": ..., "completion": ...} or {"task_id": ..., "solution": ...}; a task may have several. It may also name its
"language", which is Python by default. If its text has blocks in ``` or ~~~, the program is the last one that names the
language; else the last one that names none; else the last one. A block may be indented, and need not be closed; if it
has only an end, it is what precedes that.

Each request has the id TASK/N, where N counts the samples of the task from 0, the time limit of the data set for each
test, and one processor core, which "maximums" of the configuration must allow. What cannot be converted is reported
with its file and line, or once if it is the same in all lines of a file; the other lines are converted, and the exit
status is 1. The programs are untrusted, and so are the files: no code of them runs here.
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
# What a fence of Markdown can name a language of isolator, other than its own name.
FENCE_NAMES = {"python": ("py", "python3", "py3"), "cpp": ("c++", "cc", "cxx"), "javascript": ("js", "node"), "rust": ("rs",),
               "typescript": ("ts",), "go": ("golang",), "csharp": ("c#", "cs"), "bash": ("sh", "shell")}
failed = False
roles = {}  # what each file is for
complaints = collections.defaultdict(list)  # of each file: the place, the text and a detail
lines_read = collections.Counter()  # of each file, those that are not empty


def show(text):
    global failed
    failed = True
    print("".join(one if one.isprintable() else ascii(one)[1:-1] for one in text[:1000]), file=sys.stderr)


def complain(place, text, detail=""):
    """Keeps what is wrong with the line of a file, until finish() prints it."""
    complaints[place.rpartition(":")[0]].append((place, text, detail))


def finish(status=0):
    """Prints what is wrong with lines, or once with a file that is not what it should be, and exits."""
    for path, found in complaints.items():
        if len(found) == lines_read[path] > 1 and len({text for _, text, _ in found}) == 1:
            show(f"{path}: none of its {len(found)} lines can be used as {roles[path]}: {found[0][1]}")
            continue
        for place, text, detail in found:
            show(f"{place}: {text}{detail}")
    sys.exit(status or failed)


def rows(path):
    """The place and the object of each line that has one; the others are reported."""
    try:
        opened = gzip.open(path) if path.endswith(".gz") else open(0 if path == "-" else path, "rb")
        with opened as file:
            for place, line in lines(path, file):
                if line.strip():
                    lines_read[path] += 1
                    yield from row_of(place, line)
    except (OSError, EOFError, zlib.error) as error:
        finish(f"cannot read '{path}': {getattr(error, 'strerror', None) or error}")


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


# Its indentation, its ticks, and what else the line has.
FENCE = re.compile(r"([ \t]*)(`{3,}|~{3,})((?:[^`~][^`]*)?)")


class Block:
    def __init__(self, indent="", ticks="", info=""):
        self.indent, self.ticks, self.lines = len(indent), ticks, []
        self.language = (re.findall(r"[\w+#-]+", info.lower()) or [""])[0]

    def add(self, line):
        blanks = len(line) - len(line.lstrip(" \t"))
        self.lines.append(line[min(self.indent, blanks):])

    def has_fence(self, indent, ticks):
        """Whether it ends here: at its end, or where another block begins."""
        return ticks.startswith(self.ticks) and len(indent) <= self.indent + 3


def blocks_of(text):
    """The blocks of a text, as Markdown has them, but also those that lack a fence."""
    before, blocks, block = Block(), [], None  # block: the last one, until it ends
    for line in text.split("\n"):
        fence = FENCE.fullmatch(line)
        indent, ticks, info = fence.groups() if fence else ("", "", "")
        if fence and (block.has_fence(indent, ticks) if block else info.strip() or len(indent) < 4):
            if block and info.strip() and lacks_start(before, blocks):
                blocks = [before]
            block = None if block and not info.strip() else Block(indent, ticks, info)
            blocks += [block] if block else []
        elif block or not blocks:
            (block or before).add(line)
    return [before] if block and lacks_start(before, blocks) else blocks


def lacks_start(before, blocks):
    """Whether the first fence, one of an odd number, is an end: no fence names a language, and something precedes it."""
    return any(map(str.strip, before.lines)) and not any(block.language for block in blocks)


def program_of(row, sample):
    """The text of a sample, a whole program."""
    text = sample["solution"] if "solution" in sample else sample["completion"]
    language = sample.get("language", "python")
    blocks = blocks_of(text)
    named = [block for block in blocks if block.language in (language, *FENCE_NAMES.get(language, ()))]
    unnamed = [block for block in blocks if not block.language]
    chosen = (named or unnamed or blocks)[-1:]
    return "\n".join(chosen[0].lines) + "\n" if chosen else text


def program_with_prelude(row, sample):
    python = sample.get("language", "python") == "python"
    return (PRELUDE if python else "") + program_of(row, sample)


def call_tests(function, tests):
    """Members of a request whose tests call a function. Numbers must be equal, as for the graders of the data sets."""
    return {"call": {"function": function}, "tests": [{**test, "tolerance": 0} for test in tests]}


def json_lines(values):
    return "\n".join(json.dumps(value) for value in values)


# The graders of LiveCodeBench and APPS ignore SystemExit, whatever its status: the output counts.
STDIN_MAIN = """\
try:
    exec(compile(open("solution.py", encoding="utf-8").read(), "solution.py", "exec"))
except SystemExit:
    pass
"""


def stdin_tests(tests):
    """Members of a request whose tests run the program, as those graders do it."""
    return {"entrypoint_code": STDIN_MAIN, "tests": tests}


def checked_program(program, check="pass"):
    """A program whose function "isolator_check" executes check. It has to return, so an early exit is not a success."""
    return f"{program}\n\ndef isolator_check():\n    {check}\n    return True\n"


CHECK = {"call": {"function": "isolator_check"}, "tests": [{"call_arguments": [], "expected_value": True}]}


def request(members, sample, code):
    if not members["tests"]:
        raise ValueError("there are no tests")
    line = {"language": sample.get("language", "python"), "cpus": 1, "stop_on_failure": True, **members}
    if "entrypoint_code" in members and line["language"] == "python":
        line["additional_files"] = [{"filename": "solution.py", "content": code}]
    else:
        line["entrypoint_code"] = code
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
    roles.update({sys.argv[1]: "DATASET", sys.argv[2]: "SAMPLES"})
    samples = collections.defaultdict(list)
    for place, sample in rows(sys.argv[2]):
        if "task_id" not in sample:
            complain(place, "there is no 'task_id'")
        elif not {"completion", "solution"} & sample.keys():
            complain(place, "there is no 'completion'")
        else:
            samples[key_of_sample(sample["task_id"])].append((place, sample))
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
            complain(place, "the data set has no such task, or it cannot be converted", f": '{task}'")
    if without:
        print(f"{sys.argv[0]}: tasks without a sample: {without}", file=sys.stderr)
    finish()
