"""Support of objects: standing, hanging or leaning on something.

>>> from tsgkit.geometry import MeasuredScene, Object, Scene, box, rectangle, standing
>>> table = Object("table_1", box(1, 1, 1), standing(at=(0, 0, 0.5)))
>>> cup = Object("cup_1", box(0.1, 0.1, 0.1), standing(at=(0.52, 0, 1.05)))
>>> support_of = supports(MeasuredScene(Scene("den", (table, cup), rectangle(-3, -3, 3, 3))))
>>> support_of["table_1"].supported, support_of["cup_1"].supported
(True, False)
>>> print(support_of["cup_1"].evidence)
cup_1 rests on table_1, but its centre lies beyond what it rests on

The kind of support depends on the object's given type (``ground``, ``object``, ``wall``, ``ceiling``). Rays from the
outermost centimetre of its surface search for another object, up to 5 mm inside and as far outside as the profile's
``support_gap`` (published 5 mm, strict 2 cm). One contact supports a hanging object; a standing one needs its centre
above the outline of its contacts. In ``strict``, an object that rests on nothing and touches the ceiling hangs from it,
whatever its type. Published: random points, the mean of the surface as the centre, one of the six axes as the direction
of support. ``strict``: even points, the centre of mass of closed solids, any direction.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tsgkit.errors import UsageError
from tsgkit.geometry.bodies import Boxes
from tsgkit.geometry.libraries import np, shapely
from tsgkit.geometry.meshes import areas, crosses
from tsgkit.geometry.surfaces import even, seeded, within

if TYPE_CHECKING:
    from tsgkit.geometry.bodies import Body
    from tsgkit.geometry.libraries import Floats
    from tsgkit.geometry.measured_scene import MeasuredScene

TYPES = ("ground", "object", "wall", "ceiling")
LIFT = 0.005
FAR = 1e9
"""Farther than anything is."""
BAND = 0.01
FLUSH = 0.9
"""Cosine between a face and the way it leans from which the face can rest on something."""
A_SQUARE_METRE = 256
LEAST, MOST = 32, 100_000
"""Fewest points on a face, and most on all faces together."""
LEAST_CONTACTS, LEAST_DISTINCT = 4, 3


@dataclass(frozen=True)
class Support:
    """The support of one object; ``gap`` is the distance to the nearest object if it has none."""

    id: str
    type: str
    supported: bool
    rests_on: tuple[str, ...]
    contacts: int
    gap: float | None
    most: float
    """The gap up to which something holds."""

    @property
    def evidence(self) -> str:
        """The finding in words."""
        if self.supported:
            return f"{self.id} rests on {', '.join(self.rests_on)}"
        if self.rests_on:
            return f"{self.id} rests on {', '.join(self.rests_on)}, but its centre lies beyond what it rests on"
        where = {"wall": "behind", "ceiling": "above"}.get(self.type, "below")
        if self.gap is None:
            return f"nothing is {where} {self.id}"
        return f"the nearest thing {where} {self.id} is {max(self.gap, 0.0):.3f} m away, more than {self.most:g} m"


def supports(stage: MeasuredScene, types: Mapping[str, str] | None = None) -> Mapping[str, Support]:
    """Return the support of every measurable object; one without a type stands on the ground."""
    kinds = types or {}
    for name, kind in kinds.items():
        if kind not in TYPES:
            raise UsageError(f"{kind!r}, given for {name!r}, is not a type of support", hint=", ".join(TYPES))
    built = [*(ground.slab for ground in stage.floors), *stage.walls, *stage.doors, *stage.windows]
    around = Boxes([*stage.bodies.values(), *built, *([stage.ceiling] if stage.ceiling else [])])
    ceiling = stage.ceiling if stage.profile.ceiling_holds else None
    support_of = {}
    for name, body in stage.bodies.items():
        stage.keep_going()
        support_of[name] = _support(body, kinds.get(name, "ground"), around)
        if ceiling and not support_of[name].rests_on:
            hung = _support(body, "ceiling", Boxes([ceiling]))
            support_of[name] = hung if hung.supported else support_of[name]
    return support_of


def _within(around: Boxes, origins: Floats, way: Floats, reach: float, body: Body) -> list[Body]:
    """Return the bodies whose boxes are within reach of any origin, along the direction or against it."""
    margin = np.abs(way) * reach + 1e-6
    met = around.meeting(origins.min(axis=0) - margin, origins.max(axis=0) + margin)
    return [around.bodies[number] for number in met if around.bodies[number] is not body]


def _support(body: Body, kind: str, around: Boxes) -> Support:
    # The object leans down, up, or to its back.
    way = -body.frame.front if kind == "wall" else np.array([0.0, 0.0, 1.0 if kind == "ceiling" else -1.0])
    origins, most = _origins(body, way) - LIFT * way, body.profile.support_gap
    touching = {}
    for holder in _within(around, origins, way, 2 * (LIFT + most), body):
        far = holder.rays.first(origins, way)
        if (meets := far < LIFT + most).any():
            touching[holder.id] = origins[meets] + np.outer(far[meets], way / np.linalg.norm(way))
    points = np.concatenate(list(touching.values())) if touching else np.zeros((0, 3))
    supported, gap = bool(touching), None
    if kind not in ("wall", "ceiling"):  # its centre must be inside the outline of the contacts, seen from above
        supported = len(points) >= LEAST_CONTACTS and len(np.unique(points, axis=0)) >= LEAST_DISTINCT
        if supported:
            outline = shapely.MultiPoint(points[:, :2]).convex_hull
            centre = centre_of_mass(body) if body.profile.solids else body.centroid
            supported = bool(outline.area > 0 and outline.covers(shapely.Point(centre[:2])))
    if not touching:
        ahead = _within(around, origins, way, FAR, body)
        least = min((float(holder.rays.first(origins, way).min()) for holder in ahead), default=np.inf)
        gap = least - LIFT if least < np.inf else None
    return Support(body.id, kind, supported, tuple(touching), len(points), gap, most)


def _origins(body: Body, way: Floats) -> Floats:
    """Return the corners in the outermost centimetre, and points on the faces there."""
    lean = way
    if not body.profile.even_points:
        axis = int(np.argmax(np.abs(way)))
        lean = np.zeros(3)
        lean[axis] = np.sign(way[axis])
    reach = (body.vertices - LIFT * way) @ lean
    outermost = reach.max()
    touching = outermost - reach <= BAND + 1e-5 * abs(outermost)
    faces = body.faces[touching[body.faces].all(axis=1)]
    used = np.unique(faces) if body.profile.even_points and len(faces) else np.flatnonzero(touching)
    # Points on the flush faces, equally many on each, as published.
    normal = crosses(body.vertices, faces)
    length = np.linalg.norm(normal, axis=1)
    flush = np.abs(normal @ way) > FLUSH * np.maximum(length, 1e-300)
    faces = faces[flush & (length > 0)]
    if not len(faces):
        return body.vertices[used]
    each = max(LEAST, int(areas(body.vertices, faces).max() * A_SQUARE_METRE))
    each = each if each * len(faces) <= MOST else max(MOST // len(faces), 1)
    triangles = np.repeat(body.vertices[faces], each, axis=0)
    if body.profile.even_points:
        spread = np.tile(even(each, 2), (len(faces), 1))
    else:
        spread = seeded(body.scene, body.id, "support").random((len(triangles), 2))
    return np.concatenate([body.vertices[used], within(triangles, spread)])


def centre_of_mass(body: Body) -> Floats:
    """Of the solid where the surface is closed, else of the surface."""
    if not body.closed:
        return body.centroid
    start = body.centroid
    a, b, c = (body.vertices[body.faces[:, k]] - start for k in range(3))
    volumes = np.einsum("ij,ij->i", a, np.cross(b, c)) / 6
    whole = float(volumes.sum())
    if abs(whole) < 1e-12:
        return body.centroid
    return np.asarray(start + (volumes[:, None] * (a + b + c) / 4).sum(axis=0) / whole)
