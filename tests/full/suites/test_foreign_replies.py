"""Replies of others: logs of lm-evaluation-harness (0.4.13), and texts that are made to take a reader for ever."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from fuzzing import alarm
from hostile_texts import hostile_texts
from reader_promises import REPLY_READERS
from samples import lines
from shipped import DATA

import tsgkit as tk
from tsgkit.cli import main
from tsgkit.errors import FileProblem, UsageError
from tsgkit.graph.reading import read
from tsgkit.suites.scoreboard import ScoreReport

ROWS = DATA / "sgds.jsonl"
IDS = [json.loads(line)["item_id"] for line in ROWS.read_text(encoding="utf-8").splitlines()]


def sample(item_id: str, *replies: str, **more: object) -> dict[str, Any]:
    """Return a line as the harness logs it: the row is the document."""
    arguments = {"gen_args_0": {"arg_0": "Which?", "arg_1": {"until": ["\n\n"]}}}
    line = {"doc_id": IDS.index(item_id), "doc": {"item_id": item_id, "context": "..."}, "arguments": arguments}
    return line | {"resps": [list(replies)], "filter": "none"} | more


def scored(folder: Path, *samples: dict[str, Any], data: Path = ROWS, epoch: int | None = None) -> ScoreReport:
    file = folder / "samples_sgds_2026-01-31.jsonl"
    file.write_text(lines(*samples))
    return tk.score("sgds", data, file, source="lm-eval", epoch=epoch)


def test_one_of_several_repetitions_is_chosen_and_samples_of_no_item_are_told(tmp_path: Path) -> None:
    thrice = sample(IDS[0], "[A]", "[B]", "[C]")
    with pytest.raises(UsageError, match="there are 3 repetitions") as problem:
        scored(tmp_path, thrice)
    assert problem.value.hint == "choose one: --epoch 1"
    second = scored(tmp_path, thrice, epoch=2)
    assert next(one.answer for one in second.judged if one.sample.item_id == IDS[0]) == "B"
    with pytest.raises(UsageError, match="there is no repetition 4"):
        scored(tmp_path, thrice, epoch=4)
    twice = scored(tmp_path, sample(IDS[0], "[A]"), sample(IDS[0], "[A]", filter="flexible"))
    assert twice.board.counts["answered"] == 1
    other = sample(IDS[0], "[A]") | {"doc": {"item_id": "other/1"}, "doc_id": 4_000}
    assert "1 sample is of no item of the data" in scored(tmp_path, other, sample(IDS[1], "[A]")).notes
    rows = tmp_path / "rows.jsonl"
    given = (json.loads(line) | {"item_id": str(n)} for n, line in enumerate(ROWS.read_text("utf-8").splitlines()))
    rows.write_text(lines(*given))
    numbered = sample(IDS[0], "[A]") | {"doc": {"query": "Which?"}, "doc_id": 1}
    for data, one, hint in ((ROWS, other, "other/1"), (rows, numbered, "only numbered")):
        with pytest.raises(UsageError, match="no sample is of an item of the data") as problem:
            scored(tmp_path, one, data=data)
        assert hint in problem.value.hint


def test_what_is_no_sample_log_is_refused_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "x.jsonl"
    for text, message in (
        ("", "no sample is of an item"),
        ("[" * 100_000, "line 1: not JSON"),
        ('{"resps": "[A]"}', "it has no resps"),
        ('{"doc": {"item_id": "x"}, "resps": [[[-0.5, true]]]}', "resps hold no texts"),
    ):
        file.write_text(text, encoding="utf-8")
        with pytest.raises(UsageError, match=message) as problem:
            tk.score("sgds", ROWS, file, source="lm-eval")
        assert "\n" not in problem.value.message
    with pytest.raises(FileProblem):
        tk.score("sgds", ROWS, tmp_path, source="lm-eval")
    for wrong, message in (
        (["--from", "inspekt", str(file)], "there are no logs of inspekt"),
        (["--from", "lm-eval", "-"], "a log is no standard input"),
        (["--from", "lm-eval", "nothing.jsonl"], "nothing.jsonl: no such file"),
        (["--replies", str(file), "--epoch", "1"], "--epoch is said of a log"),
    ):
        assert main(["score", "--task", "sgds", "--data", str(ROWS), *wrong]) == 2
        assert message in capsys.readouterr().err


LONG = 60_000
SECONDS = 12.0
"""Many times what one of them takes; a reader whose time grows with the square of the text takes longer."""
TEXTS = {
    "thinking before a triplet": "<think>" + "x" * LONG + "</think> person -> verb -> lift",
    "spaces before a letter": " " * LONG + "x",
    "spaces before a bracket closes": '["a", "b", "c"' + " " * LONG + "x",
    "spaces behind a number": "1: " + " " * LONG + "x",
    "spaces behind an answer": "the answer is" + " " * LONG + "?",
    "a number of many digits": "[" + "1" * LONG + "x]",
    "escaped quotes": '["' + '\\"' * (LONG // 2),
    "fences that never close": "```{" * (LONG // 4),
}


def test_time_of_a_reader_grows_with_the_length_of_a_text() -> None:
    for reader in REPLY_READERS.values():
        for text in TEXTS.values():
            with alarm(SECONDS):
                reader(text)
    assert len(read(TEXTS["thinking before a triplet"]).graphs) == 1
    for kind, text in hostile_texts(10_000).items():
        reading = read(text, 5)
        assert reading.notes or kind == "parts", kind
        assert all(len(note.text) < 200 for note in reading.notes), kind
