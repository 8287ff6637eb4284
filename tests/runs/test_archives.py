"""Runs as one file: packed and unpacked again, and archives that are not to be trusted."""

from __future__ import annotations

import csv
import json
import shutil
import stat
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from run_files import everything, lines
from shipped import TASKS

import tsgkit as tk
from tsgkit.cli import main
from tsgkit.errors import FileProblem, UsageError
from tsgkit.report.report_rows import gather
from tsgkit.runs.archives import pack, unpack
from tsgkit.runs.evaluation import Options, evaluate
from tsgkit.runs.plan import Plan


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("packed") / "run"
    evaluate(Plan(tasks=("tsg/sgqa", "tsg/sgds"), models=("baseline/rules",), limit=4), Options(out=out))
    return out


def files(folder: Path) -> dict[str, bytes]:
    found = (file for file in folder.rglob("*") if file.is_file() and file.name != ".lock")
    return {file.relative_to(folder).as_posix(): file.read_bytes() for file in found}


def test_a_packed_run_is_the_same_run_again(run: Path, tmp_path: Path) -> None:
    packed = pack(run, tmp_path / "run.zip")
    assert packed.left_out == ()
    unpack(packed.path, tmp_path / "new")
    assert files(tmp_path / "new") == files(run)
    assert [row.board for row in gather([tmp_path / "new"]).rows] == [row.board for row in gather([run]).rows]


def test_the_same_run_makes_the_same_archive(run: Path, tmp_path: Path) -> None:
    assert pack(run, tmp_path / "a.zip").path.read_bytes() == pack(run, tmp_path / "b.zip").path.read_bytes()


def test_the_data_can_be_left_out(run: Path, tmp_path: Path) -> None:
    packed = pack(run, tmp_path / "run.zip", data=False)
    unpack(packed.path, tmp_path / "new")
    assert [row.board for row in gather([tmp_path / "new"]).rows] == [row.board for row in gather([run]).rows]
    row = json.loads((run / "asked/rows/tsg/sgds.jsonl").read_text(encoding="utf-8").splitlines()[0])
    text = everything(tmp_path / "new" / "asked")
    assert json.dumps(row)[200:240].encode() not in text
    assert all(one["sha256"] for one in lines(tmp_path / "new/asked/items/tsg/sgds.jsonl"))


def test_what_is_no_part_of_a_run_is_left_out_and_named(run: Path, tmp_path: Path) -> None:
    (run / "notes.txt").write_text("mine", encoding="utf-8")
    (run / "link.jsonl").symlink_to("/etc/passwd")
    try:
        packed = pack(run, tmp_path / "run.zip")
    finally:
        (run / "notes.txt").unlink()
        (run / "link.jsonl").unlink()
    assert packed.left_out == ("link.jsonl", "notes.txt")
    assert not {"notes.txt", "link.jsonl"} & set(zipfile.ZipFile(packed.path).namelist())


def test_nothing_is_written_over(run: Path, tmp_path: Path) -> None:
    archive = tmp_path / "run.zip"
    archive.write_text("mine", encoding="utf-8")
    with pytest.raises(FileProblem, match="already here would be lost"):
        pack(run, archive)
    assert archive.read_text(encoding="utf-8") == "mine"
    pack(run, archive, force=True)
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / "file").touch()
    with pytest.raises(UsageError, match="something lies there already"):
        unpack(archive, tmp_path / "new")


def hostile(name: str, mode: int = stat.S_IFREG | 0o644, data: bytes = b"x") -> Callable[[zipfile.ZipFile], None]:
    def add(archive: zipfile.ZipFile) -> None:
        entry = zipfile.ZipInfo(name)
        entry.external_attr = mode << 16
        archive.writestr(entry, data)

    return add


def twice(archive: zipfile.ZipFile) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # zipfile notices it too
        archive.writestr("asked/rows/a.jsonl", b"1")
        archive.writestr("asked/rows/A.jsonl", b"2")


@pytest.mark.parametrize(
    ("added", "message"),
    [
        (hostile("../outside.txt"), "no file of a run"),
        (hostile("asked/rows/../../../outside.jsonl"), "no file of a run"),
        (hostile("/outside.jsonl"), "no file of a run"),
        (hostile("asked\\rows\\..\\outside.jsonl"), "no file of a run"),
        (hostile("C:outside.jsonl"), "no file of a run"),
        (hostile("asked/rows/run.jsonl", stat.S_IFLNK | 0o777, b"/etc/passwd"), "no file of a run"),
        (hostile("asked/rows/run.jsonl", stat.S_IFIFO | 0o644), "no file of a run"),
        (hostile("setup.py"), "no file of a run"),
        (hostile("asked/eval/plans/x.sh"), "no file of a run"),
        (hostile("asked/rows/\x1b[2J.jsonl"), "no file of a run"),
        (hostile(".git/hooks/post-checkout"), "no file of a run"),
        (twice, "occurs twice"),
    ],
)
def test_an_archive_with_anything_but_a_run_is_refused_whole(
    added: Callable[[zipfile.ZipFile], None], message: str, run: Path, tmp_path: Path
) -> None:
    archive = pack(run, tmp_path / "run.zip").path
    with zipfile.ZipFile(archive, "a") as opened:
        added(opened)
    with pytest.raises(FileProblem, match=message) as problem:
        unpack(archive, tmp_path / "inner" / "new")
    assert problem.value.message.isprintable()
    assert list((tmp_path / "inner").iterdir()) == [], "nothing is left of it"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["inner", "run.zip"]


def test_an_archive_that_unpacks_to_too_much_is_refused(run: Path, tmp_path: Path) -> None:
    archive = pack(run, tmp_path / "run.zip").path
    with zipfile.ZipFile(archive, "a", zipfile.ZIP_DEFLATED) as opened:
        opened.writestr("asked/rows/zeros.jsonl", b"\0" * 20_000_000)
    assert archive.stat().st_size < 200_000
    with pytest.raises(FileProblem, match="more than"):
        unpack(archive, tmp_path / "new", most=10_000_000)
    assert not (tmp_path / "new").exists()


def test_a_file_that_is_larger_than_the_archive_says_is_refused(run: Path, tmp_path: Path) -> None:
    archive = pack(run, tmp_path / "run.zip").path
    with zipfile.ZipFile(archive, "a", zipfile.ZIP_DEFLATED) as opened:
        opened.writestr("asked/rows/zeros.jsonl", b"\0" * 1_000_000)
    data = archive.read_bytes()
    size = (1_000_000).to_bytes(4, "little")
    archive.write_bytes(data.replace(size, (10).to_bytes(4, "little")))
    with pytest.raises(FileProblem):
        unpack(archive, tmp_path / "new")
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("left", [0, 1, 100, 3000, -1, -30])
def test_an_archive_that_was_cut_off_is_an_error_in_one_line(left: int, run: Path, tmp_path: Path) -> None:
    archive = pack(run, tmp_path / "run.zip").path
    archive.write_bytes(archive.read_bytes()[:left])
    with pytest.raises(FileProblem) as problem:
        unpack(archive, tmp_path / "new")
    assert "\n" not in problem.value.message
    assert not (tmp_path / "new").exists()


def test_a_damaged_file_in_an_archive_is_named(run: Path, tmp_path: Path) -> None:
    archive = pack(run, tmp_path / "run.zip").path
    data = bytearray(archive.read_bytes())
    place = data.index(b"samples.jsonl") + 40
    data[place : place + 30] = bytes(30)
    archive.write_bytes(bytes(data))
    with pytest.raises(FileProblem, match=r"samples\.jsonl: is damaged"):
        unpack(archive, tmp_path / "new")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run.zip"]


def test_an_archive_without_a_run_is_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as opened:
        opened.writestr("calls.jsonl", "")
    with pytest.raises(FileProblem, match="holds no run"):
        unpack(tmp_path / "x.zip", tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_runs_are_packed_and_unpacked_by_command(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["runs", "pack", str(run), "-o", "mine.zip"]) == 0
    assert main(["runs", "unpack", "mine.zip"]) == 0
    assert "its table: tsgkit report runs/mine" in capsys.readouterr().out
    assert main(["report", "runs/mine"]) == 0
    assert main(["runs", "unpack", "mine.zip"]) == 2
    assert main(["runs", "unpack", "nothing.zip"]) == 2
    assert main(["runs", "pack", "nothing"]) == 2


@pytest.fixture(scope="module")
def asked_with_examples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of a model that is shown examples, with prompts of one's own."""
    home = tmp_path_factory.mktemp("examples")
    file = home / "mine/tsg/sgqa/statement.txt"
    file.parent.mkdir(parents=True)
    file.write_text("PRIVATE WORDS", encoding="utf-8")
    tk.evaluate(
        "sgqa", model=lambda _: "[cup]", style="few-shot", shots=2, limit=3, prompts=str(home / "mine"),
        out=home / "run", cache=False, quiet=True,
    )  # fmt: skip
    return home / "run"


def test_without_data_neither_prompts_nor_examples_nor_references_are_in_an_archive(
    asked_with_examples: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert b"PRIVATE WORDS" in everything(asked_with_examples / "asked")
    unpack(pack(asked_with_examples, tmp_path / "run.zip", data=False).path, tmp_path / "new")
    assert sorted(files(tmp_path / "new")) == [
        "asked/asked.json",
        "asked/eval/plans/run.yaml",
        "asked/items/tsg/sgqa.jsonl",
        "asked/tasks/tsg/sgqa.yaml",
        "calls.jsonl",
        "prompts.jsonl",
        "run.json",
        "samples.jsonl",
    ]
    assert b"PRIVATE WORDS" not in everything(tmp_path / "new")
    assert {one["evidence"] for one in lines(tmp_path / "new/samples.jsonl")} == {None}
    assert [row.board for row in gather([tmp_path / "new"]).rows] == [
        row.board for row in gather([asked_with_examples]).rows
    ]
    first = lines(tmp_path / "new/samples.jsonl")[0]["item_id"]
    for words in (["report"], ["samples"], ["explain", "--item", first]):
        assert main([words[0], str(tmp_path / "new"), *words[1:]]) == 0, capsys.readouterr().err


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


@pytest.mark.parametrize(
    ("offset", "value"),
    [(4, 99), (9, 0x40), (8, 14), (8, 12)],
    ids=["another version", "other flags", "as LZMA", "as bzip2"],
)
def test_a_file_that_claims_another_form_is_damaged(offset: int, value: int, run: Path, tmp_path: Path) -> None:
    archive = pack(run, tmp_path / "run.zip").path
    data = bytearray(archive.read_bytes())
    for signature, more in ((b"PK\x03\x04", 0), (b"PK\x01\x02", 2)):
        data[data.index(signature) + offset + more] = value
    archive.write_bytes(bytes(data))
    with pytest.raises(FileProblem) as problem:
        unpack(archive, tmp_path / "new")
    assert "cannot be written" not in problem.value.message
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run.zip"]


def test_the_run_and_the_place_for_it_may_be_where_one_is(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = tmp_path / "home" / "mine"
    shutil.copytree(run, copy)
    monkeypatch.chdir(copy)
    assert main(["runs", "pack", "."]) == 0
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    assert main(["runs", "unpack", "../home/mine.zip", "-o", "."]) == 0
    assert files(tmp_path / "empty") == files(copy)
