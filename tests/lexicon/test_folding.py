"""One spelling for the many ways in which a name is written."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tsgkit import lexicon
from tsgkit.lexicon import fold

ANYTHING = st.text() | st.text(st.sampled_from("aA-_ '\"`\n.,İΣß“‑up"), max_size=30)


def test_every_way_of_writing_a_name_folds_to_one() -> None:
    written = ["pick-up", "Pick up", " PICK_UP ", '"pick up"', "`pick-up`", "“pick‑up”", "pick - up", "- pick up"]
    assert [fold(name) for name in [*written, "pick\n up --"]] == ["pick-up"] * 9


def test_a_name_of_nothing_but_quotes_and_joints_folds_to_nothing() -> None:
    assert [fold(nothing) for nothing in ["", " ", "--", "``", ' "" ', "_ _"]] == [""] * 6


def test_folding_keeps_quotes_and_digits_inside_a_name_and_closes_no_spelling() -> None:
    assert fold("Carpenter's square 2") == "carpenter's-square-2"
    assert fold("screw-driver") == "screw-driver" != fold("screwdriver")


@given(ANYTHING)
def test_folding_twice_or_with_other_space_and_quotes_changes_nothing_more(text: str) -> None:
    assert fold(fold(text)) == fold(text)
    assert fold(f' "{text}"') == fold(text)
    assert fold(text.replace("-", " _ ")) == fold(text)


def test_every_offered_name_exists_and_is_listed_once_in_order() -> None:
    assert all(hasattr(lexicon, name) for name in lexicon.__all__)
    assert lexicon.__all__ == sorted(set(lexicon.__all__), key=lambda name: (not name.isupper(), name))
