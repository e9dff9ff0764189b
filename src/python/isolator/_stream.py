"""One process `isolator batch`: requests are submitted, and results come as they finish.

How this works: whoever submits requests and whoever takes results are two threads, so that neither
pipe can fill up while the process waits for the other one. A third thread reads standard error. At
most twice as many requests are unanswered as run at a time, so requests are taken from the caller
when they are needed, and results that the caller does not take hold everything up.
"""
from __future__ import annotations

import contextlib
import os
import subprocess
import threading
from collections.abc import Sequence
from typing import Generic, Optional

from ._errors import EngineError, IsolatorError, ProgramError, UsageError
from ._request import RequestLike, encode
from ._result import AnyResult, parse_result

# A result has two streams of up to 64 MiB, of which each byte is up to six bytes of JSON.
LINE_MAX = 1 << 30
_MESSAGES_MAX = 1 << 16
_END_SECONDS = 60


class Stream(Generic[AnyResult]):
    """An iterator over the results, of this kind. `submit()` and `finish()` belong to one other thread."""

    def __init__(
        self, command: Sequence[str], kind: type[AnyResult], jobs: Optional[int] = None
    ) -> None:
        """Starts the process, with `jobs` requests at a time. Raises ProgramError if it cannot be started."""
        if jobs is not None:
            command = [*command, f"--jobs={jobs}"]
        self._kind = kind
        self._room = threading.Semaphore(2 * max(1, jobs or os.cpu_count() or 1))
        self._submitted = self._received = 0
        self._ending = False
        self._failure: Optional[BaseException] = None
        self._messages = b""
        try:
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
            )
        except OSError as error:
            raise ProgramError(f"cannot run '{command[0]}': {error.strerror}") from error
        self._messages_reader = threading.Thread(target=self._read_messages, daemon=True)
        self._messages_reader.start()

    def submit(self, request: RequestLike) -> bool:
        """Sends a request as soon as there is room. Returns False if the process has ended or is to end.

        Raises UsageError if the request cannot be written as JSON.
        """
        line = encode(request)
        self._room.acquire()
        if self._ending:
            return False
        assert self._process.stdin
        self._submitted += 1
        try:
            self._process.stdin.write(line)
            self._process.stdin.flush()
        except (OSError, ValueError):  # the process has ended, and maybe the pipe is closed
            return False
        return True

    def finish(self) -> None:
        """Says that no request follows: the process ends after the results of all."""
        assert self._process.stdin
        with contextlib.suppress(OSError):
            self._process.stdin.close()

    def fail(self, failure: BaseException) -> None:
        """Ends the process; whoever takes results gets this exception."""
        self._failure = failure
        self.terminate()

    def __iter__(self) -> Stream[AnyResult]:
        return self

    def __next__(self) -> AnyResult:
        """The next result. Raises IsolatorError if the process failed."""
        assert self._process.stdout
        line = self._process.stdout.readline(LINE_MAX)
        if self._failure:
            raise self._failure
        if not line:
            self._check_end()
            raise StopIteration
        if not line.endswith(b"\n"):
            raise ProgramError("isolator printed a line that is cut off or too long")
        self._received += 1
        self._room.release()
        return parse_result(line, self._kind)

    def terminate(self) -> None:
        """Makes the process end: it cancels what runs and removes its containers. Does not wait."""
        self._ending = True
        self._room.release()
        self._process.terminate()

    def close(self) -> None:
        """Ends the process if it has not ended, and waits for that."""
        if self._process.poll() is None:
            self.terminate()
        try:
            self._process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:  # containers are removed nevertheless, see isolator-gc(1)
            self._process.kill()
            self._process.wait()
        self._ending = True
        self._room.release()
        self._messages_reader.join()
        self.finish()
        assert self._process.stdout
        self._process.stdout.close()

    def __enter__(self) -> Stream[AnyResult]:
        return self

    def __exit__(self, *unused: object) -> None:
        self.close()

    def _read_messages(self) -> None:
        assert self._process.stderr
        with self._process.stderr as stream:
            for line in iter(lambda: stream.readline(_MESSAGES_MAX), b""):
                self._messages = (self._messages + line)[-_MESSAGES_MAX:]

    def _check_end(self) -> None:
        """Raises what ended the process early."""
        status = self._process.wait()
        self._messages_reader.join()
        # 3 after the results: the engine failed a request, as its result says.
        if status not in ((0, 1, 3) if self._received else (0, 1)) or self._received != self._submitted:
            raise _error_of_exit(status, self._messages.decode("utf-8", "replace"))


def _error_of_exit(status: int, messages: str) -> IsolatorError:
    """What an exit status of isolator-batch(1) means."""
    message = messages.strip()
    if message.startswith("isolator: "):
        message = message[len("isolator: ") :]
    if status == 2:
        return UsageError(message)
    if status == 3 or status > 128 or status < 0:  # 128 + N, or -N: signal N
        return EngineError(message or f"isolator exited with status {status}")
    return ProgramError(f"isolator ended before its results, with status {status}: {message or 'no message'}")


def output_of(command: Sequence[str]) -> str:
    """Runs the program once, and returns what it prints. Raises what its exit status means."""
    try:
        ended = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    except OSError as error:
        raise ProgramError(f"cannot run '{command[0]}': {error.strerror}") from error
    if ended.returncode != 0:
        raise _error_of_exit(ended.returncode, ended.stderr.decode("utf-8", "replace"))
    return ended.stdout.decode("utf-8", "replace")
