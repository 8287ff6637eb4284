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

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from tsgkit.llm.images import identity_of
from tsgkit.llm.prices import provider_of
from tsgkit.llm.reply import Ending, Reply
from tsgkit.llm.user_models import is_own

Value = str | bool | int | float | Sequence[str]
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
NUMBERS = ("temperature", "top_p", "top_k", "max_tokens", "seed", "presence_penalty", "frequency_penalty")
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


class Request(NamedTuple):
    """A call of a model, before its reply."""

    model: str
    endpoint: str
    messages: list[dict[str, Any]]
    parameters: Callable[[], Mapping[str, Any]]
    """Returns what is sent to the model, which is known once it was asked."""
    label: str = ""
    """The name of the question; empty where an image is asked for."""
    draw: int = 0
    has_schema: bool = False


def request_attributes(request: Request) -> dict[str, Value]:
    """Return what is known before a model is asked."""
    is_python = is_own(request.model)
    provider = "python" if is_python else provider_of(request.model)
    output = "json" if request.has_schema else "text"
    attributes: dict[str, Value] = {
        "gen_ai.operation.name": "chat" if request.label else "generate_content",
        "gen_ai.provider.name": PROVIDERS.get(provider, provider),
        "gen_ai.request.model": request.model if is_python else request.model.partition("/")[2] or request.model,
        "gen_ai.output.type": output if request.label else "image",
        "tsgkit.model": request.model,
    }
    server = urlsplit(request.endpoint.partition(" ")[0])  # else the name of a provider, or a socket
    if server.scheme in ("http", "https") and server.hostname:
        usual_port = 443 if server.scheme == "https" else 80
        attributes |= {"server.address": server.hostname, "server.port": server.port or usual_port}
    if request.label:
        attributes |= {"tsgkit.label": request.label, "tsgkit.draw": request.draw}
    return attributes


def reply_attributes(request: Request, reply: Reply, source: str) -> dict[str, Value]:
    """Return what is known once a reply is there, without any text of prompt or reply."""
    attributes: dict[str, Value] = {"tsgkit.source": source, "tsgkit.ending": str(reply.ending)}
    sent = request.parameters()
    sent = {"max_tokens": sent.get("max_completion_tokens"), **sent}
    for name in NUMBERS:
        value = sent.get(name)
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            attributes[f"gen_ai.request.{name}"] = value
    stop = sent.get("stop")
    if stop and isinstance(stop, (str, list)):
        attributes["gen_ai.request.stop_sequences"] = [stop] if isinstance(stop, str) else [str(text) for text in stop]
    if reply.model:
        attributes["gen_ai.response.model"] = reply.model
    if reply.response_id:
        attributes["gen_ai.response.id"] = reply.response_id
    if reply.ending is not Ending.API_ERROR:
        attributes["gen_ai.response.finish_reasons"] = [reply.finish_reason or FINISH[reply.ending]]
    if source == "model":
        attributes["tsgkit.tries"] = len(reply.attempts)
        for kind, name in USAGE.items():
            if (tokens := getattr(reply.usage, kind)) is not None:
                attributes[f"gen_ai.usage.{name}"] = tokens
        if reply.usage.cost is not None:
            attributes["tsgkit.cost_usd"] = reply.usage.cost
    return attributes


def content_attributes(request: Request, reply: Reply | None) -> dict[str, list[dict[str, Any]]]:
    """Return prompt and reply as messages; of an image only its hash and type."""

    def parts(content: object) -> list[dict[str, Any]]:
        pieces = identity_of(content)
        if not isinstance(pieces, list):
            return [{"type": "text", "content": str(pieces)}]
        return [{"type": "text", "content": one["text"]} if one.get("type") == "text" else one for one in pieces]

    prompt = [{"role": message["role"], "parts": parts(message["content"])} for message in request.messages]
    attributes = {"gen_ai.input.messages": prompt}
    if reply is not None and (reply.text is not None or reply.refusal):
        answer, reason = parts(reply.text), reply.finish_reason or FINISH[reply.ending]
        if reply.text is None:
            answer, reason = [{"type": "refusal", "content": reply.refusal}], FINISH[Ending.REFUSED]
        attributes["gen_ai.output.messages"] = [{"role": "assistant", "parts": answer, "finish_reason": reason}]
    return attributes


def error_type(status: int | None, message: str | None) -> str:
    """Return the class of a failure: its status, ``timeout``, or the conventions' word for others.

    >>> error_type(429, "slow down"), error_type(None, "no answer within 5 s"), error_type(None, "cut")
    ('429', 'timeout', '_OTHER')
    """
    if status is not None:
        return str(status)
    return "timeout" if "no answer within" in (message or "") else "_OTHER"
