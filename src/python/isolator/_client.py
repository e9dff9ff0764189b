"""The client, and sessions."""
from __future__ import annotations

import difflib
import functools
import inspect
import os
import threading
from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, Optional, TypeVar, Union

from ._errors import UsageError
from ._program import find_program
from ._request import Request, RequestLike, members, request_of
from ._result import AnyResult, CellResult, Result, TestResult
from ._stream import Stream, output_of

if TYPE_CHECKING:
    from typing_extensions import Concatenate, ParamSpec

    _Members = ParamSpec("_Members")
_Self = TypeVar("_Self")
_Return = TypeVar("_Return")
PathLike = Union[str, "os.PathLike[str]"]


def _check_arguments(
    function: str, parameters: list[inspect.Parameter], arguments: tuple[object, ...], given: Mapping[str, object]
) -> None:
    """Raises TypeError, with the argument that is probably meant."""
    names = [one.name for one in parameters]
    by_place = [one.name for one in parameters if one.kind is one.POSITIONAL_OR_KEYWORD]
    if len(arguments) > len(by_place):
        example = "timeout_seconds" if isinstance(arguments[len(by_place)], (int, float)) else "stdin"
        raise TypeError(
            f"{function}() takes {' and '.join(by_place)} by position and the rest by name, such as "
            f"{example}={arguments[len(by_place)]!r:.100}"
        )
    for name in given:
        if name not in names:
            near = [one for one in names if one.startswith(name)] or difflib.get_close_matches(name, names, 1)
            advice = f"the nearest is '{near[0]}'" if near else f"known are: {', '.join(names)}"
            raise TypeError(f"{function}() has no argument '{name}'; {advice}")


def _with_parameters_of(
    build: Callable[_Members, RequestLike]
) -> Callable[[Callable[[_Self, RequestLike], _Return]], Callable[Concatenate[_Self, _Members], _Return]]:
    """Decorates a method of a request: it gets the parameters of the function that builds one."""

    def decorate(
        method: Callable[[_Self, RequestLike], _Return]
    ) -> Callable[Concatenate[_Self, _Members], _Return]:
        own, *_ = inspect.signature(method).parameters.values()
        parameters = [own, *inspect.signature(build).parameters.values()]

        @functools.wraps(method)
        def call(self: _Self, /, *arguments: _Members.args, **given: _Members.kwargs) -> _Return:
            _check_arguments(method.__name__, parameters[1:], arguments, given)
            return method(self, build(*arguments, **given))

        call.__signature__ = inspect.signature(method).replace(parameters=parameters)  # type: ignore[attr-defined]
        return call

    return decorate


takes_request = _with_parameters_of(request_of)


class Settings:
    """What the clients have in common: options of `isolator batch`."""

    def __init__(
        self,
        *,
        program: Optional[PathLike] = None,
        config: Optional[PathLike] = None,
        audit: Optional[PathLike] = None,
        artifacts_directory: Optional[PathLike] = None,
        force: bool = False,
        programs_directory: Optional[PathLike] = None,
        retries: int = 0,
        share: int = 0,
        tools: Sequence[str] = (),
    ) -> None:
        """All are optional.

        program: the program `isolator`; by default that of `find_program()`.
        config: the configuration file; by default isolator looks for one.
        audit: a file that gets a line about each run.
        artifacts_directory: where files of `Request.artifacts` are written, each as
            DIRECTORY/LINE/NAME (`Artifact.path`). Without it, results only list the files.
        force: replace existing files there.
        programs_directory: where files of `Request.program_file` are.
        retries: how often a request runs again if the engine or its checker fails, at most 10.
        share: how many requests may run in one container, one after the other; 0: each has its own.
        tools: servers of the configuration whose tools programs may call.
        """
        self._program = program
        self._artifacts_directory = artifacts_directory
        self._paths = {
            "config": config, "audit": audit, "artifacts": artifacts_directory, "programs": programs_directory
        }  # fmt: skip
        self._options = ["--force"] if force else []
        if retries:
            self._options.append(f"--retries={retries}")
        if share:
            self._options.append(f"--share={share}")
        self._options += [f"--tools={name}" for name in tools]

    def stream(
        self, kind: type[AnyResult], jobs: Optional[int] = None, artifacts_directory: Optional[PathLike] = None
    ) -> Stream[AnyResult]:
        """Starts a batch whose results are of this kind. `artifacts_directory`: instead of that of the client."""
        paths = {**self._paths, "artifacts": artifacts_directory or self._artifacts_directory}
        return Stream([*self._command(("batch", "--quiet", "--json"), paths), *self._options], kind, jobs)

    def execute(self, command: str, options: Sequence[str], *words: str) -> str:
        """Runs another command than `batch`, with those of the `options` that are given, and returns what it prints."""
        return output_of([*self._command([command], {name: self._paths[name] for name in options}), *words])

    def _command(self, words: Sequence[str], paths: Mapping[str, Optional[PathLike]]) -> list[str]:
        program = os.fspath(self._program) if self._program is not None else find_program()
        return [program, *words, *(f"--{name}={os.fspath(path)}" for name, path in paths.items() if path is not None)]

    def located(self, result: AnyResult) -> AnyResult:
        """The result with the paths of its artifacts."""
        if self._artifacts_directory is None or not result.artifacts:
            return result
        directory = Path(self._artifacts_directory, str(result.line))
        artifacts = tuple(replace(artifact, path=directory / artifact.name) for artifact in result.artifacts)
        return replace(result, artifacts=artifacts)


def check_tests(request: RequestLike) -> None:
    """Raises UsageError if the request has no tests."""
    if not members(request).get("tests"):
        raise UsageError("the request has no tests: give it 'tests'")


def in_python(request: RequestLike) -> RequestLike:
    """The request, whose code is Python unless it says something else."""
    if isinstance(request, Request) and request.code is not None and not request.language and not request.snippet:
        return replace(request, language="python") if (request.filename or ".py").endswith(".py") else request
    return request


class Client(Settings):
    """Runs programs. The functions of this module are the methods of a client without options."""

    @takes_request
    def run(self, request: RequestLike) -> Result:
        """Runs one program in a container of its own, and returns its result.

            run("print(6 * 7)").stdout == "42\\n"

        The parameters are the members of `Request`; the first one may also be a whole request. The
        language of code is "python" if none is given, and no file name that ends otherwise. A program
        that fails is a result. Raises UsageError if the request is refused, EngineError if the
        infrastructure fails, and ProgramError if `isolator` itself cannot be used.
        """
        [result] = self._results([in_python(request)], Result)
        return result.check()

    @takes_request
    def test(self, request: RequestLike) -> TestResult:
        """Runs one program with each of its `tests`, in one container.

            test("print(int(input()) * 2)", tests=[Test(stdin="4", expected_stdout="8")])

        Parameters and exceptions are those of `run`; a `checker` that fails raises EngineError. If
        the build fails, `summary` counts all tests as failed.
        """
        check_tests(request)
        [result] = self._results([in_python(request)], TestResult)
        return result.check()

    def batch(
        self, requests: Iterable[RequestLike], *, jobs: Optional[int] = None
    ) -> Generator[Result, None, None]:
        """Runs many programs, `jobs` at a time (by default one per processor core), each in a
        container of its own, and yields the results as they finish.

        Each request is a `Request`, or a mapping with the members that isolator-batch(1) lists; its
        `id` is that of the result. A result is a TestResult if its request has tests, and a
        CellResult if it has a session. A thread takes requests when there is room: at most twice as
        many as run at a time are waiting for their results or for the caller to take these.

        A request that is refused, or that the engine failed, has a result too: `Result.check()`
        raises what `run` raises. If isolator cannot read a request, for example because it is longer
        than 64 MiB, the result has no `id`; `line` is the number of the request in any case.
        The batch itself raises UsageError for a request that is no JSON or a wrong option,
        EngineError, ProgramError, and what `requests` raises. Closing the generator cancels what
        runs and removes the containers.
        """
        return self._results(requests, Result, jobs)

    def _results(
        self, requests: Iterable[RequestLike], kind: type[AnyResult], jobs: Optional[int] = None
    ) -> Generator[AnyResult, None, None]:
        with self.stream(kind, jobs) as stream:
            threading.Thread(target=_submit_all, args=(stream, requests), daemon=True).start()
            for result in stream:
                yield self.located(result)


def _submit_all(stream: Stream[Any], requests: Iterable[RequestLike]) -> None:
    try:
        for request in requests:
            if not stream.submit(request):
                return
        stream.finish()
    except BaseException as failure:  # of the caller's iterable: raised where the results are taken
        stream.fail(failure)


class Session:
    """A container in which cells run one after the other, with state in between.

        with Session("python") as session:
            session.run("x = 6")
            session.run("x * 7").value == "42"

    isolator-session(1) says what stays. Cells of several threads run one after the other.
    """

    def __init__(
        self, language: str = "python", *, keep_processes: bool = False, client: Optional[Settings] = None
    ) -> None:
        """keep_processes: processes of a cell go on after it. The first cell opens the session."""
        self._settings = client or Client()
        self._first: dict[str, Any] = {"language": language}
        if keep_processes:
            self._first["keep_processes"] = True
        self._has_begun = self._is_closed = False
        self._stream = self._settings.stream(CellResult)
        self._lock = threading.Lock()

    @takes_request
    def run(self, request: RequestLike) -> CellResult:
        """Runs a cell, and returns its result.

        Parameters and exceptions are those of `run`. Memory, CPU cores, processes and hosts are
        those of the first cell. An exception of the program, or a timeout, is a result. UsageError says
        also that the session has ended, for example because it was idle for too long.
        """
        with self._lock:
            self.check_open()
            first = {} if self._has_begun else self._first
            self._stream.submit({**first, **members(request), "session": "session"})
            result = next(self._stream, None)
        if result is None:  # another thread has closed it
            raise UsageError("the session is closed")
        self._has_begun = self._has_begun or result.session is not None
        return self._settings.located(result).check()

    def check_open(self) -> None:
        """Raises UsageError if the session is closed."""
        if self._is_closed:
            raise UsageError("the session is closed")

    def terminate(self) -> None:
        """Ends the session and the cell that runs, and does not wait for that."""
        self._is_closed = True
        self._stream.terminate()

    def close(self) -> None:
        """Ends the session and removes its container. Does nothing the second time."""
        self._is_closed = True
        self._stream.close()

    def __enter__(self: _Self) -> _Self:
        return self

    def __exit__(self, *unused: object) -> None:
        self.close()
