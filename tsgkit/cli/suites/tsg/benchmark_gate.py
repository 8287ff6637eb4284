"""The gate of a made benchmark: defects and shortcuts of the audit that no published item should have.

blames = blames_of(audits_of("made/sgds.jsonl"))
[(one.code, one.message, one.items) for one in blames]

Slips that make an item unusable count, and of the remarks those that a maker can avoid: twins, an answer in its own
context, wrong candidates that are true. A shortcut counts if it surely beats chance, on all items or on a group of
them, and letters of keys if chance alone does not explain their spread. Items without a chance level (graphs to
generate) have no such shortcut.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tsgkit.report.audit_report import TaskAudit
from tsgkit.suites.audits.audit import Shortcut

AVOIDABLE = (
    "twin",
    "repeated-question",
    "step-before",
    "earlier-step",
    "better-option",
    "lone-letter",
    "contradiction",
    "hands",
    "unfinished-option",
    "strange-key",
    "answer-kind",
)
"""Remarks that count as defects of made items."""


@dataclass(frozen=True)
class Blame:
    """A reason why the gate is missed, and the items to blame."""

    task: str
    code: str
    message: str
    items: tuple[str, ...]

    def value(self) -> dict[str, Any]:
        """Return the JSON value."""
        return {"task": self.task, "code": self.code, "message": self.message, "items": list(self.items)}


def blames_of(audits: Sequence[TaskAudit]) -> list[Blame]:
    """Return all reasons why these audits miss the gate."""
    return [blame for found in audits for blame in (*_slips(found), *_shortcuts(found), *_keys(found))]


def _slips(found: TaskAudit) -> Iterator[Blame]:
    for one in found.audit.found:
        if one.slips and (one.check.is_error or one.check.code in AVOIDABLE):
            items = tuple(dict.fromkeys(slip.item_id for slip in one.slips))
            yield Blame(found.task, one.check.code, one.slips[0].message, items)


def _shortcuts(found: TaskAudit) -> Iterator[Blame]:
    for one in found.audit.shortcuts:
        if not one.is_blind or not one.chance:
            continue
        if told := _above_chance(one):
            solved = tuple(item for item, by in found.audit.solved.items() if one.name in by)
            by = f", by {'; '.join(one.carriers)}" if one.carriers else ""
            yield Blame(found.task, "shortcut", f"{one.name}: {told}{by}", solved)


def _above_chance(one: Shortcut) -> str:
    if one.beats_chance:
        return f"{100 * one.value:.1f} % of {one.n:,} items, where chance is {100 * one.chance:.1f} %"
    for share in one.groups:
        if share.beats_chance:
            return f"{100 * share.value:.1f} % of {share.group}, where chance is {100 * share.chance:.1f} %"
    return ""


def _keys(found: TaskAudit) -> Iterator[Blame]:
    for spread in found.audit.spreads:
        if spread.is_skewed:
            counts = ", ".join(f"{letter} {times:,}" for letter, times in spread.counts.items())
            where = f" of {spread.group}" if spread.group else ""
            yield Blame(found.task, "keys", f"the keys{where} are not even: {counts}", ())
