"""Plots of comparisons with matplotlib: dots with whiskers around zero, and bars of items won and lost."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tsgkit.graph.drawing.text import text_width
from tsgkit.report.comparison_charts import ComparisonChart, Difference, Differences, ItemShares
from tsgkit.report.plot_style import (
    COLOURS,
    LINE,
    PAPER,
    POINTS,
    SIZE,
    add_legend,
    blank,
    legend_height,
    strip_frame,
    with_size,
    words,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LABEL_SHARE = 0.42
"""The largest share of the width for row names."""
FILLS = {4: ("#56b4e9", "white", "#6e6e6e", "#e69f00"), 3: ("#56b4e9", "white", "#e69f00")}
HATCHES = {4: ("////", "", "", "\\\\\\\\"), 3: ("////", "", "\\\\\\\\")}


def differences(chart: ComparisonChart, width: float) -> Figure:
    """Draw the difference of every pair, a panel for each task and metric."""
    panels = [panel for panel in chart.panels if isinstance(panel, Differences)]
    labels = [[_pair(row, width) for row in panel.rows] for panel in panels]
    figure, axes = _stacked(width, labels, [panel.title for panel in panels], 0.0)
    for panel, one, names in zip(panels, axes, labels, strict=True):
        _forest(one, panel, _places(one, names))
        one.set_xlim(*_reach([other for other in panels if _scale(other) == _scale(panel)]))
    return figure


def _reach(panels: Sequence[Differences]) -> tuple[float, float]:
    """Return the common scale of all panels with one unit; it includes zero."""
    ends = [0.0]
    for row in (row for panel in panels for row in panel.rows):
        ends += [row.value] if row.interval is None else [row.interval.low, row.interval.high]
    low, high = _scale(panels[0]) * min(ends), _scale(panels[0]) * max(ends)
    margin = 0.05 * (high - low) or 1.0
    return low - margin, high + margin


def _scale(panel: Differences) -> int:
    return 100 if panel.rows[0].is_share else 1


def _pair(row: Difference, width: float) -> str:
    room = LABEL_SHARE * width
    lines = [*words(row.first, room).split("\n"), *words(f"− {row.second}", room).split("\n")]
    return with_size(lines, f"(n = {row.items:,})", room)


def _stacked(
    width: float, labels: Sequence[Sequence[str]], titles: Sequence[str], foot: float
) -> tuple[Figure, list[Axes]]:
    """Return a figure with panels below each other, as high as their labels require, with space for a legend."""
    heads = [words(title, width - 0.3) for title in titles]
    heights = [
        0.6 + LINE * head.count("\n") + sum(map(_room, names)) for head, names in zip(heads, labels, strict=True)
    ]
    figure = blank(width, sum(heights) + foot)
    grid = figure.add_gridspec(len(labels), 1, height_ratios=heights)
    found = [figure.add_subplot(grid[number]) for number, _ in enumerate(labels)]
    for axes, head in zip(found, heads, strict=True):
        axes.set_title(head, loc="left", x=0.0)
    return figure, found


def _room(label: str) -> float:
    return 0.08 + LINE * (1 + label.count("\n"))


def _places(axes: Axes, labels: Sequence[str]) -> list[float]:
    """Return the heights of rows, the first on top, after their names were written."""
    rooms = [_room(label) for label in labels]
    places = [sum(rooms[:number]) + room / 2 for number, room in enumerate(rooms)]
    axes.set_yticks(places, labels)
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(sum(rooms), 0.0)
    return places


def _forest(axes: Axes, panel: Differences, places: Sequence[float]) -> None:
    scale = _scale(panel)
    for row, place in zip(panel.rows, places, strict=True):
        around = row.interval
        reach = None if around is None else [[scale * (row.value - around.low)], [scale * (around.high - row.value)]]
        axes.errorbar(
            [scale * row.value], [place], xerr=reach, linestyle="", color=COLOURS[0], marker="o", markersize=4.0,
            markeredgewidth=0.8, markerfacecolor=COLOURS[0] if row.is_shown else PAPER, elinewidth=0.8, capsize=1.5,
        )  # fmt: skip
    axes.axvline(0.0, color="black", linewidth=0.8, linestyle=(0, (4, 2)))
    axes.set_xlabel(panel.measure)
    strip_frame(axes, "x")


def items(chart: ComparisonChart, width: float) -> Figure:
    """Draw bars as long as each other, cut by how many items went which way."""
    from matplotlib.patches import Patch

    panels = [panel for panel in chart.panels if isinstance(panel, ItemShares)]
    room = LABEL_SHARE * width
    labels = [[with_size(words(row.label, room).split("\n"), f"(n = {row.items:,})", room) for row in panel.rows]
              for panel in panels]  # fmt: skip
    looks = {kind: look for panel in panels for kind, look in zip(panel.kinds, _looks(panel), strict=True)}
    across = 2
    figure, axes = _stacked(width, labels, [panel.title for panel in panels], legend_height(list(looks), across))
    for panel, one, names in zip(panels, axes, labels, strict=True):
        _cut_bars(one, panel, _places(one, names), 0.4 * width)
    patches = [Patch(facecolor=fill, hatch=hatch, edgecolor="black", linewidth=0.6) for fill, hatch in looks.values()]
    add_legend(figure, patches, list(looks), across)
    return figure


def _looks(panel: ItemShares) -> list[tuple[str, str]]:
    return list(zip(FILLS[len(panel.kinds)], HATCHES[len(panel.kinds)], strict=True))


def _cut_bars(axes: Axes, panel: ItemShares, places: Sequence[float], width: float) -> None:
    for row, place in zip(panel.rows, places, strict=True):
        start = 0.0
        for number, (fill, hatch) in zip(row.counts, _looks(panel), strict=True):
            share = 100 * number / (row.items or 1)
            axes.barh([place], [share], left=[start], height=0.15, color=fill, hatch=hatch, edgecolor="black",
                      linewidth=0.6, clip_on=False)  # fmt: skip
            if share / 100 * width * POINTS > text_width(f"{number:,}", SIZE) + 3:
                axes.text(start + share / 2, place, f"{number:,}", ha="center", va="center",
                          bbox={"facecolor": PAPER, "edgecolor": "none", "pad": 0.6})  # fmt: skip
            start += share
    axes.set_xlim(0, 100)
    axes.set_xlabel("items (%)")
    strip_frame(axes, "x")
