"""Pools of worked examples: drawn by lot, spread over rows, and disjoint from what is asked."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

import pytest

from tsgkit.errors import UsageError
from tsgkit.suites.solvers.examples import Example, Identity, Pool


class Item(NamedTuple):
    item_id: str
    words: str
    cluster: str = ""
    groups: Mapping[str, tuple[str, ...]] = MappingProxyType({})


def identity(item: Item) -> Identity:
    return Identity((item.words,), (item.cluster,) if item.cluster else ())


def pool(*items: Item, sources: tuple[str, ...] = ()) -> Pool[Item]:
    named = sources or ("",) * len(items)
    examples = [Example(item, "[cup]", source=source) for item, source in zip(items, named, strict=True)]
    return Pool("pool.jsonl", tuple(examples), identity)


NINE = pool(*(Item(str(number), f"cup {number}") for number in range(9)))


def test_fewer_shots_are_the_beginning_of_more_and_the_seed_decides() -> None:
    assert NINE.drawn(8, 1)[:3] == NINE.drawn(3, 1)
    assert len({tuple(one.item.item_id for one in NINE.drawn(9, seed)) for seed in range(5)}) == 5
    assert NINE.drawn(0) == NINE.chosen(0, 0, [Item("0", "cup 0")]) == ()
    with pytest.raises(UsageError, match="the number of examples is not negative"):
        NINE.drawn(-1)
    with pytest.raises(UsageError, match="the pool has 9, --shots 10 asks for more"):
        NINE.drawn(10)


def test_a_second_example_of_a_row_comes_only_when_every_row_had_its_turn() -> None:
    items = [Item(str(number), str(number)) for number in range(6)]
    spread = pool(*items, sources=("a", "a", "a", "b", "b", "c"))
    for seed in range(10):
        assert [one.source for one in spread.drawn(6, seed)[:3]] != ["a", "a", "a"]
        assert {one.source for one in spread.drawn(3, seed)} == {"a", "b", "c"}


def test_an_example_that_is_asked_or_of_a_scenario_that_is_asked_is_refused() -> None:
    shown = pool(Item("shown", "a cup", "kitchen"))
    for asked, said in (
        (Item("x", "a cup"), "example shown is item x"),
        (Item("x", "a lid", "kitchen"), "example shown and item x are of one scenario kitchen"),
        (Item("x", "a cup", "kitchen"), "example shown is item x"),
    ):
        with pytest.raises(UsageError, match=f"examples must share nothing with the data: {said}$"):
            shown.chosen(1, 0, [Item("y", "a jar", "attic"), asked])
    [example] = shown.chosen(1, 0, [Item("shown", "a lid", "attic")])
    assert example.item.item_id == "shown", "ids alone make nothing the same"


def test_of_many_clashes_some_are_named_each_once() -> None:
    with pytest.raises(UsageError) as raised:
        NINE.check_disjoint([Item(f"asked-{number}", f"cup {number % 5}") for number in range(20)])
    assert raised.value.message.count("is item asked-") == 3
    assert raised.value.message.endswith("; and more")
