"""One spelling for the many ways in which a name is written."""

from __future__ import annotations

import pytest

from tsgkit.lexicon import fold


@pytest.mark.parametrize(
    "written",
    [
        "pick-up",
        "Pick up",
        " PICK_UP ",
        '"pick up"',
        "`pick-up`",
        "“pick‑up”",
        "pick - up",
        "- pick up",
        "pick\n up --",
    ],
)
def test_every_way_of_writing_a_name_folds_to_one(written: str) -> None:
    assert fold(written) == "pick-up"


@pytest.mark.parametrize("nothing", ["", " ", "--", "``", ' "" ', "_ _"])
def test_a_name_of_nothing_but_quotes_and_joints_folds_to_nothing(nothing: str) -> None:
    assert fold(nothing) == ""


def test_folding_keeps_quotes_and_digits_inside_a_name() -> None:
    assert fold("Carpenter's square 2") == "carpenter's-square-2"


def test_folding_never_closes_a_spelling() -> None:
    assert fold("screw-driver") != fold("screwdriver")
