"""Mentions of elements of L in a sentence, found in one pass over its words.

>>> from tsgkit.graph import Vocabulary
>>> from tsgkit.suites.tsg.baselines.elements import elements_of
>>> L = Vocabulary(objects=("tin", "paint-brush", "brush"), verbs=("brush", "pick-up", "put-down"))
>>> for mention in found("She grabs the brush, brushes it off and sets the tin down.", elements_of(L)):
...     print(mention.start, mention.kind, mention.name)
1 action pick-up
3 thing brush
5 action brush
6 pronoun it
9 action put-down
11 thing tin

An action is found by its own word or by a synonym of the short table, its particle up to a few words behind; a thing
by all its words, else by its last or first. A word that both could be is a thing behind a determiner, an adjective or
a preposition. Names that the text says in no such way (``towel`` for *cloth*) are missed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from typing import Literal, NamedTuple

from tsgkit.lexicon import PARTICLES, PREPOSITIONS, split_particle
from tsgkit.lexicon.tables import word_set
from tsgkit.suites.tsg.baselines.elements import Elements
from tsgkit.suites.tsg.baselines.word_roots import SAME_ACTION, roots, words

TOKEN = re.compile(r"[^\W_]+|[,;:.!?()\u2013\u2014]")
DETERMINERS = word_set("a an another any each every his her its my one our some that the their these this those your")
PRONOUNS = word_set("it them him")
ACTORS = word_set("i you he she we they who to and then or")
MODALS = word_set("can will")
MOST_TOKENS = 1000
"""Longer texts are read up to here, which keeps hostile text cheap; descriptions have some thirty words."""
GAP = 5
WHOLE, LAST_WORD, FIRST_WORD = 1.0, 0.7, 0.4
OWN, SYNONYM, PARTICLE_FOUND, PARTICLE_MISSED, OTHER_PARTICLE = 1.0, 0.6, 0.2, 0.3, 0.45
PLAIN = frozenset(("up", "down"))
"""Particles that hardly change the meaning of a verb."""

Kind = Literal["action", "thing", "pronoun"]


class Mention(NamedTuple):
    """Some tokens that name an element; ``sure`` is at most 1.2."""

    start: int
    stop: int
    kind: Kind
    name: str
    sure: float


class Entry(NamedTuple):
    """An element under one of its roots."""

    name: str
    kind: Kind
    words: tuple[str, ...]
    particle: str
    place: int


def tokens(text: str) -> tuple[str, ...]:
    """Return words in lower case and the marks that end clauses, as many as a description may have."""
    return tuple(match.group() for match in islice(TOKEN.finditer(text.lower()), MOST_TOKENS))


def found(text: str, elements: Elements) -> tuple[Mention, ...]:
    """Return the mentions in a text, in order, the surest where several share a word."""
    return found_in(tokens(text), elements)


def found_in(said: tuple[str, ...], elements: Elements) -> tuple[Mention, ...]:
    """As :func:`found`, of a text that is cut into tokens already."""
    candidates = sorted(_candidates(said, elements), key=lambda mention: (-_weight(mention), mention))
    taken: set[int] = set()
    kept: list[Mention] = []
    for mention in candidates:
        span = set(range(mention.start, mention.stop))
        if not span & taken:
            taken |= span
            kept.append(mention)
    return tuple(sorted(kept))


def _weight(mention: Mention) -> float:
    return mention.stop - mention.start + mention.sure


def _candidates(said: tuple[str, ...], elements: Elements) -> Iterator[Mention]:
    index = _index(elements)
    for place, word in enumerate(said):
        if word in PRONOUNS:
            yield Mention(place, place + 1, "pronoun", word, 1.0)
            continue
        if word in MODALS and said[place - 1 : place] and said[place - 1] not in DETERMINERS:
            continue
        for root in roots(word):
            for entry in index.get(root, ()):
                mention = _action(said, place, entry, root) if entry.kind == "action" else _thing(said, place, entry)
                if mention:
                    yield mention


def _action(said: tuple[str, ...], place: int, entry: Entry, root: str) -> Mention | None:
    """Return the action at this word, unless only a noun can be there."""
    before = said[place - 1] if place else ""
    if before in DETERMINERS or (before in PREPOSITIONS and before != "to"):
        return None
    stop = place + 1
    for word in entry.words[1:]:
        if not said[stop : stop + 1] or not roots(said[stop]) & roots(word):
            return None
        stop += 1
    synonym = root.startswith("~")
    sure = SYNONYM - RANK * entry.place if synonym else OWN
    if entry.particle and _has_particle(said, stop, entry.particle):
        sure += PARTICLE_FOUND
    elif entry.particle and not (synonym and entry.particle in PLAIN):
        sure -= PARTICLE_MISSED if entry.particle in PLAIN else OTHER_PARTICLE
    if not _is_verb_here(before):
        sure -= NOUN_LIKELY
    return Mention(place, stop, "action", entry.name, sure)


RANK = 0.001
NOUN_LIKELY = 0.15
"""Positions where an ambiguous word is an object unless a verb is likely."""


def _has_particle(said: tuple[str, ...], start: int, particle: str) -> bool:
    for word in said[start : start + GAP]:
        if word == particle:
            return True
        if not word[0].isalnum() or word == "and":
            return False
    return False


def _is_verb_here(before: str) -> bool:
    """Return whether a verb is likely behind this word."""
    if not before or not before[0].isalnum() or before in ACTORS:
        return True
    return before.endswith("ly") or before in ("is", "are", "was", "were", "be", "been", "being", "gets", "goes")


def _thing(said: tuple[str, ...], place: int, entry: Entry) -> Mention | None:
    """Return the thing whose first word this is, or of whose words this is one alone."""
    if said[place] in PARTICLES and (not place or said[place - 1] not in DETERMINERS):
        return None
    stop = place + len(entry.words)
    following = said[place:stop]
    whole = len(following) == len(entry.words) and all(
        roots(word) & roots(wanted) for word, wanted in zip(following, entry.words, strict=True)
    )
    before = said[place - 1] if place else ""
    slack = 2 * NOUN_LIKELY if _is_verb_here(before) else 0.0
    if whole:
        return Mention(place, stop, "thing", entry.name, WHOLE - slack)
    if roots(said[place]) & roots(entry.words[-1]):
        return Mention(place, place + 1, "thing", entry.name, LAST_WORD - slack)
    return Mention(place, place + 1, "thing", entry.name, FIRST_WORD - slack)


@lru_cache(maxsize=256)
def _index(elements: Elements) -> dict[str, tuple[Entry, ...]]:
    """Return every element under the roots of its words: an action's first word, any word of a thing."""
    index: dict[str, dict[Entry, None]] = {}
    for name in elements.actions:
        parted = split_particle(name)
        parts = words(parted.verb if parted else name)
        entry = Entry(name, "action", parts, parted.particle if parted else "", _rank(parts[0]))
        for root in roots(parts[0]):
            index.setdefault(root, {})[entry] = None
    for name in elements.things:
        entry = Entry(name, "thing", words(name), "", 0)
        for word in (entry.words[0], entry.words[-1]):
            for root in roots(word):
                if not root.startswith("~"):
                    index.setdefault(root, {})[entry] = None
    return {root: tuple(entries) for root, entries in index.items()}


def _rank(verb: str) -> int:
    """Return the position of a synonym in its line: the first ones are the most common."""
    return next((line.split().index(verb) for line in SAME_ACTION if verb in line.split()), 0)
