"""The client of asyncio with a container engine."""
import asyncio

import pytest

import isolator
from isolator import aio
from test_client import containers, is_gone, pids, wait_until


def test_run_and_test():
    async def main():
        result, graded = await asyncio.gather(
            aio.run("print(6 * 7)"),
            aio.test("print(input())", "python", tests=[isolator.Test(stdin="a", expected_stdout="a")]),
        )
        assert (result.stdout, type(result)) == ("42\n", isolator.Result)
        assert (graded.summary.passed, type(graded)) == (1, isolator.TestResult)

    asyncio.run(main())


def test_exceptions():
    async def main():
        with pytest.raises(isolator.UsageError, match="^unknown language 'pythn'"):
            await aio.run("1", "pythn")
        with pytest.raises(isolator.UsageError, match="^the request has no tests"):
            await aio.test("1", "python")
        with pytest.raises(isolator.UsageError, match="^cannot open the configuration"):
            await aio.Client(config="/nonexistent.json").run("1", "python")

    asyncio.run(main())


def test_batch_of_an_asynchronous_iterable():
    async def requests():
        for i in range(5):
            await asyncio.sleep(0)
            yield isolator.Request(f"print({i})", "python", id=i)

    async def main():
        return {result.id: result.stdout async for result in aio.batch(requests(), jobs=2)}

    assert asyncio.run(main()) == {i: f"{i}\n" for i in range(5)}


def test_results_come_while_requests_wait():
    async def main():
        queue = asyncio.Queue()

        async def requests():
            while True:
                yield await queue.get()

        results = aio.batch(requests())
        for text in ("a", "b"):
            await queue.put(isolator.Request(f"print('{text}')", "python"))
            assert (await results.__anext__()).stdout == f"{text}\n"
        pid = pids()[-1]
        await results.aclose()
        await asyncio.to_thread(wait_until, lambda: is_gone(pid))

    asyncio.run(main())


async def cancel_when_it_runs(task, started):
    """Cancels a task that runs a program when its container is there; returns the process."""
    await asyncio.to_thread(wait_until, lambda: len(pids()) > started and containers(pids()[-1]))
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    return pids()[-1]


def test_cancelling_a_run():
    async def main():
        started = len(pids())
        task = asyncio.ensure_future(aio.run("while True: pass", "python", timeout_seconds=60))
        pid = await cancel_when_it_runs(task, started)
        await asyncio.to_thread(wait_until, lambda: is_gone(pid))

    asyncio.run(main())


def test_a_session():
    async def main():
        async with aio.Session("python") as session:
            await session.run("x = 6")
            assert (await session.run("x * 7")).value == "42"
            pid = pids()[-1]
        await asyncio.to_thread(wait_until, lambda: is_gone(pid))
        with pytest.raises(isolator.UsageError, match="^the session is closed$"):
            await session.run("1")

    asyncio.run(main())


def test_cancelling_a_cell_ends_the_session():
    async def main():
        started = len(pids())
        async with aio.Session("python") as session:
            task = asyncio.ensure_future(session.run("while True: pass", timeout_seconds=60))
            pid = await cancel_when_it_runs(task, started)
            with pytest.raises(isolator.UsageError, match="^the session is closed$"):
                await session.run("1")
        await asyncio.to_thread(wait_until, lambda: is_gone(pid))

    asyncio.run(main())
