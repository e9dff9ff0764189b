"""Workspaces."""
from __future__ import annotations

import os
import posixpath
import shutil
import tempfile
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Optional, TypeVar, Union

from ._client import Client, Settings
from ._errors import UsageError
from ._request import Content, Request
from ._result import Result
from ._stream import Stream

_Self = TypeVar("_Self", bound="Workspace")


class Workspace:
    """A container in which any number of commands run, and whose files stay from one to the next.

        with Workspace("debian:12", files={"numbers": "3\\n1\\n2\\n"}) as workspace:
            workspace.exec("sort numbers >sorted").ok
            workspace.read_text("sorted") == "1\\n2\\n3\\n"

    isolator-create(1) and isolator-exec(1) say what it may do. Calls of several threads run one after
    the other, also those of several processes. Paths of files are relative to the working directory.

    If it is not closed, because this process was killed or it was garbage collected, it goes on, as does
    a command until its timeout. `find()` opens it then. It ends when it was not used for `idle_seconds`.
    """

    _name: str
    _directory: tempfile.TemporaryDirectory[str]
    _stream: Optional[Stream[Result]] = None
    _is_closed = False

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
        """Makes it. All are optional.

        image: its image; by default that of the language.
        language: its image and variables; by default Python.
        files: the content of files by their path.
        name: a name for `find()`, of letters, digits, "_", "." and "-"; by default it is random.
        memory_mb, cpus, pids_limit: limits of all its commands, as of `Request`.
        lifetime_seconds: after which it ends, whatever runs in it.
        idle_seconds: after which it ends if no command runs in it.
        """
        options = {
            "image": image, "language": language, "name": name, "memory": memory_mb, "cpus": cpus,
            "pids-limit": pids_limit, "lifetime": lifetime_seconds, "idle": idle_seconds,
        }  # fmt: skip
        words = [f"--{option}={value}" for option, value in options.items() if value is not None]
        self._prepare(client, is_own=True)
        self._name = self._settings.execute("create", ["config", "audit"], *words).strip()
        if files:
            self._begin(Request(files=files), "write the files")

    @classmethod
    def find(cls: type[_Self], name: str, client: Optional[Settings] = None) -> _Self:
        """One that exists, by its name. `close()` only disconnects from it.

        Raises UsageError if there is none, or it has ended.
        """
        workspace = cls.__new__(cls)
        workspace._prepare(client, is_own=False)
        workspace._name = name
        workspace._begin(Request(), f"open '{name}'")
        return workspace

    @property
    def name(self) -> str:
        """The name, by which other processes find it, or its id if it was made without one."""
        return self._name

    def exec(
        self,
        command: Union[str, Sequence[str]],
        *,
        stdin: Optional[str] = None,
        environment: Optional[Mapping[str, str]] = None,
        timeout_seconds: Optional[float] = None,
        cpu_seconds: Optional[float] = None,
        files: Optional[Mapping[str, Content]] = None,
        hosts: Optional[Sequence[str]] = None,
        tools: Optional[Sequence[str]] = None,
    ) -> Result:
        """Runs a command, and returns its result: words, or a text for `sh -c`.

        Files are written before it. The other parameters are the members of `Request`. A command that
        fails is a result. What it leaves running is killed. Raises UsageError if it is refused or the
        workspace has ended, and EngineError if the infrastructure fails.
        """
        words = ["sh", "-c", command] if isinstance(command, str) else list(command)
        if not words:
            raise UsageError("the command has no words")
        return self._submit(
            Request(
                command=words, stdin=stdin, environment=environment, timeout_seconds=timeout_seconds,
                cpu_seconds=cpu_seconds, files=files, hosts=hosts, tools=tools,
            )  # fmt: skip
        )

    def write(self, path: str, content: Content) -> None:
        """Writes a file, and makes the directories above it. It replaces one that exists, and is not executable."""
        self._transfer(Request(files={_name_of(path): content}), f"write '{path}'")

    def read_bytes(self, path: str) -> bytes:
        """The content of a file. Raises UsageError if there is none, as if it is a directory or a link."""
        return self._read(path)[0]

    def read_text(self, path: str) -> str:
        """The text of a file in UTF-8, see `read_bytes`. Raises UnicodeDecodeError if it is not."""
        return self.read_bytes(path).decode("utf-8")

    def edit(self, path: str, old: str, new: str, *, replace_all: bool = False) -> None:
        """Replaces a text in a file, which stays executable if it was.

        Raises UsageError if `old` is not there, or several times without `replace_all`, or see `read_bytes`.
        """
        before = old.encode("utf-8")
        with self._lock:
            content, is_executable = self._read(path)
            count = content.count(before) if before else 0
            if count == 0:
                why = "not there" if before else "empty"
                raise UsageError(f"cannot edit '{path}': the text to replace is {why}")
            if count > 1 and not replace_all:
                raise UsageError(
                    f"cannot edit '{path}': the text to replace is there {count} times; "
                    "make it longer, so that it is there once, or use replace_all"
                )
            name = _name_of(path)
            written = Request(files={name: content.replace(before, new.encode("utf-8"))})
            if is_executable:
                again = replace(written, command=["chmod", "+x", f"./{name}"])
                self._transfer(again, f"make '{path}' executable again")
            else:
                self._transfer(written, f"write '{path}'")

    def check_open(self) -> None:
        """Raises UsageError if it is closed."""
        if self._is_closed:
            raise UsageError("the workspace is closed")

    def interrupt(self) -> None:
        """Kills the command that another thread runs, whose call raises EngineError. Does not wait."""
        stream = self._stream
        if stream:
            stream.terminate()

    def close(self) -> None:
        """Ends the command that runs, and removes the workspace. Does nothing the second time."""
        is_first, self._is_closed = not self._is_closed, True
        self.interrupt()
        with self._lock:
            self._disconnect()
            if is_first and self._is_own:
                with suppress(UsageError):  # it is removed
                    self._settings.execute("rm", ["config"], "--force", "--", self._name)

    def __enter__(self: _Self) -> _Self:
        return self

    def __exit__(self, *unused: object) -> None:
        self.close()

    def _prepare(self, client: Optional[Settings], *, is_own: bool) -> None:
        self._settings = client or Client()
        self._is_own = is_own
        self._lock = threading.RLock()

    def _begin(self, request: Request, purpose: str) -> None:
        """The first request: if it fails, there is no workspace."""
        try:
            self._transfer(request, purpose)
        except BaseException:
            self.close()
            raise

    def _transfer(self, request: Request, purpose: str) -> Result:
        """Raises UsageError unless it succeeds."""
        result = self._submit(request)
        if not result.ok:
            raise UsageError(f"cannot {purpose}: {result.error}", result)
        return result

    def _read(self, path: str) -> tuple[bytes, bool]:
        """The content, and whether the file is executable."""
        name = _name_of(path)
        with self._lock:
            result = self._transfer(Request(artifacts=[_pattern_of(name)]), f"read '{path}'")
            directory = Path(self._directory.name, str(result.line))
            try:
                if not any(artifact.name == name for artifact in result.artifacts):
                    why = (one for one in result.warnings if not one.startswith("no artifact was found"))
                    raise UsageError(f"cannot read '{path}': {'; '.join(why) or 'there is no such file'}", result)
                return (directory / name).read_bytes(), os.access(directory / name, os.X_OK)
            finally:
                shutil.rmtree(directory, ignore_errors=True)

    def _submit(self, request: Request) -> Result:
        """Connects if there is no connection, or isolator has ended, and returns the result."""
        request = replace(request, workspace=self._name)
        with self._lock:
            self.check_open()
            try:
                if not self._stream or not self._stream.submit(request):
                    self._disconnect()
                    self._directory = tempfile.TemporaryDirectory(prefix="isolator-")
                    self._stream = self._settings.stream(Result, 1, self._directory.name)
                    self._stream.submit(request)
                if self._is_closed:  # by another thread, which could not end it before
                    self.interrupt()
                result = next(self._stream, None)
            except BaseException:
                self._disconnect()
                raise
        if result is None:
            raise UsageError("the workspace is closed")
        return result.check()

    def _disconnect(self) -> None:
        stream, self._stream = self._stream, None
        if stream:
            stream.close()
            self._directory.cleanup()


def _name_of(path: str) -> str:
    """The path as isolator writes it. Raises UsageError if it is not one below the working directory."""
    name = posixpath.normpath(path)
    if name == "." or name.startswith("/") or ".." in path.split("/"):
        raise UsageError(f"'{path}' is not the path of a file below the working directory")
    return name


def _pattern_of(name: str) -> str:
    """A pattern that fits this path alone: with a slash, though in a set, it is compared with whole paths."""
    start, last = name[:-1], name[-1]
    escaped = "".join(f"[{character}]" if character in "*?[" else character for character in start)
    return escaped + ("[]/]" if last == "]" else f"[/{last}]")
