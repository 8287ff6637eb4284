"""Proposals: likely repairs of a graph, each with a probability and its reasons.

>>> from tsgkit.graph.model import Description, Narrative, Vocabulary
>>> graph = ActionGraph.of(
...     ("person", "verb", "take"), ("take", "dobj", "cup"), ("take", "from", "kettle"), ("take", "with", "hand1")
... )
>>> L = Vocabulary(("cup", "shelf", "kettle"), ("verb", "dobj", "with", "from"), ("take",))
>>> said = "She takes the cup from the shelf with one hand."
>>> [best, *_] = proposals_for(Narrative((Description(said, (graph,)),), L), 0)
>>> print(best.before, "=>", best.after, "|", *best.reasons, sep=" ")
take -> from -> kettle => take -> from -> shelf | the sentence says from shelf

Every edit that the situation offers is weighed against the graph as it is and against all others; the weights were
fitted to spoilt graphs of the bundled narratives (``eval/bench/fitting_repairs.py``).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from tsgkit.graph.evidence.candidates import Edit, edits_of
from tsgkit.graph.evidence.features import Situation, Story, action_of, graph_features, triplet_features
from tsgkit.graph.evidence.habits import ANY
from tsgkit.graph.evidence.weights import WEIGHTS
from tsgkit.graph.model import DOBJ, HANDS, VERB, WITH, ActionGraph, Narrative, Triplet

LEAST = 0.05
"""Less likely edits are no proposals."""
EXACT_FROM: Mapping[str, float] = {
    "reverse": 0.8,
    "remove.hand": 0.8,
    "remove.prep": 0.8,
    "add.verb": 0.8,
    "add.hand": 0.9,
    "add.dobj": 0.95,
    "add.prep": 0.98,
    "replace.verb.target": 0.8,
    "replace.dobj.source": 0.8,
    "replace.dobj.target": 0.9,
    "replace.hand": 0.9,
    "replace.prep.target": 0.9,
}
"""From these probabilities on one remedy explains all evidence, by the longest beginning of an edit's name. Others are
never exact: a preposition has too many near ones."""
ENOUGH = 8
"""In a narrative of fewer graphs, habits prove nothing."""
EXACT_UNTOLD = 0.95
"""At least this where no sentence is known."""


@dataclass(frozen=True)
class Proposal:
    """A likely edit of a graph: a triplet changed, added (``before`` is None) or removed (``after`` is None)."""

    before: Triplet | None
    after: Triplet | None
    sure: float
    reasons: tuple[str, ...]
    kind: str
    is_exact: bool


@dataclass(frozen=True)
class Weighed:
    """All edits of a graph with their probabilities; the rest is that of the graph as it is."""

    edits: tuple[tuple[float, Edit], ...]
    kept: float


def proposals_for(
    story: Narrative | Story,
    number: int,
    graph: ActionGraph | None = None,
    *,
    least: float = LEAST,
    weights: Mapping[str, float] = WEIGHTS,
) -> list[Proposal]:
    """Return the likely repairs of one graph, the likeliest first; another graph may stand in its place."""
    if isinstance(story, Narrative):
        story = Story(story)
    situation = story.situation(number, graph)
    found = weighed(situation, weights).edits
    return [
        Proposal(one.before, one.after, sure, reasons_for(situation, one), one.kind, is_exact(situation, one, sure))
        for sure, one in found
        if sure >= least
    ]


def weighed(situation: Situation, weights: Mapping[str, float] = WEIGHTS) -> Weighed:
    """Return the probability of each edit, the likeliest first, and that of no edit."""
    scorer = _Scorer(situation, weights)
    edits = edits_of(situation)
    if not edits:
        return Weighed((), 1.0)
    base = scorer.score(situation.graph)
    scores = [scorer.score(one.made(situation.graph)) - base + weights.get(f"edit.{one.name}", 0.0) for one in edits]
    most = max([0.0, *scores])
    powers = [math.exp(score - most) for score in scores]
    kept = math.exp(-most)
    total = kept + sum(powers)
    ranked = sorted(zip((power / total for power in powers), edits, strict=True), key=lambda one: -one[0])
    return Weighed(tuple(ranked), kept / total)


def is_exact(situation: Situation, edit: Edit, sure: float) -> bool:
    """Return whether one remedy explains all evidence.

    - What is removed must come from nowhere: neither from the sentence nor from the hands or the graphs around it.
    - An object that is replaced may not be in the hands or in the next graphs, nor share a word with the other.
    - A hand is joined by ``with`` where other graphs of the action do so, or where none has a hand beside that
      preposition; one is added where most graphs name one. A missing object of a graph alone is not known.
    """
    least = next((EXACT_FROM[name] for name in _beginnings(edit.name) if name in EXACT_FROM), None)
    if least is None or sure < (least if situation.told else max(least, EXACT_UNTOLD)):
        return False
    old, new = edit.before, edit.after
    if edit.name == "replace.dobj.target" and old is not None and new is not None:
        is_other = {*old.target.split("-")}.isdisjoint(new.target.split("-"))
        return is_other and old.target not in situation.last | situation.following | situation.held
    if edit.name == "replace.hand.label" and old is not None:
        if situation.own(old.source, WITH, HANDS[0]) > situation.own(old.source, old.edge, HANDS[0]):
            return True
        return not situation.own(ANY, old.edge, HANDS[0])
    others = len(situation.story.graphs) - 1
    if edit.name == "add.hand" and 2 * situation.own(ANY, WITH, HANDS[0]) < max(others, ENOUGH):
        return False
    if edit.name == "add.dobj" and others + 1 < ENOUGH:
        return False
    gone = edit.before if edit.kind == "remove" else None
    if gone is None or gone.target in HANDS:
        return True
    near = len(situation.story.graphs) >= ENOUGH and situation.told
    is_far = gone.source != action_of(situation.graph)
    return situation.status(gone.target) == "unsaid" and not situation.own(*gone) and (near or not is_far)


def _beginnings(name: str) -> Iterator[str]:
    """Yield a name and its beginnings, the longest first."""
    parts = name.split(".")
    yield from (".".join(parts[:number]) for number in range(len(parts), 0, -1))


class _Scorer:
    """The scores of graphs in one situation; triplets are scored once for each action."""

    def __init__(self, situation: Situation, weights: Mapping[str, float]) -> None:
        self.situation, self.weights = situation, weights
        self.triplet = cache(self._triplet)

    def _triplet(self, action: str, triplet: Triplet) -> float:
        return self._sum(triplet_features(self.situation, action, triplet))

    def score(self, graph: ActionGraph) -> float:
        action = action_of(graph)
        return sum(self.triplet(action, one) for one in graph.triplets) + self._sum(
            graph_features(self.situation, action, graph)
        )

    def _sum(self, features: Sequence[tuple[str, float]]) -> float:
        weights = self.weights
        return sum(weights.get(name, 0.0) * value for name, value in features)


def reasons_for(situation: Situation, edit: Edit) -> tuple[str, ...]:
    """Return the evidence for an edit in words."""
    action = action_of(edit.made(situation.graph))
    found = [*_against(situation, edit), *_in_favour(situation, action, edit)]
    return tuple(dict.fromkeys(found)) or ("it fits the graphs around it better",)


def _against(situation: Situation, edit: Edit) -> list[str]:
    if edit.before is None or not situation.told:
        return []
    old = edit.before
    new: tuple[str, ...] = () if edit.after is None else edit.after
    gone = [name for name in (old.source, old.target) if name not in new and name not in HANDS]
    said = situation.said
    return [f"the sentence does not mention {name}" for name in gone if name not in said.names and edit.after is None]


def _in_favour(situation: Situation, action: str, edit: Edit) -> list[str]:
    one = edit.after
    if one is None:
        return []
    said, found = situation.said, list[str]()
    old: tuple[str, ...] = () if edit.before is None else edit.before
    if one.edge not in (VERB, DOBJ) and said.has_phrase(one.edge, one.target):
        found.append(f"the sentence says {one.edge.replace('-', ' ')} {one.target}")
    else:
        known = old or {name for other in situation.graph for name in (other.source, other.target)}
        new = [name for name in (one.source, one.target) if name not in known and name in said.names]
        found += [f"the sentence mentions {name}" for name in new if name not in HANDS]
    if one.target in HANDS and said.hands == 2:
        found.append("the sentence speaks of two hands")
    if one.target in situation.held and one.target not in old:
        found.append(f"a hand holds {one.target}")
    again = situation.own(one.source, one.edge, one.target)
    if again:
        found.append(f"{again} other graphs of the narrative have it" if again > 1 else "another graph has it")
    elif one.edge not in (VERB, WITH) and (number := situation.own(action, one.edge, ANY)) and one.edge not in old:
        found.append(f"{action} has {one.edge} in {'another graph' if number == 1 else f'{number} other graphs'}")
    return found
