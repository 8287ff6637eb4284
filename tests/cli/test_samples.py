"""``tsgkit samples`` and ``tsgkit explain``: wrong samples, one line each, and one explained on two screens."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from command_line import CommandLine
from pages import Page
from report_runs import RIGHT, recorded

import tsgkit as tk

NASTY = "person -> verb -> wash\nwash -> dobj -> \x1b[31mcup\u202e\nwash -> with -> hand2\n\x1b]0;owned\x07"


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


def test_wrong_samples_are_a_line_each_and_lead_to_an_explanation(
    run: Path, tsgkit: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    out = tsgkit(f"samples {run} --wrong --task sgqa").out
    head, *lines, last = out.splitlines()
    assert head.split() == ["item", "row", "outcome", "answer", "key", "reason"]
    assert lines[0].split()[:5] == ["bread/q1", "sgqa", "zero-shot", "answered", "mug"]
    assert len(lines) == 7 and all(len(line) <= 80 for line in lines) and "\x1b" not in out
    command = last.removeprefix("all about the first: tsgkit ")
    assert command == f"explain {run} --item bread/q1 --task tsg/sgqa --style zero-shot"
    assert "reference" in tsgkit(command).out
    assert "\n... and 12 more (--limit 0 shows all)\n" in tsgkit(f"samples {run} --wrong --limit 3").out
    listed = tsgkit(f"samples {run} --wrong --style cot").out
    assert tsgkit(f"explain {run} --style cot").out == listed
    none = tsgkit(f"samples {run} --grep 'no such text anywhere'").out
    assert none.startswith("no sample fits; of 16 samples: ") and none.endswith("15 not fully right\n")


def test_samples_are_chosen_by_outcome_text_and_row(run: Path, tsgkit: CommandLine) -> None:
    def items(words: str = "") -> list[tuple[str, str]]:
        lines = tsgkit(f"samples {run} --json --limit 0 {words}").out.splitlines()
        return [(one["item_id"], one["style"]) for one in map(json.loads, lines)]

    assert len(items()) == 16
    assert {style for _, style in items("--unreadable --task sgqa")} == {"cot"}
    assert items("--right") == [("bread/q0", "zero-shot")]
    assert items("--grep 'TIN HAS COME OUT' --style zero-shot") == [("bread/q0", "zero-shot")]
    assert items("--disagree zero-shot cot") == [("bread/q0", "zero-shot"), ("bread/q0", "cot")]
    assert items("--disagree 'python:mine zero-shot' 'python:mine cot'") == items("--disagree cot zero-shot")
    assert len(items("--outcome answered --style zero-shot,cot")) == 4


def test_samples_and_explain_refuse_what_a_run_does_not_have(run: Path, folder: Path, tsgkit: CommandLine) -> None:
    samples, explain = f"samples {run}", f"explain {run} --task sgqa"
    tsgkit.refuses(
        {
            f"{samples} --style cott": "tsgkit: --style cott: the run has none\n  cot?\n",
            f"{samples} --task sgds": "tsgkit: --task sgds: the run has none\n",
            f"{samples} --outcome wrong": "tsgkit: --outcome wrong: the run has none\n  choose from answered,",
            f"{samples} --disagree cot x": (
                "tsgkit: the run has no row x\n  choose from python:mine cot, python:mine zero-shot\n"
            ),
            f"{samples} --wrong --right": "tsgkit: --right: not allowed with argument --wrong\n",
            f"{samples} --limit -1": "tsgkit: --limit -1: from 0\n",
            f"{explain} --html x.html": "--html is of one item\n  name it with --item",
            f"{explain} --item bread/q00": "bread/q0?",
            f"explain {run} --item bread/q0 --task sgds": "no task sgds in this run",
            f"{explain} --item bread/q0 --repeat 7": "no repeat 7",
            f"{explain} --item bread/q0 --html run.json": "a page is HTML",
            f"{explain} --item bread/q0 --html x.html --json": "give one of them",
            f"explain {folder} --item one": "no run lies here",
        }
    )


def test_explanation_fits_two_screens_and_all_shows_the_rest(run: Path, tsgkit: CommandLine) -> None:
    words = f"explain {run} --item bread/1 --task ma-sgg --style cot"
    short, whole = tsgkit(words).out.splitlines(), tsgkit(f"{words} --all").out.splitlines()
    assert len(short) <= 80 < len(whole)
    assert any("more: --all shows them)" in line for line in short)
    assert not any("--all" in line for line in whole)
    assert [line for line in short if "outcome" in line] == [line for line in whole if "outcome" in line]


def test_samples_of_every_suite_have_a_key_and_a_reason(tsgkit: CommandLine) -> None:
    for task, model in {
        "formalimg/layout": "random",
        "spatialgen/questions": "random",
        "sceneeval/annotate": "rules",
    }.items():
        out = task.replace("/", "-")
        tsgkit(f"eval --task {task} --model baseline/{model} --first 3 --quiet --out {out}")
        samples = [json.loads(line) for line in tsgkit(f"samples {out} --json").out.splitlines()]
        assert len(samples) == 3 and all(one["key"] for one in samples), task
        assert all(one["reason"] for one in samples if one["wrong"]), task


def test_one_row_is_shown_whole_and_several_briefly(folder: Path, tsgkit: CommandLine) -> None:
    wrong = recorded(folder, "sa-sgg", {"one": RIGHT.replace("hand1", "hand2")}, styles=["zero-shot", "cot"])
    out = tsgkit(f"explain {wrong} --item one").out
    assert "choose one to see all of it: --style zero-shot|cot" in out and "sent, user:" not in out
    out = tsgkit(f"explain {wrong} --item one --style cot").out
    for part in ("sent, user:", "reply: complete", "strict reads:", "official reads:", "reference", "scores"):
        assert part in out, part
    assert "≠hand wash -> with -> hand2, expected wash -> with -> hand1" in out and "1 graphs for 1" in out
    rows = tsgkit(f"explain {wrong} --item one --json").json["rows"]
    assert [(row["style"], row["outcome"]) for row in rows] == [("zero-shot", "answered"), ("cot", "answered")]


def test_explain_escapes_replies_and_colours_only_where_wanted(
    folder: Path, tsgkit: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = f"explain {recorded(folder, 'sa-sgg', {'one': NASTY})} --item one"
    out = tsgkit(words).out
    assert not {"\x1b", "\u202e", "\x07"} & set(out) and "\\x1b[31mcup\\u202e" in out
    tsgkit(f"{words} --html one.html")
    assert Page(Path("one.html").read_text(encoding="utf-8")).problems == []
    for is_terminal, no_colour, term, coloured in (
        (True, "", "xterm", True),
        (False, "", "xterm", False),
        (True, "1", "xterm", False),
        (True, "", "dumb", False),
    ):
        monkeypatch.setenv("NO_COLOR", no_colour)
        monkeypatch.setenv("TERM", term)
        monkeypatch.setattr(sys.stdout, "isatty", lambda is_terminal=is_terminal: is_terminal)
        out = tsgkit(words).out
        assert ("\x1b[1m" in out) is coloured, (is_terminal, no_colour, term)
        assert "\x1b]0" not in out and "\x1b[31mcup" not in out
