"""Requests: what a caller says, and the line of `isolator batch` that it becomes."""
from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Optional, Union

from ._errors import UsageError

Content = Union[str, bytes]
"""The content of a file: text, or bytes that need not be text."""


@dataclass(frozen=True)
class Test:
    """One test of a program: what it is given, and what it has to print.

    A test needs `expected_stdout`, or `no_expected` if each program that exits with status 0 passes. If it calls a function
    (`Request.call`), it needs the arguments and `expected_value` in place of `expected_stdout`.
    """

    stdin: Optional[str] = None
    """Standard input; by default it is empty."""
    expected_stdout: Optional[str] = None
    """The expected standard output. It never enters the container."""
    name: Optional[str] = None
    """Up to 255 bytes, unlike those of the other tests; by default the number of the test."""
    arguments: Optional[Sequence[str]] = None
    """Arguments, after those of the request."""
    environment: Optional[Mapping[str, str]] = None
    """Variables, in addition to those of the request."""
    files: Optional[Mapping[str, Content]] = None
    """Files, in addition to those of the request."""
    no_expected: Optional[bool] = None
    """Whether there is no expected output."""
    compare: Optional[str] = None
    """How the output is compared: "trim" (the default), "exact", "tokens", "float" or "lines"."""
    ignore_case: Optional[bool] = None
    """Whether the letters A to Z are compared like a to z."""
    exact_space: Optional[bool] = None
    """Whether white space must be the same, too, with "tokens" and "float"."""
    tolerance: Optional[float] = None
    """How much numbers may differ with "float", absolutely or relatively; by default 1e-6."""
    absolute_tolerance: Optional[float] = None
    """In place of `tolerance`: absolutely."""
    relative_tolerance: Optional[float] = None
    """In place of `tolerance`: relative to the expected number."""
    timeout_seconds: Optional[float] = None
    cpu_seconds: Optional[float] = None
    max_output_bytes: Optional[int] = None
    """How many bytes the program may write to one stream; by default 67108864."""
    group: Optional[str] = None
    """The name of the group in `Request.groups` that it is in."""
    points: Optional[float] = None
    """The most that its score can be; by default its share of `Group.max_score`."""
    call_arguments: Optional[Sequence[Any]] = None
    """The arguments of the function of `Request.call`: values as `json.dumps()` takes them."""
    call_arguments_json: Optional[str] = None
    """In place of `call_arguments`: the same as text, one JSON value a line."""
    expected_value: Any = None
    """The value that the function has to return; for None give `expected_value_json="null"`."""
    expected_value_json: Optional[str] = None
    """In place of `expected_value`: the same as text."""
    expected_values: Optional[Sequence[Any]] = None
    """In place of `expected_value`: values, any of which the function has to return."""
    expected_values_json: Optional[str] = None
    """In place of `expected_values`: the same as text, one JSON value a line."""


@dataclass(frozen=True)
class Call:
    """A function of the program that the tests call; see Calls in isolator-batch(1)."""

    function: str
    """Its name."""
    class_name: Optional[str] = None
    """The class that it is a method of; by default a function, or else a method of `Solution`."""


@dataclass(frozen=True)
class Group:
    """A group of tests that gives a score; see Scores in isolator-batch(1)."""

    name: str
    """Up to 255 bytes. "a/b" is in the group "a", if there is one."""
    max_score: Optional[float] = None
    """The most that its score can be; by default that of what is in it."""
    aggregation: Optional[str] = None
    """"sum" (the default) or "min" of what is in it, or "pass-fail": all or nothing."""
    require_pass: Optional[Sequence[str]] = None
    """Names of groups whose tests must all be passed; else this one has the score 0."""


@dataclass(frozen=True)
class Checker:
    """A program of the judges, which decides about the output of each test in place of a comparison.

    It runs in a container of its own, without a network; see Checkers in isolator-test(1).
    """

    code: str
    """The source code."""
    language: str
    """A language of the configuration, such as "cpp"."""
    convention: Optional[str] = None
    """How it is called and answers: "testlib" (the default) or "kattis"."""
    filename: Optional[str] = None
    """The file name of the code, if it matters."""
    files: Optional[Mapping[str, Content]] = None
    """More files for it, such as "testlib.h": their content by their relative path."""
    arguments: Optional[Sequence[str]] = None
    """Arguments, after those of the convention."""
    timeout_seconds: Optional[float] = None
    """How long it may run for each test, in seconds; by default 30."""
    memory_mb: Optional[int] = None
    """Memory of its container in MB, without swap."""
    interactive: Optional[bool] = None
    """Whether it talks to the program; see Interactors in isolator-test(1)."""
    transcript: Optional[bool] = None
    """Whether the result has what they say, which makes that slower."""


@dataclass(frozen=True)
class Request:
    """A program and what it is given. Members that are None have the defaults of isolator."""

    code: Optional[str] = None
    """The source code."""
    language: Optional[str] = None
    """A language of the configuration, such as "python"."""
    filename: Optional[str] = None
    """The file name of the code, if it matters."""
    files: Optional[Mapping[str, Content]] = None
    """More files of the working directory: their content by their relative path."""
    stdin: Optional[str] = None
    """Standard input; by default it is empty."""
    arguments: Optional[Sequence[str]] = None
    environment: Optional[Mapping[str, str]] = None
    timeout_seconds: Optional[float] = None
    """How long the program may run, in seconds."""
    memory_mb: Optional[int] = None
    """Memory of the container in MB, without swap."""
    cpus: Optional[float] = None
    """CPU cores; fractions are allowed."""
    cpu_seconds: Optional[float] = None
    """CPU time of all processes in seconds; 0: no limit."""
    pids_limit: Optional[int] = None
    """Processes and threads."""
    artifacts: Optional[Sequence[str]] = None
    """Patterns of files to return, such as "*.csv"; see `artifacts_directory` of `Client`."""
    hosts: Optional[Sequence[str]] = None
    """Of the hosts that the configuration allows, those to reach, such as "example.com:443"; []: none."""
    tools: Optional[Sequence[str]] = None
    """Of the tool servers that `tools` of `Client` names, those whose tools it may call; []: none."""
    image: Optional[str] = None
    """An image to use instead of the language's, if the configuration allows it."""
    snippet: Optional[str] = None
    """The name of a stored snippet, instead of code and language."""
    program_file: Optional[str] = None
    """The path of the program below `programs_directory` of `Client`, instead of code."""
    tests: Optional[Sequence[Test]] = None
    """Run the program once for each of these tests, in one container."""
    groups: Optional[Sequence[Group]] = None
    """The groups of the tests, which give scores."""
    stop_on_failure: Optional[bool] = None
    """Whether the tests after the first one that is not passed do not run."""
    test_output_bytes: Optional[int] = None
    """How many bytes of each stream of a test the result keeps; by default 4096."""
    detail: Optional[str] = None
    """What the result shows of tests: "full", or "outcome" if nobody may learn from it what they are."""
    checker: Optional[Checker] = None
    """Decides about the outputs of the tests. The answer that it gets is `Test.expected_stdout`."""
    call: Optional[Call] = None
    """The function that the tests call, in place of running the program."""
    session: Optional[str] = None
    """A name of your own. Requests of a batch with the same name share a container and its state."""
    close_session: Optional[bool] = None
    """Whether the session ends after this request."""
    keep_processes: Optional[bool] = None
    """Whether processes go on after a request of the session; only in its first request."""
    workspace: Optional[str] = None
    """The name of a workspace in which the command runs, see LINES OF A WORKSPACE in isolator-batch(1)."""
    command: Optional[Sequence[str]] = None
    """The words of the command, in place of code; executed without a shell."""
    shell: Optional[str] = None
    """Code for the shell of the workspace, in place of a command."""
    id: Any = None
    """Any JSON value. The result has it too; results of a batch come as they finish."""


RequestLike = Union[Request, Mapping[str, Any]]
"""A request: a `Request`, or a mapping with the members that isolator-batch(1) lists."""


def request_of(
    code: Union[str, RequestLike, None] = None,
    language: Optional[str] = None,
    *,
    filename: Optional[str] = None,
    files: Optional[Mapping[str, Content]] = None,
    stdin: Optional[str] = None,
    arguments: Optional[Sequence[str]] = None,
    environment: Optional[Mapping[str, str]] = None,
    timeout_seconds: Optional[float] = None,
    memory_mb: Optional[int] = None,
    cpus: Optional[float] = None,
    cpu_seconds: Optional[float] = None,
    pids_limit: Optional[int] = None,
    artifacts: Optional[Sequence[str]] = None,
    hosts: Optional[Sequence[str]] = None,
    tools: Optional[Sequence[str]] = None,
    image: Optional[str] = None,
    snippet: Optional[str] = None,
    program_file: Optional[str] = None,
    tests: Optional[Sequence[Test]] = None,
    groups: Optional[Sequence[Group]] = None,
    stop_on_failure: Optional[bool] = None,
    test_output_bytes: Optional[int] = None,
    detail: Optional[str] = None,
    checker: Optional[Checker] = None,
    call: Optional[Call] = None,
) -> RequestLike:
    """The request of a call: its source code and members, or a whole request.

    Members that are given beside a whole request replace those of the request.
    """
    given = {name: value for name, value in locals().items() if name != "code" and value is not None}
    if isinstance(code, Request):
        return replace(code, **given)
    if isinstance(code, Mapping):
        return {**code, **members(Request(**given))}
    return Request(code, **given)


def encode(request: RequestLike) -> bytes:
    """The line of a request, with its newline. Raises UsageError if it is no JSON."""
    try:
        line = json.dumps(members(request), allow_nan=False, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError) as error:
        raise UsageError(f"the request cannot be written as JSON: {error}") from error
    return line.encode("ascii") + b"\n"


# Members of a request whose names differ from those in isolator-batch(1).
_NAMES = {
    "code": "entrypoint_code",
    "filename": "entrypoint_filename",
    "files": "additional_files",
    "snippet": "snippet_name",
    "program_file": "entrypoint_file",
}
_CALL_NAMES = {"class_name": "class"}
_LISTS = ("arguments", "artifacts", "command", "hosts", "tools", "require_pass", "call_arguments", "expected_values")


def members(request: Union[RequestLike, Test, Call, Group, Checker]) -> dict[str, Any]:
    """The members of a request, a test, a call, a group or a checker, as isolator-batch(1) names them."""
    if isinstance(request, Mapping):
        return dict(request)
    names = _NAMES if isinstance(request, Request) else _CALL_NAMES if isinstance(request, Call) else {}
    values = ((field.name, getattr(request, field.name)) for field in fields(request))
    return {names.get(name, name): _plain(name, value) for name, value in values if value is not None}


def _plain(name: str, value: Any) -> Any:
    """The value of a member, as JSON has it."""
    if name == "files":
        return [_file(path, content) for path, content in value.items()]
    if name in ("tests", "groups"):
        return [members(one) for one in value]
    if name in ("call", "checker"):
        return members(value)
    if name == "environment":
        return dict(value)
    if name in _LISTS and not isinstance(value, str):
        return list(value)
    return value


def _file(path: str, content: Content) -> dict[str, str]:
    if isinstance(content, str):
        return {"filename": path, "content": content}
    return {"filename": path, "content": base64.b64encode(content).decode("ascii"), "encoding": "base64"}
