r"""Judges one layout in both profiles: outcome, answer, scores with their reasons, evidence, counts.

>>> from tsgkit.suites.formalimg.rows import sample_from
>>> row = {"scenario": "knolling", "id": 0, "prompt": "A cup.", "dsl": "(exists ?x (and (Is ?x 'cup') (OnTopSide ?x)))"}
>>> judged = judge_reply(sample_from(row, "row", 0), Reply('[{"label": "cup", "box_2d": [0, 600, 100, 700]}]'))
>>> judged.scores["strict"]["satisfied"].value, judged.evidence["reason"]
(0.0, 'no cup is on the top side: its centre is at y = 650, the middle at 500')

``strict`` gives zero to whatever is no layout, malformed, or undecided. ``official`` leaves an item out where there is
no reply, where its text cannot be lifted, and where the verifier would run out of time; it is counted.

Which clauses of a formula a layout fails, and what they are about.

>>> from tsgkit.logic.parsing import parse
>>> cup = {"label": "cup", "color": "blue", "box_2d": [600, 0, 700, 90]}
>>> formula = parse("(exists ?x (and (Is ?x 'cup') (Has ?x 'red') (OnLeftSide ?x) (OnTopSide ?x)))")
>>> [clause.text for clause in clauses_held(formula, {"objects": [cup]}) if not clause.holds]
["(Has ?x 'red')", '(OnLeftSide ?x)']

A clause says nothing apart from the quantifiers above it. So clauses are taken up one after the other, classes first,
then what is said of one object, of two, and what follows from conditions; one that cannot hold together with those
taken up before fails, and is left out. Of a ``forall`` whose condition applies to nothing all clauses fail.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, NamedTuple

from tsgkit.logic.clauses import category
from tsgkit.logic.formula import And, Exists, Forall, Formula, Implies, Not, Or, Path, parts_of, with_parts
from tsgkit.logic.official import verify_official
from tsgkit.logic.printing import text_of
from tsgkit.logic.renaming import apart
from tsgkit.logic.strict import verify_strict
from tsgkit.logic.verdicts import Verdict
from tsgkit.replies import Unreadable
from tsgkit.scoring.outcomes import Outcome
from tsgkit.scoring.score import Score, right_or_wrong
from tsgkit.suites.formalimg import official
from tsgkit.suites.formalimg.metrics import CATEGORIES, LEVELS
from tsgkit.suites.formalimg.rows import NATURAL, FormulaSample
from tsgkit.suites.formalimg.strict import LayoutAnswer, layout_in
from tsgkit.suites.judged import Judged, Scores
from tsgkit.suites.replies import Reply
from tsgkit.suites.solvers.answerable import Reading

MOST_LINES = 120
"""Lines of a trace that are kept."""
Found = LayoutAnswer | Unreadable | None
NO_REPLY = "no reply: the published code leaves the item out"
NOT_DECIDED = "not decided: the published code runs out of time and leaves the item out"


@dataclass(frozen=True)
class Findings:
    """What was found of one item, before it is put into scores.

    ``strict`` is None where there is nothing to verify; ``why`` then says why. ``official`` is a verdict, or in words
    why the published code leaves the item out, or None where the item was not asked about as published.
    """

    outcome: Outcome
    answer: Any
    strict: Verdict | None
    why: str
    official: Verdict | str | None
    clauses: Sequence[Clause]
    notes: tuple[str, ...] = ()
    counts: dict[str, int] = field(default_factory=dict)
    evidence: dict[str, Any] = field(default_factory=dict)


def judge_reply(sample: FormulaSample, reply: Reply | None) -> Judged:
    """The judgement on a reply that gives a layout (None: there is none)."""
    return judge_reading(sample, read_reply(reply), published_reading(sample, reply))


def published_reading(sample: FormulaSample, reply: Reply | None) -> Verdict | str:
    """The published verdict on a reply; in words where there is none."""
    return NO_REPLY if reply is None else published_verdict(sample, official.layout(reply.text or ""))


def judge_reading(sample: FormulaSample, reading: Reading[Found], published: Verdict | str | None) -> Judged:
    """The judgement on what was read, beside the published verdict."""
    outcome, found = reading
    if not isinstance(found, LayoutAnswer):
        why = found.reason if found else f"no answer: {outcome}"
        nothing = clauses_of(sample.formula, hold=False)
        unread = Findings(outcome, None, None, why, published, nothing, (why,) if found else ())
        return judged(sample, unread)
    verdict, clauses = verdict_on(sample, found.scene)
    counts = {"repaired": int(found.is_repaired), "rejected": int(verdict.status == "rejected")}
    notes = tuple(map(str, found.notes))
    return judged(sample, Findings(outcome, found.objects, verdict, "", published, clauses, notes, counts))


def read_reply(reply: Reply | None) -> Reading[Found]:
    """The outcome and what strict read; only an answered sample has a layout."""
    if reply is None:
        return Reading(Outcome.MISSING, None)
    if reply.outcome is not None:
        return Reading(reply.outcome, None)
    if reply.is_empty:
        return Reading(Outcome.EMPTY, None)
    found = layout_in(reply.text or "")
    return Reading(Outcome.UNREADABLE if isinstance(found, Unreadable) else Outcome.ANSWERED, found)


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


def judged(sample: FormulaSample, found: Findings) -> Judged:
    """The findings as scores, counts and evidence."""
    left_out, official_scores = _official(sample, found.official)
    verdict = found.strict
    undecided = int(verdict is not None and verdict.truth is None)
    own = {"inconsistent": 0} if sample.scenario == NATURAL else {"rejected": 0}
    counts = {"skipped_official": int(left_out), "undecided": undecided, **own, **found.counts}
    return Judged(
        sample=sample,
        outcome=found.outcome,
        answer=found.answer,
        scores={"strict": _strict(sample, found)} | ({} if official_scores is None else {"official": official_scores}),
        notes=found.notes,
        evidence=_evidence(sample, found),
        counts={"items": 1, found.outcome: 1, **counts},
    )


def _strict(sample: FormulaSample, found: Findings) -> Scores:
    verdict = found.strict
    reason = found.why if verdict is None else verdict.reason
    right = verdict is not None and verdict.truth is True
    return levelled(sample, right_or_wrong(right, reason or "the formula holds")) | shares(found.clauses)


def _official(sample: FormulaSample, verdict: Verdict | str | None) -> tuple[bool, Scores | None]:
    """Whether the published code leaves the item out, and its scores."""
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
    """How many clauses hold, of all and of each category, and how many fail."""
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


ORDER = ("object", "attribute", "relation", "number", "condition", "style")
TRUE = And(())
WORK = 20_000
"""Steps for one attempt; what takes more counts as failed."""


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause, what it is about, and whether it holds."""

    text: str
    category: str
    holds: bool


class Required(NamedTuple):
    """A part that has to hold, by its place, and what it is as a clause: with the conditions above it negated."""

    path: Path
    clause: Formula


def clauses_of(formula: Formula, *, hold: bool) -> tuple[Clause, ...]:
    """All clauses, of which all hold or none."""
    return tuple(Clause(text_of(one.clause), category(one.clause), hold) for one in required(apart(formula), (), ()))


def clauses_held(formula: Formula, scene: object, *, grounded: bool = False) -> tuple[Clause, ...]:
    """All clauses, as far as they hold together on a layout."""
    formula = apart(formula)
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
