"""Elements of L that a writer of graphs can use, and their mentions in a sentence, found in one pass over its words.

>>> from tsgkit.graph import Vocabulary
>>> L = Vocabulary(objects=("tin", "paint-brush", "brush"), verbs=("brush", "pick-up", "put-down"))
>>> for mention in mentions_in(tokens("She grabs the brush, brushes it off and sets the tin down."), elements_of(L)):
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
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import islice, takewhile
from typing import Literal, NamedTuple

from tsgkit.graph.hands import HAND_NAME
from tsgkit.graph.model import DOBJ, PERSON, VERB, WITH, Vocabulary
from tsgkit.lexicon import PARTICLES, PREPOSITIONS, is_preposition, split_particle
from tsgkit.lexicon.folding import word_set
from tsgkit.suites.tsg.baselines.word_roots import SAME_ACTION, roots, words

NAME = re.compile(r"[^\W_]+(?:-[^\W_]+)*")
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
RANK = 0.001
NOUN_LIKELY = 0.15
"""Positions where an ambiguous word is an object unless a verb is likely."""
PLAIN = frozenset(("up", "down"))
"""Particles that hardly change the meaning of a verb."""

Kind = Literal["action", "thing", "pronoun"]


class GraphElements(NamedTuple):
    """The elements that graphs are made of."""

    actions: tuple[str, ...]
    things: tuple[str, ...]
    prepositions: tuple[str, ...]

    def grips(self, hands: Iterable[str]) -> tuple[tuple[str, str], ...]:
        """Return the edges from an action to its hands; none where L has no ``with``."""
        return tuple((WITH, hand) for hand in hands) if WITH in self.prepositions else ()


@lru_cache(maxsize=256)
def elements_of(vocabulary: Vocabulary) -> GraphElements:
    """Return the usable names of L, each list in its order.

    >>> L = Vocabulary(objects=("person", "jar", "Two Cups"), relationships=("verb", "on"), verbs=("open", "hand1"))
    >>> elements_of(L)
    GraphElements(actions=('open',), things=('jar',), prepositions=('on',))

    Person and hands, misspelt names, and labels that are no prepositions are left out. If L has no action, its objects
    are used as actions; if it has neither, nothing can be written.
    """

    def usable(names: Iterable[str], *others: str) -> Iterator[str]:
        for name in dict.fromkeys(names):
            if NAME.fullmatch(name) and name == name.lower() and name not in others:
                yield name

    things, actions = (
        tuple(name for name in usable(names, PERSON) if not HAND_NAME.fullmatch(name))
        for names in (vocabulary.objects, vocabulary.verbs)
    )
    labels = usable(vocabulary.relationships, VERB, DOBJ)
    return GraphElements(actions or things, things, tuple(filter(is_preposition, labels)))


class ElementMention(NamedTuple):
    """Some tokens that name an element; ``sure`` is at most 1.2."""

    start: int
    stop: int
    kind: Kind
    name: str
    sure: float


class RootedElement(NamedTuple):
    """An element under one of its roots."""

    name: str
    kind: Kind
    words: tuple[str, ...]
    particle: str
    rank: int
    """The place of an action's verb in its line of synonyms: the first ones are the most common."""


def tokens(text: str) -> tuple[str, ...]:
    """Return words in lower case and the marks that end clauses, as many as a description may have."""
    return tuple(match.group() for match in islice(TOKEN.finditer(text.lower()), MOST_TOKENS))


def mentions_in(text: tuple[str, ...], elements: GraphElements) -> tuple[ElementMention, ...]:
    """Return the mentions in the tokens of a text, in order, the surest where several share a word."""
    by_root, candidates = _by_root(elements), list[ElementMention]()
    for index, word in enumerate(text):
        if word in PRONOUNS:
            candidates.append(ElementMention(index, index + 1, "pronoun", word, 1.0))
        elif word not in MODALS or not text[index - 1 : index] or text[index - 1] in DETERMINERS:
            for root in roots(word):
                for entry in by_root.get(root, ()):
                    is_action = entry.kind == "action"
                    mention = _action(text, index, entry, root) if is_action else _thing(text, index, entry)
                    candidates += [mention] if mention else []
    used: set[int] = set()
    mentions: list[ElementMention] = []
    for mention in sorted(candidates, key=lambda m: (-(m.stop - m.start + m.sure), m)):
        span = set(range(mention.start, mention.stop))
        if not span & used:
            used |= span
            mentions.append(mention)
    return tuple(sorted(mentions))


def _action(text: tuple[str, ...], index: int, entry: RootedElement, root: str) -> ElementMention | None:
    """Return the action at this word, unless only a noun can be there."""
    before = text[index - 1] if index else ""
    if before in DETERMINERS or (before in PREPOSITIONS and before != "to"):
        return None
    stop = index + 1
    for word in entry.words[1:]:
        if not text[stop : stop + 1] or not roots(text[stop]) & roots(word):
            return None
        stop += 1
    is_synonym, particle = root.startswith("~"), entry.particle
    sure = SYNONYM - RANK * entry.rank if is_synonym else OWN
    clause = takewhile(lambda word: word == particle or (word[0].isalnum() and word != "and"), text[stop : stop + GAP])
    if particle and particle in clause:
        sure += PARTICLE_FOUND
    elif particle and not (is_synonym and particle in PLAIN):
        sure -= PARTICLE_MISSED if particle in PLAIN else OTHER_PARTICLE
    if not _is_verb_here(before):
        sure -= NOUN_LIKELY
    return ElementMention(index, stop, "action", entry.name, sure)


def _is_verb_here(before: str) -> bool:
    """Return whether a verb is likely behind this word."""
    if not before or not before[0].isalnum() or before in ACTORS:
        return True
    return before.endswith("ly") or before in ("is", "are", "was", "were", "be", "been", "being", "gets", "goes")


def _thing(text: tuple[str, ...], index: int, entry: RootedElement) -> ElementMention | None:
    """Return the thing whose first word this is, or of whose words this is one alone."""
    before = text[index - 1] if index else ""
    if text[index] in PARTICLES and before not in DETERMINERS:
        return None
    stop = index + len(entry.words)
    sure = LAST_WORD if roots(text[index]) & roots(entry.words[-1]) else FIRST_WORD
    if stop <= len(text) and all(
        roots(word) & roots(wanted) for word, wanted in zip(text[index:stop], entry.words, strict=True)
    ):
        sure = WHOLE
    slack = 2 * NOUN_LIKELY if _is_verb_here(before) else 0.0
    return ElementMention(index, stop if sure == WHOLE else index + 1, "thing", entry.name, sure - slack)


@lru_cache(maxsize=256)
def _by_root(elements: GraphElements) -> dict[str, tuple[RootedElement, ...]]:
    """Return every element under the roots of its words: an action's first word, any word of a thing."""
    index: dict[str, dict[RootedElement, None]] = {}
    for name in elements.actions:
        parted = split_particle(name)
        parts = words(parted.verb if parted else name)
        rank = next((line.split().index(parts[0]) for line in SAME_ACTION if parts[0] in line.split()), 0)
        entry = RootedElement(name, "action", parts, parted.particle if parted else "", rank)
        for root in roots(parts[0]):
            index.setdefault(root, {})[entry] = None
    for name in elements.things:
        entry = RootedElement(name, "thing", words(name), "", 0)
        for root in (*roots(entry.words[0]), *roots(entry.words[-1])):
            if not root.startswith("~"):
                index.setdefault(root, {})[entry] = None
    return {root: tuple(entries) for root, entries in index.items()}
