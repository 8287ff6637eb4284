"""How far things are from one another: gaps between surfaces, and nearest points on few triangles.

>>> from tsgkit.geometry.meshes import box, mesh_of
>>> cube = mesh_of(box(1, 1, 1))
>>> nearest([[2.0, 0.1, 0.2]], cube.vertices, cube.faces).tolist()
[[0.5, 0.1, 0.2]]
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tsgkit.geometry import trees
from tsgkit.geometry.libraries import np

if TYPE_CHECKING:
    from tsgkit.geometry.bodies import Body
    from tsgkit.geometry.libraries import Bools, Floats, Ints

AT_ONCE = 200_000
"""Pairs of a point and a face looked at together; bounds the memory."""


def between_objects(one: Body, other: Body) -> float:
    """The gap between two objects: of their surfaces, 0 for one in the other; or the published estimate of it.

    Published: the least distance from points in the smallest box around the smaller object to the surface of the other,
    so that a small thing deep in a large one is some way from it.
    """
    if not one.profile.exact_gaps:
        small, large = (one, other) if one.frame.volume < other.frame.volume else (other, one)
        return trees.gap(small.cloud, large.tree)
    if one is other or one.holds(other.part_corners).any() or other.holds(one.part_corners).any():
        return 0.0
    return trees.gap(one.tree, other.tree)


def to_board(body: Body, board: Body) -> float:
    """The gap from an object to a wall, door, window or ceiling: from its surface, or from points of its box."""
    return trees.gap(body.tree if body.profile.exact_gaps else body.cloud_of_box, board.tree)


def nearest(points: object, vertices: Floats, faces: Ints) -> Floats:
    """For each point, the nearest point on the surface; looks at all faces, so for surfaces of few."""
    spots = np.asarray(points, dtype=float).reshape(-1, 3)
    triangles = vertices[faces]
    step = max(1, AT_ONCE // len(triangles))
    return np.concatenate([_nearest(spots[k : k + step], triangles) for k in range(0, len(spots), step)])


def _nearest(spots: Floats, triangles: Floats) -> Floats:
    candidates = np.concatenate(
        [_on_planes(spots, triangles), *(_on_edges(spots, triangles[:, k], triangles[:, k - 1]) for k in range(3))],
        axis=1,
    )
    away = np.linalg.norm(candidates - spots[:, None], axis=2)
    best = np.argmin(np.where(np.isnan(away), np.inf, away), axis=1)
    return np.asarray(candidates[np.arange(len(spots)), best])


def _on_planes(spots: Floats, triangles: Floats) -> Floats:
    """The foot of each point on each triangle's plane; NaN where it falls beside the triangle."""
    a, b, c = (triangles[:, k] for k in range(3))
    normal = np.cross(b - a, c - a)
    square = np.einsum("ij,ij->i", normal, normal)
    safe = np.where(square > 0, square, 1)
    feet = spots[:, None] - (np.einsum("nmi,mi->nm", spots[:, None] - a, normal) / safe)[..., None] * normal
    beside = _beside(feet, a, b, normal) | _beside(feet, b, c, normal) | _beside(feet, c, a, normal) | (square == 0)
    return np.where(beside[..., None], np.nan, feet)


def _beside(feet: Floats, start: Floats, end: Floats, normal: Floats) -> Bools:
    return np.asarray(np.einsum("nmi,mi->nm", np.cross(end - start, feet - start), normal) < 0)


def _on_edges(spots: Floats, start: Floats, end: Floats) -> Floats:
    way = end - start
    square = np.einsum("ij,ij->i", way, way)
    along = np.einsum("nmi,mi->nm", spots[:, None] - start, way) / np.where(square > 0, square, 1)
    return np.asarray(start + np.clip(along, 0, 1)[..., None] * way)
