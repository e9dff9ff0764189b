#!/usr/bin/env python3
"""A reward for reinforcement learning: the fraction of the tests that a model's program passes.

    share/examples/reward.py <completions.jsonl

Reads a JSON string on each line, the text of a completion, and prints its reward.
"""
import json
import re
import sys
from collections.abc import Iterator, Sequence

import isolator

CLIENT = isolator.Client(retries=3)
TESTS = (
    isolator.Test(stdin="2 3", expected_stdout="5"),
    isolator.Test(stdin="-1 1", expected_stdout="0"),
)


def program_of(completion: str) -> str:
    """The last block of Python in a completion, or all of it."""
    blocks: list[str] = re.findall(r"```(?:python|py)?\n(.*?)```", completion, re.DOTALL)
    return blocks[-1] if blocks else completion


def requests(completions: Sequence[str], tests: Sequence[isolator.Test]) -> Iterator[isolator.Request]:
    for i, completion in enumerate(completions):
        yield isolator.Request(program_of(completion), "python", tests=tests, timeout_seconds=5, id=i)


def reward(completions: Sequence[str], tests: Sequence[isolator.Test] = TESTS) -> list[float]:
    """The rewards, from 0 to 1, in the order of the completions.

    A failure of the engine says nothing about a program, so it raises isolator.EngineError.
    """
    rewards = [0.0] * len(completions)
    for result in CLIENT.batch(requests(completions, tests)):
        result.check()
        if isinstance(result, isolator.TestResult) and result.summary:
            rewards[result.id] = result.summary.passed / result.summary.total
    return rewards


if __name__ == "__main__":
    for value in reward([json.loads(line) for line in sys.stdin]):
        print(value)
