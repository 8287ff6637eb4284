"""The relations of objects: thirteen to other objects, ten to the room; each with a score, a margin and a reason.

>>> from tsgkit.geometry import MeasuredScene, Object, Scene, box, rectangle, standing
>>> bed = Object("bed_1", box(2, 1.6, 0.5), standing(at=(0, 0, 0.25)))
>>> lamp = Object("lamp_2", box(0.3, 0.3, 0.5), standing(at=(2.15, 0, 0.25)))
>>> shelf = Object("shelf_1", box(1, 0.3, 2), standing(at=(0, 2.8, 1)))
>>> stage = MeasuredScene(Scene("bedroom", (bed, lamp, shelf), rectangle(-3, -3, 3, 3)))
>>> print(relation_of_objects(stage, "next_to", "bed_1", ["lamp_2"]))
next_to: no (0.14): lamp_2 is 1.00 m from bed_1; next_to needs < 0.79
>>> print(relation_of_objects(stage, "side_of", "bed_1", ["lamp_2"], side="right").evidence)
100 % of lamp_2 lies beyond the right of bed_1; side_of needs > 50 %
>>> print(relation_to_room(stage, "against_wall", "shelf_1"))
against_wall: yes (1.00): shelf_1 is 0.05 m from wall_north and 100 % before it; against_wall needs < 0.42 and 50 %
>>> print(relation_to_room(stage, "next_to", "shelf_1", element="door"))
next_to: no (0.00): the scene has no door

Boxes are the oriented boxes of the objects' own frames. If several walls (floors, doors) are possible, the best score
counts. Under the published profile a scaled anchor's box is wrong by the square of its scale, distances are estimates
from points in boxes, and any element of the room may be meant; ``strict`` uses the nearest one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import combinations, product
from typing import TYPE_CHECKING, NamedTuple

from tsgkit.errors import UsageError
from tsgkit.geometry.bodies import Boxes, between_objects, nearest, nearest_board, reach, to_board
from tsgkit.geometry.libraries import np
from tsgkit.geometry.measured_scene import THICK, Ground, over

if TYPE_CHECKING:
    from tsgkit.geometry.bodies import Body, Frame
    from tsgkit.geometry.libraries import Bools, Floats
    from tsgkit.geometry.measured_scene import MeasuredScene
    from tsgkit.geometry.scenes import Profile

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


class DistanceRange(NamedTuple):
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
    "next_to": DistanceRange(0, 0.5, 0.25),
    "near": DistanceRange(0.5, 1.5, 0.25),
    "across_from": DistanceRange(1.5, 4, 0.25),
    "far": DistanceRange(4, math.inf, 0.25),
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
    known: set[frozenset[str]] = set()
    for anchor in anchors:
        for choice in product(*(combinations(names, count) for names, count in others)):
            group = Group(anchor, tuple(name for names in choice for name in names))
            if profile.self_pairs:
                yield group
                continue
            members = frozenset((anchor, *group.others))
            again = len(group.others) == 1 and group.others[0] in anchors and members in known
            if len(members) == len(group.others) + 1 and not again:
                known.add(members)
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
        wrong = "" if side is None else f", and {side!r} is none of its own"
        raise UsageError(f"{name} needs a side{wrong}", hint=f"sides: {', '.join(wanted)}")
    stage.keep_going()
    bodies = list(map(stage.body, others))
    return RELATIONS_OF_OBJECTS[name](bodies, stage.body(anchor), side or "")


def in_box(frame: Frame, points: Floats) -> Bools:
    """Return which points lie in a box."""
    return np.asarray((np.abs(frame.local(points)) <= frame.half + TOLERANCE).all(axis=1))


def at_side(frame: Frame, points: Floats, side: str, *, beyond: bool = False, wider: float = HARDLY) -> Bools:
    """Return which points are on a side of a box, beyond its face or centre, within the outline of that face."""
    axis, sign = SIDES[side]
    local = frame.local(points)
    others = [k for k in range(3) if k != axis]
    far = sign * local[:, axis] >= (frame.half[axis] if beyond else 0.0) - TOLERANCE
    return np.asarray(far & (np.abs(local[:, others]) <= frame.half[others] * (1 + wider)).all(axis=1))


REGIONS: dict[str, tuple[Callable[[Frame, Floats, str], Bools], str]] = {
    "inside_of": (lambda frame, points, side: in_box(frame, points), "inside {anchor}"),
    "side_of": (
        lambda frame, points, side: at_side(frame, points, side, beyond=True, wider=AROUND),
        "beyond the {side} of {anchor}",
    ),
    "side_region": (
        lambda frame, points, side: in_box(frame, points) & at_side(frame, points, side),
        "in the {side} half of {anchor}",
    ),
    "on_top": (lambda frame, points, side: at_side(frame, points, "top"), "above {anchor}"),
}
"""The relations that are the share of the other's box in a region around the anchor, and the region in words."""


def _in_region(name: str, others: Sequence[Body], anchor: Body, side: str = "") -> Relation:
    region, where = REGIONS[name]
    share = float(region(anchor.frame, others[0].points, side).mean())
    return _share(name, share, f"of {others[0].id} lies {where.format(side=side, anchor=anchor.id)}")


def _share(name: str, share: float, words: str) -> Relation:
    return relation(name, share, f"{100 * share:.0f} % {words}; {name} needs > 50 %")


def outside_of(others: Sequence[Body], anchor: Body, side: str = "") -> Relation:
    """Return the share of the other's box outside the anchor's."""
    share = 1 - float(in_box(anchor.frame, others[0].points).mean())
    return _share("outside_of", share, f"of {others[0].id} lies outside {anchor.id}")


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
    shares = {face: float(at_side(anchor.frame, points, face).mean()) for face in faces}
    best = max(shares, key=lambda face: shares[face])
    return _share(name, shares[best], f"of {others[0].id} lies towards the {best}, a {side} side, of {anchor.id}")


def face_to(others: Sequence[Body], anchor: Body, side: str = "") -> Relation:
    """Return how straight the other's front looks at the anchor: 1 for straight, 0 from 30 degrees off."""
    body = others[0]
    front = body.frame.front
    far = anchor.rays.first(body.points, front)
    hits = np.isfinite(far)
    if not hits.any():
        return relation("face_to", 0.0, f"nothing in front of {body.id} is {anchor.id}")
    way = front / np.linalg.norm(front)
    gaze = (body.points[hits] + far[hits, None] * way).mean(axis=0) - body.frame.centre
    lengths = float(np.linalg.norm(front[:2]) * np.linalg.norm(gaze[:2]))
    off = math.degrees(math.acos(min(max(float(front[:2] @ gaze[:2]) / lengths, -1.0), 1.0))) if lengths else 180.0
    score = min(max(1 - off / FACING, 0.0), 1.0)
    return relation("face_to", score, f"{body.id} looks {off:.1f} degrees past {anchor.id}; face_to needs < 15")


def middle_of(others: Sequence[Body], anchor: Body, side: str = "") -> Relation:
    """Return how near the centres are, seen from above."""
    away = float(np.linalg.norm((others[0].frame.centre - anchor.frame.centre)[:2]))
    score = math.exp(-(away**2) / (2 * CENTRED**2))
    words = f"the middles of {others[0].id} and {anchor.id} are {away:.2f} m apart from above; middle_of needs < 0.29"
    return relation("middle_of", score, words)


def _between(name: str, others: Sequence[Body], anchor: Body, side: str = "") -> Relation:
    """Return how well the gap between the two fits the range of the relation."""
    return _at_distance(name, others[0], anchor, between_objects(others[0], anchor))


def _at_distance(name: str, body: Body, anchor: Body, away: float) -> Relation:
    words = f"{body.id} is {away:.2f} m from {anchor.id}; {name} needs {RANGES[name].needs}"
    return relation(name, RANGES[name].score(away), words)


def surround(others: Sequence[Body], anchor: Body, side: str = "") -> Relation:
    """Return the evenness of three or more objects around the anchor: half for distances, half for angles."""
    name = "surround"
    if len(others) < 3:
        return relation(name, 0.0, f"{len(others)} around {anchor.id}; surround needs three or more")
    ways = np.array([body.frame.centre - anchor.frame.centre for body in others])
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


RELATIONS_OF_OBJECTS: dict[str, Callable[[Sequence[Body], Body, str], Relation]] = {
    "inside_of": partial(_in_region, "inside_of"),
    "outside_of": outside_of,
    "face_to": face_to,
    "side_of": partial(_in_region, "side_of"),
    "side_region": partial(_in_region, "side_region"),
    "long_short_side_of": long_short_side_of,
    "on_top": partial(_in_region, "on_top"),
    "middle_of": middle_of,
    "surround": surround,
    **{name: partial(_between, name) for name in RANGES},
}
SIDED = {"side_of": tuple(SIDES), "side_region": tuple(SIDES), "long_short_side_of": LENGTHS}
"""The relations that need a side, and which."""

ELEMENTS = ("wall", "floor", "ceiling", "room", "window", "door")
ON_WALL = DistanceRange(0, 0.01, 0.01)
AGAINST_WALL = DistanceRange(0, 0.3, 0.1)
CORNER = DistanceRange(0, 0.8, 0.25)
HANGING = DistanceRange(0, 0.01, 0.03)
SQUARE = 0.15
"""The cosine up to which the ways to two walls count as at right angles."""
LOOK = 0.05
"""The distance in front of a wall at which its floor is searched."""
SUNK = 0.01
"""Tolerance: a point this far below a floor still counts as over it."""


def relation_to_room(
    stage: MeasuredScene, name: str, target: str, *, element: str = "wall", floors: Iterable[str] = ()
) -> Relation:
    """Return a relation of an object to the architecture; ``element`` matters to the four distances, ``floors`` to
    rooms.
    """
    if name not in RELATIONS_TO_ROOMS:
        raise UsageError(f"no relation to a room is called {name!r}", hint=", ".join(RELATIONS_TO_ROOMS))
    if element not in ELEMENTS:
        raise UsageError(f"the architecture has no {element!r}", hint=", ".join(ELEMENTS))
    stage.keep_going()
    body, wanted, known = stage.body(target), tuple(floors), {ground.id: ground for ground in stage.floors}
    if unknown := [floor for floor in wanted if floor not in known]:
        raise UsageError(f"no floor is called {unknown[0]!r}", hint=f"floors: {', '.join(known) or 'none'}")
    return RELATIONS_TO_ROOMS[name](stage, body, element, tuple(known[floor] for floor in wanted) or stage.floors)


def _to_element(name: str, stage: MeasuredScene, body: Body, element: str, floors: Sequence[Ground]) -> Relation:
    """Return how well the gap to a wall, door or window fits the range of the relation."""
    known = {"wall": stage.walls, "door": stage.doors, "window": stage.windows}
    if element not in known:
        return relation(name, 0.0, f"{name} is asked of walls, doors and windows, not of a {element}")
    boards = known[element]
    if not boards:
        return relation(name, 0.0, f"the scene has no {element}")
    bounds = RANGES[name]
    best, away = nearest_board(body, boards) if stage.profile.nearest_element else _likeliest(body, boards, bounds)
    return _at_distance(name, body, best, away)


def _likeliest(body: Body, boards: Sequence[Body], bounds: DistanceRange) -> tuple[Body, float]:
    """Return the board whose distance scores most, the first of equals; those that cannot score more are not
    measured."""
    boxes, span = Boxes(boards), reach(body)
    spans = zip(boxes.least(*span).tolist(), boxes.most(*span).tolist(), strict=True)
    best, best_away, best_score = boards[0], 0.0, -1.0
    for board, (least, most) in zip(boards, spans, strict=True):
        if bounds.most(least, most) <= best_score:
            continue
        away = to_board(body, board)
        if (score := bounds.score(away)) > best_score:
            best, best_away, best_score = board, away, score
    return best, best_away


def share_over(body: Body, ground: Ground) -> float:
    """Return the share of an object's box over a floor, and not below it."""
    sunk = SUNK if body.profile.floor_from_file else THICK / 2
    points = body.points
    return float((over(ground.rim, points) & (points[:, 2] >= ground.z - sunk)).mean())


def inside_room(stage: MeasuredScene, body: Body, element: str, floors: Sequence[Ground]) -> Relation:
    """Return the share of the object's box over the floor."""
    name = "inside_room"
    shares = {ground.id: share_over(body, ground) for ground in floors}
    if not shares:
        return relation(name, 0.0, "the scene has no floor")
    best = max(shares, key=lambda ground: shares[ground])
    words = f"{100 * shares[best]:.0f} % of {body.id} lies over {best}; {name} needs > 50 %"
    return relation(name, shares[best], words)


def middle_of_room(stage: MeasuredScene, body: Body, element: str, floors: Sequence[Ground]) -> Relation:
    """Return the closeness of an object's centre to that of the floor; large objects in large rooms have more
    tolerance.
    """
    name, best, words = "middle_of_room", -1.0, "the scene has no floor"
    for ground in floors:
        away = float(np.linalg.norm(body.frame.centre[:2] - ground.centre))
        wide, room = 2 * float(body.frame.half[:2].max()), float(np.mean(ground.sizes))
        sigma = 0.5 * wide + 1 - wide / room
        score = math.exp(-(away**2) / (2 * sigma**2)) if sigma else float(away == 0)
        if score > best:
            need = abs(sigma) * math.sqrt(2 * math.log(2))
            best, words = score, f"{body.id} is {away:.2f} m from the middle of {ground.id}; {name} needs < {need:.2f}"
    return relation(name, max(best, 0.0), words)


def _at_wall(
    name: str, bounds: DistanceRange, stage: MeasuredScene, body: Body, element: str, floors: Sequence[Ground]
) -> Relation:
    """Return the share of the object before a wall's face, times how near it is."""
    best, words = 0.0, f"{body.id} is before no wall" if stage.walls else "the scene has no wall"
    least = stage.boxes_of_faces.least(*reach(body))
    for face, near in zip(stage.wall_faces, least.tolist(), strict=True):
        if "no wall" not in words and bounds.score(near) <= best:
            continue
        share = float(at_side(face.frame, body.points, "front", beyond=True).mean())
        if not share:
            continue
        away = to_board(body, face)
        if (score := share * bounds.score(away)) > best or "no wall" in words:
            best = score
            where = f"{body.id} is {away:.2f} m from {face.id} and {100 * share:.0f} % before it"
            words = f"{where}; {name} needs {bounds.needs} and 50 %"
    return relation(name, best, words)


def corner_of_room(stage: MeasuredScene, body: Body, element: str, floors: Sequence[Ground]) -> Relation:
    """Return the closeness of an object to two perpendicular walls of its room."""
    name, best, words = "corner_of_room", 0.0, f"{body.id} is in none of the rooms, or near no two walls of one"
    for ground in floors:
        if share_over(body, ground) < 0.5:
            continue
        least = stage.boxes_of_faces.least(*reach(body)).tolist()
        faces = [face for face, away in zip(stage.wall_faces, least, strict=True) if CORNER.score(away) > 0]
        ahead = np.array([face.frame.centre + LOOK * face.frame.front for face in faces]).reshape(-1, 3)
        of_room = [face for face, is_over in zip(faces, over(ground.rim, ahead), strict=True) if is_over]
        near = []
        for wall in of_room:
            # How far the wall is, and the mean way to it from all over the object's box.
            way = (nearest(body.points, wall) - body.points).mean(axis=0)
            length = float(np.linalg.norm(way))
            near.append((wall, to_board(body, wall), way / length if length else way))
        for (first, away, way), (second, farther, across) in combinations(near, 2):
            score = CORNER.score(away) * CORNER.score(farther)
            if abs(float(way @ across)) < SQUARE and score > best:
                where = f"{body.id} is {away:.2f} m from {first.id} and {farther:.2f} m from {second.id}"
                best, words = score, f"{where}; {name} needs {CORNER.needs} of each, and less of both"
    return relation(name, best, words)


def hang_from_ceiling(stage: MeasuredScene, body: Body, element: str, floors: Sequence[Ground]) -> Relation:
    """Return the gap to the ceiling, which is at the height of the highest wall."""
    name = "hang_from_ceiling"
    ceiling = stage.ceiling_over(floors)
    if ceiling is None:
        return relation(name, 0.0, "the scene has no wall or no floor, so no ceiling")
    away = to_board(body, ceiling)
    return relation(name, HANGING.score(away), f"{body.id} is {away:.2f} m from the ceiling; {name} needs < 0.05")


RELATIONS_TO_ROOMS: dict[str, Callable[[MeasuredScene, Body, str, Sequence[Ground]], Relation]] = {
    **{name: partial(_to_element, name) for name in RANGES},
    "inside_room": inside_room,
    "middle_of_room": middle_of_room,
    "on_wall": partial(_at_wall, "on_wall", ON_WALL),
    "against_wall": partial(_at_wall, "against_wall", AGAINST_WALL),
    "corner_of_room": corner_of_room,
    "hang_from_ceiling": hang_from_ceiling,
}
