"""Concurrent work that loses no result when one part fails.

>>> import asyncio
>>> asyncio.run(gather_all(asyncio.sleep(0, "lamp"), asyncio.sleep(0, 2)))
('lamp', 2)
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol, TypeVar, overload

One = TypeVar("One")
Two = TypeVar("Two")
Three = TypeVar("Three")
Unit = TypeVar("Unit")
Made = TypeVar("Made")


@overload
async def gather_all(
    one: Awaitable[One], two: Awaitable[Two], three: Awaitable[Three], /
) -> tuple[One, Two, Three]: ...
@overload
async def gather_all(one: Awaitable[One], two: Awaitable[Two], /) -> tuple[One, Two]: ...
@overload
async def gather_all(*calls: Awaitable[One]) -> tuple[One, ...]: ...
async def gather_all(*calls: Awaitable[Any]) -> tuple[Any, ...]:
    """Await several calls and return their results. An exception is raised only after all have finished."""
    found = await asyncio.gather(*calls, return_exceptions=True)
    for one in found:
        if isinstance(one, BaseException):
            raise one
    return tuple(found)


class UnitMapper(Protocol):
    """A mapper of units by key: all at once, or as many at a time as the engine allows."""

    async def __call__(
        self, units: Mapping[str, Unit], make: Callable[[Unit], Awaitable[Made]], /
    ) -> Mapping[str, Made]:
        """Return what was made, in the order of the units."""


async def all_at_once(units: Mapping[str, Unit], make: Callable[[Unit], Awaitable[Made]], /) -> dict[str, Made]:
    """Make one thing of each unit, all at a time."""
    return dict(zip(units, await asyncio.gather(*map(make, units.values())), strict=True))
