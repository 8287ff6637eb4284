"""Outputs that must not change unnoticed: images, repairs, seeded faults, readings, traces and files.

What they should be is said by the tests beside this one; these digests notice any change at all. Where one is meant,
look at the new outputs (the functions return them as text), then write the new digest.
"""

from __future__ import annotations

from contextlib import suppress
from hashlib import sha256
from itertools import pairwise
from random import Random

import pytest
from hostile_texts import hostile_texts
from made_up_texts import ROWS, make_up
from seeded_faults import bundled, spoilt_narratives

from tsgkit.errors import EditError
from tsgkit.graph import (
    ActionGraph,
    Corruption,
    Description,
    Narrative,
    Timeline,
    Vocabulary,
    check_graph,
    check_narrative,
    corrupt,
    patch,
    read,
    snap,
)
from tsgkit.graph import trace as traced
from tsgkit.graph.careless_texts import careless_reading
from tsgkit.graph.drawing import draw_diff, draw_graph, draw_legend, draw_narrative, draw_sides
from tsgkit.graph.edits import diff
from tsgkit.graph.notation import diagrams, graphml, json_triplets, narratives, node_link
from tsgkit.graph.repairs import mend
from tsgkit.graph.slips import SLIPS, annotator_slip, published_error

DIGESTS = {
    "images": "7dad62712d68f0cd",
    "repairs": "fc07994dd2e5a18e",
    "faults": "3221065e8b1860c9",
    "readings": "816414ef376a26cd",
    "traces": "99fcb8b176693aec",
    "files": "da58b184b38cd557",
}

NAMES = "person hold take screw cup cup:1 cups lid Kettle tea_bag hand1 hand2 left-hand top-shelf box put-down"
LABELS = "verb verb dobj dobj with with with from on in out-of verbs prep Dobj manner"
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
    rng, names, labels = Random(seed), NAMES.split(), LABELS.split()
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
    assert sha256(MAKERS[name](bundled()).encode("utf-8", "surrogatepass")).hexdigest()[:16] == DIGESTS[name]
