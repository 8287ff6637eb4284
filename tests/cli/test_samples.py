"""What runs are looked at with: ``tsgkit samples``, ``explain``, ``report`` and ``export``."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from command_line import CommandLine
from pages import Page
from reported import baseline_run, recorded

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
        return "[marker]" if "write the number" in asked else "[mug]"

    styles = ["zero-shot", "cot"]
    tk.evaluate(["sgqa", "ma-sgg"], model={"mine": model}, style=styles, first=4, out=path, quiet=True)
    return path


def test_wrong_samples_are_a_line_each_and_are_chosen_by_outcome_text_and_row(run: Path, tsgkit: CommandLine) -> None:
    out = tsgkit(f"samples {run} --wrong --task sgqa").out
    head, *lines, last = out.splitlines()
    assert head.split() == ["item", "row", "outcome", "answer", "key", "reason"]
    assert lines[0].split()[:5] == ["pcr/q1", "sgqa", "zero-shot", "answered", "mug"]
    assert len(lines) == 7 and "\x1b" not in out and "..." not in out, "whole, since this is no terminal"
    assert lines[0].endswith("  mug, expected " + lines[0].split()[5])
    command = last.removeprefix("all about the first: tsgkit ")
    assert command == f"explain {run} --item pcr/q1 --task tsg/sgqa --style zero-shot"
    assert "reference" in tsgkit(command).out
    assert "\n... and 12 more (--limit 0 shows all)\n" in tsgkit(f"samples {run} --wrong --limit 3").out
    listed = tsgkit(f"samples {run} --wrong --style cot").out
    assert tsgkit(f"explain {run} --style cot").out == listed
    none = tsgkit(f"samples {run} --grep 'no such text anywhere'").out
    assert none.startswith("no sample fits; of 16 samples: ") and none.endswith("15 not fully right\n")
    words = f"explain {run} --item pcr/1 --task ma-sgg --style cot"
    short, whole = tsgkit(words).out.splitlines(), tsgkit(f"{words} --all").out.splitlines()
    assert len(short) <= 80 < len(whole), "an explanation fits two screens"
    assert any("more: --all shows them)" in line for line in short) and not any("--all" in line for line in whole)

    def items(words: str = "") -> list[tuple[str, str]]:
        lines = tsgkit(f"samples {run} --json --limit 0 {words}").out.splitlines()
        return [(one["item_id"], one["style"]) for one in map(json.loads, lines)]

    assert len(items()) == 16
    assert {style for _, style in items("--unreadable --task sgqa")} == {"cot"}
    assert items("--right") == [("pcr/q0", "zero-shot")]
    assert items("--grep 'WRITE THE NUMBER' --style zero-shot") == [("pcr/q0", "zero-shot")]
    assert items("--disagree zero-shot cot") == [("pcr/q0", "zero-shot"), ("pcr/q0", "cot")]
    for words in ("cot zero-shot", "'python:mine cot' 'python:mine zero-shot'"):
        assert items(f"--disagree {words}") == [("pcr/q0", "cot"), ("pcr/q0", "zero-shot")], words
    assert items("--disagree cot zero-shot --wrong") == [("pcr/q0", "cot")]
    assert len(items("--outcome answered --style zero-shot,cot")) == 4


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


@pytest.fixture(scope="module")
def baselines(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return baseline_run(tmp_path_factory.mktemp("runs") / "run", "tsg/sgqa", "tsg/sa-sgg", limit=10)


def test_reports_show_outcomes_in_the_format_of_their_file_and_gates_decide_the_exit_code(
    baselines: Path, tsgkit: CommandLine
) -> None:
    words = f"report {baselines} --by k --against published"
    out = tsgkit(words).out
    titles = ("tsg/sgqa\n", "tsg/sa-sgg\n", "how samples ended\n", "what it took\n", "elements outside L\n")
    assert [title for title in titles if title not in out] == []
    value = tsgkit(f"report {baselines} --format json --by implicit --against published --metrics headline").json
    assert [sorted(row["by"]) for row in value["rows"]] == [[], ["implicit"], [], ["implicit"]]
    assert len(value["published"]) == 4
    for name, start in {
        "a.md": "# Results",
        "a.csv": "run,",
        "a.json": "{",
        "a.tex": "% Tables",
        "a": "results",
    }.items():
        assert tsgkit(f"report {baselines} -o {name}").out == ""
        assert Path(name).read_text().startswith(start), name
    Path("summary.md").write_text("before\n")
    words = f"report {baselines} --junit junit.xml --summary summary.md --fail-under"
    assert "gate missed: baseline/random" in tsgkit(words, "sgqa.normalised=0.1", code=3).err
    tree = ElementTree.parse("junit.xml").getroot()  # noqa: S314  (our own)
    assert (tree.attrib["tests"], tree.attrib["failures"], tree.attrib["errors"]) == ("4", "1", "0")
    summary = Path("summary.md").read_text()
    assert summary.startswith("before\n\n## tsgkit results\n") and "gate missed" in summary
    tsgkit(words, "sgqa.normalised=0.0")
    summary = Path("summary.md").read_text()
    assert summary.count("## tsgkit results") == 2 and summary.endswith("- every gate is reached\n")


def test_commands_of_runs_refuse_what_a_run_does_not_have(
    run: Path, baselines: Path, folder: Path, tsgkit: CommandLine
) -> None:
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
            f"{explain} --item pcr/q00": "pcr/q0?",
            f"{explain} --item pcr/q0 --html x.html --json": "give one of them",
            f"explain {folder} --item one": "no run lies here",
        }
    )
    shutil.copytree(baselines, "run")
    untouched = "whose files are not touched"
    tsgkit.refuses(
        {
            "run --figure f1": "expected a metric and a group, METRIC:G",
            "run --figure f1:implicit": "--figure: no file is named",
            "run --figure f1:implicit -o f1.pdf --by k": "--figure and --by do not go together",
            "run --figure f9:implicit -o f1.pdf": "no task here has the metric f9",
            "run --figure f1:implicitly -o f1.pdf": "a figure cannot be grouped by implicitly\n  implicit?",
            "run --against nobody": "--against nobody",
            "run --fail-under sgqa.nothing=1": "has no nothing",
            "run -o /no/such/folder/report.md": "there is no folder",
            "run -o t.pdf": "tsgkit: t.pdf: no report ends in .pdf\n  name it .md, .csv, .json, .tex, .html",
            "run --junit x --summary x": "two outputs name one file",
            "run -o run/samples.jsonl": untouched,
            "run --junit run/new.md": untouched,
            "run --summary run/new.md": untouched,
            "run --figure f1:implicit -o run/new.pdf": untouched,
        },
        "report",
    )
    tsgkit.refuses(
        {
            "run --to inspekt -o x": "tsgkit: there is no format inspekt\n  inspect?\n",
            "run --to csv": "tsgkit: missing: -o/--output\n",
            "run --to csv -o x --data gone": "tsgkit: tsg/sgqa: no file, folder or dataset is called gone\n",
            "nowhere --to csv -o x": "no run lies here",
        },
        "export",
    )
