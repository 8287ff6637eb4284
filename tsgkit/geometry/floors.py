"""Floors: polygons seen from above, and the thin slabs used for rays and distances.

>>> from tsgkit.geometry.profiles import STRICT
>>> from tsgkit.geometry.scenes import Floor
>>> ground, problems = ground_of(Floor("den", ((0, 0, 1), (4, 0, 1), (4, 3, 1), (0, 3, 1))), None, "scene", STRICT)
>>> ground.polygon.area, ground.z
(12.0, 1.0)
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from tsgkit.geometry.bodies import Body, Frame
from tsgkit.geometry.libraries import np, shapely
from tsgkit.geometry.problems import Problem

if TYPE_CHECKING:
    from tsgkit.geometry.libraries import Bools, Floats, Ints
    from tsgkit.geometry.profiles import Profile
    from tsgkit.geometry.scenes import Floor

THICK = 0.001
EDGE = 1e-6
"""Tolerance at the edge: a point on the edge of a floor is over it."""


@dataclass(frozen=True, eq=False)
class Ground:
    """The floor of one room: its outline, its height, its slab."""

    room: str
    polygon: shapely.Geometry
    z: float
    slab: Body

    @property
    def id(self) -> str:
        """The name of its slab."""
        return self.slab.id

    @cached_property
    def rim(self) -> shapely.Geometry:
        """The outline with its edge, ready to be asked often."""
        return closed(self.polygon)

    @cached_property
    def centre(self) -> Floats:
        """Its middle from above: of its bounding box as published, else of its area."""
        if self.slab.profile.exact_areas:
            return np.array(self.polygon.centroid.coords[0])
        left, low, right, high = self.polygon.bounds
        return np.array([(left + right) / 2, (low + high) / 2])

    @cached_property
    def sizes(self) -> tuple[float, float]:
        """Its two sides: of its bounding box as published, else of the smallest rectangle around it."""
        if not self.slab.profile.exact_areas:
            left, low, right, high = self.polygon.bounds
            return right - left, high - low
        corners = np.array(self.polygon.minimum_rotated_rectangle.exterior.coords)
        lengths = np.linalg.norm(np.diff(corners[:3], axis=0), axis=1)
        return float(lengths[0]), float(lengths[1])


def closed(polygon: shapely.Geometry) -> shapely.Geometry:
    """Return a polygon with a hair's breadth around it, ready to be asked often."""
    wide = polygon.buffer(EDGE, join_style="mitre")
    shapely.prepare(wide)
    return wide


def over(rim: shapely.Geometry, points: Floats) -> Bools:
    """Return which points lie over a closed polygon."""
    return np.asarray(shapely.contains_xy(rim, points[:, 0], points[:, 1]))


def ground_of(
    floor: Floor, height: float | None, scene: str, profile: Profile
) -> tuple[Ground | None, tuple[Problem, ...]]:
    """Return the floor as it is measured, at a given height or its own; none where it encloses nothing."""
    points = np.array([point[:2] for point in floor.points], dtype=float).reshape(-1, 2)
    heights = np.array([point[2] for point in floor.points], dtype=float)
    if not (np.isfinite(points).all() and np.isfinite(heights).all()):
        return None, (Problem("bad-floor", floor.id, "its corners are not all finite numbers"),)
    if len(np.unique(points, axis=0)) < 3:
        return None, (Problem("bad-floor", floor.id, f"{len(points)} corners, of which fewer than three differ"),)
    polygon = shapely.Polygon(points)
    problems: tuple[Problem, ...] = ()
    if not polygon.is_valid:
        problems = (Problem("crossed-floor", floor.id, "its outline crosses or touches itself"),)
        polygon = _areal(shapely.make_valid(polygon))
    if polygon.area <= EDGE:
        return None, (*problems, Problem("bad-floor", floor.id, f"it encloses {polygon.area:.3g} square metres"))
    z = float(heights.min()) if height is None else height
    return Ground(floor.room, polygon, z, slab(floor.id, polygon, z - THICK / 2, scene, profile)), problems


def _areal(geometry: shapely.Geometry) -> shapely.Geometry:
    kept = [part for part in shapely.get_parts(geometry) if part.area > 0]
    return shapely.union_all(kept) if kept else shapely.Polygon()


def triangles_of(polygon: shapely.Geometry) -> Floats:
    """Return the polygon as triangles (n x 3 x 2), counter-clockwise."""
    parts = [shapely.constrained_delaunay_triangles(part) for part in shapely.get_parts(polygon)]
    rings = [triangle.exterior.coords[:3] for part in parts for triangle in shapely.get_parts(part)]
    found = np.array(rings, dtype=float).reshape(-1, 3, 2)
    one, two = found[:, 1] - found[:, 0], found[:, 2] - found[:, 0]
    backwards = one[:, 0] * two[:, 1] - one[:, 1] * two[:, 0] < 0
    found[backwards] = found[backwards][:, ::-1]
    return found


def slab(name: str, polygon: shapely.Geometry, bottom: float, scene: str, profile: Profile) -> Body:
    """Return a polygon made thin and solid, from ``bottom`` up."""
    flat = triangles_of(polygon).reshape(-1, 2)
    count = len(flat)
    vertices = np.concatenate([np.c_[flat, np.full(count, bottom + THICK)], np.c_[flat, np.full(count, bottom)]])
    top = np.arange(count).reshape(-1, 3)
    sides_at, sides = _sides(polygon, bottom, len(vertices))
    faces = np.concatenate([top, (top + count)[:, ::-1], sides])
    corners = np.concatenate([vertices, sides_at])
    low, high = corners.min(axis=0), corners.max(axis=0)
    frame = Frame((low + high) / 2, np.eye(3), (high - low) / 2)
    return Body(name, "", corners, faces, frame, 0.0, scene, profile)


def _sides(polygon: shapely.Geometry, bottom: float, start: int) -> tuple[Floats, Ints]:
    corners: list[tuple[float, float, float]] = []
    faces: list[tuple[int, int, int]] = []
    for ring in (ring for part in shapely.get_parts(polygon) for ring in (part.exterior, *part.interiors)):
        for (x0, y0), (x1, y1) in zip(ring.coords[:-1], ring.coords[1:], strict=True):
            at = start + len(corners)
            corners += [(x0, y0, bottom), (x1, y1, bottom), (x1, y1, bottom + THICK), (x0, y0, bottom + THICK)]
            faces += [(at, at + 1, at + 2), (at, at + 2, at + 3)]
    return np.array(corners, dtype=float).reshape(-1, 3), np.array(faces).reshape(-1, 3)
