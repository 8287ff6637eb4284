"""Properties of every scene: scores are within bounds, and strict ones do not depend on order, rotation and
position."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("numpy", reason="rooms need the extra: scenes")
pytest.importorskip("fcl", reason="rooms need the extra: scenes")

from furnished_rooms import AS_IT_IS, Turn, staged
from hypothesis import given, settings
from hypothesis import strategies as st

from tsgkit.geometry import (
    OFFICIAL,
    RELATIONS_OF_OBJECTS,
    RELATIONS_TO_ROOMS,
    SIDED,
    STRICT,
    MeasuredScene,
    Object,
    Opening,
    Primitive,
    Profile,
    accessibility,
    clearances,
    collisions,
    navigability,
    out_of_bounds,
    relation_of_objects,
    relation_to_room,
    supports,
)

OPENINGS = (Opening("door", (1, 0), (2, 2)), Opening("window", (4, 1), (5, 2)))
Piece = tuple[str, tuple[float, float, float], tuple[float, float], float, float]
metres = st.integers(2, 12).map(lambda n: n / 10)
pieces: st.SearchStrategy[list[Piece]] = st.lists(
    st.tuples(
        st.sampled_from(["box", "cylinder", "cone"]),
        st.tuples(metres, metres, metres),
        st.tuples(st.integers(-300, 300).map(lambda n: n / 97), st.integers(-300, 300).map(lambda n: n / 97)),
        st.integers(0, 23).map(lambda n: 15.0 * n),
        st.sampled_from([1.0, 0.5, 2.0]),
    ),
    min_size=1,
    max_size=4,
)
turns = st.builds(
    Turn,
    st.integers(0, 359).map(float),
    st.tuples(st.integers(-30, 30), st.integers(-30, 30), st.integers(-2, 2)),
)


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
    wanted = dict.fromkeys(names, ("front", "left"))
    for name, access in accessibility(stage, wanted).items():
        found |= {f"access {name} {side}": value for side, value in access.sides.items()}
    found |= {f"hidden {side.opening}": side.occlusion for side in clearances(stage)}
    for name in names:
        found |= {f"{kind} {name}": relation_to_room(stage, kind, name).score for kind in RELATIONS_TO_ROOMS}
    for one, other in ((one, other) for one in names for other in names if one != other):
        for kind in RELATIONS_OF_OBJECTS:
            for side in SIDED.get(kind, (None,)):
                score = relation_of_objects(stage, kind, one, [other], side).score
                found[f"{kind} {side} {other} {one}"] = score
    return found


@given(pieces, turns)
@settings(max_examples=15)
def test_strict_figures_do_not_depend_on_order_turn_and_place(given_pieces: list[Piece], turn: Turn) -> None:
    here = figures(furnished(given_pieces, AS_IT_IS, STRICT))
    there = figures(furnished(given_pieces, turn, STRICT, backwards=True))
    assert here.keys() == there.keys()
    apart = {key: (here[key], there[key]) for key in here if abs(here[key] - there[key]) > 0.01}
    assert not apart


@given(pieces, turns)
@settings(max_examples=15)
def test_strict_collisions_do_not_depend_on_order_turn_and_place(given_pieces: list[Piece], turn: Turn) -> None:
    def pairs(stage: MeasuredScene) -> set[frozenset[str]]:
        found = collisions(stage)
        return {frozenset((hit.one, hit.other)) for hit in (*found.hits, *found.wall_hits)}

    here = furnished(given_pieces, AS_IT_IS, STRICT)
    assert pairs(here) == pairs(furnished(given_pieces, turn, STRICT, backwards=True))


@pytest.mark.slow
@given(pieces)
@settings(max_examples=15)
def test_the_same_scene_gives_the_same_published_figures(given_pieces: list[Piece]) -> None:
    first, second = (furnished(given_pieces, AS_IT_IS, OFFICIAL) for _ in range(2))
    assert figures(first) == figures(second)
    assert collisions(first) == collisions(second)
    assert supports(first) == supports(second)


@given(pieces, st.sampled_from([OFFICIAL, STRICT]))
@settings(max_examples=15)
def test_scores_lie_between_nothing_and_one(given_pieces: list[Piece], profile: Profile) -> None:
    stage = furnished(given_pieces, AS_IT_IS, profile)
    found = figures(stage)
    assert all(0 <= value <= 1 + 1e-9 for key, value in found.items() if not key.startswith("way"))
    assert 0 <= (navigability(stage).value or 0) <= 1


@given(pieces)
@settings(max_examples=15)
def test_inside_and_outside_share_the_whole(given_pieces: list[Piece]) -> None:
    stage = furnished(given_pieces, AS_IT_IS, STRICT)
    for one in stage.bodies:
        for other in stage.bodies:
            inside, outside = (
                relation_of_objects(stage, name, one, [other]).score for name in ("inside_of", "outside_of")
            )
            assert inside + outside == pytest.approx(1)


@given(pieces, st.integers(0, 4))
@settings(max_examples=15)
def test_taking_something_away_never_makes_anything_else_collide(given_pieces: list[Piece], which: int) -> None:
    whole = collisions(furnished(given_pieces, AS_IT_IS, STRICT))
    gone = f"thing_{which % len(given_pieces)}"
    stage = furnished(given_pieces, AS_IT_IS, STRICT)
    left = MeasuredScene(
        type(stage.scene)("room", tuple(o for o in stage.scene.objects if o.id != gone), stage.scene.architecture),
        STRICT,
    )
    assert set(collisions(left).in_collision) <= set(whole.in_collision)
    assert sum(navigability(left).parts) >= sum(navigability(stage).parts) - 1e-9
