"""Pools of worked examples: drawn by lot, spread over rows, and disjoint from what is asked."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from tsgkit.errors import UsageError
from tsgkit.suites.solvers.examples import Example, Identity, Pool


class Item(NamedTuple):
    item_id: str
    words: str
    scenario: str = ""

    @property
    def cluster(self) -> str:
        return self.scenario

    @property
    def groups(self) -> dict[str, tuple[str, ...]]:
        return {}


def identity(item: Item) -> Identity:
    return Identity((item.words,), (item.scenario,) if item.scenario else ())


def pool(*items: Item, sources: tuple[str, ...] = ()) -> Pool[Item]:
    named = sources or ("",) * len(items)
    examples = [Example(item, "[cup]", source=source) for item, source in zip(items, named, strict=True)]
    return Pool("pool.jsonl", tuple(examples), identity)


NINE = pool(*(Item(str(number), f"cup {number}") for number in range(9)))


def drawn(shots: int, seed: int) -> list[str]:
    return [example.item.item_id for example in NINE.drawn(shots, seed)]


def test_fewer_shots_are_the_beginning_of_more_and_the_seed_decides() -> None:
    assert drawn(8, 1)[:3] == drawn(3, 1)
    assert len({tuple(drawn(9, seed)) for seed in range(5)}) == 5
    assert NINE.drawn(0) == NINE.chosen(0, 0, [Item("0", "cup 0")]) == ()


def test_a_number_of_shots_that_the_pool_cannot_give_is_refused() -> None:
    for shots, said in (
        (-1, "the number of examples is not negative"),
        (10, "the pool has 9, --shots 10 asks for more"),
    ):
        with pytest.raises(UsageError, match=said):
            NINE.drawn(shots)


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
