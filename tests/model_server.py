"""An OpenAI-compatible server on loopback that answers by script, and fails as services fail.

What it does is decided by the request alone (its body, and how often that body was seen), so that a run can be
repeated and compared whatever the timing. As a program it prints its port and serves until it is ended:

    python tests/model_server.py '{"delay": 0.1, "faults": {"429": 0.1, "hang": 0.03}}'

``GET /stats`` tells what was asked; ``faults`` gives the share of requests that meet each fault: ``429`` (with
Retry-After), ``500``, ``hang``, ``cut`` (a body shorter than announced), ``nochoices``, ``html``, ``length``,
``filter``, ``refusal``, ``empty``, ``quota`` (429 with a code of billing), ``toolong`` (a prompt that does not fit),
``parts`` and ``number`` (a content that is a list of text parts, or a number), ``reason:WORD`` (that finish reason),
``pings`` (a stream of comments and events without a choice).
``always`` maps a word in the prompt to the fault that its requests always meet. ``rate`` allows that many requests in
any second. ``replies`` maps a word to the reply given where a prompt holds it; else the reply is a letter or a word in
brackets, chosen by the prompt. ``away`` gives after how many good answers the server goes away, and for how many
seconds. ``echo_key`` puts the key it was sent into replies and errors. ``status_of`` maps a model's name to the fault
that its requests always meet, ``first`` lists the status of the first requests, whatever they hold, ``usage`` is the
usage that each response names, ``more`` holds further fields of a response (``service_tier``), and ``port`` says where
to serve. ``answers`` is the number of good answers after which the others wait until ``GET /release``.
"""

from __future__ import annotations

import asyncio
import gc
import hashlib
import json
import sys
import time
import urllib.request
from collections import Counter, deque
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from prefork import preforked

HTML = "<!doctype html><html><body><h1>Bad gateway</h1></body></html>"


class Script:
    """The server's answers, and the requests it received."""

    def __init__(self, options: dict[str, Any]) -> None:
        self.connections = 0
        self.delay = float(options.get("delay", 0.0))
        self.answers = options.get("answers")
        self.waiting: list[Callable[[], None]] = []
        self.faults: dict[str, float] = options.get("faults", {})
        self.always: dict[str, str] = options.get("always", {})
        self.replies: dict[str, str] = options.get("replies", {})
        self.rate = options.get("rate")
        self.away: list[float] = options.get("away", [])
        self.leave: Callable[[float], None] = lambda _: None
        self.transports: set[asyncio.Transport] = set()
        self.retry_after = options.get("retry_after", "1")
        self.echo_key = bool(options.get("echo_key"))
        self.status_of: dict[str, str] = options.get("status_of", {})
        self.first: list[int] = list(options.get("first", []))
        self.headers: dict[str, str] = options.get("headers", {})
        self.usage = options.get("usage", {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110})
        self.more: dict[str, Any] = options.get("more", {})
        self.seen: Counter[str] = Counter()
        self.drawn: Counter[str] = Counter()
        self.good: Counter[str] = Counter()
        self.counts: Counter[str] = Counter()
        self.window: deque[float] = deque()
        self.last_body: dict[str, Any] = {}

    def fault(self, prompt: str, digest: str, model: str) -> str:
        if model in self.status_of:
            return self.status_of[model]
        if self.first:
            status = self.first.pop(0)
            return "" if status == 200 else str(status)
        for word, fault in self.always.items():
            if word in prompt:
                return fault
        if self.rate and self._too_fast():
            return "429"
        number = int(hashlib.sha256(f"{digest}/{self.drawn[digest]}".encode()).hexdigest()[:8], 16) / 2**32
        self.drawn[digest] += 1
        for fault, share in self.faults.items():
            if number < share:
                return fault
            number -= share
        return ""

    def note(self, fault: str, digest: str) -> None:
        """Count a request, and go away where it is time to."""
        self.seen[digest] += 1
        self.counts[fault or "good"] += 1
        if not fault:
            self.good[digest] += 1
            if self.away and self.counts["good"] >= self.away[0]:
                self.leave(self.away[1])

    def later(self, answer: Callable[[], None]) -> None:
        """Answer after the delay, or when the answers that wait are released."""
        if self.answers is not None and self.counts["good"] > self.answers:
            self.waiting.append(answer)
        else:
            asyncio.get_running_loop().call_later(self.delay, answer)

    def release(self) -> None:
        self.answers = None
        while self.waiting:
            self.waiting.pop()()

    def _too_fast(self) -> bool:
        now = time.monotonic()
        while self.window and self.window[0] <= now - 1:
            self.window.popleft()
        if len(self.window) >= (self.rate or 0):
            return True
        self.window.append(now)
        return False

    def reply(self, prompt: str, digest: str) -> str:
        for word, reply in self.replies.items():
            if word in prompt:
                return reply
        return f"[{'ABCDE'[int(digest[:4], 16) % 5]}]"


class Connection(asyncio.Protocol):
    """One keep-alive HTTP/1.1 connection."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.buffer = b""
        self.transport: asyncio.Transport
        self.busy = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self.script.connections += 1
        self.script.transports.add(transport)

    def connection_lost(self, exc: Exception | None) -> None:
        self.script.transports.discard(self.transport)

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        self._next()

    def _next(self) -> None:
        head, found, rest = self.buffer.partition(b"\r\n\r\n")
        if self.busy or not found:
            return
        lines = head.decode("latin-1").split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
        length = int(headers.get("content-length", 0))
        if len(rest) < length:
            return
        self.buffer = rest[length:]
        self._serve(lines[0], headers, rest[:length])

    def _serve(self, request: str, headers: dict[str, str], body: bytes) -> None:
        if request.startswith("GET"):
            if "/release " in request:
                self.script.release()
            self._send(200, json.dumps(self.stats()).encode())
            return
        self._answer(headers, body)

    def stats(self) -> dict[str, Any]:
        return {
            "seen": sum(self.script.seen.values()), "distinct": len(self.script.seen), "counts": self.script.counts,
            "good_twice": sum(1 for number in self.script.good.values() if number > 1),
            "good": sum(self.script.good.values()), "last": self.script.last_body,
            "connections": self.script.connections,
        }  # fmt: skip

    def _answer(self, headers: dict[str, str], body: bytes) -> None:
        script = self.script
        value = json.loads(body)
        script.last_body = value
        prompt = json.dumps(value.get("messages"), ensure_ascii=False)
        digest = hashlib.sha256(body).hexdigest()
        fault = script.fault(prompt, digest, str(value.get("model")))
        script.note(fault, digest)
        self.busy = True
        key = headers.get("authorization", "").removeprefix("Bearer ") if script.echo_key else ""
        if fault != "hang":
            script.later(partial(self._finish, fault, prompt, digest, key))

    def _finish(self, fault: str, prompt: str, digest: str, key: str, reply: str | None = None) -> None:
        self.busy = False
        if self.transport.is_closing():
            return
        script = self.script
        message: dict[str, Any] = {"role": "assistant", "content": (reply or script.reply(prompt, digest)) + key}
        reason = {"length": "length", "filter": "content_filter"}.get(fault, fault.partition(":")[2] or "stop")
        if fault == "empty":
            message["content"] = ""
        if fault == "refusal":
            message |= {"content": None, "refusal": "I will not do that."}
        if fault in ("parts", "number"):
            text = str(message["content"])
            parts = [{"type": "text", "text": part} for part in (text[:1], text[1:])]
            message["content"] = parts if fault == "parts" else 7
        choices = [] if fault == "nochoices" else [{"index": 0, "message": message, "finish_reason": reason}]
        value = {"id": "x", "object": "chat.completion", "created": 1, "model": "loopback", "choices": choices}
        payload = json.dumps(value | ({"usage": script.usage} if script.usage else {}) | script.more).encode()
        if fault == "429":
            self._error(429, f"slow down {key}", {"Retry-After": str(script.retry_after)})
        elif fault == "quota":
            error = {"message": "You exceeded your plan", "type": "insufficient_quota", "code": "insufficient_quota"}
            self._send(429, json.dumps({"error": error}).encode())
        elif fault == "toolong":
            has = f"your request has {len(prompt) // 4} tokens"
            self._error(400, f"This model's maximum context length is 128 tokens. However, {has}.", {})
        elif fault.isdigit():
            self._error(int(fault), f"this is error {fault} {key}", {})
        elif fault == "pings":
            self.transport.write(b"HTTP/1.1 200 X\r\nContent-Type: text/event-stream\r\n\r\n")
            self._ping()
        elif fault == "html":
            self._send(200, HTML.encode(), {"Content-Type": "text/html"})
        elif fault == "cut":
            self.transport.write(self._head(200, len(payload), {}) + payload[: len(payload) // 2])
            self.transport.close()
        else:
            self._send(200, payload)
        self._next()

    def _ping(self) -> None:
        if not self.transport.is_closing():
            self.transport.write(b': ping\n\ndata: {"type": "ping"}\n\n')
            asyncio.get_running_loop().call_later(0.01, self._ping)

    def _error(self, status: int, message: str, headers: dict[str, str]) -> None:
        body = {"error": {"message": message, "type": "error", "code": status}}
        self._send(status, json.dumps(body).encode(), headers)

    def _send(self, status: int, body: bytes, headers: dict[str, str] | None = None) -> None:
        self.transport.write(self._head(status, len(body), headers or {}) + body)

    def _head(self, status: int, length: int, headers: dict[str, str]) -> bytes:
        fields = {"Content-Type": "application/json", "Content-Length": str(length)} | self.script.headers | headers
        lines = [f"HTTP/1.1 {status} X", *(f"{name}: {value}" for name, value in fields.items()), "", ""]
        return "\r\n".join(lines).encode()


async def serve(script: Script, port: int, connection: Callable[[Any], Connection] = Connection) -> None:
    loop = asyncio.get_running_loop()
    gone, leaving = 0.0, asyncio.Event()

    def leave(seconds: float) -> None:
        nonlocal gone
        gone, script.away = seconds, []
        leaving.set()

    script.leave = leave
    announced = False
    while True:
        server = await loop.create_server(lambda: connection(script), "127.0.0.1", port, backlog=512)
        if not announced:
            port = server.sockets[0].getsockname()[1]
            print(port, flush=True)
            announced = True
        await leaving.wait()
        leaving.clear()
        server.close()
        for _ in range(3):
            for transport in list(script.transports):
                transport.abort()
            await asyncio.sleep(0)  # who was accepted just now gets a transport
        gc.collect()  # or, since the server is closed, none, and a reference cycle holds the socket open and mute
        await asyncio.sleep(gone)


DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))
"""Asks servers here, whatever proxy the environment names, or named when something was first asked."""


class Running:
    """A server in a process of its own."""

    def __init__(self, port: int) -> None:
        self.base = f"http://127.0.0.1:{port}/v1"

    def stats(self, path: str = "/stats") -> dict[str, Any]:
        with DIRECT.open(self.base + path, timeout=60) as answer:
            value: dict[str, Any] = json.load(answer)
        return value

    def release(self) -> None:
        """Let what is held be answered, or be done."""
        self.stats("/release")


@contextmanager
def started(module: str, **options: object) -> Iterator[Running]:
    """Yield a server of a module with these options, for as long as the block lasts."""
    with preforked(module, options) as port:
        yield Running(port)


model_server = partial(started, "model_server")


def server(options: dict[str, Any]) -> Coroutine[Any, Any, None]:
    return serve(Script(options), int(options.get("port", 0)))


if __name__ == "__main__":
    asyncio.run(server(json.loads(sys.argv[1]) if len(sys.argv) > 1 else {}))
