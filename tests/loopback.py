"""A real HTTP server on this machine whose bad days are planned: it cuts, stalls, refuses, changes its mind."""

from __future__ import annotations

import hashlib
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass(frozen=True)
class Answer:
    """The answer to one request; by default a proper one."""

    status: int = 200
    body: bytes | None = None
    content_type: str = "application/octet-stream"
    cut_after: int | None = None
    hang: bool = False
    knows_ranges: bool = True
    tag: str | None = None
    location: str = ""
    chunked: bool = False
    range_from: int | None = None


@dataclass
class Loopback:
    """A loopback server's content, its next answers, and the requests it received."""

    url: str
    files: dict[str, bytes] = field(default_factory=dict)
    plan: list[Answer] = field(default_factory=list)
    otherwise: Answer = Answer()
    asked: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    let_go: threading.Event = field(default_factory=threading.Event)

    def put(self, path: str, data: bytes) -> str:
        """Serve data under a path; the result is its address."""
        self.files[path] = data
        return f"{self.url}/{path}"

    @property
    def ranges(self) -> list[str | None]:
        """The range each request asked for."""
        return [headers.get("range") for _, headers in self.asked]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    loopback: Loopback

    def do_GET(self) -> None:
        served = self.loopback
        path = self.path.lstrip("/")
        served.asked.append((path, {name.lower(): value for name, value in self.headers.items()}))
        answer = served.plan.pop(0) if served.plan else served.otherwise
        self.close_connection = True
        if answer.hang and answer.cut_after is None:
            served.let_go.wait(20)
            return
        data = served.files.get(path) if answer.body is None else answer.body
        if data is None or answer.status >= 300:
            self._refuse(answer, data)
        else:
            self._send(answer, data)

    def _refuse(self, answer: Answer, data: bytes | None) -> None:
        self.send_response(answer.status if answer.status >= 300 else 404)
        if answer.location:
            self.send_header("Location", answer.location)
        self.send_header("Content-Length", str(len(data or b"") if answer.body else 0))
        self.end_headers()
        self.wfile.write(answer.body or b"")

    def _send(self, answer: Answer, data: bytes) -> None:
        tag = answer.tag if answer.tag is not None else f'"{hashlib.sha256(data).hexdigest()[:16]}"'
        asked = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
        start = int(asked[1]) if asked and answer.knows_ranges else 0
        if self.headers.get("If-Range", tag) != tag:
            start = 0
        if start and start >= len(data):
            self.send_response(416)
            self.send_header("Content-Range", f"bytes */{len(data)}")
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        self._send_from(answer, data, start, tag)

    def _send_from(self, answer: Answer, data: bytes, start: int, tag: str) -> None:
        self.send_response(206 if start else 200)
        if start:
            begin = start if answer.range_from is None else answer.range_from
            self.send_header("Content-Range", f"bytes {begin}-{len(data) - 1}/{len(data)}")
        self.send_header("Content-Type", answer.content_type)
        if answer.chunked:
            self.send_header("Transfer-Encoding", "chunked")
        else:
            self.send_header("Content-Length", str(len(data) - start))
        if tag:
            self.send_header("ETag", tag)
        self.end_headers()
        body = data[start:] if answer.cut_after is None else data[start : start + answer.cut_after]
        if answer.chunked:
            self.wfile.write(b"%x\r\n%s\r\n" % (len(body), body) if body else b"")
            self.wfile.write(b"0\r\n\r\n" if answer.cut_after is None else b"")
        else:
            self.wfile.write(body)
        self.wfile.flush()
        if answer.hang:
            self.loopback.let_go.wait(20)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@contextmanager
def serving(handler: type[BaseHTTPRequestHandler]) -> Iterator[str]:
    """Serve until the block ends, and yield the address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@contextmanager
def loopback() -> Iterator[Loopback]:
    """Yield a server that stops when the block ends."""
    served = Loopback("")
    with serving(type("Handler", (_Handler,), {"loopback": served})) as served.url:
        try:
            yield served
        finally:
            served.let_go.set()
