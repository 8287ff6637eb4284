"""Navigability of a room, and access to the functional sides of objects.

>>> from tsgkit.geometry import OFFICIAL, MeasuredScene, Object, Scene, box, rectangle, standing
>>> screen = Object("screen_1", box(6, 0.2, 2), standing(at=(0, 1, 1)))
>>> scene = Scene("den", (screen,), rectangle(-3, -3, 3, 3))
>>> print(navigability(MeasuredScene(scene, OFFICIAL)).evidence)
2 free parts, the largest 34866 of 50778 pixels
>>> print(navigability(MeasuredScene(scene)).evidence)
2 free parts, the largest 21.46 of 31.32 square metres

Published: an image of 256 x 256 pixels for every room size, every object a rectangle of its unscaled box, without inner
walls. ``strict``: polygons; objects block with their outline from above, rugs do not, walls block except at doors, and
doors connect floors.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from tsgkit.errors import UsageError
from tsgkit.geometry.libraries import np, shapely
from tsgkit.geometry.measured_scene import triangles_of
from tsgkit.geometry.raster import corners_of, eroded, filled, outlined, parts
from tsgkit.geometry.relations import SIDES as DIRECTIONS

if TYPE_CHECKING:
    from tsgkit.geometry.bodies import Body
    from tsgkit.geometry.libraries import Bools, Floats, Ints
    from tsgkit.geometry.measured_scene import MeasuredScene

PIXELS = 256
HALF = PIXELS // 2
MARGIN = 0.2
"""Metres around the floor on the canvas of navigability; that of access has none."""
ROBOT = 0.2
"""The width of a person in metres."""
HEADROOM = 2.0
"""Objects above this height block no one."""
AWAY, DEEP = 0.05, 0.2
"""The strip before a side starts this far from the box and is this deep."""
THRESHOLD = 0.25
"""The search distance for the next floor on either side of a door."""
SLIVER = 1e-6
"""Free parts of fewer square metres are none."""
SIDES = {side: DIRECTIONS[side] for side in ("front", "back", "left", "right")}
"""The axis and direction of each side; left and right as seen from in front of the object."""


class Navigability(NamedTuple):
    """The share of the largest connected free area: 0 if nothing is free, None without a floor."""

    value: float | None
    parts: tuple[float, ...]
    unit: str
    unmeasured: tuple[str, ...] = ()

    @property
    def evidence(self) -> str:
        """The finding in words."""
        if self.value is None:
            return "there is no floor to walk on"
        if not self.parts:
            return "nothing is free"
        digits = 0 if self.unit == "pixels" else 2
        size, count = f"{self.parts[0]:.{digits}f} of {sum(self.parts):.{digits}f} {self.unit}", len(self.parts)
        return f"{count} free part{'s' * (count > 1)}, the largest {size}"


@dataclass(frozen=True)
class Access:
    """The free share of the strips in front of an object's functional sides; the best side counts; None without
    sides."""

    id: str
    sides: Mapping[str, float]

    @property
    def score(self) -> float | None:
        """The best side; None for an object that is used from nowhere in particular."""
        return max(self.sides.values(), default=None)

    @property
    def evidence(self) -> str:
        """The finding in words."""
        words = ", ".join(f"{side} {100 * value:.0f} % free" for side, value in self.sides.items())
        return f"{self.id}: {words or 'no functional side'}"


class Canvas:
    """The published image of a floor: its origin and its pixels per metre."""

    def __init__(self, stage: MeasuredScene, margin: float) -> None:
        left, front, right, back = stage.floor.bounds
        self._middle = np.array([(left + right) / 2, (front + back) / 2])
        self._scale = float(max(right - left, back - front) / 2 + margin)
        self.shape = (PIXELS, PIXELS)
        triangles = np.concatenate([triangles_of(ground.polygon) for ground in stage.floors])
        self.floor = filled(self.pixels(triangles), self.shape)

    def pixels(self, points: Floats) -> Ints:
        """Return the pixels of world points; the world's y runs up, rows run down."""
        flipped = (points - self._middle) * (1, -1) / self._scale * HALF
        return np.asarray(np.trunc(flipped).astype(np.int64) + HALF)

    def length(self, metres: float) -> int:
        """Whole pixels of a length."""
        return int(min(metres / self._scale, 1e6) * HALF)

    def rectangle(self, centre: Floats, size: tuple[float, float], yaw: float) -> Ints:
        """Return the corners of a turned rectangle."""
        x, y = self._pixel(centre)
        return corners_of((int(x), int(y)), (self.length(size[0]), self.length(size[1])), -yaw)

    def centred(self, corners: Ints, centre: Floats) -> Bools:
        """Return the pixels of a polygon around ``centre``, moved to the middle of the canvas, where nothing cuts it
        off.
        """
        return filled([corners - self._pixel(centre) + HALF], self.shape)

    def _pixel(self, centre: Floats) -> Ints:
        return np.asarray(np.clip(self.pixels(centre[:2]), -(10**6), 10**6))


def navigability(stage: MeasuredScene) -> Navigability:
    """Return the share of the largest connected free floor for a person 0.2 m wide."""
    if not stage.floors:
        return Navigability(None, (), "square metres", stage.unmeasured)
    if stage.profile.exact_areas:
        unit, areas = "square metres", tuple(float(part.area) for part in free_parts(stage))
    else:
        canvas = Canvas(stage, MARGIN)
        robot = canvas.length(ROBOT)
        free = eroded(canvas.floor, robot)
        for body in _blocking(stage):
            corners = canvas.rectangle(body.frame.centre, _size(body), body.yaw)
            free &= ~(outlined(corners, robot, canvas.shape) | filled([corners], canvas.shape))
        unit, areas = "pixels", tuple(parts(free))
    return Navigability(areas[0] / sum(areas) if areas else 0.0, areas, unit, stage.unmeasured)


def _size(body: Body) -> tuple[float, float]:
    return 2 * float(body.frame.half[0]), 2 * float(body.frame.half[1])


def _blocking(stage: MeasuredScene) -> list[Body]:
    """Return what stands in the way."""
    reach = stage.floor_height + HEADROOM
    if not stage.profile.exact_areas:
        return [body for body in stage.bodies.values() if body.frame.centre[2] <= reach]
    low = (body for body in stage.bodies.values() if body.low[2] < reach and body.high[2] > stage.floor_height)
    return [body for body in low if body.id not in stage.rugs]


def free_parts(stage: MeasuredScene) -> list[shapely.Geometry]:
    """Return the connected areas for the centre of a person 0.2 m wide, as polygons, the largest first."""
    barriers = [body.footprint for body in _blocking(stage)]
    if stage.profile.walls_are_solid:
        barriers += [shapely.LineString(ends) for built in stage.built_walls for ends in built.solid_stretches]
    # Patches through doors join floors that have a gap between them.
    thresholds = []
    floors = shapely.STRtree([ground.polygon for ground in stage.floors])
    for frame in (door.frame for door in stage.doors):
        ends = [frame.centre[:2] + sign * frame.half[0] * frame.axes[:2, 0] for sign in (-1, 1)]
        patch = shapely.LineString(ends).buffer(THRESHOLD, cap_style="flat")
        if len(floors.query(patch, predicate="intersects")) > 1:
            thresholds.append(patch)
    walkable = shapely.union_all([stage.floor, *thresholds]).buffer(-ROBOT / 2)
    free = walkable.difference(shapely.union_all(barriers).buffer(ROBOT / 2))
    parts = (part for part in shapely.get_parts(free) if part.area > SLIVER)
    return sorted(parts, key=lambda part: -float(part.area))


def accessibility(stage: MeasuredScene, sides: Mapping[str, Iterable[str]]) -> Mapping[str, Access]:
    """Return the access to each named object that can be measured, from the functional sides given for it."""
    wanted = {name: tuple(dict.fromkeys(names)) for name, names in sides.items() if name in stage.bodies}
    unknown = sorted({side for names in wanted.values() for side in names} - set(SIDES))
    if unknown:
        raise UsageError(f"{unknown[0]!r} is no side of an object", hint=f"sides: {', '.join(SIDES)}")
    if not stage.floors:
        return {name: Access(name, dict.fromkeys(names, 0.0)) for name, names in wanted.items()}
    blocking = _blocking(stage)
    if stage.profile.exact_areas:
        free = stage.floor.difference(shapely.union_all([body.footprint for body in blocking]))

        def share(body: Body, side: str) -> float:
            strip = strip_before(body, side)
            return min(float(strip.intersection(free).area / strip.area), 1.0) if strip.area > 0 else 0.0
    else:
        canvas = Canvas(stage, 0.0)
        boxes = [canvas.rectangle(body.frame.centre, _size(body), body.yaw) for body in blocking]
        free = canvas.floor & ~filled(boxes, canvas.shape)

        def share(body: Body, side: str) -> float:
            centre, size = _strip(body, side)
            corners = canvas.rectangle(centre, size, body.yaw)
            drawn, whole = filled([corners], canvas.shape), canvas.centred(corners, centre)
            return int((drawn & free).sum()) / int(whole.sum())

    return {
        name: Access(name, {side: share(stage.bodies[name], side) for side in names}) for name, names in wanted.items()
    }


def _strip(body: Body, side: str) -> tuple[Floats, tuple[float, float]]:
    """Return the middle of the strip before a side, and its two sizes along the object's x and y."""
    axis, sign = SIDES[side]
    away = body.frame.half[axis] + DEEP / 2 + AWAY
    size = _size(body)
    return body.frame.centre + sign * away * body.frame.axes[:, axis], (size[0], DEEP) if axis == 1 else (DEEP, size[1])


def strip_before(body: Body, side: str) -> shapely.Geometry:
    """Return the strip of floor from which a side is used."""
    centre, size = _strip(body, side)
    turn = np.radians(body.yaw)
    x, y = np.array([np.cos(turn), np.sin(turn)]) * size[0] / 2, np.array([-np.sin(turn), np.cos(turn)]) * size[1] / 2
    return shapely.Polygon([centre[:2] + a * x + b * y for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))])
