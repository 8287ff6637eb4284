"""Axis-aligned boxes of many bodies, for selecting pairs to examine.

>>> from tsgkit.geometry.bodies import plate
>>> from tsgkit.geometry.profiles import STRICT
>>> along = np.array([1.0, 0, 0])
>>> boxes = Boxes([plate("wall", np.array([0.0, y, 1]), along, (4, 0.2, 2), "den", STRICT) for y in (0, 5)])
>>> point = np.array([0.0, 1.05, 1])
>>> boxes.meeting(point - 1, point + 1).tolist(), boxes.least(point, point).round(6).tolist()
([0], [0.95, 3.85])
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tsgkit.geometry.libraries import np

if TYPE_CHECKING:
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
