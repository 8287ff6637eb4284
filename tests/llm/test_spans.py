"""Spans of model calls: their attributes by OpenTelemetry's conventions, and the settings they are sent by."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from tsgkit.errors import UsageError
from tsgkit.llm.genai_attributes import reply_attributes, request_attributes, span_name
from tsgkit.llm.reply import Attempt, Ending, Reply, Usage
from tsgkit.llm.span_export import endpoint_of_environment, refused_settings, sizes
from tsgkit.llm.spans import Request

CHAT = Request("openai/gpt-4o", "http://h:8000/v1", [{"role": "user", "content": "Which?"}], dict, "answer", 2)


def told(system: str, attributes: Mapping[str, object]) -> dict[str, object]:
    return {f"{system}.{name}": value for name, value in attributes.items()}


def test_attributes_of_a_request_name_model_provider_and_server() -> None:
    chat = {"operation.name": "chat", "provider.name": "openai", "request.model": "gpt-4o", "output.type": "text"}
    own = {"model": "openai/gpt-4o", "label": "answer", "draw": 2}
    wanted = told("gen_ai", chat) | told("tsgkit", own) | {"server.address": "h", "server.port": 8000}
    assert request_attributes(CHAT) == wanted
    assert request_attributes(CHAT._replace(has_schema=True)) == wanted | {"gen_ai.output.type": "json"}
    image = {"operation.name": "generate_content", "provider.name": "gcp.gemini", "request.model": "imagen"}
    asked = CHAT._replace(label="", model="gemini/imagen", endpoint="gemini api_version=1")
    drawn = told("gen_ai", image | {"output.type": "image"}) | {"tsgkit.model": "gemini/imagen"}
    assert request_attributes(asked) == drawn
    mine = request_attributes(CHAT._replace(model="python:mine:ask"))
    assert (mine["gen_ai.provider.name"], mine["gen_ai.request.model"]) == ("python", "python:mine:ask")
    ports = {"https://h": 443, "http://h/v1 region=eu": 80, "http+unix://%2Fs": None, "http://": None}
    for endpoint, port in ports.items():
        assert request_attributes(CHAT._replace(endpoint=endpoint)).get("server.port") == port, endpoint
    names = [span_name(CHAT._replace(model=model)) for model in ("gpt-4o", "groq/x/y")]
    assert names == ["chat gpt-4o", "chat x/y"]


def test_attributes_of_a_reply_count_only_what_was_asked_now() -> None:
    sent: dict[str, Any] = {"temperature": 0, "max_completion_tokens": 9, "seed": True, "user": 5, "stop": "a"}
    asked = CHAT._replace(parameters=lambda: sent)
    usage = Usage(100, 10, 4, 50, 0.25, 7)
    reply = Reply("[A]", model="m-1", response_id="r", usage=usage, attempts=(Attempt(1.0), Attempt(2.0)))
    known = told("tsgkit", {"source": "cache", "ending": "complete"})
    known |= told("gen_ai.request", {"temperature": 0, "max_tokens": 9, "stop_sequences": ["a"]})
    known |= told("gen_ai.response", {"model": "m-1", "id": "r", "finish_reasons": ["stop"]})
    assert reply_attributes(asked, reply, "cache") == known
    tokens = {"input_tokens": 100, "output_tokens": 10, "cache_read.input_tokens": 50}
    tokens |= {"cache_creation.input_tokens": 7, "reasoning.output_tokens": 4}
    own = told("tsgkit", {"source": "model", "tries": 2, "cost_usd": 0.25})
    assert reply_attributes(asked, reply, "model") == known | own | told("gen_ai.usage", tokens)
    failed = reply_attributes(CHAT, Reply(None, Ending.API_ERROR), "model")
    assert failed == told("tsgkit", {"source": "model", "ending": "api_error", "tries": 0})
    for reply, reason in (
        (Reply("a", Ending.TRUNCATED), "length"),
        (Reply(None, Ending.REFUSED), "content_filter"),
        (Reply("a", finish_reason="eos"), "eos"),
    ):
        assert reply_attributes(CHAT, reply, "cache")["gen_ai.response.finish_reasons"] == [reason]
    stops = reply_attributes(CHAT._replace(parameters=lambda: {"stop": ["a", 5]}), Reply("a"), "cache")
    assert stops["gen_ai.request.stop_sequences"] == ["a", "5"]


def test_settings_of_the_export_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    queue, batch = "OTEL_BSP_MAX_QUEUE_SIZE", "OTEL_BSP_MAX_EXPORT_BATCH_SIZE"
    for name in ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT", queue, batch):
        monkeypatch.delenv(name, raising=False)
    assert endpoint_of_environment() == "http://localhost:4318/v1/traces"
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://h:1/")
    assert endpoint_of_environment() == "http://h:1/v1/traces"
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://h:2/x")
    assert endpoint_of_environment() == "http://h:2/x"
    assert (sizes(has_content=False), sizes(has_content=True)) == ((16_384, 512), (2_048, 32))
    monkeypatch.setenv(queue, "100")
    assert (sizes(has_content=False), sizes(has_content=True)) == ((100, 100), (100, 32))
    monkeypatch.setenv(batch, "100")
    assert sizes(has_content=True) == (100, 100)
    monkeypatch.setenv(batch, "101")
    with pytest.raises(UsageError, match=f"{batch} is 101") as caught:
        sizes(has_content=True)
    assert "at most 100" in caught.value.hint
    for value in ("0", "-1", "many"):
        monkeypatch.setenv(queue, value)
        with pytest.raises(UsageError, match=f"{queue} is '{value}'"):
            sizes(has_content=True)
    with pytest.raises(UsageError, match=r"\(KeyError\)") as caught, refused_settings():
        raise KeyError(queue)
    assert caught.value.hint == f"correct or unset {queue}"
