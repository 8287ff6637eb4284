"""One door: recorded, cached, counted, retried, stopped, patient in an outage; whatever happens behind it."""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import ANY

import pytest
from doors import GUARD, HASTE, WHERE, Notebook, Told, asked, door_to, run
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage

from tsgkit.errors import UsageError
from tsgkit.llm.cache import ReplyCache
from tsgkit.llm.concurrency import RequestQueue
from tsgkit.llm.door import Door, as_dicts, prompt_hash
from tsgkit.llm.failures import BudgetReached, CallFailed, Stopped, Unasked
from tsgkit.llm.reply import Attempt, CallBudget, Ending, Reply, Usage
from tsgkit.llm.retries import LOSSES, CircuitBreaker, Outage, wait_after
from tsgkit.llm.secrets import Secrets
from tsgkit.llm.settings import RetryLimits

GOOD = Reply("[kettle]", usage=Usage(10, 5))
KEY = "sk-live-0123456789"
GONE = CallFailed("ConnectError", None, unreachable=True)


async def several(door: Door, number: int, text: str = "Which?") -> list[Reply | BaseException]:
    """Return the replies to questions about so many samples at once; text: with {} for the sample."""
    wheres = [WHERE._replace(sample=f"tea/{n}") for n in range(number)]
    questions = (asked(door, text.format(one.sample), where=one) for one in wheres)
    return await asyncio.gather(*questions, return_exceptions=True)


async def until(condition: Callable[[], object]) -> None:
    while not condition():
        await asyncio.sleep(0.001)


def test_recorded_call_is_not_made_again_unless_it_failed_and_every_difference_is_a_call_of_its_own() -> None:
    door = door_to(told := Told())
    assert run(asked(door)) == run(asked(door)) and len(told.sent) == 1
    for failure, endings, requests in (
        (CallFailed("no", 400), [Ending.API_ERROR, Ending.COMPLETE], 2),
        (CallFailed("filtered", 400, refused=True), [Ending.REFUSED] * 2, 1),
        (CallFailed("filtered", None, refused=True), [Ending.REFUSED] * 2, 1),
        (CallFailed("no text", None, final=True, responded=True), [Ending.API_ERROR] * 2, 1),
    ):
        door = door_to(told := Told([failure, GOOD]))
        assert [run(asked(door)).ending for _ in range(2)] == endings, failure
        assert len(told.sent) == requests, failure
    changes: list[dict[str, Any]] = [{"text": "What?"}, {"label": "critique"}, {"draw": 1}]
    for change in (*changes, {"schema": {"type": "object"}}, {"where": WHERE._replace(repeat=1)}):
        door = door_to(Told(), recorder=(notebook := Notebook()))
        run(asked(door))
        run(asked(door, **change))
        assert len(notebook.calls) == 2, change
    notebook = Notebook()
    for parameters in ({}, {"temperature": 0}):
        for schema in (None, {"type": "object"}, {"type": "array"}):
            run(asked(door_to(Told(), recorder=notebook, parameters=parameters), schema=schema))
    assert len({call.body for call in notebook.calls}) == 6
    prompt = as_dicts([SystemMessage("a"), HumanMessage("b"), AIMessage(["c", {"type": "text", "text": "d"}])])
    assert [message["role"] for message in prompt] == ["system", "user", "assistant"]
    assert prompt[2]["content"] == [{"type": "text", "text": "c"}, {"type": "text", "text": "d"}]
    known = hashlib.sha256(b'[{"content":"Which?","role":"user"}]').hexdigest()[:32]
    assert prompt_hash([{"role": "user", "content": "Which?"}]) == known


def test_reply_in_the_cache_asks_nobody_and_another_question_misses_it(tmp_path: Path) -> None:
    told, cache = Told(), ReplyCache(tmp_path)
    run(asked(door_to(told, cache=cache)))
    cache.close()
    budget, notebook = CallBudget(requests=0), Notebook()
    reply = run(asked(door_to(told, cache=ReplyCache(tmp_path), budget=budget, recorder=notebook)))
    assert (reply.text, reply.source, reply.spent.cost) == ("[kettle]", "cache", 0.0)
    assert (len(told.sent), budget.used_requests, list(notebook.calls.values())) == (1, 0, [reply])
    cache = ReplyCache(tmp_path)
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
    run(asked(door_to(Told(), cache=cache)))
    told, notebook = Told(), Notebook()
    door = door_to(told, cache=cache, reads_cache=False, recorder=notebook, shared=frozenset({"answer"}))
    first, second = (run(asked(door, where=WHERE._replace(sample=sample))) for sample in ("one", "two"))
    assert (first.source, second.source, second.text, second.attempts) == ("model", "cache", first.text, ())
    assert (len(told.sent), len(notebook.calls), second.seconds) == (1, 2, 0.0)
    run(asked(door, where=WHERE._replace(sample="two", repeat=1)))
    for sample in ("one", "two"):
        run(asked(door, where=WHERE._replace(sample=sample), label="a question of its own"))
    assert len(told.sent) == 4


def test_equal_questions_at_once_make_one_request_that_may_fail_or_be_cancelled(tmp_path: Path) -> None:
    door = door_to(told := Told(), cache=ReplyCache(tmp_path / "a"))
    replies = run(several(door, 50))
    assert len(told.sent) == 1
    assert sorted(reply.source for reply in replies if isinstance(reply, Reply)) == ["cache"] * 49 + ["model"]
    door = door_to(told := Told([CallFailed("no", 400), GOOD]), cache=ReplyCache(tmp_path / "b"))
    endings = [reply.ending for reply in run(several(door, 10)) if isinstance(reply, Reply)]
    assert (sorted(endings), len(told.sent)) == ([Ending.API_ERROR] + [Ending.COMPLETE] * 9, 2)

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


def test_key_that_the_service_echoes_never_gets_through_and_long_errors_are_cut(tmp_path: Path) -> None:
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
    shown = [run(asked(door_to(Told([CallFailed("x" * length, 400)])))).error for length in (500, 501)]
    assert shown == ["x" * 500, "x" * 500 + "..."]


def test_every_attempt_is_recorded_and_their_number_follows_from_the_failure() -> None:
    door = door_to(Told([CallFailed("busy", 500), CallFailed("slow down", 429, 0.001), GOOD]))
    reply = run(asked(door))
    assert [(one.status, one.error) for one in reply.attempts] == [(500, "busy"), (429, "slow down"), (None, None)]
    assert all(one.waited > 0 for one in reply.attempts[:2])
    assert reply.seconds == pytest.approx(sum(one.seconds + one.waited for one in reply.attempts), abs=1e-3)
    assert reply.attempts[2] == Attempt(reply.attempts[2].seconds)
    assert (door.failed, door.waiting) == (2, 0)
    assert door.expected_completion == pytest.approx(300 - 0.1 * 295)
    rows: list[tuple[list[Any], int]] = [
        *(([CallFailed("no", status)], 1) for status in (400, 404)),
        *(([CallFailed("broken", status)], HASTE.same_error) for status in (None, 409)),
        ([CallFailed("slow down", 429, 0.001)], HASTE.throttled_attempts),
        ([CallFailed("late", timed_out=True, text="[ket")], 2),
        ([CallFailed(f"broken {n}", 500) for n in range(9)], HASTE.attempts),
        ([CallFailed("broken", status) for status in (500, 502) * 4], HASTE.attempts),
        ([CallFailed("slow down", 429, 0.001), CallFailed("broken", 500)] * 2 + [GOOD], 5),
    ]
    for said, attempts in rows:
        door = door_to(told := Told(said))
        door.giving_up.answered()
        reply = run(asked(door))
        assert len(told.sent) == len(reply.attempts) == attempts, said
        if isinstance(failure := said[0], CallFailed) and len(said) == 1:
            assert (reply.ending, reply.status, reply.error) == (Ending.API_ERROR, failure.status, failure.message)
            assert reply.text == failure.text, "what came is kept"


def test_failures_and_answers_are_noted_by_queue_breaker_and_outage() -> None:
    door = door_to(Told(), flow=(flow := RequestQueue(8, start=4)), patience=replace(HASTE, max_outage=3600.0))
    gone = CallFailed("gone")
    for failure in (CallFailed("slow down", 429, 1.0), *[gone] * 5):
        door._note_failure(failure, 0.0)
    assert (flow.throttles, flow.limit, door._trouble) == (1, 3.0, "gone")
    run(flow.enter())
    run(flow.enter())
    door._note_answer(GOOD, 0.0)
    assert (flow.limit, door.giving_up.served, door._trouble) == (4.0, True, "")


def test_waits_are_those_that_the_service_asks_for_and_end() -> None:
    busy, throttled, rng = CallFailed("slow down", 429, 7.0), Attempt(0.0, "slow down", 429), Random(0)
    for status in (429, 503):
        for asks, least in ((7.0, 7.0), (1e9, 300.0)):
            failure, attempts = CallFailed("busy", status, asks), [Attempt(0.0, "busy", status)]
            wait = wait_after(failure, attempts, 0.0, HASTE, is_starting=True, rng=rng)
            assert wait is not None and least <= wait <= least + 0.1, (status, asks)
    for failure, number, passed, is_starting, is_given_up in (
        (busy, 99, 1800.0, True, False),
        (busy, 1, 1800.5, True, True),
        (busy, 3, 1800.0, False, False),
        (busy, 3, 1800.5, False, True),
        (busy, 4, 0.0, False, True),
        (replace(busy, in_batch=True), 3, 0.0, False, True),  # in a batch it is an error like any other
    ):
        wait = wait_after(failure, [throttled] * number, passed, HASTE, is_starting=is_starting, rng=rng)
        assert (wait is None) is is_given_up, (number, passed, is_starting)


def test_every_attempt_counts_as_a_request_but_a_429_and_silence_may_have_used_tokens() -> None:
    failures = [CallFailed("slow down", 429, 0.001), CallFailed("a", 500), CallFailed("b", 500)]
    door = door_to(Told([*failures, GOOD]), budget=CallBudget(requests=3))
    assert run(asked(door)).text == "[kettle]"
    with pytest.raises(BudgetReached, match="the budget is used up: 3 of 3 requests"):
        run(asked(door, "Another?"))
    for failure, tokens in (
        (CallFailed("slow down", 429, 0.001), 0), (CallFailed("broken", 500), 0), (CallFailed("no answer"), 3 * 301),
        (CallFailed("no text", 200, final=True), 301), (CallFailed("lost", unsent=True), 0),
        (CallFailed("no connection", unreachable=True), 0),
    ):  # fmt: skip
        budget = CallBudget()
        door = door_to(Told([failure]), budget=budget, patience=replace(HASTE, max_outage=0.0))
        door.giving_up.answered()
        run(asked(door))
        assert (budget.used_tokens, budget.in_flight_tokens) == (tokens, 0), failure


def test_stop_ends_all_waiting_at_once_and_lets_the_rest_come_home() -> None:
    async def work() -> list[str | None]:
        on = asyncio.Event()

        async def slow(_: str) -> Reply:
            await on.wait()
            return GOOD

        notebook, told = Notebook(), Told([CallFailed("busy", 500), slow])
        patience = replace(HASTE, first_wait=1000.0, longest_wait=1000.0)
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
    door = door_to(Told([broken]), budget=(budget := CallBudget()))
    with pytest.raises(ZeroDivisionError):
        run(asked(door))
    assert (door.flow.active, door.waiting, budget.in_flight_tokens) == (0, 0, 0)


def test_door_tells_what_it_waits_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tsgkit.llm.door.time.monotonic", lambda: 100.0)
    door = door_to(Told())
    for heard, waiting, trouble, told in (
        (97.0, 0, "", ""),
        (97.0, 1, "", "no answer for 3 s; an attempt may take 5 s"),
        (97.5, 1, "", ""),
        (40.0, 1, "slow down", "no answer for 60 s, 1 call waits to be tried again: slow down"),
        (40.0, 2000, "slow down", "no answer for 60 s, 2,000 calls wait to be tried again: slow down"),
    ):
        door._heard, door.waiting, door._trouble = heard, waiting, trouble
        assert door.waits_for() == told
    door.outage.since, door.outage.reason, door.outage._clock = 88.0, "gone", lambda: 100.0
    assert door.waits_for() == "no service for 12 s, a small request is tried again: gone"
    door.outage.reason = "ServiceUnavailableError: Loading model"
    assert door.waits_for() == f"the server is loading its model, for 12 s: {door.outage.reason}"
    for pace, held in ((15, ", held to 15 requests a minute"), (20, "")):
        paced = door_to(Told(), flow=RequestQueue(8, requests_per_minute=pace))
        paced.waiting = 1
        assert paced.waits_for() == f"no answer for 100 s{held}; an attempt may take 5 s"


def test_probes_tell_an_outage_from_requests_that_always_fail() -> None:
    async def judged(*found: CallFailed | None, losses: int = LOSSES) -> tuple[bool, list[float]]:
        waits, probes, breaker = list[float](), iter(found), CircuitBreaker("here", 0.0)
        breaker.answered()
        outage = Outage(RetryLimits(first_wait=1.0, longest_wait=60.0), breaker, lambda: 0.0)

        async def probe() -> CallFailed | None:
            assert outage.is_probed
            return next(probes)

        async def pause(seconds: float) -> None:
            assert (outage.since is not None, outage.reason) == (True, "gone")
            waits.append(seconds)

        for _ in range(losses):
            outage.failed(CallFailed("lost"))
        both = await asyncio.gather(*(outage.was_down(probe, pause) for _ in range(2)), outage.over())
        assert both[0] is both[1] and (outage.is_probed, outage.since, list(probes)) == (False, None, [])
        return bool(both[0]), waits

    gone = CallFailed("gone")
    assert run(judged(losses=LOSSES - 1)) == run(judged(None)) == (False, [])
    asks = [replace(gone, retry_after=seconds) for seconds in (0.5, 10.0, 999.0)]
    assert run(judged(gone, gone, *asks, None)) == (True, [1.0, 2.0, 4.0, 10.0, 60.0])


def test_answer_or_the_last_who_waits_ends_the_probing() -> None:
    async def work(*, is_answered: bool) -> tuple[list[bool | None], bool]:
        outage = Outage(RetryLimits(first_wait=0.0, longest_wait=0.0), CircuitBreaker("here", 0.0))
        probed = asyncio.Event()

        async def probe() -> CallFailed | None:
            if not probed.is_set():
                probed.set()
                return GONE
            return await asyncio.get_running_loop().create_future()  # type: ignore[no-any-return]

        outage.failed(GONE)
        tasks = [asyncio.create_task(outage.was_down(probe, asyncio.sleep)) for _ in range(3)]
        await probed.wait()
        probing = outage._probing
        tasks[0].cancel()
        await asyncio.sleep(0)
        (outage.answered if is_answered else outage.end)()
        found = await asyncio.gather(*tasks, return_exceptions=True)
        assert probing is not None
        await asyncio.wait([probing])
        again = await outage.was_down(probe, asyncio.sleep) if is_answered else False
        return [None if isinstance(one, BaseException) else one for one in found], probing.cancelled() and not again

    for is_answered in (True, False):
        assert run(work(is_answered=is_answered)) == ([None, True, True], True)


PATIENT = replace(HASTE, attempts=3, same_error=3, first_wait=0.01, longest_wait=0.05)


def test_service_that_stays_away_ends_the_subject_and_its_probes_are_recorded_and_counted() -> None:
    door = door_to(Told([GOOD, GONE]), flow=RequestQueue(4), patience=replace(PATIENT, max_outage=0.1))
    found = run(several(door, 12, "{}?"))
    assert [type(one) for one in found] == [Reply] + [Unasked] * 11
    why = r"openai/m: not asked any more: no \w+ for [\d.]+ s \(limit: --max-outage\): ConnectError"
    assert re.fullmatch(why, str(found[-1]))
    told, notebook = Told([GOOD, *[GONE] * 6, GOOD]), Notebook()
    door = door_to(told, recorder=notebook, patience=PATIENT, flow=RequestQueue(1))
    assert {type(one) for one in run(several(door, 12, "{}?"))} == {Reply}
    probes = [reply for call, reply in notebook.calls.items() if call.label == "probe"]
    assert sum(len(reply.attempts) for reply in notebook.calls.values()) == len(told.sent)
    assert probes[-1].text == "[kettle]" and {reply.error for reply in probes[:-1]} <= {"ConnectError"}
    assert door.budget.used_requests == len(told.sent)
    assert told.sent.count("Reply with OK.") == len(probes) > 1


def test_request_that_always_fails_or_breaks_the_service_is_given_up_whatever_the_others_do() -> None:
    async def breaks(text: str) -> Reply:
        if "tea/" in text and int(text[4:-1]) >= 4:
            raise CallFailed("broken", 500)
        return GOOD

    for number in (12, 30):  # at the end only those that fail are left
        door = door_to(told := Told([breaks]), flow=RequestQueue(2), patience=PATIENT)
        endings = [one.ending for one in run(several(door, number, "{}?")) if isinstance(one, Reply)]
        assert endings == [Ending.COMPLETE] * 4 + [Ending.API_ERROR] * (number - 4)
        assert len(told.sent) - told.sent.count("Reply with OK.") == 4 + 3 * (number - 4)
    crashed = 0

    async def crashes(text: str) -> Reply:
        nonlocal crashed
        if "tea/3" in text:
            await until(lambda: (told.now == 4 and len(told.sent) > 5) or len(told.sent) > 12)
            crashed = 12
        elif not crashed:
            await asyncio.sleep(0.01)
        if crashed:
            crashed -= 1
            raise CallFailed("cut")
        return GOOD

    door = door_to(told := Told([crashes]), flow=RequestQueue(4), patience=PATIENT)
    endings = [one.ending for one in run(several(door, 12, "{}?")) if isinstance(one, Reply)]
    assert endings == [Ending.API_ERROR if n == 3 else Ending.COMPLETE for n in range(12)]


def test_server_that_is_not_ready_is_awaited_and_one_that_is_not_there_for_a_shorter_time() -> None:
    loading, refused = CallFailed("Loading model", 503, responded=True), replace(GONE, message="refused")
    patience = replace(PATIENT, attempts=1, same_error=1, first_wait=0.001, wait_for_server=GUARD)
    for failure, number in ((loading, 99), (refused, 5), (CallFailed("slow down", 429, 0.001), 20)):
        door = door_to(told := Told([*[failure] * number, GOOD]), flow=RequestQueue(4), patience=patience)
        assert run(several(door, 3, "{}?")) == [replace(GOOD, attempts=ANY, seconds=ANY)] * 3, failure
        assert len(told.sent) >= number + 3
    for failure, option in ((loading, "--max-outage"), (refused, "--wait-for-server"), (CallFailed("no", 500), "--w")):
        limits: dict[str, Any] = {"max_outage": 0.05} if failure is loading else {"wait_for_server": 0.0}
        door = door_to(Told([failure]), patience=replace(PATIENT, **limits))
        why = {str(one) for one in run(several(door, 6, "{}?"))}
        assert re.match(rf"openai/m: not asked any more: no \w+ at here for \d+ s \(limit: {option}", why.pop()), why
