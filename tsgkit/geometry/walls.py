"""Walls, doors and windows as thin boards whose fronts face the room.

>>> from tsgkit.geometry.profiles import STRICT
>>> from tsgkit.geometry.scenes import Opening, Wall
>>> wall = Wall("1", (0, 0, 0), (4, 0, 0), 2.5, (Opening("door", (1, 0), (2, 2)),))
>>> built, problems = built_wall(wall, 0.0, lambda xy: xy[1] > 0, "scene", STRICT)
>>> built.board.frame.front.astype(int).tolist(), [door.id for door in built.openings]
([0, 1, 0], ['door_0_1'])
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise, product
from typing import TYPE_CHECKING

from tsgkit.geometry.bodies import Body, plate
from tsgkit.geometry.floors import THICK
from tsgkit.geometry.libraries import np
from tsgkit.geometry.problems import Problem

if TYPE_CHECKING:
    from tsgkit.geometry.libraries import Floats
    from tsgkit.geometry.profiles import Profile
    from tsgkit.geometry.scenes import Opening, Wall

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
    boards = [(hole, facing(_opening(n, hole, wall, board, along, middle, length), in_room)) for n, hole in holes]
    doors = tuple(made for hole, made in boards if hole.kind == "door")
    windows = tuple(made for hole, made in boards if hole.kind == "window")
    ways = [h for _, h in holes if h.kind == "door"]
    stretches = tuple(
        (middle[:2] + along[:2] * (a - length / 2), middle[:2] + along[:2] * (b - length / 2))
        for a, b in _stretches(ways, length)
    )
    return BuiltWall(board, doors, windows, stretches), problems + bad


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


def _opening(number: int, hole: Opening, wall: Wall, board: Body, along: Floats, middle: Floats, length: float) -> Body:
    (left, low), (right, high) = hole.low, hole.high
    centre = middle + along * ((left + right) / 2 - length / 2) + np.array([0, 0, (low + high - wall.height) / 2])
    sizes = (right - left, THICK, high - low)
    return plate(opening_id(hole, number, wall), centre, along, sizes, board.scene, board.profile)


def _stretches(doors: list[Opening], length: float) -> list[tuple[float, float]]:
    """Return the parts of a wall without doors."""
    at, found = 0.0, []
    for door in sorted(doors, key=lambda door: door.low[0]):
        if door.low[0] > at:
            found.append((at, min(door.low[0], length)))
        at = max(at, door.high[0])
    return [*found, (at, length)] if at < length else found
