"""Failures of calls: whether another try can help, when a model is given up, and how finish reasons end a reply."""

from __future__ import annotations

from typing import Any

import pytest

from tsgkit.llm.circuit_breaker import DENIALS, SAME_REFUSALS, CircuitBreaker, advice_on
from tsgkit.llm.failures import CallFailed, cannot_pay
from tsgkit.llm.finish_reasons import ending_of, raw_reason
from tsgkit.llm.reply import Ending

PROPERTIES = ("can_be_retried", "was_answered", "denied", "throttled", "is_loss")


def holding(failure: CallFailed) -> set[str]:
    """Return the properties that hold."""
    return {name for name in PROPERTIES if getattr(failure, name)}


def test_status_of_a_failure_says_whether_it_is_worth_another_try() -> None:
    loss, denied = {"can_be_retried", "is_loss"}, {"was_answered", "denied"}
    busy = {"can_be_retried", "was_answered"}
    wanted: dict[int | None, set[str]] = {None: loss}
    wanted |= {400: {"was_answered"}, 402: {"was_answered"}, 413: {"was_answered"}, 499: {"was_answered"}}
    wanted |= {**dict.fromkeys((401, 403, 404), denied), **dict.fromkeys((408, 409, 425), busy)}
    wanted |= {**dict.fromkeys((500, 503, 529), busy | loss), 429: busy | {"throttled"}}
    for status, properties in wanted.items():
        assert holding(CallFailed("no", status)) == properties, status


@pytest.mark.parametrize(
    ("status", "flags", "properties"),
    [
        (None, {"refused": True}, set()),
        (None, {"unsent": True}, set()),
        (500, {"final": True}, set()),
        (None, {"lasting": True}, set()),
        (None, {"misdirected": True}, {"denied"}),
        (429, {"unpaid": True}, {"denied", "was_answered"}),
        (429, {"in_batch": True}, {"can_be_retried", "was_answered"}),
        (500, {"in_batch": True}, {"can_be_retried", "was_answered"}),
    ],
)
def test_flags_of_a_failure_go_before_its_status(
    status: int | None, flags: dict[str, Any], properties: set[str]
) -> None:
    assert holding(CallFailed("no", status, **flags)) == properties


def test_prompts_that_are_too_long_are_known_by_status_and_words() -> None:
    said = "This model's maximum context length is 128 tokens."
    assert [CallFailed(said, status).too_long for status in (400, 413, 422, 500, None)] == [True] * 3 + [False] * 2
    assert CallFailed("prompt is too long: 9 > 8", 400).too_long
    assert not CallFailed("no such role", 400).too_long
    schemas = [CallFailed("no", status, with_schema=True).may_be_schema for status in (400, 422, 404)]
    assert schemas == [True, True, False]
    assert not CallFailed("no", 400).may_be_schema


def test_refusals_for_quota_or_billing_are_told_from_rate_limits() -> None:
    for status, said, is_unpaid in (
        (402, "", True),
        (429, "You exceeded your plan: insufficient_quota", True),
        (429, "billing_hard_limit_reached", True),
        (429, "Quota exceeded, requests per day", True),
        (429, "Quota exceeded, requests per minute", False),
        (429, "insufficient_quota; try again in 20 s", True),
        (429, "slow down", False),
        (400, "Your credit balance is too low to access the API", True),
        (403, "quota exceeded, requests per minute", True),
        (400, "no such role", False),
        (500, "insufficient_quota", False),
        (None, "insufficient_quota", False),
    ):
        assert cannot_pay(status, said) is is_unpaid, (status, said)


class Clock:
    """A clock that is set by hand."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


def breaker(*failures: CallFailed, refused_seconds: float = 60.0, clock: Clock | None = None) -> CircuitBreaker:
    found = CircuitBreaker("here", refused_seconds, clock=clock or Clock())
    for failure in failures:
        found.failed(failure)
    return found


def test_breaker_opens_after_three_denials_in_a_row() -> None:
    no, busy = CallFailed("no such key", 401), CallFailed("busy", 500)
    assert breaker(no, no).reason == ""
    assert breaker(no, no, busy, no, no).reason == ""
    found = breaker(no, no)
    found.answered()
    found.failed(no)
    assert (found.reason, found.served, found.last) == ("", True, no)
    found.failed(no)
    found.failed(no)
    assert found.reason == "no such key"
    found.end("another", CallFailed("no", 404))
    found.answered()
    assert (found.reason, found.advice) == ("no such key", advice_on(no)), "the first reason stays"
    assert breaker(*[CallFailed("no such model", 404)] * DENIALS).reason == "no such model (404 at here)"


def test_breaker_counts_identical_refusals_whatever_their_numbers() -> None:
    refusals = [CallFailed(f"no, for {number}.5 s", 400) for number in range(SAME_REFUSALS)]
    assert breaker(*refusals[1:]).reason == ""
    assert breaker(*refusals).reason == "10 identical refusals and no answer: no, for 9.5 s"
    assert breaker(*refusals[1:], CallFailed("another", 400), refusals[0]).reason == ""
    for other in (CallFailed("no", 500), CallFailed("no"), CallFailed("no", 400, refused=True)):
        assert breaker(*[other] * 20).reason == "", other
    for other in (CallFailed("no", 400, with_schema=True), CallFailed("no", 429, in_batch=True)):
        assert breaker(*[other] * 20).reason == "", other
    assert breaker(*[CallFailed("no", 400, in_batch=True)] * 10).reason
    served = breaker()
    served.answered()
    for refusal in refusals:
        served.failed(refusal)
    assert served.reason == ""


def test_breaker_waits_for_a_rate_limit_to_pass() -> None:
    clock, busy = Clock(), CallFailed("slow down", 429)
    found = breaker(*[busy] * 30, clock=clock)
    clock.now += 59.9
    found.failed(busy)
    assert found.reason == ""
    clock.now = 160.0
    found.failed(busy)
    assert found.reason == "32 identical refusals and no answer: slow down"


def test_breaker_opens_after_three_prompts_that_are_all_too_long() -> None:
    too_long = [CallFailed(f"maximum context length is 128 tokens, not {number}", 400) for number in range(3)]
    assert breaker(*too_long[:2]).reason == ""
    found = breaker(*too_long)
    assert found.reason == f"3 prompts were too long for it, none was short enough: {too_long[2].message}"
    assert found.advice.startswith("raise the context of the server")


def lost(failure: CallFailed, times: int, *, served: bool = False, responded: bool = False) -> str:
    """Return the reason after so many calls that were given up."""
    found = breaker(*[CallFailed("busy", 500)] * responded)
    if served:
        found.answered()
    for _ in range(times):
        found.lost(failure)
    return found.reason


def test_breaker_counts_lost_calls_of_a_service_that_never_answered() -> None:
    gone, broken = CallFailed("ConnectError"), CallFailed("a bug", lasting=True)
    assert lost(broken, 2) == lost(gone, 2) == ""
    assert lost(broken, 3) == "none of the first 3 calls worked: a bug"
    assert lost(gone, 3) == "nothing was ever answered at here, is it running? ConnectError"
    assert lost(gone, 9, responded=True) == lost(gone, 20, served=True) == ""
    assert lost(gone, 10, responded=True) == "none of the first 10 calls brought an answer: ConnectError"
    for name in ("unsent", "refused", "with_schema"):
        setattr(failure := CallFailed("no", 400), name, True)
        assert lost(failure, 20) == "", name


def test_advice_names_the_one_thing_to_change() -> None:
    for failure, advice in (
        (CallFailed("no", 429, unpaid=True), "its account has no credit"),
        (CallFailed("no", 307, misdirected=True), "name the address that it redirects to"),
        (CallFailed("no", 401), "check the key"),
        (CallFailed("no", 403), "check the key"),
        (CallFailed("no", 404), "check the model's name"),
        (CallFailed("prompt is too long", 400), "raise the context"),
        (CallFailed("no", lasting=True), "mend that code"),
        (CallFailed("no"), "start the server"),
    ):
        assert advice_on(failure).startswith(advice), advice
    assert advice_on(CallFailed("no", 500)) == ""


def test_finish_reasons_end_a_reply_as_they_are_written() -> None:
    for reason, mapped, text, ending in (
        ("stop", None, "[A]", Ending.COMPLETE),
        (None, None, "[A]", Ending.COMPLETE),
        ("EOS", "stop", "[A]", Ending.COMPLETE),
        ("tool_calls", None, "", Ending.EMPTY),
        ("stop", None, " \n", Ending.EMPTY),
        ("stop", None, None, Ending.EMPTY),
        ("length", None, "[A", Ending.TRUNCATED),
        ("MAX_TOKENS", "length", "[A", Ending.TRUNCATED),
        ("stop", "length", "[A", Ending.TRUNCATED),
        ("who_knows", "stop", "[A]", Ending.TRUNCATED),
        ("content_filter", None, "[A]", Ending.REFUSED),
        ("SAFETY", "stop", "[A]", Ending.REFUSED),
        ("OTHER", "stop", "[A]", Ending.REFUSED),
        ("other", "stop", "[A]", Ending.TRUNCATED),
        ("stop", "content_filter", "[A]", Ending.REFUSED),
    ):
        assert ending_of(reason, mapped, text) is ending, (reason, mapped, text)


def test_finish_reason_is_found_wherever_a_service_puts_it() -> None:
    for value, reason in (
        ({"choices": [{"finish_reason": "stop"}]}, "stop"),
        ({"choices": [{"finish_reason": ""}], "stop_reason": "x"}, None),
        ({"choices": [], "stop_reason": "end_turn"}, "end_turn"),
        ({"choices": [7], "done_reason": "load"}, "load"),
        ({"candidates": [{"finishReason": "SAFETY"}]}, "SAFETY"),
        ({"generations": [{"finish_reason": "COMPLETE"}]}, "COMPLETE"),
        ({"stop_reason": "", "stopReason": "max_tokens"}, "max_tokens"),
        ({"finish_reason": 5}, None),
        ({}, None),
    ):
        assert raw_reason(value) == reason, value
