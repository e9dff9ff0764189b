# Prints the part of the JSON on stdin that a path selects, for example users[0].name or users[*].name ([-1] is the last item, * is every item). Argument: the path (default: everything).
import json
import re
import sys

STEP = re.compile(r"""\.?([^.\[\]"*]+)|\.?"([^"]*)"|\[(-?\d+)\]|\[\s*\*\s*\]|\.?\*""")


def steps(path):
    path = path.removeprefix("$").removeprefix(".")
    at = 0
    while at < len(path):
        match = STEP.match(path, at)
        if not match:
            sys.exit(f"json_query: cannot read the path from {path[at:]!r} on")
        name = match[1] if match[1] is not None else match[2]
        yield name if name is not None else int(match[3]) if match[3] else None
        at = match.end()


def follow(values, step):
    """What this step leads to; None is each of them, a number a place, a text a name."""
    for value in values:
        if step is None and isinstance(value, dict):
            yield from value.values()
        elif step is None and isinstance(value, list):
            yield from value
        elif isinstance(step, int) and isinstance(value, list) and -len(value) <= step < len(value):
            yield value[step]
        elif isinstance(step, str) and isinstance(value, dict) and step in value:
            yield value[step]


def main():
    try:
        values = [json.loads(sys.stdin.buffer.read().decode("utf-8-sig", "replace"))]
    except (ValueError, RecursionError) as error:
        sys.exit(f"json_query: stdin is no JSON: {error}")
    for step in steps(sys.argv[1] if len(sys.argv) > 1 else ""):
        values = list(follow(values, step))
    for value in values:
        print(value if isinstance(value, str) else json.dumps(value, indent=2, ensure_ascii=False))
    if not values:
        sys.exit("json_query: the path leads nowhere")


main()
