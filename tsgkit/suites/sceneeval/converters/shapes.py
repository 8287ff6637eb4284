"""Fields and shapes of other tools' files: bounded numbers, names, sizes of boxes and assets, rooms around outlines.

>>> Vector.of({"x": 1}, "x.json").y
0.0
>>> Vector.of({"x": "far"}, "x.json")
Traceback (most recent call last):
tsgkit.errors.FileProblem: x.json: x: Input should be a valid number, unable to parse string as a number

>>> room_within(rectangle(4, 3), Ledger(), 2.5, "den").walls[1]
Wall(name='den_2', start=(4.0, 0.0, 0.0), end=(4.0, 3.0, 0.0), height=2.5, openings=())
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations, pairwise
from typing import Annotated, Any, NamedTuple, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from tsgkit.errors import FileProblem
from tsgkit.geometry import Architecture, Floor, Wall
from tsgkit.geometry.libraries import shapely
from tsgkit.suites.sceneeval.converters.arrangements import Ledger, Point
from tsgkit.suites.sceneeval.scene_files.assets import Asset, extents
from tsgkit.suites.sceneeval.scene_files.files import mesh_in, problem_of
from tsgkit.suites.sceneeval.scene_files.simple import HEIGHT
from tsgkit.suites.sceneeval.scene_files.simple import Far as Far
from tsgkit.suites.sceneeval.scene_files.simple import Size as Size
from tsgkit.suites.sceneeval.scene_files.simple import Sizes as Sizes

MOST_OBJECTS = 5000


def _text(value: object) -> object:
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


Label = Annotated[str, BeforeValidator(_text)]
"""A name; numbers are taken as their digits."""
NotNegative = Annotated[Far, Field(ge=0)]
Flat = tuple[Far, Far]
Deep = tuple[Far, Far, Far]


class ForeignModel(BaseModel):
    """A model of another tool's data: invalid numbers are refused, unknown fields are reported."""

    model_config = ConfigDict(frozen=True, extra="allow", allow_inf_nan=False, populate_by_name=True)

    @classmethod
    def of(cls, value: object, where: str, **keys: str) -> Self:
        """Return a value as this model; ``FileProblem`` names the first fault, the object of a list by its key."""
        try:
            return cls.model_validate(value)
        except ValidationError as error:
            raise problem_of(error, where, value, **keys) from None


class Vector(ForeignModel):
    """A position, or angles, by axis names."""

    x: Far = 0.0
    y: Far = 0.0
    z: Far = 0.0


def refuse_many(number: int, where: str) -> None:
    """Raise ``FileProblem`` if a scene has more objects than any room."""
    if number > MOST_OBJECTS:
        raise FileProblem(f"{where}: {number:,} objects, and {MOST_OBJECTS:,} are read at most")


SHORT = 1e-3
MOST_COMPARED = 400
STRAIGHT = math.cos(math.radians(0.5))
"""The least cosine of the angle by which a thing leans that stands upright."""
Corner = tuple[float, float]
_NUMBER = re.compile(r"(?:(?<![\s_-])[\s_-]+|(?<!\d))\d+$")


def plain_category(name: str) -> str:
    """Return a name without its number and underscores.

    >>> plain_category("dining_table_2"), plain_category("bed-0"), plain_category("chair_")
    ('dining table', 'bed', 'chair')
    """
    plain = name.replace("_", " ").strip()
    return (_NUMBER.sub("", plain).strip() or plain or "thing")[:180]


# boxes


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
    mesh = None if asset.box is not None else box_of_mesh(asset, where)
    return mesh.size if mesh else asset.box


def box_of_mesh(asset: Asset, where: str) -> MeshBox | None:
    """Measure the mesh of an asset; None where that is not there, or flat."""
    if not asset.mesh.is_file():
        return None
    mesh = mesh_in(asset.mesh, where)
    vertices = (mesh if asset.rotation is None else mesh.moved(asset.rotation)).vertices
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    (wide, up, deep), (x, y, z) = (high - low).tolist(), ((low + high) / 2).tolist()
    return MeshBox((wide, deep, up), (x, y, z)) if min(wide, up, deep) > 0 else None


def scaled(size: Point, scale: Point) -> Point:
    """Return a size or a way with each number multiplied by its own."""
    return (size[0] * scale[0], size[1] * scale[1], size[2] * scale[2])


def stood(size: Point | None, axes: tuple[Point, Point, Point]) -> tuple[Point | None, float, bool]:
    """Return the upright box that a turned thing fills, its yaw, and whether it leans.

    ``axes`` are the ways its right, its top and its front point to. What was laid flat has its width or its depth for a
    height.

    >>> stood((0.2, 0.02, 0.3), ((0, 0, -1), (1, 0, 0), (0, -1, 0)))
    ((0.3, 0.02, 0.2), 0.0, False)
    """
    _, top, front = axes
    up = max(range(3), key=lambda number: abs(axes[number][2]) + (number == 1) * 1e-6)
    ahead = top if up == 2 else front
    wide, deep, high = ((2, 1, 0), (0, 1, 2), (0, 2, 1))[up]
    filled = None if size is None else (size[wide], size[deep], size[high])
    return filled, math.degrees(math.atan2(ahead[0], -ahead[1])), abs(axes[up][2]) < STRAIGHT


# rooms


def room_within(
    corners: Sequence[Corner],
    losses: Ledger,
    height: float | None = None,
    name: str = "room",
    room: str = "room",
    openings: str = "doors and windows: the form has none",
) -> Architecture:
    """Return a floor and a wall on every side of its outline, which has a usual height where none is known.

    ``openings`` is the loss to report of them, if any.
    """
    if height is None:
        losses.assumed(f"walls are {HEIGHT} m high")
    if openings:
        losses.lost(openings)
    floor = Floor(room, tuple((x, y, 0.0) for x, y in corners))
    return Architecture((floor,), walls_around(corners, name, HEIGHT if height is None else height))


def rectangle(across: float, down: float) -> tuple[Corner, ...]:
    """Return the outline of a rectangular floor from the origin."""
    return ((0.0, 0.0), (across, 0.0), (across, down), (0.0, down))


def walls_around(corners: Sequence[Corner], name: str, height: float) -> tuple[Wall, ...]:
    """Return a wall on every side of an outline."""
    ends = pairwise([*corners, *corners[:1]])
    return tuple(
        Wall(f"{name}_{number}", (float(a[0]), float(a[1]), 0.0), (float(b[0]), float(b[1]), 0.0), height)
        for number, (a, b) in enumerate(ends, 1)
        if math.dist(a, b) > SHORT
    )


def gap(point: Corner, wall: Wall) -> float:
    """Return the distance of a place on the floor plan from a wall."""
    (x, y, _), (to_x, to_y, _) = wall.start, wall.end
    along = (point[0] - x) * (to_x - x) + (point[1] - y) * (to_y - y)
    share = min(max(along / math.dist(wall.start, wall.end) ** 2, 0.0), 1.0)
    return math.dist(point, (x + share * (to_x - x), y + share * (to_y - y)))


def ring(corners: Iterable[Corner]) -> tuple[Corner, ...]:
    """Return an outline against the clock, without repeated corners, not closed.

    >>> ring([(0, 0), (0, 3), (0, 3), (4, 3), (0, 0)])
    ((4, 3), (0, 3), (0, 0))
    """
    kept: list[Corner] = []
    for corner in corners:
        if not kept or math.dist(corner, kept[-1]) > SHORT:
            kept.append(corner)
    if len(kept) > 1 and math.dist(kept[0], kept[-1]) <= SHORT:
        kept.pop()
    area = sum(a[0] * b[1] - b[0] * a[1] for a, b in pairwise([*kept, *kept[:1]]))
    return tuple(reversed(kept)) if area < 0 else tuple(kept)


def outline(meshes: Iterable[tuple[Sequence[Point], Iterable[tuple[int, ...]]]]) -> tuple[Corner, ...]:
    """Return the outline of the largest floor that the triangles of some meshes make, on our floor plan.

    A mesh is its corners (x, y up, z) and its faces; those that name no corner are left out.

    >>> outline([([(0, 0, 0), (0, 0, -3), (4, 0, -3), (4, 0, 0)], [(0, 1, 2), (0, 2, 3), (0, 2, 4)])])
    ((4.0, 0.0), (4.0, 3.0), (0.0, 3.0), (0.0, 0.0))
    """
    flat = [
        shapely.Polygon([(float(corners[index][0]), -float(corners[index][2]) + 0.0) for index in face])
        for corners, faces in meshes
        for face in faces
        if min(face) >= 0 and max(face) < len(corners)
    ]
    parts = shapely.get_parts(shapely.union_all([face for face in flat if face.area > 0], grid_size=SHORT))
    polygons = [part for part in parts if part.geom_type == "Polygon"]
    if not polygons:
        return ()
    return ring(max(polygons, key=lambda part: part.area).normalize().exterior.simplify(SHORT).coords)


def crosses_itself(corners: Sequence[Corner]) -> bool:
    """Return whether two sides of an outline cross; False for outlines of more corners than are compared.

    >>> crosses_itself([(0, 0), (2, 2), (2, 0), (0, 2)]), crosses_itself([(0, 0), (2, 0), (2, 2), (0, 2)])
    (True, False)
    """

    def side(a: Corner, b: Corner, point: Corner) -> float:
        return (b[0] - a[0]) * (point[1] - a[1]) - (b[1] - a[1]) * (point[0] - a[0])

    sides = list(pairwise([*corners, *corners[:1]]))
    return len(sides) <= MOST_COMPARED and any(
        side(a, b, c) * side(a, b, d) < 0 and side(c, d, a) * side(c, d, b) < 0
        for (a, b), (c, d) in combinations(sides, 2)
    )
