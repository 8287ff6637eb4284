"""Panels of samples in a real browser: every kind drawn, texts inert, graphs legible, parts and rooms that react."""

from __future__ import annotations

import base64
import json
import struct
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

import pytest
from furnished_rooms import AS_IT_IS
from playwright.sync_api import Locator, Page
from shipped import DATA

from tsgkit.browser.modules import joined, text_of
from tsgkit.geometry import Object, Scene, box, standing
from tsgkit.graph.drawing import draw_marked
from tsgkit.graph.model import ActionGraph
from tsgkit.suites.panels import Kind, Panel, drawings_of
from tsgkit.suites.sceneeval.remarks import Remark, RemarkSection
from tsgkit.suites.sceneeval.room_pages import room_page

PAGE = """<!doctype html><html lang="en"><head><title>Panels</title><meta name="viewport" content="width=device-width">
</head><body><main><h1>Sample</h1><div id="sample"></div></main></body></html>"""
START = """([panels, image]) => {
  const policy = document.createElement("meta");
  policy.httpEquiv = "Content-Security-Policy";
  policy.content = "default-src 'none'; img-src data: blob:";
  document.head.append(policy);
  for (const panel of panels) {
    const part = document.createElement("section"), title = document.createElement("h2");
    title.textContent = panel.title;
    part.append(title, drawPanel(panel, () => image));
    document.getElementById("sample").append(part);
  }
}"""
PIXEL = """data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5
ErkJggg=="""
HOSTILE = "</script><img src=x onerror=alert(1)><b>\u202e{{}}`${alert(1)}`\x00"
Drawn = Callable[..., Page]


def triangle(name: str, high: float, colour: bytes, **facts: Any) -> dict[str, Any]:  # noqa: ANN401
    corners = struct.pack("<9f", 0, 0, high, 4, 0, high, 0, 4, high)
    coded = {"corners": base64.b64encode(corners).decode(), "colours": base64.b64encode(colour).decode()}
    return {"name": name, **coded, **facts}


def scene(name: str) -> dict[str, Any]:
    facts = {"about": "small", "size": [1, 1, 1], "place": [0, 0, 0], "yaw": 0, "problems": []}
    lamp = triangle(name, 1, b"\xff\x80\x00", object=True, category="lamp", **facts)
    remark = {"text": "exactly 1 lamp", "holds": False, "objects": [name], "why": "2 lamps"}
    return {
        "parts": [lamp, triangle("floor", 0, b"\x80\x80\x80")],
        "sections": [{"title": "Demands", "remarks": [remark]}],
    }


def values(name: str = "cup") -> dict[Kind, Any]:
    """Return a value of every kind with a name in each text."""
    wrong = {"kind": "wrong hand", "reference": ["wash", "with", "hand1"], "candidate": ["wash", "with", "hand2"]}
    reference = [["person", "verb", "wash"], ["wash", "dobj", name], ["wash", "with", "hand1"]]
    candidate = [["person", "verb", "wash"], ["wash", "with", "hand2"], ["wash", "on", name]]
    changes = [
        wrong | {"outside": []},
        {"kind": "missing", "reference": ["wash", "dobj", name], "candidate": None, "outside": []},
        {"kind": "extra", "reference": None, "candidate": ["wash", "on", name], "outside": [name]},
    ]
    pair = {"reference": reference, "candidate": candidate, "matched": 1, "changes": changes}
    part = {"text": f"({name})", "holds": False, "why": f"no {name}", "names": [name], "parts": []}
    box = {"label": name, "x": 10, "y": 10, "width": 30, "height": 20, "state": "wrong"}
    options = [["A", name], ["B", "other"]]
    row = {"number": 1, "text": f"Where is {name}?", "options": options, "key": "A", "answer": "B", "right": False}
    svg = f"<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'><desc>{len(name)}</desc></svg>"
    return {
        "boxes": {"width": 100, "height": 50, "image": "0.png", "boxes": [box], "notes": [name]},
        "choices": {"options": [{"label": "A", "text": name, "is_key": True, "is_answer": False}]},
        "drawing": {"svg": svg},
        "formula": {"tree": {"text": "all", "holds": False, "why": "", "names": [], "parts": [part]}},
        "graphs": {"pairs": [pair, {"reference": None, "candidate": reference, "matched": None, "changes": []}]},
        "questions": {"rows": [row | {"rounds": ["B", None], "why": name}]},
        "scene": scene(name),
        "table": {"head": ["", name], "rows": [["=", name], [1, None]]},
        "text": {"text": name},
    }


def panels(name: str = "cup") -> list[dict[str, Any]]:
    return [panel for kind, value in values(name).items() for panel in one(kind, value, f"{kind} of {name}")]


def one(kind: Any, value: Any, title: str = "x") -> list[dict[str, Any]]:  # noqa: ANN401
    drawings = drawings_of(Panel(kind, title, value))
    return [{"kind": kind, "title": title, "value": value, "drawings": drawings}]


@pytest.fixture
def drawn(window: Callable[..., Page]) -> Drawn:
    """Draw panels on a page of their own, under a policy as strict as that of the live page."""

    def opened(panels: Sequence[Mapping[str, Any]]) -> Page:
        page = window("about:blank")
        page.set_content(PAGE)
        page.add_style_tag(content=text_of("panels/panels.css"))
        page.add_script_tag(content=joined("panels/panels.js"))
        page.evaluate(START, [panels, PIXEL])
        return page

    return opened


def test_every_kind_is_drawn_and_differences_are_signed_in_drawings_and_in_words(drawn: Drawn) -> None:
    page = drawn(panels())
    assert set(values()) == set(get_args(Kind))
    selectors = (".box", ".option", "img", ".part", "svg", ".question", "canvas", "td", ".panel-text")
    for kind, selector in zip(values(), selectors, strict=True):
        panel = page.locator(f"[data-kind={kind}]")
        assert panel.locator(selector).first.is_visible(), kind
        assert panel.get_attribute("aria-label") == f"{kind} of cup"
        assert panel.locator(".panel-json").count() == 0, kind
    assert page.evaluate("[...document.images].every((one) => one.complete && one.naturalWidth > 0)")
    panel = page.locator("[data-kind=graphs]")
    sides = panel.locator(".graph-side")
    assert sides.nth(0).locator(".tsg-label").all_text_contents() == ["verb", "\u2260hand with", "\u2212 dobj"]
    assert sides.nth(1).locator(".tsg-label").all_text_contents() == ["verb", "\u2260hand with", "+ on"]
    assert panel.locator(".triplets li").all_inner_texts() == [
        "= person \u2192 verb \u2192 wash",
        "\u2260hand wrong hand: wash \u2192 with \u2192 hand2, expected wash \u2192 with \u2192 hand1",
        "\u2212 missing: wash \u2192 dobj \u2192 cup",
        "+ extra: wash \u2192 on \u2192 cup (not in L: cup)",
    ]
    assert "1 matched, 1 wrong hand, 1 missing, 1 extra" in panel.inner_text()


def test_hostile_texts_and_values_that_fit_no_kind_are_shown_as_text(drawn: Drawn) -> None:
    odd = [*one("strange", {"a": HOSTILE}), *one("toString", 7), *one("table", {"rows": 3}), *one("formula", {})]
    page = drawn([*odd, *panels(HOSTILE)])
    shown = page.locator(".panel-json")
    assert shown.count() == 4
    assert json.loads(shown.nth(0).inner_text().replace("\\u202e", "").replace("\\u0000", ""))
    assert (page.locator("#sample img").count(), page.locator("#sample b").count()) == (2, 0)
    assert "\u202e" not in "".join(page.locator(".panel").all_inner_texts())
    assert page.locator("text=onerror=alert").count() > 5


OVERLAPS = """([graphs, svgs]) => {
  const apart = (a, b) => a.x + a.width <= b.x + 0.5 || b.x + b.width <= a.x + 0.5
    || a.y + a.height <= b.y + 0.5 || b.y + b.height <= a.y + 0.5;
  const inside = (a, b) => a.x >= b.x - 1 && a.x + a.width <= b.x + b.width + 1 && a.y >= b.y - 1
    && a.y + a.height <= b.y + b.height + 1;
  const wrong = [];
  for (const [number, triplets] of graphs.entries()) {
    const drawing = drawnGraph(svgs[number]);
    document.getElementById("sample").replaceChildren(drawing);
    const whole = { x: 0, y: 0, width: drawing.viewBox.baseVal.width, height: drawing.viewBox.baseVal.height };
    const of = (selector) => [...drawing.querySelectorAll(selector)].map((one) => one.getBBox());
    const all = [...of(".tsg-node"), ...of(".tsg-label")];
    all.forEach((one, at) => {
      if (!inside(one, whole) || !all.slice(at + 1).every((other) => apart(one, other))) wrong.push(triplets);
    });
    drawing.querySelectorAll(".tsg-node, .tsg-label").forEach((node) => {
      const [words, shape] = ["text", "rect, polygon"].map((kind) => node.querySelector(kind).getBBox());
      if (!inside(words, shape)) wrong.push(triplets);
    });
    const names = new Set(triplets.flatMap(([source, , target]) => [source, target]));
    const drawn = new Set([...drawing.querySelectorAll(".tsg-node text")].map((one) => one.textContent));
    if (![...names].every((name) => drawn.has(name))) wrong.push(triplets);
  }
  return wrong;
}"""


def bundled_graphs() -> list[list[list[str]]]:
    found = []
    for kind in ("sa-sgg", "ma-sgg"):
        text = DATA.joinpath(f"{kind}.jsonl").read_text("utf-8")
        found += [graph["triplets"] for line in text.splitlines() for graph in json.loads(line)["graphs"]]
    return found


def test_nodes_and_labels_of_our_graphs_are_all_visible_and_never_overlap(drawn: Drawn) -> None:
    graphs = bundled_graphs()
    assert len(graphs) > 100
    circle = [["a", "on", "b"], ["b", "on", "c"], ["c", "on", "a"]]
    several = [["person", "verb", one] for one in ("take", "put")] + [
        [one, edge, "cup"] for one in ("take", "put") for edge in ("dobj", "with", "under")
    ]
    star = [["person", "verb", "mix"], *(["mix", f"edge {n}", f"thing {n}"] for n in range(29))]
    alone = [["wash", "dobj", "cup"], ["lid", "on", "cup"], ["cup", "in", "cup"]]
    long = [["put", "on", "a very long name of a thing that nobody would call so" * 5]]
    page = drawn([])
    graphs += [circle, several, star, alone, long, []]
    assert page.evaluate(OVERLAPS, [graphs, [draw_marked(ActionGraph(graph)) for graph in graphs]]) == []


def painted(canvas: Locator) -> bytes:
    canvas.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    return canvas.screenshot()


def test_a_click_marks_what_a_part_or_demand_names_or_tells_of_an_object(drawn: Drawn) -> None:
    page = drawn(panels())
    part, named = page.locator("button.part-text"), page.locator(".box.is-named")
    assert named.count() == 0
    part.click()
    assert named.get_attribute("data-name") == "cup" and part.get_attribute("aria-pressed") == "true"
    part.press("Enter")
    assert named.count() == 0
    canvas, demand = page.locator("canvas"), page.get_by_role("button", name="exactly 1 lamp")
    before = painted(canvas)
    demand.click()
    assert page.locator(".scene-chosen").inner_text() == "\u2717 exactly 1 lamp\n2 lamps"
    assert painted(canvas) != before
    demand.click()
    assert page.locator(".scene-chosen").inner_text() == "Nothing is chosen."
    page.get_by_role("button", name="from above").click()
    place = canvas.bounding_box()
    assert place is not None
    x, y = place["x"] + place["width"] / 2, place["y"] + place["height"] / 2
    page.mouse.click(x - 20, y + 20)
    assert page.locator(".scene-chosen").inner_text().startswith("cup (lamp)\nsmall\nwide, deep, high: 1.00 × 1.00")


def test_the_page_of_a_room_turns_gives_reasons_and_has_an_image(window: Drawn, tmp_path: Path) -> None:
    name = "</script><img src=x onerror=alert(1)>"
    lamp = Object("lamp_1", box(0.6, 0.6, 1), standing((1, 0.5, 0.5)), "lamp", name)
    sections = [RemarkSection("Demanded: 0 of 1 met", [Remark("exactly 2 lamp", False, ("lamp_1",), name)])]
    file = tmp_path / "room.html"
    file.write_text(room_page(Scene("den", (lamp,), AS_IT_IS.room(5, 4)), sections, about=name), "utf-8")
    page = window(file.as_uri(), viewport={"width": 1280, "height": 800})
    canvas = page.locator("canvas")
    place = canvas.bounding_box()
    assert place is not None and place["width"] > 700 and place["height"] > 600
    assert page.evaluate("document.documentElement.scrollHeight") <= 800
    before = painted(canvas)
    page.keyboard.press("ArrowLeft")
    assert painted(canvas) != before
    page.get_by_role("button", name="exactly 2 lamp").click()
    assert name in page.locator(".scene-chosen").inner_text()
    assert page.locator("#about").inner_text() == name
    assert page.locator("img").count() == 0
    page.add_init_script("HTMLCanvasElement.prototype.getContext = () => null;")
    page.reload()
    assert page.locator("img").is_visible()
    assert "no WebGL" in page.locator(".scene-help").inner_text()
