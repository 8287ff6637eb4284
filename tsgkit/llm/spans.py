"""Spans of a job by OpenTelemetry: one for the job, one for each unit of work, one for each call of a model.

    with Tracing(Traces(), secrets, "tsgkit eval", lambda: {"tsgkit.version": "0.2.0"}) as tracing:
        with unit("item", lambda: {"tsgkit.item.id": "bread/1"}):
            ...                                 # calls of models by a door
    tracing.trouble                             # why spans could not be sent; empty if all were

Without a ``Tracing`` around them, units and calls leave no trace. Tasks started inside inherit it, so that a call knows
the unit that it belongs to. A program that has a tracer provider of its own keeps it: spans go there, and sending them
is that program's business. Otherwise OpenTelemetry's own exporter sends them as OTLP over HTTP, in a thread of the SDK,
as the standard variables say (``OTEL_EXPORTER_OTLP_ENDPOINT``, ``OTEL_SERVICE_NAME`` and so on), and those that arrived
are counted. A queue of limited length, which drops the oldest, keeps a collector that fails from slowing the job.

Attributes follow OpenTelemetry's semantic conventions for generative AI:

>>> from tsgkit.llm.reply import Usage
>>> request = Request("openai/gpt-4o", "http://127.0.0.1:8000/v1", [], lambda: {"temperature": 0}, label="answer")
>>> request_attributes(request)["gen_ai.request.model"], request_attributes(request)["server.port"]
('gpt-4o', 8000)
>>> reply_attributes(request, Reply("[cup]", usage=Usage(100, 10)), "model")["gen_ai.usage.input_tokens"]
100

Names that the conventions do not have begin with ``tsgkit.``. Tokens and cost are given only where the model was asked
now, so that sums over spans are what was really used. Prompts and replies are in :func:`content_attributes` alone.
"""

from __future__ import annotations

import asyncio
import http.client
import json
import logging
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

from tsgkit.errors import ExtraMissing, TsgkitError, UsageError
from tsgkit.llm.failures import NotFinished
from tsgkit.llm.images import identity_of
from tsgkit.llm.reply import PAINT, Attempt, Ending, Reply
from tsgkit.llm.secrets import Secrets, without_login
from tsgkit.llm.settings import is_web_address, provider_of
from tsgkit.llm.user_models import is_own
from tsgkit.version import __version__

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import ReadableSpan
    from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult
    from opentelemetry.trace import Span, TracerProvider

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
FINISH = dict.fromkeys(Ending, "stop") | {Ending.TRUNCATED: "length", Ending.REFUSED: "content_filter"}
FINISH |= dict.fromkeys((Ending.API_ERROR, Ending.MISSING), "error")
Attributes = Callable[[], Mapping[str, Value]]
"""Attributes, computed only if spans are made."""
Note = Callable[[Attributes], None]
Answered = Callable[[Reply, str], None]
"""Takes the reply of a call and its source: the reply's own, or ``record``."""
RECORD = "record"
"""The source of a reply that an earlier part of the same run recorded."""
FAILED = "error.type"
"""The attribute of failed units and calls; it makes a span an error."""
PROTOCOL = "http/protobuf"
PATIENCE, SHORT_PATIENCE, LONGEST = 5.0, 2.5, 30.0
"""Seconds at the end without a batch that arrives, those where the collector refuses them, and those in all."""
QUEUE, QUEUE_OF_CONTENT = 16_384, 2_048
BATCH, BATCH_OF_CONTENT = 512, 32
"""Spans waiting, and spans in a request, at most: collectors refuse large requests, and prompts are long."""
CREDENTIALS = "OTEL_PYTHON_EXPORTER_OTLP_HTTP_TRACES_CREDENTIAL_PROVIDER"
"""A variable of the SDK that names a session to send by, which is then not replaced."""


class Request(NamedTuple):
    """A call of a model, before its reply."""

    model: str
    endpoint: str
    messages: list[dict[str, Any]]
    parameters: Callable[[], Mapping[str, Any]]
    """Returns what is sent to the model, which is known once it was asked."""
    label: str
    """The name of the question."""
    draw: int = 0
    has_schema: bool = False


def request_attributes(request: Request) -> dict[str, Value]:
    """Return what is known before a model is asked."""
    is_python = is_own(request.model)
    provider = "python" if is_python else provider_of(request.model)
    output = "json" if request.has_schema else "text"
    attributes: dict[str, Value] = {
        "gen_ai.operation.name": "generate_content" if request.label == PAINT else "chat",
        "gen_ai.provider.name": PROVIDERS.get(provider, provider),
        "gen_ai.request.model": request.model if is_python else request.model.partition("/")[2] or request.model,
        "gen_ai.output.type": "image" if request.label == PAINT else output,
        "tsgkit.model": request.model,
        "tsgkit.label": request.label,
        "tsgkit.draw": request.draw,
    }
    server = urlsplit(request.endpoint.partition(" ")[0])  # else the name of a provider, or a socket
    if server.scheme in ("http", "https") and server.hostname:
        usual_port = 443 if server.scheme == "https" else 80
        attributes |= {"server.address": server.hostname, "server.port": server.port or usual_port}
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
        return [{"type": "text", "content": it["text"]} if it.get("type") == "text" else it for it in pieces]

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


@dataclass(frozen=True)
class Traces:
    """The wish to have spans sent, with or without prompts and replies."""

    content: bool = False


def traces_of(options: Mapping[str, Any]) -> Traces | None:
    """Return the traces that options wish for.

    Raise ``UsageError`` for a missing extra, and for settings by which no span would arrive.
    """
    traces = Traces(bool(options.get("otel_content")))
    if not options.get("otel"):
        if traces.content:
            raise UsageError("--otel-content is about spans, and none are sent", hint="add --otel")
        return None
    with refused_settings():  # the SDK reads some variables as it is imported
        try:
            import opentelemetry.exporter.otlp.proto.http.trace_exporter
            import opentelemetry.sdk.trace.export  # noqa: F401
        except ImportError:
            raise ExtraMissing("spans are sent", "OpenTelemetry", "otel") from None
    if provider_of_program() is not None:
        return traces
    for name in ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"):
        if os.environ.get(name, PROTOCOL) not in ("", PROTOCOL):
            raise UsageError(f"{name} is {os.environ[name]!r}, and spans are sent by {PROTOCOL}", hint=f"unset {name}")
    if not is_web_address(endpoint_of_environment()):
        hint = "as in OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4318"
        raise UsageError("the endpoint of OTEL_EXPORTER_OTLP_ENDPOINT is no address of a collector", hint=hint)
    SpanExport(has_content=traces.content, redact=lambda value: value).finish()
    return traces


def provider_of_program() -> TracerProvider | None:
    """Return the tracer provider that the program has set; None if it has none."""
    from opentelemetry.trace import ProxyTracerProvider, get_tracer_provider

    provider = get_tracer_provider()
    return None if isinstance(provider, ProxyTracerProvider) else provider


@contextmanager
def refused_settings() -> Iterator[None]:
    """Turn an exception of the SDK into a ``UsageError`` that names variables, and none of their values."""
    try:
        yield
    except TsgkitError:
        raise
    except Exception as error:  # noqa: BLE001 - the SDK and its plugins raise whatever they like
        variables = sorted(name for name in os.environ if name.startswith("OTEL_"))
        blamed = [name for name in variables if name in str(error)] or variables
        problem = f"OpenTelemetry refuses the settings in the variables OTEL_* ({type(error).__name__})"
        raise UsageError(problem, hint=f"correct or unset {', '.join(blamed)}" if blamed else "") from None


def endpoint_of_environment() -> str:
    """Return the address that spans are sent to."""
    base = os.environ.get("OTEL_EXPORTER_OTLP_ENDPOINT") or "http://localhost:4318"
    return os.environ.get("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") or f"{base.removesuffix('/')}/v1/traces"


def sizes(*, has_content: bool) -> tuple[int, int]:
    """Return the most spans that wait, and the most in a request. Raise ``UsageError`` if variables name others that
    are none."""

    def number(name: str, usual: int) -> int:
        text = os.environ.get(name, "").strip()
        if text and not (text.isdecimal() and int(text)):
            raise UsageError(f"{name} is {text!r:.40}, and not a number above 0", hint=f"unset {name}")
        return int(text or usual)

    size = number("OTEL_BSP_MAX_QUEUE_SIZE", QUEUE_OF_CONTENT if has_content else QUEUE)
    usual = min(size, BATCH_OF_CONTENT if has_content else BATCH)
    batch = number("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", usual)
    if batch > size:
        hint = f"at most {size}, the size of the queue (OTEL_BSP_MAX_QUEUE_SIZE)"
        raise UsageError(f"OTEL_BSP_MAX_EXPORT_BATCH_SIZE is {batch}", hint=hint)
    return size, batch


class SpanExport:
    """The SDK's provider, processor and exporter of spans, around which it counts those that arrived."""

    def __init__(self, *, has_content: bool, redact: Callable[[object], Any]) -> None:
        self.ended = self._sent = 0
        """Spans that were made."""
        self._trouble, self._heard = "", 0.0
        """The reason why the last batch that was lost did not arrive, and when the last one arrived."""
        self._endpoint = endpoint_of_environment()
        size, batch = sizes(has_content=has_content)
        logger = logging.getLogger("opentelemetry")
        if not logger.handlers:  # keeps its messages off the terminal; a program with logging of its own gets them
            logger.addHandler(logging.NullHandler())
        with refused_settings():
            from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
            from opentelemetry.sdk.resources import Resource
            from opentelemetry.sdk.trace import TracerProvider
            from opentelemetry.sdk.trace.export import BatchSpanProcessor

            resource = dict(Resource.create().attributes)
            if str(resource["service.name"]).startswith("unknown_service"):
                resource |= {"service.name": "tsgkit", "service.version": __version__}
            session = None if os.environ.get(CREDENTIALS) else self._session()
            self._exporter: SpanExporter = OTLPSpanExporter(endpoint=self._endpoint, session=session)
            self._processor = BatchSpanProcessor(self, size, max_export_batch_size=batch)  # type: ignore[arg-type]
            self.provider = TracerProvider(resource=Resource(redact(resource)), shutdown_on_exit=False)
            self.provider.add_span_processor(self._processor)

    def finish(self) -> str:
        """Send what waits, for a limited time, and return why spans could not be sent; empty if all were."""
        flushing = threading.Thread(target=self._processor.shutdown, daemon=True, name="tsgkit-spans")
        began = self._heard = time.monotonic()
        flushing.start()
        while flushing.is_alive():
            flushing.join(0.05)
            patience = SHORT_PATIENCE if self._trouble else PATIENCE
            if time.monotonic() > min(self._heard + patience, began + LONGEST):
                break
        lost = self.ended - self._sent
        if lost <= 0:
            return ""
        reason = self._trouble or ("no answer" if flushing.is_alive() else "more were made than the queue holds")
        where = without_login(self._endpoint)
        return f"spans could not be sent: {lost:,} of {self.ended:,}, to {where}: {reason}"

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Send a batch; the SDK calls this in its thread."""
        from opentelemetry.sdk.trace.export import SpanExportResult

        earlier, self._trouble = self._trouble, ""
        result = self._exporter.export(spans)
        if result is SpanExportResult.SUCCESS and not self._trouble:  # the exporter takes a redirect for a success
            self._sent += len(spans)
            self._trouble, self._heard = earlier, time.monotonic()
            return result
        self._trouble = self._trouble or "the exporter refused them"
        return SpanExportResult.FAILURE

    def shutdown(self) -> None:
        """Close the connections; the SDK calls this."""
        self._exporter.shutdown()

    def _session(self) -> Any:  # noqa: ANN401  (a session of requests, which the exporter brings)
        """Return a session that notes how its last request failed."""
        import requests

        failures = {
            requests.Timeout: "no answer",
            requests.exceptions.SSLError: "its certificate is not accepted",
            requests.ConnectionError: "no connection",
        }
        export = self

        class NotingSession(requests.Session):
            def request(self, *arguments: Any, **options: Any) -> requests.Response:  # noqa: ANN401
                try:
                    response = super().request(*arguments, **options)
                except Exception as error:
                    words = (text for kind, text in failures.items() if isinstance(error, kind))
                    export._trouble = next(words, type(error).__name__)
                    raise
                code = response.status_code
                export._trouble = f"status {code} {http.client.responses.get(code, '')}".strip() if code >= 300 else ""
                return response

        return NotingSession()


class Tracing:
    """The spans of one job, in a synchronous or an asynchronous ``with``; without a wish for traces it does nothing."""

    def __init__(self, traces: Traces | None, secrets: Secrets, name: str, attributes: Attributes) -> None:
        self.trouble = ""
        """The reason why spans could not be sent."""
        self.content = traces is not None and traces.content
        self._is_wished, self._secrets, self._name, self._attributes = traces is not None, secrets, name, attributes
        self._stack = ExitStack()
        self._export: SpanExport | None = None

    def __enter__(self) -> Tracing:
        if self._is_wished:
            provider = provider_of_program()
            if provider is None:
                self._export = SpanExport(has_content=self.content, redact=self.redacted)
                provider = self._export.provider
            self._tracer = provider.get_tracer("tsgkit", __version__)
            self._stack.enter_context(self.span(self._name, self._attributes()))
            self._stack.callback(TRACING.reset, TRACING.set(self))
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.__exit__(*error)  # type: ignore[arg-type]
        if self._export is not None:
            self.trouble = self._export.finish()

    async def __aenter__(self) -> Tracing:
        return self.__enter__()

    async def __aexit__(self, *error: object) -> None:
        self._stack.__exit__(*error)  # type: ignore[arg-type]
        if self._export is not None:
            self.trouble = await asyncio.to_thread(self._export.finish)

    @contextmanager
    def span(self, name: str, attributes: Mapping[str, Value], *, is_call: bool = False) -> Iterator[Span]:
        """Make a span around what happens inside; an exception makes it an error."""
        from opentelemetry.trace import SpanKind

        current = self._tracer.start_as_current_span(
            self.redacted(name),
            kind=SpanKind.CLIENT if is_call else SpanKind.INTERNAL,
            attributes=self.redacted(dict(attributes)),
            record_exception=False,  # its message may hold what a prompt or a reply says
            set_status_on_exception=False,
        )
        with current as span:
            try:
                yield span
            except BaseException as error:
                if isinstance(error, NotFinished):
                    span.set_attribute("tsgkit.tries", len(error.attempts))
                self.add(span, {FAILED: type(error).__name__}, str(error))
                raise
            finally:
                if self._export is not None and span.get_span_context().trace_flags.sampled:
                    self._export.ended += 1

    def add(self, span: Span, attributes: Mapping[str, Value], message: str = "") -> None:
        """Add attributes to a span; ``error.type`` makes it an error, with a message if texts are sent."""
        from opentelemetry.trace import Status, StatusCode

        span.set_attributes(self.redacted(dict(attributes)))
        if FAILED in attributes:
            description = self.redacted(message) if self.content and message else str(attributes[FAILED])
            span.set_status(Status(StatusCode.ERROR, description))

    def redacted(self, value: object) -> Any:  # noqa: ANN401  (a value of the same shape)
        """Return a JSON value without keys and without half surrogate pairs, which would lose the spans of a batch."""
        text = json.dumps(self._secrets.redact_value(value), ensure_ascii=False)
        return json.loads(text.encode("utf-8", "replace"))


TRACING: ContextVar[Tracing | None] = ContextVar("tracing", default=None)


@contextmanager
def unit(name: str, attributes: Attributes) -> Iterator[Note]:
    """Make a span around one unit of work, if its job is traced; the function it yields adds attributes."""
    tracing = TRACING.get()
    if tracing is None:
        yield lambda _: None
        return
    with tracing.span(name, attributes()) as span:
        yield lambda more: tracing.add(span, more())


@contextmanager
def call(request: Request) -> Iterator[Answered]:
    """Make a span around one call of a model, if its job is traced; the function it yields adds the reply."""
    tracing = TRACING.get()
    if tracing is None:
        yield lambda *_: None
        return
    attributes = request_attributes(request)
    name = f"{attributes['gen_ai.operation.name']} {attributes['gen_ai.request.model']}"
    with tracing.span(name, attributes, is_call=True) as span:
        replies: list[Reply] = []

        def answered(reply: Reply, source: str) -> None:
            replies.append(reply)
            tracing.add(span, reply_attributes(request, reply, source))
            if reply.ending is Ending.API_ERROR:
                tracing.add(span, {FAILED: error_type(reply.status, reply.error)}, reply.error or "")

        try:
            yield answered
        finally:
            if tracing.content:
                content = content_attributes(request, replies[0] if replies else None)
                texts = {key: json.dumps(tracing.redacted(part), ensure_ascii=False) for key, part in content.items()}
                span.set_attributes(texts)


def attempted(attempt: Attempt) -> None:
    """Add a failed attempt to the span of the call in progress, as an event, if its job is traced."""
    if (tracing := TRACING.get()) is None:
        return
    from opentelemetry.trace import get_current_span

    event: dict[str, Value] = {FAILED: error_type(attempt.status, attempt.error), "tsgkit.seconds": attempt.seconds}
    if tracing.content:
        event["tsgkit.message"] = attempt.error or ""
    get_current_span().add_event("tsgkit.failed_attempt", tracing.redacted(event))
