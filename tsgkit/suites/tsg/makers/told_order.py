"""The order in which a text tells the actions of graphs, with words of time that turn it round.

>>> from tsgkit.suites.tsg.makers.sentences import Sentence
>>> take = ActionGraph.of(("person", "verb", "take"), ("take", "dobj", "cup"))
>>> wipe = ActionGraph.of(("person", "verb", "wipe"), ("wipe", "dobj", "cup"))
>>> sentence = Sentence("Wipe the cup after taking it.", {"take": ("taking",), "wipe": ("Wipe",), "cup": ("cup", "it")})
>>> for graphs in ([take, wipe], [wipe, take]):
...     told = ToldText.of(sentence, graphs)
...     print(list(wrong_order(told, events(told))))
[]
['The sentence tells the actions in another order; theirs is: wipe, take.']
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

from tsgkit.graph.model import ActionGraph
from tsgkit.lexicon.prepositions import PREPOSITIONS
from tsgkit.lexicon.tables import word_set
from tsgkit.suites.tsg.makers.sentences import nodes_of
from tsgkit.suites.tsg.makers.told_text import DETERMINERS, POINTERS, Place, ToldText

AFTER = word_set("after once having following when as whenever since because now")
"""Words before the earlier of two actions."""
BEFORE = word_set("before until till")
LATER = word_set("then finally next afterwards later lastly")
UNLIKE_ONCE = word_set("more again")
NO_ORDER = word_set("while meanwhile simultaneously already earlier previously beforehand")
"""Words that make the order uncertain."""


class Event(NamedTuple):
    """A graph, how often it is done in a row, and the words that tell its action."""

    number: int
    graph: ActionGraph
    times: int
    place: Place


def units(graphs: Sequence[ActionGraph]) -> list[tuple[ActionGraph, int]]:
    """Return graphs with equal ones in a row taken together."""
    return [(graph, len(list(group))) for graph, group in groupby(graphs)]


def events(told: ToldText) -> list[Event]:
    """Return the graphs whose action has words, each with the words that tell it, in the order of the graphs."""
    found: list[Event] = []
    used: set[Place] = set()
    said = {action: verb_places(action, told) for action in told.actions}
    starts = sorted({place[0] for places in said.values() for place in places})
    for number, (graph, times) in enumerate(units(told.graphs)):
        places = [place for action in graph.actions for place in said[action]]
        if not places:
            continue
        free = [place for place in places if place not in used] or places
        best = max(free, key=lambda place: (_score(graph, place, starts, told), -place[0]))
        used.add(best)
        found.append(Event(number, graph, times, best))
    return found


def verb_places(action: str, told: ToldText) -> list[Place]:
    """Return the places of an action; of one that is a thing too, those where a verb may stand."""
    places = list(told.places[action])
    if action not in told.things:
        return places
    openers = (DETERMINERS | PREPOSITIONS) - {"to", "before", "after"}
    verbs = [place for place in places if told.word(place[0]) not in openers | POINTERS]
    return [place for place in verbs if told.word(place[0] - 1) not in openers] or verbs or places


def _score(graph: ActionGraph, place: Place, starts: Sequence[int], told: ToldText) -> float:
    """Return how many parts of a graph have words around an action: behind it, or (less surely) before it."""
    following = next((start for start in starts if start > place[0]), len(told.tokens))
    earlier = max((start for start in starts if start < place[0]), default=-1)
    score = 0.0
    for name in set(nodes_of(graph)) - set(graph.actions):
        indices = [found[0] for found in told.places[name]]
        if any(place[0] < index < following for index in indices):
            score += 1.0
        elif any(earlier < index < place[0] for index in indices):
            score += 0.6
    return score


def wrong_order(told: ToldText, found: Sequence[Event]) -> Iterator[str]:
    """Find actions in another order than that of the graphs.

    Words that tell several graphs may stand for the first or the last of them.
    """
    by_words = [{event.place: event for event in some} for some in (found[::-1], found)]
    if len(by_words[0]) < 2 or _has_no_order(told):
        return
    for one in by_words:
        in_text = sorted(one.values(), key=lambda event: (event.place[0], event.number))
        orders = [_in_time(in_text, told, is_near=is_near) for is_near in (True, False)]
        if any(numbers == sorted(numbers) for numbers in orders):
            return
    wanted = ", ".join(" ".join(graph.actions) for graph, _ in units(told.graphs))
    yield f"The sentence tells the actions in another order; theirs is: {wanted}."


def _has_no_order(told: ToldText) -> bool:
    words = {token.word for token in told.tokens}
    return not words.isdisjoint(NO_ORDER)


def _in_time(in_text: Sequence[Event], told: ToldText, *, is_near: bool) -> list[int]:
    """Return the numbers of the graphs in the order that the text says; ``is_near``: what follows an action that comes
    earlier belongs to it, if no word speaks against it."""
    order = [in_text[0].number]
    for before, event in pairwise(in_text):
        place = order.index(before.number)
        if _is_turned(before, event, told):
            order.insert(place, event.number)
        elif is_near and not _is_resumed(before, event, told):
            order.insert(place + 1, event.number)
        else:
            order.append(event.number)
    return order


def _is_resumed(before: Event, event: Event, told: ToldText) -> bool:
    """Return whether a new main clause begins between two actions."""
    start, end = before.place[0] + 1, event.place[0]
    words = {told.word(index) for index in range(start, end)}
    return not told.gaps(start, end + 1).isdisjoint({".", ";"}) or not words.isdisjoint(LATER)


def _is_turned(before: Event, event: Event, told: ToldText) -> bool:
    """Return whether a text says that the action told second is done first."""
    start, end = before.place[0] + 1, event.place[0]
    sentence = _start_of_sentence(before.place[0], told)
    between = [index for index in range(start, end) if index not in before.place]
    if any(told.gap(index) == "." for index in range(start, end + 1)):
        return _is_first_again(start, end, told)
    if _opens_with_before(sentence, before.place[0], told):
        return True
    is_denied = any(map(told.denies, range(max(sentence, before.place[0] - 3), before.place[0])))
    if is_denied and any(told.word(index) in BEFORE for index in between):
        return True
    return any(_introduces_earlier(index, end, told) for index in between)


def _is_first_again(start: int, end: int, told: ToldText) -> bool:
    """Return whether a new sentence goes back: *Before that, wipe it*, *First, however*."""
    last = max((index for index in range(start, end + 1) if told.gap(index) == "."), default=start)
    words = [told.word(index) for index in range(last, end)]
    return (words[:1] == ["before"] and words[1:2] in (["that"], ["this"], ["doing"])) or "had" in words


def _start_of_sentence(index: int, told: ToldText) -> int:
    while index > 0 and told.gap(index) != ".":
        index -= 1
    return index


def _opens_with_before(start: int, action: int, told: ToldText) -> bool:
    """Return whether the clause of an action begins its sentence, or follows *and*, with *before*."""
    for index in range(start, action):
        if told.word(index) in BEFORE and told.word(index + 1) not in ("that", "this", "long"):
            if action - index > 4:
                continue
            opener = told.word(index - 1)
            return (
                index == start
                or (opener in ("and", "but", "then", "even", "just", "right") and index - start < 4)
                or (opener in ("and", "but") and told.gap(index) in (",", ""))
                or told.gap(index) in (";",)
            )
    return False


def _introduces_earlier(index: int, action: int, told: ToldText) -> bool:
    """Return whether a word between two actions says that the second is done first."""
    word, following = told.word(index), told.word(index + 1)
    if word not in AFTER or action - index > 12:
        return False
    if word in ("after", "following") and following in ("that", "which", "this", "what"):
        return False
    if word in ("after", "following", "having"):
        return not _is_new_clause(index + 1, action, told) and not told.gap(index + 1) and _stands_apart(index, told)
    if word == "once":
        return following not in UNLIKE_ONCE and _is_clause(index, action, told)
    if word == "as":
        return following == "soon" and _is_clause(index, action, told)
    if word in ("when", "now", "since"):
        return _is_clause(index, action, told) and not told.gap(index) and _is_perfect(index, action, told)
    return False


def _stands_apart(index: int, told: ToldText) -> bool:
    """Return whether *after* does not open the main clause that follows it: ", and after X, Y" tells Y last."""
    opener = told.word(index - 1)
    return not (opener in ("and", "then", "but") or told.gap(index) in (".", ";"))


def _is_new_clause(start: int, end: int, told: ToldText) -> bool:
    """Return whether a main clause begins between an *after* and an action: after a comma, or with *she*."""
    return any(told.gap(index) in (",", ";") for index in range(start, end + 1))


def _is_clause(index: int, action: int, told: ToldText) -> bool:
    return _stands_apart(index, told) and not _is_new_clause(index + 1, action, told)


def _is_perfect(index: int, action: int, told: ToldText) -> bool:
    words = {told.word(place) for place in range(index, action)}
    return not words.isdisjoint({"has", "have", "had", "been", "is", "are", "was", "were"})
