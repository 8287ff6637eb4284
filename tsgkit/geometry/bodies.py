"""Bodies: placed surfaces with their local frames, quantities computed once for each, and how far they are apart.

>>> from tsgkit.geometry import STRICT, Object, box, standing
>>> lamp, problems = placed(Object("lamp_1", box(1, 2, 3), standing(at=(4, 0, 0), yaw=90, scale=2)), "den", STRICT)
>>> lamp.frame.half.round(6).tolist(), lamp.frame.front.round().astype(int).tolist()
([1.0, 2.0, 3.0], [1, 0, 0])
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING

from tsgkit.geometry import surfaces
from tsgkit.geometry.libraries import np, shapely, spatial, trimesh
from tsgkit.geometry.meshes import (
    areas,
    cleaned,
    closed,
    local_matrix,
    merged,
    problem_of,
    round_normals,
    unit_box,
    yaw_of,
)
from tsgkit.geometry.surfaces import EVEN, Rays, even, number_of_points, seeded

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tsgkit.geometry.libraries import Bools, Floats, Ints, Singles
    from tsgkit.geometry.materials import Paint
    from tsgkit.geometry.meshes import Problem
    from tsgkit.geometry.scenes import Object, Profile

LEAST_POINTS = 64
THINNEST = 1e-6
RUGS = re.compile(r"\b(?:rug|carpet|mat|doormat|bath ?mat|runner)s?\b", re.IGNORECASE)
RUG_HEIGHT = 0.1
"""Metres up to which what is called a rug is one."""
FLAT_HEIGHT, FLAT_WIDTH = 0.03, 10
"""Metres below which a flat thing on the floor is a rug, and how many times as wide as high it must be."""
CLOSED, OPEN = 0.5, 0.99
"""Winding numbers from which a point lies inside a closed surface, and inside one with holes."""
AWAY = (0.31, 0.43, 0.85)
"""A way out that runs along no face of usual furniture."""
SEEDS_OF_PARTS = 32
"""For a surface in many pieces, the number of its largest pieces that are tested for being inside another."""


@dataclass(frozen=True, eq=False)
class Frame:
    """The local box: its centre, its axes as columns (right, back, up), and half its size along them.

    Under the published profile the object's scale is in the axes, not in the size. In both, ``centre + axes @ (u *
    half)`` covers the box for u from -1 to 1.
    """

    centre: Floats
    axes: Floats
    half: Floats

    @property
    def front(self) -> Floats:
        """The way the front looks."""
        return np.asarray(-self.axes[:, 1])

    @property
    def volume(self) -> float:
        """The product of the full sizes, none counted as less than a micrometre."""
        return float(np.prod(np.maximum(2 * self.half, THINNEST)))

    def local(self, points: Floats) -> Floats:
        """Points of the world as the box sees them."""
        return np.asarray((points - self.centre) @ self.axes)

    def world(self, parts: Floats) -> Floats:
        """Return the points at these parts (-1 to 1) of the box."""
        return np.asarray(self.centre + (parts * self.half) @ self.axes.T)

    @property
    def corners(self) -> Floats:
        """The eight corners of the box."""
        return self.world(np.array(list(product((-1.0, 1.0), repeat=3))))

    def turned(self) -> Frame:
        """Return the same box with its front at its back."""
        return Frame(self.centre, self.axes * (-1, -1, 1), self.half)


@dataclass(frozen=True, eq=False)
class Body:
    """A surface in the world and its frame; trees, rays and sampled points are created on first use."""

    id: str
    category: str
    vertices: Floats
    faces: Ints
    frame: Frame
    yaw: float
    scene: str
    profile: Profile
    paint: Paint | None = None

    @cached_property
    def low(self) -> Floats:
        """The least coordinates of any corner."""
        return np.asarray(self.vertices.min(axis=0))

    @cached_property
    def high(self) -> Floats:
        """The greatest coordinates of any corner."""
        return np.asarray(self.vertices.max(axis=0))

    @cached_property
    def tree(self) -> surfaces.Tree:
        """The tree over its triangles."""
        return surfaces.tree(self.vertices, self.faces)

    @cached_property
    def rays(self) -> Rays:
        """Itself as something that rays meet."""
        return Rays(self.vertices, self.faces)

    @cached_property
    def solid_or_surface(self) -> surfaces.Tree:
        """As the published collision test takes it: a convex solid where trimesh calls it convex, else a surface."""
        mesh = trimesh.Trimesh(self.vertices, self.faces, process=False)
        return surfaces.convex_solid(self.vertices, self.faces) if mesh.is_convex else self.tree

    @cached_property
    def areas(self) -> Floats:
        """The area of each face."""
        return areas(self.vertices, self.faces)

    @cached_property
    def normals(self) -> Singles:
        """Vertex normals for rendering, one for each corner of each face."""
        return round_normals(self.vertices, self.faces)

    @cached_property
    def centroid(self) -> Floats:
        """The mean of its surface."""
        return np.asarray(np.average(self.vertices[self.faces].mean(axis=1), axis=0, weights=self.areas))

    @cached_property
    def points(self) -> Floats:
        """Points all over its box."""
        if self.profile.even_points:
            return self.frame.world(2 * even(EVEN, 3) - 1)
        rng = seeded(self.scene, self.id, "box")
        return self.frame.world(rng.uniform(-1, 1, (number_of_points(self.frame.volume, LEAST_POINTS), 3)))

    @cached_property
    def smallest_box(self) -> tuple[Floats, Floats]:
        """The box of least volume in any direction: its matrix into the world, and its full sizes; that along the axes
        of the world for flat surfaces.
        """
        middle, size = (self.low + self.high) / 2, float((self.high - self.low).max())
        matrix = np.eye(4)
        try:
            corners = (self.vertices[spatial.ConvexHull(self.vertices).vertices] - middle) / size
            to_box, sizes = trimesh.bounds.oriented_bounds(corners)  # type: ignore[no-untyped-call]
        except (ValueError, spatial.QhullError):
            matrix[:3, 3] = middle
            return matrix, self.high - self.low
        turn = np.linalg.inv(to_box)
        matrix[:3, :3], matrix[:3, 3] = turn[:3, :3], middle + size * turn[:3, 3]
        return matrix, size * np.asarray(sizes)

    @cached_property
    def scattered(self) -> Floats:
        """Random points in its smallest box, as many as published for its own box."""
        matrix, sizes = self.smallest_box
        rng = seeded(self.scene, self.id, "distance")
        spread = rng.uniform(-0.5, 0.5, (number_of_points(self.frame.volume, LEAST_POINTS), 3)) * sizes
        return np.asarray(spread @ matrix[:3, :3].T + matrix[:3, 3])

    @cached_property
    def footprint(self) -> shapely.Geometry:
        """Its convex outline seen from above; a line or a point where it has no extent."""
        return shapely.MultiPoint(self.vertices[:, :2]).convex_hull

    @cached_property
    def part_corners(self) -> Floats:
        """A corner of each connected part of the surface, of the largest ones if there are many."""
        faces = self.merged_faces
        edges = np.concatenate([faces[:, :2], faces[:, 1:]])
        label_of = trimesh.graph.connected_component_labels(edges, len(self.vertices))  # type: ignore[no-untyped-call]
        label = label_of[faces[:, 0]]
        _, first, sizes = np.unique(label, return_index=True, return_counts=True)
        chosen = first[np.argsort(-sizes, kind="stable")[:SEEDS_OF_PARTS]]
        return np.asarray(self.vertices[self.faces[chosen, 0]])

    @cached_property
    def merged_faces(self) -> Ints:
        """Its faces where corners at one place are one corner."""
        return merged(self.vertices, self.faces)

    @cached_property
    def closed(self) -> bool:
        """True if the surface encloses a solid."""
        return closed(self.merged_faces)

    def rug_by(self, floor: float) -> str:
        """Return what makes it a covering of a floor at this height, its name or its shape; "" if it is none."""
        wide, deep, high = (float(size) for size in self.high - self.low)
        if high <= RUG_HEIGHT and RUGS.search(self.category.replace("_", " ")):
            return "name"
        is_flat = high < FLAT_HEIGHT and min(wide, deep) > FLAT_WIDTH * high
        return "shape" if is_flat and abs(float(self.low[2]) - floor) < FLAT_HEIGHT else ""

    def holds(self, points: Floats) -> Bools:
        """Return which points are inside the solid; a shelf of bare sheets encloses none."""
        inside: Bools = np.asarray(((points >= self.low) & (points <= self.high)).all(axis=1))
        inside[inside] = np.isfinite(self.rays.first(points[inside], AWAY)) if inside.any() else False
        if inside.any():
            least = CLOSED if self.closed else OPEN
            inside[inside] = np.abs(surfaces.winding(self.vertices, self.faces, points[inside])) > least
        return inside

    def turned(self) -> Body:
        """Return the same body with its front at its back."""
        return replace(self, frame=self.frame.turned(), yaw=(self.yaw + 360) % 360 - 180)


def placed(thing: Object, scene: str, profile: Profile) -> tuple[Body | None, tuple[Problem, ...]]:
    """Return the body of an object and the problems of its mesh or transform; no body if it cannot be measured."""
    mend = thing.mend_winding or profile.solids
    mesh, problems = cleaned(thing.shape, thing.id, mend_winding=mend)
    bent = problem_of(thing.transform, thing.id)
    problems += (bent,) if bent else ()
    if mesh is None or (bent and bent.code != "sheared-transform"):
        return None, problems
    matrix = local_matrix(thing.transform)
    local = mesh.vertices[:, [0, 2, 1]] * (1, -1, 1)
    world = local @ matrix[:3, :3].T + matrix[:3, 3]
    # A mirror turns every face inwards; collision and support want them outwards again.
    faces = mesh.faces[:, ::-1] if profile.solids and np.linalg.det(matrix[:3, :3]) < 0 else mesh.faces
    axes, corners = matrix[:3, :3], local
    if profile.scaled_boxes:
        # The nearest orthonormal axes, mirrored where the given ones are.
        left, _, right = np.linalg.svd(matrix[:3, :3])
        axes = left @ right
        corners = (world - matrix[:3, 3]) @ axes
    low, high = corners.min(axis=0), corners.max(axis=0)
    frame = Frame(axes @ ((low + high) / 2) + matrix[:3, 3], axes, (high - low) / 2)
    body = Body(thing.id, thing.category, world, faces, frame, yaw_of(matrix), scene, profile, mesh.paint)
    return body.turned() if thing.is_backwards and profile.fronts_from_file else body, problems


def plate(
    name: str,
    centre: Floats,
    along: Floats,
    sizes: tuple[float, float, float],
    scene: str,
    profile: Profile,
    cells: Sequence[tuple[float, float, float, float]] | None = None,
) -> Body:
    """Return a thin upright board: ``along`` is where its x runs, ``cells`` which parts of it exist (x, z from its
    middle).
    """
    wide, thick, high = sizes
    axes = np.stack([along, np.array([-along[1], along[0], 0.0]), np.array([0.0, 0, 1])], axis=1)
    frame = Frame(centre, axes, np.array([wide, thick, high]) / 2)
    boxes = [(-wide / 2, -high / 2, wide / 2, high / 2)] if cells is None else cells
    corners = [
        [(x, y, z) for x in (left, right) for y in (-thick / 2, thick / 2) for z in (low, high)]
        for left, low, right, high in boxes
    ]
    vertices = np.array(corners, dtype=float).reshape(-1, 3)
    faces = np.concatenate([unit_box()[1] + 8 * k for k in range(len(boxes))])
    yaw = float(np.degrees(np.arctan2(along[1], along[0])))
    return Body(name, "", frame.centre + vertices @ axes.T, faces, frame, yaw, scene, profile)


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


def between_objects(first: Body, second: Body) -> float:
    """Return the gap between two objects: of their surfaces, 0 for one in the other; or the published estimate of it.

    Published: the least distance from points in the smallest box around the smaller object to the surface of the other,
    so that a small object deep inside a large one has a distance.
    """
    if not first.profile.exact_gaps:
        small, large = (first, second) if first.frame.volume < second.frame.volume else (second, first)
        return least_gap(small.scattered, large)
    if first is second or first.holds(second.part_corners).any() or second.holds(first.part_corners).any():
        return 0.0
    return surfaces.gap(first.tree, second.tree)


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
    gaps: dict[int, float] = {}
    for number in np.argsort(least, kind="stable").tolist():
        if gaps and least[number] > min(gaps.values()):
            break
        gaps[number] = to_board(body, boards[number])
    best = min(sorted(gaps), key=lambda number: gaps[number])
    return boards[best], gaps[best]


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
    """Return for each point the nearest one of a board of upright boxes with eight corners each.

    >>> from tsgkit.geometry.scenes import STRICT
    >>> board = plate("wall", np.zeros(3), np.array([1.0, 0, 0]), (4, 0.2, 3), "den", STRICT)
    >>> nearest(np.array([[1.0, 2.0, 0.5], [9.0, 0.0, 0.0]]), board).tolist()
    [[1.0, 0.1, 0.5], [2.0, 0.0, 0.0]]
    """
    local = board.frame.local(points)
    boxes = board.frame.local(board.vertices).reshape(-1, 8, 3)
    inside = np.clip(local[:, None], boxes.min(axis=1), boxes.max(axis=1))
    best = np.argmin(np.linalg.norm(inside - local[:, None], axis=2), axis=1)
    return np.asarray(board.frame.centre + inside[np.arange(len(local)), best] @ board.frame.axes.T)
