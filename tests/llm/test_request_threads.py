"""Requests are put together where they are asked for; whatever waits for something still finds a thread."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from doors import run, settings_for
from model_server import Running, model_server

import tsgkit
from tsgkit.llm.failures import CallFailed
from tsgkit.llm.litellm_calls import LiteLlm
from tsgkit.llm.request_threads import WAITS_FOR_NOTHING, Threads

IMAGE = (
    "data:image/png;base64,"
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
ROOT = Path(tsgkit.__file__).parents[1]


@pytest.fixture(scope="module")
def server() -> Iterator[Running]:
    with model_server(always={"<500>": "500"}) as running:
        yield running


class Watched(Threads):
    """Threads that keep book of what was submitted, and of what was done at once."""

    def __init__(self) -> None:
        super().__init__(thread_name_prefix="watched")
        self.at_once: list[bool] = []

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:  # noqa: ANN401
        found = super().submit(fn, *args, **kwargs)
        names = [thread.name for thread in threading.enumerate()]
        self.at_once.append(found.done() and not any(name.startswith("watched") for name in names))
        return found


def sent(base: str, content: object, threads: Threads, model: str = "openai/m") -> str | None:
    """Return the reply to one content, from a loop with these threads."""

    async def work() -> str | None:
        asyncio.get_running_loop().set_default_executor(threads)
        provider = LiteLlm(settings_for(base, model=model))
        provider.prepare()
        try:
            reply = await provider.send([{"role": "user", "content": content}], None, 10)
        finally:
            await provider.close()
        return reply.text

    return run(work())


def test_a_request_of_text_is_put_together_without_a_thread(server: Running) -> None:
    threads = Watched()
    assert sent(server.base, "Which?", threads)
    assert threads.at_once[0]


def test_a_request_with_a_image_is_put_together_by_a_thread(server: Running) -> None:
    threads = Watched()
    parts = [{"type": "text", "text": "Which?"}, {"type": "image_url", "image_url": {"url": IMAGE}}]
    assert sent(server.base, parts, threads)
    assert threads.at_once and not any(threads.at_once)


def test_a_provider_that_may_fetch_credentials_is_left_to_a_thread(server: Running) -> None:
    threads = Watched()
    assert sent(server.base, "Which?", threads, model="custom_openai/m")
    assert threads.at_once and not any(threads.at_once)


def test_a_failed_request_fails_as_with_a_thread(server: Running) -> None:
    threads = Watched()
    with pytest.raises(CallFailed) as caught:
        sent(server.base, "Which <500>?", threads)
    assert (threads.at_once[0], caught.value.status) == (True, 500)


def test_other_work_runs_in_threads_without_blocking_the_loop() -> None:
    def slow() -> str:
        time.sleep(0.2)
        return threading.current_thread().name

    async def work() -> tuple[str, int]:
        asyncio.get_running_loop().set_default_executor(Threads(thread_name_prefix="mine"))
        waiting = asyncio.create_task(asyncio.to_thread(slow))
        turns = 0
        while not waiting.done():
            await asyncio.sleep(0.01)
            turns += 1
        return waiting.result(), turns

    name, turns = run(work())
    assert name.startswith("mine")
    assert turns > 3


def called(inner: Callable[[], Any]) -> Any:  # noqa: ANN401
    return inner()


def named_as_the_builder(work: Callable[..., Any]) -> Callable[..., Any]:
    work.__module__, work.__name__ = "litellm.main", "completion"
    return work


def test_building_errors_reach_the_caller() -> None:
    @named_as_the_builder
    def broken(**request: object) -> None:
        raise ValueError("no such role")

    build = partial(broken, model="openai/m", messages=[{"role": "user", "content": "Which?"}])

    async def work() -> None:
        loop = asyncio.get_running_loop()
        loop.set_default_executor(Threads())
        with pytest.raises(ValueError, match="no such role"):
            await loop.run_in_executor(None, partial(called, build))

    run(work())


@pytest.mark.parametrize("request_", [{}, {"model": "bedrock/m", "messages": [{"content": "Which?"}]}])
def test_a_request_it_cannot_be_sure_of_is_left_to_a_thread(request_: dict[str, Any]) -> None:
    @named_as_the_builder
    def builder(**request: object) -> str:
        return threading.current_thread().name

    with Threads(thread_name_prefix="mine") as threads:
        assert threads.submit(partial(called, partial(builder, **request_))).result().startswith("mine")


@pytest.mark.slow
def test_putting_together_asks_nobody_at_any_provider_that_is_named(server: Running) -> None:
    code = f"""
import asyncio, sys, threading
from concurrent.futures import ThreadPoolExecutor
from tsgkit.llm.request_threads import WAITS_FOR_NOTHING, Threads
from tsgkit.llm.litellm_calls import LiteLlm
from tsgkit.llm.settings import parse, settings_of

building, built, handed, seen = [], [], [], []
outside = ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto", "subprocess.Popen", "open")

def hook(event, details):
    if event in outside and building == [threading.get_ident()]:  # what other threads do meanwhile is not building
        seen.append((event, details))

sys.addaudithook(hook)

class Handing(ThreadPoolExecutor):
    def submit(self, *parts):
        handed.append(parts)
        return super().submit(*parts)

class Listening(Threads, Handing):
    def submit(self, *parts):
        handed.clear()
        building.append(threading.get_ident())
        try:
            return super().submit(*parts)
        finally:
            building.clear()
            built.append(not handed)

async def work(model):
    asyncio.get_running_loop().set_default_executor(Listening())
    texts = ["api_key=sk-0123456789", "api_base={server.base}"]
    provider = LiteLlm(settings_of(model, parse(texts, [model]), {{"temperature": 0.1}}))
    provider.prepare()
    for _ in range(2):
        seen.clear()  # what is imported at first is read from files
        try:
            await provider.send([{{"role": "user", "content": "Which?"}}], None, 10)
        except Exception as error:  # the service speaks as OpenAI does, and not as all do
            assert type(error).__name__ == "CallFailed", error
    await provider.close()

for provider in WAITS_FOR_NOTHING:
    built.clear()
    asyncio.run(work(provider + "/m"))
    print(provider, built.count(True), seen)
"""
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=ROOT)
    assert result.stdout.splitlines() == [f"{provider} 2 []" for provider in WAITS_FOR_NOTHING], result.stderr
