"""Numbers of other people's files: bounded and finite, sizes of boxes and assets, walls around outlines.

>>> walls = walls_around([(0, 0), (4, 0), (4, 3), (0, 3)], "den", 2.5)
>>> [(wall.name, wall.end) for wall in walls][:2]
[('den_1', (4.0, 0.0, 0.0)), ('den_2', (4.0, 3.0, 0.0))]
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict

from tsgkit.errors import FileProblem
from tsgkit.geometry import Wall, read_mesh
from tsgkit.geometry.problems import Problem
from tsgkit.library.files import read_bytes
from tsgkit.suites.sceneeval.assets import Asset, extents
from tsgkit.suites.sceneeval.converting.arrangements import Ledger, Point
from tsgkit.suites.sceneeval.folders import LooksBeside
from tsgkit.suites.sceneeval.simple import Far

MOST_OBJECTS = 5000
HEIGHT = 2.6
"""Of walls whose height nobody says."""
SHORT = 1e-3


def _text(value: object) -> object:
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


Label = Annotated[str, BeforeValidator(_text)]
"""A name; numbers are taken as their digits."""
Flat = tuple[Far, Far]
Deep = tuple[Far, Far, Far]


class Theirs(BaseModel):
    """Something of another tool's file: odd numbers are refused, unknown fields kept aside to be told."""

    model_config = ConfigDict(frozen=True, extra="allow", allow_inf_nan=False, populate_by_name=True)

    @property
    def more(self) -> Mapping[str, Any]:
        """The fields that are not read."""
        return self.model_extra or {}


class Vector(Theirs):
    """A place, or angles, by the names of the axes."""

    x: Far = 0.0
    y: Far = 0.0
    z: Far = 0.0


def size_written(fields: Mapping[str, Any]) -> Point | None:
    """How wide, deep and high a thing is where its own fields say so (y up), under the names that tools give it."""
    about = fields.get("assetMetadata")
    boxes = [about.get("boundingBox") if isinstance(about, dict) else None]
    boxes += [fields.get(name) for name in ("boundingBox", "size", "dimensions")]
    return next((size for box in boxes if (size := extents(box)) is not None), None)


def size_of(asset: Asset, where: str) -> Point | None:
    """How wide, deep and high an asset is: what is known of it, else its mesh; None where neither is there."""
    return asset.box or size_of_mesh(asset, where)


def size_of_mesh(asset: Asset, where: str) -> Point | None:
    """How wide, deep and high its mesh is; None where that is not there."""
    if not asset.mesh.is_file():
        return None
    ending = asset.mesh.suffix.lower().removeprefix(".")
    found = read_mesh(read_bytes(asset.mesh), ending, where=where, beside=LooksBeside(asset.mesh))
    if isinstance(found, Problem):
        raise FileProblem(f"{where}: mesh: {found.message}")
    turned = found if asset.rotation is None else found.moved(asset.rotation)
    x, y, z = (float(one) for one in turned.vertices.max(axis=0) - turned.vertices.min(axis=0))
    return (x, z, y) if min(x, y, z) > 0 else None


def walls_around(corners: Sequence[tuple[float, float]], name: str, height: float) -> tuple[Wall, ...]:
    """A wall on every side of an outline."""
    ends = list(zip(corners, [*corners[1:], *corners[:1]], strict=True))
    return tuple(
        Wall(f"{name}_{number}", (float(a[0]), float(a[1]), 0.0), (float(b[0]), float(b[1]), 0.0), height)
        for number, (a, b) in enumerate(ends, 1)
        if math.dist(a, b) > SHORT
    )


def ring(corners: Iterable[tuple[float, float]]) -> tuple[tuple[float, float], ...]:
    """An outline without repeated corners, not closed."""
    found: list[tuple[float, float]] = []
    for corner in corners:
        if not found or math.dist(corner, found[-1]) > SHORT:
            found.append(corner)
    if len(found) > 1 and math.dist(found[0], found[-1]) <= SHORT:
        found.pop()
    return tuple(found)


def refuse_many(number: int, where: str) -> None:
    """``FileProblem`` where a scene has more objects than any room."""
    if number > MOST_OBJECTS:
        raise FileProblem(f"{where}: {number:,} objects, and {MOST_OBJECTS:,} are read at most")


def tell_unread(losses: Ledger, what: str, read: Iterable[Theirs]) -> None:
    """The fields of some things that are not read."""
    losses.ignored(what, {name[:60] for one in read for name in one.more})
