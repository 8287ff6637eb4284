"""Tables in LaTeX: their columns, captions, labels and parts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import pytest
from reported import ROW, baseline_run

from tsgkit.report import latex
from tsgkit.report.latex_text import escaped, width, words
from tsgkit.report.paper_columns import FONT_SIZE, GAP, INTERVAL_SIZE, Column
from tsgkit.report.plain_text import Foreign
from tsgkit.report.published_tables import against_published
from tsgkit.report.report_rows import Report, gather
from tsgkit.report.tables import Document, Line, Table


def document(*rows: Sequence[str], notes: tuple[Line, ...] = (), words: int = 1) -> Document:
    head = ("subject", *(f"column {number}" for number in range(1, len(rows[0]))))
    return Document("", (Table(("a table",), head, tuple(map(tuple, rows)), notes, words),), ())


def tabulars(text: str) -> list[list[list[str]]]:
    """Return the cells of every tabular, row by row, the head first."""
    found = re.findall(r"\\begin\{tabular\}.*?\n(.*?)\\end\{tabular\}", text, re.DOTALL)
    return [[line.removesuffix(" \\\\").split(" & ") for line in one.split("\n") if " \\\\" in line] for one in found]


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Report:
    run = baseline_run(tmp_path_factory.mktemp("runs") / "run", "tsg/sgqa", "tsg/sgds", "tsg/sa-sgg", limit=30)
    return against_published(gather([run], ("k", "domain"), metrics="all"))


def test_a_table_has_caption_label_rules_and_says_what_it_needs() -> None:
    lines = latex.write(Report((ROW, replace(ROW, subject="openai/y")))).splitlines()
    assert lines[0] == r"% Tables for \input. The preamble needs \usepackage{booktabs}."
    assert (
        r"\caption{Results on tsg/sgqa. In all rows: way: zero-shot; metric: exact\_match; better: more; n: 4.}"
        in lines
    )
    assert r"\label{tab:tsg-sgqa}" in lines
    for command in ("begin{table", "end{table", "toprule", "midrule", "bottomrule", "caption", "label{tab:"):
        assert sum(line.startswith(f"\\{command}") for line in lines) == 3
    assert not any("hline" in line for line in lines)


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
    text = latex.written(Document("", (empty,), ()))
    assert text.splitlines()[1:] == ["% no values, so no table: what it took"]


def test_values_are_aligned_with_intervals_small_beside_them_marks_raised_and_n_once_where_both_are_the_same() -> None:
    text = latex.written(document(("a", "5.0 [1.0, 9.0] (+)"), ("b", "10.0"), (Foreign("c (+)"), "-")))
    assert r"\begin{tabular}{@{}lr@{\,}l@{}}" in text
    assert tabulars(text)[0][1:] == [
        ["a", "5.0", r"{\scriptsize [1.0, 9.0]$^{+}$}"],
        ["b", "10.0", ""],
        ["c (+)", "--", ""],
    ]
    assert words("(+) better, p <= 0.05") == r"$^{+}$ better, p $\le$ 0.05"
    assert escaped("(+) <=") == r"(+) \textless{}="
    rows = (("a", "5.0", "4", "6.0", "4"), ("b", "5.1", "3", "-", "-"))
    text = latex.written(Document("", (Table(("t",), ("subject", "strict", "n", "official", "n"), rows),), ()))
    assert tabulars(text)[0] == [
        ["subject", "strict", "n", "official"],
        ["a", "5.0", "4", "6.0"],
        ["b", "5.1", "3", "--"],
    ]


def test_notes_stand_inside_the_float_and_nothing_between_the_tables_whose_labels_are_never_the_same(
    report: Report,
) -> None:
    text = latex.written(document(("a", "1"), ("b", "2"), notes=(("first",), ("second",))))
    under = text[text.index("\\bottomrule") : text.index("\\end{table}")]
    assert "\\scriptsize\\raggedright\nfirst\\par\nsecond\n\\end{minipage}" in under
    text = latex.write(report)
    between = re.sub(r"\\begin\{(table\*?)\}.*?\\end\{\1\}", "", text, flags=re.DOTALL)
    assert all(line.startswith("%") for line in between.splitlines() if line not in ("", "\\clearpage"))
    labels = re.findall(r"\\label\{(.*)\}", text)
    assert len(set(labels)) == len(labels)
    assert {"tab:tsg-sgqa", "tab:tsg-sgqa-by-k", "tab:tsg-sgqa-published-zero-shot", "tab:outcomes"} <= set(labels)
    assert all(re.fullmatch(r"tab:[a-z0-9-]{1,64}", label) for label in labels)
    twice = Document("", (Table(("é/\\}",), ("a",), (("b",),)),) * 2, ())
    assert re.findall(r"\\label\{(.*)\}", latex.written(twice)) == ["tab:e", "tab:e-2"]


def test_a_long_table_goes_on_in_another_float_and_loses_no_row() -> None:
    rows = [(f"model {number}", f"{number / 10:.1f}") for number in range(101)]
    text = latex.written(document(*rows, notes=(("once",),)))
    parts = tabulars(text)
    assert len(parts) == 3
    assert [row for part in parts for row in part[1:]] == [list(row) for row in rows]
    assert "Part 2 of 3." in text
    assert text.count("once") == 1


def test_a_wide_table_goes_on_below_and_loses_no_column() -> None:
    cells = [f"{number}0.0 [1.0, 2.0]" for number in range(1, 30)]
    text = latex.written(document(("a", *cells), ("b", *reversed(cells))))
    parts = tabulars(text)
    assert len(parts) > 2
    assert [part[1][0] for part in parts] == ["a"] * len(parts)
    assert [cell for part in parts for cell in part[1][1::2]] == [cell.split()[0] for cell in cells]


def test_a_column_is_as_wide_as_its_head_or_its_widest_value_with_its_interval() -> None:
    values = Column("f1", ("5.0", "10.0"), is_text=False, beside=("[1.0, 9.0]", ""))
    value, interval = width("10.0") * FONT_SIZE, width("[1.0, 9.0]") * INTERVAL_SIZE
    assert values.width == pytest.approx(value + interval + GAP)
    head = Column("a heading that is wide", ("5.0",), is_text=False)
    assert head.width == pytest.approx(width(head.head) * FONT_SIZE + GAP)
