"""Each relation to a room holds just inside its threshold and fails just outside, turned and scaled."""

from __future__ import annotations

import math

import pytest

pytest.importorskip("fcl", reason="rooms need the extra: scenes")

from furnished_rooms import AS_IT_IS, Turn, staged

from tsgkit.errors import UsageError
from tsgkit.geometry import OFFICIAL, STRICT, Architecture, Opening, Profile, Relation, relation_to_room

# Slanted walls are beyond the published way of drawing them, so there the whole room is turned by right angles alone.
WAYS = [(STRICT, yaw, scale) for yaw in (0, 30, 90) for scale in (1, 2)] + [(OFFICIAL, yaw, 1) for yaw in (0, 90)]
ways = pytest.mark.parametrize(
    ("profile", "yaw", "scale"), WAYS, ids=[f"{profile.name}-{yaw}-{scale}" for profile, yaw, scale in WAYS]
)
DOOR = Opening("door", (5.5, 0.0), (6.5, 2.0))
WINDOW = Opening("window", (8.0, 1.0), (9.0, 2.0))
SOFT = math.sqrt(2 * math.log(2))


def slack(profile: Profile) -> tuple[float, float, float]:
    """Shares, gaps above and gaps below a threshold that are safely on one side of it."""
    return (0.01, 0.001, 0.001) if profile is STRICT else (0.24, 0.001, 0.02)


def placed(
    profile: Profile,
    yaw: float,
    scale: float,
    size: tuple[float, float, float],
    at: tuple[float, float, float],
    name: str,
    element: str = "wall",
) -> Relation:
    """Return the relation of a thing of this real size to a hall of 12 by 12 metres with a door and a window to the
    north.
    """
    # A wall's own height counts from the lowest corner, as published: a raised hall would have raised walls there.
    turn = Turn(yaw, (2, -1, 0.4 if profile is STRICT else 0))
    # Things under the ceiling need something on the floor: the published floor lies at the lowest corner of all.
    things = [
        turn.thing("it", tuple(side / scale for side in size), at, scale=scale),
        turn.thing("weight", (0.1, 0.1, 0.1), (-5, -5, 0.05)),
    ]
    stage = staged(things, turn.room(12, 12, openings=(DOOR, WINDOW)), profile)
    return relation_to_room(stage, name, "it", element=element)


DISTANCES = [
    ("next_to", None, 0.5 + 0.25 * SOFT),
    ("near", 0.5 - 0.25 * SOFT, 1.5 + 0.25 * SOFT),
    ("across_from", 1.5 - 0.25 * SOFT, 4 + 0.25 * SOFT),
    ("far", 4 - 0.25 * SOFT, None),
]


@ways
@pytest.mark.parametrize(("name", "low", "high"), DISTANCES)
@pytest.mark.parametrize("element", ["door", "window", "wall"])
def test_distances_to_what_is_built_are_gaps(
    profile: Profile, yaw: int, scale: int, name: str, low: float | None, high: float | None, element: str
) -> None:
    if element == "wall" and profile is OFFICIAL:
        pytest.skip("any wall of the hall may be meant there")
    _, above, below = slack(profile)
    x, z = {"door": (0.0, 0.5), "window": (2.5, 1.5), "wall": (0.0, 2.3)}[element]

    def holds(gap: float) -> bool:
        depth = 0.04 if profile is OFFICIAL else 0.4
        at = (x, 6 - 0.0005 - gap - depth / 2, z)
        return placed(profile, yaw, scale, (0.3, depth, 0.3), at, name, element).satisfied

    if high is not None:
        assert (holds(high - below), holds(high + above)) == (True, False)
    if low is not None:
        assert (holds(low + above), holds(low - below)) == (True, False)


@ways
def test_a_thing_is_in_the_room_with_half_of_it_over_the_floor(profile: Profile, yaw: int, scale: int) -> None:
    step = 0.5 * slack(profile)[0]
    for x, holds in ((6 - step, True), (6 + step, False), (20, False)):
        assert placed(profile, yaw, scale, (0.5, 0.5, 0.5), (x, 1, 0.3), "inside_room").satisfied == holds


@ways
def test_the_middle_of_a_room_grows_with_the_thing(profile: Profile, yaw: int, scale: int) -> None:
    for wide in (0.4, 1.5):
        need = (0.5 * wide + 1 - wide / 12) * SOFT
        for away, holds in ((need - 0.002, True), (need + 0.002, False)):
            found = placed(profile, yaw, scale, (wide, 0.3, 0.5), (0.6 * away, -0.8 * away, 0.3), "middle_of_room")
            assert found.satisfied == holds


@ways
@pytest.mark.parametrize(("name", "need"), [("on_wall", 0.01 + 0.01 * SOFT), ("against_wall", 0.3 + 0.1 * SOFT)])
def test_at_a_wall_is_a_matter_of_distance(profile: Profile, yaw: int, scale: int, name: str, need: float) -> None:
    _, above, below = slack(profile)
    for gap, holds in ((need - min(below, 0.003), True), (need + above, False)):
        at = (-3, 6 - 0.0005 - gap - 0.01, 1.2)
        assert placed(profile, yaw, scale, (0.6, 0.02, 0.4), at, name).satisfied == holds


@ways
@pytest.mark.parametrize("name", ["on_wall", "against_wall"])
def test_at_a_wall_is_a_matter_of_lying_before_it(profile: Profile, yaw: int, scale: int, name: str) -> None:
    step = 0.4 * slack(profile)[0]
    for z, holds in ((2.6 - step, True), (2.6 + step, False)):
        assert placed(profile, yaw, scale, (0.6, 0.02, 0.4), (-3, 5.989, z), name).satisfied == holds
    assert not placed(profile, yaw, scale, (0.6, 0.02, 0.4), (-3, 6.011, 1.2), name).satisfied


@ways
def test_a_corner_is_near_two_walls(profile: Profile, yaw: int, scale: int) -> None:
    need = 0.8 + 0.25 * SOFT
    _, above, below = slack(profile)
    for gap, holds in ((need - below, True), (need + above, False)):
        at = (-6 + 0.0005 + 0.3 + 0.05, 6 - 0.0005 - gap - 0.05, 0.3)
        assert placed(profile, yaw, scale, (0.1, 0.1, 0.1), at, "corner_of_room").satisfied == holds


@ways
def test_a_thing_hangs_within_five_centimetres_of_the_ceiling(profile: Profile, yaw: int, scale: int) -> None:
    need = 0.01 + 0.03 * SOFT
    _, above, below = slack(profile)
    for gap, holds in ((need - min(below, 0.005), True), (need + above, False)):
        at = (1, 1, 2.6 - 0.0005 - gap - 0.01)
        assert placed(profile, yaw, scale, (0.6, 0.6, 0.02), at, "hang_from_ceiling").satisfied == holds


def test_far_from_the_wall_means_any_wall_as_published_and_the_nearest_in_strict() -> None:
    at = (-3, 5.5, 0.5)
    assert placed(OFFICIAL, 0, 1, (0.3, 0.3, 0.3), at, "far").satisfied
    found = placed(STRICT, 0, 1, (0.3, 0.3, 0.3), at, "far")
    assert not found.satisfied
    assert found.evidence == "it is 0.35 m from wall_north; far needs > 3.71"


def test_a_scaled_thing_has_its_real_size_in_strict_and_not_as_published() -> None:
    """A wide thing is given more way to the middle; its file says it is half as wide as it is."""
    at, size = (2.4, 0, 0.3), (4.0, 0.3, 0.3)
    assert placed(STRICT, 0, 2, size, at, "middle_of_room").satisfied
    assert not placed(OFFICIAL, 0, 2, size, at, "middle_of_room").satisfied


def test_a_image_hangs_on_either_side_of_a_wall_between_rooms_in_strict() -> None:
    from tsgkit.geometry import Floor, Wall

    left = Floor("left", ((0, 0, 0), (4, 0, 0), (4, 4, 0), (0, 4, 0)))
    right = Floor("right", ((4, 0, 0), (8, 0, 0), (8, 4, 0), (4, 4, 0)))
    between = Architecture((left, right), (Wall("between", (4, 0, 0), (4, 4, 0), 2.6),))
    for x, published in ((3.985, False), (4.015, True)):
        image = AS_IT_IS.thing("picture", (0.02, 0.5, 0.5), (x, 2, 1.5))
        weight = AS_IT_IS.thing("weight", (0.1, 0.1, 0.1), (1, 1, 0.05))
        strict, official = (
            relation_to_room(staged([image, weight], between, profile), "on_wall", "picture")
            for profile in (STRICT, OFFICIAL)
        )
        assert (strict.satisfied, official.satisfied) == (True, published)


@pytest.mark.parametrize("profile", [OFFICIAL, STRICT], ids=["official", "strict"])
def test_without_walls_every_relation_to_them_fails_and_says_so(profile: Profile) -> None:
    room = Architecture(AS_IT_IS.room(6, 6).floors)
    stage = staged([AS_IT_IS.thing("it", (1, 1, 1), (0, 0, 0.5))], room, profile)
    said = {
        "next_to": "the scene has no wall",
        "on_wall": "the scene has no wall",
        "corner_of_room": "it is in none of the rooms, or near no two walls of one",
        "hang_from_ceiling": "the scene has no wall or no floor, so no ceiling",
    }
    for name, words in said.items():
        found = relation_to_room(stage, name, "it")
        assert (found.score, found.evidence) == (0.0, words)


@pytest.mark.parametrize("element", ["room", "floor", "ceiling"])
def test_distances_are_not_asked_of_rooms(element: str) -> None:
    found = placed(STRICT, 0, 1, (1, 1, 1), (0, 0, 0.5), "next_to", element)
    assert (found.score, found.evidence) == (
        0.0,
        f"next_to is asked of walls, doors and windows, not of a {element}",
    )


def test_room_relations_refuse_invalid_arguments() -> None:
    stage = staged([AS_IT_IS.thing("it", (1, 1, 1), (0, 0, 0.5))], AS_IT_IS.room(6, 6))
    with pytest.raises(UsageError, match="no relation to a room is called 'under'"):
        relation_to_room(stage, "under", "it")
    with pytest.raises(UsageError, match="the architecture has no 'roof'"):
        relation_to_room(stage, "next_to", "it", element="roof")
    with pytest.raises(UsageError, match="no floor is called 'floor_attic'"):
        relation_to_room(stage, "inside_room", "it", floors=["floor_attic"])


def test_only_the_named_floors_are_meant() -> None:
    from tsgkit.geometry import Floor

    left = Floor("left", ((0, 0, 0), (4, 0, 0), (4, 4, 0), (0, 4, 0)))
    right = Floor("big hall", ((4, 0, 0), (8, 0, 0), (8, 4, 0), (4, 4, 0)))
    stage = staged([AS_IT_IS.thing("it", (1, 1, 1), (2, 2, 0.5))], Architecture((left, right)))
    assert relation_to_room(stage, "inside_room", "it", floors=["floor_left"]).satisfied
    assert not relation_to_room(stage, "inside_room", "it", floors=["floor_big_hall"]).satisfied
    assert relation_to_room(stage, "inside_room", "it").satisfied
