"""Export of spans by OpenTelemetry's own exporter, as OTLP over HTTP, with a count of those that arrived.

    traces = traces_of({"otel": True})          # refuses variables OTEL_* by which no span would arrive
    export = SpanExport(has_content=traces.content, redact=secrets.redact_value)
    tracer = export.provider.get_tracer("tsgkit")
    export.finish()                             # why spans could not be sent; empty if all were

The standard variables configure it (``OTEL_EXPORTER_OTLP_ENDPOINT``, ``OTEL_SERVICE_NAME`` and so on). Spans wait in a
queue of limited length, and are sent by a thread of the SDK. A full queue drops the oldest.
"""

from __future__ import annotations

import http.client
import logging
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tsgkit.errors import ExtraMissing, TsgkitError, UsageError
from tsgkit.llm.secrets import without_login
from tsgkit.llm.settings import is_web_address
from tsgkit.version import __version__

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import ReadableSpan
    from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult
    from opentelemetry.trace import TracerProvider

PROTOCOL = "http/protobuf"
PATIENCE, SHORT_PATIENCE, LONGEST = 5.0, 2.5, 30.0
"""Seconds at the end without a batch that arrives, those where the collector refuses them, and those in all."""
QUEUE, QUEUE_OF_CONTENT = 16_384, 2_048
BATCH, BATCH_OF_CONTENT = 512, 32
"""Spans waiting, and spans in a request, at most: collectors refuse large requests, and prompts are long."""
CREDENTIALS = "OTEL_PYTHON_EXPORTER_OTLP_HTTP_TRACES_CREDENTIAL_PROVIDER"
"""A variable of the SDK that names a session to send by, which is then not replaced."""


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
        self._trouble = ""
        """The reason why the last batch that was lost did not arrive."""
        self._heard = 0.0
        """The time of the last batch that arrived, by the monotonic clock."""
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
            """A session that notes failures."""

            def request(self, *arguments: Any, **options: Any) -> requests.Response:  # noqa: ANN401
                """Make a request, and note how it failed."""
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
