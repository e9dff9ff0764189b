"""Results: the objects that isolator prints, as share/isolator_results.schema.json describes them.

The attributes are the members of the JSON object, in snake_case: `exitCode` is `exit_code`. An
attribute whose member may be missing is None then.
"""
from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from pathlib import Path
from typing import Any, Optional, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from ._errors import EngineError, ProgramError, UsageError

_Record = TypeVar("_Record", bound="Record")
AnyResult = TypeVar("AnyResult", bound="Result")
_NO_MEMBER = {"member": False}


@dataclass(frozen=True)
class Record:
    """An object of a result."""

    extra: Mapping[str, Any] = field(metadata=_NO_MEMBER, repr=False)
    """Members that this version of the package does not know."""


@dataclass(frozen=True)
class Artifact(Record):
    """A file that the program made and that was asked for."""

    name: str
    """Path below the working directory."""
    bytes: int
    """Its size."""
    sha256: str
    """SHA-256 of the content, in hexadecimal digits."""
    mime_type: str
    path: Optional[Path] = field(metadata=_NO_MEMBER)
    """Where the file is on this host; None without an `artifacts_directory` of `Client`."""


@dataclass(frozen=True)
class Build(Record):
    """The build of the program, in languages that have one."""

    exit_code: int
    signal: Optional[str]
    duration_ms: int
    cpu_ms: Optional[int]
    stdout: str
    stderr: str
    stdout_truncated: bool
    stderr_truncated: bool


@dataclass(frozen=True)
class Connection(Record):
    """Connections to one port of a host that had the same outcome."""

    host: Optional[str]
    """Name or address; None if the program named none."""
    port: Optional[int]
    status: str
    """"connected", "refused" or "failed"."""
    count: int
    bytes_sent: int
    bytes_received: int
    reason: Optional[str]
    """Why there was no connection, or it was ended; None if there was."""


@dataclass(frozen=True)
class Network(Record):
    """The connections of the programs, if they may reach hosts."""

    connections: tuple[Connection, ...]
    omitted: int
    """Connections for which there was no object left."""
    bytes: int
    """The sum of all bytes in both directions."""


@dataclass(frozen=True)
class ToolCall(Record):
    """A call of a tool that the program made."""

    name: str
    """SERVER.TOOL, as the program named it."""
    ok: bool
    """Whether it has a result that is no error."""
    ms: int
    """How long it took in milliseconds."""
    bytes: int
    """The size of its result."""


@dataclass(frozen=True)
class ToolCallCounts(Record):
    """All calls of tools, also those that `tool_calls` has no room for."""

    ok: int
    failed: int
    bytes: int
    """The sum of all bytes of results."""


@dataclass(frozen=True)
class Summary(Record):
    """How many tests are passed."""

    passed: int
    failed: int
    total: int
    first_failure: Optional[str]
    """Name of the first test that is not passed; None if all are."""
    score: Optional[float]
    """The score of all tests; None if it is not known, or the tests give no scores."""
    max_score: Optional[float]
    """The most that it can be; None if it has no bound."""
    fraction: Optional[float]
    """Which part of the tests is passed, from 0 to 1; None if the tests give no scores."""


@dataclass(frozen=True)
class GroupOutcome(Record):
    """The result of a group of tests."""

    name: str
    status: str
    """"passed", "failed", "blocked" (a group that it requires is not passed) or "unknown"."""
    score: Optional[float]
    """None if it is not known."""
    max_score: Optional[float]
    """The most that it can be; None if it has no bound."""
    passed: int
    """How many of its tests are passed."""
    total: int


@dataclass(frozen=True)
class InteractorOutcome(Record):
    """What is known of the interactor that the program of a test talked to."""

    exit_code: int
    signal: Optional[str]
    duration_ms: int
    cpu_ms: Optional[int]
    stderr: str
    stderr_truncated: bool
    relayed: bool
    """Whether isolator passed on what they said."""
    transcript: Optional[str]
    """What they said, if that was asked for: the interactor's lines begin with "<", the others with ">"."""
    transcript_truncated: bool


@dataclass(frozen=True)
class TestOutcome(Record):
    """The result of one test."""

    name: str
    status: str
    """"passed", "wrong-answer", "partly-right", "timeout", "cpu-time", "oom", "output-limit",
    "runtime-error", "not-run", "engine" or "judge-error"."""
    exit_code: int
    signal: Optional[str]
    duration_ms: int
    cpu_ms: Optional[int]
    peak_memory_bytes: Optional[int]
    stdout: str
    stderr: str
    stdout_truncated: bool
    stderr_truncated: bool
    error: Optional[str]
    """Why it is not passed; None if it is."""
    score: Optional[float]
    """The points that the test has got, or the number that the checker has given, or None."""
    max_score: Optional[float]
    """The most that the score can be; None if the test gives no points, or without a bound."""
    interactor: Optional[InteractorOutcome]
    """The interactor, if there was one."""
    value: Optional[str]
    """The value that the function of a call has returned, in JSON, or None."""
    value_truncated: Optional[bool]
    """Whether a part of the value is missing; None without a call."""


@dataclass(frozen=True)
class Result(Record):
    """What became of a request."""

    id: Any
    """The id of the request, or None."""
    line: Optional[int]
    """The number of the request in its batch, starting at 1."""
    retries: Optional[int]
    """How often the request was run again because the engine or the checker had failed."""
    status: str
    """"success", "timeout" or "error"."""
    exit_code: int
    """Exit status of the program; 128 + N if signal N ended it, -1 if it never ran."""
    stdout: str
    """Standard output as text. Bytes that are not UTF-8 are replaced."""
    stderr: str
    duration_ms: int
    """How long the program ran in milliseconds; 0 if it never ran."""
    error: Optional[str]
    """What went wrong; None on success."""
    image_tag: Optional[str]
    """Tag of the image that `isolator run --save-image` saved."""
    reason: str
    """Why the run ended: "exit", "signal", "timeout", "cpu-time", "oom", "output-limit", "build",
    "tests", "exception", "command", "input", "image-missing", "engine", "judge-error" or
    "cancelled"."""
    signal: Optional[str]
    """Name of the signal that ended the program, such as "SIGKILL"."""
    stdout_bytes: int
    """How many bytes the program wrote, of which `stdout` may be a part."""
    stderr_bytes: int
    stdout_truncated: bool
    stderr_truncated: bool
    peak_memory_bytes: Optional[int]
    """Peak memory of the container; None if it is not known."""
    cpu_ms: Optional[int]
    """CPU time of all processes in milliseconds; None if it is not known."""
    image: Optional[str]
    workspace: Optional[str]
    """The workspace in which the command ran; None otherwise."""
    container: Optional[str]
    warm: bool
    """Whether a warm container was used."""
    ready: Optional[bool]
    """True if its interpreter had been started before the request; None otherwise."""
    shared: Optional[bool]
    """True if the container is for several requests of the batch; None otherwise."""
    served: Optional[int]
    """How many requests had run in such a container before; None if it is not shared."""
    artifacts: tuple[Artifact, ...]
    warnings: tuple[str, ...]
    """Non-fatal problems."""
    build: Optional[Build]
    network: Optional[Network]
    tool_calls: Optional[tuple[ToolCall, ...]]
    """The first 1000 calls of tools, in the order in which they ended; None without tools."""
    tool_call_counts: Optional[ToolCallCounts]

    @property
    def ok(self) -> bool:
        """Whether the program succeeded, and with tests whether all are passed."""
        return self.status == "success"

    def check(self: AnyResult) -> AnyResult:
        """Returns this result if the request ran, whatever the program did.

        Raises UsageError if the request was refused, and EngineError if the infrastructure or the
        checker of its tests failed.
        """
        if self.reason == "input":
            raise UsageError(self.error or "the request was refused", self)
        if self.reason in ("engine", "image-missing", "judge-error", "cancelled"):
            raise EngineError(self.error or self.reason, self)
        return self


@dataclass(frozen=True)
class TestResult(Result):
    """The result of a request with tests. Times and numbers of bytes are sums over all tests."""

    file: Optional[str]
    """The program, if `isolator test` was given several."""
    submission: Optional[str]
    """The submission, and the next three what is expected of it, if `isolator test --problem` printed the result."""
    expected: Optional[str]
    verdict: Optional[str]
    as_expected: Optional[bool]
    time_limit_ms: Optional[int]
    """The time limit of the problem, and the next one where it comes from; likewise, and None if there is none."""
    time_limit_source: Optional[str]
    summary: Optional[Summary]
    """None if the tests never began."""
    groups: Optional[tuple[GroupOutcome, ...]]
    """In the order of the request; None if it has none."""
    tests: Optional[tuple[TestOutcome, ...]]
    """In the order of the request; None if the tests never began."""


@dataclass(frozen=True)
class CellResult(Result):
    """The result of a cell of a session."""

    cell: Optional[int]
    """The number of the cell, if `isolator session` printed the result."""
    session: Optional[str]
    """A name of the session, which means nothing elsewhere; None if it could not begin."""
    value: Optional[str]
    """The value of the last expression as text, or None."""
    value_truncated: Optional[bool]
    """True if the value is longer than what is shown of it, else None."""
    state_kept: Optional[bool]
    """Whether the variables are there for the next cell."""
    session_ended: Optional[str]
    """Why the session is over, or None."""


def parse_result(line: Union[str, bytes], kind: type[AnyResult] = Result) -> AnyResult:  # type: ignore[assignment]
    """The result in a line that isolator printed, such as one of a file of results.

    Without a `kind`, it is a TestResult or a CellResult if it has members of one. Raises
    ProgramError if the line is not a result.
    """
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ProgramError(f"isolator printed a line that is not JSON: {error}") from error
    if not isinstance(value, dict):
        raise ProgramError("isolator printed a line that is not a JSON object")
    return _record(cast(type[AnyResult], _kind_of(value)) if kind is Result else kind, value)


def member_name(attribute: str) -> str:
    """The name in JSON of an attribute: "exitCode" of "exit_code"."""
    first, *others = attribute.split("_")
    return first + "".join(word.capitalize() for word in others)


def _kind_of(value: Mapping[str, Any]) -> type[Result]:
    if "tests" in value:
        return TestResult
    return CellResult if "session" in value else Result


def _members(kind: type[Record]) -> dict[str, tuple[str, Any]]:
    """The members of a record by their names in JSON: the attribute, and its type."""
    types = get_type_hints(kind)
    return {
        member_name(one.name): (one.name, types[one.name])
        for one in fields(kind)
        if one.metadata.get("member", True)
    }


_MEMBERS = {
    kind: _members(kind)
    for kind in (
        Artifact, Build, Connection, Network, ToolCall, ToolCallCounts, Summary, GroupOutcome, InteractorOutcome, TestOutcome,
        Result, TestResult, CellResult,
    )
}


def _record(kind: type[_Record], value: Any) -> _Record:
    if not isinstance(value, dict):
        raise ProgramError(f"isolator printed a result whose {kind.__name__} is not an object")
    known = _MEMBERS[kind]
    values = {attribute: _value(type_, value.get(name), name) for name, (attribute, type_) in known.items()}
    if kind is Artifact:
        values["path"] = None
    return kind(**values, extra={name: item for name, item in value.items() if name not in known})


def _value(type_: Any, value: Any, name: str) -> Any:
    """The value of a member, after its type is checked."""
    if type_ is Any:
        return value
    if get_origin(type_) is Union:  # Optional
        return None if value is None else _value(get_args(type_)[0], value, name)
    if get_origin(type_) is tuple and isinstance(value, list):
        return tuple(_value(get_args(type_)[0], item, name) for item in value)
    if is_dataclass(type_):
        return _record(type_, value)
    if type_ is float and type(value) is int:
        return float(value)
    if type(value) is not type_:  # a bool is no int here
        raise ProgramError(f"isolator printed a result with a wrong or missing '{name}'")
    return value
