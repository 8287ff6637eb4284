"""The queue in front of a model: in order, as fast as the service allows, and no request is ever forgotten."""

from __future__ import annotations

import asyncio
import random

import pytest
from doors import run

from tsgkit.llm.concurrency import IN_A_ROW, LATEST, LONGEST_GATE, START, RequestQueue
from tsgkit.llm.failures import Stopped


class Clock:
    """A clock that moves only while somebody sleeps."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.sleeps = 0

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.sleeps += 1
        until = self.now + seconds
        await asyncio.sleep(0)
        self.now = max(self.now, until)


def queue(places: int, **limits: float) -> tuple[RequestQueue, Clock]:
    return RequestQueue(places, clock=(clock := Clock()), **limits), clock  # type: ignore[arg-type]


async def settled() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


async def starts(flow: RequestQueue, clock: Clock, number: int, tokens: int = 0) -> list[float]:
    """Return when requests that come one after the other may start."""
    found = []
    for _ in range(number):
        await flow.enter(tokens, clock.sleep)
        found.append(clock.now - 1000.0)
        flow.leave()
    return found


async def occupied(flow: RequestQueue, places: int, clock: Clock | None = None) -> None:
    for _ in range(places):
        await flow.enter(0, asyncio.sleep if clock is None else clock.sleep)


async def admitted(flow: RequestQueue, clock: Clock, number: int, over: float = 0.0) -> None:
    for _ in range(number):
        flow.succeeded(await flow.enter(0, clock.sleep))
        flow.leave()
        clock.now += over / number


def burst(flow: RequestQueue, number: int, retry_after: float | None = 5.0) -> None:
    for _ in range(number):
        flow.throttled(retry_after)


def paced(retry_after: float | None) -> tuple[RequestQueue, Clock]:
    """Return a queue that was turned away after 20 requests in half a second."""
    flow, clock = queue(64)
    run(admitted(flow, clock, 20, over=0.5))
    burst(flow, IN_A_ROW, retry_after)
    return flow, clock


def rounds_of(seconds: float) -> list[int]:
    """Return how many requests are in flight in each round of answers, where a round takes so long."""

    async def rounds() -> list[int]:
        (flow, clock), found = queue(64), []
        in_flight: list[asyncio.Future[None]] = []

        async def one() -> None:
            await flow.enter()
            in_flight.append(asyncio.get_running_loop().create_future())
            await in_flight[-1]
            flow.leave()
            flow.succeeded()

        tasks = [asyncio.create_task(one()) for _ in range(900)]
        while not all(task.done() for task in tasks):
            await settled()
            found.append(len(in_flight))
            clock.now += seconds
            for future in in_flight[:]:
                future.set_result(None)
            in_flight.clear()
        return found

    return run(rounds())


def test_concurrency_starts_small_doubles_every_round_and_heeds_a_second_with_many_starts() -> None:
    assert rounds_of(1.0)[:5] == [START, 2 * START, 4 * START, 64, 64]
    found = rounds_of(0.1)
    assert found[:2] == [START, 2 * START]
    assert len(set(found[2:12])) == 1 and found[2] <= 32, "a limit of a hundred would turn away no more than in flight"
    assert max(found) == 64

    async def limit(active: int) -> float:
        flow = RequestQueue(64)
        await occupied(flow, active)
        waiting = asyncio.create_task(flow.enter()) if active == START else None
        await settled()
        flow.succeeded()
        await settled()
        assert waiting is None or waiting.done(), "who waits is let in"
        return flow.limit

    assert [run(limit(active)) for active in (START - 2, START - 1, START)] == [START, START + 1, START + 1]


def test_first_come_is_first_served_and_all_are_despite_newcomers_and_cancellations() -> None:
    async def order() -> list[int]:
        flow, found = RequestQueue(1), []

        async def one(number: int) -> None:
            await flow.enter()
            found.append(number)
            await asyncio.sleep(0)
            if number < 5:
                newcomers.append(asyncio.create_task(one(number + 10)))
            flow.leave()

        newcomers: list[asyncio.Task[None]] = []
        await asyncio.gather(*(one(number) for number in range(5)))
        await asyncio.gather(*newcomers)
        return found

    async def storm(seed: int) -> None:
        rng, flow = random.Random(seed), RequestQueue(3)

        async def one() -> None:
            await flow.enter()
            assert flow.active <= 3
            try:
                for _ in range(rng.randrange(3)):
                    await asyncio.sleep(0)
            finally:
                flow.leave()
            if rng.random() < 0.5:
                flow.succeeded()

        tasks = [asyncio.create_task(one()) for _ in range(60)]
        for _ in range(40):
            await asyncio.sleep(0)
            rng.choice(tasks).cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert (flow.active, len(flow._waiters)) == (0, 0), seed

    assert run(order()) == [0, 1, 2, 3, 4, 10, 11, 12, 13, 14]
    for seed in range(20):
        run(storm(seed))


def test_limits_a_minute_space_the_starts_evenly() -> None:
    for limits, tokens, wanted in (
        ({"requests_per_minute": 120}, 0, [0.0, 0.5, 1.0, 1.5]),
        ({"tokens_per_minute": 600}, 20, [0.0, 2.0, 4.0, 6.0]),
        ({"requests_per_minute": 60, "tokens_per_minute": 60_000}, 100, [0.0, 1.0, 2.0, 3.0]),
        ({"requests_per_minute": 60, "tokens_per_minute": 600}, 20, [0.0, 2.0, 4.0, 6.0]),
    ):
        flow, clock = queue(8, **limits)
        assert run(starts(flow, clock, 4, tokens)) == pytest.approx(wanted), limits
        assert clock.sleeps <= 8
        clock.now += 100
        assert run(starts(flow, clock, 1, tokens)) == pytest.approx([wanted[3] + 100]), "time is not saved up"

    async def fails(_: float) -> None:
        raise Stopped("enough")

    flow, _ = queue(4, requests_per_minute=60)
    run(flow.enter())
    with pytest.raises(Stopped):
        run(flow.enter(0, fails))
    assert flow.active == 1, "the place is given back"


def test_single_429_takes_one_place_a_burst_shrinks_them_once_and_many_leave_one() -> None:
    flow, clock = queue(8)
    run(occupied(flow, 4))
    flow.throttled(5.0)
    assert (flow.limit, flow.throttles, flow.pace) == (7.0, 1, None)
    flow.leave()
    assert run(starts(flow, clock, 2)) == [0.0, 0.0]
    flow, clock = queue(64)
    flow.limit = 40.0
    run(occupied(flow, 20))
    burst(flow, IN_A_ROW)
    at_the_burst = flow.limit
    burst(flow, LATEST)
    assert at_the_burst == flow.limit == pytest.approx((40 - IN_A_ROW + 1) * 0.7)
    assert run(starts(flow, clock, 1)) == pytest.approx([5.0])

    async def alternating(number: int) -> float | None:
        flow, clock = queue(64)
        flow.limit = 64.0
        begun = []
        for _ in range(64):
            clock.now += 0.001
            begun.append(await flow.enter(0, clock.sleep))
        for start in begun[-2 * number :: 2]:
            flow.throttled(5.0, start)
        return flow.pace

    assert run(alternating(LATEST // 2 - 1)) is None
    assert run(alternating(LATEST // 2)) is not None, "half of the latest is a burst too"
    flow, clock = queue(8)
    for _ in range(50):
        run(occupied(flow, 1, clock))
        burst(flow, 8)
        flow.leave()
        clock.now += 10
    assert int(flow.limit) == 1
    flow, clock = queue(8)
    burst(flow, 8, retry_after=1e9)
    assert run(starts(flow, clock, 1)) == pytest.approx([LONGEST_GATE]), "never for days"


def test_gate_that_opened_too_early_closes_for_twice_as_long() -> None:
    flow, clock = paced(retry_after=None)
    assert flow.pace == pytest.approx(19.9), "the rate before the burst is the pace after it"

    async def turned_away() -> float:
        start = await flow.enter(0, clock.sleep)
        flow.leave()
        flow.throttled(None, start)
        return start - 1000

    assert run(turned_away()) == pytest.approx(1.5), "a second where the service asks for no time"
    second = run(turned_away())
    assert second == pytest.approx(1.5 + 1 / 19.9)
    [third] = run(starts(flow, clock, 1))
    assert third == pytest.approx(second + 2)
    flow.succeeded(third + 1000)
    assert flow.pace == pytest.approx(0.995 * 20 / (third - 1)), "the window of the limit is known now"
    flow, clock = paced(retry_after=1.0)
    limit = flow.limit
    run(occupied(flow, int(limit), clock))
    flow.succeeded()
    assert flow.limit == pytest.approx(limit + 0.25), "places come back by quarters"


def test_pace_rises_slowly_and_is_doubled_where_it_prevents_nothing() -> None:
    flow, clock = paced(retry_after=1.0)
    clock.now += 1.0
    run(admitted(flow, clock, 100))
    before = flow.pace or 0.0
    assert before >= 19.9
    clock.now += 60
    run(starts(flow, clock, 2))
    assert flow.pace == pytest.approx(before * 1.05)
    run(occupied(flow, 2, clock))
    flow.throttled(1.0)
    assert flow.pace == before, "it had risen too far"
    for pace, waits in ((0.1, (100.0, 50 / 1.05)), (10.0, (30.0, 5.0))):
        flow, clock = queue(8)
        flow._pace = pace
        flow._keep_pace(clock.now)
        for number, wait in enumerate(waits):
            for seconds, growths in ((wait - 0.1, number), (0.2, number + 1)):
                clock.now += seconds
                flow._spacing(0)
                assert flow.pace == pytest.approx(pace * 1.05**growths), (pace, number)
    flow, clock = paced(retry_after=1.0)
    run(admitted(flow, clock, 20, over=2.0))
    before = flow.pace or 0.0
    clock.now += 1.0
    flow.throttled(1.0)
    assert flow.pace == before, "one of 21 may be chance"
    flow.throttled(1.0)
    assert flow.pace == pytest.approx(2 * before)
    run(admitted(flow, clock, 20, over=4.0))
    flow.throttled(1.0)
    assert flow.pace == pytest.approx(2 * before), "counted anew since it was doubled"
    flow.throttled(1.0)
    assert flow.pace == pytest.approx(4 * before)
