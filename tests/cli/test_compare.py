"""``tsgkit compare`` as a person types it: what it shows, what it refuses, and what its exit codes say."""

from __future__ import annotations

import csv
import io
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from compared_runs import evaluate, item_ids, write_questions, write_script
from pages import Page

from tsgkit.cli import main
from tsgkit.report.comparison_tables import csv_lines

IDS = item_ids()
STYLES = {"zero-shot": IDS[:4], "cot": IDS[:5], "few-shot": IDS}


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    write_questions(Path("questions.jsonl"), IDS)
    write_script(Path("good.jsonl"), IDS, IDS[:22])
    write_script(Path("bad.jsonl"), IDS, IDS[20:], missing=IDS[:1])
    evaluate("old", "script:good.jsonl")
    evaluate("new", "script:bad.jsonl")
    capsys.readouterr()


def said(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> tuple[str, str]:
    assert main(["compare", *words]) == code
    captured = capsys.readouterr()
    return captured.out, captured.err


def value(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(said(capsys, *words, "--json")[0])
    return found


def ablation(capsys: pytest.CaptureFixture[str]) -> list[str]:
    """Return three runs of one model, each in another style."""
    for style, right in STYLES.items():
        write_script(Path("model.jsonl"), IDS, right)
        evaluate(style, "script:model.jsonl", more=("--style", style))
    capsys.readouterr()
    return list(STYLES)


def test_two_rows_are_one_block_that_says_everything(runs: None, capsys: pytest.CaptureFixture[str]) -> None:
    out, err = said(capsys, "old", "new")
    assert err == ""
    for part in (
        "tsg/sgqa: exact_match, strict; 24 items in 12 clusters",
        "script:good.jsonl zero-shot  91.7 [",
        "script:bad.jsonl zero-shot   16.7 [",
        "difference                   +75.0 [+",
        "Holm-corrected 0.0117 (sign-flip test over clusters, all rearrangements)",  # 24 of 2,048
        "better on 20 items, worse on 2, the same on 2",
        "smallest difference that such items would probably show: ",
        "verdict: script:good.jsonl zero-shot is better",
        "1 sample has no answer; they count as wrong: missing 1 (s0-0)",
        "after Holm's correction over 1 comparison.",
    ):
        assert part in out


def test_many_rows_are_a_table_with_numbers_for_names(runs: None, capsys: pytest.CaptureFixture[str]) -> None:
    evaluate("all", "script:good.jsonl", "script:bad.jsonl", "baseline/random")
    capsys.readouterr()
    lines = said(capsys, "all")[0].splitlines()
    assert lines[2].startswith("  1  script:good.jsonl zero-shot    91.7")
    assert lines[4].startswith("  3  baseline/random")
    assert [line.split("  ")[1] for line in lines[8:11]] == ["1 - 2", "1 - 3", "2 - 3"]
    assert lines[8].split("  ")[2] == "1 is better"


def test_items_won_and_lost_are_listed(runs: None, capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = said(capsys, "old", "new", "--items")
    assert "  won: 20 items\n    s0-0  1.000 against 0.000\n" in out
    assert "  lost: 2 items\n    s11-0  0.000 against 1.000\n" in out
    [pair] = value(capsys, "old", "new", "--items")["comparisons"]
    assert pair["lost_items"][0] == {"item_id": "s11-0", "first": 0.0, "second": 1.0}


def test_the_json_holds_every_number(runs: None, capsys: pytest.CaptureFixture[str]) -> None:
    found = value(capsys, "old", "new", "--seed", "5")
    assert (found["profile"], found["seed"], found["level"], found["alpha"]) == ("strict", 5, 0.95, 0.05)
    [pair] = found["comparisons"]
    assert pair["difference"]["value"] == pytest.approx(0.75)
    assert pair["difference"]["low"] < 0.75 < pair["difference"]["high"]
    assert pair["first"]["low"] <= pair["first"]["value"] <= pair["first"]["high"]
    assert (pair["items"], pair["clusters"], pair["won"], pair["lost"], pair["tied"]) == (24, 12, 20, 2, 2)
    assert (pair["differs"], pair["better"]) == (True, "first")
    assert pair["second"]["unanswered"] == {"missing": ["s0-0"]}
    assert pair["resolvable"]["value"] > 0


def test_the_csv_is_one_row_a_pair_and_notes_go_elsewhere(runs: None, capsys: pytest.CaptureFixture[str]) -> None:
    out, err = said(capsys, "old", "new", "--format", "csv")
    [row] = csv.DictReader(io.StringIO(out))
    assert float(row["difference"]) == pytest.approx(0.75)
    assert row["verdict"] == "script:good.jsonl zero-shot is better"
    assert "note: tsg/sgqa: script:bad.jsonl zero-shot: 1 sample has no answer" in err
    out, _ = said(capsys, "old", "new", "--format", "csv", "--items")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [one["result"] for one in rows] == ["won"] * 20 + ["lost"] * 2


def test_the_markdown_is_a_table(runs: None, capsys: pytest.CaptureFixture[str]) -> None:
    lines = said(capsys, "old", "new", "--format", "markdown", "--items")[0].splitlines()
    assert lines[2].startswith("| task | metric | first | second | verdict |")
    assert "`script:bad.jsonl zero-shot` | the first is better | 24 | 12 | 91.7 [" in lines[4]
    assert "| +75.0 [" in lines[4]
    assert sum("| `won` |" in line for line in lines) == 20


def test_a_figure_is_drawn_beside_the_table(runs: None, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("matplotlib", reason="figures are drawn by matplotlib, the extra tsgkit[figures]")
    table = said(capsys, "old", "new", "--items")[0]
    out, err = said(capsys, "old", "new", "--items", "--figure", "items.pdf", "--by", "k", "--columns", "2")
    assert (out, err) == (table, "tsgkit: written: items.pdf\n")
    found = json.loads(said(capsys, "old", "new", "--json", "--figure", "differences.svg")[0])
    assert found["comparisons"][0]["items"] == 24
    assert Path("items.pdf").read_bytes().startswith(b"%PDF")
    assert "<svg" in Path("differences.svg").read_text()


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--figure", "f.gif"], "no figure has the ending gif"),
        (["--figure", "old/f.pdf"], "whose files are not touched"),
        (["--figure", "f.pdf", "--by", "k"], "--by k: no rows differ by that"),
        (["--figure", "f.pdf", "--items", "--by", "kk"], "there is no group kk"),
        (["--figure", "f.pdf", "--grid"], "--grid and --figure do not go together"),
        (["--columns", "2"], "--columns is said of a figure"),
    ],
)
def test_figures_that_cannot_be_drawn_are_refused(
    words: list[str], expected: str, runs: None, capsys: pytest.CaptureFixture[str]
) -> None:
    out, err = said(capsys, "old", "new", *words, code=2)
    assert out == ""
    assert expected in err
    assert not list(Path().rglob("f.*"))


def test_hostile_names_are_inert_everywhere(runs: None, capsys: pytest.CaptureFixture[str]) -> None:
    hostile = "script:a\x1b[2J|<img src=x>\u202e.jsonl"
    ids = ["=HYPERLINK(1)-0", "+1-0", "a\x1b[31m-0", *IDS]
    write_questions(Path("hostile.jsonl"), ids)
    write_script(Path(hostile.removeprefix("script:")), ids, ids)
    write_script(Path("none.jsonl"), ids, [], missing=ids[:3])
    evaluate("evil", hostile, "script:none.jsonl", data="hostile.jsonl")
    capsys.readouterr()
    for words in ([], ["--format", "markdown"], ["--format", "csv"], ["--grid"], ["--grid", "--format", "csv"]):
        shown = "".join(said(capsys, "evil", *words, *([] if "--grid" in words else ["--items"])))
        assert "\x1b" not in shown
        assert "\u202e" not in shown
    rows = list(csv.DictReader(io.StringIO(said(capsys, "evil", "--format", "csv", "--items")[0])))
    assert [row["item_id"] for row in rows[:3]] == ["'=HYPERLINK(1)-0", "'+1-0", "a\\x1b[31m-0"]
    for words, tables in ((["--items"], 2), (["--grid"], 1)):
        markdown = said(capsys, "evil", "--format", "markdown", *words)[0]
        assert "`script:a\\x1b[2J\\x7c<img src=x>\\u202e.jsonl" in markdown
        assert len({line.count("|") for line in markdown.splitlines() if line.startswith("| ")}) == tables

    for words in ([], ["--grid"]):
        page, table = (said(capsys, "evil", "--format", form, *words)[0] for form in ("html", "latex"))
        assert Page(page).problems == []
        assert "script:a\\x1b[2J|&lt;img src=x&gt;\\u202e.jsonl" in page
        assert "textbackslash{}x1b{[}2J\\textbar{}" in table.replace("\\allowbreak{}", "")
        assert not {"\x1b", "\u202e"} & {*page, *table}


FORMATS = {"terminal": "", "markdown": ".md", "csv": ".csv", "json": ".json", "latex": ".tex", "html": ".html"}


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("words", [[], ["--items"], ["--grid"]], ids=["pairs", "items", "grid"])
def test_a_file_holds_what_is_printed_and_its_ending_chooses_the_format(
    words: list[str], form: str, runs: None, capsys: pytest.CaptureFixture[str]
) -> None:
    printed, _ = said(capsys, "old", "new", *words, "--format", form)
    file = Path(f"out{FORMATS[form]}")
    out, err = said(capsys, "old", "new", *words, "-o", str(file))
    assert out == ""
    assert err.splitlines()[0] == f"tsgkit: written: {file}"
    assert file.read_text(encoding="utf-8") == printed
    assert "script:good.jsonl" in printed


def test_json_is_written_whatever_the_file_is_called(runs: None, capsys: pytest.CaptureFixture[str]) -> None:
    said(capsys, "old", "new", "--json", "-o", "out.txt")
    assert len(json.loads(Path("out.txt").read_text())["comparisons"]) == 1


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--format", "word"], "there is no format word"),
        (["-o", "f.docx"], "no comparison ends in .docx"),
        (["-o", "f.pdf"], "or --figure FILE for a drawing"),
        (["-o", "old/f.tex"], "whose files are not touched"),
        (["-o", "none/f.tex"], "there is no folder none"),
        (["--json", "--format", "latex"], "--json and --format latex do not go together"),
        (["-o", "f.svg", "--format", "html", "--figure", "f.svg"], "two outputs name one file"),
    ],
)
def test_files_that_cannot_be_written_are_refused(
    words: list[str], expected: str, runs: None, capsys: pytest.CaptureFixture[str]
) -> None:
    out, err = said(capsys, "old", "new", *words, code=2)
    assert out == ""
    assert expected in err
    assert not list(Path().rglob("f.*"))


def test_a_page_of_a_comparison_is_one_file(runs: None, capsys: pytest.CaptureFixture[str]) -> None:
    page = said(capsys, "old", "new", "--items", "--format", "html")[0]
    assert page.startswith("<!doctype html>")
    for part in ("<h2>Comparisons</h2>", "<h2>Items won and lost</h2>", "over scenarios", "1 sample has no answer"):
        assert part in page


def test_texts_lose_their_power_and_numbers_stay_numbers() -> None:
    assert csv_lines([("=1+1", -0.5, None, "@x", "-y")]) == ["'=1+1,-0.5,,'@x,'-y"]


def test_the_grid_marks_styles_that_really_differ(runs: None, capsys: pytest.CaptureFixture[str]) -> None:
    names = ablation(capsys)
    out, _ = said(capsys, *names, "old", "--grid")
    lines = out.splitlines()[1:]
    assert lines[0].split() == ["model", "style", "tsg/sgqa", "exact_match"]
    assert lines[1].split()[:2] == ["script:model.jsonl", "zero-shot"]
    assert [line.endswith("(+)") for line in lines[1:5]] == [False, False, True, False]
    assert "(+) better and (-) worse than the model's first style" in out
    assert "without a mark no difference is shown" in out
    found = value(capsys, *names, "--grid")
    assert [row["tasks"]["tsg/sgqa"]["mark"] for row in found["rows"]] == [None, None, "better"]
    rows = list(csv.DictReader(io.StringIO(said(capsys, *names, "--grid", "--format", "csv")[0])))
    assert [(row["style"], row["mark"]) for row in rows] == [("zero-shot", ""), ("cot", ""), ("few-shot", "better")]
    markdown = said(capsys, *names, "--grid", "--format", "markdown")[0]
    assert markdown.splitlines()[2] == "| model | style | tsg/sgqa exact_match |"


def test_the_gate_is_missed_where_a_row_is_worse(runs: None, capsys: pytest.CaptureFixture[str]) -> None:
    _, err = said(capsys, "old", "new", "--fail-if-worse", code=3)
    assert "gate missed: tsg/sgqa: script:bad.jsonl zero-shot against script:good.jsonl zero-shot" in err
    said(capsys, "new", "--baseline", "old", "--fail-if-worse", code=3)
    said(capsys, "new", "old", "--fail-if-worse")
    said(capsys, "old", "old", "--fail-if-worse")
    said(capsys, "old", "new", "--baseline", "old")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["nowhere"], "nowhere: no run lies here"),
        (["old"], "there is nothing to compare"),
        (["old", "--fail-if-worse"], "worse than what?"),
        (["old", "new", "--grid", "--items"], "--grid and --items do not go together"),
        (["old", "new", "--grid", "--baseline", "old"], "--grid and --baseline do not go together"),
        (["old", "new", "--task", "ma-sgg"], "no run here has the task ma-sgg"),
        (["old", "new", "--profile", "kind"], "there is no profile kind"),
        (["old", "new", "--baseline", "", "--fail-if-worse"], "the baseline has no name"),
        (["old", "new", "--baseline", "odl"], "no row is the baseline odl"),
    ],
)
def test_compare_refuses_incomparable_rows(
    words: list[str], message: str, runs: None, capsys: pytest.CaptureFixture[str]
) -> None:
    out, err = said(capsys, *words, code=2)
    assert out == ""
    assert message in err


def test_data_that_were_moved_are_found_where_they_are_said_to_lie(
    runs: None, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("questions.jsonl").rename("moved.jsonl")
    assert "script:good.jsonl zero-shot is better" in said(capsys, "old", "new")[0], "the runs keep their rows"
    shutil.rmtree("old/asked")
    said(capsys, "old", "new", code=2)
    assert "script:good.jsonl zero-shot is better" in said(capsys, "old", "new", "--data", "moved.jsonl")[0]


def test_the_help_tells_of_the_gate(capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = said(capsys, "--help")
    assert "exit 3 when a row is shown to be worse than its baseline" in out
