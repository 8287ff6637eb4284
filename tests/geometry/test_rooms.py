"""Ways and doors of rooms: what is free, what is out of bounds, what hides openings, as published and by area."""

from __future__ import annotations

import numpy as np
import pytest
from furnished_rooms import AS_IT_IS, Turn, staged

from tsgkit.errors import UsageError
from tsgkit.geometry.bounds import Bound, out_of_bounds, shares_over
from tsgkit.geometry.floors import ground_of, over
from tsgkit.geometry.libraries import shapely
from tsgkit.geometry.meshes import Mesh, Primitive, closed, merged
from tsgkit.geometry.openings import Clearance, clearances, share_clear
from tsgkit.geometry.paths import Canvas, accessibility, navigability
from tsgkit.geometry.profiles import OFFICIAL, STRICT, Profile
from tsgkit.geometry.raster import filled
from tsgkit.geometry.sampling import number_of_points, on_faces, seeded
from tsgkit.geometry.scenes import Architecture, Floor, Opening, Wall

L_SHAPED = Floor("l", ((0, 0, 1), (4, 0, 1), (4, 2, 1), (2, 2, 1), (2, 4, 1), (0, 4, 1)))
both = pytest.mark.parametrize("profile", [OFFICIAL, STRICT], ids=["official", "strict"])
thing = AS_IT_IS.thing
SIX = AS_IT_IS.room(6, 6)
DOOR, WINDOW = Opening("door", (2.5, 0), (3.5, 2)), Opening("window", (1, 1), (2, 2))
DOORED = AS_IT_IS.room(6, 6, openings=[DOOR])


def two_rooms(*openings: Opening, apart: float = 0.0) -> Architecture:
    left = Floor("left", ((0, 0, 0), (4, 0, 0), (4, 4, 0), (0, 4, 0)))
    right = Floor("right", tuple((x + apart, y, 0) for x, y in ((4, 0), (8, 0), (8, 4), (4, 4))))
    return Architecture((left, right), (Wall("between", (4, 0, 0), (4, 4, 0), 2.6, openings),))


def test_a_floor_is_a_closed_slab_measured_by_its_box_as_published_and_by_its_area_in_strict() -> None:
    for profile, centre in ((OFFICIAL, (2, 2)), (STRICT, (5 / 3, 5 / 3))):
        ground, problems = ground_of(L_SHAPED, None, "scene", profile)
        assert ground is not None
        assert (ground.id, ground.z, problems) == ("floor_l", 1.0, ())
        assert ground.centre == pytest.approx(np.array(centre))
        assert ground.sizes == pytest.approx((4, 4))
        points = np.array([(1, 3, 0), (3, 3, 0), (2, 2, 9), (4, 0, 0), (4.001, 0, 0)])
        assert over(ground.rim, points).tolist() == [True, False, True, True, False]
    slanted = Floor("s", ((0, 0, 0), (2, 2, 0), (1, 3, 0), (-1, 1, 0)))
    sizes = [ground_of(slanted, None, "scene", profile)[0] for profile in (OFFICIAL, STRICT)]
    assert [sorted(found.sizes) for found in sizes if found] == [pytest.approx([3, 3]), pytest.approx([2**0.5, 8**0.5])]
    ground, _ = ground_of(L_SHAPED, 3.0, "scene", STRICT)
    assert ground is not None
    slab = ground.slab
    assert [*slab.low, *slab.high] == pytest.approx([0, 0, 2.9995, 4, 4, 3.0005])
    assert closed(merged(slab.vertices, slab.faces))
    assert Mesh.of(slab.vertices, slab.faces).volume == pytest.approx(12 * 0.001)


def test_points_are_spread_over_faces_by_their_area() -> None:
    triangles = np.array([[(0, 0, 0), (1, 0, 0), (0, 1, 0)], [(5, 0, 0), (8, 0, 0), (5, 1, 0)]], dtype=float)
    points = on_faces(triangles, np.array([0.5, 1.5]), 4000, seeded("scene", "it", "surface"))
    second = points[:, 0] >= 5
    assert second.mean() == pytest.approx(0.75, abs=0.02)
    assert points[~second].mean(axis=0) == pytest.approx([1 / 3, 1 / 3, 0], abs=0.02)
    assert points[second].mean(axis=0) == pytest.approx([6, 1 / 3, 0], abs=0.03)
    assert (points[~second].sum(axis=1) <= 1).all()
    for area, most, number in ((1, 100, 5000), (0.001, 100, 100), (4, 100, 20_000), (5, 1, 20_000)):
        assert number_of_points(area, most) == number


@both
def test_the_ratio_is_the_share_of_the_surface_over_floors_at_any_height(profile: Profile) -> None:
    """A cube of two metres past the edge: its four sides and two ends; the outer side is out, the inner one in."""
    for yaw, scale in ((0, 1), (30, 2), (90, 1)):
        for past, ratio in ((-0.1, 1.0), (0.5, 5 / 6 - 1 / 6), (1.0, 0.5), (1.5, 1 / 3), (2.5, 0.0)):
            turn = Turn(yaw, (7, 7, 0))
            block = turn.thing("block", [2 / scale] * 3, (2 + past, 0, 1), scale=scale)
            found = out_of_bounds(staged([block], turn.room(6, 6), profile)).objects["block"]
            assert found.ratio == pytest.approx(ratio, abs=1e-5 if profile is STRICT else 0.02), (yaw, scale, past)
            assert found.out == (ratio < 0.99)
    things = [thing("high", (1, 1, 1), (0, 0, 9)), thing("flush", (1, 1, 1), (2.5, 2.5, 0.5))]
    bounds = out_of_bounds(staged(things, SIX, profile))
    assert (bounds.out, bounds.share, bounds.objects["flush"].ratio) == ((), 0.0, 1.0)
    things = [thing(f"b_{n}", (1, 1, 1), (3 * n, n, 0.5), yaw=20 * n) for n in range(4)]
    assert out_of_bounds(staged(things, None, profile)).out == ()
    bed = thing("bed", (2, 2, 1), (4, 2, 0.5))
    assert out_of_bounds(staged([bed], two_rooms(), profile)).out == ()
    assert out_of_bounds(staged([bed], Architecture(), profile)).out == ("bed",)


def test_an_object_is_out_below_ninety_nine_hundredths_of_its_area() -> None:
    assert [Bound("it", ratio, 0).out for ratio in (0.98, 0.9899, 0.99, 1.0)] == [True, True, False, False]
    # A flat board out by a little: its long edge adds to what is out.
    for out, holds in ((0.0085, False), (0.011, True)):
        board = thing("board", (1, 1, 0.001), (2.5 + out, 0, 1))
        assert out_of_bounds(staged([board], SIX)).objects["board"].out == holds
    for past, yaw, ratio in ((0.0, np.degrees(3.14159), 1.0), (0.0049, 0.0, 1.0), (0.0051, 0.0, 0.75)):
        bed = thing("bed", (1, 2, 2), (2.5 + past, 0, 1), yaw=yaw)
        found = out_of_bounds(staged([bed], SIX)).objects["bed"]
        assert found.ratio == pytest.approx(ratio, abs=0.05), past
        assert found.out == (ratio < 1)
    pole = thing("pole", Primitive("cylinder", (0.5, 0.5, 2)), (3, 3, 1))
    assert out_of_bounds(staged([pole], Architecture((L_SHAPED,)))).objects["pole"].ratio == 0


def test_shares_of_triangles_are_exact_at_every_slant() -> None:
    """Against many points in the same triangles."""
    rng = np.random.default_rng(5)
    polygon = shapely.Polygon([(-1, -1), (1, -1), (1, 1), (0, 0.2), (-1, 1)])
    triangles = rng.uniform(-1.6, 1.6, (40, 3, 3))
    triangles[20:, 2, :2] = triangles[20:, 0, :2] * 0.3 + triangles[20:, 1, :2] * 0.7  # upright ones
    triangles[30:, 1, :2] = triangles[30:, 0, :2] + (0.5, 0)
    triangles[30:, 2, :2] = triangles[30:, 0, :2] + (0.25, 0)
    weights = rng.dirichlet((1, 1, 1), 20_000)
    points = np.einsum("pk,tkd->tpd", weights, triangles)
    sampled = [shapely.contains_xy(polygon, p[:, 0], p[:, 1]).mean() for p in points]
    assert shares_over(polygon, triangles) == pytest.approx(np.array(sampled), abs=0.015)


def sides(
    profile: Profile, size: tuple[float, float, float], at: tuple[float, float, float], *, yaw: int = 0, scale: int = 1
) -> tuple[Clearance, ...]:
    turn = Turn(yaw, (2, 1, 0))
    chest = turn.thing("chest", [side / scale for side in size], at, scale=scale)
    weight = turn.thing("weight", (0.1, 0.1, 0.1), (-2.9, -2.9, 0.05))
    return clearances(staged([chest, weight], turn.room(6, 6, openings=(DOOR, WINDOW)), profile))


def test_a_chest_hides_its_outline() -> None:
    for profile, yaw, scale in ((OFFICIAL, 0, 1), (OFFICIAL, 90, 2), (STRICT, 0, 2), (STRICT, 30, 1)):
        door, window = sides(profile, (0.5, 0.4, 1.0), (0, 2.5, 0.5), yaw=yaw, scale=scale)
        assert (door.opening, window.opening) == ("door_0_north", "window_1_north")
        assert door.occlusion == pytest.approx(0.25, abs=0.01 if profile is OFFICIAL else 0.005), (yaw, scale)
        assert (door.occluded, window.occluded) == (True, False)
        assert list(door.objects) == ["chest"]
        assert share_clear((door, window)) == 0.5
    assert share_clear(clearances(staged([], AS_IT_IS.room(6, 6)))) is None, "no openings"


@both
def test_a_door_clears_its_own_width_and_a_window_half_a_metre(profile: Profile) -> None:
    for door_gap, window_gap, seen in ((0.9, 0.4, True), (1.02, 0.52, False)):
        assert sides(profile, (1, 0.4, 1.0), (0, 3 - door_gap - 0.2, 0.5))[0].occluded == seen
        assert sides(profile, (0.5, 0.5, 2.0), (-1.5, 3 - window_gap - 0.25, 1.0))[1].occluded == seen
    stage = staged([thing("chest", (1, 0.4, 1), (0, 2, 0.5))], DOORED, profile)
    assert clearances(stage)[0].occluded
    assert not clearances(stage, door_depth=0.5)[0].occluded


def test_only_what_is_in_the_box_hides_in_strict_and_rugs_are_welcome() -> None:
    """A long table reaches into the clearance by its end; as published the whole of each triangle counts."""
    sail = Mesh.of([(0, 0, 0.5), (-0.5, 0, -2), (0.5, 0, -2), (0, 2, -2)], [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)])
    stages = (staged([thing("sail", sail, (0, 2.49, 0))], DOORED, profile) for profile in (OFFICIAL, STRICT))
    official, strict = (clearances(stage)[0].occlusion for stage in stages)
    assert 0 <= strict < official
    assert clearances(staged([thing("sail", sail, (0, 2.49, 0), yaw=180)], DOORED))[0].occlusion < 0.5
    rug = thing("mat", (0.8, 0.5, 0.02), (0, 2.6, 0.01), category="doormat")
    assert [clearances(staged([rug], DOORED, p))[0].occluded for p in (OFFICIAL, STRICT)] == [True, False]


def test_an_inner_door_has_two_sides_and_several_things_hide_their_union() -> None:
    chest = thing("chest", (0.5, 0.5, 1), (4.5, 1.5, 0.5))
    for profile in (OFFICIAL, STRICT):
        found = clearances(staged([chest], two_rooms(Opening("door", (1, 0), (2, 2))), profile))
        assert sorted((round(side.direction[0]), side.occluded) for side in found) == [(-1, False), (1, True)]
    things = [thing(f"c_{n}", (0.5, 0.3, 1), (0.1 * n, 2.7 - 0.31 * n, 0.5)) for n in range(2)]
    door = clearances(staged(things, DOORED))[0]
    assert list(door.objects.values()) == pytest.approx([0.25, 0.25], abs=0.004)
    assert door.occlusion == pytest.approx(0.3, abs=0.004)
    assert door.evidence == "30 % of door_0_north is hidden by c_0, c_1"


def test_ways_and_access_are_counted_to_the_pixel_as_published_and_by_area_in_strict() -> None:
    screen = thing("screen", (6, 0.2, 1), (0, 1, 0.5))
    for room, objects, parts, value in (
        (SIX, [], (54756,), 1.0),
        (SIX, [screen], (34866, 15912), 0.68664),
        (AS_IT_IS.room(4, 6), [thing("table", (2, 1, 1), (1, 1, 0.5), yaw=30)], (31885,), 1.0),
        (SIX, [thing("screen", (5.7, 0.2, 1), (0, 1, 0.5))], (34872, 15918), 0.68659),
    ):
        found = navigability(staged(objects, room, OFFICIAL))
        assert (found.parts, found.value) == (parts, pytest.approx(value, abs=5e-6)), objects
    assert navigability(staged([screen], SIX)).parts == pytest.approx((3.7 * 5.8, 1.7 * 5.8))
    half = [thing("it", (1, 0.5, 1), (0, 0, 0.5)), thing("box", (0.5, 0.6, 1), (0.25, -0.6, 0.5))]
    against_wall = thing("it", (1, 0.5, 1), (0, 2.75, 0.5))
    for objects, side, score in (
        (half, "front", 189 / 387),
        ([against_wall], "back", 0.0),
        ([against_wall], "front", 1.0),
        ([thing("it", (1, 0.5, 1), (0.5, 0.5, 0.5), yaw=45)], "left", 1.0),
    ):
        assert accessibility(staged(objects, SIX, OFFICIAL), {"it": [side]})["it"].score == score, objects
    assert accessibility(staged(half, SIX), {"it": ["front"]})["it"].score == pytest.approx(0.5)


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


def test_strips_run_from_five_to_twenty_five_centimetres_before_the_sides_that_there_are() -> None:
    stage = staged([thing("desk", (1, 1, 1), (0, 0, 0.5))], SIX)
    assert not accessibility(stage, {"ghost": ["front"]})
    with pytest.raises(UsageError, match="'above' is no side of an object"):
        accessibility(stage, {"desk": ["above"]})
    for yaw, scale in ((0, 1), (30, 2)):
        for gap, free in ((0.0, 0.0), (0.05, 0.0), (0.1, 0.25), (0.15, 0.5), (0.25, 1.0)):
            turn = Turn(yaw, (1, 0, 0))
            desk = turn.thing("desk", (1.2 / scale, 0.6 / scale, 0.8), (0, 0, 0.4), scale=scale)
            chest = turn.thing("chest", (2, 0.5, 1), (0, -0.3 - gap - 0.25, 0.5))
            found = accessibility(staged([desk, chest], turn.room(6, 6)), {"desk": ["front"]})
            assert found["desk"].score == pytest.approx(free), (yaw, scale, gap)


@both
def test_objects_above_headroom_do_not_block_and_a_full_room_has_no_way(profile: Profile) -> None:
    weight = thing("weight", (0.1, 0.1, 0.1), (-2.9, -2.9, 0.05))
    low, high = (thing("beam", (6, 0.2, 0.2), (0, 1, z)) for z in (1.5, 2.2))
    assert len(navigability(staged([weight, low], SIX, profile)).parts) == 2
    assert len(navigability(staged([weight, high], SIX, profile)).parts) == 1
    full = navigability(staged([thing("block", (7, 7, 1), (0, 0, 0.5))], SIX, profile))
    assert (full.value, full.evidence) == (0.0, "nothing is free")
    nothing = navigability(staged([], Architecture(), profile))
    assert (nothing.value, nothing.evidence) == (None, "there is no floor to walk on")


def test_rugs_and_scaled_screens_block_otherwise_as_published() -> None:
    rug = thing("rug", (6, 1, 0.02), (0, 0, 0.01), category="area_rug")
    screen = thing("screen", (3, 0.1, 1), (0, 1, 1), scale=2)
    for one, parts in ((rug, [2, 1]), (screen, [1, 2])):
        assert [len(navigability(staged([one], SIX, profile)).parts) for profile in (OFFICIAL, STRICT)] == parts
    hall = AS_IT_IS.room(120, 120)
    things = [thing("desk", (1, 1, 1), (0, 0, 0.5))]
    assert navigability(staged(things, hall, OFFICIAL)).value == 1.0
    assert navigability(staged(things, hall)).parts == pytest.approx((119.8**2 - 1.2**2 + 0.04 * 0.2146,), abs=1e-3)


def test_a_wall_between_rooms_blocks_in_strict_unless_the_robot_passes_its_door() -> None:
    door = Opening("door", (1, 0), (2, 2))
    for rooms, parts in (
        (two_rooms(), 2),
        (two_rooms(WINDOW), 2),
        (two_rooms(door), 1),
        (two_rooms(Opening("door", (1, 0), (1.19, 2))), 2),
        (two_rooms(Opening("door", (1, 0), (1.21, 2))), 1),
    ):
        assert [len(navigability(staged([], rooms, profile)).parts) for profile in (OFFICIAL, STRICT)] == [1, parts]
    assert [len(navigability(staged([], two_rooms(*some, apart=0.1))).parts) for some in ((), (door,))] == [2, 1]
