"""Responses of services: their texts, usages and errors, read without a network."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from tsgkit.llm.failures import CallFailed
from tsgkit.llm.reply import UNKNOWN, Attempt, Ending, Reply, Usage, reply_value
from tsgkit.llm.responses import (
    Exchange,
    Message,
    misdirected,
    object_in,
    reply_of,
    text_of,
    too_large,
    unreadable,
    usage_of,
)
from tsgkit.llm.service_errors import failure_in, rejection, retry_after_in, said_in


def received(value: object, status: int | None = 200) -> Exchange:
    """Return the exchange whose response holds a JSON value, or bytes."""
    return Exchange(status=status, body=value if isinstance(value, bytes) else json.dumps(value).encode())


def test_json_objects_are_read_and_anything_else_is_empty() -> None:
    assert object_in(b'\xef\xbb\xbf {"a": 1}') == {"a": 1}
    for body in (b"", b"[1]", b"null", b'{"a": 1', b"<html>", b"{" * 100_000, b'{"a":' * 100_000):
        assert object_in(body) == {}, body[:20]


def test_a_new_response_forgets_the_one_that_redirected() -> None:
    kept = received({"first": 1}, 307)
    assert kept.value == {"first": 1}
    kept.begin(200, [("X-RateLimit-Remaining", "9"), ("Content-Type", "text/plain")])
    kept.body = b'{"second": 2}'
    assert (kept.status, kept.value, kept.limits) == (200, {"second": 2}, {"x-ratelimit-remaining": "9"})


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (["a", {"text": "b"}, {"type": "output_text", "text": "c"}], "abc"),
        ([{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "b"}], "b"),
        ([], ""),
        ([{"type": "image", "text": "x"}], None),
        ([{"type": "text", "text": 5}], None),
        ([7], None),
    ],
)
def test_text_parts_are_joined_unless_one_is_no_text(content: list[Any], text: str | None) -> None:
    assert text_of(content) == text


def test_reply_of_a_message_holds_what_the_service_said() -> None:
    reply = reply_of(Message("[A]", "", "eos", "stop"), "m", Usage(1, 2), "id-1")
    assert reply == Reply("[A]", Ending.COMPLETE, "eos", model="m", usage=Usage(1, 2))
    assert reply.response_id == "id-1"
    refused = reply_of(Message(None, "I will not.", "stop"), 5, UNKNOWN, 5)
    assert refused == Reply(None, Ending.REFUSED, "stop", refusal="I will not.")
    assert refused.response_id is None
    assert reply_of(Message("x", True, "stop"), None, UNKNOWN).refusal is None
    with pytest.raises(CallFailed, match="the service broke off: finish_reason abort") as caught:
        reply_of(Message("x", None, "abort"), None, UNKNOWN)
    assert (caught.value.finish_reason, caught.value.can_be_retried) == ("abort", True)


def test_usage_that_is_not_counted_is_unknown() -> None:
    for text, numbers, usage in (
        ("[A]", (7, 3, 1, 2), Usage(7, 3, 1, 2)),
        ("[A]", (0, 0, None, None), UNKNOWN),
        ("[A]", (None, 5, None, None), Usage(None, 5)),
        ("[A]", (5, 0, None, None), Usage(5, None)),
        ("", (5, 0, None, None), Usage(5, 0)),
        ("", (0, 0, None, 4), UNKNOWN),
    ):
        assert usage_of(text, *numbers) == usage, numbers
    assert usage_of("[A]", 7, 3, None, None, 4).written == 4
    assert Usage(7, 3, 1, cost=0.5) + Usage(1, None, 2, 4, 0.25) == Usage(8, None, 3, None, 0.75)
    assert (Usage(7, 3).total, Usage(7).total, Usage(None, 3).total) == (10, None, None)


def test_value_of_a_reply_leaves_out_what_is_at_its_default() -> None:
    attempts = (Attempt(1.0, "busy", 503, waited=0.5), Attempt(2.0, None, 429), Attempt(3.0))
    reply = Reply("a", usage=Usage(7), attempts=attempts, final=True)
    assert reply_value(reply) == {
        "text": "a",
        "ending": "complete",
        "seconds": 0.0,
        "source": "model",
        "final": True,
        "usage": {"prompt": 7},
        "attempts": [
            {"seconds": 1.0, "error": "busy", "status": 503, "waited": 0.5},
            {"seconds": 2.0, "error": None, "status": 429},
            {"seconds": 3.0},
        ],
    }
    assert reply_value(Reply(None)) == {"text": None, "ending": "complete", "seconds": 0.0, "source": "model"}
    assert (reply.requests, reply.spent) == (2, Usage(7))


def test_unreadable_responses_are_told_apart() -> None:
    def content(value: object) -> CallFailed:
        return unreadable(received({"choices": [{"message": {"content": value}, "finish_reason": "eos"}]}))

    none = unreadable(received({"choices": []}))
    assert (none.message, none.final, none.responded) == ("the answer is no chat completion", False, True)
    assert not unreadable(received({}, None)).responded
    for value, kind in (({}, "an object"), (7, "a number"), (0.5, "a number"), ([7], "a list"), (True, "no text")):
        found = content(value)
        assert f"its content is {kind}" in found.message, value
        assert (found.final, found.responded, found.finish_reason) == (True, True, "eos")
    assert content(None).message == "the answer cannot be read: it is no chat completion"
    assert content(None).final
    large = too_large(200_000)
    assert (large.message, large.final, large.responded) == ("the response is larger than 200,000 bytes", True, True)
    away = misdirected("http://a", "http://b", 307)
    assert away.message.startswith("redirected from http://a to http://b: not followed")
    assert (away.status, away.denied, away.can_be_retried) == (307, True, False)


def test_words_of_a_service_are_found_in_any_shape_of_error() -> None:
    for message, said in (
        ('{"error": {"message": "why"}}', "why"),
        ('{"error": "why"}', "why"),
        ('{\n "message": "why"}', "why"),
        ('{"detail": {"message": "why"}} and more', "why"),
        ('{"other": 1}', '{"other": 1}'),
        ("{broken", "{broken"),
        ('litellm.BadRequestError: OpenAIException - {"error": {"message": "why"}}', "why"),
        ("litellm.Timeout: Timeout Error: why", "why"),
        ("why\nsecond line", "why"),
        ("why. To drop these, set x", "why"),
        ("Cannot connect to host h:1 ssl:<object at 0x7f>", "Cannot connect to host h:1"),
        ("<object at 0x7fab> lost", "<object> lost"),
    ):
        assert said_in(message) == said, message


def test_retry_after_is_read_in_every_form() -> None:
    soon = format_datetime(datetime.now(UTC) + timedelta(hours=1), usegmt=True)
    for headers, seconds in (
        ({"retry-after": "7"}, 7),
        ({"retry-after-ms": "250", "retry-after": "7"}, 0.25),
        ({"retry-after-ms": "soon", "retry-after": "7"}, 7),
        ({"retry-after": "-5"}, 0),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": ""}, None),
        ({}, None),
    ):
        assert retry_after_in([None, headers]) == seconds, headers
    assert 3590 < (retry_after_in([{"retry-after": soon}]) or 0) <= 3600
    assert retry_after_in([{"retry-after": "7"}, {"retry-after": "9"}]) == 7


def test_rejection_heeds_filters_and_asks_to_wait_only_where_a_service_does() -> None:
    wait = [{"retry-after": "7"}]
    for status, seconds in ((429, 7), (503, 7), (500, None), (400, None)):
        assert rejection("Error", status, "why", wait).retry_after == seconds, status
    assert rejection("Error", 400, "why").message == "Error: why"
    assert rejection("Error", 400, "").message == "Error"
    for status, said, code, refused in (
        (400, "the content filter was hit", "", True),
        (400, "no", "content_policy_violation", True),
        (403, "the content filter was hit", "", False),
        (400, "no", "", False),
    ):
        assert rejection("Error", status, said, code=code).refused is refused, (status, said)


def test_failure_is_completed_by_the_response_that_was_received() -> None:
    error = RuntimeError("odd")
    guarded = received({})
    guarded.failure = too_large(5)
    assert failure_in(guarded, error, CallFailed("odd")) is guarded.failure
    message = {"choices": [{"message": {"content": 7}}]}
    assert failure_in(received(message), error, CallFailed("odd")).final
    assert failure_in(received(message, 300), error, CallFailed("odd")).message == "odd"
    assert failure_in(received({}, 200), error, CallFailed("odd")).responded
    quota = received({"error": {"code": "insufficient_quota"}}, 429)
    assert failure_in(quota, error, CallFailed("no", 429)).unpaid
    assert not failure_in(quota, error, CallFailed("no", 429, 7.0)).unpaid, "it asks to be waited for"
    assert not failure_in(quota, error, CallFailed("no", 400, refused=True)).unpaid
    coded = CallFailed("no", 429)
    odd = RuntimeError("x")
    odd.__dict__["code"] = "insufficient_quota"
    assert failure_in(received({}, 429), odd, coded).unpaid


def test_connection_that_never_came_about_is_known_by_its_causes() -> None:
    def raised(cause: BaseException) -> Exception:
        error = RuntimeError("wrapped")
        error.__cause__ = cause
        return error

    refused = raised(ConnectionRefusedError())
    assert failure_in(Exchange(), refused, CallFailed("no")).unreachable
    assert not failure_in(received({}), refused, CallFailed("no")).unreachable, "something was received"
    assert failure_in(Exchange(), raised(type("ConnectTimeout", (Exception,), {})()), CallFailed("no")).unreachable
    circle = RuntimeError("a")
    circle.__cause__ = circle
    found = failure_in(Exchange(), circle, CallFailed("no"))
    assert (found.unreachable, found.responded) == (False, False)
