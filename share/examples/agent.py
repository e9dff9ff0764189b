#!/usr/bin/env python3
"""A coding agent: calls of a model are carried out in a workspace until it makes none.

    share/examples/agent.py

The model here is a list of calls, one of them wrong, so that the example needs none.
"""
from collections.abc import Sequence
from typing import Any

import isolator

FILES = {
    "triangle.py": "def area(base, height):\n    return base * height\n",
    "check.py": "from triangle import area\nassert area(3, 4) == 6, area(3, 4)\nprint('passed')\n",
}
CALLS: list[dict[str, Any]] = [
    {"tool": "bash", "command": "python3 check.py 2>&1 | tail -n 1"},
    {"tool": "read", "path": "triangle.py"},
    {"tool": "edit", "path": "triangle.py", "old": "base*height", "new": "base * height / 2"},
    {"tool": "edit", "path": "triangle.py", "old": "base * height", "new": "base * height / 2"},
    {"tool": "bash", "command": "python3 check.py"},
]


class Model:
    """In place of one: its next call, after it has seen the answers to those before."""

    def next_call(self, answers: Sequence[str]) -> dict[str, Any]:
        return dict(CALLS[len(answers)]) if len(answers) < len(CALLS) else {}


def carry_out(workspace: isolator.Workspace, tool: str, arguments: dict[str, Any]) -> str:
    """The answer to a call. What the model did wrong is an answer; a failure of the engine is an exception."""
    try:
        if tool == "bash":
            result = workspace.exec(arguments["command"], timeout_seconds=60)
            return result.stdout + result.stderr + (f"error: {result.error}\n" if result.error else "")
        if tool == "read":
            return workspace.read_text(**arguments)
        if tool == "edit":
            workspace.edit(**arguments)
            return "done\n"
        return f"error: there is no tool '{tool}'\n"
    except (isolator.UsageError, UnicodeDecodeError, KeyError, TypeError) as error:
        return f"error: {error}\n"


if __name__ == "__main__":
    model, answers = Model(), list[str]()
    with isolator.Workspace(language="python", files=FILES, lifetime_seconds=600) as workspace:
        while call := model.next_call(answers):
            answers.append(carry_out(workspace, call.pop("tool"), call))
            print(answers[-1], end="")
