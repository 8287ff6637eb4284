"""All formats tell the same figures, and no name is more than text in any of them; LaTeX in particular."""

from __future__ import annotations

import csv
import io
import json
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from xml.etree import ElementTree

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from reported import ROW, baseline_run, hostile

from tsgkit.errors import UsageError
from tsgkit.report import json_value, latex, latex_text, markdown, spreadsheet
from tsgkit.report.continuous_integration import junit, summary
from tsgkit.report.figures import Estimate
from tsgkit.report.formats import write
from tsgkit.report.latex import FONT_SIZE, GAP, SMALL_SIZE, LatexColumn
from tsgkit.report.latex_text import escaped, width, words
from tsgkit.report.plain_text import HIDDEN, Foreign, inert
from tsgkit.report.published_tables import against_published
from tsgkit.report.report_rows import Report, gather
from tsgkit.report.table import Cell, Line, ReportDocument, Table
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
    texts = write(report, "terminal"), write(report, "markdown"), write(report, "latex").replace("{[}", "[")
    assert len(lines) >= 2 * 2 * (1 + 3)
    for line in lines:
        row = next(r for r in value["rows"] if (r["subject"], r["task"]) == (line["subject"], line["task"]))
        board = row["by"][line["group"]][line["member"]] if line["group"] else row
        found = board["profiles"][line["profile"]][line["metric"]]
        assert {name: line[name] for name in found} == {n: "" if v is None else repr(v) for n, v in found.items()}
        assert line["items"] == str(board["n"])
        shown = f"{100 * found['value']:.1f}"
        around = "" if found["low"] is None else f"{100 * found['low']:.1f}"
        for text in texts[:2]:
            assert any(shown in one and around in one and f"{found['n']:.0f}" in one for one in text.splitlines())
        assert any(shown in one and around in one for one in texts[2].splitlines())


def test_every_number_for_people_has_its_interval_and_n_and_two_runs_are_told_apart() -> None:
    board = replace(ROW.board, profiles={"strict": ROW.board.profiles["strict"], "official": None})
    text = write(Report((replace(ROW, board=board),)), "terminal")
    row = next(line for line in text.splitlines() if "exact_match" in line)
    assert row.split() == ["openai/x", "zero-shot", "exact_match", "more", "12.3", "[5.1,", "25.0]", "4", "-"]
    text = write(Report((ROW, replace(ROW, run="runs/b"))), "terminal")
    assert "runs/a  openai/x" in text and "runs/b  openai/x" in text
    board = replace(ROW.board, profiles=ROW.board.profiles | {"official": None}, reasons={"official": "other words"})
    [line] = [line for line in csv_lines(Report((replace(ROW, board=board),))) if line["profile"] == "official"]
    assert (line["value"], line["reason"]) == ("", "other words")


def test_unknown_usage_stays_unknown_in_every_format_and_usage_of_some_calls_says_at_least() -> None:
    for text in (write(REPORT, "terminal"), write(REPORT, "markdown")):
        assert text.count("(unknown)") == 3
    assert "tokens in, tokens out, cost: (unknown)" in write(REPORT, "latex")
    assert ("cost", "(unknown)") in [(line["metric"], line["value"]) for line in csv_lines(REPORT)]
    assert json.loads(json_value.write(REPORT))["rows"][0]["usage"]["cost"] is None
    assert "(unknown)" in summary(REPORT)
    some = USAGE | {"prompt_tokens": 1200, "calls_without_usage": 1, "cost": 0.5}
    text = write(Report((replace(ROW, usage=some),)), "terminal")
    assert "at least 1,200" in text and "at least $0.5000" in text and "cached input" not in text
    cached = USAGE | {"prompt_tokens": 1200, "cached_tokens": 300, "cached_input": 0.25}
    text = write(Report((replace(ROW, usage=cached), replace(ROW, subject="openai/y"))), "terminal", Screen(width=200))
    assert "cached input" in text and "25.0 %" in text


def test_a_table_of_markdown_is_aligned_and_junit_tells_failures_from_errors() -> None:
    found = Table(("a table",), ("who", "way", "n"), (("a", "cot", "1"),), (("a note",),), 2)
    lines = ["## a table", "", "| who | way | n |", "| :-- | :-- | --: |", "| a | cot | 1 |", "", "- a note"]
    assert list(markdown.table(found)) == lines
    counts = {"hallucinated_total": 5, "hallucinated_desc": 3, "hallucinated_new": 2, "hallucinating_items": 2}
    board = replace(ROW.board, counts=ROW.board.counts | counts | {"hallucinating_items_desc": 1})
    row = replace(ROW, kind="sa-sgg", task="tsg/sa-sgg", measured=("f1", "hallucinated", "hallucinating"), board=board)
    text = write(Report((row,)), "terminal")
    table = text[text.index("elements outside L") :].splitlines()
    assert [" ".join(line.split()) for line in table[1:3]] == [
        "task subject way n total desc new items total items desc items new",
        "tsg/sa-sgg openai/x zero-shot 4 5 3 2 2 1 0",
    ]
    rows = (ROW, replace(ROW, unasked=2), replace(ROW, subject="good"))
    text = junit(Report(rows), [Gate("tsg/sgqa", "exact_match", 0.5)])
    tree = ElementTree.fromstring(text)  # noqa: S314  (our own)
    assert (tree.attrib["tests"], tree.attrib["failures"], tree.attrib["errors"]) == ("3", "2", "1")
    tags = [[child.tag for child in case] for case in tree.iter("testcase")]
    assert tags == [["failure", "system-out"], ["error", "system-out"], ["failure", "system-out"]]
    with pytest.raises(UsageError, match="there is no format word"):
        write(REPORT, "word")


HEAD = ("task", "style", "metric", "n", "strict", "official", "unreadable", "failed", "tokens", "cost")
ROWS: list[tuple[Cell, ...]] = [
    HEAD,
    (
        *("tsg/sgqa", "cot", "exact_match", "490", Estimate("87.5", "[80.1, 92.0]"), Estimate("83.0", "[75.0, 90.1]")),
        *("0", "3", "1,234,567", "$1.20"),
    ),
    ("tsg/ma-sgg", "few-shot", "f1", "9", Estimate("7.5", "[0.1, 12.0]"), "-", "0", "0", "9", "$0.01"),
]


def test_figures_stand_to_the_right_no_cell_is_cut_and_narrow_screens_name_what_they_leave_out() -> None:
    lines = list(aligned(ROWS, 3, PAPER))
    assert lines == list(aligned(ROWS, 3, Screen(200)))
    assert [line[:40] for line in lines] == [
        "  task        style     metric         n",
        "  tsg/sgqa    cot       exact_match  490",
        "  tsg/ma-sgg  few-shot  f1             9",
    ]
    rows = [("model", "f1"), ("a-very-long-name/" * 6, "50.0")]
    assert rows[1][0] in list(aligned(rows, 1, Screen(40)))[1]
    rows = [("model", "f1"), ("\x1b[31mred", "50.0")]
    assert "\x1b" not in "".join(aligned(rows, 1, Screen(80)))
    coloured = list(aligned(rows, 1, Screen(80, in_colour=True)))
    assert coloured[0].startswith("\x1b[2m") and "\x1b" not in coloured[1]
    for room in (100, 80, 60):
        *lines, told = aligned(ROWS, 3, Screen(room))
        assert all(columns(line) <= room for line in lines[:3]) and "failed" in lines[0]
        assert told.startswith("  not shown here for want of room: tokens") and "unreadable" not in lines[0]
    assert "95 % intervals" in told and "[80.1" not in lines[1]


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
LINE_WRITERS = (partial(write, name="markdown"), summary)
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
    text = write(report, "terminal")
    assert not hidden(text) and text.count("\n") == write(PLAIN, "terminal").count("\n")
    for write_lines in LINE_WRITERS:
        text = write_lines(report)
        assert not hidden(text)
        for line, other in zip(text.split("\n"), write_lines(PLAIN).split("\n"), strict=True):
            assert line.count("`") % 2 == 0 and line.count("|") == other.count("|")
            outside = re.sub(r"`[^`]*`", "", line)
            assert outside.replace("(blank)", "") == re.sub(r"`[^`]*`", "", other)
    text = spreadsheet.write(report)
    rows = list(csv.reader(io.StringIO(text, newline="")))
    assert [len(row) for row in rows] == PLAIN_CELLS and not hidden(text.replace("\r\n", ""))
    for cell in (cell for row in rows for cell in row if not re.fullmatch(r"-?[0-9.]+(e-?[0-9]+)?", cell)):
        assert not cell.lstrip().startswith(spreadsheet.FORMULA), cell
    comments = write(report, "latex").split("\n\n")[0].split("\n")
    assert len(comments) == 5 and all(line.startswith("% ") and not hidden(line) for line in comments)
    text = json_value.write(report)
    assert text.isascii() and not hidden(text) and json.loads(text)["rows"][0]["subject"] == name
    tree = ElementTree.fromstring(junit(report))  # noqa: S314  (our own)
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


def document(*rows: Sequence[Cell], notes: tuple[Line, ...] = (), words: int = 1) -> ReportDocument:
    head = ("subject", *(f"column {number}" for number in range(1, len(rows[0]))))
    return ReportDocument("", (Table(("a table",), head, tuple(map(tuple, rows)), notes, words),), ())


def tabulars(text: str) -> list[list[list[str]]]:
    """Return the cells of every tabular, row by row, the head first."""
    found = re.findall(r"\\begin\{tabular\}.*?\n(.*?)\\end\{tabular\}", text, re.DOTALL)
    return [[line.removesuffix(" \\\\").split(" & ") for line in one.split("\n") if " \\\\" in line] for one in found]


def test_columns_that_say_nothing_are_left_out_and_told_in_the_caption() -> None:
    text = latex.written(document(("a", "x", "-", "0", "5.0"), ("b", "x", "-", "0", "5.0"), words=2))
    assert tabulars(text) == [[["subject", "column 4"], ["a", "5.0"], ["b", "5.0"]]]
    assert r"\caption{A table. In all rows: column 1: x; column 3: 0. No value: column 2.}" in text
    text = latex.written(document(("a", "x", "7", "0", "5.0"), words=2))
    assert tabulars(text) == [[["subject", "column 2", "column 4"], ["a", "7", "5.0"]]], "a row alone keeps its figures"
    assert r"\caption{A table. column 1: x; column 3: 0.}" in text
    text = latex.written(document(("a", "7", "0"), ("b", "7", "0")))
    assert tabulars(text) == [[["subject", "column 1"], ["a", "7"], ["b", "7"]]], "counts that are all there is"
    empty = Table(("what it took",), ("subject", "cost"), (("a", "-"), ("b", "-")))
    text = latex.written(ReportDocument("", (empty,), ()))
    assert text.splitlines()[1:] == ["% no values, so no table: what it took"]


def test_values_are_aligned_with_intervals_small_beside_them_marks_raised_and_n_once_where_both_are_the_same() -> None:
    text = latex.written(document(("a", Estimate("5.0", "[1.0, 9.0]", "(+)")), ("b", "10.0"), (Foreign("c (+)"), "-")))
    assert r"\begin{tabular}{@{}lr@{\,}l@{}}" in text
    assert tabulars(text)[0][1:] == [
        ["a", "5.0$^{+}$", r"{\scriptsize [1.0, 9.0]}"],
        ["b", "10.0", ""],
        ["c (+)", "--", ""],
    ]
    assert words("(+) better, p <= 0.05") == r"$^{+}$ better, p $\le$ 0.05"
    assert escaped("(+) <=") == r"(+) \textless{}="
    head = ("model", "task a\nf1", "task a\nrecall", "task b\nf1")
    rows = (("a", Estimate("5.0", "[1.0, 9.0]"), "4.0", "6.0"), ("b", "5.1", "3.0", "-"))
    text = latex.written(ReportDocument("", (Table(("t",), head, rows),), ()))
    assert tabulars(text)[0] == [
        ["", r"\multicolumn{3}{c}{task a}", r"\multicolumn{1}{c}{task b}"],
        ["model", r"\multicolumn{2}{c}{f1}", "recall", "f1"],
        ["a", "5.0", r"{\scriptsize [1.0, 9.0]}", "4.0", "6.0"],
        ["b", "5.1", "", "3.0", "--"],
    ]
    assert r"\cmidrule(lr){2-4}\cmidrule(lr){5-5}" in text


def test_notes_stand_inside_the_float_and_nothing_between_the_tables_whose_labels_are_never_the_same(
    report: Report,
) -> None:
    text = latex.written(document(("a", "1"), ("b", "2"), notes=(("first",), ("second",))))
    under = text[text.index("\\bottomrule") : text.index("\\end{table}")]
    assert "\\scriptsize\\raggedright\nfirst\\par\nsecond\n\\end{minipage}" in under
    text = write(report, "latex")
    between = re.sub(r"\\begin\{(table\*?)\}.*?\\end\{\1\}", "", text, flags=re.DOTALL)
    assert all(line.startswith("%") for line in between.splitlines() if line not in ("", "\\clearpage"))
    labels = re.findall(r"\\label\{(.*)\}", text)
    assert len(set(labels)) == len(labels)
    assert {"tab:tsg-sgqa", "tab:tsg-sgqa-by-k", "tab:tsg-sgqa-published-zero-shot", "tab:outcomes"} <= set(labels)
    assert all(re.fullmatch(r"tab:[a-z0-9-]{1,64}", label) for label in labels)
    twice = ReportDocument("", (Table(("é/\\}",), ("a",), (("b",),)),) * 2, ())
    assert re.findall(r"\\label\{(.*)\}", latex.written(twice)) == ["tab:e", "tab:e-2"]


def test_a_long_or_wide_table_goes_on_and_a_column_is_as_wide_as_its_widest_value_or_head() -> None:
    rows = [(f"model {number}", f"{number / 10:.1f}") for number in range(101)]
    text = latex.written(document(*rows, notes=(("once",),)))
    parts = tabulars(text)
    assert [row for part in parts for row in part[1:]] == [list(row) for row in rows]
    assert (len(parts), "Part 2 of 3." in text, text.count("once")) == (3, True, 1)
    cells = [Estimate(f"{number}0.0", "[1.0, 2.0]") for number in range(1, 30)]
    text = latex.written(document(("a", *cells), ("b", *reversed(cells))))
    [[head, values, intervals, *_]] = tabulars(text)
    kept = [int(name.removeprefix("column ")) for name in head[1:]]
    assert kept == list(range(1, len(kept) + 1)) and 5 < len(kept) < 29
    assert values == ["a", *(cells[number - 1].value for number in kept)]
    assert intervals[-1] == r"{\scriptsize [1.0, 2.0]}" and "Left out: column 29, column 28" in text
    column = LatexColumn("f1", (Estimate("5.0", "[1.0, 9.0]"), "10.0"), is_text=False)
    value, interval = width("10.0") * FONT_SIZE, width("[1.0, 9.0]") * SMALL_SIZE
    assert column.width() == pytest.approx(value + interval + GAP)
    assert column.width(is_stacked=True) == pytest.approx(interval + GAP)
    wide = LatexColumn("a heading that is wide", ("5.0",), is_text=False)
    assert wide.width() == pytest.approx(width(wide.head) * FONT_SIZE + GAP)
