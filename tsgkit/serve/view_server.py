"""The server of ``tsgkit view``: one page, its modules, and the data of the runs that were opened.

It listens on this machine alone. Every address holds a token that only the printed link knows, requests under another
host name or from another page are refused, and nothing but the runs that were opened can be named.
"""

from __future__ import annotations

import asyncio
import secrets
import socket
import sys
from collections.abc import Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from tsgkit.browser.modules import STYLES, joined, text_of
from tsgkit.errors import TsgkitError, UsageError
from tsgkit.serve.json_text import json_text
from tsgkit.serve.viewed_runs import LabelSaid, ViewedRuns

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    import uvicorn
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.types import ASGIApp, Receive, Scope, Send

HOST = "127.0.0.1"
ENTRY = "live.js"
LONGEST_BODY = 100_000
QUICK = 0.0005
"""Seconds after which a thread that adds up gives way to requests."""
IMAGES = {".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".webp": "image/webp", ".gif": "image/gif"}
IMAGES |= {".bmp": "image/bmp"}
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
PAGE = """<!doctype html>
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


@dataclass
class ViewServer:
    """A server of runs; the name of the annotator stands in the labels that are saved."""

    runs: ViewedRuns
    annotator: str = ""
    token: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    port: int = 0
    """The port; 0 for any that is free, until the server is bound."""

    def bound(self) -> socket.socket:
        """Return a socket that listens on this machine alone. Raise ``UsageError`` if the port is taken."""
        found = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            found.bind((HOST, self.port))
            found.listen(128)  # whoever comes before the server is ready waits
        except OSError as error:
            found.close()
            hint = "another one, or none: a free one is taken"
            raise UsageError(f"port {self.port}: {(error.strerror or str(error)).lower()}", hint=hint) from None
        self.port = found.getsockname()[1]
        return found

    @property
    def address(self) -> str:
        """The address with its token."""
        return f"http://{HOST}:{self.port}/{self.token}/"

    def serve(self, listening: socket.socket) -> None:
        """Answer requests until the process is interrupted."""
        sys.setswitchinterval(QUICK)
        try:
            self.server().run(sockets=[listening])
        finally:
            listening.close()

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

        at = f"/{self.token}"
        get = {
            "runs": self._list,
            "run": self._run,
            "groups": self._groups,
            "samples": self._samples,
            "sample": self._sample,
            "search": self._search,
            "comparison": self._comparison,
            "labels": self._labels,
        }
        routes = [
            Route(f"{at}/", _page),
            Route(f"{at}/browser/{{name:path}}", _module),
            *(Route(f"{at}/data/{name}", _answered(handler)) for name, handler in get.items()),
            Route(f"{at}/data/labels", self._save_label, methods=["POST"]),
            Route(f"{at}/data/image", self._image),
        ]

        @asynccontextmanager
        async def lifespan(_: Starlette) -> AsyncIterator[None]:
            yield
            self.runs.close()

        return _Guarded(Starlette(routes=routes, lifespan=lifespan), self)

    # Data

    def _list(self, _: Mapping[str, str]) -> dict[str, Any]:
        return {**self.runs.value(), "annotator": self.annotator, "can_label": bool(self.annotator)}

    def _run(self, asked: Mapping[str, str]) -> dict[str, Any]:
        return {"id": asked["run"], **self.runs.open(asked["run"]).value()}

    def _groups(self, asked: Mapping[str, str]) -> dict[str, Any]:
        return self.runs.open(asked["run"]).groups(asked["by"])

    def _samples(self, asked: Mapping[str, str]) -> dict[str, Any]:
        return self.runs.open(asked["run"]).samples()

    def _sample(self, asked: Mapping[str, str]) -> dict[str, Any]:
        return self.runs.open(asked["run"]).sample(_number(asked, "number"))[0]

    def _search(self, asked: Mapping[str, str]) -> dict[str, Any]:
        return {"numbers": self.runs.open(asked["run"]).search(asked["text"])}

    def _comparison(self, asked: Mapping[str, str]) -> dict[str, Any]:
        try:
            return self.runs.compared(_row(asked["first"]), _row(asked["second"]))
        except TsgkitError as error:
            return {"problem": str(error)}

    def _labels(self, asked: Mapping[str, str]) -> dict[str, Any]:
        return self.runs.labels(asked["run"])

    async def _save_label(self, request: Request) -> Response:
        async def save() -> dict[str, Any]:
            if not self.annotator:
                raise UsageError("labels need the name of the annotator", hint="tsgkit view --annotator NAME")
            body = b""
            async for part in request.stream():
                body += part
                if len(body) > LONGEST_BODY:
                    raise UsageError("the label is too long")
            try:
                said = LabelSaid.model_validate_json(body)
            except ValidationError as error:
                raise UsageError(f"not a label: {error.errors(include_url=False)[0]['msg']}") from None
            return await asyncio.to_thread(self.runs.save_label, _asked(request)["run"], self.annotator, said)

        return await _response(save)

    async def _image(self, request: Request) -> Response:
        asked = _asked(request)
        try:
            _, panels = await asyncio.to_thread(self.runs.open(asked["run"]).sample, _number(asked, "number"))
            path = panels[_number(asked, "panel")].images[asked["name"]]
        except (TsgkitError, Lacking, IndexError, KeyError):
            return _refusal("there is no such image", 404)
        kind = IMAGES.get(path.suffix.lower())
        if kind is None or not path.is_file():
            return _refusal("there is no such image", 404)
        from starlette.responses import FileResponse

        return FileResponse(path, media_type=kind, headers=HEADERS)


class _Guarded:
    """An application that answers requests to its own address alone, and from its own pages alone."""

    def __init__(self, app: ASGIApp, server: ViewServer) -> None:
        self._app, self._server = app, server

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and (problem := self._problem(scope)):
            await _refusal(problem, 403)(scope, receive, send)
            return
        await self._app(scope, receive, send)

    def _problem(self, scope: Scope) -> str:
        """Return why a request is refused; empty if it is not."""
        told = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        hosts = {f"{name}:{self._server.port}" for name in (HOST, "localhost")}
        if told.get("host") not in hosts:
            return "this server answers under its own address alone"
        origin = told.get("origin")
        if origin is not None and origin not in {f"http://{host}" for host in hosts}:
            return "this server answers its own pages alone"
        if told.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            return "this server answers its own pages alone"
        first = scope["path"].split("/")[1]
        return "" if secrets.compare_digest(first.encode(), self._server.token.encode()) else "the link is not complete"


async def _page(_: Request) -> Response:
    styles = "\n".join(f'<link rel="stylesheet" href="browser/{name}">' for name in STYLES)
    return _text(PAGE.format(styles=styles, entry=ENTRY), "text/html")


async def _module(request: Request) -> Response:
    name = request.path_params["name"]
    if name in STYLES:
        return _text(text_of(name), "text/css")
    if name == ENTRY:  # joined, since half a hundred requests take longer than all else
        return _text(joined(ENTRY), "text/javascript")
    return _refusal("there is no such module", 404)


def _text(text: str, kind: str, status: int = 200) -> Response:
    from starlette.responses import Response

    return Response(text, status, HEADERS, kind)


def _refusal(problem: str, status: int) -> Response:
    return _text(problem, "text/plain", status)


def _answered(handler: Callable[[Mapping[str, str]], dict[str, Any]]) -> Callable[[Request], Awaitable[Response]]:
    async def answer(request: Request) -> Response:
        return await _response(lambda: asyncio.to_thread(handler, _asked(request)))

    return answer


async def _response(work: Callable[[], Awaitable[dict[str, Any]]]) -> Response:
    """Return the JSON of an answer, or of the problem that prevents it."""
    try:
        return _json(await work())
    except TsgkitError as error:
        return _json({"message": error.message, "hint": error.hint}, 400)
    except Lacking as error:
        return _json({"message": f"the request lacks {error}", "hint": ""}, 400)
    except Exception as error:  # noqa: BLE001 - the page tells it, and goes on
        named = f"a bug in tsgkit: {type(error).__name__}: {error}"
        return _json({"message": named, "hint": "other pages may work; please report it"}, 500)


def _json(value: object, status: int = 200) -> Response:
    return _text(json_text(value), "application/json", status)


class Lacking(Exception):
    """The lack of a value in a request; its text is the name."""


class Asked(dict[str, str]):
    """The values of a request."""

    def __missing__(self, name: str) -> str:
        raise Lacking(name)


def _asked(request: Request) -> Asked:
    return Asked(request.query_params)


def _number(asked: Mapping[str, str], name: str) -> int:
    if not asked[name].isdecimal():
        raise UsageError(f"{name} {asked[name]:.40}: a number is needed")
    return int(asked[name])


def _row(named: str) -> tuple[str, int]:
    """Return the run and the number of a row named as RUN/3."""
    run, _, number = named.rpartition("/")
    return run, _number({"row": number}, "row")
