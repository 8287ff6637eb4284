"""LaTeX that is written compiles as it is: every table, at every width, whatever others called their models."""

from __future__ import annotations

import random
import re
import string
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from compared_runs import evaluate, item_ids, write_questions, write_script
from reported import ROW, baseline_run, hostile
from typeset import PLAIN, TWO_COLUMNS, needs_tex, typeset

from tsgkit.report import comparison_formats, latex
from tsgkit.report.comparison import compare
from tsgkit.report.grid import grid
from tsgkit.report.latex_text import TYPESET, escaped, width, words
from tsgkit.report.paper_columns import FONT_SIZE
from tsgkit.report.plain_text import Foreign, inert
from tsgkit.report.published_tables import against_published
from tsgkit.report.report_rows import Report, gather
from tsgkit.report.tables import Document, Line, Table

CLASSES = pytest.mark.parametrize("begin", [PLAIN, TWO_COLUMNS], ids=["one column", "two columns"])
NAMES = (
    "\\input{/etc/passwd}",
    "\\write18{id}\\immediate\\openout3=x",
    "^^5cinput{/etc/passwd} ^^M%",
    "".join(letter for letter in string.printable if letter not in string.whitespace),
    "$x_1^2$ & # % ~ \\\\ {a}} {",
    "\\end{table}\\end{document}",
    "[1cm] * [*]",
    "-- --- '' `` ,, ?` !` << >>",
    "  a   b ",
    "tab\tnew\nline\r\x00\x07\x1b[31m\u202e\u2028",
    "a" * 240,
    "/".join(["openai", "a-very-long-name"] * 30),
    "名前 имя όνομα שם نام नाम 이름 ชื่อ 🦊 \ud800 \uffff",
    "",
)


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


# ---- the shape of tables ----


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


def test_a_row_alone_keeps_its_figures() -> None:
    text = latex.written(document(("a", "x", "7", "0", "5.0"), words=2))
    assert tabulars(text) == [[["subject", "column 2", "column 4"], ["a", "7", "5.0"]]]
    assert r"\caption{A table. column 1: x; column 3: 0.}" in text


def test_a_table_without_values_is_named_instead() -> None:
    empty = Table(("what it took",), ("subject", "cost"), (("a", "-"), ("b", "-")))
    text = latex.written(Document("", (empty,), ()))
    assert text.splitlines()[1:] == ["% no values, so no table: what it took"]


def test_counts_that_are_all_a_table_has_are_shown() -> None:
    text = latex.written(document(("a", "7", "0"), ("b", "7", "0")))
    assert tabulars(text) == [[["subject", "column 1"], ["a", "7"], ["b", "7"]]]


def test_n_stands_once_where_both_profiles_have_the_same() -> None:
    rows = (("a", "5.0", "4", "6.0", "4"), ("b", "5.1", "3", "-", "-"))
    text = latex.written(Document("", (Table(("t",), ("subject", "strict", "n", "official", "n"), rows),), ()))
    assert tabulars(text)[0] == [
        ["subject", "strict", "n", "official"],
        ["a", "5.0", "4", "6.0"],
        ["b", "5.1", "3", "--"],
    ]


def test_values_are_aligned_and_intervals_stand_small_beside_them() -> None:
    text = latex.written(document(("a", "5.0 [1.0, 9.0] (+)"), ("b", "10.0"), ("c", "-")))
    assert r"\begin{tabular}{@{}lr@{\,}l@{}}" in text
    assert tabulars(text)[0][1:] == [
        ["a", "5.0", r"{\scriptsize [1.0, 9.0]$^{+}$}"],
        ["b", "10.0", ""],
        ["c", "--", ""],
    ]


def test_notes_stand_under_the_table_inside_the_float() -> None:
    text = latex.written(document(("a", "1"), ("b", "2"), notes=(("first",), ("second",))))
    under = text[text.index("\\bottomrule") : text.index("\\end{table}")]
    assert "\\scriptsize\\raggedright\nfirst\\par\nsecond\n\\end{minipage}" in under


def test_nothing_stands_between_the_tables(report: Report) -> None:
    text = latex.write(report)
    between = re.sub(r"\\begin\{(table\*?)\}.*?\\end\{\1\}", "", text, flags=re.DOTALL)
    assert all(line.startswith("%") for line in between.splitlines() if line not in ("", "\\clearpage"))


def test_labels_depend_on_what_is_shown_and_are_never_the_same(report: Report) -> None:
    labels = re.findall(r"\\label\{(.*)\}", latex.write(report))
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


def test_marks_are_raised_in_words_of_ours_only() -> None:
    assert words("(+) better, p <= 0.05") == r"$^{+}$ better, p $\le$ 0.05"
    assert escaped("(+) <=") == r"(+) \textless{}="
    assert "(+)" in latex.written(document((Foreign("a (+)"), "1"), ("b", "2")))


# ---- typesetting ----


@needs_tex
@CLASSES
def test_a_report_of_several_tasks_fits_its_columns(report: Report, begin: str, tmp_path: Path) -> None:
    found = typeset(tmp_path, latex.write(report), begin)
    assert [points for points in found.overfull if points > 1] == []
    assert "Float too large" not in found.log
    assert "undefined" not in found.log
    assert "multiply defined" not in found.log
    assert found.shows("baseline/rules")


@needs_tex
@CLASSES
def test_comparisons_and_grids_fit_their_columns(
    begin: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    ids = item_ids()
    write_questions(Path("questions.jsonl"), ids)
    for style, right in {"zero-shot": ids[:4], "few-shot": ids}.items():
        write_script(Path("model.jsonl"), ids, right)
        evaluate(style, "script:model.jsonl", more=("--style", style))
    evaluate("others", "baseline/rules", "baseline/random")
    runs = [Path("zero-shot"), Path("few-shot"), Path("others")]
    compared = comparison_formats.write(compare(runs[:2]), "latex", with_items=True)
    several = comparison_formats.write(compare(runs[2:]), "latex")
    marked = comparison_formats.write(grid(runs), "latex")
    assert "$^{+}$" in tabulars(marked)[0][2][-1]
    found = typeset(tmp_path / "tex", compared + several + marked, begin)
    assert [points for points in found.overfull if points > 1] == []
    assert found.shows("script:model.jsonl")
    assert found.shows("few-shot")


@needs_tex
@CLASSES
@pytest.mark.parametrize("name", NAMES, ids=range(len(NAMES)))
def test_hostile_names_come_out_literally(name: str, begin: str, tmp_path: Path) -> None:
    found = typeset(tmp_path, latex.write(hostile(name)), begin)
    assert found.shows(numbered(name))
    assert "/etc/passwd)" not in found.log
    assert "root:x" not in found.letters
    assert sorted(path.suffix for path in tmp_path.iterdir()) == [".aux", ".log", ".pdf", ".tex", ".tex"]
    assert [points for points in found.overfull if points > 1] == []


def numbered(name: str) -> str:
    """Return a name as it is typeset, with numbers for letters that pdfTeX lacks."""
    shown = "".join(
        letter if letter.isascii() or letter in TYPESET else f"[U+{ord(letter):04X}]" for letter in inert(name)
    )
    return shown.replace("'", "\N{APOSTROPHE}")


@needs_tex
@pytest.mark.parametrize("more", ["", r"\usepackage[T1]{fontenc}"], ids=["OT1", "T1"])
def test_every_letter_that_is_not_numbered_is_known_to_pdftex(more: str, tmp_path: Path) -> None:
    letters = sorted(TYPESET)
    rows = [(Foreign("".join(letters[start : start + 12])), "1") for start in range(0, len(letters), 12)]
    typeset(tmp_path, latex.written(document(*rows, notes=((Foreign("".join(letters)),),))), more=more)


@needs_tex
@CLASSES
def test_hundreds_of_tables_are_not_too_many_floats(begin: str, tmp_path: Path) -> None:
    wide = [(f"{number}", *[f"{number}.0 [1.0, 2.0]"] * 3) for number in range(5)]
    tables = document(*wide).tables * 70
    typeset(tmp_path, latex.written(Document("", tables, ())), begin)


@needs_tex
def test_guessed_widths_are_those_of_the_fonts(tmp_path: Path) -> None:
    letters = random.Random(1)
    texts = ["openai/gpt-4o", "exact_match", "18.9", "tsg/ma-sgg"]
    texts += ["".join(letters.choices(string.ascii_letters + string.digits + "-_/", k=20)) for _ in range(30)]
    boxes = "".join(rf"\setbox0\hbox{{\footnotesize {escaped(text)}}}\typeout{{=\the\wd0}}" for text in texts)
    found = map(float, re.findall(r"^=([\d.]+)pt", typeset(tmp_path, boxes).log, re.M))
    for text, points in zip(texts, found, strict=True):
        assert points <= width(text) * FONT_SIZE <= 1.2 * points, text
