"""Panels of samples as HTML that needs no scripts.

>>> from tsgkit.suites.panels import text_panel
>>> drawn_panel(text_panel("Note", "a < b"))
'<section><h3>Note</h3><p>a &lt; b</p></section>'

Boxes, rooms and graphs are drawings, questions and formulas are lists and tables. Browsers draw the same panels with
scripts in ``tsgkit view``. Whatever cannot be drawn is described in words.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from tsgkit.errors import TsgkitError
from tsgkit.graph.drawing import draw_sides
from tsgkit.graph.drawing.svg import Markup, element, lines_of_text, spoken
from tsgkit.graph.model import ActionGraph
from tsgkit.report import html
from tsgkit.report.html import tag, text
from tsgkit.report.thumbnails import thumbnail
from tsgkit.suites.panels import Panel

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
    """Return the boxes of a panel as SVG, on the image or on an empty ground."""
    scale = WIDTH / max(float(value["width"]), 1.0)
    height = scale * float(value["height"])
    around = {"x": 0.0, "y": 0.0, "width": WIDTH, "height": height}
    ground = element("rect", style="fill:var(--raised, #f4f4f6);stroke:var(--line, #d0d0d8)", **around)
    picture = [element("image", href=image, **around)] if image else []
    boxes = [_box(box, scale) for box in value["boxes"]]
    labels = [_box_label(box, scale, height) for box in value["boxes"]]
    names = ", ".join(f"{box['label']} ({box['state']})" if box["state"] else box["label"] for box in value["boxes"])
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH:.0f} {height:.0f}" '
    head += f'width="{WIDTH:.0f}" height="{height:.0f}" role="img">'
    described = spoken(f"{title}: {names}" if names else title)
    return "".join([head, described, ground, *picture, *boxes, *labels, "</svg>"])


def _box(box: Mapping[str, Any], scale: float) -> Markup:
    colour, dashes, _ = LINES.get(box["state"], PLAIN)
    places = {name: scale * float(box[name]) for name in ("x", "y", "width", "height")}
    look = f"fill:{colour};fill-opacity:0.08;stroke:{colour};stroke-width:2.5" + (
        f";stroke-dasharray:{dashes}" if dashes else ""
    )
    return element("rect", spoken(box["label"]), style=look, **places)


def _box_label(box: Mapping[str, Any], scale: float, height: float) -> Markup:
    """Return the name of a box with the sign of its state, inside the drawing."""
    middle = scale * (float(box["x"]) + float(box["width"]) / 2)
    down = min(max(scale * (float(box["y"]) + float(box["height"]) / 2), 8.0), height - 8)
    words = LINES.get(box["state"], PLAIN)[2] + str(box["label"])
    half = min(3.6 * len(words), WIDTH / 2)
    return lines_of_text((words,), min(max(middle, half), WIDTH - half), down, size=13, style=HALO)


def _choices(panel: Panel) -> Iterator[Markup]:
    yield tag("ul", *map(_choice, panel.value["options"]), class_="options")


def _choice(option: Mapping[str, Any]) -> Markup:
    told = [words for key, words in (("is_key", "the right answer"), ("is_answer", "what was answered")) if option[key]]
    said = html.name(f"{option['label']}: {option['text']}")
    if not told:
        return tag("li", said)
    look = "right" if option["is_key"] else "wrong"
    return tag("li", tag("b", said), tag("span", text(f" ({', '.join(told)})"), class_=look))


def _questions(panel: Panel) -> Iterator[Markup]:
    head = ("question", "options", "right answer", "answer", "verdict", "rounds", "why")
    yield html.table(head, map(_question, panel.value["rows"]))


def _question(row: Mapping[str, Any]) -> list[Markup]:
    options = [tag("li", html.name(f"{letter}: {words}")) for letter, words in row["options"]]
    verdict = {True: "✓ right", False: "✗ wrong", None: ""}[row["right"]]
    return [
        html.name(f"{row['number']}. {row['text']}"),
        tag("ul", *options, class_="options"),
        html.name(str(row["key"] or "")),
        html.name(str(row["answer"] or "")),
        tag("b", text(verdict), class_=LOOKS[row["right"]]) if verdict else Markup(""),
        html.name(" ".join(letter or "?" for letter in row["rounds"])),
        html.name(row["why"]),
    ]


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
            seen = html.drawing(panel.still(), "from above, as measured by rules")
            yield tag("div", seen, class_="room")
        except Exception as error:  # noqa: BLE001 - a suite's code fails in every way there is
            yield html.paragraph(f"It cannot be drawn: {error}", class_="note")
    for one in panel.value["sections"]:
        yield tag("p", tag("b", html.name(one["title"])))
        remarks = [_statement(remark, ": " + remark["why"].replace("\n", "; ")) for remark in one["remarks"]]
        yield tag("ul", *remarks, class_="options")


def _graphs(panel: Panel) -> Iterator[Markup]:
    for number, pair in enumerate(panel.value["pairs"]):
        reference, candidate = (
            None if pair[name] is None else ActionGraph.of(*((one[0], one[1], one[2]) for one in pair[name]))
            for name in ("reference", "candidate")
        )
        is_alone = pair["matched"] is None
        drawn = draw_sides(candidate if is_alone else reference, candidate, (), title=f"Graph {number}")
        if is_alone:
            yield beside(("", drawn.candidate))
        else:
            yield beside(("reference", drawn.reference), ("answer", drawn.candidate))


def beside(*drawings: tuple[str, str]) -> Markup:
    """Return captions and drawings side by side; below each other where the screen is narrow."""
    return tag("div", *(tag("div", html.drawing(svg, said), class_="graph") for said, svg in drawings), class_="sides")


def _table(panel: Panel) -> Iterator[Markup]:
    rows = ([html.name("" if cell is None else str(cell)) for cell in row] for row in panel.value["rows"])
    yield html.table(panel.value["head"], rows, as_cards=False)


def _text(panel: Panel) -> Iterator[Markup]:
    yield html.paragraph(panel.value["text"])


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
    "text": _text,
}
"""How each kind of panel is written."""
