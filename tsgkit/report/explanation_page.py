"""One sample as HTML without scripts: whole, on its own page or in a notebook, or briefly as a report's example.

The reply stands directly under the question, as a transcript. Context graphs, further metrics and JSON are folded.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Sequence

from tsgkit.errors import TsgkitError
from tsgkit.graph.drawing.svg import Markup
from tsgkit.report import html
from tsgkit.report.differences import MATCHED, DifferenceLine, legend, sides, told
from tsgkit.report.examples import Example, examples_of
from tsgkit.report.explanation import ExplainedCall, ExplainedRow, Explanation
from tsgkit.report.html import tag, text
from tsgkit.report.panel_drawings import beside, drawn_panel
from tsgkit.report.phrases import ended, readings_text
from tsgkit.report.plain_text import count
from tsgkit.report.report_rows import Report
from tsgkit.suites.panels import GraphDifference

MOST_TASKS = 2
"""A title names at most so many tasks."""
MOST_IMAGES = 2
"""So many graphs of an example are drawn."""
MOST_NOTES = 3
"""More notes of the reader are folded."""


def write_explanation(explanation: Explanation) -> str:
    """Return the page of an explanation."""
    tasks = list(dict.fromkeys(row.task.card.title for row in explanation.rows))
    about = "; ".join(tasks) if len(tasks) <= MOST_TASKS else count(len(tasks), "task")
    return html.whole_page(f"Item {explanation.item_id}: {about}", Markup(fragment(explanation)))


def fragment(explanation: Explanation) -> str:
    """Return an explanation as an HTML fragment."""
    rows = explanation.rows
    facts = [("run", html.name(explanation.run))]
    if len(rows) > 1:
        facts.append(("rows", text(str(len(rows)))))
    parts = [html.facts(facts)]
    if explanation.narrowing:
        parts.append(html.paragraph("One row alone: " + ", ".join(explanation.narrowing), class_="note"))
    for row in rows:
        title = tag("h2", html.name(row.cell.title))
        content = [title, *_whole(row)] if len(rows) == 1 else [html.folded(title, *_whole(row), is_open=True)]
        parts.append(tag("section", *content))
    return Markup("".join(parts))


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
    yield _legend(graph for example in found for graph in example.explained.graphs)
    of_rows: dict[int, list[Example]] = {}
    for example in found:
        of_rows.setdefault(id(example.row), []).append(example)
    for members in of_rows.values():
        yield tag("h3", html.name(members[0].row.title))
        for example in members:
            row = example.explained
            summary = f"{example.why}: item {row.sample.item_id}, {row.judged.outcome}"
            yield html.folded(text(f"{summary}, {row.headline}" if row.headline else summary), *_briefly(row))


def _whole(row: ExplainedRow) -> Iterator[Markup]:
    """Yield everything about a sample."""
    view, trace, graphs = row.task.view, row.trace, row.graphs if row.is_counted else ()
    if row.is_counted:
        outcome = str(row.judged.outcome).replace("_", " ").capitalize()
        yield html.paragraph(f"{outcome}: {row.headline}." if row.headline else f"{outcome}.", class_="lead")
    for words in filter(None, (row.unasked, row.changed)):
        yield html.paragraph(words, class_="note")
    yield html.section("What was asked", html.block(view.question(row.sample)), level=3)
    replies = [html.folded(_call_title(call), *_call(call)) for call in row.asked[:-1]]
    replies += [
        tag("section", tag("h4", html.name(call.title), text(f" {ended(call.reply)}")), *_call(call))
        for call in row.asked[-1:]
    ]
    yield html.section("Reply", *replies, level=3)
    yield html.section("Scores", *_scores(row, is_headline=True), level=3)
    yield html.section("Reference and answer", _legend(graphs), *graph_differences(graphs), level=3)
    if not row.graphs and (reference := view.reference(row.sample)).strip():
        yield html.section("Reference", html.block(reference), level=3)
    if trace:
        yield html.section("Strict verdict, part by part", html.block("\n".join(trace)), level=3)
    yield from map(drawn_panel, row.drawn)
    yield html.section("Objects of the answer", *(_objects(row.judged.answer) if row.drawn else ()), level=3)
    for panel in row.context:
        yield html.folded(
            text(f"{panel.title} ({count(len(panel.value['pairs']), 'graph')})"), drawn_panel(panel, is_titled=False)
        )
    if more := list(_scores(row, is_headline=False)):
        yield html.folded(text("Further metrics"), *more)


def _briefly(row: ExplainedRow) -> Iterator[Markup]:
    """Yield what an example shows: the question in brief, the last reply, and the answer as drawn or beside its
    reference; graphs of a question would make a report of many examples too long.
    """
    yield html.block(row.task.view.brief_of(row.sample))
    for call in row.asked[-1:]:
        yield html.paragraph(f"Reply: {ended(call.reply)}", class_="pale")
        yield from _call(call, is_brief=True, has_graphs=bool(row.graphs))
    if row.unasked:
        yield html.paragraph(row.unasked, class_="note")
    if not row.graphs:
        yield from (drawn_panel(panel, level=4) for panel in row.drawn if panel.kind != "graphs")
        if reference := row.task.view.reference(row.sample):
            yield html.facts([("expected", html.block(reference))])
        return
    differing = [place for place, graph in enumerate(row.graphs) if graph.difference is None or graph.difference]
    yield from graph_differences(row.graphs, differing or [0], images=MOST_IMAGES)
    if right := len(row.graphs) - len(differing):
        yield html.paragraph(f"{right} of {len(row.graphs)} graphs are as they should be.", class_="pale")


def _call_title(call: ExplainedCall) -> Markup:
    return Markup(html.name(call.title) + tag("span", text(f" {ended(call.reply)}"), class_="pale"))


def _call(call: ExplainedCall, *, is_brief: bool = False, has_graphs: bool = False) -> Iterator[Markup]:
    """Yield a reply with the parts marked that strict read as the answer, its readings, and what was sent."""
    for words in call.texts:
        spans = call.readings.spans if words is call.reply.text else ()
        yield _written(words) if not call.prompt else html.block(words, spans)
    if not (is_brief and has_graphs):
        strict, official = readings_text(call.readings)
        yield html.facts([("strict reads", _written(strict)), ("official reads", _written(official))])
    yield html.listed(text(words) for words in call.readings.why)
    if notes := call.readings.notes:
        lines = html.listed(text(str(note)) for note in notes)
        yield html.folded(text(f"Reading notes ({len(notes)})"), lines, is_open=len(notes) <= MOST_NOTES)
    if not call.prompt:
        yield html.paragraph("No model was asked.", class_="pale")
    elif not is_brief:
        sent = [Markup(tag("p", tag("b", text(one.role))) + html.block(one.content)) for one in call.prompt]
        yield html.folded(text("What was sent"), *sent)


def _written(words: str) -> Markup:
    """Return a text as it was written, folded if it is a list or an object of JSON."""
    try:
        is_json = words.lstrip()[:1] in ("[", "{") and isinstance(json.loads(words), list | dict)
    except (ValueError, RecursionError):
        is_json = False
    return html.folded(text("JSON"), html.block(words)) if is_json else html.block(words)


def _scores(row: ExplainedRow, *, is_headline: bool) -> Iterator[Markup]:
    """Yield the values of both profiles with their reasons, of headline metrics or of the others."""
    if not row.is_counted:
        return
    if row.unpublished and is_headline:
        yield html.paragraph(f"No official scores: {row.unpublished}.", class_="note")
    strict, official = row.judged.scores["strict"], row.judged.scores.get("official", {})
    metrics = row.task.metrics
    known = {name: name not in metrics or metrics[name].is_headline for name in {**strict, **official}}
    names = [name for name, is_first in known.items() if is_first == is_headline]
    lines = [
        [text(name)]
        + [
            text(words)
            for profile, scores in (("strict", strict), ("official", official))
            for words in (row.figure(profile, name), scores[name].reason if name in scores else "")
        ]
        for name in names
    ]
    if lines:
        yield html.table(("metric", "strict", "strict because", "official", "official because"), lines)


def _objects(answer: object) -> Iterator[Markup]:
    """Yield an answer that is a list of objects, such as a layout, as a table."""
    rows = answer if isinstance(answer, list) and all(isinstance(one, dict) for one in answer) else []
    head = list(dict.fromkeys(str(name) for one in rows for name in one))
    if head:
        yield html.table(head, ([html.name(_cell(one.get(name))) for name in head] for one in rows))


def _cell(value: object) -> str:
    if value is None:
        return ""
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _legend(graphs: Iterable[GraphDifference]) -> Markup:
    """Return the one legend of all graphs; nothing where there are none."""
    found = list(graphs)
    return tag("div", html.drawing(legend(found)), class_="legend") if found else Markup("")


def graph_differences(
    graphs: Sequence[GraphDifference], places: Collection[int] | None = None, *, images: int | None = None
) -> Iterator[Markup]:
    """Yield graphs side by side with the lines that differ, those at these positions (None: all); some of them drawn
    (None: all).
    """
    left = len(graphs) if images is None else images
    for number, graph in enumerate(graphs):
        if places is not None and number not in places:
            continue
        title = f"Graph {number}: {graph.action}" if graph.action else f"Graph {number}"
        yield tag("h4", text(f"Graph {number}: {graph.titled}"))
        if left > 0:
            left -= 1
            drawn = sides(graph, title)
            yield beside(("reference", drawn.reference), ("answer", drawn.candidate))
        lines = list(told(graph))
        if differing := [line for line in lines if line.kind != MATCHED]:
            yield _lines(differing)
        if equal := [line for line in lines if line.kind == MATCHED]:
            yield html.folded(
                text(count(len(equal), "triplet in both graphs", "triplets in both graphs")), _lines(equal)
            )


def _lines(lines: Iterable[DifferenceLine]) -> Markup:
    """Return triplets with the sign and the kind of their difference."""
    items = []
    for kind, sign, words, outside in lines:
        parts = [tag("b", text(sign)), text(words)]
        if outside:
            parts.append(tag("span", text(f" (out of L: {', '.join(outside)})"), class_="outside"))
        spoken = tag("span", text(f" {kind}"), class_="pale")
        items.append(tag("li", *parts, spoken, class_=f"kind-{kind.replace(' ', '-')}"))
    return tag("ul", *items, class_="changes")
