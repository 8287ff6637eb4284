"""Requests are built where they are asked for; whatever waits for something still finds a thread."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from typing import Any

import pytest
from doors import carried, carrying, run, settings_for

from tsgkit.errors import UsageError
from tsgkit.llm.event_loop import run_in_background
from tsgkit.llm.failures import CallFailed
from tsgkit.llm.litellm_calls import LiteLlm
from tsgkit.llm.request_threads import Threads

IMAGE = (
    "data:image/png;base64,"
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


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


def built_at_once(content: object, model: str = "openai/m", status: int = 200) -> list[bool]:
    """Return what of a request was done at once, by a loop with threads that watch."""
    threads = Watched()

    async def work() -> None:
        asyncio.get_running_loop().set_default_executor(threads)
        provider = LiteLlm(settings_for("http://127.0.0.1:9/v1", model=model))
        provider.prepare()
        try:
            await provider.send([{"role": "user", "content": content}], None, 10)
        finally:
            await provider.close()

    with carrying(carried(status)):
        if status == 200:
            run(work())
        else:
            with pytest.raises(CallFailed):
                run(work())
    return threads.at_once


def test_request_of_text_is_built_without_a_thread_and_others_by_one() -> None:
    assert built_at_once("Which?")[0]
    assert built_at_once("Which?", status=500)[0], "a failed request fails as with a thread"
    parts = [{"type": "text", "text": "Which?"}, {"type": "image_url", "image_url": {"url": IMAGE}}]
    for submitted in (built_at_once(parts), built_at_once("Which?", "custom_openai/m")):
        assert submitted and not any(submitted)


def called(inner: Callable[[], Any]) -> Any:  # noqa: ANN401
    return inner()


def built_by(model: str | None, content: object, name: str = "completion") -> str:
    """Return the thread that builds a request."""

    def builder(**request: object) -> str:
        if content == "broken":
            raise ValueError("no such role")
        return threading.current_thread().name

    builder.__module__, builder.__name__ = "litellm.main", name
    request = {} if model is None else {"model": model, "messages": [{"role": "user", "content": content}]}
    with Threads(thread_name_prefix="mine") as threads:
        found: str = threads.submit(partial(called, partial(builder, **request))).result()
    return found.partition("_")[0]


def test_request_it_cannot_be_sure_of_is_left_to_a_thread() -> None:
    here = threading.current_thread().name
    assert built_by("openai/m", "Which?") == built_by("gemini/m", "Which?") == here
    for model, content, name in (
        (None, "", "completion"),
        ("bedrock/m", "Which?", "completion"),
        ("openai/m", [], "completion"),
        ("openai/m", "Which?", "embedding"),
    ):
        assert built_by(model, content, name) == "mine", (model, content, name)
    with Threads(thread_name_prefix="mine") as threads:
        assert threads.submit(threading.current_thread).result().name.startswith("mine")
        assert threads.submit(partial(called, threading.current_thread)).result().name.startswith("mine")
    with pytest.raises(ValueError, match="no such role"):
        built_by("openai/m", "broken")


def test_synchronous_call_from_within_its_own_loop_is_refused() -> None:
    async def doubled(number: int) -> int:
        return 2 * number

    async def nested() -> None:
        run_in_background(lambda: doubled(1))

    assert run_in_background(lambda: doubled(21)) == 42
    with pytest.raises(UsageError, match="called from within its own event loop"):
        run_in_background(nested)
