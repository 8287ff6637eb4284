"""Labels beside a run: saved at once, by annotator, in the file that ``agree --human`` reads."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from served import Client

from tsgkit.cli import main
from tsgkit.errors import UsageError
from tsgkit.runs.plan import Cell
from tsgkit.serve.labels import Label, Labels, labels_file

Serve = Callable[..., Client]
CELL = Cell("a model", "tsg/sgds", "single", "cot", 0)


@pytest.fixture
def run(finished: Path, tmp_path: Path) -> Path:
    shutil.copytree(finished, tmp_path / "mine")
    return tmp_path / "mine"


def lines(run: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in labels_file(run).read_text().splitlines()]


def test_label_is_saved_changed_and_removed(serve: Serve, run: Path) -> None:
    client = serve(run)
    item = client.data("samples", run="mine")["item"][3]
    status, found = client.label("mine", number=3, verdict="wrong", note="the other hand\n")
    mine = {"number": 3, "question": "", "rater": "ann", "verdict": "wrong", "note": "the other hand\n"}
    assert (status, found["labels"]) == (200, [mine])
    (line,) = lines(run)
    assert (line["item_id"], line["rater"], line["right"], line["note"]) == (item, "ann", False, "the other hand\n")
    _, found = client.label("mine", number=3, verdict="unsure")
    assert found["labels"] == [mine | {"verdict": "unsure", "note": ""}]
    _, found = client.label("mine", number=3, verdict=None)
    assert found["labels"] == []


def test_annotators_keep_their_own_labels_of_each_row_in_one_file(serve: Serve, run: Path) -> None:
    first, second = serve(run), serve(run, annotator="ben")
    items = first.data("samples", run="mine")["item"]
    same = [number for number, item in enumerate(items) if item == items[0]][:2]
    first.label("mine", number=same[0], verdict="right")
    first.label("mine", number=same[1], verdict="wrong")
    second.label("mine", number=same[0], verdict="wrong")
    found = first.data("labels", run="mine")["labels"]
    assert sorted((one["rater"], one["number"], one["verdict"]) for one in found) == [
        ("ann", same[0], "right"),
        ("ann", same[1], "wrong"),
        ("ben", same[0], "wrong"),
    ]


def test_agree_reads_the_labels(serve: Serve, run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    client = serve(run)
    columns = client.data("samples", run="mine")
    for number, mark in enumerate(columns["mark"]):
        client.label("mine", number=number, verdict="right" if mark == "r" else "wrong")
    client.label("mine", number=0, verdict="unsure")
    assert main(["agree", str(run), "--human", str(labels_file(run)), "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert sum(row["rated"] for row in rows) == columns["n"] - 1
    assert sum(row["unsure"] for row in rows) == 1
    assert {measure["value"] for row in rows for measure in row["measures"]} <= {1.0, None}


def test_what_is_no_label_is_refused_and_nothing_is_written(serve: Serve, run: Path) -> None:
    client = serve(run)
    cases: tuple[tuple[dict[str, Any], str], ...] = (
        ({"number": 0, "verdict": "perhaps"}, "no verdict perhaps"),
        ({"number": 99_999, "verdict": "right"}, "no sample 99,999"),
        ({"number": "0", "verdict": "right"}, "not a label"),
        ({"number": 0}, "not a label"),
        ({"number": 0, "verdict": "right", "rater": "somebody else"}, "not a label"),
        ({"number": 0, "verdict": "right", "note": "x" * 10_001}, "at most 10,000"),
        ({"number": 0, "verdict": "right", "note": "x" * 200_000}, "too long"),
    )
    for said, problem in cases:
        status, found = client.label("mine", **said)
        assert status == 400 and problem in found["message"], problem
    status, found = serve(run, annotator="").label("mine", number=0, verdict="right")
    assert (status, found["message"]) == (400, "labels need the name of the annotator")
    path, body = f"/{client.token}/data/labels?run=mine", b'{"number": 0, "verdict": "right"}'
    assert client.request(path, "POST", body, Origin="http://evil.example")[0] == 403
    assert not labels_file(run).exists()


def test_ratings_of_other_origin_are_kept_and_anything_else_is_never_overwritten(tmp_path: Path) -> None:
    labels = Labels(tmp_path / "mine")
    theirs = {"item_id": "tea/1", "rater": "ben", "label": "B", "group": "first year"}
    labels.file.write_text(json.dumps(theirs) + "\n")
    labels.save(Label(CELL, "tea/1", "", "right"), "ann")
    assert json.loads(labels.file.read_text().splitlines()[0]) == theirs
    assert len(labels.ratings()) == 2
    labels.file.write_text("notes of mine\n")
    with pytest.raises(UsageError, match="line 1"):
        labels.save(Label(CELL, "tea/1", "", "right"), "ann")
    assert labels.file.read_text() == "notes of mine\n"


def test_labels_saved_at_once_are_all_kept_as_they_are(tmp_path: Path) -> None:
    run = tmp_path / "mine"
    with ThreadPoolExecutor(8) as pool:
        done = pool.map(lambda n: Labels(run).save(Label(CELL, f"tea/{n}", "", "right"), f"r{n % 3}"), range(40))
        assert len(list(done)) == 40
    assert sorted(one["item_id"] for one in lines(run)) == sorted(f"tea/{n}" for n in range(40))
    odd = "<script>\u202e\u2028\n\"'"
    other = Labels(tmp_path / "odd")
    other.save(Label(CELL, odd, odd, "unsure", odd), odd)
    (one,) = other.ratings()
    assert (one.rater, one.place, one.right, one.note) == (odd, (odd, odd), None, odd)
