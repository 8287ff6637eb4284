"""Queries on triangle surfaces: meetings and gaps by trees, hits of rays, insides by winding numbers, sampled points.

>>> from tsgkit.geometry.meshes import box, mesh_of
>>> cube = mesh_of(box(1, 1, 1))
>>> gap(tree(cube.vertices, cube.faces), tree(cube.vertices + (1.5, 0, 0), cube.faces))
0.5
>>> Rays(cube.vertices, cube.faces).first([[0.1, 0.2, 3], [5, 0, 3]], [0, 0, -1]).round(6).tolist()
[2.5, inf]
>>> winding(cube.vertices, cube.faces, [[0, 0.1, 0.2], [2, 0, 0]]).round(6).tolist()
[1.0, 0.0]
>>> seeded("bedroom", "lamp_2", "box").random() == seeded("bedroom", "lamp_2", "box").random()
True

Building a tree is expensive, queries take microseconds. Trees hold surfaces only: a surface inside another does not
meet it. Winding numbers tolerate seams and small holes; trimesh has no such test. Points are spread evenly, or seeded
by their purpose.
"""

from __future__ import annotations

import hashlib
import math
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

from tsgkit.geometry.libraries import fcl, mesh_construction, np, rtcore, rtcore_scene

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.random import Generator

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


def meet(first: Tree, second: Tree, moved: Sequence[float] | Floats | None = None) -> bool:
    """Return whether two surfaces meet, after the other has moved."""
    request, result = fcl.CollisionRequest(), fcl.CollisionResult()
    return bool(fcl.collide(_placed(first, None), _placed(second, moved), request, result))


def contacts(first: Tree, second: Tree) -> Floats:
    """Return the points at which two surfaces meet, one for each pair of triangles."""
    request = fcl.CollisionRequest(num_max_contacts=MOST_CONTACTS, enable_contact=True)
    result = fcl.CollisionResult()
    fcl.collide(_placed(first, None), _placed(second, None), request, result)
    return np.array([contact.pos for contact in result.contacts], dtype=float).reshape(-1, 3)


def gap(first: Tree, second: Tree) -> float:
    """Metres between two surfaces; 0 where they meet."""
    request = fcl.DistanceRequest()
    return max(0.0, float(fcl.distance(_placed(first, None), _placed(second, None), request, fcl.DistanceResult())))


FAR = 1e30


@cache
def device() -> Any:  # noqa: ANN401  (embreex ships no types)
    """Return the device of this process, one for all surfaces: thousands of them bring the process down."""
    return rtcore.EmbreeDevice()


class Rays:
    """A surface for ray casting. Coordinates are centred because Embree has single precision."""

    def __init__(self, vertices: Floats, faces: Ints) -> None:
        corners = vertices[faces]
        self._middle = (corners.min(axis=(0, 1)) + corners.max(axis=(0, 1))) / 2
        self._scene = rtcore_scene.EmbreeScene(device())
        self._mesh = mesh_construction.TriangleMesh(self._scene, (corners - self._middle).astype(np.float32))

    def first(self, origins: object, directions: object) -> Floats:
        """Metres along each direction (of any length, one for all or one each) to the first face; inf where none is."""
        starts = np.asarray(origins, dtype=float).reshape(-1, 3) - self._middle
        ways = np.broadcast_to(np.asarray(directions, dtype=float), starts.shape)
        lengths = np.linalg.norm(ways, axis=1, keepdims=True)
        unit = np.ascontiguousarray(ways / lengths, dtype=np.float32)
        far = self._scene.run(np.ascontiguousarray(starts, dtype=np.float32), unit, query="DISTANCE")
        return np.where(far < FAR, far.astype(float), np.inf)


AT_ONCE = 2_000_000
"""Pairs of a point and a face looked at together; bounds the memory."""


def winding(vertices: Floats, faces: Ints, points: object) -> Floats:
    """Return the winding number of a surface at each point: 1 inside, 0 outside, -1 inside an inverted surface."""
    spots = np.asarray(points, dtype=float).reshape(-1, 3)
    triangles = vertices[faces]
    step = max(1, AT_ONCE // max(1, len(spots)))
    total = np.zeros(len(spots))
    for start in range(0, len(triangles), step):
        # The solid angle under which each point sees the triangles together (Van Oosterom and Strackee).
        a, b, c = (triangles[None, start : start + step, k] - spots[:, None] for k in range(3))
        la, lb, lc = (np.linalg.norm(side, axis=2) for side in (a, b, c))
        above = _dot(a, np.cross(b, c))
        below = la * lb * lc + _dot(a, b) * lc + _dot(b, c) * la + _dot(c, a) * lb
        total += 2 * np.arctan2(above, below).sum(axis=1)
    return np.asarray(total / (4 * math.pi))


def _dot(first: Floats, second: Floats) -> Floats:
    return np.asarray(np.einsum("ijk,ijk->ij", first, second))


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
    points = np.asarray((0.5 + np.outer(np.arange(1.0, count + 1), steps)) % 1.0)
    points.setflags(write=False)
    return points


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
