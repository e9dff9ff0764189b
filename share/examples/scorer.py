#!/usr/bin/env python3
"""A scorer with the shape of one of Inspect: runs the program of an answer and compares what it prints.

    share/examples/scorer.py 'print(6 * 7)' 42

To use it there, take Score from inspect_ai.scorer, and decorate program_output() with @scorer.
"""
import asyncio
import sys
from collections.abc import Coroutine
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, Callable

import isolator

CORRECT, INCORRECT = "C", "I"


@dataclass
class Score:
    value: str
    answer: str
    explanation: str


def program_output(compare: str = "trim") -> Callable[[Any, Any], Coroutine[Any, Any, Score]]:
    """A scorer: correct if the program of the answer prints the text of the target."""

    async def score(state: Any, target: Any) -> Score:
        program = state.output.completion
        expected = isolator.Test(expected_stdout=target.text, compare=compare)
        result = await isolator.aio.test(program, "python", tests=[expected])
        outcome = result.tests[0] if result.tests else None
        explanation = (outcome and outcome.error) or result.error or "the output is the expected one"
        return Score(CORRECT if result.ok else INCORRECT, outcome.stdout if outcome else "", explanation)

    return score


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    answer = SimpleNamespace(output=SimpleNamespace(completion=sys.argv[1]))
    print(asyncio.run(program_output()(answer, SimpleNamespace(text=sys.argv[2]))))
