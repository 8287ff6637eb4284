"""Designs of choices: a right graph and wrong ones for the same manner of writing, before any of them is worded.

A right graph beside wrong ones that all are edits of it is found without the graph: it is the one that is most like the
others. So no design lets it be their centre. In a *line* all differ at one place of the graph, each from each; in a
*grid* of two or three places every combination may occur, so that the right one may be any of them. Contrasts
(``the towel, not the cup``) go round: each name that is affirmed in one is denied in another.

>>> take = [("person", "verb", "take"), ("take", "dobj", "towel"), ("take", "off", "bowl"), ("take", "with", "hand1")]
>>> story = Narrative.of([ActionGraph.of(("person", "verb", "open"), ("open", "dobj", "jar")), ActionGraph.of(*take)])
>>> found = designs(story, 1, Random(1), ONE_ELEMENT, ("imperative",))
>>> sorted({variant.kind for design in found for variant in design.wrong})
['negation', 'preposition']
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from random import Random

from tsgkit.graph.model import ActionGraph, Narrative
from tsgkit.lexicon.preposition_senses import conflicting
from tsgkit.suites.tsg.makers.manners import Manner
from tsgkit.suites.tsg.makers.wrong_steps import (
    NO_CHANGE,
    RIGHT,
    Change,
    Slot,
    changed,
    distinct,
    fault_of,
    later_steps,
    slots,
)

ONE_ELEMENT, MIXED = "one-element", "mixed"
TAGS = (ONE_ELEMENT, MIXED)
WRONG = 4
MOST_VALUES = 7
"""The number of changes of a slot that a line draws from."""
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
    "by": ("beside", "next-to"),
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


@dataclass
class _Draft:
    """The parts of designs for a step."""

    story: Narrative
    index: int
    choice: Random
    styles: Sequence[str]
    dropped: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        graphs = self.story.graphs
        self.target, self.before = graphs[self.index], graphs[: self.index]
        self.slots = slots(self.story, self.target)

    def manner(self, *hands: str) -> Manner:
        chosen = self.choice.choice(hands or ("named", "counted", "unsaid"))
        return Manner(style=self.choice.choice(self.styles), hands=chosen)  # type: ignore[arg-type]

    def sound(self, variants: Iterable[Variant], hands: str) -> tuple[Variant, ...]:
        """Return those that are surely wrong, and each claim once."""
        kept: dict[object, Variant] = {}
        for one in variants:
            fault = ""
            if one.graph is not None:
                fault = fault_of(one.graph, self.before, self.target, hands=hands)
            if fault:
                self.dropped[fault] += 1
            else:
                kept.setdefault((one.graph, one.contrast, one.is_denied, one.worded), one)
        return tuple(kept.values())


def designs(
    story: Narrative,
    index: int,
    choice: Random,
    tag: str,
    styles: Sequence[str],
    dropped: Counter[str] | None = None,
) -> list[Design]:
    """Return the designs that a step allows, each with four wrong candidates at least, in random order.

    ``dropped`` counts the reasons why candidates were dropped.
    """
    draft = _Draft(story, index, choice, styles)
    makers: tuple[Callable[[_Draft], Iterator[Design]], ...] = (
        (_preposition_lines, _preposition_contrasts)
        if tag == ONE_ELEMENT
        else (_grids, _contrast_grids, _lines, _moments)
    )
    found = [design for maker in makers for design in maker(draft) if len(design.wrong) >= WRONG]
    if dropped is not None:
        dropped.update(draft.dropped)
    choice.shuffle(found)
    return found


def _preposition_lines(draft: _Draft) -> Iterator[Design]:
    """Yield designs whose candidates differ in one preposition."""
    for slot in draft.slots:
        if not slot.name.startswith("preposition"):
            continue
        cell = slot.changes[0].cells[0][0]
        for said in _sayings(draft.target, cell):
            values = [one for one in slot.changes if conflicting(said, one.cells[0][1])]
            values = _some(values, draft.choice)
            manner = draft.manner()
            right = _variant(draft.target, (), RIGHT, ((cell, said),))
            wrong = draft.sound((_variant(draft.target, (one,), one.kind) for one in values), manner.hands)
            yield Design("line of prepositions", ONE_ELEMENT, manner, right, wrong)


def _preposition_contrasts(draft: _Draft) -> Iterator[Design]:
    """Yield designs like ``from, not onto, the bowl`` in which every preposition is affirmed once."""
    for slot in draft.slots:
        if not slot.name.startswith("preposition"):
            continue
        cell = slot.changes[0].cells[0][0]
        own = distinct(draft.target)[cell[0]].edge
        for said in _sayings(draft.target, cell):
            values = [one for one in slot.changes if conflicting(said, one.cells[0][1])]
            if len(values) >= WRONG:
                yield _preposition_contrast(draft, cell, (own, said), values)


def _preposition_contrast(draft: _Draft, cell: tuple[int, int], mine: tuple[str, str], values: list[Change]) -> Design:
    own, said = mine
    manner = draft.manner()
    chosen = _some(values, draft.choice)
    names = [one.cells[0][1] for one in chosen]
    right = _variant(draft.target, (), RIGHT, ((cell, said),), (said, draft.choice.choice(names)))
    wrong = [
        _variant(draft.target, (one,), "negation" if other in (own, said) else "preposition", (), (name, other))
        for one, name in zip(chosen, names, strict=True)
        for other in [draft.choice.choice([other for other in (own, said, *names) if conflicting(name, other)])]
    ]
    return Design("contrasts of prepositions", ONE_ELEMENT, manner, right, draft.sound(wrong, manner.hands))


def _lines(draft: _Draft) -> Iterator[Design]:
    """Yield designs whose candidates differ in one thing, or in the action."""
    for slot in draft.slots:
        if len(slot.changes) >= WRONG and slot.name.startswith(("object", "action")):
            manner = draft.manner()
            values = _some(slot.changes, draft.choice)
            wrong = draft.sound((_variant(draft.target, (one,), one.kind) for one in values), manner.hands)
            yield Design(f"line of {slot.name.split()[0]}s", MIXED, manner, _variant(draft.target, (), RIGHT), wrong)


def _grids(draft: _Draft) -> Iterator[Design]:
    """Yield designs of two or three slots, from all combinations of what may stand in them."""
    for _ in range(2):
        chosen = _slots_for_grid(draft)
        if chosen:
            manner = draft.manner(*_hands_for(chosen, draft.target))
            said = _said(draft, chosen)
            right = _variant(draft.target, (), RIGHT, said)
            wrong = draft.sound(_combinations(draft, chosen, manner.hands, said), manner.hands)
            yield Design("grid", MIXED, manner, right, wrong)


def _contrast_grids(draft: _Draft) -> Iterator[Design]:
    """Yield grids in which one of two things is affirmed and the other is denied, each way."""
    things = [slot for slot in draft.slots if slot.name.startswith("object")]
    if not things:
        return
    slot = draft.choice.choice(things)
    turned = draft.choice.choice(slot.changes)
    (number, _), other = turned.cells[0]
    own = distinct(draft.target)[number].target
    others = [one for one in _slots_for_grid(draft, at_most=2) if _is_apart(one, slot)]
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
    for changes in _products(others, draft.choice):
        if changes:
            yield changes, pair
        yield (*changes, turn), (pair[1], pair[0])


def _moments(draft: _Draft) -> Iterator[Design]:
    """Yield a design of later steps, beside single changes."""
    later = later_steps(draft.story, draft.index)
    if len(later) >= WRONG:
        manner = draft.manner()
        wrong = draft.sound((Variant(graph, "moment", graph) for graph in later[:MOST_VALUES]), manner.hands)
        yield Design("later steps", MIXED, manner, _variant(draft.target, (), RIGHT), wrong)


def _slots_for_grid(draft: _Draft, at_most: int = 3) -> list[Slot]:
    """Return slots that exclude each other nowhere; those that keep all names are preferred."""
    slots_ = list(draft.slots)
    draft.choice.shuffle(slots_)
    slots_.sort(key=lambda slot: slot.name.startswith(("object", "action")))
    if draft.choice.random() < 0.25:
        draft.choice.shuffle(slots_)
    chosen: list[Slot] = []
    for slot in slots_:
        if len(chosen) < at_most and all(_is_apart(slot, other) for other in chosen):
            chosen.append(slot)
    return chosen if len(chosen) > 1 or at_most < 3 else []


def _is_apart(one: Slot, other: Slot) -> bool:
    mine, theirs = (frozenset().union(*(change.places for change in slot.changes)) for slot in (one, other))
    return mine.isdisjoint(theirs)


def _combinations(
    draft: _Draft, chosen: Sequence[Slot], hands: str, said: tuple[tuple[tuple[int, int], str], ...]
) -> Iterator[Variant]:
    for changes in _products(chosen, draft.choice):
        if changes:
            yield _variant(draft.target, changes, _kind(changes), _kept(said, changes))


def _products(chosen: Sequence[Slot], choice: Random) -> Iterator[tuple[Change, ...]]:
    """Yield the combinations of no change or one of a few of each slot."""
    most = 1 if len(chosen) > 2 else 2
    values = [(NO_CHANGE, *choice.sample(slot.changes, min(most, len(slot.changes)))) for slot in chosen]
    for combination in product(*values):
        yield tuple(change for change in combination if change is not NO_CHANGE)


def _kind(changes: Sequence[Change]) -> str:
    return "+".join(sorted({change.kind for change in changes}))


def _hands_for(chosen: Sequence[Slot], target: ActionGraph) -> tuple[str, ...]:
    """Return the ways to say hands; a changed hand must be said."""
    slot = next((slot for slot in chosen if slot.name == "hand"), None)
    if slot is None:
        return ()
    is_count = any(change.hands and len(change.hands) != 1 for change in slot.changes)
    return ("named", "counted") if is_count else ("named",)


def _sayings(target: ActionGraph, cell: tuple[int, int]) -> tuple[str, ...]:
    own = distinct(target)[cell[0]].edge
    return (own, *SAME_RELATION.get(own, ()))


def _said(draft: _Draft, chosen: Sequence[Slot]) -> tuple[tuple[tuple[int, int], str], ...]:
    """Return other words for the prepositions that a grid changes, in the candidates that keep them."""
    found = []
    for slot in chosen:
        if slot.name.startswith("preposition") and draft.choice.random() < 0.7:
            cell = slot.changes[0].cells[0][0]
            said = draft.choice.choice(_sayings(draft.target, cell))
            if all(conflicting(said, change.cells[0][1]) for change in slot.changes):
                found.append((cell, said))
    return tuple(found)


def _kept(
    said: tuple[tuple[tuple[int, int], str], ...], changes: Sequence[Change]
) -> tuple[tuple[tuple[int, int], str], ...]:
    taken = {place for change in changes for place in change.places}
    return tuple((cell, name) for cell, name in said if cell not in taken)


def _variant(
    target: ActionGraph,
    changes: tuple[Change, ...],
    kind: str,
    said: tuple[tuple[tuple[int, int], str], ...] = (),
    contrast: tuple[str, str] | None = None,
) -> Variant:
    graph = changed(target, changes) if changes else target
    worded = changed(target, (*changes, Change("", said))) if said else graph
    return Variant(graph, kind, worded, contrast)


def _some(values: Sequence[Change], choice: Random) -> list[Change]:
    return choice.sample(list(values), min(MOST_VALUES, len(values)))
