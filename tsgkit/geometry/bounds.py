"""Objects outside the floors.

>>> from tsgkit.geometry import MeasuredScene, Object, Scene, box, rectangle, standing
>>> table = Object("table_1", box(1, 1, 1), standing(at=(3, 0, 0.5)))
>>> bounds = out_of_bounds(MeasuredScene(Scene("den", (table,), rectangle(-3, -3, 3, 3))))
>>> round(bounds.objects["table_1"].ratio, 3), bounds.out
(0.5, ('table_1',))

The ratio is the share of an object's surface over a floor, at any height; below 0.99 the object is out. Published:
random points on the surface. ``strict``: exact areas for any mesh and floor, with a rim of 5 mm for objects that are
flush with it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tsgkit.geometry.libraries import np, shapely
from tsgkit.geometry.measured_scene import over
from tsgkit.geometry.surfaces import number_of_points, on_faces, seeded

if TYPE_CHECKING:
    from tsgkit.geometry.bodies import Body
    from tsgkit.geometry.libraries import Floats
    from tsgkit.geometry.measured_scene import MeasuredScene

LEAST_RATIO = 0.99
FLUSH = 0.005
"""Strict: a smaller overhang counts as inside, since angles are rounded and a flush side is a tenth of a box."""
LEAST_POINTS = 1000
UPRIGHT = 1e-4
"""Faces that show less than this share of their area from above are treated as upright."""


@dataclass(frozen=True)
class Bound:
    """The share of one object over a floor; ``points`` is 0 if no samples were needed."""

    id: str
    ratio: float
    points: int

    @property
    def out(self) -> bool:
        """True if the share is too small."""
        return self.ratio < LEAST_RATIO

    @property
    def evidence(self) -> str:
        """The finding in words."""
        return f"{100 * self.ratio:.1f} % of the surface of {self.id} lies over a floor; at least 99 % must"


@dataclass(frozen=True)
class Bounds:
    """The results for all measurable objects."""

    objects: Mapping[str, Bound]
    unmeasured: tuple[str, ...] = ()

    @property
    def out(self) -> tuple[str, ...]:
        """The objects that are out."""
        return tuple(bound.id for bound in self.objects.values() if bound.out)

    @property
    def share(self) -> float | None:
        """Objects that are out over measured ones; None without objects."""
        return len(self.out) / len(self.objects) if self.objects else None


def out_of_bounds(stage: MeasuredScene) -> Bounds:
    """Return every object against all floors together; without a floor every object is out."""
    bounds = {}
    for name, body in stage.bodies.items():
        stage.keep_going()
        bounds[name] = _bound(stage, body)
    return Bounds(bounds, stage.unmeasured)


def _bound(stage: MeasuredScene, body: Body) -> Bound:
    # Where all or nothing lies over the floor, every way of measuring says so.
    if shapely.contains(stage.floor_rim, body.footprint):
        return Bound(body.id, 1.0, 0)
    if not shapely.intersects(stage.floor_rim, body.footprint):
        return Bound(body.id, 0.0, 0)
    triangles, weights = body.vertices[body.faces], body.areas
    if not stage.profile.exact_areas:
        count = number_of_points(float(np.prod(body.smallest_box[1])), LEAST_POINTS)
        points = on_faces(triangles, weights, count, seeded(stage.scene.name, body.id, "bounds"))
        return Bound(body.id, float(over(stage.floor_rim, points).mean()), count)
    if shapely.contains(stage.floor.buffer(FLUSH, join_style="mitre"), body.footprint):
        return Bound(body.id, 1.0, 0)
    shares = np.array(shares_over(stage.floor_rim, triangles[weights > 0]))
    return Bound(body.id, min(1.0, float(np.average(shares, weights=weights[weights > 0]))), 0)


def shares_over(polygon: shapely.Geometry, triangles: Floats) -> Floats:
    """Return for each triangle the share of its area over the polygon."""
    flat = triangles[:, :, :2]
    lying = shapely.polygons(flat)
    across, along = triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]
    normal = np.cross(across, along)
    upright = np.abs(normal[:, 2]) < UPRIGHT * np.linalg.norm(normal, axis=1)
    shares = np.zeros(len(triangles))
    hull = shapely.convex_hull(lying)
    shares[shapely.contains(polygon, hull)] = 1.0
    open_ = (shares == 0) & shapely.intersects(polygon, hull)
    cut = open_ & ~upright
    shares[cut] = shapely.area(shapely.intersection(lying[cut], polygon)) / shapely.area(lying[cut])
    for k in np.flatnonzero(open_ & upright):
        shares[k] = _upright_share(polygon, flat[k])
    return shares


def _upright_share(polygon: shapely.Geometry, corners: Floats) -> float:
    """Return the share of an upright triangle: a line from above, along which its area grows by two pieces of a
    parabola."""
    spans = np.linalg.norm(corners[:, None] - corners[None], axis=2)
    start, end = np.unravel_index(np.argmax(spans), spans.shape)
    length = float(spans[start, end])
    if length == 0:
        return float(shapely.intersects(polygon, shapely.Point(corners[0])))
    way = (corners[end] - corners[start]) / length
    peak = float(np.clip((corners[3 - start - end] - corners[start]) @ way, 0, length)) if start != end else 0.0
    inside = shapely.intersection(shapely.LineString(corners[[start, end]]), polygon)
    total = 0.0
    for piece in shapely.get_parts(inside):
        at = (np.array(piece.coords)[[0, -1]] - corners[start]) @ way
        total += abs(_area_up_to(at[1], peak, length) - _area_up_to(at[0], peak, length))
    return total


def _area_up_to(at: float, peak: float, length: float) -> float:
    """Return the share of a triangle's area before ``at``, for a triangle from 0 to ``length`` with its peak at
    ``peak``.
    """
    at = min(max(at, 0.0), length)
    if at <= peak:
        return at * at / (peak * length) if peak else 0.0
    return 1 - (length - at) ** 2 / ((length - peak) * length)
