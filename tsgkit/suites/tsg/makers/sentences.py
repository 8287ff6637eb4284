"""Sentences about action graphs, and their texts read word by word along the account of their words.

>>> graph = ActionGraph.of(("person", "verb", "take-off"), ("take-off", "dobj", "lid"), ("take-off", "with", "hand1"))
>>> sentence = GraphSentence("Take the lid off.", {"take-off": ("Take off",), "lid": ("it",)}, ("hand1",))
>>> text = AnnotatedText(sentence, [graph])
>>> text.places["take-off"], text.places["lid"], text.missing
(((0, 3),), ((2,),), [('lid', 'it')])

Words are found where the account says; actions, and what the account leaves out, also where the text has the name
itself in any form.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import groupby, islice
from typing import NamedTuple

from tsgkit.graph.model import HANDS, PERSON, VERB, ActionGraph
from tsgkit.lexicon import PREPOSITIONS, bases, every_mention
from tsgkit.lexicon.folding import folded_words, word_set

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
NOT_VERBS = (DETERMINERS | PREPOSITIONS) - {"to", "before", "after"}
"""Words that are no verbs, and that no verb follows."""
COMPOUNDS = word_set(
    "out-of on-top-of next-to in-front-of away-from close-to off-of up-to by-means-of down-from up-from on-to",
    "in-to outside-of inside-of",
)
_TOKEN = re.compile(r"[^\W_]+(?:['\u2019](?!s\b)[^\W_]+)*")
_GAPS = (
    (".", re.compile(r"[.!?\u2026]|\n\s*\n")),
    (";", re.compile(r"[;:\u2014\u2013]|--|\s-\s")),
    (",", re.compile(r"[,()]")),
)


@dataclass(frozen=True)
class GraphSentence:
    """A text about graphs, and its account of their nodes (actions, objects, hands; the person needs none).

    A node is said by words of the text, or implied: left to be inferred.
    """

    text: str
    said: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By node, the words of the text that stand for it, each time that it is said."""
    implied: tuple[str, ...] = ()
    """The nodes that no word of the text stands for."""
    tags: tuple[str, ...] = ()
    """Labels of how it is worded: ``implicit``, ``repetition``, ``bare``."""


def nodes_of(*graphs: ActionGraph) -> dict[str, None]:
    """Return the actions, things and hands of graphs, all that an account is about, in written order."""
    names = (name for graph in graphs for triplet in graph for name in (triplet.source, triplet.target))
    return dict.fromkeys(name for name in names if name != PERSON)


class SentenceEvent(NamedTuple):
    """A graph, how often it is done in a row, and the words that tell its action."""

    number: int
    graph: ActionGraph
    times: int
    span: Place

    @property
    def start(self) -> int:
        """The first token that tells it."""
        return self.span[0]


class Token(NamedTuple):
    """A word in lower case, its position in the text, and the strongest mark before it: ``.``, ``;``, ``,`` or none."""

    word: str
    start: int
    end: int
    gap: str


@lru_cache(maxsize=4096)
def tokens_of(text: str) -> tuple[Token, ...]:
    """Return the words of a text, at most so many that hostile texts stay cheap."""
    tokens: list[Token] = []
    end = 0
    for match in islice(_TOKEN.finditer(text), MOST_TOKENS):
        between = text[end : match.start()]
        gap = next((mark for mark, pattern in _GAPS if pattern.search(between)), "")
        tokens.append(Token(match.group().lower().replace("\u2019", "'"), *match.span(), gap))
        end = match.end()
    return tuple(tokens)


class AnnotatedText:
    """A text about graphs: its words, and the places of the phrases that stand for each node."""

    def __init__(self, sentence: GraphSentence, graphs: Sequence[ActionGraph]) -> None:
        self.text = sentence.text
        self.tokens = tokens_of(self.text)
        self.graphs = tuple(graphs)
        self.actions = frozenset(action for graph in graphs for action in graph.actions)
        self.missing: list[tuple[str, str]] = []
        """Nodes and phrases of the account that the text does not have."""
        self.claimed: dict[str, tuple[Place, ...]] = {}
        """The places of the phrases of the account, by node."""
        self.named: dict[str, tuple[Place, ...]] = {}
        """The places where the names themselves are said, of actions and of what the account leaves out."""
        for node in nodes_of(*graphs):
            phrases = {phrase: list(self._phrase_places(phrase)) for phrase in sentence.said.get(node, ())}
            self.missing += [(node, phrase) for phrase, places in phrases.items() if not places]
            self.claimed[node] = tuple(sorted({span for places in phrases.values() for span in places}))
            if node in self.actions or not self.claimed[node]:
                self.named[node] = tuple(self.named_places(node))

    @cached_property
    def places(self) -> dict[str, tuple[Place, ...]]:
        """By node, its claimed places and those where its name is said that no claim is about, in the text's order."""
        indices = {node: {index for span in places for index in span} for node, places in self.claimed.items()}
        places = {}
        for node, claimed in self.claimed.items():
            of_others = set[int]().union(*(indices[neighbour] for neighbour in indices if neighbour != node))
            free_spans = [span for span in self.named.get(node, ()) if indices[node].isdisjoint(span)]
            places[node] = tuple(sorted((*claimed, *(span for span in free_spans if not of_others.issuperset(span)))))
        return places

    @cached_property
    def things(self) -> tuple[str, ...]:
        """The nodes that are neither actions nor hands."""
        targets = {triplet.target for graph in self.graphs for triplet in graph if triplet.edge != VERB}
        only_actions = self.actions - targets
        return tuple(node for node in self.places if node not in HANDS and node not in only_actions)

    @cached_property
    def owners(self) -> dict[int, list[str]]:
        """The nodes that each token stands for."""
        owners: dict[int, list[str]] = {}
        for node, places in self.places.items():
            for index in {index for span in places for index in span}:
                owners.setdefault(index, []).append(node)
        return owners

    @cached_property
    def _bases(self) -> frozenset[str]:
        return frozenset(base for token in self.tokens for base in (*bases(token.word), token.word[:4]))

    def may_have(self, name: str) -> bool:
        """Return False where a name surely is not in the text, in any form; a quick look before a search."""
        return all(
            not self._bases.isdisjoint((*bases(word), word[:4]) if len(word) > 3 else bases(word))
            for word in folded_words(name)
        )

    def named_places(self, name: str) -> Iterator[Place]:
        """Yield the places where the text has a name itself."""
        for mention in every_mention(self.text, name):
            starts = {index for start, end in mention.spans for index in range(start, end)}
            if span := tuple(index for index, token in enumerate(self.tokens) if token.start in starts):
                yield span

    def _phrase_places(self, phrase: str) -> Iterator[Place]:
        """Yield the places of a phrase: in one piece (with nothing left behind it), else in two parts not far apart."""
        words = [token.word for token in tokens_of(phrase)][:20]
        for cut in range(len(words), 0, -1):
            places = []
            for first in self._runs(words[:cut], 0, len(self.tokens)):
                start = first[-1] + 1
                most = start + WIDEST_SPLIT + len(words)
                stop = next((index for index in range(start, most) if self.gap(index)), most)
                places += [(*first, *rest) for rest in islice(self._runs(words[cut:], start, stop), 1)]
            if places:
                yield from places
                return

    def _runs(self, words: Sequence[str], start: int, stop: int) -> Iterator[Place]:
        for index in range(start, min(stop, len(self.tokens)) - len(words) + 1):
            if all(self.tokens[index + offset].word == word for offset, word in enumerate(words)):
                yield tuple(range(index, index + len(words)))

    def word(self, index: int) -> str:
        """Return a word; an empty text beyond the ends."""
        return self.tokens[index].word if 0 <= index < len(self.tokens) else ""

    def words(self, span: Iterable[int]) -> list[str]:
        """Return the words of a place."""
        return [self.word(index) for index in span]

    def gap(self, index: int) -> str:
        """Return the mark before a word; ``.`` at both ends."""
        return self.tokens[index].gap if 0 < index < len(self.tokens) else "."

    def gaps(self, start: int, end: int) -> set[str]:
        """Return the marks before the words from ``start`` on, ``end`` left out."""
        return {token.gap for token in self.tokens[max(start, 1) : max(end, 0)]} - {""}

    def denies(self, index: int) -> bool:
        """Return whether a word denies what follows it."""
        word = self.word(index)
        pair = (word, self.word(index + 1))
        return word in NEGATIONS or word.endswith("n't") or pair in (("instead", "of"), ("rather", "than"))

    def points(self, span: Iterable[int]) -> bool:
        """Return whether words only point to something that was said before (*it*, *the other*)."""
        return all(word in POINTERS or word in DETERMINERS for word in self.words(span))

    def before_phrase(self, span: Place) -> tuple[str, int]:
        """Return the preposition that governs a noun phrase and its token; empty where nothing governs it."""
        index = span[0]
        for _ in range(5):
            is_outside = index < span[0] and (self.word(index) in CONJUNCTIONS or index in self._of_actions)
            if is_outside or self.gap(index):
                break
            index -= 1
            if self.word(index) in PREPOSITIONS and self.word(index) not in DETERMINERS:
                for length in (3, 2):  # out of, on top of
                    start = index - length + 1
                    if (compound := "-".join(self.words(range(start, index + 1)))) in COMPOUNDS:
                        return compound, start
                return self.word(index), index
        return "", index

    @cached_property
    def _of_actions(self) -> frozenset[int]:
        return frozenset(span[0] for action in self.actions for span in self.places[action])

    @cached_property
    def units(self) -> list[tuple[ActionGraph, int]]:
        """The graphs, equal ones in a row taken together, and how many they are."""
        return [(graph, len(list(run))) for graph, run in groupby(self.graphs)]

    @cached_property
    def events(self) -> list[SentenceEvent]:
        """The graphs whose action has words, each with the words that tell it, in the order of the graphs."""
        events: list[SentenceEvent] = []
        used: set[Place] = set()
        verbs = {action: self.verb_places(action) for action in self.actions}
        starts = sorted({span[0] for places in verbs.values() for span in places})
        for number, (graph, times) in enumerate(self.units):
            places = [span for action in graph.actions for span in verbs[action]]
            if places:
                free = [span for span in places if span not in used] or places
                best = max(free, key=lambda span: (self._closeness(graph, span, starts), -span[0]))
                used.add(best)
                events.append(SentenceEvent(number, graph, times, best))
        return events

    def verb_places(self, action: str) -> Sequence[Place]:
        """Return the places of an action; of one that is a thing too, those where a verb may stand."""
        places = self.places[action]
        if action not in self.things:
            return places
        verbs = [span for span in places if self.word(span[0]) not in NOT_VERBS | POINTERS]
        return [span for span in verbs if self.word(span[0] - 1) not in NOT_VERBS] or verbs or places

    def _closeness(self, graph: ActionGraph, span: Place, starts: Sequence[int]) -> float:
        """Return how many parts of a graph have words around an action: behind it, or (less surely) before it."""
        following = next((start for start in starts if start > span[0]), len(self.tokens))
        earlier = max((start for start in starts if start < span[0]), default=-1)
        closeness = 0.0
        for node in (node for node in nodes_of(graph) if node not in graph.actions):
            indices = [part[0] for part in self.places[node]]
            if any(span[0] < index < following for index in indices):
                closeness += 1.0
            elif any(earlier < index < span[0] for index in indices):
                closeness += 0.6
        return closeness
