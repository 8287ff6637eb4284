"""Export of a job's spans by OpenTelemetry: one for the job, one for each unit, one for each call of a model.

    with Tracing(Traces(), secrets, "tsgkit eval", lambda: {"tsgkit.version": "0.2.0"}) as tracing:
        engine.carry_out(work)
    tracing.trouble                             # why spans could not be sent; empty if all were

The standard variables configure it (``OTEL_EXPORTER_OTLP_ENDPOINT``, ``OTEL_SERVICE_NAME`` and so on). A program that
has a tracer provider of its own keeps it: spans go there, and sending them is that program's business. Otherwise they
are sent in the background, as OTLP over HTTP; a collector that fails never slows or stops the job.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from tsgkit.errors import ExtraMissing, UsageError
from tsgkit.llm.failures import NotFinished
from tsgkit.llm.genai_attributes import (
    content_attributes,
    error_type,
    reply_attributes,
    request_attributes,
    span_name,
)
from tsgkit.llm.reply import Attempt, Ending, Reply
from tsgkit.llm.secrets import Secrets
from tsgkit.llm.span_export import SpanExport, check_settings, endpoint_of_environment, refused_settings
from tsgkit.llm.spans import OBSERVER, Answered, Attributes, Note, Request, Value
from tsgkit.version import __version__

if TYPE_CHECKING:
    from opentelemetry.trace import Span, Tracer

PROTOCOL = "http/protobuf"
FAILED = "error.type"
"""The attribute of failed units and calls; it makes a span an error."""


@dataclass(frozen=True)
class Traces:
    """The wish to have spans sent, with or without prompts and replies."""

    content: bool = False


def traces_of(options: Mapping[str, Any]) -> Traces | None:
    """Return the traces that options wish for. Raise ``UsageError`` if they cannot be sent."""
    if not options.get("otel"):
        if options.get("otel_content"):
            raise UsageError("--otel-content is about spans, and none are sent", hint="add --otel")
        return None
    traces = Traces(bool(options.get("otel_content")))
    _check(traces)
    return traces


def _check(traces: Traces) -> None:
    """Raise ``UsageError`` for a missing extra and for settings by which no span would arrive."""
    with refused_settings():  # the SDK reads some variables as it is imported
        _check_installed()
    if _has_provider():
        return
    for name in ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"):
        if os.environ.get(name, PROTOCOL) not in ("", PROTOCOL):
            raise UsageError(f"{name} is {os.environ[name]!r}, and spans are sent by {PROTOCOL}", hint=f"unset {name}")
    try:
        parts = urlsplit(endpoint_of_environment())
        is_good = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        is_good = False
    if not is_good:
        hint = "as in OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4318"
        raise UsageError("the endpoint of OTEL_EXPORTER_OTLP_ENDPOINT is no address of a collector", hint=hint)
    _quiet()
    check_settings(has_content=traces.content)


def _check_installed() -> None:
    try:
        import opentelemetry.exporter.otlp.proto.http.trace_exporter
        import opentelemetry.sdk.trace.export  # noqa: F401
    except ImportError:
        raise ExtraMissing("spans are sent", "OpenTelemetry", "otel") from None


def _has_provider() -> bool:
    from opentelemetry.trace import ProxyTracerProvider, get_tracer_provider

    return not isinstance(get_tracer_provider(), ProxyTracerProvider)


class Tracing:
    """The spans of one job, in a synchronous or an asynchronous ``with``; without a wish for traces it does nothing."""

    def __init__(self, traces: Traces | None, secrets: Secrets, name: str, attributes: Attributes) -> None:
        self.trouble = ""
        """The reason why spans could not be sent."""
        self._traces, self._secrets, self._name, self._attributes = traces, secrets, name, attributes
        self._stack = ExitStack()
        self._export: SpanExport | None = None

    def __enter__(self) -> Tracing:
        if self._traces is not None:
            self._begin(self._traces)
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

    def _begin(self, traces: Traces) -> None:
        observer = SpanObserver(self._tracer(traces), self._redacted, self._ended, content=traces.content)
        self._stack.enter_context(observer.unit(self._name, self._attributes))
        token = OBSERVER.set(observer)
        self._stack.callback(OBSERVER.reset, token)

    def _tracer(self, traces: Traces) -> Tracer:
        from opentelemetry import trace

        _quiet()
        if _has_provider():
            return trace.get_tracer("tsgkit", __version__)
        self._export = SpanExport(has_content=traces.content, redact=self._redacted)
        return self._export.tracer()

    def _ended(self, span: Span) -> None:
        if self._export is not None and span.get_span_context().trace_flags.sampled:
            self._export.ended += 1

    def _redacted(self, value: object) -> Any:  # noqa: ANN401  (a value of the same shape)
        return _encodable(self._secrets.redact_value(value))


def _encodable(value: object) -> object:
    """Return a value whose texts can be sent: half a surrogate pair would lose the spans of its whole batch."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, list):
        return [_encodable(one) for one in value]
    if isinstance(value, dict):
        return {name: _encodable(one) for name, one in value.items()}
    return value


def _quiet() -> None:
    """Keep the SDK's messages off the terminal; a program with logging of its own still gets them."""
    logger = logging.getLogger("opentelemetry")
    if not logger.handlers:
        logger.addHandler(logging.NullHandler())


class SpanObserver:
    """The observer that makes spans."""

    def __init__(
        self,
        tracer: Tracer,
        redacted: Callable[[object], Any],
        ended: Callable[[Span], None],
        *,
        content: bool,
    ) -> None:
        self._tracer, self._redacted, self._ended, self._content = tracer, redacted, ended, content

    @contextmanager
    def unit(self, name: str, attributes: Attributes) -> Iterator[Note]:
        """Make a span around one unit of work."""
        with self._span(name, attributes()) as span:

            def note(found: Attributes) -> None:
                told = found()
                self._set(span, told)
                if FAILED in told:
                    self._fail(span, str(told[FAILED]), "")

            yield note

    @contextmanager
    def call(self, request: Request) -> Iterator[Answered]:
        """Make a span around one call of a model."""
        with self._span(span_name(request), request_attributes(request), is_call=True) as span:
            heard: list[Reply] = []

            def answered(reply: Reply, source: str) -> None:
                heard.append(reply)
                self._set(span, reply_attributes(request, reply, source))
                if reply.ending is Ending.API_ERROR:
                    self._fail(span, error_type(reply.status, reply.error), reply.error or "")

            try:
                yield answered
            finally:
                if self._content:
                    self._set(span, content_attributes(request, heard[0] if heard else None, self._redacted))

    def attempted(self, attempt: Attempt) -> None:
        """Add a failed attempt to the span of the call in progress, as an event."""
        from opentelemetry.trace import get_current_span

        found: dict[str, Value] = {FAILED: error_type(attempt.status, attempt.error), "tsgkit.seconds": attempt.seconds}
        if self._content:
            found["tsgkit.message"] = attempt.error or ""
        get_current_span().add_event("tsgkit.failed_attempt", self._redacted(found))

    @contextmanager
    def _span(self, name: str, attributes: Mapping[str, Value], *, is_call: bool = False) -> Iterator[Span]:
        from opentelemetry.trace import SpanKind

        kind = SpanKind.CLIENT if is_call else SpanKind.INTERNAL
        started = self._tracer.start_as_current_span(
            self._redacted(name),
            kind=kind,
            attributes=self._redacted(dict(attributes)),
            record_exception=False,  # its message may hold what a prompt or a reply says
            set_status_on_exception=False,
        )
        with started as span:
            try:
                yield span
            except BaseException as error:
                if isinstance(error, NotFinished):
                    span.set_attribute("tsgkit.tries", len(error.attempts))
                self._fail(span, type(error).__name__, str(error))
                raise
            finally:
                self._ended(span)

    def _set(self, span: Span, attributes: Mapping[str, Value]) -> None:
        span.set_attributes(self._redacted(dict(attributes)))

    def _fail(self, span: Span, kind: str, message: str) -> None:
        from opentelemetry.trace import Status, StatusCode

        span.set_attribute(FAILED, kind)
        span.set_status(Status(StatusCode.ERROR, self._redacted(message) if self._content and message else kind))
