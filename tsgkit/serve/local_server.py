"""A server of one page on this machine alone: its modules, its data as JSON, and changes that the page sends.

It listens on 127.0.0.1. Every address holds a token that only the printed link knows, and requests under another host
name or from another page are refused. What is served is a :class:`Page`: the module that draws it, and functions that
answer requests by name.
"""

from __future__ import annotations

import asyncio
import json
import math
import os
import secrets
import socket
import sys
from collections.abc import Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tsgkit.browser.modules import STYLES, joined, text_of
from tsgkit.errors import ExtraMissing, TsgkitError, UsageError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    import uvicorn
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.types import ASGIApp, Receive, Scope, Send

HOST = "127.0.0.1"
LONGEST_BODY = 100_000
MOST_DIGITS = 18
QUICK = 0.0005
"""Seconds after which a thread that adds up gives way to requests."""
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
HTML = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>tsgkit</title>
{styles}
</head>
<body>
<div id="app"></div>
<script type="module" src="browser/{entry}"></script>
</body>
</html>
"""
Asking = Callable[[Mapping[str, str]], dict[str, Any]]
Changing = Callable[[Mapping[str, str], bytes], dict[str, Any]]
Finding = Callable[[Mapping[str, str]], tuple[Path, str] | None]


@dataclass(frozen=True)
class Page:
    """A page: the browser module that draws it, and functions by name.

    ``asking`` answers GET requests from the values of the address, ``changing`` POST requests from their bodies too,
    and ``files`` find a file and its media type. They run in threads. ``close`` is called when the server ends.
    """

    entry: str
    asking: Mapping[str, Asking]
    changing: Mapping[str, Changing] = field(default_factory=dict)
    files: Mapping[str, Finding] = field(default_factory=dict)
    styles: tuple[str, ...] = STYLES
    close: Callable[[], None] = lambda: None
    longest_body: int = LONGEST_BODY


class StaleChange(Exception):
    """A change that does not fit the present state; the page is sent the value, with status 409."""

    def __init__(self, value: dict[str, Any]) -> None:
        super().__init__(value.get("message", ""))
        self.value = value


def require_server() -> None:
    """Raise ``ExtraMissing`` without the extra ``view``."""
    for library in ("starlette", "uvicorn"):
        if find_spec(library) is None:
            raise ExtraMissing("the page is served", library.title(), "view")


@dataclass
class LocalServer:
    """A server of a page."""

    page: Page
    token: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    port: int = 0
    """The port; 0 for any that is free, until the server is bound."""
    _serving: uvicorn.Server | None = field(default=None, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        require_server()
        if not 0 <= self.port <= 65535:
            raise UsageError(f"port {self.port}: ports go from 0 to 65535")

    def bound(self) -> socket.socket:
        """Return a socket that listens on this machine alone. Raise ``UsageError`` if the port is taken."""
        listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((HOST, self.port))
            listening.listen(128)  # whoever comes before the server is ready waits
        except OSError as error:
            listening.close()
            hint = "another one, or none: a free one is taken"
            raise UsageError(f"port {self.port}: {(error.strerror or str(error)).lower()}", hint=hint) from None
        self.port = listening.getsockname()[1]
        return listening

    @property
    def address(self) -> str:
        """The address with its token."""
        return f"http://{HOST}:{self.port}/{self.token}/"

    def serve(self, listening: socket.socket) -> None:
        """Answer requests until the process is interrupted, or the server is ended."""
        before = sys.getswitchinterval()
        sys.setswitchinterval(QUICK)
        self._serving = self.server()
        try:
            self._serving.run(sockets=[listening])
        finally:
            sys.setswitchinterval(before)
            listening.close()

    def end(self) -> None:
        """End :meth:`serve` after the answers under way. Any thread may call it."""
        if self._serving is not None:
            self._serving.should_exit = True

    def server(self) -> uvicorn.Server:
        """Return the server of the application."""
        import uvicorn

        config = uvicorn.Config(
            self.app(),
            log_level="critical",
            access_log=False,
            lifespan="on",
            server_header=False,
            date_header=False,
            timeout_graceful_shutdown=2,
        )
        return uvicorn.Server(config)

    def app(self) -> ASGIApp:
        """Return the application."""
        from starlette.applications import Starlette
        from starlette.routing import Route

        page, at = self.page, f"/{self.token}"
        routes = [
            Route(f"{at}/", self._html),
            Route(f"{at}/browser/{{name:path}}", self._module),
            *(Route(f"{at}/data/{name}", _answered(asking)) for name, asking in page.asking.items()),
            *(Route(f"{at}/data/{name}", self._changed(act), methods=["POST"]) for name, act in page.changing.items()),
            *(Route(f"{at}/data/{name}", _file(finding)) for name, finding in page.files.items()),
        ]

        @asynccontextmanager
        async def lifespan(_: Starlette) -> AsyncIterator[None]:
            yield
            self.page.close()

        return _guarded(Starlette(routes=routes, lifespan=lifespan), self)

    async def _html(self, _: Request) -> Response:
        styles = "\n".join(f'<link rel="stylesheet" href="browser/{name}">' for name in self.page.styles)
        return _text(HTML.format(styles=styles, entry=self.page.entry), "text/html")

    async def _module(self, request: Request) -> Response:
        name = request.path_params["name"]
        if name in self.page.styles:
            return _text(text_of(name), "text/css")
        if name == self.page.entry:  # joined, since half a hundred requests take longer than all else
            return _text(joined(name), "text/javascript")
        return _refusal("there is no such module", 404)

    def _changed(self, changing: Changing) -> Callable[[Request], Awaitable[Response]]:
        async def answer(request: Request) -> Response:
            async def work() -> dict[str, Any]:
                body = bytearray()
                async for part in request.stream():
                    body += part
                    if len(body) > self.page.longest_body:
                        raise UsageError("the request is too long")
                return await asyncio.to_thread(changing, Asked(request.query_params), bytes(body))

            return await _response(work)

        return answer


def _guarded(app: ASGIApp, server: LocalServer) -> ASGIApp:
    """Return an application that answers requests to its own address alone, and from its own pages alone."""

    def problem(scope: Scope) -> str:
        """Return why a request is refused; empty if it is not."""
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        hosts = {f"{name}:{server.port}" for name in (HOST, "localhost")}
        if headers.get("host") not in hosts:
            return "this server answers under its own address alone"
        origins = {None, *(f"http://{host}" for host in hosts)}
        sites = ("same-origin", "none")
        if headers.get("origin") not in origins or headers.get("sec-fetch-site", "same-origin") not in sites:
            return "this server answers its own pages alone"
        first = scope["path"].split("/")[1]
        return "" if secrets.compare_digest(first.encode(), server.token.encode()) else "the link is not complete"

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        refused = problem(scope) if scope["type"] == "http" else ""
        await (_refusal(refused, 403) if refused else app)(scope, receive, send)

    return answer


def _text(text: str, kind: str, status: int = 200) -> Response:
    from starlette.responses import Response

    return Response(text, status, HEADERS, kind)


def _refusal(problem: str, status: int) -> Response:
    return _text(problem, "text/plain", status)


def _answered(handler: Asking) -> Callable[[Request], Awaitable[Response]]:
    async def answer(request: Request) -> Response:
        return await _response(lambda: asyncio.to_thread(handler, Asked(request.query_params)))

    return answer


def _file(finding: Finding) -> Callable[[Request], Awaitable[Response]]:
    async def answer(request: Request) -> Response:
        from starlette.responses import FileResponse

        try:
            file = await asyncio.to_thread(finding, Asked(request.query_params))
        except (TsgkitError, MissingValue):
            file = None
        if file is None:
            return _refusal("there is no such file", 404)
        path, kind = file
        return FileResponse(path, media_type=kind, headers=HEADERS)

    return answer


async def _response(work: Callable[[], Awaitable[dict[str, Any]]]) -> Response:
    """Return the JSON of an answer, or of the problem that prevents it."""
    try:
        text, status = json_text(await work()), 200
    except Exception as error:  # noqa: BLE001 - the page tells it, and goes on
        problem, status = problem_of(error)
        text = json_text(problem)
    return _text(text, "application/json", status)


def problem_of(error: Exception) -> tuple[dict[str, Any], int]:
    """Return the value that a page gets for an error, and its status."""
    if isinstance(error, StaleChange):
        return error.value, 409
    if isinstance(error, TsgkitError):
        return {"message": error.message, "hint": error.hint}, 400
    if isinstance(error, MissingValue):
        return {"message": f"the request lacks {error}", "hint": ""}, 400
    named = f"a bug in tsgkit: {type(error).__name__}: {error}"
    return {"message": named, "hint": "other pages may work; please report it"}, 500


def json_text(value: object) -> str:
    """Return JSON that every browser reads: in ASCII, with null in the place of numbers that JSON does not know.

    >>> json_text({"answer": float("nan"), "name": chr(0xD800)})
    '{"answer":null,"name":"\\\\ud800"}'
    """
    try:
        return json.dumps(value, separators=(",", ":"), allow_nan=False)
    except ValueError:
        return json.dumps(_known(value), separators=(",", ":"), allow_nan=False)


def _known(value: Any) -> Any:  # noqa: ANN401  (as JSON has it)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {name: _known(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_known(part) for part in value]
    return value


class MissingValue(Exception):
    """The lack of a value in a request; its text is the name."""


class Asked(dict[str, str]):
    """The values of a request."""

    def __missing__(self, name: str) -> str:
        raise MissingValue(name)


def number_of(query: Mapping[str, str], name: str) -> int:
    """Return a value of a request that must be a number."""
    if not query[name].isdecimal() or len(query[name]) > MOST_DIGITS:
        raise UsageError(f"{name} {query[name]:.40}: a number is needed")
    return int(query[name])


def serve_in_window(
    server: LocalServer, listening: socket.socket, address: str, *, opens: bool, say: Callable[[str], None]
) -> None:
    """Answer the browser until Ctrl-C, or until the server is ended. The address is printed by the caller.

    A window is opened where there is a screen, and where the browser would not take this terminal.
    """
    say("Ctrl-C ends the server")
    has_screen = any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))
    if opens and (sys.platform in ("darwin", "win32") or has_screen):
        import webbrowser

        webbrowser.open(address)
    with suppress(KeyboardInterrupt):
        server.serve(listening)
