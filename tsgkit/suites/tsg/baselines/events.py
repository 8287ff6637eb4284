"""Events of a sentence: its actions in order, each with its objects and prepositions.

>>> from tsgkit.graph import Vocabulary
>>> from tsgkit.suites.tsg.baselines.mentions import elements_of
>>> L = Vocabulary(objects=("tin", "lid", "shelf", "knife"), relationships=("from", "with"), verbs=("take", "open"))
>>> for event in events_of("She grabs the tin from the shelf and opens its lid with a knife.", elements_of(L)):
...     print(event.action, event.objects, event.links)
take ('tin',) (('from', 'shelf'),)
open ('lid',) (('with', 'knife'),)

A clause ends at a mark or an *and*. Things behind a verb are its own; things in front of it are its own if it has no
direct object behind, else its tool (*the key loosens the bolt*), or, behind an *and*, one more object of the verb
before. Words with no verb of L repeat the verb before, or tell a taking or a putting by their preposition.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from tsgkit.graph.model import WITH
from tsgkit.lexicon import PREPOSITIONS
from tsgkit.suites.tsg.baselines.mentions import ElementMention, GraphElements, mentions_in, tokens

COMPOUNDS = {
    ("out", "of"): "out-of",
    ("off", "of"): "off",
    ("next", "to"): "next-to",
    ("away", "from"): "away-from",
    ("top", "of"): "on-top-of",
    ("front", "of"): "in-front-of",
}
NEAR = {
    line.split()[0]: line.split()
    for line in (
        "in into inside to",
        "into in inside to",
        "inside in into",
        "on onto upon on-top-of over",
        "onto on upon to over",
        "over across onto on above",
        "across over along on",
        "out-of from off out",
        "from out-of off away-from",
        "off from out-of",
        "to towards toward onto into",
        "towards to toward",
        "under below beneath underneath",
        "below under beneath",
        "beneath under below",
        "beside next-to by near",
        "by next-to beside near",
        "next-to beside by near",
        "round around",
        "using with",
        "on-top-of on onto",
        "through into in",
    )
}
"""Names that L may use for a preposition of the text, the nearest first."""
BOTH = frozenset(("both", "two"))
HAND_WORDS = frozenset(("hands", "arms", "palms", "thumbs", "fists"))
BREAKS = frozenset(("and", "then", "before", "after", "while", "until", "or", "but"))
AUXILIARIES = frozenset(("is", "are", "was", "were", "be", "been", "being", "gets", "get", "got"))
UNNAMED, HAS_OBJECT = 0.4, 0.2
PRONOUN = ""
"""The name of a thing that is known from before only."""


class EventObject(NamedTuple):
    """An object in a sentence: its name, its preposition (may be empty), and the opening of its clause."""

    name: str
    preposition: str
    start: int


@dataclass(frozen=True)
class Event:
    """An action of a sentence; the name of a pronoun is empty."""

    action: str
    objects: tuple[str, ...] = ()
    links: tuple[tuple[str, str], ...] = ()
    both_hands: bool = False
    other_hand: bool = False
    sure: float = 1.0

    @property
    def tools(self) -> tuple[str, ...]:
        """The tools."""
        return tuple(thing for label, thing in self.links if label == WITH)

    def apart(self) -> list[Event]:
        """Return one event for each direct object."""
        return [replace(self, objects=(name,)) for name in self.objects] if len(self.objects) > 1 else [self]


@dataclass
class _EventDraft:
    """An event under construction: the position of its verb, and the objects before and after it."""

    action: ElementMention
    before: list[EventObject] = field(default_factory=list)
    behind: list[EventObject] = field(default_factory=list)

    @property
    def has_object(self) -> bool:
        return any(not thing.preposition for thing in self.behind)


@lru_cache(maxsize=4096)
def events_of(sentence: str, elements: GraphElements) -> tuple[Event, ...]:
    """Return the events of a text, in order."""
    text = tokens(sentence)
    verbs, loose = _drafts(text, mentions_in(text, elements))
    drafts: list[_EventDraft] = []
    for draft in verbs:  # before each, that of a clause of its own whose verb L does not know
        clause = [thing for thing in draft.before if _broken(text[thing.start : draft.action.start], thing)]
        if any(thing.preposition for thing in clause) and not all(thing.preposition for thing in clause):
            start = clause[0].start
            drafts.append(_EventDraft(ElementMention(start, start, "action", "", UNNAMED), [], clause))
            draft.before = [thing for thing in draft.before if thing not in clause]
        drafts.append(draft)
    for number, draft in enumerate(drafts):
        _settle(text, draft, drafts[number - 1] if number else None)
    cuts = [0]  # where clauses begin: at the first *and* or strong mark between two verbs, else the last comma
    for draft, following in pairwise(drafts):
        between = range(draft.action.stop, following.action.start)
        strong = [index for index in between if text[index] in BREAKS or text[index] in ";:."]
        commas = [index for index in between if text[index] == ","]
        cuts.append((*strong[:1], *commas[-1:], following.action.start)[0])
    events = []
    for draft, (start, stop) in zip(drafts, pairwise((*cuts, len(text))), strict=False):
        words = text[start:stop]
        objects, links = _roles(draft.behind, elements)
        event = Event(
            draft.action.name,
            tuple(dict.fromkeys(objects)),
            tuple(dict.fromkeys(links)),
            both_hands=any(word in BOTH and HAND_WORDS & {*words[at : at + 4]} for at, word in enumerate(words)),
            other_hand="hand" in words and not {"other", "free", "second"}.isdisjoint(words),
            sure=draft.action.sure + HAS_OBJECT * draft.has_object,
        )
        events.append(event)
    if loose:  # objects without a verb: the verb before again, or the action that their preposition suggests
        objects, links = _roles(loose, elements)
        if not events:
            return (Event("", tuple(objects), tuple(links), sure=0.2),)
        events += [replace(events[-1], objects=(name,), links=tuple(links), sure=0.3) for name in objects]
    return tuple(events)


def _roles(things: Sequence[EventObject], elements: GraphElements) -> tuple[list[str], list[tuple[str, str]]]:
    """Return the direct objects, and the others behind L's names for their prepositions."""
    objects = [thing.name for thing in things if not thing.preposition]
    links = [(label(thing.preposition, elements), thing.name) for thing in things if thing.preposition]
    return objects, [(name, thing) for name, thing in links if name]


def _drafts(text: Sequence[str], mentions: Sequence[ElementMention]) -> tuple[list[_EventDraft], list[EventObject]]:
    """Return the verbs with their things; things behind the last verb's clause that no verb follows are loose."""
    drafts: list[_EventDraft] = []
    waiting: list[EventObject] = []
    previous = 0
    for mention in mentions:
        if mention.kind == "action":
            drafts.append(_EventDraft(mention, waiting))
            waiting = []
        else:
            name = mention.name if mention.kind == "thing" else PRONOUN
            thing = EventObject(name, preposition(text[previous : mention.start]), mention.start)
            is_own = drafts and not waiting and not _broken(text[drafts[-1].action.stop : mention.start], thing)
            things = drafts[-1].behind if drafts and is_own else waiting
            if things and mention.start == previous and things[-1].name and name:  # one name of two nouns: the last
                thing = thing._replace(preposition=things.pop().preposition)
            things.append(thing)
        previous = mention.stop
    return drafts, waiting


def _broken(between: Sequence[str], thing: EventObject) -> bool:
    """Return whether a clause ended on the way; before a prepositional phrase a comma alone does not end it."""
    return any(word in BREAKS or (not word[0].isalnum() and (word != "," or not thing.preposition)) for word in between)


def _settle(text: Sequence[str], draft: _EventDraft, previous: _EventDraft | None) -> None:
    """Give the things in front of a verb their part in it, or hand them to the verb before."""
    start = draft.action.start
    passive = start > 0 and text[start - 1] in AUXILIARIES
    for thing in draft.before:
        joined = thing.start > 0 and "and" in text[max(0, thing.start - 3) : thing.start]
        if thing.preposition or passive or not draft.has_object:
            draft.behind.insert(0, thing)
        elif joined and previous is not None:
            previous.behind.append(thing)
        elif thing.name != PRONOUN and not _broken(text[thing.start : start], thing):
            draft.behind.append(thing._replace(preposition=WITH))


def preposition(between: Sequence[str]) -> str:
    """Return the preposition of an object: the last one before it, or the one before its *of*.

    >>> preposition(("out", "of", "the")), preposition(("across", "the", "mouth", "of", "the")), preposition(("the",))
    ('out-of', 'across', '')
    """
    for index in reversed(range(len(between))):
        word = between[index]
        pair = (between[index - 1], word) if index else ("", word)
        if pair in COMPOUNDS:
            return COMPOUNDS[pair]
        if word in BREAKS or not word[0].isalnum():
            return ""
        if word == "using" or (word in PREPOSITIONS and word not in ("of", "up", "down")):
            return word
    return ""


def label(name: str, elements: GraphElements) -> str:
    """Return L's name for a preposition; empty if there is none like it.

    >>> label("using", GraphElements((), (), ("with", "on")))
    'with'
    """
    return next((near for near in (name, *NEAR.get(name, ())) if near in elements.prepositions), "")
