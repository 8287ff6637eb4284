"""Clearance of doors and windows.

>>> from tsgkit.geometry import Architecture, Floor, MeasuredScene, Object, Opening, Scene, Wall, box, standing
>>> floor = Floor("den", ((0, 0, 0), (4, 0, 0), (4, 4, 0), (0, 4, 0)))
>>> wall = Wall("1", (0, 0, 0), (4, 0, 0), 2.5, (Opening("door", (1, 0), (2, 2)),))
>>> chest = Object("chest_1", box(0.5, 0.4, 1), standing(at=(1.5, 0.5, 0.5)))
>>> sides = clearances(MeasuredScene(Scene("den", (chest,), Architecture((floor,), (wall,)))))
>>> [(side.opening, round(side.occlusion, 2)) for side in sides]
[('door_0_1', 0.25)]
>>> print(sides[0].evidence)
25 % of door_0_1 is hidden by chest_1

In front of each side of an opening that has a floor is a box: as deep as a door is wide, half a metre for a window.
Objects in it hide a part of the opening, seen straight on. Published: an object is in it if a random point of its own
box is, and then every triangle that reaches the box's depth is counted whole, in pixels of a centimetre. ``strict``:
triangles are clipped to the box's depth, pixels are 2.5 mm, and rugs do not count.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tsgkit.geometry.bodies import Boxes
from tsgkit.geometry.libraries import np
from tsgkit.geometry.measured_scene import LOOK, THICK, over
from tsgkit.geometry.raster import filled

if TYPE_CHECKING:
    from tsgkit.geometry.bodies import Body
    from tsgkit.geometry.libraries import Bools, Floats
    from tsgkit.geometry.measured_scene import MeasuredScene

BEFORE_WINDOW = 0.5
PIXELS, FINE_PIXELS = 100, 400
"""Pixels a metre, as published and in ``strict``."""
MOST_PIXELS = 4096
"""The most pixels a side; larger openings are rendered in coarser pixels."""
CORNERS = 5
"""A triangle cut by two parallel planes has at most this many corners."""


@dataclass(frozen=True)
class Clearance:
    """One side of an opening: the objects in the way, and the share of the opening that each hides."""

    opening: str
    kind: str
    direction: tuple[float, float, float]
    depth: float
    objects: Mapping[str, float]
    occlusion: float
    occluded: bool

    @property
    def evidence(self) -> str:
        """The finding in words."""
        if not self.occluded:
            return f"nothing is before {self.opening}"
        return f"{100 * self.occlusion:.0f} % of {self.opening} is hidden by {', '.join(self.objects)}"


def clearances(stage: MeasuredScene, *, door_depth: float | None = None) -> tuple[Clearance, ...]:
    """Return every side of every door, then window, that has a floor before it; doors may be given one depth
    for all."""
    sides = []
    things = Boxes([body for body in stage.bodies.values() if body.id not in stage.rugs], with_frames=True)
    for kind, boards in (("door", stage.doors), ("window", stage.windows)):
        for board in boards:
            stage.keep_going()
            wide = 2 * float(board.frame.half[0])
            depth = (wide if door_depth is None else door_depth) if kind == "door" else BEFORE_WINDOW
            ways = np.array([board.frame.front, -board.frame.front])
            ways = ways[over(stage.floor_rim, board.frame.centre + LOOK * ways)]
            sides += [_clearance(things, board, kind, way, depth + THICK / 2) for way in ways]
    return tuple(sides)


def share_clear(sides: tuple[Clearance, ...]) -> float | None:
    """Sides with nothing before them over all sides; None without openings."""
    return sum(not side.occluded for side in sides) / len(sides) if sides else None


def _clearance(things: Boxes, board: Body, kind: str, way: Floats, depth: float) -> Clearance:
    look = _by_cut if board.profile.exact_areas else _by_points
    reach = board.frame.half[0] + board.frame.half[2] + depth
    near = things.meeting(board.frame.centre - reach, board.frame.centre + reach)
    images = {body.id: look(body, board, way, depth) for body in (things.bodies[number] for number in near)}
    hidden = {name: image for name, image in images.items() if image is not None}
    shares = {name: float(image.mean()) for name, image in hidden.items()}
    union = np.logical_or.reduce(list(hidden.values())) if hidden else np.zeros(1, dtype=bool)
    x, y, z = (float(number) for number in way)
    return Clearance(board.id, kind, (x, y, z), depth, shares, float(union.mean()), bool(hidden))


def _seen(points: Floats, board: Body, way: Floats) -> Floats:
    """Points as the opening sees them: along it, up it, and away from it."""
    off = points - board.frame.centre
    return np.stack([off @ board.frame.axes[:, 0], off[..., 2], off @ way], axis=-1)


def _by_points(body: Body, board: Body, way: Floats, depth: float) -> Bools | None:
    x, z, away = _seen(body.points, board, way).T
    wide, high = board.frame.half[[0, 2]]
    if not ((np.abs(x) <= wide) & (np.abs(z) <= high) & (away >= 0) & (away <= depth)).any():
        return None
    triangles = _seen(body.vertices, board, way)[body.faces]
    reaching = (triangles[..., 2].min(axis=1) <= depth) & (triangles[..., 2].max(axis=1) >= 0)
    return _image(triangles[reaching], board, PIXELS) if reaching.any() else None


def _by_cut(body: Body, board: Body, way: Floats, depth: float) -> Bools | None:
    corners = _seen(body.vertices, board, way)
    wide, high = board.frame.half[[0, 2]]
    triangles = corners[body.faces]
    low, top = triangles.min(axis=1), triangles.max(axis=1)
    before = ((low < (wide, high, depth)) & (top > (-wide, -high, 0))).all(axis=1)
    if not before.any():
        return None
    # Triangles are clipped to the depth: polygons of five corners, the last ones repeated.
    triangles = triangles[before]
    whole = ((triangles[..., 2] >= 0) & (triangles[..., 2] <= depth)).all(axis=1)
    kept = np.concatenate([triangles[whole], np.repeat(triangles[whole][:, 2:], CORNERS - 3, axis=1)], axis=1)
    pieces = [_trimmed(_trimmed(list(triangle), 0.0, 1.0), depth, -1.0) for triangle in triangles[~whole]]
    padded = [[*piece, *[piece[-1]] * (CORNERS - len(piece))] for piece in pieces if piece]
    clipped = np.concatenate([kept, np.array(padded, dtype=float).reshape(-1, CORNERS, 3)])
    image = _image(clipped, board, FINE_PIXELS)
    return image if image.any() else None


def _trimmed(corners: list[Floats], bound: float, sign: float) -> list[Floats]:
    """Return the part of a polygon on one side of a plane of equal depth."""
    kept = []
    for corner, following in zip(corners, corners[1:] + corners[:1], strict=True):
        now, then = sign * (corner[2] - bound), sign * (following[2] - bound)
        if now >= 0:
            kept.append(corner)
        if now * then < 0:
            kept.append(corner + (following - corner) * (now / (now - then)))
    return kept


def _image(polygons: Floats, board: Body, pixels: float) -> Bools:
    """Return the opening as an image in which these polygons are filled."""
    wide, high = 2 * board.frame.half[[0, 2]]
    fine = min(pixels, MOST_PIXELS / max(wide, high))
    shape = (max(1, math.ceil(high * fine)), max(1, math.ceil(wide * fine)))
    columns = (polygons[..., 0] + wide / 2) * fine
    rows = (high / 2 - polygons[..., 1]) * fine
    whole = np.trunc if pixels == PIXELS else np.floor
    return filled(whole(np.stack([columns, rows], axis=-1)).astype(np.int64), shape)
