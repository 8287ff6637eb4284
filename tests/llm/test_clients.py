"""The direct client and LiteLLM: what is sent, what is made of any answer, the way to a server, and who is chosen."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from http.server import ThreadingHTTPServer
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

import doors
import httpx
import httpx2
import pytest
from doors import QUESTION, CarriedService, carried, carrying, client_for, completion, failure_by, reply_by, run
from loopback import Handler, serving
from model_server import Running, model_server

from tsgkit.defaults import Client
from tsgkit.errors import UsageError
from tsgkit.llm import direct_calls
from tsgkit.llm.asker import CLIENTS, client_given, client_of, needs_litellm, provider_for
from tsgkit.llm.direct_calls import DirectCalls, EventStream
from tsgkit.llm.door import as_dicts
from tsgkit.llm.event_loop import Threads
from tsgkit.llm.failures import CallFailed
from tsgkit.llm.litellm_calls import EXCHANGE, OWN_CLIENT, LiteLlm, bound, guarded_transport
from tsgkit.llm.prices import price_given, price_of
from tsgkit.llm.prompt_cache import STABLE, PromptMarks, stable_of
from tsgkit.llm.reply import UNKNOWN, Ending, Usage
from tsgkit.llm.service_calls import NOT_UTF8, Exchange, ServiceCalls, failure_of
from tsgkit.llm.settings import BY_THE_PACKAGE, Settings, parse, settings_of
from tsgkit.llm.user_models import UserModel

KEY = "sk-live-0123456789"
LOCAL = "api_base=http://127.0.0.1:9/v1"
CLAUDE = "anthropic/claude-sonnet-4-5"
PROVIDERS = ("openai/m", "custom_openai/m", "hosted_vllm/m", CLAUDE)
"""Models asked by LiteLLM's own client, through the ``openai`` package, and in Anthropic's form."""
MODELS = ("openai/m", "openai/gpt-4o", "hosted_vllm/gpt-4o")
ONE: tuple[Client, ...] = ("direct",)


@pytest.fixture(autouse=True)
def _nothing_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    ends = ("_API_KEY", "_API_BASE", "_BASE_URL", "_PROXY")
    for name in [name for name in os.environ if name.upper().endswith(ends)]:
        monkeypatch.delenv(name)
    monkeypatch.setenv(OWN_CLIENT, "True")  # other tests ask providers for which LiteLLM's own client is turned off


def settings(model: str, *arguments: str, **defaults: object) -> Settings:
    return settings_of(model, parse(arguments, [model]), defaults)


def prepared(model: str, *arguments: str, client: Client = "litellm", **defaults: object) -> LiteLlm | DirectCalls:
    provider = client_for(settings(model, *arguments, **defaults), None, client)
    provider.prepare()
    provider.prepare()
    return provider


def direct(model: str, *arguments: str, **defaults: object) -> DirectCalls:
    found = prepared(model, *arguments, client="direct", **defaults)
    assert isinstance(found, DirectCalls)
    return found


REQUESTS: tuple[list[str], ...] = (
    [],
    ["temperature=0", "top_p=0.3", "seed=3", "max_tokens=9", 'stop=["a", "b"]'],
    ["logprobs=true", "top_logprobs=5", 'logit_bias={"5": 1}', "max_completion_tokens=7"],
    ["presence_penalty=0.5", "frequency_penalty=0.1", "repetition_penalty=1.1", "top_k=5", "min_p=0.1"],
    ["service_tier=flex", "store=false", 'modalities=["text"]', 'response_format={"type": "json_object"}'],
    ["extra_body.top_k=5", "extra_body.kwargs.think=false", "temperature=0.2", "extra_body.seed=null"],
    ["temperature=0.2", "extra_body.temperature=0.7", 'extra_body.response_format={"type": "text"}'],
    ["extra_headers.X-Team=a", "extra_headers.Authorization=Basic abc"],
)


def test_both_clients_send_the_request_that_they_announce() -> None:
    shots = [{"type": "text", "text": "Which, \N{SNOWMAN}?"}], [{"type": "text", "text": "And?"}]
    few_shot = [{"role": role, "content": text} for role, text in zip(("system", "user"), shots, strict=True)]
    schema = {"type": "json_schema", "json_schema": {"name": "a", "schema": {"type": "object"}, "strict": True}}

    def sent(client: Client, model: str, *arguments: str, **how: Any) -> tuple[Any, str]:  # noqa: ANN401
        reply_by(client, told := carried(), *arguments, model=model, **how)
        [(url, headers, body)] = told.asked
        found = (url.removeprefix("POST "), headers["authorization"], headers["content-type"])
        assert found == ("http://127.0.0.1:9/v1/chat/completions", "Bearer sk-loopback-key", "application/json")
        streamed = (body.pop("stream", False), body.pop("stream_options", None))
        assert streamed == ((True, {"include_usage": True}) if client == "direct" else (False, None))
        return body, headers.get("x-team", "")

    for model in MODELS:
        for arguments in REQUESTS:
            first, second = (sent(client, model, *arguments) for client in CLIENTS)
            assert first == second, (model, arguments)
            assert first[1] == ("a" if "headers" in str(arguments) else "")
            if "headers" not in str(arguments) and model != "openai/gpt-4o":
                for client in CLIENTS:
                    announced = prepared(model, LOCAL, *arguments, client=client).sent | {"messages": QUESTION}
                    assert first[0] == announced, (model, arguments, client)
        first, second = (sent(client, model, messages=few_shot, schema=schema) for client in CLIENTS)
        assert first == second and first[0]["response_format"] == schema, model
    body, _ = sent("direct", "openai/m", *REQUESTS[5])
    assert body == {"model": "m", "messages": QUESTION, "temperature": 0.2, "top_k": 5, "kwargs": {"think": False},
                    "seed": None}  # fmt: skip


def test_address_has_its_endpoint_before_the_query_and_key_and_headers_are_the_given_ones_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for base, url in (
        *((f"http://h/v1{end}", "http://h/v1/chat/completions") for end in ("", "/", "/chat/completions")),
        ("http://h/v1?version=2#x", "http://h/v1/chat/completions?version=2"),
        ("http://[::1]:9/v1", "http://[::1]:9/v1/chat/completions"),
    ):
        assert direct("openai/m", f"api_base={base}")._url == url, base
    assert direct("openai/gpt-4o", "api_key=x")._url == "https://api.openai.com/v1/chat/completions"

    def key(model: str, *arguments: str) -> str:
        headers = direct(model, LOCAL, *arguments)._headers
        return next(value for name, value in headers.items() if name.lower() == "authorization")

    assert (key("openai/m"), key("hosted_vllm/m")) == ("Bearer none", "Bearer fake-api-key")
    basic = "extra_headers.authorization=Basic abc"
    assert (key("openai/m", basic), key("openai/m", basic, "api_key=sk-1")) == ("Basic abc", "Bearer sk-1")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-openai")
    monkeypatch.setenv("HOSTED_VLLM_API_KEY", "sk-vllm")
    assert (key("openai/m"), key("hosted_vllm/m")) == ("Bearer sk-openai", "Bearer sk-vllm")
    monkeypatch.delenv("OPENAI_API_KEY")
    with pytest.raises(UsageError, match="no key: OPENAI_API_KEY is not set"):
        direct("openai/gpt-4o")


THINKING = 'thinking={"type": "enabled", "budget_tokens": 1024}'
SINGLE = ("user=me", "reasoning_effort=low", "verbosity=low", "stop=null", "temperature=1", "seed=0", THINKING,
          'thinking={"type": "disabled"}', "extra_body={}", "safety_settings=[]",
          'reasoning_effort={"effort": "low"}')  # fmt: skip


def outcome(client: Client, model: str, argument: str, *, is_given: bool) -> tuple[str, object]:
    """Return what becomes of one parameter: the body, or the reason why it is refused, and the notices."""
    name, _, value = argument.partition("=")
    defaults = {} if is_given else {name: json.loads(value) if value not in ("me", "low") else value}
    try:
        provider = prepared(model, LOCAL, *([argument] if is_given else []), client=client, **defaults)
    except UsageError as error:
        return error.message, error.hint
    return json.dumps(provider.sent, sort_keys=True), provider.notices


def test_both_clients_refuse_or_note_the_same_parameters_that_would_not_be_sent() -> None:
    for model in MODELS:
        for argument in SINGLE:
            for is_given in (True, False) if argument != "extra_body={}" else (True,):
                first, second = (outcome(client, model, argument, is_given=is_given) for client in CLIENTS)
                assert first == second, (model, argument, is_given)
    for model, argument, why in (
        ("openai/m", "verbosity=low", r"openai does not support parameters: \['verbosity'\], for model=m"),
        ("openai/m", "thinking={}", "openai does not support"),
        ("openai/gpt-4o", "reasoning_effort=low", "openai does not support"),
        ("openai/m", "user=me", "would not be sent it"),
        ("hosted_vllm/m", 'thinking={"type": "disabled"}', "would not be sent it"),
    ):
        with pytest.raises(UsageError, match=why) as caught:
            direct(model, LOCAL, argument)
        assert f"extra_body.{argument.partition('=')[0]}=" in caught.value.hint
    provider = direct("openai/m", LOCAL, "temperature=1", stop=None, seed=3)
    assert provider.sent == {"model": "m", "temperature": 1, "seed": 3}
    assert provider.notices == ["openai/m: default stop=None is not sent: the provider would not be sent it"]
    efforts = {0: "minimal", 1023: "minimal", 1024: "low", 2047: "low", 2048: "medium", 4095: "medium", 4096: "high"}
    for budget, effort in efforts.items():
        sent = direct("hosted_vllm/m", LOCAL, THINKING.replace("1024", str(budget))).sent
        assert sent == {"model": "m", "reasoning_effort": effort}, budget
    with pytest.raises(UsageError, match="would not be sent"):
        direct("hosted_vllm/m", LOCAL, "reasoning_effort=low", THINKING)


def test_litellm_refuses_or_drops_what_a_provider_does_not_take_and_names_a_missing_key(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for model, argument, name in ((CLAUDE, "seed=1", "seed"), ("openai/gpt-5", "temperature=0.1", "temperature")):
        with pytest.raises(UsageError, match=f"{model} does not take {name}: .*{name}"):
            prepared(model, "api_key=" + KEY, argument)
    provider = prepared("openai/gpt-5", "api_key=" + KEY, "reasoning_effort=low", temperature=0.1)
    assert provider.sent == {"model": "gpt-5", "reasoning_effort": "low"}
    (notice,) = provider.notices
    assert notice.startswith("openai/gpt-5: default temperature=0.1 is not sent: ")
    for tokens in (4096, 64000, 100):  # some happen to be the provider's own default
        assert prepared(CLAUDE, "api_key=" + KEY, f"max_tokens={tokens}").sent["max_tokens"] == tokens
    for model, arguments, hint in (
        ("nonsense/x", [], "PROVIDER/NAME"), ("nonsense", ["temperature=0"], "PROVIDER/NAME"),
        ("nonsense", [LOCAL], "--model openai/nonsense"), ("OpenAI/x", ["api_key=x"], "openai/x?"),
        ("mistrall/x", ["api_key=x"], "mistral/x?"), ("x.gguf", [], "gguf:x.gguf"),
    ):  # fmt: skip
        with pytest.raises(UsageError, match=f"{model}: no provider is called so") as caught:
            prepared(model, *arguments)
        assert hint in caught.value.hint, model
    for model in ("openai/gpt-4o", "fireworks_ai/m", "custom_openai/m"):
        with pytest.raises(UsageError, match=f"no key: {model.partition('/')[0].upper()}_API_KEY.* is not set"):
            prepared(model)
    for service in ("gemini", "fireworks_ai", "perplexity"):
        monkeypatch.setenv(service.upper().removesuffix("_AI") + "_API_KEY", KEY)
        prepared(f"{service}/m")
    for model, key in (("fireworks_ai/m", KEY), ("custom_openai/m", "none"), ("litellm_proxy/m", "none")):
        with carrying(told := carried()):
            assert run(prepared(model, LOCAL).send(QUESTION, None, 50)).text == "[A]", "one's own server needs no key"
        assert told.asked[0][1]["authorization"] == f"Bearer {key}", model


def test_openai_is_asked_without_its_package_unless_somebody_relies_on_that(monkeypatch: pytest.MonkeyPatch) -> None:
    def headers(model: str = "openai/m") -> dict[str, str]:
        reply_by("litellm", told := carried(), model=model)
        return told.asked[0][1]

    monkeypatch.delenv(OWN_CLIENT)
    models = ("openai/m", "custom_openai/m", "openai/m")
    assert ["x-stainless-lang" in headers(model) for model in models] == [False, True, True]
    monkeypatch.setenv(OWN_CLIENT, "False")
    assert "x-stainless-lang" in headers(), "the user turned it off"
    for name in BY_THE_PACKAGE[1:3]:
        with monkeypatch.context() as patch:
            patch.setenv(OWN_CLIENT, "True")
            patch.setenv(name, "org-of-mine")
            assert "org-of-mine" in headers().values(), name


USUAL = json.loads(completion())
THOUGHT = "<think>hm</think>[B]"


def choosing(**parts: object) -> bytes:
    return json.dumps(USUAL | {"choices": [USUAL["choices"][0] | parts]}).encode()


def test_both_clients_read_texts_refusals_and_reasons_alike() -> None:
    for body, text, ending, reason in (
        (completion(content="[A]"), "[A]", Ending.COMPLETE, "stop"),
        (completion(content=THOUGHT), "[B]", Ending.COMPLETE, "stop"),
        (completion(content="[B]<think>hm</think>"), "[B]<think>hm</think>", Ending.COMPLETE, "stop"),
        (completion(content="<think>hm"), "<think>hm", Ending.COMPLETE, "stop"),
        (completion(content=THOUGHT, reasoning_content="hm"), THOUGHT, Ending.COMPLETE, "stop"),
        (completion(content=THOUGHT, reasoning="hm"), THOUGHT, Ending.COMPLETE, "stop"),
        (completion(content=None), None, Ending.EMPTY, "stop"),
        (completion(content=[{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "b"}]), "b",
         Ending.COMPLETE, "stop"),
        (completion(content=None, refusal="no"), None, Ending.REFUSED, "stop"),
        (completion(content=None, provider_specific_fields={"refusal": "no"}), None, Ending.REFUSED, "stop"),
        (completion(content=None, tool_calls=[{"id": "a", "function": {"name": "f", "arguments": ""}}]), None,
         Ending.EMPTY, "stop"),
        (choosing(finish_reason="SAFETY"), "[A]", Ending.REFUSED, "SAFETY"),
        (choosing(finish_reason="other"), "[A]", Ending.TRUNCATED, "other"),
        (choosing(finish_reason="eos_token"), "[A]", Ending.COMPLETE, "eos_token"),
        (choosing(finish_reason="MAX_TOKENS"), "[A]", Ending.TRUNCATED, "MAX_TOKENS"),
        (choosing(finish_reason=None), "[A]", Ending.COMPLETE, "stop"),
        (choosing(finish_reason=""), "[A]", Ending.COMPLETE, "stop"),
        (json.dumps(USUAL | {"model": None, "error": {}}).encode(), "[A]", Ending.COMPLETE, "stop"),
    ):  # fmt: skip
        first, second = (reply_by(client, carried(200, body)) for client in CLIENTS)
        assert (first.text, first.ending, first.finish_reason) == (text, ending, reason), body
        assert first == second, body
    latin, first = completion(content="_").replace(b'"_"', b'"caf\xe9"'), USUAL["choices"][0]
    for received, kind, text, note in (
        (latin, "application/json", "caf\ufffd", NOT_UTF8),
        (latin, "application/json; charset=iso-8859-1", "caf\xe9", None),
        (latin, "application/json; charset=no-such", "caf\ufffd", NOT_UTF8),
        (USUAL | {"choices": [{"index": 1, "finish_reason": "length"}, first]}, "", "[A]", None),
        (USUAL | {"choices": [None, first | {"index": 2, "message": {"content": "[B]"}}, first]}, "", "[A]", None),
    ):  # fmt: skip
        for client in CLIENTS:
            reply = reply_by(client, carried(200, received, content_type=kind))
            assert (reply.text, reply.note, reply.ending) == (text, note, Ending.COMPLETE), (client, received, kind)
    reply = reply_by("direct", carried(200, USUAL | {"model": None, "id": "r-1"}))
    assert (reply.model, reply.response_id) == (None, "r-1")


NO_COMPLETION = "the answer is no chat completion"


def test_answer_that_is_no_completion_is_a_failure_of_either_client() -> None:
    def error(code: object) -> object:
        return {"error": {"message": "why", "code": code}, "choices": None}

    for body, message, status in (
        (b"<html></html>", "no proper answer: it is no JSON object", None),
        (b"", "no proper answer: it is no JSON object", None),
        ({"a": 1}, "no proper answer: it holds no choices", None),
        (USUAL | {"choices": []}, "the answer holds no choices", None),
        ({"choices": None}, NO_COMPLETION, None),
        (USUAL | {"choices": [{}]}, NO_COMPLETION, None),
        ({"error": {"message": "why"}}, "BadRequestError: why", 400),
        (USUAL | error(429), "RateLimitError: why", 429),
        ({"id": "x", "error": "rate limited", "choices": []}, "RateLimitError: rate limited", 429),
        (USUAL | error("rate_limit_exceeded"), "RateLimitError: why", 429),
        (USUAL | error(499), "APIError: why", 499),
        (USUAL | error(500), "no proper answer: why", None),
        (USUAL | error("odd"), "no proper answer: why", None),
    ):  # fmt: skip
        found = failure_by("direct", carried(200, body))
        assert (found.message, found.status, found.responded) == (message, status, True), body
        assert found.can_be_retried is (status in (None, 429)), body
        if isinstance(body, dict) and "id" in body and "odd" not in str(body) and "499" not in str(body):
            second = failure_by("litellm", carried(200, body))
            assert vars(found) | {"message": ""} == vars(second) | {"message": ""}, body
    for content in ({"a": 1}, 7, [{"type": "image", "x": 1}], True):
        for client in CLIENTS if content is not True else ONE:
            found = failure_by(client, carried(200, completion(content=content)))
            assert (found.final, found.responded) == (True, True), (content, client)
    assert failure_by("direct", carried(304, b"")).message == "no proper answer: status 304"


def test_default_limit_of_tokens_is_left_out_where_the_context_has_no_room_for_it() -> None:
    said = "maximum context length is 9 tokens. You requested 12 tokens (4 in the messages, 8 in the completion)"
    refusal = (400, json.dumps({"error": {"message": said}}).encode(), {"content-type": "application/json"})
    for client in CLIENTS:
        for arguments, sent in (((), [8, None]), (("max_tokens=7",), [7])):
            told = CarriedService([refusal, carried().answers[0]])
            provider = prepared("openai/m", LOCAL, *arguments, client=client, max_tokens=8)
            with carrying(told), suppress(CallFailed):
                run(provider.send(QUESTION, None, 50))
            assert [body.get("max_tokens") for _, _, body in told.asked] == sent, (client, arguments)


def test_both_http_libraries_that_clients_use_get_responses_of_their_own_within_the_limit() -> None:
    async def asked(library: ModuleType, url: str, most: int) -> tuple[Any, int]:
        async with library.AsyncClient(transport=guarded_transport(library.AsyncHTTPTransport())) as client:
            with bound(EXCHANGE, kept := Exchange(most_bytes=most)):
                return await client.get(url), len(kept.body)

    with model_server() as server:
        for library in (httpx, httpx2):
            response, size = run(asked(library, f"{server.base}/stats", 10_000))
            assert (type(response), len(response.content)) == (library.Response, size), library
            with pytest.raises(library.DecodingError, match="larger than 5 bytes"):
                run(asked(library, f"{server.base}/stats", 5))


def test_status_of_an_error_and_the_service_s_words_make_the_failure_of_every_provider() -> None:
    names = {400: "BadRequestError", 401: "AuthenticationError", 403: "APIError", 404: "NotFoundError", 408: "Timeout"}
    names |= {422: "BadRequestError", 429: "RateLimitError", 500: "InternalServerError", 502: "BadGatewayError"}
    names |= {503: "ServiceUnavailableError", 504: "Timeout", 418: "APIError"}
    for status, name in names.items():
        found = failure_by("direct", carried(status, {"error": {"message": "why"}}, Retry_After="7"))
        assert (found.message, found.status, found.responded) == (f"{name}: why", status, True)
        assert found.retry_after == (7 if status in (429, 503) else None)
    assert failure_by("direct", carried(400, b"no json\nmore")).message == "BadRequestError: no json"
    quota = {"error": {"message": "You exceeded your plan", "code": "insufficient_quota"}}
    low = {"error": {"message": "Your credit balance is too low to access the API"}}
    filtered = {"error": {"message": "The prompt was filtered: content_filter", "code": "content_filter"}}
    why = {"error": {"message": "why"}}
    for model in (*PROVIDERS, ""):
        client, properties = (("litellm", model) if model else ("direct", "openai/m")), ("can_be_retried", "denied")
        for status, body, holding in (
            *((status, why, {"can_be_retried"}) for status in (500, 408, 503)),
            *((status, why, {"denied"}) for status in (401, 404)), (400, why, set[str]()),
            (429, why, {"can_be_retried", "throttled"}), (429, quota, {"denied"}), (400, low, {"denied"}),
            (400, filtered, {"refused"}),
        ):  # fmt: skip
            headers = {"Retry_After": "7"} if body is why else {}
            found = failure_by(client[0], carried(status, body, **headers), model=client[1])  # type: ignore[arg-type]
            assert {name for name in (*properties, "throttled", "refused") if getattr(found, name)} == holding, body
            assert (found.status, found.responded) == (status, True)
            assert found.retry_after == (7 if headers and status in (429, 503) else None), (model, status, body)
            assert found.message.partition(": ")[2] == body["error"]["message"]


def test_broken_large_or_redirected_answers_of_every_provider(monkeypatch: pytest.MonkeyPatch) -> None:
    assert failure_of(AssertionError(), Exchange()).message == "no proper answer: AssertionError"
    body = completion(content="x" * 200_000)
    monkeypatch.setattr(ServiceCalls, "most_bytes", len(body) - 1)
    ways: list[tuple[Client, str]] = [("direct", "openai/m"), *(("litellm", model) for model in PROVIDERS)]
    for client, model in ways:
        for broken in (b"<html>\n</html>", b"", b"null", b'"text"'):
            found = failure_by(client, carried(200, broken), model=model)
            assert (found.status, found.can_be_retried, found.responded) == (None, True, True), (model, broken)
            assert "Exception" not in found.message and "InternalServerError" not in found.message
        found = failure_by(client, carried(200, body), model=model)
        assert (found.message, found.final) == (f"the response is larger than {len(body) - 1:,} bytes", True), model
        for location in ("http://elsewhere/v1", "https://127.0.0.1:9/v1", "http://127.0.0.1:10/v1"):
            found = failure_by(client, away := carried(307, b"", Location=location), model=model)
            assert (len(away.asked), found.status, found.misdirected) == (1, 307, True), (model, location)
            origin = location.removesuffix("/v1")
            assert found.message.startswith(f"redirected from http://127.0.0.1:9 to {origin}"), found.message
    monkeypatch.setattr(ServiceCalls, "most_bytes", len(body))
    assert len(reply_by("direct", carried(200, body)).text or "") == 200_000
    base = "http://127.0.0.1:9"
    for status, method in ((301, "GET"), (303, "GET"), (307, "POST"), (308, "POST")):
        told = CarriedService([(status, b"", {"Location": "/v2"}), (200, completion(), {})])
        assert reply_by("direct", told).text == "[A]"
        (first, _, _), (second, _, body) = told.asked
        assert (first, second) == (f"POST {base}/v1/chat/completions", f"{method} {base}/v2")
        assert ("messages" in body) is (method == "POST")
    endless = carried(307, b"", Location="/v2")
    assert failure_by("direct", endless).message == "no proper answer: it redirects too often"
    assert len(endless.asked) == 21


def test_usage_is_read_wherever_a_service_puts_it() -> None:
    used: dict[str, Any] = {"prompt_tokens": 9, "completion_tokens": 2}
    prompt = {"prompt_tokens_details": {"cached_tokens": 5, "cache_write_tokens": 3}}
    for found, usage in (
        (used, Usage(9, 2)),
        (used | prompt | {"completion_tokens_details": {"reasoning_tokens": 1}}, Usage(9, 2, 1, 5, written=3)),
        (used | {"prompt_cache_hit_tokens": 3}, Usage(9, 2, cached=3)),
        (used | {"cache_read_input_tokens": 3}, Usage(9, 2, cached=3)),
        (used | {"reasoning_tokens": 1}, Usage(9, 2, 1)),
        (used | {"cache_creation_input_tokens": 4}, Usage(9, 2, written=4)),
        ({"prompt_tokens": 7}, Usage(7)),
        ({"prompt_tokens": 0, "completion_tokens": 7, "total_tokens": 7}, Usage(None, 7)),
        ({"prompt_tokens": 0, "completion_tokens": 0}, UNKNOWN),
        ({"prompt_tokens": None, "completion_tokens": None}, UNKNOWN),
        ({"prompt_tokens": "7", "completion_tokens_details": [1]}, UNKNOWN),
        (None, UNKNOWN),
    ):
        for client in ONE if "[1]" in str(found) else CLIENTS:  # LiteLLM takes "7" for 7
            assert reply_by(client, carried(200, USUAL | {"usage": found})).usage == usage, (found, client)


USED: dict[str, Any] = {"prompt_tokens": 1000, "completion_tokens": 100, "total_tokens": 1100}
USED |= {"prompt_tokens_details": {"cached_tokens": 400}}
STANDARD = 600 * 0.25e-6 + 400 * 0.025e-6 + 100 * 2e-6
"""Dollars for this usage of gpt-5-mini; flex and batch cost half."""
PRIORITY = 600 * 0.45e-6 + 400 * 0.045e-6 + 100 * 3.6e-6


def test_reply_costs_what_its_service_tier_costs() -> None:
    def cost(client: Client, model: str, *arguments: str, price: Any = "map", **parts: object) -> Any:  # noqa: ANN401
        given = (
            price_of(model, doors.settings_for("http://h", *arguments, model=model).tier) if price == "map" else price
        )
        body = USUAL | {"usage": USED} | parts
        return reply_by(client, carried(200, body), *arguments, model=model, price=given).usage.cost

    for asked_for, served, dollars in (
        ("", "", STANDARD), ("service_tier=flex", "", STANDARD / 2), ("service_tier=flex", "default", STANDARD),
        ("extra_body.service_tier=flex", "", STANDARD / 2), ("service_tier=auto", "priority", PRIORITY),
        ("", "priority", PRIORITY), ("service_tier=batch", "", STANDARD / 2),
    ):  # fmt: skip
        more = {"service_tier": served} if served else {}
        found = cost("litellm", "openai/gpt-5-mini", *filter(None, [asked_for]), **more)
        assert found == pytest.approx(dollars), (asked_for, served)
        price = price_of("openai/gpt-5-mini", asked_for.partition("=")[2])
        found = cost("direct", "openai/m", *filter(None, [asked_for]), price=price, **more)
        assert found == pytest.approx(dollars), (asked_for, served)
    for client in CLIENTS:
        assert cost(client, "openai/gpt-4o", price=price_given("1000,2000")) == pytest.approx(1.2), "before the map"
        assert cost(client, "openai/m", price=price_given("1,2"), usage={"prompt_tokens": 7}) is None
        untrue = {"prompt_tokens": 100, "completion_tokens": 100, "prompt_tokens_details": {"cached_tokens": 10**9}}
        for used, paid in ((untrue, 1.25e-3), (untrue | {"completion_tokens": -2000}, None)):
            assert cost(client, "openai/gpt-4o", price=price_of("openai/gpt-4o"), usage=used) == paid, (client, used)
        for model in ("openai/m", "hosted_vllm/gpt-4o"):
            assert cost(client, model) is None, "no price is not free"
    assert cost("litellm", "fireworks_ai/m") is None


def test_marks_for_the_prompt_cache_arrive_at_the_service_and_what_it_wrote_is_counted() -> None:
    from langchain_core.messages import HumanMessage, SystemMessage

    messages = [SystemMessage("Judge."), HumanMessage("Rules.\n\nWho?", additional_kwargs={STABLE: 8})]
    used = {"input_tokens": 100, "cache_read_input_tokens": 400, "cache_creation_input_tokens": 500, "output_tokens": 1}
    body = {"id": "x", "type": "message", "role": "assistant", "model": "m", "stop_reason": "end_turn", "usage": used}
    told = carried(200, body | {"content": [{"type": "text", "text": "[A]"}]})
    sent = PromptMarks().added(as_dicts(messages), stable_of(messages))
    found = reply_by("litellm", told, model=CLAUDE, messages=sent).usage
    assert (found.prompt, found.completion, found.cached, found.written) == (1000, 1, 400, 500)
    assert found.cost == pytest.approx(100 * 3e-6 + 400 * 0.3e-6 + 500 * 3.75e-6 + 15e-6)
    mark = {"cache_control": {"type": "ephemeral"}}
    assert told.asked[0][2]["system"] == [{"type": "text", "text": "Judge.", **mark}]
    parts = [{"type": "text", "text": "Rules.\n\n", **mark}, {"type": "text", "text": "Who?"}]
    assert told.asked[0][2]["messages"][0]["content"] == parts


def events(*values: object, end: bytes = b"data: [DONE]\n\n") -> bytes:
    data = [value if isinstance(value, bytes) else json.dumps(value, ensure_ascii=False).encode() for value in values]
    return b"".join(b"data: %s\n\n" % one for one in data) + end


def delta(content: object = None, index: int = 0, finish_reason: str | None = None, **more: object) -> dict[str, Any]:
    return {"choices": [{"index": index, "delta": {"content": content, **more}, "finish_reason": finish_reason}]}


STOP, TOLD = delta(finish_reason="stop"), {"choices": [], "usage": USED, "model": "m", "id": "r-1"}


def streamed(*bodies: bytes, kind: str = "text/event-stream", status: int = 200) -> CarriedService:
    return CarriedService([(status, body, {"content-type": kind}) for body in bodies])


def test_reply_that_arrives_as_events_is_that_which_comes_in_one_piece() -> None:
    usage = reply_by("direct", carried(200, USUAL | {"usage": USED})).usage
    reply = reply_by("direct", streamed(events(delta("", role="assistant"), delta("[A"), delta("]"), STOP, TOLD)))
    assert (reply.text, reply.ending, reply.usage, reply.model, reply.response_id) == (
        "[A]", Ending.COMPLETE, usage, "m", "r-1",
    )  # fmt: skip
    calls: dict[str, Any] = {"tool_calls": [{"index": 0, "function": {"name": "f", "arguments": ""}}]}
    for body, text, ending, note in (
        (events(delta("a\u00e9"), STOP, end=b""), "a\u00e9", Ending.COMPLETE, None),
        (events(delta("a"), STOP, end=b"").rstrip(b"\n"), "a", Ending.COMPLETE, None),
        (events(delta("a"), STOP).replace(b"\n", b"\r\n"), "a", Ending.COMPLETE, None),
        (b": ping\n\nevent: x\ndata:\n\n" + events(delta("a"), STOP), "a", Ending.COMPLETE, None),
        (b'data: {"choices":\ndata: [{"delta": {"content": "a"}}]}\n\ndata: [DONE]\n\n', "a", Ending.COMPLETE, None),
        (events(delta("a\u00e9"), STOP).replace("\u00e9".encode(), b"\xe9"), "a\ufffd", Ending.COMPLETE, NOT_UTF8),
        (events(delta("b", 1), delta("a", 0), delta("b", 1, "length"), STOP), "a", Ending.COMPLETE, None),
        (events(delta(None, refusal="n"), delta(None, refusal="o"), STOP), None, Ending.REFUSED, None),
        (events(delta(None, reasoning_content="hm"), delta("<think>hm</think>a"), STOP), "<think>hm</think>a",
         Ending.COMPLETE, None),
        (events(delta(None, **calls), delta(finish_reason="tool_calls")), None, Ending.EMPTY, None),
        (events(*(delta([{"type": "text", "text": text}]) for text in "ab"), STOP), "ab", Ending.COMPLETE, None),
    ):  # fmt: skip
        for kind in ("text/event-stream", "text/plain") if body.startswith(b"data") else ("text/event-stream",):
            reply = reply_by("direct", streamed(body, kind=kind))
            assert (reply.text, reply.ending, reply.note) == (text, ending, note), body
    latin = events(delta("\u00e9"), STOP).decode().encode("latin-1")
    assert reply_by("direct", streamed(latin, kind="text/event-stream; charset=iso-8859-1")).text == "\u00e9"
    body = events(delta("\u00e9\U0001f600"), STOP)
    for size in (1, 2, 3, 7):
        stream = EventStream()
        for start in range(0, len(body), size):
            stream.feed(body[start : start + size])
        assert (stream.text, stream.is_done, stream.tokens) == ("\u00e9\U0001f600", True, 1)
    provider = direct("openai/m", LOCAL)
    assert provider.waits_for() == ""
    provider._streams = [stream, EventStream()]
    assert provider.waits_for().startswith("1 reply arrives: 1 token so far, ")


def test_events_that_end_too_soon_or_name_an_error_are_failures_that_keep_what_came() -> None:
    error = {"error": {"message": "why", "code": 500}}
    for body, message, status, text in (
        (events(delta("a"), delta("b"), end=b""), "the stream ended before the reply did", None, "ab"),
        (events(delta("a"), delta("b"))[:-40], "the stream ended before the reply did", None, "a"),
        (events(delta("a"), error), "no proper answer: why", None, "a"),
        (events({"error": {"message": "why", "code": 429}}), "RateLimitError: why", 429, None),
        (events(), "no proper answer: it is no JSON object", None, None),
    ):
        found = failure_by("direct", streamed(body))
        assert (found.message, found.status, found.text, found.responded) == (message, status, text, True), body
        assert found.can_be_retried
    for refusal, sent in (("stream_options: extra", [{"stream": True}]), ("no streaming here", [{}])):
        told = CarriedService([(422, json.dumps({"detail": refusal}).encode(), {}), (200, completion(), {})])
        assert reply_by("direct", told).text == "[A]"
        assert [{name: body[name] for name in body if "stream" in name} for _, _, body in told.asked[1:]] == sent
    for line in ("hand1 -> dobj -> hand2\nhand2 -> dobj -> hand1\n", "x", "a sentence that is said again. " * 20):
        endless = [delta(line)] * 40_000
        reply = reply_by("direct", streamed(events(*endless[: 400_000 // len(line)], end=b"")))
        assert (reply.ending, reply.finish_reason) == (Ending.TRUNCATED, "it repeats itself"), line
        assert len(reply.text or "") < 70_000
    numbers = [delta(f'{{"source": "person{n}", "edge": "on", "target": "cup"}},\n') for n in range(2_000)]
    assert reply_by("direct", streamed(events(*numbers, STOP))).ending is Ending.COMPLETE


@pytest.fixture(scope="module")
def server() -> Iterator[Running]:
    """Yield a server that meets a prompt with the fault it names in brackets."""
    with model_server(
        always={f"<{fault}>": fault for fault in ("500", "429", "html", "cut", "hang", "pings")}
    ) as running:
        yield running


@pytest.mark.parametrize("client", ["direct", "litellm"])
def test_faults_on_the_wire_are_failures_in_words(client: Client, server: Running) -> None:
    def failure(fault: str, timeout: float = 50) -> CallFailed:
        return failure_by(client, server.base, messages=[{"role": "user", "content": f"<{fault}>"}], timeout=timeout)

    for fault, status in (("500", 500), ("429", 429), ("html", None), ("cut", None)):
        found = failure(fault)
        assert (found.status, found.can_be_retried, found.retry_after) == (status, True, 1.0 if status == 429 else None)
    seconds = 0.2 if client == "direct" else 2.0  # LiteLLM warns where time is up before the request is built
    hanging = failure("hang", timeout=seconds)
    assert (hanging.message, hanging.status) == (f"no answer within {seconds:g} s", None)
    assert client == "litellm" or failure("pings", timeout=seconds).message == hanging.message
    refused = failure_by(client, "http://127.0.0.1:9/v1")
    assert (refused.unreachable, refused.responded, refused.status) == (True, False, None)
    assert "0x" not in refused.message
    text = "x" * (3_000_000 if client == "direct" else 9)  # aiohttp warns LiteLLM, which sends it in one piece
    reply_by(client, server.base, messages=[{"role": "user", "content": text}])
    assert server.stats()["last"]["messages"][0]["content"] == text


class _Unix(ThreadingHTTPServer):
    address_family = socket.AF_UNIX

    def server_bind(self) -> None:
        self.socket.bind(str(self.server_address))
        self.server_name, self.server_port = "localhost", 0


class _Answer(Handler):
    """Answers, and keeps the first lines of requests."""

    lines: ClassVar[list[str]] = []

    def do_POST(self) -> None:  # noqa: N802
        self.rfile.read(int(self.headers["Content-Length"]))
        self.lines.append(self.requestline)
        body = completion()
        self.begin(200, {"Content-Length": str(len(body))})
        self.wfile.write(body)


def test_proxies_certificates_and_unix_sockets_are_named_by_address_and_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "llm.sock"
    base = f"http+unix://{str(path).replace('/', '%2F')}/v1"
    monkeypatch.setattr(_Answer, "lines", lines := list[str]())
    with serving(_Answer, _Unix, str(path)):
        assert reply_by("direct", base).text == "[A]"
    assert failure_by("direct", base).unreachable
    with serving(_Answer) as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.removeprefix("http://"))
        assert reply_by("direct", "http://llm.invalid/v1").text == "[A]"
    paths = ("/v1/chat/completions", "http://llm.invalid/v1/chat/completions")
    assert lines == [f"POST {path} HTTP/1.1" for path in paths]
    monkeypatch.setenv("HTTP_PROXY", "127.0.0.1:9")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1,::1")
    local = "http://127.0.0.1:9"
    free = dict.fromkeys(("http://[::1]:8/v1", f"{local}/v1", "https://llm.invalid"))
    addresses = {"http://[::2]:8/v1": local, **free}
    assert {address: direct_calls.proxy_for(address) for address in addresses} == addresses
    monkeypatch.setenv("ALL_PROXY", "https://other:1")
    assert direct_calls.proxy_for("https://llm.invalid/v1") == "https://other:1"
    monkeypatch.setenv("HTTP_PROXY", "socks5://me:word@127.0.0.1:9")
    with pytest.raises(UsageError, match=r"^socks5://127.0.0.1:9: only HTTP proxies") as caught:
        direct_calls.proxy_for("http://llm.invalid/v1")
    assert caught.value.hint == "name an HTTP proxy, or put llm.invalid into NO_PROXY"
    names = ("SSL_VERIFY", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE")
    for name in names:
        monkeypatch.delenv(name, raising=False)
    assert (direct_calls.certificates() or "").endswith("cacert.pem")
    for name in reversed(names):  # each goes before those set earlier
        (tmp_path / name).touch()
        monkeypatch.setenv(name, str(tmp_path / name))
        assert direct_calls.certificates() == str(tmp_path / name)
    monkeypatch.setenv("SSL_VERIFY", "False")
    assert direct_calls.certificates() is None


def test_connections_are_reused_and_closed_by_the_last_user(server: Running) -> None:
    async def work(base: str) -> list[bool]:
        providers = [DirectCalls(doors.settings_for(base)) for _ in range(2)]
        for provider in providers:
            provider.prepare()
        for number in range(3):
            prompts = [[{"role": "user", "content": f"{number} {place}"}] for place in range(8)]
            await asyncio.gather(*(providers[number % 2].send(one, None, 10) for one in prompts))
        (session,) = direct_calls.USERS.shared[asyncio.get_running_loop()].values()
        closed = []
        for provider in providers:
            await provider.close()
            closed.append(session.closed)
        return closed

    before = server.stats()["connections"]
    assert run(work(server.base)) == [False, True]
    assert server.stats()["connections"] - before <= 8 + 1


def test_direct_client_is_chosen_where_it_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    names: dict[Client, tuple[str, ...]] = {
        "direct": ("m", "gpt-4o", "gpt-5-chat", "gpt-oss-120b", "org/o3-mine"),
        "litellm": ("gpt-5", "gpt-4", "responses/m", "o3"),
    }
    choices: list[tuple[str, list[str], Client | None, Client]] = [
        ("hosted_vllm/m", [LOCAL], None, "direct"), ("openai/m", [LOCAL], "litellm", "litellm"),
        ("openai/m", [LOCAL, "organization=me"], None, "litellm"), ("openai/gpt-4o", [], None, "litellm"),
        ("openai/gpt-4o", ["api_base=https://api.openai.com/v1"], None, "litellm"),
        ("openai/gpt-4o", ["api_base=https://openai.com/v1"], None, "litellm"),
        ("openai/gpt-4o", [], "direct", "direct"), ("custom_openai/m", [LOCAL], None, "litellm"),
        ("m", [LOCAL], None, "litellm"), ("hosted_vllm/m", ["api_base=http+unix://%2Ftmp%2Fs/v1"], None, "direct"),
    ]  # fmt: skip
    choices += [(f"openai/{name}", [LOCAL], None, client) for client, found in names.items() for name in found]
    for model, arguments, chosen, client in choices:
        asked_for = settings(model, *arguments)
        assert client_of(asked_for, chosen) == client, (model, arguments, chosen)
        assert isinstance(provider_for(asked_for, None, chosen), DirectCalls if client == "direct" else LiteLlm)
        assert needs_litellm({model: asked_for}, chosen) is (client == "litellm")
    own = Settings("python:math:sqrt")
    assert isinstance(provider_for(own, None), UserModel) and not needs_litellm({own.model: own}, None)
    assert (client_given("direct"), client_given(None)) == ("direct", None)
    with pytest.raises(UsageError, match="client 'curl': there is no such client"):
        client_given("curl")
    socket_base, served = "api_base=http+unix://%2Ftmp%2Fs/v1", "it serves openai/NAME and hosted_vllm/NAME"
    refused: tuple[tuple[str, list[str], Client | None, str], ...] = (
        (CLAUDE, [], "direct", served),
        ("openai", [], "direct", served),
        ("hosted_vllm/m", [], "direct", "the address of the server is missing"),
        ("openai/gpt-5", [LOCAL], "direct", "parameters of its own"),
        ("openai/m", [LOCAL, "organization=me"], "direct", "it does not know organization"),
        ("openai/m", [socket_base], "litellm", "LiteLLM cannot ask a unix socket"),
        ("groq/m", [socket_base], None, "LiteLLM cannot ask a unix socket"),
    )
    for model, arguments, chosen, why in refused:
        with pytest.raises(UsageError, match=why) as caught:
            client_of(settings(model, *arguments), chosen)
        assert caught.value.hint
    monkeypatch.setenv("OPENAI_PROJECT_ID", "mine")
    assert [client_of(settings(model, LOCAL)) for model in ("openai/m", "hosted_vllm/m")] == ["litellm", "direct"]


def test_request_it_cannot_be_sure_of_is_left_to_a_thread() -> None:
    def called(inner: Callable[[], Any]) -> Any:  # noqa: ANN401
        return inner()

    def built_by(model: str | None, content: object, name: str = "completion") -> str:
        def builder(**request: object) -> str:
            if content == "broken":
                raise ValueError("no such role")
            return threading.current_thread().name

        builder.__module__, builder.__name__ = "litellm.main", name
        request = {} if model is None else {"model": model, "messages": [{"role": "user", "content": content}]}
        with Threads(thread_name_prefix="mine") as threads:
            return str(threads.submit(partial(called, partial(builder, **request))).result()).partition("_")[0]

    here = threading.current_thread().name
    assert built_by("openai/m", "Which?") == built_by("gemini/m", "Which?") == here
    for model, content, name in (
        (None, "", "completion"), ("bedrock/m", "Which?", "completion"), ("openai/m", [], "completion"),
        ("openai/m", "Which?", "embedding"),
    ):  # fmt: skip
        assert built_by(model, content, name) == "mine", (model, content, name)
    with Threads(thread_name_prefix="mine") as threads:
        for work in (threading.current_thread, partial(called, threading.current_thread)):
            assert threads.submit(work).result().name.startswith("mine")
    with pytest.raises(ValueError, match="no such role"):
        built_by("openai/m", "broken")
