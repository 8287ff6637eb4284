"""The gate of a made benchmark: defects and shortcuts of the audit that no published item should have, and repairs.

blames = blames_of(audits_of("made/sgds.jsonl"))
[(one.code, one.message, one.items) for one in blames]

Slips that make an item unusable count, and of the remarks those that a maker can avoid: twins, an answer in its own
context, wrong candidates that are true. A shortcut counts if it surely beats chance, on all items or on a group of
them, and letters of keys if chance alone does not explain their spread. Items without a chance level (graphs to
generate) have no such shortcut. Items to blame are drawn anew, or left out where there is nothing else to draw.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from random import Random
from typing import Any

from tsgkit.cli.suites.tsg.benchmark_settings import QUESTIONS, TASKS
from tsgkit.cli.suites.tsg.benchmark_work import AVOIDED, REMOVED, Work, stage_named
from tsgkit.report.audit_report import TaskAudit, audit_of
from tsgkit.suites.tsg.makers.stage_files import StageFolder

STAGES_OF = {"tsg/sgqa": "questions", "tsg/sgds": "choices", "tsg/sa-sgg": "generation", "tsg/ma-sgg": "generation"}
ATTEMPTS = 4
"""How often items to blame are drawn anew."""
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


def audits_of_folder(folder: StageFolder) -> list[TaskAudit]:
    """Audit every file of rows that has any."""
    files = [(task, folder.file(name)) for name, task in TASKS.items()]
    return [audit_of(f"tsg/{task}", str(file)) for task, file in files if file.is_file() and file.stat().st_size > 0]


def blames_of(audits: Sequence[TaskAudit]) -> list[Blame]:
    """Return all reasons why these audits miss the gate."""
    return [blame for found in audits for blame in _blames(found)]


def _blames(audited: TaskAudit) -> Iterator[Blame]:
    for one in audited.audit.found:
        if one.slips and (one.check.is_error or one.check.code in AVOIDABLE):
            items = tuple(dict.fromkeys(slip.item_id for slip in one.slips))
            yield Blame(audited.task, one.check.code, one.slips[0].message, items)
    for shortcut in audited.audit.shortcuts:
        if not shortcut.is_blind or not shortcut.chance:
            continue
        shares: list[tuple[Any, str]] = [(shortcut, f"{shortcut.n:,} items")]
        shares += [(share, share.group) for share in shortcut.groups]
        if above := next(((share, items) for share, items in shares if share.beats_chance), None):
            share, items_of = above
            rate = f"{100 * share.value:.1f} % of {items_of}, where chance is {100 * share.chance:.1f} %"
            by = f", by {'; '.join(shortcut.carriers)}" if shortcut.carriers else ""
            solved = tuple(item for item, names in audited.audit.solved.items() if shortcut.name in names)
            yield Blame(audited.task, "shortcut", f"{shortcut.name}: {rate}{by}", solved)
    for spread in audited.audit.spreads:
        if spread.is_skewed:
            counts = ", ".join(f"{letter} {times:,}" for letter, times in spread.counts.items())
            group = f" of {spread.group}" if spread.group else ""
            yield Blame(audited.task, "keys", f"the keys{group} are not even: {counts}", ())


def fixed(work: Work, audits: Sequence[TaskAudit]) -> tuple[list[TaskAudit], int]:
    """Draw items to blame anew until the gate is passed or nothing changes; return the audits and how often."""
    latest = list(audits)
    for attempt in range(1, ATTEMPTS + 1):
        blamed = to_blame(latest, blames_of(latest), Random(f"{work.settings.seed}/fix/{attempt}"))
        if not any(blamed.values()):
            return latest, attempt - 1
        for stage in ("questions", "choices"):  # others take the places of these items
            if items := blamed.get(stage):
                _redraw(work, stage, items)
        if items := blamed.get("generation"):
            _leave_out(work, "generation", items)
        latest = audits_of_folder(work.folder)
    return latest, ATTEMPTS


def to_blame(audits: Sequence[TaskAudit], blames: Sequence[Blame], choice: Random) -> dict[str, dict[str, str]]:
    """Return by stage the items that are drawn anew, with reasons: of a shortcut, as many as it solves too many."""
    blamed: dict[str, dict[str, str]] = defaultdict(dict)
    for blame in blames:
        items = list(blame.items)
        if blame.code == "shortcut":
            items = choice.sample(items, min(len(items), _excess(audits, blame)))
        for item in items:
            blamed[STAGES_OF[blame.task]].setdefault(item, f"{blame.code}: {blame.message}")
    return blamed


def _excess(audits: Sequence[TaskAudit], blame: Blame) -> int:
    """Return how many items a shortcut solves above chance, with one to spare."""
    shortcuts = (one for found in audits if found.task == blame.task for one in found.audit.shortcuts)
    one = next(shortcut for shortcut in shortcuts if blame.message.startswith(f"{shortcut.name}: "))
    shares = [(one.n, one.value, one.chance), *((share.n, share.value, share.chance) for share in one.groups)]
    return 1 + max(ceil(n * (value - chance)) for n, value, chance in shares)


def _redraw(work: Work, name: str, items: Mapping[str, str]) -> None:
    """Do a stage again without what was drawn for some items: the path of a question, the step of a choice."""
    stage = stage_named(name)
    if name == "choices":
        parts = (item.rsplit("/", 2) for item in sorted(items))
        drawn: list[tuple[str, Any]] = [(story, int(step)) for story, step, _ in parts]
    else:
        pairs = ((row["scenario_id"], pair) for row in work.folder.values(QUESTIONS) for pair in row["qa_pairs"])
        drawn = [(story, pair["path"]) for story, pair in pairs if pair["item_id"] in items]
    avoided = {story: list(found) for story, found in work.made_from(stage).get(AVOIDED, {}).items()}
    for story, one in drawn:
        if one not in avoided.setdefault(story, []):
            avoided[story].append(one)
    work.do(stage, **{AVOIDED: avoided})


def _leave_out(work: Work, name: str, items: Mapping[str, str]) -> None:
    """Do a stage again without some items."""
    stage = stage_named(name)
    work.do(stage, **{REMOVED: {**work.made_from(stage).get(REMOVED, {}), **items}})


def without(work: Work, dropped: Mapping[tuple[str, str], str]) -> None:
    """Leave out the items that people dropped, by task and id."""
    by_stage: dict[str, dict[str, str]] = defaultdict(dict)
    for (task, item), reason in dropped.items():
        by_stage[STAGES_OF[f"tsg/{task}"]][item] = f"dropped by a person: {reason}"
    for name, items in by_stage.items():
        _leave_out(work, name, items)
