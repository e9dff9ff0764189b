"""Runs untrusted code in locked-down containers: a client of the program `isolator`.

    import isolator

    result = isolator.run("print(6 * 7)")
    print(result.stdout, result.reason, result.duration_ms)

`run` runs one program, `test` one with tests, `batch` many, `Session` cells with state in between, and
`Workspace` commands in one container. `isolator.aio` has the same for asyncio. A `Client` has options,
such as the configuration file. Each call, batch, session or workspace is one process `isolator batch`;
see isolator-batch(1).
"""
from . import aio
from ._client import Client, Session
from ._errors import EngineError, IsolatorError, ProgramError, RunError, UsageError
from ._program import find_program
from ._request import Call, Checker, Group, Request, Test
from ._result import (
    Artifact,
    Build,
    CellResult,
    Connection,
    GroupOutcome,
    InteractorOutcome,
    Network,
    Record,
    Result,
    Summary,
    TestOutcome,
    TestResult,
    ToolCall,
    ToolCallCounts,
    parse_result,
)
from ._workspace import Workspace

__all__ = [
    "Artifact",
    "Build",
    "CellResult",
    "Call",
    "Checker",
    "Client",
    "Connection",
    "EngineError",
    "Group",
    "GroupOutcome",
    "InteractorOutcome",
    "IsolatorError",
    "Network",
    "ProgramError",
    "Record",
    "Request",
    "Result",
    "RunError",
    "Session",
    "Summary",
    "Test",
    "TestOutcome",
    "TestResult",
    "ToolCall",
    "ToolCallCounts",
    "UsageError",
    "Workspace",
    "aio",
    "batch",
    "find_program",
    "parse_result",
    "run",
    "test",
]

_client = Client()
run = _client.run
test = _client.test
batch = _client.batch
