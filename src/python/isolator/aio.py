"""The same for asyncio: `run`, `test`, `batch`, `Session` and `Client`.

Parameters, results and exceptions are those of the functions of the same name in `isolator`. Cancelling
ends what runs and removes its containers.
"""
from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Optional, TypeVar, Union

from . import _client
from ._client import Settings, check_tests, in_python, takes_request
from ._request import RequestLike
from ._result import AnyResult, CellResult, Result, TestResult
from ._stream import Stream

__all__ = ["Client", "Session", "batch", "run", "test"]

_Self = TypeVar("_Self")
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


_client_without_options = Client()
run = _client_without_options.run
test = _client_without_options.test
batch = _client_without_options.batch
