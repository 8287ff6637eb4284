"""The engine of every job: units in order, no more at a time than it is told, and an end whatever happens."""

from __future__ import annotations

import asyncio
import functools
import os
import signal
import threading
import time
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

import pytest

from tsgkit.errors import TsgkitError
from tsgkit.llm.failures import BudgetReached, Stopped, Unasked
from tsgkit.runs.jobs import Engine, Part, Watch
from tsgkit.runs.shards import Shard

NUMBERS = {str(number): number for number in range(40)}
Do = Callable[[int], Awaitable[Any]]


class Asked:
    """Whoever is asked; it only hears that it is to stop."""

    stopped = 0

    def stop(self) -> None:
        self.stopped += 1


def made(engine: Engine, make: Do, units: dict[str, int] = NUMBERS, workers: int = 2) -> Any:  # noqa: ANN401
    return engine.carry_out(lambda: engine.made(units, make, workers=workers))


def each(engine: Engine, do: Do, *queues: Iterable[int], workers: int = 1, **how: Any) -> None:  # noqa: ANN401
    async def work() -> None:
        await asyncio.gather(*(engine.each(units, do, workers=workers, **how) for units in queues))

    engine.carry_out(work)


async def negative(number: int) -> int:
    await asyncio.sleep(0.001 * (number % 3))
    return -number


def raising(error: BaseException, at: int, done: list[int]) -> Do:
    async def do(number: int) -> int:
        if number >= at:
            raise error
        done.append(number)
        return number

    return do


def test_results_keep_unit_order_and_concurrency_is_bounded() -> None:
    engine, most, put = Engine(), list[int](), list[int]()

    async def make(number: int) -> int:
        most.append(engine.busy)
        return await negative(number)

    assert list(made(engine, make, workers=7).items()) == [(key, -number) for key, number in NUMBERS.items()]
    assert (max(most), engine.busy, engine.done, engine.expected) == (7, 0, 40, 40)
    engine = Engine()
    engine.carry_out(lambda: engine.streamed(range(40), negative, put.append, workers=7))
    assert put == [-number for number in range(40)] and engine.done == 40
    engine = Engine()
    engine.carry_out(lambda: engine.made(NUMBERS, negative, workers=0, steps=lambda number: number))
    assert (engine.expected, engine.done) == (sum(range(40)), 0), "whoever counts steps reports them"


def test_a_shard_makes_its_own_units_alone() -> None:
    found: list[str] = []
    for shard in (Shard(1, 3), Shard(2, 3), Shard(3, 3)):
        engine = Engine(shard=shard)
        mine = made(engine, negative)
        assert engine.expected == len(mine) == engine.done and all(map(shard.takes, mine))
        found += mine
    assert sorted(found) == sorted(NUMBERS)


def test_a_job_that_is_not_finished_says_why() -> None:
    for error in (Unasked("nobody is there"), BudgetReached("0 of 0 requests"), Stopped("stopped")):
        for workers in (1, 3):
            put = list[int]()
            with pytest.raises(type(error), match=str(error) if not isinstance(error, Stopped) else None):
                made(Engine(), raising(error, 5, put), workers=workers)
            engine, put = Engine(), list[int]()
            with pytest.raises(type(error)):
                engine.carry_out(
                    lambda engine=engine, put=put, workers=workers, error=error: engine.streamed(  # type: ignore[misc]
                        iter(range(8)), raising(error, 5, []), put.append, workers=workers
                    )
                )
            assert put == [0, 1, 2, 3, 4], (error, workers)


def test_a_model_that_is_given_up_ends_its_queue_and_a_budget_all_that_ask() -> None:
    engine, done, why = Engine(), list[int](), list[Unasked]()

    async def do(number: int) -> None:
        if number == 5:
            raise Unasked("401 three times")
        done.append(number)

    each(engine, do, range(10), range(100, 110), gave_up=why.append)
    assert list(map(str, why)) == ["401 three times"] and sorted(done) == [*range(5), *range(100, 110)]
    assert not engine.stopping
    done = []
    each(engine := Engine(), raising(BudgetReached("2 of 2 requests"), 3, done), range(10))
    each(engine, raising(BudgetReached("later"), 200, done), range(100, 110), asks=False)
    each(engine, raising(BudgetReached("later"), 200, done), range(100, 110))
    assert done == [0, 1, 2, *range(100, 110)] and engine.budget == "2 of 2 requests"


def test_an_error_stops_everything_and_is_raised_when_all_is_at_its_end() -> None:
    for error, ends, stopped in ((TsgkitError("the disk is full"), [0], 1), (ZeroDivisionError(), [], 0)):
        asked, ended, finished = Asked(), list[str](), list[int]()
        engine = Engine((asked,), Watch(ended=functools.partial(ended.append, "ended")))

        async def do(number: int, error: Exception = error, finished: list[int] = finished) -> None:
            if number == 1:
                raise error
            await asyncio.sleep(0.05)
            finished.append(number)

        with pytest.raises(type(error)):
            each(engine, do, range(10), workers=2)
        assert (finished, asked.stopped, ended, engine.busy) == (ends, stopped, ["ended"], 0)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_the_first_interrupt_lets_units_end_and_the_second_does_not(number: signal.Signals) -> None:
    for hangs in (False, True):
        told, finished, asked = list[str](), list[int](), Asked()
        engine = Engine((asked,), Watch(stopping=functools.partial(told.append, "stopping")))

        async def do(unit: int, hangs: bool = hangs, finished: list[int] = finished) -> None:
            if unit == 1:
                os.kill(os.getpid(), number)
            await asyncio.sleep(0.05)
            if hangs and unit == 0:
                os.kill(os.getpid(), number)
                await asyncio.sleep(600)
            finished.append(unit)

        assert made(engine, do, {"0": 0, "1": 1, "2": 2}) is None
        assert (engine.interrupted, asked.stopped, told) == (True, 1, ["stopping"])
        assert finished == [0, 1] or (hangs and finished in ([1], []))


def test_a_signal_that_is_ignored_stays_ignored_and_other_threads_hear_none() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:

        async def make(number: int) -> int:
            if number == 3:
                os.kill(os.getpid(), signal.SIGHUP)
            return await negative(number)

        assert len(made(Engine(), make)) == 40
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
        found = list[Any]()
        work = threading.Thread(target=lambda: found.append(made(Engine(), make)))
        work.start()
        work.join()
        assert len(found[0]) == 40
    finally:
        signal.signal(signal.SIGHUP, before)


def test_time_left_is_told_of_what_was_done_now_and_units_in_work_are_half_done(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(time, "monotonic", lambda: 110.0)
    for done, left, began, busy, seconds in (
        (0, 5, 100.0, 0, None), (5, 0, 100.0, 0, None), (5, 5, 0.0, 0, None), (5, 5, 100.0, 0, 10.0),
        (1, 345, 109.0, 32, 329 / 17), (1, 1, 100.0, 0, 10.0), (2, 4, 100.0, 8, 5.0),
    ):  # fmt: skip
        part = Part("x", done=5, total=10, ended=done, left=left, began=began, busy=busy)
        assert part.seconds_left == (seconds if seconds is None else pytest.approx(seconds)), part
