"""Files are read whole with a clear word when that fails, and written whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tsgkit.errors import FileProblem
from tsgkit.library.files import read_text, write_text


def test_a_file_that_is_no_text_is_refused_with_the_place(tmp_path: Path) -> None:
    rows: list[tuple[bytes, str]] = [
        (b"\xff\xfea\x00", "UTF-16"),
        (b"one\ntwo \xe9 three", "line 2: not UTF-8 text"),
        (b"one\n\n\x00", "line 3: holds a NUL byte"),
        (bytes(range(256)), "not UTF-8"),
    ]
    for data, message in rows:
        path = tmp_path / "graphs.txt"
        path.write_bytes(data)
        with pytest.raises(FileProblem, match=message) as caught:
            read_text(path)
        assert str(path) in str(caught.value), (data, message)


def test_a_byte_order_mark_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"\xef\xbb\xbfabc")
    assert read_text(tmp_path / "a") == "abc"


def test_a_missing_file_is_named_with_the_one_probably_meant(tmp_path: Path) -> None:
    (tmp_path / "graphs.jsonl").write_text("x")
    with pytest.raises(FileProblem, match="no such file") as caught:
        read_text(tmp_path / "graph.jsonl")
    assert caught.value.hint.endswith("graphs.jsonl?")


def test_a_missing_folder_is_said(tmp_path: Path) -> None:
    with pytest.raises(FileProblem) as caught:
        read_text(tmp_path / "nowhere" / "graphs.txt")
    assert "no folder" in caught.value.hint


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(FileProblem, match="this is a folder"):
        read_text(tmp_path)
    with pytest.raises(FileProblem, match="this is a folder"):
        write_text(tmp_path, "x")


def test_a_name_no_file_can_have_is_refused() -> None:
    rows: list[str] = ["a\0b", "x" * 5000]
    for name in rows:
        with pytest.raises(FileProblem):
            read_text(name)


def test_writing_replaces_a_file_whole_and_leaves_nothing_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "out.txt"
    path.write_text("old")
    path.chmod(0o640)
    write_text(path, "tasse à thé\n")
    assert path.read_bytes() == "tasse à thé\n".encode()
    assert path.stat().st_mode & 0o777 == 0o640
    assert [other.name for other in tmp_path.iterdir()] == ["out.txt"]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real.txt").write_text("old")
    (tmp_path / "link.txt").symlink_to("real.txt")
    write_text(tmp_path / "link.txt", "new")
    assert (tmp_path / "link.txt").is_symlink()
    assert (tmp_path / "real.txt").read_text() == "new"


def test_a_text_that_has_no_bytes_leaves_the_old_file_alone(tmp_path: Path) -> None:
    path = tmp_path / "out.txt"
    path.write_text("old")
    with pytest.raises(FileProblem, match="surrogate"):
        write_text(path, "\ud800")
    assert path.read_text() == "old"


def test_a_folder_that_is_missing_is_said_when_writing(tmp_path: Path) -> None:
    with pytest.raises(FileProblem, match="cannot be written"):
        write_text(tmp_path / "nowhere" / "out.txt", "x")


def test_a_device_is_written_to_as_it_is() -> None:
    write_text(os.devnull, "x")
    assert not Path(os.devnull).is_file()
