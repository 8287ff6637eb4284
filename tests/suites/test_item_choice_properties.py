"""What a limit chooses, for any scenarios and kinds."""

from __future__ import annotations

import random
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from tsgkit.suites.item_choice import ItemChoice, Traits, chosen_numbers


def chosen(rows: list[tuple[str, str, str]], choice: ItemChoice) -> list[str]:
    """Return the ids of the chosen of some rows (id, scenario, kind)."""
    ids = [row[0] for row in rows]
    found = chosen_numbers(ids, range(len(rows)), choice, lambda number: Traits(rows[number][1], (rows[number][2],)))
    assert list(found) == sorted(found)
    return [ids[number] for number in found]


ROWS = st.lists(
    st.tuples(st.integers(0, 400).map(str), st.sampled_from("abcde"), st.sampled_from("xyz")),
    min_size=1,
    max_size=60,
    unique_by=lambda row: row[0],
)


@given(ROWS, st.integers(1, 70), st.randoms(use_true_random=False))
def test_the_order_of_the_file_changes_no_choice(
    rows: list[tuple[str, str, str]], limit: int, lots: random.Random
) -> None:
    shuffled = lots.sample(rows, len(rows))
    assert set(chosen(rows, ItemChoice(limit=limit))) == set(chosen(shuffled, ItemChoice(limit=limit)))


@given(ROWS, st.integers(1, 70), st.integers(0, 30))
def test_a_larger_limit_adds_items_and_takes_none_away(rows: list[tuple[str, str, str]], limit: int, more: int) -> None:
    small, large = (chosen(rows, ItemChoice(limit=number)) for number in (limit, limit + more))
    assert set(small) <= set(large) and len(small) == min(limit, len(rows))


@given(ROWS, st.integers(1, 70))
def test_no_scenario_has_two_more_than_another_that_has_items_left(
    rows: list[tuple[str, str, str]], limit: int
) -> None:
    of = {item_id: scenario for item_id, scenario, _ in rows}
    held = Counter(of.values())
    taken = Counter(of[item_id] for item_id in chosen(rows, ItemChoice(limit=limit)))
    open_ones = [taken[scenario] for scenario in held if taken[scenario] < held[scenario]]
    assert not open_ones or max(taken.values()) <= min(open_ones) + 1
