"""All formats tell the same figures, each with what it rests on, and no name is more than text in any of them."""

from __future__ import annotations

import csv
import io
import json
import re
import unicodedata
from dataclasses import replace
from xml.etree import ElementTree

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from reported import ROW, baseline_run, hostile

from tsgkit.errors import UsageError
from tsgkit.report import json_value, junit, latex, latex_text, markdown, spreadsheet, summary, terminal
from tsgkit.report.formats import FORMATS, write
from tsgkit.report.plain_text import HIDDEN, inert
from tsgkit.report.published_tables import against_published
from tsgkit.report.report_rows import Report, gather
from tsgkit.report.tables import Table
from tsgkit.report.terminal import PAPER, Screen, aligned, columns
from tsgkit.runs.gates import Gate

REPORT = Report((ROW,))
USAGE = ROW.usage or {}


def csv_lines(report: Report) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(spreadsheet.write(report))))


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Report:
    run = baseline_run(tmp_path_factory.mktemp("runs") / "run", "tsg/sgqa", "tsg/sa-sgg", limit=30)
    return against_published(gather([run], ("k",), metrics="headline"))


def test_every_figure_of_the_csv_stands_in_the_json_and_rounded_in_the_tables(report: Report) -> None:
    value = json.loads(json_value.write(report))
    lines = [line for line in csv_lines(report) if line["kind"] == "metric"]
    texts = terminal.write(report), markdown.write(report), latex.write(report).replace("{[}", "[")
    assert len(lines) >= 2 * 2 * (1 + 3)
    for line in lines:
        row = next(r for r in value["rows"] if (r["subject"], r["task"]) == (line["subject"], line["task"]))
        board = row["by"][line["group"]][line["member"]] if line["group"] else row
        found = board["profiles"][line["profile"]][line["metric"]]
        assert {name: line[name] for name in found} == {n: "" if v is None else repr(v) for n, v in found.items()}
        assert line["items"] == str(board["n"])
        shown = f"{100 * found['value']:.1f}"
        around = "" if found["low"] is None else f"{100 * found['low']:.1f}"
        for text in texts:
            assert any(shown in one and around in one and f"{found['n']:.0f}" in one for one in text.splitlines())


def test_every_number_for_people_has_its_interval_and_n_and_two_runs_are_told_apart() -> None:
    board = replace(ROW.board, profiles={"strict": ROW.board.profiles["strict"], "official": None})
    text = terminal.write(Report((replace(ROW, board=board),)))
    row = next(line for line in text.splitlines() if "exact_match" in line)
    assert row.split() == ["openai/x", "zero-shot", "exact_match", "more", "12.3", "[5.1,", "25.0]", "4", "-", "-", "-"]
    text = terminal.write(Report((ROW, replace(ROW, run="runs/b"))))
    assert "runs/a  openai/x" in text and "runs/b  openai/x" in text
    board = replace(ROW.board, profiles=ROW.board.profiles | {"official": None}, reasons={"official": "other words"})
    [line] = [line for line in csv_lines(Report((replace(ROW, board=board),))) if line["profile"] == "official"]
    assert (line["value"], line["reason"]) == ("", "other words")


def test_unknown_usage_stays_unknown_in_every_format_and_usage_of_some_calls_says_at_least() -> None:
    for text in (terminal.write(REPORT), markdown.write(REPORT)):
        assert text.count("(unknown)") == 3 and "elements outside L" not in text
    assert "tokens in, tokens out, cost: (unknown)" in latex.write(REPORT)
    usage = {line["metric"]: line["value"] for line in csv_lines(REPORT) if line["kind"] == "usage"}
    assert usage["cost"] == "(unknown)"
    assert json.loads(json_value.write(REPORT))["rows"][0]["usage"]["cost"] is None
    assert "(unknown)" in summary.write(REPORT)
    some = USAGE | {"prompt_tokens": 1200, "calls_without_usage": 1, "cost": 0.5}
    text = terminal.write(Report((replace(ROW, usage=some),)))
    assert "at least 1,200" in text and "at least $0.5000" in text and "cached input" not in text
    cached = USAGE | {"prompt_tokens": 1200, "cached_tokens": 300, "cached_input": 0.25}
    text = terminal.write(Report((replace(ROW, usage=cached), replace(ROW, subject="openai/y"))), Screen(width=200))
    assert "cached input" in text and "25.0 %" in text


def test_a_table_of_markdown_aligns_words_left_and_figures_right_and_hallucinations_have_a_table() -> None:
    found = Table(("a table",), ("who", "way", "n"), (("a", "cot", "1"),), (("a note",),), 2)
    lines = ["## a table", "", "| who | way | n |", "| :-- | :-- | --: |", "| a | cot | 1 |", "", "- a note"]
    assert list(markdown.table(found)) == lines
    counts = {"hallucinated_total": 5, "hallucinated_desc": 3, "hallucinated_new": 2, "hallucinating_items": 2}
    board = replace(ROW.board, counts=ROW.board.counts | counts | {"hallucinating_items_desc": 1})
    row = replace(ROW, kind="sa-sgg", task="tsg/sa-sgg", measured=("f1", "hallucinated", "hallucinating"), board=board)
    text = terminal.write(Report((row,)))
    table = text[text.index("elements outside L") :].splitlines()
    head = "task subject way n total desc new items total items desc items new"
    assert (table[1].split(), table[2].split()) == (
        head.split(),
        ["tsg/sa-sgg", "openai/x", "zero-shot", "4", "5", "3", "2", "2", "1", "0"],
    )


def test_junit_tells_failures_from_errors_and_a_format_there_is_not_is_refused() -> None:
    rows = (ROW, replace(ROW, unasked=2), replace(ROW, subject="good"))
    text = junit.write(Report(rows), [Gate("tsg/sgqa", "exact_match", 0.5)])
    tree = ElementTree.fromstring(text)  # noqa: S314  (our own)
    assert (tree.attrib["tests"], tree.attrib["failures"], tree.attrib["errors"]) == ("3", "2", "1")
    tags = [[child.tag for child in case] for case in tree.iter("testcase")]
    assert tags == [["failure", "system-out"], ["error", "system-out"], ["failure", "system-out"]]
    with pytest.raises(UsageError, match="there is no format word"):
        write(REPORT, "word")
    assert all(write(REPORT, name) for name in FORMATS if name != "html")


# ---- tables on a terminal ----

HEAD = ("task", "style", "metric", "n", "strict", "official", "unreadable", "failed", "tokens", "cost")
ROWS = [
    HEAD,
    ("tsg/sgqa", "cot", "exact_match", "490", "87.5 [80.1, 92.0]", "83.0 [75.0, 90.1]", "0", "3", "1,234,567", "$1.20"),
    ("tsg/ma-sgg", "few-shot", "f1", "9", "7.5 [0.1, 12.0]", "-", "0", "0", "9", "$0.01"),
]


def test_figures_stand_to_the_right_words_to_the_left_no_cell_is_cut_and_data_bring_no_colours() -> None:
    head, first, second = aligned(ROWS, 3, PAPER)
    assert [head, first, second] == list(aligned(ROWS, 3, Screen(200)))
    place = head.index("  n ") + 3
    assert first[place - 3 : place] == "490" and second[place - 3 : place] == "  9"
    assert second.startswith("  tsg/ma-sgg  few-shot  f1 ")
    rows = [("model", "f1"), ("a-very-long-name/" * 6, "50.0")]
    assert rows[1][0] in list(aligned(rows, 1, Screen(40)))[1]
    rows = [("model", "f1"), ("\x1b[31mred", "50.0")]
    assert "\x1b" not in "".join(aligned(rows, 1, Screen(80)))
    coloured = list(aligned(rows, 1, Screen(80, in_colour=True)))
    assert coloured[0].startswith("\x1b[2m") and "\x1b" not in coloured[1]


def test_narrow_screens_keep_failures_and_name_what_they_leave_out() -> None:
    for width in (100, 80, 60):
        *lines, told = aligned(ROWS, 3, Screen(width))
        assert all(columns(line) <= width for line in lines[:3]) and "failed" in lines[0]
        assert told.startswith("  not shown here for want of room: tokens") and "unreadable" not in lines[0]
    assert "95 % intervals" in told and "[80.1" not in lines[1]


# ---- names that are more than text ----

NASTY = (
    "\x1b[31mred\x1b]0;title\x07\u202egnp.exe\u200b\ufeff\x00\x85",
    "\\input{/etc/passwd}\\write18{id}$x^2_{}$ & % # ~ [1] *",
    "=1+1",
    "-2+3",
    "\t@SUM(A1)",
    "\r+1",
    " ＝1",
    'a|b`c``d <b onload="x">[l](http://x) ![i](x) @user #1 https://x.y',
    '"]]><x/>&amp;&#1;\ud800\uffff',
    "a\nb\r\nc\u2028d\\",
    "`",
    "",
)
PLAIN = hostile("x")
PLAIN_LINES = {module: module.write(PLAIN).split("\n") for module in (markdown, summary)}
PLAIN_CELLS = [len(row) for row in csv.reader(io.StringIO(spreadsheet.write(PLAIN), newline=""))]
names = st.one_of(
    st.text(max_size=30),
    st.lists(st.sampled_from([*NASTY, *"\\{}$&#_%^~|`<>\"'=+-@\t\r\n\x1b"]), max_size=6).map("".join),
)


def hidden(text: str) -> set[str]:
    return {letter for letter in text if unicodedata.category(letter) in HIDDEN} - {"\n"}


def check_every_format(name: str) -> None:
    """Check that a name changes no shape of any format, brings nothing hidden, and is obeyed by nobody."""
    report = hostile(name)
    text = terminal.write(report)
    assert not hidden(text) and text.count("\n") == terminal.write(PLAIN).count("\n")
    for module, others in PLAIN_LINES.items():
        text = module.write(report)
        assert not hidden(text)
        for line, other in zip(text.split("\n"), others, strict=True):
            assert line.count("`") % 2 == 0 and line.count("|") == other.count("|")
            outside = re.sub(r"`[^`]*`", "", line)
            assert outside.replace("(blank)", "") == re.sub(r"`[^`]*`", "", other)
    text = spreadsheet.write(report)
    rows = list(csv.reader(io.StringIO(text, newline="")))
    assert [len(row) for row in rows] == PLAIN_CELLS and not hidden(text.replace("\r\n", ""))
    for cell in (cell for row in rows for cell in row):
        is_number = re.fullmatch(r"-?[0-9.]+(e-?[0-9]+)?", cell)
        assert is_number or not cell.lstrip().startswith(spreadsheet.FORMULA), cell
    comments = latex.write(report).split("\n\n")[0].split("\n")
    assert len(comments) == 5 and all(line.startswith("% ") and not hidden(line) for line in comments)
    text = json_value.write(report)
    assert text.isascii() and not hidden(text) and json.loads(text)["rows"][0]["subject"] == name
    tree = ElementTree.fromstring(junit.write(report))  # noqa: S314  (our own)
    cases = tree.findall(".//testcase")
    assert len(cases) == 2 and not hidden("".join(tree.itertext()))
    assert inert(name).replace("\uffff", "\\uffff").replace("\ufffe", "\\ufffe") in cases[0].attrib["name"]


def test_no_format_lets_a_nasty_name_be_more_than_text() -> None:
    for name in NASTY:
        check_every_format(name)


@given(names)
@settings(max_examples=12)
def test_no_format_lets_any_name_be_more_than_text(name: str) -> None:
    check_every_format(name)


@given(names)
@example(NASTY[1])
@settings(max_examples=50)
def test_latex_gets_only_its_own_commands_the_letters_of_europe_and_numbers_for_others(name: str) -> None:
    expected = "é ü Ł {[}U+8336{]}"
    assert latex_text.escaped("é ü Ł 茶") == latex_text.escaped("e\u0301 u\u0308 Ł 茶") == expected
    text = latex_text.escaped(name)
    assert set(text) <= latex_text.TYPESET | set(map(chr, range(32, 127)))
    own = r"\\(?:textbackslash|textless|textgreater|textbar|char34)\{\}|\\[`^~]\{\}|\\[ {}$&#_%]"
    for shown in (text, latex_text.breakable(name).replace("\\allowbreak{}", "")):
        left = re.sub(own, "", shown)
        assert not set(left) & set("\\$#%&~^_")
        assert not re.search(r"(?<!\{)[\[*]", left)
        assert re.sub(r"[^{}]|\{\}|\{[]\[*]\}", "", left) == ""
