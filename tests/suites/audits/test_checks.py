"""Planted slips of every kind are found, and clean items stay clean."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

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


def _twice(items: list[Item]) -> None:
    items[7] = replace(items[3], item_id="7")


def _twin(items: list[Item]) -> None:
    right = items[3].right_text
    others = tuple("on the moon" if option != right and option != "None" else option for option in items[3].options[:4])
    marked = tuple(f"{option} {place}" if option == "on the moon" else option for place, option in enumerate(others))
    items[7] = replace(items[3], item_id="7", options=(*marked, "None"))


def _elsewhere(items: list[Item]) -> None:
    items[7] = replace(items[3], item_id="7", context="another image")


def _key_is_none(items: list[Item]) -> None:
    items[7] = replace(items[7], key=4)


def _key_is_nowhere(items: list[Item]) -> None:
    items[7] = replace(items[7], key=9)


def _short(items: list[Item]) -> None:
    items[7] = replace(items[7], options=(*items[7].options[:3], "None"), key=0, refusal=3)


def _repeated(items: list[Item]) -> None:
    options = items[7].options
    items[7] = replace(items[7], options=(options[0], options[0].upper() + ".", *options[2:]))


def _leak(items: list[Item]) -> None:
    items[7] = replace(items[7], question=f"Where is what stands {items[7].right_text}?")


def _outside(items: list[Item]) -> None:
    items[7] = Item("7", "1", "What is washed?", answer="cup", pool=("pan", "wash"))


def _open_leak(items: list[Item]) -> None:
    items[7] = Item("7", "1", "What was the cup washed in?", answer="cup", pool=("cup", "wash"))


def _unanswered(items: list[Item]) -> None:
    items[7] = Item("7", "1", "What is washed?", pool=("pan", "wash"))


@pytest.mark.parametrize(
    ("plant", "code"),
    [
        (_twice, "duplicate"),
        (_twin, "twin"),
        (_elsewhere, "repeated-question"),
        (_key_is_none, "no-key"),
        (_key_is_nowhere, "no-key"),
        (_short, "few-options"),
        (_repeated, "repeated-option"),
        (_leak, "answer-in-question"),
        (_outside, "answer-outside"),
        (_open_leak, "answer-in-question"),
        (_unanswered, "no-key"),
    ],
)
def test_a_planted_slip_is_found_where_it_is(plant: Callable[[list[Item]], None], code: str) -> None:
    items = clean(200)
    plant(items)
    assert {(slip.code, slip.item_id) for slip in slips(items)} == {(code, "7")}
