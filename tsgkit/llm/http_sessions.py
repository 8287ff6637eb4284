"""HTTP sessions of the direct client, one for each event loop and each way to connect.

Connections are kept open and reused; their number is bounded by the requests in flight. All evaluations in a loop share
them, and the last user to leave closes them. Proxies and certificates come from the environment: ``HTTP_PROXY``,
``HTTPS_PROXY``, ``ALL_PROXY`` and ``NO_PROXY``; ``SSL_VERIFY`` (False, or a file), ``SSL_CERT_FILE``,
``REQUESTS_CA_BUNDLE``, else those of certifi.

>>> socket_and_url("http+unix://%2Ftmp%2Fllm.sock/v1")
('/tmp/llm.sock', 'http://localhost/v1')
>>> socket_and_url("http://127.0.0.1:8000/v1")
('', 'http://127.0.0.1:8000/v1')
"""

from __future__ import annotations

import asyncio
import atexit
import os
import ssl
import threading
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote, urlsplit, urlunsplit
from urllib.request import getproxies, proxy_bypass
from weakref import WeakKeyDictionary, WeakValueDictionary

from tsgkit.errors import UsageError
from tsgkit.llm.secrets import without_login
from tsgkit.llm.settings import UNIX

if TYPE_CHECKING:
    from aiohttp import ClientSession

DNS_SECONDS = 300
IDLE_SECONDS = 4.0
"""So long an unused connection is kept. uvicorn and llama.cpp close it after five; a request that meets that fails."""
CLOSING_SECONDS = 1.0
NO = ("false", "0", "no", "off")


class Way(NamedTuple):
    """A way to connect: a unix socket or none, and the file of certificates; None: they are not checked."""

    socket: str
    certificates: str | None


class LoopUsers:
    """The users of each event loop of the process; an object that is no more has left."""

    def __init__(self) -> None:
        self._users = WeakKeyDictionary[asyncio.AbstractEventLoop, WeakValueDictionary[int, object]]()
        self.guard = threading.Lock()

    def join(self, user: object) -> None:
        """Count an object as a user in the running loop, until it leaves or is no more."""
        with self.guard:
            self._users.setdefault(asyncio.get_running_loop(), WeakValueDictionary())[id(user)] = user

    def leave(self, user: object) -> bool:
        """Return whether this was the last user in the running loop. Hold the guard, to close before another joins."""
        users = self._users.get(asyncio.get_running_loop())
        return users is not None and users.pop(id(user), None) is not None and not users

    @property
    def any_left(self) -> bool:
        """True if any loop still has users."""
        return any(self._users.values())


_USERS = LoopUsers()
_SESSIONS: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[Way, ClientSession]] = WeakKeyDictionary()


def socket_and_url(address: str) -> tuple[str, str]:
    """Return the unix socket of an address, or an empty text, and the URL that is asked."""
    parts = urlsplit(address)
    if parts.scheme not in UNIX:
        return "", address
    return unquote(parts.netloc), urlunsplit((UNIX[parts.scheme], "localhost", parts.path, parts.query, ""))


def proxy_for(url: str) -> str | None:
    """Return the proxy that the environment names for a URL; ``UsageError`` where it is not an HTTP proxy."""
    parts = urlsplit(url)
    if proxy_bypass(parts.hostname or ""):
        return None
    proxies = getproxies()
    found = proxies.get(parts.scheme) or proxies.get("all")
    if not found:
        return None
    proxy = found if "://" in found else f"http://{found}"
    if urlsplit(proxy).scheme not in ("http", "https"):
        hint = f"name an HTTP proxy, or put {parts.hostname} into NO_PROXY"
        raise UsageError(f"{without_login(proxy)}: only HTTP proxies can be used", hint=hint)
    return proxy


def certificates() -> str | None:
    """Return the file of certificates that the environment chooses; None if they are not checked."""
    verify = os.environ.get("SSL_VERIFY", "")
    if verify.lower() in NO:
        return None
    named = (verify, os.environ.get("SSL_CERT_FILE", ""), os.environ.get("REQUESTS_CA_BUNDLE", ""))
    found = next((path for path in named if path and Path(path).exists()), None)
    if found is not None:
        return found
    import certifi

    return certifi.where()


def load() -> None:
    """Load the HTTP library, which takes a quarter of a second, before an event loop would wait for it."""
    import aiohttp  # noqa: F401


def session_for(user: object, way: Way) -> ClientSession:
    """Return the session of the running loop for a way to connect, for a user who later leaves."""
    from aiohttp import ClientSession, ClientTimeout, DummyCookieJar, TCPConnector, UnixConnector

    _USERS.join(user)
    sessions = _SESSIONS.setdefault(asyncio.get_running_loop(), {})
    if way in sessions:
        return sessions[way]
    _close_at_exit()
    # No limit: the queue of each model bounds the requests in flight.
    if way.socket:
        connector: TCPConnector | UnixConnector = UnixConnector(way.socket, limit=0, keepalive_timeout=IDLE_SECONDS)
    else:
        context = False if way.certificates is None else _context(way.certificates)
        connector = TCPConnector(limit=0, ssl=context, ttl_dns_cache=DNS_SECONDS, keepalive_timeout=IDLE_SECONDS)
    patient = ClientTimeout(total=None)  # the provider waits no longer than it may
    sessions[way] = ClientSession(connector=connector, timeout=patient, cookie_jar=DummyCookieJar())
    return sessions[way]


async def leave(user: object) -> None:
    """Close the sessions of the running loop if this was their last user."""
    with _USERS.guard:
        is_last = _USERS.leave(user)
        sessions = _SESSIONS.pop(asyncio.get_running_loop(), {}) if is_last else {}
    for session in sessions.values():
        await session.close()


@cache
def _context(path: str) -> ssl.SSLContext:
    is_folder = Path(path).is_dir()
    return ssl.create_default_context(cafile=None if is_folder else path, capath=path if is_folder else None)


@cache
def _close_at_exit() -> None:
    """Close at the end of the process what a loop that still runs has open, as that of synchronous calls."""

    @atexit.register
    def close_all() -> None:
        for loop, sessions in list(_SESSIONS.items()):
            for session in sessions.values() if loop.is_running() else ():
                with suppress(Exception):
                    asyncio.run_coroutine_threadsafe(session.close(), loop).result(CLOSING_SECONDS)
