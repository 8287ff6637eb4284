"""Known datasets are declared as data; a wrong declaration is named with its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from tsgkit.errors import FileProblem, UsageError
from tsgkit.library.bundle import ROOMS
from tsgkit.library.catalogue import catalogue, known

FINE = """
mine:
  about: rows of my own
  base: https://data.example
  repository: me/rows
  commit: v1
  licence: MIT
  files:
    - {name: a.jsonl, task: a, path: data/a.jsonl}
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for room in ROOMS:
        (tmp_path / room).mkdir()
    (tmp_path / "tasks" / "own").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path / "tasks" / "own" / "datasets.yaml"


def test_the_published_benchmark_is_known_with_an_address_and_a_checksum_for_every_task() -> None:
    dataset = known("tsg-bench")
    assert dataset.tasks == ("sgqa", "sgds", "sa-sgg", "ma-sgg")
    assert [file.rows for file in dataset.files] == [100, 250, 1188, 853]
    assert all(file.check and file.name == f"{file.task}.jsonl" for file in dataset.files)
    assert "no licence" in dataset.licence
    assert dataset.url(dataset.file("sgds")) == (
        "https://raw.githubusercontent.com/docworlds/tsg-bench/29a1ce44c99689ccc12e38b31a04cc0ccba3f26e"
        "/resource/dataset/understanding/sgds.jsonl"
    )


def test_base_address_is_taken_from_the_caller_then_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    dataset = known("tsg-bench")
    monkeypatch.setenv("TSGKIT_SOURCE", "http://127.0.0.1:1/")
    assert dataset.url(dataset.file("sgqa")).startswith("http://127.0.0.1:1/docworlds/tsg-bench/")
    assert dataset.url(dataset.file("sgqa"), "http://here").startswith("http://here/docworlds/")


def test_a_project_adds_datasets_of_its_own(project: Path) -> None:
    project.write_text(FINE)
    assert list(catalogue()) == ["mine", "formalimg", "sceneeval", "spatialgeneval", "tsg-bench"]
    assert (known("mine").suite, known("mine").file("a").check) == ("own", None)


def test_a_name_that_is_not_known_is_met_with_the_nearest() -> None:
    with pytest.raises(UsageError, match="no dataset is called tsgbench") as caught:
        known("tsgbench")
    assert caught.value.hint == "tsg-bench?"


def test_a_task_without_data_is_said() -> None:
    with pytest.raises(UsageError, match="has no data of layout"):
        known("tsg-bench").file("layout")


def test_a_wrong_declaration_is_refused_with_its_place(project: Path) -> None:
    rows: list[tuple[str, str, str]] = [
        ("mine:", "../mine:", "name"),
        ("mine:", "Mine:", "name"),
        ("https://data.example", "file:///etc", "base"),
        ("me/rows", "me/../rows", "repository"),
        ("v1", "a/b", "commit"),
        ("name: a.jsonl", "name: ../a.jsonl", "files.0.name"),
        ("path: data/a.jsonl", "path: /etc/passwd", "files.0.path"),
        ("path: data/a.jsonl", "path: data/../../a", "files.0.path"),
        ("path: data/a.jsonl}", "path: a, check: md5:00}", "files.0.check"),
        ("path: data/a.jsonl}", "path: a, rows: many}", "files.0.rows"),
        ("path: data/a.jsonl}", "path: a, size: 3}", "files.0.size"),
        ("licence: MIT", "", "licence: Field required"),
        ("    - {name", "    - {name: b.jsonl, task: a, path: b}\n    - {name", "two files of one name or task"),
        (FINE, "mine: [", "line 1: expected the node content"),
        (FINE, "- mine", "expected datasets by name"),
        (FINE, "mine: 3", "expected the fields of a dataset"),
        (FINE, "!!python/object/apply:os.getcwd []", "line 1: could not determine a constructor"),
    ]
    for old, new, message in rows:
        assert old in FINE, old
        project.write_text(FINE.replace(old, new, 1))
        with pytest.raises(UsageError) as caught:
            catalogue()
        assert message in str(caught.value), old
        assert "own/datasets.yaml" in str(caught.value), old


def test_a_dataset_without_an_address_is_only_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for room in ("tasks/mine", "prompts", "eval"):
        (tmp_path / room).mkdir(parents=True)
    files = "files: [{name: a.txt, task: a, path: a.txt}]"
    (tmp_path / "tasks/mine/datasets.yaml").write_text(f"own:\n  about: a\n  licence: b\n  {files}\n")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match="own: it has no download address") as caught:
        known("own").url(known("own").files[0])
    assert caught.value.hint.endswith("tsgkit data import own FILE")
    half = f"own:\n  about: a\n  licence: b\n  repository: a/b\n  {files}\n"
    (tmp_path / "tasks/mine/datasets.yaml").write_text(half)
    with pytest.raises(FileProblem, match="base, repository and commit must be given together"):
        known("own")
