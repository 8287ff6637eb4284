"""Each relation holds just inside its threshold and fails just outside; strict figures depend on no frame or order."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import permutations, product
from typing import Any, NamedTuple

import pytest
from furnished_rooms import AS_IT_IS, Turn, staged
from hypothesis import given, settings
from hypothesis import strategies as st

from tsgkit.errors import UsageError
from tsgkit.geometry.bodies import between_objects
from tsgkit.geometry.bounds import out_of_bounds
from tsgkit.geometry.collisions import collisions
from tsgkit.geometry.measured_scene import MeasuredScene
from tsgkit.geometry.meshes import Mesh, Primitive
from tsgkit.geometry.openings import clearances
from tsgkit.geometry.paths import accessibility, navigability
from tsgkit.geometry.relations import (
    RELATIONS_OF_OBJECTS,
    RELATIONS_TO_ROOMS,
    SIDED,
    DistanceRange,
    Relation,
    groups,
    relation,
    relation_of_objects,
    relation_to_room,
)
from tsgkit.geometry.scenes import OFFICIAL, STRICT, Architecture, Floor, Object, Opening, Profile, Wall

thing = AS_IT_IS.thing
ROOM = AS_IT_IS.room(20, 20)
HALF = (0.5, 0.4, 0.3)
SMALL = 0.1
SOFT = math.sqrt(2 * math.log(2))
DOOR, WINDOW = Opening("door", (5.5, 0.0), (6.5, 2.0)), Opening("window", (8.0, 1.0), (9.0, 2.0))
SIDES = {"right": (0, 1), "left": (0, -1), "back": (1, 1), "front": (1, -1), "top": (2, 1), "bottom": (2, -1)}
RANGES = {
    "next_to": (None, 0.5 + 0.25 * SOFT),
    "near": (0.5 - 0.25 * SOFT, 1.5 + 0.25 * SOFT),
    "across_from": (1.5 - 0.25 * SOFT, 4 + 0.25 * SOFT),
    "far": (4 - 0.25 * SOFT, None),
}
FOUR = {"left": 0.0, "right": 4.0}
LEFT, RIGHT = (Floor(name, ((x, 0, 0), (x + 4, 0, 0), (x + 4, 4, 0), (x, 4, 0))) for name, x in FOUR.items())


class Way(NamedTuple):
    """A profile, and how the whole scene is turned and its objects' files are scaled."""

    profile: Profile
    yaw: float = 0
    scale: float = 1

    @property
    def share(self) -> float:
        """How far from a share of one half is safely on one side: published points are random."""
        return 0.01 if self.profile is STRICT else 0.24

    def object(self, name: str, at: tuple[float, ...], side: str | None = None) -> Relation:
        """Return the relation of a small cube, at a place in the frame of a scaled box, to that box."""
        turn = Turn(self.yaw, (1, -2, 0.7))
        anchor = turn.thing("anchor", [2 * half for half in HALF], (0, 0, 0), scale=self.scale)
        other = turn.thing("other", [2 * SMALL] * 3, at, scale=self.scale)
        return relation_of_objects(staged([anchor, other], ROOM, self.profile), name, "anchor", ["other"], side)

    def room(
        self, name: str, size: tuple[float, float, float], at: tuple[float, float, float], element: str = "wall"
    ) -> Relation:
        """Return the relation of a thing of this real size to a hall of 12 by 12 metres with a door and a window."""
        # A wall's own height counts from the lowest corner, as published: a raised hall would have raised walls there.
        turn = Turn(self.yaw, (2, -1, 0.4 if self.profile is STRICT else 0))
        it = turn.thing("it", tuple(side / self.scale for side in size), at, scale=self.scale)
        weight = turn.thing("weight", (0.1, 0.1, 0.1), (-5, -5, 0.05))  # the published floor lies at the lowest corner
        stage = staged([it, weight], turn.room(12, 12, openings=(DOOR, WINDOW)), self.profile)
        return relation_to_room(stage, name, "it", element=element)


STRICT_WAYS = [Way(STRICT), Way(STRICT, 30, 2), Way(STRICT, 90)]
# Slanted walls are beyond the published way of drawing them, so there the whole room is turned by right angles alone.
OBJECT_WAYS = [*STRICT_WAYS, Way(OFFICIAL), Way(OFFICIAL, 30)]
ROOM_WAYS = [*STRICT_WAYS, Way(OFFICIAL), Way(OFFICIAL, 90)]


def along(axis: int, value: float) -> tuple[float, ...]:
    return tuple(value if k == axis else 0.0 for k in range(3))


def around(low: float | None, high: float | None, above: float, below: float) -> list[tuple[float, bool]]:
    """Return gaps just within and just beyond a range, and whether they are within."""
    gaps = [(high - below, True), (high + above, False)] if high is not None else []
    return gaps + ([(low + above, True), (low - below, False)] if low is not None else [])


def object_rows(way: Way) -> Iterator[tuple[str, tuple[float, ...], str | None, bool]]:
    """Yield a relation, a place of the small cube, a side, and whether the relation holds there."""
    step, scale = 2 * SMALL * way.share, way.scale
    for side, (axis, sign) in SIDES.items():
        within, beyond = (along(axis, sign * scale * (HALF[axis] + off)) for off in (-step, step))
        yield from (("inside_of", within, None, True), ("inside_of", beyond, None, False))
        yield from (("outside_of", within, None, False), ("outside_of", beyond, None, True))
        yield from (("side_of", within, side, False), ("side_of", beyond, side, True))
        yield "side_of", along(axis, -sign * scale * 2), side, False
        for value, holds in ((step, True), (-step, False), (2, False)):
            yield "side_region", along(axis, sign * scale * value), side, holds
    for off, holds in ((-step, True), (step, False)):  # beside an object reaches a quarter beyond its face
        yield "side_of", (scale, scale * (1.25 * HALF[1] + off), 0), "right", holds
    for side, axis in (("long", 1), ("short", 0)):  # long sides run along the width of a wide thing
        for off, holds in ((-step, True), (step, False)):
            at = [0.0, 0.0, 0.0]
            at[axis], at[1 - axis] = -scale * (HALF[axis] + SMALL), scale * (HALF[1 - axis] + off)
            yield "long_short_side_of", tuple(at), side, holds
    yield from (("on_top", (0, 0, scale * step), None, True), ("on_top", (0, 0, -scale * step), None, False))
    yield "on_top", (scale * (HALF[0] + step), 0, scale), None, False
    yield from (("middle_of", (0.2935, 0, 3), None, True), ("middle_of", (0.2953, 0, 0), None, False))
    above, below = (0.002, 0.002) if way.profile is STRICT else (0.005, 0.12)  # published gaps are a little too long
    for name, (low, high) in RANGES.items():
        for gap, holds in around(low, high, above, below):
            yield name, (scale * (HALF[0] + SMALL) + gap, 0, 0), None, holds


def room_rows(way: Way) -> Iterator[tuple[str, tuple[float, float, float], tuple[float, float, float], str, bool]]:
    """Yield a relation, a size, a place and an element of the hall, and whether the relation holds there."""
    strict = way.profile is STRICT
    above, below = (0.001, 0.001) if strict else (0.001, 0.02)
    deep = 0.4 if strict else 0.04
    places = {"door": (0.0, 0.5), "window": (2.5, 1.5)} | ({"wall": (0.0, 2.3)} if strict else {})  # any wall of all
    for element, (x, z) in places.items():
        for name, (low, high) in RANGES.items():
            for gap, holds in around(low, high, above, below):
                yield name, (0.3, deep, 0.3), (x, 6 - 0.0005 - gap - deep / 2, z), element, holds
    for x, holds in ((6 - 0.5 * way.share, True), (6 + 0.5 * way.share, False), (20, False)):
        yield "inside_room", (0.5, 0.5, 0.5), (x, 1, 0.3), "wall", holds
    for wide in (0.4, 1.5):  # the middle of a room grows with the thing
        need = (0.5 * wide + 1 - wide / 12) * SOFT
        for away, holds in ((need - 0.002, True), (need + 0.002, False)):
            yield "middle_of_room", (wide, 0.3, 0.5), (0.6 * away, -0.8 * away, 0.3), "wall", holds
    for name, need in (("on_wall", 0.01 + 0.01 * SOFT), ("against_wall", 0.3 + 0.1 * SOFT)):
        for gap, holds in ((need - min(below, 0.003), True), (need + above, False)):
            yield name, (0.6, 0.02, 0.4), (-3, 6 - 0.0005 - gap - 0.01, 1.2), "wall", holds
        for z, holds in ((2.6 - 0.4 * way.share, True), (2.6 + 0.4 * way.share, False)):
            yield name, (0.6, 0.02, 0.4), (-3, 5.989, z), "wall", holds
        yield name, (0.6, 0.02, 0.4), (-3, 6.011, 1.2), "wall", False
    need = 0.8 + 0.25 * SOFT
    for gap, holds in ((need - below, True), (need + above, False)):
        at = (-6 + 0.0005 + 0.3 + 0.05, 6 - 0.0005 - gap - 0.05, 0.3)
        yield "corner_of_room", (0.1, 0.1, 0.1), at, "wall", holds
    need = 0.01 + 0.03 * SOFT
    for gap, holds in ((need - min(below, 0.005), True), (need + above, False)):
        yield "hang_from_ceiling", (0.6, 0.6, 0.02), (1, 1, 2.6 - 0.0005 - gap - 0.01), "wall", holds


@pytest.mark.parametrize("profile", [OFFICIAL, STRICT], ids=["official", "strict"])
def test_relations_hold_up_to_their_thresholds(profile: Profile) -> None:
    for way in (way for way in OBJECT_WAYS if way.profile is profile):
        for name, at, side, holds in object_rows(way):
            found = way.object(name, at, side)
            assert found.satisfied == holds, (way.yaw, way.scale, side, at, str(found))
    for way in (way for way in ROOM_WAYS if way.profile is profile):
        for name, size, at, element, holds in room_rows(way):
            found = way.room(name, size, at, element)
            assert found.satisfied == holds, (way.yaw, way.scale, element, at, str(found))


def test_a_relation_holds_above_one_half_and_a_thing_faces_what_lies_before_its_front() -> None:
    span = DistanceRange(1, 2, 0.5)
    assert [span.score(away) for away in (1.001, 1.5, 1.999)] == [1, 1, 1]
    assert span.score(0.5) == span.score(2.5) == pytest.approx(math.exp(-0.5))
    assert span.most(0, 0.5) == span.most(2.5, 9) == span.score(0.5)
    assert [span.most(*ends) for ends in ((0, 9), (0, 1.1), (0.2, 1), (2, 3))] == [1] * 4
    assert (DistanceRange(0, 2, 0.5).needs, span.needs, DistanceRange(1, math.inf, 0.5).needs) == (
        "< 2.59",
        "0.41 to 2.59",
        "> 0.41",
    )
    for score, known, holds in ((0.5, 0.5, False), (0.51, 0.51, True), (math.nan, 0, False), (math.inf, 0, False)):
        found = relation("near", score, "so")
        assert (found.score, found.satisfied, found.margin) == (known, holds, known - 0.5), score
    # Only the rays of its right part meet the anchor; their mean is off by the wanted angle.
    for way in OBJECT_WAYS:
        step = 0.5 if way.profile is STRICT else 5
        for off, holds in ((15 - step, True), (15 + step, False)):
            edge = 2 * math.tan(math.radians(off)) - 1
            turn = Turn(way.yaw, (3, 1, 0.5))
            watcher = turn.thing("watcher", (2, 0.1, 0.2), (0, 0, 0), scale=way.scale)
            anchor = turn.thing("anchor", (4, 1, 1), ((edge + 2) * way.scale, -1.5 * way.scale, 0), scale=way.scale)
            stage = staged([anchor, watcher], ROOM, way.profile)
            assert relation_of_objects(stage, "face_to", "anchor", ["watcher"]).satisfied == holds, (way, off)
    things = [thing("tv", (1, 1, 1), (0, -3, 0)), thing("sofa", (1, 1, 1), (0, 0, 0), yaw=180)]
    found = relation_of_objects(staged(things, ROOM), "face_to", "tv", ["sofa"])
    assert (found.score, found.evidence) == (0.0, "nothing in front of sofa is tv")
    things = [thing("table", (1, 1, 1), (0, 0, 0)), thing("cup", (0.1, 0.1, 0.1), (0, 1, 0))]
    found = relation_of_objects(staged(things, ROOM), "long_short_side_of", "table", ["cup"], "long")
    assert (found.score, found.evidence) == (0.0, "table is as wide as it is deep, so no side of it is long")


def test_around_means_even_distances_and_angles() -> None:
    for way in OBJECT_WAYS:

        def around(way: Way, *places: tuple[float, float]) -> Relation:
            turn = Turn(way.yaw, (1, 1, 0))
            at = [(r * math.cos(math.radians(a)), r * math.sin(math.radians(a)), 0.0) for r, a in places]
            chairs = [turn.thing(f"chair_{n}", (0.4, 0.4, 0.9), here, scale=way.scale) for n, here in enumerate(at)]
            table = turn.thing("table", (1, 1, 1), (0, 0, 0), scale=way.scale)
            names = [chair.id for chair in chairs]
            return relation_of_objects(staged([table, *chairs], ROOM, way.profile), "surround", "table", names)

        assert around(way, (2, 0), (2, 120), (2, 240)).score == pytest.approx(1), way
        assert around(way, (2, 0), (2, 30), (2 * 1.0635, 60)).satisfied, way
        assert not around(way, (2, 0), (2, 30), (2 * 1.0655, 60)).satisfied, way
        few, middle = around(way, (2, 0), (2, 180)), around(way, (2, 0), (2, 120), (0, 0))
        assert (few.score, few.evidence) == (0, "2 around table; surround needs three or more")
        assert (middle.score, middle.evidence) == (0, "something stands in the middle of table, not around it")


def test_published_gaps_boxes_and_groups_have_faults_that_strict_has_not() -> None:
    for n in range(10):
        gap, turn = 0.3 + 0.1 * n, Turn(20)
        things = [turn.thing(f"lamp_{n}", (0.3, 0.3, 0.3), (0.65 + gap, 0, 0)), turn.thing("bed", (1, 1, 1), (0, 0, 0))]
        lamp, bed = staged(things, ROOM, OFFICIAL).bodies.values()
        assert gap < between_objects(lamp, bed) < gap + 0.14, n
    things = [thing("hall", (9, 9, 9), (0, 0, 0)), thing("cup", (0.1, 0.1, 0.1), (0, 0, 0))]
    assert relation_of_objects(staged(things, ROOM, OFFICIAL), "far", "hall", ["cup"]).satisfied
    strict = relation_of_objects(staged(things, ROOM), "next_to", "hall", ["cup"])
    assert (strict.satisfied, strict.evidence) == (True, "cup is 0.00 m from hall; next_to needs < 0.79")
    # A point well inside a box of twice the size; and a wide thing has more way to the middle of a room.
    at, wide = (2 * HALF[0] - 0.1, 0, 0), (4.0, 0.3, 0.3)
    for profile, real in ((STRICT, True), (OFFICIAL, False)):
        assert Way(profile, 0, 2).object("inside_of", at).satisfied == real
        assert Way(profile, 0, 2).room("middle_of_room", wide, (2.4, 0, 0.3)).satisfied == real
    chairs, beds, lamps = ["chair_1", "chair_2"], ["bed_1", "bed_2"], ["lamp_1", "lamp_2"]
    assert len(list(groups(chairs, [(chairs, 1)], OFFICIAL))) == 4
    assert list(groups(chairs, [(chairs, 1)], STRICT)) == [("chair_1", ("chair_2",))]
    assert len(list(groups(["table"], [(["a", "b", "c", "d"], 3)], STRICT))) == 4
    for profile in (OFFICIAL, STRICT):
        pairs = [(group.anchor, *group.others) for group in groups(beds, [(lamps, 1)], profile)]
        assert pairs == [(bed, lamp) for bed in beds for lamp in lamps]


def test_sheets_are_no_solid_and_walls_are_any_and_one_sided_only_as_published() -> None:
    sheets = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (1, 5, 7, 3))
    corners = [(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
    shelf = Mesh.of(corners, [face for a, b, c, d in sheets for face in ((a, b, c), (a, c, d))])
    things = [thing("shelf", shelf, (0, 0, 0)), thing("book", (0.2, 0.2, 0.2), (0, 0, 0))]
    found = relation_of_objects(staged(things, ROOM), "next_to", "shelf", ["book"])
    assert found.evidence.startswith("book is 0.90 m from shelf")
    at = (-3, 5.5, 0.5)
    assert Way(OFFICIAL).room("far", (0.3, 0.3, 0.3), at).satisfied
    found = Way(STRICT).room("far", (0.3, 0.3, 0.3), at)
    assert (found.satisfied, found.evidence) == (False, "it is 0.35 m from wall_north; far needs > 3.71")
    between = Architecture((LEFT, RIGHT), (Wall("between", (4, 0, 0), (4, 4, 0), 2.6),))
    for x, published in ((3.985, False), (4.015, True)):
        things = [thing("picture", (0.02, 0.5, 0.5), (x, 2, 1.5)), thing("weight", (0.1, 0.1, 0.1), (1, 1, 0.05))]
        for profile, holds in ((STRICT, True), (OFFICIAL, published)):
            stage = staged(things, between, profile)
            assert relation_to_room(stage, "on_wall", "picture").satisfied == holds, (profile.name, x)


def test_relations_to_what_is_missing_score_nothing_and_give_the_reason() -> None:
    floors = AS_IT_IS.room(6, 6).floors
    for (name, has_floor, words), profile in product(
        (
            ("next_to", True, "the scene has no wall"),
            ("on_wall", True, "the scene has no wall"),
            ("corner_of_room", True, "it is in none of the rooms, or near no two walls of one"),
            ("hang_from_ceiling", True, "the scene has no wall or no floor, so no ceiling"),
            ("inside_room", False, "the scene has no floor"),
            ("middle_of_room", False, "the scene has no floor"),
        ),
        (OFFICIAL, STRICT),
    ):
        room = Architecture(floors if has_floor else ())
        found = relation_to_room(staged([thing("it", (1, 1, 1), (0, 0, 0.5))], room, profile), name, "it")
        assert (found.score, found.evidence) == (0.0, words), name
    for element in ("room", "floor", "ceiling"):
        found = Way(STRICT).room("next_to", (1, 1, 1), (0, 0, 0.5), element)
        reason = f"next_to is asked of walls, doors and windows, not of a {element}"
        assert (found.score, found.evidence) == (0, reason)
    outside = Way(STRICT).room("on_wall", (1, 1, 1), (0, 0, 9), "wall")
    assert (outside.score, outside.evidence) == (0, "it is before no wall")


def test_only_the_named_floors_are_meant_and_invalid_arguments_refused() -> None:
    hall = Floor("big hall", RIGHT.points)
    stage = staged([thing("it", (1, 1, 1), (2, 2, 0.5))], Architecture((LEFT, hall)))
    for floors, evidence in (
        (["floor_big_hall"], "0 % of it lies over floor_big_hall; inside_room needs > 50 %"),
        ([], "100 % of it lies over floor_left; inside_room needs > 50 %"),
    ):
        assert relation_to_room(stage, "inside_room", "it", floors=floors).evidence == evidence
    things = [thing("anchor", (1, 1, 1), (0, 0, 0)), thing("other", (1, 1, 1), (2, 0, 0))]
    stage = staged(things, ROOM)
    for name, others, side, message in (
        ("beneath", ["other"], None, "no relation between objects is called 'beneath'"),
        ("side_of", ["other"], None, "side_of needs a side"),
        ("long_short_side_of", ["other"], "left", "long_short_side_of needs a side, and 'left' is none of its own"),
        ("next_to", [], None, "next_to needs an object beside its anchor 'anchor'"),
        ("next_to", ["ghost"], None, "there is no object 'ghost'"),
    ):
        with pytest.raises(UsageError, match=message):
            relation_of_objects(stage, name, "anchor", others, side)
    for name, element, floors, message in (
        ("under", "wall", [], "no relation to a room is called 'under'"),
        ("next_to", "roof", [], "the architecture has no 'roof'"),
        ("inside_room", "wall", ["floor_attic"], "no floor is called 'floor_attic'"),
    ):
        with pytest.raises(UsageError, match=message):
            relation_to_room(stage, name, "other", element=element, floors=floors)


OPENINGS = (Opening("door", (1, 0), (2, 2)), Opening("window", (4, 1), (5, 2)))
Piece = tuple[str, tuple[float, float, float], tuple[float, float], float, float]
metres = st.integers(2, 12).map(lambda n: n / 10)
middles = st.integers(-300, 300).map(lambda n: n / 97)
pieces: st.SearchStrategy[list[Piece]] = st.lists(
    st.tuples(
        st.sampled_from(["box", "cylinder", "cone"]),
        st.tuples(metres, metres, metres),
        st.tuples(middles, middles),
        st.integers(0, 23).map(lambda n: 15.0 * n),
        st.sampled_from([1.0, 0.5, 2.0]),
    ),
    min_size=1,
    max_size=4,
)
shifts = st.tuples(st.integers(-30, 30), st.integers(-30, 30), st.integers(-2, 2))
turns = st.builds(Turn, st.integers(0, 359).map(float), shifts)


def furnished(given_pieces: list[Piece], turn: Turn, profile: Profile, *, backwards: bool = False) -> MeasuredScene:
    things: list[Object] = []
    for n, (kind, size, (x, y), yaw, scale) in enumerate(given_pieces):
        shape = Primitive(kind, tuple(side / scale for side in size))  # type: ignore[arg-type]
        things.append(turn.thing(f"thing_{n}", shape, (x, y, size[2] / 2 + 0.002 * n), yaw=yaw, scale=scale))
    return staged(things[::-1] if backwards else things, turn.room(6, 6, openings=OPENINGS), profile)


def figures(stage: MeasuredScene) -> dict[str, Any]:
    """Return everything strict that may not depend on the frame, in an order of its own."""
    names = sorted(stage.bodies)
    found: dict[str, Any] = {f"ratio {name}": bound.ratio for name, bound in out_of_bounds(stage).objects.items()}
    found |= {f"way {n}": area for n, area in enumerate(navigability(stage).parts) if area > 1e-3}
    for name, access in accessibility(stage, dict.fromkeys(names, ("front", "left"))).items():
        found |= {f"access {name} {side}": value for side, value in access.sides.items()}
    found |= {f"hidden {side.opening}": side.occlusion for side in clearances(stage)}
    for name in names:
        found |= {f"{kind} {name}": relation_to_room(stage, kind, name).score for kind in RELATIONS_TO_ROOMS}
    for (one, other), kind in product(permutations(names, 2), RELATIONS_OF_OBJECTS):
        for side in SIDED.get(kind, (None,)):
            score = relation_of_objects(stage, kind, one, [other], side).score
            found[f"{kind} {side} {other} {one}"] = score
    return found


@given(pieces, turns)
@settings(max_examples=15)
def test_strict_figures_do_not_depend_on_order_turn_and_place(given_pieces: list[Piece], turn: Turn) -> None:
    stages = furnished(given_pieces, AS_IT_IS, STRICT), furnished(given_pieces, turn, STRICT, backwards=True)
    here, there = (figures(stage) for stage in stages)
    assert here.keys() == there.keys()
    assert not {key: (here[key], there[key]) for key in here if abs(here[key] - there[key]) > 0.01}
    hits = [{frozenset((hit.one, hit.other)) for hit in collisions(stage).hits} for stage in stages]
    walls = [{(hit.one, hit.other) for hit in collisions(stage).wall_hits} for stage in stages]
    assert (hits[0], walls[0]) == (hits[1], walls[1])
    assert all(0 <= value <= 1 + 1e-9 for key, value in here.items() if not key.startswith("way"))
    for key in (key for key in here if key.startswith("inside_of")):
        assert here[key] + here[key.replace("inside_of", "outside_of")] == pytest.approx(1), key
