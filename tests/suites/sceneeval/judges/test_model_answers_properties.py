"""Property tests: a reader returns an offered answer, nothing, or a fault."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from tsgkit.geometry.support import TYPES
from tsgkit.suites.sceneeval.judges.answers import (
    FUNCTIONAL,
    MEANINGS,
    Fault,
    read_category,
    read_holds,
    read_object_relations,
    read_room_relations,
    read_sides,
    read_support,
)

NAMES = ("bed_1", "lamp_1")
WORDS = st.sampled_from([*NAMES, *FUNCTIONAL, *TYPES, *MEANINGS, "wall", "room", "on_wall", "floor_den", "none", ""])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-1, 3) | WORDS | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=5),
    max_leaves=12,
)
ENTRIES = st.lists(
    st.fixed_dictionaries(
        {"number": VALUES | st.sampled_from([1, 2, "1"]), "id": st.sampled_from(NAMES) | VALUES},
        optional=dict.fromkeys(("sides", "types", "type", "element", "floors"), VALUES | st.lists(WORDS)),
    ),
    max_size=3,
)
ANSWERS = st.fixed_dictionaries(
    {}, optional={"objects": ENTRIES, "relations": ENTRIES, "category": VALUES, "held_by": VALUES, "holds": VALUES}
)
REPLIES = st.text(max_size=80) | st.tuples(st.text(max_size=9), (ANSWERS | VALUES).map(json.dumps)).map("".join)


@given(REPLIES)
def test_single_answers_are_among_those_offered(text: str) -> None:
    category = read_category(text, NAMES)
    assert category is None or isinstance(category, Fault) or category in NAMES
    held = read_support(text)
    assert isinstance(held, Fault) or held in TYPES
    holds = read_holds(text, 2)
    assert isinstance(holds, Fault) or (len(holds) == 2 and all(isinstance(one, bool) for one in holds))


@given(REPLIES)
def test_listed_answers_are_about_all_that_was_asked_and_nothing_else(text: str) -> None:
    sides = read_sides(text, NAMES)
    if not isinstance(sides, Fault):
        assert tuple(sides) == NAMES
        assert all(isinstance(one, Fault) or set(one) <= set(FUNCTIONAL) for one in sides.values())
    pairs = read_object_relations(text, 2)
    if not isinstance(pairs, Fault):
        assert tuple(pairs) == (1, 2)
        told = [one for one in pairs.values() if one is not None and not isinstance(one, Fault)]
        assert all(one and set(one) <= set(MEANINGS.values()) for one in told)
    rooms = read_room_relations(text, 2, ("floor_den",))
    if not isinstance(rooms, Fault):
        assert tuple(rooms) == (1, 2)
        found = [one for one in rooms.values() if one is not None and not isinstance(one, Fault)]
        assert all(set(one.floors) <= {"floor_den"} for one in found)
