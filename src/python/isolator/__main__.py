"""`python -m isolator COMMAND...` runs the program `isolator` in place of Python."""
import os
import sys

from . import IsolatorError, find_program

try:
    program = find_program()
    os.execv(program, ["isolator", *sys.argv[1:]])
except (IsolatorError, OSError) as error:
    sys.exit(f"isolator: {error}")
