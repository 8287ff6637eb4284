"""The allowed names nearest to one that is not allowed."""

from __future__ import annotations

import pytest

from tsgkit.lexicon import Near, nearest, only_near


def test_the_same_words_come_before_a_like_spelling_and_surer_readings_first() -> None:
    names = ["adjusts-", "adjustments", "adjust", "Adjusting", "ADJUST!"]
    assert [near.by for near in nearest("Adjust", names, limit=9)] == [
        "folded",
        "inflection",
        "inflection",
        "stem:porter",
        "ratio",
    ]


def test_equally_near_names_keep_the_order_they_were_given_in() -> None:
    assert [near.name for near in nearest("pat", ["pot", "pan", "pit"])] == ["pot", "pan", "pit"]
    assert [near.name for near in nearest("pat", ["pit", "pan", "pot"])] == ["pit", "pan", "pot"]


def test_the_very_same_name_is_never_suggested_but_another_spelling_of_it_is() -> None:
    assert nearest("pick-up", ["pick-up"]) == ()
    assert nearest("pick-up", ["pick-up", "Pick up"]) == (Near("Pick up", 1.0, "folded"),)


def test_a_name_given_twice_is_suggested_once() -> None:
    assert nearest("lids", ["lid", "lid"]) == (Near("lid", 1.0, "inflection"),)
    assert only_near("lids", ["lid", "lid"]) == Near("lid", 1.0, "inflection")


def test_names_below_the_threshold_are_left_out() -> None:
    assert nearest("screwdriver", ["cup", "table"]) == ()
    assert nearest("clock", ["cloth"], least=0.61) == ()
    assert nearest("clock", ["cloth"], least=0.6) == (Near("cloth", 0.6, "ratio"),)


@pytest.mark.parametrize("limit", [0, 1, 2])
def test_no_more_than_the_limit_are_suggested(limit: int) -> None:
    assert len(nearest("pat", ["pot", "pan", "pit"], limit=limit)) == limit


@pytest.mark.parametrize(
    ("name", "names", "expected"),
    [
        ("screwdrver", ["screw", "screwdriver"], "screwdriver"),
        ("picks up", ["pick-up", "pick-ups-up"], "pick-up"),
        ("Picks", ["pick", "picks"], "picks"),
        ("knives", ["knive5", "knife"], "knife"),
        ("pat", ["pan", "pot"], None),
        ("spatulla-a", ["spatula-a", "spatula-b"], "spatula-a"),
        ("bucket-c", ["bucket-a", "bucket-b"], None),
        ("cups", ["cup", "Cup"], None),
        ("fabric", ["cloth"], None),
        ("", ["cloth"], None),
        ("cloth", [], None),
    ],
)
def test_the_only_near_name_is_given_only_when_it_is_clear(name: str, names: list[str], expected: str | None) -> None:
    near = only_near(name, names)
    assert (near.name if near else None) == expected


def test_an_overlong_name_is_compared_as_words_only() -> None:
    overlong = "x" * 201
    assert nearest(overlong, ["x" * 200, overlong.upper()]) == (Near(overlong.upper(), 1.0, "folded"),)
    assert nearest("x" * 200, [overlong]) == ()
