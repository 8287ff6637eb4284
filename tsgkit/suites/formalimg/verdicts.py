"""Verdicts on layouts in both profiles, the clauses that fail, and the resulting scores.

>>> from tsgkit.logic.parser import parse
>>> cup = {"label": "cup", "color": "blue", "box_2d": [600, 0, 700, 90]}
>>> formula = parse("(exists ?x (and (Is ?x 'cup') (Has ?x 'red') (OnLeftSide ?x) (OnTopSide ?x)))")
>>> [clause.text for clause in clauses_held(formula, {"objects": [cup]}) if not clause.holds]
["(Has ?x 'red')", '(OnLeftSide ?x)']
>>> [predicates_of(parse(one)) for one in ("(or (not (Is ?x 'cup')) (LeftOf ?x ?y))", "(not (On ?x ?y))")]
[('LeftOf',), ('On',)]

``strict`` scores zero if there is no layout, or if it is malformed or undecided. ``official`` leaves an item out, and
counts it, if there is no reply, if its text cannot be lifted, or if the verifier would run out of time.

A clause has no truth of its own without the quantifiers above it. So clauses are added one by one: classes first, then
clauses about one object, about two, and consequences of conditions. A clause that cannot hold together with those added
before fails, and is dropped. If the condition of a ``forall`` applies to no object, all its clauses fail.

The published analysis counts clauses, not items: how many clauses are about each predicate, and the share of these that
fail. A clause with conditions is about its consequent.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, NamedTuple

from tsgkit.errors import TsgkitError
from tsgkit.logic import formula as fol
from tsgkit.logic.clauses import category, clause_form, form_of_text
from tsgkit.logic.formula import Formula, Path, atoms_of, parts_of, rename_apart, text_of, with_parts
from tsgkit.logic.official import verify_official
from tsgkit.logic.parser import parse
from tsgkit.logic.verdicts import Verdict
from tsgkit.logic.verification import verify
from tsgkit.scoring.pooling import Score, right_or_wrong
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
"""The number of trace lines kept."""
HOLDS, NO_CLAUSE = "the formula holds", "there is none"
NOT_DECIDED = "not decided: the published code runs out of time and leaves the item out"
ORDER = ("object", "attribute", "relation", "number", "condition", "style")
"""The order in which clauses are added."""
TRUE = fol.And(())
WORK = 20_000
"""The maximum number of steps for one attempt. An attempt that needs more counts as failed."""


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause, its category, and whether it holds."""

    text: str
    category: str
    holds: bool


@dataclass(frozen=True, kw_only=True)
class Findings:
    """The findings about one item, before scoring.

    ``strict`` is None if there is nothing to verify; ``why`` then gives the reason. ``official`` is a verdict, or the
    reason why the published code leaves the item out, or None if the item was not asked about as published.
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
    """Return the strict verdict on a layout, and the clauses with their truth."""
    verdict = verify(sample.formula, scene, grounded=grounded)
    if verdict.truth:
        return verdict, clauses_of(sample.formula, hold=True)
    if verdict.status == "rejected":
        return verdict, clauses_of(sample.formula, hold=False)
    return verdict, clauses_held(sample.formula, scene, grounded=grounded)


def published_verdict(sample: FormulaSample, objects: object) -> Verdict:
    """Return the published verdict on the objects that the published reader found."""
    return verify_official(sample.dsl, {"objects": objects})


# Scores


def scores_of(sample: FormulaSample, findings: Findings) -> AnswerScores:
    """Convert findings into scores, counts and evidence.

    The official verdict is missing where the published code leaves the item out.
    """
    verdict, published = findings.strict, findings.official
    truth, reason = (None, findings.why) if verdict is None else (verdict.truth, verdict.reason)
    strict = levelled(sample, right_or_wrong(truth is True, reason or HOLDS)) | shares(findings.clauses)
    official, why = None, published if isinstance(published, str) else ""
    if isinstance(published, Verdict) and published.truth is None:
        why = NOT_DECIDED if published.status == "undecided" else f"{published.reason}: {published.detail}"
    if why:
        official = levelled(sample, Score.missing(why))
    elif isinstance(published, Verdict):
        official = levelled(sample, right_or_wrong(bool(published.truth), published.reason or HOLDS))
    trace = verdict.trace if verdict is not None else None
    evidence = {
        "k": sample.k,
        "verdict": truth,
        "status": None if verdict is None else verdict.status,
        "reason": reason,
        "official": published.truth if isinstance(published, Verdict) else None,
        "fail_reason": (published.reason or None) if isinstance(published, Verdict) else published,
        "failed": [{"clause": part.text, "category": part.category} for part in findings.clauses if not part.holds],
        "trace": None if trace is None else list(islice(trace.lines(), MOST_LINES)),
        **findings.evidence,
    }
    undecided = int(verdict is not None and truth is None)
    more = {"inconsistent": 0} if sample.scenario == NATURAL else {"rejected": 0}
    counts = {"skipped_official": int(bool(why)), "undecided": undecided, **more, **findings.counts}
    return AnswerScores(strict, official, findings.answer, evidence, counts, findings.notes)


def levelled(sample: FormulaSample, score: Score) -> Scores:
    """Return a score of an item for all items and for its level."""
    return {"satisfied": score} | ({LEVELS[sample.k - 1]: score} if 1 <= sample.k <= len(LEVELS) else {})


def shares(clauses: Sequence[Clause]) -> Scores:
    """Return the shares of clauses that hold, overall and per category, and of those that fail."""
    groups = {metric: [clause for clause in clauses if clause.category == name] for name, metric in CATEGORIES.items()}
    scores = {}
    for name, group in {"clauses": clauses, **groups}.items():
        right = sum(clause.holds for clause in group)
        scores[name] = Score(right, len(group), f"{right} of {len(group)} hold") if group else Score.missing(NO_CLAUSE)
    wrong = sum(not clause.holds for clause in clauses)
    failed = Score(wrong, len(clauses), f"{wrong} of {len(clauses)} fail") if clauses else Score.missing(NO_CLAUSE)
    return scores | {"failed": failed}


# Clauses


class Required(NamedTuple):
    """A part that must hold, by its path, and its clause: with the conditions above it negated."""

    path: Path
    clause: Formula


def clauses_of(formula: Formula, *, hold: bool) -> tuple[Clause, ...]:
    """Return all clauses, either all holding or none."""
    return tuple(Clause(text_of(part), category(part), hold) for _, part in required(rename_apart(formula), (), ()))


def clauses_held(formula: Formula, scene: object, *, grounded: bool = False) -> tuple[Clause, ...]:
    """Return all clauses, marking those that hold together on a layout."""
    formula = rename_apart(formula)
    every = tuple(required(formula, (), ()))
    in_order = sorted(every, key=lambda part: ORDER.index(category(part.clause)))
    kept: set[Path] = set()

    def add(paths: Sequence[Path]) -> None:
        """Keep those of the parts that hold together with the ones before, in order; if all cannot, try halves."""
        if not paths:
            return
        tried = only(formula, kept.union(paths), ())
        if verify(tried, scene, grounded=grounded, work=WORK, explain=False).truth:
            kept.update(paths)
        elif len(paths) > 1:
            add(paths[: len(paths) // 2])
            add(paths[len(paths) // 2 :])

    add([part.path for part in in_order])
    return tuple(Clause(text_of(part.clause), category(part.clause), part.path in kept) for part in every)


def required(formula: Formula, path: Path, conditions: tuple[Formula, ...]) -> Iterator[Required]:
    """Yield the parts of a formula that must hold."""
    match formula:
        case fol.And(parts):
            for number, part in enumerate(parts):
                yield from required(part, (*path, number), conditions)
        case fol.Exists(_, body) | fol.Forall(_, body):
            yield from required(body, (*path, 0), conditions)
        case fol.Implies(condition, consequent):
            above = condition.parts if isinstance(condition, fol.And) else (condition,)
            yield from required(consequent, (*path, 1), (*conditions, *above))
        case _:
            yield Required(path, fol.Or((*map(fol.Not, conditions), formula)) if conditions else formula)


def only(formula: Formula, kept: Set[Path], path: Path) -> Formula:
    """Return a formula with only some of its required parts."""
    if path in kept:
        return formula
    if not any(inner[: len(path)] == path for inner in kept):
        return TRUE
    if isinstance(formula, fol.Implies):
        return fol.Implies(formula.antecedent, only(formula.consequent, kept, (*path, 1)))
    parts = [only(part, kept, (*path, number)) for number, part in enumerate(parts_of(formula))]
    return with_parts(formula, parts)


def clauses_in(sample: FormulaSample) -> tuple[Formula, ...]:
    """Return the clauses shown to the judge of a natural scene: those of the row, else those of the formula."""
    try:
        form = form_of_text(parse(sample.cnf))
    except TsgkitError:
        form = clause_form(sample.formula)
    return (*form.clauses, *form.quantities)


def predicates_of(clause: Formula) -> tuple[str, ...]:
    """Return the names of the predicates that a clause is about."""
    parts = clause.parts if isinstance(clause, fol.Or) else (clause,)
    follows = tuple(part for part in parts if not isinstance(part, fol.Not)) or parts
    return tuple(dict.fromkeys(atom.name for part in follows for atom in atoms_of(part)))


def part_about(sample: FormulaSample, evidence: Mapping[str, Any] | None, name: str) -> PartOfSample | None:
    """Return the scores and counts of the clauses of an item about a predicate; None if there are none.

    Of a natural scene, these are the clauses shown to the judge, else the parts that must hold.

    All fail if there is no evidence because scoring the item failed.
    """
    clauses: Sequence[Formula]
    if sample.scenario == NATURAL:
        clauses = clauses_in(sample)
    else:
        clauses = [part.clause for part in required(rename_apart(sample.formula), (), ())]
    texts = [text_of(clause) for clause in clauses if name in predicates_of(clause)]
    if not texts:
        return None
    failed = texts if evidence is None else {part["clause"] for part in evidence["failed"]}
    wrong = sum(text in failed for text in texts)
    score = Score(wrong, len(texts), f"{wrong} of {len(texts)} fail")
    return PartOfSample({"strict": {"failed": score}}, {"clauses": len(texts), "failed_clauses": wrong})
