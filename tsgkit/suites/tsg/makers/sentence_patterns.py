"""Sentences from graphs by patterns, without a model: plainer than a model's, and never wrong.

>>> take = [("person", "verb", "take"), ("take", "dobj", "towel"), ("take", "off", "bowl"), ("take", "with", "hand1")]
>>> put = [("person", "verb", "put"), ("put", "dobj", "towel"), ("put", "over", "chair"), ("put", "with", "hand1")]
>>> sentence = write([ActionGraph(take), ActionGraph(put)], Manner("present"), Random(3))
>>> print(sentence.text)
After taking the towel off the bowl with one hand, she puts it over the chair.
>>> sentence.said["towel"]
('the towel', 'it')

Every node is said or implied. A thing is called *it* only right after it was the object of the clause before; hands are
said again when they change. Of equal graphs in a row there is one clause, with their number.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from random import Random
from typing import NamedTuple

from tsgkit.graph.hands import GRASPS
from tsgkit.graph.model import WITH, ActionGraph
from tsgkit.suites.tsg.makers.clauses import (
    NUMBERS,
    Clause,
    Form,
    Piece,
    can_be_written,
    clause_of,
    hands_phrase,
    is_plural,
    joined,
    object_pieces,
    phrase,
    predicate,
    pronoun_of,
    takes_pronoun,
)
from tsgkit.suites.tsg.makers.manners import STYLES, Manner
from tsgkit.suites.tsg.makers.sentences import Sentence, nodes_of

__all__ = ["STYLES", "Manner", "can_be_written", "word", "write"]

FORMS: dict[str, Form] = {"past": "past", "past passive": "past", "perfect": "participle"}
"""The forms of verbs by style; else of the person who acts."""
PLURAL = ("I", "you", "we")
MOST_CLAUSES = 3
"""The most clauses of one sentence."""
SOURCES = ("from", "off", "out-of")
PRONOUN_SHARE = 0.6
TURNED_SHARE = 0.3
"""The share of pairs of clauses that are joined by *before* or *after*."""
OPENINGS = ("Then", "Next,", "After that,")


class Unit(NamedTuple):
    """A graph and how often it is done in a row; ``source`` is where its object comes from by an unsaid grasp."""

    graph: ActionGraph
    times: int = 1
    source: ActionGraph | None = None


@dataclass
class _Said:
    """The state of a text while it is written: hands, object and action of the clause before."""

    hands: tuple[str, ...] = ()
    objects: tuple[str, ...] = ()
    action: str = ""

    def is_again(self, clause: Clause) -> bool:
        """Return whether a clause tells the action of the clause before, on the same thing."""
        return bool(clause.objects) and (self.action, self.objects) == (clause.action, clause.objects)

    def add(self, clause: Clause) -> None:
        """Take note of a clause."""
        self.hands, self.objects, self.action = clause.hands or self.hands, clause.objects, clause.action


def write(
    graphs: Sequence[ActionGraph], manner: Manner, choice: Random, before: Sequence[ActionGraph] = ()
) -> Sentence:
    """Return a text about graphs, none of which :func:`can_be_written` refuses; an empty one about none.

    ``before`` are the graphs that were told before; nothing in the text refers to them.
    """
    units = _units(graphs)
    if manner.is_implicit:
        units = _without_grasps(units)
    pieces: list[Piece] = []
    said = _Said()
    starts = range(0, len(units), MOST_CLAUSES if len(units) != MOST_CLAUSES + 1 else 2)
    for number, start in enumerate(starts):
        group = units[start : start + starts.step]
        opening = choice.choice(OPENINGS) if number else ""
        pieces += _sentence(group, manner, choice, said, opening="" if manner.style == "perfect" else opening)
    return _with_account(graphs, units, pieces, manner)


def word(graph: ActionGraph, manner: Manner) -> Sentence:
    """Return a sentence about one graph; an empty one where no pattern can word it."""
    return Sentence("") if can_be_written(graph) else write([graph], manner, Random(0))


def _units(graphs: Sequence[ActionGraph]) -> list[Unit]:
    return [Unit(graph, len(list(run))) for graph, run in groupby(graphs)]


def can_be_implicit(graphs: Sequence[ActionGraph]) -> bool:
    """Return whether a grasp goes without saying, since what follows is done to the same thing with the same hand."""
    if any(map(can_be_written, graphs)):
        return False
    return any(_goes_without_saying(one, other) for one, other in pairwise(_units(graphs)))


def _without_grasps(units: Sequence[Unit]) -> list[Unit]:
    """Leave out what goes without saying: a grasp right before something is done to the same thing with that hand."""
    kept: list[Unit] = []
    for unit in units:
        if kept and _goes_without_saying(kept[-1], unit):
            kept[-1] = unit._replace(source=kept[-1].graph)
        else:
            kept.append(unit)
    return kept


def _goes_without_saying(grasp: Unit, unit: Unit) -> bool:
    if grasp.times > 1 or unit.times > 1 or grasp.source is not None:
        return False
    first, second = clause_of(grasp.graph), clause_of(unit.graph)
    return (
        first.action in GRASPS
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


def _clause(unit: Unit) -> Clause:
    clause = clause_of(unit.graph)
    if unit.source is None:
        return clause
    grasp = clause_of(unit.source)
    thing = clause.objects[0]
    origin = tuple(("from", place) for _, place in grasp.phrases)
    return replace(clause, joined={**clause.joined, thing: (*origin, *clause.joined.get(thing, ()))})


def _sentence(units: Sequence[Unit], manner: Manner, choice: Random, said: _Said, *, opening: str) -> Iterator[Piece]:
    """Yield one sentence about some units."""
    said.objects = ()
    clauses = [_clause(unit) for unit in units]
    pieces: list[Piece] = [Piece(opening or manner.opening)]
    if len(units) == 2 and not manner.is_passive and choice.random() < TURNED_SHARE and _is_once(units):
        pieces += _turned(clauses, manner, choice, said, is_opened=bool(pieces[0].text))
    else:
        for number, (unit, clause) in enumerate(zip(units, clauses, strict=True)):
            pieces += _link(number, len(units), choice)
            pieces += _told(clause, manner, choice, said, is_first=number == 0)
            pieces += [Piece(NUMBERS[unit.times])] if unit.times > 1 else []
    yield from _capitalised([*pieces, Piece(".")])


def _is_once(units: Sequence[Unit]) -> bool:
    return all(unit.times == 1 for unit in units)


def _link(number: int, total: int, choice: Random) -> list[Piece]:
    if number == 0:
        return []
    if number < total - 1:
        return [Piece(",")]
    return [Piece(choice.choice(("and", "and then") if total == 2 else ("and", "and then", "and finally")))]


def _turned(
    clauses: Sequence[Clause], manner: Manner, choice: Random, said: _Said, *, is_opened: bool
) -> Iterator[Piece]:
    """Yield two clauses joined by *before* or *after*; the action in -ing shares the subject."""
    first, second = clauses
    if choice.random() < 0.5 or is_opened:
        yield from _told(first, manner, choice, said, is_first=True)
        yield Piece("before")
        yield from _with_hands(second, manner, choice, said, "gerund")
    else:
        yield Piece("after")
        yield from _with_hands(first, manner, choice, said, "gerund")
        yield Piece(",")
        yield from _told(second, manner, choice, said, is_first=True)


def _told(clause: Clause, manner: Manner, choice: Random, said: _Said, *, is_first: bool) -> Iterator[Piece]:
    """Yield a clause with its subject."""
    if manner.is_passive and clause.objects:
        yield from _passive(clause, manner, choice, said)
        return
    is_plural_form = manner.style in ("imperative", "future") or manner.subject in PLURAL
    form = FORMS.get(manner.style, "base" if is_plural_form else "third")
    front = clause.phrases[:1] if manner.is_fronted and clause.phrases[:1] and clause.phrases[0][0] != WITH else ()
    for edge, thing in front:
        yield from phrase(edge, [thing], clause, manner)
    if manner.style != "imperative" and (is_first or manner.is_passive):
        yield Piece(manner.subject)
        auxiliary = {"future": "will", "perfect": "have" if manner.subject in PLURAL else "has"}
        yield Piece(auxiliary.get(manner.style, ""))
    yield from _with_hands(clause, manner, choice, said, form, left_out=len(front))


def _with_hands(
    clause: Clause, manner: Manner, choice: Random, said: _Said, form: Form, left_out: int = 0
) -> Iterator[Piece]:
    uses_pronoun = clause.objects == said.objects and takes_pronoun(clause) and _may_use_pronoun(clause, manner, choice)
    hands = hands_phrase(clause, manner, said.hands)
    is_again = said.is_again(clause)
    yield from predicate(clause, manner, form, pronoun=uses_pronoun, hands=hands, is_again=is_again, left_out=left_out)
    said.add(clause)


def _may_use_pronoun(clause: Clause, manner: Manner, choice: Random) -> bool:
    return not manner.is_bare and not clause.joined.get(clause.objects[0]) and choice.random() < PRONOUN_SHARE


def _passive(clause: Clause, manner: Manner, choice: Random, said: _Said) -> Iterator[Piece]:
    uses_pronoun = (
        clause.objects == said.objects and len(clause.objects) == 1 and _may_use_pronoun(clause, manner, choice)
    )
    subject = pronoun_of(clause) if uses_pronoun else object_pieces(clause, manner)
    if uses_pronoun and is_plural(clause.objects[0]):
        subject = [Piece("they", clause.objects[0])]
    yield from subject
    is_several = len(clause.objects) > 1 or is_plural(clause.objects[0])
    yield Piece(("were" if is_several else "was") if manner.style == "past passive" else "are" if is_several else "is")
    hands = hands_phrase(clause, manner, said.hands)
    yield from predicate(clause, manner, "participle", hands=hands, is_passive=True, is_again=said.is_again(clause))
    said.add(clause)


def _capitalised(pieces: Sequence[Piece]) -> Iterator[Piece]:
    at_start = True
    for piece in pieces:
        if at_start and piece.text:
            yield piece._replace(text=piece.text[0].upper() + piece.text[1:])
            at_start = False
        else:
            yield piece


def _with_account(
    graphs: Sequence[ActionGraph], units: Sequence[Unit], pieces: Sequence[Piece], manner: Manner
) -> Sentence:
    said: dict[str, list[str]] = {}
    for piece in pieces:
        for node in filter(None, piece.node.split("/")):
            said.setdefault(node, []).append(f"{piece.text} {piece.more}".strip())
    nodes = dict.fromkeys(name for graph in graphs for name in nodes_of(graph))
    tags = {
        "implicit": any(unit.source is not None for unit in units),
        "repetition": any(unit.times > 1 for unit in units),
        "bare": manner.is_bare,
    }
    return Sentence(
        joined(pieces).replace(",.", ".").replace(",,", ","),
        {node: tuple(words) for node, words in said.items()},
        tuple(node for node in nodes if node not in said),
        tuple(tag for tag, is_so in tags.items() if is_so),
    )
