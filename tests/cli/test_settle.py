"""``tsgkit view A B --edit -o SETTLED``: wrong use, and what is said where nothing is left to decide."""

from __future__ import annotations

from pathlib import Path

import pytest
from two_annotators import ANN, BOB, write

from tsgkit.cli import main
from tsgkit.report.annotated_items import versions_of
from tsgkit.serve.settlement import Settling

Captured = pytest.CaptureFixture[str]
WORDS = ["view", "ann.jsonl", "bob.jsonl", "--edit"]
SETTLE = [*WORDS, "-o", "settled.jsonl", "--annotator", "eve"]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write("ann.jsonl", ANN)
    write("bob.jsonl", BOB)


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (WORDS, "the file for the settled version is not named"),
        (["view", *["ann.jsonl"] * 3, "--edit", "-o", "x.jsonl"], "3 files: disagreements are settled between two"),
        (["view", "ann.jsonl", ".", "--edit", "-o", "x.jsonl"], "this is a folder"),
        ([*SETTLE, "--proposals", "x.jsonl"], "--proposals does not go with two files"),
        ([*SETTLE, "--images", "linked"], "--images does not go with two files"),
        (["view", "ann.jsonl", "ann.jsonl", "--edit", "-o", "x.jsonl"], "the first file again"),
        (["view", "ann.jsonl", "none.jsonl", "--edit", "-o", "x.jsonl"], "no such file"),
        ([*WORDS, "-o", "bob.jsonl"], "this is the file being read"),
        (["view", "ann.jsonl", "--edit", "--force"], "--force goes with --edit and two files"),
    ],
)
def test_wrong_use_is_an_error_with_a_hint(words: list[str], problem: str, capsys: Captured) -> None:
    assert main(words) == 2
    assert problem in capsys.readouterr().err
    assert {path.name for path in Path().iterdir()} == {"ann.jsonl", "bob.jsonl"}


def test_what_is_decided_already_is_written_with_a_summary(capsys: Captured) -> None:
    settling = Settling(versions_of("ann.jsonl", "bob.jsonl"), Path("settled.jsonl"), "joe")
    for number in (0, 1):
        settling.decide(number, "second", None)
    assert main(SETTLE) == 0
    assert capsys.readouterr().out == "written: settled.jsonl; of 2 disagreements: bob 2; decided by joe\n"
    assert main(SETTLE) == 0, "the file of this job may be written again"


def test_equal_files_leave_nothing_to_decide(capsys: Captured) -> None:
    write("bob.jsonl", ANN)
    assert main(SETTLE) == 0
    assert capsys.readouterr().out == "written: settled.jsonl; no disagreements\n"
    assert Path("settled.jsonl").read_bytes() == Path("ann.jsonl").read_bytes()


def test_a_page_that_is_left_writes_nothing_and_can_be_continued(
    capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tsgkit.serve.decision_page.decide_in_browser", lambda *_, **__: False)
    assert main(SETTLE) == 130
    assert "left with 2 decisions to make; nothing was written" in capsys.readouterr().err
    assert not Path("settled.jsonl").exists()
