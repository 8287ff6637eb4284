"""Points in boxes and on surfaces: evenly spread, or seeded by their purpose.

>>> bool((abs(even(1000, 2).mean(axis=0) - 0.5) < 0.01).all())
True
>>> seeded("bedroom", "lamp_2", "box").random() == seeded("bedroom", "lamp_2", "box").random()
True
"""

from __future__ import annotations

import hashlib
from functools import lru_cache
from typing import TYPE_CHECKING

from tsgkit.geometry.libraries import np

if TYPE_CHECKING:
    from numpy.random import Generator

    from tsgkit.geometry.libraries import Floats

EVEN = 4096
"""Evenly spread points a box is measured at; a fraction of a box is then right to about 0.005."""
DENSITY = 5000
"""Random points a cubic metre, as published."""
MOST = 20_000
"""Never more random points than this, however large the box; the published tool has no limit."""


def seeded(*what_for: str) -> Generator:
    """Return a generator that depends on nothing but the names given: scene, object, purpose."""
    digest = hashlib.sha256("\0".join(what_for).encode()).digest()
    return np.random.default_rng(int.from_bytes(digest[:8], "big"))


@lru_cache(maxsize=16)
def even(count: int, dimensions: int) -> Floats:
    """Evenly spread points in the unit cube: the additive recurrence on the generalised golden ratio."""
    root = 2.0
    for _ in range(64):
        root = (1 + root) ** (1 / (dimensions + 1))
    steps = root ** -np.arange(1.0, dimensions + 1)
    found = np.asarray((0.5 + np.outer(np.arange(1.0, count + 1), steps)) % 1.0)
    found.setflags(write=False)
    return found


def number_of_points(volume: float, least: int) -> int:
    """Return how many random points a volume is measured at, as published."""
    return max(int(min(volume * DENSITY, MOST)), least)


def on_faces(triangles: Floats, areas: Floats, count: int, rng: Generator) -> Floats:
    """Random points spread over a surface by area."""
    reached = np.cumsum(areas)
    chosen = np.minimum(np.searchsorted(reached, rng.random(count) * reached[-1]), len(areas) - 1)
    return within(triangles[chosen], rng.random((count, 2)))


def within(triangles: Floats, spread: Floats) -> Floats:
    """Return one point in each triangle, given by two numbers of the unit square."""
    u, v = spread[:, 0], spread[:, 1]
    over = u + v > 1
    u, v = np.where(over, 1 - u, u)[:, None], np.where(over, 1 - v, v)[:, None]
    a, b, c = (triangles[:, k] for k in range(3))
    return np.asarray(a + u * (b - a) + v * (c - a))
