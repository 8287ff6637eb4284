"""Responses, errors and failures: what is read of them, whether another try can help, when a model is given up."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from tsgkit.llm import service_calls
from tsgkit.llm.failures import CallFailed, cannot_pay
from tsgkit.llm.reply import UNKNOWN, Attempt, Ending, Reply, Usage, ending_of, reply_value, usage_of
from tsgkit.llm.retries import DENIALS, SAME_REFUSALS, CircuitBreaker, advice_on
from tsgkit.llm.service_calls import Exchange, failure_of, object_in, reply_of, retry_after_in, said_in, text_of


def received(value: object, status: int | None = 200) -> Exchange:
    return Exchange(status=status, body=json.dumps(value).encode())


def test_status_and_flags_of_a_failure_say_whether_it_is_worth_another_try() -> None:
    loss, answered = {"can_be_retried", "is_loss"}, {"was_answered"}
    denied, busy = answered | {"denied"}, answered | {"can_be_retried"}
    by_status: dict[int | None, set[str]] = dict.fromkeys((None, 400, 402, 413, 499), answered) | {None: loss}
    groups: dict[tuple[int, ...], set[str]] = {(401, 403, 404): denied, (408, 409, 425): busy}
    for statuses, properties in (groups | {(500, 503, 529): busy | loss, (429,): busy | {"throttled"}}).items():
        by_status.update((status, properties) for status in statuses)
    wanted = {(status, ""): properties for status, properties in by_status.items()}
    wanted |= {(429, "unpaid"): denied, (429, "in_batch"): busy, (500, "in_batch"): busy}
    wanted |= {(None, flag): set() for flag in ("refused", "unsent", "lasting")}
    wanted |= {(500, "final"): set(), (None, "misdirected"): {"denied"}}
    for (status, flag), properties in wanted.items():
        failure = CallFailed("no", status, **({flag: True} if flag else {}))  # type: ignore[arg-type]
        names = ("can_be_retried", "was_answered", "denied", "throttled", "is_loss")
        assert {name for name in names if getattr(failure, name)} == properties, (status, flag)


def test_prompts_that_are_too_long_schemas_and_billing_are_known_by_status_and_words() -> None:
    said = "This model's maximum context length is 128 tokens."
    assert [CallFailed(said, status).too_long for status in (400, 413, 422, 500, None)] == [True] * 3 + [False] * 2
    assert [CallFailed(text, 400).too_long for text in ("prompt is too long: 9 > 8", "no such role")] == [True, False]
    schemas = [CallFailed("no", status, with_schema=True).may_be_schema for status in (400, 422, 404)]
    assert [*schemas, CallFailed("no", 400).may_be_schema] == [True, True, False, False]
    for status, said, is_unpaid in (
        (402, "", True), (429, "You exceeded your plan: insufficient_quota", True),
        (429, "billing_hard_limit_reached", True), (429, "Quota exceeded, requests per day", True),
        (429, "Quota exceeded, requests per minute", False), (429, "insufficient_quota; try again in 20 s", True),
        (429, "slow down", False), (400, "Your credit balance is too low to access the API", True),
        (403, "quota exceeded, requests per minute", True), (400, "no such role", False),
        *((status, "insufficient_quota", False) for status in (500, None)),
    ):  # fmt: skip
        assert cannot_pay(status, said) is is_unpaid, (status, said)


def breaker(*failures: CallFailed, clock: Callable[[], float] = lambda: 100.0) -> CircuitBreaker:
    found = CircuitBreaker("here", 60.0, clock=clock)
    for failure in failures:
        found.failed(failure)
    return found


def test_breaker_opens_after_three_denials_in_a_row_ten_identical_refusals_or_three_prompts_too_long() -> None:
    no, busy = CallFailed("no such key", 401), CallFailed("busy", 500)
    assert breaker(no, no).reason == breaker(no, no, busy, no, no).reason == ""
    found = breaker(no, no)
    found.answered()
    found.failed(no)
    assert (found.reason, found.cause, found.advice, found.served, found.last) == ("", "", "", True, no)
    found.failed(no)
    found.failed(no)
    found.end("another", CallFailed("no", 404))
    found.answered()
    assert (found.reason, found.advice) == ("no such key", advice_on(no)), "the first reason stays"
    for times in (1, DENIALS):
        found = breaker(*[CallFailed("no such model", 404)] * times)
        assert (found.cause, found.advice[:9]) == ("no such model (404 at here)", "check the"), times
    assert found.reason == found.cause and breaker().cause == breaker().advice == ""
    refusals = [CallFailed(f"no, for {number}.5 s", 400) for number in range(SAME_REFUSALS)]
    assert breaker(*refusals[1:]).reason == ""
    assert breaker(*refusals).reason == "10 identical refusals and no answer: no, for 9.5 s"
    assert breaker(*refusals[1:], CallFailed("another", 400), refusals[0]).reason == ""
    never = [CallFailed("no", 500), CallFailed("no"), CallFailed("no", 400, refused=True)]
    never += [CallFailed("no", 400, with_schema=True), CallFailed("no", 429, in_batch=True)]
    for other in never:
        assert breaker(*[other] * 20).reason == "", other
    assert breaker(*[CallFailed("no", 400, in_batch=True)] * 10).reason
    served = breaker()
    served.answered()
    for refusal in refusals:
        served.failed(refusal)
    assert served.reason == ""
    clock, busy = [100.0], CallFailed("slow down", 429)
    found = breaker(*[busy] * 30, clock=lambda: clock[-1])
    for now, reason in ((159.9, ""), (160.0, "32 identical refusals and no answer: slow down")):
        clock.append(now)
        found.failed(busy)
        assert found.reason == reason, "a rate limit may pass"
    too_long = [CallFailed(f"maximum context length is 128 tokens, not {number}", 400) for number in range(3)]
    assert breaker(*too_long[:2]).reason == ""
    found = breaker(*too_long)
    assert found.reason == f"3 prompts were too long for it, none was short enough: {too_long[2].message}"
    assert found.advice.startswith("raise the context of the server")


def test_breaker_counts_lost_calls_of_a_service_that_never_answered() -> None:
    def lost(failure: CallFailed, times: int, *, served: bool = False, responded: bool = False) -> str:
        found = breaker(*[CallFailed("busy", 500)] * responded)
        if served:
            found.answered()
        for _ in range(times):
            found.lost(failure)
        return found.reason

    gone, broken = CallFailed("ConnectError"), CallFailed("a bug", lasting=True)
    assert lost(broken, 2) == lost(gone, 2) == ""
    assert lost(broken, 3) == "none of the first 3 calls worked: a bug"
    assert lost(gone, 3) == "nothing was ever answered at here, is it running? ConnectError"
    assert lost(gone, 9, responded=True) == lost(gone, 20, served=True) == ""
    assert lost(gone, 10, responded=True) == "none of the first 10 calls brought an answer: ConnectError"
    for name in ("unsent", "refused", "with_schema"):
        setattr(failure := CallFailed("no", 400), name, True)
        assert lost(failure, 20) == "", name
    for failure, advice in (
        (CallFailed("no", 429, unpaid=True), "its account has no credit"),
        (CallFailed("no", 307, misdirected=True), "name the address that it redirects to"),
        (CallFailed("no", 401), "check the key"), (CallFailed("no", 403), "check the key"),
        (CallFailed("no", 404), "check the model's name"), (CallFailed("prompt is too long", 400), "raise the context"),
        (CallFailed("no", lasting=True), "mend that code"), (CallFailed("no"), "start the server"),
        (CallFailed("no", responded=True), "check that the address"),
    ):  # fmt: skip
        assert advice_on(failure).startswith(advice), advice
    assert advice_on(CallFailed("no", 500)) == ""


def test_finish_reasons_are_found_wherever_a_service_puts_them_and_end_a_reply() -> None:
    for value, found in (
        ({"choices": [{"finish_reason": "stop"}]}, "stop"),
        ({"choices": [{"finish_reason": ""}], "stop_reason": "x"}, None),
        ({"choices": [], "stop_reason": "end_turn"}, "end_turn"), ({"choices": [7], "done_reason": "load"}, "load"),
        ({"candidates": [{"finishReason": "SAFETY"}]}, "SAFETY"),
        ({"generations": [{"finish_reason": "COMPLETE"}]}, "COMPLETE"),
        ({"stop_reason": "", "stopReason": "max_tokens"}, "max_tokens"), ({"finish_reason": 5}, None),
    ):  # fmt: skip
        assert service_calls.raw_reason(value) == found, value
    stop, length, filtered = "stop", "length", "content_filter"
    rows: dict[Ending, tuple[tuple[str | None, str | None, str | None], ...]] = {
        Ending.COMPLETE: ((stop, None, "[A]"), (None, None, "[A]"), ("EOS", stop, "[A]")),
        Ending.EMPTY: (("tool_calls", None, ""), (stop, None, " \n"), (stop, None, None)),
        Ending.TRUNCATED: (
            *((length, None, "[A"), ("MAX_TOKENS", length, "[A"), (stop, length, "[A")),
            *(("who_knows", stop, "[A]"), ("other", stop, "[A]")),
        ),
        Ending.REFUSED: (
            *((filtered, None, "[A]"), ("SAFETY", stop, "[A]")),
            *(("OTHER", stop, "[A]"), (stop, filtered, "[A]")),
        ),
    }
    for ending, reasons in rows.items():
        for reason, mapped, text in reasons:
            assert ending_of(reason, mapped, text) is ending, (reason, mapped, text)


def test_json_objects_are_read_and_anything_else_is_empty() -> None:
    assert object_in(b'\xef\xbb\xbf {"a": 1}') == {"a": 1}
    for body in (b"", b"[1]", b"null", b'{"a": 1', b"<html>", b"{" * 100_000, b'{"a":' * 100_000):
        assert object_in(body) == {}, body[:20]
    kept = received({"first": 1}, 307)
    assert kept.value == {"first": 1}
    kept.begin(200, [("X-RateLimit-Remaining", "9"), ("Content-Type", "text/plain")])
    kept.body = b'{"second": 2}'
    assert (kept.status, kept.value, kept.headers["x-ratelimit-remaining"]) == (200, {"second": 2}, "9")


def test_reply_of_a_message_holds_what_the_service_said() -> None:
    for content, text in (
        (["a", {"text": "b"}, {"type": "output_text", "text": "c"}], "abc"),
        ([{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "b"}], "b"), ([], ""),
        ([{"type": "image", "text": "x"}], None), ([{"type": "text", "text": 5}], None), ([7], None),
    ):  # fmt: skip
        assert text_of(content) == text, content

    def read(content: str | None, refusal: object, reason: str, **more: object) -> Reply:
        first = {"message": {"content": content, "refusal": refusal}, "finish_reason": reason}
        return reply_of(kept := received({"choices": [first]} | more), kept.value)

    reply = read("[A]", "", "eos", model="m", id="id-1", usage={"prompt_tokens": 1, "completion_tokens": 2})
    assert (reply, reply.response_id) == (Reply("[A]", Ending.COMPLETE, "eos", model="m", usage=Usage(1, 2)), "id-1")
    refused = read(None, "I will not.", "stop", model=5, id=5)
    assert (refused, refused.response_id) == (Reply(None, Ending.REFUSED, "stop", refusal="I will not."), None)
    assert read("x", True, "stop").refusal is None
    with pytest.raises(CallFailed, match="the service broke off: finish_reason abort") as caught:
        read("x", None, "abort")
    assert (caught.value.finish_reason, caught.value.can_be_retried) == ("abort", True)
    attempts = (Attempt(1.0, "busy", 503, waited=0.5), Attempt(2.0, None, 429), Attempt(3.0))
    reply = Reply("a", usage=Usage(7), attempts=attempts, final=True)
    written: list[dict[str, object]] = [
        {"seconds": 1.0, "error": "busy", "status": 503, "waited": 0.5},
        {"seconds": 2.0, "error": None, "status": 429},
        {"seconds": 3.0},
    ]
    plain = {"ending": "complete", "seconds": 0.0, "source": "model"}
    more = {"text": "a", "final": True, "usage": {"prompt": 7}, "attempts": written}
    assert (reply_value(reply), reply_value(Reply(None))) == (plain | more, plain | {"text": None})
    assert (reply.requests, reply.spent) == (2, Usage(7))


def test_usage_that_is_not_counted_is_unknown_and_unreadable_responses_are_told_apart() -> None:
    for text, numbers, usage in (
        ("[A]", (7, 3, 1, 2), Usage(7, 3, 1, 2)), ("[A]", (0, 0, None, None), UNKNOWN),
        ("[A]", (None, 5, None, None), Usage(None, 5)), ("[A]", (5, 0, None, None), Usage(5, None)),
        ("", (5, 0, None, None), Usage(5, 0)), ("", (0, 0, None, 4), UNKNOWN),
        ("[A]", (-2000, -1, -1, -1), UNKNOWN), ("[A]", (True, True, True, True), UNKNOWN),
        ("[A]", (7.0, "3", None, None), UNKNOWN), ("[A]", (100, 5, 6, 10**9), Usage(100, 5)),
        ("[A]", (10**8, 10**7, None, None), UNKNOWN), ("[A]", (100, 5, 5, 100), Usage(100, 5, 5, 100)),
    ):  # fmt: skip
        assert usage_of(text, *numbers) == usage, numbers
    assert [usage_of("[A]", 7, 3, written=number).written for number in (4, 8)] == [4, None]
    assert Usage(7, 3, 1, cost=0.5) + Usage(1, None, 2, 4, 0.25) == Usage(8, None, 3, None, 0.75)
    assert (Usage(7, 3).total, Usage(7).total, Usage(None, 3).total) == (10, None, None)

    def content(value: object) -> CallFailed:
        return service_calls.unreadable(
            received({"choices": [{"message": {"content": value}, "finish_reason": "eos"}]})
        )

    none = service_calls.unreadable(received({"choices": []}))
    assert (none.message, none.final, none.responded) == ("the answer is no chat completion", False, True)
    assert not service_calls.unreadable(received({}, None)).responded
    for value, kind in (({}, "an object"), (7, "a number"), (0.5, "a number"), ([7], "a list"), (True, "no text")):
        found = content(value)
        assert f"its content is {kind}" in found.message, value
        assert (found.final, found.responded, found.finish_reason) == (True, True, "eos")
    found = content(None)
    assert found.message == "the answer cannot be read: it is no chat completion" and found.final and found.responded
    kept = Exchange(307, most_bytes=200_000)
    kept.check_size(200_000)
    with pytest.raises(CallFailed, match="the response is larger than 200,000 bytes") as caught:
        kept.check_size(200_001)
    assert caught.value.final and caught.value.responded
    kept.check_redirect("http://a/v1", "http://a:80/v2")
    with pytest.raises(CallFailed, match="redirected from http://a to http://b: not followed") as caught:
        kept.check_redirect("http://a/v1", "http://b/v1")
    assert (caught.value.status, caught.value.denied, caught.value.can_be_retried) == (307, True, False)


def test_words_of_a_service_are_found_and_its_filters_and_waits_heeded() -> None:
    for message, said in (
        ('{"error": {"message": "why"}}', "why"), ('{"error": "why"}', "why"), ('{\n "message": "why"}', "why"),
        ('{"detail": {"message": "why"}} and more', "why"), ('{"other": 1}', '{"other": 1}'), ("{broken", "{broken"),
        ('litellm.BadRequestError: OpenAIException - {"error": {"message": "why"}}', "why"),
        ("litellm.Timeout: Timeout Error: why", "why"), ("why\nsecond line", "why"),
        ("why. To drop these, set x", "why"),
        ("Cannot connect to host h:1 ssl:<object at 0x7f>", "Cannot connect to host h:1"),
        ("<object at 0x7fab> lost", "<object> lost"),
    ):  # fmt: skip
        assert said_in(message) == said, message
    assert len(said_in("x" * 2**20)) == service_calls.MOST_SAID, "cut before it is searched"
    texts = {"7": 7, "-5": 0, "Wed, 21 Oct 2015 07:28:00 GMT": 0} | dict.fromkeys(("soon", "nan", "inf", ""))
    for text, seconds in texts.items():
        assert retry_after_in({"retry-after": text}) == seconds, text
    for milliseconds, seconds in (("250", 0.25), ("soon", 7)):
        assert retry_after_in({"retry-after-ms": milliseconds, "retry-after": "7"}) == seconds, milliseconds
    soon = format_datetime(datetime.now(UTC) + timedelta(hours=1), usegmt=True)
    assert 3500 < (retry_after_in({"retry-after": soon}) or 0) <= 3600
    assert retry_after_in({}) is None


def test_failure_is_that_of_the_response_that_was_received_or_of_the_causes_of_the_error() -> None:
    error = RuntimeError("odd")
    guarded = received({})
    guarded.failure = CallFailed("too large", final=True)
    assert failure_of(error, guarded) is guarded.failure
    message = {"choices": [{"message": {"content": 7}}]}
    assert failure_of(error, received(message)).final
    assert failure_of(error, received(message, 300)).message == "no proper answer: odd"
    assert failure_of(error, received({}, 200)).responded
    for status, waits in ((429, 7), (503, 7), (500, None), (400, None)):
        kept = received({"error": "why"}, status)
        kept.headers = {"retry-after": "7"}
        assert failure_of(error, kept).retry_after == waits, status
    assert [failure_of(error, received(value, 400)).message for value in ({"error": "why"}, {"error": ""})] == [
        "BadRequestError: why",
        'BadRequestError: {"error": ""}',
    ]
    for status, said, code, refused in (
        (400, "the content filter was hit", "", True), (400, "no", "content_policy_violation", True),
        (403, "the content filter was hit", "", False), (400, "no", "", False),
    ):  # fmt: skip
        kept = received({"error": {"message": said, "code": code}}, status)
        assert failure_of(error, kept).refused is refused, (status, said)
        local = type("LocalError", (Exception,), {"status_code": status, "code": code})(said)
        failure = failure_of(local, Exchange())
        assert (failure.refused, failure.status, failure.message) == (refused, status, f"LocalError: {said}")
    quota = {"error": {"code": "insufficient_quota"}}
    assert failure_of(error, received(quota, 429)).unpaid
    kept = received(quota, 429)
    kept.headers = {"retry-after": "7"}
    assert not failure_of(error, kept).unpaid, "it asks to be waited for"
    filtered = received({"error": {"code": "insufficient_quota", "message": "content filter"}}, 400)
    assert not failure_of(error, filtered).unpaid
    coded = type("Coded", (Exception,), {"status_code": 429, "code": "insufficient_quota"})("x")
    assert failure_of(coded, Exchange()).unpaid

    def found(cause: BaseException, kept: Exchange) -> tuple[bool, bool]:
        error = RuntimeError("wrapped")
        error.__cause__ = error if isinstance(cause, KeyError) else cause
        failure = failure_of(error, kept)
        return failure.unreachable, failure.responded

    assert found(ConnectionRefusedError(), Exchange()) == (True, False)
    assert found(ConnectionRefusedError(), received({})) == (False, True), "something was received"
    assert found(type("ConnectTimeout", (Exception,), {})(), Exchange()) == (True, False)
    assert found(KeyError("in a circle"), Exchange()) == (False, False)
