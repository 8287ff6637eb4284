"""Furnished scenes as values: objects with meshes and poses, floors, walls with doors and windows; and the profiles.

>>> from tsgkit.geometry import box, standing
>>> bed = Object("bed_1", box(2, 1.6, 0.5), standing(at=(0, 0, 0.25), yaw=90), category="bed")
>>> scene = Scene("bedroom", (bed,), rectangle(-3, -2, 3, 2))
>>> [wall.id for wall in scene.architecture.walls]
['wall_south', 'wall_east', 'wall_north', 'wall_west']

Metres; the world has z up. Meshes keep the frame of asset files (y up, front along +z); ``transform`` maps that frame
into the world. Nothing is measured here: ``measured_scene`` does that, under a profile: as the published tool
(``OFFICIAL``), or as it should be (``STRICT``). Every difference between the two is a named choice of ``Profile``; code
asks for the choice, never for the profile's name.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Literal

from tsgkit.geometry.meshes import IDENTITY, Mesh, Primitive, Transform

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


@dataclass(frozen=True)
class Profile:
    """The choices in which the two profiles differ; those of ``strict`` are the defaults.

    * ``floor_from_file``: floors lie where the file says; else at the lowest corner of any object.
    * ``fronts_from_file``: an object's front is where its file says; else always where assets usually have it.
    * ``scaled_boxes``: axes are unit vectors and boxes have their real size; else axes carry the object's scale.
    * ``even_points``: boxes and surfaces are measured at evenly spread points, the same for every scene; else at seeded
      random ones, as many as published.
    * ``exact_gaps``: distances are those between surfaces; else the least over points sampled in the smaller box.
    * ``solids``: collision means that solids overlap deeper than the tolerance, along any way out; else the published
      test of surfaces or hulls, repeated after a push of 5 mm away from the mean contact.
    * ``walls_are_solid``: objects that stick in walls collide, and walls block paths where they have no door.
    * ``support_gap``: metres within which something holds an object; generators hang things a centimetre off a wall.
    * ``rugs_exempt``: flat floor coverings, by name or by shape (below 3 cm), neither collide nor block.
    * ``exact_areas``: shares of the floor, of strips and of surfaces are exact polygon areas; else pixels and points.
    * ``slanted_walls``: walls run from their start to their end; else only along x or y.
    * ``every_floor``: a wall's front looks into any room; else only the last floor of the list is asked.
    * ``ceiling_holds``: what touches the ceiling and stands on nothing hangs from it, whatever is said to hold it; else
      only what is said to.
    * ``nearest_element``: distances to "the wall" are those to the nearest one; else the best score over all counts.
    * ``self_pairs``: an object may be its own anchor, and a pair of one category is seen twice.
    """

    name: str
    floor_from_file: bool = True
    fronts_from_file: bool = True
    scaled_boxes: bool = True
    even_points: bool = True
    exact_gaps: bool = True
    solids: bool = True
    walls_are_solid: bool = True
    support_gap: float = 0.02
    rugs_exempt: bool = True
    exact_areas: bool = True
    slanted_walls: bool = True
    every_floor: bool = True
    ceiling_holds: bool = True
    nearest_element: bool = True
    self_pairs: bool = False


_OPPOSITES = {field.name: not field.default for field in fields(Profile) if isinstance(field.default, bool)}
OFFICIAL = Profile("official", support_gap=0.005, **_OPPOSITES)
"""The published tool takes the opposite of every choice of ``strict``, and its own gap."""
STRICT = Profile("strict")
PROFILES = {profile.name: profile for profile in (OFFICIAL, STRICT)}
