"""An outage: all calls wait, one at a time probes the service, and any answer lets all go on."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from doors import HASTE, WHERE, Told, asked, door_to, run

from tsgkit.llm.concurrency import RequestQueue
from tsgkit.llm.door import Door
from tsgkit.llm.failures import CallFailed, Unasked
from tsgkit.llm.outage import LOSSES, Outage
from tsgkit.llm.reply import Ending, Reply, Usage

GOOD = Reply("[kettle]", usage=Usage(10, 5))
GONE = CallFailed("ConnectError", None, unreachable=True)
PATIENT = replace(HASTE, attempts=3, same_error=3, first_wait=0.01, longest_wait=0.05)


def down(first_wait: float = 0.001, longest_wait: float = 0.01, asked_wait: float = 0.0) -> Outage:
    outage = Outage(first_wait, longest_wait, clock=iter([10.0, 25.0, 40.0]).__next__)
    for _ in range(LOSSES):
        outage.lost("gone", asked_wait)
    return outage


async def several(door: Door, number: int) -> list[Reply | BaseException]:
    wheres = [WHERE._replace(sample=f"tea/{n}") for n in range(number)]
    return await asyncio.gather(*(asked(door, f"{w.sample}?", where=w) for w in wheres), return_exceptions=True)


def test_outage_begins_with_the_fifth_loss_and_ends_with_any_answer() -> None:
    outage = Outage(1.0, 60.0, clock=iter([10.0, 25.0, 40.0]).__next__)
    for _ in range(LOSSES - 1):
        outage.lost("gone")
    assert (outage.since, outage.lasted()) == (None, 0.0)
    outage.lost("still gone")
    assert (outage.since, outage.lasted(), outage.reason) == (10.0, 15.0, "still gone")
    outage.answered()
    assert outage.since is None
    for _ in range(LOSSES - 1):
        outage.lost("gone")
    assert outage.since is None, "it counts anew"


def test_wait_doubles_with_every_failed_try_and_heeds_what_the_service_asks() -> None:
    outage, waits = down(1.0, 60.0), []
    for asks in (0.0, 0.0, 10.0, 0.0, 999.0):
        outage.lost("gone", asks, tried=True)
        waits.append(outage.wait)
    outage.lost("gone, of one that was on its way")
    assert waits == [2.0, 4.0, 10.0, 20.0, 60.0]
    assert outage.wait == 60.0
    assert [down(1.0, 60.0, asks).wait for asks in (0.0, 7.0, 999.0)] == [1.0, 7.0, 60.0]


def test_one_at_a_time_tries_and_each_in_turn() -> None:
    async def turns() -> list[int]:
        outage, order, trying = down(), list[int](), 0

        async def one(number: int) -> None:
            nonlocal trying
            while await outage.wait_in_line(asyncio.sleep):
                trying += 1
                assert trying == 1
                order.append(number)
                await asyncio.sleep(0)
                trying -= 1
                if len(order) == 7:
                    outage.answered()
                outage.tried()

        await asyncio.gather(*(one(number) for number in range(3)))
        return order

    assert run(turns()) == [0, 1, 2, 0, 1, 2, 0]


def test_cancelled_calls_hand_their_turn_on() -> None:
    async def left() -> bool:
        outage = down()
        tasks = [asyncio.create_task(outage.wait_in_line(asyncio.sleep)) for _ in range(3)]
        await asyncio.sleep(0)
        tasks[0].cancel()
        tasks[1].cancel()
        return await tasks[2]

    assert run(left())


def test_service_that_stays_away_ends_the_subject_and_gives_no_sample_up() -> None:
    door = door_to(Told([GOOD, GONE]), flow=RequestQueue(4), patience=replace(PATIENT, max_outage=0.1))
    found = run(several(door, 12))
    assert [type(one) for one in found] == [Reply] + [Unasked] * 11
    assert "no service for" in str(found[-1])
    assert "(limit: --max-outage): ConnectError" in str(found[-1])


def test_request_that_breaks_the_service_is_given_up_and_the_others_are_answered() -> None:
    async def breaks(text: str) -> Reply:
        if "tea/3" in text:
            raise CallFailed("broken", 500)
        return GOOD

    door = door_to(Told([breaks]), flow=RequestQueue(2), patience=PATIENT)
    endings = [one.ending for one in run(several(door, 12)) if isinstance(one, Reply)]
    assert endings == [Ending.API_ERROR if n == 3 else Ending.COMPLETE for n in range(12)]
