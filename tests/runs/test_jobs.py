"""The engine of every job: units in order, no more at a time than it is told, and an end whatever happens."""

from __future__ import annotations

import asyncio
import functools
import os
import signal
import threading
import time
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from tsgkit.errors import TsgkitError
from tsgkit.llm.failures import BudgetReached, Stopped, Unasked
from tsgkit.runs.jobs import Engine, Part, Watch
from tsgkit.runs.shards import Shard

NUMBERS = {str(number): number for number in range(40)}


class Asked:
    """Whoever is asked; it only hears that it is to stop."""

    stopped = 0

    def stop(self) -> None:
        self.stopped += 1


def carried_out(engine: Engine, work: Callable[[], Coroutine[Any, Any, Any]]) -> Any:  # noqa: ANN401
    return engine.carry_out(work)


def test_results_keep_unit_order_and_concurrency_is_bounded() -> None:
    engine, most = Engine(), 0

    async def make(number: int) -> int:
        nonlocal most
        most = max(most, engine.busy)
        await asyncio.sleep(0.001 * (number % 3))
        return -number

    made = carried_out(engine, lambda: engine.made(NUMBERS, make, workers=7))
    assert list(made.items()) == [(key, -number) for key, number in NUMBERS.items()]
    assert (most, engine.busy, engine.done, engine.expected) == (7, 0, 40, 40)


def test_a_stream_puts_results_in_the_order_of_its_units() -> None:
    engine, put = Engine(), list[int]()

    async def make(number: int) -> int:
        await asyncio.sleep(0.001 * (number % 3))
        return -number

    carried_out(engine, lambda: engine.streamed(range(40), make, put.append, workers=7))
    assert put == [-number for number in range(40)] and engine.done == 40


@pytest.mark.parametrize("workers", [1, 3])
def test_a_stream_that_is_cut_short_says_why(workers: int) -> None:
    put = list[int]()

    async def make(number: int) -> int:
        if number >= 5:
            raise BudgetReached("5 of 5 requests")
        return number

    with pytest.raises(BudgetReached, match="5 of 5 requests"):
        engine = Engine()
        carried_out(engine, lambda: engine.streamed(iter(range(8)), make, put.append, workers=workers))
    assert put == [0, 1, 2, 3, 4]


def test_a_shard_makes_its_own_units_alone() -> None:
    async def make(number: int) -> int:
        return number

    found: list[str] = []
    for shard in (Shard(1, 3), Shard(2, 3), Shard(3, 3)):
        engine = Engine(shard=shard)
        made = carried_out(engine, functools.partial(engine.made, NUMBERS, make, workers=2))
        assert engine.expected == len(made) and all(map(shard.takes, made))
        found += made
    assert sorted(found) == sorted(NUMBERS)


def test_a_model_that_is_given_up_ends_its_queue_and_no_other() -> None:
    engine, done, why = Engine(), list[int](), list[Unasked]()

    async def do(number: int) -> None:
        if number == 5:
            raise Unasked("401 three times")
        done.append(number)

    async def both() -> None:
        await asyncio.gather(
            engine.each(range(10), do, workers=1, gave_up=why.append),
            engine.each(range(100, 110), do, workers=1, gave_up=why.append),
        )

    carried_out(engine, both)
    assert list(map(str, why)) == ["401 three times"] and sorted(done) == [*range(5), *range(100, 110)]
    assert not engine.stopping


def test_a_budget_ends_what_asks_and_nothing_else() -> None:
    engine, done = Engine(), list[int]()

    async def do(number: int) -> None:
        if number == 3:
            raise BudgetReached("2 of 2 requests")
        done.append(number)

    async def both() -> None:
        await engine.each(range(10), do, workers=1)
        await engine.each(range(20, 30), do, workers=1)
        await engine.each(range(100, 110), do, workers=1, asks=False)

    carried_out(engine, both)
    assert done == [0, 1, 2, *range(100, 110)] and engine.budget == "2 of 2 requests"


def test_an_error_stops_everything_and_is_raised_when_all_is_at_its_end() -> None:
    asked, ended = Asked(), list[str]()
    engine, finished = Engine((asked,), Watch(ended=lambda: ended.append("ended"))), list[int]()

    async def do(number: int) -> None:
        if number == 1:
            raise TsgkitError("the disk is full")
        await asyncio.sleep(0.01)
        finished.append(number)

    with pytest.raises(TsgkitError, match="the disk is full"):
        carried_out(engine, lambda: engine.each(range(10), do, workers=3))
    assert finished == [0] and asked.stopped == 1 and ended == ["ended"]


def test_an_exception_of_code_ends_the_job_with_its_units() -> None:
    engine, finished = Engine(), list[int]()

    async def do(number: int) -> None:
        if number == 1:
            raise ZeroDivisionError
        await asyncio.sleep(0.05)
        finished.append(number)

    with pytest.raises(ZeroDivisionError):
        carried_out(engine, lambda: engine.each(range(10), do, workers=3))
    assert finished == [] and engine.busy == 0


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

        made = carried_out(engine, functools.partial(engine.made, {"0": 0, "1": 1, "2": 2}, do, workers=2))
        assert made is None and engine.interrupted and asked.stopped == 1 and told == ["stopping"]
        assert 2 not in finished and finished in ([0, 1], [1], [])
        assert hangs or finished == [0, 1]


def test_a_signal_that_is_ignored_stays_ignored_and_other_threads_hear_none() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        engine, found = Engine(), list[Any]()

        async def make(number: int) -> int:
            if number == 3:
                os.kill(os.getpid(), signal.SIGHUP)
            await asyncio.sleep(0)
            return number

        assert len(carried_out(engine, lambda: engine.made(NUMBERS, make, workers=2))) == 40
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
        other = Engine()
        work = threading.Thread(
            target=lambda: found.append(carried_out(other, lambda: other.made(NUMBERS, make, workers=2)))
        )
        work.start()
        work.join()
        assert len(found[0]) == 40
    finally:
        signal.signal(signal.SIGHUP, before)


def test_incomplete_job_has_a_reason() -> None:
    async def make(number: int) -> int:
        raise Unasked("nobody is there")

    async def unpaid(number: int) -> int:
        raise BudgetReached("0 of 0 requests")

    async def stopped(number: int) -> int:
        raise Stopped("stopped")

    for maker, error in ((make, Unasked), (unpaid, BudgetReached), (stopped, Stopped)):
        engine = Engine()
        with pytest.raises(error):
            carried_out(engine, functools.partial(engine.made, {"1": 1}, maker, workers=1))


def test_time_is_told_only_of_what_was_done_now() -> None:
    assert Part("x", done=5, total=10, ended=0, left=5).seconds_left is None
    assert Part("x", done=10, total=10, ended=5, left=0).seconds_left is None
    assert Part("x", done=5, total=10, ended=5, left=5).seconds_left is None, "it has not begun"
    began = time.monotonic() - 10
    assert Part("x", done=5, total=10, ended=5, left=5, began=began).seconds_left == pytest.approx(10, rel=0.1)


def test_time_left_counts_units_in_progress_as_half() -> None:
    began = time.monotonic() - 1
    part = Part("x", done=1, total=346, ended=1, left=345, began=began, busy=32)
    assert part.seconds_left == pytest.approx(19, rel=0.1), "and not 345"
