"""Explanation as one self-contained HTML page."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from tsgkit.graph.drawing.svg import Markup
from tsgkit.llm.reply import Reply
from tsgkit.report import html
from tsgkit.report.differences import drawn, told
from tsgkit.report.explanation import ExplainedCall, ExplainedRow, Explanation
from tsgkit.report.explanation_text import shown
from tsgkit.report.html import tag, text
from tsgkit.report.phrases import ended, readings_text
from tsgkit.scoring.score import Score
from tsgkit.suites.graph_differences import GraphDifference
from tsgkit.suites.profile_readings import Spans
from tsgkit.suites.task import trace_of


def write_explanation(explanation: Explanation) -> str:
    """Return the page of an explanation."""
    return html.whole_page(f"Item {explanation.item_id}", Markup(fragment(explanation)))


def fragment(explanation: Explanation) -> str:
    """Return an explanation as an HTML fragment."""
    rows = explanation.rows
    parts = [html.facts([("run", html.name(explanation.run)), ("rows", text(str(len(rows))))])]
    if explanation.narrowing:
        parts.append(html.paragraph("One row alone: " + ", ".join(explanation.narrowing), class_="note"))
    return Markup("".join([*parts, *(_row(row, single=len(rows) == 1) for row in rows)]))


def _row(row: ExplainedRow, *, single: bool) -> Markup:
    parts = (
        *_state(row),
        html.section("What was asked", *_question(row), level=3),
        html.section("Calls", *(_call(asked) for asked in row.asked), level=3),
        html.section("Scores", *(_scores(row) if row.is_counted else ()), level=3),
        html.section("Reference", html.block(row.task.reference(row.sample)), level=3),
        html.section("Strict verdict, part by part", *_trace(row), level=3),
        html.section("Graph by graph", *(graph_differences(row.graphs) if row.is_counted else ()), level=3),
    )
    title = tag("h2", html.name(row.cell.title))
    return tag("section", title, *parts) if single else tag("section", html.folded(title, *parts, is_open=True))


def _state(row: ExplainedRow) -> Iterator[Markup]:
    if row.is_counted:
        yield html.paragraph(f"Outcome: {row.judged.outcome}.")
    for words in (row.unasked, row.changed):
        if words:
            yield html.paragraph(words, class_="note")


def _trace(row: ExplainedRow) -> Iterator[Markup]:
    if row.is_counted and (lines := trace_of(row.task, row.judged)):
        yield html.block("\n".join(lines))


def _question(row: ExplainedRow) -> Iterator[Markup]:
    yield html.block(row.task.question(row.sample))


def _call(asked: ExplainedCall) -> Markup:
    again = "; a later call took its place" if asked.made_again else ""
    parts = [html.paragraph(f"{ended(asked.reply)}{again}")]
    sent = [Markup(tag("h4", text(one.role)) + html.block(one.content)) for one in asked.messages]
    if sent:
        parts.append(html.folded(text("What was sent"), *sent))
    else:
        parts.append(html.paragraph("No model was asked.", class_="pale"))
    parts += _reply(asked.reply, asked.readings.spans)
    parts += _readings(asked)
    return tag("section", tag("h4", html.name(f"{asked.label}, draw {asked.draw}")), *parts)


def _reply(reply: Reply, answer: Spans) -> Iterator[Markup]:
    """Yield the reply with the parts marked that strict read as the answer."""
    if reply.text:
        yield html.block(reply.text, answer)
    for words in (reply.refusal, reply.error):
        if words:
            yield html.block(words)


def _readings(asked: ExplainedCall) -> Iterator[Markup]:
    readings = asked.readings
    strict, official = readings_text(readings)
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
    yield html.table(("metric", "strict", "because", "official", "because "), lines)


def _score(row: ExplainedRow, scores: Mapping[str, Score], name: str) -> tuple[Markup, Markup]:
    return text(shown(row, scores, name)), text(scores[name].reason if name in scores else "")


def graph_differences(
    graphs: Sequence[GraphDifference], places: Collection[int] | None = None, *, images: int | None = None
) -> Iterator[Markup]:
    """Yield graphs with their lines at these positions (None: all), with a drawing for some of them (None: all)."""
    left = len(graphs) if images is None else images
    for number, graph in enumerate(graphs):
        if places is not None and number not in places:
            continue
        title = f"Graph {number}: {graph.action or 'no action'}"
        yield tag("h4", text(f"{title}: {graph.summary}"))
        yield tag("ul", *(_line(*line) for line in told(graph)), class_="changes")
        if left > 0:
            left -= 1
            yield tag("div", html.drawing(drawn(graph, title)), class_="graph")


def _line(kind: str, sign: str, words: str, outside: tuple[str, ...]) -> Markup:
    parts = [tag("b", text(sign)), text(words)]
    if outside:
        parts.append(tag("span", text(f" (out of L: {', '.join(outside)})"), class_="outside"))
    spoken = tag("span", text(f" {kind}"), class_="pale")
    return tag("li", *parts, spoken, class_=f"kind-{kind.replace(' ', '-')}")
