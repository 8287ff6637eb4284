"""A limit takes items spread over scenarios and kinds, the same ones in every run; images are made of some tasks."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from image_suite import install
from shipped import TASKS

from tsgkit.errors import UsageError
from tsgkit.library.cards import load_card
from tsgkit.suites.item_choice import ItemChoice, Traits, chosen_numbers
from tsgkit.suites.paintable import Painting, PaintingOptions, paintable_names, paintable_task
from tsgkit.suites.suite import task_of


def test_kinds_have_their_shares_first_takes_the_first_and_ids_choose_before_a_limit_does() -> None:
    data = task_of(load_card("tsg/sgds")).dataset(str(TASKS / "tsg" / "data" / "tsgkit-2" / "sgds.jsonl"))
    for limit in (10, 62, 100):
        some = [data.sample(number) for number in data.chosen(ItemChoice(limit=limit))]
        assert len({sample.cluster for sample in some}) == min(limit, 62)
        kinds = Counter(sample.groups["tag"] for sample in some)
        assert abs(kinds[("mixed",)] - limit / 2) <= 1
    assert list(data.chosen(ItemChoice(first=3))) == [0, 1, 2]
    ids = tuple(data.item_ids[number] for number in (9, 5, 7))
    assert list(data.chosen(ItemChoice(ids))) == [5, 7, 9]
    assert set(data.chosen(ItemChoice(ids, limit=2))) < {5, 7, 9}
    for limits, said in (((0, None), "--limit 0"), ((None, -1), "--first -1"), ((2, 2), "exclude each other")):
        with pytest.raises(UsageError, match=said):
            ItemChoice((), *limits)


Rows = list[tuple[str, str, str]]
ROWS = st.lists(
    st.tuples(st.integers(0, 400).map(str), st.sampled_from("abcde"), st.sampled_from("xyz")),
    min_size=1,
    max_size=60,
    unique_by=lambda row: row[0],
)


def chosen(rows: Rows, limit: int) -> list[str]:
    """Return the ids of the chosen of some rows (id, scenario, kind)."""
    ids = [row[0] for row in rows]
    traits = [Traits(scenario, (kind,)) for _, scenario, kind in rows]
    found = chosen_numbers(ids, range(len(rows)), ItemChoice(limit=limit), traits.__getitem__)
    assert list(found) == sorted(found)
    return [ids[number] for number in found]


@given(ROWS, st.integers(1, 70), st.integers(0, 30), st.randoms(use_true_random=False))
def test_a_limit_spreads_over_scenarios_whatever_the_order_and_a_larger_one_adds_items(
    rows: Rows, limit: int, more: int, lots: random.Random
) -> None:
    small = chosen(rows, limit)
    assert len(small) == min(limit, len(rows))
    assert set(small) == set(chosen(lots.sample(rows, len(rows)), limit))
    assert set(small) <= set(chosen(rows, limit + more))
    of = {item_id: scenario for item_id, scenario, _ in rows}
    held, taken = Counter(of.values()), Counter(of[item_id] for item_id in small)
    open_ones = [taken[scenario] for scenario in held if taken[scenario] < held[scenario]]
    assert not open_ones or max(taken.values()) <= min(open_ones) + 1


def test_a_task_offers_images_or_the_error_names_those_that_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, {"7": "A red cup.", "8": "A blue cup."}, monkeypatch)
    found = paintable_task("demo/cups").paintings(None, ItemChoice(first=1), PaintingOptions())
    assert list(found) == [Painting("7", "A red cup.")]
    for name in ("tsg/sgqa", "demo/words"):
        with pytest.raises(UsageError, match=f"{name} has no images to make") as error:
            paintable_task(name)
        assert error.value.hint.startswith("tasks that have: ") and "demo/cups" in error.value.hint
    (tmp_path / "tasks/demo/broken.yaml").write_text("task: nowhere/at-all\n")
    names = paintable_names()
    assert "demo/cups" in names and "demo/words" not in names, "a card that is broken hides no other"
