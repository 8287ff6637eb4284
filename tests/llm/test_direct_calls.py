"""The direct client: what it sends, what it makes of any answer, every way to a server, and when it is chosen."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from doors import (
    QUESTION,
    CarriedService,
    carried,
    completion,
    failure_by,
    reply_by,
    run,
    settings_for,
)
from model_server import Running, model_server

from tsgkit.errors import UsageError
from tsgkit.llm import direct_calls, http_sessions
from tsgkit.llm.direct_calls import DirectCalls
from tsgkit.llm.failures import CallFailed
from tsgkit.llm.litellm_calls import LiteLlm
from tsgkit.llm.prices import price_given, price_of
from tsgkit.llm.providers import client_given, client_of, needs_litellm, provider_for
from tsgkit.llm.reply import UNKNOWN, Ending, Usage
from tsgkit.llm.settings import Client, Settings, parse, settings_of
from tsgkit.llm.user_models import UserModel

LOCAL = "api_base=http://127.0.0.1:9/v1"


@pytest.fixture(autouse=True)
def _nothing_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    ends = ("_API_KEY", "_API_BASE", "_BASE_URL", "_PROXY")
    for name in [name for name in os.environ if name.upper().endswith(ends)]:
        monkeypatch.delenv(name)


def settings(model: str, *arguments: str, **defaults: object) -> Settings:
    return settings_of(model, parse(arguments, [model]), defaults)


def prepared(model: str, *arguments: str, **defaults: object) -> DirectCalls:
    provider = DirectCalls(settings(model, *arguments, **defaults))
    provider.prepare()
    return provider


def answered(**parts: object) -> CarriedService:
    """Return a service whose completion has these parts besides the usual ones."""
    return carried(200, json.loads(completion()) | parts)


# What is sent


def test_announced_request_is_the_one_that_is_sent() -> None:
    arguments = ["temperature=0.5", "extra_body.top_k=5", "extra_body.kwargs.think=false", "extra_headers.X-Team=a"]
    schema = {"type": "json_schema", "json_schema": {"name": "a"}}
    told = carried()
    reply_by("direct", told, *arguments, schema=schema)
    [(url, headers, body)] = told.asked
    assert url == "POST http://127.0.0.1:9/v1/chat/completions"
    assert body == prepared("openai/m", LOCAL, *arguments).sent | {"messages": QUESTION, "response_format": schema}
    assert (body["model"], body["temperature"], body["top_k"], body["kwargs"]) == ("m", 0.5, 5, {"think": False})
    assert (headers["x-team"], headers["authorization"]) == ("a", "Bearer sk-loopback-key")
    assert headers["content-type"] == "application/json"


def test_address_has_its_endpoint_before_the_query() -> None:
    for base, url in (
        ("http://h/v1", "http://h/v1/chat/completions"),
        ("http://h/v1/", "http://h/v1/chat/completions"),
        ("http://h/v1/chat/completions", "http://h/v1/chat/completions"),
        ("http://h/v1?version=2#x", "http://h/v1/chat/completions?version=2"),
        ("http://[::1]:9/v1", "http://[::1]:9/v1/chat/completions"),
    ):
        assert prepared("openai/m", f"api_base={base}")._url == url, base
    assert prepared("openai/gpt-4o", "api_key=x")._url == "https://api.openai.com/v1/chat/completions"


def test_key_is_the_given_one_else_that_of_the_environment_else_a_filler(monkeypatch: pytest.MonkeyPatch) -> None:
    def key(model: str, *arguments: str) -> str:
        return prepared(model, LOCAL, *arguments)._headers["Authorization"]

    assert (key("openai/m"), key("hosted_vllm/m")) == ("Bearer none", "Bearer fake-api-key")
    assert prepared("openai/m", LOCAL, "extra_headers.authorization=Basic abc")._headers["authorization"] == "Basic abc"
    assert key("openai/m", "api_key=sk-1", "extra_headers.authorization=Basic abc") == "Bearer sk-1"
    monkeypatch.setenv("OPENAI_API_KEY", "sk-openai")
    monkeypatch.setenv("HOSTED_VLLM_API_KEY", "sk-vllm")
    assert (key("openai/m"), key("hosted_vllm/m")) == ("Bearer sk-openai", "Bearer sk-vllm")
    monkeypatch.delenv("OPENAI_API_KEY")
    with pytest.raises(UsageError, match="no key: OPENAI_API_KEY is not set"):
        prepared("openai/gpt-4o")


def test_parameters_that_would_not_be_sent_are_refused_or_noted() -> None:
    for model, argument, why in (
        ("openai/m", "verbosity=low", r"openai does not support parameters: \['verbosity'\], for model=m"),
        ("hosted_vllm/m", "verbosity=low", "hosted_vllm does not support"),
        ("openai/m", "thinking={}", "openai does not support"),
        ("openai/gpt-4o", "reasoning_effort=low", "openai does not support"),
        ("openai/m", "stop=null", "would not be sent it"),
        ("openai/m", "user=me", "would not be sent it"),
        ("openai/m", "extra_body={}", "would not be sent it"),
        ("hosted_vllm/m", 'thinking={"type": "disabled"}', "would not be sent it"),
    ):
        with pytest.raises(UsageError, match=why) as caught:
            prepared(model, LOCAL, argument)
        assert f"extra_body.{argument.partition('=')[0]}=" in caught.value.hint
    provider = prepared("openai/m", LOCAL, "temperature=1", stop=None, seed=3)
    provider.prepare()
    assert provider.sent == {"model": "m", "temperature": 1, "seed": 3}
    assert provider.notices == ["openai/m: default stop=None is not sent: the provider would not be sent it"]
    assert prepared("openai/m", LOCAL, "reasoning_effort=low").sent["reasoning_effort"] == "low"
    assert prepared("openai/gpt-4o", LOCAL, "user=me").sent["user"] == "me"


def test_budget_of_thinking_becomes_an_effort() -> None:
    for budget, effort in (
        *((0, "minimal"), (1023, "minimal"), (1024, "low"), (2047, "low"), (2048, "medium"), (4095, "medium")),
        (4096, "high"),
    ):
        sent = prepared("hosted_vllm/m", LOCAL, f'thinking={{"type": "enabled", "budget_tokens": {budget}}}').sent
        assert sent == {"model": "m", "reasoning_effort": effort}, budget
    with pytest.raises(UsageError, match="would not be sent"):
        prepared("hosted_vllm/m", LOCAL, "reasoning_effort=low", 'thinking={"type": "enabled"}')


# What is made of an answer


def test_status_of_an_error_and_the_service_s_words_make_the_failure() -> None:
    names = {400: "BadRequestError", 401: "AuthenticationError", 403: "APIError", 404: "NotFoundError", 408: "Timeout"}
    names |= {422: "BadRequestError", 429: "RateLimitError", 500: "InternalServerError", 502: "BadGatewayError"}
    names |= {503: "ServiceUnavailableError", 504: "Timeout", 418: "APIError"}
    for status, name in names.items():
        found = failure_by("direct", carried(status, {"error": {"message": "why"}}, Retry_After="7"))
        assert (found.message, found.status, found.responded) == (f"{name}: why", status, True)
        assert found.retry_after == (7 if status in (429, 503) else None)
    code = {"error": {"message": "rejected", "code": "content_policy_violation"}}
    assert failure_by("direct", carried(400, code)).refused
    assert failure_by("direct", carried(429, {"error": {"message": "x", "code": "insufficient_quota"}})).unpaid
    assert failure_by("direct", carried(400, b"no json\nmore")).message == "BadRequestError: no json"


def test_answer_that_is_no_completion_is_a_failure_worth_another_try() -> None:
    for body, message in (
        (b"<html></html>", "no proper answer: it is no JSON object"),
        (b"", "no proper answer: it is no JSON object"),
        ({"a": 1}, "no proper answer: it holds no choices"),
        ({"choices": []}, "the answer holds no choices"),
        ({"choices": None}, "the answer is no chat completion"),
        ({"choices": [{}]}, "the answer is no chat completion"),
        ({"error": {"message": "why", "code": 500}, "choices": None}, "no proper answer: why"),
    ):
        found = failure_by("direct", carried(200, body))
        assert (found.message, found.status, found.responded, found.can_be_retried) == (message, None, True, True)
    for status in (300, 304):
        assert failure_by("direct", carried(status, b"")).message == f"no proper answer: status {status}"


def test_error_inside_an_answer_is_one_of_the_request_or_of_the_service() -> None:
    for code, status, message in (
        (None, 400, "BadRequestError: why"),
        (429, 429, "RateLimitError: why"),
        (499, 499, "APIError: why"),
        (500, None, "no proper answer: why"),
        ("odd", None, "no proper answer: why"),
    ):
        found = failure_by("direct", carried(200, {"error": {"message": "why", "code": code}}))
        assert (found.status, found.message) == (status, message), code


def test_texts_and_refusals_are_read_from_the_first_message() -> None:
    for message, text, ending in (
        ({"content": "[A]"}, "[A]", Ending.COMPLETE),
        ({"content": "<think>hm</think>[B]"}, "[B]", Ending.COMPLETE),
        ({"content": "[B]<think>hm</think>"}, "[B]<think>hm</think>", Ending.COMPLETE),
        ({"content": "<think>hm"}, "<think>hm", Ending.COMPLETE),
        ({"content": "<think>hm</think>[B]", "reasoning_content": "hm"}, "<think>hm</think>[B]", Ending.COMPLETE),
        ({"content": "<think>hm</think>[B]", "reasoning": "hm"}, "<think>hm</think>[B]", Ending.COMPLETE),
        ({"content": None}, None, Ending.EMPTY),
        ({"content": [{"type": "text", "text": "a"}, "b"]}, "ab", Ending.COMPLETE),
        ({"content": None, "refusal": "no"}, None, Ending.REFUSED),
        ({"content": None, "provider_specific_fields": {"refusal": "no"}}, None, Ending.REFUSED),
    ):
        reply = reply_by("direct", carried(200, completion(**message)))
        assert (reply.text, reply.ending, reply.finish_reason) == (text, ending, "stop"), message
    for content in ({"a": 1}, 7, [{"type": "image"}], True):
        assert failure_by("direct", carried(200, completion(content=content))).final, content
    choice = json.loads(completion())["choices"][0]
    reply = reply_by("direct", answered(choices=[choice | {"finish_reason": None}], model=None, id="r-1"))
    assert (reply.finish_reason, reply.model, reply.response_id) == ("stop", None, "r-1")


def test_usage_is_read_wherever_a_service_puts_it() -> None:
    for found, usage in (
        ({"prompt_tokens": 100, "completion_tokens": 10}, Usage(100, 10)),
        (
            {
                "prompt_tokens": 100,
                "completion_tokens": 10,
                "prompt_tokens_details": {"cached_tokens": 50, "cache_write_tokens": 3},
                "completion_tokens_details": {"reasoning_tokens": 4},
            },
            Usage(100, 10, 4, 50, written=3),
        ),
        ({"prompt_tokens": 9, "completion_tokens": 2, "prompt_cache_hit_tokens": 3}, Usage(9, 2, cached=3)),
        ({"prompt_tokens": 9, "completion_tokens": 2, "cache_read_input_tokens": 3}, Usage(9, 2, cached=3)),
        ({"prompt_tokens": 9, "completion_tokens": 2, "reasoning_tokens": 1}, Usage(9, 2, 1)),
        ({"prompt_tokens": 9, "completion_tokens": 2, "cache_creation_input_tokens": 4}, Usage(9, 2, written=4)),
        ({"prompt_tokens": 7}, Usage(7)),
        ({"prompt_tokens": 0, "completion_tokens": 7}, Usage(None, 7)),
        ({"prompt_tokens": 0, "completion_tokens": 0}, UNKNOWN),
        ({"prompt_tokens": "7", "completion_tokens_details": [1]}, UNKNOWN),
        (None, UNKNOWN),
        ({}, UNKNOWN),
    ):
        assert reply_by("direct", answered(usage=found)).usage == usage, found


def test_reply_costs_what_the_tier_costs_that_served_it() -> None:
    used = {"prompt_tokens": 1000, "completion_tokens": 100, "prompt_tokens_details": {"cached_tokens": 400}}
    standard = 600 * 1.25e-6 + 400 * 0.125e-6 + 100 * 10e-6
    for asked, served, cost in (("", "", standard), ("flex", "", standard / 2), ("flex", "default", standard)):
        arguments = [f"service_tier={asked}"] if asked else []
        parts: dict[str, Any] = {"usage": used} | ({"service_tier": served} if served else {})
        reply = reply_by("direct", answered(**parts), *arguments, price=price_of("openai/gpt-5", asked))
        assert reply.usage.cost == pytest.approx(cost), (asked, served)
    assert reply_by("direct", answered(usage=used), price=price_given("1000,2000")).usage.cost == pytest.approx(1.2)
    assert reply_by("direct", answered(usage={"prompt_tokens": 7}), price=price_given("1,2")).usage.cost is None
    assert reply_by("direct", answered(usage=used)).usage.cost is None


def test_redirects_are_followed_on_the_same_server_alone() -> None:
    for status, method in ((301, "GET"), (303, "GET"), (307, "POST"), (308, "POST")):
        told = CarriedService([(status, b"", {"Location": "/v2"}), (200, completion(), {})])
        assert reply_by("direct", told).text == "[A]"
        assert [url for url, _, _ in told.asked] == [
            "POST http://127.0.0.1:9/v1/chat/completions",
            f"{method} http://127.0.0.1:9/v2",
        ]
        assert ("messages" in told.asked[1][2]) is (method == "POST")
    endless = carried(307, b"", Location="/v2")
    assert failure_by("direct", endless).message == "no proper answer: it redirects too often"
    assert len(endless.asked) == 21
    for location in ("http://elsewhere/v1", "https://127.0.0.1:9/v1", "http://127.0.0.1:10/v1"):
        away = carried(307, b"", Location=location)
        found = failure_by("direct", away)
        assert (len(away.asked), found.misdirected, found.status) == (1, True, 307), location
        assert found.message.startswith("redirected from http://127.0.0.1:9 to ")


def test_response_is_read_no_further_than_its_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    body = completion(content="x" * 200_000)
    monkeypatch.setattr(direct_calls, "MOST_TEXT_BYTES", len(body))
    assert len(reply_by("direct", carried(200, body)).text or "") == 200_000
    monkeypatch.setattr(direct_calls, "MOST_TEXT_BYTES", len(body) - 1)
    found = failure_by("direct", carried(200, body))
    assert (found.message, found.final) == (f"the response is larger than {len(body) - 1:,} bytes", True)


# The wire


@pytest.fixture(scope="module")
def server() -> Iterator[Running]:
    """Yield a server that meets a prompt with the fault it names in brackets."""
    with model_server(always={f"<{fault}>": fault for fault in ("500", "429", "html", "cut", "hang")}) as running:
        yield running


@pytest.mark.parametrize("client", ["direct", "litellm"])
def test_faults_on_the_wire_are_failures_in_words(client: Client, server: Running) -> None:
    def failure(fault: str, timeout: float = 10) -> CallFailed:
        return failure_by(client, server.base, messages=[{"role": "user", "content": f"<{fault}>"}], timeout=timeout)

    for fault, status in (("500", 500), ("429", 429), ("html", None), ("cut", None)):
        found = failure(fault)
        assert (found.status, found.can_be_retried, found.retry_after) == (status, True, 1.0 if status == 429 else None)
    seconds = 0.2 if client == "direct" else 2.0  # LiteLLM warns where time is up before the request is built
    hanging = failure("hang", timeout=seconds)
    assert (hanging.message, hanging.status) == (f"no answer within {seconds:g} s", None)
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


@contextmanager
def serving(server: HTTPServer) -> Iterator[None]:
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Answer(BaseHTTPRequestHandler):
    """Answers, and keeps the first lines of requests in the server."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        lines: list[str] = self.server.__dict__.setdefault("lines", [])
        lines.append(self.requestline)
        body = completion()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def address_string(self) -> str:
        return "here"

    def log_message(self, format: str, *args: object) -> None:
        pass


def test_unix_socket_is_asked(tmp_path: Path) -> None:
    path = tmp_path / "llm.sock"
    base = f"http+unix://{str(path).replace('/', '%2F')}/v1"
    server = _Unix(str(path), _Answer)  # type: ignore[arg-type]
    with serving(server):
        assert reply_by("direct", base).text == "[A]"
    assert server.__dict__["lines"] == ["POST /v1/chat/completions HTTP/1.1"]
    assert failure_by("direct", base).unreachable


def test_proxy_of_the_environment_is_used_except_for_named_hosts(monkeypatch: pytest.MonkeyPatch) -> None:
    proxy = ThreadingHTTPServer(("127.0.0.1", 0), _Answer)
    with serving(proxy):
        monkeypatch.setenv("HTTP_PROXY", f"127.0.0.1:{proxy.server_address[1]}")
        assert reply_by("direct", "http://llm.invalid/v1").text == "[A]"
    assert proxy.__dict__["lines"] == ["POST http://llm.invalid/v1/chat/completions HTTP/1.1"]
    monkeypatch.setenv("NO_PROXY", "127.0.0.1,::1")
    assert http_sessions.proxy_for("http://[::1]:8000/v1") is None
    assert http_sessions.proxy_for("http://[::2]:8000/v1") is not None
    assert http_sessions.proxy_for("http://127.0.0.1:8000/v1") is None
    assert http_sessions.proxy_for("https://llm.invalid/v1") is None
    monkeypatch.setenv("ALL_PROXY", "https://other:1")
    assert http_sessions.proxy_for("https://llm.invalid/v1") == "https://other:1"
    monkeypatch.setenv("HTTP_PROXY", "socks5://me:word@127.0.0.1:9")
    with pytest.raises(UsageError, match=r"^socks5://127.0.0.1:9: only HTTP proxies") as caught:
        http_sessions.proxy_for("http://llm.invalid/v1")
    assert "NO_PROXY" in caught.value.hint


def test_certificates_come_from_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    names = ("SSL_VERIFY", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE")
    for name in names:
        monkeypatch.delenv(name, raising=False)
    assert (http_sessions.certificates() or "").endswith("cacert.pem")
    for name in reversed(names):  # each goes before those set earlier
        (tmp_path / name).touch()
        monkeypatch.setenv(name, str(tmp_path / name))
        assert http_sessions.certificates() == str(tmp_path / name)
    monkeypatch.setenv("SSL_VERIFY", "False")
    assert http_sessions.certificates() is None


def test_connections_are_reused_and_closed_by_the_last_user(server: Running) -> None:
    async def work(base: str) -> list[bool]:
        providers = [DirectCalls(settings_for(base)) for _ in range(2)]
        for provider in providers:
            provider.prepare()
        for number in range(3):
            asked = [[{"role": "user", "content": f"{number} {place}"}] for place in range(8)]
            await asyncio.gather(*(providers[number % 2].send(one, None, 10) for one in asked))
        (session,) = http_sessions._SESSIONS[asyncio.get_running_loop()].values()
        closed = []
        for provider in providers:
            await provider.close()
            closed.append(session.closed)
        return closed

    before = server.stats()["connections"]
    assert run(work(server.base)) == [False, True]
    assert server.stats()["connections"] - before <= 8 + 1


# The choice of a client


def test_direct_client_is_chosen_where_it_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    cases: tuple[tuple[str, list[str], Client | None, Client], ...] = (
        ("openai/m", [LOCAL], None, "direct"),
        ("hosted_vllm/m", [LOCAL], None, "direct"),
        ("openai/gpt-4o", [LOCAL], None, "direct"),
        ("openai/gpt-5-chat", [LOCAL], None, "direct"),
        ("openai/gpt-oss-120b", [LOCAL], None, "direct"),
        ("openai/org/o3-mine", [LOCAL], None, "direct"),
        ("openai/m", [LOCAL], "litellm", "litellm"),
        ("openai/gpt-5", [LOCAL], None, "litellm"),
        ("openai/gpt-4", [LOCAL], None, "litellm"),
        ("openai/responses/m", [LOCAL], None, "litellm"),
        ("openai/o3", [LOCAL], None, "litellm"),
        ("openai/m", [LOCAL, "organization=me"], None, "litellm"),
        ("openai/gpt-4o", [], None, "litellm"),
        ("openai/gpt-4o", ["api_base=https://api.openai.com/v1"], None, "litellm"),
        ("openai/gpt-4o", ["api_base=https://openai.com/v1"], None, "litellm"),
        ("openai/gpt-4o", [], "direct", "direct"),
        ("custom_openai/m", [LOCAL], None, "litellm"),
        ("m", [LOCAL], None, "litellm"),
        ("hosted_vllm/m", ["api_base=http+unix://%2Ftmp%2Fs/v1"], None, "direct"),
    )
    for model, arguments, chosen, client in cases:
        found = settings(model, *arguments)
        assert client_of(found, chosen) == client, (model, arguments, chosen)
        assert isinstance(provider_for(found, None, chosen), DirectCalls if client == "direct" else LiteLlm)
        assert needs_litellm({model: found}, chosen) is (client == "litellm")
    assert isinstance(provider_for(Settings("python:math:sqrt"), None), UserModel)
    assert not needs_litellm({"python:math:sqrt": Settings("python:math:sqrt")}, None)
    assert (client_given("direct"), client_given(None)) == ("direct", None)
    with pytest.raises(UsageError, match="client 'curl': there is no such client"):
        client_given("curl")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "mine")
    assert client_of(settings("openai/m", LOCAL)) == "litellm"
    assert client_of(settings("hosted_vllm/m", LOCAL)) == "direct"


def test_client_that_cannot_ask_a_model_is_refused() -> None:
    socket_base = "api_base=http+unix://%2Ftmp%2Fs/v1"
    cases: tuple[tuple[str, list[str], Client | None, str], ...] = (
        ("anthropic/claude-sonnet-4-5", [], "direct", "it serves openai/NAME and hosted_vllm/NAME"),
        ("openai", [], "direct", "it serves openai/NAME and hosted_vllm/NAME"),
        ("hosted_vllm/m", [], "direct", "the address of the server is missing"),
        ("openai/gpt-5", [LOCAL], "direct", "parameters of its own"),
        ("openai/m", [LOCAL, "organization=me"], "direct", "it does not know organization"),
        ("openai/m", [socket_base], "litellm", "LiteLLM cannot ask a unix socket"),
        ("groq/m", [socket_base], None, "LiteLLM cannot ask a unix socket"),
    )
    for model, arguments, chosen, why in cases:
        with pytest.raises(UsageError, match=why) as caught:
            client_of(settings(model, *arguments), chosen)
        assert caught.value.hint
