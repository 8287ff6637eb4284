"""The conjuncts of a formula, by path and in words, and minimal sets of them that cannot hold together.

>>> from tsgkit.logic.parser import parse
>>> formula = parse("(exists ?b (and (Is ?b 'book') (OnTopSide ?b) (Has ?b 'red')))")
>>> [leaf_words(leaf, formula) for leaf in leaves(formula)]
['the book is on the top side', 'the book is red']
>>> book = "(exists ?b (and (Is ?b 'book') (OnTopSide ?b) (OnLeftSide ?b) (OnRightSide ?b)))"
>>> conflict_of(parse(book), ProofSettings(2), Effort()).words
('the book is on the left side', 'the book is on the right side')
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from tsgkit.logic.budget import OutOfBudget
from tsgkit.logic.english import Names, object_names, words
from tsgkit.logic.formula import (
    TRUE,
    And,
    Atom,
    Exists,
    Forall,
    Formula,
    Implies,
    Literal,
    Or,
    Path,
    Variable,
    conjunction,
    demanded_class,
    free_variables,
    parts_of,
    rename_apart,
    walk,
    with_parts,
)
from tsgkit.logic.grounding import SWITCH, TooLarge, ground
from tsgkit.logic.placement import EXACT, Effort, PlacementModel
from tsgkit.logic.proofs import ProofSettings, is_refuted
from tsgkit.logic.witnesses import Domain


class Leaf(NamedTuple):
    """A conjunct of a formula and its path; ``general`` is the path of the outermost ``forall`` around it."""

    path: Path
    formula: Formula
    general: Path | None = None


def leaves(formula: Formula, path: Path = (), general: Path | None = None) -> Iterator[Leaf]:
    """Yield the conjuncts of a formula, also inside ``exists`` and in the consequent of a conditional ``forall``.

    The atom that gives a variable its class is left out, unless nothing else mentions the variable. The formula may be
    the part at a path of a larger one.
    """
    match formula:
        case And(parts):
            for number, part in enumerate(parts):
                yield from leaves(part, (*path, number), general)
        case Exists(variable, body):
            inner = [
                leaf for leaf in leaves(body, (*path, 0), general) if not gives_class(leaf.formula, variable, body)
            ]
            yield from inner or [Leaf(path, formula, general)]
        case Forall(_, Implies(_, consequent)):
            inner = list(leaves(consequent, (*path, 0, 1), path if general is None else general))
            yield from inner if len(inner) > 1 else [Leaf(path, formula, general)]
        case _:
            yield Leaf(path, formula, general)


def gives_class(part: Formula, variable: Variable, body: Formula) -> bool:
    """Return whether a part of a body is the atom that gives a variable its required class."""
    return part == Atom("Is", (variable, Literal(demanded_class(variable, body) or "")))


def replaced(formula: Formula, path: Path, new: Formula) -> Formula:
    """Return the formula with the part at a path replaced."""
    if not path:
        return new
    parts = list(parts_of(formula))
    parts[path[0]] = replaced(parts[path[0]], path[1:], new)
    return with_parts(formula, parts)


def without(formula: Formula, paths: Sequence[Path]) -> Formula:
    """Return the formula with the parts at some paths replaced by true."""
    for path in paths:
        formula = replaced(formula, path, TRUE)
    return formula


def leaf_words(leaf: Leaf, formula: Formula) -> str:
    """Verbalise a conjunct with all its conditions. Each binder of the formula must have a unique name."""
    if leaf.general is None:
        return words(leaf.formula, object_names(formula))
    alone = without(formula, [one.path for one in leaves(formula) if one.path != leaf.path])
    for number in leaf.general:
        alone = parts_of(alone)[number]
    return words(pruned(alone), object_names(formula))


def pruned(formula: Formula) -> Formula:
    """Return the formula without conjuncts that are the constant true."""
    if isinstance(formula, And):
        return conjunction([one for part in formula.parts if (one := pruned(part)) != TRUE])
    if isinstance(formula, Exists | Forall | Implies):
        return with_parts(formula, [pruned(part) for part in parts_of(formula)])
    return formula


def sayings(formula: Formula, names: Names) -> list[str]:
    """Verbalise each conjunct of a formula with its conditions, then the objects that must exist besides."""
    said, there = _stated(pruned(formula), frozenset())
    return [words(one, names) for one in (*said, *there)]


def _stated(formula: Formula, given: frozenset[Formula]) -> tuple[list[Formula], list[Formula]]:
    """Return the conjuncts, and the existence of objects they do not mention.

    ``given`` holds the class atoms that the objects' names already express.
    """
    match formula:
        case And(parts):
            pairs = [_stated(part, given) for part in parts]
            return [one for said, _ in pairs for one in said], [one for _, there in pairs for one in there]
        case Exists(variable, body):
            label = demanded_class(variable, body)
            classes = (Atom("Is", (variable, Literal(label))),) if label else ()
            said, there = _stated(body, given.union(classes))
            if not any(variable in free_variables(one) for one in said):
                there.append(Exists(variable, And(classes)))
            return said, there
        case Forall(variable, Implies(condition, And(()))):
            return [], [Exists(variable, condition)]
    return [] if formula in given else [formula], []


@dataclass(frozen=True, slots=True)
class Conflict:
    """Conjuncts that cannot hold together, in words and by path; ``smallest`` if none can be left out."""

    words: tuple[str, ...]
    places: tuple[Path, ...]
    smallest: bool


def conflict_of(formula: Formula, settings: ProofSettings, effort: Effort) -> Conflict:
    """Return the conflict in a formula that ``settings`` refute."""
    search = _ConflictSearch(rename_apart(formula), settings, effort)
    try:
        search.leave_out_conjuncts()
        search.leave_out_existences()
        smallest = True
    except OutOfBudget:
        smallest = False
    clauses = sayings(search.rest, object_names(search.formula))
    return Conflict(tuple(clauses), tuple(leaf.path for leaf in search.core), smallest)


class _ConflictSearch:
    """An unsatisfiable formula that is weakened step by step as long as it stays unsatisfiable."""

    def __init__(self, formula: Formula, settings: ProofSettings, effort: Effort) -> None:
        self.formula = formula
        self.settings = settings
        self.effort = effort
        self.leaves = tuple(leaves(formula))
        self.core = list(self.leaves)
        self.rest = formula

    def leave_out_conjuncts(self) -> None:
        """Keep only the conjuncts in the solver's unsatisfiable core, then try to remove each of them."""
        blamed = self._blamed()
        if len(blamed) < len(self.core):
            self._keep(blamed)
        for leaf in list(self.core):
            self._keep([one for one in self.core if one is not leaf])

    def _keep(self, core: Sequence[Leaf]) -> None:
        if self._weaken(without(self.formula, [leaf.path for leaf in self.leaves if leaf not in core])):
            self.core = list(core)

    def _weaken(self, rest: Formula) -> bool:
        """Go on with a weaker formula if it is still unsatisfiable."""
        refuted = is_refuted(rest, self.settings, self.effort)
        self.rest = rest if refuted else self.rest
        return refuted

    def _blamed(self) -> list[Leaf]:
        """Return the conjuncts in the solver's unsatisfiable core, or all of them if the solver finds none."""
        if self.settings.extremes:
            return self.core
        switched = self.formula
        for number, leaf in enumerate(self.leaves):
            off = Atom(SWITCH, (Literal(str(number)),))
            switched = replaced(switched, leaf.path, Or((off, leaf.formula)))
        candidates = Domain(self.formula).rounds(self.settings.rounds)
        placing = PlacementModel(candidates, EXACT, self.effort.budget)
        try:
            placing.require(
                ground(switched, candidates, "strict", rounds=self.settings.rounds, budget=self.effort.budget)
            )
        except TooLarge:
            return self.core
        placed = placing.placed(self.effort, assume=True)
        if placed.status != "unsatisfiable" or not placed.blamed:
            return self.core
        return [leaf for number, leaf in enumerate(self.leaves) if str(number) in placed.blamed]

    def leave_out_existences(self) -> None:
        """Remove objects, and conditions that must apply, that the conflicting conjuncts do not mention."""
        spoken = {variable for leaf in self.core for variable in free_variables(leaf.formula)}
        inside = [leaf.path for leaf in self.core]
        for path, _ in list(walk(self.rest)):
            part = dict(walk(self.rest)).get(path)
            if part is None or any(path[: len(one)] == one for one in inside):
                continue
            if isinstance(part, Exists) and part.variable not in spoken:
                given = [place for place, one in walk(part.body) if gives_class(one, part.variable, part.body)]
                if part.variable not in free_variables(body := without(part.body, given)):
                    self._weaken(replaced(self.rest, path, And((body,))))
            elif isinstance(part, Forall) and isinstance(part.body, Implies) and pruned(part.body.consequent) == TRUE:
                self._weaken(replaced(self.rest, path, TRUE))
