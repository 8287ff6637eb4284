"""A limit takes items spread over scenarios and kinds, the same ones in every run."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from shipped import TASKS

from tsgkit import evaluate
from tsgkit.cli import main
from tsgkit.errors import UsageError
from tsgkit.library.cards import load_card
from tsgkit.suites.item_choice import ItemChoice
from tsgkit.suites.suite import task_of
from tsgkit.suites.task import Dataset


def dataset_of(task: str) -> Dataset:
    return task_of(load_card(f"tsg/{task}")).dataset(str(TASKS / "tsg" / "data" / "tsgkit-2" / f"{task}.jsonl"))


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
