"""Figures for papers: the values of the tables, told apart in grey, the same bytes twice, and no name is obeyed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from xml.etree import ElementTree

import pytest
from reported import ROW, baseline_run

from tsgkit.errors import FileProblem, UsageError
from tsgkit.report import plot_style
from tsgkit.report.charts import MOST_SERIES, chart, gather_for
from tsgkit.report.paper import DPI, WIDTHS, Columns, Figure, figure
from tsgkit.report.report_rows import Report, ReportRow, gather
from tsgkit.suites.scoreboard import Board, Value

pytest.importorskip("matplotlib", reason="figures are drawn by matplotlib, the extra tsgkit[figures]")

HOSTILE = "_<script>alert(1)</script> $x^2$ ]]>-->\n\x1b[31m\u202e\ufffe 模 & 'b' \\frac{"
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return baseline_run(tmp_path_factory.mktemp("runs") / "run", "tsg/sgqa", "tsg/ma-sgg", limit=20)


def board(value: float | None, n: int = 4, *, is_share: bool = True) -> Board:
    found = None if value is None else Value(value, value / 2, (1 + value) / 2, float(n), is_share)
    return replace(ROW.board, n=n, profiles={"strict": {"exact_match": found}, "official": None})


def row(subject: str, value: float | None = 0.5, **more: object) -> ReportRow:
    return replace(ROW, subject=subject, board=board(value), **more)  # type: ignore[arg-type]


def by_k(*rows: dict[str, float], subject: str = "model") -> Report:
    grouped = [
        row(f"{subject} {number}", groups={"k": {k: board(value) for k, value in values.items()}})
        for number, values in enumerate(rows)
    ]
    return Report(tuple(grouped), ("k",))


def hostile() -> Report:
    groups = {"tag": {HOSTILE: board(0.5), HOSTILE * 40: board(0.25)}}
    return Report((row(HOSTILE, groups=groups), row("b", groups=groups)), ("tag",))


def drawn(report: Report, by: str = "subject", **more: str) -> Figure:
    return figure(report, "exact_match", by, **more)


def test_values_of_a_figure_are_those_of_the_report(run: Path) -> None:
    report = gather([run], ["k"])
    found = chart(gather_for([run], "f1", "k"), "f1", "k")
    [panel] = found.panels
    rows = [one for one in report.rows if one.task == "tsg/ma-sgg"]
    assert panel.categories == tuple(rows[0].groups["k"])
    for one, series in zip(rows, panel.series, strict=True):
        shown = {mark.category: (mark.value, mark.n) for mark in series.marks}
        assert shown == {
            k: ((members.profiles["strict"] or {})["f1"], members.n) for k, members in one.groups["k"].items()
        }
    assert found.notes == ("tsg/sgqa: no metric f1",)


def test_metrics_that_group_tables_leave_out_can_be_drawn(run: Path) -> None:
    [panel] = chart(gather_for([run], "f1_soft", "k"), "f1_soft", "k").panels
    assert panel.measure == "f1_soft, strict (%)"


def test_points_lie_where_the_values_are() -> None:
    found = chart(by_k({"2": 0.75, "10": 0.5}), "exact_match", "k")
    with plot_style.settings():
        [axes] = plot_style.scores(found, 3.25).axes
        line = axes.lines[0]
    assert list(line.get_xdata()) == [2.0, 10.0]  # type: ignore[arg-type]
    assert list(line.get_ydata()) == [75.0, 50.0]  # type: ignore[arg-type]
    [caps] = axes.collections
    ends = [sorted(float(y) for _, y in segment) for segment in caps.get_segments()]  # type: ignore[attr-defined]
    assert ends == [[37.5, 87.5], [25.0, 75.0]]


def test_a_task_can_be_named_and_main_metrics_stand_beside_each_other(run: Path) -> None:
    report = gather_for([run], "main", "task")
    [panel] = chart(report, "main", "task").panels
    assert panel.categories == ("tsg/sgqa exact_match", "tsg/ma-sgg f1")
    [panel] = chart(report, "main", "task", task="ma-sgg").panels
    assert panel.categories == ("tsg/ma-sgg",)


def test_numbers_are_sorted_as_numbers_and_joined_by_a_line() -> None:
    [panel] = chart(by_k({"10": 0.1, "2": 0.2}, {"3": 0.3}), "exact_match", "k").panels
    assert (panel.categories, panel.is_numeric) == (("2", "3", "10"), True)


@pytest.mark.parametrize("names", [["2", "02"], ["2", "9" * 400], ["2", "two"], ["2"]])
def test_names_that_are_no_different_numbers_are_categories(names: list[str]) -> None:
    report = by_k(dict.fromkeys(names, 0.5))
    report = replace(report, rows=tuple(replace(one, groups={"tag": one.groups["k"]}) for one in report.rows))
    [panel] = chart(report, "exact_match", "tag").panels
    assert not panel.is_numeric
    assert drawn(report, "tag").data("svg")


def test_series_are_named_by_what_differs() -> None:
    rows = (row("a", style="cot"), row("a", style="few-shot"), row("rules", style="", solver="baseline"))
    assert chart(Report(rows), "exact_match", "task").labels == ("a cot", "a few-shot", "rules")
    assert chart(Report(rows), "exact_match", "style").labels == ("a", "rules")
    twice = (row("a"), row("a", run="runs/b"))
    assert chart(Report(twice), "exact_match", "style").labels == ("a (runs/a)", "a (runs/b)")
    repeats = (row("a", repeat=0), row("a", repeat=1))
    assert chart(Report(repeats), "exact_match", "task").labels == ("a", "a #1")


def test_rows_without_a_value_are_left_out_by_name() -> None:
    found = drawn(Report((row("a"), row("b", None, style="cot"))))
    assert "Left out: b tsg/sgqa cot: no strict value." in found.alt
    with pytest.raises(UsageError, match="nothing to draw: tsg/sgqa: no official value"):
        drawn(Report((row("a"),)), profile="official")


@pytest.mark.parametrize("format", ["pdf", "svg", "png"])
def test_the_same_rows_give_the_same_bytes(format: str) -> None:
    report = by_k({"2": 0.75, "10": 0.5}, {"2": 0.25, "10": 0.5})
    first = drawn(report, "k").data(format)
    assert first == drawn(report, "k").data(format)
    assert not re.search(rb"CreationDate|20\d\d-\d\d-\d\d", first)


def test_pdf_embeds_its_font_as_outlines() -> None:
    data = drawn(Report((row("a"), row("b")))).data("pdf")
    assert data.startswith(b"%PDF")
    assert b"/FontFile2" in data
    assert b"/Type3" not in data
    assert re.search(rb"/MediaBox \[ ?0 0 234 ", data), "3.25 inches"


@pytest.mark.parametrize("columns", [1, 2])
def test_png_is_as_wide_as_its_columns(columns: Columns) -> None:
    from PIL import Image

    data = drawn(Report((row("a"), row("b")))).data("png", columns=columns)
    with Image.open(BytesIO(data)) as image:
        image.load()
        assert image.width == round(WIDTHS[columns] * DPI)
        assert "50.0 [25.0, 75.0]" in image.info["Description"]


@pytest.mark.parametrize("format", ["pdf", "png"])
def test_any_name_can_be_drawn(format: str) -> None:
    assert drawn(hostile(), "tag").data(format)


def test_names_are_text_whatever_they_hold() -> None:
    found = drawn(hostile(), "tag")._repr_svg_()
    tags = {str(element.tag).removeprefix(SVG) for element in ElementTree.fromstring(found).iter()}  # noqa: S314
    assert not tags & {"script", "a", "image", "foreignObject"}
    assert found.startswith("<svg")
    assert not re.search("<script|\x1b|\u202e|\ufffe", found)


def test_characters_that_the_font_lacks_are_escaped_without_a_warning() -> None:
    with plot_style.settings():
        assert plot_style.words("模 a $x^2$ _b", 3) == "\\u6a21 a $x^2$ _b"


def test_names_that_begin_with_an_underscore_stand_in_the_legend() -> None:
    with plot_style.settings():
        found = plot_style.scores(chart(Report((row("_a"), row("$b$"))), "exact_match", "task"), 3.25)
    [legend] = found.legends
    assert [text.get_text() for text in legend.get_texts()] == ["_a", "$b$"]
    assert not any(text.get_parse_math() for text in legend.get_texts())


def test_series_are_told_apart_in_grey() -> None:
    looks = [plot_style.style(number) for number in range(MOST_SERIES)]
    assert len({(look.marker, look.is_filled) for look in looks}) == MOST_SERIES
    assert len({str(look.dashes) for look in looks[:8]}) == len({look.colour for look in looks[:8]}) == 8


@pytest.mark.parametrize(
    "number", [1, 2, pytest.param(8, marks=pytest.mark.slow), pytest.param(16, marks=pytest.mark.slow)]
)
def test_figures_of_many_series_and_categories_have_room(number: int) -> None:
    name = "openai/a-model-with-a-long-name-of-2026-11-23"
    groups = {"tag": {f"tag {tag}": board(0.5) for tag in range(20)}, "k": {str(k): board(0.5) for k in range(1, 40)}}
    rows = Report(tuple(row(f"{name} {place}", groups=groups) for place in range(number)), ("tag", "k"))
    for by in ("tag", "k", "subject", "task"):
        for columns in WIDTHS:
            assert drawn(rows, by).data("png", columns=1 if columns == 1 else 2)


def test_more_than_a_figure_can_tell_apart_is_refused() -> None:
    rows = tuple(row(f"model {number}") for number in range(MOST_SERIES + 1))
    with pytest.raises(UsageError, match="17 series are too many for a figure, at most 16"):
        drawn(Report(rows), "task")


def test_values_that_are_no_shares_are_not_percent() -> None:
    one = replace(row("a"), board=board(3.5, is_share=False))
    [panel] = chart(Report((one, replace(one, subject="b"))), "exact_match", "subject").panels
    assert panel.measure == "exact_match, strict"
    assert drawn(Report((one,))).data("svg")


def test_figures_are_written_whole_and_never_over_data(tmp_path: Path) -> None:
    found = drawn(Report((row("a"),)))
    (tmp_path / "rows.pdf").write_text('{"id": 1}\n')
    with pytest.raises(FileProblem, match="would be lost"):
        found.save(tmp_path / "rows.pdf")
    assert found.save(tmp_path / "f.PDF").read_bytes().startswith(b"%PDF")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["f.PDF", "rows.pdf"]


def test_figures_refuse_other_endings_and_widths(tmp_path: Path) -> None:
    found = drawn(Report((row("a"),)))
    with pytest.raises(UsageError, match=r"no figure has the ending jpg") as refused:
        found.save(tmp_path / "f.jpg")
    assert refused.value.hint == "choose from .pdf, .svg, .png"
    with pytest.raises(UsageError, match="cannot span 3 columns"):
        found.save(tmp_path / "f.pdf", columns=3)  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []


def test_wrong_names_say_what_there_is(run: Path) -> None:
    with pytest.raises(UsageError, match="cannot be grouped by stile") as refused:
        gather_for([run], "f1", "stile")
    assert refused.value.hint == "style?"
    with pytest.raises(UsageError, match="no task here has the metric f2") as refused:
        chart(gather_for([run], "f2", "k"), "f2", "k")
    assert refused.value.hint.startswith("choose from main, exact_match, ")
    with pytest.raises(UsageError, match="no run here has the task ma-sg"):
        chart(gather_for([run], "f1", "k"), "f1", "k", task="ma-sg")


def test_a_broken_run_is_left_out_of_a_figure(run: Path, tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text("{")
    report = gather_for([tmp_path, run], "f1", "k")
    assert len(report.left_out) == 1
    assert chart(report, "f1", "k").labels == ("baseline/rules", "baseline/random")
    with pytest.raises(FileProblem):
        gather_for([tmp_path], "f1", "k")


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


def fresh(folder: Path, **environment: str) -> subprocess.CompletedProcess[bytes]:
    here = Path(__file__).resolve().parents[1]
    told = {name: value for name, value in os.environ.items() if not name.startswith(("MPL", "MATPLOTLIB", "XDG"))}
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", DRAW, str(here)], capture_output=True, cwd=folder, env=told | environment
    )


@pytest.mark.slow
def test_the_machine_changes_nothing_and_is_told_nothing(tmp_path: Path) -> None:
    (tmp_path / "matplotlibrc").write_text("lines.linewidth: 9\nfont.size: 20\ntext.usetex: True\n")
    (tmp_path / "home").mkdir()
    expected = figure(Report((ROW,)), "exact_match", "subject").data("pdf")
    for home in ("/dev/null", str(tmp_path / "home")):
        done = fresh(tmp_path, HOME=home, MPLBACKEND="no such backend", TMPDIR=str(tmp_path))
        assert done.stderr == b""
        assert done.stdout == expected


def test_settings_of_the_caller_are_left_as_they_are() -> None:
    import matplotlib as mpl

    with mpl.rc_context({"font.size": 31.0, "pdf.fonttype": 3}):
        before = dict(mpl.rcParams)
        data = drawn(Report((row("a"),))).data("pdf")
        assert dict(mpl.rcParams) == before
    assert data == drawn(Report((row("a"),))).data("pdf")


def test_a_missing_library_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    plot_style.load.cache_clear()
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(UsageError, match="matplotlib, which is not installed") as refused:
        drawn(Report((row("a"),))).data("pdf")
    assert 'pip install "tsgkit[figures]"' in (refused.value.hint or "")
