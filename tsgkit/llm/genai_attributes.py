"""Attributes of model calls by OpenTelemetry's semantic conventions for generative AI.

>>> from tsgkit.llm.reply import Reply, Usage
>>> request = Request("openai/gpt-4o", "http://127.0.0.1:8000/v1", [], lambda: {"temperature": 0}, label="answer")
>>> request_attributes(request)["gen_ai.request.model"], request_attributes(request)["server.port"]
('gpt-4o', 8000)
>>> reply_attributes(request, Reply("[cup]", usage=Usage(100, 10)), "model")["gen_ai.usage.input_tokens"]
100

Names that the conventions do not have begin with ``tsgkit.``. Tokens and cost are given only where the model was asked
now, so that sums over spans are what was really used. Prompts and replies are in :func:`content_attributes` alone.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

from tsgkit.llm.images import identity_of
from tsgkit.llm.prices import provider_of
from tsgkit.llm.reply import Ending, Reply
from tsgkit.llm.spans import Request, Value
from tsgkit.llm.user_models import is_own

PROVIDERS = {
    "azure": "azure.ai.openai",
    "azure_ai": "azure.ai.inference",
    "bedrock": "aws.bedrock",
    "bedrock_converse": "aws.bedrock",
    "cohere_chat": "cohere",
    "gemini": "gcp.gemini",
    "mistral": "mistral_ai",
    "vertex_ai": "gcp.vertex_ai",
    "watsonx": "ibm.watsonx.ai",
    "xai": "x_ai",
}
"""The conventions' names of providers, where LiteLLM's differ."""
NUMBERS = {
    "temperature": "temperature",
    "top_p": "top_p",
    "top_k": "top_k",
    "max_tokens": "max_tokens",
    "max_completion_tokens": "max_tokens",
    "seed": "seed",
    "presence_penalty": "presence_penalty",
    "frequency_penalty": "frequency_penalty",
}
"""Numeric parameters, and their names after ``gen_ai.request.``."""
USAGE = {
    "prompt": "input_tokens",
    "completion": "output_tokens",
    "cached": "cache_read.input_tokens",
    "written": "cache_creation.input_tokens",
    "reasoning": "reasoning.output_tokens",
}
"""Kinds of tokens, and their names after ``gen_ai.usage.``."""
FINISH = {
    Ending.COMPLETE: "stop",
    Ending.EMPTY: "stop",
    Ending.TRUNCATED: "length",
    Ending.REFUSED: "content_filter",
    Ending.API_ERROR: "error",
    Ending.MISSING: "error",
}


def operation_of(request: Request) -> str:
    """Return the operation: ``chat``, or ``generate_content`` where an image is made."""
    return "generate_content" if request.makes_image else "chat"


def span_name(request: Request) -> str:
    """Return the name of a call's span: operation and model."""
    return f"{operation_of(request)} {_model(request)}"


def request_attributes(request: Request) -> dict[str, Value]:
    """Return what is known before a model is asked."""
    provider = "python" if is_own(request.model) else provider_of(request.model)
    found: dict[str, Value] = {
        "gen_ai.operation.name": operation_of(request),
        "gen_ai.provider.name": PROVIDERS.get(provider, provider),
        "gen_ai.request.model": _model(request),
        "gen_ai.output.type": "image" if request.makes_image else "json" if request.has_schema else "text",
        "tsgkit.model": request.model,
        **_server(request.endpoint),
    }
    if request.label:
        found |= {"tsgkit.label": request.label, "tsgkit.draw": request.draw}
    return found


def reply_attributes(request: Request, reply: Reply, source: str) -> dict[str, Value]:
    """Return what is known once a reply is there, without any text of prompt or reply."""
    found: dict[str, Value] = {"tsgkit.source": source, "tsgkit.ending": str(reply.ending)}
    found |= _parameters(request.parameters())
    if reply.model:
        found["gen_ai.response.model"] = reply.model
    if reply.response_id:
        found["gen_ai.response.id"] = reply.response_id
    if reply.ending is not Ending.API_ERROR:
        found["gen_ai.response.finish_reasons"] = [_finish_reason(reply)]
    if source == "model":
        found["tsgkit.tries"] = len(reply.attempts)
        found |= {f"gen_ai.usage.{USAGE[name]}": value for name, value in _used(reply)}
        if reply.usage.cost is not None:
            found["tsgkit.cost_usd"] = reply.usage.cost
    return found


def content_attributes(request: Request, reply: Reply | None, redact: Callable[[object], object]) -> dict[str, Value]:
    """Return prompt and reply as messages in JSON; of an image only its hash and type."""
    told = {"gen_ai.input.messages": [_message(one["role"], one["content"]) for one in request.messages]}
    if reply is not None and reply.text is not None:
        told["gen_ai.output.messages"] = [_message("assistant", reply.text, finish_reason=_finish_reason(reply))]
    elif reply is not None and reply.refusal:
        parts = [{"type": "refusal", "content": reply.refusal}]
        told["gen_ai.output.messages"] = [{"role": "assistant", "parts": parts, "finish_reason": "content_filter"}]
    return {name: json.dumps(redact(value), ensure_ascii=False) for name, value in told.items()}


def error_type(status: int | None, message: str | None) -> str:
    """Return the class of a failure: its status, ``timeout``, or the conventions' word for others.

    >>> error_type(429, "slow down"), error_type(None, "no answer within 5 s"), error_type(None, "cut")
    ('429', 'timeout', '_OTHER')
    """
    if status is not None:
        return str(status)
    return "timeout" if "no answer within" in (message or "") else "_OTHER"


def _model(request: Request) -> str:
    """Return a model's name as its service knows it."""
    return request.model if is_own(request.model) else request.model.partition("/")[2] or request.model


def _server(endpoint: str) -> dict[str, Value]:
    """Return host and port of an endpoint; none where it is the name of a provider, or a socket."""
    parts = urlsplit(endpoint.partition(" ")[0])
    if parts.scheme not in ("http", "https") or not parts.hostname:
        return {}
    return {"server.address": parts.hostname, "server.port": parts.port or (443 if parts.scheme == "https" else 80)}


def _parameters(sent: Mapping[str, Any]) -> dict[str, Value]:
    found: dict[str, Value] = {
        f"gen_ai.request.{NUMBERS[name]}": value
        for name, value in sent.items()
        if name in NUMBERS and isinstance(value, (int, float)) and not isinstance(value, bool)
    }
    stop = sent.get("stop")
    if stop and isinstance(stop, (str, list)):
        found["gen_ai.request.stop_sequences"] = [stop] if isinstance(stop, str) else [str(one) for one in stop]
    return found


def _used(reply: Reply) -> Iterator[tuple[str, int]]:
    for name in USAGE:
        value = getattr(reply.usage, name)
        if value is not None:
            yield name, value


def _finish_reason(reply: Reply) -> str:
    return reply.finish_reason or FINISH[reply.ending]


def _message(role: str, content: object, **more: str) -> dict[str, object]:
    parts = identity_of(content)
    listed = parts if isinstance(parts, list) else [{"type": "text", "text": str(parts)}]
    return {"role": role, "parts": [_part(part) for part in listed], **more}


def _part(part: dict[str, Any]) -> dict[str, Any]:
    return {"type": "text", "content": part["text"]} if part.get("type") == "text" else part
