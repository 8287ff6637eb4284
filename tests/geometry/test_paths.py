"""Ways through the room and to the sides of things: the published counts, and areas that need no pixels."""

from __future__ import annotations

import numpy as np
import pytest
from furnished_rooms import AS_IT_IS, Turn, staged

from tsgkit.errors import UsageError
from tsgkit.geometry import OFFICIAL, STRICT, Architecture, Floor, Opening, Profile, Wall, accessibility, navigability
from tsgkit.geometry.paths import Canvas
from tsgkit.geometry.raster import filled

thing = AS_IT_IS.thing
both = pytest.mark.parametrize("profile", [OFFICIAL, STRICT], ids=["official", "strict"])
SIX = AS_IT_IS.room(6, 6)


def test_published_ways_and_access_are_counted_to_the_pixel() -> None:
    table, screen = thing("table", (2, 1, 1), (0, 0, 0.5)), thing("screen", (6, 0.2, 1), (0, 1, 0.5))
    for number, (room, objects, parts, value) in enumerate(
        [
            ((6, 6), [], (54756,), 1.0),
            ((6, 6), [table], (50427,), 1.0),
            ((6, 6), [screen], (34866, 15912), 0.68664),
            ((4, 6), [thing("table", (2, 1, 1), (1, 1, 0.5), yaw=30)], (31885,), 1.0),
            ((6, 6), [thing("screen", (5.7, 0.2, 1), (0, 1, 0.5))], (34872, 15918), 0.68659),
        ]
    ):
        found = navigability(staged(objects, AS_IT_IS.room(*room), OFFICIAL))
        assert found.parts == parts, number
        assert found.value == pytest.approx(value, abs=5e-6), number
    it, chest = thing("it", (1, 0.5, 1), (0, 0, 0.5)), thing("box", (0.5, 0.6, 1), (0.25, -0.6, 0.5))
    against_wall = thing("it", (1, 0.5, 1), (0, 2.75, 0.5))
    for number, (objects, side, score) in enumerate(
        [
            ([it], "front", 1.0),
            ([it, chest], "front", 189 / 387),
            ([against_wall], "back", 0.0),
            ([against_wall], "front", 1.0),
            ([thing("it", (1, 0.5, 1), (0.5, 0.5, 0.5), yaw=45)], "left", 1.0),
        ]
    ):
        assert accessibility(staged(objects, SIX, OFFICIAL), {"it": [side]})["it"].score == score, number


def test_published_access_divides_by_the_same_polygon_moved_to_the_middle() -> None:
    """Drawn anew at the middle, its corners would be cut to other whole pixels, and a free strip be 0.9 or 1.1 free."""
    stage = staged([thing("desk", (1, 1, 1), (0, 0, 0.5))], SIX, OFFICIAL)
    canvas = Canvas(stage, 0.0)
    for number in range(200):
        centre = np.array([-1.5 + 0.0131 * number, 1.2 - 0.0117 * number, 0])
        corners = canvas.rectangle(centre, (0.97, 0.2), 7.0 * number)
        assert canvas.centred(corners, centre).sum() == filled([corners], canvas.shape).sum()
    lone = accessibility(stage, {"desk": ["front", "left"]})["desk"]
    assert dict(lone.sides) == {"front": 1.0, "left": 1.0}


def test_areas_are_those_of_the_drawing_board() -> None:
    found = navigability(staged([thing("screen", (6, 0.2, 1), (0, 1, 0.5))], SIX))
    assert found.parts == pytest.approx((3.7 * 5.8, 1.7 * 5.8))
    half = [thing("it", (1, 0.5, 1), (0, 0, 0.5)), thing("box", (0.5, 0.6, 1), (0.25, -0.6, 0.5))]
    assert accessibility(staged(half, SIX), {"it": ["front"]})["it"].score == pytest.approx(0.5)


@both
def test_each_side_has_its_own_strip_and_the_best_one_counts(profile: Profile) -> None:
    """The front of a desk turned by 90 degrees looks along +x, where a wardrobe stands."""
    desk = thing("desk", (1.2, 0.6, 0.8), (0, 0, 0.4), yaw=90)
    stage = staged([desk, thing("wardrobe", (1, 3, 2), (0.3 + 0.5, 0, 1))], SIX, profile)
    for side, free in (("front", 0), ("back", 1), ("left", 1), ("right", 1)):
        found = accessibility(stage, {"desk": [side], "wardrobe": []})
        assert found["desk"].score == pytest.approx(free, abs=0.12 if side in ("left", "right") else 0), side
        assert found["wardrobe"].score is None
    best = accessibility(stage, {"desk": ["front", "back"]})["desk"]
    assert (best.score, best.evidence) == (1.0, "desk: front 0 % free, back 100 % free")


def test_unknown_sides_are_refused_and_unknown_objects_left_out() -> None:
    stage = staged([thing("desk", (1, 1, 1), (0, 0, 0.5))], SIX)
    assert not accessibility(stage, {"ghost": ["front"]})
    with pytest.raises(UsageError, match="'above' is no side of an object"):
        accessibility(stage, {"desk": ["above"]})


def test_a_strip_runs_from_five_to_twenty_five_centimetres_before_its_side() -> None:
    for yaw, scale in ((0, 1), (30, 2)):
        for gap, free in ((0.0, 0.0), (0.05, 0.0), (0.1, 0.25), (0.15, 0.5), (0.25, 1.0)):
            turn = Turn(yaw, (1, 0, 0))
            desk = turn.thing("desk", (1.2 / scale, 0.6 / scale, 0.8), (0, 0, 0.4), scale=scale)
            chest = turn.thing("chest", (2, 0.5, 1), (0, -0.3 - gap - 0.25, 0.5))
            found = accessibility(staged([desk, chest], turn.room(6, 6)), {"desk": ["front"]})
            assert found["desk"].score == pytest.approx(free), (yaw, scale, gap)


@both
def test_objects_above_headroom_do_not_block(profile: Profile) -> None:
    weight = thing("weight", (0.1, 0.1, 0.1), (-2.9, -2.9, 0.05))
    low, high = (thing("beam", (6, 0.2, 0.2), (0, 1, z)) for z in (1.5, 2.2))
    assert len(navigability(staged([weight, low], SIX, profile)).parts) == 2
    assert len(navigability(staged([weight, high], SIX, profile)).parts) == 1


def test_a_rug_blocks_as_published_and_not_in_strict() -> None:
    rug = thing("rug", (6, 1, 0.02), (0, 0, 0.01), category="area_rug")
    assert len(navigability(staged([rug], SIX, OFFICIAL)).parts) == 2
    assert len(navigability(staged([rug], SIX, STRICT)).parts) == 1


def test_a_scaled_screen_has_its_real_size_in_strict_only() -> None:
    screen = thing("screen", (3, 0.1, 1), (0, 1, 1), scale=2)
    assert len(navigability(staged([screen], SIX, OFFICIAL)).parts) == 1
    assert len(navigability(staged([screen], SIX, STRICT)).parts) == 2


def two_rooms(*openings: Opening, apart: float = 0.0) -> Architecture:
    left = Floor("left", ((0, 0, 0), (4, 0, 0), (4, 4, 0), (0, 4, 0)))
    right = Floor("right", tuple((x + apart, y, 0) for x, y in ((4, 0), (8, 0), (8, 4), (4, 4))))
    return Architecture((left, right), (Wall("between", (4, 0, 0), (4, 4, 0), 2.6, openings),))


def test_a_wall_between_rooms_blocks_in_strict_unless_it_has_a_door() -> None:
    door, window = Opening("door", (1, 0), (2, 2)), Opening("window", (1, 1), (2, 2))
    for openings, parts in (((), 2), ((window,), 2), ((door,), 1)):
        assert len(navigability(staged([], two_rooms(*openings))).parts) == parts
        assert len(navigability(staged([], two_rooms(*openings), OFFICIAL)).parts) == 1


def test_a_door_leads_across_the_gap_between_floors_if_the_robot_passes() -> None:
    assert len(navigability(staged([], two_rooms(Opening("door", (1, 0), (2, 2)), apart=0.1))).parts) == 1
    assert len(navigability(staged([], two_rooms(apart=0.1))).parts) == 2
    for wide, parts in ((0.19, 2), (0.21, 1)):
        assert len(navigability(staged([], two_rooms(Opening("door", (1, 0), (1 + wide, 2))))).parts) == parts


@both
def test_a_full_room_has_no_way_and_no_room_has_no_value(profile: Profile) -> None:
    full = navigability(staged([thing("block", (7, 7, 1), (0, 0, 0.5))], SIX, profile))
    assert (full.value, full.evidence) == (0.0, "nothing is free")
    nothing = navigability(staged([], Architecture(), profile))
    assert (nothing.value, nothing.evidence) == (None, "there is no floor to walk on")


def test_a_flat_too_large_for_the_published_robot_is_still_counted() -> None:
    hall = AS_IT_IS.room(120, 120)
    things = [thing("desk", (1, 1, 1), (0, 0, 0.5))]
    assert navigability(staged(things, hall, OFFICIAL)).value == 1.0
    assert navigability(staged(things, hall)).parts == pytest.approx((119.8**2 - 1.2**2 + 0.04 * 0.2146,), abs=1e-3)
