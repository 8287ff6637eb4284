"""Rows read when they are needed are the rows of the file, and what is wrong with a file is said at once."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from prompt_items import TASKS, row
from shipped import DATA
from tsg_tasks import rows_in, samples_of

from tsgkit.errors import FileProblem, UsageError
from tsgkit.library.documents.reader import read_file
from tsgkit.suites.item_choice import ItemChoice
from tsgkit.suites.tsg import dataset
from tsgkit.suites.tsg.inspection import kinds_of

OFFICIAL = os.environ.get("TSGKIT_OFFICIAL_DATA", "")


def text_of(*rows: object) -> bytes:
    return b"".join(json.dumps(one).encode() + b"\n" for one in rows)


def written(folder: Path, content: bytes) -> Path:
    path = folder / "rows.jsonl"
    path.write_bytes(content)
    return path


def test_the_samples_are_those_of_the_whole_file(monkeypatch: pytest.MonkeyPatch) -> None:
    for task, kept in (*((task, 7_000) for task in TASKS), ("sgqa", 0), ("sgds", 1_000_000)):
        monkeypatch.setattr(dataset, "KEPT", kept)
        path = DATA / f"{task}.jsonl"
        lazily, whole = rows_in(path, task), samples_of(read_file(path), task)
        assert tuple(lazily) == whole, task
        assert tuple(lazily.sample(number) for number in reversed(range(len(lazily)))) == whole[::-1], task
        assert list(lazily.item_ids) == [sample.item_id for sample in whole], task


@pytest.mark.skipif(not OFFICIAL, reason="TSGKIT_OFFICIAL_DATA names no folder with published rows")
def test_published_rows_are_those_of_the_whole_file() -> None:
    for task in ("sgqa", "sgds"):
        path = Path(OFFICIAL, f"tsg_{task}_sample.jsonl")
        assert tuple(rows_in(path, task)) == samples_of(read_file(path), task)


def test_marks_line_ends_and_blank_lines_change_no_sample(tmp_path: Path) -> None:
    rows = [row("sgqa", name) for name in ("first", "second", "third")]
    for one in rows:
        del one["item_id"]  # so that the ids are the numbers of the rows
    lines = text_of(*rows).splitlines()
    for content in (
        b"\xef\xbb\xbf" + b"\n".join(lines),
        b"\xef\xbb\xbf\n" + b"\n".join(lines),
        b"\r\n".join(lines) + b"\r\n",
        b"\n\n" + b"\n  \n\n".join(lines) + b"\n\n\n",
        b"\n".join(lines),
    ):
        path = written(tmp_path, content)
        found = rows_in(path, "sgqa")
        assert list(found.item_ids) == ["0/0", "1/0", "2/0"]
        assert tuple(found) == samples_of(read_file(path), "sgqa")


def test_row_errors_name_their_line(tmp_path: Path) -> None:
    for second, said in (
        (b"{oops\n", "line 2: "),
        (b"[]\n", "line 2: sgqa is made of sgqa rows, and this is none of our rows"),
        (text_of(row("sgds", "other")), "line 2: sgqa is made of sgqa rows, and this is sgds"),
        (text_of(row("sgqa", "first")), "line 2: the item id first"),
        (b'{"a": "\xff"}\n', "line 2: not UTF-8 text"),
        (b"\xff\xfe{\x00\n", "line 2: not UTF-8 text"),
        (text_of(row("sgqa", "second") | {"qa_pairs": "none"}), "line 2: "),
        (b"9" * 5000 + b"\n", "line 2: "),
        (b"[" * 100_000 + b"\n", "line 2: "),
    ):
        path = written(tmp_path, text_of(row("sgqa", "first")) + second)
        with pytest.raises(UsageError) as raised:
            rows_in(path, "sgqa")
        assert str(raised.value).startswith(f"{path}: {said}"), raised.value
    for content in (b"", b"\n \r\n\n", b"\xef\xbb\xbf"):
        with pytest.raises(UsageError, match=r"rows\.jsonl: there are no items in it"):
            rows_in(written(tmp_path, content), "sgqa")


def test_a_folder_and_a_missing_file_are_named(tmp_path: Path) -> None:
    written(tmp_path, text_of(row("sgqa", "first")))
    with pytest.raises(FileProblem, match="this is a folder"):
        rows_in(tmp_path, "sgqa")
    with pytest.raises(FileProblem, match="no such file") as raised:
        rows_in(tmp_path / "rovs.jsonl", "sgqa")
    assert raised.value.hint == f"{tmp_path / 'rows.jsonl'}?"


def test_rows_of_one_graph_are_taken_among_rows_of_several_only(tmp_path: Path) -> None:
    path = written(tmp_path, text_of(row("sa-sgg", "one"), row("ma-sgg", "two")))
    assert tuple(rows_in(path, "ma-sgg")) == samples_of(read_file(path), "ma-sgg")
    assert [sample.is_single for sample in rows_in(path, "ma-sgg")] == [True, False]
    assert kinds_of(path) == ("ma-sgg",)
    with pytest.raises(UsageError, match="item two has k = 2, so it belongs to ma-sgg, not sa-sgg"):
        rows_in(path, "sa-sgg")
    path = written(tmp_path, text_of(row("sa-sgg", "one"), row("sa-sgg", "two")))
    for task in ("ma-sgg", "nodes-ma"):
        with pytest.raises(UsageError, match="every item has one graph, so these are rows of sa-sgg"):
            rows_in(path, task)
    assert kinds_of(path) == ("sa-sgg",)


def test_a_file_that_changes_while_it_is_used_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dataset, "KEPT", 1)
    for other in ("secone", "second"):
        path = written(tmp_path, text_of(row("sgqa", "first"), row("sgqa", "second", "mug")))
        found = rows_in(path, "sgqa")
        assert found.sample(1).item_id == "second/0"
        path.write_bytes(text_of(row("sgqa", "first"), row("sgqa", other, "cup")))
        assert found.sample(0).item_id == "first/0", "an item in memory stays"
        with pytest.raises(FileProblem, match="the file was changed while it was in use"):
            found.sample(1)


def test_chosen_samples_stand_in_the_order_of_the_file() -> None:
    found = rows_in(DATA / "sgqa.jsonl", "sgqa")
    ids = list(found.item_ids)
    assert list(found.chosen(ItemChoice((ids[5], ids[2], ids[5])))) == [2, 5]
    assert list(found.chosen(ItemChoice((ids[5], ids[2]), first=1))) == [2]
    assert list(found.chosen(ItemChoice(first=3))) == [0, 1, 2]
    assert len(found.chosen()) == len(found.chosen(ItemChoice(limit=10_000))) == len(found)
    with pytest.raises(UsageError, match="there is no item nobody"):
        found.chosen(ItemChoice(("nobody",)))
    assert found.chosen_hash([0, 1]) != found.chosen_hash([1, 0])
