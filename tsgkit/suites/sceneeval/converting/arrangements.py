"""What a converter has found: things where they stand in our world, what is built around them, and what was lost.

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

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from tsgkit.geometry import Architecture

Kind = Literal["lost", "assumed", "ignored"]
KINDS: tuple[Kind, ...] = ("lost", "assumed", "ignored")
Point = tuple[float, float, float]
SHOWN = 6
LONGEST = 180
"""Letters of a name."""


@dataclass(frozen=True)
class Loss:
    """One kind of thing that a file said and a scene does not, or that a scene says and the file did not."""

    kind: Kind
    what: str
    count: int
    names: tuple[str, ...] = ()

    def __str__(self) -> str:
        shown = ", ".join(self.names[:SHOWN]) + (", ..." if len(self.names) > SHOWN else "")
        return f"{self.kind} ({self.count:,}): {self.what}" + (f": {shown}" if shown else "")


@dataclass
class Ledger:
    """Collects losses while a file is converted."""

    _counts: dict[tuple[Kind, str], int] = field(default_factory=dict)
    _names: dict[tuple[Kind, str], dict[str, None]] = field(default_factory=dict)

    def lost(self, what: str, name: str = "", count: int = 1) -> None:
        """Something of the file that the scene lacks."""
        self._add("lost", what, count, [name] if name else [])

    def assumed(self, what: str, count: int = 1) -> None:
        """Something the file leaves open."""
        self._add("assumed", what, count, [])

    def ignored(self, what: str, names: Iterable[str]) -> None:
        """Fields that nothing is made of."""
        if found := sorted(set(names)):
            self._add("ignored", what, 0, found)

    def merge(self, losses: Iterable[Loss]) -> None:
        """Take in those of another file."""
        for loss in losses:
            self._add(loss.kind, loss.what, 0 if loss.kind == "ignored" else loss.count, loss.names)

    def told(self) -> tuple[Loss, ...]:
        """All of them, what is lost first; fields are counted once however often they occur."""
        rows = [
            Loss(
                kind, what, len(self._names[kind, what]) if kind == "ignored" else count, tuple(self._names[kind, what])
            )
            for (kind, what), count in self._counts.items()
            if count or kind == "ignored"
        ]
        return tuple(sorted(rows, key=lambda loss: KINDS.index(loss.kind)))

    def _add(self, kind: Kind, what: str, count: int, names: Iterable[str]) -> None:
        self._counts[kind, what] = self._counts.get((kind, what), 0) + count
        self._names.setdefault((kind, what), {}).update(dict.fromkeys(names))


@dataclass(frozen=True)
class Thing:
    """An object in our world; ``at`` is the middle of its underside, or of its box where ``centred``."""

    id: str
    category: str
    at: Point
    yaw: float
    size: Point | None = None
    """How wide, deep and high it is before it is turned; None where nobody says."""
    centred: bool = False
    description: str = ""
    asset: str = ""
    """Its id in the collection that the generator takes its meshes from."""
    scale: Point = (1.0, 1.0, 1.0)
    """By how much its mesh is scaled to have that size, along its width, depth and height."""

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
    """All that a converter makes of one scene of a file."""

    id: str
    """As the file names it; empty where it does not, and the name of the file is taken."""
    things: tuple[Thing, ...]
    built: Architecture | None
    note: str = ""
    losses: tuple[Loss, ...] = ()


class Names:
    """Names that no two things have: a number is put behind one that is taken.

    >>> names = Names()
    >>> names.free("bed"), names.free("bed"), names.free(" "), names.counted("lamp")
    ('bed', 'bed_2', 'unnamed', 'lamp_1')
    """

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._next: dict[str, int] = {}

    def free(self, name: str) -> str:
        """The name, with a number from 2 where it is taken; it is taken from now on."""
        base = name.strip()[:LONGEST] or "unnamed"
        return self.counted(base, 2) if base in self._taken else self._take(base)

    def counted(self, base: str, first: int = 1) -> str:
        """The name with the next free number behind it."""
        number = self._next.get(base, first)
        while (found := f"{base}_{number}") in self._taken:
            number += 1
        self._next[base] = number + 1
        return self._take(found)

    def _take(self, name: str) -> str:
        self._taken.add(name)
        return name


def stand_on_undersides(heights: Sequence[float], levels: Sequence[float]) -> bool | None:
    """Whether levels are those of undersides rather than of middles, by which of the two puts more things on the floor.

    None where it cannot be told: equally many, or none, would stand on it.

    >>> stand_on_undersides([0.5, 0.8], [0.25, 0.4]), stand_on_undersides([0.5, 0.8], [0, 0.5])
    (False, True)
    """
    pairs = list(zip(heights, levels, strict=True))
    on_undersides = sum(abs(level) < ON_FLOOR for _, level in pairs)
    on_middles = sum(abs(level - height / 2) < ON_FLOOR for height, level in pairs)
    return None if on_undersides == on_middles else on_undersides > on_middles


ON_FLOOR = 0.015
"""Metres from the floor within which something stands on it."""
