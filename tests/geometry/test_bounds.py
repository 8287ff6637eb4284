"""Objects outside the floors, by points and by area."""

from __future__ import annotations

import numpy as np
import pytest
from furnished_rooms import AS_IT_IS, Turn, staged

from tsgkit.geometry import OFFICIAL, STRICT, Architecture, Floor, Primitive, Profile, out_of_bounds
from tsgkit.geometry.bounds import Bound, shares_over
from tsgkit.geometry.libraries import shapely

both = pytest.mark.parametrize("profile", [OFFICIAL, STRICT], ids=["official", "strict"])
SIX = AS_IT_IS.room(6, 6)


@both
def test_the_ratio_is_the_share_of_the_surface_over_the_floor(profile: Profile) -> None:
    """A cube of two metres past the edge: its four sides and two ends; the outer side is out, the inner one in."""
    for yaw, scale in ((0, 1), (30, 2), (90, 1)):
        for past, ratio in ((-0.1, 1.0), (0.5, 5 / 6 - 1 / 6), (1.0, 0.5), (1.5, 1 / 3), (2.5, 0.0)):
            turn = Turn(yaw, (7, 7, 0))
            block = turn.thing("block", [2 / scale] * 3, (2 + past, 0, 1), scale=scale)
            found = out_of_bounds(staged([block], turn.room(6, 6), profile)).objects["block"]
            assert found.ratio == pytest.approx(ratio, abs=1e-5 if profile is STRICT else 0.02), (yaw, scale, past)
            assert found.out == (ratio < 0.99)


def test_an_object_is_out_below_ninety_nine_hundredths_and_not_at_it() -> None:
    assert [Bound("it", ratio, 0).out for ratio in (0.98, 0.9899, 0.99, 1.0)] == [True, True, False, False]


def test_the_threshold_is_ninety_nine_hundredths_of_the_area() -> None:
    """A flat board out by a little: its long edge adds to what is out."""
    for out, holds in ((0.0085, False), (0.011, True)):
        board = AS_IT_IS.thing("board", (1, 1, 0.001), (2.5 + out, 0, 1))
        assert out_of_bounds(staged([board], SIX)).objects["board"].out == holds


def test_objects_flush_with_the_edge_are_over_the_floor_for_any_rounding() -> None:
    for past, yaw, ratio in ((0.0, np.degrees(3.14159), 1.0), (0.0049, 0.0, 1.0), (0.0051, 0.0, 0.75)):
        bed = AS_IT_IS.thing("bed", (1, 2, 2), (2.5 + past, 0, 1), yaw=yaw)
        found = out_of_bounds(staged([bed], SIX)).objects["bed"]
        assert found.ratio == pytest.approx(ratio, abs=0.05), past
        assert found.out == (ratio < 1)


@both
def test_height_does_not_matter_and_the_edge_belongs_to_the_floor(profile: Profile) -> None:
    things = [AS_IT_IS.thing("high", (1, 1, 1), (0, 0, 9)), AS_IT_IS.thing("flush", (1, 1, 1), (2.5, 2.5, 0.5))]
    found = out_of_bounds(staged(things, SIX, profile))
    assert found.out == ()
    assert (found.share, found.objects["flush"].ratio) == (0.0, 1.0)


@both
def test_a_room_put_around_the_objects_holds_them_all(profile: Profile) -> None:
    things = [AS_IT_IS.thing(f"b_{n}", (1, 1, 1), (3 * n, n, 0.5), yaw=20 * n) for n in range(4)]
    assert out_of_bounds(staged(things, None, profile)).out == ()


@both
def test_floors_that_touch_are_one_and_without_floors_all_is_out(profile: Profile) -> None:
    left = Floor("left", ((0, 0, 0), (4, 0, 0), (4, 4, 0), (0, 4, 0)))
    right = Floor("right", ((4, 0, 0), (8, 0, 0), (8, 4, 0), (4, 4, 0)))
    bed = AS_IT_IS.thing("bed", (2, 2, 1), (4, 2, 0.5))
    assert out_of_bounds(staged([bed], Architecture((left, right)), profile)).out == ()
    assert out_of_bounds(staged([bed], Architecture(), profile)).out == ("bed",)


def test_a_hole_in_an_l_shaped_floor_is_outside() -> None:
    corners = ((0, 0, 0), (4, 0, 0), (4, 2, 0), (2, 2, 0), (2, 4, 0), (0, 4, 0))
    pole = AS_IT_IS.thing("pole", Primitive("cylinder", (0.5, 0.5, 2)), (3, 3, 1))
    assert out_of_bounds(staged([pole], Architecture((Floor("l", corners),)))).objects["pole"].ratio == 0


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
