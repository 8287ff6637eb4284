"""LiteLLM's HTTP clients, one set for each event loop of the process.

Every sender in a loop counts as a user of that loop's clients; the last one to leave closes them. Concurrent
evaluations in one process therefore do not close each other's connections.
"""

from __future__ import annotations

import asyncio
import inspect
import threading
from contextlib import suppress
from typing import Any
from weakref import WeakKeyDictionary, WeakValueDictionary

_USERS: WeakKeyDictionary[asyncio.AbstractEventLoop, WeakValueDictionary[int, object]] = WeakKeyDictionary()
_GUARD = threading.Lock()


def join(user: object) -> None:
    """Count an object as a user of the clients of the running loop, until it leaves or is no more."""
    with _GUARD:
        _USERS.setdefault(asyncio.get_running_loop(), WeakValueDictionary())[id(user)] = user


async def leave(user: object, library: Any) -> None:  # noqa: ANN401  (litellm)
    """Close the clients of the running loop if this was their last user."""
    loop = asyncio.get_running_loop()
    with _GUARD:
        users = _USERS.get(loop)
        if users is None or users.pop(id(user), None) is None or users:
            return
        clients = _taken_out(library.in_memory_llm_clients_cache, loop)
        if not any(_USERS.values()):
            clients.append(library.base_llm_aiohttp_handler)  # one for all loops, of ``aiohttp_openai/`` models
    for client in clients:
        with suppress(Exception):  # a connection that breaks while it is closed is closed
            closing = (getattr(client, "aclose", None) or client.close)()
            if inspect.isawaitable(closing):
                await closing


def _taken_out(cache: Any, loop: asyncio.AbstractEventLoop) -> list[Any]:  # noqa: ANN401
    """Remove a loop's clients from the cache and return them, so that no closed client is reused."""
    mark = f"-{id(loop)}"
    found = {key: client for key, client in list(cache.cache_dict.items()) if str(key).endswith(mark)}
    for key in found:
        cache.delete_cache(key)
    return list(found.values())
