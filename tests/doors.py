"""Helpers for tests of the door: a recorder, scripted providers, and a service with one answer."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, TypeVar

from tsgkit.llm.budget import Budget
from tsgkit.llm.concurrency import RequestQueue
from tsgkit.llm.direct_calls import DirectCalls
from tsgkit.llm.door import Call, Door, Patience, Prompt, Provider
from tsgkit.llm.failures import CallFailed
from tsgkit.llm.litellm_calls import LiteLlm
from tsgkit.llm.prices import Price
from tsgkit.llm.reply import Reply, Usage
from tsgkit.llm.scripts import RecordedModel
from tsgkit.llm.secrets import Secrets
from tsgkit.llm.settings import Client, Settings, parse, settings_of

WHERE = Call("m", "", "tsg/sgqa", "single", "zero-shot", "tea/0", 0, "", "", 0)
HASTE = Patience(timeout=5.0, attempts=4, same_error=3, first_wait=0.001, longest_wait=0.002, throttled_attempts=4)
GUARD = 60.0
Result = TypeVar("Result")


def run(work: Awaitable[Result]) -> Result:
    """Return the result of asynchronous work, which never hangs for good."""

    async def guarded() -> Result:
        async with asyncio.timeout(GUARD):
            return await work

    return asyncio.run(guarded())


@dataclass
class Notebook:
    """Keeps calls in memory."""

    calls: dict[Call, Reply] = field(default_factory=dict)
    prompts: list[list[dict[str, Any]]] = field(default_factory=list)

    def find(self, call: Call) -> Reply | None:
        return self.calls.get(call)

    def find_same(self, call: Call) -> Reply | None:
        return next((reply for other, reply in self.calls.items() if other.request == call.request), None)

    def write(self, call: Call, prompt: Prompt | None, reply: Reply) -> None:
        self.calls[call] = reply
        self.prompts.append([] if prompt is None else prompt.messages)


Said = Reply | CallFailed | Callable[[str], Awaitable[Reply]]


@dataclass
class Told:
    """Says what it is told, one after the other; the last from then on."""

    says: Sequence[Said] = (Reply("[kettle]", usage=Usage(10, 5)),)
    sent: list[str] = field(default_factory=list)
    now: int = 0
    most: int = 0

    def prepare(self) -> None:
        pass

    async def send(self, messages: list[dict[str, Any]], schema: dict[str, Any] | None, timeout: float) -> Reply:
        said = self.says[min(len(self.sent), len(self.says) - 1)]
        self.sent.append(messages[-1]["content"])
        self.now += 1
        self.most = max(self.most, self.now)
        try:
            await asyncio.sleep(0)
            if isinstance(said, CallFailed):
                raise replace(said)
            return said if isinstance(said, Reply) else await said(messages[-1]["content"])
        finally:
            self.now -= 1

    async def close(self) -> None:
        pass


def door_to(provider: Provider, **parts: object) -> Door:
    """Return a door with generous limits."""
    usual: dict[str, Any] = {
        "name": "openai/m",
        "endpoint": "here",
        "parameters": {},
        "flow": RequestQueue(8),
        "budget": Budget(),
        "recorder": Notebook(),
        "secrets": Secrets(),
        "patience": HASTE,
    }
    chosen: dict[str, Any] = usual | parts
    return Door(provider=provider, **chosen)


async def asked(door: Door | RecordedModel, text: str = "Which?", where: Call = WHERE, **parts: object) -> Reply:
    """Return the reply to a text."""
    from langchain_core.messages import HumanMessage

    chosen: dict[str, Any] = {"label": "answer"} | parts
    return await door.ask(where, [HumanMessage(text)], **chosen)


def settings_for(base: str, *arguments: str, model: str = "openai/m", **defaults: object) -> Settings:
    """Return the settings for a service at an address, with a key."""
    texts = [f"api_base={base}", "api_key=sk-loopback-key", *arguments]
    return settings_of(model, parse(texts, [model]), defaults)


def client_for(settings: Settings, price: Price | None = None, client: Client = "litellm") -> LiteLlm | DirectCalls:
    """Return the client of that name for a service."""
    return DirectCalls(settings, price) if client == "direct" else LiteLlm(settings, price)


def service_door(
    base: str,
    *arguments: str,
    model: str = "openai/m",
    price: Price | None = None,
    client: Client = "litellm",
    **parts: object,
) -> Door:
    """Return a door to a service on loopback."""
    settings = settings_for(base, *arguments, model=model)
    return door_to(
        client_for(settings, price, client),
        name=model,
        price=price,
        **({"endpoint": settings.endpoint, "parameters": settings.parameters} | parts),
    )


async def closing(door: Door, work: Awaitable[Result]) -> Result:
    """Return the result of work, after which the connections are closed."""
    try:
        return await work
    finally:
        await door.provider.close()


@dataclass
class Service:
    """One answer, given to every request, and the requests."""

    base: str
    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    asked: list[tuple[dict[str, str], dict[str, Any]]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)


class _Handler(BaseHTTPRequestHandler):
    service: Service

    def do_POST(self) -> None:
        told = self.service
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        told.paths.append(self.path)
        told.asked.append(({name.lower(): value for name, value in self.headers.items()}, body))
        self.send_response(told.status)
        for name, value in ({"Content-Type": "application/json"} | told.headers).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(told.body)))
        self.end_headers()
        self.wfile.write(told.body)

    def log_message(self, format: str, *args: object) -> None:
        pass


def completion(**message: object) -> bytes:
    """Return the body of a chat completion."""
    choice = {"index": 0, "message": {"role": "assistant", "content": "[A]"} | message, "finish_reason": "stop"}
    value = {"id": "x", "object": "chat.completion", "created": 1, "model": "loopback", "choices": [choice]}
    return json.dumps(value).encode()


@contextmanager
def service(status: int = 200, body: bytes | None = None, **headers: str) -> Iterator[Service]:
    """Yield a service that gives one answer; underscores in the names of headers stand for hyphens."""
    handler = type("Handler", (_Handler,), {})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    told = Service(
        f"http://127.0.0.1:{server.server_address[1]}/v1", status, completion() if body is None else body, named
    )
    handler.service = told  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield told
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
