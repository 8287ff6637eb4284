"""The images of a scene for a judge, three of each object and the room from above, and from where they are taken.

>>> from tsgkit.geometry import Object, Scene, box, rectangle, standing
>>> desk = Object("desk_1", box(1.4, 0.7, 0.7), standing(at=(0, 0, 0.35)), category="desk")
>>> view(MeasuredScene(Scene("den", (desk,), rectangle(-2, -2, 2, 2))), "surroundings", "desk_1").names
('desk_1', 'floor_room', 'wall_east', 'wall_north', 'wall_west')

================  ======================================================================================================
``front``         the object alone, from before its front, 30 degrees above the horizon
``figure``        the same from 10 degrees, with a human figure of 1.70 m at its left, touching, on the same ground
``surroundings``  as ``front``, with the room: framed on the object and on what lies on it or close above it, from a
                  little further back; things between the camera and the object are left out, and walls with their
                  doors and windows where they hide more than half of its corners; a line runs around the object
``top``           straight down, north up: one object, or everything
================  ======================================================================================================

"Left" is the left of the image, as seen from in front of the object. Objects without a material are grey if a colour
could be mistaken for their own; in ``surroundings`` and ``top`` each category has a muted colour, so that neighbours
can be distinguished. Cameras have a 35 mm lens on square film, and move back until their subject fits.
"""

from __future__ import annotations

import colorsys
import math
import zlib
from typing import TYPE_CHECKING, Literal, get_args

from tsgkit.errors import UsageError
from tsgkit.geometry.libraries import np
from tsgkit.geometry.measured_scene import MeasuredScene
from tsgkit.geometry.meshes import Primitive, Problem, mesh_of, stacked
from tsgkit.geometry.rendering import GREY, SIZE, SPREAD, Camera, RenderedImage, RenderedSurface, Sight

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tsgkit.geometry.bodies import Body
    from tsgkit.geometry.libraries import Floats, Ints
    from tsgkit.geometry.measured_scene import BuiltWall

MARGIN = 1.05
"""Ratio of the view to what must fit."""
NEAREST = 0.25
"""The smallest distance of a camera, as a share of the subject's diagonal."""

STEPS = 40
"""Iterations of the search for the centre of an image."""


def framing(points: object, back: object, *, up: object = (0, 0, 1)) -> Camera:
    """Return the nearest camera that looks against ``back`` with all points in view."""
    away = np.asarray(back, dtype=float) / np.linalg.norm(np.asarray(back, dtype=float))
    right = np.cross(np.asarray(up, dtype=float), away)
    right /= np.linalg.norm(right)
    axes = np.stack([right, np.cross(away, right), away], axis=1)
    corners = np.asarray(points, dtype=float).reshape(-1, 3)
    placed = corners @ axes
    x, y, z = placed.T
    t = SPREAD / MARGIN
    # A point fits when its distance from the middle of the image is at most t times its depth.
    depth = max(((axis + t * z).max() - (axis - t * z).min()) / (2 * t) for axis in (x, y))
    diagonal = float(np.linalg.norm(np.ptp(placed, axis=0)))
    far = max(float(depth), float(z.max()) + NEAREST * diagonal)
    return Camera(axes @ np.array([_middle(x, far - z), _middle(y, far - z), far]), axes)


def _middle(places: Floats, depths: Floats) -> float:
    """Return the camera position at which points at these depths extend equally far to both sides."""
    low, high = float(places.min()), float(places.max())
    for _ in range(STEPS):
        eye = (low + high) / 2
        flat = (places - eye) / depths
        low, high = (eye, high) if flat.max() > -flat.min() else (low, eye)
    return (low + high) / 2


def before(front: Floats, elevation: float) -> Floats:
    """Return the direction to a camera in front of an object, this many degrees above the horizon."""
    ahead = level(front)
    angle = math.radians(elevation)
    return np.asarray(math.cos(angle) * ahead + np.array([0, 0, math.sin(angle)]))


def level(front: Floats) -> Floats:
    """Return a direction without its height; a vertical one becomes south."""
    flat = np.array([front[0], front[1], 0.0])
    length = float(np.linalg.norm(flat))
    return flat / length if length > 1e-6 else np.array([0.0, -1.0, 0.0])


Kind = Literal["box", "cylinder", "cone", "sphere"]
PARTS: tuple[tuple[Kind, tuple[float, float, float], tuple[float, float, float]], ...] = (
    ("sphere", (0.16, 0.19, 0.23), (0, 0, 1.585)),  # head
    ("sphere", (0.03, 0.05, 0.04), (0, -0.1, 1.57)),  # nose
    ("cylinder", (0.11, 0.11, 0.14), (0, 0.01, 1.44)),  # neck
    ("sphere", (0.40, 0.22, 0.26), (0, 0.01, 1.30)),  # shoulders
    ("cylinder", (0.31, 0.20, 0.38), (0, 0.01, 1.13)),  # trunk
    ("sphere", (0.33, 0.22, 0.24), (0, 0.01, 0.90)),  # hips
    *(
        part
        for side in (-1, 1)
        for part in (
            ("sphere", (0.10, 0.11, 0.34), (side * 0.215, 0.01, 1.21)),  # upper arm
            ("sphere", (0.08, 0.09, 0.32), (side * 0.225, -0.01, 0.95)),  # lower arm
            ("sphere", (0.06, 0.09, 0.17), (side * 0.225, -0.03, 0.76)),  # hand
            ("sphere", (0.16, 0.18, 0.52), (side * 0.09, 0.01, 0.68)),  # thigh
            ("sphere", (0.12, 0.13, 0.54), (side * 0.09, 0.02, 0.29)),  # lower leg
            ("box", (0.09, 0.25, 0.06), (side * 0.09, -0.04, 0.03)),  # foot
        )
    ),
)
"""Kind, size (wide, deep, high) and middle of each part; z up, front along -y."""


def human() -> tuple[Floats, Ints]:
    """Corners and faces of the figure, standing on z = 0 around the z axis and looking along -y."""
    meshes = ((mesh_of(Primitive(kind, size)), middle) for kind, size, middle in PARTS)
    return stacked([(mesh.vertices[:, [0, 2, 1]] * (1, -1, 1) + middle, mesh.faces) for mesh, middle in meshes])


View = Literal["front", "figure", "surroundings", "top"]
VIEWS: tuple[View, ...] = get_args(View)

ABOVE, LEVEL = 30, 10
"""Degrees above the horizon, and beside a figure."""
CLOSE = 0.2
"""Metres between boxes within which a thing belongs to the surroundings."""
RISING = 0.25
"""The least slope from this object's centre to one above it: height per distance."""
BACK = 0.25
"""The extra distance of the surroundings view, in diagonals of the object's box."""
MOST_HIDDEN = 4
"""A wall that hides more than this many of the eight corners is left out."""
TOUCHING = 0.01
"""A hit this close in front of a corner does not hide it."""
FIGURE = "figure"
WALL, FLOOR, DOOR, WINDOW = (0.90, 0.89, 0.86), (0.79, 0.72, 0.62), (0.62, 0.47, 0.34), (0.70, 0.82, 0.90)
HUMAN = (0.45, 0.50, 0.58)


def view(stage: MeasuredScene, kind: View, name: str | None = None, size: int = SIZE) -> RenderedImage:
    """Return one image; without a name, of the whole scene from above. Raise ``UsageError`` for bare rooms and unknown
    objects.
    """
    stage.keep_going()
    drawn, camera = framed(stage, kind, name)
    image = Sight(drawn).image(camera, size)
    return image.outlined(name) if kind == "surroundings" and name is not None else image


def framed(stage: MeasuredScene, kind: View, name: str | None = None) -> tuple[list[RenderedSurface], Camera]:
    """Return what is drawn in an image, and from where."""
    if kind not in VIEWS:
        raise UsageError(f"there is no view {kind!r}", hint=f"views: {', '.join(VIEWS)}")
    if name is None:
        if kind != "top":
            raise UsageError(f"the view {kind} is of one object", hint="name the object")
        if problem := undrawable(stage):
            raise UsageError(str(problem), hint="tsgkit scene show lists what is wrong with its parts")
        drawn = everything(stage)
        return drawn, _from_above(drawn)
    body = stage.body(name)
    if kind == "surroundings":
        return _surroundings(stage, body)
    if kind == "top":
        drawn = [_tinted(body)]
        return drawn, _from_above(drawn)
    drawn = [_coated(body), beside(body)] if kind == "figure" else [_coated(body)]
    points = np.concatenate([surface.vertices for surface in drawn])
    return drawn, framing(points, before(body.frame.front, LEVEL if kind == "figure" else ABOVE))


def undrawable(stage: MeasuredScene) -> Problem | None:
    """Return why there can be no image of a scene at all."""
    if stage.bodies or stage.floors or stage.built_walls:
        return None
    return Problem("nothing-to-draw", stage.scene.name, "no object, floor or wall of it can be drawn")


def everything(stage: MeasuredScene) -> list[RenderedSurface]:
    """Return all objects in the colours of their categories, floors, walls, doors and windows."""
    return [*(_tinted(body) for body in stage.bodies.values()), *_floors(stage), *_walls(stage.built_walls)]


def _from_above(drawn: Sequence[RenderedSurface]) -> Camera:
    return framing(np.concatenate([surface.vertices for surface in drawn]), (0, 0, 1), up=(0, 1, 0))


def beside(body: Body) -> RenderedSurface:
    """Return a human figure at the left of an object, on the same ground, with the same orientation."""
    corners, faces = human()
    front = level(body.frame.front)
    right = np.array([-front[1], front[0], 0.0])
    x = float((body.vertices @ right).min() - corners[:, 0].max())
    y = float(body.frame.centre @ -front)
    axes = np.stack([right, -front, np.array([0.0, 0, 1])], axis=1)
    origin = np.array([x, y, float(body.low[2])])
    return RenderedSurface(FIGURE, (corners + origin) @ axes.T, faces, None, HUMAN)


def _surroundings(stage: MeasuredScene, body: Body) -> tuple[list[RenderedSurface], Camera]:
    near = [thing for thing in stage.bodies.values() if thing is not body and _belongs(thing, body)]
    points = np.concatenate([shown.vertices for shown in (body, *near)])
    diagonal = float(np.linalg.norm(np.ptp(points @ body.frame.axes, axis=0)))
    camera = framing(points, before(body.frame.front, ABOVE))
    camera = Camera(camera.eye + BACK * diagonal * camera.axes[:, 2], camera.axes)
    ways = body.frame.corners - camera.eye
    lengths = np.linalg.norm(ways, axis=1)

    def hides(others: Sequence[Body]) -> int:
        """Return how many corners of the object's box some bodies together hide."""
        first = np.min([thing.rays.first(np.tile(camera.eye, (8, 1)), ways) for thing in others], axis=0)
        return int((first < lengths - TOUCHING).sum())

    others = [
        thing for thing in stage.bodies.values() if thing is not body and thing not in near and not hides([thing])
    ]
    walls = [built for built in stage.built_walls if hides([built.board, *built.openings]) <= MOST_HIDDEN]
    return [*map(_tinted, (body, *near, *others)), *_floors(stage), *_walls(walls)], camera


def _belongs(thing: Body, body: Body) -> bool:
    """Return whether a thing lies close to an object and clearly above it."""
    gap = np.maximum(np.maximum(thing.low - body.high, body.low - thing.high), 0)
    step = (thing.low + thing.high - body.low - body.high) / 2
    return bool(np.linalg.norm(gap) < CLOSE and step[2] >= RISING * np.linalg.norm(step) and step[2] > 0)


def _coated(body: Body, colour: tuple[float, float, float] = GREY) -> RenderedSurface:
    return RenderedSurface(body.id, body.vertices, body.faces, body.paint, colour, body)


def _tinted(body: Body) -> RenderedSurface:
    """Return a body in the muted colour of its category; grey where it has none."""
    if not body.category:
        return _coated(body)
    number = zlib.crc32(body.category.casefold().encode())
    return _coated(body, colorsys.hls_to_rgb(number % 360 / 360, 0.55 + 0.15 * (number // 360 % 3) / 2, 0.28))


def _floors(stage: MeasuredScene) -> Iterator[RenderedSurface]:
    for ground in stage.floors:
        yield _coated(ground.slab, FLOOR)


def _walls(walls: Sequence[BuiltWall]) -> Iterator[RenderedSurface]:
    for built in walls:
        yield _coated(built.board, WALL)
        for boards, colour in ((built.doors, DOOR), (built.windows, WINDOW)):
            yield from (_coated(board, colour) for board in boards)
