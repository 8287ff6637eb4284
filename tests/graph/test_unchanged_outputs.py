"""Outputs that must not change unnoticed: images, weights, repairs, seeded faults, readings, traces and files.

What they should be is said by the tests beside this one; these digests notice any change at all. Where one is meant,
look at the new outputs (the functions return them as text), then write the new digest.
"""

from __future__ import annotations

from hashlib import sha256

import pytest
from hostile_texts import hostile_texts
from model_replies import ROWS
from seeded_faults import bundled, spoilt_narratives

from tsgkit.errors import EditError
from tsgkit.graph import ActionGraph, Corruption, Narrative, Timeline, Vocabulary, check_graph, corrupt, read
from tsgkit.graph import trace as traced
from tsgkit.graph.careless_texts import careless_reading
from tsgkit.graph.drawing import draw_diff, draw_graph, draw_narrative
from tsgkit.graph.edits import diff
from tsgkit.graph.evidence.features import Story
from tsgkit.graph.evidence.proposals import weighed
from tsgkit.graph.hand_shares import POSSIBLE, hand_shares, with_hands
from tsgkit.graph.notation import diagrams, graphml, json_triplets, narratives, node_link
from tsgkit.graph.repairs import mend
from tsgkit.graph.slips import annotator_slip, published_error
from tsgkit.library.habits import our_habits

DIGESTS = {
    "images": "ffd0b8af0140740e",
    "weights": "47192fd3f399c0fe",
    "repairs": "cf24d8faadb37731",
    "faults": "7578ec7004e50f5e",
    "readings": "ccb11ea19951956f",
    "traces": "529f0aca69d7fe8c",
    "files": "6d387dea90784d09",
}


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
    return "\n".join([*drawn, *map(draw_narrative, told[:2]), draw_narrative(told[2], title="Third")])


def weights(told: list[Narrative]) -> str:
    lines = []
    for one in spoilt_narratives(seed=1)[:4]:
        for story in (Story(one.spoilt), Story(one.spoilt, our_habits(one.clean.id))):
            for number in range(0, len(one.spoilt.graphs), 3):
                found = weighed(story.situation(number))
                lines.append(f"{number} {found.kept:.4f} {len(found.edits)}")
                lines += [f"{sure:.4f} {edit.kind} {edit.before} {edit.after}" for sure, edit in found.edits[:5]]
    return "\n".join(lines)


def repairs(told: list[Narrative]) -> str:
    lines = []
    for spoilt in spoilt_narratives(share=0.4, seed=4)[:8]:
        mended = mend(spoilt.spoilt, hands=True)
        lines += [
            f"{change.graph} {change.code} {change.before} {change.after} {change.reason}" for change in mended.changes
        ]
        lines += [str(finding) for finding in mended.undecided]
    for narrative in told[:3]:
        graphs = {
            number: {hands: with_hands(graph, hands) for hands in POSSIBLE}
            for number, graph in enumerate(narrative.graphs)
            if number % 3 == 1 and len(graph.actions) == 1
        }
        for number, shares in hand_shares(narrative, graphs).items():
            lines.append(f"{number} " + " ".join(f"{hands}{share:.4f}" for hands, share in shares.items()))
    return "\n".join(lines)


def faults(told: list[Narrative]) -> str:
    lines = []
    for narrative in told[:3]:
        vocabulary = narrative.vocabulary or Vocabulary.of(narrative.graphs)
        for seed, graph in enumerate(narrative.graphs[:10] * 3):
            for kind in Corruption:
                try:
                    lines.append(str(corrupt(graph, kind, vocabulary, seed=seed).change))
                except EditError as error:
                    lines.append(str(error))
            slips = [published_error(graph, vocabulary, seed=seed), annotator_slip(graph, vocabulary, seed=seed)]
            slips.append(careless_reading(graph, narrative.graphs[:2], seed=seed))
            for one in slips:
                lines.append(f"{one.name}: " + "; ".join(map(str, one.graph)))
                lines += [f"{found.code} {found.message} {found.hint}" for found in check_graph(one.graph, vocabulary)]
                lines += map(str, diff(graph, one.graph, vocabulary).changes)
    return "\n".join(lines)


def readings(told: list[Narrative]) -> str:
    lines = []
    replies = [row.reply for row in ROWS.values()]
    cut = [part for text in replies for part in (text[: len(text) // 2], text[len(text) // 3 :])]
    for text in [*replies, *cut, *hostile_texts(200).values()]:
        for k in (None, 1, 3):
            reading = read(text, k)
            lines += ["; ".join(map(str, graph)) for graph in reading.graphs]
            lines += [
                f"{reading.lines}",
                *(f"{note.line} {note.kind} {note.reason} {note.text}" for note in reading.notes),
            ]
    return "\n".join(lines)


def traces(told: list[Narrative]) -> str:
    lines = [str(step) for narrative in told[:8] for step in traced(narrative)]
    for narrative in told[:2]:
        timeline = Timeline(narrative)
        lines += [f"{one} {other} {data}" for one, other, data in timeline.graph.edges(data=True)]
        lines += [f"{step.index} {step.objects} {step.tools} {step.places} {step.hands}" for step in timeline.steps]
    return "\n".join(lines)


def files(told: list[Narrative]) -> str:
    odd = ActionGraph.of(('quo"te', "<b>&", "tasse"), ("x y", "on", "{x}"), ("x y", "on", "{x}"), ("#1", "in", "a\\"))
    graphs = [odd, *told[0].graphs[:3]]
    writers = (json_triplets.write, node_link.write, graphml.write, diagrams.write_dot, diagrams.write_mermaid)
    return "\n".join([*(write(graphs) for write in writers), *map(narratives.write, told[:2])])


MAKERS = {make.__name__: make for make in (images, weights, repairs, faults, readings, traces, files)}


@pytest.mark.parametrize("name", MAKERS)
def test_outputs_are_what_they_were(name: str) -> None:
    assert sha256(MAKERS[name](bundled()).encode()).hexdigest()[:16] == DIGESTS[name]
