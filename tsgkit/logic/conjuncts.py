"""The conjuncts of a formula, by their places: what can be left out of it, and what is then left to say in words.

>>> from tsgkit.logic.parser import parse
>>> formula = parse("(exists ?b (and (Is ?b 'book') (OnTopSide ?b) (Has ?b 'red')))")
>>> [leaf_words(leaf, formula) for leaf in leaves(formula)]
['the book is on the top side', 'the book is red']
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tsgkit.logic.english import Names, object_names, words
from tsgkit.logic.formula import (
    And,
    Atom,
    Exists,
    Forall,
    Formula,
    Implies,
    Literal,
    Path,
    Variable,
    free_variables,
    parts_of,
    with_parts,
)
from tsgkit.logic.grounding import demanded_class
from tsgkit.logic.witnesses import TRUE


class Leaf(NamedTuple):
    """A conjunct of a formula, by its place; ``general`` is that of the outermost ``forall`` around it."""

    path: Path
    formula: Formula
    general: Path | None = None


def leaves(formula: Formula) -> Iterator[Leaf]:
    """Yield the conjuncts of a formula, in ``exists`` and in what follows from a condition of a ``forall`` too.

    What gives a variable its class is none of them, unless that is all that is said of the variable.
    """
    yield from _leaves(formula, (), None)


def _leaves(formula: Formula, path: Path, general: Path | None) -> Iterator[Leaf]:
    match formula:
        case And(parts):
            for number, part in enumerate(parts):
                yield from _leaves(part, (*path, number), general)
        case Exists(variable, body):
            inner = [
                leaf for leaf in _leaves(body, (*path, 0), general) if not gives_class(leaf.formula, variable, body)
            ]
            yield from inner or [Leaf(path, formula, general)]
        case Forall(_, Implies(_, consequent)):
            inner = list(_leaves(consequent, (*path, 0, 1), path if general is None else general))
            yield from inner if len(inner) > 1 else [Leaf(path, formula, general)]
        case _:
            yield Leaf(path, formula, general)


def gives_class(part: Formula, variable: Variable, body: Formula) -> bool:
    """Return whether a part of a body says the class that the body demands of a variable."""
    return part == Atom("Is", (variable, Literal(demanded_class(variable, body) or "")))


def replaced(formula: Formula, path: Path, new: Formula) -> Formula:
    """Return the formula with another one in a place."""
    if not path:
        return new
    parts = list(parts_of(formula))
    parts[path[0]] = replaced(parts[path[0]], path[1:], new)
    return with_parts(formula, parts)


def without(formula: Formula, paths: Sequence[Path]) -> Formula:
    """Return the formula with nothing said in some places."""
    for path in paths:
        formula = replaced(formula, path, TRUE)
    return formula


def part_at(formula: Formula, path: Path) -> Formula:
    """Return the part in a place."""
    for number in path:
        formula = parts_of(formula)[number]
    return formula


def leaf_words(leaf: Leaf, formula: Formula) -> str:
    """Return a conjunct in words, with all conditions; the binders of its formula must have names of their own."""
    if leaf.general is None:
        return words(leaf.formula, object_names(formula))
    alone = without(formula, [one.path for one in leaves(formula) if one.path != leaf.path])
    return words(pruned(part_at(alone, leaf.general)), object_names(formula))


def pruned(formula: Formula) -> Formula:
    """Return the formula without conjuncts that are true."""
    if isinstance(formula, And):
        parts = [one for part in formula.parts if (one := pruned(part)) != TRUE]
        return parts[0] if len(parts) == 1 else And(tuple(parts))
    if isinstance(formula, Exists | Forall | Implies):
        return with_parts(formula, [pruned(part) for part in parts_of(formula)])
    return formula


def sayings(formula: Formula, names: Names) -> list[str]:
    """Return the conjuncts of a formula in words, each with all its conditions; then what there must be besides."""
    said, there = _stated(pruned(formula), frozenset())
    return [words(one, names) for one in (*said, *there)]


def _stated(formula: Formula, given: frozenset[Formula]) -> tuple[list[Formula], list[Formula]]:
    """Return what is said, and what must exist of which nothing is said; ``given`` are the classes that names tell."""
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
