"""Figures of comparisons: the differences of the tables, and how pairs share out their items."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from xml.etree import ElementTree

import pytest
from reported import baseline_run
from tsg_tasks import METRICS

from tsgkit.errors import UsageError
from tsgkit.library.cards import load_card
from tsgkit.report import comparison_plots, plot_style
from tsgkit.report.comparison import Comparison, compare, paired
from tsgkit.report.comparison_charts import (
    MORE_OR_LESS,
    RIGHT_OR_WRONG,
    Differences,
    ItemShares,
    differences,
    items,
    share_out,
)
from tsgkit.report.comparison_rows import Contender
from tsgkit.report.paper import comparison_figure, paired_figure
from tsgkit.scoring.pooling import Part
from tsgkit.suites.suite import task_of

pytest.importorskip("matplotlib", reason="figures are drawn by matplotlib, the extra tsgkit[figures]")

NO_GROUPS: Mapping[str, tuple[str, ...]] = MappingProxyType({})


def contender(name: str, scores: str, groups: Mapping[str, tuple[str, ...]] = NO_GROUPS) -> Contender:
    """Return a row whose items score these digits out of nine."""
    parts = {str(place): Part(int(score) / 9, 1.0, str(place)) for place, score in enumerate(scores)}
    return Contender(
        name, "runs/a", 0, name, "tsg/sgqa", "single", "zero-shot", 1, "exact_match",
        METRICS["sgqa"]["exact_match"], parts, {}, groups=groups, of=task_of(load_card("tsg/sgqa")),
    )  # fmt: skip


def compared(*rows: Contender) -> Comparison:
    pairs = paired([(rows[0], other) for other in rows[1:]], 0)
    return Comparison("strict", 0, rows, pairs, (), has_baseline=False)


def test_differences_of_a_figure_are_those_of_the_comparison() -> None:
    found = compared(contender("a", "9999990990"), contender("b", "0000000000"), contender("c", "9999990999"))
    [panel] = differences(found).panels
    assert isinstance(panel, Differences)
    for row, pair in zip(panel.rows, found.pairs, strict=True):
        assert (row.value, row.interval) == (pair.statistics.difference, pair.statistics.interval)
        assert (row.items, row.is_shown) == (pair.statistics.items, pair.differs)
    assert [row.is_shown for row in panel.rows] == [True, False]


def test_differences_that_are_shown_are_filled_dots_beside_a_line_at_none() -> None:
    found = compared(contender("a", "9999990990"), contender("b", "0000000000"), contender("c", "9999990999"))
    with plot_style.settings():
        [axes] = comparison_plots.differences(differences(found), 3.25).axes
        dots = [line for line in axes.lines if line.get_marker() == "o"]
    assert [list(dot.get_xdata()) for dot in dots] == [[pytest.approx(80.0)], [pytest.approx(-10.0)]]  # type: ignore[arg-type]
    assert [dot.get_markerfacecolor() for dot in dots] == [plot_style.COLOURS[0], plot_style.PAPER]
    assert "a minus c: -10.0 [" in comparison_figure(found).alt
    assert "no difference shown" in comparison_figure(found).alt


def test_items_are_shared_out_by_right_and_wrong() -> None:
    [panel] = items(compared(contender("a", "99900"), contender("b", "90090"))).panels
    assert isinstance(panel, ItemShares)
    assert (panel.kinds, panel.rows[0].counts) == (RIGHT_OR_WRONG, (2, 1, 1, 1))


def test_graded_items_are_shared_out_by_who_is_better() -> None:
    [panel] = items(compared(contender("a", "95900"), contender("b", "94090"))).panels
    assert isinstance(panel, ItemShares)
    assert (panel.kinds, panel.rows[0].counts) == (MORE_OR_LESS, (2, 2, 1))


def test_right_is_none_where_less_is_better() -> None:
    counts = share_out([(0.0, 0.0), (0.0, 1.0), (1.0, 1.0)], more_is_better=False)
    assert list(counts.values()) == [1, 1, 1, 0]


def test_items_are_shared_out_by_group() -> None:
    groups = {"0": ("10",), "1": ("2", "10"), "2": ("2",)}
    [panel] = items(compared(contender("a", "990", groups), contender("b", "900", groups)), "k").panels
    assert isinstance(panel, ItemShares)
    assert [(row.label, row.counts) for row in panel.rows] == [("k = 2", (1, 0, 1, 0)), ("k = 10", (1, 1, 0, 0))]
    assert panel.title == "tsg/sgqa, exact_match, strict: a against b"


def test_groups_of_a_run_are_those_of_its_report(tmp_path: Path) -> None:
    run = baseline_run(tmp_path / "run", "tsg/sgqa", "tsg/sa-sgg", limit=20)
    found = items(compare([run], by="implicit"), "implicit")
    [panel] = found.panels
    assert isinstance(panel, ItemShares)
    assert sum(row.items for row in panel.rows) == 20
    assert found.notes == ("tsg/sgqa: not grouped by implicit",)
    with pytest.raises(UsageError, match="there is no group implicitly"):
        compare([run], by="implicitly")


def test_a_comparison_without_values_has_no_figure() -> None:
    empty = replace(contender("a", "9"), parts={"0": Part(0.0, 0.0, "0")})
    with pytest.raises(UsageError, match="nothing to draw; tsg/sgqa: a minus b: "):
        comparison_figure(compared(empty, replace(empty, name="b")))


@pytest.mark.parametrize("format", ["pdf", "svg", "png"])
def test_comparisons_are_drawn_the_same_twice_and_obey_no_name(format: str) -> None:
    name = "<script>$x$\n\x1b 模 " * 9
    found = compared(contender(name, "950"), contender("b", "949"), contender("c", "000"))
    for figure in (comparison_figure(found), paired_figure(found)):
        data = figure.data(format)
        assert data == figure.data(format)
        if format == "svg":
            ElementTree.fromstring(data)  # noqa: S314  (our own)
            assert b"<script" not in data


def test_pieces_of_a_bar_are_told_apart_by_hatch_or_shade() -> None:
    for number, fills in comparison_plots.FILLS.items():
        looks = list(zip(fills, comparison_plots.HATCHES[number], strict=True))
        assert len({hatch or fill for fill, hatch in looks}) == number
