"""``tsgkit samples``: wrong samples on the terminal, one line each, and one explained on two screens."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import tsgkit as tk
from tsgkit.cli import main


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return two styles of a model that is right about nothing when it reasons, and hostile about graphs."""
    path = tmp_path_factory.mktemp("samples") / "run"

    def model(messages: list[dict[str, str]]) -> str:
        asked = messages[-1]["content"]
        if "step by step" in asked.lower():
            return "\x1b[31m<b>I cannot say.\n"
        return "[hook]" if "tin has come out" in asked else "[mug]"

    styles = ["zero-shot", "cot"]
    tk.evaluate(["sgqa", "ma-sgg"], model={"mine": model}, style=styles, first=4, out=path, quiet=True)
    return path


def said(capsys: pytest.CaptureFixture[str], *words: object, code: int = 0) -> str:
    assert main([str(word) for word in words]) == code
    found = capsys.readouterr()
    return found.err if code else found.out


def test_wrong_samples_are_a_line_each_and_lead_to_an_explanation(
    run: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    out = said(capsys, "samples", run, "--wrong", "--task", "sgqa")
    head, *lines, last = out.splitlines()
    assert head.split() == ["item", "row", "outcome", "answer", "key", "reason"]
    assert lines[0].split()[:5] == ["bread/q1", "sgqa", "zero-shot", "answered", "mug"]
    assert len(lines) == 7 and all(len(line) <= 80 for line in lines) and "\x1b" not in out
    command = last.removeprefix("all about the first: tsgkit ").split()
    assert command == ["explain", str(run), "--item", "bread/q1", "--task", "tsg/sgqa", "--style", "zero-shot"]
    assert "reference" in said(capsys, *command)


def test_samples_are_chosen_by_outcome_text_and_row(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def items(*words: str) -> list[tuple[str, str]]:
        lines = said(capsys, "samples", run, "--json", "--limit", "0", *words).splitlines()
        return [(one["item_id"], one["style"]) for one in map(json.loads, lines)]

    assert len(items()) == 16
    assert {style for _, style in items("--unreadable", "--task", "sgqa")} == {"cot"}
    assert items("--right") == [("bread/q0", "zero-shot")]
    assert items("--grep", "TIN HAS COME OUT", "--style", "zero-shot") == [("bread/q0", "zero-shot")]
    assert items("--disagree", "zero-shot", "cot") == [("bread/q0", "zero-shot"), ("bread/q0", "cot")]
    assert items("--disagree", "python:mine zero-shot", "python:mine cot") == items("--disagree", "cot", "zero-shot")
    assert len(items("--outcome", "answered", "--style", "zero-shot,cot")) == 4


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--style", "cott"], "tsgkit: --style cott: the run has none\n  cot?\n"),
        (["--task", "sgds"], "tsgkit: --task sgds: the run has none\n"),
        (["--outcome", "wrong"], "tsgkit: --outcome wrong: the run has none\n  choose from answered,"),
        (
            ["--disagree", "cot", "x"],
            "tsgkit: the run has no row x\n  choose from python:mine cot, python:mine zero-shot\n",
        ),
        (["--wrong", "--right"], "tsgkit: --right: not allowed with argument --wrong\n"),
        (["--limit", "-1"], "tsgkit: --limit -1: from 0\n"),
    ],
)
def test_names_that_a_run_does_not_have_are_told(
    words: list[str], expected: str, run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert said(capsys, "samples", run, *words, code=2).startswith(expected)


def test_no_sample_that_fits_says_what_there_is(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = said(capsys, "samples", run, "--grep", "no such text anywhere")
    assert out.startswith("no sample fits; of 16 samples: ") and out.endswith("15 not fully right\n")


def test_more_samples_than_the_limit_are_counted(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "\n... and 12 more (--limit 0 shows all)\n" in said(capsys, "samples", run, "--wrong", "--limit", "3")


def test_explain_without_an_item_lists_what_is_wrong(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    listed = said(capsys, "samples", run, "--wrong", "--style", "cot")
    assert said(capsys, "explain", run, "--style", "cot") == listed
    assert "--html is of one item" in said(capsys, "explain", run, "--html", "x.html", code=2)


def test_explanation_fits_two_screens_and_all_shows_the_rest(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("explain", run, "--item", "bread/1", "--task", "ma-sgg", "--style", "cot")
    short, whole = (said(capsys, *words, *more).splitlines() for more in ([], ["--all"]))
    assert len(short) <= 80 < len(whole)
    assert any("more: --all shows them)" in line for line in short)
    assert not any("--all" in line for line in whole)
    assert [line for line in short if "outcome" in line] == [line for line in whole if "outcome" in line]


def test_samples_of_every_suite_have_a_key_and_a_reason(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for task in ("formalimg/layout", "spatialgen/questions", "sceneeval/annotate"):
        out = tmp_path / task.replace("/", "-")
        model = "baseline/random" if task.startswith("spatialgen") else "baseline/rules"
        words = ["--first", "3", "--quiet", "--out", out]
        if task.startswith("formalimg"):
            model = "baseline/random"
        said(capsys, "eval", "--task", task, "--model", model, *words)
        found = [json.loads(line) for line in said(capsys, "samples", out, "--json").splitlines()]
        assert len(found) == 3 and all(one["key"] for one in found), task
        assert all(one["reason"] for one in found if one["wrong"]), task
