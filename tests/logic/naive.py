"""Plain evaluators to test the real ones against: what the semantics say, word for word, with nothing remembered.

``official`` works on nested lists of tokens, as the published verifier does; ``lift`` is a second writing of lifting.
``strict`` works on formulas, in the order they are written. ``Crash`` is raised where the published verifier crashes.
"""

# ruff: noqa: ANN401  (raw layouts and nested lists hold anything)

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from tsgkit.logic import formula as f

Env = dict[f.Variable, int]
UNARY = ("OnLeftSide", "OnRightSide", "OnTopSide", "OnBottomSide", "InCenter")
BESIDE = ("LeftOf", "RightOf", "Above", "Below", "AlignedHorizontally", "AlignedVertically")
BINARY = (*BESIDE, "LargerThan", "SmallerThan")


class Crash(Exception):
    """The published verifier raises something here."""


class Slow(Exception):
    """The guard of a bench: more steps than it has patience for."""


def place(name: str, boxes: Sequence[Sequence[float]]) -> bool:
    """Return what a predicate of places and sizes says of boxes."""
    ends = [boxes[0][:4], boxes[-1][:4]]
    if name in ("LargerThan", "SmallerThan"):  # a box that is turned over has no area
        ends = [(0, 0, max(0, x2 - x1), max(0, y2 - y1)) for x1, y1, x2, y2 in ends]
    return all(comparisons(name, *ends))


def comparisons(name: str, a: Sequence[Any], b: Sequence[Any]) -> Sequence[Any]:
    """Return what must hold of the numbers (or z3's expressions) of two boxes; the middles are doubled."""
    (ax1, ay1, ax2, ay2), (bx1, by1, bx2, by2) = a, b
    acx, acy, bcx, bcy = ax1 + ax2, ay1 + ay2, bx1 + bx2, by1 + by2
    one, other = (ax2 - ax1) * (ay2 - ay1), (bx2 - bx1) * (by2 - by1)
    said = {
        "OnLeftSide": [acx < 1000],
        "OnRightSide": [acx > 1000],
        "OnTopSide": [acy < 1000],
        "OnBottomSide": [acy > 1000],
        "InCenter": [3 * acx > 2000, 3 * acx < 4000, 3 * acy > 2000, 3 * acy < 4000],
        "LeftOf": [2 * ax2 < bcx],
        "RightOf": [2 * ax1 > bcx],
        "Above": [2 * ay2 < bcy],
        "Below": [2 * ay1 > bcy],
        "AlignedHorizontally": [acy - bcy < 200, bcy - acy < 200],
        "AlignedVertically": [acx - bcx < 200, bcx - acx < 200],
        "LargerThan": [one > other],
        "SmallerThan": [one < other],
    }
    return said[name]


def compared(name: str, left: Any, right: Any) -> Any:
    """Return what a comparison says of two numbers, or of two of z3's expressions."""
    return {
        "Equals": left == right,
        "GreaterThan": left > right,
        "LessThan": left < right,
        "GreaterThanOrEquals": left >= right,
        "LessThanOrEquals": left <= right,
    }[name]


def tree(formula: f.Formula | f.Number) -> Any:
    """Return a formula as nested lists, values as one-tuples so that they are no variables."""
    match formula:
        case f.Atom(name, args):
            return [name, *(arg.name if isinstance(arg, f.Variable) else (arg.text,) for arg in args)]
        case f.And(parts) | f.Or(parts):
            return ["and" if isinstance(formula, f.And) else "or", *map(tree, parts)]
        case f.Not(body):
            return ["not", tree(body)]
        case f.Implies(left, right) | f.Iff(left, right):
            return ["implies" if isinstance(formula, f.Implies) else "iff", tree(left), tree(right)]
        case f.Exists(variable, body) | f.Forall(variable, body):
            return ["exists" if isinstance(formula, f.Exists) else "forall", variable.name, tree(body)]
        case f.Comparison(name, left, right):
            return [name, tree(left), tree(right)]
        case f.Count(variable, body):
            return ["Count", variable.name, tree(body)]
    return formula


def lift(node: Any) -> Any:
    """Lifting, over nested lists."""
    if not isinstance(node, list):
        return node
    node = [lift(one) for one in node]
    if node[0] != "exists" or not isinstance(node[2], list) or node[2][0] != "and":
        return node
    out: list[Any] = []
    inside: list[Any] = []
    for conjunct in node[2][1:]:
        (inside if node[1] in flat(conjunct) else out).append(conjunct)
    if inside or not out:
        out.append(["exists", node[1], inside[0] if len(inside) == 1 else ["and", *inside]])
    return out[0] if len(out) == 1 else ["and", *out]


def flat(node: Any) -> list[Any]:
    return [token for one in node for token in flat(one)] if isinstance(node, list) else [node]


def official(node: Any, scene: Any, guard: int = 0) -> bool:
    """Return the published verdict on nested lists; ``Crash`` where it would crash, ``Slow`` after ``guard`` steps."""
    objects = scene.get("objects", [])
    if not isinstance(objects, list) or not all(isinstance(one, dict) for one in objects):
        raise Crash
    for one, other in itertools.combinations([one for one in objects if one.get("box_2d")], 2):
        numbers(one), numbers(other)
    return _Official(objects, guard).truth(node, {})[0]


def numbers(entry: Any) -> Sequence[float]:
    box = entry.get("box_2d")
    if not isinstance(box, list) or len(box) < 4 or not all(isinstance(one, int | float) for one in box[:4]):
        raise Crash
    return box


@dataclass
class _Official:
    objects: list[Any]
    guard: int
    steps: int = 0

    def truth(self, node: Any, env: dict[str, Any]) -> tuple[bool, bool]:
        """Return the truth of a node, and whether it is flagged vacuous."""
        self.steps += 1
        if self.guard and self.steps > self.guard:
            raise Slow
        head, args = node[0], node[1:]
        if head == "and":
            return all(self.truth(one, env)[0] for one in args), False
        if head == "or":
            return any(self.truth(one, env)[0] for one in args), False
        if head == "not":
            return not self.truth(args[0], env)[0], False
        if head == "implies":
            if not self.truth(args[0], env)[0]:
                return True, True
            return self.truth(args[1], env)[0], False
        if head == "exists":
            return any(self.truth(args[1], {**env, args[0]: one})[0] for one in self.objects), False
        if head == "forall":
            vacuous = set()
            for one in self.objects:
                found = self.truth(args[1], {**env, args[0]: one})
                if not found[0]:
                    return False, False
                vacuous.add(found[1])
            return False in vacuous, False
        return self.predicate(head, [self.value(one, env) for one in args]), False

    def value(self, arg: Any, env: dict[str, Any]) -> Any:
        if isinstance(arg, list):
            if arg[0] != "Count":
                raise Crash
            return sum(self.truth(arg[2], {**env, arg[1]: one})[0] for one in self.objects)
        if isinstance(arg, tuple):
            return arg[0]
        if isinstance(arg, str) and arg.startswith("?") and arg not in env:
            raise Crash
        return env.get(arg, arg)

    def predicate(self, head: str, args: list[Any]) -> bool:
        if head in f.COMPARISONS:
            return bool(compared(head, *args))
        if head not in {"Is", "Has", *UNARY, *BINARY} or len(args) != (1 if head in UNARY else 2):
            raise Crash
        if not isinstance(args[0], dict) or (head in BINARY and not isinstance(args[1], dict)):
            raise Crash
        if head == "Is":
            return bool(args[0].get("label") == args[1])
        if head == "Has":
            return args[1] in [args[0].get("color"), args[0].get("material"), args[0].get("shape")]
        return place(head, [numbers(one) for one in args])


def strict(formula: f.Formula, scene: Any, *, distinct: bool = False, grounded: bool = False) -> bool:
    """Return the strict verdict: false for a layout that is none."""
    if not is_layout(scene, grounded=grounded):
        return False
    return bool(Strict(scene["objects"], distinct).truth(formula, {}, ()))


def is_layout(scene: Any, *, grounded: bool) -> bool:
    objects = scene.get("objects", [])
    if not isinstance(objects, list) or not all(is_thing(one) for one in objects):
        return False
    for one, other in itertools.combinations([entry["box_2d"] for entry in objects], 2):
        width = min(one[2], other[2]) - max(one[0], other[0])
        height = min(one[3], other[3]) - max(one[1], other[1])
        areas = [(box[2] - box[0]) * (box[3] - box[1]) for box in (one, other)]
        if width > 0 and height > 0 and (not grounded or width * height > min(areas) / 2):
            return False
    return True


def is_thing(entry: Any) -> bool:
    if not isinstance(entry, dict) or not isinstance(entry.get("label"), str):
        return False
    if not all(entry.get(key) is None or isinstance(entry[key], str) for key in ("color", "material", "shape")):
        return False
    box = entry.get("box_2d")
    if not isinstance(box, list) or len(box) != 4:
        return False
    if any(isinstance(one, bool) or not isinstance(one, int | float) or not math.isfinite(one) for one in box):
        return False
    return bool(0 <= box[0] < box[2] <= 1000 and 0 <= box[1] < box[3] <= 1000)


@dataclass
class Strict:
    """The semantics of ``strict``; what is over objects decides atoms, over z3's expressions it says what must hold."""

    objects: list[Any]
    distinct: bool = False

    both: ClassVar[Callable[..., Any]] = staticmethod(all)
    either: ClassVar[Callable[..., Any]] = staticmethod(any)
    denied: ClassVar[Callable[..., Any]] = staticmethod(operator.not_)

    def domain(self, around: tuple[int, ...]) -> list[int]:
        """Return the objects a variable may stand for, given those that variables around it stand for."""
        return [one for one in range(len(self.objects)) if not (self.distinct and one in around)]

    def truth(self, formula: f.Formula, env: Env, around: tuple[int, ...]) -> Any:
        match formula:
            case f.Atom():
                return self.atom(formula, env)
            case f.And(parts):
                return self.both(self.truth(one, env, around) for one in parts)
            case f.Or(parts):
                return self.either(self.truth(one, env, around) for one in parts)
            case f.Not(body):
                return self.denied(self.truth(body, env, around))
            case f.Implies(left, right):
                return self.truth(f.Or((f.Not(left), right)), env, around)
            case f.Iff(left, right):
                return self.truth(left, env, around) == self.truth(right, env, around)
            case f.Exists(variable, body):
                return self.either(self.inner(variable, body, env, around))
            case f.Forall():
                return self.every(formula, env, around)
            case f.Comparison(name, left, right):
                return compared(name, self.number(left, env, around), self.number(right, env, around))

    def inner(self, variable: f.Variable, body: f.Formula, env: Env, around: tuple[int, ...]) -> Iterator[Any]:
        """Yield the truth of a body for every object that its variable may stand for."""
        for one in self.domain(around):
            yield self.truth(body, {**env, variable: one}, (*around, one))

    def number(self, number: float | f.Count, env: Env, around: tuple[int, ...]) -> Any:
        return sum(self.inner(number.variable, number.body, env, around)) if isinstance(number, f.Count) else number

    def every(self, formula: f.Forall, env: Env, around: tuple[int, ...]) -> Any:
        """Directly nested ones together: there are objects, all do, and each condition applies to some."""
        variables, body = [formula.variable], formula.body
        while isinstance(body, f.Forall):
            variables.append(body.variable)
            body = body.body
        choices: list[tuple[tuple[int, ...], Env]] = [((), env)]
        for variable in variables:
            choices = [
                ((*chosen, one), {**bound, variable: one})
                for chosen, bound in choices
                for one in self.domain((*around, *chosen))
            ]
        if not choices:
            return self.either(())
        everything = self.both(self.truth(body, bound, (*around, *chosen)) for chosen, bound in choices)
        applied = (
            self.either(self.truth(one.antecedent, bound, (*around, *chosen)) for chosen, bound in choices)
            for one in implications(body)
        )
        return self.both((everything, *applied))

    def atom(self, atom: f.Atom, env: Env) -> Any:
        things = [self.objects[env[arg]] for arg in atom.args if isinstance(arg, f.Variable)]
        value = atom.args[-1]
        if isinstance(value, f.Literal):
            if atom.name == "Is":
                return bool(things[0]["label"] == value.text)
            return value.text in [things[0].get(key) for key in ("color", "material", "shape")]
        return place(atom.name, [one["box_2d"] for one in things])


def implications(body: f.Formula) -> list[f.Implies]:
    """Return the implications that a body is, or is a conjunction of."""
    if isinstance(body, f.And):
        return [one for part in body.parts for one in implications(part)]
    return [body] if isinstance(body, f.Implies) else []


class _Classical(Strict):
    def every(self, formula: f.Forall, env: Env, around: tuple[int, ...]) -> bool:
        return all(self.inner(formula.variable, formula.body, env, ()))


def classical(formula: f.Formula, objects: Sequence[Any]) -> bool:
    """Plain first-order truth: a ``forall`` over nothing is true."""
    return bool(_Classical(list(objects)).truth(formula, {}, ()))
