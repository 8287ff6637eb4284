"""One sample as HTML without scripts: whole, on its own page or in a notebook, or briefly as a report's example.

>>> from tsgkit.suites.panels import text_panel
>>> drawn_panel(text_panel("Note", "a < b"))
'<section><h3>Note</h3><p>a &lt; b</p></section>'

The reply stands directly under the question, as a transcript. Context graphs, further metrics and JSON are folded.
Panels of boxes, rooms and graphs are drawings, questions and formulas are lists and tables. Browsers draw the same
panels with scripts in ``tsgkit view``. Whatever cannot be drawn is described in words.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from tsgkit.errors import TsgkitError
from tsgkit.graph.drawing import draw_legend, draw_sides
from tsgkit.graph.drawing.svg import Markup, element, lines_of_text, spoken
from tsgkit.graph.model import ActionGraph
from tsgkit.report import html
from tsgkit.report.explanation import MATCHED, DifferenceLine, ItemExplanation, difference_lines
from tsgkit.report.html import tag, text, thumbnail
from tsgkit.report.phrases import ended, readings_text
from tsgkit.report.plain_text import count
from tsgkit.report.recorded_sample import RecordedSample, SampleCall
from tsgkit.suites.panels import GraphDifference, Panel

MOST_TASKS = 2
"""A title names at most so many tasks."""
MOST_IMAGES = 2
"""So many graphs of an example are drawn."""
MOST_NOTES = 3
"""More notes of the reader are folded."""
SIGNS = {True: "✓", False: "✗", None: "?"}
LOOKS = {True: "right", False: "wrong", None: "pale"}
LINES = {
    "right": ("var(--good, #00785a)", "", "✓ "),
    "wrong": ("var(--bad, #b34700)", "7 4", "✗ "),
    "missing": ("var(--pale, #5d5d66)", "2 4", "− "),
}
"""The colour, the dashes and the sign of the boxes of each state."""
PLAIN = ("var(--ink, #1c1c1e)", "", "")
WIDTH = 460.0
"""Pixels of a drawing of boxes across."""
HALO = "paint-order:stroke;stroke:var(--paper, #ffffff);stroke-width:4px;stroke-linejoin:round;fill:var(--ink, #1c1c1e)"


def write_explanation(explanation: ItemExplanation) -> str:
    """Return the page of an explanation."""
    tasks = list(dict.fromkeys(sample.row.task.card.title for sample in explanation.rows))
    about = "; ".join(tasks) if len(tasks) <= MOST_TASKS else count(len(tasks), "task")
    return html.whole_page(f"Item {explanation.item_id}: {about}", Markup(fragment(explanation)))


def fragment(explanation: ItemExplanation) -> str:
    """Return an explanation as an HTML fragment."""
    rows = explanation.rows
    number = [("rows", text(str(len(rows))))] if len(rows) > 1 else []
    parts = [html.facts([("run", html.name(explanation.run)), *number])]
    if explanation.narrowing:
        parts.append(html.paragraph("One row alone: " + ", ".join(explanation.narrowing), class_="note"))
    for sample in rows:
        title = tag("h2", html.name(sample.cell.title))
        content = [title, *_whole(sample)] if len(rows) == 1 else [html.folded(title, *_whole(sample), is_open=True)]
        parts.append(tag("section", *content))
    return Markup("".join(parts))


def _whole(sample: RecordedSample) -> Iterator[Markup]:
    """Yield everything about a sample."""
    view, trace, graphs = sample.row.task.view, sample.trace, sample.graphs if sample.is_counted else ()
    if sample.is_counted:
        outcome, headline = str(sample.judged.outcome).replace("_", " ").capitalize(), sample.headline
        yield html.paragraph(f"{outcome}: {headline}." if headline else f"{outcome}.", class_="lead")
    for words in filter(None, (sample.unasked, sample.changed)):
        yield html.paragraph(words, class_="note")
    yield html.section("What was asked", html.block(view.question(sample.item)), level=3)
    replies = []
    for call in sample.calls:
        title, ending = html.name(call.title), text(f" {ended(call.reply)}")
        if call is sample.calls[-1]:
            replies.append(tag("section", tag("h4", title, ending), *_call(call)))
        else:
            replies.append(html.folded(Markup(title + tag("span", ending, class_="pale")), *_call(call)))
    yield html.section("Reply", *replies, level=3)
    yield html.section("Scores", *_scores(sample, is_headline=True), level=3)
    yield html.section("Reference and answer", legend_of(graphs), *graph_differences(graphs), level=3)
    if not sample.graphs and (reference := view.reference(sample.item)).strip():
        yield html.section("Reference", html.block(reference), level=3)
    if trace:
        yield html.section("Strict verdict, part by part", html.block("\n".join(trace)), level=3)
    yield from map(drawn_panel, sample.drawn)
    yield html.section("Objects of the answer", *(_objects(sample.judged.answer) if sample.drawn else ()), level=3)
    for panel in sample.context:
        yield html.folded(
            text(f"{panel.title} ({count(len(panel.value['pairs']), 'graph')})"), drawn_panel(panel, is_titled=False)
        )
    if more := list(_scores(sample, is_headline=False)):
        yield html.folded(text("Further metrics"), *more)


def brief_parts(sample: RecordedSample) -> Iterator[Markup]:
    """Yield what an example shows: the question in brief, the last reply, and the answer as drawn or beside its
    reference; graphs of a question would make a report of many examples too long.
    """
    yield html.block(sample.row.task.view.brief_of(sample.item))
    for call in sample.calls[-1:]:
        yield html.paragraph(f"Reply: {ended(call.reply)}", class_="pale")
        yield from _call(call, is_brief=True, has_graphs=bool(sample.graphs))
    if sample.unasked:
        yield html.paragraph(sample.unasked, class_="note")
    if not sample.graphs:
        yield from (drawn_panel(panel, level=4) for panel in sample.drawn if panel.kind != "graphs")
        if reference := sample.row.task.view.reference(sample.item):
            yield html.facts([("expected", html.block(reference))])
        return
    differing = [
        position for position, graph in enumerate(sample.graphs) if graph.difference is None or graph.difference
    ]
    yield from graph_differences(sample.graphs, differing or [0], images=MOST_IMAGES)
    if right := len(sample.graphs) - len(differing):
        yield html.paragraph(f"{right} of {len(sample.graphs)} graphs are as they should be.", class_="pale")


def _call(call: SampleCall, *, is_brief: bool = False, has_graphs: bool = False) -> Iterator[Markup]:
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
        sent = [Markup(tag("p", tag("b", text(sent.role))) + html.block(sent.content)) for sent in call.prompt]
        yield html.folded(text("What was sent"), *sent)


def _written(words: str) -> Markup:
    """Return a text as it was written, folded if it is a list or an object of JSON."""
    try:
        is_json = words.lstrip()[:1] in ("[", "{") and isinstance(json.loads(words), list | dict)
    except (ValueError, RecursionError):
        is_json = False
    return html.folded(text("JSON"), html.block(words)) if is_json else html.block(words)


def _scores(sample: RecordedSample, *, is_headline: bool) -> Iterator[Markup]:
    """Yield the values of both profiles with their reasons, of headline metrics or of the others."""
    if not sample.is_counted:
        return
    if sample.unpublished and is_headline:
        yield html.paragraph(f"No official scores: {sample.unpublished}.", class_="note")
    profiles = {profile: sample.judged.scores.get(profile, {}) for profile in ("strict", "official")}
    metrics, lines = sample.row.task.metrics, list[list[Markup]]()
    for name in dict.fromkeys(name for scores in profiles.values() for name in scores):
        if (name not in metrics or metrics[name].is_headline) == is_headline:
            cells = [name]
            for profile, scores in profiles.items():
                cells += [sample.figure(profile, name), scores[name].reason if name in scores else ""]
            lines.append(list(map(text, cells)))
    if lines:
        yield html.table(("metric", "strict", "strict because", "official", "official because"), lines)


def _objects(answer: object) -> Iterator[Markup]:
    """Yield an answer that is a list of objects, such as a layout, as a table."""
    if not isinstance(answer, list) or not all(isinstance(thing, dict) for thing in answer):
        return
    if head := list(dict.fromkeys(str(name) for thing in answer for name in thing)):
        rows = []
        for thing in answer:
            values = ("" if thing.get(name) is None else thing[name] for name in head)
            rows.append(
                [html.name(", ".join(map(str, value)) if isinstance(value, list) else str(value)) for value in values]
            )
        yield html.table(head, rows)


def legend_of(graphs: Iterable[GraphDifference]) -> Markup:
    """Return the one legend of all graphs; nothing where there are none."""
    pairs = list(graphs)
    drawn = [graph for pair in pairs for graph in (pair.reference, pair.candidate) if graph is not None]
    kinds = {line.kind for pair in pairs for line in difference_lines(pair)}
    return tag("div", html.drawing(draw_legend(drawn, kinds)), class_="legend") if pairs else Markup("")


def graph_differences(
    graphs: Sequence[GraphDifference], places: Collection[int] | None = None, *, images: int | None = None
) -> Iterator[Markup]:
    """Yield graphs side by side with the lines that differ, those at these positions (None: all); some of them drawn
    (None: all).
    """
    left = len(graphs) if images is None else images
    for number, graph in enumerate(graphs, 1):
        if places is not None and number - 1 not in places:
            continue
        title = f"Graph {number}: {graph.action}" if graph.action else f"Graph {number}"
        yield tag("h4", text(f"Graph {number}: {graph.titled}"))
        if left > 0:
            left -= 1
            changes = graph.difference.changes if graph.difference is not None else ()
            drawn = draw_sides(graph.reference, graph.candidate, changes, title=title)
            yield _side_by_side(("reference", drawn.reference), ("answer", drawn.candidate))
        lines = list(difference_lines(graph))
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
        note = [tag("span", text(f" (out of L: {', '.join(outside)})"), class_="outside")] if outside else []
        parts = (tag("b", text(sign)), text(words), *note, tag("span", text(f" {kind}"), class_="pale"))
        items.append(tag("li", *parts, class_=f"kind-{kind.replace(' ', '-')}"))
    return tag("ul", *items, class_="changes")


def drawn_panel(panel: Panel, *, level: int = 3, is_titled: bool = True) -> Markup:
    """Return a panel, under its title unless that stands elsewhere."""
    parts = DRAWINGS[panel.kind](panel)
    return html.section(panel.title, *parts, level=level) if is_titled else Markup("".join(parts))


def _boxes(panel: Panel) -> Iterator[Markup]:
    value, image, problem = panel.value, "", ""
    if path := panel.images.get(value["image"] or ""):
        try:
            image = thumbnail(path)
            problem = "" if image else f"The image {path.name} cannot be read."
        except TsgkitError as error:
            problem = f"The image is not shown: {error}"
    if image or value["boxes"] or not value["notes"]:
        yield tag("div", html.drawing(_ground(value, image, panel.title)), class_="room")
    yield html.listed(html.name(note) for note in (*([problem] if problem else []), *value["notes"]))


def _ground(value: Mapping[str, Any], image: str, title: str) -> str:
    """Return the boxes of a panel as SVG, on the image or on an empty ground; names stand inside the drawing."""
    scale = WIDTH / max(float(value["width"]), 1.0)
    height = scale * float(value["height"])
    whole = {"x": 0.0, "y": 0.0, "width": WIDTH, "height": height}
    ground = [element("rect", style="fill:var(--raised, #f4f4f6);stroke:var(--line, #d0d0d8)", **whole)]
    ground += [element("image", href=image, **whole)] if image else []
    boxes, labels, names = list[Markup](), list[Markup](), list[str]()
    for box in value["boxes"]:
        colour, dashes, sign = LINES.get(box["state"], PLAIN)
        x, y, across, down = (scale * float(box[name]) for name in ("x", "y", "width", "height"))
        look = f"fill:{colour};fill-opacity:0.08;stroke:{colour};stroke-width:2.5"
        look += f";stroke-dasharray:{dashes}" if dashes else ""
        boxes.append(element("rect", spoken(box["label"]), style=look, x=x, y=y, width=across, height=down))
        words = sign + str(box["label"])
        half = min(3.6 * len(words), WIDTH / 2)
        middle = scale * (float(box["x"]) + float(box["width"]) / 2)
        centre = scale * (float(box["y"]) + float(box["height"]) / 2)
        position = min(max(middle, half), WIDTH - half), min(max(centre, 8.0), height - 8)
        labels.append(lines_of_text((words,), *position, size=13, style=HALO))
        names.append(f"{box['label']} ({box['state']})" if box["state"] else box["label"])
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH:.0f} {height:.0f}" '
    head += f'width="{WIDTH:.0f}" height="{height:.0f}" role="img">'
    described = spoken(f"{title}: {', '.join(names)}" if names else title)
    return "".join([head, described, *ground, *boxes, *labels, "</svg>"])


def _choices(panel: Panel) -> Iterator[Markup]:
    items = []
    for option in panel.value["options"]:
        roles = {"is_key": "the right answer", "is_answer": "what was answered"}
        words = ", ".join(role for key, role in roles.items() if option[key])
        name = html.name(f"{option['label']}: {option['text']}")
        look = "right" if option["is_key"] else "wrong"
        marked = (tag("b", name), tag("span", text(f" ({words})"), class_=look)) if words else (name,)
        items.append(tag("li", *marked))
    yield tag("ul", *items, class_="options")


def _questions(panel: Panel) -> Iterator[Markup]:
    rows = []
    for row in panel.value["rows"]:
        options = [tag("li", html.name(f"{letter}: {words}")) for letter, words in row["options"]]
        verdict = {True: "✓ right", False: "✗ wrong", None: ""}[row["right"]]
        cells = [
            html.name(f"{row['number']}. {row['text']}"),
            tag("ul", *options, class_="options"),
            html.name(str(row["key"] or "")),
            html.name(str(row["answer"] or "")),
            tag("b", text(verdict), class_=LOOKS[row["right"]]) if verdict else Markup(""),
            html.name(" ".join(letter or "?" for letter in row["rounds"])),
            html.name(row["why"]),
        ]
        rows.append(cells)
    yield html.table(("question", "options", "right answer", "answer", "verdict", "rounds", "why"), rows)


def _formula(panel: Panel) -> Iterator[Markup]:
    def drawn(part: Mapping[str, Any]) -> Markup:
        inside = [tag("ul", *map(drawn, part["parts"]))] if part["parts"] else []
        return _statement(part, f" ({part['why']})", *inside)

    yield tag("ul", drawn(panel.value["tree"]), class_="tree")


def _statement(value: Mapping[str, Any], why: str, *inside: Markup) -> Markup:
    """Return a statement with the sign of whether it holds, and the reason if there is one."""
    sign = tag("b", text(SIGNS[value["holds"]]), class_=LOOKS[value["holds"]])
    reason = tag("span", text(why), class_="pale") if value["why"] else Markup("")
    return tag("li", sign, Markup(" "), html.name(value["text"]), reason, *inside)


def _scene(panel: Panel) -> Iterator[Markup]:
    """Yield the room from above, if its suite draws it so, and its remarks as sentences."""
    if panel.still is not None:
        try:
            drawing = html.drawing(panel.still(), "from above, as measured by rules")
            yield tag("div", drawing, class_="room")
        except Exception as error:  # noqa: BLE001 - a suite's code fails in every way there is
            yield html.paragraph(f"It cannot be drawn: {error}", class_="note")
    for section in panel.value["sections"]:
        yield tag("p", tag("b", html.name(section["title"])))
        remarks = [_statement(remark, ": " + remark["why"].replace("\n", "; ")) for remark in section["remarks"]]
        yield tag("ul", *remarks, class_="options")


def _graphs(panel: Panel) -> Iterator[Markup]:
    for number, pair in enumerate(panel.value["pairs"], 1):
        reference, candidate = (
            None if pair[name] is None else ActionGraph.of(*map(tuple, pair[name]))
            for name in ("reference", "candidate")
        )
        is_alone = pair["matched"] is None
        drawn = draw_sides(candidate if is_alone else reference, candidate, (), title=f"Graph {number}")
        if is_alone:
            yield _side_by_side(("", drawn.candidate))
        else:
            yield _side_by_side(("reference", drawn.reference), ("answer", drawn.candidate))


def _side_by_side(*drawings: tuple[str, str]) -> Markup:
    """Return captions and drawings side by side; below each other where the screen is narrow."""
    return tag(
        "div", *(tag("div", html.drawing(svg, caption), class_="graph") for caption, svg in drawings), class_="sides"
    )


def _table(panel: Panel) -> Iterator[Markup]:
    rows = ([html.name("" if cell is None else str(cell)) for cell in row] for row in panel.value["rows"])
    yield html.table(panel.value["head"], rows, as_cards=False)


def _drawing(panel: Panel) -> Iterator[Markup]:
    """Yield a drawing of a suite as an image, in which nothing runs and nothing is loaded."""
    coded = base64.b64encode(panel.value["svg"].encode("utf-8", "replace")).decode()
    yield tag("img", src=f"data:image/svg+xml;base64,{coded}", alt=panel.title)


DRAWINGS: dict[str, Callable[[Panel], Iterator[Markup]]] = {
    "boxes": _boxes,
    "choices": _choices,
    "drawing": _drawing,
    "formula": _formula,
    "graphs": _graphs,
    "questions": _questions,
    "scene": _scene,
    "table": _table,
    "text": lambda panel: iter([html.paragraph(panel.value["text"])]),
}
"""The writer of each kind of panel."""
