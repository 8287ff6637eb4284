"""The baselines on published rows, where a folder with them is given."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tsg_tasks import BASELINES, read_reply, samples_of

from tsgkit.library.documents.reader import read_file
from tsgkit.suites.replies import Reply
from tsgkit.suites.tsg.items import QuestionSample, SelectionSample

FOLDER = os.environ.get("TSGKIT_OFFICIAL_DATA", "")
pytestmark = pytest.mark.skipif(not FOLDER, reason="TSGKIT_OFFICIAL_DATA names no folder with published rows")


def accuracy(task: str, name: str, seed: int = 0) -> float:
    samples = samples_of(read_file(Path(FOLDER, f"tsg_{task}_sample.jsonl")), task)
    right = 0
    for sample in samples:
        reply = BASELINES[name](sample, seed)
        if isinstance(sample, SelectionSample | QuestionSample):
            right += read_reply(sample, Reply(reply))[1] == sample.answer
    return right / len(samples)


@pytest.mark.parametrize("task", ["sgds", "sgqa"])
def test_rules_are_right_in_more_than_half_of_the_published_rows(task: str) -> None:
    assert accuracy(task, "rules") > 0.5


@pytest.mark.parametrize(("task", "low", "high"), [("sgds", 0.1, 0.3), ("sgqa", 0.0, 0.2)])
def test_guesses_are_right_as_often_as_chance_has_it(task: str, low: float, high: float) -> None:
    seeds = range(40)
    assert low < sum(accuracy(task, "random", seed) for seed in seeds) / len(seeds) < high
