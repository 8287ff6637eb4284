"""Code of the user: loaded by its name, known by its source, and asked as a model."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from doors import run
from langchain_core.language_models import FakeListChatModel
from langchain_core.messages import AIMessage

from tsgkit.errors import UsageError
from tsgkit.llm.failures import CallFailed
from tsgkit.llm.prices import Price
from tsgkit.llm.reply import Ending, Reply, Usage
from tsgkit.llm.settings import Argument
from tsgkit.llm.user_code import load_object, registered_name, text_of_code
from tsgkit.llm.user_models import ELSEWHERE, UserModel, fingerprint, is_own, own_settings, usual_concurrency


def test_object_of_the_program_is_registered_under_a_name() -> None:
    model = FakeListChatModel(responses=[])
    assert registered_name(model, "mine") == "python:mine"
    assert load_object("python:mine") is model
    assert registered_name(model) == "python:langchain_core.language_models.fake_chat_models:FakeListChatModel"
    assert registered_name(Price) == "python:tsgkit.llm.prices:Price"


def test_text_of_code_differs_with_source_and_plain_values() -> None:
    def bound(value: object, other: object = 1) -> Any:  # noqa: ANN401
        def inner(default: object = other) -> object:
            return value, default

        return inner

    assert text_of_code(bound(1)) == text_of_code(bound(1))
    different = [bound(1), bound(2), bound(1, 2), bound((1, 2))]
    different += [partial(bound, 1), partial(bound, value=1), partial(max, 1)]
    assert len({text_of_code(one) for one in different}) == len(different)
    assert text_of_code(bound([1])) == text_of_code(bound([2])), "what may change says nothing"
    assert text_of_code(bound((1, [1]))) == text_of_code(bound((1, [2])))
    assert text_of_code("a text") == "a text"
    assert "def test_text_of_code" in text_of_code(bound)


def answered(function: Any, price: Price | None = None, timeout: float = 9, **how: Any) -> Reply:  # noqa: ANN401
    model = UserModel(registered_name(function), price)
    model.prepare()
    model.prepare()
    return run(model.send([{"role": "user", "content": "tea"}], how.get("schema"), timeout))


def test_function_answers_with_a_text_a_reply_or_a_message() -> None:
    async def later(messages: list[dict[str, Any]]) -> str:
        return f"{messages[0]['content']}!"

    def said(text: str, **metadata: str) -> AIMessage:
        return AIMessage(text, response_metadata=metadata)

    for made, text, ending, reason in (
        ("[A]", "[A]", Ending.COMPLETE, None),
        ("", "", Ending.EMPTY, None),
        (None, None, Ending.EMPTY, None),
        (AIMessage("[B]"), "[B]", Ending.COMPLETE, None),
        (AIMessage(""), "", Ending.EMPTY, None),
        (AIMessage(["a", {"type": "text", "text": "b"}, {"type": "image"}]), "ab", Ending.COMPLETE, None),
        (said("a", finish_reason="length"), "a", Ending.TRUNCATED, "length"),
        (said("a", stop_reason="content_filter"), "a", Ending.REFUSED, "content_filter"),
    ):
        reply = answered(lambda messages, made=made: made)
        assert (reply.text, reply.ending, reply.finish_reason) == (text, ending, reason), made
    assert answered(later).text == "tea!"
    assert answered(lambda messages: later(messages)).text == "tea!", "what is returned is awaited"
    assert answered(lambda messages: Reply("x", model="own")) == Reply("x", model="own")
    assert answered(lambda messages, schema=None: str(schema), schema={"a": 1}).text == "{'a': 1}"
    assert answered(FakeListChatModel(responses=["[C]"])).text == "[C]"
    assert answered(lambda messages: said("a", model_name="m-1")).model == "m-1"


def test_usage_of_a_chat_model_is_counted_at_its_price() -> None:
    used: dict[str, Any] = {"input_tokens": 1000, "output_tokens": 100, "total_tokens": 1100}
    details = {"input_token_details": {"cache_read": 400, "cache_creation": 500}}
    price = Price(2e-6, 10e-6, cached=0.2e-6, written=2.5e-6)
    usage = answered(lambda messages: AIMessage("[A]", usage_metadata={**used, **details}), price).usage
    assert replace(usage, cost=None) == Usage(1000, 100, cached=400, written=500)
    assert usage.cost == pytest.approx(100 * 2e-6 + 400 * 0.2e-6 + 500 * 2.5e-6 + 100 * 10e-6)
    assert answered(lambda messages: AIMessage("[A]", usage_metadata=used)).usage == Usage(1000, 100)


def test_failure_of_a_function_is_that_of_the_service_it_names_or_of_the_code() -> None:
    def raising(error: Exception, status: object = None) -> CallFailed:
        def fails(messages: object) -> str:
            if status is not None:
                error.__dict__["status_code"] = status
            raise error

        with pytest.raises(CallFailed) as caught:
            answered(fails)
        return caught.value

    busy = raising(RuntimeError("slow down"), 429)
    assert (busy.status, busy.throttled) == (429, True)
    for error, status, lasting in (
        (ValueError("x"), None, True),
        (ValueError("odd"), True, True),
        (ConnectionError("gone"), None, False),
    ):
        found = raising(error, status)
        assert (found.status, found.lasting, found.can_be_retried) == (None, lasting, not lasting), error
    assert "call the a... twin there" in raising(RuntimeError("Event loop is closed")).message
    assert "twin" not in raising(KeyError("Event loop is closed")).message
    with pytest.raises(CallFailed, match="returned int: expected a text, a Reply") as caught:
        answered(lambda messages: 5)
    assert caught.value.lasting

    async def slow(messages: object) -> None:
        await asyncio.sleep(60)

    with pytest.raises(CallFailed, match=r"no answer within 0.01 s"):
        answered(slow, timeout=0.01)


def test_settings_of_user_code_hold_its_fingerprint(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text('def ask(messages):\n    return "[A]"\n')
    name = f"python:{tmp_path}/mine.py:ask"
    chat = registered_name(FakeListChatModel(responses=["a"]))
    settings = own_settings(name, (Argument("openai/m", "seed", 1),))
    assert (settings.given, settings.endpoint) == ({"code": fingerprint(load_object(name))}, "this process")
    assert len(settings.given["code"]) == 16
    assert fingerprint(FakeListChatModel(responses=["a"])) != fingerprint(FakeListChatModel(responses=["b"]))
    for model in (None, name):
        with pytest.raises(UsageError, match="--model-arg seed has no use"):
            own_settings(name, (Argument(model, "seed", 1),))
    token = ELSEWHERE.set(lambda model: f"of {model}")
    try:
        assert own_settings(chat, ()).given == {"code": f"of {chat}"}
    finally:
        ELSEWHERE.reset(token)
    assert [usual_concurrency(model) for model in (name, chat, "openai/m")] == [1, 32, 32]
    assert (is_own(name), is_own("openai/m")) == (True, False)
