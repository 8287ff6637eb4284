"""Images are read back as XML and asked what a person would ask: is it all there, apart, and said in words?"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations, pairwise
from xml.etree import ElementTree

import pytest

from tsgkit.graph.drawing import DrawnChange, draw_diff, draw_graph, draw_narrative
from tsgkit.graph.drawing.layout import Box, Link, Size, lay_out, settle
from tsgkit.graph.drawing.text import text_width, wrap
from tsgkit.graph.model import ActionGraph, Description, Narrative, Triplet, Vocabulary

SVG = "{http://www.w3.org/2000/svg}"

POUR = ActionGraph.of(
    ("person", "verb", "pour"),
    ("pour", "dobj", "water"),
    ("water", "of", "kettle"),
    ("pour", "from", "kettle"),
    ("pour", "into", "cup"),
    ("pour", "with", "hand1"),
)
SCREW = ActionGraph.of(("person", "verb", "screw"), ("screw", "dobj", "screw"), ("screw", "with", "hand2"))
TANGLE = ActionGraph.of(
    ("person", "verb", "hold"),
    ("hold", "dobj", "cup"),
    ("hold", "with", "cup"),
    ("cup", "in", "hand1"),
    ("hand1", "around", "cup"),
    ("cup", "in", "cup"),
    ("lid", "on", "jar"),
    ("jar", "under", "lid"),
)


@dataclass(frozen=True)
class Change:
    kind: str
    reference: Triplet | None = None
    candidate: Triplet | None = None
    outside: tuple[str, ...] = ()


PLACE = ActionGraph.of(
    ("person", "verb", "place"),
    ("place", "on", "table"),
    ("place", "with", "hand1"),
    ("lid", "on", "cup"),
    ("place", "dobj", "cup"),
    ("place", "near", "plate"),
)
PLACED = ActionGraph.of(
    ("person", "verb", "place"),
    ("place", "atop", "table"),
    ("place", "with", "hand2"),
    ("cup", "on", "lid"),
    ("place", "dobj", "cup"),
    ("place", "under", "lamp"),
)
CHANGES: list[DrawnChange] = [
    Change("mismatched", Triplet("place", "on", "table"), Triplet("place", "atop", "table"), ("atop",)),
    Change("wrong hand", Triplet("place", "with", "hand1"), Triplet("place", "with", "hand2")),
    Change("reversed", Triplet("lid", "on", "cup"), Triplet("cup", "on", "lid")),
    Change("missing", Triplet("place", "near", "plate")),
    Change("extra", None, Triplet("place", "under", "lamp"), ("lamp",)),
]


def read(svg: str) -> ElementTree.Element:
    return ElementTree.fromstring(svg)  # noqa: S314 (our own output)


def of_class(svg: str, name: str) -> list[ElementTree.Element]:
    return [group for group in read(svg).iter(f"{SVG}g") if name in group.get("class", "").split()]


def said(element: ElementTree.Element) -> str:
    """Return what is written in the image, tooltips aside."""
    return "".join("".join(text.itertext()) for text in element.iter(f"{SVG}text"))


def words(svg: str) -> list[str]:
    return ["".join(text.itertext()) for text in read(svg).iter(f"{SVG}text")]


def tooltip(group: ElementTree.Element) -> str:
    return group.findtext(f"{SVG}title") or ""


def corners(group: ElementTree.Element) -> tuple[float, float, float, float]:
    rect, polygon = group.find(f"{SVG}rect"), group.find(f"{SVG}polygon")
    if rect is not None:
        x, y, width, height = (float(rect.get(name, "")) for name in ("x", "y", "width", "height"))
        return x, y, x + width, y + height
    assert polygon is not None
    points = [tuple(map(float, point.split(","))) for point in polygon.get("points", "").split()]
    return min(p[0] for p in points), min(p[1] for p in points), max(p[0] for p in points), max(p[1] for p in points)


def overlap(one: tuple[float, float, float, float], other: tuple[float, float, float, float]) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def dashes(svg: str, told: str) -> set[str]:
    """Return the dash patterns of the lines whose tooltip begins with these words."""
    edges = (edge for edge in of_class(svg, "tsg-edge") if tooltip(edge).startswith(told))
    return {path.get("stroke-dasharray", "") for edge in edges for path in edge.iter(f"{SVG}path")}


def numbers(texts: Iterable[str]) -> Iterator[float]:
    for text in texts:
        yield from map(float, re.findall(r"-?\d+(?:\.\d+)?", text))


@pytest.mark.parametrize("graph", [POUR, SCREW, TANGLE])
def test_every_node_and_every_triplet_is_drawn(graph: ActionGraph) -> None:
    svg = draw_graph(graph)
    assert sorted(said(node) for node in of_class(svg, "tsg-node")) == sorted(node.name for node in graph.nodes())
    assert sorted(said(label) for label in of_class(svg, "tsg-label")) == sorted(t.edge for t in graph)
    assert sorted(tooltip(edge) for edge in of_class(svg, "tsg-edge")) == sorted(map(str, graph))


@pytest.mark.parametrize("graph", [POUR, SCREW, TANGLE])
def test_nodes_and_labels_do_not_overlap(graph: ActionGraph) -> None:
    svg = draw_graph(graph)
    boxes = [corners(group) for name in ("tsg-node", "tsg-label") for group in of_class(svg, name)]
    assert len(boxes) == len(graph.nodes()) + len(graph)
    assert not [pair for pair in combinations(boxes, 2) if overlap(*pair)]


def test_all_shapes_are_within_the_drawing() -> None:
    root = read(draw_graph(TANGLE))
    _, _, width, height = map(float, root.get("viewBox", "").split())
    sketch = root.find(f"{SVG}g")
    assert sketch is not None
    left, top = numbers([sketch.get("transform", "")])
    for group in of_class(draw_graph(TANGLE), "tsg-node"):
        x, y, right, bottom = corners(group)
        assert x + left >= 0
        assert y + top >= 0
        assert right + left <= width
        assert bottom + top <= height


def test_layers_follow_the_distance_from_the_person() -> None:
    left = {tooltip(node): corners(node)[0] for node in of_class(draw_graph(POUR), "tsg-node")}
    assert left["person: person"] < left["action: pour"] < min(left["object: water"], left["hand: hand1"])


def test_kinds_differ_in_shape_and_in_colour() -> None:
    svg = draw_graph(POUR)
    looks = dict[str, tuple[object, ...]]()
    for node in of_class(svg, "tsg-node"):
        shape = next(child for child in node if child.tag in (f"{SVG}rect", f"{SVG}polygon"))
        looks[node.get("class", "")] = (shape.tag, shape.get("rx"), shape.get("points", "").count(","))
        looks[node.get("class", "") + " colour"] = (shape.get("stroke"),)
    assert len(looks) == 8
    assert len(set(looks.values())) == 8


def test_an_action_and_an_object_of_one_name_are_two_nodes() -> None:
    nodes = of_class(draw_graph(SCREW), "tsg-node")
    assert {tooltip(node) for node in nodes if said(node) == "screw"} == {"action: screw", "object: screw"}


def test_parallel_edges_run_apart_and_a_self_loop_returns() -> None:
    edges = of_class(draw_graph(TANGLE), "tsg-edge")
    paths = [path.get("d", "") for edge in edges for path in edge.iter(f"{SVG}path")]
    assert len(set(paths)) == len(TANGLE)
    loop = next(edge for edge in edges if tooltip(edge) == "cup -> in -> cup")
    [path] = loop.iter(f"{SVG}path")
    cup = next(corners(node) for node in of_class(draw_graph(TANGLE), "tsg-node") if said(node) == "cup")
    assert next(numbers([path.get("d", "")])) == cup[2]


def test_arrow_heads_touch_the_outline_of_their_target_from_outside() -> None:
    svg = draw_graph(TANGLE)
    boxes = {said(node): corners(node) for node in of_class(svg, "tsg-node") if "tsg-object" in node.get("class", "")}
    heads = 0
    for edge in of_class(svg, "tsg-edge"):
        target = tooltip(edge).split(" -> ")[2]
        if target in boxes:
            left, top, right, bottom = boxes[target]
            [head] = edge.iter(f"{SVG}polygon")
            tip_x, tip_y, back_x, *_ = numbers([head.get("points", "")])
            assert tip_x in (left, right)
            assert top < tip_y < bottom
            assert back_x < left or back_x > right
            heads += 1
    assert heads == 6


def test_a_triplet_written_twice_is_one_arrow_that_says_so() -> None:
    svg = draw_graph(ActionGraph.of(("person", "verb", "open"), ("person", "verb", "open")))
    assert [said(label) for label in of_class(svg, "tsg-label")] == ["verb ×2"]


def test_the_vocabulary_decides_where_roles_do_not() -> None:
    graph = ActionGraph.of(("open", "with", "hand1"))
    assert "action: open" not in draw_graph(graph)
    assert "action: open" in draw_graph(graph, Vocabulary(verbs=("open",)))


def test_a_graph_without_a_person_is_drawn() -> None:
    svg = draw_graph(ActionGraph.of(("hold", "dobj", "cup"), ("lid", "on", "jar")))
    assert len(of_class(svg, "tsg-node")) == 4


@pytest.mark.parametrize(
    ("svg", "notice"),
    [
        (draw_graph(ActionGraph()), "empty graph"),
        (draw_diff(ActionGraph(), ActionGraph(), []), "both graphs are empty"),
        (draw_narrative(Narrative()), "empty narrative"),
    ],
)
def test_empty_drawing_contains_a_note(svg: str, notice: str) -> None:
    assert words(svg) == [notice]


def test_a_title_is_written_and_spoken() -> None:
    root = read(draw_graph(POUR, title="Pouring <tea>"))
    assert root.findtext(f"{SVG}title") == "Pouring <tea>"
    assert said(root).startswith("Pouring <tea>")
    assert root.get("role") == "img"
    assert "pour -> into -> cup" in (root.findtext(f"{SVG}desc") or "")


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("\x1b[31m", r"\x1b[31m"),
        ("\u202egpj.exe", r"\u202egpj.exe"),
        ("half\ud800", r"half\ud800"),
        ("\x00", r"\x00"),
        ("zero\u200bwidth", r"zero\u200bwidth"),
        ("\ufffe", r"\ufffe"),
        ("a\nb", r"a\nb"),
        ("<script>alert(1)</script>", "<script>alert(1)</script>"),
        ("]]>&amp;\"'", "]]>&amp;\"'"),
        ("", '""'),
        (" cup  ", "␣cup␣␣"),
        ("  ", "␣␣"),
        ("no\xa0break", r"no\xa0break"),
        ("茶碗", "茶碗"),
    ],
)
def test_a_name_is_data_and_what_cannot_be_seen_is_shown(name: str, shown: str) -> None:
    graph = ActionGraph.of((name, name, "cup"))
    svg = draw_graph(graph)
    assert said(of_class(svg, "tsg-node")[0]) == shown
    assert [said(label) for label in of_class(svg, "tsg-label")] == [shown]
    for other in (draw_diff(graph, ActionGraph(), [], title=name), draw_narrative(Narrative.of([graph], None))):
        assert shown in "".join(words(other))
        assert not list(read(other).iter(f"{SVG}script"))


def test_a_long_name_grows_its_box_and_is_whole() -> None:
    name = "a-name-of-some-length-that-no-box-was-made-for-" * 4
    node = of_class(draw_graph(ActionGraph.of((name, "on", "table"))), "tsg-node")[0]
    _, top, _, bottom = corners(node)
    assert said(node) == name
    assert bottom - top > 60


def test_an_endless_name_is_shortened_and_spoken_at_a_sane_length() -> None:
    node = of_class(draw_graph(ActionGraph.of(("x" * 10_000, "on", "table"))), "tsg-node")[0]
    assert said(node).endswith("xxx…")
    assert len(said(node)) == 400
    assert 1000 < len(tooltip(node)) <= 2000


def test_text_fits_its_box() -> None:
    for node in of_class(draw_graph(ActionGraph.of(("wwwwWWWW" * 9, "mmm", "MMMM"))), "tsg-node"):
        left, _, right, _ = corners(node)
        assert all(text_width("".join(line.itertext()), 14) < right - left for line in node.iter(f"{SVG}tspan"))


def test_a_diff_marks_every_edge_and_counts_in_words() -> None:
    svg = draw_diff(PLACE, PLACED, CHANGES, title="Placing")
    labels = {said(label) for label in of_class(svg, "tsg-label")}
    assert labels == {
        "verb",
        "dobj",
        "[1] ≠ on (expected)",
        "[1] ≠ atop · not in L (found)",
        "[2] ≠hand with (expected)",
        "[2] ≠hand with (found)",
        "⇄ on",
        "− near",
        "+ under",
    }
    legend = "\n".join(words(svg))
    for entry in ("matched: 2", "missing: 1", "extra: 1", "reversed: 1", "≠ mismatched: 1", "wrong hand: 1"):
        assert entry in legend


def test_each_kind_of_change_has_a_line_of_its_own() -> None:
    svg = draw_diff(PLACE, PLACED, CHANGES)
    kinds = ("matched", "missing", "extra", "reversed", "mismatched", "wrong hand")
    patterns = [dashes(svg, kind) for kind in kinds]
    assert all(len(pattern) == 1 for pattern in patterns)
    assert len(set[str]().union(*patterns)) == len(kinds)
    assert dashes(svg, "matched") == {""}


def test_a_legend_lists_only_what_occurs() -> None:
    svg = draw_diff(PLACE, PLACE, [])
    assert "matched: 6 (in both graphs)" in words(svg)
    assert not re.search("missing|extra|reversed|mismatched|wrong hand", svg)


def test_a_reversed_edge_points_as_found_with_a_hollow_head_where_it_should_have() -> None:
    [edge] = [edge for edge in of_class(draw_diff(PLACE, PLACED, CHANGES), "tsg-edge") if "reversed" in tooltip(edge)]
    assert tooltip(edge) == "reversed: cup -> on -> lid"
    filled, hollow = edge.iter(f"{SVG}polygon")
    assert hollow.get("fill") == "#ffffff"
    assert filled.get("fill") != "#ffffff"


def test_a_reversed_verb_does_not_make_an_action_of_the_person() -> None:
    reference = ActionGraph.of(("person", "verb", "open"), ("open", "dobj", "lid"))
    candidate = ActionGraph.of(("open", "verb", "person"), ("open", "dobj", "lid"))
    changes = [Change("reversed", reference.triplets[0], candidate.triplets[0])]
    nodes = {tooltip(node) for node in of_class(draw_diff(reference, candidate, changes), "tsg-node")}
    assert nodes == {"person: person", "action: open", "object: lid"}


def test_an_element_outside_l_says_so_under_its_name() -> None:
    nodes = of_class(draw_diff(PLACE, PLACED, CHANGES), "tsg-node")
    assert [tooltip(node) for node in nodes if "not in L" in said(node)] == ["object: lamp (not in L)"]


def test_unchanged_triplets_are_drawn_in_a_difference() -> None:
    svg = draw_diff(PLACE, PLACED, [])
    assert len(of_class(svg, "tsg-edge")) == 2 + 4 + 4
    assert "− missing: 4 (only in the reference)" in words(svg)


def test_a_change_of_an_unknown_kind_is_drawn_under_its_own_name() -> None:
    svg = draw_diff(PLACE, PLACE, [Change("<odd>", None, Triplet("cup", "by", "<b>"))])
    assert "? <odd>: 1" in words(svg)
    assert any(tooltip(edge) == "<odd>: cup -> by -> <b>" for edge in of_class(svg, "tsg-edge"))


def make_tea(times: int) -> Narrative:
    scenes = (
        Description("The kettle is lifted, \n and filled from the tap.", (POUR, SCREW, POUR)),
        Description("Nobody wrote this down."),
        Description(None, (SCREW,)),
    )
    return Narrative(scenes * times, id="tea")


def test_a_narrative_has_a_cell_per_graph_in_order() -> None:
    cells = of_class(draw_narrative(make_tea(10)), "tsg-cell")
    assert [int(re.match(r"\d+", said(cell))[0]) for cell in cells] == list(range(40))  # type: ignore[index]
    assert tooltip(cells[0]).startswith("graph 0: person -> verb -> pour; pour -> dobj -> water")


def test_a_narrative_shows_its_descriptions_and_their_absence() -> None:
    shown = words(draw_narrative(make_tea(1)))
    assert "The kettle is lifted, and filled from the tap." in shown
    assert "no graphs" in shown
    assert "no description" in shown


def test_hands_stand_at_the_foot_of_every_cell_used_or_not() -> None:
    cells = of_class(draw_narrative(make_tea(3)), "tsg-cell")
    for cell in cells:
        hands = [group for group in cell if group.get("class") in ("tsg-used", "tsg-unused")]
        uses = [(said(hand), hand.get("class")) for hand in hands]
        if "pour" in said(cell):
            assert uses == [("with hand1", "tsg-used"), ("hand2", "tsg-unused")]
        else:
            assert uses == [("hand1", "tsg-unused"), ("with hand2", "tsg-used")]
        assert corners(hands[0])[3] < corners(hands[1])[1]


def test_a_cell_writes_every_triplet_its_head_and_hands_do_not() -> None:
    graph = ActionGraph.of(
        ("person", "verb", "hold"),
        ("hold", "with", "hand1"),
        ("hold", "dobj", "cup"),
        ("hold", "dobj", "cup"),
        ("hand1", "in", "cloth"),
    )
    [cell] = of_class(draw_narrative(Narrative.of([graph])), "tsg-cell")
    assert said(cell) == "0" + "hold" + "dobj ×2cup" + "hand1incloth" + "with hand1" + "hand2"


def test_several_actions_and_none_keep_their_sources() -> None:
    two = ActionGraph.of(("person", "verb", "hold"), ("person", "verb", "move"), ("move", "to", "table"))
    none = ActionGraph.of(("cup", "on", "table"))
    cells = of_class(draw_narrative(Narrative.of([two, none, ActionGraph()])), "tsg-cell")
    assert [said(cell) for cell in cells] == [
        "0hold, movemovetotablehand1hand2",
        "1no actioncupontablehand1hand2",
        "2empty graphhand1hand2",
    ]


@pytest.mark.parametrize("narrative", [make_tea(20), Narrative.of([POUR] * 74), make_tea(1)])
def test_a_narrative_grows_down_and_not_across(narrative: Narrative) -> None:
    svg = draw_narrative(narrative, title="Tea")
    assert float(read(svg).get("width", "")) <= 1400
    assert len(of_class(svg, "tsg-cell")) == len(narrative.graphs)


def test_a_description_broken_over_rows_says_that_it_goes_on() -> None:
    shown = words(draw_narrative(Narrative.of([POUR] * 74)))
    assert shown.count("no description") == 1
    assert shown.count("(continued)") > 3


LARGE: dict[str, Callable[[int], Triplet]] = {
    "star": lambda n: Triplet("do", "with", f"thing-{n}"),
    "chain": lambda n: Triplet(f"thing-{n}", "on", f"thing-{n + 1}"),
    "pairs": lambda n: Triplet(f"thing-{n}", "of", f"other-{n}"),
    "knot": lambda n: Triplet(f"thing-{n % 40}", f"on-{n}", f"thing-{n // 50}"),
}


@pytest.mark.parametrize("shape", LARGE)
def test_two_thousand_triplets_are_drawn_whole(shape: str) -> None:
    svg = draw_graph(ActionGraph(map(LARGE[shape], range(2000))))
    assert svg.count('class="tsg-edge"') == 2000


def test_layers_are_no_further_apart_than_one_edge() -> None:
    links = [Link(a, b, Size(20, 16)) for a, b in ((0, 1), (1, 2), (3, 1), (2, 3), (4, 4))]
    layout = lay_out([Size(50, 30)] * 5, [0, 1, 2, 2, 2], links)
    assert [column // 2 for column in layout.node_columns] == [0, 1, 2, 2, 2]
    for link, label, column in zip(links, layout.labels, layout.label_columns, strict=True):
        near = min(layout.nodes[link.source], layout.nodes[link.target], key=lambda box: box.x)
        assert near.right < label.left
        assert column == 2 * (min(layout.node_columns[link.source], layout.node_columns[link.target]) // 2) + 1


def test_an_empty_layout_takes_no_room() -> None:
    assert lay_out([], [], []).size == Size(0, 0)


def test_settled_things_keep_their_order_and_distance() -> None:
    places = settle([5, 5, 0, 90, 88], [10, 20, 10, 10, 10], gap=3)
    boxes = [Box(0, y, 1, height) for y, height in zip(places, [10, 20, 10, 10, 10], strict=True)]
    assert all(one.bottom + 3 <= other.top + 1e-9 for one, other in pairwise(boxes))
    assert places[3:] == [82.5, 95.5]


def test_wrapped_lines_lose_nothing_and_keep_marks_with_their_letters() -> None:
    text = "put the e\u0301e\u0301e\u0301e\u0301e\u0301 mop-stick down"
    lines = wrap(text, 40, 14)
    assert "".join(lines) == text
    assert not any(line.startswith("\u0301") for line in lines)
