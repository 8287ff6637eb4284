"""Style of plots with matplotlib, without ``pyplot`` and without settings of the user or the machine.

Series differ in marker, dash and colour (those of Okabe and Ito), so that they are distinct in grey. Characters that
the font lacks are written as escapes.
"""

from __future__ import annotations

import logging
import math
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from io import BytesIO
from itertools import pairwise, zip_longest
from typing import TYPE_CHECKING, Any, NamedTuple

from tsgkit.errors import ExtraMissing
from tsgkit.graph.drawing.text import shorten, text_width, visible, wrap
from tsgkit.report.charts import Chart, Mark, Panel

if TYPE_CHECKING:
    from collections.abc import Iterable

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

FONT = "DejaVu Sans"
SIZE = 7.0
POINTS = 72.0
WIDE = 5.0
"""Width in inches from which panels and legend entries are placed side by side."""
LINE = 0.125
"""The height of a line of text in inches."""
LONGEST_LABEL = 120
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#000000", "#e69f00", "#56b4e9", "#6e6e6e")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "p")
DASHES = (
    "-",
    (0, (5, 2)),
    (0, (1, 1.5)),
    (0, (6, 2, 1, 2)),
    (0, (9, 3)),
    (0, (3, 1, 1, 1, 1, 1)),
    (0, (2, 3)),
    (0, (8, 1)),
)
PAPER, GRID = "white", "#d9d9d9"
LOOKS: dict[str, Any] = {
    "font.family": [FONT],
    "font.size": SIZE,
    "axes.titlesize": SIZE,
    "axes.labelsize": SIZE,
    "xtick.labelsize": SIZE,
    "ytick.labelsize": SIZE,
    "legend.fontsize": SIZE,
    "axes.linewidth": 0.6,
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


class Style(NamedTuple):
    """The marker, dash and colour of a series."""

    colour: str
    marker: str
    dashes: Any
    is_filled: bool


def style(number: int) -> Style:
    """Return the look of a series by its number; the second eight have hollow markers."""
    place = number % len(COLOURS)
    return Style(COLOURS[place], MARKERS[place], DASHES[place], number < len(COLOURS))


@contextmanager
def _quietly() -> Iterator[None]:
    """Import matplotlib without its choice of a window system and without remarks about its cache of fonts."""
    log = logging.getLogger("matplotlib")
    level, backend = log.level, os.environ.pop("MPLBACKEND", None)
    log.setLevel(logging.ERROR)
    try:
        yield
    finally:
        log.setLevel(level)
        if backend is not None:
            os.environ["MPLBACKEND"] = backend


@cache
def load() -> dict[str, Any]:
    """Import matplotlib, and return the settings that figures are drawn with."""
    try:
        with _quietly():
            import matplotlib as mpl
            import matplotlib.figure
            import matplotlib.font_manager
    except ImportError as error:
        raise ExtraMissing("figures are drawn", "matplotlib", "figures") from error
    defaults = {name: value for name, value in mpl.rcParamsDefault.items() if not name.startswith("backend")}
    return defaults | LOOKS


@contextmanager
def settings() -> Iterator[None]:
    """Draw with settings of our own for as long as the block lasts."""
    found: Any = load()
    import matplotlib as mpl

    with mpl.rc_context(found):
        yield


def encoded(draw: Callable[[float], Figure], width: float, format: str, dpi: int, words: tuple[str, str]) -> bytes:
    """Return the bytes of a drawing with its title and description, but without a date."""
    title, description = words
    metadata: dict[str, dict[str, str | None]] = {
        "pdf": {"Title": title, "Subject": description, "Creator": "tsgkit", "CreationDate": None},
        "svg": {"Title": title, "Description": description, "Creator": "tsgkit", "Date": None},
        "png": {"Title": title, "Description": description},
    }
    data = BytesIO()
    with settings():
        draw(width).savefig(data, format=format, dpi=dpi, metadata=metadata[format])
    return data.getvalue()


@cache
def _glyphs() -> frozenset[int]:
    from matplotlib.font_manager import findfont
    from matplotlib.ft2font import FT2Font

    return frozenset(FT2Font(findfont(FONT)).get_charmap())


def words(text: str, width: float) -> str:
    """Return a name as figures write it: visible, in lines of at most this width in inches."""
    seen = "".join(c if ord(c) in _glyphs() else c.encode("unicode_escape").decode("ascii") for c in visible(text))
    return "\n".join(line.rstrip(" ") for line in wrap(shorten(seen, LONGEST_LABEL), width * POINTS, SIZE))


def scores(chart: Chart, width: float) -> Figure:
    """Draw a chart: a panel below the other, side by side on two columns, the legend at the foot."""
    across = min(len(chart.panels), 2 if width > WIDE else 1)
    rows = list(zip_longest(*(chart.panels[start::across] for start in range(across))))
    of_panel = width / across
    heights = [max(_height(panel, of_panel, chart.labels) for panel in row if panel is not None) for row in rows]
    in_legend = 2 if width > WIDE else 1
    legend = [words(label, width / in_legend - 0.5) for label in chart.labels] if len(chart.labels) > 1 else []
    figure = blank(width, sum(heights) + legend_height(legend, in_legend))
    grid = figure.add_gridspec(len(rows), across, height_ratios=heights)
    for number, panel in enumerate(chart.panels):
        axes = figure.add_subplot(grid[divmod(number, across)])
        (_lines if panel.is_numeric else _dots)(axes, panel, of_panel, chart.labels)
        if len(chart.panels) > 1 or chart.by != "task":
            axes.set_title(words(panel.title, of_panel - 0.6), loc="left")
    has_lines = any(panel.is_numeric for panel in chart.panels)
    add_legend(figure, [_handle(place, has_lines) for place, _ in enumerate(legend)], legend, in_legend)
    return figure


def blank(width: float, height: float) -> Figure:
    """Return an empty figure of a size in inches."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained", facecolor=PAPER)


def _height(panel: Panel, width: float, labels: Sequence[str]) -> float:
    """Return how high a panel has to be, in inches."""
    if panel.is_numeric:
        return 2.1
    return 0.65 + sum(_room(name, panel, width) for name in panel.categories)


def _room(category: str, panel: Panel, width: float) -> float:
    """Return the height that a category takes: that of its label or of its dots."""
    return max(0.06 + LINE * (1 + _category(category, panel, width).count("\n")), 0.1 + 0.09 * len(panel.series))


def _category(name: str, panel: Panel, width: float) -> str:
    """Return a category with its size on one line; a bare number gets the name of its group."""
    lines = words(f"{panel.by} = {name}" if name.isdecimal() else name, 0.4 * width).split("\n")
    return with_size(lines, f"(n = {panel.sizes(name)})", 0.4 * width)


def with_size(lines: Sequence[str], size: str, width: float) -> str:
    """Return lines with a size after the last one, or below it if there is no space."""
    last = f"{lines[-1]} {size}"
    fits = text_width(last, SIZE) <= width * POINTS
    return "\n".join([*lines[:-1], last] if fits else [*lines, size])


def _handle(number: int, has_line: bool) -> Line2D:
    from matplotlib.lines import Line2D

    look = style(number)
    return Line2D([], [], linestyle=look.dashes if has_line else "", **_marked(look))


def _marked(look: Style) -> dict[str, Any]:
    return {
        "color": look.colour,
        "marker": look.marker,
        "markersize": 4.0,
        "markeredgewidth": 0.8,
        "markerfacecolor": look.colour if look.is_filled else PAPER,
        "linewidth": 1.0,
    }


def legend_height(labels: Sequence[str], across: int) -> float:
    """Return how high a legend in so many columns is, in inches."""
    return 0.1 + sum(LINE * (1 + label.count("\n")) + 0.04 for label in labels) / across + 0.05 if labels else 0.0


def add_legend(figure: Figure, handles: Sequence[Any], labels: Sequence[str], across: int) -> None:
    """Add a legend; its words are set afterwards, since a label that begins with an underscore would be left out."""
    if not labels:
        return
    legend = figure.legend(
        list(handles), [str(number) for number, _ in enumerate(labels)], loc="outside lower left", ncols=across,
        frameon=False, handlelength=3.2, borderpad=0.2,
    )  # fmt: skip
    for text, label in zip(legend.get_texts(), labels, strict=True):
        text.set_text(label)


def strip_frame(axes: Axes, along: str) -> None:
    """Remove the top and right frame; keep light grid lines across the values."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis=along, color=GRID, linewidth=0.5)  # type: ignore[arg-type]
    axes.set_axisbelow(True)


def _scaled(values: Iterable[float | None], panel: Panel) -> list[float]:
    return [float("nan") if value is None else 100 * value if panel.is_share else value for value in values]


def _whiskers(marks: Sequence[Mark], panel: Panel) -> list[list[float]]:
    """Return how far the intervals reach below and above the values; not a number where there is none."""
    values = _scaled((mark.value.value for mark in marks), panel)
    lows, highs = (_scaled((getattr(mark.value, end) for mark in marks), panel) for end in ("low", "high"))
    below = [max(0.0, value - low) if low == low else low for value, low in zip(values, lows, strict=True)]
    return [
        below,
        [max(0.0, high - value) if high == high else high for value, high in zip(values, highs, strict=True)],
    ]


def _limits(panel: Panel) -> tuple[float, float]:
    if panel.is_share:
        return -2.0, 102.0
    reached = [end for one in panel.series for mark in one.marks for end in (mark.value.high, mark.value.value)]
    top = max(end for end in reached if end is not None)
    lowest = min(0.0, *(mark.value.value for one in panel.series for mark in one.marks))
    return lowest - 0.03 * (top - lowest or 1.0), top + 0.05 * (top - lowest or 1.0)


def _lines(axes: Axes, panel: Panel, width: float, labels: Sequence[str]) -> None:
    """Draw lines over numbers; series are moved apart a little, so that no interval hides another."""
    from matplotlib.transforms import ScaledTranslation

    numbers = [int(name) for name in panel.categories]
    least = min(right - left for left, right in pairwise(numbers))
    room = (width - 0.6) * least / (1.16 * (numbers[-1] - numbers[0]))
    apart = min(2.5 / POINTS, 0.7 * room / len(panel.series))
    for place, one in enumerate(panel.series):
        look = style(labels.index(one.label))
        shift = (place - (len(panel.series) - 1) / 2) * apart
        figure = axes.get_figure()
        assert figure is not None  # noqa: S101  (it was added to one)
        moved = axes.transData + ScaledTranslation(shift, 0, figure.dpi_scale_trans)
        marks = [mark for name in panel.categories for mark in one.marks if mark.category == name]
        xs = [float(mark.category) for mark in marks]
        ys = _scaled((mark.value.value for mark in marks), panel)
        axes.errorbar(xs, ys, yerr=_whiskers(marks, panel), linestyle=look.dashes, elinewidth=0.8, capsize=1.5,
                      transform=moved, **_marked(look))  # fmt: skip
    axes.set_xticks(numbers, _ticks(panel, numbers, width - 0.6))
    margin = 0.08 * (numbers[-1] - numbers[0])
    axes.set_xlim(numbers[0] - margin, numbers[-1] + margin)
    axes.set_ylim(*_limits(panel))
    axes.set_xlabel(words(panel.axis, width - 0.6))
    axes.set_ylabel(words(panel.measure, 1.8))
    strip_frame(axes, "y")


def _ticks(panel: Panel, numbers: Sequence[int], width: float) -> list[str]:
    """Return the numbers with their sizes; if these would touch, only as many numbers as fit."""
    per_unit = width * POINTS / (1.16 * (numbers[-1] - numbers[0]))
    sized = [f"{name}\nn = {panel.sizes(name)}" for name in panel.categories]
    if all(_are_apart(sized, numbers, per_unit)):
        return sized
    shown, last = list[str](), -math.inf
    for number in numbers:
        is_free = (number - last) * per_unit > text_width(str(numbers[-1]), SIZE)
        shown.append(str(number) if is_free else "")
        last = number if is_free else last
    return shown


def _are_apart(labels: Sequence[str], places: Sequence[int], per_unit: float) -> Iterator[bool]:
    """Yield whether each label ends before the next begins."""
    widths = [max(text_width(line, SIZE) for line in label.split("\n")) for label in labels]
    for (left, right), (first, second) in zip(pairwise(places), pairwise(widths), strict=True):
        yield (right - left) * per_unit > (first + second) / 2


def _dots(axes: Axes, panel: Panel, width: float, labels: Sequence[str]) -> None:
    """Draw dots with whiskers beside the names of their categories, the first on top."""
    heights = [_room(name, panel, width) for name in panel.categories]
    middles = [sum(heights[:place]) + height / 2 for place, height in enumerate(heights)]
    at = dict(zip(panel.categories, middles, strict=True))
    for place, one in enumerate(panel.series):
        look = style(labels.index(one.label))
        shift = 0.09 * (place - (len(panel.series) - 1) / 2)
        values = _scaled((mark.value.value for mark in one.marks), panel)
        ys = [at[mark.category] + shift for mark in one.marks]
        axes.errorbar(values, ys, xerr=_whiskers(one.marks, panel), linestyle="", elinewidth=0.8, capsize=1.5,
                      **_marked(look))  # fmt: skip
    axes.set_yticks(middles, [_category(name, panel, width) for name in panel.categories])
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(sum(heights), 0.0)
    axes.set_xlim(*_limits(panel))
    axes.set_xlabel(words(panel.measure, 0.55 * width))
    strip_frame(axes, "x")
