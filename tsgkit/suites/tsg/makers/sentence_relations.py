"""Checks of what a sentence says about actions: how often, with which hands, whether at all, and where things are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tsgkit.graph.model import DOBJ, HANDS, PERSON, VERB, ActionGraph
from tsgkit.lexicon.tables import word_set
from tsgkit.suites.tsg.makers.claims import hands_of
from tsgkit.suites.tsg.makers.preposition_fit import TELLING, may_be_said
from tsgkit.suites.tsg.makers.sentences import nodes_of
from tsgkit.suites.tsg.makers.told_order import Event, units, verb_places
from tsgkit.suites.tsg.makers.told_text import CONJUNCTIONS, DETERMINERS, Place, ToldText

COUNTS = {"once": 1, "twice": 2, "thrice": 3}
_NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
NUMBERS = {word: number for number, word in enumerate(_NUMBERS, 1)}
COUNTING = {
    number: word_set(words)
    for number, words in {2: "two both pair second other 2", 3: "three third 3", 4: "four 4", 5: "five 5"}.items()
}
"""Words by which a text may count what an action is done to (*both nuts*, *in three places*)."""
VAGUE = word_set(
    "repeatedly several multiple many few repeat repeats repeating repeated another more again keep keeps "
    "kept couple times each various"
)
INTENDING = word_set(
    "forget forgets forgot forgetting fail fails failed failing refuse refuses refused skip skips skipped skipping "
    "omit omits omitted avoid avoids avoided avoiding decline declines pretend pretends neglect neglects "
    "stop stops intend intends intended plan plans planned want wants wanted hesitate hesitates almost nearly "
    "hope hopes considers consider considered postpone postpones ignore ignores ignored ignoring leave-out "
    "tries trying tried attempts attempted attempting meaning hoping intending planning"
)
INTENDING_PAIRS = frozenset(tuple(pair.split("-")) for pair in word_set("about-to would-have in-vain remains-for"))
PASSIVES = word_set("is are was were gets get got being been be")
MOVING = word_set("go goes went come comes came gone moves moved travels")
"""Verbs by which a thing, as it were, moves itself."""
PLACE_WORDS = word_set("where which that")
HAND_OPENERS = word_set("with in using by from to")
"""Prepositions before words about hands."""
NOT_DENYING = word_set("only just merely yet until before unless far too long necessarily least stopping forgetting")


def wrong_numbers(told: ToldText, found: Sequence[Event], before: Sequence[ActionGraph]) -> Iterator[str]:
    """Find actions that the text tells more or less often than the graphs."""
    counted = list(_counts(told))
    for number, index in counted:
        near = _near(index, found, told)
        is_more = told.word(index + 1) == "more"
        if near and not any(_fits(number, event, found, is_more=is_more) for event in near):
            event = near[0]
            yield f'"{told.word(index)}" does not fit: {_action(event)} is done {_times(event.times)} here.'
    for event in found:
        if event.times > 1 and not _tells_times(event, found, counted, told):
            yield f"{_action(event)} is done {_times(event.times)}: say so."
    for index in _agains(told):
        if before and not _may_be_again(_near(index, found, told), told, before):
            yield f'"{told.word(index)}" does not fit: nothing of the kind was done before.'


def _action(event: Event) -> str:
    return " ".join(event.graph.actions)


def _times(number: int) -> str:
    return {1: "once", 2: "twice"}.get(number, f"{number} times")


def _counts(told: ToldText) -> Iterator[tuple[int, int]]:
    """Yield numbers of times with their tokens; ``once`` only where it counts."""
    for index, token in enumerate(told.tokens):
        following = told.word(index + 1)
        if token.word in ("twice", "thrice"):
            extra = 1 if following == "more" else 0
            yield COUNTS[token.word] + extra, index
        elif following in ("times", "time") and token.word in NUMBERS and following == "times":
            yield NUMBERS[token.word], index
        elif token.word.isdigit() and following in ("times", "x") and int(token.word[:3]) < 100:
            yield int(token.word[:3]), index
        elif NUMBERS.get(token.word, 1) > 1 and following == "more" and told.word(index + 2) == "times":
            yield NUMBERS[token.word] + 1, index
        elif token.word == "once" and _counts_once(index, told):
            yield 1, index


def _counts_once(index: int, told: ToldText) -> bool:
    """Return whether *once* is a number: *just once*, or at the end of a clause."""
    if told.word(index + 1) in ("more", "again"):
        return False
    return told.word(index - 1) in ("just", "only", "exactly") or (bool(told.gap(index + 1)) and not told.gap(index))


def _near(index: int, found: Sequence[Event], told: ToldText) -> list[Event]:
    """Return the events that a word may belong to: the one before it, or the one after it where a clause begins."""
    before = [event for event in found if event.place[0] <= index]
    after = [event for event in found if event.place[0] > index]
    first = max(before, key=lambda event: event.place[0], default=None)
    second = min(after, key=lambda event: event.place[0], default=None)
    opens = bool(told.gap(index)) or told.word(index - 1) in ("and", "then", "but", "or")
    if first is not None and not (opens and second is not None):
        is_between = not told.gaps(first.place[0] + 1, index + 1).isdisjoint({".", ";"})
        return [event for event in (first, second if is_between else None) if event is not None]
    return [event for event in (second, first) if event is not None]


def _fits(number: int, event: Event, found: Sequence[Event], *, is_more: bool) -> bool:
    """Return whether an action is done so often: in a row, or with its like; *twice more* may count earlier ones."""
    alike = sum(other.times for other in found if set(other.graph.actions) == set(event.graph.actions))
    return not {number, number - is_more}.isdisjoint({event.times, alike})


def _tells_times(event: Event, found: Sequence[Event], counted: Sequence[tuple[int, int]], told: ToldText) -> bool:
    words = {one.word for number, one in enumerate(told.tokens) if not told.word(number + 1).startswith("hand")}
    numbers = {number for number, _ in counted}
    numbers |= {number - 1 for number, index in counted if told.word(index + 1) == "more"}
    if event.times in numbers or not words.isdisjoint(COUNTING.get(event.times, ())):
        return True
    said = sum(len(_own_places(action, event, found, told)) for action in event.graph.actions)
    if not words.isdisjoint(VAGUE | {"twice", "thrice"}) and not counted:
        return True
    return said >= event.times


def _own_places(action: str, event: Event, found: Sequence[Event], told: ToldText) -> list[Place]:
    """Return where the text tells an action for one event: not beyond the words for another."""
    others = [other.place[0] for other in found if other is not event]
    start = event.place[0]
    return [
        place
        for place in verb_places(action, told)
        if not any(min(start, place[0]) < other < max(start, place[0]) for other in others)
    ]


def _agains(told: ToldText) -> Iterator[int]:
    for index, token in enumerate(told.tokens):
        if token.word == "again" or (token.word == "once" and told.word(index + 1) in ("more", "again")):
            yield index


def _may_be_again(near: Sequence[Event], told: ToldText, before: Sequence[ActionGraph]) -> bool:
    """Return whether an action or its thing occurs before, so that *again* can mean it."""
    for event in near:
        earlier = [*before, *(graph for graph, _ in units(told.graphs)[: event.number])]
        names = {name for graph in earlier for name in nodes_of(graph)} - set(HANDS)
        if event.times > 1 or not names.isdisjoint(set(nodes_of(event.graph)) - set(HANDS)):
            return True
    return not near


class HandWords(NamedTuple):
    """Words about hands, their kind, and their token."""

    kind: str
    at: int


def wrong_hands(told: ToldText, found: Sequence[Event], before: Sequence[ActionGraph]) -> Iterator[str]:
    """Find words about hands that fit no graph they may belong to."""
    said = list(_hand_words(told))
    for one in said:
        near = _near_of_hands(one.at, found, told)
        kinds = {other.kind for other in said if set(_near_of_hands(other.at, found, told)[:1]) == set(near[:1])}
        if near and not any(_hands_fit(one.kind, kinds, event, told, before) for event in near):
            used = sorted(hands_of(near[0].graph))
            what = " and ".join(used) if used else "no hand is named"
            yield f'"{_around(one.at, told)}" does not fit the graph: {_action(near[0])} with {what}.'


def _around(index: int, told: ToldText) -> str:
    return " ".join(told.word(place) for place in range(max(index - 1, 0), index + 1))


def _hand_words(told: ToldText) -> Iterator[HandWords]:
    """Yield what is said of hands: both, one, other, hand1, hand2."""
    has_one = False
    for index, token in enumerate(told.tokens):
        word, before, second = token.word, told.word(index - 1), told.word(index - 2)
        if kind := _kind(word, before, second, told.word(index + 1)):
            has_one = has_one or kind in ("one", "other", *HANDS)
            yield HandWords(kind, index)
        elif word == "other" and before == "the" and has_one and _is_bare_other(index, told):
            yield HandWords("other", index)


def _kind(word: str, before: str, second: str, after: str) -> str:
    if word in HANDS:
        return word
    if word == "hand" and after in ("1", "2"):
        return f"hand{after}"
    if word == "hands":
        is_counted = {before, second} & {"both", "two"} or (
            before in ("his", "her", "your", "my", "their") and second == "of"
        )
        return "both" if is_counted else ""
    if word in ("handed", "handedly", "handedness"):
        return {"two": "both", "both": "both", "double": "both", "one": "one", "single": "one"}.get(before, "")
    if word in ("bimanually", "twohanded"):
        return "both"
    if word == "hand":
        if before in ("other", "opposite", "second", "spare"):
            return "other"
        return "one" if before in ("one", "single") else ("free" if before == "free" else "")
    return "both" if word == "both" and after in ("hand", "palms") else ""


def _is_bare_other(index: int, told: ToldText) -> bool:
    """Return whether *the other* ends its phrase and follows *with*, *in* or the like."""
    opener = told.word(index - 2)
    return opener in ("with", "in", "using", "to", "into") and (
        bool(told.gap(index + 1))
        or (
            told.word(index + 1) not in ("",)
            and told.word(index + 1) in ("and", "she", "he", "i", "you", "then", "they", "we")
        )
    )


def _near_of_hands(index: int, found: Sequence[Event], told: ToldText) -> list[Event]:
    """Return the events that words about hands may belong to."""
    start = _start_of_phrase(index, told)
    has_opener = told.word(start) in HAND_OPENERS
    if not has_opener and not told.word(index).startswith("handed"):
        subject = [event for event in found if index < event.place[0] <= index + 3 and not told.gap(event.place[0])]
        if subject:
            return _sharing(subject[0], found)
    before = max((event for event in found if event.place[0] <= index), key=lambda event: event.place[0], default=None)
    after = min((event for event in found if event.place[0] > index), key=lambda event: event.place[0], default=None)
    opens = told.gap(start) in (".", ";") or told.word(start - 1) in ("and", "then", "but", "while")
    if opens and after is not None:
        return _sharing(after, found)
    near = [event for event in (before, after) if event is not None]
    if len(near) == 2 and told.gap(start) != ",":
        near = near[:1]
    return [one for event in near for one in _sharing(event, found)]


def _start_of_phrase(index: int, told: ToldText) -> int:
    """Return where a phrase about hands begins: *with the wire in both hands* at its first preposition."""
    start = _opener(index, told)
    if start < index and told.word(start - 2) in DETERMINERS and not told.gaps(start - 2, start + 1):
        start = start - 3 if told.word(start - 3) in HAND_OPENERS else start
    return start


def _opener(index: int, told: ToldText) -> int:
    """Return the preposition before words about hands; the words themselves where a mark comes before one."""
    for place in range(index, max(index - 5, -1), -1):
        if told.word(place) in HAND_OPENERS:
            return place
        if told.gap(place):
            break
    return index


def _sharing(event: Event, found: Sequence[Event]) -> list[Event]:
    """Return an event and those that the same words tell."""
    return [event, *(one for one in found if one.place == event.place and one is not event)]


def _hands_fit(kind: str, kinds: set[str], event: Event, told: ToldText, before: Sequence[ActionGraph]) -> bool:
    used = hands_of(event.graph)
    named = {name for name in nodes_of(event.graph) if name in HANDS}
    if kind == "both":
        return len(named) == 2
    if kind in HANDS:
        return kind in named and (used <= kinds or "both" in kinds or not used)
    if kind == "one" and len(used) == len(HANDS) and _is_one_of_two(told):
        return True
    if kind == "one":
        return len(used) == 1 or (len(named) == 2 and ("other" in kinds or len(used) < 2)) or (not used and bool(named))
    if kind == "free":
        return len(named) >= 1
    if len(named) == 2:
        return "one" in kinds or len(used) < 2
    return len(named) == 1 and _may_be_other(event, named, told, before)


def _is_one_of_two(told: ToldText) -> bool:
    """Return whether the text tells of one hand and then of the other: *one hand for each*."""
    words = [token.word for token in told.tokens]
    start = words.index("hand") if "hand" in words else 0
    return not {"each", "other"}.isdisjoint(words[start:])


def _may_be_other(event: Event, named: set[str], told: ToldText, before: Sequence[ActionGraph]) -> bool:
    """Return whether the hand of an event is another than in one of the last two graphs that name a hand."""
    earlier = [*before, *(graph for graph, _ in units(told.graphs)[: event.number])]
    hands = [used for graph in reversed(earlier) if (used := hands_of(graph))]
    return not hands or any(used != named for used in hands[:2])


def denied(told: ToldText) -> Iterator[str]:
    """Find actions and things of the graphs that the text denies, or tells as merely meant to be done."""
    for index, token in enumerate(told.tokens):
        if told.denies(index):
            yield from _denied_at(index, told)
        elif token.word in INTENDING or (token.word, told.word(index + 1)) in INTENDING_PAIRS:
            yield from _intended_at(index, told)


def _denied_at(index: int, told: ToldText) -> Iterator[str]:
    first = index + (2 if told.word(index) in ("instead", "rather") else 1)
    if told.word(first) in NOT_DENYING or _is_doubled(index, told):
        return
    for place in range(first, min(first + 5, len(told.tokens))):
        if place > first and (told.gap(place) or told.word(place) in ("but", "before", "until", "and", "till")):
            return
        if owners := _denied_owners(place, index, told):
            yield f'"{told.word(index)}" denies {owners[0]}: tell that it is done.'
            return
        if told.word(place) in ("until", "till"):
            return


def _denied_owners(place: int, index: int, told: ToldText) -> list[str]:
    """Return the nodes of a word that are denied: told there, and for things nowhere else."""
    nodes = []
    for node in told.owners.get(place, ()):
        if node in HANDS:
            continue
        own = told.places[node]
        elsewhere = [found for found in own if not index < found[0] <= index + 6]
        if not elsewhere or (node in told.actions and len(elsewhere) < _needed(node, told)):
            nodes.append(node)
    later = {told.word(one) for one in range(index + 1, min(index + 9, len(told.tokens)))}
    return (
        nodes if later.isdisjoint({"before", "until", "till"}) else [node for node in nodes if node not in told.actions]
    )


def _needed(action: str, told: ToldText) -> int:
    return len([1 for graph, _ in units(told.graphs) if action in graph.actions])


def _is_doubled(index: int, told: ToldText) -> bool:
    """Return whether a denial denies another one: *not without*, *never fails to*."""
    near = {told.word(place) for place in range(index + 1, index + 3)} | {told.word(index - 1)}
    return not near.isdisjoint(
        {"without", "forgetting", "fail", "fails", "omitting", "skipping", "forget"} - {told.word(index)}
    ) or (told.word(index) == "without" and told.word(index - 1) in ("not", "never"))


def _intended_at(index: int, told: ToldText) -> Iterator[str]:
    if any(map(told.denies, range(max(0, index - 3), index))):
        return
    for place in range(index + 1, min(index + 5, len(told.tokens))):
        if told.gap(place) or told.word(place) in CONJUNCTIONS:
            return
        actions = [node for node in told.owners.get(place, ()) if node in told.actions]
        if actions and not [found for found in told.places[actions[0]] if found[0] != place and place not in found]:
            yield f'"{told.word(index)}" leaves open whether {actions[0]} is done: tell that it is done.'
            return


def misplaced(told: ToldText, found: Sequence[Event]) -> dict[str, list[str]]:
    """Return the findings on things that have changed places, and on prepositions that contradict the graphs."""
    problems: dict[str, list[str]] = {"wrong-preposition": [], "wrong-role": []}
    of_graphs = {event.graph: event for event in found}
    for graph in dict.fromkeys(told.graphs):
        event = of_graphs.get(graph)
        if (swapped := _swapped(graph, told) or (event and _swapped_near(event, found, told))) is not None:
            problems["wrong-role"].append(f"{swapped[0]} and {swapped[1]} have changed places.")
        else:
            problems["wrong-preposition"] += _wrong_prepositions(graph, told)
            problems["wrong-preposition"] += _contradicted_near(event, found, told) if event else ()
    return problems


def _parts_behind(event: Event, found: Sequence[Event], told: ToldText) -> Iterator[tuple[str, str]]:
    """Yield the things behind an action, to the next mark, conjunction or action, each with its preposition."""
    start = event.place[-1] + 1 if _is_whole(event.place) else event.place[0] + 1
    others = {other.place[0] for other in found if other.place != event.place}
    heads = {place[0]: (thing, place) for thing in told.things for place in told.places[thing]}
    for index in range(start, min(start + 14, len(told.tokens))):
        if index in others or told.gap(index) or told.word(index) in CONJUNCTIONS | PLACE_WORDS:
            return
        if index in heads:
            thing, place = heads[index]
            word, at = told.before_phrase(place)
            yield thing, word if at >= start else ""


def _is_whole(place: Place) -> bool:
    return place[-1] - place[0] == len(place) - 1


def _contradicted_near(event: Event, found: Sequence[Event], told: ToldText) -> Iterator[str]:
    """Find prepositions right behind an action that contradict what its own graph says of their thing."""
    for thing, word in _parts_behind(event, found, told):
        ways = [one for one in event.graph if one.target == thing and one.source != PERSON]
        is_joined = any(one.source not in event.graph.actions for one in ways)
        edges = [one.edge for one in ways]
        is_said = not word or not edges or DOBJ in edges or any(may_be_said(word, edge) for edge in edges)
        if not is_said and not is_joined and len(_sharing(event, found)) == 1:
            yield f'"{word.replace("-", " ")}" before {thing} contradicts {edges[0]} of the graph.'


def _swapped_near(event: Event, found: Sequence[Event], told: ToldText) -> tuple[str, str] | None:
    """Return a direct object told behind a preposition of another thing, which stands right before or behind it."""
    objects = {one.target for one in event.graph if one.edge == DOBJ} - set(HANDS)
    phrases = {one.target: one.edge for one in event.graph if one.edge not in (VERB, DOBJ) and one.source != PERSON}
    behind = list(_parts_behind(event, found, told))
    bare = [thing for thing, word in behind[:1] if not word] or _subject(event, told)
    if told.word(event.place[0]) in TELLING | MOVING or told.word(event.place[0] - 1) in ("a", "the"):
        return None
    for thing, word in behind:
        for other in bare:
            is_turned = thing in objects - phrases.keys() and other in phrases.keys() - objects - set(HANDS)
            if is_turned and _says_same_relation(word, phrases[other]):
                return thing, other
    return None


def _says_same_relation(word: str, edge: str) -> bool:
    tools = {"with", "using"}
    return word in tools if edge in tools else word in TELLING and may_be_said(word, edge)


def _subject(event: Event, told: ToldText) -> list[str]:
    """Return the thing that a passive action is done to: *the towel is covered*."""
    index = event.place[0] - 1
    if told.word(index) not in PASSIVES:
        return []
    last = {place[-1]: thing for thing in told.things for place in told.places[thing]}
    return [last[index - 1]] if index - 1 in last and not told.gap(index) else []


def _wrong_prepositions(graph: ActionGraph, told: ToldText) -> Iterator[str]:
    for triplet in graph:
        if triplet.edge in (VERB, DOBJ) or triplet.source == PERSON or triplet.target in HANDS:
            continue
        governed = _governing(triplet.target, told)
        edges = {other.edge for each in told.graphs for other in each if other.target == triplet.target}
        if governed and not any(may_be_said(word, edge) for word in governed for edge in edges):
            word = governed[0].replace("-", " ")
            yield f'"{word}" before {triplet.target} contradicts {triplet.edge} of the graph.'


def _governing(thing: str, told: ToldText) -> list[str]:
    """Return the prepositions before a thing, at every place; none if it stands somewhere without one."""
    found = []
    for place in told.places[thing]:
        word, index = told.before_phrase(place)
        is_possessive = "s" in (told.word(place[-1]), told.word(place[-1] + 1))
        if not word or index in told.owners or is_possessive or told.points(place):
            return []
        found.append(word)
    return found


def _swapped(graph: ActionGraph, told: ToldText) -> tuple[str, str] | None:
    """Return a direct object told behind a preposition, and another thing of the graph told without one."""
    for triplet in graph:
        if triplet.edge != DOBJ or triplet.target in HANDS:
            continue
        word = _governing(triplet.target, told)
        if not word or word[0] not in TELLING | {"with", "using"} or _has_role(triplet.target, word[0], told):
            continue
        for other in graph:
            is_phrase = other.edge not in (VERB, DOBJ) and other.source != PERSON and other.target not in HANDS
            if not is_phrase or other.target == triplet.target or not may_be_said(word[0], other.edge):
                continue
            if _stands_bare(other.target, told):
                return triplet.target, other.target
    return None


def _has_role(thing: str, word: str, told: ToldText) -> bool:
    """Return whether another graph has a thing behind such a preposition."""
    edges = (one.edge for graph in told.graphs for one in graph if one.target == thing and one.edge not in (VERB, DOBJ))
    return any(may_be_said(word, edge) for edge in edges)


def _stands_bare(thing: str, told: ToldText) -> bool:
    """Return whether a thing stands right behind an action, or as what it is done to, without a preposition."""
    return bool(told.places[thing]) and all(
        not told.before_phrase(place)[0] and not told.points(place) for place in told.places[thing]
    )
