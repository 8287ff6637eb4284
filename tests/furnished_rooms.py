"""Rooms for tests: objects and walls told in the room's own frame, and the whole turned and moved as one."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tsgkit.geometry import (
    STRICT,
    Architecture,
    Floor,
    MeasuredScene,
    Mesh,
    Object,
    Opening,
    Primitive,
    Profile,
    Scene,
    Wall,
    box,
    standing,
)


@dataclass(frozen=True)
class Turn:
    """A rigid motion of everything: degrees about z, then a shift."""

    yaw: float = 0.0
    shift: tuple[float, float, float] = (0.0, 0.0, 0.0)

    def at(self, x: float, y: float, z: float) -> tuple[float, float, float]:
        c, s = math.cos(math.radians(self.yaw)), math.sin(math.radians(self.yaw))
        dx, dy, dz = self.shift
        return c * x - s * y + dx, s * x + c * y + dy, z + dz

    def thing(
        self,
        name: str,
        size: Sequence[float] | Mesh | Primitive,
        at: Sequence[float],
        *,
        yaw: float = 0.0,
        scale: float = 1.0,
        category: str = "",
    ) -> Object:
        shape = size if isinstance(size, (Mesh, Primitive)) else box(size[0], size[1], size[2])
        place = standing(self.at(at[0], at[1], at[2]), yaw=yaw + self.yaw, scale=scale)
        return Object(name, shape, place, category=category)

    def room(
        self, wide: float, deep: float, *, height: float = 2.6, openings: Sequence[Opening] = (), name: str = "room"
    ) -> Architecture:
        """Return one room around the origin; the openings are in its north wall, counted from its west end."""
        x, y = wide / 2, deep / 2
        corners = tuple(self.at(*point, 0.0) for point in ((-x, -y), (x, -y), (x, y), (-x, y)))
        south, east, north, west = zip(corners, corners[1:] + corners[:1], strict=True)
        walls = (
            Wall("south", *south, height),
            Wall("east", *east, height),
            Wall("north", north[1], north[0], height, tuple(openings)),
            Wall("west", *west, height),
        )
        return Architecture((Floor(name, corners),), walls)


AS_IT_IS = Turn()


def staged(things: Iterable[Object], architecture: Architecture | None, profile: Profile = STRICT) -> MeasuredScene:
    return MeasuredScene(Scene("room", tuple(things), architecture), profile)
