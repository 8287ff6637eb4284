"""Formulas and layouts made up from a seed: all connectives, shadowed variables, sound layouts and broken ones."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from logic.naive import BINARY, UNARY

from tsgkit.logic import formula as f

NAMES = tuple(map(f.Variable, ("?x", "?y", "?z", "?x_1")))
CLASSES = ("cup", "pen", "drill")
COLORS = ("red", "blue", "black")
BROKEN: tuple[Any, ...] = (
    [1, 2, 3], [], None, ["1", 2, 3, 4], [300, 300, 100, 400], [0, 0, 2000, 100], "box", [0, 0, 0, 0],
    [True, 0, 20, 20], [float("nan"), 0, 20, 20],
)  # fmt: skip


def formula(random: Random, *, deepest: int = 5, iff: bool = True, numbers: bool = True) -> f.Formula:
    """Return a closed formula."""
    return _formula(random, deepest, (), iff=iff, numbers=numbers)


def _formula(random: Random, deepest: int, bound: tuple[f.Variable, ...], *, iff: bool, numbers: bool) -> f.Formula:
    def part(*more: f.Variable) -> f.Formula:
        return _formula(random, deepest - 1, (*bound, *more), iff=iff, numbers=numbers)

    if not bound or (deepest > 2 and random.random() < 0.3):
        return _quantified(random, part) if deepest > 0 else f.And(())
    if deepest <= 1 or random.random() < 0.3:
        return _atom(random, bound)
    kinds = ["and", "and", "and", "or", "not", "implies", *(["iff"] if iff else []), *(["number"] if numbers else [])]
    match random.choice(kinds):
        case "and":
            return f.And(tuple(part() for _ in range(random.choice((0, 1, 2, 2, 3, 3)))))
        case "or":
            return f.Or(tuple(part() for _ in range(random.choice((0, 1, 2, 2, 3)))))
        case "not":
            return f.Not(part())
        case "implies":
            return f.Implies(part(), part())
        case "iff":
            return f.Iff(part(), part())
    sides: list[f.Number] = [f.Count(one := random.choice(NAMES), part(one)), random.randrange(4)]
    random.shuffle(sides)
    return f.Comparison(random.choice(f.COMPARISONS), sides[0], sides[1])


def _quantified(random: Random, part: Callable[[f.Variable], f.Formula]) -> f.Formula:
    variable = random.choice(NAMES)
    if random.random() < 0.5:
        return f.Exists(variable, part(variable))
    if random.random() < 0.5:
        return f.Forall(variable, part(variable))
    return f.Forall(variable, f.Implies(f.Atom("Is", (variable, f.Literal(random.choice(CLASSES)))), part(variable)))


def _atom(random: Random, bound: tuple[f.Variable, ...]) -> f.Atom:
    match random.randrange(5):
        case 0 | 1:
            return f.Atom("Is", (random.choice(bound), f.Literal(random.choice(CLASSES))))
        case 2:
            return f.Atom("Has", (random.choice(bound), f.Literal(random.choice(COLORS))))
        case 3:
            return f.Atom(random.choice(UNARY), (random.choice(bound),))
    return f.Atom(random.choice(BINARY), (random.choice(bound), random.choice(bound)))


def layout(random: Random, *, most: int = 4, broken: float = 0.0, apart: bool = False) -> dict[str, Any]:
    """Return a layout of up to so many objects; ``apart`` keeps boxes from overlapping, ``broken`` is a share of bad
    ones.
    """
    cells = random.sample(range(16), random.randint(0, most))
    return {"objects": [_thing(random, cell, broken, apart) for cell in cells]}


def _thing(random: Random, cell: int, broken: float, apart: bool) -> dict[str, Any]:
    thing: dict[str, Any] = {"label": random.choice(CLASSES), "color": random.choice(COLORS)}
    if random.random() < 0.1:
        thing["material"] = "red"
    if random.random() < broken:
        box = random.choice(BROKEN)
        return thing if box is None else {**thing, "box_2d": box}
    x, y = (
        (250 * (cell % 4), 250 * (cell // 4)) if apart else (random.randrange(0, 900, 50), random.randrange(0, 900, 50))
    )
    width, height = random.choice((50, 100, 200, 250)), random.choice((50, 100, 200, 250))
    thing["box_2d"] = [x, y, min(x + width, 1000), min(y + height, 1000)]
    return thing
