"""Sentences from graphs by patterns, without a model: plainer than a model's, and never wrong.

>>> take = [("person", "verb", "take"), ("take", "dobj", "towel"), ("take", "off", "bowl"), ("take", "with", "hand1")]
>>> put = [("person", "verb", "put"), ("put", "dobj", "towel"), ("put", "over", "chair"), ("put", "with", "hand1")]
>>> sentence = write([ActionGraph(take), ActionGraph(put)], Manner("present"), Random(3))
>>> print(sentence.text)
After taking the towel off the bowl with one hand, she puts it over the chair.
>>> sentence.said["towel"]
('the towel', 'it')

A graph is worded only if every triplet finds its place in a plain clause: one action, its objects, phrases with
prepositions, things joined to things, hands. :func:`can_be_written` says why another one is not. Every node is said or
implied. A thing is called *it* only right after it was the object of the clause before; hands are said again when they
change. Of equal graphs in a row there is one clause, with their number.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import groupby, pairwise, starmap
from operator import itemgetter
from random import Random
from typing import Literal, NamedTuple

from tsgkit.graph.hands import GRASPS
from tsgkit.graph.model import DOBJ, HANDS, PERSON, VERB, WITH, ActionGraph, Triplet
from tsgkit.lexicon import gerund, is_preposition, participle, past, singular, split_particle, third_person
from tsgkit.lexicon.folding import word_set
from tsgkit.lexicon.prepositions import conflicting
from tsgkit.suites.tsg.makers.sentences import GraphSentence, nodes_of

STYLES = ("imperative", "present", "past", "perfect", "future", "passive", "past passive")
SUBJECTS = ("she", "he", "I", "you", "we", "the person", "Mara", "Jonas", "Ada")
PLURAL = ("I", "you", "we")
FORMS: dict[str, Callable[[str], str]] = {
    "base": str,
    "third": third_person,
    "past": past,
    "gerund": gerund,
    "participle": participle,
}
STYLE_FORMS = {"past": "past", "past passive": "past", "perfect": "participle", "imperative": "base", "future": "base"}
"""The forms of verbs by style; else that of the person who acts."""
PLAIN = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
OF = ("let-go", "take-hold", "get-hold", "dispose", "get-rid")
"""Actions whose object needs *of*."""
GRAMMAR = frozenset(("agent", "manner", "per", "despite", "because-of"))
"""Labels that are prepositions and read badly after an action."""
HOLDING = word_set("with in by using")
"""The prepositions before a hand that does it."""
SOURCES = ("from", "off", "out-of")
PARTED = word_set("back over together apart")
"""Particles that stand behind a short object: *turns the blanket back*."""
SINGULAR = word_set("lens gas canvas atlas bias")
"""Things in the singular that end like a plural."""
PAIRED = word_set("plier scissor shear tong tweezer pincer")
"""Names of tools in a singular that English does not have: *the pliers are*."""
PARTS = word_set("pieces halves quarters slices strips chunks cubes parts rounds")
"""What a thing is made into, without an article: *cuts the dough into pieces*."""
PLACING = word_set("put place lay set")
"""Actions that need a place; without one, the thing is put *down*."""
NUMBERS = ("", "once", "twice", "three times", "four times", "five times", "six times", "seven times", "eight times")
OPENINGS = ("Then", "Next,", "After that,")
MOST_NESTED = 3
MOST_CLAUSES = 3
"""The most clauses of one sentence."""
PRONOUN_SHARE = 0.6
TURNED_SHARE = 0.3
"""The share of pairs of clauses that are joined by *before* or *after*."""


@dataclass(frozen=True)
class Manner:
    """The manner of a sentence: its style, who acts, and what it says of hands."""

    style: str = "imperative"
    hands: Literal["named", "counted", "unsaid"] = "counted"
    is_bare: bool = False
    is_implicit: bool = False
    subject: str = "she"
    opening: str = ""
    is_fronted: bool = False
    """True if the first place comes before the subject."""

    @property
    def is_passive(self) -> bool:
        """True if the direct object is the subject."""
        return self.style in ("passive", "past passive")


class SentencePiece(NamedTuple):
    """Some words of a sentence, and the node that they stand for (empty: none)."""

    text: str
    node: str = ""
    more: str = ""
    """Words for the node that stand elsewhere: a particle behind the object."""


@dataclass(frozen=True)
class ActionClause:
    """One action with its parts in the order in which they are said."""

    action: str
    objects: tuple[str, ...] = ()
    phrases: tuple[tuple[str, str], ...] = ()
    """Prepositions with things: places first, then tools."""
    hands: tuple[str, ...] = ()
    """The hands that do it."""
    hand_phrases: tuple[tuple[str, str], ...] = ()
    """Prepositions with hands other than *with*."""
    joined: dict[str, tuple[tuple[str, str], ...]] = field(default_factory=dict, hash=False)
    """Phrases that belong to a thing: *the bolt on the brake*."""
    times: int = 1
    """How often it is done in a row."""
    implies_grasp: bool = False
    """True if the grasp of its object before goes without saying."""


@lru_cache(maxsize=20_000)
def can_be_written(graph: ActionGraph) -> str:
    """Return why no pattern can word a graph; empty if one can."""
    if len(graph.actions) != 1:
        return "no action, or several"
    if not all(PLAIN.fullmatch(name) for triplet in graph for name in triplet):
        return "a name that is no plain word"
    visited, names = set[Triplet](), [PERSON]
    while names:
        name = names.pop()
        for triplet in graph:
            if triplet.source == name and triplet not in visited:
                if problem := _problem(triplet, graph.actions[0]):
                    return problem
                visited.add(triplet)
                names.append(triplet.target)
    is_whole = len(visited) == len(graph) and len(graph) > 1
    return "" if is_whole else "a part that nothing leads to, or nothing but an action"


def _problem(triplet: Triplet, action: str) -> str:
    source, edge, target = triplet
    if (edge == VERB) != (source == PERSON) or target == PERSON:
        return "a person in an odd place"
    if source in HANDS:
        return "an edge that starts at a hand"
    if edge == DOBJ and (source != action or target in HANDS):
        return "an odd direct object"
    is_phrase = is_preposition(edge) and edge not in GRAMMAR and (edge != "of" or source != action)
    if edge not in (VERB, DOBJ) and not is_phrase:
        return f"an edge that is no preposition: {edge}"
    return "a loop" if source == target and edge not in (DOBJ, WITH) else ""


@lru_cache(maxsize=20_000)
def clause_of(graph: ActionGraph) -> ActionClause:
    """Return the clause of a graph that can be written."""
    action = graph.actions[0]
    objects: list[str] = []
    phrases: list[tuple[str, str]] = []
    joined: dict[str, tuple[tuple[str, str], ...]] = {}
    for source, edge, target in dict.fromkeys(graph.triplets):
        if source == action and edge == DOBJ:
            objects.append(target)
        elif source == action and edge != VERB:
            phrases.append((edge, target))
        elif source not in (action, PERSON):
            joined[source] = (*joined.get(source, ()), (edge, target))
    places: list[tuple[str, str]] = []
    for edge, thing in sorted(phrases, key=lambda phrase: phrase[0] == WITH):
        is_new = thing not in objects and all(t != thing or conflicting(e, edge) for e, t in places)
        if thing not in HANDS and is_new:
            places.append((edge, thing))
    with_hands = [phrase for phrase in phrases if phrase[1] in HANDS]
    return ActionClause(
        action,
        tuple(objects),
        tuple(places),
        tuple(dict.fromkeys(hand for edge, hand in with_hands if edge in HOLDING)),
        tuple((edge, hand) for edge, hand in with_hands if edge not in HOLDING),
        joined,
    )


@lru_cache(maxsize=20_000)
def is_plural(name: str) -> bool:
    """Return whether a thing is spoken of in the plural: *the scissors are*."""
    last = name.rpartition("-")[2]
    is_like_plural = singular(last) != last and not last.endswith(("ss", "us", "is")) and last not in SINGULAR
    return is_like_plural or last in PAIRED


@lru_cache(maxsize=20_000)
def verb_words(action: str, form: str) -> tuple[str, str]:
    """Return the verb in a form, and its particle or other words."""
    parted = split_particle(action)
    verb, _, rest = action.partition("-") if parted is None else (parted.verb, "", parted.particle)
    first, _, more = verb.partition("-")
    return " ".join(filter(None, (FORMS[form](first), more.replace("-", " ")))), rest.replace("-", " ")


def word(graph: ActionGraph, manner: Manner) -> GraphSentence:
    """Return a sentence about one graph; an empty one where no pattern can word it."""
    return GraphSentence("") if can_be_written(graph) else write([graph], manner, Random(0))


def can_be_implicit(graphs: Sequence[ActionGraph]) -> bool:
    """Return whether a grasp goes without saying, since what follows is done to the same thing with the same hand."""
    return not any(map(can_be_written, graphs)) and any(starmap(_goes_without_saying, pairwise(_clauses(graphs))))


def write(graphs: Sequence[ActionGraph], manner: Manner, choice: Random) -> GraphSentence:
    """Return a text about graphs, none of which :func:`can_be_written` refuses; an empty one about none."""
    clauses = _clauses(graphs)
    if manner.is_implicit:  # a grasp goes without saying right before something is done to the same thing
        kept: list[ActionClause] = []
        for clause in clauses:
            if kept and _goes_without_saying(kept[-1], clause):
                thing = clause.objects[0]
                origin = tuple(("from", target) for _, target in kept.pop().phrases)
                joined = {**clause.joined, thing: (*origin, *clause.joined.get(thing, ()))}
                clause = replace(clause, joined=joined, implies_grasp=True)
            kept.append(clause)
        clauses = kept
    writer = _TextWriter(manner, choice)
    pieces: list[SentencePiece] = []
    size = MOST_CLAUSES if len(clauses) != MOST_CLAUSES + 1 else 2
    for start in range(0, len(clauses), size):
        opening = choice.choice(OPENINGS) if start else ""
        pieces += writer.sentence(clauses[start : start + size], "" if manner.style == "perfect" else opening)
    account: dict[str, tuple[str, ...]] = {}
    for piece in pieces:
        for node in filter(None, piece.node.split("/")):
            account[node] = (*account.get(node, ()), f"{piece.text} {piece.more}".strip())
    tags = {
        "implicit": any(clause.implies_grasp for clause in clauses),
        "repetition": any(clause.times > 1 for clause in clauses),
        "bare": manner.is_bare,
    }
    text = " ".join(piece.text for piece in pieces).replace(" ,", ",").replace(" .", ".")
    return GraphSentence(
        text.replace(",.", ".").replace(",,", ","),
        account,
        tuple(node for node in nodes_of(*graphs) if node not in account),
        tuple(tag for tag, is_so in tags.items() if is_so),
    )


def _clauses(graphs: Sequence[ActionGraph]) -> list[ActionClause]:
    return [replace(clause_of(graph), times=len(list(run))) for graph, run in groupby(graphs)]


def _goes_without_saying(first: ActionClause, second: ActionClause) -> bool:
    return (
        first.times == second.times == 1
        and not first.implies_grasp
        and first.action in GRASPS
        and second.action not in GRASPS
        and second.objects == first.objects
        and len(first.objects) == 1
        and first.hands == second.hands
        and not first.hand_phrases
        and not first.joined
        and all(edge in SOURCES for edge, _ in first.phrases)
        and len(first.phrases) <= 1
        and not any(edge in SOURCES for edge, _ in second.phrases)
    )


class _TextWriter:
    """A text while it is written: its manner, and the hands, objects and action of the clause before."""

    def __init__(self, manner: Manner, choice: Random) -> None:
        self.manner = manner
        self.choice = choice
        self.hands: tuple[str, ...] = ()
        self.objects: tuple[str, ...] = ()
        self.action = ""

    def sentence(self, clauses: Sequence[ActionClause], opening: str) -> list[SentencePiece]:
        """Return one sentence of some clauses; of two, the one with the verb in -ing shares the subject."""
        self.objects = ()
        first, last = clauses[0], clauses[-1]
        pieces = [SentencePiece(start)] if (start := opening or self.manner.opening) else []
        is_pair = len(clauses) == 2 and not self.manner.is_passive
        if is_pair and self.choice.random() < TURNED_SHARE and first.times == last.times == 1:
            if self.choice.random() < 0.5 or pieces:
                pieces += [*self._clause(first, is_first=True), SentencePiece("before"), *self._active(last, "gerund")]
            else:
                pieces += [SentencePiece("after"), *self._active(first, "gerund"), SentencePiece(",")]
                pieces += self._clause(last, is_first=True)
        else:
            links = ("and", "and then") if len(clauses) == 2 else ("and", "and then", "and finally")
            for number, clause in enumerate(clauses):
                if number:
                    pieces.append(SentencePiece(self.choice.choice(links) if number == len(clauses) - 1 else ","))
                pieces += self._clause(clause, is_first=number == 0)
                pieces += [SentencePiece(NUMBERS[clause.times])] if clause.times > 1 else []
        opener = pieces[0]
        pieces[0] = opener._replace(text=opener.text[0].upper() + opener.text[1:])
        return [*pieces, SentencePiece(".")]

    def _clause(self, clause: ActionClause, *, is_first: bool) -> list[SentencePiece]:
        """Return a clause with its subject, which is left out where that of the clause before goes on."""
        manner = self.manner
        if manner.is_passive and clause.objects:
            thing = clause.objects[0]
            is_several = len(clause.objects) > 1 or is_plural(thing)
            auxiliary = ("was", "were") if manner.style == "past passive" else ("is", "are")
            pronoun = SentencePiece("they" if is_several else "it", thing)
            subject = [pronoun] if self._uses_pronoun(clause) else self._nouns(clause.objects, clause)
            return [*subject, SentencePiece(auxiliary[is_several]), *self._predicate(clause, "participle")]
        form = STYLE_FORMS.get(manner.style, "base" if manner.subject in PLURAL else "third")
        is_fronted = manner.is_fronted and bool(clause.phrases) and clause.phrases[0][0] != WITH
        pieces = self._phrase(clause.phrases[0][0], [clause.phrases[0][1]], clause) if is_fronted else []
        if manner.style != "imperative" and (is_first or manner.is_passive):
            pieces.append(SentencePiece(manner.subject))
            if manner.style == "future":
                pieces.append(SentencePiece("will"))
            elif manner.style == "perfect":
                pieces.append(SentencePiece("have" if manner.subject in PLURAL else "has"))
        return [*pieces, *self._active(clause, form, left_out=int(is_fronted))]

    def _active(self, clause: ActionClause, form: str, left_out: int = 0) -> list[SentencePiece]:
        """Return an action with its objects: *it* and *them* can only stand right behind a verb without a particle."""
        if not verb_words(clause.action, form)[1] and self._uses_pronoun(clause):
            things = [SentencePiece("them" if is_plural(clause.objects[0]) else "it", clause.objects[0])]
        else:
            things = self._nouns(clause.objects, clause)
        of = [SentencePiece("of")] if clause.action in OF and clause.objects else []
        return self._predicate(clause, form, [*of, *things], left_out)

    def _uses_pronoun(self, clause: ActionClause) -> bool:
        is_clear = clause.objects == self.objects and len(clause.objects) == 1
        if not is_clear or self.manner.is_bare or clause.joined.get(clause.objects[0]):
            return False
        return self.choice.random() < PRONOUN_SHARE

    def _predicate(
        self, clause: ActionClause, form: str, things: Sequence[SentencePiece] = (), left_out: int = 0
    ) -> list[SentencePiece]:
        """Return an action with everything behind it but ``left_out`` phrases, which stand before it."""
        verb, particle = verb_words(clause.action, form)
        phrases = clause.phrases[left_out:]
        if particle not in ("", "through") and len(things) == 1 and (phrases or particle in PARTED):
            pieces = [SentencePiece(verb, clause.action, particle), *things, SentencePiece(particle)]
        else:
            pieces = [SentencePiece(f"{verb} {particle}".strip(), clause.action), *things]
        if clause.action in PLACING and not (clause.phrases or clause.hand_phrases or clause.joined):
            pieces.append(SentencePiece("down"))
        if clause.objects and (self.action, self.objects) == (clause.action, clause.objects):
            pieces.append(SentencePiece("again"))
        for edge, alike in groupby(phrases, key=itemgetter(0)):
            pieces += self._phrase(edge, [thing for _, thing in alike], clause)
        pieces += self._hands_phrase(clause)
        self.hands, self.objects, self.action = clause.hands or self.hands, clause.objects, clause.action
        return pieces

    def _phrase(self, edge: str, things: Sequence[str], clause: ActionClause) -> list[SentencePiece]:
        is_made = edge == "into" and not PARTS.isdisjoint(things)
        return [SentencePiece(edge.replace("-", " ")), *self._nouns(things, clause, is_bare=is_made)]

    def _nouns(self, names: Sequence[str], clause: ActionClause, *, is_bare: bool = False) -> list[SentencePiece]:
        """Return things with their articles and what is joined to them: *the cup and the lid*."""
        pieces: list[SentencePiece] = []
        for position, name in enumerate(names):
            if position:
                pieces.append(SentencePiece("and" if position == len(names) - 1 else ","))
            pieces += self._noun(name, clause, 0, is_bare=is_bare or self.manner.is_bare)
        return pieces

    def _noun(self, name: str, clause: ActionClause, depth: int, *, is_bare: bool) -> Iterator[SentencePiece]:
        ending = "s" if name.rpartition("-")[2] in PAIRED else ""
        yield SentencePiece(("" if is_bare else "the ") + name.replace("-", " ") + ending, name)
        for edge, target in clause.joined.get(name, ()) if depth < MOST_NESTED else ():
            if target in HANDS:
                if self.manner.hands != "unsaid" and not is_bare:
                    yield from (SentencePiece(edge.replace("-", " ")), SentencePiece(target, target))
            elif target != name:
                yield SentencePiece(edge.replace("-", " "))
                yield from self._noun(target, clause, depth + 1, is_bare=is_bare)

    def _hands_phrase(self, clause: ActionClause) -> list[SentencePiece]:
        """Return what is said of the hands: *from one hand to the other*, *with both hands*; nothing if they stay."""
        manner = self.manner
        if manner.hands == "unsaid" or manner.is_bare:
            return []
        passed_on = clause.hand_phrases
        if [edge for edge, _ in passed_on] == ["from"] and not clause.phrases and not clause.hands:
            passed_on = ((WITH, passed_on[0][1]),)  # where it goes is not told
        pieces: list[SentencePiece] = []
        for position, (edge, hand) in enumerate(passed_on):
            is_counted = manner.hands == "counted" and not clause.hands
            words = ("the other" if position else "one hand") if is_counted else hand
            pieces += [SentencePiece(edge.replace("-", " ")), SentencePiece(words, hand)]
        if not clause.hands or clause.hands == self.hands:
            return pieces
        if manner.hands == "named":
            words = " and ".join(sorted(clause.hands))
        elif len(clause.hands) > 1:
            words = "both hands"
        else:
            words = "the other hand" if len(self.hands) == 1 else "one hand"
        has_tool = any(edge == WITH for edge, _ in clause.phrases)
        return [
            *pieces,
            SentencePiece("using" if has_tool else "with"),
            SentencePiece(words, "/".join(sorted(clause.hands))),
        ]
