"""``tsgkit explain`` as a person types it: narrowing, colours, pages, and nothing a terminal would obey."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from pages import Page
from report_runs import RIGHT, recorded

from tsgkit.cli import main

NASTY = "person -> verb -> wash\nwash -> dobj -> \x1b[31mcup\u202e\nwash -> with -> hand2\n\x1b]0;owned\x07"


def said(capsys: pytest.CaptureFixture[str]) -> tuple[str, str]:
    captured = capsys.readouterr()
    return captured.out, captured.err


def test_one_row_is_shown_whole(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = recorded(tmp_path, "sa-sgg", {"one": RIGHT.replace("hand1", "hand2")})
    assert main(["explain", str(run), "--item", "one"]) == 0
    out, _ = said(capsys)
    for part in ("sent, user:", "reply: complete", "strict reads:", "official reads:", "reference", "scores"):
        assert part in out
    assert "≠hand wash -> with -> hand2, expected wash -> with -> hand1" in out
    assert "1 graphs for 1" in out


def test_several_rows_are_shown_briefly_with_how_to_choose(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = recorded(tmp_path, "sa-sgg", {"one": RIGHT}, styles=["zero-shot", "cot"])
    assert main(["explain", str(run), "--item", "one"]) == 0
    out, _ = said(capsys)
    assert "choose one to see all of it: --style zero-shot|cot" in out
    assert "sent, user:" not in out
    assert main(["explain", str(run), "--item", "one", "--style", "cot"]) == 0
    assert "sent, user:" in said(capsys)[0]


def test_explain_escapes_replies(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = recorded(tmp_path, "sa-sgg", {"one": NASTY})
    assert main(["explain", str(run), "--item", "one"]) == 0
    out, _ = said(capsys)
    assert not {"\x1b", "\u202e", "\x07"} & set(out)
    assert "\\x1b[31mcup\\u202e" in out


@pytest.mark.parametrize(
    ("is_terminal", "environment", "coloured"),
    [(True, {}, True), (False, {}, False), (True, {"NO_COLOR": "1"}, False), (True, {"TERM": "dumb"}, False)],
)
def test_colours_only_where_they_are_wanted(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    is_terminal: bool,
    environment: dict[str, str],
    coloured: bool,
) -> None:
    run = recorded(tmp_path, "sa-sgg", {"one": NASTY})
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    said(capsys)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: is_terminal)
    assert main(["explain", str(run), "--item", "one"]) == 0
    out, _ = said(capsys)
    assert ("\x1b[1m" in out) is coloured
    assert "\x1b]0" not in out
    assert "\x1b[31mcup" not in out


def test_json_is_one_object(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = recorded(tmp_path, "sgds", {"s": "[B]"})
    assert main(["explain", str(run), "--item", "s", "--json"]) == 0
    assert json.loads(said(capsys)[0])["rows"][0]["answer"] == "B"


def test_a_page_is_written_and_whole(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = recorded(tmp_path, "sa-sgg", {"one": NASTY})
    file = tmp_path / "one.html"
    assert main(["explain", str(run), "--item", "one", "--html", str(file)]) == 0
    assert Page(file.read_text(encoding="utf-8")).problems == []


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--item", "oen"], "one?"),
        (["--item", "one", "--task", "sgqa"], "no task sgqa in this run"),
        (["--item", "one", "--repeat", "7"], "no repeat 7"),
        (["--item", "one", "--html", "run.json"], "a page is HTML"),
        (["--item", "one", "--html", "x.html", "--json"], "give one of them"),
        (["--html", "x.html"], "name it with --item"),
    ],
)
def test_slips_are_answered_with_what_to_do(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    run = recorded(tmp_path, "sa-sgg", {"one": RIGHT})
    said(capsys)
    assert main(["explain", str(run), *words]) == 2
    assert message in said(capsys)[1]


def test_a_folder_without_a_run_is_wrong_usage(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", str(tmp_path), "--item", "one"]) == 2
    assert "no run lies here" in said(capsys)[1]
