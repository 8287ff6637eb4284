"""Furnished scenes as values: objects with meshes and poses, floors, walls with doors and windows.

>>> from tsgkit.geometry.meshes import box
>>> from tsgkit.geometry.transforms import standing
>>> bed = Object("bed_1", box(2, 1.6, 0.5), standing(at=(0, 0, 0.25), yaw=90), category="bed")
>>> scene = Scene("bedroom", (bed,), rectangle(-3, -2, 3, 2))
>>> [wall.id for wall in scene.architecture.walls]
['wall_south', 'wall_east', 'wall_north', 'wall_west']

Metres; the world has z up. Meshes keep the frame of asset files (y up, front along +z); ``transform`` maps that frame
into the world. Nothing is measured here: ``measured_scene`` does that.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tsgkit.geometry.meshes import Mesh, Primitive
from tsgkit.geometry.transforms import IDENTITY, Transform

Point = tuple[float, float, float]


@dataclass(frozen=True)
class Object:
    """An object in a scene.

    ``mend_winding``: its source is known for inverted faces, which are turned in every profile. ``is_backwards``: its
    file says that its front is along -z of its asset, not along +z.
    """

    id: str
    shape: Mesh | Primitive
    transform: Transform = IDENTITY
    category: str = ""
    description: str = ""
    mend_winding: bool = False
    is_backwards: bool = False


@dataclass(frozen=True)
class Floor:
    """The floor of one room: a ring of corners, not closed."""

    room: str
    points: tuple[Point, ...]

    @property
    def id(self) -> str:
        """The name under which relations speak of it."""
        return f"floor_{self.room.replace(' ', '_')}"


@dataclass(frozen=True)
class Opening:
    """A door or window from ``low`` to ``high``: metres along the wall and above its base."""

    kind: Literal["door", "window"]
    low: tuple[float, float]
    high: tuple[float, float]


@dataclass(frozen=True)
class Wall:
    """A wall from ``start`` to ``end``, with its openings."""

    name: str
    start: Point
    end: Point
    height: float
    openings: tuple[Opening, ...] = ()

    @property
    def id(self) -> str:
        """The name under which relations speak of it."""
        return f"wall_{self.name}"


@dataclass(frozen=True)
class Architecture:
    """The floors and walls. Ceilings follow from them."""

    floors: tuple[Floor, ...] = ()
    walls: tuple[Wall, ...] = ()


@dataclass(frozen=True)
class Scene:
    """A named scene; without an architecture, a room is put around its objects."""

    name: str
    objects: tuple[Object, ...] = ()
    architecture: Architecture | None = None


def rectangle(
    left: float, front: float, right: float, back: float, *, z: float = 0.0, height: float = 3.0, room: str = "room"
) -> Architecture:
    """Return one room with four walls, from (left, front) to (right, back)."""
    corners: tuple[Point, ...] = ((left, front, z), (right, front, z), (right, back, z), (left, back, z))
    ends = zip(("south", "east", "north", "west"), corners, corners[1:] + corners[:1], strict=True)
    return Architecture((Floor(room, corners),), tuple(Wall(name, a, b, height) for name, a, b in ends))


def bare_room(name: str) -> Scene:
    """Return an empty room in place of an unreadable scene: 6 by 6 metres, walls of 2.5 metres."""
    return Scene(name, (), rectangle(-3, -3, 3, 3, height=2.5))
