"""Tests of importing the published annotations from their release or from a copy."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from loopback import Loopback, loopback
from refusals import refuses
from shipped import TASKS

from tsgkit.cli import main
from tsgkit.errors import FileProblem
from tsgkit.library.cards import load_card
from tsgkit.library.catalogue import known
from tsgkit.library.datasets import dataset
from tsgkit.suites.importers import import_dataset
from tsgkit.suites.suite import task_of

ROWS = (TASKS / "sceneeval" / "data" / "annotations.csv").read_bytes()
NAME = "sceneeval"
PLACE = "3dlg-hcvc/SceneEval/releases/download/SceneEval-500_v250610/annotations.csv"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TSGKIT_DATA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.delenv("TSGKIT_SOURCE", raising=False)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def server() -> Iterator[Loopback]:
    with loopback() as served:
        yield served


def test_published_annotations_are_a_release_asset() -> None:
    (file,) = known(NAME).files
    assert known(NAME).url(file) == f"https://github.com/{PLACE}"
    assert (file.rows, file.check) == (500, None)


def test_release_is_downloaded_recorded_and_usable_by_name(
    server: Loopback, capsys: pytest.CaptureFixture[str]
) -> None:
    server.put(PLACE, ROWS)
    assert main(["data", "get", NAME, "--from", server.url, "--quiet"]) == 0
    (stored,) = dataset(NAME).files
    assert (stored.rows, stored.official, stored.sha256) == (30, None, hashlib.sha256(ROWS).hexdigest())
    assert "30 of 500 rows" in capsys.readouterr().out
    for kind in ("annotate", "fidelity", "plausibility"):
        assert len(task_of(load_card(f"sceneeval/{kind}")).dataset(NAME).item_ids) == 30
    assert main(["eval", "--task", "sceneeval/annotate", "--data", NAME, "--limit", "2", "--json", "--quiet"]) == 0
    assert json.loads(capsys.readouterr().out)["results"][0]["n"] == 2


def test_changed_release_is_kept_until_forced(server: Loopback, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["data", "get", NAME, "--from", server.url, "--quiet", "--json"]
    actions = []
    changed = ROWS.replace(b"easy", b"hard", 1)
    for data, more in ((ROWS, []), (changed, []), (changed, ["--force"])):
        server.put(PLACE, data)
        assert main([*words, *more]) == 0
        actions.append([one["action"] for one in json.loads(capsys.readouterr().out)["arrived"]])
    assert actions == [["installed"], ["kept"], ["replaced"]]
    (stored,) = dataset(NAME).files
    assert stored.sha256 == hashlib.sha256(changed).hexdigest()


def test_import_rejects_unusable_files(server: Loopback) -> None:
    rows: list[tuple[bytes, str]] = [
        (b"a,b\n1,2\n", "column ID is missing"),
        (b"\xff\xfe\x00", "not UTF-8"),
        (ROWS.replace(b"eq,1", b"eq,many", 1), "many is no number"),
    ]
    for data, says in rows:
        Path("mine.csv").write_bytes(data)
        with refuses(FileProblem, says, data):
            import_dataset(NAME, "mine.csv")
        server.put(PLACE, data)
        assert main(["data", "get", NAME, "--from", server.url, "--quiet"]) == 2, data
        assert not dataset(NAME).files, data


def test_missing_dataset_hints_at_import(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["eval", "--task", "sceneeval/annotate", "--data", NAME]) == 2
    assert "tsgkit data get sceneeval" in capsys.readouterr().err
