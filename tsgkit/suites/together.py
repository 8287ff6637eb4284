"""Several things at a time, none of them lost.

>>> import asyncio
>>> asyncio.run(together(asyncio.sleep(0, "lamp"), asyncio.sleep(0, 2)))
('lamp', 2)
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import Any, TypeVar, overload

One = TypeVar("One")
Two = TypeVar("Two")
Three = TypeVar("Three")


@overload
async def together(one: Awaitable[One], two: Awaitable[Two], three: Awaitable[Three], /) -> tuple[One, Two, Three]: ...
@overload
async def together(one: Awaitable[One], two: Awaitable[Two], /) -> tuple[One, Two]: ...
@overload
async def together(*calls: Awaitable[One]) -> tuple[One, ...]: ...
async def together(*calls: Awaitable[Any]) -> tuple[Any, ...]:
    """What several calls come to; one that is raised is raised when all are home, so that none under way is lost."""
    found = await asyncio.gather(*calls, return_exceptions=True)
    for one in found:
        if isinstance(one, BaseException):
            raise one
    return tuple(found)
