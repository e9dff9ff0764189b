"""The client with a container engine."""
import json
import os
import signal
import subprocess
import threading
import time

import pytest

import isolator


def wait_until(condition):
    """Waits until the condition is true, at most two minutes."""
    end = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < end, "waited two minutes in vain"
        time.sleep(0.05)


def pids():
    """The processes `isolator` that these tests have started: the program that they start notes its id."""
    with open(os.environ["ISOLATOR_PIDS"]) as file:
        return file.read().split()


def containers(pid):
    """The containers of a process `isolator` that are there."""
    command = ["docker", "ps", "-aq", "--filter", f"label=isolator.pid={pid}"]
    return subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout.split()


def is_gone(pid):
    return not os.path.exists(f"/proc/{pid}") and not containers(pid)


def test_run():
    result = isolator.run(
        "import os, sys; print(sys.argv[1], os.environ['A'], input(), open('d/f').read())",
        "python", arguments=["x"], environment={"A": "y"}, stdin="z\n", files={"d/f": b"w"},
        timeout_seconds=30, memory_mb=100, cpus=0.5, cpu_seconds=10, pids_limit=20, filename="program.py",
    )  # fmt: skip
    assert (result.ok, result.stdout, result.line, result.id) == (True, "x y z w\n", 1, None)


def test_code_is_python_if_no_language_is_given():
    assert isolator.run("print(6 * 7)").stdout == "42\n"
    assert isolator.run(isolator.Request("print(6 * 7)", filename="a.py")).stdout == "42\n"
    assert isolator.test("print(6 * 7)", tests=[isolator.Test(expected_stdout="42")]).ok
    with pytest.raises(isolator.UsageError, match="language"):
        isolator.run("print(6 * 7)", filename="a.c")
    with isolator.Session("javascript") as session:
        assert session.run("[6].includes(6)").value == "true"


def test_a_program_that_fails_is_a_result():
    result = isolator.run("import sys; sys.exit(3)", "python")
    assert (result.ok, result.status, result.exit_code, result.reason) == (False, "error", 3, "exit")
    result = isolator.run("while True: pass", "python", timeout_seconds=0.5)
    assert (result.status, result.reason, result.signal) == ("timeout", "timeout", "SIGKILL")


def test_a_request_that_is_refused():
    with pytest.raises(isolator.UsageError, match="^unknown language 'pythn'; known are: ") as raised:
        isolator.run("1", "pythn")
    assert raised.value.result.reason == "input"
    with pytest.raises(isolator.UsageError, match="^cannot open the configuration '/nonexistent.json'"):
        isolator.Client(config="/nonexistent.json").run("1", "python")


def test_a_failure_of_the_engine(tmp_path, monkeypatch):
    docker = tmp_path / "docker"
    docker.write_text("#!/bin/sh\necho 'no engine here' >&2\nexit 1\n")
    docker.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    with pytest.raises(isolator.EngineError, match="no engine here"):
        isolator.run("1", "python")


def test_artifacts(tmp_path):
    client = isolator.Client(artifacts_directory=tmp_path / "out")
    result = client.run("open('a.csv', 'w').write('1,2')", "python", artifacts=["*.csv"])
    [artifact] = result.artifacts
    assert (artifact.name, artifact.bytes, artifact.mime_type) == ("a.csv", 3, "text/csv")
    assert artifact.path == tmp_path / "out" / "1" / "a.csv"
    assert artifact.path.read_text() == "1,2"


def test_hosts(tmp_path):
    config = tmp_path / "config.json"
    with open(os.environ["ISOLATOR_CONFIG"]) as file:
        config.write_text(json.dumps({**json.load(file), "network": {"allow": ["a.example", "b.example"]}}))
    client = isolator.Client(config=config)
    look = "import os; print('http_proxy' in os.environ)"
    assert client.run(look, "python", hosts=("a.example",)).stdout == "True\n"
    assert client.run(isolator.Request(look, "python", hosts=[])).stdout == "False\n"
    with pytest.raises(isolator.UsageError, match="^hosts: 'c.example' is not allowed by the configuration, which "):
        client.run(look, "python", hosts=["c.example"])


def test_tests():
    tests = [
        isolator.Test(name="four", stdin="4", expected_stdout="8"),
        isolator.Test(name="five", stdin="5", expected_stdout="11"),
    ]
    result = isolator.test("print(int(input()) * 2)", "python", tests=tests)
    assert type(result) is isolator.TestResult
    assert (result.ok, result.reason) == (False, "tests")
    summary = result.summary
    assert (summary.passed, summary.failed, summary.total, summary.first_failure) == (1, 1, 2, "five")
    assert [(one.name, one.status, one.stdout) for one in result.tests] == [
        ("four", "passed", "8\n"),
        ("five", "wrong-answer", "10\n"),
    ]
    with pytest.raises(isolator.UsageError, match="^the request has no tests: give it 'tests'$"):
        isolator.test("1", "python")


def test_a_checker():
    code = """
import sys
output, answer = (open(path).read() for path in sys.argv[2:4])
if output.startswith("points"): sys.exit([print(output, file=sys.stderr), 7][1])
if output.startswith("fail"): sys.exit(3)
sys.exit(None if output.lower() == answer else f"{output!r} is not {answer!r}")
"""
    checker = isolator.Checker(code, "python")
    tests = [isolator.Test(word, "yes", name=word) for word in ("YES", "no", "points 2.5")]
    result = isolator.test("print(input(), end='')", "python", tests=tests, checker=checker)
    assert (result.reason, result.summary.first_failure) == ("tests", "no")
    assert [(one.status, one.score, one.error) for one in result.tests] == [
        ("passed", None, None),
        ("wrong-answer", None, "'no' is not 'yes'"),
        ("partly-right", 2.5, "points 2.5"),
    ]
    with pytest.raises(isolator.EngineError, match="^test 'YES': the checker exited with status 3$") as raised:
        isolator.test("print('fail')", "python", tests=tests, checker=checker)
    assert [one.status for one in raised.value.result.tests] == ["judge-error", "not-run", "not-run"]


def test_a_build_that_fails():
    result = isolator.test("int main() { return x; }", "cpp", tests=[isolator.Test(no_expected=True)])
    assert (result.reason, result.build.exit_code, result.summary.failed) == ("build", 1, 1)
    assert "'x' was not declared" in result.build.stderr


def test_batch():
    requests = [isolator.Request(f"print({i} ** 2)", "python", id=i) for i in range(6)]
    requests += [{"id": "mapping", "language": "python", "entrypoint_code": "print('m')"}]
    requests += [isolator.Request("print(1)", "python", id="tests", tests=[isolator.Test(expected_stdout="1")])]
    requests += [isolator.Request("1", "pythn", id="wrong")]
    requests += [isolator.Request("#" * (65 << 20), "python", id="too long")]
    results = {result.id: result for result in isolator.batch(requests, jobs=4)}
    assert {id: result.stdout for id, result in results.items() if isinstance(id, int)} == {
        i: f"{i ** 2}\n" for i in range(6)
    }
    assert results["mapping"].stdout == "m\n"
    assert results["tests"].summary.passed == 1
    with pytest.raises(isolator.UsageError, match="unknown language 'pythn'"):
        results["wrong"].check()
    assert (results[None].line, results[None].reason) == (10, "input")
    assert len(results) == 10


def test_both_streams_of_a_batch_are_full():
    text = "x" * 500000
    requests = (isolator.Request("print(input())", "python", stdin=text) for _ in range(8))
    assert [len(result.stdout) for result in isolator.batch(requests, jobs=2)] == [500001] * 8


def test_a_batch_that_is_closed_early():
    def requests():
        yield isolator.Request("print(1)", "python")
        while True:
            yield isolator.Request("while True: pass", "python")

    results = isolator.batch(requests(), jobs=2)
    assert next(results).stdout == "1\n"
    pid = pids()[-1]
    wait_until(lambda: containers(pid))
    results.close()
    wait_until(lambda: is_gone(pid))


def test_isolator_is_killed():
    results = isolator.batch([isolator.Request("while True: pass", "python", timeout_seconds=60)])
    raised = []

    def take():
        try:
            next(results)
        except isolator.EngineError as error:
            raised.append(str(error))

    started = len(pids())
    thread = threading.Thread(target=take)
    thread.start()
    wait_until(lambda: len(pids()) > started and containers(pids()[-1]))
    os.kill(int(pids()[-1]), signal.SIGKILL)
    thread.join(120)
    assert raised == ["isolator exited with status -9"]
    wait_until(lambda: is_gone(pids()[-1]))


def test_a_session():
    with isolator.Session("python") as session:
        first = session.run("x = 6")
        assert type(first) is isolator.CellResult
        assert (first.value, first.state_kept, first.session_ended) == (None, True, None)
        assert session.run("x * int(input())", stdin="7\n").value == "42"
        failed = session.run("# %%\n1 / 0")
        assert (failed.reason, failed.state_kept) == ("exception", True)
        with pytest.raises(isolator.UsageError, match="arguments"):
            session.run({"entrypoint_code": "1", "arguments": 5})
        assert session.run("x").value == "6"
        pid = pids()[-1]
        assert containers(pid)
    wait_until(lambda: is_gone(pid))
    with pytest.raises(isolator.UsageError, match="^the session is closed$"):
        session.run("1")


def test_a_session_whose_first_cell_is_refused():
    with isolator.Session("python", keep_processes=True) as session:
        with pytest.raises(isolator.UsageError):
            session.run("1", memory_mb=-1)
        assert session.run("1 + 1").value == "2"
        assert session.run("2 + 2").value == "4"


def test_cells_of_several_threads():
    values = {}
    with isolator.Session("python") as session:

        def run(i):
            values[i] = session.run(f"{i} + 0").value

        threads = [threading.Thread(target=run, args=(i,)) for i in range(20)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert values == {i: str(i) for i in range(20)}


def test_a_session_that_is_closed_while_a_cell_runs():
    session = isolator.Session("python")
    session.run("1")
    raised = []

    def run():
        try:
            session.run("while True: pass", timeout_seconds=60)
        except isolator.IsolatorError as error:
            raised.append(type(error))

    thread = threading.Thread(target=run)
    thread.start()
    session.close()
    thread.join(120)
    assert raised in ([isolator.EngineError], [isolator.UsageError])
