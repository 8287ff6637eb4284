"""The examples of a report as HTML: an item each, with the answer beside its reference, or drawn by its suite."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from tsgkit.errors import TsgkitError
from tsgkit.graph.drawing.svg import Markup
from tsgkit.report import html
from tsgkit.report.examples import Example, examples_of
from tsgkit.report.explanation import ExplainedRow
from tsgkit.report.explanation_page import graph_differences, is_json, legend_of_graphs, panels_beside
from tsgkit.report.explanation_text import shown
from tsgkit.report.html import tag, text
from tsgkit.report.panel_drawings import drawn_panel
from tsgkit.report.phrases import ended, readings_text
from tsgkit.report.report_rows import Report
from tsgkit.suites.judgement import TwoReadings
from tsgkit.suites.panels import Panel

MOST_IMAGES = 2
MOST_NOTES = 3
PROFILES = ("strict", "official")


def examples(report: Report) -> Iterator[Markup]:
    """Yield the examples of a report, those of a row under its title, and one legend of all graphs."""
    try:
        found = examples_of(report)
    except TsgkitError as error:
        yield html.paragraph(f"There are none: {error}")
        return
    yield html.paragraph(
        "Chosen by rule, the first of equals: of each result the worst answer, the one in the middle, the one whose "
        "readings are furthest apart, one that had to be repaired, and one for each way of ending without an answer.",
        class_="pale",
    )
    yield legend_of_graphs(graph for example in found for graph in example.explained.graphs)
    of_rows: dict[int, list[Example]] = {}
    for example in found:
        of_rows.setdefault(id(example.row), []).append(example)
    for members in of_rows.values():
        yield tag("h3", html.name(members[0].row.title))
        yield from map(_example, members)


def _example(example: Example) -> Markup:
    one = example.explained
    summary = f"{example.why}: item {one.sample.item_id}, {one.judged.outcome}, {_headline(example)}"
    panels = [] if one.graphs or not one.is_counted else list(_panels(one))
    parts = [html.block(one.task.view.brief_of(one.sample)), *_call(example, panels)]
    parts += [drawn_panel(panel, level=4) for panel in panels]
    if one.graphs:
        parts += _differing(example)
    elif reference := one.task.view.reference(one.sample):
        parts.append(html.facts([("expected", html.block(reference))]))
    return html.folded(text(summary), *parts)


def _panels(one: ExplainedRow) -> Iterator[Panel]:
    """Yield the panels that show an answer; graphs of a question would make a report of many examples too long."""
    yield from (panel for panel in panels_beside(one) if panel.kind != "graphs")


def _headline(example: Example) -> str:
    metric, scores = example.row.main, example.explained.judged.scores
    told = (
        f"{profile} {shown(example.explained, of, metric)}"
        for profile in PROFILES
        if metric in (of := scores.get(profile, {}))
    )
    return f"{metric} {', '.join(told)}"


def _call(example: Example, panels: Sequence[Panel]) -> Iterator[Markup]:
    for asked in example.explained.asked[-1:]:
        yield html.paragraph(f"Reply: {ended(asked.reply)}", class_="pale")
        for said in (asked.reply.text, asked.reply.refusal, asked.reply.error):
            if said and not (panels and is_json(said)):
                yield html.block(said)
        strict, official = readings_text(asked.readings)
        if not example.explained.graphs and not (panels and is_json(strict)):
            yield html.facts([("strict reads", html.block(strict)), ("official reads", html.block(official))])
        yield html.listed(map(text, (*asked.readings.why, *_notes(asked.readings))))
    if example.explained.unasked:
        yield html.paragraph(example.explained.unasked, class_="note")


def _notes(readings: TwoReadings) -> Iterator[str]:
    """Yield the first notes of the strict reading, and how many more of each kind there are."""
    yield from map(str, readings.notes[:MOST_NOTES])
    more = Counter(note.kind for note in readings.notes[MOST_NOTES:])
    if more:
        yield "and " + ", ".join(f"{many} more {kind}" for kind, many in more.items())


def _differing(example: Example) -> Iterator[Markup]:
    """Yield the graphs that differ, the first few drawn; of an answer without a difference the first graph."""
    graphs = example.explained.graphs
    places = [place for place, graph in enumerate(graphs) if graph.difference is None or graph.difference]
    yield from graph_differences(graphs, places or [0], images=MOST_IMAGES)
    if right := len(graphs) - len(places):
        yield html.paragraph(f"{right} of {len(graphs)} graphs are as they should be.", class_="pale")
