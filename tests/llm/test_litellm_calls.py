"""Both clients over real HTTP: what is sent is what the user asked for, and whatever comes back is understood."""

from __future__ import annotations

import asyncio
import gzip
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import pytest
from doors import (
    HASTE,
    WHERE,
    Service,
    asked,
    client_for,
    closing,
    completion,
    run,
    service,
    service_door,
    settings_for,
)
from model_server import Running, model_server

import tsgkit
from tsgkit.errors import UsageError
from tsgkit.llm import direct_calls, litellm_calls
from tsgkit.llm.budget import Budget
from tsgkit.llm.cache import ReplyCache
from tsgkit.llm.concurrency import RequestQueue
from tsgkit.llm.direct_calls import DirectCalls
from tsgkit.llm.door import Patience
from tsgkit.llm.failures import CallFailed, Unasked
from tsgkit.llm.keys import BY_THE_PACKAGE
from tsgkit.llm.litellm_calls import OWN_CLIENT, LiteLlm
from tsgkit.llm.prices import price_given, price_of
from tsgkit.llm.providers import CLIENTS
from tsgkit.llm.reply import UNKNOWN, Ending, Reply, Usage
from tsgkit.llm.secrets import Secrets
from tsgkit.llm.settings import Client, parse, settings_of

ROOT = Path(tsgkit.__file__).parents[1]
KEY = "sk-live-0123456789"
FAULTS = ("500", "502", "503", "504", "408", "400", "401", "403", "404", "422", "html", "cut", "nochoices")
ENDINGS = ("empty", "length", "filter", "refusal")
PROVIDERS = ("openai/m", "custom_openai/m", "hosted_vllm/m", "direct:openai/m", "direct:hosted_vllm/m")
"""Asked by LiteLLM's own client, through the ``openai`` package, by LiteLLM's own client without any switch, and
directly.
"""
OPENAI = ("openai/m", "direct:openai/m")


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.endswith(("_API_KEY", "_API_BASE", "_BASE_URL"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv(OWN_CLIENT, "")  # so that it is put back afterwards, whatever a test makes of it
    monkeypatch.delenv(OWN_CLIENT)


@pytest.fixture(scope="module")
def server() -> Iterator[Running]:
    """Yield a server that meets a prompt with the fault it names in brackets."""
    with model_server(always={f"<{fault}>": fault for fault in (*FAULTS, *ENDINGS, "hang")}) as running:
        yield running


def way_of(model: str) -> tuple[str, Client]:
    """Return the name of a model and the client it is to be asked by."""
    return model.removeprefix("direct:"), "direct" if model.startswith("direct:") else "litellm"


def sent_once(base: str, text: str = "Which?", *arguments: str, model: str = "openai/m", timeout: float = 10) -> Reply:
    """Return the reply to one request, or the ``CallFailed``."""

    name, client = way_of(model)

    async def work() -> Reply:
        settings = settings_for(base, *arguments, model=name)
        provider = client_for(settings, price_of(name, settings.tier), client)
        provider.prepare()
        try:
            return await provider.send([{"role": "user", "content": text}], None, timeout)
        finally:
            await provider.close()

    return run(work())


def failure(base: str, text: str = "Which?", model: str = "openai/m", timeout: float = 10) -> CallFailed:
    with pytest.raises(CallFailed) as caught:
        sent_once(base, text, model=model, timeout=timeout)
    return caught.value


def prepared(model: str, *arguments: str, **defaults: object) -> LiteLlm | DirectCalls:
    name, client = way_of(model)
    provider = client_for(settings_of(name, parse(arguments, [name]), defaults), None, client)
    provider.prepare()
    return provider


@pytest.mark.parametrize("model", PROVIDERS)
@pytest.mark.parametrize("status", [int(fault) for fault in FAULTS if fault.isdigit()])
def test_a_failure_has_its_status_and_the_service_s_own_words(server: Running, model: str, status: int) -> None:
    found = failure(server.base, f"<{status}>", model)
    assert found.message.count("this is error") == 1
    assert found.message.partition(": ")[2] == f"this is error {status}"
    assert found.status in ({400, 422} if status == 422 else {status})
    assert found.can_be_retried == (status == 408 or status >= 500)
    assert found.denied == (status in (401, 403, 404))


@pytest.mark.parametrize("model", PROVIDERS)
@pytest.mark.parametrize("fault", ["html", "cut", "nochoices"])
def test_a_broken_answer_has_no_status_and_is_worth_another_try(server: Running, model: str, fault: str) -> None:
    found = failure(server.base, f"<{fault}>", model)
    assert (found.status, found.can_be_retried, found.was_answered) == (None, True, False)
    assert "Exception" not in found.message
    assert "InternalServerError" not in found.message


@pytest.mark.parametrize("model", OPENAI)
def test_refused_connection_is_no_answer(model: str) -> None:
    found = failure("http://127.0.0.1:9/v1", model=model)
    assert (found.status, found.can_be_retried) == (None, True)
    assert "0x" not in found.message


@pytest.mark.parametrize("model", OPENAI)
def test_a_hanging_service_is_not_waited_for(model: str, server: Running) -> None:
    found = failure(server.base, "<hang>", model, timeout=0.2)
    assert (found.message, found.status) == ("no answer within 0.2 s", None)


@pytest.mark.parametrize("model", PROVIDERS)
def test_every_way_a_reply_can_end_is_told_apart(server: Running, model: str) -> None:
    found = {word: sent_once(server.base, f"<{word}>", model=model) for word in (*ENDINGS, "none")}
    assert {word: reply.ending for word, reply in found.items()} == {
        "empty": Ending.EMPTY,
        "length": Ending.TRUNCATED,
        "filter": Ending.REFUSED,
        "refusal": Ending.REFUSED,
        "none": Ending.COMPLETE,
    }
    assert found["refusal"].refusal == "I will not do that."
    assert found["length"].text


@pytest.mark.parametrize("model", PROVIDERS)
@pytest.mark.parametrize("code", ["content_filter", "content_policy_violation"])
def test_a_filtered_prompt_is_a_refusal_and_no_error(model: str, code: str) -> None:
    error = {"message": f"The prompt was filtered: {code}", "type": None, "param": "prompt", "code": code}
    with service(400, json.dumps({"error": error}).encode()) as told:
        assert failure(told.base, model=model).refused
        name, client = way_of(model)
        reply = run(closing(door := service_door(told.base, model=name, client=client), asked(door)))
    assert (reply.ending, len(told.asked), len(reply.attempts)) == (Ending.REFUSED, 2, 1)


def in_an_hour() -> str:
    return format_datetime(datetime.now(UTC) + timedelta(hours=1), usegmt=True)


@pytest.mark.parametrize("model", [*PROVIDERS, "anthropic/claude-sonnet-4-5"])
@pytest.mark.parametrize("status", [429, 503])
@pytest.mark.parametrize(
    ("headers", "least", "most"),
    [
        ({"Retry_After": "7"}, 7, 7),
        ({"Retry_After": "0.25"}, 0.25, 0.25),
        ({"retry_after_ms": "250"}, 0.25, 0.25),
        ({"retry_after_ms": "soon", "Retry_After": "7"}, 7, 7),
        ({"Retry_After": "in an hour"}, 3500, 3600),
        ({"Retry_After": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0, 0),
        ({"Retry_After": "-5"}, 0, 0),
    ],
)
def test_retry_after_is_read_in_every_form(
    model: str, status: int, headers: dict[str, str], least: float, most: float
) -> None:
    headers = {name: in_an_hour() if value == "in an hour" else value for name, value in headers.items()}
    with service(status, b'{"error": {"message": "slow down"}}', **headers) as told:
        found = failure(told.base, model=model)
    assert found.retry_after is not None
    assert least <= found.retry_after <= most
    assert found.message.endswith(": slow down")


@pytest.mark.parametrize("model", OPENAI)
@pytest.mark.parametrize("value", ["soon", "nan", "inf", ""])
def test_a_wait_that_makes_no_sense_is_none(model: str, value: str) -> None:
    with service(429, b'{"error": {"message": "slow down"}}', Retry_After=value) as told:
        assert failure(told.base, model=model).retry_after is None


@pytest.mark.parametrize(
    "body", [b"", b"{}", b"[]", b"null", b'"text"', b'{"choices": null}', b'{"choices": [{}]}', b"<html>\n</html>"]
)
@pytest.mark.parametrize("model", PROVIDERS)
def test_a_body_that_is_no_completion_is_a_failed_call(model: str, body: bytes) -> None:
    with service(200, body) as told:
        try:
            reply = sent_once(told.base, model=model)
        except CallFailed as found:
            assert found.can_be_retried
        else:
            assert (reply.ending, reply.text or "") == (Ending.EMPTY, "")


def with_usage(usage: dict[str, Any] | None, model: str = "openai/gpt-4o") -> Usage:
    body = json.loads(completion()) | ({} if usage is None else {"usage": usage})
    with service(200, json.dumps(body).encode()) as told:
        return sent_once(told.base, model=model).usage


@pytest.mark.parametrize("model", ["openai/gpt-4o", "direct:openai/gpt-4o"])
def test_usage_is_what_the_service_says(model: str) -> None:
    details = {"prompt_tokens_details": {"cached_tokens": 50}, "completion_tokens_details": {"reasoning_tokens": 4}}
    found = with_usage({"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110} | details, model)
    assert (found.prompt, found.completion, found.cached, found.reasoning) == (100, 10, 50, 4)
    assert found.cost == pytest.approx(50 * 2.5e-6 + 50 * 1.25e-6 + 10 * 1e-5)


USED: dict[str, Any] = {"prompt_tokens": 1000, "completion_tokens": 100, "total_tokens": 1100}
USED |= {"prompt_tokens_details": {"cached_tokens": 400}}
STANDARD = 600 * 0.25e-6 + 400 * 0.025e-6 + 100 * 2e-6
"""Dollars for this usage of gpt-5-mini; flex and batch cost half."""
PRIORITY = 600 * 0.45e-6 + 400 * 0.045e-6 + 100 * 3.6e-6


@pytest.mark.parametrize(
    ("asked_for", "served", "cost"),
    [
        ("", "", STANDARD),
        ("service_tier=flex", "", STANDARD / 2),
        ("service_tier=flex", "flex", STANDARD / 2),
        ("service_tier=flex", "default", STANDARD),
        ("extra_body.service_tier=flex", "", STANDARD / 2),
        ("service_tier=priority", "", PRIORITY),
        ("service_tier=auto", "priority", PRIORITY),
        ("", "priority", PRIORITY),
        ("service_tier=batch", "", STANDARD / 2),
        ("service_tier=batch", "batch", STANDARD / 2),
    ],
)
def test_a_reply_costs_what_its_service_tier_costs(asked_for: str, served: str, cost: float) -> None:
    more = {"service_tier": served} if served else {}
    with model_server(usage=USED, more=more) as running:
        reply = sent_once(running.base, "Which?", *filter(None, [asked_for]), model="openai/gpt-5-mini")
    assert reply.usage.cached == 400
    assert reply.usage.cost == pytest.approx(cost)


def test_a_tier_without_a_price_is_noted_once() -> None:
    settings = settings_of("openai/gpt-4o", parse([f"api_key={KEY}", "service_tier=flex"], ["openai/gpt-4o"]), {})
    provider = LiteLlm(settings, price_of("openai/gpt-4o", settings.tier))
    provider.prepare()
    provider.prepare()
    (notice,) = provider.notices
    assert "the price of service tier flex is not known" in notice


def test_tokens_written_to_a_prompt_cache_are_counted_at_their_price() -> None:
    used = {"input_tokens": 100, "cache_read_input_tokens": 400, "cache_creation_input_tokens": 500}
    used |= {"output_tokens": 100}
    content = [{"type": "text", "text": "[A]"}]
    body = {"id": "x", "type": "message", "role": "assistant", "model": "m", "content": content, "usage": used}
    model = "anthropic/claude-sonnet-4-5"
    with service(200, json.dumps(body | {"stop_reason": "end_turn"}).encode()) as told:
        found = sent_once(told.base, model=model).usage
    assert (found.prompt, found.cached, found.written) == (1000, 400, 500)
    cost = 100 * 3e-6 + 400 * 0.3e-6 + 500 * 3.75e-6 + 100 * 15e-6
    assert found.cost == pytest.approx(cost)
    price = price_of(model)
    assert price is not None
    assert price.of(found) == pytest.approx(cost)


@pytest.mark.parametrize("model", OPENAI)
@pytest.mark.parametrize("usage", [None, {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}, {}])
def test_usage_that_is_not_told_is_unknown(model: str, usage: dict[str, Any] | None) -> None:
    assert with_usage(usage, model) == UNKNOWN


@pytest.mark.parametrize("model", OPENAI)
def test_half_a_usage_is_half_known_and_costs_nobody_knows_what(model: str) -> None:
    assert with_usage({"prompt_tokens": 7}, model) == Usage(prompt=7)
    assert with_usage({"prompt_tokens": 0, "completion_tokens": 7, "total_tokens": 7}, model) == Usage(completion=7)


@pytest.mark.parametrize("model", [*OPENAI, "hosted_vllm/gpt-4o", "direct:hosted_vllm/gpt-4o", "fireworks_ai/m"])
def test_a_model_nobody_has_a_price_of_is_not_free(model: str) -> None:
    assert with_usage({"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}, model).cost is None


def test_a_price_given_goes_before_the_map() -> None:
    async def work(base: str) -> Reply:
        provider = LiteLlm(settings_for(base, model="openai/gpt-4o"), price_given("1000,2000"))
        provider.prepare()
        reply = await provider.send([{"role": "user", "content": "x"}], None, 10)
        await provider.close()
        return reply

    with model_server() as running:
        assert run(work(running.base)).usage.cost == pytest.approx(100 * 1e-3 + 10 * 2e-3)


def test_a_parameter_the_provider_does_not_take_is_refused_before_anything_is_sent() -> None:
    with pytest.raises(UsageError, match=r"anthropic/claude-sonnet-4-5 does not take seed: .*seed"):
        prepared("anthropic/claude-sonnet-4-5", "api_key=" + KEY, "seed=1")


@pytest.mark.parametrize("model", OPENAI)
def test_a_parameter_that_would_silently_be_dropped_is_refused(model: str) -> None:
    with pytest.raises(UsageError, match="does not take user") as caught:
        prepared(model, "api_base=http://127.0.0.1:9/v1", "user=me")
    assert "extra_body.user" in caught.value.hint


def test_a_default_the_provider_does_not_take_is_dropped_with_a_notice() -> None:
    provider = prepared("openai/gpt-5", "api_key=" + KEY, "reasoning_effort=low", temperature=0.1)
    assert provider.sent == {"model": "gpt-5", "reasoning_effort": "low"}
    (notice,) = provider.notices
    assert notice.startswith("openai/gpt-5: default temperature=0.1 is not sent: ")
    with pytest.raises(UsageError, match="openai/gpt-5 does not take temperature"):
        prepared("openai/gpt-5", "api_key=" + KEY, "temperature=0.1")


@pytest.mark.parametrize("tokens", [4096, 64000, 100])
def test_a_parameter_that_happens_to_be_the_provider_s_default_is_taken(tokens: int) -> None:
    provider = prepared("anthropic/claude-sonnet-4-5", "api_key=" + KEY, f"max_tokens={tokens}")
    assert provider.sent["max_tokens"] == tokens


@pytest.mark.parametrize("model", PROVIDERS)
def test_announced_request_is_the_one_that_arrives(model: str) -> None:
    arguments = ["temperature=0.5", "extra_body.top_k=5", "extra_body.kwargs.think=false", "max_tokens=9", "top_p=0.3"]
    with service() as told:
        provider = prepared(model, f"api_base={told.base}", *arguments, "extra_headers.X-Team=a", seed=3)
        sent_once(told.base, "Which?", *arguments, "seed=3", "extra_headers.X-Team=a", model=model)
    headers, body = told.asked[-1]
    assert body.pop("messages") == [{"role": "user", "content": "Which?"}]
    assert body == provider.sent
    assert body["kwargs"] == {"think": False}
    assert (body["temperature"], body["top_k"], body["seed"], body["top_p"]) == (0.5, 5, 3, 0.3)
    assert (headers["x-team"], headers["authorization"]) == ("a", "Bearer sk-loopback-key")


@pytest.mark.parametrize("client", CLIENTS)
def test_the_schema_arrives(client: Client, server: Running) -> None:
    schema = {"type": "json_schema", "json_schema": {"name": "a", "schema": {"type": "object"}, "strict": True}}
    door = service_door(server.base, 'response_format={"type": "json_object"}', client=client)
    run(closing(door, asked(door, "a schema", schema=schema)))
    assert server.stats()["last"]["response_format"] == schema


@pytest.mark.parametrize(
    ("model", "names"),
    [("openai/gpt-4o", "OPENAI_API_KEY"), ("gemini/g", "GOOGLE_API_KEY or GEMINI_API_KEY"), ("groq/x", "GROQ_API_KEY")],
)
def test_a_missing_key_is_named(model: str, names: str) -> None:
    with pytest.raises(UsageError, match=f"no key: {names} is not set"):
        prepared(model)


@pytest.mark.parametrize(
    ("variable", "model"),
    [("GEMINI_API_KEY", "gemini/g"), ("FIREWORKS_API_KEY", "fireworks_ai/m"), ("PERPLEXITY_API_KEY", "perplexity/m")],
)
def test_every_variable_a_provider_has_for_its_key_will_do(
    monkeypatch: pytest.MonkeyPatch, variable: str, model: str
) -> None:
    monkeypatch.setenv(variable, KEY)
    assert prepared(model)


def test_a_key_of_the_environment_is_sent_to_an_address_of_the_user_s(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FIREWORKS_API_KEY", KEY)
    with service() as told:
        door = service_door(told.base, model="fireworks_ai/m")
        provider = prepared("fireworks_ai/m", f"api_base={told.base}")
        run(closing(door, provider.send([{"role": "user", "content": "x"}], None, 10)))
    assert told.asked[0][0]["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize("model", [*PROVIDERS, "lm_studio/m", "litellm_proxy/m"])
def test_a_service_of_the_user_s_own_needs_no_key(model: str) -> None:
    with service() as told:
        provider = prepared(model, f"api_base={told.base}")

        async def work() -> Reply:
            reply = await provider.send([{"role": "user", "content": "x"}], None, 10)
            await provider.close()
            return reply

        assert run(work()).text == "[A]"


@pytest.mark.parametrize("model", ["nonsense/x", "nonsense"])
@pytest.mark.parametrize("arguments", [[], ["temperature=0"]])
def test_an_unknown_provider_is_said_in_plain_words(model: str, arguments: list[str]) -> None:
    with pytest.raises(UsageError, match=f"{model}: no provider is called so") as caught:
        prepared(model, *arguments)
    assert "PROVIDER/NAME" in caught.value.hint


def headers_sent(base: str, told: Service, model: str = "openai/m") -> dict[str, str]:
    sent_once(base, model=model)
    headers: dict[str, str] = told.asked[-1][0]
    return headers


def test_openai_is_asked_without_its_package_unless_somebody_relies_on_that(monkeypatch: pytest.MonkeyPatch) -> None:
    with service() as told:
        assert "x-stainless-lang" not in headers_sent(told.base, told)
        assert "x-stainless-lang" in headers_sent(told.base, told, "custom_openai/m")
        assert "x-stainless-lang" in headers_sent(told.base, told)
        monkeypatch.delenv(OWN_CLIENT)
        monkeypatch.setenv(OWN_CLIENT, "False")
        assert "x-stainless-lang" in headers_sent(told.base, told)


@pytest.mark.parametrize("name", BY_THE_PACKAGE[1:3])
def test_an_organisation_of_the_environment_is_told(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(name, "org-of-mine")
    with service() as told:
        assert "org-of-mine" in headers_sent(told.base, told).values()


def test_getting_ready_opens_no_connection_and_looks_nothing_up() -> None:
    code = """
import sys
opened = []
outside = ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto", "socket.sendmsg")
sys.addaudithook(lambda event, details: opened.append(event) if event in outside else None)
from tsgkit.llm.litellm_calls import LiteLlm
from tsgkit.llm.settings import Client, parse, settings_of
for model in ("openai/gpt-4o", "openai/gpt-5", "anthropic/claude-sonnet-4-5", "gemini/gemini-2.5-flash",
              "groq/x", "mistral/m", "hosted_vllm/m", "ollama_chat/llama3", "openrouter/openai/gpt-4o"):
    texts = ["api_key=sk-0123456789", "api_base=http://127.0.0.1:9/v1"]
    LiteLlm(settings_of(model, parse(texts, [model]), {"temperature": 0.1, "seed": 1})).prepare()
print(opened)
"""
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert (result.stdout, result.stderr) == ("[]\n", "")


@pytest.mark.parametrize("client", ["direct_calls.DirectCalls", "litellm_calls.LiteLlm"])
def test_no_log_shows_prompts_or_keys_even_when_debugging_is_asked_for(server: Running, client: str) -> None:
    module, _, name = client.partition(".")
    code = f"""
import asyncio, logging
logging.basicConfig(level=logging.DEBUG)
from tsgkit.llm.{module} import {name}
from tsgkit.llm.settings import Client, parse, settings_of
async def work():
    texts = ["api_key={KEY}", "api_base={server.base}", "seed=1"]
    provider = {name}(settings_of("openai/m", parse(texts, ["openai/m"]), {{}}))
    provider.prepare()
    for text in ("a secret prompt", "a secret prompt <500>", "a secret prompt <html>"):
        try:
            await provider.send([{{"role": "user", "content": text}}], None, 10)
        except Exception as error:
            print(type(error).__name__)
    await provider.close()
asyncio.run(work())
"""
    environment = os.environ | {"LITELLM_LOG": "DEBUG", "OPENAI_LOG": "debug", "DEBUG": "1"}
    command = [sys.executable, "-c", code]
    result = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT, env=environment)
    assert result.stdout == "CallFailed\nCallFailed\n"
    assert "secret prompt" not in result.stderr
    assert KEY not in result.stderr


def test_a_call_that_finds_its_reply_never_loads_litellm(tmp_path: Path) -> None:
    with service() as told:
        door = service_door(told.base, cache=ReplyCache(tmp_path))
        run(closing(door, asked(door)))
    code = f"""
import sys
from pathlib import Path
sys.path.insert(0, {str(Path(__file__).resolve().parents[1])!r})
from doors import asked, service_door, run
from tsgkit.llm.cache import ReplyCache
door = service_door("{told.base}", cache=ReplyCache(Path("{tmp_path}")))
print(run(asked(door)).text, "litellm" in sys.modules)
"""
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert result.stdout == "[A] False\n"


@pytest.mark.parametrize("client", CLIENTS)
def test_a_key_the_service_echoes_gets_through_nowhere(client: Client, tmp_path: Path) -> None:
    settings_key = f"api_key={KEY}"
    with model_server(
        echo_key=True, always={"<500>": "500", "<400>": "400", "<429>": "429"}, retry_after="0.01"
    ) as echoing:
        door = service_door(
            echoing.base, settings_key, client=client, secrets=Secrets([KEY]), cache=ReplyCache(tmp_path)
        )

        async def work() -> list[Reply]:
            return [await asked(door, text) for text in ("good", "<500>", "<400>", "<429>")]

        replies = run(closing(door, work()))
    assert "[redacted]" in (replies[0].text or "")
    assert all("[redacted]" in (reply.error or "") for reply in replies[1:])
    assert KEY not in repr(replies) + repr(door)
    assert all(KEY.encode() not in path.read_bytes() for path in tmp_path.iterdir())


@pytest.mark.parametrize("client", CLIENTS)
def test_a_run_through_many_faults_loses_nothing_it_could_have(client: Client) -> None:
    faults = {"429": 0.2, "500": 0.1, "cut": 0.05, "html": 0.05}
    patience = Patience(timeout=5, attempts=30, same_error=30, first_wait=0.002, longest_wait=0.01)
    with model_server(faults=faults, retry_after="0.01") as faulty:
        door = service_door(
            faulty.base, client=client, flow=RequestQueue(16), patience=patience, budget=(budget := Budget())
        )

        async def work() -> list[Reply]:
            return list(await asyncio.gather(*(asked(door, f"question {n}") for n in range(60))))

        replies = run(closing(door, work()))
        stats = faulty.stats()
    assert {reply.ending for reply in replies} == {Ending.COMPLETE}
    assert (stats["good"], stats["good_twice"]) == (60, 0)
    assert stats["seen"] == sum(len(reply.attempts) for reply in replies)
    assert budget.used_requests == stats["seen"] - stats["counts"]["429"], "who is turned away has asked nothing"
    assert stats["seen"] > 60


@pytest.mark.parametrize("client", CLIENTS)
def test_a_wrong_key_ends_the_subject_after_three_requests(client: Client) -> None:
    with model_server(always={"question": "401"}) as refusing:
        door = service_door(refusing.base, client=client, flow=RequestQueue(1))

        async def work() -> list[Reply | BaseException]:
            calls = (asked(door, f"question {n}") for n in range(8))
            return list(await asyncio.gather(*calls, return_exceptions=True))

        found = run(closing(door, work()))
        assert refusing.stats()["seen"] == 3
    assert [type(one) for one in found] == [Reply] * 3 + [Unasked] * 5


@pytest.mark.parametrize("client", CLIENTS)
def test_identical_errors_end_after_as_many_as_we_have_patience_for(client: Client, server: Running) -> None:
    door = service_door(server.base, client=client)
    reply = run(closing(door, asked(door, "<500> again and again")))
    assert (reply.ending, reply.status, len(reply.attempts)) == (Ending.API_ERROR, 500, HASTE.same_error)
    assert {(one.status, one.error) for one in reply.attempts} == {(500, "InternalServerError: this is error 500")}


def test_a_library_that_was_closed_can_be_used_again(server: Running) -> None:
    for number in range(2):
        assert sent_once(server.base, f"once more {number}").text


@pytest.mark.parametrize("client", CLIENTS)
def test_a_served_rate_is_found_and_kept(client: Client) -> None:
    with model_server(rate=40, retry_after="0.5") as limited:
        door = service_door(limited.base, client=client, flow=RequestQueue(32), patience=Patience(timeout=10))

        async def work() -> list[Reply]:
            wheres = [WHERE._replace(sample=str(n)) for n in range(100)]
            return list(await asyncio.gather(*(asked(door, f"q {w.sample}", where=w) for w in wheres)))

        replies = run(closing(door, work()))
        counts = limited.stats()["counts"]
    assert {reply.ending for reply in replies} == {Ending.COMPLETE}
    assert counts["429"] < 100


@pytest.mark.parametrize("model", OPENAI)
def test_services_say_errors_in_several_shapes(model: str) -> None:
    shapes: list[Any] = [{"error": {"message": "why"}}, {"error": "why"}, {"message": "why"}, {"detail": "why"}]
    for shape in shapes:
        with service(400, json.dumps(shape, indent=2).encode()) as told:
            assert failure(told.base, model=model).message == "BadRequestError: why"


@pytest.mark.parametrize("model", PROVIDERS)
@pytest.mark.parametrize(
    ("word", "ending"),
    [("model_length", Ending.TRUNCATED), ("who_knows", Ending.TRUNCATED), ("eos", Ending.COMPLETE)],
)
def test_only_known_good_endings_are_answers_and_the_raw_word_is_kept(model: str, word: str, ending: Ending) -> None:
    with model_server(always={"": f"reason:{word}"}) as server:
        reply = sent_once(server.base, model=model)
    assert (reply.ending, reply.finish_reason, bool(reply.text)) == (ending, word, True)


@pytest.mark.parametrize("model", OPENAI)
@pytest.mark.parametrize("word", ["error", "insufficient_system_resource"])
def test_an_answer_that_the_service_broke_off_is_worth_another_try(model: str, word: str) -> None:
    with model_server(always={"": f"reason:{word}"}) as server:
        found = failure(server.base, model=model)
    assert (found.can_be_retried, found.finish_reason, found.responded) == (True, word, True)


@pytest.mark.parametrize("model", [*PROVIDERS, "anthropic/claude-sonnet-4-5"])
def test_a_redirect_to_another_host_is_not_followed(model: str) -> None:
    with service() as elsewhere, service(307, b"", Location=f"{elsewhere.base}/chat/completions") as told:
        found = failure(told.base, model=model)
        assert (len(told.asked), elsewhere.asked) == (1, [])
    assert (found.can_be_retried, found.denied) == (False, True)
    assert "redirected from http://127.0.0.1:" in found.message
    assert "give it as api_base" in found.message


@pytest.mark.parametrize("model", PROVIDERS)
@pytest.mark.parametrize("packed", [False, True])
def test_a_response_is_read_no_further_than_its_limit(
    model: str, packed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (litellm_calls, direct_calls):
        monkeypatch.setattr(module, "MOST_TEXT_BYTES", 200_000)
    body = completion(content="x" * 1_000_000)
    headers = {"Content_Encoding": "gzip"} if packed else {}
    with service(200, gzip.compress(body) if packed else body, **headers) as told:
        found = failure(told.base, model=model)
        assert len(told.asked) == 1
    assert (found.message, found.final) == ("the response is larger than 200,000 bytes", True)


@pytest.mark.parametrize("model", OPENAI)
def test_a_packed_response_is_read(model: str) -> None:
    with service(200, gzip.compress(completion()), Content_Encoding="gzip") as told:
        assert sent_once(told.base, model=model).text == "[A]"


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (429, {"message": "You exceeded your plan", "code": "insufficient_quota"}),
        (429, {"message": "x", "code": "billing_hard_limit_reached"}),
        (429, {"message": "Quota exceeded, requests per day", "status": "RESOURCE_EXHAUSTED"}),
        (400, {"message": "Your credit balance is too low to access the API", "type": "invalid_request_error"}),
        (402, {"message": "Insufficient Balance"}),
    ],
)
@pytest.mark.parametrize("model", [*PROVIDERS, "anthropic/claude-sonnet-4-5"])
def test_a_refusal_for_quota_or_billing_is_told_from_a_limit(model: str, status: int, error: dict[str, Any]) -> None:
    with service(status, json.dumps({"error": error}).encode()) as told:
        found = failure(told.base, model=model)
    assert (found.denied, found.can_be_retried, found.throttled) == (True, False, False)


@pytest.mark.parametrize("model", OPENAI)
def test_a_quota_a_minute_is_a_limit(model: str) -> None:
    error = {"message": "You exceeded your current quota, requests per minute", "status": "RESOURCE_EXHAUSTED"}
    with service(429, json.dumps({"error": error}).encode()) as told:
        found = failure(told.base, model=model)
    assert (found.throttled, found.can_be_retried) == (True, True)
