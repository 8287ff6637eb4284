"""Images are read back as XML and asked what a person would ask: is it all there, apart, and said in words?"""

from __future__ import annotations

import re
from itertools import combinations, pairwise
from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from tsgkit.graph.drawing import draw_diff, draw_graph, draw_narrative
from tsgkit.graph.drawing.layout import DrawnBox, DrawnEdge, Size, lay_out, settle
from tsgkit.graph.drawing.text import legible, text_width, visible, wrap
from tsgkit.graph.edits import Change, diff
from tsgkit.graph.model import ActionGraph, Description, Narrative, Triplet, Vocabulary

SVG = "{http://www.w3.org/2000/svg}"


def graph(text: str) -> ActionGraph:
    return ActionGraph(line.split(" ") for line in text.split("; "))


POUR = graph("person verb pour; pour dobj water; water of kettle; pour from kettle; pour into cup; pour with hand1")
SCREW = graph("person verb screw; screw dobj screw; screw with hand2")
TANGLE = graph(
    "person verb hold; hold dobj cup; hold with cup; cup in hand1; hand1 around cup; cup in cup; lid on jar; "
    "jar under lid"
)
PLACE = graph("person verb place; place on table; place with hand1; lid on cup; place dobj cup; place near plate")
PLACED = graph("person verb place; place atop table; place with hand2; cup on lid; place dobj cup; place under lamp")


def read(svg: str) -> ElementTree.Element:
    return ElementTree.fromstring(svg)  # noqa: S314 (our own output)


def of_class(svg: str, name: str) -> list[ElementTree.Element]:
    return [group for group in read(svg).iter(f"{SVG}g") if name in group.get("class", "").split()]


def words(svg: str | ElementTree.Element) -> list[str]:
    """Return what is written in the image, tooltips aside."""
    return ["".join(text.itertext()) for text in (read(svg) if isinstance(svg, str) else svg).iter(f"{SVG}text")]


def said(element: ElementTree.Element) -> str:
    return "".join(words(element))


def tooltip(group: ElementTree.Element) -> str:
    return group.findtext(f"{SVG}title") or ""


def corners(group: ElementTree.Element) -> tuple[float, float, float, float]:
    rect, polygon = group.find(f"{SVG}rect"), group.find(f"{SVG}polygon")
    if rect is not None:
        x, y, width, height = (float(rect.get(name, "")) for name in ("x", "y", "width", "height"))
        return x, y, x + width, y + height
    assert polygon is not None
    xs, ys = zip(*(map(float, point.split(",")) for point in polygon.get("points", "").split()), strict=True)
    return min(xs), min(ys), max(xs), max(ys)


def overlap(one: tuple[float, float, float, float], other: tuple[float, float, float, float]) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def test_every_node_and_triplet_is_drawn_apart_within_the_drawing_whose_title_is_written_and_spoken() -> None:
    for one in (POUR, SCREW, TANGLE):
        svg = draw_graph(one, title="Pouring <tea>")
        nodes, labels = of_class(svg, "tsg-node"), of_class(svg, "tsg-label")
        assert sorted(map(said, nodes)) == sorted(node.name for node in one.nodes())
        assert sorted(map(said, labels)) == sorted(triplet.edge for triplet in one)
        assert sorted(map(tooltip, of_class(svg, "tsg-edge"))) == sorted(map(str, one))
        boxes = [corners(group) for group in (*nodes, *labels)]
        assert not [pair for pair in combinations(boxes, 2) if overlap(*pair)]
        root = read(svg)
        assert (root.findtext(f"{SVG}title"), root.get("role")) == ("Pouring <tea>", "img")
        assert said(root).startswith("Pouring <tea>") and str(one.triplets[-1]) in (root.findtext(f"{SVG}desc") or "")
        sketch = root.find(f"{SVG}g")
        assert sketch is not None
        left, top = map(float, re.findall(r"-?\d+(?:\.\d+)?", sketch.get("transform", "")))
        _, _, width, height = map(float, root.get("viewBox", "").split())
        assert all(x + left >= 0 and y + top >= 0 for x, y, _, _ in boxes)
        assert all(right + left <= width and bottom + top <= height for _, _, right, bottom in boxes)


def test_a_name_is_data_and_what_cannot_be_seen_is_shown() -> None:
    rows: list[tuple[str, str]] = [
        ("\x1b[31m", r"\x1b[31m"), ("\u202egpj.exe", r"\u202egpj.exe"), ("half\ud800", r"half\ud800"),
        ("\ufffe", r"\ufffe"), ("a\nb", r"a\nb"), ("<script>alert(1)</script>", "<script>alert(1)</script>"),
        ("", '""'), (" cup  ", "␣cup␣␣"), ("  ", "␣␣"), ("no\xa0break", r"no\xa0break"),
    ]  # fmt: skip
    for name, shown in rows:
        named = ActionGraph.of((name, name, "cup"))
        svg = draw_graph(named)
        assert said(of_class(svg, "tsg-node")[0]) == shown, name
        assert [said(label) for label in of_class(svg, "tsg-label")] == [shown], name
        for other in (draw_diff(named, ActionGraph(), [], title=name), draw_narrative(Narrative.of([named], None))):
            assert shown in "".join(words(other)), name
            assert not list(read(other).iter(f"{SVG}script")), name


def test_a_diff_marks_every_edge_counts_in_words_and_names_each_kind_of_change() -> None:
    known = Vocabulary(("table", "cup", "lid", "plate"), ("on", "near", "under", "with"), ("place",))
    svg = draw_diff(PLACE, PLACED, diff(PLACE, PLACED, known).changes, title="Placing")
    assert {said(label) for label in of_class(svg, "tsg-label")} == {
        *("verb", "dobj", "[2] ≠ on (expected)", "[2] ≠ atop · not in L (found)", "[1] ≠hand with (expected)"),
        *("[1] ≠hand with (found)", "⇄ on", "− near", "+ under"),
    }
    legend = "\n".join(words(svg))
    for entry in ("matched: 2", "missing: 1", "extra: 1", "reversed: 1", "≠ mismatched: 1", "wrong hand: 1"):
        assert entry in legend
    nodes = of_class(svg, "tsg-node")
    assert [tooltip(node) for node in nodes if "not in L" in said(node)] == ["object: lamp (not in L)"]
    svg = draw_diff(PLACE, PLACE, [])
    assert "matched: 6 (in both graphs)" in words(svg)
    assert not re.search("missing|extra|reversed|mismatched|wrong hand", svg)
    assert "− missing: 4 (only in the reference)" in words(draw_diff(PLACE, PLACED, []))
    reference, candidate = graph("person verb open; open dobj lid"), graph("open verb person; open dobj lid")
    changes = diff(reference, candidate).changes
    tooltips = {tooltip(node) for node in of_class(draw_diff(reference, candidate, changes), "tsg-node")}
    assert tooltips == {"person: person", "action: open", "object: lid"}
    svg = draw_diff(PLACE, PLACE, [Change("<odd>", None, Triplet("cup", "by", "<b>"))])  # type: ignore[arg-type]
    assert "? <odd>: 1" in words(svg)
    assert any(tooltip(edge) == "<odd>: cup -> by -> <b>" for edge in of_class(svg, "tsg-edge"))


def test_a_cell_writes_every_triplet_in_words_and_the_hands_at_its_foot_used_or_not() -> None:
    graphs = [
        graph("person verb hold; hold with hand1; hold dobj cup; hold dobj cup; hand1 in cloth"),
        graph("person verb hold; person verb move; move to table"),
        graph("cup on table"),
        ActionGraph(),
    ]
    cells = of_class(draw_narrative(Narrative.of(graphs)), "tsg-cell")
    assert [said(cell) for cell in cells] == [
        "1holddobj ×2cuphand1inclothwith hand1hand2",
        "2hold, movemovetotablehand1hand2",
        "3no actioncupontablehand1hand2",
        "4empty graphhand1hand2",
    ]


def test_settled_things_keep_their_order_and_a_narrative_grows_down_with_its_descriptions() -> None:
    places = settle([5, 5, 0, 90, 88], [10, 20, 10, 10, 10], gap=3)
    boxes = [DrawnBox(0, y, 1, height) for y, height in zip(places, [10, 20, 10, 10, 10], strict=True)]
    assert all(one.bottom + 3 <= other.top + 1e-9 for one, other in pairwise(boxes))
    assert places[3:] == [82.5, 95.5]
    empty = draw_graph(ActionGraph()), draw_diff(ActionGraph(), ActionGraph(), []), draw_narrative(Narrative())
    assert [*map(words, empty)] == [["empty graph"], ["both graphs are empty"], ["empty narrative"]]
    assert lay_out([], [], []).size == Size(0, 0)
    lifted = Description("The kettle is lifted, \n and filled from the tap.", (POUR, SCREW, POUR))
    scenes = (lifted, Description("Nobody wrote this down."), Description(None, (SCREW,)))
    sizes = tuple(Description(None, (POUR,) * size) for size in (1, 1, 2) * 3)
    for narrative in (Narrative.of([POUR] * 74), Narrative(scenes), Narrative(sizes)):
        svg = draw_narrative(narrative, title="Tea")
        assert float(read(svg).get("width", "")) <= 1400, narrative
        numbers = [re.findall(r"^\d+", said(cell)) for cell in of_class(svg, "tsg-cell")]
        assert numbers == [[str(number)] for number, _ in enumerate(narrative.graphs, 1)], narrative
    shown = words(draw_narrative(Narrative(scenes * 10)))
    assert shown.count("The kettle is lifted, and filled from the tap.") == 10
    assert (shown.count("no graphs"), shown.count("no description")) == (10, 10)


ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=30)
NAMES = st.one_of(ANY_TEXT, st.sampled_from(["person", "hand1", "hand2", "cup", "open", "verb", "with"]))
GRAPHS = st.lists(st.tuples(NAMES, NAMES, NAMES), max_size=8).map(ActionGraph)
DESCRIPTIONS = st.builds(Description, st.none() | ANY_TEXT, st.lists(GRAPHS, max_size=3).map(tuple))
SIZES = st.builds(Size, st.floats(1, 300), st.floats(1, 100))


def assert_inert(svg: str) -> None:
    root = read(svg)
    allowed = {"svg", "title", "desc", "g", "rect", "polygon", "path", "text", "tspan"}
    assert {element.tag.rsplit("}")[-1] for element in root.iter()} <= allowed
    names = {name for element in root.iter() for name in element.attrib}
    assert not [name for name in names if name.startswith("on") or "href" in name or name in ("style", "id")]
    assert not [v for element in root.iter() for v in element.attrib.values() if "url(" in v or "//" in v]
    assert all(text.isprintable() for element in root.iter("{*}tspan") if (text := element.text))


@given(GRAPHS, GRAPHS, st.lists(DESCRIPTIONS, max_size=5), ANY_TEXT)
def test_drawings_of_any_names_and_texts_are_inert_and_the_same_again(
    reference: ActionGraph, candidate: ActionGraph, descriptions: list[Description], title: str
) -> None:
    svg = draw_graph(reference, title=title)
    assert svg == draw_graph(ActionGraph(reference.triplets), title=title)
    difference = draw_diff(reference, candidate, [], title=title)
    narrative = Narrative(tuple(descriptions), id=title)
    cells = draw_narrative(narrative)
    for one in (svg, difference, cells):
        assert_inert(one)
    edges = [one.count('class="tsg-edge"') for one in (svg, difference)]
    assert edges == [len(reference), len({*reference.triplets, *candidate.triplets})]
    assert cells.count('class="tsg-cell"') == len(narrative.graphs)


@given(ANY_TEXT, st.floats(20, 300))
def test_wrapping_loses_nothing_and_keeps_to_the_width(text: str, width: float) -> None:
    shown = visible(text)
    lines = wrap(shown, width, 14)
    assert "".join(lines) == shown == legible(shown)
    assert not any(line.startswith("\u0301") for line in wrap("e\u0301" * 9, width, 14))
    assert all(text_width(line.rstrip(" "), 14) <= width + 1e-6 for line in lines)


@given(st.data(), st.lists(SIZES, min_size=1, max_size=12))
def test_no_two_boxes_of_a_layout_overlap(data: st.DataObject, sizes: list[Size]) -> None:
    ends = st.integers(0, len(sizes) - 1)
    links = data.draw(st.lists(st.builds(DrawnEdge, ends, ends, SIZES), max_size=20))
    starts = data.draw(st.lists(st.integers(0, 2), min_size=len(sizes), max_size=len(sizes)))
    layout = lay_out(sizes, starts, links)
    boxes = [(box.left + 1e-6, box.top + 1e-6, box.right, box.bottom) for box in (*layout.nodes, *layout.labels)]
    assert not [pair for pair in combinations(boxes, 2) if overlap(*pair)]
