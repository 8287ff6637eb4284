"""One door: recorded, cached, counted, retried, stopped; whatever happens behind it."""

from __future__ import annotations

import asyncio
import hashlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from doors import HASTE, WHERE, Notebook, Told, asked, door_to, run

from tsgkit.errors import UsageError
from tsgkit.llm.budget import Budget
from tsgkit.llm.cache import ReplyCache
from tsgkit.llm.concurrency import RequestQueue
from tsgkit.llm.door import Door, as_dicts, prompt_hash
from tsgkit.llm.failures import BudgetReached, CallFailed, Stopped, Unasked
from tsgkit.llm.reply import Attempt, Ending, Reply, Usage
from tsgkit.llm.secrets import Secrets

GOOD = Reply("[kettle]", usage=Usage(10, 5))
KEY = "sk-live-0123456789"


async def several(door: Door, number: int) -> list[Reply | BaseException]:
    wheres = [WHERE._replace(sample=f"tea/{n}") for n in range(number)]
    return await asyncio.gather(*(asked(door, where=where) for where in wheres), return_exceptions=True)


async def until(condition: Any) -> None:  # noqa: ANN401  (a function that says whether it holds)
    while not condition():
        await asyncio.sleep(0.001)


# Records and cache


def test_recorded_call_is_not_made_again_unless_it_failed() -> None:
    door = door_to(told := Told())
    assert run(asked(door)) == run(asked(door))
    assert len(told.sent) == 1
    door = door_to(told := Told([CallFailed("no", 400), GOOD]))
    assert [run(asked(door)).ending for _ in range(2)] == [Ending.API_ERROR, Ending.COMPLETE]
    assert len(told.sent) == 2


def test_refusals_and_answers_that_can_never_be_read_are_outcomes() -> None:
    for failure, ending in (
        (CallFailed("filtered", 400, refused=True), Ending.REFUSED),
        (CallFailed("filtered", None, refused=True), Ending.REFUSED),
        (CallFailed("no text", None, final=True, responded=True), Ending.API_ERROR),
    ):
        door = door_to(told := Told([failure]))
        assert [run(asked(door)).ending for _ in range(2)] == [ending] * 2, failure
        assert len(told.sent) == 1


def test_every_difference_is_a_call_of_its_own() -> None:
    for change in (
        {"text": "What?"},
        {"label": "critique"},
        {"draw": 1},
        {"schema": {"type": "object"}},
        {"where": WHERE._replace(repeat=1)},
    ):
        door = door_to(Told(), recorder=(notebook := Notebook()))
        run(asked(door))
        run(asked(door, **change))
        assert len(notebook.calls) == 2, change
    notebook = Notebook()
    for parameters in ({}, {"temperature": 0}):
        for schema in (None, {"type": "object"}, {"type": "array"}):
            run(asked(door_to(Told(), recorder=notebook, parameters=parameters), schema=schema))
    assert len({call.body for call in notebook.calls}) == 6


def test_prompt_of_text_alone_hashes_as_it_always_did() -> None:
    from langchain_core.messages import AIMessage, HumanMessage, SystemMessage

    prompt = as_dicts([SystemMessage("a"), HumanMessage("b"), AIMessage(["c", {"type": "text", "text": "d"}])])
    assert [message["role"] for message in prompt] == ["system", "user", "assistant"]
    assert prompt[2]["content"] == [{"type": "text", "text": "c"}, {"type": "text", "text": "d"}]
    known = hashlib.sha256(b'[{"content":"Which?","role":"user"}]').hexdigest()[:32]
    assert prompt_hash([{"role": "user", "content": "Which?"}]) == known


def test_reply_in_the_cache_asks_nobody_and_costs_nothing(tmp_path: Path) -> None:
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
    for reads in (False, True):
        run(asked(door_to(told, cache=cache, reads_cache=reads)))
    assert len(told.sent) == 6, "asked anew only where the cache is not read"


@pytest.mark.parametrize("keeps", [False, True])
def test_equal_question_of_the_whole_run_is_asked_once_without_reading_the_cache(keeps: bool, tmp_path: Path) -> None:
    cache = ReplyCache(tmp_path) if keeps else None
    if cache is not None:
        run(asked(door_to(Told(), cache=cache)))
    told, notebook = Told(), Notebook()
    door = door_to(told, cache=cache, reads_cache=False, recorder=notebook, shared=frozenset({"answer"}))
    first = run(asked(door))
    second = run(asked(door, where=WHERE._replace(sample="another")))
    assert (first.source, second.source, second.text, second.attempts) == ("model", "cache", first.text, ())
    assert (len(told.sent), len(notebook.calls), second.seconds) == (1, 2, 0.0)
    run(asked(door, where=WHERE._replace(sample="another", repeat=1)))
    for sample in ("one", "two"):
        run(asked(door, where=WHERE._replace(sample=sample), label="a question of its own"))
    assert len(told.sent) == 4


def test_equal_questions_at_once_make_one_request_that_may_fail(tmp_path: Path) -> None:
    door = door_to(told := Told(), cache=ReplyCache(tmp_path / "a"))
    replies = run(several(door, 50))
    assert len(told.sent) == 1
    assert sorted(reply.source for reply in replies if isinstance(reply, Reply)) == ["cache"] * 49 + ["model"]
    door = door_to(told := Told([CallFailed("no", 400), GOOD]), cache=ReplyCache(tmp_path / "b"))
    endings = [reply.ending for reply in run(several(door, 10)) if isinstance(reply, Reply)]
    assert sorted(endings) == [Ending.API_ERROR] + [Ending.COMPLETE] * 9
    assert len(told.sent) == 2


def test_cancelling_one_equal_question_does_not_cancel_the_others(tmp_path: Path) -> None:
    async def work() -> list[str | None]:
        on = asyncio.Event()

        async def slow(_: str) -> Reply:
            await on.wait()
            return GOOD

        door = door_to(told := Told([slow]), cache=ReplyCache(tmp_path))
        tasks = [asyncio.create_task(asked(door, where=WHERE._replace(sample=str(n)))) for n in range(4)]
        await until(lambda: told.now)
        await asyncio.sleep(0)
        tasks[1].cancel()
        await asyncio.sleep(0)
        on.set()
        found = await asyncio.gather(*tasks, return_exceptions=True)
        return [reply.text if isinstance(reply, Reply) else type(reply).__name__ for reply in found]

    assert run(work()) == ["[kettle]", "CancelledError", "[kettle]", "[kettle]"]


def test_key_that_the_service_echoes_never_gets_through(tmp_path: Path) -> None:
    echoing: list[Reply | CallFailed] = [
        Reply(f"my key is {KEY}", model=KEY, finish_reason=KEY),
        Reply(None, Ending.REFUSED, refusal=f"not with {KEY}"),
        CallFailed(f"bad key {KEY}", 400),
        CallFailed("x" * 490 + KEY, 400),
    ]
    for said in echoing:
        notebook, cache = Notebook(), ReplyCache(tmp_path)
        reply = run(asked(door_to(Told([said]), secrets=Secrets([KEY]), recorder=notebook, cache=cache)))
        assert KEY[:8] not in repr(reply) + repr(notebook.calls)
        assert list(notebook.calls.values()) == [reply]
        cache.close()
    assert all(KEY.encode() not in path.read_bytes() for path in tmp_path.iterdir())


# Retries


def test_long_errors_are_cut() -> None:
    for length, shown in ((500, "x" * 500), (501, "x" * 500 + "...")):
        assert run(asked(door_to(Told([CallFailed("x" * length, 400)])))).error == shown


def test_every_attempt_is_recorded_with_its_status_and_its_wait() -> None:
    door = door_to(Told([CallFailed("busy", 503), CallFailed("slow down", 429, 0.001), GOOD]))
    reply = run(asked(door))
    assert [(one.status, one.error) for one in reply.attempts] == [(503, "busy"), (429, "slow down"), (None, None)]
    assert reply.attempts[0].waited > 0 and reply.attempts[1].waited > 0
    assert reply.attempts[2] == Attempt(reply.attempts[2].seconds)
    assert (door.failed, door.waiting) == (2, 0)
    assert door.expected_completion == pytest.approx(300 - 0.1 * 295)


def test_number_of_attempts_follows_from_the_failure() -> None:
    changing = [CallFailed(f"broken {n}", 500) for n in range(9)]
    alternating = [CallFailed("slow down", 429, 0.001), CallFailed("broken", 500)] * 2 + [GOOD]
    statuses = [CallFailed("broken", status) for status in (500, 502) * 4]
    for said, attempts in (
        ([CallFailed("no", 400)], 1),
        ([CallFailed("no", 404)], 1),
        ([CallFailed("broken")], HASTE.same_error),
        ([CallFailed("broken", 409)], HASTE.same_error),
        (changing, HASTE.attempts),
        (statuses, HASTE.attempts),
        ([CallFailed("slow down", 429, 0.001)], HASTE.throttled_attempts),
        (alternating, 5),
    ):
        door = door_to(told := Told(said))
        reply = run(asked(door))
        assert len(told.sent) == len(reply.attempts) == attempts, said
        if isinstance(failure := said[0], CallFailed) and len(said) == 1:
            assert (reply.ending, reply.status, reply.error) == (Ending.API_ERROR, failure.status, failure.message)


def test_failures_and_answers_are_noted_by_queue_breaker_and_outage() -> None:
    door = door_to(Told(), flow=(flow := RequestQueue(8, start=4)), patience=replace(HASTE, max_outage=3600.0))
    gone = CallFailed("gone")
    for failure in (CallFailed("slow down", 429, 1.0), *[gone] * 5):
        door._note_failure(failure, 0.0, tried=False)
    assert (flow.throttles, flow.limit, door.outage.since, door._trouble) == (1, 3.0, None, "gone")
    run(flow.enter())
    run(flow.enter())
    door._note_answer(GOOD, 0.0)
    assert (flow.limit, door.giving_up.served, door._trouble) == (4.0, True, "")
    for _ in range(5):
        door._note_failure(gone, 0.0, tried=False)
    assert door.outage.since is not None and not door.giving_up.reason
    for failure, waiting, is_out in (
        (gone, 1, False),
        (gone, 2, True),
        (CallFailed("gone", unreachable=True), 1, True),
        (CallFailed("no", 400), 2, False),
    ):
        door.waiting = waiting
        assert door._is_out(failure) is is_out, (failure, waiting)
    door._note_failure(CallFailed("no", 400), 0.0, tried=True)
    assert not door._is_out(gone)
    assert door.outage.since is None, "a service that refuses is up"


def test_service_is_waited_for_as_long_as_it_asks_but_not_for_days() -> None:
    door = door_to(Told())
    for status in (429, 503):
        for asks, least in ((7.0, 7.0), (1e9, 300.0)):
            wait = door._wait_after(CallFailed("busy", status, asks), [Attempt(0.0, "busy", status)], 0.0)
            assert wait is not None and least <= wait <= least + 0.1, (status, asks)


def test_waits_double_from_the_first_to_the_longest() -> None:
    patience = replace(HASTE, attempts=60, same_error=60, first_wait=0.5, longest_wait=60, throttled_attempts=60)
    door = door_to(Told(), patience=patience)
    for failure in (CallFailed("slow down", 429, 0.0), CallFailed("busy", 500)):
        for number, longest in ((1, 0.5), (2, 1.0), (5, 8.0), (10, 60.0)):
            attempts = [Attempt(0.0, failure.message, failure.status)] * number
            wait = door._wait_after(failure, attempts, 0.0)
            assert wait is not None and longest / 2 <= wait <= longest, (failure, number)


def test_patience_with_429_ends_after_attempts_or_seconds() -> None:
    door = door_to(Told())
    busy, attempt = CallFailed("slow down", 429, 7.0), Attempt(0.0, "slow down", 429)
    assert door._wait_after(busy, [attempt] * 3, 1800.0) is not None
    assert door._wait_after(busy, [attempt] * 3, 1800.5) is None
    assert door._wait_after(busy, [attempt] * 4, 0.0) is None
    in_batch = replace(busy, in_batch=True)
    assert door._wait_after(in_batch, [attempt] * 3, 0.0) is None, "in a batch it is an error like any other"


def test_denials_end_the_subject_unless_a_reply_comes_between() -> None:
    no = CallFailed("no such key", 403)
    found = run(several(door_to(told := Told([no]), flow=RequestQueue(1)), 10))
    assert (told.most, len(told.sent)) == (1, 3)
    assert [type(one) for one in found] == [Reply] * 3 + [Unasked] * 7
    assert str(found[-1]).startswith("openai/m: not asked any more: no such key")
    found = run(several(door_to(Told([no, no, GOOD] * 4), flow=RequestQueue(1)), 12))
    assert {type(one) for one in found} == {Reply}


# Budgets, places, stopping


def test_every_attempt_counts_as_a_request_but_a_429() -> None:
    budget = Budget(requests=3)
    failures = [CallFailed("slow down", 429, 0.001), CallFailed("a", 500), CallFailed("b", 500)]
    door = door_to(Told([*failures, GOOD]), budget=budget)
    assert run(asked(door)).text == "[kettle]"
    with pytest.raises(BudgetReached, match="the budget is used up: 3 of 3 requests"):
        run(asked(door, "Another?"))


def test_no_of_the_service_uses_no_tokens_but_silence_may() -> None:
    for failure, tokens in (
        (CallFailed("slow down", 429, 0.001), 0),
        (CallFailed("broken", 500), 0),
        (CallFailed("no answer"), 3 * 301),
        (CallFailed("no text", 200, final=True), 301),
        (CallFailed("lost", unsent=True), 0),
    ):
        budget = Budget()
        run(asked(door_to(Told([failure]), budget=budget)))
        assert (budget.used_tokens, budget.in_flight_tokens) == (tokens, 0), failure


def test_stop_ends_all_waiting_at_once_and_lets_the_rest_come_home() -> None:
    async def work() -> list[str | None]:
        on = asyncio.Event()

        async def slow(_: str) -> Reply:
            await on.wait()
            return GOOD

        patience = replace(HASTE, first_wait=1000.0, longest_wait=1000.0)
        notebook = Notebook()
        told = Told([CallFailed("busy", 503), slow])
        door = door_to(told, flow=RequestQueue(2), patience=patience, recorder=notebook)
        tasks = [asyncio.create_task(asked(door, f"{n}?")) for n in range(6)]
        await until(lambda: told.now == 2)
        door.stop()
        await until(lambda: sum(task.done() for task in tasks) == 4)
        in_flight = [task for task in tasks if not task.done()]
        assert all(isinstance(task.exception(), Stopped) for task in tasks if task.done())
        assert [(one.error, len(one.attempts)) for one in notebook.calls.values()] == [("the run is being stopped", 1)]
        on.set()
        found = [(await task).text for task in in_flight]
        with pytest.raises(Stopped):
            await asked(door, "and now?")
        assert (len(told.sent), door.flow.active, door.waiting) == (3, 0, 0)
        return found

    assert run(work()) == ["[kettle]", "[kettle]"]


def test_provider_that_is_not_ready_or_has_a_bug_gives_its_place_back() -> None:
    class NotReady(Told):
        def prepare(self) -> None:
            raise UsageError("no key")

    async def broken(_: str) -> Reply:
        raise ZeroDivisionError

    with pytest.raises(UsageError, match="no key"):
        run(asked(door_to(NotReady())))
    door = door_to(Told([broken]), budget=(budget := Budget()))
    with pytest.raises(ZeroDivisionError):
        run(asked(door))
    assert (door.flow.active, door.waiting, budget.in_flight_tokens) == (0, 0, 0)


def test_image_prompt_is_fetched_without_cache_or_record() -> None:
    door = door_to(Told([Reply(f"it is {KEY}")]), secrets=Secrets([KEY]), recorder=(notebook := Notebook()))
    reply = run(door.fetch([{"role": "user", "content": "A cup."}]))
    assert (reply.text, len(reply.attempts), notebook.calls) == ("it is [redacted]", 1, {})


# Progress


def test_door_tells_what_it_waits_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tsgkit.llm.door.time.monotonic", lambda: 100.0)
    door = door_to(Told())
    door._heard, door.waiting = 97.0, 0
    assert door.waits_for() == ""
    door.waiting = 1
    assert door.waits_for() == "no answer for 3 s; an attempt may take 5 s"
    door._heard = 97.5
    assert door.waits_for() == ""
    door._heard, door._trouble = 40.0, "slow down"
    assert door.waits_for() == "no answer for 60 s, 1 call waits to be tried again: slow down"
    door.waiting = 2000
    assert door.waits_for() == "no answer for 60 s, 2,000 calls wait to be tried again: slow down"
    door.outage.since, door.outage.reason, door.outage._clock = 88.0, "gone", lambda: 100.0
    assert door.waits_for() == "no service for 12 s, one request at a time is tried: gone"
    paced = door_to(Told(), flow=RequestQueue(8, requests_per_minute=15))
    paced.waiting = 1
    assert paced.waits_for() == "no answer for 100 s, held to 15 requests a minute; an attempt may take 5 s"
    fast = door_to(Told(), flow=RequestQueue(8, requests_per_minute=20))
    fast.waiting = 1
    assert fast.waits_for() == "no answer for 100 s; an attempt may take 5 s"
