"""Runs as one file: packed and unpacked again, and archives that are not to be trusted."""

from __future__ import annotations

import csv
import json
import shutil
import stat
import warnings
import zipfile
from pathlib import Path
from typing import Any

import pytest
from run_files import contents, everything, lines
from shipped import TASKS

import tsgkit as tk
from tsgkit.cli import main
from tsgkit.errors import FileProblem, UsageError
from tsgkit.report.report_rows import gather
from tsgkit.runs import archives
from tsgkit.runs.archives import pack, unpack
from tsgkit.runs.evaluation import Options, evaluate
from tsgkit.runs.plan import Plan


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("packed") / "run"
    evaluate(Plan(tasks=("tsg/sgqa", "tsg/sgds"), models=("baseline/rules",), limit=4), Options(out=out))
    return out


@pytest.fixture
def archive(run: Path, tmp_path: Path) -> Path:
    return pack(run, tmp_path / "run.zip").path


def boards(run: Path) -> list[Any]:
    return [row.board for row in gather([run]).rows]


def test_a_packed_run_is_the_same_run_again_without_what_is_no_part_of_it(run: Path, tmp_path: Path) -> None:
    packed = pack(run, tmp_path / "run.zip")
    size = packed.path.stat().st_size
    assert (packed.left_out, packed.files, packed.bytes) == ((), len(contents(run)), size)
    assert unpack(packed.path, tmp_path / "new") == json.loads((run / "run.json").read_text())
    assert contents(tmp_path / "new") == contents(run) and boards(tmp_path / "new") == boards(run)
    (run / "notes.txt").write_text("mine", encoding="utf-8")
    (run / ".hidden").touch()
    (run / "link.jsonl").symlink_to("/etc/passwd")
    try:
        again = pack(run, tmp_path / "again.zip")
    finally:
        for name in ("notes.txt", ".hidden", "link.jsonl"):
            (run / name).unlink()
    assert again.left_out == ("link.jsonl", "notes.txt")
    assert again.path.read_bytes() == packed.path.read_bytes(), "the same run makes the same archive"


def test_nothing_is_written_over(run: Path, archive: Path, tmp_path: Path) -> None:
    assert pack(run, archive).path == archive, "the same content is no loss"
    archive.write_text("mine", encoding="utf-8")
    with pytest.raises(FileProblem, match="already here would be lost"):
        pack(run, archive)
    assert archive.read_text(encoding="utf-8") == "mine"
    pack(run, archive, force=True)
    for place in (tmp_path / "new", archive):
        (tmp_path / "new").mkdir(exist_ok=True)
        (tmp_path / "new" / "file").touch()
        with pytest.raises(UsageError, match="something lies there already"):
            unpack(archive, place)
    with pytest.raises(UsageError, match="lies in the run itself"):
        pack(run, run / "x.zip")
    with pytest.raises(FileProblem, match="cannot be written: No such file or directory"):
        pack(run, tmp_path / "nowhere/x.zip")


FILE = stat.S_IFREG | 0o644


@pytest.mark.parametrize(
    ("names", "mode", "message"),
    [
        *(
            ((name,), FILE, "no file of a run")
            for name in (
                "../outside.txt", "asked/rows/../../../outside.jsonl", "/outside.jsonl", "C:outside.jsonl",
                "asked\\rows\\..\\outside.jsonl", "setup.py", "asked/eval/plans/x.sh", "asked/rows/\x1b[2J.jsonl",
                "asked/rows", "asked/other/x.jsonl", ".git/hooks/post-checkout", "asked/rows/.x.jsonl", "asked/x.json",
            )
        ),
        (("asked/rows/run.jsonl",), stat.S_IFLNK | 0o777, "no file of a run"),
        (("asked/rows/run.jsonl",), stat.S_IFIFO | 0o644, "no file of a run"),
        (("asked/rows/a.jsonl", "asked/rows/A.jsonl"), FILE, "occurs twice"),
    ],
    ids=str,
)  # fmt: skip
def test_an_archive_with_anything_but_a_run_is_refused_whole(
    names: tuple[str, ...], mode: int, message: str, archive: Path, tmp_path: Path
) -> None:
    with zipfile.ZipFile(archive, "a") as opened, warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # zipfile notices what occurs twice too
        for name in names:
            entry = zipfile.ZipInfo(name)
            entry.external_attr = mode << 16
            opened.writestr(entry, b"/etc/passwd")
    with pytest.raises(FileProblem, match=message) as problem:
        unpack(archive, tmp_path / "inner" / "new")
    assert problem.value.message.isprintable()
    assert list((tmp_path / "inner").iterdir()) == [], "nothing is left of it"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["inner", "run.zip"]


def test_an_archive_that_unpacks_to_too_much_is_refused(
    archive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entries = zipfile.ZipFile(archive).infolist()
    exactly = sum(entry.file_size for entry in entries)
    monkeypatch.setattr(archives, "MOST_FILES", len(entries))
    unpack(archive, tmp_path / "fits", most=exactly)
    with pytest.raises(FileProblem, match=r"would be 0\.0 GiB, more than 0\.0"):
        unpack(archive, tmp_path / "new", most=exactly - 1)
    monkeypatch.setattr(archives, "MOST_FILES", len(entries) - 1)
    with pytest.raises(FileProblem, match="files are in it; a run has at most"):
        unpack(archive, tmp_path / "new")
    monkeypatch.undo()
    with zipfile.ZipFile(archive, "a", zipfile.ZIP_DEFLATED) as opened:
        opened.writestr("asked/rows/zeros.jsonl", b"\0" * 1_000_000)
    archive.write_bytes(archive.read_bytes().replace((1_000_000).to_bytes(4, "little"), (10).to_bytes(4, "little")))
    with pytest.raises(FileProblem, match=r"is larger than the archive says|is damaged"):
        unpack(archive, tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_an_archive_that_was_cut_off_damaged_or_claims_another_form_is_an_error_in_one_line(
    archive: Path, tmp_path: Path
) -> None:
    whole = archive.read_bytes()
    zeros = bytearray(whole)
    place = whole.index(b"samples.jsonl") + 40
    zeros[place : place + 30] = bytes(30)
    rows: list[tuple[bytes, str]] = [
        (bytes(zeros), r"samples\.jsonl: is damaged"), (b"", "no archive of a run"), (b"PKx", "its end is"),
        *((whole[:left], "no archive of a run") for left in (1, 100, 3000, -1, -30)),
    ]  # fmt: skip
    for offset, value in ((4, 99), (9, 0x40), (8, 14), (8, 12)):  # another version, other flags, as LZMA, as bzip2
        data = bytearray(whole)
        for signature, more in ((b"PK\x03\x04", 0), (b"PK\x01\x02", 2)):
            data[data.index(signature) + offset + more] = value
        rows.append((bytes(data), "run.zip"))
    encrypted = bytearray(whole)
    encrypted[whole.index(b"PK\x01\x02") + 8] |= 1
    rows.append((bytes(encrypted), "is encrypted"))
    for data_of, message in rows:
        archive.write_bytes(data_of)
        with pytest.raises(FileProblem, match=message) as problem:
            unpack(archive, tmp_path / "new")
        assert "\n" not in problem.value.message and "cannot be written" not in problem.value.message, message
        assert [path.name for path in tmp_path.iterdir()] == ["run.zip"], message
    with zipfile.ZipFile(archive, "w") as opened:
        opened.writestr("calls.jsonl", "")
    for file, message in (
        (archive, "holds no run: "),
        (tmp_path, "this is a folder"),
        (tmp_path / "x", "no such file"),
    ):
        with pytest.raises(FileProblem, match=message):
            unpack(file, tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_runs_are_packed_and_unpacked_by_command_also_where_one_is(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["runs", "pack", str(run), "-o", "mine.zip"]) == 0
    assert main(["runs", "unpack", "mine.zip"]) == 0
    assert "its table: tsgkit report runs/mine" in capsys.readouterr().out
    assert main(["report", "runs/mine"]) == 0
    assert main(["runs", "unpack", "mine.zip"]) == 2
    copy = tmp_path / "home" / "mine"
    shutil.copytree(run, copy)
    monkeypatch.chdir(copy)
    assert main(["runs", "pack", "."]) == 0
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    assert main(["runs", "unpack", "../home/mine.zip", "-o", "."]) == 0
    assert contents(tmp_path / "empty") == contents(copy)


def test_without_data_neither_rows_nor_prompts_nor_examples_nor_references_are_in_an_archive(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mine = tmp_path / "mine/tsg/sgqa/statement.txt"
    mine.parent.mkdir(parents=True)
    mine.write_text("PRIVATE WORDS", encoding="utf-8")
    shown = tk.evaluate(
        "sgqa", model=lambda _: "[cup]", style="few-shot", shots=2, limit=3, prompts=str(tmp_path / "mine"),
        out=tmp_path / "shown", cache=False, quiet=True,
    ).path  # fmt: skip
    assert b"PRIVATE WORDS" in everything(shown / "asked")
    new = tmp_path / "new"
    unpack(pack(shown, tmp_path / "shown.zip", data=False).path, new)
    assert sorted(contents(new)) == [
        "asked/asked.json", "asked/eval/plans/run.yaml", "asked/items/tsg/sgqa.jsonl", "asked/tasks/tsg/sgqa.yaml",
        "calls.jsonl", "prompts.jsonl", "run.json", "samples.jsonl",
    ]  # fmt: skip
    assert b"PRIVATE WORDS" not in everything(new)
    assert {one["evidence"] for one in lines(new / "samples.jsonl")} == {None}
    assert all(one["messages"] == [] for one in lines(new / "prompts.jsonl")) and lines(new / "prompts.jsonl")
    assert boards(new) == boards(shown)
    first = lines(new / "samples.jsonl")[0]["item_id"]
    for words in (["report"], ["samples"], ["explain", "--item", first]):
        assert main([words[0], str(new), *words[1:]]) == 0, capsys.readouterr().err
    unpack(pack(run, tmp_path / "run.zip", data=False).path, tmp_path / "two")
    assert boards(tmp_path / "two") == boards(run)
    row = json.loads((run / "asked/rows/tsg/sgds.jsonl").read_text(encoding="utf-8").splitlines()[0])
    assert json.dumps(row)[200:240].encode() not in everything(tmp_path / "two" / "asked")
    assert all(one["sha256"] for one in lines(tmp_path / "two/asked/items/tsg/sgds.jsonl"))


def test_numbers_in_tables_are_places_in_the_data_whatever_rows_are_kept(run: Path, tmp_path: Path) -> None:
    ids = [row["item_id"] for row in lines(TASKS / "tsg/data/tsgkit-1/sgds.jsonl")]
    unpack(pack(run, tmp_path / "run.zip", data=False).path, tmp_path / "new")
    for place in (run, tmp_path / "new"):
        folder = tmp_path / f"tables of {place.name}"
        tk.export(place, to="csv", path=folder)
        with (folder / "samples.csv").open(encoding="utf-8", newline="") as stream:
            rows = [row for row in csv.DictReader(stream) if row["task"] == "tsg/sgds"]
        assert [int(row["number"]) for row in rows] == [ids.index(row["item_id"]) for row in rows]
        assert len(rows) == 4
