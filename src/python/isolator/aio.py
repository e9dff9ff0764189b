"""The same for asyncio: `run`, `test`, `batch`, `Session`, `Workspace` and `Client`.

Parameters, results and exceptions are those of the functions of the same name in `isolator`. Cancelling
ends what runs and removes its containers.
"""
from __future__ import annotations

import asyncio
import functools
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Coroutine, Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Callable, Optional, TypeVar, Union

from . import _client, _workspace
from ._client import Settings, check_tests, in_python, takes_request
from ._errors import UsageError
from ._request import Content, RequestLike
from ._result import AnyResult, CellResult, Result, TestResult
from ._stream import Stream

if TYPE_CHECKING:
    from typing_extensions import Concatenate, ParamSpec

    _Members = ParamSpec("_Members")

__all__ = ["Client", "Session", "Workspace", "batch", "run", "test"]

_Self = TypeVar("_Self")
_Return = TypeVar("_Return")
Requests = Union[Iterable[RequestLike], AsyncIterable[RequestLike]]


class Client(Settings):
    """Runs programs. The functions of this module are the methods of a client without options."""

    @takes_request
    async def run(self, request: RequestLike) -> Result:
        """Runs one program in a container of its own, see `isolator.run`."""
        return (await self._only(in_python(request), Result)).check()

    @takes_request
    async def test(self, request: RequestLike) -> TestResult:
        """Runs one program with each of its `tests`, see `isolator.test`."""
        check_tests(request)
        return (await self._only(in_python(request), TestResult)).check()

    def batch(self, requests: Requests, *, jobs: Optional[int] = None) -> AsyncGenerator[Result, None]:
        """Runs many programs, see `isolator.batch`. `requests` may be an asynchronous iterable."""
        return self._results(requests, Result, jobs)

    async def _only(self, request: RequestLike, kind: type[AnyResult]) -> AnyResult:
        results = self._results([request], kind)
        try:
            [result] = [result async for result in results]
        finally:
            await results.aclose()
        return result

    async def _results(
        self, requests: Requests, kind: type[AnyResult], jobs: Optional[int] = None
    ) -> AsyncGenerator[AnyResult, None]:
        loop = asyncio.get_running_loop()
        stream = self.stream(kind, jobs)
        threads = ThreadPoolExecutor(max_workers=3)  # to submit, to take a result, and to close
        submitting = asyncio.ensure_future(_submit_all(stream, requests, threads))
        try:
            while True:
                result: Optional[AnyResult] = await loop.run_in_executor(threads, next, stream, None)
                if result is None:
                    return
                yield self.located(result)
        finally:
            submitting.cancel()
            stream.terminate()
            closing = loop.run_in_executor(threads, stream.close)
            threads.shutdown(wait=False)
            await asyncio.wait({submitting, closing})


async def _submit_all(stream: Stream[Any], requests: Requests, threads: ThreadPoolExecutor) -> None:
    loop = asyncio.get_running_loop()
    try:
        async for request in _each(requests):
            if not await loop.run_in_executor(threads, stream.submit, request):
                return
        stream.finish()
    except BaseException as failure:  # of the caller's iterable: raised where the results are taken
        stream.fail(failure)


async def _each(requests: Requests) -> AsyncIterator[RequestLike]:
    if isinstance(requests, AsyncIterable):
        async for request in requests:
            yield request
    else:
        for request in requests:
            yield request


class Session:
    """A container in which cells run one after the other, see `isolator.Session`.

    Use it with `async with`. A cell that is cancelled ends the session.
    """

    def __init__(
        self, language: str = "python", *, keep_processes: bool = False, client: Optional[Settings] = None
    ) -> None:
        self._session = _client.Session(language, keep_processes=keep_processes, client=client)
        self._cells = ThreadPoolExecutor(max_workers=1)

    @takes_request
    async def run(self, request: RequestLike) -> CellResult:
        """Runs a cell, and returns its result, see `isolator.Session.run`."""
        self._session.check_open()
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(self._cells, self._session.run, request)
        except asyncio.CancelledError:
            self._session.terminate()
            raise

    async def close(self) -> None:
        """Ends the session and removes its container."""
        self._session.terminate()
        await asyncio.get_running_loop().run_in_executor(None, self._session.close)
        self._cells.shutdown(wait=False)

    async def __aenter__(self: _Self) -> _Self:
        return self

    async def __aexit__(self, *unused: object) -> None:
        await self.close()


def _close_made(opening: Future[_workspace.Workspace]) -> None:
    """Closes a workspace for which no one waits any more, if it was made."""
    if not opening.cancelled() and not opening.exception():
        opening.result().close()


def _awaited(
    method: Callable[Concatenate[_workspace.Workspace, _Members], _Return]
) -> Callable[Concatenate[Workspace, _Members], Coroutine[Any, Any, _Return]]:
    """The method of a workspace as a coroutine."""

    @functools.wraps(method)
    async def call(self: Workspace, /, *arguments: _Members.args, **given: _Members.kwargs) -> _Return:
        workspace = self.opened()
        return await self._call(workspace, functools.partial(method, workspace, *arguments, **given))

    return call


class Workspace:
    """A container in which any number of commands run, see `isolator.Workspace`.

    `async with` makes it, or connects to it. A command that is cancelled is killed, and the workspace goes on.
    """

    def __init__(
        self,
        image: Optional[str] = None,
        *,
        language: Optional[str] = None,
        files: Optional[Mapping[str, Content]] = None,
        name: Optional[str] = None,
        memory_mb: Optional[int] = None,
        cpus: Optional[float] = None,
        pids_limit: Optional[int] = None,
        lifetime_seconds: Optional[float] = None,
        idle_seconds: Optional[float] = None,
        client: Optional[Settings] = None,
    ) -> None:
        given: dict[str, Any] = {name: value for name, value in locals().items() if name != "self"}
        self._open = functools.partial(_workspace.Workspace, **given)
        self._opened: Optional[_workspace.Workspace] = None
        self._threads = ThreadPoolExecutor(max_workers=1)

    @classmethod
    def find(cls, name: str, client: Optional[Settings] = None) -> Workspace:
        """One that exists, by its name, see `isolator.Workspace.find`."""
        workspace = cls()
        workspace._open = functools.partial(_workspace.Workspace.find, name, client)
        return workspace

    def opened(self) -> _workspace.Workspace:
        """The same without asyncio. Raises UsageError before `async with`, and if it is closed."""
        if not self._opened:
            raise UsageError("the workspace is not open: use it with 'async with'")
        self._opened.check_open()
        return self._opened

    @property
    def name(self) -> str:
        """The name, by which other processes find it, or its id if it was made without one."""
        return self.opened().name

    exec = _awaited(_workspace.Workspace.exec)
    write = _awaited(_workspace.Workspace.write)
    read_bytes = _awaited(_workspace.Workspace.read_bytes)
    read_text = _awaited(_workspace.Workspace.read_text)
    edit = _awaited(_workspace.Workspace.edit)

    async def close(self) -> None:
        """Removes the workspace, or disconnects from one that was found."""
        if self._opened:
            await asyncio.get_running_loop().run_in_executor(None, self._opened.close)
        self._threads.shutdown(wait=False)

    async def __aenter__(self) -> Workspace:
        self._turn = asyncio.Lock()
        opening = self._threads.submit(self._open)
        try:
            opened = await asyncio.wrap_future(opening)
        except asyncio.CancelledError:
            opening.add_done_callback(_close_made)
            raise
        self._opened = opened
        return self

    async def __aexit__(self, *unused: object) -> None:
        await self.close()

    async def _call(self, workspace: _workspace.Workspace, method: Callable[[], _Return]) -> _Return:
        """Calls a method in the thread of the workspace."""
        async with self._turn:
            call = self._threads.submit(method)
            try:
                return await asyncio.wrap_future(call)
            except asyncio.CancelledError:
                while not call.done():  # it may not have begun yet
                    workspace.interrupt()
                    await asyncio.sleep(0.02)
                raise


_client_without_options = Client()
run = _client_without_options.run
test = _client_without_options.test
batch = _client_without_options.batch
