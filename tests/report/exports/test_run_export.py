"""Exports of runs: checked first, written whole or not at all, never over something else."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from exported_runs import KEY, hostile_run, largest_file, served_run, stopped_run
from hypothesis import given, settings
from hypothesis import strategies as st

import tsgkit as tk
from tsgkit.errors import ExtraMissing, FileProblem, UsageError
from tsgkit.report.exports import export_run
from tsgkit.report.exports.recorded_run import file_name, whole
from tsgkit.report.exports.run_export import format_named

TEXTS = ("csv", "jsonl")
"""Formats that need no library."""
LIBRARY = {"inspect": "inspect_ai", "parquet": "pyarrow"}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return served_run(tmp_path_factory.mktemp("served") / "run")


@pytest.fixture(scope="module")
def stopped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return stopped_run(tmp_path_factory.mktemp("stopped") / "run")


@pytest.mark.parametrize("to", TEXTS)
def test_an_export_counts_every_sample_holds_no_key_and_is_the_same_twice(
    to: str, served: Path, stopped: Path, tmp_path: Path
) -> None:
    told: list[tuple[int, int]] = []
    first = export_run(served, to, tmp_path / "a", done=lambda done, total: told.append((done, total))).files
    assert told == [(number, 16) for number in range(1, 17)]
    second = export_run(served, to, tmp_path / "b").files
    assert [file.relative_to(tmp_path / "a") for file in first] == [file.relative_to(tmp_path / "b") for file in second]
    assert [file.read_bytes() for file in first] == [file.read_bytes() for file in second]
    found = b"".join(file.read_bytes() for file in first)
    assert KEY.encode() not in found and b"[redacted]" in found, "the server did say it"
    exported = export_run(stopped, to, tmp_path / "there")
    assert (exported.samples, exported.unasked) == (2, 2)
    for size in (0, 6000):
        with largest_file(size), pytest.raises(FileProblem, match=r"out: cannot be written: .*large"):
            export_run(served, to, tmp_path / "out")
        assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b", "there"]


def test_names_of_files_are_harmless_whatever_the_run_is_about(tmp_path: Path) -> None:
    run, out = hostile_run(tmp_path / "run"), tmp_path / "a" / "b" / "out"
    before = {path for path in tmp_path.rglob("*") if path.is_file()}
    out.mkdir(parents=True)
    files = {file for to in TEXTS for file in export_run(run, to, out / to).files}
    for file in files:
        assert out in file.resolve().parents
        assert re.fullmatch(r"[A-Za-z0-9._/-]+", str(file.relative_to(out)))
    assert {path for path in tmp_path.rglob("*") if path.is_file()} - before == files


ANYTHING = st.text(st.characters(exclude_characters="\0"), max_size=40) | st.sampled_from(
    ["../..", "/etc", ".", "=1+1", "\ud800\udc00", "\ud83d", "a\\x1b", "\x1b[2J", "\u202ex", "-1|cmd", "%2E%2E"]
)


@given(st.lists(ANYTHING))
@settings(max_examples=50)
def test_names_of_files_are_short_plain_words(parts: list[str]) -> None:
    name = file_name(*parts)
    assert re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9.-]{0,59}", name) and not name.endswith((".", "-"))


@given(st.recursive(ANYTHING | st.integers(), lambda inner: st.lists(inner) | st.dictionaries(ANYTHING, inner)))
@settings(max_examples=50)
def test_whole_values_are_unicode_and_stay_as_they_are_where_they_were(value: object) -> None:
    json.dumps(whole(value), ensure_ascii=False).encode("utf-8")
    assert whole(whole(value)) == whole(value)
    text = json.dumps(value, ensure_ascii=False)
    if text == text.encode("utf-8", "ignore").decode():
        assert whole(value) == value


def test_missing_extras_and_unknown_formats_are_named_before_anything_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for to, library in LIBRARY.items():
        monkeypatch.setattr(format_named(to), "find_spec", lambda name: None)
        with pytest.raises(ExtraMissing, match=f"{library}, which is not installed") as missing:
            export_run(tmp_path / "nothing", to, tmp_path / "out")
        assert f'pip install "tsgkit[{to}]"' in missing.value.hint
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


def test_a_target_that_cannot_be_is_refused_and_leaves_everything(served: Path, tmp_path: Path) -> None:
    run = Path(shutil.copytree(served, tmp_path / "run"))
    (tmp_path / "file").write_text("mine")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine").write_text("mine")
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    for target, problem in {
        "missing/out": "there is no folder",
        "file/out": "there is no folder",
        "file": "this is a file, and several are written",
        "full": "1 file already here would be lost",
        "one.jsonl": "the run gives 4 files, not one file",
        "run": "whose files are not touched",
        "run/out": "whose files are not touched",
    }.items():
        with pytest.raises(UsageError, match=problem):
            export_run(run, "jsonl", tmp_path / target)
        assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before, target


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


def test_python_exports_as_the_command_does_and_refuses_what_names_no_format_or_path(
    served: Path, tmp_path: Path
) -> None:
    of_path = tk.export(served, to="jsonl", path=str(tmp_path / "a"))
    of_run = tk.export(tk.open_run(served), to="jsonl", path=tmp_path / "b")
    of_method = tk.open_run(served).export("jsonl", tmp_path / "c")
    texts = [[file.read_text() for file in one.files] for one in (of_path, of_run, of_method)]
    assert texts[0] == texts[1] == texts[2]
    assert json.loads(texts[0][0].splitlines()[0])["filter"] == "strict"
    with pytest.raises(UsageError, match="to: 3 is no name of a format"):
        tk.export(served, to=3, path="x")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="path: None is no path"):
        tk.export(served, to="csv", path=None)  # type: ignore[arg-type]
