"""Figures for papers: vector or pixels, one or two columns wide, legible in grey, reproducible byte for byte.

    from tsgkit.report.charts import gather_for
    from tsgkit.report.paper import figure

    figure(gather_for(["runs/ablation"], "f1", "k"), "f1", "k").save("f1.pdf", columns=2)

Drawn by matplotlib (extra ``figures``), imported on first use. Names are plain text, without markup or formulas.
Values, intervals and sizes are those of the tables.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Literal

from tsgkit.errors import UsageError
from tsgkit.graph.drawing.text import prose
from tsgkit.library.files import refuse_to_replace_data, write_bytes
from tsgkit.report.charts import COLUMN, Bars, Chart, ChartPanel, chart, differences, items
from tsgkit.report.comparison import ComparedRows
from tsgkit.report.report_rows import Report

Columns = Literal[1, 2]
WIDTHS = {1: COLUMN, 2: 6.75}
"""The width of a figure in inches, by the columns it spans."""
DPI = 300
FORMATS = ("pdf", "svg", "png")


@dataclass(frozen=True)
class Figure:
    """A figure that is drawn when saved or displayed."""

    chart: Chart[ChartPanel | Bars] = field(repr=False)

    @property
    def title(self) -> str:
        """Its title."""
        return prose(self.chart.title)

    @property
    def alt(self) -> str:
        """All that it shows, in words."""
        return prose(self.chart.alt)

    def check(self, columns: Columns = 1) -> None:
        """Raise ``UsageError`` if it cannot be drawn: at another width, or higher than a page."""
        from tsgkit.report.chart_plots import check_height

        if columns not in WIDTHS:
            raise UsageError(f"a figure cannot span {columns} columns", hint="choose 1 or 2")
        check_height(self.chart, WIDTHS[columns])

    def save(self, path: str | Path, *, columns: Columns = 1) -> Path:
        """Write the figure in the format that the file's ending names: pdf, svg or png (300 dots an inch)."""
        path = Path(path)
        data = self.data(format_of(path), columns=columns)
        refuse_to_replace_data(path, data)
        write_bytes(path, data)
        return path

    def data(self, format: str, *, columns: Columns = 1) -> bytes:
        """Return the bytes of the figure in a format, with its title and description, but without a date."""
        from tsgkit.report.chart_plots import draw, settings

        self.check(columns)
        metadata: dict[str, dict[str, str | None]] = {
            "pdf": {"Title": self.title, "Subject": self.alt, "Creator": "tsgkit", "CreationDate": None},
            "svg": {"Title": self.title, "Description": self.alt, "Creator": "tsgkit", "Date": None},
            "png": {"Title": self.title, "Description": self.alt},
        }
        data = BytesIO()
        with settings():
            draw(self.chart, WIDTHS[columns]).savefig(data, format=format, dpi=DPI, metadata=metadata[format])
        return data.getvalue()

    def _repr_svg_(self) -> str:
        svg = self.data("svg").decode()
        return svg[svg.index("<svg") :]


def format_of(path: str | Path) -> str:
    """Return the format that a file's ending names."""
    suffix = Path(path).suffix.lower().removeprefix(".")
    if suffix not in FORMATS:
        endings = ", ".join(f".{name}" for name in FORMATS)
        raise UsageError(f"{path}: no figure has the ending {suffix or '(none)'}", hint=f"choose from {endings}")
    return suffix


def figure(report: Report, metric: str, by: str, *, task: str | None = None, profile: str = "strict") -> Figure:
    """Return a figure of a metric by task, style, solver, subject, run, or a group of the report such as k.

    The rows of the report are the series. ``metric`` is a name, or ``headline`` for the headline metrics of each
    task; ``task`` selects one task. Numeric groups are drawn as lines, other categories as dots, both with 95 %
    intervals.
    """
    return Figure(chart(report, metric, by, task=task, profile=profile))


def comparison_figure(comparison: ComparedRows) -> Figure:
    """Return a figure of the difference of every pair, with its 95 % interval, around a line at no difference.

    Filled dots are significant after Holm's correction, hollow ones are not.
    """
    return Figure(differences(comparison))


def paired_figure(comparison: ComparedRows, by: str | None = None) -> Figure:
    """Return a figure of how many items each pair got right and wrong; or scored better, where scores are graded.

    ``by`` is the group of the comparison; each of its members gets a bar.
    """
    return Figure(items(comparison, by))
