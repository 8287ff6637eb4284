"""Synchronous wrappers of asynchronous functions, for scripts and notebooks: one event loop in the background.

>>> async def twice(number):
...     return 2 * number
>>> run_in_background(lambda: twice(21))
42

All of them share one loop, so that connections opened by one call (a session of an ``async def`` model) serve the next.
Objects of a caller's own loop need the functions whose names begin with ``a``.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from functools import cache, partial
from typing import Any, TypeVar

from tsgkit.errors import UsageError
from tsgkit.llm.settings import provider_of

Result = TypeVar("Result")
LAST_SECONDS = 1.5
"""Seconds after a second interrupt in which a blocked event loop must hear of it."""
BUILDER = ("litellm.main", "completion")
WAITS_FOR_NOTHING = ("openai", "hosted_vllm", "openrouter", "groq", "mistral", "anthropic", "gemini")
"""Providers whose requests are built without I/O; others fetch credentials meanwhile."""


def run_in_background(
    make: Callable[[], Coroutine[Any, Any, Result]],
    stop: Callable[[], None] | None = None,
    abandon: Callable[[], None] | None = None,
) -> Result:
    """Run a coroutine in the background loop and return its result, from any thread.

    The first Ctrl-C calls ``stop``, the next ``abandon``, both in the loop; without them the work is cancelled.
    KeyboardInterrupt is raised when the work has ended, or at the second Ctrl-C if the loop is blocked: it is left to
    its thread, and the next call has another.
    """
    loop = background_loop()
    if threading.current_thread().name == _name(os.getpid()):
        hint = "call the function whose name begins with a, and await it"
        raise UsageError("a synchronous function of tsgkit was called from within its own event loop", hint=hint)
    future = asyncio.run_coroutine_threadsafe(make(), loop)
    interrupts = 0
    while True:
        try:
            result = future.result()
        except KeyboardInterrupt:
            interrupts += 1
            todo = stop if interrupts == 1 else abandon
            if todo is None:
                future.cancel()
                raise
            loop.call_soon_threadsafe(todo)
            if interrupts > 1:
                heard = threading.Event()
                loop.call_soon_threadsafe(heard.set)
                if not heard.wait(LAST_SECONDS):  # the loop is blocked
                    _loop_of.cache_clear()
                    raise
            continue
        if interrupts:
            raise KeyboardInterrupt
        return result


def background_loop() -> asyncio.AbstractEventLoop:
    """Return the event loop that runs in a thread of its own; a process that was forked has another one."""
    return _loop_of(os.getpid())


@cache
def _loop_of(process: int) -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    loop.set_default_executor(Threads())

    def run() -> None:
        asyncio.set_event_loop(loop)
        with suppress(RuntimeError):  # the interpreter is shutting down
            loop.run_forever()

    threading.Thread(target=run, daemon=True, name=_name(process)).start()
    return loop


def _name(process: int) -> str:
    return f"tsgkit-loop-{process}"


class Threads(ThreadPoolExecutor):
    """A thread pool that builds text requests of LiteLLM directly, which is short."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:  # noqa: ANN401
        """Return the result of a function: at once where it builds a request, else when a thread has it."""
        work = fn.args[0] if isinstance(fn, partial) and fn.args else None
        function, request = (work.func, work.keywords) if isinstance(work, partial) else (None, {})
        name = getattr(function, "__module__", ""), getattr(function, "__name__", "")
        is_builder = name == BUILDER and provider_of(str(request.get("model"))) in WAITS_FOR_NOTHING
        texts = (isinstance(message.get("content"), str) for message in request.get("messages") or ())
        if not is_builder or not all(texts):
            return super().submit(fn, *args, **kwargs)
        built: Future[Any] = Future()
        try:
            built.set_result(fn(*args, **kwargs))
        except Exception as error:  # noqa: BLE001  (the caller receives it through the future, as from a thread)
            built.set_exception(error)
        return built
