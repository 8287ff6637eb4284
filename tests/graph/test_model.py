"""Graphs as sets of triplets; differences, patches, seeded faults; and outputs that must not change unnoticed."""

from __future__ import annotations

import pickle
from contextlib import suppress
from hashlib import sha256
from itertools import pairwise
from random import Random
from typing import Any

import networkx as nx
import pytest
from hostile_texts import hostile_texts
from hypothesis import given
from hypothesis import strategies as st
from made_up_texts import ROWS, make_up
from refusals import refusal
from seeded_faults import bundled, spoilt_narratives

from tsgkit.errors import EditError, NotationError
from tsgkit.graph import (
    ActionGraph,
    ChangeKind,
    Corruption,
    Description,
    EdgeKind,
    Kind,
    Narrative,
    Node,
    Timeline,
    Triplet,
    Vocabulary,
    check_graph,
    check_narrative,
    corrupt,
    diff,
    from_networkx,
    patch,
    read,
    snap,
    to_networkx,
)
from tsgkit.graph import trace as traced
from tsgkit.graph.careless_texts import WRITINGS, careless_reading
from tsgkit.graph.drawing import draw_diff, draw_graph, draw_legend, draw_narrative, draw_sides
from tsgkit.graph.notation import diagrams, graphml, json_triplets, narratives, node_link
from tsgkit.graph.repairs import mend
from tsgkit.graph.slips import MOST, SLIPS, annotator_slip, published_error, slipped

WASH = ActionGraph.of(("person", "verb", "wash"), ("wash", "dobj", "cup"), ("wash", "with", "hand1"))
SCREW = ActionGraph.of(("person", "verb", "screw"), ("screw", "dobj", "screw"))


def test_graphs_are_equal_whatever_the_order_and_repeats_they_were_written_with_and_nothing_changes_one() -> None:
    other = ActionGraph([*reversed(WASH.triplets), WASH.triplets[0]])
    assert (other == WASH, hash(other) == hash(WASH), len(other)) == (True, True, 3)
    triplets = [("b", "on", "a"), ("a", "on", "b"), ("b", "on", "a")]
    assert [tuple(triplet) for triplet in ActionGraph(triplets)] == triplets
    assert ActionGraph.of(("a", "on", "b")) not in (ActionGraph.of(("b", "on", "a")), ActionGraph.of(("A", "on", "b")))
    with pytest.raises(TypeError):
        ActionGraph([("person", "verb")])
    with pytest.raises(AttributeError):
        WASH.triplets = ()  # type: ignore[misc]


def test_kinds_of_nodes_and_edges_follow_from_roles_and_where_none_decides_from_l() -> None:
    assert SCREW.nodes() == (Node(Kind.PERSON, "person"), Node(Kind.ACTION, "screw"), Node(Kind.OBJECT, "screw"))
    assert Node(Kind.ACTION, "hand1") in ActionGraph.of(("person", "verb", "hand1")).nodes()
    assert Node(Kind.HAND, "hand1") in WASH.nodes()
    graph = ActionGraph.of(("pick-up", "dobj", "brush"))
    verbs = Vocabulary(objects=("brush",), relationships=("dobj",), verbs=("pick-up", "brush"))
    assert graph.nodes() == (Node(Kind.OBJECT, "pick-up"), Node(Kind.OBJECT, "brush"))
    assert graph.nodes(verbs) == (Node(Kind.ACTION, "pick-up"), Node(Kind.OBJECT, "brush"))
    kinds = [Triplet("a", label, "b").kind for label in ("verb", "dobj", "out-of")]
    assert kinds == [EdgeKind.VERB, EdgeKind.DOBJ, EdgeKind.PREPOSITION]


def test_the_vocabulary_allows_what_graphs_use_and_a_narrative_lists_the_graphs_of_all_descriptions() -> None:
    vocabulary = Vocabulary.of([WASH, SCREW])
    assert vocabulary.verbs == ("wash", "screw")
    assert all(vocabulary.allows_node(name) for name in ("cup", "screw", "hand1", "person"))
    assert not vocabulary.allows_node("with") and not vocabulary.allows_edge("under")
    empty = Vocabulary()
    assert all(empty.allows_node(name) for name in ("person", "hand1", "hand2"))
    assert empty.allows_edge("verb") and empty.allows_edge("dobj")
    assert Vocabulary(("cup", "screw"), (), ("screw", "wash")).nodes == ("cup", "screw", "wash")
    narrative = Narrative((Description("One.", (WASH,)), Description("Two."), Description(None, (SCREW, WASH))))
    assert narrative.graphs == (WASH, SCREW, WASH)
    for value in (WASH, Narrative.of([WASH], Vocabulary.of([WASH])), WASH.typed()):
        assert pickle.loads(pickle.dumps(value)) == value  # noqa: S301  (our own bytes)


DRILL = ActionGraph.of(
    ("drill", "into", "wall"),
    ("person", "verb", "drill"),
    ("drill", "with", "drill"),
    ("drill", "beside", "wall"),
    ("drill", "into", "wall"),
)


NAMED = st.sampled_from(["person", "verb", "dobj", "with", "hand1", "pick-up", "screw"]) | st.text(max_size=8)


@given(st.lists(st.tuples(NAMED, NAMED, NAMED), max_size=6), st.lists(NAMED, max_size=3), st.lists(NAMED, max_size=3))
def test_the_networkx_view_has_an_edge_per_triplet_and_comes_back_whatever_l_says(
    triplets: list[tuple[str, str, str]], objects: list[str], verbs: list[str]
) -> None:
    view = to_networkx(ActionGraph(triplets), Vocabulary(tuple(objects), (), tuple(verbs)))
    assert from_networkx(view).triplets == ActionGraph(triplets).triplets
    view = to_networkx(DRILL)
    action, wall = Node(Kind.ACTION, "drill"), Node(Kind.OBJECT, "wall")
    assert set(view) == {action, wall, Node(Kind.PERSON, "person"), Node(Kind.OBJECT, "drill")}
    edges = [(edge["label"], edge["order"], edge["kind"]) for edge in view.get_edge_data(action, wall).values()]
    assert edges == [("into", 0, "preposition"), ("beside", 3, "preposition"), ("into", 4, "preposition")]


def test_a_graph_of_others_is_read_by_name_label_and_relation_or_refused() -> None:
    foreign: Any = nx.DiGraph()
    foreign.add_node(1, label="person")
    foreign.add_edge(1, "wash", relation="verb")
    assert from_networkx(foreign) == ActionGraph.of(("person", "verb", "wash"))
    with pytest.raises(NotationError, match="no label") as caught:
        from_networkx(nx.DiGraph([("person", "wash")]))
    assert "label, relation, edge" in caught.value.hint
    nameless: Any = nx.DiGraph()
    nameless.add_edge(1, 2, label="on")
    with pytest.raises(NotationError, match="not text"):
        from_networkx(nameless)


FILL = ActionGraph.of(
    ("person", "verb", "fill"), ("fill", "dobj", "kettle"), ("fill", "under", "tap"), ("fill", "with", "hand1")
)
L = Vocabulary(("kettle", "tap", "cup", "cups"), ("verb", "dobj", "under", "with"), ("fill", "pick-up", "hold"))


def spoilt(old: str, new: str) -> ActionGraph:
    return ActionGraph(line.split(" -> ") for line in " | ".join(map(str, FILL)).replace(old, new).split(" | "))


def test_one_change_is_called_by_its_name_and_undone_by_a_patch() -> None:
    for kind, old, new in [
        (ChangeKind.MISSING, "fill -> under -> tap | ", ""),
        (ChangeKind.EXTRA, "fill -> under -> tap", "fill -> under -> tap | lid -> of -> kettle"),
        (ChangeKind.REVERSED, "fill -> under -> tap", "tap -> under -> fill"),
        (ChangeKind.MISMATCHED, "fill -> under -> tap", "fill -> over -> tap"),
        (ChangeKind.MISMATCHED, "person -> verb", "cup -> verb"),
        (ChangeKind.MISMATCHED, "-> kettle", "-> lid"),
        (ChangeKind.WRONG_HAND, "hand1", "hand2"),
    ]:
        candidate = spoilt(old, new)
        difference = diff(FILL, candidate)
        assert [change.kind for change in difference.changes] == [kind], (kind, new)
        assert difference.of_kind(kind) == difference.changes, (kind, new)
        assert patch(candidate, difference) == FILL, (kind, new)


def test_differences_are_said_in_words_and_a_patch_keeps_the_order_of_what_it_repairs() -> None:
    reference = ActionGraph.of(("a", "dobj", "x"), ("a", "on", "y"), ("b", "on", "c"))
    candidate = ActionGraph.of(("a", "on", "x"), ("a", "dobj", "z"), ("e", "in", "d"))
    assert [str(change) for change in diff(reference, candidate).changes] == [
        "mismatched: a -> on -> x, expected a -> on -> y",
        "mismatched: a -> dobj -> z, expected a -> dobj -> x",
        "missing: b -> on -> c",
        "extra: e -> in -> d",
    ]
    [change] = diff(FILL, spoilt("kettle", "vase"), L).changes
    assert (change.kind, change.outside) == (ChangeKind.MISMATCHED, ("vase",))
    assert str(change) == "mismatched: fill -> dobj -> vase, expected fill -> dobj -> kettle (out of L: vase)"
    difference = diff(FILL, ActionGraph(reversed(FILL.triplets)))
    assert (bool(difference), difference.matched) == (False, FILL.triplets)
    candidate = spoilt("kettle | fill -> under", "vase | fill -> over")
    assert patch(candidate, diff(FILL, candidate)).triplets == FILL.triplets
    assert "has no triplet" in refusal(EditError, patch, ActionGraph.of(("a", "on", "b")), diff(FILL, candidate))
    reference, candidate = (ActionGraph(("hold", "with", f"{name}{n}") for n in range(20_000)) for name in "ab")
    assert len(diff(reference, candidate).changes) == 20_000, "a large difference is found in linear steps"


def test_snapping_moves_elements_to_their_one_clear_neighbour_and_leaves_others() -> None:
    graph = ActionGraph.of(
        ("Person", "verbs", "picks up"), ("picks up", "dobj", "kettel"), ("picks up", "with", "Hand1")
    )
    snapped, snaps = snap(graph, L)
    expected = ["person -> verb -> pick-up", "pick-up -> dobj -> kettle", "pick-up -> with -> hand1"]
    assert list(map(str, snapped)) == expected
    moves = [("verbs", "verb"), ("Person", "person"), ("picks up", "pick-up"), ("kettel", "kettle"), ("Hand1", "hand1")]
    assert [(move.element, move.near.name) for move in snaps] == moves
    for verb, thing in (("fill", "piano"), ("hold", "cups")):
        graph = ActionGraph.of(("person", "verb", verb), (verb, "dobj", thing))
        assert snap(graph, L) == (graph, ()), thing


NAMES = st.sampled_from(["person", "hold", "take", "cup", "lid", "hand1", "hand2", "table"])
LABELS = st.sampled_from(["verb", "dobj", "with", "on", "from"])
GRAPHS = st.lists(st.tuples(NAMES, LABELS, NAMES), max_size=7).map(ActionGraph)
SMALL = Vocabulary(("cup", "lid", "table"), ("verb", "dobj", "with", "on", "from"), ("hold", "take"))


@given(reference=GRAPHS, candidate=GRAPHS)
def test_every_triplet_is_matched_or_in_one_change_and_a_patch_makes_the_reference(
    reference: ActionGraph, candidate: ActionGraph
) -> None:
    difference = diff(reference, candidate)
    ours = [change.reference for change in difference.changes if change.reference is not None]
    theirs = [change.candidate for change in difference.changes if change.candidate is not None]
    assert sorted([*difference.matched, *ours]) == sorted(set(reference.triplets))
    assert sorted([*difference.matched, *theirs]) == sorted(set(candidate.triplets))
    assert patch(candidate, difference) == reference
    assert all(change.kind is ChangeKind.MISSING for change in diff(reference, ActionGraph()).changes)
    assert snap(reference, SMALL) == (reference, ())


WIDE = Vocabulary(
    ("person", "hand1", "hand2", "kettle", "tap", "cup"), ("verb", "dobj", "under", "with", "manner"), ("fill", "hold")
)
KINDS = {
    Corruption.REDUNDANT: ChangeKind.EXTRA,
    Corruption.MISSING: ChangeKind.MISSING,
    Corruption.MISMATCHED: ChangeKind.MISMATCHED,
    Corruption.REVERSED: ChangeKind.REVERSED,
}


def test_a_corruption_is_the_change_it_reports_breaks_no_other_rule_and_is_the_same_for_its_seed() -> None:
    places = set()
    for kind in Corruption:
        found = [corrupt(FILL, kind, WIDE, seed=seed) for seed in range(40)]
        assert len({one.graph for one in found}) > 1, kind
        assert found[7] == corrupt(FILL, kind, WIDE, seed=7), kind
        for one in found:
            assert one.change.kind is KINDS[kind]
            assert diff(FILL, one.graph).changes == (one.change,), kind
            reference, candidate = one.change.reference, one.change.candidate
            if kind is Corruption.REDUNDANT:
                assert candidate not in FILL
                assert not [finding for finding in check_graph(one.graph, WIDE) if finding.severity == "error"]
            if kind is Corruption.MISMATCHED:
                assert candidate is not None and reference is not None
                [place] = [n for n in range(3) if candidate[n] != reference[n]]
                assert candidate[place] in (WIDE.relationships if place == 1 else WIDE.nodes)
                assert (candidate[place] in WIDE.verbs) == (reference[place] in WIDE.verbs)
                places.add(place)
    assert places == {0, 1, 2}


def test_a_corruption_that_is_not_possible_is_refused_with_the_reason() -> None:
    fill = ("person", "verb", "fill")
    rows: list[tuple[list[tuple[str, str, str]], Corruption, Vocabulary]] = [
        ([fill], Corruption.MISSING, WIDE),
        ([("cup", "on", "cup"), ("a", "on", "b"), ("b", "on", "a")], Corruption.REVERSED, WIDE),
        ([fill], Corruption.MISMATCHED, Vocabulary((), (), ("fill",))),
        ([fill], Corruption.REDUNDANT, Vocabulary(("cup",), ("verb",), ())),
    ]
    for triplets, kind, vocabulary in rows:
        message = refusal(EditError, corrupt, ActionGraph(triplets), kind, vocabulary, seed=1)
        assert f"cannot be made {kind}: " in message
    twice = ActionGraph([*FILL.triplets, *FILL.triplets])
    assert len(corrupt(twice, Corruption.MISSING, WIDE, seed=1).graph) == 3, "a repeated triplet is taken out whole"


PICK = ActionGraph.of(
    *(("person", "verb", "pick-up"), ("pick-up", "dobj", "tea-pot"), ("pick-up", "from", "tray")),
    *(("pick-up", "with", "hand1"), ("pick-up", "with", "hand2")),
)
POTS = Vocabulary(("tea-pot", "tray", "cup"), ("verb", "dobj", "with", "from"), ("pick-up", "pour"))
ALONE = ActionGraph.of(("person", "verb", "wash"))


def test_a_slip_changes_few_triplets_and_careless_texts_run_on_where_there_is_a_next_graph() -> None:
    for name in SLIPS:
        ways = [one for graph in SLIPS[name](PICK, POTS) if (one := slipped(PICK, graph, name))]
        assert ways and all(1 <= len(one.changes) <= MOST for one in ways), name
    nothing = Vocabulary((), (), ())
    assert published_error(ALONE, nothing, seed=0).changes
    with pytest.raises(EditError):
        careless_reading(ActionGraph(), seed=0)
    for draw in (published_error, annotator_slip):
        with pytest.raises(EditError):
            draw(ActionGraph(), nothing, seed=0)
    assert slipped(ALONE, ActionGraph(), "no-verb") is slipped(ALONE, ALONE, "nothing") is None
    alone = {careless_reading(PICK, seed=seed).name for seed in range(200)}
    beside = {careless_reading(PICK, (PICK, ALONE), seed=seed).name for seed in range(200)}
    assert (beside - alone, beside) == ({"run-on"}, set(WRITINGS))


DIGESTS = {
    "images": "7dad62712d68f0cd",
    "repairs": "fc07994dd2e5a18e",
    "faults": "3221065e8b1860c9",
    "readings": "816414ef376a26cd",
    "traces": "99fcb8b176693aec",
    "files": "da58b184b38cd557",
}

MADE_UP_NAMES = "person hold take screw cup cup:1 cups lid Kettle tea_bag hand1 hand2 left-hand top-shelf box put-down"
MADE_UP_LABELS = "verb verb dobj dobj with with with from on in out-of verbs prep Dobj manner"
MADE_UP_L = Vocabulary(
    ("cup", "lid", "kettle", "tea-bag", "top-shelf", "box", "screw"),
    ("verb", "dobj", "with", "from", "on", "out-of"),
    ("hold", "take", "screw", "put-down"),
)
SENTENCES = (
    "With both hands she takes the cup out of the box, and holds it.",
    "He screws the lid on; a pile of cups from the top shelf falls.",
    "",
    "She puts the kettle down with one hand and takes another tea bag.",
)


def made_up_graphs(count: int, seed: int = 1) -> list[ActionGraph]:
    """Return graphs with few and many faults: names and labels drawn at random, most with an action."""
    rng, names, labels = Random(seed), MADE_UP_NAMES.split(), MADE_UP_LABELS.split()
    graphs = []
    for _ in range(count):
        action = rng.choice(("hold", "take", "take", "screw", "put-down", "Kettle"))
        ends = [(action, rng.choice(labels), rng.choice(names)) for _ in range(rng.randrange(4))]
        others = [(rng.choice(names), rng.choice(labels), rng.choice(names)) for _ in range(rng.choice((0, 0, 1, 2)))]
        graphs.append(ActionGraph([*[("person", "verb", action)][: rng.choice((0, 1, 1, 1))], *ends, *others]))
    return graphs


def made_up_narratives(count: int) -> list[Narrative]:
    graphs = iter(made_up_graphs(8 * count, seed=2))
    return [
        Narrative(
            tuple(Description(text, (next(graphs), next(graphs))) for text in SENTENCES),
            MADE_UP_L if number % 3 else None,
        )
        for number in range(count)
    ]


def images(told: list[Narrative]) -> str:
    tangle = ActionGraph.of(
        ("person", "verb", "hold"), ("hold", "dobj", "cup"), ("hold", "with", "cup"), ("cup", "in", "hand1"),
        ("hand1", "around", "cup"), ("cup", "in", "cup"), ("lid", "on", "jar"), ("jar", "under", "lid"),
        ("", "x", "\x00"),
    )  # fmt: skip
    changed = ActionGraph([*tangle.triplets[2:], ("lid", "by", "tap"), ("cup", "under", "jar")])
    graphs = [tangle, *(graph for narrative in told[:3] for graph in narrative.graphs[:4])]
    drawn = [draw_graph(graph, title=f"{len(graph)} <b>") for graph in graphs]
    drawn += [draw_diff(tangle, changed, diff(tangle, changed, told[0].vocabulary).changes)]
    for one, other in pairwise(made_up_graphs(24)):
        changes = diff(one, other, MADE_UP_L).changes
        drawn += [draw_graph(one, MADE_UP_L), draw_diff(one, other, changes[1:])]
        drawn += [draw_legend([one], [change.kind for change in changes])]
        drawn += map(str, draw_sides(one, other, changes, title=str(len(changes))))
    long = [ActionGraph.of(("person", "verb", "w" * n), ("w" * n, "dobj", "mi-" * n)) for n in range(1, 60, 4)]
    drawn += map(draw_narrative, [Narrative.of(long), *made_up_narratives(6)])
    return "\n".join([*drawn, *map(draw_narrative, told[:2]), draw_narrative(told[2], title="Third")])


def repairs(told: list[Narrative]) -> str:
    lines = []
    spoilt = [one.spoilt for one in spoilt_narratives(share=0.4, seed=4)[:8]]
    for start, one in [*((0, one) for one in spoilt), *((1, one) for one in made_up_narratives(30))]:
        mended = mend(one, hands=True, start=start)
        lines += [f"{c.graph} {c.code} {c.before} {c.after} {c.reason}" for c in mended.changes]
        lines += map(str, mended.undecided)
    return "\n".join(lines)


def faults(told: list[Narrative]) -> str:
    lines = []
    for narrative in told[:3]:
        vocabulary = narrative.vocabulary or Vocabulary.of(narrative.graphs)
        for seed, graph in enumerate(narrative.graphs[:10] * 3):
            for kind in Corruption:
                with suppress(EditError):
                    lines.append(str(corrupt(graph, kind, vocabulary, seed=seed).change))
            slips = [published_error(graph, vocabulary, seed=seed), annotator_slip(graph, vocabulary, seed=seed)]
            slips.append(careless_reading(graph, narrative.graphs[:2], seed=seed))
            for one in slips:
                lines.append(f"{one.name}: " + "; ".join(map(str, one.graph)))
                lines += [f"{found.code} {found.message} {found.hint}" for found in check_graph(one.graph, vocabulary)]
                lines += map(str, diff(graph, one.graph, vocabulary).changes)
    graphs = made_up_graphs(200)
    for number, (graph, other) in enumerate(pairwise(graphs)):
        known = MADE_UP_L if number % 4 else None
        lines += map(str, check_graph(graph, known))
        difference = diff(graph, other, known)
        lines += [*map(str, difference.changes), str(patch(other, difference)), str(snap(graph, MADE_UP_L))]
        lines += [f"{name} {one}" for name, ways in SLIPS.items() for one in ways(graph, MADE_UP_L)]
    return "\n".join(lines)


def closed(text: str) -> str:
    """Return JSON with the brackets closed that are open."""
    return text + "".join("]" if mark == "[" else "}" for mark in reversed(text[: text.index('["a"')]) if mark in "[{")


def readings(told: list[Narrative]) -> str:
    lines = []
    replies = [row.reply for row in ROWS.values()]
    cut = [part for text in replies for part in (text[: len(text) // 2], text[len(text) // 3 :])]
    nested = [opening * depth + '["a", "b", "c"]' for depth in range(16, 24) for opening in ("[", '{"graphs": ')]
    made_up = [make_up(Random(number)) for number in range(400)]
    for text in [*replies, *cut, *hostile_texts(200).values(), *map(closed, nested), *made_up]:
        for k in (None, 1, 3):
            reading = read(text, k)
            lines += [*("; ".join(map(str, graph)) for graph in reading.graphs), str(reading.lines)]
            lines += [f"{note.line} {note.kind} {note.reason} {note.text}" for note in reading.notes]
    return "\n".join(lines)


def traces(told: list[Narrative]) -> str:
    lines = [str(step) for narrative in [*told[:8], *made_up_narratives(60)] for step in traced(narrative)]
    lines += [str(finding) for narrative in made_up_narratives(60) for finding in check_narrative(narrative)]
    for narrative in told[:2]:
        timeline = Timeline(narrative)
        lines += [f"{one} {other} {data}" for one, other, data in timeline.graph.edges(data=True)]
        lines += [f"{step.index} {step.objects} {step.tools} {step.places} {step.hands}" for step in timeline.steps]
    return "\n".join(lines)


def files(told: list[Narrative]) -> str:
    odd = ActionGraph.of(('quo"te', "<b>&", "tasse"), ("x y", "on", "{x}"), ("x y", "on", "{x}"), ("#1", "in", "a\\"))
    graphs = [odd, *told[0].graphs[:3], *made_up_graphs(20)]
    writers = (json_triplets.write, node_link.write, graphml.write, diagrams.write_dot, diagrams.write_mermaid)
    return "\n".join([*(write(graphs) for write in writers), *map(narratives.write, told[:2])])


MAKERS = {make.__name__: make for make in (images, repairs, faults, readings, traces, files)}


@pytest.mark.parametrize("name", MAKERS)
def test_outputs_are_what_they_were(name: str) -> None:
    """Notice any change. Where one is meant, look at the new outputs, which the functions return as text."""
    assert sha256(MAKERS[name](bundled()).encode("utf-8", "surrogatepass")).hexdigest()[:16] == DIGESTS[name]
