"""Distances: gaps between surfaces, and nearest points of wall boards.

>>> from tsgkit.geometry.bodies import plate
>>> from tsgkit.geometry.libraries import np
>>> from tsgkit.geometry.profiles import STRICT
>>> board = plate("wall", np.zeros(3), np.array([1.0, 0, 0]), (4, 0.2, 3), "den", STRICT)
>>> nearest(np.array([[1.0, 2.0, 0.5], [9.0, 0.0, 0.0]]), board).tolist()
[[1.0, 0.1, 0.5], [2.0, 0.0, 0.0]]
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tsgkit.geometry import surfaces
from tsgkit.geometry.libraries import np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tsgkit.geometry.bodies import Body
    from tsgkit.geometry.libraries import Floats, Ints

HAIR = 1e-9
"""Tolerance for rounding."""


class Boxes:
    """The boxes of some bodies; ``with_frames`` also includes their local boxes."""

    def __init__(self, bodies: Sequence[Body], *, with_frames: bool = False) -> None:
        self.bodies = tuple(bodies)
        self._lows = np.array([body.low for body in bodies], dtype=float).reshape(-1, 3)
        self._highs = np.array([body.high for body in bodies], dtype=float).reshape(-1, 3)
        if with_frames and bodies:
            centres = np.array([body.frame.centre for body in bodies])
            spread = np.array([np.abs(body.frame.axes * body.frame.half).sum(axis=1) for body in bodies])
            self._lows = np.minimum(self._lows, centres - spread)
            self._highs = np.maximum(self._highs, centres + spread)

    def meeting(self, low: Floats, high: Floats) -> Ints:
        """Return the numbers of the boxes that meet a box, in order."""
        return np.flatnonzero(((low <= self._highs) & (high >= self._lows)).all(axis=1))

    def least(self, low: Floats, high: Floats) -> Floats:
        """For each box, metres from another that nothing in the two can be nearer than."""
        apart = np.maximum(np.maximum(self._lows - high, low - self._highs), 0)
        return np.asarray(np.maximum(np.linalg.norm(apart, axis=1) - HAIR, 0))

    def most(self, low: Floats, high: Floats) -> Floats:
        """For each box, metres from another that nothing in the two can be farther than."""
        across = np.maximum(self._highs - low, high - self._lows)
        return np.asarray(np.linalg.norm(across, axis=1) + HAIR)


FIRST = 512
FINE = 0.001


def between_objects(one: Body, other: Body) -> float:
    """Return the gap between two objects: of their surfaces, 0 for one in the other; or the published estimate of it.

    Published: the least distance from points in the smallest box around the smaller object to the surface of the other,
    so that a small object deep inside a large one has a distance.
    """
    if not one.profile.exact_gaps:
        small, large = (one, other) if one.frame.volume < other.frame.volume else (other, one)
        return least_gap(small.scattered, large)
    if one is other or one.holds(other.part_corners).any() or other.holds(one.part_corners).any():
        return 0.0
    return surfaces.gap(one.tree, other.tree)


def to_board(body: Body, board: Body) -> float:
    """Return the gap from an object to a wall, door, window or ceiling: from its surface, or from points of its box."""
    return surfaces.gap(body.tree, board.tree) if body.profile.exact_gaps else least_gap(body.points, board)


def reach(body: Body) -> tuple[Floats, Floats]:
    """Return the corners of a box around an object and its own box: from one of the two distances are measured."""
    points = np.concatenate([body.points, [body.low, body.high]])
    return points.min(axis=0), points.max(axis=0)


def nearest_board(body: Body, boards: Sequence[Body]) -> tuple[Body, float]:
    """Return the nearest of some boards, the first of equals, and how far it is; those farther off are not measured."""
    least = Boxes(boards).least(*reach(body))
    found: dict[int, float] = {}
    for number in np.argsort(least, kind="stable").tolist():
        if found and least[number] > min(found.values()):
            break
        found[number] = to_board(body, boards[number])
    best = min(sorted(found), key=lambda number: found[number])
    return boards[best], found[best]


def least_gap(points: Floats, body: Body) -> float:
    """Return the least distance from any of many points to a surface; below a millimetre, none less is looked for.

    Building trees over points costs more than queries, so points are taken nearest box first, in growing batches, until
    no other can be nearer.
    """
    away = np.linalg.norm(points - np.clip(points, body.low, body.high), axis=1)
    order = np.argsort(away, kind="stable")
    best, start, count = math.inf, 0, FIRST
    while start < len(order) and away[order[start]] < best and best > FINE:
        best = min(best, surfaces.gap(surfaces.cloud(points[order[start : start + count]]), body.tree))
        start, count = start + count, 2 * count
    return best


def nearest(points: Floats, board: Body) -> Floats:
    """Return for each point the nearest one of a board of upright boxes with eight corners each."""
    seen = board.frame.local(points)
    boxes = board.frame.local(board.vertices).reshape(-1, 8, 3)
    found = np.clip(seen[:, None], boxes.min(axis=1), boxes.max(axis=1))
    best = np.argmin(np.linalg.norm(found - seen[:, None], axis=2), axis=1)
    return np.asarray(board.frame.centre + found[np.arange(len(seen)), best] @ board.frame.axes.T)
