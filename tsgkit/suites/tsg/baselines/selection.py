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
    ranks = [
        (-round(score(text, sample.graph, clues), 6), crc32(f"{sample.item_id} {text}".encode()))
        for text in sample.candidates
    ]
    return LETTERS[ranks.index(min(ranks))]


def clues_of(graph: ActionGraph) -> dict[str, float]:
    """Return the words of a graph with their weights."""
    weights: list[tuple[str, float]] = []
    for _, edge, target in graph:
        if edge not in (VERB, DOBJ, WITH):
            weights.append((edge, PREPOSITION))
        if target not in HANDS:
            weights.append((target, ACTION if edge == VERB else THING if edge in (DOBJ, WITH) else PLACE))
    clues: dict[str, float] = {}
    for name, weight in weights:
        for word in words(name):
            clues[word] = max(weight, clues.get(word, 0.0))
    return clues


def score(candidate: str, graph: ActionGraph, clues: dict[str, float]) -> float:
    """Return the match of a sentence with a graph."""
    sentence = words(candidate)
    sentence_roots = all_roots(sentence)
    total = 0.0
    for word, weight in clues.items():
        if common := roots(word) & sentence_roots:
            total += weight * (SAME_GROUP if all(root.startswith("~") for root in common) else SAME_ROOT)
    if not sentence_roots.isdisjoint(HAND_WORDS) and not sentence_roots.isdisjoint(BOTH):
        total += HANDS_AGREE if {triplet.target for triplet in graph}.issuperset(HANDS) else -HANDS_AGREE
    total -= NEGATED * sum(1 for word in sentence if roots(word) & NEGATIONS)
    actions = all_roots(words(" ".join(graph.actions)))
    return total - OPPOSED * opposed(actions, sentence_roots)
