#!/usr/bin/env python3
"""A server that runs the programs of many clients with one process `isolator batch`.

    share/examples/server.py PORT

Each line that a client sends is a JSON object with the strings code, language and, if the program reads
it, stdin. The answer is a line with status, reason, stdout, stderr and error of the result.
"""
import asyncio
import itertools
import json
import signal
import sys
from collections.abc import AsyncIterator
from typing import Any, Optional

import isolator

LINE_MAX = 1 << 20
RUNNING_MAX = 8
Waiting = asyncio.Future["isolator.Result"]


class Runner:
    """Requests of many tasks, which share one batch."""

    def __init__(self) -> None:
        self._requests: asyncio.Queue[tuple[isolator.Request, Waiting]] = asyncio.Queue(maxsize=1000)
        self._waiting: dict[Optional[int], Waiting] = {}

    async def run(self, request: isolator.Request) -> isolator.Result:
        """The result of a request."""
        waiting: Waiting = asyncio.get_running_loop().create_future()
        await self._requests.put((request, waiting))
        return await waiting

    async def serve(self) -> None:
        """Runs requests until it is cancelled, or until isolator fails."""
        async for result in isolator.aio.batch(self._lines(), jobs=RUNNING_MAX):
            waiting = self._waiting.pop(result.line)
            if not waiting.done():  # its client may be gone
                waiting.set_result(result)

    async def _lines(self) -> AsyncIterator[isolator.Request]:
        for line in itertools.count(1):
            request, self._waiting[line] = await self._requests.get()
            yield request


def parse_request(line: bytes) -> Optional[isolator.Request]:
    """The request in a line, or None if there is none."""
    try:
        members = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(members, dict) or not all(isinstance(value, str) for value in members.values()):
        return None
    return isolator.Request(members.get("code"), members.get("language"), stdin=members.get("stdin"))


async def answer(runner: Runner, line: bytes) -> dict[str, Any]:
    request = parse_request(line)
    if request is None:
        return {"status": "error", "reason": "input", "error": "the line is not an object of strings"}
    result = await runner.run(request)
    return {name: getattr(result, name) for name in ("status", "reason", "stdout", "stderr", "error")}


async def serve_client(runner: Runner, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while line := await reader.readline():
            writer.write(json.dumps(await answer(runner, line)).encode() + b"\n")
            await writer.drain()
    except (ConnectionError, ValueError):  # the client is gone, or its line is too long
        pass
    finally:
        writer.close()


async def main(port: int) -> None:
    runner = Runner()
    server = await asyncio.start_server(
        lambda reader, writer: serve_client(runner, reader, writer), "127.0.0.1", port, limit=LINE_MAX
    )
    print(f"listening on port {server.sockets[0].getsockname()[1]}", flush=True)
    # Unlike KeyboardInterrupt, this also wakes a loop that is just about to wait.
    task = asyncio.current_task()
    assert task
    asyncio.get_running_loop().add_signal_handler(signal.SIGINT, task.cancel)
    async with server:
        await runner.serve()


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    try:
        asyncio.run(main(int(sys.argv[1])))
    except asyncio.CancelledError:
        pass
