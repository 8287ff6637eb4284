"""Shading: a soft sky, a lamp behind the viewer's shoulder, and ambient occlusion.

>>> shades = lit(np.array([[0.0, 0, 1], [0, 0, -1]], np.float32), np.eye(3, dtype=np.float32))
>>> bool(shades[0] > shades[1])
True

Nothing is random: the sampled sky directions of a pixel depend on its position in a tile, and tiles are smoothed within
a surface.
"""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING

from tsgkit.geometry.libraries import np
from tsgkit.geometry.meshes import merged

if TYPE_CHECKING:
    from tsgkit.geometry.libraries import Bools, Floats, Ints, Singles

SKY, GROUND, LAMP = 0.72, 0.48, 0.42
"""How much light comes from above, from below and from the lamp."""
SHOULDER = (-0.45, 0.55, 0.70)
"""The direction of the lamp in image axes: left, above, behind the viewer."""
CREASE = math.cos(math.radians(35))
"""If all faces at a corner deviate less from their mean normal, they are shaded smoothly."""
TILE = 4
WAYS = 2
"""Each pixel of a tile looks this many ways."""
REACH = 0.6
"""Metres within which something takes away from the sky."""
NEAR = 0.03
"""Pixels of one surface are smoothed together where their depth differs by less than this share."""
DARKEST = 0.55
"""The share of light where no sky is visible."""


def lit(normals: Singles, axes: Singles) -> Singles:
    """Return how much light falls on surfaces, seen by a camera of these axes."""
    sky = GROUND + (SKY - GROUND) * (normals[:, 2] + 1) / 2
    lamp = axes @ (np.array(SHOULDER, dtype=axes.dtype) / np.linalg.norm(SHOULDER).astype(axes.dtype))
    return np.asarray(sky + LAMP * np.maximum(normals @ lamp, 0))


def round_normals(vertices: Floats, faces: Ints) -> Singles:
    """Return a normal for each corner of each face: that of the face, or the mean where the surface is round."""
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    across = np.cross(b - a, c - a)
    lengths = np.linalg.norm(across, axis=1, keepdims=True)
    flat = np.divide(across, lengths, out=np.zeros_like(across), where=lengths > 0)
    shared = merged(vertices, faces)
    count = int(shared.max()) + 1
    total = np.stack(
        [np.bincount(shared.ravel(), np.repeat(across[:, axis], 3), minlength=count) for axis in range(3)], axis=1
    )
    lengths = np.linalg.norm(total, axis=1, keepdims=True)
    mean = np.divide(total, lengths, out=np.zeros_like(total), where=lengths > 0)[shared]
    least = np.ones(count)
    np.minimum.at(least, shared, np.einsum("ijk,ik->ij", mean, flat))
    return np.asarray(np.where((least > CREASE)[shared][..., None], mean, flat[:, None]), dtype=np.float32)


@cache
def dome() -> Singles:
    """Return TILE * TILE * WAYS directions around +z, each for an equal share of light."""
    count = TILE * TILE * WAYS
    share = (np.arange(count) + 0.5) / count
    turn = np.arange(count) * math.pi * (3 - math.sqrt(5))
    radius = np.sqrt(share)
    ways = np.stack([radius * np.cos(turn), radius * np.sin(turn), np.sqrt(1 - share)], axis=1)
    return np.asarray(ways, dtype=np.float32)


def around(normals: Singles, tiles: Ints, number: int) -> Singles:
    """For each pixel one of the ways of its place in a tile, around its own normal (Duff et al., 2017)."""
    x, y, z = normals.T
    # Neighbours take ways that lie far apart.
    local = dome()[(tiles * 7 % (TILE * TILE)) + TILE * TILE * number]
    sign = np.where(z >= 0, np.float32(1), np.float32(-1))
    a = -1 / (sign + z)
    b = x * y * a
    right = np.stack([1 + sign * x * x * a, sign * b, -sign * x], axis=1)
    up = np.stack([b, sign + y * y * a, -y], axis=1)
    return np.asarray(local[:, :1] * right + local[:, 1:2] * up + local[:, 2:] * normals)


def smoothed(values: Singles, surfaces: Ints, depth: Singles) -> Singles:
    """Means over tiles around each pixel, of pixels on the same surface at nearly the same depth."""
    total, weight = np.zeros_like(values), np.zeros_like(values)
    high, wide = values.shape
    depth = np.where(surfaces < 0, 0, depth)
    for dy in range(-TILE // 2, TILE // 2):
        for dx in range(-TILE // 2, TILE // 2):
            here = np.s_[max(0, -dy) : high - max(0, dy), max(0, -dx) : wide - max(0, dx)]
            there = np.s_[max(0, dy) : high + min(0, dy), max(0, dx) : wide + min(0, dx)]
            same: Bools = surfaces[here] == surfaces[there]
            same &= np.abs(depth[here] - depth[there]) < NEAR * depth[here]
            total[here] += np.where(same, values[there], 0)
            weight[here] += same
    return np.asarray(total / np.maximum(weight, 1))
