"""Exports of runs: checked first, written whole or not at all, never over something else."""

from __future__ import annotations

import json
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from exported_runs import KEY, hostile_run, served_run, stopped_run

import tsgkit as tk
from tsgkit.errors import ExtraMissing, FileProblem, UsageError
from tsgkit.report.exports import FORMATS, export_run
from tsgkit.report.exports.run_export import format_named

LIBRARY = {"inspect": "inspect_ai", "parquet": "pyarrow"}
each_format = pytest.mark.parametrize("to", FORMATS)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return served_run(tmp_path_factory.mktemp("served") / "run")


@pytest.fixture(scope="module")
def stopped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return stopped_run(tmp_path_factory.mktemp("stopped") / "run")


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return hostile_run(tmp_path_factory.mktemp("hostile") / "run")


def need(to: str) -> None:
    if to in LIBRARY:
        pytest.importorskip(LIBRARY[to], reason=f"{LIBRARY[to]} is not installed")


def unpacked(files: tuple[Path, ...], folder: Path) -> bytes:
    """Return the bytes of some files, archives unpacked."""
    found = b""
    for file in files:
        if file.suffix == ".eval":
            shutil.unpack_archive(file, folder / file.stem, "zip")
            found += b"".join(path.read_bytes() for path in sorted((folder / file.stem).rglob("*")) if path.is_file())
        found += file.read_bytes()
    return found


@each_format
def test_the_key_reaches_no_export(to: str, served: Path, tmp_path: Path) -> None:
    need(to)
    found = unpacked(export_run(served, to, tmp_path / "out").files, tmp_path)
    assert KEY.encode() not in found
    assert to == "parquet" or b"[redacted]" in found, "the server did say it"


@each_format
def test_two_exports_of_a_run_are_the_same(to: str, served: Path, tmp_path: Path) -> None:
    need(to)
    first, second = (export_run(served, to, tmp_path / name).files for name in ("a", "b"))
    assert [file.relative_to(tmp_path / "a") for file in first] == [file.relative_to(tmp_path / "b") for file in second]
    if to != "inspect":  # the archive holds the times of its members
        assert [file.read_bytes() for file in first] == [file.read_bytes() for file in second]


@each_format
def test_names_of_files_are_harmless_whatever_the_run_is_about(to: str, hostile: Path, tmp_path: Path) -> None:
    need(to)
    out = tmp_path / "a" / "b" / "out"
    out.parent.mkdir(parents=True)
    files = export_run(hostile, to, out).files
    for file in files:
        assert out in file.resolve().parents
        assert set(str(file.relative_to(out))) <= set(
            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/"
        )
    assert {path.name for path in tmp_path.rglob("*") if path.is_file()} == {file.name for file in files}


@each_format
def test_what_is_there_of_an_unfinished_run_is_exported(to: str, stopped: Path, tmp_path: Path) -> None:
    need(to)
    exported = export_run(stopped, to, tmp_path / "out")
    assert (exported.samples, exported.unasked) == (2, 2)


@each_format
def test_progress_counts_every_sample_of_all_rows(to: str, served: Path, tmp_path: Path) -> None:
    need(to)
    told: list[tuple[int, int]] = []
    export_run(served, to, tmp_path / "out", done=lambda done, total: told.append((done, total)))
    assert told == [(number, 16) for number in range(1, 17)]


@pytest.mark.parametrize("to", LIBRARY)
def test_a_missing_extra_is_named_before_anything_is_read(
    to: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(format_named(to), "find_spec", lambda name: None)
    with pytest.raises(ExtraMissing, match=f"{LIBRARY[to]}, which is not installed") as error:
        export_run(tmp_path / "nothing", to, tmp_path / "out")
    assert f'pip install "tsgkit[{to}]"' in error.value.hint


def test_an_unknown_format_is_told_with_the_nearest() -> None:
    with pytest.raises(UsageError, match="there is no format parket") as error:
        export_run(Path("run"), "parket", Path("out"))
    assert "parquet" in error.value.hint


def test_a_run_without_answers_is_refused(stopped: Path, tmp_path: Path) -> None:
    empty = Path(shutil.copytree(stopped, tmp_path / "run"))
    for name in ("calls", "samples"):
        (empty / f"{name}.jsonl").write_bytes(b"")
    with pytest.raises(UsageError, match="no sample of this run has an answer yet"):
        export_run(empty, "csv", tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("target", "problem"),
    [
        ("missing/out", "there is no folder"),
        ("file/out", "there is no folder"),
        ("file", "this is a file, and several are written"),
        ("full", "1 file already here would be lost"),
        ("one.jsonl", "the run gives 4 files, not one file"),
        ("run", "whose files are not touched"),
        ("run/out", "whose files are not touched"),
    ],
)
def test_a_target_that_cannot_be_is_refused(target: str, problem: str, served: Path, tmp_path: Path) -> None:
    run = Path(shutil.copytree(served, tmp_path / "run"))
    (tmp_path / "file").write_text("mine")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine").write_text("mine")
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    with pytest.raises(UsageError, match=problem):
        export_run(run, "jsonl", tmp_path / target)
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_one_row_is_one_file_where_a_file_is_named(stopped: Path, tmp_path: Path) -> None:
    file = tmp_path / "mine.jsonl"
    assert export_run(stopped, "jsonl", file).files == (file,)
    with pytest.raises(FileProblem, match="already here would be lost"):
        export_run(stopped, "jsonl", file)
    file.write_text("other")
    assert export_run(stopped, "jsonl", file, force=True).files == (file,)
    assert len(file.read_text().splitlines()) == 4


def test_force_replaces_files_of_the_same_names_and_no_others(served: Path, tmp_path: Path) -> None:
    files = export_run(served, "csv", tmp_path / "out").files
    kept = tmp_path / "out" / "mine.txt"
    kept.write_text("mine")
    files[0].write_text("other")
    export_run(served, "csv", tmp_path / "out", force=True)
    assert files[0].read_text("utf-8").startswith("run,subject,")
    assert kept.read_text() == "mine"


@contextmanager
def largest_file(size: int) -> Iterator[None]:
    """Let no file grow beyond a size: a write fails as on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize(("to", "size"), [("csv", 0), ("jsonl", 0), *((to, 6000) for to in FORMATS)])
def test_a_full_disk_is_told_and_leaves_nothing(to: str, size: int, served: Path, tmp_path: Path) -> None:
    need(to)
    export_run(served, to, tmp_path / "before")  # loads the libraries, which may write caches
    with largest_file(size), pytest.raises(FileProblem, match=r"out: cannot be written: .*large"):
        export_run(served, to, tmp_path / "out")
    assert [path.name for path in tmp_path.iterdir()] == ["before"]


@pytest.mark.slow
@each_format
def test_an_interrupted_export_leaves_nothing(to: str, tmp_path: Path) -> None:
    need(to)
    run, target = tmp_path / "run", tmp_path / "out" / "tables"
    target.parent.mkdir()
    tk.evaluate(["sgqa", "ma-sgg"], out=run, quiet=True)
    words = [sys.executable, "-m", "tsgkit", "export", str(run), "--to", to, "-o", str(target)]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    until = time.monotonic() + 60
    while not any(path.stat().st_size for path in target.parent.rglob("*") if path.is_file()):
        assert time.monotonic() < until and process.poll() is None
        time.sleep(0.001)
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=60)
    assert (process.returncode, told) == (130, "tsgkit: interrupted\n")
    assert list(target.parent.iterdir()) == []


def test_python_exports_as_the_command_does(served: Path, tmp_path: Path) -> None:
    of_path = tk.export(served, to="jsonl", path=str(tmp_path / "a"))
    of_run = tk.export(tk.open_run(served), to="jsonl", path=tmp_path / "b")
    of_method = tk.open_run(served).export("jsonl", tmp_path / "c")
    texts = [[file.read_text() for file in one.files] for one in (of_path, of_run, of_method)]
    assert texts[0] == texts[1] == texts[2]
    assert json.loads(texts[0][0].splitlines()[0])["filter"] == "strict"


def test_python_refuses_what_names_no_format_or_path(served: Path) -> None:
    with pytest.raises(UsageError, match="to: 3 is no name of a format"):
        tk.export(served, to=3, path="x")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="path: None is no path"):
        tk.export(served, to="csv", path=None)  # type: ignore[arg-type]
