"""Datasets stay in the user's data home, each file with a record of where it came from."""

from __future__ import annotations

import fcntl
import json
import threading
from pathlib import Path
from typing import TextIO

import pytest
from refusals import refusal

from tsgkit.errors import FileProblem, UsageError
from tsgkit.library.bundle import bundled
from tsgkit.library.catalogue import known
from tsgkit.library.datasets import (
    dataset,
    dataset_file,
    dataset_value,
    datasets,
    installed,
    shipped,
    store,
)
from tsgkit.library.downloads import checksum_of_bytes

BENCH = known("tsg-bench")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TSGKIT_DATA_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def put(task: str, data: bytes = b"{}", rows: int = 1) -> None:
    store(BENCH, BENCH.file(task), data, "/somewhere", rows, {"no-dobj": 2})


def test_missing_dataset_error_names_get_and_import(home: Path) -> None:
    assert installed() == ()
    with pytest.raises(UsageError, match="data of sgqa of tsg-bench are not on this machine") as caught:
        dataset_file("tsg-bench", "sgqa")
    assert "tsgkit data get tsg-bench" in caught.value.hint
    assert "tsgkit data import tsg-bench DIR" in caught.value.hint
    assert not home.exists()


def test_a_stored_file_is_found_and_recorded(home: Path) -> None:
    put("sgds", b'{"a": 1}')
    assert dataset_file("tsg-bench", "sgds") == home / "tsg-bench" / "sgds.jsonl"
    record = json.loads((home / "tsg-bench" / "dataset.json").read_text())
    assert (record["name"], record["repository"]) == ("tsg-bench", "docworlds/tsg-bench")
    [file] = record["files"]
    assert file["when"].endswith("Z")
    assert {name: file[name] for name in file if name != "when"} == {
        "name": "sgds.jsonl",
        "task": "sgds",
        "origin": "/somewhere",
        "sha256": checksum_of_bytes(b'{"a": 1}').removeprefix("sha256:"),
        "bytes": 8,
        "rows": 1,
        "expected_rows": 250,
        "official": False,
        "findings": {"no-dobj": 2},
    }


def test_one_more_file_adds_to_what_is_there_and_one_again_replaces(home: Path) -> None:
    put("sgds", b"old")
    put("sgqa")
    put("sgds", b"new", 2)
    assert [(file.task, file.rows) for file in dataset("tsg-bench").files] == [("sgqa", 1), ("sgds", 2)]
    assert dataset_file("tsg-bench", "sgds").read_bytes() == b"new"
    assert dataset("tsg-bench").missing == ("sa-sgg", "ma-sgg")


def test_a_dataset_is_complete_with_all_its_rows(home: Path) -> None:
    for file in BENCH.files:
        assert not dataset("tsg-bench").is_complete
        put(file.task, rows=file.rows or 0)
    assert dataset("tsg-bench").is_complete
    put("sgqa", rows=99)
    assert not dataset("tsg-bench").is_complete


def test_a_file_changed_behind_our_back_is_not_handed_out(home: Path) -> None:
    put("sgqa")
    (home / "tsg-bench" / "sgqa.jsonl").write_text("changed")
    with pytest.raises(UsageError, match="changed since"):
        dataset_file("tsg-bench", "sgqa")


def test_a_file_that_was_deleted_is_not_there(home: Path) -> None:
    put("sgqa")
    (home / "tsg-bench" / "sgqa.jsonl").unlink()
    with pytest.raises(UsageError, match="not on this machine"):
        dataset_file("tsg-bench", "sgqa")


def test_a_broken_record_is_named(home: Path) -> None:
    put("sgqa")
    record = home / "tsg-bench" / "dataset.json"
    rows: list[str] = ["{", "[]", '{"files": [{"name": "x"}]}', "[" * 100_000]
    for text in rows:
        record.write_text(text)
        assert "not the record of a dataset" in refusal(FileProblem, dataset_file, "tsg-bench", "sgqa"), text[:99]


def test_a_name_in_a_record_never_leads_elsewhere(home: Path) -> None:
    put("sgqa")
    record = home / "tsg-bench" / "dataset.json"
    good = record.read_text()
    rows: list[str] = ["../../secret", "/etc/passwd", "a/b"]
    for name in rows:
        record.write_text(good.replace('"sgqa.jsonl"', json.dumps(name)))
        assert "not the record" in refusal(FileProblem, dataset_file, "tsg-bench", "sgqa"), name


def test_a_dataset_that_the_catalogue_no_longer_knows_is_still_listed(home: Path) -> None:
    put("sgqa")
    (home / "tsg-bench").rename(home / "older")
    listed = datasets()
    assert [(one.name, len(one.files)) for one in listed][-2:] == [("tsg-bench", 0), ("older", 1)]
    value = dataset_value(listed[-1])
    assert (value["known"], value["installed"], value["missing"]) == (False, True, [])


def test_writers_wait_for_each_other_so_that_no_file_is_lost(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put("sgqa")
    is_asked, real = threading.Event(), fcntl.flock

    def flock(file: TextIO, how: int) -> None:
        with pytest.raises(BlockingIOError):
            real(file, how | fcntl.LOCK_NB)
        is_asked.set()
        real(file, how)

    writer = threading.Thread(target=put, args=("sgds",))
    with (home / "tsg-bench" / ".lock").open("w") as lock:
        real(lock, fcntl.LOCK_EX)
        monkeypatch.setattr(fcntl, "flock", flock)
        writer.start()
        assert is_asked.wait(20)
        assert len(dataset("tsg-bench").files) == 1
    writer.join(20)
    assert len(dataset("tsg-bench").files) == 2


def test_a_home_that_cannot_be_made_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("x")
    monkeypatch.setenv("TSGKIT_DATA_HOME", str(tmp_path / "file"))
    with pytest.raises(FileProblem, match="cannot be made") as caught:
        put("sgqa")
    assert "TSGKIT_DATA_HOME" in caught.value.hint


def test_data_that_come_with_the_toolkit_are_counted() -> None:
    rows = {(file.suite, file.task, file.dataset): file.rows for file in shipped()}
    text = (bundled("tasks") / "tsg" / "data" / "tsgkit-1" / "ma-sgg.jsonl").read_text(encoding="utf-8")
    assert rows["tsg", "ma-sgg", "tsgkit-1"] == text.count("\n") > 0
