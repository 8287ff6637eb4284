"""A collector of spans on loopback that decodes OTLP over HTTP, and fails as collectors fail."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest


@dataclass(frozen=True)
class Sent:
    """One span as it arrived."""

    name: str
    id: bytes
    parent: bytes
    trace: bytes
    attributes: dict[str, Any]
    events: list[tuple[str, dict[str, Any]]]
    is_error: bool
    said: str

    def __getitem__(self, name: str) -> Any:  # noqa: ANN401
        return self.attributes[name]


@dataclass
class Collector:
    """What arrived at a collector, and what it answers."""

    url: str
    status: int = 200
    hangs: bool = False
    bodies: list[bytes] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    let_go: threading.Event = field(default_factory=threading.Event)

    @property
    def raw(self) -> bytes:
        """All bytes of all requests."""
        return b"".join(self.bodies)

    @property
    def resource(self) -> dict[str, Any]:
        """The description of the program that sent the first request."""
        return _values(_decoded(self.bodies[0]).resource_spans[0].resource.attributes)

    @property
    def spans(self) -> list[Sent]:
        """All spans, as often as they arrived."""
        return [
            _span(span)
            for body in self.bodies
            for resource in _decoded(body).resource_spans
            for scope in resource.scope_spans
            for span in scope.spans
        ]

    def named(self, head: str) -> list[Sent]:
        """Return the spans whose names begin so."""
        return [span for span in self.spans if span.name.startswith(head)]


def _decoded(body: bytes) -> Any:  # noqa: ANN401
    return ExportTraceServiceRequest.FromString(body)


def _values(attributes: Any) -> dict[str, Any]:  # noqa: ANN401
    return {one.key: _value(one.value) for one in attributes}


def _value(value: Any) -> Any:  # noqa: ANN401
    kind = value.WhichOneof("value")
    return [_value(one) for one in value.array_value.values] if kind == "array_value" else getattr(value, kind)


def _span(span: Any) -> Sent:  # noqa: ANN401
    events = [(event.name, _values(event.attributes)) for event in span.events]
    ids = (span.span_id, span.parent_span_id, span.trace_id)
    return Sent(span.name, *ids, _values(span.attributes), events, span.status.code == 2, span.status.message)


class _Handler(BaseHTTPRequestHandler):
    collector: Collector

    def do_POST(self) -> None:
        told = self.collector
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if told.hangs:
            told.let_go.wait(60)
            return
        if told.status == 200:
            told.bodies.append(body)
            told.headers.append({name.lower(): value for name, value in self.headers.items()})
        self.send_response(told.status)
        if 300 <= told.status < 400:
            self.send_header("Location", "https://elsewhere.example/")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        pass


@contextmanager
def collector(*, status: int = 200, hangs: bool = False) -> Iterator[Collector]:
    """Yield a collector that stops when the block ends."""
    handler = type("Handler", (_Handler,), {})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    told = Collector(f"http://127.0.0.1:{server.server_address[1]}", status, hangs)
    handler.collector = told  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield told
    finally:
        told.let_go.set()
        server.shutdown()
        server.server_close()
        thread.join()
