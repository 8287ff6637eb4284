"""The questions in the form of audit items, with the prompt that the judge never sees.

>>> from tsgkit.suites.spatialgen.rows import question_from, row_of
>>> asked = question_from("Where?  Options: A: up, B: down, E: None", "B", "Position")
>>> [item] = auditable_rows([row_of("000007", "Park", "All is down.", [asked])]).items
>>> item.item_id, item.key, item.refusal, item.choices
('000007/0', 1, 2, (0, 1))
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from tsgkit.suites.audits.audit import Auditable
from tsgkit.suites.audits.items import Check, Item, Slip, context_hash
from tsgkit.suites.spatialgen.defects import RULES, Finding, findings
from tsgkit.suites.spatialgen.rows import Row

IN_EVERY_AUDIT = (
    "repeated-question",
    "missing-option",
    "key-without-option",
    "key-is-refusal",
    "repeated-option",
    "own-stem",
    "skewed-keys",
    "longest-is-key",
)
"""Defects that audits of all suites find, under other names."""


def auditable_rows(rows: Iterable[Row]) -> Auditable:
    """Return all questions of some rows, with the checks that are specific to this suite."""
    known = list(rows)
    found = list(findings(known))
    checks = (_check(code, found) for code in RULES if code not in IN_EVERY_AUDIT)
    items = [item for row in known for item in items_of(row)]
    return Auditable(items, tuple(checks), clusters_are="prompts")


def items_of(row: Row) -> Iterator[Item]:
    """Yield the questions of a row as audit items."""
    stems = [question.stem for question in row.questions]
    for number, question in enumerate(row.questions):
        letters = list(question.options)
        yield Item(
            item_id=f"{row.id}/{number}",
            cluster=row.id,
            question=question.stem,
            options=tuple(question.options.values()),
            key=letters.index(question.key) if question.key in letters else None,
            group=question.sub_domain,
            context=context_hash(row.id, row.prompt),
            beside=(*stems[:number], *stems[number + 1 :]),
            prompt=row.prompt,
            refusal=None if question.refusal is None else letters.index(question.refusal),
        )


def _check(code: str, found: Iterable[Finding]) -> Check:
    slips = tuple(_slip(one) for one in found if one.code == code)
    return Check(code, RULES[code].meaning, _known(slips), is_error=RULES[code].severity == "error")


def _known(slips: tuple[Slip, ...]) -> Callable[[Sequence[Item]], Iterable[Slip]]:
    return lambda items: slips


def _slip(found: Finding) -> Slip:
    item = found.item or ""
    return Slip(found.code, item if found.question is None else f"{item}/{found.question}", found.message)
