"""Plots: everything shown is also said, nothing is out of the image, colour is never alone."""

from __future__ import annotations

import re
from collections.abc import Callable
from xml.etree import ElementTree

import pytest

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
from tsgkit.scoring.outcomes import Outcome

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = "a</title><script>alert(\"1\")</script>\x1b[31m\u202e & 'b'"
ALL: list[Callable[[str], str]] = [
    lambda label: intervals([ScoreRow(label, Point(0.5, 0.4, 0.6), None)], title=label),
    lambda label: outcomes([OutcomeBar(label, {"answered": 3, "refused": 1})], title=label),
    lambda label: against_k([Line(label, {2: Point(0.5), 4: Point(0.1, 0.0, 0.3)})], title=label),
]


def tree(svg: str) -> ElementTree.Element:
    return ElementTree.fromstring(svg)  # noqa: S314  (we wrote it)


def parts(svg: str, tag: str) -> list[ElementTree.Element]:
    return list(tree(svg).iter(SVG + tag))


def test_labels_are_text_within_the_frame_and_every_number_is_said_in_words() -> None:
    for plot in ALL:
        svg = plot(HOSTILE)
        assert {element.tag.removeprefix(SVG) for element in tree(svg).iter()} <= {
            *("svg", "title", "desc", "text", "tspan", "line", "circle", "polygon", "polyline", "rect")
        }
        assert "\x1b" not in svg and "\u202e" not in svg
        root = tree(plot("openai/" + "very-long-name-" * 20))
        height = float(root.get("viewBox", "").split()[3])
        for text in root.iter(SVG + "tspan"):
            assert 0 <= float(text.get("x", "")) < WIDTH
            assert 0 <= float(text.get("y", "")) <= height
        svg = plot("model A")
        assert parts(svg, "title")[0].text == "model A"
        said = parts(svg, "desc")[0].text or ""
        assert "model A: " in said and re.search(r"50\.0|3 answered", said)
        assert plot("model A") == svg


def test_a_missing_profile_has_no_mark_and_a_value_without_interval_no_whisker() -> None:
    with_one = intervals([ScoreRow("m", Point(0.5, 0.4, 0.6), None)], title="t")
    without = intervals([ScoreRow("m", Point(0.5), None)], title="t")
    assert len(parts(without, "polygon")) == 1 and "none" in without, "the legend's only"
    assert len(parts(with_one, "line")) == len(parts(without, "line")) + 3
    svg = intervals([ScoreRow("a", Point(0.2), None), ScoreRow("b", Point(0.8), None)], title="t")
    _, low, high = parts(svg, "circle")
    assert float(low.get("cx", "")) < float(high.get("cx", "")), "higher values stand further right"


def test_outcomes_and_lines_are_told_apart() -> None:
    assert set(OUTCOMES) == {str(outcome) for outcome in Outcome}
    assert len(set(OUTCOMES.values())) == len(OUTCOMES)
    lines = [Line(f"m{number}", {1: Point(0.1 * number), 2: Point(0.5)}) for number in range(MOST_LINES + 2)]
    assert len(parts(against_k(lines, title="t"), "polyline")) == MOST_LINES
    assert len({dashes for _, dashes in LINES}) == len(LINES)


def test_a_bar_fills_its_width_and_shows_the_smallest_part() -> None:
    svg = outcomes([OutcomeBar("m", {"answered": 100_000, "refused": 1, "missing": 0})], title="t")
    bar = [rect for rect in parts(svg, "rect") if rect.get("height") == "14"]
    widths = [float(rect.get("width", "")) for rect in bar]
    assert len(bar) == 2
    assert min(widths) > 2
    assert sum(widths) == pytest.approx(WIDTH - 8, abs=0.5)
    assert "m" in outcomes([OutcomeBar("m", {})], title="t"), "a bar without samples"
