"""The conjuncts of a formula, by their paths: removing them, and verbalising each of them.

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
    TRUE,
    And,
    Atom,
    Exists,
    Forall,
    Formula,
    Implies,
    Literal,
    Path,
    Variable,
    demanded_class,
    free_variables,
    parts_of,
    with_parts,
)


class Leaf(NamedTuple):
    """A conjunct of a formula and its path; ``general`` is the path of the outermost ``forall`` around it."""

    path: Path
    formula: Formula
    general: Path | None = None


def leaves(formula: Formula) -> Iterator[Leaf]:
    """Yield the conjuncts of a formula, also inside ``exists`` and in the consequent of a conditional ``forall``.

    The atom that gives a variable its class is left out, unless nothing else mentions the variable.
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


def part_at(formula: Formula, path: Path) -> Formula:
    """Return the part at a path."""
    for number in path:
        formula = parts_of(formula)[number]
    return formula


def leaf_words(leaf: Leaf, formula: Formula) -> str:
    """Verbalise a conjunct with all its conditions. Each binder of the formula must have a unique name."""
    if leaf.general is None:
        return words(leaf.formula, object_names(formula))
    alone = without(formula, [one.path for one in leaves(formula) if one.path != leaf.path])
    return words(pruned(part_at(alone, leaf.general)), object_names(formula))


def pruned(formula: Formula) -> Formula:
    """Return the formula without conjuncts that are the constant true."""
    if isinstance(formula, And):
        parts = [one for part in formula.parts if (one := pruned(part)) != TRUE]
        return parts[0] if len(parts) == 1 else And(tuple(parts))
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
