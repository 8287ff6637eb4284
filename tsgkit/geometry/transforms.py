"""Poses: 4x4 matrices as in files, the local frame of an object, and its yaw.

>>> standing(at=(1, 2, 0))[12:15]
(1.0, 2.0, 0.0)
>>> round(yaw_of(local_matrix(standing(yaw=30))), 6)
30.0

Asset files have y up and their front along +z. The *local frame* of an object has x to the right, its front along -y
and z up; "left" and "right" are as seen from in front of the object.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tsgkit.geometry.libraries import np
from tsgkit.geometry.problems import Problem

if TYPE_CHECKING:
    from tsgkit.geometry.libraries import Floats

Transform = tuple[float, ...]
"""Sixteen numbers, column by column, as files write them: the translation is elements 12, 13 and 14."""

IDENTITY: Transform = (1.0, 0, 0, 0, 0, 1.0, 0, 0, 0, 0, 1.0, 0, 0, 0, 0, 1.0)
FLAT = 1e-9
"""An axis shorter than this, or a volume of the axes below its cube, is none."""
SHEAR = 1e-3
"""Cosine between two axes from which a transform counts as sheared; single-precision files stay well below."""


def matrix_of(transform: Transform) -> Floats:
    """Return the transform as a 4x4 array."""
    return np.asarray(transform, dtype=float).reshape(4, 4).T


def transform_of(matrix: Floats) -> Transform:
    """Return a 4x4 array as the sixteen numbers of a file."""
    return tuple(float(number) for number in np.asarray(matrix, dtype=float).T.reshape(-1))


def local_matrix(transform: Transform) -> Floats:
    """Return the matrix from the local frame (z up, front -y) into the world."""
    from_local = np.array([[1.0, 0, 0, 0], [0, 0, 1, 0], [0, -1, 0, 0], [0, 0, 0, 1]])
    return np.asarray(matrix_of(transform) @ from_local)


def standing(
    at: Sequence[float] = (0, 0, 0), *, yaw: float = 0.0, scale: float | Sequence[float] = 1.0, tilt: float = 0.0
) -> Transform:
    """Return the transform of an upright asset: scaled along its local axes, tilted about its x, turned by ``yaw``
    degrees.
    """
    c, s, ct, st = (f(math.radians(angle)) for angle in (yaw, tilt) for f in (math.cos, math.sin))
    turn = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]) @ np.array([[1, 0, 0], [0, ct, -st], [0, st, ct]])
    from_file = np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]])
    matrix = np.eye(4)
    matrix[:3, :3] = turn @ np.diag(np.broadcast_to(np.asarray(scale, dtype=float), 3)) @ from_file
    matrix[:3, 3] = at
    return transform_of(matrix)


def asset_rotation(up: Sequence[float], front: Sequence[float]) -> Transform:
    """Return the rotation of an asset, in its own file frame, that takes ``up`` to +y and ``front`` to +z."""
    y, z = (np.asarray(way, dtype=float) / np.linalg.norm(way) for way in (up, front))
    matrix = np.eye(4)
    matrix[:3, :3] = np.stack([np.cross(y, z), y, z])
    return transform_of(matrix)


def problem_of(transform: Transform, where: str) -> Problem | None:
    """Return the problem that makes a transform unusable, or only distorts it (``sheared-transform``)."""
    if len(transform) != 16 or not all(math.isfinite(number) for number in transform):
        return Problem("bad-transform", where, f"its transform is not sixteen finite numbers: {transform!r:.80}")
    matrix = matrix_of(transform)
    if not np.allclose(matrix[3], (0, 0, 0, 1), atol=1e-6):
        return Problem("bad-transform", where, f"the last row of its transform is {matrix[3].tolist()}, not 0 0 0 1")
    lengths = np.linalg.norm(matrix[:3, :3], axis=0)
    if lengths.min() < FLAT or abs(np.linalg.det(matrix[:3, :3] / lengths)) < FLAT:
        return Problem("singular-transform", where, "its transform flattens it to a plane, a line or a point")
    unit = matrix[:3, :3] / lengths
    if np.abs(unit.T @ unit - np.eye(3)).max() > SHEAR:
        hint = "give rotation times scale along the axes"
        return Problem("sheared-transform", where, "its transform is not rotation times scale", hint)
    return None


def rotation_part(axes: Floats) -> Floats:
    """Return the nearest orthonormal axes (mirrored where the given ones are)."""
    left, _, right = np.linalg.svd(axes)
    return np.asarray(left @ right)


def yaw_of(matrix: Floats) -> float:
    """Degrees about z in the XYZ Euler angles of a local matrix; a mirrored one is turned by -1 first.

    Of the two sets of angles that describe a rotation, the one with the smaller sum is returned.
    """
    axes = matrix[:3, :3] / np.linalg.norm(matrix[:3, :3], axis=0)
    m = -axes if np.linalg.det(axes) < 0 else axes
    level = math.hypot(m[0, 0], m[1, 0])
    if level < 1e-6:  # looking straight up or down
        return 0.0
    first = (math.atan2(m[2, 1], m[2, 2]), math.atan2(-m[2, 0], level), math.atan2(m[1, 0], m[0, 0]))
    second = (math.atan2(-m[2, 1], -m[2, 2]), math.atan2(-m[2, 0], -level), math.atan2(-m[1, 0], -m[0, 0]))
    return math.degrees(min(first, second, key=lambda angles: sum(map(abs, angles)))[2])
