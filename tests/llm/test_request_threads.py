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

from tsgkit.llm.litellm_calls import LiteLlm
from tsgkit.llm.request_threads import Threads


class Watched(Threads):
    """Threads that count themselves after each piece of work."""

    def __init__(self) -> None:
        super().__init__()
        self.counts: list[int] = []

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:  # noqa: ANN401
        found = super().submit(fn, *args, **kwargs)
        self.counts.append(len(self._threads))
        return found


def threads_used(model: str, content: object) -> int:
    """Return how many threads a loop had once it built one request of LiteLLM."""

    async def work() -> int:
        with Watched() as threads:
            asyncio.get_running_loop().set_default_executor(threads)
            provider = LiteLlm(settings_for("http://127.0.0.1:9/v1", model=model))
            provider.prepare()
            reply = await provider.send([{"role": "user", "content": content}], None, 10)
            assert reply.text == "[A]"
            await provider.close()
            return threads.counts[0]

    with carrying(carried()):
        return run(work())


def test_request_of_text_is_built_without_a_thread_and_others_by_one() -> None:
    assert threads_used("openai/m", "Which?") == 0
    assert threads_used("openai/m", [{"type": "text", "text": "Which?"}]) == 1
    assert threads_used("custom_openai/m", "Which?") == 1


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
