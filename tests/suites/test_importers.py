"""Datasets are fetched and imported whole; what is known to be wrong with them is told, what is broken stays out."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from loopback import Answer, Loopback, loopback
from official_layout import ROWS, data, rows, write_layout
from shipped import OFFICIAL_DATA, needs_official_data
from tsg_tasks import TASKS

from tsgkit.errors import DownloadProblem, FileProblem, UsageError
from tsgkit.library.datasets import dataset, dataset_file
from tsgkit.library.downloads import Patience, checksum_of_bytes
from tsgkit.library.projects import ROOMS
from tsgkit.suites.importers import get_dataset, import_dataset

FILES = {task: data(rows(task, 8)) for task in TASKS}
HASTE = Patience(timeout=60, tries=2, pause=0.01)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TSGKIT_DATA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.delenv("TSGKIT_SOURCE", raising=False)
    return tmp_path / "home"


@pytest.fixture
def published(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Loopback]:
    """Return a project whose tsg-bench is made up, and served here: two files by SHA-256, two by git's id."""
    for room in ROOMS:
        (tmp_path / "project" / room).mkdir(parents=True)
    (tmp_path / "project" / "tasks" / "tsg").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    with loopback() as server:
        files = []
        for number, (task, content) in enumerate(FILES.items()):
            check = checksum_of_bytes(content, "git" if number > 1 else "sha256")
            files.append({"name": f"{task}.jsonl", "task": task, "path": f"d/{task}.jsonl", "check": check, "rows": 8})
            server.put(f"some/where/v1/d/{task}.jsonl", content)
        declared = {"about": "a", "base": server.url, "repository": "some/where", "commit": "v1", "licence": "none"}
        Path("tasks/tsg/datasets.yaml").write_text(json.dumps({"tsg-bench": declared | {"files": files}}))
        yield server


def test_all_files_are_fetched_once_and_what_would_be_lost_only_by_force(
    published: Loopback, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sgqa.jsonl").write_bytes(data(rows("sgqa", 3)))
    import_dataset("tsg-bench", tmp_path / "sgqa.jsonl")
    with pytest.raises(FileProblem, match="3 lines of JSON already here"):
        get_dataset("tsg-bench", patience=HASTE)
    assert not published.asked, "it is refused before anything is fetched"
    told: list[str] = []
    intake = get_dataset("tsg-bench", watch=lambda file, *_: told.append(file), patience=HASTE, force=True)
    assert [arrival.replaced.rows if arrival.replaced else None for arrival in intake.arrivals] == [3, None, None, None]
    assert intake.dataset.is_complete
    assert all(file.official and file.origin.startswith(published.url) for file in intake.dataset.files)
    assert sorted(set(told)) == sorted(f"{task}.jsonl" for task in TASKS)
    assert {task: dataset_file("tsg-bench", task).read_bytes() for task in TASKS} == FILES
    assert not (home / "tsg-bench" / ".incoming").exists()
    again = get_dataset("tsg-bench", patience=HASTE)
    assert (len(published.asked), [arrival.inspection for arrival in again.arrivals]) == (4, [None] * 4)
    with loopback() as mirror:
        mirror.files = published.files
        monkeypatch.setenv("TSGKIT_SOURCE", mirror.url)
        dataset_file("tsg-bench", "sgds").write_text("changed")
        get_dataset("tsg-bench", patience=HASTE, force=True)
        assert (len(published.asked), len(mirror.asked)) == (4, 1), "a changed one again, from another source"
    assert dataset_file("tsg-bench", "sgds").read_bytes() == FILES["sgds"]


def test_a_failed_download_goes_on_with_the_rest_and_no_wrong_file_gets_in(published: Loopback) -> None:
    published.plan = [Answer(), Answer(cut_after=500), Answer(500)]
    with pytest.raises(DownloadProblem):
        get_dataset("tsg-bench", patience=HASTE)
    assert [file.task for file in dataset("tsg-bench").files] == ["sgqa"]
    published.put("some/where/v1/d/ma-sgg.jsonl", data(rows("ma-sgg", 7)))
    with pytest.raises(DownloadProblem, match="not the file that is expected"):
        get_dataset("tsg-bench", patience=HASTE)
    assert dataset("tsg-bench").missing == ("ma-sgg",)
    assert published.ranges[3:6] == ["bytes=500-", None, None]
    published.put("some/where/v1/d/ma-sgg.jsonl", FILES["ma-sgg"])
    get_dataset("tsg-bench", patience=HASTE)
    assert dataset("tsg-bench").is_complete


def test_a_checkout_is_imported_with_its_slips_and_of_two_different_files_none(tmp_path: Path) -> None:
    choices = rows("sgds")
    choices[33]["variations"] = choices[33]["variations"][:4]
    choices[33].pop("variation_triplets")
    folder = write_layout(tmp_path / "checkout", sgds=data(choices) + b"\n\n")
    for name, content in ((".git", b"not this one"), ("copy", data(rows("sgqa")))):
        (folder / name).mkdir()
        (folder / name / "sgqa.jsonl").write_bytes(content)
    intake = import_dataset("tsg-bench", folder)
    found = {file.task: (file.rows, file.official, file.findings) for file in intake.dataset.files}
    assert found == {task: (count, False, {"no-final-newline": 1}) for task, count in ROWS.items()} | {
        "sgds": (ROWS["sgds"], False, {"few-candidates": 1, "blank-line": 1})
    }
    assert (len(intake.arrivals), intake.dataset.missing, intake.dataset.is_complete) == (4, (), False)
    (folder / "copy" / "sgqa.jsonl").write_bytes(data(rows("sgqa", 3)))
    with pytest.raises(UsageError, match="both data of sgqa, and differ"):
        import_dataset("tsg-bench", folder)


def test_import_of_broken_files_and_wrong_names_changes_nothing(tmp_path: Path, home: Path) -> None:
    for content, message in ((data(rows("sgqa", 3)) + b"\n{oops\n", "line 4: broken JSON"), (b"caf\xe9", "not UTF-8")):
        folder = write_layout(tmp_path / "checkout", sgqa=content)
        with pytest.raises(FileProblem, match=rf"sgqa\.jsonl: .*{message}"):
            import_dataset("tsg-bench", folder)
        assert not home.exists()
    import_dataset("tsg-bench", write_layout(folder))
    before = dataset("tsg-bench")
    write_layout(folder, ma_sgg=b"{oops")
    with pytest.raises(FileProblem):
        import_dataset("tsg-bench", folder)
    (tmp_path / "empty").mkdir()
    with pytest.raises(UsageError, match="no file of tsg-bench anywhere") as caught:
        import_dataset("tsg-bench", tmp_path / "empty")
    assert "sgqa.jsonl, sgds.jsonl, sa-sgg.jsonl, ma-sgg.jsonl" in caught.value.hint
    assert dataset("tsg-bench") == before
    import_dataset("tsg-bench", home / "tsg-bench")
    for task in TASKS:
        assert dataset_file("tsg-bench", task).read_bytes() == data(rows(task)), "imported from its own place"


def test_names_in_rows_never_become_paths(tmp_path: Path) -> None:
    made = rows("sgqa", 4)
    for row, name in zip(made, ("../../escaped", "/tmp/escaped", "a\0b", "$(touch escaped)"), strict=True):  # noqa: S108
        row |= {"item_id": name, "data_id": name, "scenario_id": name, "name": name, "task": name}
    (tmp_path / "rows.jsonl").write_bytes(data(made))
    import_dataset("tsg-bench", tmp_path / "rows.jsonl")
    there = sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file())
    stored = [f"home/tsg-bench/{name}" for name in (".lock", "dataset.json", "sgqa.jsonl")]
    assert there == [*stored, "rows.jsonl"]


@needs_official_data
def test_published_rows_are_imported_under_names_of_their_own() -> None:
    files = [OFFICIAL_DATA / f"tsg_{task}_sample.jsonl" for task in ("sgds", "sgqa")]
    intake = import_dataset("tsg-bench", *files)
    known = [(file.task, file.rows, file.official) for file in intake.dataset.files]
    assert known == [("sgqa", 6, False), ("sgds", 12, False)]
    findings = {file.task: file.findings for file in intake.dataset.files}
    assert findings["sgqa"]["edge-misspelt"] == 19
    assert findings["sgqa"]["empty-name"] == findings["sgds"]["few-candidates"] == 1
