"""Descriptions of several graphs each: neighbouring graphs grouped by a mix of sizes, and actions repeated on demand.

>>> from tsgkit.graph.model import ActionGraph
>>> act = lambda verb: ActionGraph.of(("person", "verb", verb), (verb, "dobj", "dough"), (verb, "with", "hand1"))
>>> story = Narrative.of([act("press"), act("fold"), act("roll")])
>>> [len(one.graphs) for one in grouped(story, parse_mix("2"), Random(0)).descriptions]
[2, 1]
>>> parse_mix("1:3,2:1")
{1: 3.0, 2: 1.0}
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random

from tsgkit.errors import UsageError
from tsgkit.graph.hands import GRASPS, RELEASES, TRANSFERS
from tsgkit.graph.model import ActionGraph, Description, Frames, Narrative

LARGEST = 8
"""The most graphs of one description, as in published data."""
DEFAULT_MIX = "1:6,2:2,3:1,4:1"
MOST_TIMES = 4
"""A repeated action is done at most this often."""
FORM = "as in 1:6,2:2,3:1, or one size for all: 3"


@dataclass(frozen=True)
class _Piece:
    """A graph that belongs to no sentence, with its frames."""

    graph: ActionGraph
    frames: Frames | None


def parse_mix(text: str) -> dict[int, float]:
    """Return the weights of group sizes, from ``SIZE:WEIGHT,...`` or ``SIZE``.

    Raise ``UsageError`` for another form.
    """
    weights: dict[int, float] = {}
    for part in text.split(","):
        size, _, weight = part.strip().partition(":")
        try:
            weights[int(size)] = float(weight or 1)
        except ValueError:
            raise UsageError(f"--mix {text}: {part!r:.40} is not SIZE:WEIGHT", hint=FORM) from None
    if not all(1 <= size <= LARGEST for size in weights):
        raise UsageError(f"--mix {text}: a description has 1 to {LARGEST} graphs", hint=FORM)
    if not all(0 <= weight < 1e9 for weight in weights.values()) or not any(weights.values()):
        raise UsageError(f"--mix {text}: weights are not negative, and one is above 0", hint=FORM)
    return weights


def grouped(story: Narrative, mix: Mapping[int, float], choice: Random, *, anew: bool = False) -> Narrative:
    """Return a story whose graphs are grouped by a mix of sizes; with ``anew``, also those that have a sentence.

    A group never reaches over a gap or a sentence that stays.
    """
    made: list[Description] = []
    loose: list[_Piece] = []
    for description in story.descriptions:
        if description.graphs and (anew or description.text is None):
            loose += [_Piece(graph, description.frames) for graph in description.graphs]
            continue
        made += _groups(loose, mix, choice)
        loose = []
        made.append(description)
    return replace(story, descriptions=(*made, *_groups(loose, mix, choice)))


def _groups(pieces: Sequence[_Piece], mix: Mapping[int, float], choice: Random) -> Iterator[Description]:
    sizes, weights = list(mix), list(mix.values())
    at = 0
    while at < len(pieces):
        [size] = choice.choices(sizes, weights)
        group = pieces[at : at + size]
        yield Description(None, tuple(piece.graph for piece in group), _span([piece.frames for piece in group]))
        at += size


def _span(frames: Sequence[Frames | None]) -> Frames | None:
    """Return the frames of a group: from the first start to the last end; None where some are unknown."""
    known = [one for one in frames if one is not None]
    if len(known) < len(frames):
        return None
    return Frames(known[0].turning_point, min(one.start for one in known), max(one.end for one in known))


def repeated(story: Narrative, share: float, choice: Random) -> Narrative:
    """Return a story in which, in a share of the descriptions without a text, one action is done several times.

    Only actions that neither take nor release nor pass anything are repeated, so that the hands stay right.
    """
    made = []
    for description in story.descriptions:
        places = [place for place, graph in enumerate(description.graphs) if _is_repeatable(graph)]
        room = LARGEST - len(description.graphs)
        if description.text is None and places and room and choice.random() < share:
            times = choice.randint(1, min(MOST_TIMES - 1, room))
            at = choice.choice(places)
            graphs = description.graphs
            description = replace(description, graphs=(*graphs[:at], *[graphs[at]] * times, *graphs[at:]))
        made.append(description)
    return replace(story, descriptions=tuple(made))


def _is_repeatable(graph: ActionGraph) -> bool:
    return bool(graph.actions) and graph.actions[0] not in GRASPS | RELEASES | TRANSFERS
