"""Verification of a layout against a formula, in both profiles, with reasons in words.

>>> scene = {"objects": [{"label": "hat", "box_2d": [0, 0, 100, 100]}]}
>>> text = "(forall ?x (or (not (Is ?x 'shoe')) (OnTopSide ?x)))"
>>> verify(text, scene, "official").truth, verify(text, scene, "strict").truth
(True, True)
>>> verify("(forall ?x (implies (Is ?x 'shoe') (OnTopSide ?x)))", scene).reason
'what is said of every one applies to nothing: there is no shoe'
>>> cup, pen = {"label": "cup", "box_2d": [420, 0, 520, 90]}, {"label": "pen", "box_2d": [300, 100, 500, 120]}
>>> formula = parse("(exists ?c (exists ?p (and (Is ?c 'cup') (Is ?p 'pen') (LeftOf ?c ?p))))")
>>> verdict = verify_strict(formula, {"objects": [cup, pen]})
>>> verdict.truth, verdict.reason
(False, "the cup is left of no pen: the cup ends at x = 520, the pen's centre is at x = 400")

In ``strict``, a ``forall`` (directly nested ones count as one) is false on an empty layout. It is also false if its
body, or a conjunct of it, is an implication whose condition is true for no choice of its variables. A malformed layout
is rejected, and so is one whose boxes overlap. With ``distinct``, a variable never stands for the same object as a
variable around it.

Conjuncts are moved out of quantifiers they do not depend on, and results are cached per values
(:mod:`tsgkit.logic.evaluation`). The cost is at most n to the power of one more than the number of variables a part
depends on. Beyond a limit the verdict is undecided. If an ``exists`` fails, only the object that satisfies the most
conjuncts is explained in full. The others get one line each, which keeps explanations short.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from tsgkit.errors import UsageError
from tsgkit.logic.budget import Budget, OutOfWork
from tsgkit.logic.clauses import Quantifier
from tsgkit.logic.english import atom_words, object_names, thing, verb_of, with_article, words
from tsgkit.logic.evaluation import (
    AtomPart,
    Conjunction,
    Connective,
    Disjunction,
    Equivalence,
    Evaluator,
    Existential,
    Implication,
    Negation,
    NumberComparison,
    ObjectCount,
    Part,
    Universal,
    UniversalBlock,
    conjoined,
)
from tsgkit.logic.formula import Exists, Formula, Variable, demanded_class, rename_apart
from tsgkit.logic.layouts import Box, LayoutProblem, layout_of
from tsgkit.logic.official import verify_official
from tsgkit.logic.parser import parse
from tsgkit.logic.verdicts import WORK, Meter, Profile, Trace, Verdict


def verify(
    formula: Formula | str,
    scene: object,
    profile: Profile = "strict",
    *,
    distinct: bool = False,
    grounded: bool = False,
    work: int = WORK,
    explain: bool = True,
    budget: Budget | None = None,
) -> Verdict:
    """Return the verdict of a profile; ``distinct``, ``grounded`` and ``explain`` apply to ``strict`` only.

    ``official`` follows the published verifier (:mod:`tsgkit.logic.official`), even if a text does not parse or a
    layout is malformed. ``strict`` is classical truth on well-formed layouts (:func:`verify_strict`).

    ``strict`` raises ``FormulaProblem`` on a syntax error, and ``UsageError`` if a layout cannot decide the formula.
    """
    if profile == "official":
        return verify_official(formula, scene, work=work, budget=budget)
    if profile != "strict":
        raise UsageError(f"there is no profile {profile}", hint="official or strict")
    read = parse(formula) if isinstance(formula, str) else formula
    return verify_strict(read, scene, distinct=distinct, grounded=grounded, work=work, explain=explain, budget=budget)


def verify_strict(
    formula: Formula,
    scene: object,
    *,
    distinct: bool = False,
    grounded: bool = False,
    work: int = WORK,
    explain: bool = True,
    budget: Budget | None = None,
) -> Verdict:
    """Return the verdict on a formula and a layout, given as a ``Layout`` or as plain values.

    ``grounded`` is for boxes found in images, which may overlap a little. Without ``explain`` there is no trace and no
    reason. Raise ``UsageError`` if a layout cannot decide the formula.
    """
    meter = Meter(work, budget)
    try:
        layout = layout_of(scene, grounded=grounded)
    except LayoutProblem as problem:
        return Verdict(False, "strict", "rejected", problem.message)
    evaluator = Evaluator(layout, distinct=distinct, meter=meter)
    try:
        part = evaluator.prepare(formula)
        truth = part.truth()
    except OutOfWork as limit:
        return Verdict(None, "strict", "undecided", f"not decided in {limit}", work=meter.done)
    if not explain:
        return Verdict(truth, "strict", work=meter.done)
    evaluator.meter = Meter(work, budget)  # the explanation may take as much work again
    explainer = Explainer(evaluator, object_names(rename_apart(formula)))
    try:
        trace = explainer.trace(part)
        reason = "" if truth else explainer.why(part)
    except OutOfWork:
        return Verdict(truth, "strict", reason="the explanation takes too many steps", work=meter.done)
    return Verdict(truth, "strict", "decided", reason, "", trace, evaluator.zero_triggers, meter.done)


MOST_PARTS = 400
MOST_OTHERS = 5
"""The maximum number of objects named in addition to the nearest one if none fits."""


class Explainer:
    """Explanations of the truth of parts; ``names`` are used for variables without an object."""

    def __init__(self, evaluator: Evaluator, names: Mapping[Variable, str]) -> None:
        self.evaluator = evaluator
        self.objects = evaluator.layout.names
        self.names = dict(names)
        self.left = MOST_PARTS

    def trace(self, part: Part) -> Trace:
        """Return the trace of a part for the evaluator's current values."""
        self.left -= 1
        truth = part.truth()
        if self.left <= 0:
            return Trace(truth, "... (left out)")
        match part:
            case AtomPart():
                return Trace(truth, self._said(part))
            case Existential():
                return self._existence(part) if truth else self._absence(part)
            case UniversalBlock():
                return self._general(part, truth=truth)
            case NumberComparison():
                return Trace(truth, self._compared(part))
            case Implication() if not part.parts[0].truth():
                return Trace(True, "the condition does not apply", (self.trace(part.parts[0]),), vacuous=True)
            case Negation() if isinstance(denied := part.parts[0], AtomPart):
                return Trace(truth, self._said(denied))
            case Connective():
                return Trace(
                    truth, JOINED[type(part)][truth], tuple(map(self.trace, self._relevant_parts(part, truth=truth)))
                )
        return Trace(truth, words(part.formula, self.names))

    def _relevant_parts(self, part: Connective, *, truth: bool) -> list[Part]:
        """Return the parts that explain the truth: one that holds for a true disjunction, else all."""
        if isinstance(part, Disjunction) and truth:
            return [next(one for one in part.parts if one.truth())]
        return list(part.parts)

    def _said(self, part: AtomPart) -> str:
        """Verbalise an atom, or its negation, with its measurements."""
        clause = atom_words(part.formula, self.names, negated=not part.truth())
        return f"{clause}: {figures}" if (figures := self._figures(part)) else clause

    def _figures(self, part: AtomPart) -> str:
        """Return the measurements behind an atom; for an attribute that does not hold, the actual color."""
        atom = part.formula
        things = [self.evaluator.layout.objects[self.evaluator.values[slot]] for slot in part.slots]
        names = [self.names[one] for one in part.variables]
        if atom.name == "Is":
            return ""
        if atom.name == "Has":
            return "" if part.truth() else f"it is {things[0].color or 'of no stated colour'}"
        return measured(atom.name, names, [one.box for one in things])

    def _compared(self, part: NumberComparison) -> str:
        """Verbalise a comparison with the numbers counted."""
        counted = [
            number for number, side in zip(part.numbers(), part.sides, strict=True) if isinstance(side, ObjectCount)
        ]
        return f"{words(part.formula, self.names)}: counted {' and '.join(map(str, counted))}"

    @contextmanager
    def _choice(self, chooser: Quantifier, number: int) -> Iterator[str]:
        """Assign an object to a variable within the context; yield the object's name."""
        before = self.names.get(chooser.variable)
        values, name = self.evaluator.values, self.objects[number]
        kept, values[chooser.slot] = values[chooser.slot], number
        self.names[chooser.variable] = name
        try:
            yield name
        finally:
            values[chooser.slot] = kept
            if before is None:
                del self.names[chooser.variable]
            else:
                self.names[chooser.variable] = before

    def _numbers(self, chooser: Quantifier) -> list[int]:
        """Return the numbers of the objects a variable may stand for."""
        kept = self.evaluator.values[chooser.slot]
        numbers = list(chooser.choices())
        self.evaluator.values[chooser.slot] = kept
        return numbers

    def _existence(self, part: Existential) -> Trace:
        for number in self._numbers(part):
            with self._choice(part, number) as name:
                if part.body.truth():
                    return Trace(True, f"{name} is {self._sought_noun(part)}", self._members(part.body))
        raise AssertionError("what was found is gone")

    def _absence(self, part: Existential) -> Trace:
        ranked = self._ranked(part)
        if not ranked:
            return Trace(False, f"there is no {self._noun(part)}")
        children = []
        for place, number in enumerate(ranked[: MOST_OTHERS + 1]):
            with self._choice(part, number) as name:
                if place == 0:
                    children.append(Trace(False, f"{name} comes nearest", self._members(part.body)))
                else:
                    children.append(Trace(False, f"{name}: {self.why(part.body)}"))
        if more := len(ranked) - len(children):
            children.append(Trace(False, f"and {more} more"))
        return Trace(False, f"no {self._noun(part)} fits", tuple(children))

    def _members(self, body: Part) -> tuple[Trace, ...]:
        return tuple(self.trace(one) for one in conjoined(body))

    def _ranked(self, part: Existential) -> list[int]:
        """Return the objects of the required class (or all), sorted by the number of conjuncts they satisfy, most
        first."""
        wanted = demanded_class(part.variable, formula.body) if isinstance(formula := part.formula, Exists) else None
        scores = {}
        for number in self._numbers(part):
            if wanted is None or self.evaluator.layout.objects[number].label == wanted:
                with self._choice(part, number):
                    scores[number] = sum(one.truth() for one in conjoined(part.body))
        return sorted(scores, key=lambda number: -scores[number])

    def _noun(self, part: Quantifier) -> str:
        formula = part.formula
        wanted = demanded_class(part.variable, formula.body) if isinstance(formula, Exists) else None
        return thing(wanted or "object")

    def _sought_noun(self, part: Existential) -> str:
        noun = self._noun(part)
        return "such an object" if noun == "object" else f"such {with_article(noun)}"

    def _general(self, part: UniversalBlock, *, truth: bool) -> Trace:
        everything, *applied = part.parts
        head = words(part.formula, self.names)
        if not self.evaluator.layout.objects:
            return Trace(False, f"{head}: there are no objects")
        for condition in applied:
            if not condition.truth():
                return Trace(False, f"{head}: {self._nothing_meant(condition)}", (self.trace(condition),))
        if truth:
            return Trace(True, head, tuple(self._choices(everything)))
        return Trace(False, head, (self._counterexample(everything),))

    def _nothing_meant(self, condition: Part) -> str:
        return f"the condition applies to nothing, for {self.why(condition)}"

    def _choices(self, part: Part) -> Iterator[Trace]:
        """Yield traces for the first few choices of a ``forall`` that holds, without those its condition does not
        apply to."""
        count = 0
        if not isinstance(part, Universal):
            return
        for number in self._numbers(part):
            with self._choice(part, number) as name:
                body = part.body
                if isinstance(body, Implication) and not body.parts[0].truth():
                    continue
                count += 1
                if count <= MOST_OTHERS:
                    inner = tuple(self._choices(body)) if isinstance(body, Universal) else (self.trace(body),)
                    yield Trace(True, f"for {name}", inner)
        if count > MOST_OTHERS:
            yield Trace(True, f"and for {count - MOST_OTHERS} more")

    def _counterexample(self, part: Part) -> Trace:
        if isinstance(part, Universal):
            for number in self._numbers(part):
                with self._choice(part, number) as name:
                    if not part.body.truth():
                        return Trace(False, f"not for {name}", (self._counterexample(part.body),))
            return Trace(False, "there is no object left to choose")
        return self.trace(part)

    def why(self, part: Part) -> str:
        """Verbalise the smallest part that makes a false part false."""
        match part:
            case AtomPart():
                return self._said(part)
            case Existential():
                return self._why_absent(part)
            case UniversalBlock():
                return self._why_general(part)
            case Universal():
                return self._why_not_every(part)
            case NumberComparison():
                return f"it is not so that {self._compared(part)}"
            case Implication():
                return self.why(part.parts[1])
            case Conjunction():
                return self.why(next(one for one in part.parts if not one.truth()))
            case Disjunction():
                return " and ".join(self.why(one) for one in part.parts) or "there is nothing to choose from"
            case Negation():
                return self._why_denied(part.parts[0])
            case Equivalence():
                return "one side holds and the other does not: " + self.why(
                    next(one for one in part.parts if not one.truth())
                )
        raise AssertionError(f"{type(part).__name__} has no reason")

    def _why_denied(self, part: Part) -> str:
        """Verbalise a part that holds but must not."""
        if isinstance(part, Existential):
            for number in self._numbers(part):
                with self._choice(part, number) as name:
                    if part.body.truth():
                        clause = " and ".join(self._holding(one) for one in conjoined(part.body))
                        return f"{name} is what must not be: {clause}"
        return f"{self._holding(part)}, which must not be"

    def _holding(self, part: Part) -> str:
        return self._said(part) if isinstance(part, AtomPart) else words(part.formula, self.names)

    def _why_absent(self, part: Existential) -> str:
        ranked = self._ranked(part)
        noun = self._noun(part)
        if not ranked:
            return f"there is no {noun}"
        failing = self._failing(part, ranked[0])
        with self._choice(part, ranked[0]) as name:
            if isinstance(failing, AtomPart) and self._never(part, failing, ranked):
                return self._none_does(noun, part.variable, failing)
            return (
                self.why(failing)
                if len(ranked) == 1
                else f"no {noun} fits; nearest comes {name}, but {self.why(failing)}"
            )

    def _failing(self, part: Existential, number: int) -> Part:
        with self._choice(part, number):
            return next(one for one in conjoined(part.body) if not one.truth())

    def _never(self, part: Existential, one: Part, numbers: list[int]) -> bool:
        for number in numbers:
            with self._choice(part, number):
                if one.truth():
                    return False
        return True

    def _none_does(self, noun: str, sought: Variable, part: AtomPart) -> str:
        """Return ``no cup is left of the pen: ...``, with the measurements of the nearest object."""
        named = [f"no {noun}" if one == sought else self.names[one] for one in part.variables]
        clause = " ".join([named[0], verb_of(part.formula) or part.formula.name, *named[1:]])
        return f"{clause}: {figures}" if (figures := self._figures(part)) else clause

    def _why_general(self, part: UniversalBlock) -> str:
        everything, *applied = part.parts
        if not self.evaluator.layout.objects:
            return "there are no objects, so that nothing is said of every one"
        for condition in applied:
            if not condition.truth():
                return f"what is said of every one applies to nothing: {self.why(condition)}"
        return self.why(everything)

    def _why_not_every(self, part: Universal) -> str:
        for number in self._numbers(part):
            with self._choice(part, number) as name:
                if not part.body.truth():
                    inner = self.why(part.body)
                    return inner if isinstance(part.body, Universal) or name in inner else f"for {name}: {inner}"
        return "there is no object left to choose"


JOINED: Mapping[type[Part], Mapping[bool, str]] = {
    Conjunction: {True: "all of these hold", False: "not all of these hold"},
    Disjunction: {True: "one of these holds", False: "none of these holds"},
    Negation: {True: "it is not so, as it must be", False: "it is so, which must not be"},
    Implication: {
        True: "the condition applies, and what follows holds",
        False: "the condition applies, what follows does not",
    },
    Equivalence: {True: "both sides are alike", False: "the sides differ"},
}


def measured(name: str, names: list[str], boxes: list[Box]) -> str:
    """Return the measurements a predicate compares, in words.

    >>> measured("LeftOf", ["cup_2", "the pen"], [Box(420, 0, 520, 90), Box(300, 100, 500, 120)])
    "cup_2 ends at x = 520, the pen's centre is at x = 400"
    """
    first = boxes[0]
    if len(boxes) == 1:
        return {
            "OnLeftSide": f"its centre is at x = {first.cx:g}, the middle at 500",
            "OnRightSide": f"its centre is at x = {first.cx:g}, the middle at 500",
            "OnTopSide": f"its centre is at y = {first.cy:g}, the middle at 500",
            "OnBottomSide": f"its centre is at y = {first.cy:g}, the middle at 500",
            "InCenter": f"its centre is at ({first.cx:g}, {first.cy:g}), the middle third is 333.3 to 666.7",
        }[name]
    one, other, second = names[0], names[1], boxes[1]
    return {
        "LeftOf": f"{one} ends at x = {first.x2:g}, {other}'s centre is at x = {second.cx:g}",
        "RightOf": f"{one} begins at x = {first.x1:g}, {other}'s centre is at x = {second.cx:g}",
        "Above": f"{one} ends at y = {first.y2:g}, {other}'s centre is at y = {second.cy:g}",
        "Below": f"{one} begins at y = {first.y1:g}, {other}'s centre is at y = {second.cy:g}",
        "AlignedHorizontally": f"their centres are {abs(first.cy - second.cy):g} apart in y, less than 100 is needed",
        "AlignedVertically": f"their centres are {abs(first.cx - second.cx):g} apart in x, less than 100 is needed",
        "LargerThan": f"their areas are {first.area:g} and {second.area:g}",
        "SmallerThan": f"their areas are {first.area:g} and {second.area:g}",
    }[name]
