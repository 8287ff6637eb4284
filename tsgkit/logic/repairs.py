"""Repair: the smallest change that makes a layout satisfy a formula.

>>> from tsgkit.logic.parser import parse
>>> scene = {"objects": [{"label": "book", "color": "red", "box_2d": [500, 0, 600, 100]}]}
>>> fixed = repair(parse("(exists ?b (and (Is ?b 'book') (OnLeftSide ?b) (Has ?b 'blue')))"), scene)
>>> fixed.changes, fixed.layout.objects[0].box
(('moved the book 51 left', 'made the book blue (was red)'), Box(x1=449, y1=0, x2=549, y2=100))
>>> repair(parse("(exists ?b (Is ?b 'book'))"), scene).changes
()

Costs: for every edge the distance it moves, for a size :data:`RESIZED` times its change, for a value of an object
:data:`RECOLORED`, for a new object :data:`ADDED`. An object is removed only if nothing else helps. Malformed boxes are
refused. Overlapping boxes are moved apart, and boxes with fractions that must move get whole numbers. Needs the extra
``logic``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tsgkit.logic.budget import SECONDS, Budget, OutOfBudget
from tsgkit.logic.english import with_article
from tsgkit.logic.evaluation import refuse_unjudgeable
from tsgkit.logic.formula import Formula
from tsgkit.logic.grounding import PRESENT, Fact, Lit, TooLarge, all_of, ground
from tsgkit.logic.layouts import CANVAS, Box, Layout, Thing, overlaps, things_of
from tsgkit.logic.placement import PlacementModel, PlacementResult, PlacementRules, SearchLimits, Status, slot_of
from tsgkit.logic.proofs import proof_of
from tsgkit.logic.solver import ONLY_STRICT, STRICT, profiles_of, verified
from tsgkit.logic.verdicts import Profile
from tsgkit.logic.verification import verify
from tsgkit.logic.vocabulary import KNOLLING, size_of
from tsgkit.logic.witnesses import Candidate, Domain, TooManyObjects

RESIZED = 2
RECOLORED = 300
ADDED = 2000
REMOVED = 8000
LOOKS = ("color", "material", "shape")
AS_GIVEN = PlacementRules(1, 0, 0, 1, CANVAS)
SENSIBLE = 20
"""The minimum size of repaired boxes, unless the smallest original box is smaller."""


@dataclass(frozen=True, slots=True)
class Repair:
    """A repaired layout and its changes in words; ``least`` if a cheaper repair is proven impossible."""

    status: Status
    layout: Layout | None = None
    changes: tuple[str, ...] = ()
    cost: int = 0
    least: bool = False
    note: str = ""

    def value(self) -> dict[str, object]:
        """Return the repair as plain values."""
        layout = self.layout.value if self.layout else None
        head: dict[str, object] = {"status": self.status, "layout": layout, "changes": list(self.changes)}
        return head | {"cost": self.cost, "least": self.least, "note": self.note}


def repair(
    formula: Formula, scene: object, *, seed: int = 0, effort: float = SECONDS, budget: Budget | None = None
) -> Repair:
    """Return the repaired layout; ``unsatisfiable`` if it is proven that no layout satisfies the formula.

    ``effort`` is the limit in deterministic seconds for all searches together, unless a ``budget`` is given. If no
    repair is found by then, the status is not decided.
    """
    refuse_unjudgeable(formula)
    original = Layout(things_of(scene))
    budget = budget or Budget(effort)
    limits = SearchLimits(budget.seconds, seed, budget)
    try:
        both, note = profiles_of(formula)
        if _is_satisfied(formula, original, both, budget):
            return Repair("satisfiable", original, least=True, note=note)
        for profiles in dict.fromkeys((both, STRICT)):
            for removable in (False, True):
                search = _RepairSearch(formula, original, profiles, budget, removable=removable)
                placed = search.placing.placed(limits)
                if placed.layout is not None:
                    layout, note = search.layout(placed), note if profiles == both else ONLY_STRICT
                    changes = tuple(search.changes(placed))
                    return Repair("satisfiable", layout, changes, placed.cost, placed.least, note)
                budget.check()
        proof = proof_of(formula, limits)
    except OutOfBudget as out:
        return Repair("not decided", note=f"the search was given up after {out}")
    except (TooLarge, TooManyObjects) as problem:
        return Repair("not decided", note=problem.message)
    if proof.status == "unsatisfiable":
        return Repair("unsatisfiable", note=proof.why or note)
    return Repair("not decided", note="no repair was found with the given objects and those that the formula needs")


def _is_satisfied(formula: Formula, layout: Layout, profiles: Sequence[Profile], budget: Budget | None = None) -> bool:
    if any(overlaps(tuple(thing.box for thing in layout.objects))):
        return False
    return all(verify(formula, layout, profile, budget=budget).truth for profile in profiles)


class _RepairSearch:
    def __init__(
        self, formula: Formula, given: Layout, profiles: Sequence[Profile], budget: Budget, *, removable: bool
    ) -> None:
        self.formula, self.given, self.profiles = formula, given, profiles
        candidates = [Candidate(thing.label, None, removable) for thing in given.objects]
        unused = Counter(thing.label for thing in given.objects)
        for candidate in Domain(formula).candidates():  # those the layout does not have may be added
            if not candidate.others and unused[candidate.label] > 0:
                unused[candidate.label] -= 1
            else:
                candidates.append(replace(candidate, optional=True))
        smallest = min([SENSIBLE, *(int(min(thing.box.size)) or 1 for thing in given.objects)])
        self.placing = placing = PlacementModel(candidates, replace(AS_GIVEN, smallest=smallest), budget)
        placing.require(all_of(ground(formula, candidates, profile, budget=budget) for profile in profiles))
        for number, candidate in enumerate(candidates):
            edges = placing.edges[number]
            presence = placing.literal(Lit(Fact(PRESENT, (number,)))) if candidate.optional else 1
            if number < len(given.objects):
                for edge, was in zip(edges[:4], _rounded(given.objects[number].box), strict=True):
                    placing.cost.append(placing.distance(edge, int(was)))
                for size, was in zip((edges.w, edges.h), _rounded(given.objects[number].box).size, strict=True):
                    placing.cost.append(RESIZED * placing.distance(size, int(was)))
                placing.cost.append(REMOVED * (1 - presence))
                continue
            for size, usual in zip((edges.w, edges.h), size_of(candidate.label), strict=True):
                placing.cost.append(placing.distance(size, usual))
            placing.cost.append(ADDED * presence)
        for (number, value), has in placing.has.items():
            if number < len(given.objects):
                kept = given.objects[number].has(value)
                placing.cost.append(RECOLORED * ((1 - has) if kept else has))
        placing.hint({number: _rounded(thing.box) for number, thing in enumerate(given.objects)})

    def layout(self, placed: PlacementResult) -> Layout:
        """Return the repaired layout, verified; unmoved boxes keep their fractions if possible."""
        exact = Layout(tuple(after for _, after in self._pairs(placed, fractions=True)))
        if _is_satisfied(self.formula, exact, self.profiles):
            return exact
        rounded = Layout(tuple(after for _, after in self._pairs(placed, fractions=False)))
        return verified(self.formula, rounded, self.profiles)

    def _pairs(self, placed: PlacementResult, *, fractions: bool) -> Iterator[tuple[Thing | None, Thing]]:
        """Yield each object of the repaired layout after its original, or None if it was added."""
        things = placed.layout.objects if placed.layout else ()
        for number, thing in zip(placed.numbers, things, strict=True):
            if number >= len(self.given.objects):
                yield None, thing
                continue
            before = self.given.objects[number]
            stays = fractions and thing.box == _rounded(before.box)
            after = replace(before, box=before.box if stays else thing.box)
            required = {value: true for (owner, value), true in placed.values.items() if owner == number}
            for value, true in required.items():
                changed: dict[str, Any] = {}
                if true and not after.has(value):
                    changed = {slot_of(value): value}
                elif not true and after.has(value):  # in its place a color that the formula does not mention
                    key = next(key for key in LOOKS if getattr(after, key) == value)
                    free = (color for color in KNOLLING.values["color"] if color not in required)
                    changed = {key: next(free, None) if key == "color" else None}
                after = replace(after, **changed)
            yield before, after

    def changes(self, placed: PlacementResult) -> Iterator[str]:
        """Describe the changes."""
        names = self.given.names
        kept = iter(number for number in placed.numbers if number < len(self.given.objects))
        for before, after in self._pairs(placed, fractions=True):
            if before is None:
                box = [int(edge) for edge in after.box]
                yield f"added {with_article(' '.join(filter(None, (after.color, after.label))))} at {box}"
            else:
                yield from _changes(names[next(kept)], before, after)
        gone = sorted(set(range(len(names))) - set(placed.numbers))
        yield from (f"removed {names[number]}" for number in gone)


def _rounded(box: Box) -> Box:
    return Box(*map(round, box))


def _changes(name: str, before: Thing, after: Thing) -> Iterator[str]:
    old, new = _rounded(before.box), _rounded(after.box)
    across, down = ((new.x1 + new.x2 - old.x1 - old.x2) / 2, (new.y1 + new.y2 - old.y1 - old.y2) / 2)
    wider, taller = (a - b for a, b in zip(new.size, old.size, strict=True))
    if wider or taller:
        by = [f"{size:+g} in {word}" for size, word in ((wider, "width"), (taller, "height")) if size]
        yield f"resized {name} by {' and '.join(by)}: from {list(map(int, old))} to {list(map(int, new))}"
    elif across or down:
        ways = ((across, ("left", "right")), (down, ("up", "down")))
        way = [f"{abs(by):g} {words[by > 0]}" for by, words in ways if by]
        yield f"moved {name} {' and '.join(way)}"
    elif before.box != after.box:
        yield f"moved {name} to whole numbers"
    for key in LOOKS:
        was, value = getattr(before, key), getattr(after, key)
        if was != value:
            yield f"made {name} {value or 'of no named ' + key} (was {was or 'nothing'})"
