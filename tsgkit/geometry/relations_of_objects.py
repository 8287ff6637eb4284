"""The thirteen relations between objects, each with a score, a margin and a reason.

>>> from tsgkit.geometry.meshes import box
>>> from tsgkit.geometry.scenes import Object, Scene, rectangle
>>> from tsgkit.geometry.measured_scene import MeasuredScene
>>> from tsgkit.geometry.transforms import standing
>>> bed = Object("bed_1", box(2, 1.6, 0.5), standing(at=(0, 0, 0.25)))
>>> lamp = Object("lamp_2", box(0.3, 0.3, 0.5), standing(at=(2.15, 0, 0.25)))
>>> stage = MeasuredScene(Scene("bedroom", (bed, lamp), rectangle(-3, -3, 3, 3)))
>>> print(relation_of_objects(stage, "next_to", "bed_1", ["lamp_2"]))
next_to: no (0.14): lamp_2 is 1.00 m from bed_1; next_to needs < 0.79
>>> print(relation_of_objects(stage, "side_of", "bed_1", ["lamp_2"], side="right").evidence)
100 % of lamp_2 lies beyond the right of bed_1; side_of needs > 50 %

Boxes are the oriented boxes of the objects' own frames. Under the published profile a scaled anchor's box is wrong by
the square of its scale, and distances are estimates.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import combinations, product
from typing import TYPE_CHECKING, NamedTuple

from tsgkit.errors import UsageError
from tsgkit.geometry.distances import between_objects
from tsgkit.geometry.libraries import np

if TYPE_CHECKING:
    from tsgkit.geometry.bodies import Body, Frame
    from tsgkit.geometry.libraries import Bools, Floats
    from tsgkit.geometry.measured_scene import MeasuredScene
    from tsgkit.geometry.profiles import Profile

ENOUGH = 0.5
"""A relation holds above this score, not at it."""


class Relation(NamedTuple):
    """A relation between given objects; ``margin`` is the score minus the threshold."""

    name: str
    score: float
    satisfied: bool
    margin: float
    evidence: str

    def __str__(self) -> str:
        return f"{self.name}: {'yes' if self.satisfied else 'no'} ({self.score:.2f}): {self.evidence}"


def relation(name: str, score: float, evidence: str) -> Relation:
    """Return a relation with a score; one that cannot be scored, such as a corner without walls, scores 0."""
    known = score if math.isfinite(score) else 0.0
    return Relation(name, known, known > ENOUGH, known - ENOUGH, evidence)


class Range(NamedTuple):
    """A range of distances with soft ends: 1 strictly inside, falling off like a bell curve outside."""

    low: float
    high: float
    sigma: float

    def score(self, distance: float) -> float:
        """Between 0 and 1; 0.5 is reached about 1.18 sigma outside the range."""
        if self.low < distance < self.high:
            return 1.0
        off = min(abs(distance - self.low), abs(distance - self.high))
        return math.exp(-(off**2) / (2 * self.sigma**2))

    def most(self, least: float, most: float) -> float:
        """Return the highest score of any distance from ``least`` to ``most``."""
        inside = least < self.high and most > self.low
        return 1.0 if inside else max(self.score(least), self.score(most))

    @property
    def needs(self) -> str:
        """The distances at which the score exceeds one half, in words."""
        soft = self.sigma * math.sqrt(2 * math.log(2))
        low, high = self.low - soft, self.high + soft
        if math.isinf(high):
            return f"> {low:.2f}"
        return f"< {high:.2f}" if low <= 0 else f"{low:.2f} to {high:.2f}"


TOLERANCE = 1e-6
HARDLY = 1e-9
"""The tolerance of a region without allowance, as a share of its box."""
AROUND = 0.25
"""Beside an object may be this much wider than it is."""
FACING = 30.0
"""Degrees off at which nothing faces any more."""
CENTRED = 0.25
RANGES = {
    "next_to": Range(0, 0.5, 0.25),
    "near": Range(0.5, 1.5, 0.25),
    "across_from": Range(1.5, 4, 0.25),
    "far": Range(4, math.inf, 0.25),
}
SIDES = {"left": (0, -1), "right": (0, 1), "front": (1, -1), "back": (1, 1), "bottom": (2, -1), "top": (2, 1)}
"""The axis and direction of each side; left and right as seen from in front of the object."""
LENGTHS = ("long", "short")


class Group(NamedTuple):
    """Objects of a relation: the anchor and the others."""

    anchor: str
    others: tuple[str, ...]


def groups(anchors: Sequence[str], others: Sequence[tuple[Sequence[str], int]], profile: Profile) -> Iterator[Group]:
    """Yield every anchor with every choice of so many of each other category.

    Under the published profile an object of both categories is its own neighbour; ``strict`` leaves such groups out,
    and takes each unordered pair of one category once.
    """
    seen: set[frozenset[str]] = set()
    for anchor in anchors:
        for choice in product(*(combinations(names, count) for names, count in others)):
            group = Group(anchor, tuple(name for names in choice for name in names))
            if profile.self_pairs:
                yield group
                continue
            members = frozenset((anchor, *group.others))
            again = len(group.others) == 1 and group.others[0] in anchors and members in seen
            if len(members) == len(group.others) + 1 and not again:
                seen.add(members)
                yield group


def relation_of_objects(
    stage: MeasuredScene, name: str, anchor: str, others: Sequence[str], side: str | None = None
) -> Relation:
    """Return one relation of the others to the anchor. All but ``surround`` look at the first other alone."""
    if name not in RELATIONS_OF_OBJECTS:
        raise UsageError(f"no relation between objects is called {name!r}", hint=", ".join(RELATIONS_OF_OBJECTS))
    if not others:
        raise UsageError(f"{name} needs an object beside its anchor {anchor!r}")
    wanted = SIDED.get(name, ())
    if wanted and side not in wanted:
        found = "" if side is None else f", and {side!r} is none of its own"
        raise UsageError(f"{name} needs a side{found}", hint=f"sides: {', '.join(wanted)}")
    stage.keep_going()
    bodies = [stage.body(other) for other in others]
    return RELATIONS_OF_OBJECTS[name](bodies, stage.body(anchor), side or "")


def inside_of(others: Sequence[Body], anchor: Body, side: str = "") -> Relation:
    """Return the share of the other's box that lies in the anchor's."""
    share = float(in_box(anchor.frame, others[0].points).mean())
    return _share("inside_of", share, f"of {others[0].id} lies inside {anchor.id}")


def outside_of(others: Sequence[Body], anchor: Body, side: str = "") -> Relation:
    """Return the share of the other's box outside the anchor's."""
    share = 1 - float(in_box(anchor.frame, others[0].points).mean())
    return _share("outside_of", share, f"of {others[0].id} lies outside {anchor.id}")


def side_of(others: Sequence[Body], anchor: Body, side: str) -> Relation:
    """Return the share of the other's box beyond a face of the anchor's, at most a quarter wider than it, at any
    distance.
    """
    share = float(at_side(anchor.frame, others[0].points, side, beyond=True, wider=AROUND).mean())
    return _share("side_of", share, f"of {others[0].id} lies beyond the {side} of {anchor.id}")


def side_region(others: Sequence[Body], anchor: Body, side: str) -> Relation:
    """Return the share of the other's box in one half of the anchor's."""
    points = others[0].points
    within = in_box(anchor.frame, points) & at_side(anchor.frame, points, side, beyond=False, wider=HARDLY)
    return _share("side_region", float(within.mean()), f"of {others[0].id} lies in the {side} half of {anchor.id}")


def long_short_side_of(others: Sequence[Body], anchor: Body, side: str) -> Relation:
    """Return the better share of the other's box on either of the anchor's long (or short) sides; 0 for a square
    anchor.
    """
    name = "long_short_side_of"
    wide, deep = (float(half) for half in anchor.frame.half[:2])
    if np.isclose(wide, deep):
        return relation(name, 0.0, f"{anchor.id} is as wide as it is deep, so no side of it is {side}")
    faces = ("left", "right") if (wide < deep) == (side == "long") else ("front", "back")
    points = others[0].points
    shares = {face: float(at_side(anchor.frame, points, face, beyond=False, wider=HARDLY).mean()) for face in faces}
    best = max(shares, key=lambda face: shares[face])
    return _share(name, shares[best], f"of {others[0].id} lies towards the {best}, a {side} side, of {anchor.id}")


def on_top(others: Sequence[Body], anchor: Body, side: str = "") -> Relation:
    """Return the share of the other's box above the anchor's middle and within its outline."""
    share = float(at_side(anchor.frame, others[0].points, "top", beyond=False, wider=HARDLY).mean())
    return _share("on_top", share, f"of {others[0].id} lies above {anchor.id}")


def face_to(others: Sequence[Body], anchor: Body, side: str = "") -> Relation:
    """Return how straight the other's front looks at the anchor: 1 for straight, 0 from 30 degrees off."""
    other = others[0]
    front = other.frame.front
    far = anchor.rays.first(other.points, front)
    hits = np.isfinite(far)
    if not hits.any():
        return relation("face_to", 0.0, f"nothing in front of {other.id} is {anchor.id}")
    way = front / np.linalg.norm(front)
    seen = (other.points[hits] + far[hits, None] * way).mean(axis=0) - other.frame.centre
    off = _angle(front[:2], seen[:2])
    score = min(max(1 - off / FACING, 0.0), 1.0)
    return relation("face_to", score, f"{other.id} looks {off:.1f} degrees past {anchor.id}; face_to needs < 15")


def middle_of(others: Sequence[Body], anchor: Body, side: str = "") -> Relation:
    """Return how near the centres are, seen from above."""
    away = float(np.linalg.norm((others[0].frame.centre - anchor.frame.centre)[:2]))
    score = math.exp(-(away**2) / (2 * CENTRED**2))
    words = f"the middles of {others[0].id} and {anchor.id} are {away:.2f} m apart from above; middle_of needs < 0.29"
    return relation("middle_of", score, words)


def _distance(name: str, others: Sequence[Body], anchor: Body, side: str = "") -> Relation:
    """Return how well the gap between the two fits the range of the relation."""
    away = between_objects(others[0], anchor)
    words = f"{others[0].id} is {away:.2f} m from {anchor.id}; {name} needs {RANGES[name].needs}"
    return relation(name, RANGES[name].score(away), words)


def surround(others: Sequence[Body], anchor: Body, side: str = "") -> Relation:
    """Return the evenness of three or more objects around the anchor: half for distances, half for angles."""
    name = "surround"
    if len(others) < 3:
        return relation(name, 0.0, f"{len(others)} around {anchor.id}; surround needs three or more")
    ways = np.array([other.frame.centre - anchor.frame.centre for other in others])
    radii = np.linalg.norm(ways, axis=1)
    usual = float(np.median(radii))
    if usual == 0 or radii.min() == 0:
        return relation(name, 0.0, f"something stands in the middle of {anchor.id}, not around it")
    ideal = 2 * math.pi / len(others)
    turns = _flat_turns(ways) if anchor.profile.exact_gaps else _turns(ways)
    uneven = np.clip(np.abs(radii - usual) / usual, 0, 1), np.clip(np.abs(turns - ideal) / ideal, 0, 1)
    score = float(np.mean(0.5 * (1 - uneven[0]) ** 2 + 0.5 * (1 - uneven[1]) ** 2))
    away = f"{radii.min():.2f} to {radii.max():.2f} m away"
    apart = f"{np.degrees(turns.min()):.0f} to {np.degrees(turns.max()):.0f} degrees apart"
    words = f"{len(others)} around {anchor.id}: {away}, {apart}, {np.degrees(ideal):.0f} is even"
    return relation(name, score, words)


def _flat_turns(ways: Floats) -> Floats:
    """From each, how far it is counter-clockwise to the next one, seen from above."""
    angles = np.arctan2(ways[:, 1], ways[:, 0])
    order = np.argsort(angles, kind="stable")
    turns = np.empty(len(ways))
    turns[order] = np.diff(angles[order], append=angles[order[0]] + 2 * math.pi)
    return turns


def _turns(ways: Floats) -> Floats:
    """Return the published turn: in space, to the nearest one counter-clockwise, else (negative) to the nearest
    clockwise.
    """
    unit = ways / np.linalg.norm(ways, axis=1, keepdims=True)
    angles = np.arccos(np.clip(unit @ unit.T, -1, 1))
    counter = unit[:, None, 0] * unit[None, :, 1] - unit[:, None, 1] * unit[None, :, 0] >= 0
    np.fill_diagonal(angles, np.inf)
    ahead = np.where(counter, angles, np.inf).min(axis=1)
    return np.asarray(np.where(np.isfinite(ahead), ahead, -angles.min(axis=1)))


def in_box(frame: Frame, points: Floats) -> Bools:
    """Return which points lie in a box."""
    return np.asarray((np.abs(frame.local(points)) <= frame.half + TOLERANCE).all(axis=1))


def at_side(frame: Frame, points: Floats, side: str, *, beyond: bool, wider: float) -> Bools:
    """Return which points are on a side of a box, beyond its face or centre, within the outline of that face."""
    axis, sign = SIDES[side]
    seen = frame.local(points)
    others = [k for k in range(3) if k != axis]
    far = sign * seen[:, axis] >= (frame.half[axis] if beyond else 0.0) - TOLERANCE
    return np.asarray(far & (np.abs(seen[:, others]) <= frame.half[others] * (1 + wider)).all(axis=1))


def _share(name: str, share: float, words: str) -> Relation:
    return relation(name, share, f"{100 * share:.0f} % {words}; {name} needs > 50 %")


def _angle(one: Floats, other: Floats) -> float:
    lengths = float(np.linalg.norm(one) * np.linalg.norm(other))
    return math.degrees(math.acos(min(max(float(one @ other) / lengths, -1.0), 1.0))) if lengths else 180.0


RELATIONS_OF_OBJECTS: dict[str, Callable[[Sequence[Body], Body, str], Relation]] = {
    "inside_of": inside_of,
    "outside_of": outside_of,
    "face_to": face_to,
    "side_of": side_of,
    "side_region": side_region,
    "long_short_side_of": long_short_side_of,
    "on_top": on_top,
    "middle_of": middle_of,
    "surround": surround,
    **{name: partial(_distance, name) for name in RANGES},
}
SIDED = {"side_of": tuple(SIDES), "side_region": tuple(SIDES), "long_short_side_of": LENGTHS}
"""The relations that need a side, and which."""
