"""Explanation as one self-contained HTML page: what was asked, the answer beside its reference, scores, calls."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from tsgkit.graph.drawing.svg import Markup
from tsgkit.llm.reply import Reply
from tsgkit.report import html
from tsgkit.report.differences import MATCHED, DifferenceLine, legend, sides, told
from tsgkit.report.explanation import ExplainedCall, ExplainedRow, Explanation
from tsgkit.report.explanation_text import shown
from tsgkit.report.figures import NOTHING
from tsgkit.report.html import tag, text
from tsgkit.report.panel_drawings import beside, drawn_panel
from tsgkit.report.phrases import ended, readings_text
from tsgkit.report.plain_text import count
from tsgkit.report.report_rows import main_metric
from tsgkit.scoring.score import Score
from tsgkit.suites.judgement import Spans
from tsgkit.suites.panels import GraphDifference, Panel, difference_value, panels_of

PROFILES = ("strict", "official")
MOST_TASKS = 2
"""A title names at most so many tasks."""
AS_DRAWN = "what is shown above"
"""Stands for an answer that is drawn, in the place of its JSON."""


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
    parts.append(legend_of_graphs(graph for row in rows if row.is_counted for graph in row.graphs))
    return Markup("".join([*parts, *(_row(row, single=len(rows) == 1) for row in rows)]))


def legend_of_graphs(graphs: Iterable[GraphDifference]) -> Markup:
    """Return the one legend of all graphs of a page; nothing where there are none."""
    found = list(graphs)
    return tag("div", html.drawing(legend(found)), class_="legend") if found else Markup("")


def _row(row: ExplainedRow, *, single: bool) -> Markup:
    panels = list(panels_beside(row)) if row.is_counted else []
    trace = () if not row.is_counted else row.task.view.trace(row.judged)
    reference = row.task.view.reference(row.sample) if not row.graphs else ""
    parts = (
        *_state(row),
        html.section("What was asked", *_question(row), level=3),
        *(drawn_panel(one) for one in panels if not (trace and one.kind == "formula")),
        html.section("Objects of the answer", *_objects(row.judged.answer if panels else None), level=3),
        html.section("Reference and answer", *(graph_differences(row.graphs) if row.is_counted else ()), level=3),
        html.section("Scores", *(_scores(row) if row.is_counted else ()), level=3),
        html.section("Reference", *([html.block(reference)] if reference.strip() else ()), level=3),
        html.section("Strict verdict, part by part", *([html.block("\n".join(trace))] if trace else ()), level=3),
        html.section("Calls", *(_call(asked, is_drawn=bool(panels)) for asked in row.asked), level=3),
    )
    title = tag("h2", html.name(row.cell.title))
    return tag("section", title, *parts) if single else tag("section", html.folded(title, *parts, is_open=True))


def panels_beside(row: ExplainedRow) -> Iterator[Panel]:
    """Yield the panels of the suite, but for the graphs that are shown anyway."""
    same = {"pairs": [difference_value(graph) for graph in row.graphs]}
    yield from (one for one in panels_of(row.shown) if not (one.kind == "graphs" and one.value == same))


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


def _state(row: ExplainedRow) -> Iterator[Markup]:
    if row.is_counted:
        yield html.paragraph(
            f"{str(row.judged.outcome).replace('_', ' ').capitalize()}{_headline(row)}.", class_="lead"
        )
    for words in (row.unasked, row.changed):
        if words:
            yield html.paragraph(words, class_="note")


def _headline(row: ExplainedRow) -> str:
    """Return the main metric in both profiles, if the sample has it."""
    metric = main_metric(row.task.card.metrics)
    found = [
        f"{profile} {value}"
        for profile in PROFILES
        if (value := shown(row, row.judged.scores.get(profile, {}), metric)) != NOTHING
    ]
    return f": {metric} {', '.join(found)}" if found else ""


def _question(row: ExplainedRow) -> Iterator[Markup]:
    yield html.block(row.task.view.question(row.sample))


def _call(asked: ExplainedCall, *, is_drawn: bool) -> Markup:
    again = "; a later call took its place" if asked.made_again else ""
    parts = [html.paragraph(f"{ended(asked.reply)}{again}")]
    sent = [Markup(tag("h4", text(one.role)) + html.block(one.content)) for one in asked.messages]
    if sent:
        parts.append(html.folded(text("What was sent"), *sent))
    else:
        parts.append(html.paragraph("No model was asked.", class_="pale"))
    if not (is_drawn and not sent and is_json(asked.reply.text)):
        parts += _reply(asked.reply, asked.readings.spans)
    parts += _readings(asked, is_drawn=is_drawn)
    return tag("section", tag("h4", html.name(f"{asked.label}, draw {asked.draw}")), *parts)


def is_json(words: str | None) -> bool:
    """Return whether a text is a list or an object of JSON."""
    try:
        return words is not None and words.lstrip()[:1] in ("[", "{") and isinstance(json.loads(words), list | dict)
    except (ValueError, RecursionError):
        return False


def _reply(reply: Reply, answer: Spans) -> Iterator[Markup]:
    """Yield the reply with the parts marked that strict read as the answer."""
    if reply.text:
        yield html.block(reply.text, answer)
    for words in (reply.refusal, reply.error):
        if words:
            yield html.block(words)


def _readings(asked: ExplainedCall, *, is_drawn: bool) -> Iterator[Markup]:
    readings = asked.readings
    strict, official = readings_text(readings)
    if is_drawn and is_json(strict):
        strict = AS_DRAWN
    yield html.facts([("strict reads", html.block(strict)), ("official reads", html.block(official))])
    yield html.listed(text(words) for words in readings.why)
    if readings.notes:
        notes = html.listed(text(str(note)) for note in readings.notes)
        yield html.folded(text(f"Reading notes ({len(readings.notes)})"), notes, is_open=True)


def _scores(row: ExplainedRow) -> Iterator[Markup]:
    if row.unpublished:
        yield html.paragraph(f"No official scores: {row.unpublished}.", class_="note")
    official = row.judged.scores.get("official", {})
    strict = row.judged.scores["strict"]
    lines = ([text(name), *_score(row, strict, name), *_score(row, official, name)] for name in {**strict, **official})
    yield html.table(("metric", "strict", "strict because", "official", "official because"), lines)


def _score(row: ExplainedRow, scores: Mapping[str, Score], name: str) -> tuple[Markup, Markup]:
    return text(shown(row, scores, name)), text(scores[name].reason if name in scores else "")


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
        differing = [_line(*line) for line in lines if line.kind != MATCHED]
        if differing:
            yield tag("ul", *differing, class_="changes")
        if equal := [line for line in lines if line.kind == MATCHED]:
            yield _folded_lines(equal)


def _folded_lines(lines: Sequence[DifferenceLine]) -> Markup:
    head = text(count(len(lines), "triplet in both graphs", "triplets in both graphs"))
    return html.folded(head, tag("ul", *(_line(*line) for line in lines), class_="changes"))


def _line(kind: str, sign: str, words: str, outside: tuple[str, ...]) -> Markup:
    parts = [tag("b", text(sign)), text(words)]
    if outside:
        parts.append(tag("span", text(f" (out of L: {', '.join(outside)})"), class_="outside"))
    spoken = tag("span", text(f" {kind}"), class_="pale")
    return tag("li", *parts, spoken, class_=f"kind-{kind.replace(' ', '-')}")
