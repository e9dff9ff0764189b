#!/usr/bin/env python3
"""A tool that runs Python code in a sandbox, with the shape of a tool of smolagents.

    share/examples/code_tool.py 'print(6 * 7)'

To use it there, let the class inherit from smolagents.Tool.
"""
import sys

import isolator


class SandboxTool:
    name = "run_python"
    description = "Runs a Python program in a sandbox without a network, and returns what it prints."
    inputs = {"code": {"type": "string", "description": "The complete source code of the program."}}
    output_type = "string"

    def forward(self, code: str) -> str:
        """What the program prints; if it fails, also why, so that a model can correct it."""
        result = isolator.run(code, "python", timeout_seconds=20)
        if result.ok:
            return result.stdout
        return f"{result.stdout}{result.stderr}error: {result.error}"


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    print(SandboxTool().forward(sys.argv[1]), end="")
