"""Texts about graphs read word by word, with the places of the words that stand for each node.

>>> graph = ActionGraph.of(("person", "verb", "take-off"), ("take-off", "dobj", "lid"))
>>> told = ToldText.of(Sentence("Take the lid off.", {"take-off": ("Take off",), "lid": ("it",)}), [graph])
>>> told.places["take-off"], told.places["lid"], told.missing
(((0, 3),), ((2,),), (('lid', 'it'),))

Words are found where the account says; actions, and what the account leaves out, also where the text has the name
itself in any form.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import islice
from typing import NamedTuple

from tsgkit.graph.model import HANDS, VERB, ActionGraph
from tsgkit.lexicon import every_mention
from tsgkit.lexicon.folding import folded_words
from tsgkit.lexicon.inflection import bases
from tsgkit.lexicon.prepositions import PREPOSITIONS
from tsgkit.lexicon.tables import word_set
from tsgkit.suites.tsg.makers.sentences import Sentence, nodes_of

Place = tuple[int, ...]
"""The numbers of the tokens of one phrase."""

WIDEST_SPLIT = 8
"""So many words may stand between the parts of a phrase (*takes* the heavy lid *off*)."""
MOST_TOKENS = 2_000
DETERMINERS = word_set(
    "a an the this that these those my your his her its our their each every both some any another all one two no"
)
POINTERS = word_set(
    "it its them they their that this these those one ones both all there here thereon therein him her himself itself"
    " each everything two pair lot whole same other former latter which what thing things former inside back another"
)
"""Words that point to something said before."""
CONJUNCTIONS = word_set("and or but then so while as before after once until when where which who whereupon nor yet")
NEGATIONS = word_set("not no never without nor neither none cannot")
"""Words that deny."""
_TOKEN = re.compile(r"[^\W_]+(?:['\u2019](?!s\b)[^\W_]+)*")
_GAPS = (
    (".", re.compile(r"[.!?\u2026]|\n\s*\n")),
    (";", re.compile(r"[;:\u2014\u2013]|--|\s-\s")),
    (",", re.compile(r"[,()]")),
)


class Token(NamedTuple):
    """A word in lower case, its position in the text, and the strongest mark before it: ``.``, ``;``, ``,`` or none."""

    word: str
    start: int
    end: int
    gap: str


@dataclass(frozen=True)
class ToldText:
    """A text about graphs: its words, and the places of the phrases that stand for each node."""

    text: str
    tokens: tuple[Token, ...]
    graphs: tuple[ActionGraph, ...]
    claimed: dict[str, tuple[Place, ...]]
    """The places of the phrases of the account, by node."""
    places: dict[str, tuple[Place, ...]]
    """The claimed places and those where the name itself is said, by node, in the order of the text."""
    named: dict[str, tuple[Place, ...]]
    """The places where the names themselves are said, of actions and of what the account leaves out."""
    missing: tuple[tuple[str, str], ...]
    """Nodes and phrases of the account that the text does not have."""

    @classmethod
    def of(cls, sentence: Sentence, graphs: Sequence[ActionGraph]) -> ToldText:
        """Return the text of a sentence, read along its account."""
        tokens = tokens_of(sentence.text)
        names = dict.fromkeys(name for graph in graphs for name in nodes_of(graph))
        claimed: dict[str, tuple[Place, ...]] = {}
        missing: list[tuple[str, str]] = []
        for node in names:
            found: set[Place] = set()
            for phrase in sentence.said.get(node, ()):
                here = tuple(phrase_places(tokens, phrase))
                missing += [] if here else [(node, phrase)]
                found.update(here)
            claimed[node] = tuple(sorted(found))
        actions = {action for graph in graphs for action in graph.actions}
        searched = [name for name in names if name in actions or not claimed[name]]
        named = {name: tuple(named_places(sentence.text, tokens, name)) for name in searched}
        return cls(sentence.text, tokens, tuple(graphs), claimed, _all_places(claimed, named), named, tuple(missing))

    @cached_property
    def actions(self) -> frozenset[str]:
        """The actions of the graphs."""
        return frozenset(action for graph in self.graphs for action in graph.actions)

    @cached_property
    def things(self) -> tuple[str, ...]:
        """The nodes that are neither actions nor hands."""
        return tuple(
            name for name in self.places if name not in HANDS and (name not in self.actions or self._is_thing(name))
        )

    def _is_thing(self, name: str) -> bool:
        return any(triplet.target == name and triplet.edge != VERB for graph in self.graphs for triplet in graph)

    @cached_property
    def owners(self) -> dict[int, tuple[str, ...]]:
        """The nodes that each token stands for."""
        found: dict[int, list[str]] = {}
        for node, places in self.places.items():
            for index in dict.fromkeys(index for place in places for index in place):
                found.setdefault(index, []).append(node)
        return {index: tuple(nodes) for index, nodes in found.items()}

    @cached_property
    def _bases(self) -> frozenset[str]:
        return frozenset(base for token in self.tokens for base in (*bases(token.word), token.word[:4]))

    def may_have(self, name: str) -> bool:
        """Return False where a name surely is not in the text, in any form; a quick look before a search."""
        return all(
            not self._bases.isdisjoint((*bases(word), word[:4]))
            if len(word) > 3
            else not self._bases.isdisjoint(bases(word))
            for word in folded_words(name)
        )

    def denies(self, index: int) -> bool:
        """Return whether a word denies what follows it."""
        word = self.word(index)
        pair = (word, self.word(index + 1))
        return word in NEGATIONS or word.endswith("n't") or pair in (("instead", "of"), ("rather", "than"))

    def points(self, place: Iterable[int]) -> bool:
        """Return whether words only point to something that was said before (*it*, *the other*)."""
        return all(word in POINTERS or word in DETERMINERS for word in self.words(place))

    def words(self, place: Iterable[int]) -> tuple[str, ...]:
        """Return the words of a place."""
        return tuple(self.tokens[index].word for index in place)

    def word(self, index: int) -> str:
        """Return a word; an empty text beyond the ends."""
        return self.tokens[index].word if 0 <= index < len(self.tokens) else ""

    def gap(self, index: int) -> str:
        """Return the mark before a word; ``.`` at both ends."""
        return self.tokens[index].gap if 0 < index < len(self.tokens) else "."

    def gaps(self, start: int, end: int) -> set[str]:
        """Return the marks before the words from ``start`` on, ``end`` left out."""
        return {self.tokens[index].gap for index in range(max(start, 1), min(end, len(self.tokens)))} - {""}

    def before_phrase(self, place: Place) -> tuple[str, int]:
        """Return the preposition that governs a noun phrase and its token; empty where nothing governs it."""
        index = place[0]
        for _ in range(5):
            word = self.word(index)
            if index < place[0] and (word in CONJUNCTIONS or index in self._of_actions):
                return "", index
            if self.gap(index):
                return "", index
            index -= 1
            if self.word(index) in PREPOSITIONS and self.word(index) not in DETERMINERS:
                return self._compound(index)
        return "", index

    def _compound(self, index: int) -> tuple[str, int]:
        """Return a preposition with the words that belong to it: *out of*, *on top of*, *next to*."""
        for length in (3, 2):
            words = tuple(self.word(one) for one in range(index - length + 1, index + 1))
            if words in COMPOUNDS:
                return "-".join(words), index - length + 1
        return self.word(index), index

    @cached_property
    def _of_actions(self) -> frozenset[int]:
        return frozenset(place[0] for name in self.actions for place in self.places.get(name, ()))


COMPOUNDS = frozenset(
    tuple(words.split("-"))
    for words in sorted(
        word_set(
            "out-of on-top-of next-to in-front-of away-from close-to off-of up-to by-means-of down-from up-from on-to",
            "in-to outside-of inside-of",
        )
    )
)


@lru_cache(maxsize=4096)
def tokens_of(text: str) -> tuple[Token, ...]:
    """Return the words of a text, at most so many that hostile texts stay cheap."""
    tokens: list[Token] = []
    end = 0
    for match in islice(_TOKEN.finditer(text), MOST_TOKENS):
        gap = _gap(text[end : match.start()])
        tokens.append(Token(match.group().lower().replace("\u2019", "'"), *match.span(), gap))
        end = match.end()
    return tuple(tokens)


@lru_cache(maxsize=1024)
def _gap(between: str) -> str:
    return next((mark for mark, pattern in _GAPS if pattern.search(between)), "")


def phrase_places(tokens: Sequence[Token], phrase: str) -> Iterator[Place]:
    """Yield the places of a phrase: in one piece, else in two parts in this order and not far apart."""
    words = [token.word for token in tokens_of(phrase)][:20]
    whole = list(_runs(tokens, words, 0, len(tokens))) if words else []
    if whole or len(words) < 2:
        yield from whole
        return
    for cut in range(len(words) - 1, 0, -1):
        apart = []
        for first in _runs(tokens, words[:cut], 0, len(tokens)):
            start = first[-1] + 1
            stop = _end_of_clause(tokens, start, start + WIDEST_SPLIT + len(words))
            apart += [(*first, *rest) for rest in islice(_runs(tokens, words[cut:], start, stop), 1)]
        if apart:
            yield from apart
            return


def _end_of_clause(tokens: Sequence[Token], start: int, most: int) -> int:
    return next((index for index in range(start, min(most, len(tokens))) if tokens[index].gap), most)


def _runs(tokens: Sequence[Token], words: Sequence[str], start: int, stop: int) -> Iterator[Place]:
    first = words[0]
    for index in range(start, min(stop, len(tokens)) - len(words) + 1):
        if tokens[index].word == first and all(
            tokens[index + offset].word == word for offset, word in enumerate(words)
        ):
            yield tuple(range(index, index + len(words)))


def named_places(text: str, tokens: Sequence[Token], name: str) -> Iterator[Place]:
    """Yield the places where a text has a name itself."""
    for mention in every_mention(text, name):
        place = tuple(
            index
            for index, token in enumerate(tokens)
            if any(start <= token.start < end for start, end in mention.spans)
        )
        if place:
            yield place


def _all_places(
    claimed: dict[str, tuple[Place, ...]], named: dict[str, tuple[Place, ...]]
) -> dict[str, tuple[Place, ...]]:
    """Return claimed places with the named ones that neither lie in them nor are claimed for another node."""
    places: dict[str, tuple[Place, ...]] = {}
    for node, own in claimed.items():
        taken = {index for place in own for index in place}
        others = {index for other, found in claimed.items() if other != node for place in found for index in place}
        free = [place for place in named.get(node, ()) if taken.isdisjoint(place) and not set(place) <= others]
        places[node] = tuple(sorted((*own, *free)))
    return places
