"""Placement: boxes, colors and presence of candidates that satisfy a ground formula, found by CP-SAT.

>>> from tsgkit.logic.grounding import Fact, Lit
>>> from tsgkit.logic.witnesses import Candidate
>>> placing = PlacementModel([Candidate("cup"), Candidate("pen")], NEAT)
>>> placing.require(Lit(Fact("LeftOf", (0, 1))))
>>> placed = placing.placed(SearchLimits())
>>> placed.status, placed.layout.objects[0].box.x2 < placed.layout.objects[1].box.cx
('satisfiable', True)

Edges are whole numbers; a layout that needs fractions is not found. ``NEAT`` requires more than the formula does
(aligned objects share a centre, an object left of another ends before it begins), ``ROOMY`` only distances between
boxes, ``EXACT`` only what strict verdicts need. One worker, a seed and a limit on deterministic time make results
reproducible.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from tsgkit.errors import ExtraMissing
from tsgkit.logic import grounding
from tsgkit.logic.budget import Budget
from tsgkit.logic.grounding import PRESENT, SWITCH, Fact, Ground, Lit, Tally
from tsgkit.logic.layouts import ALIGNED, CANVAS, Box, Layout, Thing
from tsgkit.logic.vocabulary import KNOLLING, NATURAL, color_of, size_of
from tsgkit.logic.witnesses import Candidate

if TYPE_CHECKING:
    from ortools.sat.python import cp_model

Status = Literal["satisfiable", "unsatisfiable", "not decided"]


@dataclass(frozen=True, slots=True)
class PlacementRules:
    """The rules for boxes: grid ``unit``, ``margin`` to the canvas edge, ``gap`` between boxes, ``smallest`` and
    ``largest`` size.

    With ``neat``, relations hold by more than their definition requires.
    """

    unit: int
    margin: int
    gap: int
    smallest: int
    largest: int
    neat: bool = False


NEAT = PlacementRules(10, 30, 20, 40, 400, neat=True)
ROOMY = PlacementRules(2, 10, 10, 20, 700)
EXACT = PlacementRules(1, 0, 0, 1, CANVAS)
STEPS_OF_A_CONSTRAINT = 5
CLEAR = 60
"""The minimum distance from the middle for a centre on one side, if ``neat``."""


@dataclass(frozen=True, slots=True)
class SearchLimits:
    """The limits of one search: deterministic seconds, the budget they are taken from, and the seed."""

    seconds: float = 10.0
    seed: int = 0
    budget: Budget = field(default_factory=Budget)


class PlacementResult(NamedTuple):
    """The result of a search.

    ``numbers`` are the candidates behind the objects of the layout; ``values`` says which attribute values they have;
    ``least`` is set if the cost is proven minimal; ``blamed`` are switches that conflict.
    """

    status: Status
    layout: Layout | None = None
    numbers: tuple[int, ...] = ()
    values: Mapping[tuple[int, str], bool] = {}
    cost: int = 0
    least: bool = False
    blamed: tuple[str, ...] = ()


class Edges(NamedTuple):
    """The variables of a box, in units."""

    x1: Any
    y1: Any
    x2: Any
    y2: Any
    w: Any
    h: Any


def solver_module() -> Any:  # noqa: ANN401  (OR-tools is loaded when it is used, so it has no types here)
    """Return CP-SAT's module. Raise ``UsageError`` if the extra is not installed."""
    try:
        from ortools.sat.python import cp_model
    except ImportError:
        raise ExtraMissing("formulas are solved", "OR-tools", "logic") from None
    return cp_model


def solved(model: cp_model.CpModel, effort: SearchLimits) -> tuple[cp_model.CpSolver, Any]:
    """Run the search; return the solver and its status."""
    budget = effort.budget
    budget.check()
    solver = solver_module().CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.catch_sigint_signal = False  # its handler, in C, would leave Ctrl-C to end the process in silence
    solver.parameters.random_seed = effort.seed % 2**31
    if budget.clock:
        solver.parameters.max_time_in_seconds = budget.left
        solver.parameters.max_deterministic_time = effort.seconds
    else:
        solver.parameters.max_deterministic_time = min(effort.seconds, budget.left)
    status = solver.solve(model)
    budget.spent += solver.response_proto.deterministic_time
    return solver, status


class PlacementModel:
    """A CP-SAT model of candidates with boxes, and the constraints on them."""

    def __init__(self, candidates: Sequence[Candidate], rules: PlacementRules, budget: Budget | None = None) -> None:
        self.module = solver_module()
        self.budget = budget or Budget()
        self.candidates = tuple(candidates)
        self.rules = rules
        self.model = self.module.CpModel()
        self.present: dict[int, Any] = {}
        self.is_of: dict[tuple[int, str], Any] = {}
        self.has: dict[tuple[int, str], Any] = {}
        self.switches: dict[str, Any] = {}
        self.areas: dict[int, Any] = {}
        self.literals: dict[Ground, Any] = {}
        self.required: list[Ground] = []
        self.cost: list[Any] = []
        self.edges = [self._edges(number) for number in range(len(self.candidates))]
        self._keep_apart()

    def _edges(self, number: int) -> Edges:
        rules, model = self.rules, self.model
        low, high = rules.margin // rules.unit, (CANVAS - rules.margin) // rules.unit
        smallest, largest = rules.smallest // rules.unit, min(rules.largest // rules.unit, high - low)
        x1, y1 = (model.new_int_var(low, high - smallest, f"{axis}1_{number}") for axis in "xy")
        x2, y2 = (model.new_int_var(low + smallest, high, f"{axis}2_{number}") for axis in "xy")
        w, h = (model.new_int_var(smallest, largest, f"{name}_{number}") for name in "wh")
        model.add(x1 + w == x2)
        model.add(y1 + h == y2)
        self._classes_and_presence(number)
        return Edges(x1, y1, x2, y2, w, h)

    def _classes_and_presence(self, number: int) -> None:
        if self.candidates[number].optional:
            self.present[number] = self.model.new_bool_var(f"present_{number}")
        if len(labels := self.candidates[number].labels) > 1:
            self.is_of |= {(number, label): self.model.new_bool_var(f"is_{label}_{number}") for label in labels}
            self.model.add_exactly_one([self.is_of[number, label] for label in labels])

    def _keep_apart(self) -> None:
        gap = self.rules.gap // self.rules.unit
        across: list[Any] = []
        down: list[Any] = []
        for number, edges in enumerate(self.edges):
            for spans, start, size, end in ((across, edges.x1, edges.w, edges.x2), (down, edges.y1, edges.h, edges.y2)):
                span = (start, size + gap, end + gap)
                present = self.present.get(number)
                spans.append(
                    self.model.new_interval_var(*span, f"span_{number}")
                    if present is None
                    else self.model.new_optional_interval_var(*span, present, f"span_{number}")
                )
        self.model.add_no_overlap_2d(across, down)

    def require(self, ground: Ground, on: Any = None) -> None:  # noqa: ANN401
        """Add a ground formula as a constraint, enforced only if the variable ``on`` is true (if given)."""
        self.budget.step(STEPS_OF_A_CONSTRAINT)
        if on is None:
            self.required.append(ground)
        match ground:
            case bool():
                if not ground:
                    self._enforce(self.model.add_bool_or([]), on)
            case Lit(fact, positive):
                self._require_fact(fact, positive, on)
            case grounding.All(parts):
                for part in parts:
                    self.require(part, on)
            case grounding.Any(parts):
                self._enforce(self.model.add_bool_or([self.literal(part) for part in parts]), on)
            case Tally():
                self._require_number(ground, on)

    def _enforce(self, constraint: Any, on: Any) -> None:  # noqa: ANN401
        if on is not None:
            constraint.only_enforce_if(on)

    def literal(self, ground: Ground) -> Any:  # noqa: ANN401
        """Return a variable that is true only if the ground formula is."""
        if ground not in self.literals:
            variable = self._own_literal(ground)
            if variable is None:
                variable = self.model.new_bool_var(f"part_{len(self.literals)}")
                self.require(ground, variable)
            self.literals[ground] = variable
        return self.literals[ground]

    def _own_literal(self, ground: Ground) -> Any:  # noqa: ANN401
        """Return the variable of a presence, attribute or switch fact; None for others."""
        if not isinstance(ground, Lit):
            return None
        (name, things, value), positive = ground
        if name == PRESENT:
            variable = self.present[things[0]]
        elif name == "Is":
            variable = self.is_of[things[0], value or ""]
        elif name == "Has":
            variable = self._attribute(things[0], value or "")
        elif name == SWITCH:
            variable = self.switches.setdefault(value or "", self.model.new_bool_var(f"switch_{value}"))
        else:
            return None
        return variable if positive else variable.Not()

    def _attribute(self, number: int, value: str) -> Any:  # noqa: ANN401
        if (number, value) not in self.has:
            added = self.has[number, value] = self.model.new_bool_var(f"has_{number}_{value}")
            for (owner, known), variable in list(self.has.items()):
                if owner == number and known != value and slot_of(known) == slot_of(value):
                    self.model.add_at_most_one([added, variable])
        return self.has[number, value]

    def _require_number(self, tally: Tally, on: Any) -> None:  # noqa: ANN401
        total: Any = 0
        for sign, pairs in ((1, tally.plus), (-1, tally.minus)):
            for yes, no in pairs:
                counted = self.model.new_bool_var("counted")
                self.require(yes, counted)
                self.require(no, counted.Not())
                total += sign * counted
        number, low, high = tally.number, math.floor(tally.number), math.ceil(tally.number)
        match tally.name:
            case "Equals":
                constraint = self.model.add(total == low) if low == number else self.model.add_bool_or([])
            case "Unequal":
                if low != number:
                    return
                constraint = self.model.add(total != low)
            case "GreaterThan":
                constraint = self.model.add(total >= low + 1)
            case "GreaterThanOrEquals":
                constraint = self.model.add(total >= high)
            case "LessThan":
                constraint = self.model.add(total <= high - 1)
            case _:
                constraint = self.model.add(total <= low)
        self._enforce(constraint, on)

    def _require_fact(self, fact: Fact, positive: bool, on: Any) -> None:  # noqa: ANN401
        literal = self._own_literal(Lit(fact, positive))
        if literal is not None:
            self._enforce(self.model.add_bool_or([literal]), on)
            return
        for options in self._ways(fact, positive):
            if len(options) == 1:
                self._enforce(self.model.add(options[0]), on)
                continue
            ways = []
            for option in options:
                ways.append(self.model.new_bool_var("way"))
                self.model.add(option).only_enforce_if(ways[-1])
            self._enforce(self.model.add_bool_or(ways), on)

    def _ways(self, fact: Fact, positive: bool) -> Iterator[tuple[Any, ...]]:
        """Yield the conditions of a fact, which must all hold; each is a tuple of alternatives.

        If neat, a box ends before the facing edge of another instead of before its centre, and aligned centres are
        equal. Centres are doubled.
        """
        name, neat, unit = fact.name, self.rules.neat, self.rules.unit
        first, second = fact.things[0], fact.things[-1]
        a, b = self.edges[first], self.edges[second]
        centres = (a.x1 + a.x2, a.y1 + a.y2)
        differences = (centres[0] - (b.x1 + b.x2), centres[1] - (b.y1 + b.y2))
        if name in SIDES:
            axis, sign = SIDES[name]
            beyond = sign * (centres[axis] - CANVAS // unit)
            least = 2 * CLEAR // unit if neat else 1
            yield (beyond >= least if positive else beyond <= 0,)
        elif name == "InCenter":
            low, high = 2 * CANVAS // 3 // unit + 1, (4 * CANVAS - 1) // 3 // unit
            if positive:
                yield from ((condition,) for centre in centres for condition in (centre >= low, centre <= high))
            else:
                yield tuple(condition for centre in centres for condition in (centre < low, centre > high))
        elif name in CENTRES:
            axis, sign = CENTRES[name]
            beyond = sign * differences[axis]
            yield (beyond >= 1 if positive else beyond <= 0,)
        elif name in BEYOND:
            axis, sign = BEYOND[name]
            a1, a2, b1, b2 = (a.x1, a.x2, b.x1, b.x2) if axis == 0 else (a.y1, a.y2, b.y1, b.y2)
            if positive and neat:
                gap = self.rules.gap // unit
                yield (a2 + gap <= b1 if sign < 0 else b2 + gap <= a1,)
            else:
                apart = b1 + b2 - 2 * a2 if sign < 0 else 2 * a1 - b1 - b2
                yield (apart >= 1 if positive else apart <= 0,)
        elif name in ALONG:
            difference, too_far = differences[ALONG[name]], 2 * ALIGNED // unit
            if not positive:
                yield (difference >= too_far, difference <= -too_far)
            elif neat:
                yield (difference == 0,)
            else:
                yield (difference < too_far,)
                yield (difference > -too_far,)
        else:
            more, less = (first, second) if name == "LargerThan" else (second, first)
            large, small = self._area(more), self._area(less)
            if not positive:
                yield (large <= small,)
            else:
                yield (4 * large >= 5 * small if neat else large > small,)

    def _area(self, number: int) -> Any:  # noqa: ANN401
        if number not in self.areas:
            most = (CANVAS // self.rules.unit) ** 2
            area = self.areas[number] = self.model.new_int_var(1, most, f"area_{number}")
            edges = self.edges[number]
            self.model.add_multiplication_equality(area, [edges.w, edges.h])
        return self.areas[number]

    def distance(self, variable: Any, value: int) -> Any:  # noqa: ANN401
        """Return an upper bound on the distance of a variable from a value; it is exact if minimised."""
        distance = self.model.new_int_var(0, 10 * CANVAS, "distance")
        self.model.add(distance >= variable - value)
        self.model.add(distance >= value - variable)
        return distance

    def hint(self, boxes: Mapping[int, Box]) -> None:
        """Suggest boxes as the starting point of the search."""
        for number, box in boxes.items():
            for variable, value in zip(self.edges[number], (*box, *box.size), strict=True):
                self.model.add_hint(variable, round(value / self.rules.unit))

    def placed(self, effort: SearchLimits, *, assume: bool = False) -> PlacementResult:
        """Search; with ``assume``, for a layout with all switches off, or the switches that prevent it."""
        if self.cost:
            self.model.minimize(sum(self.cost))
        if assume:
            self.model.add_assumptions([variable.Not() for variable in self.switches.values()])
        solver, status = solved(self.model, effort)
        if status in (self.module.OPTIMAL, self.module.FEASIBLE):
            numbers = tuple(n for n in range(len(self.edges)) if n not in self.present or solver.value(self.present[n]))
            layout = self._layout(solver, numbers)
            values = {key: bool(solver.value(has)) for key, has in self.has.items()}
            cost = round(solver.objective_value) if self.cost else 0
            return PlacementResult("satisfiable", layout, numbers, values, cost, status == self.module.OPTIMAL)
        if status != self.module.INFEASIBLE:
            return PlacementResult("not decided")
        names = {variable.Not().index: name for name, variable in self.switches.items()}
        blamed = solver.sufficient_assumptions_for_infeasibility() if assume else ()
        culprits = sorted(names[index] for index in blamed if index in names)
        return PlacementResult("unsatisfiable", blamed=tuple(culprits))

    def _layout(self, solver: cp_model.CpSolver, numbers: Sequence[int]) -> Layout | None:
        things = []
        for number in numbers:
            box = Box(*(solver.value(edge) * self.rules.unit for edge in self.edges[number][:4]))
            labels = self.candidates[number].labels
            is_of = (key[1] for key, is_of in self.is_of.items() if key[0] == number and solver.value(is_of))
            label = next(is_of, labels[0])
            required = {value: bool(solver.value(has)) for (owner, value), has in self.has.items() if owner == number}
            chosen = {slot_of(value): value for value, true in required.items() if true}
            # a color that no requirement mentions, the typical one if possible
            free = (value for value in (color_of(label), *KNOLLING.values["color"]) if value and value not in required)
            if "color" not in chosen and (color := next(free, None)):
                chosen["color"] = color
            things.append(Thing(label, box, **chosen))
        return Layout(tuple(things))


SIDES = {"OnLeftSide": (0, -1), "OnRightSide": (0, 1), "OnTopSide": (1, -1), "OnBottomSide": (1, 1)}
BEYOND = {"LeftOf": (0, -1), "RightOf": (0, 1), "Above": (1, -1), "Below": (1, 1)}
CENTRES = {f"Centre{name}": order for name, order in BEYOND.items()}
ALONG = {"AlignedVertically": 0, "AlignedHorizontally": 1}


def slot_of(value: str) -> str:
    """Return the key of an object that stores a value: material or shape if it is one, else color."""
    kind = KNOLLING.kind_of(value) or NATURAL.kind_of(value)
    return kind if kind in ("material", "shape") else "color"


def spread_out(placing: PlacementModel, seed: int) -> dict[int, Box]:
    """Return starting boxes of typical sizes, in columns and rows by the required relations, else at random."""
    rng = random.Random(seed)
    facts = [literal.fact for ground in placing.required for literal in _surely(ground)]
    columns = _ranks(len(placing.edges), facts, 0, rng)
    rows = _ranks(len(placing.edges), facts, 1, rng)
    boxes = {}
    for number, candidate in enumerate(placing.candidates):
        width, height = size_of(candidate.label)
        x1 = min(max(CANVAS * columns[number] - width / 2, 30), CANVAS - 30 - width)
        y1 = min(max(CANVAS * rows[number] - height / 2, 30), CANVAS - 30 - height)
        boxes[number] = Box(x1, y1, x1 + width, y1 + height)
    return boxes


def _surely(ground: Ground) -> Iterator[Lit]:
    """Yield the positive facts that a ground formula always requires."""
    if isinstance(ground, Lit) and ground.positive:
        yield ground
    elif isinstance(ground, grounding.All):
        for part in ground.parts:
            yield from _surely(part)


def _ranks(many: int, facts: Sequence[Fact], axis: int, rng: random.Random) -> list[float]:
    """Return a position between 0 and 1 along an axis for each candidate."""
    order = [fact.things[:: -BEYOND[fact.name][1]] for fact in facts if BEYOND.get(fact.name, (2, 0))[0] == axis]
    aligned = [fact.things for fact in facts if ALONG.get(fact.name) == axis]
    rank = [0] * many
    for _ in range(many):
        for first, second in order:
            rank[second] = min(many, max(rank[second], rank[first] + 1))
        for first, second in aligned:
            rank[first] = rank[second] = max(rank[first], rank[second])
    related = {number for pair in (*order, *aligned) for number in pair}
    most = max((rank[number] for number in related), default=0) + 1
    sides = {fact.things[0]: SIDES[fact.name][1] for fact in facts if SIDES.get(fact.name, (2, 0))[0] == axis}
    positions = []
    for number in range(many):
        position = (rank[number] + 0.5) / most if number in related else rng.uniform(0.15, 0.85)
        side = sides.get(number) if number not in related else None
        positions.append(position if side is None else 0.5 + side * rng.uniform(0.15, 0.3))
    return positions
