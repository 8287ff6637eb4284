"""LiteLLM's HTTP clients, one set for each event loop of the process.

Every sender in a loop counts as a user of that loop's clients; the last one to leave closes them.
"""

from __future__ import annotations

import asyncio
import inspect
from contextlib import suppress
from typing import Any

from tsgkit.llm.loop_users import LoopUsers

_USERS = LoopUsers()


def join(user: object) -> None:
    """Count an object as a user of the clients of the running loop, until it leaves or is no more."""
    _USERS.join(user)


async def leave(user: object, library: Any) -> None:  # noqa: ANN401  (litellm)
    """Close the clients of the running loop if this was their last user."""
    loop = asyncio.get_running_loop()
    with _USERS.guard:
        if not _USERS.leave(user):
            return
        clients = _taken_out(library.in_memory_llm_clients_cache, loop)
        if not _USERS.any_left:
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
