"""Collisions between objects, and with walls.

>>> from tsgkit.geometry import MeasuredScene, Object, Scene, box, rectangle, standing
>>> boxes = [Object(f"box_{n}", box(1, 1, 1), standing(at=(0.9 * n, 0, 0.5))) for n in range(3)]
>>> found = collisions(MeasuredScene(Scene("den", tuple(boxes), rectangle(-3, -3, 3, 3))))
>>> [(hit.one, hit.other) for hit in found.hits], found.share
([('box_0', 'box_1'), ('box_1', 'box_2')], 1.0)
>>> print(found.hits[0].evidence)
box_0 and box_1 overlap by more than 5 mm: none of 14 ways out parts them

Published: two surfaces (or hulls, if a mesh counts as convex) meet, and meet again after the later one was pushed 5 mm
from the mean contact towards its centroid; this is not a tolerance of 5 mm. ``strict``: the solids overlap, or one is
inside the other, and no shift of 5 mm along an axis of either, or along the line between them, separates them. Objects
also collide with walls there, and rugs with nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from tsgkit.geometry import surfaces
from tsgkit.geometry.bodies import Boxes
from tsgkit.geometry.libraries import np

if TYPE_CHECKING:
    from tsgkit.geometry.bodies import Body
    from tsgkit.geometry.libraries import Floats
    from tsgkit.geometry.measured_scene import MeasuredScene

PUSH = 0.005
FINEST = 0.001
"""Depths are rounded to a millimetre."""


@dataclass(frozen=True)
class Hit:
    """Two colliding bodies; the second may be a wall."""

    one: str
    other: str
    evidence: str


@dataclass(frozen=True)
class Collisions:
    """All collisions of a scene; ``unmeasured`` objects were not tested."""

    objects: tuple[str, ...]
    hits: tuple[Hit, ...]
    wall_hits: tuple[Hit, ...] = ()
    unmeasured: tuple[str, ...] = ()

    @cached_property
    def colliding_with(self) -> Mapping[str, tuple[str, ...]]:
        """For every tested object, the objects it collides with, walls last."""
        others_of: dict[str, list[str]] = {name: [] for name in self.objects}
        for hit in self.hits:
            others_of[hit.one].append(hit.other)
            others_of[hit.other].append(hit.one)
        for hit in self.wall_hits:
            others_of[hit.one].append(hit.other)
        return {name: tuple(others) for name, others in others_of.items()}

    @property
    def in_collision(self) -> tuple[str, ...]:
        """The objects that collide with anything."""
        return tuple(name for name, others in self.colliding_with.items() if others)

    @property
    def scene_in_collision(self) -> bool:
        """True if anything collides."""
        return bool(self.hits or self.wall_hits)

    @property
    def share(self) -> float | None:
        """Colliding objects over tested ones; None without objects."""
        return len(self.in_collision) / len(self.objects) if self.objects else None


def collisions(stage: MeasuredScene) -> Collisions:
    """Return every unordered pair of objects, and with ``walls_are_solid`` every object and wall."""
    test = _overlap if stage.profile.solids else _published
    hits = []
    for first, second in stage.pairs():
        stage.keep_going()
        if stage.rugs.keys().isdisjoint((first.id, second.id)) and (hit := test(first, second)):
            hits.append(hit)
    wall_hits = []
    walls = Boxes(stage.walls if stage.profile.walls_are_solid else ())
    for body in (body for body in stage.bodies.values() if body.id not in stage.rugs):
        stage.keep_going()
        met = (walls.bodies[number] for number in walls.meeting(body.low, body.high))
        wall_hits += [hit for wall in met if (hit := _overlap(body, wall))]
    return Collisions(tuple(stage.bodies), tuple(hits), tuple(wall_hits), stage.unmeasured)


def _published(first: Body, second: Body) -> Hit | None:
    shapes = first.solid_or_surface, second.solid_or_surface
    points = surfaces.contacts(*shapes)
    if not len(points):
        return None
    away = second.centroid - points.mean(axis=0)
    length = float(np.linalg.norm(away))
    # Where the contact is the centroid itself there is no way to push: they stay in contact.
    if length > 0 and not surfaces.meet(*shapes, PUSH * away / length):
        return None
    words = f"{first.id} and {second.id} meet at {len(points)} points, and still after a 5 mm push"
    return Hit(first.id, second.id, words)


def _overlap(first: Body, second: Body) -> Hit | None:
    if _parted(first, second, np.zeros(3)):
        return None
    ways = ways_out(first, second)
    if any(_parted(first, second, PUSH * way) for way in ways):
        return None
    words = f"{first.id} and {second.id} overlap by more than 5 mm: none of {len(ways)} ways out parts them"
    return Hit(first.id, second.id, words)


def ways_out(first: Body, second: Body) -> Floats:
    """Unit vectors along which the other might leave: between the centres, and along the axes of either."""
    between = second.frame.centre - first.frame.centre
    length = float(np.linalg.norm(between))
    axes = [axis / np.linalg.norm(axis) for body in (first, second) for axis in body.frame.axes.T]
    ways = np.array([*([between / length] if length > 0 else []), *axes])
    return np.concatenate([ways, -ways])


def _parted(first: Body, second: Body, moved: Floats) -> bool:
    """Return whether nothing of the two is in one another after the other has moved."""
    low, high = second.low + moved, second.high + moved
    if (low > first.high).any() or (high < first.low).any():
        return True
    if surfaces.meet(first.tree, second.tree, moved):
        return False
    inside = first.holds(second.part_corners + moved).any() or second.holds(first.part_corners - moved).any()
    return not inside


def depth(first: Body, second: Body) -> float:
    """Metres of the shortest way out, to a millimetre, among those tried; 0 for bodies that are apart."""
    if _parted(first, second, np.zeros(3)):
        return 0.0
    best = float(np.linalg.norm(first.high - first.low) + np.linalg.norm(second.high - second.low))
    for way in ways_out(first, second):
        # Double the distance until it parts the two, or is no better than another way; then halve the interval.
        stuck, free = 0.0, min(FINEST, best)
        while not (parted := _parted(first, second, free * way)) and free < best:
            stuck, free = free, min(2 * free, best)
        while parted and free - stuck > FINEST:
            middle = (stuck + free) / 2
            stuck, free = (stuck, middle) if _parted(first, second, middle * way) else (middle, free)
        best = free
    return best
