#!/usr/bin/env python3
"""Grade a directory of solutions with isolator batch, and print a table of scores.

    share/examples/grade.py SOLUTIONS TESTS RESULTS [OPTION...]

SOLUTIONS has one file for each solution, such as ann.cpp; TESTS has NAME.in and NAME.out for each
test, and optionally NAME.args with one argument on each line. Results are appended to the file
RESULTS, one JSON object on each line. After an interruption the same command goes on with what is
missing. Each OPTION is passed to isolator batch, for example --jobs=4.
"""
import json
import pathlib
import subprocess
import sys

LANGUAGES = {".c": "c", ".cpp": "c++", ".go": "go", ".java": "java", ".js": "javascript", ".py": "python", ".rs": "rust"}


def read_tests(directory):
    """The tests of a directory, as the requests have them."""
    tests = []
    for file in sorted(directory.glob("*.in")):
        if not file.with_suffix(".out").exists():
            sys.exit(f"{file} has no expected output; write it to {file.with_suffix('.out')}")
        test = {
            "name": file.stem,
            "stdin": file.read_text(),
            "expected_stdout": file.with_suffix(".out").read_text(),
        }
        arguments = file.with_suffix(".args")
        if arguments.exists():
            test["arguments"] = arguments.read_text().splitlines()
        tests.append(test)
    return tests


def requests(solutions, tests):
    """One line for each solution; its id is the name of the file."""
    for file in solutions:
        request = {
            "id": file.name,
            "language": LANGUAGES[file.suffix],
            "entrypoint_code": file.read_text(),
            "tests": tests,
        }
        yield json.dumps(request) + "\n"


def run(lines, results, options):
    """Runs what has no result in the file yet, and appends to it. Returns the exit status."""
    command = ["isolator", "batch", "--resume", results, "--retries", "3", *options]
    with open(results, "a") as output:
        batch = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=output, text=True)
        try:
            with batch.stdin:
                batch.stdin.writelines(lines)
        except BrokenPipeError:  # it has ended, and has said why
            pass
        return batch.wait()


def read_results(results):
    """The last result of each id."""
    with open(results) as lines:
        return {result["id"]: result for result in map(json.loads, filter(str.strip, lines))}


def describe(result):
    """What one line of the table says about a solution."""
    if result is None:
        return "no result"
    if "summary" not in result or result["reason"] in ("build", "engine", "cancelled"):
        return f"{result['reason']}: {result['error']}"
    summary = result["summary"]
    score = f"{summary['passed']}/{summary['total']}"
    if summary["firstFailure"] is None:
        return score
    failure = next(test for test in result["tests"] if test["name"] == summary["firstFailure"])
    return f"{score}  {failure['name']}: {failure['status']}"


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    directory, tests, results, *options = sys.argv[1:]
    solutions = sorted(file for file in pathlib.Path(directory).iterdir() if file.suffix in LANGUAGES)
    status = run(requests(solutions, read_tests(pathlib.Path(tests))), results, options)
    if status not in (0, 1, 3):  # 1: some solutions failed; 3: the engine did, and a later run goes on
        sys.exit(status if status > 0 else 128 - status)
    found = read_results(results)
    width = max((len(file.name) for file in solutions), default=0)
    for file in solutions:
        print(f"{file.name:{width}}  {describe(found.get(file.name))}")
    sys.exit(3 if status == 3 else 0)


main()
