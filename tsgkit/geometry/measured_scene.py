"""A scene measured under a profile: bodies, floors, walls and openings, and their problems.

>>> from tsgkit.geometry import Object, Scene, box, rectangle
>>> stage = MeasuredScene(Scene("den", (Object("cup_1", box(0.1, 0.1, 0.1)),), rectangle(0, 0, 4, 3)))
>>> sorted(stage.bodies), [wall.id for wall in stage.walls][:2], stage.problems
(['cup_1'], ['wall_south', 'wall_east'], ())

Everything is built on first use, and once. A scene can be sent between processes; a measured scene cannot. Floors are
polygons and thin slabs; walls, doors and windows are thin boards whose fronts face the room.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise, product
from types import MappingProxyType
from typing import TYPE_CHECKING

from tsgkit.errors import UsageError
from tsgkit.geometry.bodies import Body, Boxes, Frame, placed, plate
from tsgkit.geometry.libraries import np, shapely
from tsgkit.geometry.meshes import Problem, stacked
from tsgkit.geometry.scenes import STRICT, Architecture, Profile, Scene, rectangle

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tsgkit.geometry.libraries import Bools, Floats
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
    triangles = np.array(rings, dtype=float).reshape(-1, 3, 2)
    first, second = triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]
    backwards = first[:, 0] * second[:, 1] - first[:, 1] * second[:, 0] < 0
    triangles[backwards] = triangles[backwards][:, ::-1]
    return triangles


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
    # The openings that take something out of the wall, each with its place in the list.
    holes: list[tuple[int, Opening]] = []
    for number, hole in enumerate(wall.openings):
        (left, low), (right, high) = hole.low, hole.high
        is_within = min(right, length) > max(left, 0) and min(high, wall.height) > max(low, 0)
        if is_within and all(map(math.isfinite, (left, low, right, high))):
            holes.append((number, hole))
        else:
            outside = f"from {hole.low} to {hole.high} is not within its wall"
            problems += (Problem("bad-opening", opening_id(hole, number, wall), outside),)
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
    return BuiltWall(board, tuple(boards["door"]), tuple(boards["window"]), ends), problems


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


SIMPLE_HEIGHT = 3.0
"""Metres of the walls put around a scene that has none."""


@dataclass(frozen=True, eq=False)
class MeasuredScene:
    """Everything measured about one scene under one profile."""

    scene: Scene
    profile: Profile = STRICT
    keep_going: Callable[[], None] = lambda: None
    """A callback between steps, which raises to abort."""

    @cached_property
    def _placed(self) -> tuple[Mapping[str, Body], tuple[Problem, ...]]:
        bodies: dict[str, Body] = {}
        problems: list[Problem] = []
        for thing in self.scene.objects:
            self.keep_going()
            if thing.id in bodies:
                hint = "give every object its own id"
                problems.append(Problem("repeated-id", thing.id, "the second object with this id is left out", hint))
                continue
            body, own_problems = placed(thing, self.scene.name, self.profile)
            problems += own_problems
            if body is not None:
                bodies[thing.id] = body
        return MappingProxyType(bodies), tuple(problems)

    @property
    def bodies(self) -> Mapping[str, Body]:
        """The objects that can be measured, by id, in the order of the scene."""
        return self._placed[0]

    @cached_property
    def unmeasured(self) -> tuple[str, ...]:
        """The ids of objects that cannot be measured; ``problems`` says why."""
        return tuple(dict.fromkeys(thing.id for thing in self.scene.objects if thing.id not in self.bodies))

    def body(self, name: str) -> Body:
        """Return the body of an object. Raise ``UsageError`` if it does not exist or cannot be measured."""
        if name in self.bodies:
            return self.bodies[name]
        known = ", ".join(list(self.bodies)[:8]) or "none"
        why = next((problem.message for problem in self.problems if problem.where == name), None)
        if why is None:
            raise UsageError(f"there is no object {name!r}", hint=f"objects: {known}")
        raise UsageError(f"object {name!r} cannot be measured: {why}", hint=f"objects that can: {known}")

    @cached_property
    def lowest(self) -> float:
        """The height of the lowest corner of any object; 0 without objects."""
        return min((float(body.low[2]) for body in self.bodies.values()), default=0.0)

    @cached_property
    def architecture(self) -> Architecture:
        """The scene's architecture, or a room around its objects."""
        if self.scene.architecture is not None:
            return self.scene.architecture
        if not self.bodies:
            return Architecture()
        low = np.min([body.low for body in self.bodies.values()], axis=0)
        high = np.max([body.high for body in self.bodies.values()], axis=0)
        left, front, right, back = (float(number) for number in (*low[:2], *high[:2]))
        return rectangle(left, front, right, back, z=self.lowest, height=SIMPLE_HEIGHT)

    @cached_property
    def _grounds(self) -> tuple[tuple[Ground, ...], tuple[Problem, ...]]:
        height = self.lowest - (THICK / 2 if self.scene.architecture is None else 0)
        height_of_all = None if self.profile.floor_from_file else height
        grounds = [ground_of(floor, height_of_all, self.scene.name, self.profile) for floor in self.architecture.floors]
        problems = tuple(problem for _, own_problems in grounds for problem in own_problems)
        return tuple(ground for ground, _ in grounds if ground is not None), problems

    @property
    def floors(self) -> tuple[Ground, ...]:
        """The floors that enclose something."""
        return self._grounds[0]

    @cached_property
    def floor(self) -> shapely.Geometry:
        """All floors together, seen from above."""
        return shapely.union_all([ground.polygon for ground in self.floors])

    @cached_property
    def floor_rim(self) -> shapely.Geometry:
        """All floors together with their edge, ready to be asked often."""
        return closed(self.floor)

    @property
    def floor_height(self) -> float:
        """The height of the lowest floor."""
        return min((ground.z for ground in self.floors), default=self.lowest)

    @cached_property
    def rugs(self) -> Mapping[str, str]:
        """The coverings of the floor, which neither collide nor block, each with what makes it one."""
        if not self.profile.rugs_exempt:
            return {}
        heights = {ground.z for ground in self.floors}
        reasons = ((name, [body.rug_by(floor) for floor in heights]) for name, body in self.bodies.items())
        return {name: max(why) for name, why in reasons if any(why)}

    @cached_property
    def _in_room(self) -> InRoom:
        floors = self.floors if self.profile.every_floor else self.floors[-1:]
        tree = shapely.STRtree([ground.polygon for ground in floors])
        return lambda xy: len(tree.query(shapely.Point(xy), predicate="within")) > 0

    @cached_property
    def _built(self) -> tuple[tuple[BuiltWall, ...], tuple[Problem, ...]]:
        from_file = self.profile.floor_from_file or self.scene.architecture is None
        base = None if from_file else self.lowest
        walls = []
        for wall in self.architecture.walls:
            self.keep_going()
            walls.append(built_wall(wall, base, self._in_room, self.scene.name, self.profile))
        problems = tuple(problem for _, own_problems in walls for problem in own_problems)
        return tuple(wall for wall, _ in walls if wall is not None), problems

    @property
    def built_walls(self) -> tuple[BuiltWall, ...]:
        """The walls with their openings and boards."""
        return self._built[0]

    @property
    def walls(self) -> tuple[Body, ...]:
        """The walls alone."""
        return tuple(built.board for built in self.built_walls)

    @property
    def doors(self) -> tuple[Body, ...]:
        """The boards in all doors."""
        return tuple(door for built in self.built_walls for door in built.doors)

    @property
    def windows(self) -> tuple[Body, ...]:
        """The boards in all windows."""
        return tuple(window for built in self.built_walls for window in built.windows)

    @cached_property
    def boxes_of_faces(self) -> Boxes:
        """The boxes around the faces things can hang on."""
        return Boxes(self.wall_faces)

    @cached_property
    def wall_faces(self) -> tuple[Body, ...]:
        """The faces on which objects can hang: the front of each wall, and in strict both sides."""
        if not self.profile.every_floor:
            return self.walls
        backs = (wall.turned() for wall in self.walls)
        return self.walls + tuple(
            back for back in backs if self._in_room((back.frame.centre + LOOK * back.frame.front)[:2])
        )

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Everything wrong with objects, floors and walls."""
        problems = self._placed[1] + self._grounds[1] + self._built[1]
        if self.floors:
            return problems
        return (*problems, Problem("no-floor", self.scene.name, "the scene has no usable floor"))

    @cached_property
    def wall_height(self) -> float | None:
        """The height of the highest wall; without walls there is no ceiling."""
        return max((2 * float(wall.frame.half[2]) for wall in self.walls), default=None)

    @cached_property
    def ceiling(self) -> Body | None:
        """The ceiling over all floors; none without walls or floors."""
        return self.ceiling_over(self.floors)

    def ceiling_over(self, floors: Sequence[Ground]) -> Body | None:
        """Return the ceiling over some floors, at the height of the highest wall; none without walls or floors."""
        if self.wall_height is None or not floors:
            return None
        slabs = [
            slab("ceiling", ground.polygon, ground.z + self.wall_height - THICK / 2, self.scene.name, self.profile)
            for ground in floors
        ]
        vertices, faces = stacked([(body.vertices, body.faces) for body in slabs])
        return replace(slabs[0], vertices=vertices, faces=faces)

    def pairs(self) -> Iterator[tuple[Body, Body]]:
        """Yield all pairs of objects whose boxes along the world's axes meet, in the order of the scene."""
        bodies = Boxes(list(self.bodies.values()))
        for number, body in enumerate(bodies.bodies):
            self.keep_going()
            met = bodies.meeting(body.low, body.high)
            for partner in met[met > number]:
                yield body, bodies.bodies[partner]
