"""Figures and LaTeX for papers: values in place, the same bytes twice, no name obeyed; comparisons of equal rows."""

from __future__ import annotations

import random
import re
import shutil
import string
import subprocess
from io import BytesIO
from pathlib import Path
from typing import get_args
from xml.etree import ElementTree

import matplotlib as mpl
import pytest
from compared_runs import IDS, evaluate, write_questions, write_script
from PIL import Image
from reported import RIGHT, ROW, ROWS, baseline_run, board, by, compared, contender, hostile, recorded, row

from tsgkit.errors import FileProblem, UsageError
from tsgkit.report import chart_plots, comparison_formats, latex
from tsgkit.report.charts import chart, differences
from tsgkit.report.comparison import compare
from tsgkit.report.figures import Estimate
from tsgkit.report.formats import write
from tsgkit.report.grid import grid
from tsgkit.report.latex import FONT_SIZE
from tsgkit.report.latex_text import TYPESET, escaped, width
from tsgkit.report.paper import DPI, WIDTHS, Columns, Figure, comparison_figure, figure, paired_figure
from tsgkit.report.plain_text import Foreign
from tsgkit.report.published_tables import against_published
from tsgkit.report.report_rows import Report, gather
from tsgkit.report.table import Cell, ReportDocument, Table

HOSTILE = "_<script>alert(1)</script> $x^2$ ]]>-->\n\x1b[31m\u202e\ufffe 模 & 'b' \\frac{"
SVG = "{http://www.w3.org/2000/svg}"


TWO = Report((row("a"), row("b")))


def drawn(report: Report, group: str = "subject") -> Figure:
    return figure(report, "exact_match", group)


def test_points_lie_where_the_values_are_and_differences_that_are_shown_are_filled_dots() -> None:
    found = chart(by("k", {"2": 0.75, "10": 0.5}), "exact_match", "k")
    with chart_plots.settings():
        [axes] = chart_plots.draw(found, 3.25).axes
    assert axes.lines[0].get_xydata().tolist() == [[2.0, 75.0], [10.0, 50.0]]  # type: ignore[union-attr]
    [caps] = axes.collections
    ends = [sorted(float(y) for _, y in segment) for segment in caps.get_segments()]  # type: ignore[attr-defined]
    assert ends == [[37.5, 87.5], [25.0, 75.0]]
    three = compared(contender("a", "9999990990"), contender("b", "0000000000"), contender("c", "9999990999"))
    with chart_plots.settings():
        [axes] = chart_plots.draw(differences(three), 3.25).axes
        dots = [line for line in axes.lines if line.get_marker() == "o"]
    assert [list(dot.get_xdata()) for dot in dots] == [[pytest.approx(80.0)], [pytest.approx(-10.0)]]  # type: ignore[arg-type]
    assert [dot.get_markerfacecolor() for dot in dots] == [chart_plots.COLOURS[0], chart_plots.PAPER]
    assert "a minus c: -10.0 [" in comparison_figure(three).alt


def test_the_same_rows_give_the_same_bytes_and_hostile_names_are_text() -> None:
    groups = {"tag": {HOSTILE: board(0.5), HOSTILE * 40: board(0.25)}}
    hostile = Report((row(HOSTILE, groups=groups), row("b", groups=groups)), ("tag",))
    pairs = compared(contender(HOSTILE * 3, "950"), contender("b", "949"), contender("c", "000"))
    figures = {
        "series": (drawn(by("k", {"2": 0.75, "10": 0.5}, {"2": 0.25, "10": 0.5}), "k"), ("pdf", "svg", "png")),
        "names": (drawn(hostile, "tag"), ("pdf", "svg", "png")),
        "differences": (comparison_figure(pairs), ("svg", "pdf")),
        "items": (paired_figure(pairs), ("svg", "png")),
    }
    for name, (found, formats) in figures.items():
        for format in formats:
            data = found.data(format)
            assert data == found.data(format), (name, format)
            assert not re.search(rb"CreationDate|20\d\d-\d\d-\d\d", data), (name, format)
            if format == "svg":
                tags = {str(one.tag).removeprefix(SVG) for one in ElementTree.fromstring(data).iter()}  # noqa: S314
                assert not tags & {"script", "a", "image", "foreignObject"}, name
                assert not re.search("<script|\x1b|\u202e|\ufffe", data.decode()), name


def test_pdf_embeds_its_font_as_outlines_and_png_is_as_wide_as_its_columns() -> None:
    data = drawn(TWO).data("pdf")
    assert b"/FontFile2" in data and b"/Type3" not in data
    assert re.search(rb"/MediaBox \[ ?0 0 234 ", data), "3.25 inches"
    for columns in get_args(Columns):
        with Image.open(BytesIO(drawn(TWO).data("png", columns=columns))) as image:
            assert image.width == round(WIDTHS[columns] * DPI)
            assert "50.0 [25.0, 75.0]" in image.info["Description"]
    found = drawn(Report((row("a"), row("b", None, style="cot"))))
    assert "Left out: b tsg/sgqa cot: no strict value." in found.alt


def test_settings_of_the_caller_are_left_and_names_are_no_formulas_and_letters_the_font_lacks_escaped() -> None:
    with chart_plots.settings():
        assert chart_plots.words("模 a $x^2$ _b", 3) == "\\u6a21 a $x^2$ _b"
        found = chart_plots.draw(chart(Report((row("_a"), row("$b$"))), "exact_match", "task"), 3.25)
    [legend] = found.legends
    assert [text.get_text() for text in legend.get_texts()] == ["_a", "$b$"]
    assert not any(text.get_parse_math() for text in legend.get_texts())
    expected = drawn(Report((ROW,))).data("pdf")
    with mpl.rc_context({"font.size": 31.0, "pdf.fonttype": 3}):
        before = dict(mpl.rcParams)
        assert drawn(Report((ROW,))).data("pdf") == expected
        assert dict(mpl.rcParams) == before


def test_figures_are_written_whole_and_never_over_data(tmp_path: Path) -> None:
    found = drawn(TWO)
    (tmp_path / "rows.pdf").write_text('{"id": 1}\n')
    with pytest.raises(FileProblem, match="would be lost"):
        found.save(tmp_path / "rows.pdf")
    assert found.save(tmp_path / "f.PDF").read_bytes().startswith(b"%PDF")
    with pytest.raises(UsageError, match=r"no figure has the ending jpg"):
        found.save(tmp_path / "f.jpg")
    with pytest.raises(UsageError, match="cannot span 3 columns"):
        found.save(tmp_path / "f.pdf", columns=3)  # type: ignore[arg-type]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["f.PDF", "rows.pdf"]


def test_what_is_higher_than_a_page_is_refused_with_the_number_of_rows_that_fit() -> None:
    rows = [contender(f"model {number}", "9999990990") for number in range(80)]
    for found in (comparison_figure(compared(*rows)), paired_figure(compared(*rows))):
        with pytest.raises(UsageError, match=r"79 rows are too many for a page, on which about \d\d fit") as refused:
            found.check(2)
        assert "a baseline" in refused.value.hint
    fit = comparison_figure(compared(*rows[:24]))
    fit.check()
    height = chart_plots.layout(fit.chart, WIDTHS[1]).height
    assert 7 < height <= chart_plots.HIGHEST
    with Image.open(BytesIO(fit.data("png"))) as image:
        assert image.height == pytest.approx(DPI * height, abs=1)


def test_pages_show_the_figures_in_their_own_colours_with_text_as_text_and_nothing_to_refer_to(tmp_path: Path) -> None:
    graphs = ROWS["ma-sgg"][0]["graphs"]
    rows = [*ROWS["ma-sgg"], ROWS["ma-sgg"][0] | {"item_id": "more", "graphs": graphs * 2}]
    report = gather([recorded(tmp_path, "ma-sgg", {"two": RIGHT, "more": RIGHT}, rows=rows)])
    source = write(report, "html")
    figures = re.findall("<svg[^>]*><title>(.*?)</title><desc>(.*?)</desc>(.*?)</svg>", source)
    titles = ["tsg/ma-sgg: f1", "tsg/ma-sgg: how samples ended", "tsg/ma-sgg: f1, strict, against k"]
    assert [title for title, _, _ in figures] == titles
    assert "2 answered, 2 missing (n = 4)" in figures[1][1] and ">2 answered, 2 missing</text>" in figures[1][2]
    colours = {colour for _, _, drawn in figures for colour in re.findall(r'(?:fill|stroke)="(#?\w+)"', drawn)}
    dark = source.split("@media screen and (prefers-color-scheme: dark)")[1]
    assert {"currentColor", "none"} < colours
    assert all(f'"{colour}"' in dark for colour in colours - {"currentColor", "none"})
    assert not re.search(" id=| href=|url\\(|<use|<style", "".join(drawn for _, _, drawn in figures))


needs_tex = pytest.mark.skipif(
    shutil.which("pdflatex") is None, reason="no pdflatex here (Debian: texlive-latex-recommended)"
)
PLAIN = r"\documentclass{article}"
TWO_COLUMNS = r"\documentclass[twocolumn]{article}"
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


def typeset(folder: Path, text: str, begin: str = PLAIN, more: str = "", passes: int = 1) -> str:
    """Return the log of a document whose body is ``\\input``, as a paper does it; fail on errors of pdfTeX."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "tables.tex").write_text(text, encoding="utf-8")
    body = "\\begin{document}\nText.\n\n\\input{tables.tex}\n\nText.\n\\end{document}\n"
    (folder / "paper.tex").write_text(rf"{begin}\usepackage{{booktabs}}{more}{body}")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "paper.tex"]
    for _ in range(passes):
        done = subprocess.run(command, cwd=folder, capture_output=True, check=False, timeout=120)
        log = (folder / "paper.log").read_text(encoding="utf-8", errors="replace")
        assert done.returncode == 0, log[-3000:]
    assert "Missing character" not in log
    return log


@needs_tex
def test_reports_comparisons_grids_and_hostile_names_fit_their_columns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ids = IDS
    write_questions(Path("questions.jsonl"), ids)
    for style, right in {"zero-shot": ids[:4], "few-shot": ids}.items():
        write_script(Path("model.jsonl"), ids, right)
        evaluate(style, "script:model.jsonl", more=("--style", style))
    evaluate("others", "baseline/rules", "baseline/random")
    runs = [Path("zero-shot"), Path("few-shot"), Path("others")]
    marked = comparison_formats.write(grid(runs), "latex")
    assert "$^{+}$" in marked
    run = baseline_run(tmp_path / "run", "tsg/sgqa", "tsg/sgds", "tsg/sa-sgg", limit=30)
    report = write(against_published(gather([run], ("k", "domain"), metrics="all")), "latex")
    texts = [
        comparison_formats.write(compare(runs[:2]), "latex", with_items=True),
        comparison_formats.write(compare(runs[2:]), "latex"),
        marked,
        *(write(hostile(name), "latex") for name in NAMES),
    ]
    for begin in (PLAIN, TWO_COLUMNS):
        log = typeset(folder := tmp_path / "tex", report + "\n\\clearpage\n".join(texts), begin, passes=2)
        too_wide = re.findall(r"Overfull \\hbox \(([\d.]+)pt too wide\)", log)
        assert [points for points in too_wide if float(points) > 1] == []
        assert "undefined" not in log and "/etc/passwd)" not in log
        log = typeset(tmp_path / "alone", report, begin, passes=2)
        assert "Float too large" not in log and "multiply defined" not in log
        assert sorted(path.suffix for path in folder.iterdir()) == [".aux", ".log", ".pdf", ".tex", ".tex"]


@needs_tex
def test_the_grid_of_a_paper_is_one_table_with_models_above_their_styles_that_compiles_without_a_warning(
    tmp_path: Path,
) -> None:
    tasks = ("tsg/sgqa\nexact_match", "tsg/sgds\naccuracy", "tsg/sa-sgg\nf1", "tsg/ma-sgg\nf1")
    models = ("openai/gpt-5-mini", "anthropic/claude-haiku-4-5")
    figures: tuple[Cell, ...] = (Estimate("68.5", "[64.5, 73.5]", "(+)"),) * 4
    names: list[tuple[Cell, ...]] = [(Foreign(model), style) for model in models for style in ("cot", "few-shot", "x")]
    rows = tuple(who + figures for who in names)
    notes = tuple((Foreign(f"note {number}"),) for number in range(17))
    text = latex.written(ReportDocument("", (Table(("grid",), ("model", "style", *tasks), rows, notes, 2),), ()))
    assert text.count("\\begin{table") == 1 and "Left out" not in text and "Part" not in text
    assert [line for line in text.splitlines() if "multicolumn{5}" in line] == [
        rf"\multicolumn{{5}}{{@{{}}l@{{}}}}{{{model}}} \\" for model in models
    ]
    assert text.count("% note") == 14
    for begin in (PLAIN, TWO_COLUMNS):
        assert not re.search("Warning|Overfull|Underfull", typeset(tmp_path, text, begin, passes=2))


@needs_tex
def test_pdftex_knows_every_letter_takes_hundreds_of_tables_and_has_the_widths_that_are_guessed(tmp_path: Path) -> None:
    letters = sorted(TYPESET)
    rows = [(Foreign("".join(letters[start : start + 12])), "1") for start in range(0, len(letters), 12)]
    table = Table(("a table",), ("subject", "column 1"), tuple(rows), ((Foreign("".join(letters)),),))
    text = latex.written(ReportDocument("", (table,), ()))
    typeset(tmp_path / "t1", text, more=r"\usepackage[T1]{fontenc}")
    of_row: list[tuple[Cell, ...]] = [
        (str(number), *[Estimate(f"{number}.0", "[1.0, 2.0]")] * 3) for number in range(5)
    ]
    many = (Table(("a table",), ("subject", "a", "b", "c"), tuple(of_row)),) * 70
    typeset(tmp_path / "many", latex.written(ReportDocument("", many, ())), TWO_COLUMNS)
    random_letters = random.Random(1)
    texts = ["openai/gpt-4o", "exact_match", "18.9", "tsg/ma-sgg"]
    texts += ["".join(random_letters.choices(string.ascii_letters + string.digits + "-_/", k=20)) for _ in range(30)]
    boxes = "".join(rf"\setbox0\hbox{{\footnotesize {escaped(text)}}}\typeout{{=\the\wd0}}" for text in texts)
    found = map(float, re.findall(r"^=([\d.]+)pt", typeset(tmp_path / "ot1", text + boxes), re.M))
    for text, points in zip(texts, found, strict=True):
        assert points <= width(text) * FONT_SIZE <= 1.2 * points, text
