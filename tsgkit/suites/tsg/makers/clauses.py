"""Clauses about single graphs, in pieces that know which node they stand for.

>>> take = [("person", "verb", "take"), ("take", "dobj", "towel"), ("take", "off", "bowl"), ("take", "with", "hand1")]
>>> clause = clause_of(ActionGraph(take))
>>> print(joined(predicate(clause, Manner(), "base", hands=hands_phrase(clause, Manner(), ()))))
take the towel off the bowl with one hand

A graph is worded only if every triplet finds its place in a plain clause: one action, its objects, phrases with
prepositions, things joined to things, hands. :func:`can_be_written` says why another one is not.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import groupby
from operator import itemgetter
from typing import Literal, NamedTuple

from tsgkit.graph.model import DOBJ, HANDS, PERSON, VERB, WITH, ActionGraph, Triplet
from tsgkit.lexicon import gerund, is_preposition, participle, past, singular, split_particle, third_person
from tsgkit.lexicon.preposition_senses import conflicting
from tsgkit.lexicon.tables import word_set
from tsgkit.suites.tsg.makers.manners import Manner

Form = Literal["base", "third", "past", "gerund", "participle"]
PLAIN = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
OF = ("let-go", "take-hold", "get-hold", "dispose", "get-rid")
"""Actions whose object needs *of*."""
GRAMMAR = frozenset(("agent", "manner", "of", "per", "despite", "because-of"))
"""Labels that are prepositions and read badly after an action."""
MOST_NESTED = 3
HOLDING = word_set("with in by using")
"""The prepositions before a hand that does it."""
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


class Piece(NamedTuple):
    """Some words of a sentence, and the node that they stand for (empty: none)."""

    text: str
    node: str = ""
    more: str = ""
    """Words for the node that stand elsewhere: a particle behind the object."""


@dataclass(frozen=True)
class Clause:
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

    @property
    def has_tool(self) -> bool:
        """True if something but a hand is used."""
        return any(edge == WITH for edge, _ in self.phrases)


@lru_cache(maxsize=20_000)
def can_be_written(graph: ActionGraph) -> str:
    """Return why no pattern can word a graph; empty if one can."""
    if len(graph.actions) != 1:
        return "no action, or several"
    if not all(PLAIN.fullmatch(name) for triplet in graph for name in triplet):
        return "a name that is no plain word"
    action = graph.actions[0]
    seen, todo = set[Triplet](), [PERSON]
    reached: set[str] = set()
    while todo:
        reached.add(name := todo.pop())
        for triplet in graph:
            if triplet.source == name and triplet not in seen:
                if problem := _problem(triplet, action):
                    return problem
                seen.add(triplet)
                if triplet.target not in reached:
                    todo.append(triplet.target)
    return (
        "" if len(seen) == len(graph) and len(graph) > 1 else "a part that nothing leads to, or nothing but an action"
    )


def _problem(triplet: Triplet, action: str) -> str:
    source, edge, target = triplet
    if (edge == VERB) != (source == PERSON) or target == PERSON:
        return "a person in an odd place"
    if source in HANDS:
        return "an edge that starts at a hand"
    if edge == DOBJ and (source != action or target in HANDS):
        return "an odd direct object"
    if edge not in (VERB, DOBJ) and (not is_preposition(edge) or edge in GRAMMAR - {"of"}):
        return f"an edge that is no preposition: {edge}"
    if edge == "of" and source == action:
        return "an edge that is no preposition: of"
    return "a loop" if source == target and edge not in (DOBJ, WITH) else ""


@lru_cache(maxsize=20_000)
def clause_of(graph: ActionGraph) -> Clause:
    """Return the clause of a graph that can be written."""
    action = graph.actions[0]
    own = [one for one in dict.fromkeys(graph.triplets) if one.source == action]
    plain = [(one.edge, one.target) for one in own if one.edge not in (DOBJ, VERB)]
    objects = tuple(one.target for one in own if one.edge == DOBJ)
    places: list[tuple[str, str]] = []
    for edge, thing in sorted(plain, key=lambda one: one[0] == WITH):
        is_new = thing not in objects and all(t != thing or conflicting(e, edge) for e, t in places)
        if thing not in HANDS and is_new:
            places.append((edge, thing))
    joined: dict[str, list[tuple[str, str]]] = {}
    for one in dict.fromkeys(graph.triplets):
        if one.source not in (action, PERSON):
            joined.setdefault(one.source, []).append((one.edge, one.target))
    return Clause(
        action,
        objects,
        tuple(places),
        tuple(dict.fromkeys(target for edge, target in plain if target in HANDS and edge in HOLDING)),
        tuple(one for one in plain if one[1] in HANDS and one[0] not in HOLDING),
        {name: tuple(parts) for name, parts in joined.items()},
    )


@lru_cache(maxsize=20_000)
def is_plural(name: str) -> bool:
    """Return whether a thing is spoken of in the plural: *the scissors are*."""
    last = name.rpartition("-")[2]
    is_like_plural = singular(last) != last and not last.endswith(("ss", "us", "is")) and last not in SINGULAR
    return is_like_plural or last in PAIRED


def noun(name: str, clause: Clause, manner: Manner, depth: int = 0) -> Iterator[Piece]:
    """Yield a thing with its article, and what is joined to it."""
    article = "" if manner.is_bare else "the "
    ending = "s" if name.rpartition("-")[2] in PAIRED else ""
    yield Piece(article + name.replace("-", " ") + ending, name)
    if depth < MOST_NESTED:
        for edge, target in clause.joined.get(name, ()):
            if target in HANDS:
                if _says_hands(manner):
                    yield Piece(edge.replace("-", " "))
                    yield Piece(target, target)
            elif target != name:
                yield Piece(edge.replace("-", " "))
                yield from noun(target, clause, manner, depth + 1)


def _says_hands(manner: Manner) -> bool:
    return manner.hands != "unsaid" and not manner.is_bare


FORMS = {
    "base": lambda verb: verb,
    "third": third_person,
    "past": past,
    "gerund": gerund,
    "participle": participle,
}


@lru_cache(maxsize=20_000)
def verb_words(action: str, form: Form) -> tuple[str, str]:
    """Return the verb in a form, and its particle or other words."""
    parted = split_particle(action)
    verb, _, rest = action.partition("-") if parted is None else (parted.verb, "", parted.particle)
    first, _, more = verb.partition("-")
    return " ".join(filter(None, (FORMS[form](first), more.replace("-", " ")))), rest.replace("-", " ")


def predicate(
    clause: Clause,
    manner: Manner,
    form: Form,
    *,
    pronoun: bool = False,
    hands: Sequence[Piece] = (),
    is_passive: bool = False,
    is_again: bool = False,
    left_out: int = 0,
) -> list[Piece]:
    """Return an action with everything behind it; ``pronoun``: its object is called *it* or *them*.

    In the passive its objects are left out, and ``left_out`` phrases, which stand before it.
    """
    verb, particle = verb_words(clause.action, form)
    things: list[Piece] = []
    if not is_passive:
        things += [Piece("of")] if clause.action in OF and clause.objects else []
        things += pronoun_of(clause) if pronoun else object_pieces(clause, manner)
    is_parted = len(things) == 1 and bool(clause.phrases[left_out:] or particle in PARTED)
    if particle and is_parted and particle != "through":
        pieces = [Piece(verb, clause.action, particle), *things, Piece(particle)]
    else:
        pieces = [Piece(" ".join(filter(None, (verb, particle))), clause.action), *things]
    is_bare_placing = clause.action in PLACING and not (clause.phrases or clause.hand_phrases or clause.joined)
    pieces += [Piece("down" if is_bare_placing else ""), Piece("again" if is_again else "")]
    for edge, phrases in groupby(clause.phrases[left_out:], key=itemgetter(0)):
        pieces += phrase(edge, [thing for _, thing in phrases], clause, manner)
    return [*pieces, *hands]


def phrase(edge: str, things: Sequence[str], clause: Clause, manner: Manner) -> list[Piece]:
    """Return a preposition with its things."""
    is_made = edge == "into" and not PARTS.isdisjoint(things)
    return [
        Piece(edge.replace("-", " ")),
        *_nouns(things, clause, replace(manner, is_bare=True) if is_made else manner),
    ]


def takes_pronoun(clause: Clause) -> bool:
    """Return whether *it* can stand right behind the verb: no particle is there, and one thing is meant."""
    return len(clause.objects) == 1 and not verb_words(clause.action, "base")[1]


def pronoun_of(clause: Clause) -> list[Piece]:
    """Return *it* or *them* for the one object of a clause."""
    return [Piece("them" if is_plural(clause.objects[0]) else "it", clause.objects[0])]


def object_pieces(clause: Clause, manner: Manner) -> list[Piece]:
    """Return the objects of a clause: *the cup and the lid*."""
    return _nouns(clause.objects, clause, manner)


def _nouns(names: Sequence[str], clause: Clause, manner: Manner) -> list[Piece]:
    pieces: list[Piece] = []
    for place, name in enumerate(names):
        if place:
            pieces.append(Piece("and" if place == len(names) - 1 else ","))
        pieces += noun(name, clause, manner)
    return pieces


def hands_phrase(clause: Clause, manner: Manner, before: tuple[str, ...]) -> list[Piece]:
    """Return what is said of the hands; ``before`` are the hands that were said last."""
    if not _says_hands(manner):
        return []
    pieces = _passed_on(clause, manner)
    if not clause.hands or clause.hands == before:
        return pieces
    first = "using" if clause.has_tool else "with"
    if manner.hands == "named":
        names = sorted(clause.hands)
        return [*pieces, Piece(first), Piece(" and ".join(names), "/".join(names))]
    if len(clause.hands) > 1:
        return [*pieces, Piece(first), Piece("both hands", "/".join(HANDS))]
    words = "the other hand" if len(before) == 1 and before != clause.hands else "one hand"
    return [*pieces, Piece(first), Piece(words, clause.hands[0])]


def _passed_on(clause: Clause, manner: Manner) -> list[Piece]:
    """Return phrases of other prepositions and hands: *from one hand to the other*."""
    is_counted = manner.hands == "counted" and not clause.hands
    pieces = []
    phrases = clause.hand_phrases
    if [edge for edge, _ in phrases] == ["from"] and not clause.phrases and not clause.hands:
        phrases = ((WITH, phrases[0][1]),)  # where it goes is not told
    for place, (edge, hand) in enumerate(phrases):
        words = ("the other" if place else "one hand") if is_counted else hand
        pieces += [Piece(edge.replace("-", " ")), Piece(words, hand)]
    return pieces


def joined(pieces: Iterable[Piece]) -> str:
    """Return pieces as a text."""
    text = " ".join(piece.text for piece in pieces if piece.text)
    return re.sub(r"(?<!\s)\s+([,.;])", r"\1", text)
