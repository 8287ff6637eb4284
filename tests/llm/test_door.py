"""One door: recorded, cached, counted, retried, stopped; whatever happens behind it."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from doors import HASTE, WHERE, Notebook, Told, asked, door_to, run

from tsgkit.errors import UsageError
from tsgkit.llm.budget import Budget
from tsgkit.llm.cache import ReplyCache
from tsgkit.llm.concurrency import RequestQueue
from tsgkit.llm.door import Door
from tsgkit.llm.failures import BudgetReached, CallFailed, Stopped, Unasked
from tsgkit.llm.prices import Price
from tsgkit.llm.reply import Attempt, Ending, Reply, Usage
from tsgkit.llm.secrets import Secrets

GOOD = Reply("[kettle]", usage=Usage(10, 5))
KEY = "sk-live-0123456789"


async def several(door: Door, number: int) -> list[Reply | BaseException]:
    wheres = [WHERE._replace(sample=f"tea/{n}") for n in range(number)]
    return await asyncio.gather(*(asked(door, where=where) for where in wheres), return_exceptions=True)


def test_a_recorded_call_is_not_made_again() -> None:
    door = door_to(told := Told())
    assert run(asked(door)) == run(asked(door))
    assert len(told.sent) == 1


def test_a_recorded_failure_is_asked_again() -> None:
    door = door_to(told := Told([CallFailed("no", 400), GOOD]))
    assert run(asked(door)).ending is Ending.API_ERROR
    assert run(asked(door)).text == "[kettle]"
    assert len(told.sent) == 2


def test_a_refusal_is_an_outcome_and_not_asked_again() -> None:
    door = door_to(told := Told([CallFailed("filtered", 400, refused=True)]))
    assert [run(asked(door)).ending for _ in range(2)] == [Ending.REFUSED] * 2
    assert len(told.sent) == 1


def test_a_refusal_is_never_tried_again_whatever_its_status() -> None:
    door = door_to(told := Told([CallFailed("filtered", None, refused=True)]))
    assert run(asked(door)).ending is Ending.REFUSED
    assert len(told.sent) == 1


@pytest.mark.parametrize(
    "change",
    [
        {"text": "What?"},
        {"label": "critique"},
        {"draw": 1},
        {"schema": {"type": "object"}},
        {"where": WHERE._replace(repeat=1)},
    ],
)
def test_every_difference_is_a_call_of_its_own(change: dict[str, Any]) -> None:
    notebook = Notebook()
    door = door_to(Told(), recorder=notebook)
    run(asked(door))
    run(asked(door, **change))
    assert len(notebook.calls) == 2


def test_the_schema_and_the_parameters_are_part_of_what_is_hashed() -> None:
    notebook = Notebook()
    for parameters in ({}, {"temperature": 0}):
        for schema in (None, {"type": "object"}, {"type": "array"}):
            run(asked(door_to(Told(), recorder=notebook, parameters=parameters), schema=schema))
    assert len({call.body for call in notebook.calls}) == 6


def test_a_reply_in_the_cache_asks_nobody_and_costs_nothing(tmp_path: Path) -> None:
    run(asked(door_to(Told(), cache=ReplyCache(tmp_path))))
    budget, told, notebook = Budget(requests=0), Told(), Notebook()
    reply = run(asked(door_to(told, cache=ReplyCache(tmp_path), budget=budget, recorder=notebook)))
    assert (reply.text, reply.source, reply.spent.cost) == ("[kettle]", "cache", 0.0)
    assert (told.sent, budget.used_requests, list(notebook.calls.values())) == ([], 0, [reply])


def test_cache_misses_for_another_draw_repeat_endpoint_or_parameter(tmp_path: Path) -> None:
    told, cache = Told(), ReplyCache(tmp_path)
    run(asked(door_to(told, cache=cache)))
    run(asked(door_to(told, cache=cache), draw=1))
    run(asked(door_to(told, cache=cache), where=WHERE._replace(repeat=1)))
    run(asked(door_to(told, cache=cache, endpoint="there")))
    run(asked(door_to(told, cache=cache, parameters={"seed": 1})))
    assert len(told.sent) == 5


def test_a_refreshed_reply_is_asked_for_again(tmp_path: Path) -> None:
    told, cache = Told(), ReplyCache(tmp_path)
    for reads in (True, False, True):
        run(asked(door_to(told, cache=cache, reads_cache=reads)))
    assert len(told.sent) == 2


@pytest.mark.parametrize("keeps", [False, True])
def test_an_equal_question_of_the_whole_run_is_asked_once_without_reading_the_cache(
    keeps: bool, tmp_path: Path
) -> None:
    cache = ReplyCache(tmp_path) if keeps else None
    if cache is not None:
        run(asked(door_to(Told(), cache=cache)))
    told, notebook = Told(), Notebook()
    door = door_to(told, cache=cache, reads_cache=False, recorder=notebook, shared=frozenset({"answer"}))
    first = run(asked(door))
    second = run(asked(door, where=WHERE._replace(sample="another")))
    assert (first.source, second.source, second.text, second.attempts) == ("model", "cache", first.text, ())
    assert (len(told.sent), len(notebook.calls)) == (1, 2)
    run(asked(door, where=WHERE._replace(sample="another", repeat=1)))
    for sample in ("one", "two"):
        run(asked(door, where=WHERE._replace(sample=sample), label="a question of its own"))
    assert len(told.sent) == 4


def test_equal_questions_at_once_make_one_request(tmp_path: Path) -> None:
    door = door_to(told := Told(), cache=ReplyCache(tmp_path))
    replies = run(several(door, 50))
    assert len(told.sent) == 1
    assert sorted(reply.source for reply in replies if isinstance(reply, Reply)) == ["cache"] * 49 + ["model"]


def test_when_the_first_of_equal_questions_fails_the_next_is_asked(tmp_path: Path) -> None:
    door = door_to(told := Told([CallFailed("no", 400), GOOD]), cache=ReplyCache(tmp_path))
    endings = [reply.ending for reply in run(several(door, 10)) if isinstance(reply, Reply)]
    assert sorted(endings) == [Ending.API_ERROR] + [Ending.COMPLETE] * 9
    assert len(told.sent) == 2


def test_cancelling_one_equal_question_does_not_cancel_the_others(tmp_path: Path) -> None:
    async def work() -> list[str | None]:
        on = asyncio.Event()

        async def slow(_: str) -> Reply:
            await on.wait()
            return GOOD

        door = door_to(Told([slow]), cache=ReplyCache(tmp_path))
        tasks = [asyncio.create_task(asked(door, where=WHERE._replace(sample=str(n)))) for n in range(4)]
        await asyncio.sleep(0.01)
        tasks[1].cancel()
        await asyncio.sleep(0)
        on.set()
        found = await asyncio.gather(*tasks, return_exceptions=True)
        return [reply.text if isinstance(reply, Reply) else type(reply).__name__ for reply in found]

    assert run(work()) == ["[kettle]", "CancelledError", "[kettle]", "[kettle]"]


def test_a_key_that_the_service_echoes_never_gets_through() -> None:
    secrets = Secrets([KEY])
    echoing: list[Reply | CallFailed] = [
        Reply(f"my key is {KEY}", model=KEY, finish_reason=KEY),
        Reply(None, Ending.REFUSED, refusal=f"not with {KEY}"),
        CallFailed(f"bad key {KEY}", 400),
        CallFailed("x" * 490 + KEY, 400),
    ]
    for said in echoing:
        notebook = Notebook()
        reply = run(asked(door_to(Told([said]), secrets=secrets, recorder=notebook)))
        assert KEY[:8] not in repr(reply) + repr(notebook.calls)
        assert list(notebook.calls.values()) == [reply]


def test_a_key_that_the_service_echoes_is_not_in_the_cache(tmp_path: Path) -> None:
    run(asked(door_to(Told([Reply(f"it is {KEY}")]), secrets=Secrets([KEY]), cache=ReplyCache(tmp_path))))
    assert all(KEY.encode() not in path.read_bytes() for path in tmp_path.iterdir())


def test_long_errors_are_cut() -> None:
    assert len(run(asked(door_to(Told([CallFailed("x" * 10_000, 400)])))).error or "") <= 510


def test_every_attempt_is_recorded_with_its_status_and_its_wait() -> None:
    reply = run(asked(door_to(Told([CallFailed("busy", 503), CallFailed("slow down", 429, 0.001), GOOD]))))
    assert [(one.status, one.error) for one in reply.attempts] == [(503, "busy"), (429, "slow down"), (None, None)]
    assert reply.attempts[0].waited > 0
    assert reply.attempts[1].waited > 0
    assert reply.attempts[2] == Attempt(reply.attempts[2].seconds)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 422])
def test_permanent_errors_are_not_retried(status: int) -> None:
    reply = run(asked(door_to(told := Told([CallFailed("no", status)]))))
    assert (reply.ending, reply.status, len(told.sent)) == (Ending.API_ERROR, status, 1)


@pytest.mark.parametrize("status", [None, 408, 409, 500, 502, 503, 504, 529])
def test_identical_errors_are_given_up_sooner_than_changing_ones(status: int | None) -> None:
    run(asked(door_to(same := Told([CallFailed("broken", status)]))))
    run(asked(door_to(changing := Told([CallFailed(f"broken {n}", status) for n in range(9)]))))
    assert (len(same.sent), len(changing.sent)) == (HASTE.same_error, HASTE.attempts)


def test_429_has_a_patience_of_its_own() -> None:
    said = [CallFailed("slow down", 429, 0.001), CallFailed("broken", 500)] * 2 + [GOOD]
    assert run(asked(door_to(Told(said)))).text == "[kettle]"
    run(asked(door_to(told := Told([CallFailed("slow down", 429, 0.001)]))))
    assert len(told.sent) == HASTE.throttled_attempts


@pytest.mark.parametrize("status", [429, 503])
def test_the_service_is_waited_for_as_long_as_it_asks_but_not_for_days(status: int) -> None:
    door = door_to(Told())
    for asks, least, most in ((7.0, 7.0, 7.1), (1e9, 300.0, 300.1)):
        wait = door._wait_after(CallFailed("busy", status, asks), [Attempt(0.0, "busy", status)], 0.0)
        assert wait is not None
        assert least <= wait <= most


def test_a_service_that_says_at_once_is_not_asked_at_once() -> None:
    door = door_to(Told(), patience=replace(HASTE, first_wait=0.5, longest_wait=60, throttled_attempts=60))
    failure = CallFailed("slow down", 429, 0.0)
    waits = [door._wait_after(failure, [Attempt(0.0, "slow down", 429)] * n, 0.0) or 0.0 for n in (1, 5, 10)]
    assert waits[0] >= 0.25
    assert waits[1] >= 4
    assert 30 <= waits[2] <= 60


@pytest.mark.parametrize("status", [401, 403, 404])
def test_three_denials_in_a_row_end_the_subject(status: int) -> None:
    door = door_to(told := Told([CallFailed("no such key", status)]), flow=RequestQueue(1))
    found = run(several(door, 10))
    assert [type(one) for one in found] == [Reply] * 3 + [Unasked] * 7
    assert "no such key" in str(found[-1])
    assert len(told.sent) == 3


def test_denials_with_a_reply_between_them_end_nothing() -> None:
    no = CallFailed("no", 403)
    assert all(
        isinstance(one, Reply) for one in run(several(door_to(Told([no, no, GOOD] * 4), flow=RequestQueue(1)), 12))
    )


@pytest.mark.parametrize("late", [GOOD, CallFailed("no", 400)])
def test_a_subject_that_was_given_up_stays_so_whatever_still_comes_home(late: Reply | CallFailed) -> None:
    async def work() -> list[Reply | BaseException]:
        on = asyncio.Event()

        async def slow(_: str) -> Reply:
            await on.wait()
            if isinstance(late, CallFailed):
                raise late
            return late

        door = door_to(Told([slow, CallFailed("no", 401)]), flow=RequestQueue(4))
        first = asyncio.create_task(asked(door, where=WHERE._replace(sample="late")))
        await asyncio.sleep(0.01)
        for n in range(3):
            await asked(door, where=WHERE._replace(sample=f"denied/{n}"))
        on.set()
        await first
        return await several(door, 3)

    assert [type(one) for one in run(work())] == [Unasked] * 3


def test_every_attempt_counts_as_a_request() -> None:
    budget = Budget(requests=3)
    door = door_to(Told([CallFailed("a", 500), CallFailed("b", 500), GOOD]), budget=budget)
    assert run(asked(door)).text == "[kettle]"
    with pytest.raises(BudgetReached, match="3 of 3 requests"):
        run(asked(door, "Another?"))


def test_a_no_of_the_service_uses_no_tokens_but_silence_may() -> None:
    turned_away, silent = Budget(), Budget()
    run(asked(door_to(Told([CallFailed("slow down", 429, 0.001)]), budget=turned_away)))
    run(asked(door_to(Told([CallFailed("no answer")]), budget=silent)))
    assert turned_away.used_tokens == 0
    assert silent.used_tokens > 0


def test_a_budget_of_money_holds_while_requests_are_in_flight() -> None:
    budget = Budget(cost=0.01)
    reply = Reply("[a]", usage=Usage(100, 100, cost=0.001))
    door = door_to(
        Told([reply]), budget=budget, flow=RequestQueue(100), price=Price(0.0, 1e-5), expected_completion=100.0
    )
    found = run(several(door, 50))
    assert sum(isinstance(one, Reply) for one in found) in (9, 10)
    assert budget.used_cost <= 0.0101
    assert {type(one) for one in found if not isinstance(one, Reply)} == {BudgetReached}


def test_no_more_are_in_flight_than_the_ceiling_allows() -> None:
    door = door_to(told := Told(), flow=RequestQueue(3))
    run(several(door, 40))
    assert told.most == 3
    assert (door.flow.active, door.waiting) == (0, 0)


def test_a_stop_ends_all_waiting_at_once_and_lets_the_rest_come_home() -> None:
    async def work() -> list[str | None]:
        on = asyncio.Event()

        async def slow(_: str) -> Reply:
            await on.wait()
            return GOOD

        patience = replace(HASTE, first_wait=1000.0, longest_wait=1000.0)
        door = door_to(told := Told([CallFailed("busy", 503), slow]), flow=RequestQueue(2), patience=patience)
        tasks = [asyncio.create_task(asked(door, f"{n}?")) for n in range(6)]
        while told.now < 2:
            await asyncio.sleep(0.001)
        door.stop()
        while sum(task.done() for task in tasks) < 4:
            await asyncio.sleep(0.001)
        done = [task for task in tasks if task.done()]
        in_flight = [task for task in tasks if not task.done()]
        assert all(isinstance(task.exception(), Stopped) for task in done)
        on.set()
        found = [(await task).text for task in in_flight]
        with pytest.raises(Stopped):
            await asked(door, "and now?")
        assert (len(told.sent), door.flow.active, door.waiting) == (3, 0, 0)
        return found

    assert run(work()) == ["[kettle]", "[kettle]"]


def test_a_provider_that_is_not_ready_is_the_user_s_to_mend() -> None:
    class NotReady(Told):
        def prepare(self) -> None:
            raise UsageError("no key")

    with pytest.raises(UsageError, match="no key"):
        run(asked(door_to(NotReady())))


def test_a_bug_in_a_provider_gives_its_place_back() -> None:
    async def broken(_: str) -> Reply:
        raise ZeroDivisionError

    door = door_to(Told([broken]), budget=(budget := Budget()))
    with pytest.raises(ZeroDivisionError):
        run(asked(door))
    assert (door.flow.active, door.waiting, budget.in_flight_tokens) == (0, 0, 0)
