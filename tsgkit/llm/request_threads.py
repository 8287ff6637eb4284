"""Executor that lets LiteLLM build requests in the event loop instead of one thread each.

LiteLLM builds every request in a thread of the loop's executor, without waiting for anything. With 64 requests in
flight, these threads and the loop compete for the interpreter's lock, which costs more than the work. With
:class:`Threads` as executor, such a request is built directly; other work runs in threads as usual.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Any

from tsgkit.llm.prices import provider_of

BUILDER = ("litellm.main", "completion")
WAITS_FOR_NOTHING = ("openai", "hosted_vllm", "openrouter", "groq", "mistral", "anthropic", "gemini")
"""Providers whose requests are built without I/O; others fetch credentials meanwhile."""


class Threads(ThreadPoolExecutor):
    """A thread pool that runs short building steps directly."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:  # noqa: ANN401
        """Return the result of a function: at once where it builds a request, else when a thread has it."""
        if not _builds_a_request(fn):
            return super().submit(fn, *args, **kwargs)
        built: Future[Any] = Future()
        try:
            built.set_result(fn(*args, **kwargs))
        except Exception as error:  # noqa: BLE001  (the caller receives it through the future, as from a thread)
            built.set_exception(error)
        return built


def _builds_a_request(work: Callable[..., Any]) -> bool:
    """Return whether this is LiteLLM's building of a text request. Unknown work is not."""
    inner = work.args[0] if isinstance(work, partial) and work.args else None
    if not isinstance(inner, partial):
        return False
    name = (getattr(inner.func, "__module__", ""), getattr(inner.func, "__name__", ""))
    return name == BUILDER and _is_plain(inner.keywords)


def _is_plain(request: Mapping[str, Any]) -> bool:
    contents = [message.get("content") for message in request.get("messages") or ()]
    return provider_of(str(request.get("model"))) in WAITS_FOR_NOTHING and all(
        isinstance(content, str) for content in contents
    )
