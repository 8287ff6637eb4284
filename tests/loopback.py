"""A real HTTP server on this machine whose bad days are planned: it cuts, stalls, refuses, changes its mind."""

from __future__ import annotations

import hashlib
import re
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, HTTPServer, ThreadingHTTPServer


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


class Handler(BaseHTTPRequestHandler):
    """Answers one request a connection, and says nothing."""

    protocol_version = "HTTP/1.1"

    def begin(self, status: int, headers: Mapping[str, str]) -> None:
        self.close_connection = True
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()

    @property
    def lowered(self) -> dict[str, str]:
        """The headers of the request, their names in lower case."""
        return {name.lower(): value for name, value in self.headers.items()}

    def first_byte(self, tag: str) -> int:
        """Return where the body is asked to begin, if it is still the one of this tag."""
        asked = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
        return int(asked[1]) if asked and self.headers.get("If-Range", tag) == tag else 0

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


class _Loopback(Handler):
    loopback: Loopback

    def do_GET(self) -> None:
        served = self.loopback
        path = self.path.lstrip("/")
        served.asked.append((path, self.lowered))
        answer = served.plan.pop(0) if served.plan else served.otherwise
        self.close_connection = True
        if answer.hang and answer.cut_after is None:
            served.let_go.wait(60)
            return
        data = served.files.get(path) if answer.body is None else answer.body
        if data is None or answer.status >= 300:
            headers = {"Location": answer.location} if answer.location else {}
            length = {"Content-Length": str(len(answer.body or b""))}
            self.begin(answer.status if answer.status >= 300 else 404, headers | length)
            self.wfile.write(answer.body or b"")
        else:
            self._send(answer, data)

    def _send(self, answer: Answer, data: bytes) -> None:
        tag = answer.tag if answer.tag is not None else f'"{hashlib.sha256(data).hexdigest()[:16]}"'
        start = self.first_byte(tag) if answer.knows_ranges else 0
        if start and start >= len(data):
            self.begin(416, {"Content-Range": f"bytes */{len(data)}", "Content-Length": "0"})
            return
        headers = {"Content-Type": answer.content_type} | ({"ETag": tag} if tag else {})
        headers |= {"Transfer-Encoding": "chunked"} if answer.chunked else {"Content-Length": str(len(data) - start)}
        if start:
            begin = start if answer.range_from is None else answer.range_from
            headers["Content-Range"] = f"bytes {begin}-{len(data) - 1}/{len(data)}"
        self.begin(206 if start else 200, headers)
        body = data[start:] if answer.cut_after is None else data[start : start + answer.cut_after]
        if answer.chunked:
            body = b"%x\r\n%s\r\n" % (len(body), body) if body else b""
            body += b"0\r\n\r\n" if answer.cut_after is None else b""
        self.wfile.write(body)
        self.wfile.flush()
        if answer.hang:
            self.loopback.let_go.wait(60)


@contextmanager
def serving(
    handler: type[BaseHTTPRequestHandler], kind: type[HTTPServer] = ThreadingHTTPServer, at: object = ("127.0.0.1", 0)
) -> Iterator[str]:
    """Serve until the block ends, and yield the address."""
    server = kind(at, handler)  # type: ignore[arg-type]
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
    served = Loopback("")
    with serving(type("Handler", (_Loopback,), {"loopback": served})) as served.url:
        try:
            yield served
        finally:
            served.let_go.set()
