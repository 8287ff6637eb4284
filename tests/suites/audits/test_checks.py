"""Planted slips of every kind are found, and clean items stay clean."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

from tsgkit.suites.audits import Item, Slip
from tsgkit.suites.audits.checks import CHECKS

COLOURS = "red green blue white black yellow brown pink".split()  # noqa: SIM905  (a list of words reads as one)
THINGS = "cup pen lamp chair spoon book hat ball kettle towel".split()  # noqa: SIM905
PLACES = "shelf table floor bench window door stove basket".split()  # noqa: SIM905


def made(number: int, draw: random.Random) -> Item:
    """Return a clean item: a question about a thing, four different places, one of them right, and "none"."""
    options = [
        f"on the {colour} {place}"
        for colour, place in zip(draw.sample(COLOURS, 4), draw.sample(PLACES, 4), strict=True)
    ]
    return Item(
        item_id=str(number),
        cluster=str(number // 5),
        question=f"Where does the {draw.choice(THINGS)} number {number} stand?",
        options=(*options, "None"),
        key=draw.randrange(4),
        refusal=4,
        group=("place", "layout")[number % 2],
        context=f"image {number // 5}",
        prompt="",
    )


def clean(count: int, seed: int = 0) -> list[Item]:
    draw = random.Random(seed)
    return [made(number, draw) for number in range(count)]


def slips(items: Sequence[Item]) -> list[Slip]:
    return [slip for check in CHECKS for slip in check.find(items)]


def test_a_thousand_clean_items_raise_no_alarm() -> None:
    assert slips(clean(1000)) == []


def test_a_planted_slip_is_found_where_it_is() -> None:
    third, item = clean(200)[3], clean(200)[7]
    moved = [option if option == third.right_text else f"on moon {place}" for place, option in enumerate(third.options)]
    shouted = f"{item.options[0].upper()}."
    for code, slipped in (
        ("duplicate", third),
        ("twin", replace(third, options=(*moved[:4], "None"))),
        ("repeated-question", replace(third, context="another image")),
        ("no-key", replace(item, key=4)),
        ("no-key", replace(item, key=9)),
        ("no-key", Item("7", "1", "What is washed?", pool=("pan", "wash"))),
        ("few-options", replace(item, options=(*item.options[:3], "None"), key=0, refusal=3)),
        ("repeated-option", replace(item, options=(item.options[0], shouted, *item.options[2:]))),
        ("answer-in-question", replace(item, question=f"Where is what stands {item.right_text}?")),
        ("answer-in-question", Item("7", "1", "What was the cup washed in?", answer="cup", pool=("cup", "wash"))),
        ("answer-outside", Item("7", "1", "What is washed?", answer="cup", pool=("pan", "wash"))),
    ):
        items = clean(200)
        items[7] = replace(slipped, item_id="7")
        assert {(slip.code, slip.item_id) for slip in slips(items)} == {(code, "7")}
