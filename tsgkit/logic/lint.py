"""Linter for formulas: syntax, variables, names, values, and differences between the published readers.

>>> from tsgkit.logic.vocabulary import KNOLLING
>>> checked = check("(exists ?x (and (Is ?x 'mug') (LeftOf ?x ?y)))", KNOLLING)
>>> print(*checked.findings, sep="\\n")
error unknown-class: line 1, column 17: 'mug' is no class of knolling
error unbound-variable: line 1, column 31: nothing binds ?y (write a quantifier for it around this part)
>>> checked.published_fault
'?y is not bound'

``published_fault`` is the result of the published validator for the same text. It accepts many texts that are refused
here, because it does not check colors, materials, shapes, states and styles. :data:`RULES` lists every code.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Literal as OneOf
from typing import NamedTuple

from tsgkit.lexicon import only_near
from tsgkit.logic import formula as fol
from tsgkit.logic.formula import Formula, Path, Variable, free_variables, parts_of
from tsgkit.logic.parser import FormulaProblem, Parsed, TextPosition, parse_with_places, place_of
from tsgkit.logic.published_readers import Raw, Taken, as_published
from tsgkit.logic.vocabulary import ATTRIBUTE, CHECKED_AS_PUBLISHED, CLASS, OBJECT, FormulaVocabulary

Severity = OneOf["error", "warning"]
RULES: dict[str, tuple[Severity, str]] = {
    "syntax": ("error", "the text is not a formula"),
    "unbound-variable": ("error", "no quantifier binds a variable"),
    "unknown-predicate": ("error", "the vocabulary has no such predicate"),
    "wrong-arity": ("error", "a predicate has too few or too many arguments"),
    "value-for-variable": ("error", "a value is given where a variable is expected"),
    "variable-for-value": ("error", "a variable is given where a value is expected"),
    "unknown-class": ("error", "the vocabulary has no such class"),
    "unknown-value": ("error", "the vocabulary has no such color, material, shape, state or style"),
    "wrong-kind": ("error", "a value of another kind is expected: a color given for a state"),
    "misplaced-number": (
        "error",
        "a comparison of numbers is below the top level, or a count depends on outer variables",
    ),
    "empty-connective": ("error", "`and` or `or` has no parts"),
    "unused-variable": ("warning", "a quantifier binds a variable that its body does not mention"),
    "shadowed-variable": ("warning", "a quantifier binds a variable that an outer one already binds"),
    "readers-differ": ("warning", "the published programs read the text differently"),
}


@dataclass(frozen=True, slots=True)
class LintFinding:
    """An error or a warning about a text."""

    code: str
    place: TextPosition
    message: str
    hint: str = ""

    @property
    def severity(self) -> Severity:
        """The severity of the finding's code."""
        return RULES[self.code][0]

    def __str__(self) -> str:
        hint = f" ({self.hint})" if self.hint else ""
        return f"{self.severity} {self.code}: line {self.place.line}, column {self.place.column}: {self.message}{hint}"


class Checked(NamedTuple):
    """The result of checking a text.

    ``formula`` is None if the text does not parse, ``published_fault`` if the published validator accepts it.
    """

    formula: Formula | None
    findings: tuple[LintFinding, ...]
    published_fault: str | None

    @property
    def errors(self) -> int:
        """The number of findings that are errors."""
        return sum(finding.severity == "error" for finding in self.findings)


def check(text: str, vocabulary: FormulaVocabulary) -> Checked:
    """Return all findings about a text, ordered by position."""
    readings = as_published(text)
    fault = published_fault(readings, vocabulary)
    start = TextPosition(1, 1)
    differences = [LintFinding("readers-differ", start, condition.message) for condition in readings.conditions]
    try:
        parsed = parse_with_places(text)
    except FormulaProblem as problem:
        finding = LintFinding("syntax", TextPosition(problem.line or 1, problem.column), problem.message, problem.hint)
        return Checked(None, (finding, *differences), fault)
    checks = _Checks(text, parsed, vocabulary)
    findings = sorted(checks.part(parsed.formula, (), frozenset(), top=True), key=lambda finding: finding.place)
    return Checked(parsed.formula, (*findings, *differences), fault)


class _Checks:
    def __init__(self, text: str, parsed: Parsed, vocabulary: FormulaVocabulary) -> None:
        self.text = text
        self.parsed = parsed
        self.vocabulary = vocabulary

    def part(self, formula: Formula, path: Path, bound: frozenset[Variable], *, top: bool) -> Iterator[LintFinding]:
        place = place_of(self.text, self.parsed.offsets[path])
        match formula:
            case fol.Atom():
                yield from self.atom(formula, place, bound)
            case fol.And(()) | fol.Or(()):
                hint = "the published validator accepts it; add parts or remove it"
                yield LintFinding("empty-connective", place, f"{type(formula).__name__.lower()} has no parts", hint)
            case fol.Exists(variable, body) | fol.Forall(variable, body):
                yield from self.binder(variable, body, place, bound)
                bound |= {variable}
            case fol.Comparison():
                yield from self.comparison(formula, path, bound, top=top)
                return
        within = top and isinstance(formula, fol.And)
        for number, part in enumerate(parts_of(formula)):
            yield from self.part(part, (*path, number), bound, top=within)

    def binder(
        self, variable: Variable, body: Formula, place: TextPosition, bound: frozenset[Variable]
    ) -> Iterator[LintFinding]:
        if variable in bound:
            yield LintFinding("shadowed-variable", place, f"{variable.name} is already bound by an outer quantifier")
        if variable not in free_variables(body):
            yield LintFinding(
                "unused-variable", place, f"{variable.name} is not mentioned in the body of its quantifier"
            )

    def comparison(
        self, formula: fol.Comparison, path: Path, bound: frozenset[Variable], *, top: bool
    ) -> Iterator[LintFinding]:
        place = place_of(self.text, self.parsed.offsets[path])
        if path and not top:
            yield LintFinding("misplaced-number", place, f"{formula.name} is below the top level")
        if outside := free_variables(formula) & bound:
            names = ", ".join(sorted(variable.name for variable in outside))
            yield LintFinding("misplaced-number", place, f"what {formula.name} counts depends on {names}")
        for number, count in enumerate(formula.counts):
            yield from self.binder(count.variable, count.body, place, bound)
            yield from self.part(count.body, (*path, number), bound | {count.variable}, top=False)

    def atom(self, atom: fol.Atom, place: TextPosition, bound: frozenset[Variable]) -> Iterator[LintFinding]:
        for variable in dict.fromkeys(arg for arg in atom.args if isinstance(arg, Variable) and arg not in bound):
            hint = "write a quantifier for it around this part"
            yield LintFinding("unbound-variable", place, f"nothing binds {variable.name}", hint)
        kinds = self.vocabulary.predicates.get(atom.name)
        if kinds is None:
            message = f"{self.vocabulary.name} has no predicate {atom.name}"
            hint = _meant(atom.name, tuple(self.vocabulary.predicates))
            yield LintFinding("unknown-predicate", place, message, hint)
        elif len(kinds) != len(atom.args):
            message = f"{atom.name} has {len(atom.args)} arguments, expected {len(kinds)} ({', '.join(kinds)})"
            yield LintFinding("wrong-arity", place, message)
        else:
            for kind, arg in zip(kinds, atom.args, strict=True):
                yield from self.argument(atom.name, kind, arg, place)

    def argument(self, name: str, kind: str, arg: Variable | fol.Literal, place: TextPosition) -> Iterator[LintFinding]:
        if isinstance(arg, Variable):
            if kind != OBJECT:
                message = f"{arg.name} is given to {name} where a {kind} is expected"
                yield LintFinding("variable-for-value", place, message)
            return
        if kind == OBJECT:
            message = f"'{arg.text}' is given to {name} where a variable is expected"
            hint = "an object is named by the variable a quantifier binds"
            yield LintFinding("value-for-variable", place, message, hint)
            return
        value, allowed, scenario = arg.text, self.vocabulary.values_of(kind), self.vocabulary.name
        if value in allowed:
            return
        hint = _meant(value, allowed)
        if kind == CLASS:
            yield LintFinding("unknown-class", place, f"'{value}' is no class of {scenario}", hint)
        elif kind != ATTRIBUTE and (value_kind := self.vocabulary.kind_of(value)):
            yield LintFinding("wrong-kind", place, f"'{value}' is a {value_kind}, not a {kind}", hint)
        else:
            yield LintFinding("unknown-value", place, f"'{value}' is no {kind} of {scenario}", hint)


def _meant(name: str, allowed: tuple[str, ...]) -> str:
    near = only_near(name, allowed)
    return f"{near.name}?" if near else ""


def published_fault(readings: Taken, vocabulary: FormulaVocabulary) -> str | None:
    """Return the first fault the published validator reports, or None if it accepts the text.

    It checks scope first, then names, then the positions of numbers.
    """
    if (engine := readings.engine) is None:
        return "the engine cannot read the text"
    faults = chain(_scope(engine, frozenset()), _domain(engine, vocabulary), _numbers(engine, top=True))
    return next(faults, None)


def _scope(expression: Raw, bound: frozenset[Raw]) -> Iterator[str]:
    if not isinstance(expression, tuple):
        if isinstance(expression, str) and expression.startswith("?") and expression not in bound:
            yield f"{expression} is not bound"
    elif len(expression) == 3 and expression[0] in ("exists", "forall", "Count"):
        yield from _scope(expression[2], bound | {expression[1]})
    else:
        for part in expression[1:]:
            yield from _scope(part, bound)


ARITIES = {"not": 1, "implies": 2, "iff": 2, "exists": 2, "forall": 2, "Count": 2} | dict.fromkeys(fol.COMPARISONS, 2)


def _domain(expression: Raw, vocabulary: FormulaVocabulary) -> Iterator[str]:
    if not isinstance(expression, tuple):
        return
    head, args = (expression[0], expression[1:]) if expression else ("", ())
    kinds = vocabulary.predicates.get(head) if isinstance(head, str) and head not in vocabulary.unpublished else None
    arity = len(kinds) if kinds is not None else ARITIES.get(head) if isinstance(head, str) else None
    if arity is None and head not in ("and", "or"):
        yield f"{head} is neither an operator nor a predicate"
    elif arity is not None and arity != len(args):
        yield f"{head} takes {arity}, not {len(args)}"
    for kind, arg in zip(kinds or (), args, strict=False):
        if isinstance(arg, tuple) or kind not in CHECKED_AS_PUBLISHED:
            continue
        is_variable = str(arg).startswith("?")
        if kind == OBJECT and not is_variable:
            yield f"{arg} is not a variable"
        elif kind != OBJECT and not is_variable and str(arg).strip("'\"") not in vocabulary.values_of(kind):
            yield f"{arg} is not a known {kind}"
    for arg in args:
        yield from _domain(arg, vocabulary)


def _numbers(expression: Raw, *, top: bool) -> Iterator[str]:
    if not isinstance(expression, tuple) or not expression:
        return
    head, args = expression[0], expression[1:]
    if head in fol.COMPARISONS:
        if not top:
            yield f"{head} is below the top level"
        for arg in args:
            yield from _numbers(arg[-1], top=False) if _is_count(arg) and isinstance(arg, tuple) else ()
            yield from (f"what {head} counts: {fault}" for fault in _scope(arg, frozenset()) if _is_count(arg))
        return
    if head == "Count":
        yield "Count is given where a formula is expected"
    for arg in args:
        yield from _numbers(arg, top=top and head == "and")


def _is_count(expression: Raw) -> bool:
    return isinstance(expression, tuple) and expression[:1] == ("Count",)
