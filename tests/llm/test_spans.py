"""Spans of model calls: their attributes by OpenTelemetry's conventions, and the settings they are sent by."""

from __future__ import annotations

from typing import Any

import pytest

from tsgkit.errors import UsageError
from tsgkit.llm.genai_attributes import (
    reply_attributes,
    request_attributes,
    span_name,
)
from tsgkit.llm.reply import Attempt, Ending, Reply, Usage
from tsgkit.llm.span_export import endpoint_of_environment, refused_settings, sizes
from tsgkit.llm.spans import Request

CHAT = Request("openai/gpt-4o", "http://h:8000/v1", [{"role": "user", "content": "Which?"}], dict, "answer", 2)


def test_attributes_of_a_request_name_model_provider_and_server() -> None:
    assert request_attributes(CHAT) == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "gpt-4o",
        "gen_ai.output.type": "text",
        "tsgkit.model": "openai/gpt-4o",
        "server.address": "h",
        "server.port": 8000,
        "tsgkit.label": "answer",
        "tsgkit.draw": 2,
    }
    assert request_attributes(CHAT._replace(has_schema=True))["gen_ai.output.type"] == "json"
    image = request_attributes(CHAT._replace(label="", model="gemini/imagen", endpoint="gemini api_version=1"))
    assert image == {
        "gen_ai.operation.name": "generate_content",
        "gen_ai.provider.name": "gcp.gemini",
        "gen_ai.request.model": "imagen",
        "gen_ai.output.type": "image",
        "tsgkit.model": "gemini/imagen",
    }
    own = request_attributes(CHAT._replace(model="python:mine:ask"))
    assert (own["gen_ai.provider.name"], own["gen_ai.request.model"]) == ("python", "python:mine:ask")
    for endpoint, port in (
        ("https://h", 443),
        ("http://h/v1 region=eu", 80),
        ("http+unix://%2Fs", None),
        ("http://", None),
    ):
        assert request_attributes(CHAT._replace(endpoint=endpoint)).get("server.port") == port, endpoint
    names = [span_name(CHAT._replace(model=model)) for model in ("gpt-4o", "groq/x/y")]
    assert names == ["chat gpt-4o", "chat x/y"]


def test_attributes_of_a_reply_count_only_what_was_asked_now() -> None:
    sent: dict[str, Any] = {"temperature": 0, "max_completion_tokens": 9, "seed": True, "user": 5, "stop": "a"}
    asked = CHAT._replace(parameters=lambda: sent)
    usage = Usage(100, 10, 4, 50, 0.25, 7)
    reply = Reply("[A]", model="m-1", response_id="r", usage=usage, attempts=(Attempt(1.0), Attempt(2.0)))
    known = {
        "tsgkit.source": "cache",
        "tsgkit.ending": "complete",
        "gen_ai.request.temperature": 0,
        "gen_ai.request.max_tokens": 9,
        "gen_ai.request.stop_sequences": ["a"],
        "gen_ai.response.model": "m-1",
        "gen_ai.response.id": "r",
        "gen_ai.response.finish_reasons": ["stop"],
    }
    assert reply_attributes(asked, reply, "cache") == known
    assert reply_attributes(asked, reply, "model") == known | {
        "tsgkit.source": "model",
        "tsgkit.tries": 2,
        "gen_ai.usage.input_tokens": 100,
        "gen_ai.usage.output_tokens": 10,
        "gen_ai.usage.cache_read.input_tokens": 50,
        "gen_ai.usage.cache_creation.input_tokens": 7,
        "gen_ai.usage.reasoning.output_tokens": 4,
        "tsgkit.cost_usd": 0.25,
    }
    failed = reply_attributes(CHAT, Reply(None, Ending.API_ERROR), "model")
    assert failed == {"tsgkit.source": "model", "tsgkit.ending": "api_error", "tsgkit.tries": 0}
    for reply, reason in (
        (Reply("a", Ending.TRUNCATED), "length"),
        (Reply(None, Ending.REFUSED), "content_filter"),
        (Reply("a", finish_reason="eos"), "eos"),
    ):
        assert reply_attributes(CHAT, reply, "cache")["gen_ai.response.finish_reasons"] == [reason]
    stops = reply_attributes(CHAT._replace(parameters=lambda: {"stop": ["a", 5]}), Reply("a"), "cache")
    assert stops["gen_ai.request.stop_sequences"] == ["a", "5"]


def test_settings_of_the_export_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_BSP_MAX_QUEUE_SIZE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.delenv("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", raising=False)
    assert endpoint_of_environment() == "http://localhost:4318/v1/traces"
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://h:1/")
    assert endpoint_of_environment() == "http://h:1/v1/traces"
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://h:2/x")
    assert endpoint_of_environment() == "http://h:2/x"
    assert (sizes(has_content=False), sizes(has_content=True)) == ((16_384, 512), (2_048, 32))
    monkeypatch.setenv("OTEL_BSP_MAX_QUEUE_SIZE", "100")
    assert (sizes(has_content=False), sizes(has_content=True)) == ((100, 100), (100, 32))
    monkeypatch.setenv("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "100")
    assert sizes(has_content=True) == (100, 100)
    monkeypatch.setenv("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "101")
    with pytest.raises(UsageError, match="OTEL_BSP_MAX_EXPORT_BATCH_SIZE is 101") as caught:
        sizes(has_content=True)
    assert "at most 100" in caught.value.hint
    for value in ("0", "-1", "many"):
        monkeypatch.setenv("OTEL_BSP_MAX_QUEUE_SIZE", value)
        with pytest.raises(UsageError, match=f"OTEL_BSP_MAX_QUEUE_SIZE is '{value}'"):
            sizes(has_content=True)
    with pytest.raises(UsageError, match=r"\(KeyError\)") as caught, refused_settings():
        raise KeyError("OTEL_BSP_MAX_QUEUE_SIZE")
    assert caught.value.hint == "correct or unset OTEL_BSP_MAX_QUEUE_SIZE"
