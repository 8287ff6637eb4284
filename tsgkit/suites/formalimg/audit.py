"""Audit of formula items: the items, checks by proof, and layouts that ignore the requirements.

Unusable rows are reported as slips, not errors. The solver (the extra ``logic``) checks that formulas are satisfiable;
without it, a note says that this was not checked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
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
CHECKS = {
    "unusable": ("rows that cannot be evaluated", True),
    "same-formula": ("another instruction for a formula that occurs before", False),
    "vocabulary": ("formulas with names or arguments outside the vocabulary of their scenario", True),
    "wrong-k": ("stored K differs from that of the formula", True),
    "wrong-clauses": ("stored clauses differ from those of the formula", True),
    "read-otherwise": ("texts that the published readers read differently", False),
    "unsaid-class": ("objects of the formula that the instruction does not name", False),
    "unsatisfiable": ("unsatisfiable formulas", True),
    "trivial": ("formulas that an empty scene or every layout satisfies", True),
}
"""What each check looks for, and whether such an item is unusable."""
SOLVER_CHECKS = ("unsatisfiable", "trivial")
Order = Callable[[Sequence[str]], Sequence[str]]
GRIDS: Mapping[str, tuple[str, Order]] = {
    "an empty scene": ("nothing", lambda classes: ()),
    "everything once, in rows": ("which things are named, in the order of the formula", lambda classes: classes),
    "everything once, in rows from the end": (
        "which things are named, from the last to the first",
        lambda classes: classes[::-1],
    ),
}
"""Layouts that ignore the requirements: what they depend on, and the classes that they place."""


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
    samples = [sample for sample in samples if sample.scenario == scenario]
    if not samples and not refused:
        raise UsageError(f"{source}: there are no {scenario} items in it")
    by_id = {sample.item_id: sample for sample in samples}
    solves = find_spec("ortools") is not None

    @cache
    def slips() -> dict[str, list[Slip]]:
        by_code: dict[str, list[Slip]] = {code: [] for code in CHECKS} | {"unusable": refused}
        first: dict[Formula, FormulaSample] = {}
        for sample in samples:
            earlier = first.setdefault(sample.formula, sample)
            if earlier is not sample and earlier.prompt != sample.prompt:
                by_code["same-formula"].append(
                    Slip("same-formula", sample.item_id, f"the formula of {earlier.item_id}")
                )
            for code, reason in defects(by_id[sample.item_id], solves=solves):
                by_code[code].append(Slip(code, sample.item_id, reason))
        return by_code

    def slips_of(code: str, _: Sequence[AuditedItem]) -> list[Slip]:
        return slips()[code]

    def satisfied(order: Order, item: AuditedItem) -> float:
        """Return 1.0 if one object per class, in rows of five, satisfies the formula."""
        sample, step = by_id[item.item_id], CANVAS // COLUMNS
        objects = []
        for number, label in enumerate(order(sample.classes)):
            y, x = divmod(number, COLUMNS)
            box = [x * step + GAP, y * step + GAP, (x + 1) * step - GAP, (y + 1) * step - GAP]
            objects.append({"label": label, "box_2d": box})
        return float(verify(sample.formula, {"objects": objects}).truth is True)

    return Auditable(
        [
            AuditedItem(sample.item_id, sample.cluster, sample.prompt, answer=sample.dsl, context=sample.dsl)
            for sample in samples
        ],
        tuple(
            Check(code, words, partial(slips_of, code), is_error)
            for code, (words, is_error) in CHECKS.items()
            if solves or code not in SOLVER_CHECKS
        ),
        tuple(
            Answerer(name, sees, gets=partial(satisfied, order), needs=lambda item: True)
            for name, (sees, order) in (GRIDS.items() if scenario == KNOLLING else ())
        ),
        () if solves else (NO_SOLVER,),
        "formulas",
    )


def defects(sample: FormulaSample, *, solves: bool) -> Iterator[tuple[str, str]]:
    """Yield code and reason of each defect of an item; with ``solves`` also those that the solver shows."""
    for finding in check(sample.dsl, VOCABULARIES[sample.scenario]).findings:
        yield "vocabulary", finding.message
    form = clause_form(sample.formula, official=True)
    if form.k != sample.k:
        yield "wrong-k", f"says {sample.k}, its formula has {form.k}"
    try:
        if form_of_text(parse(sample.cnf)).unordered != form.unordered:
            yield "wrong-clauses", "its cnf has other clauses than its formula"
    except TsgkitError as error:
        yield "wrong-clauses", f"its cnf cannot be read: {error.message}"
    published = as_published(sample.dsl)
    if published.differ:
        yield "read-otherwise", "; ".join(map(str, published.conditions))
    for name in sample.classes:
        if not mentions(sample.prompt, name.replace("_", "-").replace(" ", "-")):
            yield "unsaid-class", f"no {name.replace('_', ' ')} is named"
    if not solves:
        return
    if sample.scenario != KNOLLING:
        from tsgkit.logic.scene_models import world_of

        with suppress(OutOfBudget):
            if world_of(sample.formula) is None:
                yield "unsatisfiable", "no world with one object per variable satisfies it"
        return
    solution = _solved(sample.formula)
    if solution.status == "unsatisfiable":
        yield "unsatisfiable", solution.text
    if verify(sample.formula, {"objects": []}).truth:
        yield "trivial", "an empty scene satisfies it"
        if _solved(Not(sample.formula)).status == "unsatisfiable":
            yield "trivial", "every layout satisfies it"


@cache
def _solved(formula: Formula) -> Any:  # noqa: ANN401  (its module loads the solver)
    from tsgkit.logic.solver import solve

    return solve(formula, effort=EFFORT)
