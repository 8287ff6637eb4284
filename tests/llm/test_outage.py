"""An outage: everybody waits, one at a time tries, and any answer lets all go on."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace

import pytest
from doors import HASTE, WHERE, Told, asked, closing, door_to, run, service_door
from model_server import model_server

from tsgkit.llm.concurrency import RequestQueue
from tsgkit.llm.door import Door
from tsgkit.llm.failures import CallFailed, Stopped, Unasked
from tsgkit.llm.outage import LOSSES, Outage
from tsgkit.llm.reply import Ending, Reply, Usage

GOOD = Reply("[kettle]", usage=Usage(10, 5))
GONE = CallFailed("ConnectError", None, unreachable=True)
PATIENT = replace(HASTE, attempts=3, same_error=3, first_wait=0.01, longest_wait=0.05)


def down(reason: str = "gone") -> Outage:
    outage = Outage(0.001, 0.01)
    for _ in range(LOSSES):
        outage.lost(reason)
    return outage


async def several(door: Door, number: int) -> list[Reply | BaseException]:
    wheres = [WHERE._replace(sample=f"tea/{n}") for n in range(number)]
    return await asyncio.gather(*(asked(door, f"{w.sample}?", where=w) for w in wheres), return_exceptions=True)


def test_an_outage_begins_with_the_fifth_loss_and_ends_with_any_answer() -> None:
    outage = Outage(1.0, 60.0)
    for _ in range(LOSSES - 1):
        outage.lost("gone")
    before = outage.since
    outage.lost("gone")
    during = outage.since
    outage.answered()
    assert (before, during is None, outage.since) == (None, False, None)


def test_the_wait_doubles_with_every_failed_try_and_heeds_what_the_service_asks() -> None:
    outage, waits = Outage(1.0, 60.0), []
    for _ in range(LOSSES):
        outage.lost("gone")
    for asks in (0.0, 0.0, 10.0, 0.0, 999.0):
        outage.lost("gone", asks, tried=True)
        waits.append(outage.wait)
    outage.lost("gone, of one that was on its way")
    assert waits == [2.0, 4.0, 10.0, 20.0, 60.0]
    assert outage.wait == 60.0


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


def test_waiting_calls_are_stopped_with_the_run() -> None:
    async def turned() -> str:
        outage = Outage(1000.0, 1000.0)
        for _ in range(LOSSES):
            outage.lost("gone")
        first, second = (asyncio.create_task(outage.wait_in_line(asyncio.sleep)) for _ in range(2))
        await asyncio.sleep(0)
        outage.turn_away(lambda: Stopped("enough"))
        with pytest.raises(Stopped) as caught:
            await second
        first.cancel()
        return str(caught.value)

    assert run(turned()) == "enough"


def after(number: int, then: Callable[[str], Awaitable[Reply]]) -> list[Reply | Callable[[str], Awaitable[Reply]]]:
    return [*[GOOD] * number, then]


@pytest.mark.parametrize("concurrency", [1, 8])
def test_a_service_that_is_away_loses_no_sample(concurrency: int) -> None:
    with model_server(away=[10, 0.5]) as server:
        door = service_door(server.base, flow=RequestQueue(concurrency), patience=replace(PATIENT, longest_wait=0.1))
        found = run(closing(door, several(door, 40)))
    assert [one.ending for one in found if isinstance(one, Reply)] == [Ending.COMPLETE] * 40


def test_a_service_that_stays_away_ends_the_subject_and_gives_no_sample_up() -> None:
    door = door_to(Told([GOOD, GONE]), flow=RequestQueue(4), patience=replace(PATIENT, max_outage=0.1))
    found = run(several(door, 12))
    assert [type(one) for one in found] == [Reply] + [Unasked] * 11
    assert "no service for" in str(found[-1])
    assert "ConnectError" in str(found[-1])


def test_a_request_that_breaks_the_service_is_given_up_and_the_others_are_answered() -> None:
    async def breaks(text: str) -> Reply:
        if "tea/3" in text:
            raise CallFailed("broken", 500)
        return GOOD

    door = door_to(Told([breaks]), flow=RequestQueue(2), patience=PATIENT)
    endings = [one.ending for one in run(several(door, 12)) if isinstance(one, Reply)]
    assert endings == [Ending.API_ERROR if n == 3 else Ending.COMPLETE for n in range(12)]


def test_the_last_request_is_not_waited_for_forever_where_it_is_the_one_that_breaks() -> None:
    door = door_to(
        Told([GOOD, CallFailed("broken", 500)]),
        flow=RequestQueue(1),
        patience=replace(PATIENT, same_error=8, attempts=8),
    )
    good, bad = run(several(door, 2))
    assert isinstance(good, Reply)
    assert isinstance(bad, Reply)
    assert (bad.ending, len(bad.attempts)) == (Ending.API_ERROR, 8)


def test_a_service_that_said_something_is_not_asked_whether_it_runs() -> None:
    door = door_to(Told([CallFailed("no text", None, final=True, responded=True)]), flow=RequestQueue(1))
    found = run(several(door, 12))
    assert [type(one) for one in found] == [Reply] * 10 + [Unasked] * 2
    assert "is it running" not in str(found[-1])
    assert "none of the first 10 calls brought an answer: no text" in str(found[-1])


@pytest.mark.parametrize("status", [400, 429])
def test_identical_refusals_without_any_answer_end_the_subject(status: int) -> None:
    patience = replace(HASTE, throttled_attempts=100, refused_seconds=0.0)
    door = door_to(told := Told([CallFailed("no, for 3 s", status, 0.001)]), flow=RequestQueue(1), patience=patience)
    found = run(several(door, 30))
    assert len(told.sent) == 10
    assert isinstance(found[-1], Unasked)
    assert "10 identical refusals and no answer" in str(found[-1])


def test_an_answer_that_can_never_be_read_is_recorded_and_not_asked_for_again() -> None:
    door = door_to(told := Told([CallFailed("no text", None, final=True, responded=True)]))
    assert [run(asked(door)).ending for _ in range(2)] == [Ending.API_ERROR] * 2
    assert len(told.sent) == 1


def test_a_door_says_what_it_waits_for(monkeypatch: pytest.MonkeyPatch) -> None:
    async def said(door: Door) -> str:
        task = asyncio.create_task(asked(door))
        await asyncio.sleep(0.05)
        found = door.waits_for()
        task.cancel()
        return found

    monkeypatch.setattr("tsgkit.llm.door.NOTICEABLE", 0.0)

    async def hangs(_: str) -> Reply:
        await asyncio.sleep(60)
        return GOOD

    slow = replace(HASTE, first_wait=60.0, longest_wait=60.0)
    assert run(said(door_to(Told([hangs])))) == "no answer for 0 s; an attempt may take 5 s"
    throttled = run(said(door_to(Told([CallFailed("slow down", 429)]), patience=slow)))
    assert throttled == "no answer for 0 s, 1 call waits to be tried again: slow down"
    assert door_to(Told()).waits_for() == ""
