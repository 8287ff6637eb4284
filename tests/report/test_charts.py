"""Charts and plots: the values of the tables as panels and series, said in words, and what cannot be drawn."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from reported import baseline_run, board, by, compared, contender, row

from tsgkit.errors import FileProblem, UsageError
from tsgkit.report.charts import MOST_SERIES, chart, gather_for
from tsgkit.report.comparison import compare
from tsgkit.report.comparison_charts import (
    MORE_OR_LESS,
    RIGHT_OR_WRONG,
    Differences,
    ItemShares,
    differences,
    items,
    share_out,
)
from tsgkit.report.plots import (
    LINES,
    MOST_LINES,
    OUTCOMES,
    WIDTH,
    Line,
    OutcomeBar,
    Point,
    ScoreRow,
    against_k,
    intervals,
    outcomes,
)
from tsgkit.report.report_rows import Report, gather
from tsgkit.scoring.outcomes import Outcome
from tsgkit.scoring.pooling import Part


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return baseline_run(tmp_path_factory.mktemp("runs") / "run", "tsg/sgqa", "tsg/ma-sgg", limit=20)


def test_values_of_a_chart_are_those_of_the_report(run: Path) -> None:
    found = chart(gather_for([run], "f1", "k"), "f1", "k")
    [panel] = found.panels
    rows = [one for one in gather([run], ["k"]).rows if one.task == "tsg/ma-sgg"]
    assert panel.categories == tuple(rows[0].groups["k"])
    for one, series in zip(rows, panel.series, strict=True):
        assert {mark.category: (mark.value, mark.n) for mark in series.marks} == {
            k: ((members.profiles["strict"] or {})["f1"], members.n) for k, members in one.groups["k"].items()
        }
    assert found.notes == ("tsg/sgqa: no metric f1",)
    [panel] = chart(gather_for([run], "f1_soft", "k"), "f1_soft", "k").panels
    assert panel.measure == "f1_soft, strict (%)", "a metric that tables of groups leave out"


def test_a_task_can_be_named_wrong_names_say_what_there_is_and_a_broken_run_is_left_out(
    run: Path, tmp_path: Path
) -> None:
    (tmp_path / "run.json").write_text("{")
    report = gather_for([tmp_path, run], "main", "task")
    assert len(report.left_out) == 1
    found = chart(report, "main", "task")
    assert found.labels == ("baseline/rules", "baseline/random")
    assert found.panels[0].categories == ("tsg/sgqa exact_match", "tsg/ma-sgg f1")
    [panel] = chart(report, "main", "task", task="ma-sgg").panels
    assert panel.categories == ("tsg/ma-sgg",)
    with pytest.raises(FileProblem):
        gather_for([tmp_path], "f1", "k")
    with pytest.raises(UsageError, match="cannot be grouped by stile"):
        gather_for([run], "f1", "stile")
    with pytest.raises(UsageError, match="no task here has the metric f2") as refused:
        chart(report, "f2", "task")
    assert refused.value.hint.startswith("choose from main, exact_match, ")
    with pytest.raises(UsageError, match="no run here has the task ma-sg"):
        chart(report, "main", "task", task="ma-sg")


def test_different_numbers_are_joined_by_a_line_and_series_named_by_what_differs() -> None:
    [panel] = chart(by("k", {"10": 0.1, "2": 0.2}, {"3": 0.3}), "exact_match", "k").panels
    assert (panel.categories, panel.is_numeric) == (("2", "3", "10"), True)
    for names in (["2", "02"], ["2", "9" * 400], ["2", "two"], ["2"]):
        [panel] = chart(by("tag", dict.fromkeys(names, 0.5)), "exact_match", "tag").panels
        assert not panel.is_numeric, names
    for rows, group, labels in (
        (
            (row("a", style="cot"), row("a", style="few-shot"), row("rules", style="", solver="baseline")),
            "task",
            ("a cot", "a few-shot", "rules"),
        ),
        ((row("a", style="cot"), row("a", style="few-shot"), row("rules", style="")), "style", ("a", "rules")),
        ((row("a"), row("a", run="runs/b")), "style", ("a (runs/a)", "a (runs/b)")),
        ((row("a", repeat=0), row("a", repeat=1)), "task", ("a", "a #1")),
    ):
        assert chart(Report(rows), "exact_match", group).labels == labels


def test_rows_without_a_value_and_more_series_than_can_be_told_apart_are_refused() -> None:
    with pytest.raises(UsageError, match="nothing to draw: tsg/sgqa: no official value"):
        chart(Report((row("a"),)), "exact_match", "subject", profile="official")
    rows = tuple(row(f"model {number}") for number in range(MOST_SERIES + 1))
    assert len(chart(Report(rows[1:]), "exact_match", "task").labels) == MOST_SERIES
    with pytest.raises(UsageError, match="17 series are too many for a figure, at most 16"):
        chart(Report(rows), "exact_match", "task")
    one = replace(row("a"), board=board(3.5, is_share=False))
    [panel] = chart(Report((one, replace(one, subject="b"))), "exact_match", "subject").panels
    assert panel.measure == "exact_match, strict", "values that are no shares are not percent"


# ---- comparisons ----


def test_differences_of_a_chart_are_those_of_the_comparison() -> None:
    found = compared(contender("a", "9999990990"), contender("b", "0000000000"), contender("c", "9999990999"))
    [panel] = differences(found).panels
    assert isinstance(panel, Differences)
    assert [(shown.value, shown.interval, shown.items) for shown in panel.rows] == [
        (pair.statistics.difference, pair.statistics.interval, 10) for pair in found.pairs
    ]
    assert [shown.is_shown for shown in panel.rows] == [pair.differs for pair in found.pairs] == [True, False]
    empty = replace(contender("a", "9"), parts={"0": Part(0.0, 0.0, "0")})
    with pytest.raises(UsageError, match="nothing to draw; tsg/sgqa: a minus b: "):
        differences(compared(empty, replace(empty, name="b")))


def test_items_are_shared_out_by_right_and_wrong_or_by_who_is_better_and_by_the_groups_of_the_report(run: Path) -> None:
    for first, second, kinds, counts in (
        ("99900", "90090", RIGHT_OR_WRONG, (2, 1, 1, 1)),
        ("95900", "94090", MORE_OR_LESS, (2, 2, 1)),
    ):
        [panel] = items(compared(contender("a", first), contender("b", second))).panels
        assert isinstance(panel, ItemShares)
        assert (panel.kinds, panel.rows[0].counts) == (kinds, counts)
    shares = share_out([(0.0, 0.0), (0.0, 1.0), (1.0, 1.0)], more_is_better=False)
    assert list(shares.values()) == [1, 1, 1, 0], "right is none where less is better"
    groups = {"0": ("10",), "1": ("2", "10"), "2": ("2",)}
    [panel] = items(compared(contender("a", "990", groups=groups), contender("b", "900", groups=groups)), "k").panels
    assert isinstance(panel, ItemShares)
    assert [(one.label, one.counts) for one in panel.rows] == [("k = 2", (1, 0, 1, 0)), ("k = 10", (1, 1, 0, 0))]
    assert panel.title == "tsg/sgqa, exact_match, strict: a against b"
    found = items(compare([run], by="implicit"), "implicit")
    [panel] = found.panels
    assert isinstance(panel, ItemShares)
    assert sum(one.items for one in panel.rows) == 20
    assert found.notes == ("tsg/sgqa: not grouped by implicit",)


SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = "a</title><script>alert(\"1\")</script>\x1b[31m\u202e & 'b'"
PLOTS: list[Callable[[str], str]] = [
    lambda label: intervals([ScoreRow(label, Point(0.5, 0.4, 0.6), None)], title=label),
    lambda label: outcomes([OutcomeBar(label, {"answered": 3, "refused": 1})], title=label),
    lambda label: against_k([Line(label, {2: Point(0.5), 4: Point(0.1, 0.0, 0.3)})], title=label),
]


def parts(svg: str, tag: str) -> list[ElementTree.Element]:
    return list(ElementTree.fromstring(svg).iter(SVG + tag))  # noqa: S314  (we wrote it)


def test_labels_are_text_within_the_frame_and_every_number_is_said_in_words() -> None:
    for plot in PLOTS:
        svg = plot(HOSTILE)
        allowed = ("svg", "title", "desc", "text", "tspan", "line", "circle", "polygon", "polyline", "rect")
        assert not re.search("\x1b|\u202e", svg) and set(re.findall(r"<(\w+)", svg)) <= set(allowed)
        long = plot("openai/" + "very-long-name-" * 20)
        height = float(parts(long, "svg")[0].get("viewBox", "").split()[3])
        for text in parts(long, "tspan"):
            assert 0 <= float(text.get("x", "")) < WIDTH
            assert 0 <= float(text.get("y", "")) <= height
        svg = plot("model A")
        assert parts(svg, "title")[0].text == "model A"
        said = parts(svg, "desc")[0].text or ""
        assert "model A: " in said and re.search(r"50\.0|3 answered", said)
        assert plot("model A") == svg


def test_a_missing_profile_has_no_mark_and_outcomes_lines_and_bars_are_told_apart() -> None:
    with_one, without = (
        intervals([ScoreRow("m", point, None)], title="t") for point in (Point(0.5, 0.4, 0.6), Point(0.5))
    )
    assert len(parts(without, "polygon")) == 1 and "none" in without, "the legend's only"
    assert len(parts(with_one, "line")) == len(parts(without, "line")) + 3
    svg = intervals([ScoreRow("a", Point(0.2), None), ScoreRow("b", Point(0.8), None)], title="t")
    _, low, high = parts(svg, "circle")
    assert float(low.get("cx", "")) < float(high.get("cx", "")), "higher values stand further right"
    assert set(OUTCOMES) == {str(outcome) for outcome in Outcome}
    assert len(set(OUTCOMES.values())) == len(OUTCOMES)
    lines = [Line(f"m{number}", {1: Point(0.1 * number), 2: Point(0.5)}) for number in range(MOST_LINES + 2)]
    assert len(parts(against_k(lines, title="t"), "polyline")) == MOST_LINES
    assert len({dashes for _, dashes in LINES}) == len(LINES)
    svg = outcomes([OutcomeBar("m", {"answered": 100_000, "refused": 1, "missing": 0})], title="t")
    bar = [rect for rect in parts(svg, "rect") if rect.get("height") == "14"]
    widths = [float(rect.get("width", "")) for rect in bar]
    assert len(bar) == 2 and min(widths) > 2
    assert sum(widths) == pytest.approx(WIDTH - 8, abs=0.5)
    assert "m" in outcomes([OutcomeBar("m", {})], title="t"), "a bar without samples"
