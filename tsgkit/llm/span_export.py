"""Background export of spans by OpenTelemetry's OTLP exporter over HTTP, with a count of what arrived.

    export = SpanExport()
    tracer = export.tracer()
    ...
    export.finish()                             # why spans could not be sent; empty if all were

Spans wait in a queue of limited length, and are sent by a thread of the SDK. A full queue drops the oldest.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from tsgkit.errors import TsgkitError, UsageError
from tsgkit.llm.secrets import without_login
from tsgkit.version import __version__

if TYPE_CHECKING:
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import ReadableSpan
    from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult
    from opentelemetry.trace import Tracer

ENDPOINT = "http://localhost:4318"
SERVICE = "tsgkit"
PATIENCE, SHORT_PATIENCE = 5.0, 2.5
"""Seconds at the end without a batch that arrives, and those where the collector refuses them."""
LONGEST = 30.0
QUEUE, QUEUE_OF_CONTENT = 16_384, 2_048
BATCH, BATCH_OF_CONTENT = 512, 32
"""Spans waiting, and spans in a request, at most: collectors refuse large requests, and prompts are long."""
CREDENTIALS = "OTEL_PYTHON_EXPORTER_OTLP_HTTP_TRACES_CREDENTIAL_PROVIDER"
"""A variable of the SDK that names a session to send by, which is then not replaced."""


def endpoint_of_environment() -> str:
    """Return the address that spans are sent to."""
    given = os.environ.get("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
    base = os.environ.get("OTEL_EXPORTER_OTLP_ENDPOINT") or ENDPOINT
    return given or f"{base.removesuffix('/')}/v1/traces"


class SpanExport:
    """Spans on their way to a collector."""

    def __init__(self, *, has_content: bool, redact: Callable[[object], Any]) -> None:
        self.ended = 0
        """Spans that were made."""
        size, batch = sizes(has_content=has_content)
        with refused_settings():
            self._make(size, batch, redact)

    def _make(self, size: int, batch: int, redact: Callable[[object], Any]) -> None:
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor

        self._delivery = _Delivery(endpoint_of_environment())
        self._provider = TracerProvider(resource=_resource(redact), shutdown_on_exit=False)
        self._processor = BatchSpanProcessor(self._delivery, size, max_export_batch_size=batch)  # type: ignore[arg-type]
        self._provider.add_span_processor(self._processor)

    def tracer(self) -> Tracer:
        """Return the maker of spans."""
        return self._provider.get_tracer("tsgkit", __version__)

    def finish(self) -> str:
        """Send what waits, for a limited time, and return why spans could not be sent; empty if all were."""
        flushing = threading.Thread(target=self._processor.shutdown, daemon=True, name="tsgkit-spans")
        began = self._delivery.heard = time.monotonic()
        flushing.start()
        while flushing.is_alive():
            flushing.join(0.05)
            now, patience = time.monotonic(), SHORT_PATIENCE if self._delivery.trouble else PATIENCE
            if now - self._delivery.heard > patience or now - began > LONGEST:
                break
        lost = self.ended - self._delivery.sent
        if lost <= 0:
            return ""
        why = self._delivery.trouble or ("no answer" if flushing.is_alive() else "more were made than the queue holds")
        where = without_login(self._delivery.endpoint)
        return f"spans could not be sent: {lost:,} of {self.ended:,}, to {where}: {why}"


def check_settings(*, has_content: bool) -> None:
    """Raise ``UsageError`` if variables are set by which no span could be sent."""
    SpanExport(has_content=has_content, redact=lambda value: value).finish()


@contextmanager
def refused_settings() -> Iterator[None]:
    """Turn an exception of the SDK into a ``UsageError`` that names variables, and none of their values."""
    try:
        yield
    except TsgkitError:
        raise
    except Exception as error:  # noqa: BLE001 - the SDK and its plugins raise whatever they like
        given = sorted(name for name in os.environ if name.startswith("OTEL_"))
        named = [name for name in given if name in str(error)] or given
        found = f"OpenTelemetry refuses the settings in the variables OTEL_* ({type(error).__name__})"
        raise UsageError(found, hint=f"correct or unset {', '.join(named)}" if named else "") from None


def sizes(*, has_content: bool) -> tuple[int, int]:
    """Return the most spans that wait, and the most in a request. Raise ``UsageError`` if variables name others that
    are none."""
    size = _number("OTEL_BSP_MAX_QUEUE_SIZE", QUEUE_OF_CONTENT if has_content else QUEUE)
    usual = min(size, BATCH_OF_CONTENT if has_content else BATCH)
    batch = _number("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", usual)
    if batch > size:
        hint = f"at most {size}, the size of the queue (OTEL_BSP_MAX_QUEUE_SIZE)"
        raise UsageError(f"OTEL_BSP_MAX_EXPORT_BATCH_SIZE is {batch}", hint=hint)
    return size, batch


def _number(name: str, usual: int) -> int:
    given = os.environ.get(name, "").strip()
    if not given:
        return usual
    if not given.isdecimal() or not int(given):
        raise UsageError(f"{name} is {given!r:.40}, and not a number above 0", hint=f"unset {name}")
    return int(given)


def _resource(redact: Callable[[object], Any]) -> Resource:
    """Return the description of this program: as the variables say, else its name and version."""
    from opentelemetry.sdk.resources import Resource

    found = dict(Resource.create().attributes)
    if str(found["service.name"]).startswith("unknown_service"):
        found |= {"service.name": SERVICE, "service.version": __version__}
    return Resource({name: redact(value) for name, value in found.items()})


class _Delivery:
    """An exporter that counts the spans that arrived, and keeps the reason why others did not."""

    def __init__(self, endpoint: str) -> None:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

        self.endpoint = endpoint
        self.sent = 0
        self.trouble = ""
        self.heard = 0.0
        """The time of the last batch that arrived, by the monotonic clock."""
        session = None if os.environ.get(CREDENTIALS) else _session(self._note)
        self._exporter: SpanExporter = OTLPSpanExporter(endpoint=endpoint, session=session)

    def _note(self, error: str) -> None:
        self.trouble = error

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Send a batch."""
        from opentelemetry.sdk.trace.export import SpanExportResult

        before, self.trouble = self.trouble, ""
        result = self._exporter.export(spans)
        if result is SpanExportResult.SUCCESS and not self.trouble:  # the exporter takes a redirect for a success
            self.sent += len(spans)
            self.trouble, self.heard = before, time.monotonic()
            return result
        self.trouble = self.trouble or "the exporter refused them"
        return SpanExportResult.FAILURE

    def shutdown(self) -> None:
        """Close the connections."""
        self._exporter.shutdown()

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        """Do nothing: nothing waits here."""
        return True


def _session(note: Callable[[str], None]) -> Any:  # noqa: ANN401  (a session of requests, which the exporter brings)
    """Return a session that says how each of its requests failed; empty for one that did not."""
    import requests

    class NotingSession(requests.Session):
        """A session that notes failures."""

        def request(self, *arguments: Any, **named: Any) -> requests.Response:  # noqa: ANN401
            """Make a request, and note how it failed."""
            try:
                response = super().request(*arguments, **named)
            except requests.Timeout:
                note("no answer")
                raise
            except requests.exceptions.SSLError:
                note("its certificate is not accepted")
                raise
            except requests.ConnectionError:
                note("no connection")
                raise
            except Exception as error:
                note(type(error).__name__)
                raise
            note("" if response.status_code < 300 else _status(response.status_code))
            return response

    return NotingSession()


def _status(code: int) -> str:
    """Return a status with its name.

    >>> _status(401), _status(299)
    ('status 401 Unauthorized', 'status 299')
    """
    try:
        return f"status {code} {HTTPStatus(code).phrase}"
    except ValueError:
        return f"status {code}"
