"""A program `isolator` that has faults. None of these needs an engine."""
import asyncio
import os
import pathlib
import sys
import threading
import time

import pytest

import isolator
from isolator import _stream

RESULT = (
    '{"id":null,"line":1,"status":"success","exitCode":0,"stdout":"","stderr":"","durationMs":1,"error":null,'
    '"imageTag":null,"reason":"exit","signal":null,"stdoutBytes":0,"stderrBytes":0,"stdoutTruncated":false,'
    '"stderrTruncated":false,"peakMemoryBytes":null,"cpuMs":null,"image":null,"container":null,"warm":false,'
    '"artifacts":[],"warnings":[]}'
)


@pytest.fixture
def program(tmp_path):
    """Makes a client whose program is this script of Python; RESULT is the line of a result."""

    def make(script):
        path = tmp_path / "isolator"
        path.write_text(f"#!{sys.executable} -B\nimport os, signal, sys, time\nRESULT = {RESULT!r}\n{script}")
        path.chmod(0o755)
        return isolator.Client(program=path)

    return make


def run(client):
    return client.run("1", "python")


def test_find_program(tmp_path, monkeypatch):
    found = isolator.find_program()
    assert found == os.environ["ISOLATOR_PROGRAM"]
    monkeypatch.setenv("ISOLATOR_PROGRAM", str(tmp_path))
    with pytest.raises(isolator.ProgramError, match=f"^cannot execute ISOLATOR_PROGRAM '{tmp_path}': set "):
        isolator.find_program()
    monkeypatch.delenv("ISOLATOR_PROGRAM")
    monkeypatch.setattr("isolator._program._installed_directories", lambda: [str(tmp_path)])
    monkeypatch.setenv("PATH", str(pathlib.Path(found).parent))
    assert isolator.find_program() == str(pathlib.Path(found).parent / "isolator")
    installed = tmp_path / "isolator"
    installed.write_text("")
    installed.chmod(0o755)
    assert isolator.find_program() == str(installed)
    installed.unlink()
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(isolator.ProgramError, match="^cannot find the program 'isolator': set ISOLATOR_PROGRAM to "):
        isolator.find_program()


def test_a_program_that_cannot_run(tmp_path):
    with pytest.raises(isolator.ProgramError, match="^cannot run '/nonexistent': No such file or directory$"):
        run(isolator.Client(program="/nonexistent"))


@pytest.mark.parametrize(
    "script, kind, message",
    [
        ("sys.stderr.write('isolator: wrong option\\n'); sys.exit(2)",
         isolator.UsageError, "wrong option"),
        ("sys.stderr.write('isolator: no space\\n'); sys.exit(3)", isolator.EngineError, "no space"),
        ("sys.exit(143)", isolator.EngineError, "isolator exited with status 143"),
        ("sys.exit(0)", isolator.ProgramError, "isolator ended before its results, with status 0: no message"),
        ("os.kill(os.getpid(), 9)", isolator.EngineError, "isolator exited with status -9"),
        ("print(RESULT); sys.stdout.flush(); sys.stderr.write('lost'); sys.exit(77)",
         isolator.ProgramError, "isolator ended before its results, with status 77: lost"),
        ("print('hello')", isolator.ProgramError, "isolator printed a line that is not JSON: Expecting value: line 1 column 1 (char 0)"),
        ("print(RESULT, end='')", isolator.ProgramError, "isolator printed a line that is cut off or too long"),
    ],
)  # fmt: skip
def test_what_ends_a_batch(program, script, kind, message):
    with pytest.raises(kind) as raised:
        run(program(script))
    assert str(raised.value) == message
    with pytest.raises(kind):
        asyncio.run(isolator.aio.Client(program=program(script)._program).run("1", "python"))


def test_a_request_that_the_engine_failed_is_a_result(program):
    client = program("""print(RESULT.replace('"exit"', '"engine"'), flush=True); sys.exit(3)""")
    assert [result.reason for result in client.batch([{}])] == ["engine"]


def test_a_line_is_bounded(program, monkeypatch):
    monkeypatch.setattr(_stream, "LINE_MAX", 1000)
    with pytest.raises(isolator.ProgramError, match="cut off or too long"):
        run(program("print('x' * 2000)"))


def test_messages_are_read_and_bounded(program):
    with pytest.raises(isolator.EngineError) as raised:
        run(program("sys.stderr.write('x' * 10000000 + 'end'); sys.exit(3)"))
    assert str(raised.value).endswith("xend")
    assert len(str(raised.value)) == 1 << 16


def test_results_that_come_before_the_requests_are_read(program):
    many = program("for _ in range(2000): print(RESULT)\nfor line in sys.stdin: pass")
    requests = ({"stdin": "x" * 100000} for _ in range(2000))
    assert sum(1 for _ in many.batch(requests)) == 2000


def test_a_program_that_does_not_end_is_killed(program, monkeypatch):
    monkeypatch.setattr(_stream, "_END_SECONDS", 0.1)
    client = program("signal.signal(15, signal.SIG_IGN); print(RESULT, flush=True); time.sleep(1000)")
    results = client.batch([{}, {}])
    assert next(results).ok
    results.close()


def test_an_exception_of_the_requests_ends_the_batch(program):
    def requests():
        yield {}
        raise KeyError("mine")

    client = program(
        "signal.signal(15, lambda *_: print(RESULT.replace('success', 'error')) or sys.exit(143))\n"
        "for line in sys.stdin: print(RESULT, flush=True)"
    )
    with pytest.raises(KeyError, match="mine"):
        for result in client.batch(requests()):
            assert result.ok  # and no result of a request that was cancelled

    async def collect():
        asynchronous = isolator.aio.Client(program=client._program)
        return [result async for result in asynchronous.batch(requests())]

    with pytest.raises(KeyError, match="mine"):
        asyncio.run(collect())


def test_requests_that_are_cancelled_end_the_batch(program):
    async def requests():
        yield {}
        raise asyncio.CancelledError

    async def collect():
        client = program("for line in sys.stdin: print(RESULT, flush=True)")
        async for result in isolator.aio.Client(program=client._program).batch(requests()):
            assert result.ok

    async def main():
        with pytest.raises(asyncio.CancelledError):
            await collect()

    asyncio.run(main())


def test_requests_are_taken_when_there_is_room(program):
    taken = 0

    def requests():
        nonlocal taken
        for taken in range(1, 1000):
            yield {}

    client = program("for line in sys.stdin: print(RESULT, flush=True)\n")
    for count, _ in enumerate(client.batch(requests(), jobs=3), 1):
        assert taken <= count + 2 * 3 + 1
    assert count == 999


def test_options(program):
    client = isolator.Client(
        program=program("sys.stderr.write(' '.join(sys.argv[1:])); sys.exit(2)")._program,
        config="c", audit="a", artifacts_directory="d", force=True, programs_directory="p", retries=2, share=7,
    )  # fmt: skip
    with pytest.raises(isolator.UsageError) as raised:
        list(client.batch([], jobs=5))
    assert str(raised.value) == (
        "batch --quiet --json --config=c --audit=a --artifacts=d --programs=p --force --retries=2 --share=7 --jobs=5"
    )


def test_options_of_a_workspace(program):
    client = isolator.Client(
        program=program("sys.stderr.write(' '.join(sys.argv[1:])); sys.exit(2)")._program,
        config="c", audit="a", artifacts_directory="d", retries=2,
    )  # fmt: skip
    with pytest.raises(isolator.UsageError) as raised:
        isolator.Workspace(
            "-image", language="python", name="--n", memory_mb=64, cpus=0.5, pids_limit=20,
            lifetime_seconds=60, idle_seconds=1.5, client=client,
        )  # fmt: skip
    assert str(raised.value) == (
        "create --config=c --audit=a --image=-image --language=python --name=--n --memory=64 --cpus=0.5 "
        "--pids-limit=20 --lifetime=60 --idle=1.5"
    )
    batch = "^batch --quiet --json --config=c --audit=a --artifacts=/[^ ]* --retries=2 --jobs=1$"
    with pytest.raises(isolator.UsageError, match=batch):
        isolator.Workspace.find("w1", client)


def test_a_workspace_whose_program_fails(program, tmp_path):
    with pytest.raises(isolator.ProgramError, match="^cannot run '/nonexistent': No such file or directory$"):
        isolator.Workspace(client=isolator.Client(program="/nonexistent"))
    client = program(
        "open(os.path.dirname(sys.argv[0]) + '/calls', 'a').write(' '.join(sys.argv[1:]) + '\\n')\n"
        "print('w1') if sys.argv[1] == 'create' else sys.exit(77 if sys.argv[1] == 'batch' else 0)"
    )
    with pytest.raises(isolator.ProgramError, match="^isolator ended before its results, with status 77: no message$"):
        isolator.Workspace(files={"a": "b"}, client=client)
    assert [line.split(" --artifacts")[0] for line in (tmp_path / "calls").read_text().splitlines()] == [
        "create", "batch --quiet --json", "rm --force -- w1",
    ]  # fmt: skip


def test_a_workspace_that_is_closed_before_its_program_is_there(program):
    client = program(
        "if sys.argv[1] != 'batch': sys.exit(print('w1'))\n"
        "signal.signal(15, lambda *_: sys.exit(143))\n"
        "for line in sys.stdin: pass"
    )
    workspace = isolator.Workspace(client=client)
    stream = client.stream
    closing = threading.Thread(target=workspace.close)

    def close_first(*arguments):
        closing.start()
        while not workspace._is_closed:
            time.sleep(0.01)
        return stream(*arguments)

    client.stream = close_first
    with pytest.raises(isolator.EngineError, match="^isolator exited with status (143|-15)$"):
        workspace.exec("true")
    closing.join()


def test_files_that_a_workspace_has_no_memory_for(program):
    client = program(
        "if sys.argv[1] == 'create': sys.exit(print('w1'))\n"
        """for line in sys.stdin: print(RESULT.replace('"error":null', '"error":"no memory"').replace('"exit"', '"oom"')"""
        """.replace('success', 'error'), flush=True)"""
    )
    with isolator.Workspace(client=client) as workspace:
        with pytest.raises(isolator.UsageError, match="^cannot write 'a': no memory$"):
            workspace.write("a", "b")
