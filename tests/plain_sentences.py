"""A plain writer of graphs for tests that need sentences and not good ones."""

from __future__ import annotations

from tsgkit.graph.model import DOBJ, HANDS, PERSON, VERB, WITH, ActionGraph, Narrative
from tsgkit.suites.tsg.makers.choices import Word
from tsgkit.suites.tsg.makers.manners import Manner
from tsgkit.suites.tsg.makers.sentences import Sentence

STYLES = ("imperative", "present")


def plain_writer(story: Narrative, index: int) -> Word:
    """Return what writes one graph word for word."""
    return _write


def _write(graph: ActionGraph, manner: Manner) -> Sentence:
    action = graph.actions[0]
    parts = [_part(edge, target, manner) for source, edge, target in graph.triplets if source != PERSON]
    hands = [target for _, edge, target in graph.triplets if edge == WITH and target in HANDS]
    verb = action.replace("-", " ")
    opening = f"The person must not {verb}" if manner.is_denied else f"The person must {verb}"
    if manner.style == "imperative":
        opening = f"Do not {verb}" if manner.is_denied else verb.capitalize()
    return Sentence(" ".join([opening, *filter(None, parts), *_hands(hands, manner)]) + ".")


def _part(edge: str, target: str, manner: Manner) -> str:
    if target in HANDS or edge == VERB:
        return f"{edge} {target}" if edge != WITH and target in HANDS else ""
    affirmed, denied = manner.contrast or ("", "")
    preposition = edge.replace("-", " ")
    if edge == affirmed:
        preposition = f"{preposition}, not {denied.replace('-', ' ')},"
    thing = f"the {target.replace('-', ' ')}" + (f", not the {denied.replace('-', ' ')}," * (target == affirmed))
    return thing if edge == DOBJ else f"{preposition} {thing}"


def _hands(hands: list[str], manner: Manner) -> list[str]:
    if not hands or manner.hands == "unsaid":
        return []
    if manner.hands == "counted":
        return ["with both hands" if len(set(hands)) == len(HANDS) else "with one hand"]
    return [f"with {' and '.join(sorted(set(hands)))}"]
