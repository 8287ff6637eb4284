"""Audit of formula items: the items, checks by proof, and layouts that ignore the requirements.

Unusable rows are reported as slips, not errors. The solver (the extra ``logic``) checks that formulas are satisfiable;
without it, a note says that this was not checked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from importlib.resources.abc import Traversable
from importlib.util import find_spec
from pathlib import Path
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
from tsgkit.suites.audits.checks import Check
from tsgkit.suites.audits.items import Item, Slip
from tsgkit.suites.audits.shortcuts import Answerer
from tsgkit.suites.formalimg.rows import KNOLLING, FormulaSample, read_rows, sample_from

COLUMNS, GAP = 5, 20
EFFORT = 5.0
NO_SOLVER = "satisfiability was not checked: it needs the extra logic"
Look = Callable[[FormulaSample], Iterable[Slip]]


def auditable(source: Path | Traversable, scenario: str) -> Auditable:
    """Return the rows of a scenario as items to audit."""
    samples, refused = _read(source)
    mine = [sample for sample in samples if sample.scenario == scenario]
    if not mine and not refused:
        raise UsageError(f"{source}: there are no {scenario} items in it")
    by_id = {sample.item_id: sample for sample in mine}
    solves = find_spec("ortools") is not None
    checks = (
        Check("unusable", "rows that cannot be evaluated", lambda _: refused),
        Check(
            "same-formula", "another instruction for a formula that occurs before", _same_formula(mine), is_error=False
        ),
        *_checks(by_id, solves=solves),
    )
    items = [Item(one.item_id, one.cluster, one.prompt, answer=one.dsl, context=one.dsl) for one in mine]
    notes = () if solves else (NO_SOLVER,)
    return Auditable(items, checks, tuple(_answerers(by_id)) if scenario == KNOLLING else (), notes, "formulas")


def _read(source: Path | Traversable) -> tuple[list[FormulaSample], tuple[Slip, ...]]:
    samples, refused = [], []
    for row in read_rows(source):
        try:
            samples.append(sample_from(row.value, row.place, row.number))
        except TsgkitError as error:
            names = row.value if isinstance(row.value, dict) else {}
            name = names.get("item_id") or names.get("id", row.number)
            refused.append(Slip("unusable", str(name), error.message))
    return samples, tuple(refused)


def _checks(by_id: dict[str, FormulaSample], *, solves: bool) -> Iterator[Check]:
    looks: list[tuple[str, str, Look, bool]] = [
        ("vocabulary", "formulas with names or arguments outside the vocabulary of their scenario", _vocabulary, True),
        ("wrong-k", "stored K differs from that of the formula", _k, True),
        ("wrong-clauses", "stored clauses differ from those of the formula", _clauses, True),
        ("read-otherwise", "texts that the published readers read differently", _readers, False),
        ("unsaid-class", "objects of the formula that the instruction does not name", _unsaid, False),
    ]
    if solves:
        looks += [
            ("unsatisfiable", "unsatisfiable formulas", _unsatisfiable, True),
            ("trivial", "formulas that an empty scene or every layout satisfies", _trivial, True),
        ]
    for code, words, look, is_error in looks:
        yield Check(code, words, _each(by_id, look), is_error)


def _each(by_id: dict[str, FormulaSample], look: Look) -> Callable[[Sequence[Item]], Iterator[Slip]]:
    return lambda items: (slip for item in items for slip in look(by_id[item.item_id]))


def _same_formula(samples: Sequence[FormulaSample]) -> Callable[[Sequence[Item]], Iterator[Slip]]:
    def find(items: Sequence[Item]) -> Iterator[Slip]:
        seen: dict[Formula, FormulaSample] = {}
        for sample in samples:
            first = seen.setdefault(sample.formula, sample)
            if first is not sample and first.prompt != sample.prompt:
                yield Slip("same-formula", sample.item_id, f"the formula of {first.item_id}")

    return find


def _vocabulary(sample: FormulaSample) -> Iterator[Slip]:
    for finding in check(sample.dsl, VOCABULARIES[sample.scenario]).findings:
        yield Slip("vocabulary", sample.item_id, str(finding.message))


def _k(sample: FormulaSample) -> Iterator[Slip]:
    if (own := clause_form(sample.formula, official=True).k) != sample.k:
        yield Slip("wrong-k", sample.item_id, f"says {sample.k}, its formula has {own}")


def _clauses(sample: FormulaSample) -> Iterator[Slip]:
    own = clause_form(sample.formula, official=True).unordered
    try:
        stored: object = form_of_text(parse(sample.cnf)).unordered
    except TsgkitError as error:
        yield Slip("wrong-clauses", sample.item_id, f"its cnf cannot be read: {error.message}")
        return
    if stored != own:
        yield Slip("wrong-clauses", sample.item_id, "its cnf has other clauses than its formula")


def _readers(sample: FormulaSample) -> Iterator[Slip]:
    taken = as_published(sample.dsl)
    if taken.differ:
        yield Slip("read-otherwise", sample.item_id, "; ".join(map(str, taken.conditions)) or "the readers differ")


def _unsaid(sample: FormulaSample) -> Iterator[Slip]:
    for name in sample.classes:
        if not mentions(sample.prompt, name.replace("_", "-").replace(" ", "-")):
            yield Slip("unsaid-class", sample.item_id, f"no {name.replace('_', ' ')} is named")


def _unsatisfiable(sample: FormulaSample) -> Iterator[Slip]:
    if sample.scenario != KNOLLING:
        from tsgkit.logic.scene_models import world_of

        with suppress(OutOfBudget):
            if world_of(sample.formula) is None:
                yield Slip("unsatisfiable", sample.item_id, "no world with one object per variable satisfies it")
        return
    solution = _solved(sample.formula)
    if solution.status == "unsatisfiable":
        yield Slip("unsatisfiable", sample.item_id, solution.text)


def _trivial(sample: FormulaSample) -> Iterator[Slip]:
    if sample.scenario != KNOLLING:
        return
    if verify(sample.formula, {"objects": []}).truth:
        yield Slip("trivial", sample.item_id, "an empty scene satisfies it")
        if _solved(Not(sample.formula)).status == "unsatisfiable":
            yield Slip("trivial", sample.item_id, "every layout satisfies it")


@cache
def _solved(formula: Formula) -> Any:  # noqa: ANN401  (its module loads the solver)
    from tsgkit.logic.solver import solve

    return solve(formula, effort=EFFORT)


def _answerers(by_id: dict[str, FormulaSample]) -> Iterator[Answerer]:
    """Yield answerers whose layouts ignore the requirements."""
    ways: tuple[tuple[str, str, Callable[[FormulaSample], dict[str, Any]]], ...] = (
        ("an empty scene", "nothing", lambda sample: _grid(())),
        ("everything once, in rows", "which things are named, in the order of the formula", lambda s: _grid(s.classes)),
        (
            "everything once, in rows from the end",
            "which things are named, from the last to the first",
            lambda s: _grid(s.classes[::-1]),
        ),
    )
    for name, sees, way in ways:
        yield Answerer(name, sees, gets=_getting(by_id, way), needs=lambda item: True)


def _getting(
    by_id: dict[str, FormulaSample], way: Callable[[FormulaSample], dict[str, Any]]
) -> Callable[[Item], float]:
    return lambda item: float(verify(by_id[item.item_id].formula, way(by_id[item.item_id])).truth is True)


def _grid(classes: Sequence[str]) -> dict[str, Any]:
    """Return a layout with one object per class, in rows of five."""
    step = CANVAS // COLUMNS
    places = (divmod(number, COLUMNS) for number in range(len(classes)))
    boxes = [[x * step + GAP, y * step + GAP, (x + 1) * step - GAP, (y + 1) * step - GAP] for y, x in places]
    return {"objects": [{"label": label, "box_2d": box} for label, box in zip(classes, boxes, strict=True)]}
