"""Bounding-volume trees of triangles: intersections, contacts and distances of two surfaces.

>>> from tsgkit.geometry.meshes import box, mesh_of
>>> cube = mesh_of(box(1, 1, 1))
>>> beside = tree(cube.vertices + (1.5, 0, 0), cube.faces)
>>> gap(tree(cube.vertices, cube.faces), beside)
0.5

Building a tree is expensive, queries take microseconds. Trees hold surfaces only: a surface inside another does not
meet it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tsgkit.geometry.libraries import fcl, np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tsgkit.geometry.libraries import Floats, Ints

MOST_CONTACTS = 100_000

Tree = Any
"""A collision geometry of python-fcl, which ships no types."""


def tree(vertices: Floats, faces: Ints) -> Tree:
    """Return the tree of a surface."""
    model = fcl.BVHModel()
    model.beginModel(len(faces), len(vertices))
    model.addSubModel(np.ascontiguousarray(vertices), np.ascontiguousarray(faces))
    model.endModel()
    return model


def convex_solid(vertices: Floats, faces: Ints) -> Tree:
    """Return the solid inside closed convex faces; objects inside it touch it."""
    rows = np.concatenate([np.full((len(faces), 1), 3), faces], axis=1)
    return fcl.Convex(np.ascontiguousarray(vertices), len(faces), rows.flatten())


def cloud(points: Floats) -> Tree:
    """Return the tree of single points: each a triangle of no size, so that one query finds the nearest of all."""
    return tree(points, np.repeat(np.arange(len(points))[:, None], 3, axis=1))


def _placed(shape: Tree, moved: Sequence[float] | Floats | None) -> Tree:
    return fcl.CollisionObject(shape) if moved is None else fcl.CollisionObject(shape, fcl.Transform(np.asarray(moved)))


def meet(one: Tree, other: Tree, moved: Sequence[float] | Floats | None = None) -> bool:
    """Return whether two surfaces meet, after the other has moved."""
    found = fcl.collide(_placed(one, None), _placed(other, moved), fcl.CollisionRequest(), fcl.CollisionResult())
    return bool(found)


def contacts(one: Tree, other: Tree) -> Floats:
    """Return the points at which two surfaces meet, one for each pair of triangles."""
    request = fcl.CollisionRequest(num_max_contacts=MOST_CONTACTS, enable_contact=True)
    result = fcl.CollisionResult()
    fcl.collide(_placed(one, None), _placed(other, None), request, result)
    return np.array([contact.pos for contact in result.contacts], dtype=float).reshape(-1, 3)


def gap(one: Tree, other: Tree) -> float:
    """Metres between two surfaces; 0 where they meet."""
    request = fcl.DistanceRequest()
    return max(0.0, float(fcl.distance(_placed(one, None), _placed(other, None), request, fcl.DistanceResult())))
