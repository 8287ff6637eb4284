"""Files are read and written whole; datasets stay in the data home, each with a record of where it came from."""

from __future__ import annotations

import fcntl
import json
import os
import threading
from pathlib import Path
from typing import TextIO

import pytest
from refusals import refusal
from shipped import DATA

from tsgkit.errors import FileProblem, UsageError
from tsgkit.library.datasets import (
    dataset,
    dataset_file,
    dataset_value,
    datasets,
    default_file,
    installed,
    known,
    store,
)
from tsgkit.library.datasets import shipped as shipped_data
from tsgkit.library.downloads import checksum_of_bytes
from tsgkit.library.files import read_text, write_text
from tsgkit.user_folders import cache_home, data_home

BENCH = known("tsg-bench")


def test_a_file_is_read_or_refused_with_its_place_and_written_whole_with_nothing_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "graphs.jsonl"
    for data, message in (
        (b"\xff\xfea\x00", "UTF-16"),
        (b"one\ntwo \xe9 three", "line 2: not UTF-8 text"),
        (b"one\n\n\x00", "line 3: holds a NUL byte"),
        (bytes(range(256)), "not UTF-8"),
    ):
        path.write_bytes(data)
        found = refusal(FileProblem, read_text, path)
        assert message in found and str(path) in found, data
    path.write_bytes(b"\xef\xbb\xbfabc")
    assert read_text(path) == "abc"
    for name, message, hint in (
        ("graph.jsonl", "no such file", "graphs.jsonl?"),
        ("nowhere/graphs.txt", "no such file", "no folder"),
        ("", "this is a folder", ""),
        ("a\0b", "not a file name: embedded null byte", ""),
        ("x" * 5000, "cannot be read: File name too long", ""),
    ):
        with pytest.raises(FileProblem, match=message) as caught:
            read_text(tmp_path / name)
        assert hint in caught.value.hint, name[:20]
    path, link = tmp_path / "out.txt", tmp_path / "link.txt"
    path.write_text("old")
    path.chmod(0o640)
    link.symlink_to("out.txt")
    with pytest.raises(FileProblem, match="surrogate"):
        write_text(path, "\ud800")
    assert path.read_text() == "old"
    write_text(path, "tasse à thé\n")
    assert (path.read_bytes(), path.stat().st_mode & 0o777) == ("tasse à thé\n".encode(), 0o640)
    write_text(link, "new")
    assert (link.is_symlink(), path.read_text()) == (True, "new")
    assert sorted(other.name for other in tmp_path.iterdir()) == ["graphs.jsonl", "link.txt", "out.txt"]
    for name, message in (("", "this is a folder"), ("nowhere/out.txt", "cannot be written")):
        with pytest.raises(FileProblem, match=message):
            write_text(tmp_path / name, "x")
    write_text(os.devnull, "x")
    assert not Path(os.devnull).is_file(), "a device is written to as it is"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TSGKIT_DATA_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def put(task: str, data: bytes = b"{}", rows: int = 1) -> None:
    store(BENCH, BENCH.file(task), data, "/somewhere", rows, {"no-dobj": 2})


def test_files_are_stored_with_a_record_until_a_dataset_is_complete_with_all_its_rows(home: Path) -> None:
    assert installed() == ()
    with pytest.raises(UsageError, match="data of sgqa of tsg-bench are not on this machine") as caught:
        dataset_file("tsg-bench", "sgqa")
    assert "tsgkit data get tsg-bench" in caught.value.hint
    assert "tsgkit data import tsg-bench DIR" in caught.value.hint
    assert not home.exists()
    put("sgds", b'{"a": 1}')
    assert dataset_file("tsg-bench", "sgds") == home / "tsg-bench" / "sgds.jsonl"
    record = json.loads((home / "tsg-bench" / "dataset.json").read_text())
    assert (record["name"], record["repository"]) == ("tsg-bench", "docworlds/tsg-bench")
    [file] = record["files"]
    assert file.pop("when").endswith("Z")
    assert file == {
        "name": "sgds.jsonl", "task": "sgds", "origin": "/somewhere",
        "sha256": checksum_of_bytes(b'{"a": 1}').removeprefix("sha256:"), "bytes": 8, "rows": 1, "expected_rows": 250,
        "official": False, "findings": {"no-dobj": 2},
    }  # fmt: skip
    put("sgds", b"old")
    put("sgqa")
    put("sgds", b"new", 2)
    assert [(file.task, file.rows) for file in dataset("tsg-bench").files] == [("sgqa", 1), ("sgds", 2)]
    assert dataset_file("tsg-bench", "sgds").read_bytes() == b"new"
    assert dataset("tsg-bench").missing == ("sa-sgg", "ma-sgg")
    for file in BENCH.files:
        assert not dataset("tsg-bench").is_complete
        put(file.task, rows=file.rows or 0)
    assert dataset("tsg-bench").is_complete
    put("sgqa", rows=99)
    assert not dataset("tsg-bench").is_complete


def test_a_file_or_record_changed_behind_our_back_is_not_handed_out(home: Path) -> None:
    put("sgqa")
    file, record = home / "tsg-bench/sgqa.jsonl", home / "tsg-bench/dataset.json"
    file.write_text("changed")
    assert "changed since" in refusal(UsageError, dataset_file, "tsg-bench", "sgqa")
    file.unlink()
    assert "not on this machine" in refusal(UsageError, dataset_file, "tsg-bench", "sgqa")
    elsewhere = [json.dumps(name) for name in ("../../secret", "/etc/passwd", "a/b")]
    names = [record.read_text().replace('"sgqa.jsonl"', name) for name in elsewhere]
    for text in ("{", "[]", '{"files": [{"name": "x"}]}', "[" * 100_000, *names):
        record.write_text(text)
        assert "not the record of a dataset" in refusal(FileProblem, dataset_file, "tsg-bench", "sgqa"), text[:99]


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
        assert is_asked.wait(60)
        assert len(dataset("tsg-bench").files) == 1
    writer.join(60)
    assert len(dataset("tsg-bench").files) == 2


def test_a_home_that_cannot_be_made_is_said_and_shipped_data_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("x")
    monkeypatch.setenv("TSGKIT_DATA_HOME", str(tmp_path / "file"))
    with pytest.raises(FileProblem, match="cannot be made") as caught:
        put("sgqa")
    assert "TSGKIT_DATA_HOME" in caught.value.hint
    rows = {(file.suite, file.task, file.dataset): file.rows for file in shipped_data()}
    assert rows["tsg", "ma-sgg", "tsgkit-2"] == 446
    monkeypatch.setenv("TSGKIT_DATASET", str(DATA))
    found = [default_file(suite, task) for suite, task in (("tsg", "sgqa"), ("tsg", "nothing"), ("mine", "sgqa"))]
    assert found == [DATA / "sgqa.jsonl", None, None], "cards of suites of one's own name their data"
    monkeypatch.setenv("TSGKIT_DATASET", "tsgkit-3")
    assert "TSGKIT_DATASET=tsgkit-3: no such dataset or folder" in refusal(UsageError, default_file, "tsg", "sgqa")


def test_homes_of_cache_and_data_lie_where_the_user_says(monkeypatch: pytest.MonkeyPatch) -> None:
    assert cache_home({"TSGKIT_CACHE_HOME": "/a", "XDG_CACHE_HOME": "/b"}) == Path("/a")
    assert cache_home({"XDG_CACHE_HOME": "/b"}) == Path("/b/tsgkit")
    assert cache_home({}) == Path.home() / ".cache" / "tsgkit"
    monkeypatch.setenv("HOME", "/me")
    for own, shared, expected in (
        ("/own", "/xdg", "/own"),
        ("~/own", "", "/me/own"),
        ("", "/xdg", "/xdg/tsgkit/data"),
        ("", "relative", "/me/.local/share/tsgkit/data"),
        ("", "", "/me/.local/share/tsgkit/data"),
    ):
        monkeypatch.setenv("TSGKIT_DATA_HOME", own)
        monkeypatch.setenv("XDG_DATA_HOME", shared)
        assert str(data_home()) == expected, (own, shared)
