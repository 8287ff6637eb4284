"""Verification of a layout against a formula, in both profiles, with reasons in words.

>>> scene = {"objects": [{"label": "hat", "box_2d": [0, 0, 100, 100]}]}
>>> text = "(forall ?x (or (not (Is ?x 'shoe')) (OnTopSide ?x)))"
>>> verify(text, scene, "official").truth, verify(text, scene, "strict").truth
(True, True)
>>> verify("(forall ?x (implies (Is ?x 'shoe') (OnTopSide ?x)))", scene).reason
'what is said of every one applies to nothing: there is no shoe'
>>> cup, pen = {"label": "cup", "box_2d": [420, 0, 520, 90]}, {"label": "pen", "box_2d": [300, 100, 500, 120]}
>>> formula = parse("(exists ?c (exists ?p (and (Is ?c 'cup') (Is ?p 'pen') (LeftOf ?c ?p))))")
>>> verdict = verify(formula, {"objects": [cup, pen]})
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

from collections.abc import Iterator, Mapping, Sequence

from tsgkit.errors import UsageError
from tsgkit.logic.budget import Budget, OutOfWork
from tsgkit.logic.english import atom_words, object_names, thing, verb_of, with_article, words
from tsgkit.logic.evaluation import (
    AtomPart,
    CompiledPart,
    Connective,
    Evaluator,
    Existential,
    NumberComparison,
    ObjectCount,
    Quantifier,
    Universal,
    UniversalBlock,
    conjoined,
)
from tsgkit.logic.formula import And, Exists, Formula, Iff, Implies, Not, Or, Variable, demanded_class, rename_apart
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
    """Return the verdict on a formula and a layout, given as a ``Layout`` or as plain values.

    ``official`` follows the published verifier (:mod:`tsgkit.logic.official`), even if a text does not parse or a
    layout is malformed. ``strict`` is classical truth on well-formed layouts. Only it heeds ``distinct``, ``grounded``
    (for boxes found in images, which may overlap a little) and ``explain``: without it there is no trace and no reason.

    ``strict`` raises ``FormulaProblem`` on a syntax error, and ``UsageError`` if a layout cannot decide the formula.
    """
    if profile == "official":
        return verify_official(formula, scene, work=work, budget=budget)
    if profile != "strict":
        raise UsageError(f"there is no profile {profile}", hint="official or strict")
    if isinstance(formula, str):
        formula = parse(formula)
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
    return Verdict(truth, "strict", "decided", reason, "", evaluator.zero_triggers, meter.done, trace)


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

    def trace(self, part: CompiledPart) -> Trace:
        """Return the trace of a part for the evaluator's current values."""
        self.left -= 1
        truth = part.truth()
        if self.left <= 0:
            return Trace(truth, "... (left out)")
        match part:
            case AtomPart():
                return Trace(truth, self._worded(part))
            case Existential():
                return self._existence(part) if truth else self._absence(part)
            case UniversalBlock(everything=everything):
                head = words(part.formula, self.names)
                if not self.objects:
                    return Trace(False, f"{head}: there are no objects")
                if idle := next((inner for inner in part.applied if not inner.truth()), None):
                    reason = f"the condition applies to nothing, for {self.why(idle)}"
                    return Trace(False, f"{head}: {reason}", (self.trace(idle),))
                children = tuple(self._examples(everything)) if truth else (self._counterexample(everything),)
                return Trace(truth, head, children)
            case NumberComparison():
                return Trace(truth, self._compared(part))
            case Connective(kind=kind, parts=parts):
                if kind is Implies and not parts[0].truth():
                    return Trace(True, "the condition does not apply", (self.trace(parts[0]),), vacuous=True)
                if kind is Not and isinstance(parts[0], AtomPart):
                    return Trace(truth, self._worded(parts[0]))
                if kind is Or and truth:
                    parts = (next(inner for inner in parts if inner.truth()),)
                return Trace(truth, JOINED[kind][truth], tuple(map(self.trace, parts)))
        return Trace(truth, words(part.formula, self.names))

    def _worded(self, part: CompiledPart) -> str:
        """Verbalise a part; an atom, or its negation, with its measurements."""
        if not isinstance(part, AtomPart):
            return words(part.formula, self.names)
        return self._with_figures(atom_words(part.formula, self.names, negated=not part.truth()), part)

    def _with_figures(self, clause: str, part: AtomPart) -> str:
        """Return a clause with the measurements behind an atom; for an attribute that does not hold, the actual
        color."""
        name = part.formula.name
        things = [self.evaluator.layout.objects[self.evaluator.values[slot]] for slot in part.slots]
        if name == "Is" or (name == "Has" and part.truth()):
            return clause
        if name == "Has":
            return f"{clause}: it is {things[0].color or 'of no stated colour'}"
        figures = measured(name, [self.names[variable] for variable in part.variables], [thing.box for thing in things])
        return f"{clause}: {figures}"

    def _compared(self, part: NumberComparison) -> str:
        """Verbalise a comparison with the numbers counted."""
        pairs = zip(part.numbers(), part.sides, strict=True)
        counted = [str(number) for number, side in pairs if isinstance(side, ObjectCount)]
        return f"{words(part.formula, self.names)}: counted {' and '.join(counted)}"

    def _choices(self, chooser: Quantifier, among: Sequence[int] | None = None) -> Iterator[tuple[int, str]]:
        """Assign in turn each object (of some) that a variable may stand for; yield its number and name."""
        names, values, variable, slot = self.names, self.evaluator.values, chooser.variable, chooser.slot
        outer_name, outer_value = names.get(variable), values[slot]
        try:
            for number in list(chooser.choices(among)):
                names[variable], values[slot] = self.objects[number], number
                yield number, self.objects[number]
        finally:
            values[slot] = outer_value
            if outer_name is None:
                names.pop(variable, None)
            else:
                names[variable] = outer_name

    def _existence(self, part: Existential) -> Trace:
        noun = thing(_class_of(part) or "object")
        such = "such an object" if noun == "object" else f"such {with_article(noun)}"
        for _, name in self._choices(part):
            if part.body.truth():
                return Trace(True, f"{name} is {such}", tuple(map(self.trace, conjoined(part.body))))
        raise AssertionError("what was found is gone")

    def _absence(self, part: Existential) -> Trace:
        ranked, noun = self._ranked(part), thing(_class_of(part) or "object")
        if not ranked:
            return Trace(False, f"there is no {noun}")
        children = []
        for number, name in self._choices(part, ranked[: MOST_OTHERS + 1]):
            if number == ranked[0]:
                nearest = tuple(map(self.trace, conjoined(part.body)))
                children.append(Trace(False, f"{name} comes nearest", nearest))
            else:
                children.append(Trace(False, f"{name}: {self.why(part.body)}"))
        if more := len(ranked) - len(children):
            children.append(Trace(False, f"and {more} more"))
        return Trace(False, f"no {noun} fits", tuple(children))

    def _ranked(self, part: Existential) -> list[int]:
        """Return the objects of the required class (or all), sorted by the number of conjuncts they satisfy, most
        first."""
        label = _class_of(part)
        labels = [located.label for located in self.evaluator.layout.objects]
        fitting = [
            number for number in range(len(labels)) if label in (None, labels[number])
        ]  # naming others costs time
        parts = conjoined(part.body)
        scores = {number: sum(inner.truth() for inner in parts) for number, _ in self._choices(part, fitting)}
        return sorted(scores, key=lambda number: -scores[number])

    def _examples(self, part: CompiledPart) -> Iterator[Trace]:
        """Yield traces for the first few choices of a ``forall`` that holds, without those its condition does not
        apply to."""
        if not isinstance(part, Universal):
            return
        count, body = 0, part.body
        for _, name in self._choices(part):
            if isinstance(body, Connective) and body.kind is Implies and not body.parts[0].truth():
                continue
            count += 1
            if count <= MOST_OTHERS:
                inner = tuple(self._examples(body)) if isinstance(body, Universal) else (self.trace(body),)
                yield Trace(True, f"for {name}", inner)
        if count > MOST_OTHERS:
            yield Trace(True, f"and for {count - MOST_OTHERS} more")

    def _counterexample(self, part: CompiledPart) -> Trace:
        if not isinstance(part, Universal):
            return self.trace(part)
        for _, name in self._choices(part):
            if not part.body.truth():
                return Trace(False, f"not for {name}", (self._counterexample(part.body),))
        return Trace(False, "there is no object left to choose")

    def why(self, part: CompiledPart) -> str:
        """Verbalise the smallest part that makes a false part false."""
        match part:
            case AtomPart():
                return self._worded(part)
            case Existential():
                return self._why_absent(part)
            case UniversalBlock():
                if not self.objects:
                    return "there are no objects, so that nothing is said of every one"
                if idle := next((inner for inner in part.applied if not inner.truth()), None):
                    return f"what is said of every one applies to nothing: {self.why(idle)}"
                return self.why(part.everything)
            case Universal(body=body):
                for _, name in self._choices(part):
                    if not body.truth():
                        inner = self.why(body)
                        return inner if isinstance(body, Universal) or name in inner else f"for {name}: {inner}"
                return "there is no object left to choose"
            case NumberComparison():
                return f"it is not so that {self._compared(part)}"
            case Connective(kind=kind, parts=parts):
                if kind is Implies:
                    return self.why(parts[1])
                if kind is Or:
                    return " and ".join(self.why(inner) for inner in parts) or "there is nothing to choose from"
                if kind is Not:
                    if isinstance(denied := parts[0], Existential):
                        for _, name in self._choices(denied):
                            if denied.body.truth():
                                worded = " and ".join(map(self._worded, conjoined(denied.body)))
                                return f"{name} is what must not be: {worded}"
                    return f"{self._worded(denied)}, which must not be"
                reason = self.why(next(inner for inner in parts if not inner.truth()))
                return reason if kind is And else f"one side holds and the other does not: {reason}"
        raise AssertionError(f"{type(part).__name__} has no reason")

    def _why_absent(self, part: Existential) -> str:
        ranked, noun = self._ranked(part), thing(_class_of(part) or "object")
        if not ranked:
            return f"there is no {noun}"
        for _, name in self._choices(part, ranked[:1]):
            failing = next(inner for inner in conjoined(part.body) if not inner.truth())
            if isinstance(failing, AtomPart) and not any(failing.truth() for _ in self._choices(part, ranked)):
                # "no cup is left of the pen", with the figures of the nearest
                names = {**self.names, part.variable: f"no {noun}"}
                subject, *others = [names[variable] for variable in failing.variables]
                clause = " ".join([subject, verb_of(failing.formula) or failing.formula.name, *others])
                return self._with_figures(clause, failing)
            reason = self.why(failing)
            return reason if len(ranked) == 1 else f"no {noun} fits; nearest comes {name}, but {reason}"
        raise AssertionError("the nearest object is gone")


def _class_of(part: Quantifier) -> str | None:
    """Return the class that an ``exists`` requires of its object, or None."""
    return demanded_class(part.variable, part.formula.body) if isinstance(part.formula, Exists) else None


JOINED: Mapping[type[Formula], Mapping[bool, str]] = {
    And: {True: "all of these hold", False: "not all of these hold"},
    Or: {True: "one of these holds", False: "none of these holds"},
    Not: {True: "it is not so, as it must be", False: "it is so, which must not be"},
    Implies: {
        True: "the condition applies, and what follows holds",
        False: "the condition applies, what follows does not",
    },
    Iff: {True: "both sides are alike", False: "the sides differ"},
}


FIGURES = {
    **dict.fromkeys(("OnLeftSide", "OnRightSide"), "its centre is at x = {first.cx:g}, the middle at 500"),
    **dict.fromkeys(("OnTopSide", "OnBottomSide"), "its centre is at y = {first.cy:g}, the middle at 500"),
    "InCenter": "its centre is at ({first.cx:g}, {first.cy:g}), the middle third is 333.3 to 666.7",
    "LeftOf": "{subject} ends at x = {first.x2:g}, {target}'s centre is at x = {second.cx:g}",
    "RightOf": "{subject} begins at x = {first.x1:g}, {target}'s centre is at x = {second.cx:g}",
    "Above": "{subject} ends at y = {first.y2:g}, {target}'s centre is at y = {second.cy:g}",
    "Below": "{subject} begins at y = {first.y1:g}, {target}'s centre is at y = {second.cy:g}",
    "AlignedHorizontally": "their centres are {down:g} apart in y, less than 100 is needed",
    "AlignedVertically": "their centres are {across:g} apart in x, less than 100 is needed",
    **dict.fromkeys(("LargerThan", "SmallerThan"), "their areas are {first.area:g} and {second.area:g}"),
}


def measured(name: str, names: list[str], boxes: list[Box]) -> str:
    """Return the measurements a predicate compares, in words.

    >>> measured("LeftOf", ["cup_2", "the pen"], [Box(420, 0, 520, 90), Box(300, 100, 500, 120)])
    "cup_2 ends at x = 520, the pen's centre is at x = 400"
    """
    first, second = boxes[0], boxes[-1]
    across, down = abs(first.cx - second.cx), abs(first.cy - second.cy)
    values = {"first": first, "second": second, "across": across, "down": down}
    return FIGURES[name].format(subject=names[0], target=names[-1], **values)
