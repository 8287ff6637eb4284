"""Property tests: the rules handle any text."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from tsgkit.lexicon.tables import word_set
from tsgkit.suites.sceneeval.annotations import annotation_of
from tsgkit.suites.sceneeval.makers.annotation_vs_text import RULES, text_mismatches
from tsgkit.suites.sceneeval.makers.descriptions import LONGEST, read_description
from tsgkit.suites.sceneeval.makers.furniture import furniture

WORDS = st.sampled_from(
    sorted(
        word_set(
            "a an the two no without each of at least more than or table chairs red and , . ; is made next to it on",
            "wall left corner in zorp {x} \u202e \uffff 99999999999 under shelves pair row several bed bedroom -- '",
        )
    )
)
TEXTS = st.one_of(st.text(max_size=300), st.lists(WORDS, max_size=80).map(" ".join))
ENTRIES = st.sampled_from(
    ["eq,1,table", "ge,2,chair", "eq,0,bed", "le,3,zorp", "gt,0,_", "eq,1,ta-ble", "lt,0,a_b_c_d_e_f", "eq,1,\u202e"]
)


@settings(max_examples=150, deadline=None)
@given(TEXTS, st.lists(ENTRIES, max_size=4))
def test_no_text_makes_the_checks_raise(text: str, counts: list[str]) -> None:
    one = annotation_of("0", "easy", text, counts, ("eq,1,table,red_wooden",), ("eq,1,on,0,table,zorp",))
    findings = text_mismatches(one, furniture())
    assert findings == text_mismatches(one, furniture())
    assert {finding.severity for finding in findings if finding.code in RULES} <= {"error", "warning"}


@settings(max_examples=100, deadline=None)
@given(TEXTS)
def test_things_are_ordered_and_do_not_overlap(text: str) -> None:
    told = read_description(text, ("table", "chair"), furniture())
    places = [place for thing in told.things for place in (thing.start, thing.end)]
    assert places == sorted(places)
    for placing in told.placings:
        assert all(0 <= one < len(told.things) for one in (placing.thing, placing.anchor) if one is not None)


def test_long_text_is_read_up_to_the_limit() -> None:
    told = read_description("a red table next to " * 50_000, (), furniture())
    assert len(told.tokens) <= LONGEST
