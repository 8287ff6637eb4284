"""Audit of formula items: the items, checks by proof, and layouts that ignore the requirements.

Unusable rows are reported as slips, not errors. The solver (the extra ``logic``) checks that formulas are satisfiable;
without it, a note says that this was not checked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache, partial
from importlib.util import find_spec
from typing import Any

from tsgkit.errors import TsgkitError, UsageError
from tsgkit.lexicon import mentions
from tsgkit.logic.budget import OutOfBudget
from tsgkit.logic.clauses import clause_form, form_of_text
from tsgkit.logic.formula import Formula, Not
from tsgkit.logic.layouts import CANVAS
from tsgkit.logic.lint import check
from tsgkit.logic.parser import parse
from tsgkit.logic.published_readers import as_published
from tsgkit.logic.verification import verify
from tsgkit.logic.vocabulary import SCENARIOS as VOCABULARIES
from tsgkit.suites.audits.audit import Auditable
from tsgkit.suites.audits.items import AuditedItem, Check, Slip
from tsgkit.suites.audits.shortcuts import Answerer
from tsgkit.suites.formalimg.rows import KNOLLING, FormulaSample, read_rows, sample_from
from tsgkit.suites.task import Task, source_of

COLUMNS, GAP = 5, 20
EFFORT = 5.0
NO_SOLVER = "satisfiability was not checked: it needs the extra logic"


def audit_formulas(task: Task, data: str | None) -> Auditable:
    """Return the rows of a task's scenario as items to audit, including unusable ones."""
    source, scenario = source_of(task, data), task.rows.stored
    samples: list[FormulaSample] = []
    refused: list[Slip] = []
    for row in read_rows(source):
        try:
            samples.append(sample_from(row.value, row.place, row.number))
        except TsgkitError as error:
            names = row.value if isinstance(row.value, dict) else {}
            name = names.get("item_id") or names.get("id", row.number)
            refused.append(Slip("unusable", str(name), error.message))
    mine = [sample for sample in samples if sample.scenario == scenario]
    if not mine and not refused:
        raise UsageError(f"{source}: there are no {scenario} items in it")
    by_id = {sample.item_id: sample for sample in mine}
    solves = find_spec("ortools") is not None
    checks = [Check("unusable", "rows that cannot be evaluated", lambda _: refused)]
    words = "another instruction for a formula that occurs before"
    checks.append(Check("same-formula", words, lambda _: _same_formula(mine), is_error=False))
    for code, words, reasons, is_error in (*CHECKS, *(SOLVER_CHECKS if solves else ())):
        checks.append(Check(code, words, partial(_slips, code, reasons, by_id), is_error))
    return Auditable(
        [AuditedItem(one.item_id, one.cluster, one.prompt, answer=one.dsl, context=one.dsl) for one in mine],
        tuple(checks),
        tuple(_answerers(by_id)) if scenario == KNOLLING else (),
        () if solves else (NO_SOLVER,),
        "formulas",
    )


def _slips(
    code: str,
    reasons: Callable[[FormulaSample], Iterable[str]],
    by_id: Mapping[str, FormulaSample],
    items: Sequence[AuditedItem],
) -> Iterator[Slip]:
    for item in items:
        yield from (Slip(code, item.item_id, reason) for reason in reasons(by_id[item.item_id]))


def _same_formula(samples: Iterable[FormulaSample]) -> Iterator[Slip]:
    seen: dict[Formula, FormulaSample] = {}
    for sample in samples:
        first = seen.setdefault(sample.formula, sample)
        if first is not sample and first.prompt != sample.prompt:
            yield Slip("same-formula", sample.item_id, f"the formula of {first.item_id}")


# Checks of one item: the reasons why it is defective


def _vocabulary(sample: FormulaSample) -> Iterator[str]:
    yield from (str(finding.message) for finding in check(sample.dsl, VOCABULARIES[sample.scenario]).findings)


def _k(sample: FormulaSample) -> Iterator[str]:
    if (own := clause_form(sample.formula, official=True).k) != sample.k:
        yield f"says {sample.k}, its formula has {own}"


def _clauses(sample: FormulaSample) -> Iterator[str]:
    own = clause_form(sample.formula, official=True).unordered
    try:
        stored: object = form_of_text(parse(sample.cnf)).unordered
    except TsgkitError as error:
        yield f"its cnf cannot be read: {error.message}"
        return
    if stored != own:
        yield "its cnf has other clauses than its formula"


def _readers(sample: FormulaSample) -> Iterator[str]:
    taken = as_published(sample.dsl)
    if taken.differ:
        yield "; ".join(map(str, taken.conditions)) or "the readers differ"


def _unsaid(sample: FormulaSample) -> Iterator[str]:
    for name in sample.classes:
        if not mentions(sample.prompt, name.replace("_", "-").replace(" ", "-")):
            yield f"no {name.replace('_', ' ')} is named"


def _unsatisfiable(sample: FormulaSample) -> Iterator[str]:
    if sample.scenario != KNOLLING:
        from tsgkit.logic.scene_models import world_of

        with suppress(OutOfBudget):
            if world_of(sample.formula) is None:
                yield "no world with one object per variable satisfies it"
        return
    solution = _solved(sample.formula)
    if solution.status == "unsatisfiable":
        yield solution.text


def _trivial(sample: FormulaSample) -> Iterator[str]:
    if sample.scenario == KNOLLING and verify(sample.formula, {"objects": []}).truth:
        yield "an empty scene satisfies it"
        if _solved(Not(sample.formula)).status == "unsatisfiable":
            yield "every layout satisfies it"


@cache
def _solved(formula: Formula) -> Any:  # noqa: ANN401  (its module loads the solver)
    from tsgkit.logic.solver import solve

    return solve(formula, effort=EFFORT)


CHECKS = (
    ("vocabulary", "formulas with names or arguments outside the vocabulary of their scenario", _vocabulary, True),
    ("wrong-k", "stored K differs from that of the formula", _k, True),
    ("wrong-clauses", "stored clauses differ from those of the formula", _clauses, True),
    ("read-otherwise", "texts that the published readers read differently", _readers, False),
    ("unsaid-class", "objects of the formula that the instruction does not name", _unsaid, False),
)
SOLVER_CHECKS = (
    ("unsatisfiable", "unsatisfiable formulas", _unsatisfiable, True),
    ("trivial", "formulas that an empty scene or every layout satisfies", _trivial, True),
)
"""Code, what is looked for, the function that looks, and whether such an item is unusable."""


# Answers that ignore the requirements


def _answerers(by_id: Mapping[str, FormulaSample]) -> Iterator[Answerer]:
    ways: Mapping[str, tuple[str, Callable[[Sequence[str]], Sequence[str]]]] = {
        "an empty scene": ("nothing", lambda classes: ()),
        "everything once, in rows": ("which things are named, in the order of the formula", lambda classes: classes),
        "everything once, in rows from the end": (
            "which things are named, from the last to the first",
            lambda classes: classes[::-1],
        ),
    }

    def satisfied(chosen: Callable[[Sequence[str]], Sequence[str]], item: AuditedItem) -> float:
        sample = by_id[item.item_id]
        return float(verify(sample.formula, _grid(chosen(sample.classes))).truth is True)

    for name, (sees, chosen) in ways.items():
        yield Answerer(name, sees, gets=partial(satisfied, chosen), needs=lambda item: True)


def _grid(classes: Sequence[str]) -> dict[str, Any]:
    """Return a layout with one object per class, in rows of five."""
    step = CANVAS // COLUMNS
    places = (divmod(number, COLUMNS) for number in range(len(classes)))
    boxes = [[x * step + GAP, y * step + GAP, (x + 1) * step - GAP, (y + 1) * step - GAP] for y, x in places]
    return {"objects": [{"label": label, "box_2d": box} for label, box in zip(classes, boxes, strict=True)]}
