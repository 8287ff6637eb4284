"""The ten relations of an object to walls, doors, windows, rooms and ceilings.

>>> from tsgkit.geometry.meshes import box
>>> from tsgkit.geometry.scenes import Object, Scene, rectangle
>>> from tsgkit.geometry.measured_scene import MeasuredScene
>>> from tsgkit.geometry.transforms import standing
>>> shelf = Object("shelf_1", box(1, 0.3, 2), standing(at=(0, 2.8, 1)))
>>> stage = MeasuredScene(Scene("den", (shelf,), rectangle(-3, -3, 3, 3)))
>>> print(relation_to_room(stage, "against_wall", "shelf_1"))
against_wall: yes (1.00): shelf_1 is 0.05 m from wall_north and 100 % before it; against_wall needs < 0.42 and 50 %
>>> print(relation_to_room(stage, "next_to", "shelf_1", element="door"))
next_to: no (0.00): the scene has no door

If several walls (floors, doors) are possible, the best score counts. Under the published profile, distances are those
of points in the object's box, and any element may be meant; ``strict`` uses the nearest one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING

from tsgkit.errors import UsageError
from tsgkit.geometry.architecture import THICK, Ground, over
from tsgkit.geometry.distances import Boxes, nearest, nearest_board, reach, to_board
from tsgkit.geometry.libraries import np
from tsgkit.geometry.relations_of_objects import HARDLY, RANGES, Range, Relation, at_side, relation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tsgkit.geometry.bodies import Body
    from tsgkit.geometry.libraries import Floats
    from tsgkit.geometry.measured_scene import MeasuredScene

ELEMENTS = ("wall", "floor", "ceiling", "room", "window", "door")
ON_WALL = Range(0, 0.01, 0.01)
AGAINST_WALL = Range(0, 0.3, 0.1)
CORNER = Range(0, 0.8, 0.25)
HANGING = Range(0, 0.01, 0.03)
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
    body, chosen = stage.body(target), stage.chosen_floors(floors)
    return RELATIONS_TO_ROOMS[name](stage, body, element, chosen)


def _distance(name: str, stage: MeasuredScene, body: Body, element: str, floors: Sequence[Ground]) -> Relation:
    """Return the gap to a wall, door or window."""
    known = {"wall": stage.walls, "door": stage.doors, "window": stage.windows}
    if element not in known:
        return relation(name, 0.0, f"{name} is asked of walls, doors and windows, not of a {element}")
    boards = known[element]
    if not boards:
        return relation(name, 0.0, f"the scene has no {element}")
    bounds = RANGES[name]
    best, away = nearest_board(body, boards) if stage.profile.nearest_element else _likeliest(body, boards, bounds)
    words = f"{body.id} is {away:.2f} m from {best.id}; {name} needs {bounds.needs}"
    return relation(name, bounds.score(away), words)


def _likeliest(body: Body, boards: Sequence[Body], bounds: Range) -> tuple[Body, float]:
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
    name: str, bounds: Range, stage: MeasuredScene, body: Body, element: str, floors: Sequence[Ground]
) -> Relation:
    """Return the share of the object before a wall's face, times how near it is."""
    best, words = 0.0, f"{body.id} is before no wall" if stage.walls else "the scene has no wall"
    least = stage.boxes_of_faces.least(*reach(body))
    for face, near in zip(stage.wall_faces, least.tolist(), strict=True):
        if "no wall" not in words and bounds.score(near) <= best:
            continue
        share = float(at_side(face.frame, body.points, "front", beyond=True, wider=HARDLY).mean())
        if not share:
            continue
        away = to_board(body, face)
        if (score := share * bounds.score(away)) > best or "no wall" in words:
            best = score
            found = f"{body.id} is {away:.2f} m from {face.id} and {100 * share:.0f} % before it"
            words = f"{found}; {name} needs {bounds.needs} and 50 %"
    return relation(name, best, words)


def corner_of_room(stage: MeasuredScene, body: Body, element: str, floors: Sequence[Ground]) -> Relation:
    """Return the closeness of an object to two perpendicular walls of its room."""
    name, best, words = "corner_of_room", 0.0, f"{body.id} is in none of the rooms, or near no two walls of one"
    for ground in floors:
        if share_over(body, ground) < 0.5:
            continue
        near = [(wall, *_way_to(body, wall)) for wall in _walls_near(stage, ground, body)]
        for (one, away, way), (other, farther, across) in combinations(near, 2):
            score = CORNER.score(away) * CORNER.score(farther)
            if abs(float(way @ across)) < SQUARE and score > best:
                found = f"{body.id} is {away:.2f} m from {one.id} and {farther:.2f} m from {other.id}"
                best, words = score, f"{found}; {name} needs {CORNER.needs} of each, and less of both"
    return relation(name, best, words)


def _walls_near(stage: MeasuredScene, ground: Ground, body: Body) -> list[Body]:
    """Return the walls that face this floor and are close enough to form a corner."""
    least = stage.boxes_of_faces.least(*reach(body)).tolist()
    near = [wall for wall, away in zip(stage.wall_faces, least, strict=True) if CORNER.score(away) > 0]
    ahead = np.array([wall.frame.centre + LOOK * wall.frame.front for wall in near]).reshape(-1, 3)
    return [wall for wall, is_over in zip(near, over(ground.rim, ahead), strict=True) if is_over]


def _way_to(body: Body, wall: Body) -> tuple[float, Floats]:
    """Return how far a wall is, and the mean way to it from all over the object's box."""
    mean = (nearest(body.points, wall) - body.points).mean(axis=0)
    length = float(np.linalg.norm(mean))
    return to_board(body, wall), mean / length if length else mean


def hang_from_ceiling(stage: MeasuredScene, body: Body, element: str, floors: Sequence[Ground]) -> Relation:
    """Return the gap to the ceiling, which is at the height of the highest wall."""
    name = "hang_from_ceiling"
    ceiling = stage.ceiling_over(floors)
    if ceiling is None:
        return relation(name, 0.0, "the scene has no wall or no floor, so no ceiling")
    away = to_board(body, ceiling)
    return relation(name, HANGING.score(away), f"{body.id} is {away:.2f} m from the ceiling; {name} needs < 0.05")


RELATIONS_TO_ROOMS: dict[str, Callable[[MeasuredScene, Body, str, Sequence[Ground]], Relation]] = {
    **{name: partial(_distance, name) for name in RANGES},
    "inside_room": inside_room,
    "middle_of_room": middle_of_room,
    "on_wall": partial(_at_wall, "on_wall", ON_WALL),
    "against_wall": partial(_at_wall, "against_wall", AGAINST_WALL),
    "corner_of_room": corner_of_room,
    "hang_from_ceiling": hang_from_ceiling,
}
