"""Checks of where a text says that things are: prepositions that contradict the graphs, things that changed places.

>>> may_be_said("inside", "in"), may_be_said("under", "on"), may_be_said("using", "with")
(True, False, True)

This is for judging whole sentences, where English is freer than edges are; what may be said of one situation in a
question with one right answer is stricter (:mod:`tsgkit.lexicon.preposition_senses`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from tsgkit.graph.model import DOBJ, HANDS, PERSON, VERB, ActionGraph, Triplet
from tsgkit.lexicon import fold
from tsgkit.lexicon.tables import word_set
from tsgkit.suites.tsg.makers.sentence_events import Event, told_with
from tsgkit.suites.tsg.makers.sentences import CONJUNCTIONS, AnnotatedText

TELLING = word_set(
    "in into inside on onto upon off from out-of under below beneath underneath over above behind beside near between "
    "through around against in-front-of next-to out on-top-of away-from within across along to toward towards past"
    " among atop"
)
"""Prepositions that tell a place or a way; others say nothing certain."""
FITTING = {
    edge: word_set(words)
    for edge, words in {
        "with": "through in from between on",
        "in": "into inside within to through on among under",
        "inside": "in into within to",
        "into": "in inside within to through onto on",
        "within": "in into inside",
        "on": "onto upon on-top-of atop over across along against to around in into",
        "onto": "on upon on-top-of atop over across to around into against in",
        "on-top-of": "on onto upon atop over above",
        "upon": "on onto on-top-of atop over",
        "over": "above on onto across upon around through on-top-of past into along in to",
        "above": "over on-top-of",
        "across": "over on along through onto around",
        "along": "across on over through against around",
        "off": "from out-of away-from on out",
        "from": "off out-of away-from out in on inside under",
        "out-of": "from off out away-from in",
        "under": "below beneath underneath in into",
        "below": "under beneath underneath",
        "beneath": "under below underneath",
        "to": "into onto on toward towards against in around upon",
        "toward": "to towards",
        "towards": "to toward",
        "against": "on to onto along upon over across into",
        "around": "over on onto across along through",
        "round": "around over on onto",
        "about": "around over on",
        "through": "into in across along over from to",
        "between": "among in into",
        "among": "between in into",
        "behind": "",
        "in-front-of": "",
        "beside": "near next-to to against along",
        "next-to": "beside near to against along",
        "near": "beside next-to to around",
        "by": "beside near next-to to",
        "at": "on near in to from over against",
        "down": "along over through into off from on",
        "up": "along over through to on onto",
        "past": "over along",
        "beyond": "past behind over",
    }.items()
}
"""The prepositions of a text that may stand for an edge, of those in :data:`TELLING`."""
TOOLS = ("with", "using")
PASSIVES = word_set("is are was were gets get got being been be")
MOVING = word_set("go goes went come comes came gone moves moved travels")
"""Verbs by which a thing, as it were, moves itself."""
PLACE_WORDS = word_set("where which that")


@lru_cache(maxsize=20_000)
def may_be_said(word: str, edge: str) -> bool:
    """Return whether a preposition of a text may stand for an edge; in doubt it may."""
    word, edge = fold(word), fold(edge)
    return word == edge or word not in TELLING or edge not in FITTING or word in FITTING[edge]


def misplaced(text: AnnotatedText, events: Sequence[Event]) -> tuple[list[str], list[str]]:
    """Return the findings on prepositions that contradict the graphs, and on things that have changed places."""
    prepositions: list[str] = []
    roles: list[str] = []
    of_graphs = {event.graph: event for event in events}
    for graph in dict.fromkeys(text.graphs):
        event = of_graphs.get(graph)
        if swapped := _swapped(graph, text) or (_swapped_near(event, events, text) if event else None):
            roles.append(f"{swapped[0]} and {swapped[1]} have changed places.")
            continue
        for phrase in _phrases(graph):
            governing = _governing(phrase.target, text)
            edges = {other.edge for each in text.graphs for other in each if other.target == phrase.target}
            if governing and not any(may_be_said(word, edge) for word in governing for edge in edges):
                word = governing[0].replace("-", " ")
                prepositions.append(f'"{word}" before {phrase.target} contradicts {phrase.edge} of the graph.')
        if event and len(told_with(event, events)) == 1:
            prepositions += _contradicted_near(event, events, text)
    return prepositions, roles


def _phrases(graph: ActionGraph) -> list[Triplet]:
    """Return the prepositions of a graph with their things."""
    return [one for one in graph if one.edge not in (VERB, DOBJ) and one.source != PERSON and one.target not in HANDS]


def _parts_behind(event: Event, events: Sequence[Event], text: AnnotatedText) -> Iterator[tuple[str, str]]:
    """Yield the things behind an action, to the next mark, conjunction or action, each with its preposition."""
    is_whole = event.place[-1] - event.start == len(event.place) - 1
    start = (event.place[-1] if is_whole else event.start) + 1
    others = {other.start for other in events if other.place != event.place}
    heads = {place[0]: (thing, place) for thing in text.things for place in text.places[thing]}
    for index in range(start, start + 14):
        if index in others or text.gap(index) or text.word(index) in CONJUNCTIONS | PLACE_WORDS:
            return
        if index in heads:
            thing, place = heads[index]
            word, at = text.before_phrase(place)
            yield thing, word if at >= start else ""


def _contradicted_near(event: Event, events: Sequence[Event], text: AnnotatedText) -> Iterator[str]:
    """Find prepositions right behind an action that contradict what its own graph says of their thing."""
    for thing, word in _parts_behind(event, events, text):
        ways = [one for one in event.graph if one.target == thing and one.source != PERSON]
        is_joined = any(one.source not in event.graph.actions for one in ways)
        if word and ways and not is_joined and not any(may_be_said(word, one.edge) for one in ways):
            yield f'"{word.replace("-", " ")}" before {thing} contradicts {ways[0].edge} of the graph.'


def _swapped_near(event: Event, events: Sequence[Event], text: AnnotatedText) -> tuple[str, str] | None:
    """Return a direct object told behind a preposition of another thing, which stands right before or behind it."""
    before = event.start - 1
    if text.word(event.start) in TELLING | MOVING or text.word(before) in ("a", "the"):
        return None
    parts = list(_parts_behind(event, events, text))
    bare = [thing for thing, word in parts[:1] if not word]
    if not bare and text.word(before) in PASSIVES and not text.gap(before):  # the towel is covered
        bare = [thing for thing in text.things for place in text.places[thing] if place[-1] == before - 1][-1:]
    objects = {one.target for one in event.graph if one.edge == DOBJ} - set(HANDS)
    edges = {phrase.target: phrase.edge for phrase in _phrases(event.graph)}
    for thing, word in parts:
        for other in bare:
            if thing in objects - edges.keys() and other in edges.keys() - objects:
                is_tool = edges[other] in TOOLS
                if word in TOOLS if is_tool else word in TELLING and may_be_said(word, edges[other]):
                    return thing, other
    return None


def _governing(thing: str, text: AnnotatedText) -> list[str]:
    """Return the prepositions before a thing, at every place; none if it stands somewhere without one."""
    governing = []
    for place in text.places[thing]:
        word, index = text.before_phrase(place)
        is_possessive = "s" in (text.word(place[-1]), text.word(place[-1] + 1))
        if not word or index in text.owners or is_possessive or text.points(place):
            return []
        governing.append(word)
    return governing


def _swapped(graph: ActionGraph, text: AnnotatedText) -> tuple[str, str] | None:
    """Return a direct object told behind a preposition, and another thing of the graph told without one."""
    edges = [one for each in text.graphs for one in each if one.edge not in (VERB, DOBJ)]
    for thing in [one.target for one in graph if one.edge == DOBJ and one.target not in HANDS]:
        word = "".join(_governing(thing, text)[:1])
        has_role = any(may_be_said(word, one.edge) for one in edges if one.target == thing)
        if word not in TELLING.union(TOOLS) or has_role:
            continue
        for other, edge in [(phrase.target, phrase.edge) for phrase in _phrases(graph)]:
            places = text.places[other]
            is_bare = not any(text.before_phrase(place)[0] or text.points(place) for place in places)
            if other != thing and may_be_said(word, edge) and places and is_bare:
                return thing, other
    return None
