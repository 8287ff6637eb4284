"""Helpers for tests of the door: a recorder, scripted providers, and services in this process."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any, TypeVar

import httpx
import pytest
from multidict import CIMultiDict

from tsgkit.defaults import Client
from tsgkit.llm import direct_calls
from tsgkit.llm.concurrency import RequestQueue
from tsgkit.llm.direct_calls import DirectCalls
from tsgkit.llm.door import Call, Door, SentPrompt
from tsgkit.llm.failures import CallFailed
from tsgkit.llm.litellm_calls import CARRIER, LiteLlm, bound
from tsgkit.llm.prices import Price
from tsgkit.llm.reply import CallBudget, Provider, Reply, Usage
from tsgkit.llm.scripts import RecordedModel
from tsgkit.llm.secrets import Secrets
from tsgkit.llm.settings import RetryLimits, Settings, parse, settings_of

WHERE = Call("m", "", "tsg/sgqa", "single", "zero-shot", "tea/0", 0, "", "", 0)
GUARD = 60.0
HASTE = RetryLimits(timeout=5.0, attempts=4, same_error=3, first_wait=0.001, longest_wait=0.002, throttled_attempts=4,
                 wait_for_server=GUARD)  # fmt: skip
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

    def write(self, call: Call, prompt: SentPrompt | None, reply: Reply) -> None:
        self.calls[call] = reply
        self.prompts.append([] if prompt is None else prompt.messages)


Said = Reply | CallFailed | Callable[[str], Awaitable[Reply]]


@dataclass
class Told(Provider):
    """Says what it is told, one after the other; the last from then on."""

    says: Sequence[Said] = (Reply("[kettle]", usage=Usage(10, 5)),)
    sent: list[str] = field(default_factory=list)
    now: int = 0
    most: int = 0

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


def door_to(provider: Provider, **parts: object) -> Door:
    usual: dict[str, Any] = {
        "name": "openai/m", "endpoint": "here", "parameters": {}, "flow": RequestQueue(8), "budget": CallBudget(),
        "recorder": Notebook(), "secrets": Secrets(), "patience": HASTE,
    }  # fmt: skip
    chosen: dict[str, Any] = usual | parts
    return Door(provider=provider, **chosen)


async def asked(door: Door | RecordedModel, text: str = "Which?", where: Call = WHERE, **parts: object) -> Reply:
    from langchain_core.messages import HumanMessage

    chosen: dict[str, Any] = {"label": "answer"} | parts
    return await door.ask(where, [HumanMessage(text)], **chosen)


def settings_for(base: str, *arguments: str, model: str = "openai/m", **defaults: object) -> Settings:
    """Return the settings for a service at an address, with a key."""
    texts = [f"api_base={base}", "api_key=sk-loopback-key", *arguments]
    return settings_of(model, parse(texts, [model]), defaults)


def client_for(settings: Settings, price: Price | None = None, client: Client = "litellm") -> LiteLlm | DirectCalls:
    return DirectCalls(settings, price) if client == "direct" else LiteLlm(settings, price)


def service_door(
    base: str,
    *arguments: str,
    model: str = "openai/m",
    price: Price | None = None,
    client: Client = "litellm",
    **parts: object,
) -> Door:
    settings = settings_for(base, *arguments, model=model)
    return door_to(
        client_for(settings, price, client),
        name=model,
        price=price,
        **({"endpoint": settings.endpoint, "parameters": settings.parameters} | parts),
    )


async def closing(door: Door, work: Awaitable[Result]) -> Result:
    try:
        return await work
    finally:
        await door.provider.close()


def completion(**message: object) -> bytes:
    choice = {"index": 0, "message": {"role": "assistant", "content": "[A]"} | message, "finish_reason": "stop"}
    value = {"id": "x", "object": "chat.completion", "created": 1, "model": "loopback", "choices": [choice]}
    return json.dumps(value).encode()


QUESTION = [{"role": "user", "content": "Which?"}]
Answer = tuple[int, bytes, dict[str, str]]


@dataclass
class CarriedService:
    """A service in this process: it gives its answers in turn, the last from then on, and keeps the requests."""

    answers: Sequence[Answer]
    asked: list[tuple[str, dict[str, str], Any]] = field(default_factory=list)
    """Address, headers and body of each request; bytes where the body is not JSON."""

    def _answer(self, url: str, headers: dict[str, str], body: bytes) -> Answer:
        answer = self.answers[min(len(self.asked), len(self.answers) - 1)]
        value = json.loads(body or b"{}") if body[:1] in (b"", b"{") else body
        self.asked.append((url, {name.lower(): value for name, value in headers.items()}, value))
        return answer

    async def carry(self, request: httpx.Request) -> httpx.Response:
        status, body, headers = self._answer(str(request.url), dict(request.headers), await request.aread())
        return httpx.Response(status, headers=headers, content=body)

    @asynccontextmanager
    async def request(self, method: str, url: object, *, data: Any, headers: Any, **_: object) -> AsyncIterator[Any]:  # noqa: ANN401
        """Answer the direct client, as a session of aiohttp does."""
        sent = b"" if data is None else data if isinstance(data, bytes) else data.read()
        status, body, answered = self._answer(f"{method} {url}", headers, sent)

        async def iter_any() -> AsyncIterator[bytes]:
            for start in range(0, len(body), 65_536):
                yield body[start : start + 65_536]

        content = SimpleNamespace(iter_any=iter_any)
        yield SimpleNamespace(status=status, headers=CIMultiDict(answered), content=content, close=lambda: None)


def carried(status: int = 200, body: object = None, **headers: str) -> CarriedService:
    """Return a service in this process with one answer; underscores in the names of headers stand for hyphens."""
    data = completion() if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return CarriedService([(status, data, {"content-type": "application/json"} | named)])


@contextmanager
def carrying(where: CarriedService) -> Iterator[None]:
    """Have all requests of both clients answered by a service in this process."""
    with pytest.MonkeyPatch.context() as patch, bound(CARRIER, where.carry):
        patch.setattr(direct_calls, "session_for", lambda *_: where)
        yield


def reply_by(
    client: Client,
    where: CarriedService | str,
    *arguments: str,
    model: str = "openai/m",
    timeout: float = 50,
    **how: Any,  # noqa: ANN401
) -> Reply:
    """Return the reply to one request to a service in this process, or at an address; how: messages, schema, price."""
    base = where if isinstance(where, str) else "http://127.0.0.1:9/v1"

    async def work() -> Reply:
        provider = client_for(settings_for(base, *arguments, model=model), how.get("price"), client)
        provider.prepare()
        try:
            return await provider.send(how.get("messages", QUESTION), how.get("schema"), timeout)
        finally:
            await provider.close()

    if isinstance(where, str):
        return run(work())
    with carrying(where):
        return run(work())


def failure_by(client: Client, where: CarriedService | str, *arguments: str, **how: Any) -> CallFailed:  # noqa: ANN401
    with pytest.raises(CallFailed) as caught:
        reply_by(client, where, *arguments, **how)
    return caught.value
