"""Workspaces with a container engine."""
import asyncio
import os
import signal
import subprocess
import sys
import threading

import pytest

import isolator
from isolator import aio
from test_client import pids, wait_until

BUSYBOX = "isolator-test/busybox:1"


def container_of(name):
    """The container of a workspace that is there, and its state."""
    command = ["docker", "ps", "-a", "--filter", f"label=isolator.job.name={name}", "--format", "{{.Names}} {{.State}}"]
    return subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout.strip()


def remove(name):
    subprocess.run([isolator.find_program(), "rm", "--force", "--", name], stdout=subprocess.DEVNULL, check=True)


@pytest.fixture(scope="module")
def workspace():
    with isolator.Workspace(BUSYBOX, name="python", files={"d/given": b"\xff", "text": "given\n"}) as opened:
        yield opened


def child(script, *arguments):
    """A process of Python, which runs a script in which isolator is imported."""
    command = [sys.executable, "-c", f"import isolator, os, sys, time\n{script}", *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def test_commands(workspace):
    assert (workspace.name, workspace.exec("cat text; wc -c <d/given").stdout) == ("python", "given\n1\n")
    result = workspace.exec(
        "cat more; cat; echo $A; echo made >made; exit 3",
        stdin="in\n", environment={"A": "a value"}, files={"more": "more\n"}, timeout_seconds=30, cpu_seconds=10,
    )  # fmt: skip
    assert (result.stdout, result.exit_code, result.reason) == ("more\nin\na value\n", 3, "exit")
    assert result.workspace == "python"
    assert workspace.exec(["cat", "made"]).stdout == "made\n"
    assert workspace.exec(["echo", "-n", "$A  *"]).stdout == "$A  *"
    assert workspace.exec(["sleep", "60"], timeout_seconds=0.5).reason == "timeout"
    assert workspace.exec("while :; do :; done", cpu_seconds=0.5).reason == "cpu-time"
    assert workspace.exec(["nosuchcommand"]).reason == "command"


def test_commands_that_are_refused(workspace):
    with pytest.raises(isolator.UsageError, match="^the command has no words$"):
        workspace.exec([])
    with pytest.raises(isolator.UsageError, match="cannot be written as JSON"):
        workspace.exec([b"ls"])
    with pytest.raises(isolator.UsageError, match="timeout_seconds"):
        workspace.exec("ls", timeout_seconds=-1)
    with pytest.raises(isolator.UsageError, match="not allowed by the configuration"):
        workspace.exec("ls", hosts=["c.example"])
    with pytest.raises(isolator.UsageError, match="tools"):
        workspace.exec("ls", tools=["none"])
    assert workspace.exec("echo still").stdout == "still\n"


@pytest.mark.parametrize(
    "name",
    ["a", "b.txt", ".hidden", "new/.dir/a", "with two  spaces", "-rf", "--", "[x]", "a*?", "!", "]", "^", "ü", "x\\y"],
)
def test_names_of_files(workspace, name):
    workspace.write(f"below/{name}", "another one of this name")
    workspace.write(name, f"{name} it is")
    assert workspace.exec(["cat", "--", name]).stdout == f"{name} it is"
    assert workspace.read_text(f"./{name}") == f"{name} it is"
    workspace.edit(name, "it is", "it was")
    assert workspace.read_bytes(name) == f"{name} it was".encode()
    assert os.listdir(workspace._directory.name) == []


def test_contents_of_files(workspace):
    large = os.urandom(3 << 20)
    workspace.write("large", large)
    assert workspace.exec("wc -c <large").stdout == f"{3 << 20}\n"
    assert workspace.read_bytes("large") == large
    for content in (b"", b"\0\r\n\xff", b"no end of line"):
        workspace.write("content", content)
        assert workspace.read_bytes("content") == content
    with pytest.raises(UnicodeDecodeError):
        workspace.read_text("d/given")


def test_a_file_among_many_of_its_name(workspace):
    workspace.write("same", "this one")
    workspace.exec("mkdir many; cd many; mkdir $(seq 1100); for i in *; do echo x >$i/same; done")
    assert workspace.read_text("same") == "this one"
    workspace.exec("rm -r many")


@pytest.mark.parametrize("path", ["/etc/passwd", "..", "../x", "d/../../x", ".", "", "d/.."])
def test_paths_that_are_refused(workspace, path):
    calls = (workspace.read_bytes, lambda path: workspace.write(path, ""), lambda path: workspace.edit(path, "a", "b"))
    for call in calls:
        with pytest.raises(isolator.UsageError, match=f"^'{path}' is not the path of a file below the working dir"):
            call(path)


def test_files_that_cannot_be_read_or_written(workspace):
    workspace.exec("ln -s /etc/passwd link; ln -s text loop; mkdir -p .git; echo x >.git/config")
    for path, why in {
        "none": "there is no such file",
        "d": "there is no such file",
        "link": "the artifact 'link' is omitted: it is a symbolic link",
        ".git/config": "the artifact '.git/config' is omitted: it would be written into the .git or .hg directory",
    }.items():
        with pytest.raises(isolator.UsageError, match=f"^cannot read '{path}': {why}"):
            workspace.read_bytes(path)
    with pytest.raises(isolator.UsageError, match="d"):
        workspace.write("d", "a directory")
    with pytest.raises(isolator.UsageError, match="text/below"):
        workspace.write("text/below", "below a file")
    assert workspace.read_text("text") == "given\n"


def test_edit(workspace):
    workspace.write("edited", b"\xff one two\none\xfe\n")
    for old, why in {
        "three": "the text to replace is not there",
        "": "the text to replace is empty",
        "one": "the text to replace is there 2 times; make it longer, so that it is there once, or use replace_all",
    }.items():
        with pytest.raises(isolator.UsageError, match=f"^cannot edit 'edited': {why}$"):
            workspace.edit("edited", old, "x")
    with pytest.raises(isolator.UsageError, match="^cannot edit 'edited': the text to replace is not there$"):
        workspace.edit("edited", "three", "x", replace_all=True)
    workspace.edit("edited", "one two", "1")
    workspace.edit("edited", "1", "one\\1 one")
    assert workspace.read_bytes("edited") == b"\xff one\\1 one\none\xfe\n"
    workspace.edit("edited", "one", "ü", replace_all=True)
    assert workspace.read_bytes("edited") == "\udcff ü\\1 ü\nü\udcfe\n".encode("utf-8", "surrogateescape")
    with pytest.raises(isolator.UsageError, match="^cannot read 'none': "):
        workspace.edit("none", "a", "b")


def test_a_script_that_is_edited_stays_executable(workspace):
    workspace.write("-script", "#!/bin/sh\necho one\n")
    workspace.exec(["chmod", "755", "./-script"])
    workspace.edit("-script", "one", "two")
    assert workspace.exec(["./-script"]).stdout == "two\n"
    workspace.write("-script", "#!/bin/sh\n")
    assert not workspace.exec(["test", "-x", "./-script"]).ok


def test_commands_of_several_threads(workspace):
    outputs = {}

    def run(i):
        workspace.edit("count", "end", "x end")
        outputs[i] = workspace.exec(["echo", str(i)]).stdout

    workspace.write("count", "end")
    threads = [threading.Thread(target=run, args=(i,)) for i in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert outputs == {i: f"{i}\n" for i in range(10)}
    assert workspace.read_text("count") == "x " * 10 + "end"


def test_it_is_removed_at_the_end():
    with isolator.Workspace(BUSYBOX, name="ends", files={"a": "b"}) as one:
        assert one.read_text("a") == "b"
        directory = one._directory.name
        assert container_of("ends")
        pid = pids()[-1]
    assert (container_of("ends"), os.path.exists(directory), os.path.exists(f"/proc/{pid}")) == ("", False, False)
    one.close()
    with pytest.raises(isolator.UsageError, match="^the workspace is closed$"):
        one.exec("ls")
    with pytest.raises(isolator.UsageError, match="^no workspace 'ends'"):
        isolator.Workspace.find("ends")
    with pytest.raises(KeyError):
        with isolator.Workspace(BUSYBOX, name="ends"):
            raise KeyError
    assert container_of("ends") == ""


def test_workspaces_that_are_refused():
    with isolator.Workspace(BUSYBOX, name="twice") as first:
        with pytest.raises(isolator.UsageError, match="^there is a job or workspace 'twice' already"):
            isolator.Workspace(BUSYBOX, name="twice")
        assert first.exec("echo still").stdout == "still\n"
    with pytest.raises(isolator.EngineError, match="nosuchimage"):
        isolator.Workspace("nosuchimage:1")
    with pytest.raises(isolator.UsageError, match="lifetime"):
        isolator.Workspace(BUSYBOX, lifetime_seconds=1e6)
    with pytest.raises(isolator.UsageError):
        isolator.Workspace(BUSYBOX, name="wrong", files={"../a": "b"})
    with pytest.raises(isolator.UsageError):
        isolator.Workspace(BUSYBOX, name="wrong", files={"large": bytes(40 << 20)}, memory_mb=16)
    assert container_of("wrong") == ""


def test_limits_and_a_name_of_its_own():
    with isolator.Workspace(language="python", memory_mb=48, pids_limit=16, cpus=0.7) as one:
        assert len(one.name) >= 12
        assert one.exec(["python3", "-c", "x = bytearray(100 << 20)"]).reason == "oom"
        assert one.exec(["python3", "-c", "print(6 * 7)"]).stdout == "42\n"
        limits = "{{.HostConfig.Memory}} {{.HostConfig.PidsLimit}} {{.HostConfig.NanoCpus}}"
        inspect = ["docker", "inspect", "-f", limits, one.exec("true").container]
        shown = subprocess.run(inspect, stdout=subprocess.PIPE, check=True, text=True).stdout
        assert shown == f"{48 << 20} 16 700000000\n"


def test_one_that_was_stopped_and_removed_by_another_process():
    with isolator.Workspace(BUSYBOX, name="gone") as one:
        assert one.exec("true").ok
        remove("gone")
        with pytest.raises(isolator.UsageError):
            one.exec("true")


def test_one_that_was_not_used_ends():
    with isolator.Workspace(BUSYBOX, name="idle", idle_seconds=1) as one:
        wait_until(lambda: container_of("idle").endswith(" exited"))
        with pytest.raises(isolator.UsageError, match="^the workspace has ended: it was not used for a while$"):
            one.exec("true")
        with pytest.raises(isolator.UsageError, match="^the workspace has ended: it was not used for a while$"):
            isolator.Workspace.find("idle")
    assert container_of("idle") == ""


def test_two_processes_share_it():
    script = """
with isolator.Workspace.find(sys.argv[1]) as workspace:
    for i in range(10):
        print(workspace.exec("echo $0 >>order; echo " + sys.argv[2]).stdout, end="", flush=True)
    workspace.write("from " + sys.argv[2], "x" * 1000)
"""
    with isolator.Workspace(BUSYBOX, name="shared") as one:
        one.exec("true")
        children = [child(script, "shared", word) for word in ("a", "b")]
        assert [process.communicate(timeout=120)[0] for process in children] == ["a\n" * 10, "b\n" * 10]
        assert one.exec("wc -l <order").stdout == "20\n"
        assert one.read_text("from a") + one.read_text("from b") == "x" * 2000


def test_a_process_that_is_killed_leaves_it():
    script = """
workspace = isolator.Workspace(sys.argv[1], name="left", files={"a": "file"})
workspace.exec("echo made >made")
workspace.exec("sleep 1000", timeout_seconds=5)
"""
    process = child(script, BUSYBOX)
    wait_until(lambda: container_of("left") and sleeps("left"))
    process.kill()
    process.communicate()
    with isolator.Workspace.find("left") as found:
        assert (found.read_text("a"), found.read_text("made")) == ("file", "made\n")
        assert found.exec("ps | grep -c 'sleep 100[0]'").stdout == "0\n"
    assert container_of("left").endswith(" running")
    remove("left")


def kill(pid):
    """Kills a child, and waits until it has ended."""
    os.kill(int(pid), signal.SIGKILL)
    os.waitid(os.P_PID, int(pid), os.WEXITED | os.WNOWAIT)


def test_isolator_is_killed():
    with isolator.Workspace(BUSYBOX, name="reconnected") as one:
        one.exec("echo kept >kept")
        kill(pids()[-1])
        assert one.exec("cat kept").stdout == "kept\n"
        raised = []

        def run():
            try:
                one.exec("sleep 1000", timeout_seconds=60)
            except isolator.EngineError as error:
                raised.append(str(error))

        pid = pids()[-1]
        thread = threading.Thread(target=run)
        thread.start()
        wait_until(lambda: sleeps("reconnected"))
        os.kill(int(pid), signal.SIGKILL)
        thread.join(120)
        assert raised == ["isolator exited with status -9"]
        assert one.exec("ps | grep -c 'sleep 100[0]'").stdout == "0\n"


def test_a_call_that_an_exception_ends(workspace):
    def give_up(*_):
        raise KeyError

    previous = signal.signal(signal.SIGALRM, give_up)
    try:
        signal.setitimer(signal.ITIMER_REAL, 1)
        with pytest.raises(KeyError):
            workspace.exec("sleep 1000", timeout_seconds=20)
    finally:
        signal.signal(signal.SIGALRM, previous)
    assert workspace.exec("echo next; ps | grep -c 'sleep 100[0]'").stdout == "next\n0\n"


def sleeps(name):
    """Whether a command of the workspace sleeps."""
    command = ["docker", "top", container_of(name).split(" ")[0], "-eo", "pid,args"]
    return "sleep 1000" in subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout


def test_closing_it_while_a_command_runs():
    one = isolator.Workspace(BUSYBOX, name="closed")
    one.exec("true")
    raised = []

    def run():
        try:
            one.exec("sleep 1000", timeout_seconds=60)
        except isolator.IsolatorError as error:
            raised.append(type(error))

    thread = threading.Thread(target=run)
    thread.start()
    wait_until(lambda: sleeps("closed"))
    one.close()
    thread.join(120)
    assert raised == [isolator.EngineError]
    assert container_of("closed") == ""


def test_values_are_on_no_command_line(workspace):
    seen = []

    def run():
        workspace.exec("sleep 1000", environment={"A": "secret-value"}, timeout_seconds=60)

    def watch():
        listed = subprocess.run(["ps", "-eo", "args"], stdout=subprocess.PIPE, check=True, text=True).stdout
        seen.append("secret-value" in listed)
        return sleeps("python")

    thread = threading.Thread(target=lambda: pytest.raises(isolator.EngineError, run))
    thread.start()
    wait_until(watch)
    workspace.interrupt()
    thread.join(120)
    assert set(seen) == {False}
    assert workspace.exec("echo still").stdout == "still\n"


def test_the_same_for_asyncio():
    async def main():
        workspace = aio.Workspace(BUSYBOX, name="aio", files={"a": "one"})
        with pytest.raises(isolator.UsageError, match="^the workspace is not open: use it with 'async with'$"):
            await workspace.exec("true")
        async with workspace:
            results = await asyncio.gather(*(workspace.exec(["echo", str(i)], stdin="x") for i in range(3)))
            assert [result.stdout for result in results] == ["0\n", "1\n", "2\n"]
            await workspace.edit("a", "one", "two")
            await workspace.write("b", b"\xff")
            assert (await workspace.read_text("a"), await workspace.read_bytes("b")) == ("two", b"\xff")
            with pytest.raises(isolator.UsageError, match="^cannot edit 'a': "):
                await workspace.edit("a", "one", "two")
            async with aio.Workspace.find("aio") as found:
                assert (await found.exec("cat a")).stdout == "two"
            assert (workspace.name, container_of("aio")[-7:]) == ("aio", "running")
        assert container_of("aio") == ""
        with pytest.raises(isolator.UsageError, match="^the workspace is closed$"):
            await workspace.exec("true")
        with pytest.raises(isolator.UsageError, match="^no workspace 'aio'"):
            async with aio.Workspace.find("aio"):
                pass

    asyncio.run(main())


def test_cancelling_a_command_kills_it_alone():
    async def main():
        async with aio.Workspace(BUSYBOX, name="cancelled", files={"a": "kept"}) as workspace:
            for pause in (0, 0.001, 0.05):
                with pytest.raises(asyncio.TimeoutError):
                    await asyncio.wait_for(workspace.exec("sleep 1000", timeout_seconds=60), pause)
            task = asyncio.ensure_future(workspace.exec("sleep 1000", timeout_seconds=60))
            after = asyncio.ensure_future(workspace.exec("cat a; ps | grep -c 'sleep 100[0]'"))
            await asyncio.to_thread(wait_until, lambda: sleeps("cancelled"))
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert (await after).stdout == "kept0\n"

    asyncio.run(main())


def test_cancelling_while_it_is_made():
    async def main():
        workspace = aio.Workspace(BUSYBOX, name="unmade")
        task = asyncio.ensure_future(workspace.__aenter__())
        await asyncio.to_thread(wait_until, lambda: container_of("unmade"))
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await asyncio.to_thread(wait_until, lambda: not container_of("unmade"))

    asyncio.run(main())
