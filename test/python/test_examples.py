"""The examples of Python in share/examples, with a container engine."""
import asyncio
import json
import pathlib
import signal
import subprocess
import sys

EXAMPLES = pathlib.Path("share/examples")


def output_of(name, *arguments, stdin=""):
    command = [sys.executable, str(EXAMPLES / name), *arguments]
    return subprocess.run(command, input=stdin, stdout=subprocess.PIPE, check=True, text=True).stdout


def test_code_tool():
    assert output_of("code_tool.py", "print(6 * 7)") == "42\n"
    failed = output_of("code_tool.py", "print('before'); 1 / 0")
    assert failed.startswith("before\nTraceback")
    assert failed.endswith("ZeroDivisionError: division by zero\nerror: program exited with status 1")


def test_reward():
    completions = [
        "Here it is:\n```python\nprint(sum(map(int, input().split())))\n```\nDone.",
        "print(5)",
        "print(",
        "print('\ud800')",
    ]
    lines = "".join(json.dumps(completion) + "\n" for completion in completions)
    assert output_of("reward.py", stdin=lines) == "1.0\n0.5\n0.0\n0.0\n"


def test_scorer():
    assert output_of("scorer.py", "print(6 * 7)", "42") == (
        "Score(value='C', answer='42\\n', explanation='the output is the expected one')\n"
    )
    assert output_of("scorer.py", "print(41)", "42") == (
        "Score(value='I', answer='41\\n', explanation=\"line 1 differs: expected '42', found '41'\")\n"
    )


def test_agent():
    assert output_of("agent.py") == (
        "AssertionError: 12\n"
        "def area(base, height):\n    return base * height\n"
        "error: cannot edit 'triangle.py': the text to replace is not there\n"
        "done\n"
        "passed\n"
    )


async def ask(port, line):
    """Sends one line, and returns the answer."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(line.encode() + b"\n")
    answer = json.loads(await reader.readline())
    writer.close()
    return answer


async def ask_all(port):
    programs = [{"code": f"print({i})", "language": "python"} for i in range(50)]
    answers = await asyncio.gather(*(ask(port, json.dumps(program)) for program in programs))
    assert [answer["stdout"] for answer in answers] == [f"{i}\n" for i in range(50)]
    wrong = await ask(port, '{"code": 5}')
    assert wrong["error"] == "the line is not an object of strings"
    assert (await ask(port, '{"code": "1", "language": "pythn"}'))["reason"] == "input"
    with_stdin = {"code": "print(input())", "language": "python", "stdin": "in"}
    assert (await ask(port, json.dumps(with_stdin)))["stdout"] == "in\n"


def test_server():
    command = [sys.executable, str(EXAMPLES / "server.py"), "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            port = int(server.stdout.readline().rsplit(" ", 1)[1])
            asyncio.run(asyncio.wait_for(ask_all(port), 300))
        finally:
            server.send_signal(signal.SIGINT)
    assert server.returncode == 0
