"""Checks of what a text tells of actions: their order, how often they are done, by which hands, and where things are.

>>> from tsgkit.suites.tsg.makers.sentences import GraphSentence
>>> take = ActionGraph.of(("person", "verb", "take"), ("take", "dobj", "cup"))
>>> wipe = ActionGraph.of(("person", "verb", "wipe"), ("wipe", "dobj", "cup"))
>>> words = {"take": ("taking",), "wipe": ("Wipe",), "cup": ("cup", "it")}
>>> sentence = GraphSentence("Wipe the cup after taking it.", words)
>>> for graphs in ([take, wipe], [wipe, take]):
...     print(list(wrong_order(AnnotatedText(sentence, graphs))))
[]
['The sentence tells the actions in another order; theirs is: wipe, take.']
>>> may_be_said("inside", "in"), may_be_said("under", "on"), may_be_said("using", "with")
(True, False, True)

Prepositions are judged for whole sentences, where English is freer than edges are; what may be said of one situation in
a question with one right answer is stricter (:mod:`tsgkit.lexicon.prepositions`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

from tsgkit.graph.model import DOBJ, HANDS, PERSON, VERB, ActionGraph, Triplet
from tsgkit.lexicon import fold
from tsgkit.lexicon.folding import word_set
from tsgkit.suites.tsg.makers.claims import hands_of
from tsgkit.suites.tsg.makers.sentences import CONJUNCTIONS, DETERMINERS, AnnotatedText, SentenceEvent, nodes_of

BEFORE = word_set("before until till")
LATER = word_set("then finally next afterwards later lastly")
NO_ORDER = word_set("while meanwhile simultaneously already earlier previously beforehand")
"""Words that make the order uncertain."""
PERFECT = word_set("has have had been is are was were")
TIMES = {"twice": 2, "thrice": 3}
NUMBERS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10}
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


def wrong_order(text: AnnotatedText) -> Iterator[str]:
    """Find actions in another order than that of the graphs.

    Words that tell several graphs may stand for the first or the last of them.
    """
    firsts, lasts = ({event.span: event for event in alike} for alike in (text.events[::-1], text.events))
    if len(firsts) < 2 or any(token.word in NO_ORDER for token in text.tokens):
        return
    for events_by_place in (firsts, lasts):
        in_text = sorted(events_by_place.values(), key=lambda event: (event.start, event.number))
        orders = [_in_time(in_text, text, is_near=is_near) for is_near in (True, False)]
        if any(numbers == sorted(numbers) for numbers in orders):
            return
    wanted = ", ".join(" ".join(graph.actions) for graph, _ in text.units)
    yield f"The sentence tells the actions in another order; theirs is: {wanted}."


def _in_time(in_text: Sequence[SentenceEvent], text: AnnotatedText, *, is_near: bool) -> list[int]:
    """Return the numbers of the graphs in the order that the text says; ``is_near``: what follows an action that comes
    earlier belongs to it, if no new main clause begins."""
    order = [in_text[0].number]
    for before, event in pairwise(in_text):
        position = order.index(before.number)
        start, end = before.start + 1, event.start
        begins_anew = text.gaps(start, end + 1) & {".", ";"} or LATER.intersection(text.words(range(start, end)))
        if _is_turned(before, event, text):
            order.insert(position, event.number)
        elif is_near and not begins_anew:
            order.insert(position + 1, event.number)
        else:
            order.append(event.number)
    return order


def _is_turned(before: SentenceEvent, event: SentenceEvent, text: AnnotatedText) -> bool:
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
    between = [index for index in range(before.start + 1, event.start) if index not in before.span]
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


def wrong_numbers(text: AnnotatedText, before: Sequence[ActionGraph]) -> Iterator[str]:
    """Find actions that the text tells more or less often than the graphs."""
    counts = list(_counts(text))
    totals = Counter[frozenset[str]]()
    for event in text.events:
        totals[frozenset(event.graph.actions)] += event.times
    possible_numbers: set[int] = set()
    for number, index in counts:
        near = _near(index, text)
        numbers = {number, number - (text.word(index + 1) == "more")}  # "twice more" may count earlier ones
        possible_numbers |= numbers
        fitting = {count for event in near for count in (event.times, totals[frozenset(event.graph.actions)])}
        if near and numbers.isdisjoint(fitting):
            action, times = " ".join(near[0].graph.actions), _times(near[0].times)
            yield f'"{text.word(index)}" does not fit: {action} is done {times} here.'
    words = {token.word for index, token in enumerate(text.tokens) if not text.word(index + 1).startswith("hand")}
    for event in text.events:
        is_vague = not counts and not words.isdisjoint(VAGUE)
        is_counted = event.times in possible_numbers or not words.isdisjoint(COUNTING.get(event.times, ()))
        if event.times == 1 or is_vague or is_counted:
            continue
        starts = [rival.start for rival in text.events if rival is not event]
        spans = [span for action in event.graph.actions for span in text.verb_places(action)]
        ranges = [range(min(event.start, span[0]) + 1, max(event.start, span[0])) for span in spans]
        # not beyond the words for another event
        if sum(not any(start in between for start in starts) for between in ranges) < event.times:
            yield f"{' '.join(event.graph.actions)} is done {_times(event.times)}: say so."
    for index, token in enumerate(text.tokens):
        is_again = token.word == "again" or (token.word == "once" and text.word(index + 1) in ("more", "again"))
        near = _near(index, text) if is_again and before else []
        known = [nodes_of(*_earlier(event, text, before)).keys() - set(HANDS) for event in near]
        is_known = any(names & nodes_of(event.graph).keys() for event, names in zip(near, known, strict=True))
        if near and not is_known and not any(event.times > 1 for event in near):
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
        elif word.isdecimal() and following in ("times", "x") and int(word[:3]) < 100:
            yield int(word[:3]), index
        elif number > 1 and following == "more" and text.word(index + 2) == "times":
            yield number + 1, index
        elif word == "once" and following not in ("more", "again"):
            ends_clause = text.gap(index + 1) and not text.gap(index)
            if ends_clause or text.word(index - 1) in ("just", "only", "exactly"):
                yield 1, index


def _neighbours(index: int, text: AnnotatedText) -> tuple[SentenceEvent | None, SentenceEvent | None]:
    """Return the last event told up to a word, and the first one after it."""
    before = max((event for event in text.events if event.start <= index), key=lambda event: event.start, default=None)
    after = min((event for event in text.events if event.start > index), key=lambda event: event.start, default=None)
    return before, after


def _near(index: int, text: AnnotatedText) -> list[SentenceEvent]:
    """Return the events that a word may belong to: the one before it, or the one after it where a clause begins."""
    before, after = _neighbours(index, text)
    opens_clause = text.gap(index) or text.word(index - 1) in ("and", "then", "but", "or")
    if before is None or (opens_clause and after is not None):
        near = (after, before)
    else:
        near = (before, after if text.gaps(before.start + 1, index + 1) & {".", ";"} else None)
    return [event for event in near if event is not None]


def _earlier(event: SentenceEvent, text: AnnotatedText, before: Sequence[ActionGraph]) -> list[ActionGraph]:
    return [*before, *(graph for graph, _ in text.units[: event.number])]


def wrong_hands(text: AnnotatedText, before: Sequence[ActionGraph]) -> Iterator[str]:
    """Find words about hands that fit no graph they may belong to."""
    words_for_hands = [(kind, index, _near_hands(index, text)) for kind, index in _hand_words(text)]
    for kind, index, near in words_for_hands:
        kinds = {rival for rival, _, its_near in words_for_hands if its_near[:1] == near[:1]}
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


def _near_hands(index: int, text: AnnotatedText) -> list[SentenceEvent]:
    """Return the events that words about hands may belong to, each with those that the same words tell."""
    start = index  # where the phrase begins: *with the wire in both hands* at its first preposition
    for position in range(index, max(index - 5, -1), -1):
        if text.word(position) in HAND_OPENERS:
            start = position
            break
        if text.gap(position):
            break
    has_noun = start < index and text.word(start - 2) in DETERMINERS and not text.gaps(start - 2, start + 1)
    start -= 3 if has_noun and text.word(start - 3) in HAND_OPENERS else 0
    subjects: list[SentenceEvent] = []
    if text.word(start) not in HAND_OPENERS and not text.word(index).startswith("handed"):
        subjects = [event for event in text.events if index < event.start <= index + 3 and not text.gap(event.start)]
    before, after = _neighbours(index, text)
    if subjects:
        near = subjects[:1]
    elif after and (text.gap(start) in (".", ";") or text.word(start - 1) in ("and", "then", "but", "while")):
        near = [after]
    else:
        near = [event for event in (before, after) if event is not None]
        near = near if text.gap(start) == "," else near[:1]
    return [teller for event in near for teller in _sharing(event, text)]


def _sharing(event: SentenceEvent, text: AnnotatedText) -> list[SentenceEvent]:
    """Return an event and those that the same words tell."""
    return [event, *(rival for rival in text.events if rival.span == event.span and rival is not event)]


def _hands_fit(
    kind: str, kinds: set[str], event: SentenceEvent, text: AnnotatedText, before: Sequence[ActionGraph]
) -> bool:
    used = hands_of(event.graph)
    hands_named = nodes_of(event.graph).keys() & set(HANDS)
    if kind in HANDS:
        return kind in hands_named and (used <= kinds or "both" in kinds)
    if kind == "one" and len(used) == 2:  # one hand and then the other, or "one hand for each"
        words = [token.word for token in text.tokens]
        start = words.index("hand") if "hand" in words else 0
        return "other" in kinds or not {"each", "other"}.isdisjoint(words[start:])
    if kind == "other" and len(hands_named) == 2:
        return "one" in kinds or len(used) < 2
    if kind == "other":  # another than in one of the last two graphs that name a hand
        hands = [hands_of(graph) for graph in reversed(_earlier(event, text, before)) if hands_of(graph)]
        return len(hands_named) == 1 and (not hands or any(others != hands_named for others in hands[:2]))
    return len(hands_named) == 2 if kind == "both" else bool(hands_named)


@lru_cache(maxsize=20_000)
def may_be_said(word: str, edge: str) -> bool:
    """Return whether a preposition of a text may stand for an edge; in doubt it may."""
    word, edge = fold(word), fold(edge)
    return word == edge or word not in TELLING or edge not in FITTING or word in FITTING[edge]


def misplaced(text: AnnotatedText) -> tuple[list[str], list[str]]:
    """Return the findings on prepositions that contradict the graphs, and on things that have changed places."""
    prepositions: list[str] = []
    roles: list[str] = []
    of_graphs = {event.graph: event for event in text.events}
    for graph in dict.fromkeys(text.graphs):
        event = of_graphs.get(graph)
        if swapped := _swapped(graph, text) or (_swapped_near(event, text) if event else None):
            roles.append(f"{swapped[0]} and {swapped[1]} have changed places.")
            continue
        for phrase in _phrases(graph):
            governing = _governing(phrase.target, text)
            edges = {triplet.edge for each in text.graphs for triplet in each if triplet.target == phrase.target}
            if governing and not any(may_be_said(word, edge) for word in governing for edge in edges):
                word = governing[0].replace("-", " ")
                prepositions.append(f'"{word}" before {phrase.target} contradicts {phrase.edge} of the graph.')
        if event and len(_sharing(event, text)) == 1:
            for thing, word in _parts_behind(event, text):  # right behind the action, by what its own graph says
                ways = [(source, edge) for source, edge, end in event.graph if end == thing and source != PERSON]
                is_joined = any(source not in event.graph.actions for source, _ in ways)
                if word and ways and not is_joined and not any(may_be_said(word, edge) for _, edge in ways):
                    near = word.replace("-", " ")
                    prepositions.append(f'"{near}" before {thing} contradicts {ways[0][1]} of the graph.')
    return prepositions, roles


def _phrases(graph: ActionGraph) -> list[Triplet]:
    """Return the prepositions of a graph with their things."""
    phrases = (triplet for triplet in graph if triplet.edge not in (VERB, DOBJ))
    return [phrase for phrase in phrases if phrase.source != PERSON and phrase.target not in HANDS]


def _parts_behind(event: SentenceEvent, text: AnnotatedText) -> Iterator[tuple[str, str]]:
    """Yield the things behind an action, to the next mark, conjunction or action, each with its preposition."""
    is_whole = event.span[-1] - event.start == len(event.span) - 1
    start = (event.span[-1] if is_whole else event.start) + 1
    others = {rival.start for rival in text.events if rival.span != event.span}
    heads = {span[0]: (thing, span) for thing in text.things for span in text.places[thing]}
    for index in range(start, start + 14):
        if index in others or text.gap(index) or text.word(index) in CONJUNCTIONS | {"that"}:
            return
        if index in heads:
            thing, span = heads[index]
            word, at = text.before_phrase(span)
            yield thing, word if at >= start else ""


def _swapped_near(event: SentenceEvent, text: AnnotatedText) -> tuple[str, str] | None:
    """Return a direct object told behind a preposition of another thing, which stands right before or behind it."""
    before = event.start - 1
    if text.word(event.start) in TELLING | MOVING or text.word(before) in ("a", "the"):
        return None
    parts = list(_parts_behind(event, text))
    bare = [thing for thing, word in parts[:1] if not word]
    if not bare and text.word(before) in PASSIVES and not text.gap(before):  # the towel is covered
        bare = [thing for thing in text.things for span in text.places[thing] if span[-1] == before - 1][-1:]
    objects = {triplet.target for triplet in event.graph if triplet.edge == DOBJ} - set(HANDS)
    edges = {phrase.target: phrase.edge for phrase in _phrases(event.graph)}
    for thing, word in parts:
        for candidate in bare:
            if thing in objects - edges.keys() and candidate in edges.keys() - objects:
                is_tool = edges[candidate] in TOOLS
                if word in TOOLS if is_tool else word in TELLING and may_be_said(word, edges[candidate]):
                    return thing, candidate
    return None


def _governing(thing: str, text: AnnotatedText) -> list[str]:
    """Return the prepositions before a thing, at every place; none if it stands somewhere without one."""
    governing = []
    for span in text.places[thing]:
        word, index = text.before_phrase(span)
        is_possessive = "s" in (text.word(span[-1]), text.word(span[-1] + 1))
        if not word or index in text.owners or is_possessive or text.points(span):
            return []
        governing.append(word)
    return governing


def _swapped(graph: ActionGraph, text: AnnotatedText) -> tuple[str, str] | None:
    """Return a direct object told behind a preposition, and another thing of the graph told without one."""
    edges = [triplet for each in text.graphs for triplet in each if triplet.edge not in (VERB, DOBJ)]
    for thing in [triplet.target for triplet in graph if triplet.edge == DOBJ and triplet.target not in HANDS]:
        word = "".join(_governing(thing, text)[:1])
        has_role = any(may_be_said(word, triplet.edge) for triplet in edges if triplet.target == thing)
        if word not in TELLING.union(TOOLS) or has_role:
            continue
        for candidate, edge in [(phrase.target, phrase.edge) for phrase in _phrases(graph)]:
            places = text.places[candidate]
            is_bare = not any(text.before_phrase(span)[0] or text.points(span) for span in places)
            if candidate != thing and may_be_said(word, edge) and places and is_bare:
                return thing, candidate
    return None
