"""Whatever a name holds, an image is well-formed XML that runs nothing and refers to nothing."""

from __future__ import annotations

from itertools import combinations
from xml.etree import ElementTree

import pytest

pytest.importorskip("hypothesis")

from hypothesis import given
from hypothesis import strategies as st

from tsgkit.graph.drawing import draw_diff, draw_graph, draw_narrative
from tsgkit.graph.drawing.layout import Box, Link, Size, lay_out
from tsgkit.graph.drawing.text import legible, text_width, visible, wrap
from tsgkit.graph.model import ActionGraph, Description, Narrative

ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=30)
NAMES = st.one_of(ANY_TEXT, st.sampled_from(["person", "hand1", "hand2", "cup", "open", "verb", "with"]))
GRAPHS = st.lists(st.tuples(NAMES, NAMES, NAMES), max_size=8).map(ActionGraph)
DESCRIPTIONS = st.builds(Description, st.none() | ANY_TEXT, st.lists(GRAPHS, max_size=3).map(tuple))
SIZES = st.builds(Size, st.floats(1, 300), st.floats(1, 100))


def assert_inert(svg: str) -> None:
    root = ElementTree.fromstring(svg)  # noqa: S314 (our own output)
    allowed = {"svg", "title", "desc", "g", "rect", "polygon", "path", "text", "tspan"}
    assert {element.tag.rsplit("}")[-1] for element in root.iter()} <= allowed
    names = {name for element in root.iter() for name in element.attrib}
    assert not [name for name in names if name.startswith("on") or "href" in name or name in ("style", "id")]
    assert not [v for element in root.iter() for v in element.attrib.values() if "url(" in v or "//" in v]
    assert all(text.isprintable() for element in root.iter("{*}tspan") if (text := element.text))


@given(GRAPHS, ANY_TEXT)
def test_a_graph_of_any_names_is_drawn_inert_and_the_same_again(graph: ActionGraph, title: str) -> None:
    svg = draw_graph(graph, title=title)
    assert_inert(svg)
    assert svg.count('class="tsg-edge"') == len(graph)
    assert svg == draw_graph(ActionGraph(graph.triplets), title=title)


@given(GRAPHS, GRAPHS, ANY_TEXT)
def test_a_diff_of_any_two_graphs_is_drawn_inert(reference: ActionGraph, candidate: ActionGraph, title: str) -> None:
    svg = draw_diff(reference, candidate, [], title=title)
    assert_inert(svg)
    assert svg.count('class="tsg-edge"') == len({*reference.triplets, *candidate.triplets})


@given(
    st.lists(st.builds(Description, st.none() | ANY_TEXT, st.lists(GRAPHS, max_size=3).map(tuple)), max_size=5), NAMES
)
def test_a_narrative_of_any_texts_is_drawn_inert(descriptions: list[Description], name: str) -> None:
    narrative = Narrative(tuple(descriptions), id=name)
    svg = draw_narrative(narrative)
    assert_inert(svg)
    assert svg.count('class="tsg-cell"') == len(narrative.graphs)


@given(ANY_TEXT, st.floats(20, 300))
def test_wrapping_loses_nothing_and_keeps_to_the_width(text: str, width: float) -> None:
    shown = visible(text)
    lines = wrap(shown, width, 14)
    assert "".join(lines) == shown == legible(shown)
    assert all(text_width(line.rstrip(" "), 14) <= width + 1e-6 for line in lines)


@given(st.data(), st.lists(SIZES, min_size=1, max_size=12))
def test_no_two_boxes_of_a_layout_overlap(data: st.DataObject, sizes: list[Size]) -> None:
    ends = st.integers(0, len(sizes) - 1)
    links = data.draw(st.lists(st.builds(Link, ends, ends, SIZES), max_size=20))
    starts = data.draw(st.lists(st.integers(0, 2), min_size=len(sizes), max_size=len(sizes)))
    layout = lay_out(sizes, starts, links)
    assert not [pair for pair in combinations((*layout.nodes, *layout.labels), 2) if overlap(*pair)]


def overlap(one: Box, other: Box) -> bool:
    little = 1e-6
    return (
        one.left + little < other.right
        and other.left + little < one.right
        and one.top + little < other.bottom
        and other.top + little < one.bottom
    )
