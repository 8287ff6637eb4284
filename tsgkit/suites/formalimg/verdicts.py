"""Verdicts: what a formula makes of a layout in both profiles, which of its clauses fail, and the scores of that.

>>> from tsgkit.logic.parser import parse
>>> cup = {"label": "cup", "color": "blue", "box_2d": [600, 0, 700, 90]}
>>> formula = parse("(exists ?x (and (Is ?x 'cup') (Has ?x 'red') (OnLeftSide ?x) (OnTopSide ?x)))")
>>> [clause.text for clause in clauses_held(formula, {"objects": [cup]}) if not clause.holds]
["(Has ?x 'red')", '(OnLeftSide ?x)']
>>> [predicates_of(parse(one)) for one in ("(or (not (Is ?x 'cup')) (LeftOf ?x ?y))", "(not (On ?x ?y))")]
[('LeftOf',), ('On',)]

``strict`` gives zero to whatever is no layout, malformed, or undecided. ``official`` leaves an item out where there is
no reply, where its text cannot be lifted, and where the verifier would run out of time; it is counted.

A clause says nothing apart from the quantifiers above it. So clauses are taken up one after the other, classes first,
then what is said of one object, of two, and what follows from conditions; one that cannot hold together with those
taken up before fails, and is left out. Of a ``forall`` whose condition applies to nothing all clauses fail.

The published analysis counts clauses, not items: how often each predicate is asked for, and at what rate what asks for
it fails. A clause with conditions is about what follows from them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, NamedTuple

from tsgkit.errors import TsgkitError
from tsgkit.logic.clauses import category, clause_form, form_of_text
from tsgkit.logic.formula import And, Exists, Forall, Formula, Implies, Not, Or, Path, atoms_of, parts_of, with_parts
from tsgkit.logic.official import verify_official
from tsgkit.logic.parser import parse
from tsgkit.logic.printer import text_of
from tsgkit.logic.strict import verify_strict
from tsgkit.logic.variables import rename_apart
from tsgkit.logic.verdicts import Verdict
from tsgkit.scoring.score import Score, right_or_wrong
from tsgkit.suites.formalimg.rows import NATURAL, FormulaSample
from tsgkit.suites.judgement import AnswerScores, PartOfSample, Scores

LEVELS = tuple(f"level_{k}" for k in range(1, 11))
CATEGORIES = {
    "object": "objects",
    "attribute": "attributes",
    "relation": "relations",
    "condition": "conditions",
    "style": "styles",
    "number": "numbers",
}
"""The metric of each category of clauses."""
MOST_LINES = 120
"""Lines of a trace that are kept."""
NOT_DECIDED = "not decided: the published code runs out of time and leaves the item out"
ORDER = ("object", "attribute", "relation", "number", "condition", "style")
"""The order in which clauses are taken up."""
TRUE = And(())
WORK = 20_000
"""Steps for one attempt; what takes more counts as failed."""


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause, what it is about, and whether it holds."""

    text: str
    category: str
    holds: bool


@dataclass(frozen=True, kw_only=True)
class Findings:
    """The findings about one item, before they are put into scores.

    ``strict`` is None where there is nothing to verify; ``why`` then says why. ``official`` is a verdict, or in words
    why the published code leaves the item out, or None where the item was not asked about as published.
    """

    strict: Verdict | None = None
    official: Verdict | str | None
    clauses: Sequence[Clause]
    answer: Any = None
    why: str = ""
    notes: tuple[str, ...] = ()
    counts: dict[str, int] = field(default_factory=dict)
    evidence: dict[str, Any] = field(default_factory=dict)


# Verdicts


def verdict_on(
    sample: FormulaSample, scene: dict[str, object], *, grounded: bool = False
) -> tuple[Verdict, Sequence[Clause]]:
    """The strict verdict on a layout, and the clauses as far as they hold."""
    verdict = verify_strict(sample.formula, scene, grounded=grounded)
    if verdict.truth:
        return verdict, clauses_of(sample.formula, hold=True)
    if verdict.status == "rejected":
        return verdict, clauses_of(sample.formula, hold=False)
    return verdict, clauses_held(sample.formula, scene, grounded=grounded)


def published_verdict(sample: FormulaSample, objects: object) -> Verdict:
    """The published verdict on what the published reader took for a list of objects."""
    return verify_official(sample.dsl, {"objects": objects})


# Scores


def scores_of(sample: FormulaSample, found: Findings) -> AnswerScores:
    """Put findings into scores, counts and evidence."""
    left_out, official_scores = _official(sample, found.official)
    verdict = found.strict
    undecided = int(verdict is not None and verdict.truth is None)
    own = {"inconsistent": 0} if sample.scenario == NATURAL else {"rejected": 0}
    return AnswerScores(
        strict=_strict(sample, found),
        official=official_scores,
        answer=found.answer,
        evidence=_evidence(sample, found),
        counts={"skipped_official": int(left_out), "undecided": undecided, **own, **found.counts},
        notes=found.notes,
    )


def _strict(sample: FormulaSample, found: Findings) -> Scores:
    verdict = found.strict
    reason = found.why if verdict is None else verdict.reason
    right = verdict is not None and verdict.truth is True
    return levelled(sample, right_or_wrong(right, reason or "the formula holds")) | shares(found.clauses)


def _official(sample: FormulaSample, verdict: Verdict | str | None) -> tuple[bool, Scores | None]:
    """Say whether the published code leaves the item out, and return its scores."""
    if verdict is None:
        return False, None
    if isinstance(verdict, str):
        return True, levelled(sample, Score.missing(verdict))
    if verdict.truth is None:
        why = NOT_DECIDED if verdict.status == "undecided" else f"{verdict.reason}: {verdict.detail}"
        return True, levelled(sample, Score.missing(why))
    return False, levelled(sample, right_or_wrong(verdict.truth, verdict.reason or "the formula holds"))


def levelled(sample: FormulaSample, score: Score) -> Scores:
    """A score of an item for all items, and for those of its level."""
    return {"satisfied": score} | ({LEVELS[sample.k - 1]: score} if 1 <= sample.k <= len(LEVELS) else {})


def shares(clauses: Iterable[Clause]) -> Scores:
    """Count the clauses that hold, of all and of each category, and those that fail."""
    listed = list(clauses)
    wrong = sum(not one.holds for one in listed)
    failed = Score(wrong, len(listed), f"{wrong} of {len(listed)} fail") if listed else Score.missing("there is none")
    groups = {metric: [one for one in listed if one.category == name] for name, metric in CATEGORIES.items()}
    return {name: _share(group) for name, group in {"clauses": listed, **groups}.items()} | {"failed": failed}


def _share(clauses: Sequence[Clause]) -> Score:
    held = sum(one.holds for one in clauses)
    return Score(held, len(clauses), f"{held} of {len(clauses)} hold") if clauses else Score.missing("there is none")


def _evidence(sample: FormulaSample, found: Findings) -> dict[str, Any]:
    verdict, theirs = found.strict, found.official
    trace = verdict.trace if verdict is not None else None
    return {
        "k": sample.k,
        "verdict": None if verdict is None else verdict.truth,
        "status": None if verdict is None else verdict.status,
        "reason": found.why if verdict is None else verdict.reason,
        "official": theirs.truth if isinstance(theirs, Verdict) else None,
        "fail_reason": (theirs.reason or None) if isinstance(theirs, Verdict) else theirs,
        "failed": [{"clause": one.text, "category": one.category} for one in found.clauses if not one.holds],
        "trace": None if trace is None else list(islice(trace.lines(), MOST_LINES)),
        **found.evidence,
    }


# Clauses


class Required(NamedTuple):
    """A part that has to hold, by its place, and what it is as a clause: with the conditions above it negated."""

    path: Path
    clause: Formula


def clauses_of(formula: Formula, *, hold: bool) -> tuple[Clause, ...]:
    """All clauses, of which all hold or none."""
    return tuple(
        Clause(text_of(one.clause), category(one.clause), hold) for one in required(rename_apart(formula), (), ())
    )


def clauses_held(formula: Formula, scene: object, *, grounded: bool = False) -> tuple[Clause, ...]:
    """All clauses, as far as they hold together on a layout."""
    formula = rename_apart(formula)
    every = tuple(required(formula, (), ()))
    in_order = sorted(every, key=lambda one: ORDER.index(category(one.clause)))
    kept: set[Path] = set()
    _take_up([one.path for one in in_order], kept, formula, scene, grounded)
    return tuple(Clause(text_of(one.clause), category(one.clause), one.path in kept) for one in every)


def required(formula: Formula, path: Path, conditions: tuple[Formula, ...]) -> Iterator[Required]:
    """The parts of a formula that have to hold."""
    match formula:
        case And(parts):
            for number, part in enumerate(parts):
                yield from required(part, (*path, number), conditions)
        case Exists(_, body) | Forall(_, body):
            yield from required(body, (*path, 0), conditions)
        case Implies(condition, consequent):
            yield from required(consequent, (*path, 1), (*conditions, *_conjuncts(condition)))
        case _:
            yield Required(path, Or((*map(Not, conditions), formula)) if conditions else formula)


def _conjuncts(formula: Formula) -> tuple[Formula, ...]:
    return formula.parts if isinstance(formula, And) else (formula,)


def _take_up(paths: Sequence[Path], kept: set[Path], formula: Formula, scene: object, grounded: bool) -> None:
    """Keep of these parts, in their order, what can hold together; halves are tried where all cannot."""
    if not paths:
        return
    tried = only(formula, kept.union(paths), ())
    if verify_strict(tried, scene, grounded=grounded, work=WORK, explain=False).truth:
        kept.update(paths)
    elif len(paths) > 1:
        middle = len(paths) // 2
        _take_up(paths[:middle], kept, formula, scene, grounded)
        _take_up(paths[middle:], kept, formula, scene, grounded)


def only(formula: Formula, kept: Set[Path], path: Path) -> Formula:
    """A formula with nothing but some of the parts that have to hold."""
    if path in kept:
        return formula
    if not any(one[: len(path)] == path for one in kept):
        return TRUE
    if isinstance(formula, Implies):
        return Implies(formula.antecedent, only(formula.consequent, kept, (*path, 1)))
    parts = [only(part, kept, (*path, number)) for number, part in enumerate(parts_of(formula))]
    return with_parts(formula, parts)


def clauses_in(sample: FormulaSample) -> tuple[Formula, ...]:
    """Return the clauses that the judge of a natural scene is shown: those of the row, else those of the formula."""
    try:
        form = form_of_text(parse(sample.cnf))
    except TsgkitError:
        form = clause_form(sample.formula)
    return (*form.clauses, *form.quantities)


def predicates_of(clause: Formula) -> tuple[str, ...]:
    """The names of the predicates that a clause is about."""
    parts = clause.parts if isinstance(clause, Or) else (clause,)
    follows = tuple(part for part in parts if not isinstance(part, Not)) or parts
    return tuple(dict.fromkeys(atom.name for part in follows for atom in atoms_of(part)))


def part_about(sample: FormulaSample, evidence: Mapping[str, Any] | None, name: str) -> PartOfSample | None:
    """The scores and counts of the clauses of an item that are about a predicate; None where none is.

    All fail where there is no evidence, because the code that judges the item failed.
    """
    texts = [text_of(clause) for clause in _judged_clauses(sample) if name in predicates_of(clause)]
    if not texts:
        return None
    failed = texts if evidence is None else {one["clause"] for one in evidence["failed"]}
    wrong = sum(text in failed for text in texts)
    score = Score(wrong, len(texts), f"{wrong} of {len(texts)} fail")
    return PartOfSample({"strict": {"failed": score}}, {"clauses": len(texts), "failed_clauses": wrong})


def _judged_clauses(sample: FormulaSample) -> tuple[Formula, ...]:
    """The clauses that are judged: those shown to the judge of a natural scene, else the parts that have to hold."""
    if sample.scenario == NATURAL:
        return clauses_in(sample)
    return tuple(one.clause for one in required(rename_apart(sample.formula), (), ()))
