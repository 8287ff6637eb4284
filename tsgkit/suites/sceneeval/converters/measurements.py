"""Validated numbers of other tools' files: bounded and finite values, sizes of boxes and assets, walls around outlines.

>>> walls = walls_around([(0, 0), (4, 0), (4, 3), (0, 3)], "den", 2.5)
>>> [(wall.name, wall.end) for wall in walls][:2]
[('den_1', (4.0, 0.0, 0.0)), ('den_2', (4.0, 3.0, 0.0))]
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations, pairwise
from typing import Annotated, Any, NamedTuple

from pydantic import BaseModel, BeforeValidator, ConfigDict

from tsgkit.errors import FileProblem
from tsgkit.geometry import Wall, read_mesh
from tsgkit.geometry.libraries import shapely
from tsgkit.geometry.problems import Problem
from tsgkit.library.files import read_bytes
from tsgkit.suites.sceneeval.converters.arrangements import Ledger, Point
from tsgkit.suites.sceneeval.scene_files.assets import Asset, extents
from tsgkit.suites.sceneeval.scene_files.files import LooksBeside
from tsgkit.suites.sceneeval.scene_files.simple import Far

MOST_OBJECTS = 5000
HEIGHT = 2.6
"""The height of walls without one."""
SHORT = 1e-3
HANGING = frozenset({"ceiling lamp", "pendant lamp"})
"""Categories of 3D-FRONT that hang from the ceiling."""
MOST_COMPARED = 400
_NUMBER = re.compile(r"(?:(?<![\s_-])[\s_-]+|(?<!\d))\d+$")


def _text(value: object) -> object:
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


Label = Annotated[str, BeforeValidator(_text)]
"""A name; numbers are taken as their digits."""
Corner = tuple[float, float]
Flat = tuple[Far, Far]
Deep = tuple[Far, Far, Far]


class ForeignModel(BaseModel):
    """A model of another tool's data: invalid numbers are refused, unknown fields are reported."""

    model_config = ConfigDict(frozen=True, extra="allow", allow_inf_nan=False, populate_by_name=True)

    @property
    def more(self) -> Mapping[str, Any]:
        """The fields that are not read."""
        return self.model_extra or {}


class Vector(ForeignModel):
    """A position, or angles, by axis names."""

    x: Far = 0.0
    y: Far = 0.0
    z: Far = 0.0


def size_written(fields: Mapping[str, Any]) -> Point | None:
    """Return how wide, deep and high a thing is where its own fields say so (y up), under the names that tools
    give it."""
    about = fields.get("assetMetadata")
    boxes = [about.get("boundingBox") if isinstance(about, dict) else None]
    boxes += [fields.get(name) for name in ("boundingBox", "size", "dimensions")]
    return next((size for box in boxes if (size := extents(box)) is not None), None)


class MeshBox(NamedTuple):
    """The box of a mesh: width, depth, height, and its centre in the frame of its file (y up, front +z)."""

    size: Point
    middle: Point


def size_of(asset: Asset, where: str) -> Point | None:
    """Return the width, depth and height of an asset from its data, else from its mesh; None if neither exists."""
    if asset.box is not None:
        return asset.box
    found = box_of_mesh(asset, where)
    return None if found is None else found.size


def box_of_mesh(asset: Asset, where: str) -> MeshBox | None:
    """Measure the mesh of an asset; None where that is not there, or flat."""
    if not asset.mesh.is_file():
        return None
    ending = asset.mesh.suffix.lower().removeprefix(".")
    found = read_mesh(read_bytes(asset.mesh), ending, where=where, beside=LooksBeside(asset.mesh))
    if isinstance(found, Problem):
        raise FileProblem(f"{where}: mesh: {found.message}")
    turned = found if asset.rotation is None else found.moved(asset.rotation)
    low, high = turned.vertices.min(axis=0), turned.vertices.max(axis=0)
    x, y, z = (float(one) for one in high - low)
    middle = tuple(float(one) for one in (low + high) / 2)
    return MeshBox((x, z, y), (middle[0], middle[1], middle[2])) if min(x, y, z) > 0 else None


def stood(size: Point | None, axes: tuple[Point, Point, Point]) -> tuple[Point | None, float, float]:
    """Return the upright box that a turned thing fills, its yaw, and the cosine of the angle by which it leans.

    ``axes`` are the ways its right, its top and its front point to. What was laid flat has its width or its depth for a
    height.

    >>> stood((0.2, 0.02, 0.3), ((0, 0, -1), (1, 0, 0), (0, -1, 0)))
    ((0.3, 0.02, 0.2), 0.0, 1)
    """
    _, top, front = axes
    up = max(range(3), key=lambda number: abs(axes[number][2]) + (number == 1) * 1e-6)
    ahead = top if up == 2 else front
    yaw = math.degrees(math.atan2(ahead[0], -ahead[1]))
    order = ((2, 1, 0), (0, 1, 2), (0, 2, 1))[up]  # of width, depth and height
    filled = None if size is None else (size[order[0]], size[order[1]], size[order[2]])
    return filled, yaw, abs(axes[up][2])


def plain_category(name: str) -> str:
    """Return a name without its number and underscores.

    >>> plain_category("dining_table_2"), plain_category("bed-0"), plain_category("chair_")
    ('dining table', 'bed', 'chair')
    """
    plain = name.replace("_", " ").strip()
    return (_NUMBER.sub("", plain).strip() or plain or "thing")[:180]


def walls_around(corners: Sequence[Corner], name: str, height: float) -> tuple[Wall, ...]:
    """Return a wall on every side of an outline."""
    ends = list(zip(corners, [*corners[1:], *corners[:1]], strict=True))
    return tuple(
        Wall(f"{name}_{number}", (float(a[0]), float(a[1]), 0.0), (float(b[0]), float(b[1]), 0.0), height)
        for number, (a, b) in enumerate(ends, 1)
        if math.dist(a, b) > SHORT
    )


def gap(place: Corner, wall: Wall) -> float:
    """Return the distance of a place on the floor plan from a wall."""
    (x, y, _), (to_x, to_y, _) = wall.start, wall.end
    along = (place[0] - x) * (to_x - x) + (place[1] - y) * (to_y - y)
    share = min(max(along / math.dist(wall.start, wall.end) ** 2, 0.0), 1.0)
    return math.dist(place, (x + share * (to_x - x), y + share * (to_y - y)))


def ring(corners: Iterable[Corner]) -> tuple[Corner, ...]:
    """Return an outline against the clock, without repeated corners, not closed.

    >>> ring([(0, 0), (0, 3), (0, 3), (4, 3), (0, 0)])
    ((4, 3), (0, 3), (0, 0))
    """
    found: list[Corner] = []
    for corner in corners:
        if not found or math.dist(corner, found[-1]) > SHORT:
            found.append(corner)
    if len(found) > 1 and math.dist(found[0], found[-1]) <= SHORT:
        found.pop()
    area = sum(a[0] * b[1] - b[0] * a[1] for a, b in pairwise([*found, *found[:1]]))
    return tuple(reversed(found)) if area < 0 else tuple(found)


def outline(meshes: Iterable[tuple[Sequence[Point], Iterable[tuple[int, ...]]]]) -> tuple[Corner, ...]:
    """Return the outline of the largest floor that the triangles of some meshes make, on our floor plan.

    A mesh is its corners (x, y up, z) and its faces; those that name no corner are left out.

    >>> outline([([(0, 0, 0), (0, 0, -3), (4, 0, -3), (4, 0, 0)], [(0, 1, 2), (0, 2, 3), (0, 2, 4)])])
    ((4.0, 0.0), (4.0, 3.0), (0.0, 3.0), (0.0, 0.0))
    """
    flat = [
        shapely.Polygon([(float(corners[one][0]), -float(corners[one][2]) + 0.0) for one in face])
        for corners, faces in meshes
        for face in faces
        if min(face) >= 0 and max(face) < len(corners)
    ]
    parts = shapely.get_parts(shapely.union_all([one for one in flat if one.area > 0], grid_size=SHORT))
    polygons = [one for one in parts if one.geom_type == "Polygon"]
    if not polygons:
        return ()
    return ring(max(polygons, key=lambda one: one.area).normalize().exterior.simplify(SHORT).coords)


def crosses_itself(corners: Sequence[Corner]) -> bool:
    """Return whether two sides of an outline cross; False for outlines of more corners than are compared.

    >>> crosses_itself([(0, 0), (2, 2), (2, 0), (0, 2)]), crosses_itself([(0, 0), (2, 0), (2, 2), (0, 2)])
    (True, False)
    """
    sides = list(pairwise([*corners, *corners[:1]]))
    if len(sides) > MOST_COMPARED:
        return False
    return any(_cross(*one, *other) for one, other in combinations(sides, 2))


def _cross(a: Corner, b: Corner, c: Corner, d: Corner) -> bool:
    """Return whether the inner parts of two lines meet in one point."""
    return _side(a, b, c) * _side(a, b, d) < 0 and _side(c, d, a) * _side(c, d, b) < 0


def _side(a: Corner, b: Corner, place: Corner) -> float:
    return (b[0] - a[0]) * (place[1] - a[1]) - (b[1] - a[1]) * (place[0] - a[0])


def refuse_many(number: int, where: str) -> None:
    """Raise ``FileProblem`` if a scene has more objects than any room."""
    if number > MOST_OBJECTS:
        raise FileProblem(f"{where}: {number:,} objects, and {MOST_OBJECTS:,} are read at most")


def tell_unread(losses: Ledger, what: str, read: Iterable[ForeignModel]) -> None:
    """The fields of some things that are not read."""
    losses.ignored(what, {name[:60] for one in read for name in one.more})
