"""Choice of the sentence that describes a graph: common words, matching hands, no contradictions.

>>> from tsgkit.graph import ActionGraph
>>> graph = ActionGraph.of(("person", "verb", "open"), ("open", "dobj", "jar"), ("open", "with", "hand1"))
>>> sample = SelectionSample(item_id="0", cluster="", context=(), graph=graph, position=1,
...                          candidates=("She closed the jar.", "The jar was opened.", "She put both hands in a jar."))
>>> select(sample)
'B'

A candidate gains for every word of the graph it tells (the action through a short table of synonyms too, prepositions
little) and for hands that agree; it loses for negations and for the opposite of the action. The context is not used:
it helped in none of the data this was made with. Ties are broken by the candidates' text, so no position is
favoured.
"""

from __future__ import annotations

from zlib import crc32

from tsgkit.graph.model import DOBJ, HANDS, VERB, WITH, ActionGraph
from tsgkit.suites.tsg.baselines.word_roots import NEGATIONS, all_roots, opposed, roots, words
from tsgkit.suites.tsg.items import LETTERS, SelectionSample

ACTION, THING, PLACE, PREPOSITION = 1.5, 2.0, 1.0, 0.5
SAME_ROOT, SAME_GROUP = 1.0, 0.6
HANDS_AGREE, NEGATED, OPPOSED = 1.0, 1.5, 1.5
HAND_WORDS = frozenset(("hand", "palm", "finger"))
BOTH = frozenset(("both", "two"))


def select(sample: SelectionSample) -> str:
    """Return the letter of the candidate that mentions most of the graph."""
    clues = clues_of(sample.graph)
    scores = [score(candidate, sample.graph, clues) for candidate in sample.candidates]
    ranked = sorted(
        range(len(scores)),
        key=lambda place: (-round(scores[place], 6), crc32(f"{sample.item_id} {sample.candidates[place]}".encode())),
    )
    return LETTERS[ranked[0]]


def clues_of(graph: ActionGraph) -> dict[str, float]:
    """Return the words of a graph with their weights."""
    clues: dict[str, float] = {}
    for _, edge, target in graph:
        if edge not in (VERB, DOBJ, WITH):
            _add(clues, edge, PREPOSITION)
        if target not in HANDS:
            _add(clues, target, ACTION if edge == VERB else THING if edge in (DOBJ, WITH) else PLACE)
    return clues


def score(candidate: str, graph: ActionGraph, clues: dict[str, float]) -> float:
    """Return the match of a sentence with a graph."""
    said = words(candidate)
    told = all_roots(said)
    total = sum(worth * _told(word, told) for word, worth in clues.items())
    total += HANDS_AGREE * _hands_agree(graph, told)
    total -= NEGATED * sum(1 for word in said if roots(word) & NEGATIONS)
    actions = all_roots(words(" ".join(graph.actions)))
    return total - OPPOSED * opposed(actions, told)


def _told(word: str, told: frozenset[str]) -> float:
    common = roots(word) & told
    if not common:
        return 0.0
    return SAME_ROOT if any(not root.startswith("~") for root in common) else SAME_GROUP


def _hands_agree(graph: ActionGraph, told: frozenset[str]) -> int:
    """Return 1 if both sentence and graph use two hands, -1 if only one of them does, 0 if neither."""
    drawn = {triplet.target for triplet in graph} >= set(HANDS)
    said = bool(told & HAND_WORDS) and bool(told & BOTH)
    return 1 if drawn and said else -1 if said else 0


def _add(clues: dict[str, float], name: str, worth: float) -> None:
    for word in words(name):
        clues[word] = max(worth, clues.get(word, 0.0))
