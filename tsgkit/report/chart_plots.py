"""Charts drawn with matplotlib, without ``pyplot`` and without settings of the user or the machine.

Series differ in marker, dash and colour (those of Okabe and Ito), so that they are distinct in grey; bars differ in
hatch or shade, or their numbers stand beside them. Characters that the font lacks are written as escapes. A figure for
a paper is a file; one for a page is an SVG element in the page's own colours, with text as text and without ids.
"""

from __future__ import annotations

import logging
import math
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from io import BytesIO
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple
from xml.etree import ElementTree

from tsgkit.errors import ExtraMissing, UsageError
from tsgkit.graph.drawing.svg import FONTS, Markup, characters, element
from tsgkit.graph.drawing.text import prose, shorten, text_width, visible, wrap
from tsgkit.report.charts import Bars, Chart, ChartMark, ChartPanel
from tsgkit.report.plain_text import abridged
from tsgkit.scoring.pooling import Outcome

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FONT = "DejaVu Sans"
SIZE = 7.0
POINTS = 72.0
WIDE = 5.0
"""Width in inches from which panels and legend entries are placed side by side."""
LINE = 0.125
"""The height of a line of text in inches."""
LONGEST_LABEL = 240
LABEL_SHARE = 0.4
"""The largest share of a panel's width for the names of rows."""
HIGHEST = 9.0
"""The height of a page in inches."""
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#000000", "#e69f00", "#56b4e9", "#6e6e6e")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "p")
DASHES: tuple[Any, ...] = (
    "-",
    (0, (5, 2)),
    (0, (1, 1.5)),
    (0, (6, 2, 1, 2)),
    (0, (9, 3)),
    (0, (3, 1, 1, 1, 1, 1)),
    (0, (2, 3)),
    (0, (8, 1)),
)
PAPER, GRID = "#ffffff", "#d9d9d9"
LOOKS: dict[str, Any] = {
    "font.family": [FONT],
    "font.size": SIZE,
    "axes.titlesize": SIZE,
    "axes.labelsize": SIZE,
    "xtick.labelsize": SIZE,
    "ytick.labelsize": SIZE,
    "legend.fontsize": SIZE,
    "axes.linewidth": 0.6,
    "errorbar.capsize": 1.5,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "hatch.linewidth": 0.5,
    "text.parse_math": False,
    "text.usetex": False,
    "pdf.fonttype": 42,
    "svg.fonttype": "path",
    "svg.hashsalt": "tsgkit",
}
"""Settings over matplotlib's own defaults. SVG holds text as outlines, since it cannot carry a font everywhere."""
LONGEST_DESCRIPTION = 20_000
XLINK = "{http://www.w3.org/1999/xlink}"
LONG_NUMBER = re.compile(r"(?<!\d)-?\d+\.\d+")
INK_OF_PAGES = {"#000000": "currentColor"}
KEPT_LOOKS = ("fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap", "text-anchor")
"""The looks of matplotlib that an SVG of a page keeps: the style sheet recolours the fill and the stroke."""
LOOKS_OF_BARS = {
    "only the first right": ("#56b4e9", "////"),
    "the first better": ("#56b4e9", "////"),
    "both right": (PAPER, ""),
    "the same": (PAPER, ""),
    "both wrong": ("#6e6e6e", ""),
    "only the second right": ("#e69f00", "\\\\\\\\"),
    "the second better": ("#e69f00", "\\\\\\\\"),
    Outcome.ANSWERED: ("#009e73", ""),
    Outcome.UNREADABLE: ("#d55e00", ""),
    Outcome.TRUNCATED: ("#e69f00", ""),
    Outcome.REFUSED: ("#cc79a7", ""),
    Outcome.EMPTY: ("#56b4e9", ""),
    Outcome.MISSING: (PAPER, ""),
    Outcome.API_ERROR: ("#7a3fa0", ""),
    Outcome.ERROR: ("#6e6e6e", ""),
}
"""The fill and hatch of every division of bars."""


def marker(number: int, *, is_shown: bool = True) -> dict[str, Any]:
    """Return the look of a series by its number, without its dash; hollow from the ninth on, or where nothing is shown.

    >>> [marker(number)["markerfacecolor"] for number in (0, 8)], marker(8)["color"]
    (['#0072b2', '#ffffff'], '#0072b2')
    """
    colour = COLOURS[number % len(COLOURS)]
    return {
        "color": colour,
        "marker": MARKERS[number % len(MARKERS)],
        "markersize": 4.0,
        "markeredgewidth": 0.8,
        "markerfacecolor": colour if number < len(COLOURS) and is_shown else PAPER,
        "linewidth": 1.0,
    }


@cache
def load() -> dict[str, Any]:
    """Import matplotlib, and return the settings that figures are drawn with.

    It is imported without its choice of a window system and without remarks about its cache of fonts.
    """
    log = logging.getLogger("matplotlib")
    level, backend = log.level, os.environ.pop("MPLBACKEND", None)
    log.setLevel(logging.ERROR)
    try:
        import matplotlib as mpl
        import matplotlib.figure
        import matplotlib.font_manager
    except ImportError as error:
        raise ExtraMissing("figures are drawn", "matplotlib", "figures") from error
    finally:
        log.setLevel(level)
        if backend is not None:
            os.environ["MPLBACKEND"] = backend
    defaults = {name: value for name, value in mpl.rcParamsDefault.items() if not name.startswith("backend")}
    return defaults | LOOKS


@contextmanager
def settings(**more: str) -> Iterator[None]:
    """Draw with settings of our own for as long as the block lasts."""
    chosen: Any = load() | more
    import matplotlib as mpl

    with mpl.rc_context(chosen):
        yield


def inlined(chart: Chart[ChartPanel | Bars], width: float) -> str:
    """Return a drawing as an SVG element of a page, as wide as there is space."""
    data = BytesIO()
    with settings(**{"svg.fonttype": "none"}):
        draw(chart, width).savefig(data, format="svg", transparent=True)
    root = ElementTree.fromstring(data.getvalue())  # noqa: S314  (it was drawn here)
    shapes = {f"#{shape.get('id')}": shape for shape in root.iter() if shape.get("id")}
    about = [
        element("title", characters(prose(chart.title))),
        element("desc", characters(shorten(prose(chart.alt), LONGEST_DESCRIPTION))),
    ]
    drawn = [shape for child in root for shape in _page_shapes(child, shapes)]
    look = {"fill": "currentColor", "font_family": FONTS, "stroke_linejoin": "round"}
    return element("svg", *about, *drawn, viewBox=root.get("viewBox", ""), role="img", **look)


def _page_shapes(node: ElementTree.Element, shapes: Mapping[str, ElementTree.Element]) -> Iterator[Markup]:
    """Yield the shapes and texts of an SVG with all that they refer to, their looks as attributes.

    Numbers get two decimals at most.
    """
    kind = node.tag.rpartition("}")[2]
    for child in node if kind == "g" else ():
        yield from _page_shapes(child, shapes)
    if kind not in ("path", "use", "text"):
        return
    looks = dict(part.split(": ", 1) for part in node.get("style", "").split("; ") if part)
    if looks.get("opacity") == "0" or (looks.get("fill") == "none" and "stroke" not in looks):
        return
    attributes: dict[str, str] = {}
    if kind == "text":
        turn = node.get("transform", "")
        attributes = {"x": node.get("x", ""), "y": node.get("y", "")}
        attributes |= {} if "rotate(-0 " in turn else {"transform": turn}
    else:
        attributes["d"] = (shapes[node.get(f"{XLINK}href", "")] if kind == "use" else node).get("d", "")
        attributes |= {"transform": f"translate({node.get('x')} {node.get('y')})"} if kind == "use" else {}
    attributes |= {name: INK_OF_PAGES.get(value, value) for name, value in looks.items() if name in KEPT_LOOKS}
    for name, value in attributes.items():
        short = LONG_NUMBER.sub(lambda number: f"{float(number[0]):.2f}".rstrip("0").rstrip("."), value)
        attributes[name] = " ".join(short.split())
    if kind == "text":
        size = looks["font-size"].removesuffix("px")
        yield element("text", characters(node.text or ""), **attributes, font_size=size)
    else:
        yield element("path", **attributes)


@cache
def _glyphs() -> frozenset[int]:
    from matplotlib.font_manager import findfont
    from matplotlib.ft2font import FT2Font

    return frozenset(FT2Font(findfont(FONT)).get_charmap())


def words(text: str, width: float) -> str:
    """Return a name as figures write it: visible, in lines of at most this width in inches."""
    if not text:
        return ""
    visible_text = "".join(
        c if ord(c) in _glyphs() else c.encode("unicode_escape").decode("ascii") for c in visible(text)
    )
    return "\n".join(line.rstrip(" ") for line in wrap(shorten(visible_text, LONGEST_LABEL), width * POINTS, SIZE))


class ChartLayout(NamedTuple):
    """The measures of a drawing, in inches."""

    across: int
    heights: tuple[float, ...]
    """The height of every line of panels."""
    legend: tuple[str, ...]
    legend_columns: int

    @property
    def height(self) -> float:
        """The height of all."""
        lines = sum(LINE * (1 + label.count("\n")) + 0.04 for label in self.legend)
        return sum(self.heights) + (0.15 + lines / self.legend_columns if self.legend else 0.0)


def layout(chart: Chart[ChartPanel | Bars], width: float) -> ChartLayout:
    """Return how a chart is laid out: a panel below the other, side by side on two columns, the legend at the foot."""
    across = min(len(chart.panels), 2 if width > WIDE else 1)
    heights = []
    for panel in chart.panels:
        rows = 1.45 if panel.is_numeric else sum(height for _, height in _rows(panel, width / across))
        heights.append(rows + 0.65 + LINE * words(panel.title, width / across - 0.6).count("\n"))
    of_lines = tuple(max(heights[start : start + across]) for start in range(0, len(heights), across))
    are_bars = isinstance(chart.panels[0], Bars)
    columns = 2 if are_bars or width > WIDE else 1
    names = abridged(chart.labels, LONGEST_LABEL).values() if are_bars or len(chart.labels) > 1 else ()
    return ChartLayout(across, of_lines, tuple(words(label, width / columns - 0.5) for label in names), columns)


def check_height(chart: Chart[ChartPanel | Bars], width: float) -> None:
    """Raise ``UsageError`` where a chart is higher than a page, with the number of rows that would fit."""
    with settings():
        height = layout(chart, width).height
    if height <= HIGHEST:
        return
    what = "panels" if all(panel.is_numeric for panel in chart.panels) else "rows"
    rows = sum(1 if panel.is_numeric else len(panel.categories) for panel in chart.panels)
    many = f"{rows:,} {what} are too many for a page, on which about {max(1, int(rows * HIGHEST / height)):,} fit"
    hint = "name one task or metric, another grouping (--by), a baseline or fewer runs"
    wider = "" if width > WIDE else "; or span two columns (--columns 2)"
    raise UsageError(f"{chart.title}: {many} ({HIGHEST:.0f} inches)", hint=hint + wider)


def draw(chart: Chart[ChartPanel | Bars], width: float) -> Figure:
    """Draw a chart."""
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    of = layout(chart, width)
    figure = Figure(figsize=(width, of.height), layout="constrained", facecolor=PAPER)
    grid = figure.add_gridspec(len(of.heights), of.across, height_ratios=of.heights)
    of_panel = width / of.across
    for number, panel in enumerate(chart.panels):
        axes = figure.add_subplot(grid[divmod(number, of.across)])
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(axis="y" if panel.is_numeric else "x", color=GRID, linewidth=0.5)
        axes.set_axisbelow(True)
        if isinstance(panel, Bars):
            _bars(axes, panel, of_panel)
        elif panel.is_numeric:
            _lines(axes, panel, of_panel, chart.labels)
            axes.set_ylim(*_limits(panel, chart))
        else:
            _dots(axes, panel, of_panel, chart.labels)
            axes.set_xlim(*_limits(panel, chart))
        if not panel.is_numeric:
            axes.set_xlabel(words(panel.measure, 0.55 * of_panel))
        if len(chart.panels) > 1 or panel.by != "task":
            axes.set_title(words(panel.title, of_panel - 0.6), loc="left")
    if not of.legend:
        return figure
    handles: list[Artist] = []
    for number, label in enumerate(chart.labels):
        if isinstance(chart.panels[0], Bars):
            fill, hatch = LOOKS_OF_BARS[label]
            handles.append(Patch(facecolor=fill, hatch=hatch, edgecolor="black", linewidth=0.6))
        else:
            dashes: Any = DASHES[number % len(DASHES)] if any(panel.is_numeric for panel in chart.panels) else ""
            handles.append(Line2D([], [], linestyle=dashes, **marker(number)))
    legend = figure.legend(
        handles, [str(number) for number, _ in enumerate(of.legend)], loc="outside lower left",
        ncols=of.legend_columns, frameon=False, handlelength=3.2, borderpad=0.2,
    )  # fmt: skip
    for text, label in zip(legend.get_texts(), of.legend, strict=True):
        text.set_text(label)  # not given to the legend, which leaves out what begins with an underscore
    return figure


def _rows(panel: ChartPanel | Bars, width: float) -> list[tuple[str, float]]:
    """Return the name of each row with its size, and the height that its name, its dots or its bar take.

    A bare number gets the name of its group.
    """
    room, rows = LABEL_SHARE * width, []
    least = 0.22 if isinstance(panel, Bars) else 0.1 + 0.09 * len(panel.series)
    short = abridged(panel.categories, LONGEST_LABEL)
    for number, name in enumerate(panel.categories):
        lines = words(f"{panel.by} = {name}" if panel.by and name.isdecimal() else short[name], room).split("\n")
        if isinstance(panel, ChartPanel):
            more = [(" ", f"(n = {panel.sizes(name)})")]
        else:
            bar = panel.rows[number]
            counts = panel.counted(bar) if panel.is_counted else []
            separators = ["\n", *[", "] * len(counts)]
            more = [(" ", f"(n = {bar.n:,})"), *zip(separators, counts, strict=False)]
        for separator, text in more:
            last = f"{lines[-1]}{separator}{text}"
            if separator != "\n" and text_width(last, SIZE) <= room * POINTS:
                lines[-1] = last
            else:
                lines.append(text)
        rows.append(("\n".join(lines), max(0.07 + LINE * len(lines), least)))
    return rows


def _places(axes: Axes, panel: ChartPanel | Bars, width: float) -> list[float]:
    """Return the places of rows, the first on top, after their names were written."""
    rows = _rows(panel, width)
    heights = [height for _, height in rows]
    places = [sum(heights[:number]) + height / 2 for number, height in enumerate(heights)]
    axes.set_yticks(places, [label for label, _ in rows])
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(sum(heights), 0.0)
    return places


def _with_whiskers(marks: Sequence[ChartMark], panel: ChartPanel) -> tuple[Any, Any]:
    """Return values, and how far their intervals reach below and above; not a number where there is none."""
    import numpy as np

    ends = [(mark.value.low, mark.value.value, mark.value.high) for mark in marks]
    low, value, high = np.array(ends, dtype=float).reshape(-1, 3).T * (100 if panel.is_share else 1)
    return value, np.maximum(0.0, [value - low, high - value])


def _limits(panel: ChartPanel, chart: Chart[ChartPanel | Bars]) -> tuple[float, float]:
    """Return the ends of the axis of values: of shares 0 to 100 %, of differences what all panels of a unit need."""
    if panel.is_share and not panel.is_difference:
        return -2.0, 102.0
    alike = [
        sibling for sibling in chart.panels if isinstance(sibling, ChartPanel) and sibling.is_share == panel.is_share
    ]
    marks = [mark for sibling in (alike if panel.is_difference else [panel]) for mark in sibling.marks]
    ends = [end for mark in marks for end in (mark.value.low, mark.value.value, mark.value.high) if end is not None]
    lowest, top = (end * (100 if panel.is_share else 1) for end in (min(0.0, *ends), max(0.0, *ends)))
    if panel.is_difference:
        margin = 0.05 * (top - lowest) or 1.0
        return lowest - margin, top + margin
    return lowest - 0.03 * (top - lowest or 1.0), top + 0.05 * (top - lowest or 1.0)


def _lines(axes: Axes, panel: ChartPanel, width: float, labels: Sequence[str]) -> None:
    """Draw lines over numbers; series are moved apart a little, so that no interval hides another."""
    from matplotlib.transforms import ScaledTranslation

    numbers = [int(name) for name in panel.categories]
    least = min(right - left for left, right in pairwise(numbers))
    room = (width - 0.6) * least / (1.16 * (numbers[-1] - numbers[0]))
    apart = min(2.5 / POINTS, 0.7 * room / len(panel.series))
    for position, (label, all_marks) in enumerate(panel.series):
        look = labels.index(label)
        shift = (position - (len(panel.series) - 1) / 2) * apart
        figure = axes.get_figure()
        assert figure is not None  # noqa: S101  (it was added to one)
        moved = axes.transData + ScaledTranslation(shift, 0, figure.dpi_scale_trans)
        marks = [mark for name in panel.categories for mark in all_marks if mark.category == name]
        values, whiskers = _with_whiskers(marks, panel)
        axes.errorbar([float(mark.category) for mark in marks], values, yerr=whiskers, elinewidth=0.8,
                      linestyle=DASHES[look % len(DASHES)], transform=moved, **marker(look))  # fmt: skip
    axes.set_xticks(numbers, _ticks(panel, numbers, width - 0.6))
    margin = 0.08 * (numbers[-1] - numbers[0])
    axes.set_xlim(numbers[0] - margin, numbers[-1] + margin)
    axes.set_xlabel(words(panel.axis, width - 0.6))
    axes.set_ylabel(words(panel.measure, 1.8))


def _ticks(panel: ChartPanel, numbers: Sequence[int], width: float) -> list[str]:
    """Return the numbers with their sizes; if these would touch, only as many numbers as fit."""
    per_unit = width * POINTS / (1.16 * (numbers[-1] - numbers[0]))
    sized = [f"{name}\nn = {panel.sizes(name)}" for name in panel.categories]
    widths = [max(text_width(line, SIZE) for line in label.split("\n")) for label in sized]
    between = zip(pairwise(numbers), pairwise(widths), strict=True)
    if all((right - left) * per_unit > (first + second) / 2 for (left, right), (first, second) in between):
        return sized
    shown, last = list[str](), -math.inf
    for number in numbers:
        is_free = (number - last) * per_unit > text_width(str(numbers[-1]), SIZE)
        shown.append(str(number) if is_free else "")
        last = number if is_free else last
    return shown


def _dots(axes: Axes, panel: ChartPanel, width: float, labels: Sequence[str]) -> None:
    """Draw dots with whiskers beside the names of their categories, the first on top."""
    at = dict(zip(panel.categories, _places(axes, panel, width), strict=True))
    for position, (label, all_marks) in enumerate(panel.series):
        shift = 0.09 * (position - (len(panel.series) - 1) / 2)
        for is_shown in (True, False):
            marks = [mark for mark in all_marks if mark.is_shown == is_shown]
            values, whiskers = _with_whiskers(marks, panel)
            ys = [at[mark.category] + shift for mark in marks]
            look = marker(labels.index(label), is_shown=is_shown)
            axes.errorbar(values, ys, xerr=whiskers, linestyle="", elinewidth=0.8, **look)
    if panel.is_difference:
        axes.axvline(0.0, color="black", linewidth=0.8, linestyle=(0, (4, 2)))


def _bars(axes: Axes, panel: Bars, width: float) -> None:
    """Draw bars as long as each other, cut by how many went which way."""
    length = LABEL_SHARE * width * POINTS
    for bar, position in zip(panel.rows, _places(axes, panel, width), strict=True):
        start = 0.0
        for number, kind in zip(bar.counts, panel.labels, strict=True):
            fill, hatch = LOOKS_OF_BARS[kind]
            share = 100 * number / (bar.n or 1)
            if number:
                axes.barh([position], [share], left=[start], height=0.15, color=fill, hatch=hatch, edgecolor="black",
                          linewidth=0.3 if panel.is_counted else 0.6, clip_on=False)  # fmt: skip
            if not panel.is_counted and share / 100 * length > text_width(f"{number:,}", SIZE) + 3:
                axes.text(start + share / 2, position, f"{number:,}", ha="center", va="center",
                          bbox={"facecolor": PAPER, "edgecolor": "none", "pad": 0.6})  # fmt: skip
            start += share
    axes.set_xlim(0, 100)
