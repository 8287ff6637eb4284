"""Arrangements: the objects of a converted scene in our world frame, the architecture, and losses.

They are written as our own form with boxes, or as the published scene state with the ids of meshes.

>>> bed = ArrangedObject("bed_1", "bed", at=(1.0, 2.0, 0.0), yaw=90.0, size=(2.0, 1.6, 0.5))
>>> bed.underside, bed.middle
((1.0, 2.0, 0.0), (1.0, 2.0, 0.25))
>>> losses = Ledger()
>>> losses.lost("objects without a size, left out", "lamp_1")
>>> losses.lost("objects without a size, left out", "lamp_2")
>>> [str(loss) for loss in losses.summary()]
['lost (2): objects without a size, left out: lamp_1, lamp_2']
>>> scene_of(Arrangement((bed,), None), "", losses, "scene")["objects"]
[{'id': 'bed_1', 'category': 'bed', 'size': [2.0, 1.6, 0.5], 'at': [1.0, 2.0, 0.0], 'yaw': 90.0}]
>>> known = replace(bed, asset="a1")
>>> scene_of(Arrangement((known,), None), "objaverse", losses, "scene")["scene"]["object"][0]["modelId"]
'objaverse.a1'

Our world: metres, x to the east, y to the north, z up; a thing of yaw 0 has its front to the south, and yaw grows
against the clock as seen from above.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from pydantic import BaseModel, ValidationError

from tsgkit.errors import FileProblem
from tsgkit.geometry import Architecture, Wall
from tsgkit.suites.sceneeval.scene_files.assets import LAYOUTS
from tsgkit.suites.sceneeval.scene_files.files import NAME, problem_of
from tsgkit.suites.sceneeval.scene_files.simple import FORMAT as ROOM
from tsgkit.suites.sceneeval.scene_files.simple import SceneGiven
from tsgkit.suites.sceneeval.scene_files.states import FORMAT as STATE
from tsgkit.suites.sceneeval.scene_files.states import VERSIONS

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
UNSIZED = "objects whose size is not known, left out"
BASED = frozenset(layout.prefix for layout in LAYOUTS.values() if layout.based)
"""Prefixes of assets whose origin is the centre of their underside; others have it in the centre of their box."""


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
        self.add(Loss("lost", what, count, (name,) if name else ()))

    def assumed(self, what: str, count: int = 1, name: str = "") -> None:
        """Note something that the file leaves open."""
        self.add(Loss("assumed", what, count, (name,) if name else ()))

    def tilted(self, name: str) -> None:
        """Note an object that leans, of which only the turn about the vertical is kept."""
        self.lost("tilts: only turns about the vertical are kept", name)

    def ignored(self, what: str, fields: Iterable[str]) -> None:
        """Note fields that are not used."""
        names = sorted({name[:60] for name in fields})
        self.add(Loss("ignored", what, len(names), tuple(names)))

    def unread(self, what: str, models: Iterable[BaseModel]) -> None:
        """Note the fields of some things that are not read."""
        self.ignored(what, (name for model in models for name in model.model_extra or {}))

    def summary(self) -> tuple[Loss, ...]:
        """Return all losses, then assumptions; a field is counted once."""
        rows = [
            Loss(kind, what, len(names) if kind == "ignored" else self._counts[kind, what], tuple(names))
            for (kind, what), names in self._names.items()
        ]
        return tuple(sorted((loss for loss in rows if loss.count), key=lambda loss: KINDS.index(loss.kind)))

    def add(self, loss: Loss) -> None:
        """Take in a loss, which another file may have had."""
        self._counts[loss.kind, loss.what] += loss.count
        self._names.setdefault((loss.kind, loss.what), {}).update(dict.fromkeys(loss.names))


@dataclass(frozen=True)
class ArrangedObject:
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
        underside = self.underside
        if underside is None or self.size is None or underside[2] >= at[2] - TINY:
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

    things: Sequence[ArrangedObject]
    built: Architecture | None
    note: str = ""
    sizes_from: str = ""
    """The options that bring sizes which the file lacks."""


class UniqueNames:
    """Unique names: a number is appended to one that is taken.

    >>> names = UniqueNames()
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
        while (name := f"{base}_{number}") in self._taken:
            number += 1
        self._next[base] = number + 1
        return self._take(name)

    def _take(self, name: str) -> str:
        self._taken.add(name)
        return name


def with_parents(things: Sequence[ArrangedObject], losses: Ledger, reach: float = REACH) -> tuple[ArrangedObject, ...]:
    """Return the objects with their holders: as in the file, else the floor or another object's top below.

    >>> table = ArrangedObject("table", "table", (1, 1, 0), 0, (2, 1, 0.8))
    >>> vase = ArrangedObject("vase", "vase", (1.5, 1, 0.805), 0, (0.2, 0.2, 0.3))
    >>> [(thing.held_by, thing.parent) for thing in with_parents([table, vase], Ledger())]
    [('ground', ''), ('object', 'table')]
    """
    tops = sorted((top, number) for number, thing in enumerate(things) if (top := thing.top) is not None)
    placed, inferred = list[ArrangedObject](), 0
    for thing in things:
        at = None if thing.held_by else thing.underside
        if at is not None and abs(at[2]) <= reach + TINY:
            thing = replace(thing, held_by="ground")
        elif at is not None:
            start, end = (bisect_left(tops, (at[2] + step, -1)) for step in (-reach - TINY, reach + TINY))
            below = [things[number] for _, number in tops[start:end] if things[number].is_under(at)]
            if below:
                holder = min(below, key=lambda candidate: math.dist(candidate.at[:2], at[:2]))
                inferred += not thing.parent
                thing = replace(thing, held_by="object", parent=holder.id)
        placed.append(thing)
    if inferred:
        losses.assumed(f"objects lie on others whose tops are within {reach:g} m of their undersides", inferred)
    return tuple(placed)


def scene_of(arrangement: Arrangement, prefix: str, losses: Ledger, where: str) -> dict[str, Any]:
    """Return a published scene state, which names meshes by a prefix; without one a room of ours, of boxes."""
    objects = _models(arrangement, prefix, losses) if prefix else _boxes(arrangement, losses)
    if arrangement.things and not objects:
        raise FileProblem(
            f"{where}: none of its {len(arrangement.things):,} objects can be placed, as their sizes are not known",
            hint=arrangement.sizes_from and f"sizes come from {arrangement.sizes_from}",
        )
    built, parts = arrangement.built, dict[str, Any]()
    if prefix:
        if built is not None:
            elements: list[dict[str, Any]] = [
                {"type": "Floor", "id": floor.id, "roomId": floor.room, "points": list(map(_rounded, floor.points))}
                for floor in built.floors
            ]
            for wall in built.walls:
                holes = [
                    {"type": hole.kind.capitalize(), "box": {"min": _rounded(hole.low), "max": _rounded(hole.high)}}
                    for hole in wall.openings
                ]
                ends = {"points": [_rounded(wall.start), _rounded(wall.end)], "height": _round(wall.height)}
                elements.append({"type": "Wall", "id": wall.name, **ends, "holes": holes})
            parts = {"arch": {"version": VERSIONS["arch"], "elements": elements}}
        frame = {"version": VERSIONS["scene"], "unit": 1, "up": [0, 0, 1], "front": [0, 1, 0]}
        return {"format": STATE, "scene": {**frame, **parts, "object": objects}}
    if built is not None:
        floors = [{"room": floor.room, "points": [_rounded(end[:2]) for end in floor.points]} for floor in built.floors]
        parts = {"floors": floors, "walls": list(map(_wall, built.walls))}
    scene = {"format": ROOM, "note": arrangement.note[:500], **parts, "objects": objects}
    try:
        SceneGiven.model_validate(scene)
    except ValidationError as error:
        raise problem_of(error, where, scene, objects="id") from None
    return scene


def _boxes(arrangement: Arrangement, losses: Ledger) -> list[dict[str, Any]]:
    """Return the objects of a room of ours."""
    boxes, meshes = list[dict[str, Any]](), 0
    for thing in arrangement.things:
        at = thing.underside
        if at is None or thing.size is None:
            losses.lost(UNSIZED, f"{thing.id} ({thing.lacks})" if thing.lacks else thing.id)
            continue
        meshes += bool(thing.asset)
        yaw = 180 - (180 - thing.yaw) % 360
        box: dict[str, Any] = {"id": thing.id, "category": thing.category, "description": thing.description}
        box |= {"size": _rounded(thing.size), "at": _rounded(at), "yaw": _round(yaw)}
        box |= {"held_by": thing.held_by, "parent": thing.parent}
        boxes.append({name: value for name, value in box.items() if value not in (None, "")})
    walls = arrangement.built.walls if arrangement.built is not None else ()
    holders = {box["id"] for box in boxes} | {wall.name for wall in walls}
    for box in boxes:
        if "parent" in box and box["parent"] not in holders:
            losses.lost("parents that are not in the room", f"{box['id']} on {box.pop('parent')}")
    losses.lost("meshes, replaced by their boxes", count=meshes)
    return boxes


def _models(arrangement: Arrangement, prefix: str, losses: Ledger) -> list[dict[str, Any]]:
    """Return the objects of a scene state."""
    models = list[dict[str, Any]]()
    for thing in arrangement.things:
        if not NAME.fullmatch(thing.asset) or "." in thing.asset:
            losses.lost("objects without an asset that a mesh could be found by, left out", thing.id)
        elif (columns := _transform(thing, prefix)) is None:
            losses.lost(UNSIZED, thing.id)
        else:
            transform = {"rows": 4, "cols": 4, "data": [number for column in columns for number in _rounded(column)]}
            ids = {"id": thing.id, "index": len(models), "modelId": f"{prefix}.{thing.asset}"}
            models.append({**ids, "parentId": thing.parent, "transform": transform})
    origin = "in the middle of its underside" if prefix in BASED else "in the middle of its box"
    losses.assumed(f"a mesh of {prefix} has y up, its front along +z and its origin {origin}", len(models))
    return models


def _transform(thing: ArrangedObject, prefix: str) -> list[tuple[float, ...]] | None:
    """Return the columns of a mesh's transform: where its right, top and front (y up, front +z) point to, as long as it
    is scaled, and its origin, from its box if known, else by the convention of its collection.
    """
    c, s = math.cos(math.radians(thing.yaw)), math.sin(math.radians(thing.yaw))
    ways = thing.axes or ((c, s, 0.0), (0.0, 0.0, 1.0), (s, -c, 0.0))
    wide, deep, high = thing.scale
    axes = [[part * factor for part in way] for way, factor in zip(ways, (wide, high, deep), strict=True)]
    origin: Sequence[float] | None = thing.underside if prefix in BASED else thing.middle
    if thing.mesh_middle is not None and thing.middle is not None:
        steps = [[part * number for part in axis] for axis, number in zip(axes, thing.mesh_middle, strict=True)]
        origin = [part - sum(along) for part, along in zip(thing.middle, zip(*steps, strict=True), strict=True)]
    return None if origin is None else [*((*axis, 0) for axis in axes), (*origin, 1)]


def _round(number: float) -> float:
    return round(float(number), 6) + 0.0


def _rounded(numbers: Iterable[float]) -> list[float]:
    return [_round(number) for number in numbers]


def _wall(wall: Wall) -> dict[str, Any]:
    """Return a wall of a room of ours."""
    openings = []
    for opening in wall.openings:
        (start, sill), (end, top) = opening.low, opening.high
        sizes = {"at": start, "width": end - start, "height": top - sill, "sill": sill}
        openings.append({"kind": opening.kind, **{name: _round(number) for name, number in sizes.items()}})
    ends = {"from": _rounded(wall.start[:2]), "to": _rounded(wall.end[:2])}
    return {"name": wall.name, **ends, "height": _round(wall.height), "openings": openings}
