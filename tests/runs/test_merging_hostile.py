"""Merging refuses damaged and hostile folders in a sentence, and leaves nothing behind."""

from __future__ import annotations

import hashlib
import json
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from run_files import lines

from tsgkit.cli import main
from tsgkit.errors import FileProblem
from tsgkit.runs.shard_merge import merge

Captured = pytest.CaptureFixture[str]
PNG = b"\x89PNG\r\n\x1a\n" + b"\0\0\0\0IEND\xaeB`\x82"


def images(folder: Path, **changed: object) -> Path:
    """Return a folder of images whose one line has these fields."""
    folder.mkdir(parents=True)
    line = {"id": "x", "outcome": "painted", "request": "r", "attempts": [], "sha256": hashlib.sha256(PNG).hexdigest()}
    (folder / "paintings.jsonl").write_text(json.dumps(line | changed) + "\n")
    return folder


@pytest.fixture
def shards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    monkeypatch.chdir(tmp_path)
    for number in (1, 2):
        assert (
            main(["eval", "--task", "sgqa", "--limit", "12", "--quiet", "--out", "run", "--shard", f"{number}/2"]) == 0
        )
    return [tmp_path / f"run.shard-{number}-of-2" for number in (1, 2)]


@contextmanager
def files_of_at_most(size: int) -> Iterator[None]:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("item_id", ["../victim", "a/b", "/victim", ".hidden", "", 7, None, ["x"]])
def test_log_of_images_with_an_id_that_is_no_file_name_is_refused(tmp_path: Path, item_id: object) -> None:
    one = images(tmp_path / "deep/one", id=item_id)
    (tmp_path / "deep/victim.png").write_bytes(PNG)
    with pytest.raises(FileProblem, match="cannot be the name of an image"):
        merge([one, images(tmp_path / "deep/two", id="y", outcome="blocked")], tmp_path / "all")
    assert [path.name for path in tmp_path.iterdir()] == ["deep"]


@pytest.mark.parametrize("field", ["outcome", "request"])
def test_log_of_images_with_a_field_that_is_no_text_is_refused(tmp_path: Path, field: str) -> None:
    with pytest.raises(FileProblem, match=rf"paintings\.jsonl: x: {field}: "):
        merge([images(tmp_path / "one", **{field: ["x"]})], tmp_path / "all")


@pytest.mark.parametrize("repeat", ["abc", "-1", "²", " "])
def test_call_whose_repeat_is_no_number_is_refused(shards: list[Path], tmp_path: Path, repeat: str) -> None:
    calls: list[dict[str, Any]] = lines(shards[0] / "calls.jsonl")
    calls[0]["repeat"] = repeat
    (shards[0] / "calls.jsonl").write_text("".join(json.dumps(call) + "\n" for call in calls))
    with pytest.raises(FileProblem, match=r"calls\.jsonl: line 1: repeat: "):
        merge(shards, tmp_path / "all")


@pytest.mark.parametrize("size", [2_000, 8_000])
def test_full_disk_is_told_and_leaves_nothing(shards: list[Path], tmp_path: Path, size: int) -> None:
    with files_of_at_most(size), pytest.raises(FileProblem, match="cannot be "):
        merge(shards, tmp_path / "all")
    assert not (tmp_path / "all").exists() and not [*tmp_path.glob(".*.merging")]
    merge(shards, tmp_path / "all")


def test_target_below_a_file_is_refused(shards: list[Path], tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(FileProblem, match="cannot be written"):
        merge(shards, tmp_path / "file/all")


def test_link_to_a_shard_counts_once(shards: list[Path], tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(shards[0])
    assert merge([*shards, tmp_path / "link"], tmp_path / "all").sources == 2


def test_listing_and_showing_a_run_name_its_shard(shards: list[Path], capsys: Captured) -> None:
    capsys.readouterr()
    assert main(["runs", "list", "."]) == 0
    assert "shard 1/2" in capsys.readouterr().out
    assert main(["runs", "list", ".", "--json"]) == 0
    assert [one["shard"] for one in json.loads(capsys.readouterr().out)["runs"]] == ["1/2", "2/2"]
    assert main(["runs", "show", str(shards[1])]) == 0
    assert "samples of shard 2/2" in capsys.readouterr().out


def test_shard_without_an_item_ends_well_and_merges(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    words = ["eval", "--task", "sgqa", "--limit", "1", "--quiet", "--out", "run"]
    assert main([*words]) == 0
    for number in (1, 2, 3):
        assert main([*words, "--shard", f"{number}/3"]) == 0
    parts = [tmp_path / f"run.shard-{number}-of-3" for number in (1, 2, 3)]
    assert merge(parts, tmp_path / "all").complete
    assert lines(tmp_path / "all/samples.jsonl") == lines(tmp_path / "run/samples.jsonl")
