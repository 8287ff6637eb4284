"""Strict figures of any scene are within bounds, and its order, turn and place change nothing."""

from __future__ import annotations

from itertools import permutations, product
from typing import Any

import pytest
from furnished_rooms import AS_IT_IS, Turn, staged
from hypothesis import given, settings
from hypothesis import strategies as st

from tsgkit.geometry.bounds import out_of_bounds
from tsgkit.geometry.collisions import collisions
from tsgkit.geometry.measured_scene import MeasuredScene
from tsgkit.geometry.meshes import Primitive
from tsgkit.geometry.openings import clearances
from tsgkit.geometry.paths import accessibility, navigability
from tsgkit.geometry.profiles import STRICT, Profile
from tsgkit.geometry.relations_of_objects import RELATIONS_OF_OBJECTS, SIDED, relation_of_objects
from tsgkit.geometry.relations_to_rooms import RELATIONS_TO_ROOMS, relation_to_room
from tsgkit.geometry.scenes import Object, Opening

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
