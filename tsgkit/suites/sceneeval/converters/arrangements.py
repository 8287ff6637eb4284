"""Arrangements: the objects of a converted scene in our world frame, the architecture, and losses.

>>> bed = Thing("bed_1", "bed", at=(1.0, 2.0, 0.0), yaw=90.0, size=(2.0, 1.6, 0.5))
>>> bed.underside, bed.middle
((1.0, 2.0, 0.0), (1.0, 2.0, 0.25))
>>> losses = Ledger()
>>> losses.lost("objects without a size, left out", "lamp_1")
>>> losses.lost("objects without a size, left out", "lamp_2")
>>> [str(loss) for loss in losses.told()]
['lost (2): objects without a size, left out: lamp_1, lamp_2']

Our world: metres, x to the east, y to the north, z up; a thing of yaw 0 has its front to the south, and yaw grows
against the clock as seen from above.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from pydantic import BaseModel

from tsgkit.geometry import Architecture

Kind = Literal["lost", "assumed", "ignored"]
KINDS: tuple[Kind, ...] = ("lost", "assumed", "ignored")
Holder = Literal["ground", "object", "wall", "ceiling"]
Point = tuple[float, float, float]
REACH = 0.01
"""Metres between an underside and the top that it rests on."""
TINY = 1e-9
SHOWN = 6
LONGEST = 180
"""Letters of a name."""


@dataclass(frozen=True)
class Loss:
    """A kind of information that the file had and the scene lacks, or that was assumed."""

    kind: Kind
    what: str
    count: int
    names: tuple[str, ...] = ()

    def __str__(self) -> str:
        shown = ", ".join(self.names[:SHOWN]) + (", ..." if len(self.names) > SHOWN else "")
        return f"{self.kind} ({self.count:,}): {self.what}" + (f": {shown}" if shown else "")


class Ledger:
    """A collector of losses during a conversion."""

    def __init__(self) -> None:
        self._counts: Counter[tuple[Kind, str]] = Counter()
        self._names: dict[tuple[Kind, str], dict[str, None]] = {}

    def lost(self, what: str, name: str = "", count: int = 1) -> None:
        """Note something of the file that the scene lacks."""
        self._add(Loss("lost", what, count, (name,) if name else ()))

    def assumed(self, what: str, count: int = 1, name: str = "") -> None:
        """Note something that the file leaves open."""
        self._add(Loss("assumed", what, count, (name,) if name else ()))

    def tilted(self, name: str) -> None:
        """Note an object that leans, of which only the turn about the vertical is kept."""
        self.lost("tilts: only turns about the vertical are kept", name)

    def unread(self, what: str, models: Iterable[BaseModel]) -> None:
        """Note the fields of some things that are not read."""
        self.ignored(what, {name[:60] for model in models for name in model.model_extra or {}})

    def ignored(self, what: str, names: Iterable[str]) -> None:
        """Note fields that are not used."""
        if fields := sorted(set(names)):
            self._add(Loss("ignored", what, len(fields), tuple(fields)))

    def merge(self, losses: Iterable[Loss]) -> None:
        """Take in those of another file."""
        for loss in losses:
            self._add(loss)

    def told(self) -> tuple[Loss, ...]:
        """Return all losses, then assumptions; a field is counted once."""
        rows = [
            Loss(kind, what, len(names) if kind == "ignored" else self._counts[kind, what], tuple(names))
            for (kind, what), names in self._names.items()
        ]
        return tuple(sorted((loss for loss in rows if loss.count), key=lambda loss: KINDS.index(loss.kind)))

    def _add(self, loss: Loss) -> None:
        self._counts[loss.kind, loss.what] += loss.count
        self._names.setdefault((loss.kind, loss.what), {}).update(dict.fromkeys(loss.names))


@dataclass(frozen=True)
class Thing:
    """An object in our world frame; ``at`` is the centre of its underside, or of its box if ``centred``."""

    id: str
    category: str
    at: Point
    yaw: float
    size: Point | None = None
    """Width, depth and height before rotation; None if unknown."""
    centred: bool = False
    description: str = ""
    asset: str = ""
    """Its id in the collection that the generator takes its meshes from."""
    scale: Point = (1.0, 1.0, 1.0)
    """By how much its mesh is scaled to have that size, along its width, depth and height."""
    lacks: str = ""
    """The unknown part of its size."""
    held_by: Holder | None = None
    """The holder according to the generator, if known."""
    parent: str = ""
    """The object or wall that holds it."""
    axes: tuple[Point, Point, Point] | None = None
    """The directions of the right, top and front of its mesh, if it does not stand upright."""
    mesh_middle: Point | None = None
    """The middle of its mesh's box in the frame of the mesh (y up, front +z), where the mesh is at hand."""

    @property
    def top(self) -> float | None:
        """The height of its upper side, where that is known."""
        at = self.underside
        return None if at is None or self.size is None else at[2] + self.size[2]

    def is_under(self, at: Point) -> bool:
        """Return whether a place is over its footprint and higher than its underside."""
        own = self.underside
        if own is None or self.size is None or own[2] >= at[2] - TINY:
            return False
        c, s = math.cos(math.radians(self.yaw)), math.sin(math.radians(self.yaw))
        x, y = at[0] - self.at[0], at[1] - self.at[1]
        return abs(x * c + y * s) <= self.size[0] / 2 and abs(y * c - x * s) <= self.size[1] / 2

    @property
    def underside(self) -> Point | None:
        """The middle of its underside, where that is known."""
        return self.at if not self.centred else self._lifted(-0.5)

    @property
    def middle(self) -> Point | None:
        """The middle of its box, where that is known."""
        return self.at if self.centred else self._lifted(0.5)

    def _lifted(self, share: float) -> Point | None:
        x, y, z = self.at
        return None if self.size is None else (x, y, z + share * self.size[2])


@dataclass(frozen=True)
class Arrangement:
    """The converted content of one scene of a file."""

    things: Sequence[Thing]
    built: Architecture | None
    note: str = ""
    sizes_from: str = ""
    """The options that bring sizes which the file lacks."""


class Names:
    """Unique names: a number is appended to one that is taken.

    >>> names = Names()
    >>> names.free("bed"), names.free("bed"), names.free(" "), names.counted("lamp")
    ('bed', 'bed_2', 'unnamed', 'lamp_1')
    """

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._next: dict[str, int] = {}

    def free(self, name: str) -> str:
        """Return the name, with a number from 2 where it is taken; it is taken from now on."""
        base = name.strip()[:LONGEST] or "unnamed"
        return self.counted(base, 2) if base in self._taken else self._take(base)

    def counted(self, base: str, first: int = 1) -> str:
        """Return the name with the next free number behind it."""
        number = self._next.get(base, first)
        while (found := f"{base}_{number}") in self._taken:
            number += 1
        self._next[base] = number + 1
        return self._take(found)

    def _take(self, name: str) -> str:
        self._taken.add(name)
        return name


def with_parents(things: Sequence[Thing], losses: Ledger, reach: float = REACH) -> tuple[Thing, ...]:
    """Return the objects with their holders: as in the file, else the floor or another object's top below.

    >>> table = Thing("table", "table", (1, 1, 0), 0, (2, 1, 0.8))
    >>> vase = Thing("vase", "vase", (1.5, 1, 0.805), 0, (0.2, 0.2, 0.3))
    >>> [(one.held_by, one.parent) for one in with_parents([table, vase], Ledger())]
    [('ground', ''), ('object', 'table')]
    """
    tops = sorted((top, number) for number, thing in enumerate(things) if (top := thing.top) is not None)
    placed, inferred = list[Thing](), 0
    for thing in things:
        at = None if thing.held_by else thing.underside
        if at is not None and abs(at[2]) <= reach + TINY:
            thing = replace(thing, held_by="ground")
        elif at is not None:
            start, end = (bisect_left(tops, (at[2] + step, -1)) for step in (-reach - TINY, reach + TINY))
            below = [things[number] for _, number in tops[start:end] if things[number].is_under(at)]
            if below:
                holder = min(below, key=lambda other: math.dist(other.at[:2], at[:2]))
                inferred += not thing.parent
                thing = replace(thing, held_by="object", parent=holder.id)
        placed.append(thing)
    if inferred:
        losses.assumed(f"objects lie on others whose tops are within {reach:g} m of their undersides", inferred)
    return tuple(placed)
