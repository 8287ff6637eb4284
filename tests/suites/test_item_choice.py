"""A limit takes items spread over scenarios and kinds, the same ones in every run."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shipped import TASKS

from tsgkit import evaluate
from tsgkit.cli import main
from tsgkit.errors import UsageError
from tsgkit.library.cards import load_card
from tsgkit.suites.item_choice import ItemChoice, Traits, chosen_numbers
from tsgkit.suites.suite import task_of
from tsgkit.suites.task import Dataset


def dataset_of(task: str) -> Dataset:
    return task_of(load_card(f"tsg/{task}")).dataset(str(TASKS / "tsg" / "data" / "tsgkit-2" / f"{task}.jsonl"))


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


@pytest.mark.parametrize("limit", [10, 62, 100])
def test_kinds_have_the_shares_that_they_have_in_the_data(limit: int) -> None:
    data = dataset_of("sgds")
    some = [data.sample(number) for number in data.chosen(ItemChoice(limit=limit))]
    assert len({sample.cluster for sample in some}) == min(limit, 62)
    kinds = Counter(sample.groups["tag"] for sample in some)
    assert abs(kinds[("mixed",)] - limit / 2) <= 1


def test_first_takes_the_first_and_ids_choose_before_a_limit_does() -> None:
    data = dataset_of("sa-sgg")
    assert list(data.chosen(ItemChoice(first=3))) == [0, 1, 2]
    ids = tuple(data.item_ids[number] for number in (9, 5, 7))
    assert list(data.chosen(ItemChoice(ids))) == [5, 7, 9]
    assert set(data.chosen(ItemChoice(ids, limit=2))) < {5, 7, 9}


@pytest.mark.parametrize(
    ("limit", "first", "said"), [(0, None, "--limit 0"), (None, -1, "--first -1"), (2, 2, "exclude each other")]
)
def test_choices_that_mean_nothing_are_refused(limit: int | None, first: int | None, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        ItemChoice((), limit, first)


def test_the_command_and_python_ask_the_same_items(tmp_path: Path) -> None:
    words = ["eval", "--task", "sgds", "--limit", "7", "--out", str(tmp_path / "one"), "--quiet"]
    assert main(words) == 0
    run = evaluate("sgds", limit=7, out=tmp_path / "two", quiet=True)
    one, two = ((tmp_path / name / "samples.jsonl").read_text() for name in ("one", "two"))
    assert one == two and len(run.samples) == 7
