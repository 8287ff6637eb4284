"""The direct client: it sends what LiteLLM sends, by every way to a server, and is chosen where it fits."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from doors import Service, client_for, completion, run, service, settings_for
from image_server import png
from model_server import model_server

import tsgkit
from tsgkit.errors import UsageError
from tsgkit.llm import http_sessions
from tsgkit.llm.direct_calls import BUDGETS, DirectCalls
from tsgkit.llm.failures import CallFailed
from tsgkit.llm.images import ImageFile, content_of
from tsgkit.llm.litellm_calls import OWN_CLIENT, LiteLlm
from tsgkit.llm.providers import CLIENTS, client_of, provider_for
from tsgkit.llm.reply import Reply
from tsgkit.llm.settings import Client, parse, settings_of

ROOT = Path(tsgkit.__file__).parents[1]
MODELS = ("openai/m", "openai/gpt-4o", "openai/org/Qwen3-8B", "hosted_vllm/m", "hosted_vllm/gpt-4o")
SCHEMA = {"type": "json_schema", "json_schema": {"name": "a", "schema": {"type": "object"}, "strict": True}}
QUESTION = [{"role": "user", "content": "Where is the cup?"}]
FEW_SHOT = [
    {"role": "system", "content": "Answer in one word, \N{SNOWMAN}."},
    {"role": "user", "content": [{"type": "text", "text": "Which?"}]},
    {"role": "assistant", "content": "[kettle]"},
    *QUESTION,
]
REQUESTS: dict[str, list[str]] = {
    "none": [],
    "sampling": ["temperature=0", "top_p=0.3", "seed=3", "max_tokens=9", 'stop=["a", "b"]'],
    "logprobs": ["logprobs=true", "top_logprobs=5", 'logit_bias={"5": 1}', "max_completion_tokens=7"],
    "penalties": ["presence_penalty=0.5", "frequency_penalty=0.1", "repetition_penalty=1.1", "top_k=5", "min_p=0.1"],
    "other": ["service_tier=flex", "store=false", 'modalities=["text"]', 'response_format={"type": "json_object"}'],
    "extra_body": ["extra_body.top_k=5", "extra_body.kwargs.think=false", "temperature=0.2", "extra_body.seed=null"],
    "overriding": ["temperature=0.2", "extra_body.temperature=0.7", 'extra_body.response_format={"type": "text"}'],
    "headers": ["extra_headers.X-Team=a", "extra_headers.Authorization=Basic abc"],
}
SINGLE = (
    *("user=me", "reasoning_effort=low", "verbosity=low", "stop=null", "extra_body={}", "temperature=1", "seed=0"),
    *('thinking={"type": "enabled", "budget_tokens": 1024}', 'thinking={"type": "disabled"}', "safety_settings=[]"),
    'reasoning_effort={"effort": "low"}',
)


@pytest.fixture(autouse=True)
def _nothing_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    ends = ("_API_KEY", "_API_BASE", "_BASE_URL", "_PROXY")
    for name in [name for name in os.environ if name.upper().endswith(ends)]:
        monkeypatch.delenv(name)
    monkeypatch.setenv(OWN_CLIENT, "True")  # other tests ask providers for which LiteLLM's own client is turned off


@pytest.fixture(scope="module")
def told() -> Iterator[Service]:
    with service() as one:
        yield one


def reply_by(client: Client, base: str, *arguments: str, model: str = "openai/m", **how: object) -> Reply:
    """Return the reply to one request."""
    chosen: dict[str, Any] = {"messages": QUESTION, "schema": None, "key": "sk-loopback-key"} | how
    texts = [f"api_base={base}", *([f"api_key={chosen['key']}"] if chosen["key"] else []), *arguments]

    async def work() -> Reply:
        provider = client_for(settings_of(model, parse(texts, [model]), {}), None, client)
        provider.prepare()
        try:
            return await provider.send(chosen["messages"], chosen["schema"], 10)
        finally:
            await provider.close()

    return run(work())


def sent_by(
    told: Service,
    client: Client,
    *arguments: str,
    **how: Any,  # noqa: ANN401
) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the body that arrives, and those headers that matter."""
    reply_by(client, told.base, *arguments, **how)
    headers, body = told.asked[-1]
    return body, {name: headers[name] for name in ("authorization", "content-type", "x-team") if name in headers}


def sent_by_both(told: Service, *arguments: str, **how: Any) -> list[Any]:  # noqa: ANN401
    return [sent_by(told, client, *arguments, **how) for client in CLIENTS]


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("name", REQUESTS)
def test_both_clients_send_the_same(told: Service, model: str, name: str) -> None:
    direct, litellm = sent_by_both(told, *REQUESTS[name], model=model)
    assert direct == litellm


@pytest.mark.parametrize("model", MODELS)
def test_both_clients_send_the_same_messages_schema_and_images(told: Service, model: str, tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(data := png("a red cup"))
    image = ImageFile(tmp_path / "a.png", hashlib.sha256(data).hexdigest(), "image/png", 8, 6, len(data))
    shown = [{"role": "user", "content": content_of("Look:", image, "What is it?")}]
    for messages, schema in ((FEW_SHOT, None), (FEW_SHOT, SCHEMA), (shown, None), (shown, SCHEMA)):
        direct, litellm = sent_by_both(told, "temperature=0", model=model, messages=messages, schema=schema)
        assert direct == litellm
    assert direct[0]["messages"][0]["content"][1]["image_url"]["url"].startswith("data:image/png;base64,")


@pytest.mark.parametrize("model", ["openai/m", "hosted_vllm/m"])
@pytest.mark.parametrize("variable", ["", "OPENAI_API_KEY", "HOSTED_VLLM_API_KEY"])
def test_both_clients_send_the_same_key(
    told: Service, model: str, variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if variable:
        monkeypatch.setenv(variable, "sk-of-the-environment")
    direct, litellm = sent_by_both(told, model=model, key="")
    assert direct == litellm


@pytest.mark.parametrize("tail", ["", "/", "/chat/completions"])
def test_both_clients_ask_the_same_place(told: Service, tail: str) -> None:
    for client in CLIENTS:
        assert reply_by(client, told.base + tail).text == "[A]"


def outcome(client: Client, model: str, argument: str, *, is_given: bool) -> tuple[str, object]:
    """Return what becomes of one parameter: the body, or the reason why it is refused, and the notices."""
    name, _, value = argument.partition("=")
    arguments = [argument] if is_given else []
    defaults = {} if is_given else {name: json.loads(value) if value not in ("me", "low") else value}
    texts = ["api_base=http://127.0.0.1:9/v1", *arguments]
    provider = client_for(settings_of(model, parse(texts, [model]), defaults), None, client)
    try:
        provider.prepare()
    except UsageError as error:
        return error.message, error.hint
    return json.dumps(provider.sent, sort_keys=True), provider.notices


@pytest.mark.parametrize("model", MODELS)
def test_both_clients_take_and_refuse_the_same_parameters(model: str) -> None:
    for argument in SINGLE:
        for is_given in (True, False) if argument != "extra_body={}" else (True,):
            found = [outcome(client, model, argument, is_given=is_given) for client in CLIENTS]
            assert found[0] == found[1], argument


def test_a_budget_of_thinking_becomes_the_effort_litellm_makes_of_it() -> None:
    for budget in (0, 1, *(number + more for number, _ in BUDGETS[:-1] for more in (-1, 0, 1))):
        argument = f'thinking={{"type": "enabled", "budget_tokens": {budget}}}'
        found = [outcome(client, "hosted_vllm/m", argument, is_given=True) for client in CLIENTS]
        assert found[0] == found[1]


BODIES: dict[str, dict[str, Any]] = {
    "thoughts": {"content": "<think>hm</think>[B]"},
    "unfinished thoughts": {"content": "<think>hm"},
    "thoughts apart": {"content": "<think>hm</think>[B]", "reasoning_content": "hm"},
    "no content": {"content": None, "tool_calls": [{"id": "a", "function": {"name": "f", "arguments": ""}}]},
    "nested refusal": {"content": None, "provider_specific_fields": {"refusal": "no"}},
    "silent parts": {"content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "b"}]},
    "an image": {"content": [{"type": "image", "x": 1}]},
    "an object": {"content": {"a": 1}},
}
ENVELOPES: dict[str, dict[str, Any]] = {
    "usage of DeepSeek": {"usage": {"prompt_tokens": 9, "completion_tokens": 2, "prompt_cache_hit_tokens": 3}},
    "null usage": {"usage": {"prompt_tokens": None, "completion_tokens": None}},
    "no model": {"model": None},
    "no error": {"error": {}},
    "an error beside": {"error": {"message": "why"}},
    "a limit inside": {"error": {"message": "why", "code": 429}, "choices": None},
    "a fault inside": {"error": {"message": "why", "code": 500}, "choices": None},
}
REASONS = ("SAFETY", "RECITATION", "OTHER", "other", "content_filtered", "MAX_TOKENS", "eos_token", "abort", "who", "")


def result(client: Client, body: bytes, model: str = "openai/m") -> object:
    with service(200, body) as told:
        try:
            return reply_by(client, told.base, model=model)
        except CallFailed as found:
            return {name: value for name, value in vars(found).items() if name != "message"}


def test_both_clients_make_the_same_of_an_answer() -> None:
    usual = json.loads(completion())
    bodies = {name: completion(**message) for name, message in BODIES.items()}
    bodies |= {name: json.dumps(usual | more).encode() for name, more in ENVELOPES.items()}
    for reason in REASONS:
        choice = usual["choices"][0] | {"finish_reason": reason}
        bodies[f"reason {reason}"] = json.dumps(usual | {"choices": [choice]}).encode()
    for name, body in bodies.items():
        found = [result(client, body) for client in CLIENTS]
        if isinstance(found[0], dict) and "an error" not in name:
            assert found[0]["responded"]
        assert found[0] == found[1], name


def test_an_answer_is_read_although_its_usage_is_nonsense() -> None:
    body = json.dumps(json.loads(completion()) | {"usage": {"prompt_tokens": "7", "completion_tokens_details": [1]}})
    reply = result("direct", body.encode())
    assert isinstance(reply, Reply)
    assert (reply.text, reply.usage.total) == ("[A]", None)


def test_a_filter_is_known_by_its_code_alone() -> None:
    error = {"message": "rejected as a result of our safety system", "code": "content_policy_violation"}
    with service(400, json.dumps({"error": error}).encode()) as told, pytest.raises(CallFailed) as caught:
        reply_by("direct", told.base)
    assert caught.value.refused


def test_a_redirect_on_the_same_server_is_followed() -> None:
    with service(307, b"") as told:
        told.headers["Location"] = "/v1/chat/completions"  # where it is already
        with pytest.raises(CallFailed, match="redirects too often"):
            reply_by("direct", told.base)
        assert len(told.asked) == 21
        assert {json.dumps(body) for _, body in told.asked} == {json.dumps(told.asked[0][1])}


def test_a_header_takes_the_place_of_a_key_that_is_missing(told: Service) -> None:
    _, headers = sent_by(told, "direct", "extra_headers.authorization=Basic abc", key="")
    assert headers["authorization"] == "Basic abc"


def test_a_large_request_arrives_whole(told: Service) -> None:
    text = "x" * 3_000_000
    body, _ = sent_by(told, "direct", messages=[{"role": "user", "content": text}])
    assert body["messages"][0]["content"] == text


class _Unix(ThreadingHTTPServer):
    address_family = socket.AF_UNIX

    def server_bind(self) -> None:
        self.socket.bind(str(self.server_address))
        self.server_name, self.server_port = "localhost", 0


class _V6(ThreadingHTTPServer):
    address_family = socket.AF_INET6


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


def test_a_unix_socket_is_asked(tmp_path: Path) -> None:
    path = tmp_path / "llm.sock"
    server = _Unix(str(path), _Answer)  # type: ignore[arg-type]
    with serving(server):
        assert reply_by("direct", f"http+unix://{str(path).replace('/', '%2F')}/v1").text == "[A]"
    assert server.__dict__["lines"] == ["POST /v1/chat/completions HTTP/1.1"]
    with pytest.raises(CallFailed) as caught:
        reply_by("direct", f"http+unix://{str(path).replace('/', '%2F')}/v1")
    assert caught.value.unreachable


def test_an_ipv6_address_is_asked() -> None:
    server = _V6(("::1", 0), _Answer)
    with serving(server):
        assert reply_by("direct", f"http://[::1]:{server.server_address[1]}/v1").text == "[A]"


def test_a_proxy_of_the_environment_is_used_except_for_named_hosts(monkeypatch: pytest.MonkeyPatch) -> None:
    proxy = ThreadingHTTPServer(("127.0.0.1", 0), _Answer)
    with serving(proxy), service() as told:
        monkeypatch.setenv("HTTP_PROXY", f"127.0.0.1:{proxy.server_address[1]}")
        assert reply_by("direct", "http://llm.invalid/v1").text == "[A]"
        assert proxy.__dict__["lines"] == ["POST http://llm.invalid/v1/chat/completions HTTP/1.1"]
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        reply_by("direct", told.base)
        assert (len(told.asked), len(proxy.__dict__["lines"])) == (1, 1)
    monkeypatch.setenv("HTTP_PROXY", "socks5://me:word@127.0.0.1:9")
    with pytest.raises(UsageError, match=r"^socks5://127.0.0.1:9: only HTTP proxies"):
        reply_by("direct", "http://llm.invalid/v1")


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


def test_connections_are_reused_and_closed_by_the_last_user() -> None:
    async def work(base: str) -> list[bool]:
        providers = [DirectCalls(settings_for(base)) for _ in range(2)]
        for provider in providers:
            provider.prepare()
        for number in range(3):
            texts = (f"{number} {place}" for place in range(8))
            asked = [[{"role": "user", "content": text}] for text in texts]
            await asyncio.gather(*(providers[number % 2].send(one, None, 10) for one in asked))
        (session,) = http_sessions._SESSIONS[asyncio.get_running_loop()].values()
        closed = []
        for provider in providers:
            await provider.close()
            closed.append(session.closed)
        return closed

    with model_server(delay=0.02) as server:
        assert run(work(server.base)) == [False, True]
        assert server.stats()["connections"] <= 8 + 1


def test_a_session_that_is_left_open_is_closed_in_silence_at_the_end(told: Service) -> None:
    code = f"""
from tsgkit.agents.asker import ask_for
from tsgkit.agents.shared_model import shared_model
from tsgkit.llm.event_loop import run_in_background
from langchain_core.messages import HumanMessage
import sys
model = shared_model("openai/m", {{"model_arg": {{"api_base": "{told.base}"}}}})
print(run_in_background(lambda: ask_for(model, "tea")([HumanMessage("x")], label="answer")).text)
print([name for name in ("litellm", "openai", "httpx") if name in sys.modules])
"""
    result = subprocess.run(
        [sys.executable, "-W", "always", "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert (result.stdout, result.stderr) == ("[A]\n[]\n", "")


LOCAL = "api_base=http://127.0.0.1:9/v1"


@pytest.mark.parametrize(
    ("model", "arguments", "chosen", "client"),
    [
        ("openai/m", [LOCAL], None, "direct"),
        ("hosted_vllm/m", [LOCAL], None, "direct"),
        ("openai/gpt-4o", [LOCAL], None, "direct"),
        ("openai/m", [LOCAL], "litellm", "litellm"),
        ("openai/gpt-5", [LOCAL], None, "litellm"),
        ("openai/o3", [LOCAL], None, "litellm"),
        ("openai/gpt-oss-120b", [LOCAL], None, "direct"),
        ("openai/m", [LOCAL, "organization=me"], None, "litellm"),
        ("openai/gpt-4o", [], None, "litellm"),
        ("openai/gpt-4o", ["api_base=https://api.openai.com/v1"], None, "litellm"),
        ("openai/gpt-4o", [], "direct", "direct"),
        ("custom_openai/m", [LOCAL], None, "litellm"),
        ("anthropic/claude-sonnet-4-5", [LOCAL], None, "litellm"),
        ("m", [LOCAL], None, "litellm"),
        ("hosted_vllm/m", ["api_base=http+unix://%2Ftmp%2Fs/v1"], None, "direct"),
    ],
)
def test_the_direct_client_is_chosen_where_it_fits(
    model: str, arguments: list[str], chosen: Client | None, client: Client
) -> None:
    settings = settings_of(model, parse(arguments, [model]), {})
    assert client_of(settings, chosen) == client
    assert isinstance(provider_for(settings, None, chosen), DirectCalls if client == "direct" else LiteLlm)


@pytest.mark.parametrize(
    ("model", "arguments", "chosen", "why"),
    [
        ("anthropic/claude-sonnet-4-5", [], "direct", "it serves openai/NAME and hosted_vllm/NAME"),
        ("hosted_vllm/m", [], "direct", "the address of the server is missing"),
        ("openai/gpt-5", [LOCAL], "direct", "parameters of its own"),
        ("openai/m", ["api_base=http+unix://%2Ftmp%2Fs/v1"], "litellm", "LiteLLM cannot ask a unix socket"),
        ("groq/m", ["api_base=http+unix://%2Ftmp%2Fs/v1"], None, "LiteLLM cannot ask a unix socket"),
    ],
)
def test_a_client_that_cannot_ask_a_model_is_refused(
    model: str, arguments: list[str], chosen: Client | None, why: str
) -> None:
    with pytest.raises(UsageError, match=why) as caught:
        client_of(settings_of(model, parse(arguments, [model]), {}), chosen)
    assert caught.value.hint


def test_a_variable_that_only_the_package_of_openai_reads_asks_by_litellm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_PROJECT_ID", "mine")
    assert client_of(settings_for("http://127.0.0.1:9/v1")) == "litellm"
    assert client_of(settings_for("http://127.0.0.1:9/v1", model="hosted_vllm/m")) == "direct"


def test_a_key_of_openai_is_missed_at_once() -> None:
    with pytest.raises(UsageError, match="no key: OPENAI_API_KEY is not set"):
        DirectCalls(settings_of("openai/gpt-4o", (), {})).prepare()
