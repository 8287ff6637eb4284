"""Checks of what a text tells about the actions of graphs: their order, how often they are done, and by which hands.

>>> from tsgkit.suites.tsg.makers.sentences import Sentence
>>> take = ActionGraph.of(("person", "verb", "take"), ("take", "dobj", "cup"))
>>> wipe = ActionGraph.of(("person", "verb", "wipe"), ("wipe", "dobj", "cup"))
>>> sentence = Sentence("Wipe the cup after taking it.", {"take": ("taking",), "wipe": ("Wipe",), "cup": ("cup", "it")})
>>> for graphs in ([take, wipe], [wipe, take]):
...     text = AnnotatedText(sentence, graphs)
...     print(list(wrong_order(text, events_of(text))))
[]
['The sentence tells the actions in another order; theirs is: wipe, take.']
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

from tsgkit.graph.model import HANDS, ActionGraph
from tsgkit.lexicon.prepositions import PREPOSITIONS
from tsgkit.lexicon.tables import word_set
from tsgkit.suites.tsg.makers.claims import hands_of
from tsgkit.suites.tsg.makers.sentences import DETERMINERS, POINTERS, AnnotatedText, Place, nodes_of

BEFORE = word_set("before until till")
LATER = word_set("then finally next afterwards later lastly")
NO_ORDER = word_set("while meanwhile simultaneously already earlier previously beforehand")
"""Words that make the order uncertain."""
PERFECT = word_set("has have had been is are was were")
NOT_VERBS = (DETERMINERS | PREPOSITIONS) - {"to", "before", "after"}
"""Words that are no verbs, and that no verb follows."""
TIMES = {"twice": 2, "thrice": 3}
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
HAND_OPENERS = word_set("with in using by from to")
"""Prepositions before words about hands."""
HAND_KINDS = {
    **dict.fromkeys(("other", "opposite", "second", "spare"), "other"),
    **dict.fromkeys(("one", "single"), "one"),
    "free": "free",
}
"""Kinds of words about hands by the word before *hand*."""
HANDED_KINDS = {**dict.fromkeys(("two", "both", "double"), "both"), **dict.fromkeys(("one", "single"), "one")}
"""Kinds of words about hands by the word before *handed*."""


class Event(NamedTuple):
    """A graph, how often it is done in a row, and the words that tell its action."""

    number: int
    graph: ActionGraph
    times: int
    place: Place

    @property
    def start(self) -> int:
        """The first token that tells it."""
        return self.place[0]


def units(graphs: Sequence[ActionGraph]) -> list[tuple[ActionGraph, int]]:
    """Return graphs with equal ones in a row taken together, and how many they are."""
    return [(graph, len(list(run))) for graph, run in groupby(graphs)]


def events_of(text: AnnotatedText) -> list[Event]:
    """Return the graphs whose action has words, each with the words that tell it, in the order of the graphs."""
    events: list[Event] = []
    used: set[Place] = set()
    verbs = {action: _verb_places(action, text) for action in text.actions}
    starts = sorted({place[0] for places in verbs.values() for place in places})
    for number, (graph, times) in enumerate(units(text.graphs)):
        places = [place for action in graph.actions for place in verbs[action]]
        if places:
            free = [place for place in places if place not in used] or places
            best = max(free, key=lambda place: (_closeness(graph, place, starts, text), -place[0]))
            used.add(best)
            events.append(Event(number, graph, times, best))
    return events


def _verb_places(action: str, text: AnnotatedText) -> Sequence[Place]:
    """Return the places of an action; of one that is a thing too, those where a verb may stand."""
    places = text.places[action]
    if action not in text.things:
        return places
    verbs = [place for place in places if text.word(place[0]) not in NOT_VERBS | POINTERS]
    return [place for place in verbs if text.word(place[0] - 1) not in NOT_VERBS] or verbs or places


def _closeness(graph: ActionGraph, place: Place, starts: Sequence[int], text: AnnotatedText) -> float:
    """Return how many parts of a graph have words around an action: behind it, or (less surely) before it."""
    following = next((start for start in starts if start > place[0]), len(text.tokens))
    earlier = max((start for start in starts if start < place[0]), default=-1)
    closeness = 0.0
    for node in nodes_of(graph).keys() - set(graph.actions):
        indices = [part[0] for part in text.places[node]]
        if any(place[0] < index < following for index in indices):
            closeness += 1.0
        elif any(earlier < index < place[0] for index in indices):
            closeness += 0.6
    return closeness


def wrong_order(text: AnnotatedText, events: Sequence[Event]) -> Iterator[str]:
    """Find actions in another order than that of the graphs.

    Words that tell several graphs may stand for the first or the last of them.
    """
    firsts, lasts = ({event.place: event for event in alike} for alike in (events[::-1], events))
    if len(firsts) < 2 or any(token.word in NO_ORDER for token in text.tokens):
        return
    for events_by_place in (firsts, lasts):
        in_text = sorted(events_by_place.values(), key=lambda event: (event.start, event.number))
        orders = [_in_time(in_text, text, is_near=is_near) for is_near in (True, False)]
        if any(numbers == sorted(numbers) for numbers in orders):
            return
    wanted = ", ".join(" ".join(graph.actions) for graph, _ in units(text.graphs))
    yield f"The sentence tells the actions in another order; theirs is: {wanted}."


def _in_time(in_text: Sequence[Event], text: AnnotatedText, *, is_near: bool) -> list[int]:
    """Return the numbers of the graphs in the order that the text says; ``is_near``: what follows an action that comes
    earlier belongs to it, if no new main clause begins."""
    order = [in_text[0].number]
    for before, event in pairwise(in_text):
        place = order.index(before.number)
        start, end = before.start + 1, event.start
        begins_anew = text.gaps(start, end + 1) & {".", ";"} or LATER.intersection(text.words(range(start, end)))
        if _is_turned(before, event, text):
            order.insert(place, event.number)
        elif is_near and not begins_anew:
            order.insert(place + 1, event.number)
        else:
            order.append(event.number)
    return order


def _is_turned(before: Event, event: Event, text: AnnotatedText) -> bool:
    """Return whether a text says that the action told second is done first."""
    if stops := [index for index in range(before.start + 1, event.start + 1) if text.gap(index) == "."]:
        words = text.words(range(stops[-1], event.start))
        return (words[:1] == ["before"] and words[1:2] in (["that"], ["this"], ["doing"])) or "had" in words
    sentence = next(index for index in range(before.start, -1, -1) if text.gap(index) == ".")
    for index in range(max(sentence, before.start - 4), before.start):
        if text.word(index) in BEFORE and text.word(index + 1) not in ("that", "this", "long"):
            opener, gap = text.word(index - 1), text.gap(index)
            opens_clause = gap == ";" or (opener in ("and", "but") and gap in (",", ""))
            is_early = opener in ("and", "but", "then", "even", "just", "right") and index - sentence < 4
            if index == sentence or opens_clause or is_early:
                return True
            break
    between = [index for index in range(before.start + 1, event.start) if index not in before.place]
    is_denied = any(map(text.denies, range(max(sentence, before.start - 3), before.start)))
    if is_denied and any(text.word(index) in BEFORE for index in between):
        return True
    return any(_introduces_earlier(index, event.start, text) for index in between)


def _introduces_earlier(index: int, action: int, text: AnnotatedText) -> bool:
    """Return whether a word between two actions says that the second is done first.

    *After* may open the main clause that follows it: ", and after X, Y" tells Y last.
    """
    word, following = text.word(index), text.word(index + 1)
    opens_sentence = text.word(index - 1) in ("and", "then", "but") or text.gap(index) in (".", ";")
    if action - index > 12 or opens_sentence or text.gaps(index + 1, action + 1) & {",", ";"}:
        return False
    if word in ("after", "following", "having"):
        is_pointer = word != "having" and following in ("that", "which", "this", "what")
        return not is_pointer and not text.gap(index + 1)
    if word in ("once", "as"):
        return following == "soon" if word == "as" else following not in ("more", "again")
    is_perfect = not PERFECT.isdisjoint(text.words(range(index, action)))
    return word in ("when", "now", "since") and not text.gap(index) and is_perfect


def wrong_numbers(text: AnnotatedText, events: Sequence[Event], before: Sequence[ActionGraph]) -> Iterator[str]:
    """Find actions that the text tells more or less often than the graphs."""
    counts = list(_counts(text))
    totals = Counter[frozenset[str]]()
    for event in events:
        totals[frozenset(event.graph.actions)] += event.times
    numbers_told: set[int] = set()
    for number, index in counts:
        near = _near(index, events, text)
        numbers = {number, number - (text.word(index + 1) == "more")}  # "twice more" may count earlier ones
        numbers_told |= numbers
        fitting = {count for event in near for count in (event.times, totals[frozenset(event.graph.actions)])}
        if near and numbers.isdisjoint(fitting):
            action, times = " ".join(near[0].graph.actions), _times(near[0].times)
            yield f'"{text.word(index)}" does not fit: {action} is done {times} here.'
    words = {token.word for index, token in enumerate(text.tokens) if not text.word(index + 1).startswith("hand")}
    for event in events:
        is_vague = not counts and not words.isdisjoint(VAGUE)
        is_counted = event.times in numbers_told or not words.isdisjoint(COUNTING.get(event.times, ()))
        if event.times > 1 and not is_vague and not is_counted and _times_told(event, events, text) < event.times:
            yield f"{' '.join(event.graph.actions)} is done {_times(event.times)}: say so."
    for index, token in enumerate(text.tokens):
        is_again = token.word == "again" or (token.word == "once" and text.word(index + 1) in ("more", "again"))
        near = _near(index, events, text) if is_again and before else []
        if near and not any(event.times > 1 or _is_known(event, text, before) for event in near):
            yield f'"{token.word}" does not fit: nothing of the kind was done before.'


def _times(number: int) -> str:
    return {1: "once", 2: "twice"}.get(number, f"{number} times")


def _counts(text: AnnotatedText) -> Iterator[tuple[int, int]]:
    """Yield numbers of times with their tokens; ``once`` only where it counts."""
    for index, token in enumerate(text.tokens):
        word, following = token.word, text.word(index + 1)
        number = NUMBERS.get(word, 0)
        if word in TIMES:
            yield TIMES[word] + (following == "more"), index
        elif number and following == "times":
            yield number, index
        elif word.isdigit() and following in ("times", "x") and int(word[:3]) < 100:
            yield int(word[:3]), index
        elif number > 1 and following == "more" and text.word(index + 2) == "times":
            yield number + 1, index
        elif word == "once" and following not in ("more", "again"):
            ends_clause = text.gap(index + 1) and not text.gap(index)
            if ends_clause or text.word(index - 1) in ("just", "only", "exactly"):
                yield 1, index


def _neighbours(index: int, events: Sequence[Event]) -> tuple[Event | None, Event | None]:
    """Return the last event told up to a word, and the first one after it."""
    before = max((event for event in events if event.start <= index), key=lambda event: event.start, default=None)
    after = min((event for event in events if event.start > index), key=lambda event: event.start, default=None)
    return before, after


def _near(index: int, events: Sequence[Event], text: AnnotatedText) -> list[Event]:
    """Return the events that a word may belong to: the one before it, or the one after it where a clause begins."""
    before, after = _neighbours(index, events)
    opens_clause = text.gap(index) or text.word(index - 1) in ("and", "then", "but", "or")
    if before is None or (opens_clause and after is not None):
        near = (after, before)
    else:
        near = (before, after if text.gaps(before.start + 1, index + 1) & {".", ";"} else None)
    return [event for event in near if event is not None]


def _times_told(event: Event, events: Sequence[Event], text: AnnotatedText) -> int:
    """Return how often the text tells an event: not beyond the words for another one."""
    starts = [other.start for other in events if other is not event]
    places = [place for action in event.graph.actions for place in _verb_places(action, text)]
    ranges = [range(min(event.start, place[0]) + 1, max(event.start, place[0])) for place in places]
    return sum(not any(start in between for start in starts) for between in ranges)


def _earlier(event: Event, text: AnnotatedText, before: Sequence[ActionGraph]) -> list[ActionGraph]:
    return [*before, *(graph for graph, _ in units(text.graphs)[: event.number])]


def _is_known(event: Event, text: AnnotatedText, before: Sequence[ActionGraph]) -> bool:
    """Return whether an action or its thing occurs before, so that *again* can mean it."""
    known = nodes_of(*_earlier(event, text, before)).keys() - set(HANDS)
    return not known.isdisjoint(nodes_of(event.graph))


def wrong_hands(text: AnnotatedText, events: Sequence[Event], before: Sequence[ActionGraph]) -> Iterator[str]:
    """Find words about hands that fit no graph they may belong to."""
    words_for_hands = [(kind, index, _near_hands(index, events, text)) for kind, index in _hand_words(text)]
    for kind, index, near in words_for_hands:
        kinds = {other for other, _, its_near in words_for_hands if its_near[:1] == near[:1]}
        if near and not any(_hands_fit(kind, kinds, event, text, before) for event in near):
            words = " ".join(text.words(range(max(index - 1, 0), index + 1)))
            used = " and ".join(sorted(hands_of(near[0].graph))) or "no hand is named"
            yield f'"{words}" does not fit the graph: {" ".join(near[0].graph.actions)} with {used}.'


def _hand_words(text: AnnotatedText) -> Iterator[tuple[str, int]]:
    """Yield the kinds of words about hands with their tokens: both, one, other, free, hand1, hand2.

    *The other* alone counts after another hand, if it ends its phrase and follows *with*, *in* or the like.
    """
    has_one = False
    for index in range(len(text.tokens)):
        opener, before, word, after = text.words(range(index - 2, index + 2))
        is_other = (before, word) == ("the", "other") and opener in ("with", "in", "using", "to", "into")
        ends_phrase = text.gap(index + 1) or after in ("and", "she", "he", "i", "you", "then", "they", "we")
        if kind := _hand_kind(opener, before, word, after):
            has_one = has_one or kind in ("one", "other", *HANDS)
            yield kind, index
        elif has_one and is_other and ends_phrase:
            yield "other", index


def _hand_kind(second: str, before: str, word: str, after: str) -> str:
    if word == "hand":
        return f"hand{after}" if after in ("1", "2") else HAND_KINDS.get(before, "")
    if word == "hands":
        is_all = second == "of" and before in ("his", "her", "your", "my", "their")
        return "both" if is_all or {before, second} & {"both", "two"} else ""
    if word in ("handed", "handedly", "handedness"):
        return HANDED_KINDS.get(before, "")
    if word in ("bimanually", "twohanded") or (word == "both" and after in ("hand", "palms")):
        return "both"
    return word if word in HANDS else ""


def _near_hands(index: int, events: Sequence[Event], text: AnnotatedText) -> list[Event]:
    """Return the events that words about hands may belong to, each with those that the same words tell."""
    start = _start_of_phrase(index, text)
    subjects: list[Event] = []
    if text.word(start) not in HAND_OPENERS and not text.word(index).startswith("handed"):
        subjects = [event for event in events if index < event.start <= index + 3 and not text.gap(event.start)]
    before, after = _neighbours(index, events)
    if subjects:
        near = subjects[:1]
    elif after and (text.gap(start) in (".", ";") or text.word(start - 1) in ("and", "then", "but", "while")):
        near = [after]
    else:
        near = [event for event in (before, after) if event is not None]
        near = near if text.gap(start) == "," else near[:1]
    return [sharing for event in near for sharing in told_with(event, events)]


def _start_of_phrase(index: int, text: AnnotatedText) -> int:
    """Return where a phrase about hands begins: *with the wire in both hands* at its first preposition."""
    start = index
    for place in range(index, max(index - 5, -1), -1):
        if text.word(place) in HAND_OPENERS:
            start = place
            break
        if text.gap(place):
            break
    has_noun = start < index and text.word(start - 2) in DETERMINERS and not text.gaps(start - 2, start + 1)
    return start - 3 if has_noun and text.word(start - 3) in HAND_OPENERS else start


def told_with(event: Event, events: Sequence[Event]) -> list[Event]:
    """Return an event and those that the same words tell."""
    return [event, *(other for other in events if other.place == event.place and other is not event)]


def _hands_fit(kind: str, kinds: set[str], event: Event, text: AnnotatedText, before: Sequence[ActionGraph]) -> bool:
    used = hands_of(event.graph)
    named = nodes_of(event.graph).keys() & set(HANDS)
    if kind in HANDS:
        return kind in named and (used <= kinds or "both" in kinds)
    if kind == "one" and len(used) == 2:  # one hand and then the other, or "one hand for each"
        words = [token.word for token in text.tokens]
        start = words.index("hand") if "hand" in words else 0
        return "other" in kinds or not {"each", "other"}.isdisjoint(words[start:])
    if kind == "other" and len(named) == 2:
        return "one" in kinds or len(used) < 2
    if kind == "other":  # another than in one of the last two graphs that name a hand
        hands = [hands_of(graph) for graph in reversed(_earlier(event, text, before)) if hands_of(graph)]
        return len(named) == 1 and (not hands or any(others != named for others in hands[:2]))
    return len(named) == 2 if kind == "both" else bool(named)
