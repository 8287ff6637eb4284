"""Cameras: a 35 mm lens on square film, moved back until its subject fits.

>>> camera = framing([(-1, 0, 0), (1, 0, 0)], (0, -1, 0))
>>> camera.pixels([(-1, 0, 0), (1, 0, 0)], 100).round(1).tolist()
[[2.4, 50.0], [97.6, 50.0]]

Pixels are counted from the left and from the top; a pixel of column 3 reaches from 3 to 4.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tsgkit.geometry.libraries import np

if TYPE_CHECKING:
    from tsgkit.geometry.libraries import Floats, Ints, Singles

SPREAD = 18 / 35
"""Tangent of half the view: 36 mm of film behind a 35 mm lens."""
MARGIN = 1.05
"""Ratio of the view to what must fit."""
NEAREST = 0.25
"""The smallest distance of a camera, as a share of the subject's diagonal."""

STEPS = 40
"""Iterations of the search for the centre of an image."""


@dataclass(frozen=True, eq=False)
class Camera:
    """A position, and the axes of its image as columns: right, up, and back towards the viewer."""

    eye: Floats
    axes: Floats
    spread: float = SPREAD

    def ways(self, size: int, shift: tuple[float, float] = (0.5, 0.5), pixels: Ints | None = None) -> Singles:
        """Directions of length 1 through some pixels, or through all, row by row from the top."""
        chosen = np.arange(size * size, dtype=np.int32) if pixels is None else pixels
        rows, columns = np.divmod(chosen, size)
        local = np.empty((len(chosen), 3), dtype=np.float32)
        local[:, 0] = ((columns + shift[0]) * 2 / size - 1) * self.spread
        local[:, 1] = (1 - (rows + shift[1]) * 2 / size) * self.spread
        local[:, 2] = -1
        local /= np.sqrt(np.einsum("ij,ij->i", local, local))[:, None]
        return np.asarray(local @ self.axes.T.astype(np.float32))

    def pixels(self, points: object, size: int) -> Floats:
        """Return the columns and rows of world points in an image."""
        seen = (np.asarray(points, dtype=float) - self.eye) @ self.axes
        flat = seen[:, :2] / (-seen[:, 2:] * self.spread)
        return np.asarray((flat * (1, -1) + 1) * size / 2)

    def backed_off(self, by: float) -> Camera:
        """Return the same camera, metres further back."""
        return Camera(self.eye + by * self.axes[:, 2], self.axes, self.spread)


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
        seen = (places - eye) / depths
        low, high = (eye, high) if seen.max() > -seen.min() else (low, eye)
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
