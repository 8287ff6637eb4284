"""Figures for papers: points where the values are, told apart in grey, the same bytes twice, and no name is obeyed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from io import BytesIO
from pathlib import Path
from typing import get_args
from xml.etree import ElementTree

import matplotlib as mpl
import pytest
from PIL import Image
from reported import ROW, board, by, compared, contender, row

from tsgkit.errors import FileProblem, UsageError
from tsgkit.report import comparison_plots, plot_style
from tsgkit.report.charts import MOST_SERIES, chart
from tsgkit.report.comparison_charts import differences
from tsgkit.report.paper import DPI, WIDTHS, Columns, Figure, comparison_figure, figure, paired_figure
from tsgkit.report.report_rows import Report

HOSTILE = "_<script>alert(1)</script> $x^2$ ]]>-->\n\x1b[31m\u202e\ufffe 模 & 'b' \\frac{"
SVG = "{http://www.w3.org/2000/svg}"


def drawn(report: Report, group: str = "subject") -> Figure:
    return figure(report, "exact_match", group)


TWO = Report((row("a"), row("b")))


def test_points_lie_where_the_values_are() -> None:
    found = chart(by("k", {"2": 0.75, "10": 0.5}), "exact_match", "k")
    with plot_style.settings():
        [axes] = plot_style.scores(found, 3.25).axes
        line = axes.lines[0]
    assert list(line.get_xdata()) == [2.0, 10.0]  # type: ignore[arg-type]
    assert list(line.get_ydata()) == [75.0, 50.0]  # type: ignore[arg-type]
    [caps] = axes.collections
    ends = [sorted(float(y) for _, y in segment) for segment in caps.get_segments()]  # type: ignore[attr-defined]
    assert ends == [[37.5, 87.5], [25.0, 75.0]]


def test_differences_that_are_shown_are_filled_dots_beside_a_line_at_none() -> None:
    found = compared(contender("a", "9999990990"), contender("b", "0000000000"), contender("c", "9999990999"))
    with plot_style.settings():
        [axes] = comparison_plots.differences(differences(found), 3.25).axes
        dots = [line for line in axes.lines if line.get_marker() == "o"]
    assert [list(dot.get_xdata()) for dot in dots] == [[pytest.approx(80.0)], [pytest.approx(-10.0)]]  # type: ignore[arg-type]
    assert [dot.get_markerfacecolor() for dot in dots] == [plot_style.COLOURS[0], plot_style.PAPER]
    alt = comparison_figure(found).alt
    assert "a minus c: -10.0 [" in alt and "no difference shown" in alt


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
    assert drawn(hostile, "tag")._repr_svg_().startswith("<svg")


def test_pdf_embeds_its_font_as_outlines_and_png_is_as_wide_as_its_columns() -> None:
    data = drawn(TWO).data("pdf")
    assert data.startswith(b"%PDF")
    assert b"/FontFile2" in data and b"/Type3" not in data
    assert re.search(rb"/MediaBox \[ ?0 0 234 ", data), "3.25 inches"
    for columns in get_args(Columns):
        with Image.open(BytesIO(drawn(TWO).data("png", columns=columns))) as image:
            image.load()
            assert image.width == round(WIDTHS[columns] * DPI)
            assert "50.0 [25.0, 75.0]" in image.info["Description"]
    found = drawn(Report((row("a"), row("b", None, style="cot"))))
    assert "Left out: b tsg/sgqa cot: no strict value." in found.alt


def test_names_in_legends_are_no_formulas_and_letters_that_the_font_lacks_are_escaped() -> None:
    with plot_style.settings():
        assert plot_style.words("模 a $x^2$ _b", 3) == "\\u6a21 a $x^2$ _b"
        found = plot_style.scores(chart(Report((row("_a"), row("$b$"))), "exact_match", "task"), 3.25)
    [legend] = found.legends
    assert [text.get_text() for text in legend.get_texts()] == ["_a", "$b$"]
    assert not any(text.get_parse_math() for text in legend.get_texts())


def test_series_and_pieces_of_bars_are_told_apart_in_grey() -> None:
    looks = [plot_style.style(number) for number in range(MOST_SERIES)]
    assert len({(look.marker, look.is_filled) for look in looks}) == MOST_SERIES
    assert len({str(look.dashes) for look in looks[:8]}) == len({look.colour for look in looks[:8]}) == 8
    for number, fills in comparison_plots.FILLS.items():
        shades = list(zip(fills, comparison_plots.HATCHES[number], strict=True))
        assert len({hatch or fill for fill, hatch in shades}) == number


def test_figures_of_many_series_and_categories_have_room() -> None:
    name = "openai/a-model-with-a-long-name-of-2026-11-23"
    groups = {"tag": {f"tag {tag}": board(0.5) for tag in range(20)}, "k": {str(k): board(0.5) for k in range(1, 40)}}
    rows = Report(tuple(row(f"{name} {place}", groups=groups) for place in range(MOST_SERIES)), ("tag", "k"))
    for group in ("tag", "k", "subject", "task"):
        assert drawn(rows, group).data("png"), group


def test_figures_are_written_whole_and_never_over_data(tmp_path: Path) -> None:
    found = drawn(Report((row("a"),)))
    (tmp_path / "rows.pdf").write_text('{"id": 1}\n')
    with pytest.raises(FileProblem, match="would be lost"):
        found.save(tmp_path / "rows.pdf")
    assert found.save(tmp_path / "f.PDF").read_bytes().startswith(b"%PDF")
    with pytest.raises(UsageError, match=r"no figure has the ending jpg") as refused:
        found.save(tmp_path / "f.jpg")
    assert refused.value.hint == "choose from .pdf, .svg, .png"
    with pytest.raises(UsageError, match="cannot span 3 columns"):
        found.save(tmp_path / "f.pdf", columns=3)  # type: ignore[arg-type]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["f.PDF", "rows.pdf"]


DRAW = """
import sys
sys.path[:0] = sys.argv[1:2]
from reported import ROW
from tsgkit.report.report_rows import Report
from tsgkit.report.paper import figure
assert "matplotlib" not in sys.modules
sys.stdout.buffer.write(figure(Report((ROW,)), "exact_match", "subject").data("pdf"))
assert "matplotlib.pyplot" not in sys.modules
"""


def test_the_machine_changes_nothing_and_is_told_nothing(tmp_path: Path) -> None:
    (tmp_path / "matplotlibrc").write_text("lines.linewidth: 9\nfont.size: 20\ntext.usetex: True\n")
    expected = figure(Report((ROW,)), "exact_match", "subject").data("pdf")
    told = {name: value for name, value in os.environ.items() if not name.startswith(("MPL", "MATPLOTLIB", "XDG"))}
    own = told | {"HOME": "/dev/null", "MPLBACKEND": "no such backend", "TMPDIR": str(tmp_path)}
    tests = str(Path(__file__).resolve().parents[2])
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", DRAW, tests], capture_output=True, cwd=tmp_path, env=own, check=False
    )
    assert (done.stderr, done.stdout) == (b"", expected)
    with mpl.rc_context({"font.size": 31.0, "pdf.fonttype": 3}):
        before = dict(mpl.rcParams)
        assert figure(Report((ROW,)), "exact_match", "subject").data("pdf") == expected
        assert dict(mpl.rcParams) == before, "settings of the caller are left as they are"


def test_a_missing_library_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    plot_style.load.cache_clear()
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(UsageError, match="matplotlib, which is not installed") as refused:
        drawn(TWO).data("pdf")
    assert 'pip install "tsgkit[figures]"' in (refused.value.hint or "")
