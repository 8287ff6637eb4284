"""Inside tests by winding numbers, which tolerate seams and small holes.

>>> from tsgkit.geometry.meshes import box, mesh_of
>>> cube = mesh_of(box(1, 1, 1))
>>> winding(cube.vertices, cube.faces, [[0, 0.1, 0.2], [2, 0, 0]]).round(6).tolist()
[1.0, 0.0]
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tsgkit.geometry.libraries import np

if TYPE_CHECKING:
    from tsgkit.geometry.libraries import Floats, Ints

AT_ONCE = 2_000_000
"""Pairs of a point and a face looked at together; bounds the memory."""


def winding(vertices: Floats, faces: Ints, points: object) -> Floats:
    """Return the winding number of a surface at each point: 1 inside, 0 outside, -1 inside an inverted surface."""
    spots = np.asarray(points, dtype=float).reshape(-1, 3)
    triangles = vertices[faces]
    step = max(1, AT_ONCE // max(1, len(spots)))
    total = np.zeros(len(spots))
    for start in range(0, len(triangles), step):
        total += _angles(triangles[start : start + step], spots)
    return np.asarray(total / (4 * math.pi))


def _angles(triangles: Floats, spots: Floats) -> Floats:
    """Return the solid angle under which each point sees the triangles together (Van Oosterom and Strackee)."""
    a, b, c = (triangles[None, :, k] - spots[:, None] for k in range(3))
    la, lb, lc = (np.linalg.norm(side, axis=2) for side in (a, b, c))
    above = _dot(a, np.cross(b, c))
    below = la * lb * lc + _dot(a, b) * lc + _dot(b, c) * la + _dot(c, a) * lb
    return np.asarray(2 * np.arctan2(above, below).sum(axis=1))


def _dot(one: Floats, other: Floats) -> Floats:
    return np.asarray(np.einsum("ijk,ijk->ij", one, other))
