"""Floors as polygons and thin slabs; walls, doors and windows as thin boards whose fronts face the room.

>>> from tsgkit.geometry.profiles import STRICT
>>> from tsgkit.geometry.scenes import Floor, Opening, Wall
>>> ground, problems = ground_of(Floor("den", ((0, 0, 1), (4, 0, 1), (4, 3, 1), (0, 3, 1))), None, "scene", STRICT)
>>> ground.polygon.area, ground.z
(12.0, 1.0)
>>> wall = Wall("1", (0, 0, 0), (4, 0, 0), 2.5, (Opening("door", (1, 0), (2, 2)),))
>>> built, problems = built_wall(wall, 0.0, lambda xy: xy[1] > 0, "scene", STRICT)
>>> built.board.frame.front.astype(int).tolist(), [door.id for door in built.openings]
([0, 1, 0], ['door_0_1'])
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise, product
from typing import TYPE_CHECKING

from tsgkit.geometry.bodies import Body, Frame, plate
from tsgkit.geometry.libraries import np, shapely
from tsgkit.geometry.problems import Problem

if TYPE_CHECKING:
    from tsgkit.geometry.libraries import Bools, Floats
    from tsgkit.geometry.profiles import Profile
    from tsgkit.geometry.scenes import Floor, Opening, Wall

THICK = 0.001
EDGE = 1e-6
"""Tolerance at the edge: a point on the edge of a floor is over it."""


@dataclass(frozen=True, eq=False)
class Ground:
    """The floor of one room: its outline, its height, its slab."""

    room: str
    polygon: shapely.Geometry
    z: float
    slab: Body

    @property
    def id(self) -> str:
        """The name of its slab."""
        return self.slab.id

    @cached_property
    def rim(self) -> shapely.Geometry:
        """The outline with its edge, ready to be asked often."""
        return closed(self.polygon)

    @cached_property
    def centre(self) -> Floats:
        """Its middle from above: of its bounding box as published, else of its area."""
        if self.slab.profile.exact_areas:
            return np.array(self.polygon.centroid.coords[0])
        left, low, right, high = self.polygon.bounds
        return np.array([(left + right) / 2, (low + high) / 2])

    @cached_property
    def sizes(self) -> tuple[float, float]:
        """Its two sides: of its bounding box as published, else of the smallest rectangle around it."""
        if not self.slab.profile.exact_areas:
            left, low, right, high = self.polygon.bounds
            return right - left, high - low
        corners = np.array(self.polygon.minimum_rotated_rectangle.exterior.coords)
        lengths = np.linalg.norm(np.diff(corners[:3], axis=0), axis=1)
        return float(lengths[0]), float(lengths[1])


def closed(polygon: shapely.Geometry) -> shapely.Geometry:
    """Return a polygon with a hair's breadth around it, ready to be asked often."""
    wide = polygon.buffer(EDGE, join_style="mitre")
    shapely.prepare(wide)
    return wide


def over(rim: shapely.Geometry, points: Floats) -> Bools:
    """Return which points lie over a closed polygon."""
    return np.asarray(shapely.contains_xy(rim, points[:, 0], points[:, 1]))


def ground_of(
    floor: Floor, height: float | None, scene: str, profile: Profile
) -> tuple[Ground | None, tuple[Problem, ...]]:
    """Return the floor as it is measured, at a given height or its own; none where it encloses nothing."""
    points = np.array([point[:2] for point in floor.points], dtype=float).reshape(-1, 2)
    heights = np.array([point[2] for point in floor.points], dtype=float)
    if not (np.isfinite(points).all() and np.isfinite(heights).all()):
        return None, (Problem("bad-floor", floor.id, "its corners are not all finite numbers"),)
    if len(np.unique(points, axis=0)) < 3:
        return None, (Problem("bad-floor", floor.id, f"{len(points)} corners, of which fewer than three differ"),)
    polygon = shapely.Polygon(points)
    problems: tuple[Problem, ...] = ()
    if not polygon.is_valid:
        problems = (Problem("crossed-floor", floor.id, "its outline crosses or touches itself"),)
        polygon = shapely.union_all([part for part in shapely.get_parts(shapely.make_valid(polygon)) if part.area > 0])
    if polygon.area <= EDGE:
        return None, (*problems, Problem("bad-floor", floor.id, f"it encloses {polygon.area:.3g} square metres"))
    z = float(heights.min()) if height is None else height
    return Ground(floor.room, polygon, z, slab(floor.id, polygon, z - THICK / 2, scene, profile)), problems


def triangles_of(polygon: shapely.Geometry) -> Floats:
    """Return the polygon as triangles (n x 3 x 2), counter-clockwise."""
    parts = [shapely.constrained_delaunay_triangles(part) for part in shapely.get_parts(polygon)]
    rings = [triangle.exterior.coords[:3] for part in parts for triangle in shapely.get_parts(part)]
    found = np.array(rings, dtype=float).reshape(-1, 3, 2)
    one, two = found[:, 1] - found[:, 0], found[:, 2] - found[:, 0]
    backwards = one[:, 0] * two[:, 1] - one[:, 1] * two[:, 0] < 0
    found[backwards] = found[backwards][:, ::-1]
    return found


def slab(name: str, polygon: shapely.Geometry, bottom: float, scene: str, profile: Profile) -> Body:
    """Return a polygon made thin and solid, from ``bottom`` up."""
    flat = triangles_of(polygon).reshape(-1, 2)
    count = len(flat)
    vertices = np.concatenate([np.c_[flat, np.full(count, bottom + THICK)], np.c_[flat, np.full(count, bottom)]])
    top = np.arange(count).reshape(-1, 3)
    rim: list[tuple[float, float, float]] = []
    for ring in (ring for part in shapely.get_parts(polygon) for ring in (part.exterior, *part.interiors)):
        for (x0, y0), (x1, y1) in pairwise(ring.coords):
            rim += [(x0, y0, bottom), (x1, y1, bottom), (x1, y1, bottom + THICK), (x0, y0, bottom + THICK)]
    first = np.arange(len(vertices), len(vertices) + len(rim), 4)[:, None]
    sides = (first + np.array([0, 1, 2, 0, 2, 3])).reshape(-1, 3)
    faces = np.concatenate([top, (top + count)[:, ::-1], sides])
    corners = np.concatenate([vertices, np.array(rim)])
    low, high = corners.min(axis=0), corners.max(axis=0)
    frame = Frame((low + high) / 2, np.eye(3), (high - low) / 2)
    return Body(name, "", corners, faces, frame, 0.0, scene, profile)


LOOK = 0.1
"""The distance in front of a board at which its room is searched."""

InRoom = Callable[["Floats"], bool]


@dataclass(frozen=True, eq=False)
class BuiltWall:
    """A wall's board, the boards in its openings, and its line seen from above without doors."""

    board: Body
    doors: tuple[Body, ...]
    windows: tuple[Body, ...]
    solid_stretches: tuple[tuple[Floats, Floats], ...]

    @property
    def openings(self) -> tuple[Body, ...]:
        """Doors, then windows."""
        return self.doors + self.windows


def built_wall(
    wall: Wall, base: float | None, in_room: InRoom, scene: str, profile: Profile
) -> tuple[BuiltWall | None, tuple[Problem, ...]]:
    """Return the wall as it is measured; none where it has no face.

    Its base is its own lower end; if ``base`` is given, its mean height counts from there, as published.
    """
    start, end = (np.array(point, dtype=float) for point in (wall.start, wall.end))
    length = float(np.linalg.norm((end - start)[:2]))
    if not (math.isfinite(length) and length > THICK and math.isfinite(wall.height) and wall.height > THICK):
        return None, (Problem("bad-wall", wall.id, f"{length:.3g} m long and {wall.height:.3g} m high"),)
    along, problems = _along(wall.id, start, end, profile)
    foot = min(start[2], end[2]) if base is None else base + (start[2] + end[2]) / 2
    foot -= 0 if profile.floor_from_file else THICK / 2
    middle = np.array([*((start + end)[:2] / 2), foot + wall.height / 2])
    holes, bad = _holes(wall, length)
    cells = _cells(holes, length, wall.height)
    sizes = (length, THICK, wall.height)
    board = facing(plate(wall.id, middle, along, sizes, scene, profile, cells), in_room)
    boards: dict[str, list[Body]] = {"door": [], "window": []}
    for number, hole in holes:
        (left, low), (right, high) = hole.low, hole.high
        centre = middle + along * ((left + right) / 2 - length / 2) + np.array([0, 0, (low + high - wall.height) / 2])
        leaf = plate(opening_id(hole, number, wall), centre, along, (right - left, THICK, high - low), scene, profile)
        boards[hole.kind].append(facing(leaf, in_room))
    # The stretches of the wall without doors.
    stretches, at = [], 0.0
    for door in sorted((hole for _, hole in holes if hole.kind == "door"), key=lambda door: door.low[0]):
        if door.low[0] > at:
            stretches.append((at, min(door.low[0], length)))
        at = max(at, door.high[0])
    if at < length:
        stretches.append((at, length))
    ends = tuple(
        (middle[:2] + along[:2] * (a - length / 2), middle[:2] + along[:2] * (b - length / 2)) for a, b in stretches
    )
    return BuiltWall(board, tuple(boards["door"]), tuple(boards["window"]), ends), problems + bad


def _along(name: str, start: Floats, end: Floats, profile: Profile) -> tuple[Floats, tuple[Problem, ...]]:
    """Return the way from start to end; as published, the nearest of four that its rule allows."""
    way = np.array([*(end - start)[:2], 0.0])
    if profile.slanted_walls:
        return way / np.linalg.norm(way), ()
    upright = bool(np.isclose(start[0], end[0]))
    drawn = np.array([0.0, math.copysign(1, way[1]), 0]) if upright else np.array([math.copysign(1, way[0]), 0, 0])
    if upright or np.isclose(start[1], end[1]):
        return drawn, ()
    return drawn, (Problem("slanted-wall", name, "it runs at an angle and is drawn along x, as published"),)


def facing(board: Body, in_room: InRoom) -> Body:
    """Return the board with its front towards the room; it is turned if there is no room in front of it."""
    ahead = board.frame.centre + LOOK * board.frame.front
    return board if in_room(ahead[:2]) else board.turned()


def _holes(wall: Wall, length: float) -> tuple[list[tuple[int, Opening]], tuple[Problem, ...]]:
    """Return the openings that take something out of the wall, each with its place in the list."""
    good, bad = [], []
    for number, hole in enumerate(wall.openings):
        numbers = (*hole.low, *hole.high)
        (left, low), (right, high) = hole.low, hole.high
        fits = (
            all(map(math.isfinite, numbers))
            and min(right, length) > max(left, 0)
            and min(high, wall.height) > max(low, 0)
        )
        if fits:
            good.append((number, hole))
        else:
            name = opening_id(hole, number, wall)
            bad.append(Problem("bad-opening", name, f"from {hole.low} to {hole.high} is not within its wall"))
    return good, tuple(bad)


def opening_id(hole: Opening, number: int, wall: Wall) -> str:
    """Return the published id of the ``number``-th opening of a wall: with the wall's name in the file, not its id."""
    return f"{hole.kind}_{number}_{wall.name}"


def _cells(holes: list[tuple[int, Opening]], length: float, height: float) -> list[tuple[float, float, float, float]]:
    """Return the wall around its openings, cut into rectangles (x and z from its middle)."""
    across = sorted({0.0, length, *(min(max(x, 0.0), length) for _, h in holes for x in (h.low[0], h.high[0]))})
    up = sorted({0.0, height, *(min(max(z, 0.0), height) for _, h in holes for z in (h.low[1], h.high[1]))})
    cells = []
    for (left, right), (low, high) in product(pairwise(across), pairwise(up)):
        x, z = (left + right) / 2, (low + high) / 2
        if not any(h.low[0] < x < h.high[0] and h.low[1] < z < h.high[1] for _, h in holes):
            cells.append((left - length / 2, low - height / 2, right - length / 2, high - height / 2))
    # A wall that is all opening keeps a hair of a lintel, so that it still has a place.
    return cells or [(-length / 2, height / 2 - THICK, length / 2, height / 2)]
