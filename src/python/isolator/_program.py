"""Where the program `isolator` is."""
from __future__ import annotations

import os
import shutil
import sysconfig
from collections.abc import Iterator
from pathlib import Path

from ._errors import ProgramError

_CURE = (
    "set ISOLATOR_PROGRAM to its path, install the wheel of isolator-sandbox for this machine, "
    "or add its directory to PATH"
)


def find_program() -> str:
    """The path of the program `isolator`.

    It is ISOLATOR_PROGRAM if this variable of the environment is set; else the program that the
    wheel has installed, or one of PATH. Raises ProgramError if there is none.
    """
    named = os.environ.get("ISOLATOR_PROGRAM")
    if named:
        if not _is_executable(named):
            raise ProgramError(f"cannot execute ISOLATOR_PROGRAM '{named}': {_CURE}")
        return named
    for directory in _installed_directories():
        program = os.path.join(directory, "isolator")
        if _is_executable(program):
            return program
    found = shutil.which("isolator")
    if not found:
        raise ProgramError(f"cannot find the program 'isolator': {_CURE}")
    return found


def _installed_directories() -> Iterator[str]:
    """Where pip puts the programs of a wheel: in an environment, with --user, and with --target."""
    yield sysconfig.get_path("scripts")
    yield sysconfig.get_path("scripts", "posix_user")
    yield str(Path(__file__).resolve().parent.parent / "bin")


def _is_executable(path: str) -> bool:
    return os.path.isfile(path) and os.access(path, os.X_OK)
