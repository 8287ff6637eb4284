"""The published items come to this machine as one archive, or from a copy; what is odd in them is told."""

from __future__ import annotations

import io
import json
import os
import tarfile
from pathlib import Path

import pytest
from formula_items import ROWS, lines
from loopback import loopback

from tsgkit.cli import main
from tsgkit.errors import FileProblem, UsageError
from tsgkit.library.catalogue import known
from tsgkit.library.downloads import Patience
from tsgkit.suites.formalimg.importer import get_dataset, import_dataset
from tsgkit.suites.formalimg.rows import read_samples

OFFICIAL = os.environ.get("TSGKIT_OFFICIAL_DATA", "")
HASTE = Patience(timeout=2.0, tries=2, pause=0.0)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TSGKIT_DATA_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def archive(*extra: tuple[str, bytes]) -> bytes:
    """Return a repository as it is packed."""
    file = io.BytesIO()
    items = [
        (
            f"benchmarks/{row['scenario']}/{row['id']}.json",
            json.dumps({k: row[k] for k in ("prompt", "dsl", "k")}).encode(),
        )
        for row in ROWS
    ]
    with tarfile.open(fileobj=file, mode="w:gz") as packed:
        for name, data in [*items, ("README.md", b"no item"), *extra]:
            info = tarfile.TarInfo(f"FormalImG-1234/{name}")
            info.size = len(data)
            packed.addfile(info, io.BytesIO(data))
    return file.getvalue()


def test_get_dataset_converts_the_archive_to_files_of_rows_or_refuses_it(tmp_path: Path, home: Path) -> None:
    wanted = known("formalimg")
    path = f"{wanted.repository}/tar.gz/{wanted.commit}"
    with loopback() as served:
        served.put(path, b"\x1f\x8bnot really")
        with pytest.raises(FileProblem, match="cannot be unpacked"):
            get_dataset("formalimg", served.url, patience=HASTE)
        assert not list(home.rglob("*.jsonl"))
        odd = ("../../benchmarks/knolling/9.json", b"{}"), ("benchmarks/knolling/deep/9.json", b"{}")
        served.put(path, archive(*odd))
        intake = get_dataset("formalimg", served.url, patience=HASTE)
    assert [(one.stored.task, one.stored.rows) for one in intake.arrivals] == [("knolling", 2), ("natural", 1)]
    assert sorted(file.name for file in home.rglob("*.jsonl")) == ["knolling.jsonl", "natural.jsonl"]
    (tmp_path / "rows.jsonl").write_text(lines(ROWS))
    assert read_samples(home / "formalimg") == read_samples(tmp_path / "rows.jsonl")


def test_import_counts_oddities_and_refuses_unusable_rows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    odd = [ROWS[0] | {"k": 9}, ROWS[1] | {"dsl": ROWS[1]["dsl"].replace("keys", "doorkey")}, ROWS[2]]
    (tmp_path / "odd.jsonl").write_text(lines(odd))
    assert main(["data", "import", "formalimg", str(tmp_path / "odd.jsonl")]) == 0
    told = capsys.readouterr().out
    assert "k-differs (1, first on line 1)" in told
    assert "outside-vocabulary (1, first on line 2)" in told
    (tmp_path / "bad.jsonl").write_text(lines([ROWS[0] | {"dsl": "(exists ?x"}]))
    with pytest.raises(UsageError, match=r"bad.jsonl: line 1: dsl"):
        import_dataset("formalimg", tmp_path / "bad.jsonl")
    with pytest.raises(UsageError, match=r"is in .* too"):
        import_dataset("formalimg", tmp_path / "odd.jsonl", tmp_path / "odd.jsonl")


@pytest.mark.skipif(not OFFICIAL, reason="TSGKIT_OFFICIAL_DATA names no folder with published rows")
def test_published_items_have_their_stored_k_and_clauses() -> None:
    intake = import_dataset("formalimg", Path(OFFICIAL) / "formalimg_sample.jsonl")
    assert [arrival.stored.rows for arrival in intake.arrivals] == [40, 14]
    assert all(not arrival.inspection.counts for arrival in intake.arrivals if arrival.inspection)
