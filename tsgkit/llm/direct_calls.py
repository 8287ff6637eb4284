"""Requests to servers that speak OpenAI's chat completions, without LiteLLM in between.

LiteLLM takes 3 to 5 ms of processor time for a request, this takes a tenth of that. What is sent, and what is made of
the answer, is the same, so that records and caches of the two can be mixed.

>>> from tsgkit.llm.settings import parse, settings_of
>>> why_not_direct(settings_of("openai/m", parse(["api_base=http://127.0.0.1:8000/v1"], []), {}))
''
>>> why_not_direct(settings_of("anthropic/claude-sonnet-4-5", (), {}))
'it serves openai/NAME and hosted_vllm/NAME'

There is an HTTP session for each event loop and each way to connect. Connections are kept open and reused; their number
is bounded by the requests in flight. All evaluations in a loop share them, and the last user to leave closes them.
Proxies and certificates come from the environment: ``HTTP_PROXY``, ``HTTPS_PROXY``, ``ALL_PROXY`` and ``NO_PROXY``;
``SSL_VERIFY`` (False, or a file), ``SSL_CERT_FILE``, ``REQUESTS_CA_BUNDLE``, else those of certifi.

Replies that arrive as server-sent events are put together as they would have come in one piece.

>>> stream = EventStream()
>>> for text in ("[ket", "tle]"):
...     stream.feed(b'data: {"choices": [{"index": 0, "delta": {"content": "%s"}}]}\\n\\n' % text.encode())
>>> stream.feed(b"data: [DONE]\\n\\n")
>>> stream.is_done, stream.value["choices"][0]["message"]
(True, {'role': 'assistant', 'content': '[kettle]'})
>>> socket_and_url("http+unix://%2Ftmp%2Fllm.sock/v1")
('/tmp/llm.sock', 'http://localhost/v1')
"""

from __future__ import annotations

import asyncio
import atexit
import json
import os
import re
import ssl
import time
from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import unquote, urlsplit, urlunsplit
from urllib.request import getproxies, proxy_bypass

from tsgkit.errors import UsageError
from tsgkit.llm.failures import BAD_REQUESTS, CallFailed
from tsgkit.llm.images import Messages, RequestBody
from tsgkit.llm.prices import in_catalogue
from tsgkit.llm.reply import Reply
from tsgkit.llm.secrets import without_login
from tsgkit.llm.service_calls import Exchange, LoopUsers, ServiceCalls, in_utf8, object_in, reply_of, said_in
from tsgkit.llm.settings import BY_THE_PACKAGE, KEYS, NO_KEY, NOT_SENT, UNIX, Settings, check_known_key, provider_of
from tsgkit.version import __version__

if TYPE_CHECKING:
    from aiohttp import ClientResponse, ClientSession

SERVED = ("openai", "hosted_vllm")
VENDOR = "https://api.openai.com/v1"
ENDPOINT = "/chat/completions"
CONNECTION = ("api_base", "api_key", "extra_headers")
"""The parameters of a connection that it knows."""
REASONING = re.compile(r"gpt-[56](?!-chat)")
LISTED_APART = re.compile(r"(?:^|/)o\d|audio")
REFUSING = ("gpt-4", "gpt-3.5-turbo-16k")
"""Models of OpenAI that take no response format."""
KEYLESS = {"openai": NO_KEY, "hosted_vllm": "fake-api-key"}
"""Keys that LiteLLM sends where none is given."""
BUDGETS = ((4096, "high"), (2048, "medium"), (1024, "low"), (0, "minimal"))
"""The least budget of thinking tokens for each effort."""
STREAMING: dict[str, Any] = {"stream": True, "stream_options": {"include_usage": True}}
"""Fields that ask for events; those that a server refuses are left out."""
NO_STREAM = re.compile(r"\bstream(_options|ing)?\b")
"""Words of a server that refuses one of these fields."""
LINGER = 0.5
"""Seconds in which a response has to end after its last event."""
MOST_REDIRECTS = 20
DNS_SECONDS = 300
IDLE_SECONDS = 4.0
"""So long an unused connection is kept. uvicorn and llama.cpp close it after five; a request that meets that fails."""
CLOSING_SECONDS = 1.0
NO = ("false", "0", "no", "off")
DONE = b"[DONE]"
WRITTEN = ("content", "reasoning_content", "reasoning")
"""The parts of a message that a model writes token by token."""
PASSAGE, TIMES = 200, 16
"""A reply whose last so many characters occur so many times repeats itself."""
LOOKBACK = 16_000
"""Characters in which a passage is looked for, which is a cycle of a thousand."""
LOOK_EVERY = 1_000
REPEATS = "it repeats itself"


def why_not_direct(settings: Settings) -> str:
    """Return the reason for which a model cannot be asked directly; empty if it can."""
    provider, slash, name = settings.model.partition("/")
    if provider not in SERVED or not slash:
        return f"it serves {' and '.join(f'{served}/NAME' for served in SERVED)}"
    if provider != "openai" and "api_base" not in settings.connection:
        return "the address of the server is missing"
    if provider == "openai":
        is_listed_apart = LISTED_APART.search(name) and in_catalogue(name.rpartition("/")[2])
        if REASONING.search(name) or name in REFUSING or name.startswith("responses/") or is_listed_apart:
            return "this model of OpenAI has parameters of its own, which LiteLLM translates"
        if variables := [variable for variable in BY_THE_PACKAGE if os.environ.get(variable)]:
            return f"{variables[0]} is set, which it does not know"
    if unknown := [option for option in settings.connection if option not in CONNECTION]:
        return f"it does not know {unknown[0]}"
    return ""


def is_own_server(settings: Settings) -> bool:
    """Return whether a model is behind an address that is not OpenAI's own."""
    host = urlsplit(str(settings.connection.get("api_base", VENDOR))).hostname or ""
    return host != "openai.com" and not host.endswith(".openai.com")


@dataclass(eq=False)
class EventStream:
    """The events of one response, as far as they have come."""

    charset: str = ""
    is_done: bool = False
    """True if the service marked the end."""
    repeats: bool = False
    """True if what is written repeats itself."""
    tokens: int = 0
    """Events with text, which are tokens or a few of them."""
    parts: int = 0
    """Parts of choices that came; comments and pings bring none."""
    note: str | None = None
    began: float = field(default_factory=time.monotonic)
    """The time of the first token, or before it of the request."""
    _fields: dict[str, Any] = field(default_factory=dict)
    _choices: dict[int, dict[str, Any]] = field(default_factory=dict)
    """The answers of the completion by index, with the parts of their messages that are no texts as ``delta``."""
    _texts: dict[int, dict[str, list[str]]] = field(default_factory=lambda: defaultdict(lambda: defaultdict(list)))
    """The pieces of the texts in their messages."""
    _buffer: bytearray = field(default_factory=bytearray)
    _event: list[bytes] = field(default_factory=list)
    _recent: list[str] = field(default_factory=list)
    _unsearched: int = 0

    def feed(self, data: bytes) -> None:
        """Add bytes of the response, wherever they were cut."""
        self._buffer += data
        if b"\n" not in data:
            return
        *lines, self._buffer = self._buffer.split(b"\n")
        for line in lines:
            line = line.removesuffix(b"\r")
            if line.startswith(b"data:"):
                self._event.append(bytes(line[5:]).removeprefix(b" "))
            if line or not self._event:
                continue
            event, note = in_utf8(b"\n".join(self._event), self.charset)
            self._event = []
            self.is_done |= event.strip() == DONE
            self.note = self.note or note
            value = object_in(event)
            choices = value.pop("choices", None)
            self._fields |= {name: part for name, part in value.items() if part is not None}
            if isinstance(choices, list):
                self._fields.setdefault("choices", [])
                for choice in choices:
                    if isinstance(choice, dict):
                        self._add(choice)

    def _add(self, part: dict[str, Any]) -> None:
        """Add what an event brings of a choice, and look from time to time whether its text repeats itself."""
        self.parts += 1
        index = part["index"] if isinstance(part.get("index"), int) else 0
        choice = self._choices.setdefault(index, {"delta": {}, "finish_reason": None})
        choice |= {name: value for name, value in part.items() if name != "delta" and value is not None}
        texts, delta, written = self._texts[index], part.get("delta"), ""
        for name, value in delta.items() if isinstance(delta, dict) else ():
            if isinstance(value, str) and name != "role":
                texts[name].append(value)
                written += value if name in WRITTEN else ""
            elif isinstance(value, list) and isinstance(choice["delta"].get(name), list):
                choice["delta"][name] += value
            elif value is not None:
                choice["delta"][name] = value
        if not written:
            return
        if not self.tokens:
            self.began = time.monotonic()
        self.tokens += 1
        self._recent.append(written)
        self._unsearched += len(written)
        if self._unsearched >= LOOK_EVERY:
            text = "".join(self._recent)[-LOOKBACK:]
            self._recent, self._unsearched = [text], 0
            self.repeats |= text.count(text[-PASSAGE:]) >= TIMES

    @property
    def has_ended(self) -> bool:
        """True if the reply came to its end: the service marked it, or gave a reason for every choice."""
        reasons = [choice["finish_reason"] for choice in self._choices.values()]
        return self.is_done or bool(reasons and all(reasons)) or bool(self._fields.get("error"))

    @property
    def value(self) -> dict[str, Any]:
        """The completion in one piece, or the error; of a reply that repeats itself, with that as its finish reason."""
        if not self._choices or self._fields.get("error"):
            return self._fields
        choices = []
        for index, choice in self._choices.items():
            texts = {name: "".join(pieces) for name, pieces in self._texts[index].items()}
            message = {"role": "assistant", "content": None} | choice["delta"] | texts
            reason = REPEATS if self.repeats else choice["finish_reason"]
            choices.append({"message": message} | choice | {"finish_reason": reason, "index": index})
        return self._fields | {"choices": choices}

    @property
    def text(self) -> str | None:
        """The text of the first choice so far; None where there is none."""
        return "".join(self._texts[min(self._texts)]["content"]) or None if self._texts else None


@dataclass
class DirectCalls(ServiceCalls):
    """A model behind a server that speaks OpenAI's chat completions."""

    proxied: bool = True
    """False for a server in the next process, to which no proxy leads."""
    _extra: dict[str, Any] = field(default_factory=dict, repr=False)
    _headers: dict[str, str] = field(default_factory=dict, repr=False)
    _way: Transport | None = field(default=None, repr=False)
    _url: str = field(default="", repr=False)
    _proxy: str | None = field(default=None, repr=False)
    _streaming: dict[str, Any] = field(default_factory=lambda: STREAMING, repr=False)
    _streams: list[EventStream] = field(default_factory=list, repr=False)
    """The responses that arrive now."""

    def prepare(self) -> None:
        """Check the request without sending it. Raise ``UsageError`` if it differs from what the user asked for."""
        if self._way is not None:
            return
        check_known_key(self.settings)

        def why_not_sent(accepted: dict[str, Any], name: str, value: object) -> str:
            """Return why a parameter does not reach the server, as LiteLLM has it; empty if it does."""
            provider, _, model = self.settings.model.partition("/")
            is_known, is_openai = in_catalogue(model), provider == "openai"
            is_refused = name == "verbosity" or (is_openai and name == "thinking")
            if is_refused or (is_openai and is_known and name == "reasoning_effort"):
                return f"{provider} does not support parameters: ['{name}'], for model={model}"
            is_dropped = value is None or (name == "user" and not is_known) or (name == "extra_body" and not value)
            if name == "thinking":
                is_enabled = isinstance(value, dict) and value.get("type") == "enabled"
                is_dropped |= "reasoning_effort" in accepted or not is_enabled
            return NOT_SENT if is_dropped else ""

        self._parameters = self._accepted(why_not_sent)
        self._extra = self._parameters.pop("extra_body", {})
        thinking = self._parameters.pop("thinking", None)
        if thinking is not None and "reasoning_effort" not in self._parameters:  # vLLM takes no budget of tokens
            budget = thinking.get("budget_tokens", 0)
            self._parameters["reasoning_effort"] = next(effort for least, effort in BUDGETS if budget >= least)
        self.sent = {"model": self.settings.model.partition("/")[2]} | self._parameters | self._extra
        self.connect()

    def connect(self) -> None:
        """Find the way to the address of the settings, and the headers of every request."""
        provider, connection = provider_of(self.settings.model), self.settings.connection
        names = KEYS.get(provider, (f"{provider.upper()}_API_KEY",))
        key = connection.get("api_key") or next(filter(None, map(os.environ.get, names)), "")
        headers = {"Content-Type": "application/json", "User-Agent": f"tsgkit/{__version__}"}
        headers["Authorization"] = f"Bearer {key or KEYLESS[provider]}"
        for name, value in connection.get("extra_headers", {}).items():  # of the user, except beside a key
            if not key or name.lower() != "authorization":
                headers = {header: text for header, text in headers.items() if header.lower() != name.lower()}
                headers[name] = value
        self._headers = headers
        base = urlsplit(str(connection.get("api_base", VENDOR)))
        path = f"{base.path.rstrip('/').removesuffix(ENDPOINT)}{ENDPOINT}"
        address, self._url = socket_and_url(base._replace(path=path, fragment="").geturl())
        self._proxy = None if address or not self.proxied else proxy_for(self._url)
        import aiohttp  # noqa: F401  (it takes a quarter of a second, for which no event loop is to wait)

        self._way = Transport(address, certificates())

    async def _answered(self, messages: Messages, parameters: dict[str, Any], timeout: float, kept: Exchange) -> Reply:
        """Return the reply to a request; the time-out is that of seconds in which nothing is written."""
        model = self.settings.model.partition("/")[2]
        body = {"model": model, "messages": messages} | parameters | self._extra
        stream = EventStream()
        self._streams.append(stream)
        try:
            while not await self._exchange(body, kept, stream, timeout):
                pass  # without the fields that it refused
        finally:
            self._streams.remove(stream)
            kept.text, kept.tokens = stream.text, stream.tokens
        value, status = kept.value, kept.status or 0
        if status >= 300 or "choices" not in value or value.get("error"):
            missing = said_in(kept.start) if value.get("error") else "it holds no choices" if value else ""
            raise ValueError(f"status {status}" if status >= 300 else missing or "it is no JSON object")
        return self._priced(reply_of(kept, value), kept)

    def waits_for(self) -> str:
        """Return how much was written of the replies that arrive; empty where none does."""
        streams = [stream for stream in self._streams if stream.tokens]
        if not streams:
            return ""
        tokens, now = sum(stream.tokens for stream in streams), time.monotonic()
        pace = sum(stream.tokens / max(now - stream.began, 0.1) for stream in streams)
        number = "1 reply arrives" if len(streams) == 1 else f"{len(streams):,} replies arrive"
        return f"{number}: {tokens:,} token{'s' * (tokens != 1)} so far, {pace:.3g} tokens a second"

    async def _exchange(self, fields: dict[str, Any], kept: Exchange, stream: EventStream, timeout: float) -> bool:
        """Send a request and receive the response, which may be elsewhere on the same server. Return False where the
        server refuses to stream in this way, which is not asked for again.
        """
        from yarl import URL

        assert self._way is not None  # noqa: S101  (prepare() comes first)
        streaming = self._streaming
        body = RequestBody.of(streaming | fields)
        await body.check()
        session = session_for(self, self._way)
        url, method = URL(self._url), "POST"
        headers = self._headers | {"Content-Length": str(len(body))}
        for _ in range(MOST_REDIRECTS + 1):
            data, sent = (None, self._headers) if method == "GET" else (body.data, headers)
            async with session.request(
                method, url, data=data, headers=sent, proxy=self._proxy, allow_redirects=False
            ) as response:
                kept.begin(response.status, response.headers.items())
                location = response.headers.get("Location")
                if location is None or response.status not in (301, 302, 303, 307, 308):
                    await _receive(response, kept, stream, timeout)
                    if streaming and response.status in BAD_REQUESTS and NO_STREAM.search(kept.start):
                        has_options = "stream_options" in streaming and "stream_options" in kept.start
                        self._streaming = {"stream": True} if has_options else {}
                        return False
                    return True
                target = url.join(URL(location))
                kept.check_redirect(str(url), str(target))
            url, method = target, method if response.status in (307, 308) else "GET"
        raise CallFailed("no proper answer: it redirects too often", None)

    async def close(self) -> None:
        """Close the connections unless another user of them is active."""
        for session in (USERS.leave(self) or {}).values():
            await session.close()


async def _receive(response: ClientResponse, kept: Exchange, stream: EventStream, timeout: float) -> None:
    """Receive the decoded body, in one piece or as events, as long as something comes within the time-out.

    ``CallFailed`` where it is larger than the limit, as soon as that is known, or where events end before the reply.
    """
    loop = asyncio.get_running_loop()
    parts, size, is_stream = list[bytes](), 0, False
    stream.charset = kept.charset
    async for part in response.content.iter_any():
        if not size:
            kind = response.headers.get("Content-Type", "")
            is_stream = part.lstrip()[:1] not in (b"{", b"<") and ("event-stream" in kind or part[:5] == b"data:")
        size += len(part)
        if size > kept.most_bytes:
            response.close()
        kept.check_size(size)
        if not is_stream:
            if part.strip():
                kept.deadline.reschedule(loop.time() + timeout)
            parts.append(part)
            continue
        before = stream.parts
        stream.feed(part)
        if stream.parts > before:
            kept.deadline.reschedule(loop.time() + timeout)
        if stream.repeats:
            response.close()
            break
        if stream.is_done:
            with suppress(TimeoutError):  # what follows is read, so that the connection can be used again
                async with asyncio.timeout(LINGER):
                    async for _ in response.content.iter_any():
                        pass
            break
    if is_stream:
        stream.feed(b"\n\n")  # the end of a last event that is not followed by an empty line
        kept.note = stream.note
        if not stream.has_ended and not stream.repeats:
            raise CallFailed("the stream ended before the reply did", None)
        parts = [json.dumps(stream.value).encode()]
    kept.body = b"".join(parts)


class Transport(NamedTuple):
    """A way to connect: a unix socket or none, and the file of certificates; None: they are not checked."""

    socket: str
    certificates: str | None


USERS = LoopUsers()
"""The users of HTTP sessions, which share one for each way to connect."""


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
    proxy = proxies.get(parts.scheme) or proxies.get("all")
    if not proxy:
        return None
    proxy = proxy if "://" in proxy else f"http://{proxy}"
    if urlsplit(proxy).scheme not in ("http", "https"):
        hint = f"name an HTTP proxy, or put {parts.hostname} into NO_PROXY"
        raise UsageError(f"{without_login(proxy)}: only HTTP proxies can be used", hint=hint)
    return proxy


def certificates() -> str | None:
    """Return the file of certificates that the environment chooses; None if they are not checked."""
    verify = os.environ.get("SSL_VERIFY", "")
    if verify.lower() in NO:
        return None
    candidates = (verify, os.environ.get("SSL_CERT_FILE", ""), os.environ.get("REQUESTS_CA_BUNDLE", ""))
    if existing := [path for path in candidates if path and Path(path).exists()]:
        return existing[0]
    import certifi

    return certifi.where()


def session_for(user: object, way: Transport) -> ClientSession:
    """Return the session of the running loop for a way to connect, for a user who later leaves."""
    from aiohttp import ClientSession, ClientTimeout, DummyCookieJar, TCPConnector, UnixConnector

    sessions: dict[Transport, ClientSession] = USERS.join(user)
    if way in sessions:
        return sessions[way]
    # No limit: the queue of each model bounds the requests in flight.
    if way.socket:
        connector: TCPConnector | UnixConnector = UnixConnector(way.socket, limit=0, keepalive_timeout=IDLE_SECONDS)
    else:
        context: ssl.SSLContext | bool = False
        if (path := way.certificates) is not None:
            is_folder = Path(path).is_dir()
            context = ssl.create_default_context(cafile=None if is_folder else path, capath=path if is_folder else None)
        connector = TCPConnector(limit=0, ssl=context, ttl_dns_cache=DNS_SECONDS, keepalive_timeout=IDLE_SECONDS)
    patient = ClientTimeout(total=None)  # the provider waits no longer than it may
    sessions[way] = ClientSession(connector=connector, timeout=patient, cookie_jar=DummyCookieJar())
    return sessions[way]


@atexit.register
def _close_all() -> None:
    """Close at the end of the process what a loop that still runs has open, as that of synchronous calls."""
    for loop, sessions in list(USERS.shared.items()):
        for session in sessions.values() if loop.is_running() else ():
            with suppress(Exception):
                asyncio.run_coroutine_threadsafe(session.close(), loop).result(CLOSING_SECONDS)
