"""The exceptions of this package. A program that fails is a result and raises none of them."""
from __future__ import annotations

from typing import TYPE_CHECKING, Optional

if TYPE_CHECKING:
    from ._result import Result


class IsolatorError(Exception):
    """What this package raises. The text is a message for people."""


class ProgramError(IsolatorError):
    """The program `isolator` is missing, cannot be executed, or does not do what this package expects."""


class RunError(IsolatorError):
    """A request that did not run.

    `result` is the result that says so, or None if `isolator` ended without one.
    """

    def __init__(self, message: str, result: Optional[Result] = None) -> None:
        super().__init__(message)
        self.result = result


class UsageError(RunError):
    """The request, an option or the configuration is wrong. The same request fails again."""


class EngineError(RunError):
    """The engine, this host or a checker failed, the image is missing, or a signal ended isolator.

    This says nothing about the program, so the request can be run again.
    """
