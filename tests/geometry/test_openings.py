"""Objects in front of doors and windows, and the share that they hide."""

from __future__ import annotations

import pytest
from furnished_rooms import AS_IT_IS, Turn, staged

from tsgkit.geometry import (
    OFFICIAL,
    STRICT,
    Architecture,
    Clearance,
    Floor,
    Mesh,
    Opening,
    Profile,
    Wall,
    clearances,
    share_clear,
)

thing = AS_IT_IS.thing
DOOR = Opening("door", (2.5, 0), (3.5, 2))
WINDOW = Opening("window", (1, 1), (2, 2))
DOORED = AS_IT_IS.room(6, 6, openings=[DOOR])


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


@pytest.mark.parametrize("profile", [OFFICIAL, STRICT], ids=["official", "strict"])
def test_a_door_clears_its_own_width_and_a_window_half_a_metre(profile: Profile) -> None:
    for gap, seen in ((0.9, True), (1.02, False)):
        assert sides(profile, (1, 0.4, 1.0), (0, 3 - gap - 0.2, 0.5))[0].occluded == seen, gap
    for gap, seen in ((0.4, True), (0.52, False)):
        assert sides(profile, (0.5, 0.5, 2.0), (-1.5, 3 - gap - 0.25, 1.0))[1].occluded == seen, gap
    stage = staged([thing("chest", (1, 0.4, 1), (0, 2, 0.5))], DOORED, profile)
    assert clearances(stage)[0].occluded
    assert not clearances(stage, door_depth=0.5)[0].occluded


def test_only_what_is_in_the_box_hides_in_strict() -> None:
    """A long table reaches into the clearance by its end; as published the whole of each triangle counts."""
    sail = Mesh.of([(0, 0, 0.5), (-0.5, 0, -2), (0.5, 0, -2), (0, 2, -2)], [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)])
    stages = (staged([thing("sail", sail, (0, 2.49, 0))], DOORED, profile) for profile in (OFFICIAL, STRICT))
    official, strict = (clearances(stage)[0].occlusion for stage in stages)
    assert 0 <= strict < official
    assert clearances(staged([thing("sail", sail, (0, 2.49, 0), yaw=180)], DOORED))[0].occlusion < 0.5


def test_an_inner_door_has_two_sides() -> None:
    left = Floor("left", ((0, 0, 0), (4, 0, 0), (4, 4, 0), (0, 4, 0)))
    right = Floor("right", ((4, 0, 0), (8, 0, 0), (8, 4, 0), (4, 4, 0)))
    between = Wall("between", (4, 0, 0), (4, 4, 0), 2.6, (Opening("door", (1, 0), (2, 2)),))
    chest = thing("chest", (0.5, 0.5, 1), (4.5, 1.5, 0.5))
    for profile in (OFFICIAL, STRICT):
        found = clearances(staged([chest], Architecture((left, right), (between,)), profile))
        assert sorted((round(side.direction[0]), side.occluded) for side in found) == [(-1, False), (1, True)]


def test_several_things_hide_the_union_of_what_each_hides() -> None:
    things = [thing(f"c_{n}", (0.5, 0.3, 1), (0.1 * n, 2.7 - 0.31 * n, 0.5)) for n in range(2)]
    door = clearances(staged(things, DOORED))[0]
    assert list(door.objects.values()) == pytest.approx([0.25, 0.25], abs=0.004)
    assert door.occlusion == pytest.approx(0.3, abs=0.004)
    assert door.evidence == "30 % of door_0_north is hidden by c_0, c_1"


def test_a_rug_before_the_door_is_welcome_in_strict() -> None:
    rug = thing("mat", (0.8, 0.5, 0.02), (0, 2.6, 0.01), category="doormat")
    assert clearances(staged([rug], DOORED, OFFICIAL))[0].occluded
    assert not clearances(staged([rug], DOORED, STRICT))[0].occluded
