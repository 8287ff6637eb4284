"""Designs of choices: a right graph and wrong ones for the same manner of writing, before any of them is worded.

A right graph beside wrong ones that all are edits of it is found without the graph: it is the one that is most like the
others. So no design lets it be their centre. In a *line* all differ at one place of the graph, each from each; in a
*grid* of two or three places every combination may occur, so that the right one may be any of them. Contrasts
(``the towel, not the cup``) go round: each name that is affirmed in one is denied in another.

>>> take = [("person", "verb", "take"), ("take", "dobj", "towel"), ("take", "off", "bowl"), ("take", "with", "hand1")]
>>> from tsgkit.graph.model import Narrative
>>> story = Narrative.of([ActionGraph.of(("person", "verb", "open"), ("open", "dobj", "jar")), ActionGraph.of(*take)])
>>> found = designs(StoryView(story), 1, ONE_ELEMENT, Drawing(Random(1), ("imperative",)))
>>> sorted({variant.kind for design in found for variant in design.wrong})
['negation', 'preposition']
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from random import Random
from typing import Literal

from tsgkit.graph.model import DOBJ, HANDS, PERSON, VERB, ActionGraph, Triplet
from tsgkit.suites.tsg.makers.claims import hands_of, surely_conflicting
from tsgkit.suites.tsg.makers.manners import Manner
from tsgkit.suites.tsg.makers.wrong_steps import (
    NO_CHANGE,
    RIGHT,
    Cell,
    Change,
    Slot,
    StoryView,
    changed,
    distinct,
    fault_of,
    later_steps,
    preposition_slots,
)

ONE_ELEMENT, MIXED = "one-element", "mixed"
KEEPING = ("hand", "order", "preposition")
"""The slots whose changes keep all names."""
TAGS = (ONE_ELEMENT, MIXED)
WRONG = 4
MOST_VALUES = 6
"""The number of changes of a slot that a line draws from."""
USUAL = 3.0
"""The weight of what is usual against lots of 0 to 1."""
SAME_RELATION = {
    "off": ("from",),
    "out-of": ("from",),
    "into": ("in", "inside"),
    "onto": ("on",),
    "under": ("beneath", "underneath"),
    "beneath": ("under",),
    "below": ("beneath",),
    "beside": ("next-to", "by"),
    "next-to": ("beside", "by"),
    "towards": ("toward",),
    "toward": ("towards",),
    "inside": ("in",),
    "upon": ("on",),
}
"""Prepositions by which a sentence may say an edge in other words."""


@dataclass(frozen=True)
class Variant:
    """A candidate before it is worded."""

    graph: ActionGraph | None
    """The graph that it describes; None where it denies an action."""
    kind: str
    worded: ActionGraph
    """The graph to write: the same, with another word for a preposition, or the denied one."""
    contrast: tuple[str, str] | None = None
    is_denied: bool = False


@dataclass(frozen=True)
class Design:
    """A right candidate, more wrong ones than needed, and the manner in which all are written."""

    name: str
    tag: str
    manner: Manner
    right: Variant
    wrong: tuple[Variant, ...]


@dataclass(frozen=True)
class Drawing:
    """The means of drawing designs."""

    choice: Random
    styles: Sequence[str]
    appeal: Callable[[str], float] = lambda name: 0.0
    """How much too often an element stood in right sentences up to now: the more, the better in a wrong one."""
    literal_cost: Callable[[], float] = lambda: 0.0
    """The cost of a preposition said as in the graph, in the same units: the more often such words gave it away."""
    dropped: Counter[str] = field(default_factory=Counter)
    """The reasons why candidates were dropped."""


class _Draft:
    """The parts of designs for a step."""

    def __init__(self, view: StoryView, index: int, drawing: Drawing) -> None:
        self.view, self.index, self.drawing, self.choice = view, index, drawing, drawing.choice
        self.target = view.graphs[index]
        self.slots = view.slots(index)

    def manner(self, *hands: Hands) -> Manner:
        """Return a manner, with one of these ways to say hands."""
        chosen = self.choice.choice(hands or ("named", "counted", "unsaid"))
        return Manner(style=self.choice.choice(self.drawing.styles), hands=chosen)

    def some(self, values: Sequence[Change], most: int) -> list[Change]:
        """Return changes by lot, rather to what is usual, and to elements that were right too often."""
        if len(values) <= most:
            return list(values)
        rated = [(self._rating(one), one) for one in values]
        return [one for _, one in sorted(rated, key=lambda pair: -pair[0])[:most]]

    def _rating(self, change: Change) -> float:
        appeal = self.drawing.appeal(_new(change)) * self.choice.random()
        rows, fit = distinct(self.target), self.view.attestations.fit
        usual = [fit(_with_cell(rows[cell[0]], cell[1], value), self.target) for cell, value in change.cells]
        return appeal + USUAL * sum(usual) / (len(usual) or 1) + self.choice.random()

    def narrowed(self, slot: Slot) -> Slot:
        """Return a slot of hands with one change: the other hand or, where it balances their number, other many."""
        if slot.name != "hand" or len(slot.changes) < len(HANDS):
            return slot
        counts = [one for one in slot.changes if one.hands is not None and len(one.hands) == len(HANDS)]
        others = [one for one in slot.changes if one not in counts]
        excess = self.drawing.appeal("both")
        is_count = excess > 0 or (excess == 0 and self.choice.random() < 0.5)
        return Slot(slot.name, tuple(counts if is_count else others))

    def sound(self, variants: Iterable[Variant], hands: str) -> tuple[Variant, ...]:
        """Return those that are surely wrong, and each claim once."""
        kept: dict[object, Variant] = {}
        for one in variants:
            fault = ""
            if one.graph is not None:
                fault = fault_of(one.graph, self.view, self.index, hands=hands)
            if fault:
                self.drawing.dropped[f"candidate: {fault}"] += 1
            else:
                kept.setdefault((one.graph, one.contrast, one.is_denied, one.worded), one)
        return tuple(kept.values())


def _with_cell(triplet: Triplet, part: int, value: str) -> Triplet:
    return Triplet(*(value if place == part else one for place, one in enumerate(triplet)))


def designs(view: StoryView, index: int, tag: str, drawing: Drawing) -> Iterator[Design]:
    """Yield the designs that a step allows, each with four wrong candidates at least."""
    draft = _Draft(view, index, drawing)
    makers: tuple[Callable[[_Draft], Iterator[Design]], ...] = (_preposition_designs,)
    if tag == MIXED:
        rest = [_contrast_grids, _lines, _moments, _any_grids]
        drawing.choice.shuffle(rest)
        makers = (_grids, _partial_grids, *rest)
    for maker in makers:
        yield from (design for design in maker(draft) if len(design.wrong) >= WRONG)


def prospects(view: StoryView, indices: Iterable[int], drawing: Drawing) -> Iterator[tuple[float, int]]:
    """Yield how well steps would balance the elements of right and wrong sentences in a ``one-element`` choice, the
    less the better, with the step; none that allow no such choice.
    """
    known = _Known(drawing)
    for index in indices:
        sayings = _sayings_of(view, index)
        if sayings:
            yield min(saying.rate(known) for saying in sayings), index


def is_rich(view: StoryView, index: int) -> bool:
    """Return whether two things of a step can change that leave all names in the sentence."""
    return sum(slot.name.startswith(KEEPING) for slot in view.slots(index)) > 1


Said = tuple[tuple[tuple[int, int], str], ...]
Hands = Literal["named", "counted", "unsaid"]


class _Known(dict[str, float]):
    """The appeals of elements, each asked for once."""

    def __init__(self, drawing: Drawing) -> None:
        super().__init__()
        self._appeal = drawing.appeal
        self.literal_cost = drawing.literal_cost()

    def __missing__(self, name: str) -> float:
        self[name] = self._appeal(name)
        return self[name]


@dataclass(frozen=True)
class _Saying:
    """A preposition of a graph, a word for it, and at least four that surely conflict."""

    cell: Cell
    said: str
    is_literal: bool
    changes: tuple[Change, ...]
    names: tuple[str, ...]
    unusual: float
    """How much less usual the best of the wrong ones are than the right one."""

    def rate(self, appeal: _Known) -> float:
        """Return how well it would balance elements; the less the better."""
        best = sorted([appeal[name] for name in self.names])[-WRONG:]
        words = appeal[self.said] - sum(best) / WRONG + appeal.literal_cost * self.is_literal / 2
        return words + USUAL * self.unusual


def _sayings_of(view: StoryView, index: int) -> tuple[_Saying, ...]:
    if index not in view.memo:
        view.memo[index] = tuple(_find_sayings(view, index))
    found: tuple[_Saying, ...] = view.memo[index]
    return found


def _find_sayings(view: StoryView, index: int) -> Iterator[_Saying]:
    target = view.graphs[index]
    for slot in preposition_slots(view, target):
        cell = slot.changes[0].cells[0][0]
        for number, said in enumerate(_sayings(target, cell)):
            changes = tuple(one for one in slot.changes if surely_conflicting(said, _new(one)))
            if len(changes) >= WRONG:
                names = tuple(map(_new, changes))
                triplet, usual = distinct(target)[cell[0]], view.attestations
                best = max(usual.edge_fit(triplet, name) for name in names)
                unusual = usual.fit(triplet._replace(edge=said), target) - best
                yield _Saying(cell, said, number == 0, changes, names, unusual)


def _preposition_designs(draft: _Draft) -> Iterator[Design]:
    """Yield designs whose candidates differ in one preposition, with and without a contrast."""
    known = _Known(draft.drawing)
    for saying in sorted(_sayings_of(draft.view, draft.index), key=lambda one: one.rate(known)):
        makers = [_preposition_line, _preposition_contrast]
        draft.choice.shuffle(makers)
        for maker in makers:
            yield maker(draft, saying.cell, saying.said, draft.some(saying.changes, MOST_VALUES))


def _preposition_line(draft: _Draft, cell: Cell, said: str, values: list[Change]) -> Design:
    manner = draft.manner()
    right = _variant(draft.target, (), RIGHT, ((cell, said),))
    wrong = draft.sound((_variant(draft.target, (one,), one.kind) for one in values), manner.hands)
    return Design("line of prepositions", ONE_ELEMENT, manner, right, wrong)


def _preposition_contrast(draft: _Draft, cell: Cell, said: str, values: list[Change]) -> Design:
    """Return a design like ``from, not onto, the bowl`` in which every preposition is affirmed once."""
    own = distinct(draft.target)[cell[0]].edge
    manner = draft.manner()
    names = [_new(one) for one in values]
    right = _variant(draft.target, (), RIGHT, ((cell, said),), (said, draft.choice.choice(names)))
    wrong = []
    for one, name in zip(values, names, strict=True):
        other = _denied(draft.choice, name, own if said != own else "", (said, *names))
        kind = "negation" if other in (own, said) else one.kind
        wrong.append(_variant(draft.target, (one,), kind, (), (name, other)))
    return Design("contrasts of prepositions", ONE_ELEMENT, manner, right, draft.sound(wrong, manner.hands))


def _denied(choice: Random, name: str, own: str, names: Sequence[str]) -> str:
    """Return a preposition to deny beside another: often that of the graph, if the right sentence has another word."""
    if own and surely_conflicting(name, own) and choice.random() < 0.5:
        return own
    return choice.choice([other for other in names if surely_conflicting(name, other)])


def _lines(draft: _Draft) -> Iterator[Design]:
    """Yield designs whose candidates differ in one thing, or in the action."""
    for slot in draft.slots:
        if len(slot.changes) >= WRONG and slot.name.startswith(("object", "action")):
            manner = draft.manner()
            values = draft.some(slot.changes, MOST_VALUES)
            wrong = draft.sound((_variant(draft.target, (one,), one.kind) for one in values), manner.hands)
            yield Design(f"line of {slot.name.split()[0]}s", MIXED, manner, _variant(draft.target, (), RIGHT), wrong)


def _grids(draft: _Draft) -> Iterator[Design]:
    """Yield designs of two or three slots that keep all names, from all combinations of what may stand in them."""
    yield from _grid(draft, _apart(draft, KEEPING, 3))


def _any_grids(draft: _Draft) -> Iterator[Design]:
    """Yield designs of two or three slots."""
    yield from _grid(draft, _apart(draft, (), 3))


def _grid(draft: _Draft, chosen: Sequence[Slot]) -> Iterator[Design]:
    if len(chosen) > 1:
        manner = draft.manner(*_hands_for(chosen, draft.target))
        said = _said(draft, chosen)
        right = _variant(draft.target, (), RIGHT, said)
        wrong = draft.sound(_combinations(draft, chosen, said), manner.hands)
        yield Design("grid", MIXED, manner, right, wrong)


def _partial_grids(draft: _Draft) -> Iterator[Design]:
    """Yield grids whose right candidate leaves a place or tool unsaid that some of the wrong ones say."""
    rows = distinct(draft.target)
    bearing = {triplet.source for triplet in rows}
    left_out = [
        triplet
        for triplet in rows
        if triplet.edge not in (VERB, DOBJ) and triplet.target not in (*HANDS, PERSON, *bearing)
    ]
    if not left_out or DOBJ not in [triplet.edge for triplet in rows]:
        return
    part = draft.choice.choice(left_out)
    chosen = [slot for slot in _apart(draft, (), 4) if rows.index(part) not in _rows(slot)][:3]
    if len(chosen) > 1:
        manner = draft.manner(*_hands_for(chosen, draft.target))
        whole = list(_combinations(draft, chosen, ()))
        mixed = [draft.choice.choice((one, _without(one, part))) for one in whole]
        right = _without(_variant(draft.target, (), RIGHT), part)
        right = replace(right, graph=draft.target)
        yield Design("grid with a part unsaid", MIXED, manner, right, draft.sound(mixed, manner.hands))


def _without(variant: Variant, part: Triplet) -> Variant:
    """Return a candidate that does not say a part of its graph."""
    kept = ActionGraph([one for one in variant.worded.triplets if one[1:] != part[1:]])
    return replace(variant, graph=kept, worded=kept)


def _rows(slot: Slot) -> set[int]:
    return {number for change in slot.changes for (number, _), _ in change.cells}


def _contrast_grids(draft: _Draft) -> Iterator[Design]:
    """Yield grids in which one of two things is affirmed and the other is denied, each way."""
    things = [slot for slot in draft.slots if slot.name.startswith("object")]
    if not things:
        return
    slot = draft.choice.choice(things)
    turned = draft.choice.choice(slot.changes)
    (number, _), other = turned.cells[0]
    own = distinct(draft.target)[number].target
    others = [one for one in _apart(draft, KEEPING, 2) if _is_apart(one, slot)]
    if not others:
        return
    manner = draft.manner(*_hands_for(others, draft.target))
    said = _said(draft, others)
    right = _variant(draft.target, (), RIGHT, said, (own, other))
    wrong = [
        _variant(draft.target, changes, _kind(changes), _kept(said, changes), contrast)
        for changes, contrast in _contrasted(draft, others, turned, (own, other))
    ]
    denied = Variant(None, "negation", right.worded, None, is_denied=True)
    wrong = [*draft.sound(wrong, manner.hands), *([denied] if draft.choice.random() < 0.1 else [])]
    yield Design("grid with a contrast", MIXED, manner, right, tuple(wrong))


def _contrasted(
    draft: _Draft, others: Sequence[Slot], turned: Change, pair: tuple[str, str]
) -> Iterator[tuple[tuple[Change, ...], tuple[str, str]]]:
    turn = Change("negation", turned.cells)
    for changes in _products(draft, others):
        if changes:
            yield changes, pair
        yield (*changes, turn), (pair[1], pair[0])


def _moments(draft: _Draft) -> Iterator[Design]:
    """Yield a design of later steps, beside single changes."""
    later = later_steps(draft.view, draft.index)
    if len(later) >= WRONG:
        manner = draft.manner()
        wrong = draft.sound((Variant(graph, "moment", graph) for graph in later[:MOST_VALUES]), manner.hands)
        yield Design("later steps", MIXED, manner, _variant(draft.target, (), RIGHT), wrong)


def _apart(draft: _Draft, kinds: tuple[str, ...], at_most: int) -> list[Slot]:
    """Return slots of some kinds, or of all, by lot, that exclude each other nowhere."""
    chosen: list[Slot] = []
    for slot in draft.choice.sample(draft.slots, len(draft.slots)):
        is_kind = not kinds or slot.name.startswith(kinds)
        if is_kind and len(chosen) < at_most and all(_is_apart(slot, other) for other in chosen):
            chosen.append(draft.narrowed(slot))
    return chosen


def _is_apart(one: Slot, other: Slot) -> bool:
    mine, theirs = (frozenset().union(*(change.places for change in slot.changes)) for slot in (one, other))
    return mine.isdisjoint(theirs)


def _combinations(draft: _Draft, chosen: Sequence[Slot], said: Said) -> Iterator[Variant]:
    for changes in _products(draft, chosen):
        if changes:
            yield _variant(draft.target, changes, _kind(changes), _kept(said, changes))


def _products(draft: _Draft, chosen: Sequence[Slot]) -> Iterator[tuple[Change, ...]]:
    """Yield the combinations of no change or one of a few of each slot."""
    most = 1 if len(chosen) > 2 else 2
    values = [(NO_CHANGE, *draft.some(slot.changes, most)) for slot in chosen]
    for combination in product(*values):
        yield tuple(change for change in combination if change is not NO_CHANGE)


def _kind(changes: Sequence[Change]) -> str:
    return "+".join(sorted({change.kind for change in changes}))


def _hands_for(chosen: Sequence[Slot], target: ActionGraph) -> tuple[Hands, ...]:
    """Return the ways to say hands; changed ones must be said, and counted where their number changes."""
    slot = next((slot for slot in chosen if slot.name == "hand"), None)
    if slot is None:
        return ()
    used = len(hands_of(target))
    is_count = any(change.hands is not None and len(change.hands) != used for change in slot.changes)
    return ("counted",) if is_count else ("named",)


def _sayings(target: ActionGraph, cell: tuple[int, int]) -> tuple[str, ...]:
    own = distinct(target)[cell[0]].edge
    edges = {triplet.edge for triplet in target.triplets}
    return (own, *(name for name in SAME_RELATION.get(own, ()) if name not in edges))


def _said(draft: _Draft, chosen: Sequence[Slot]) -> Said:
    """Return other words for the prepositions that a grid changes, in the candidates that keep them."""
    found = []
    for slot in chosen:
        if slot.name.startswith("preposition") and draft.choice.random() < 0.7:
            cell = slot.changes[0].cells[0][0]
            said = draft.choice.choice(_sayings(draft.target, cell))
            if all(surely_conflicting(said, _new(change)) for change in slot.changes):
                found.append((cell, said))
    return tuple(found)


def _kept(said: Said, changes: Sequence[Change]) -> Said:
    taken = {place for change in changes for place in change.places}
    return tuple((cell, name) for cell, name in said if cell not in taken)


def _variant(
    target: ActionGraph,
    changes: tuple[Change, ...],
    kind: str,
    said: Said = (),
    contrast: tuple[str, str] | None = None,
) -> Variant:
    graph = changed(target, changes) if changes else target
    worded = changed(target, (*changes, Change("", said))) if said else graph
    return Variant(graph, kind, worded, contrast)


def _new(change: Change) -> str:
    """Return the element that a change brings in; empty for changes of hands."""
    return change.action or (change.cells[0][1] if change.cells else "")
