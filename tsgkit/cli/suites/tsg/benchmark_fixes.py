"""Repairs of a made benchmark: items to blame are drawn anew, or left out where there is nothing else to draw."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from math import ceil
from pathlib import Path
from random import Random
from typing import Any

from tsgkit.cli.suites.tsg.benchmark_gate import Blame, blames_of
from tsgkit.cli.suites.tsg.benchmark_settings import QUESTIONS, TASKS
from tsgkit.cli.suites.tsg.benchmark_work import AVOIDED, REMOVED, Work, stage_named
from tsgkit.report.audit_report import TaskAudit, audit_of
from tsgkit.suites.tsg.makers.stage_files import StageFolder

STAGES_OF = {"tsg/sgqa": "questions", "tsg/sgds": "choices", "tsg/sa-sgg": "generation", "tsg/ma-sgg": "generation"}
ATTEMPTS = 4
"""How often items to blame are drawn anew."""


def audits_of_folder(folder: StageFolder) -> list[TaskAudit]:
    """Audit every file of rows that has any."""
    return [
        audit_of(f"tsg/{task}", str(folder.file(name))) for name, task in TASKS.items() if _has_rows(folder.file(name))
    ]


def _has_rows(path: Path) -> bool:
    return path.is_file() and path.stat().st_size > 0


def fixed(work: Work, audits: Sequence[TaskAudit]) -> tuple[list[TaskAudit], int]:
    """Draw items to blame anew until the gate is passed or nothing changes; return the audits and how often."""
    found = list(audits)
    for attempt in range(1, ATTEMPTS + 1):
        blamed = to_blame(found, blames_of(found), Random(f"{work.settings.seed}/fix/{attempt}"))
        if not any(blamed.values()):
            return found, attempt - 1
        for stage in ("questions", "choices", "generation"):
            if items := blamed.get(stage):
                _redraw(work, stage, items)
        found = audits_of_folder(work.folder)
    return found, ATTEMPTS


def to_blame(audits: Sequence[TaskAudit], blames: Sequence[Blame], choice: Random) -> dict[str, dict[str, str]]:
    """Return by stage the items that are drawn anew, with reasons: of a shortcut, as many as it solves too many."""
    found: dict[str, dict[str, str]] = defaultdict(dict)
    for blame in blames:
        items = list(blame.items)
        if blame.code == "shortcut":
            items = choice.sample(items, min(len(items), _excess(audits, blame)))
        for item in items:
            found[STAGES_OF[blame.task]].setdefault(item, f"{blame.code}: {blame.message}")
    return found


def _excess(audits: Sequence[TaskAudit], blame: Blame) -> int:
    """Return how many items a shortcut solves above chance, with one to spare."""
    shortcuts = (one for found in audits if found.task == blame.task for one in found.audit.shortcuts)
    one = next(shortcut for shortcut in shortcuts if blame.message.startswith(f"{shortcut.name}: "))
    shares = [(one.n, one.value, one.chance), *((share.n, share.value, share.chance) for share in one.groups)]
    return 1 + max(ceil(n * (value - chance)) for n, value, chance in shares)


def _redraw(work: Work, name: str, items: Mapping[str, str]) -> None:
    """Do a stage again without some items: others take the places of questions and choices."""
    stage = stage_named(name)
    made = work.made_from(stage)
    if name == "generation":
        work.do(stage, **{REMOVED: {**made.get(REMOVED, {}), **items}})
        return
    avoided = {story: list(found) for story, found in made.get(AVOIDED, {}).items()}
    for story, one in _drawn(work.folder, name, items):
        if one not in avoided.setdefault(story, []):
            avoided[story].append(one)
    work.do(stage, **{AVOIDED: avoided})


def _drawn(folder: StageFolder, name: str, items: Iterable[str]) -> list[tuple[str, Any]]:
    """Return the story and what was drawn for each item: the path of a question, the step of a choice."""
    wanted = set(items)
    if name == "choices":
        steps = [(item.rsplit("/", 2)[0], int(item.rsplit("/", 2)[1])) for item in sorted(wanted)]
        return list(steps)
    return [
        (row["scenario_id"], pair["path"])
        for row in folder.values(QUESTIONS)
        for pair in row["qa_pairs"]
        if pair["item_id"] in wanted
    ]


def without(work: Work, dropped: Mapping[tuple[str, str], str]) -> bool:
    """Leave out the items that people dropped, by task and id; return whether there were any."""
    by_stage: dict[str, dict[str, str]] = defaultdict(dict)
    for (task, item), reason in dropped.items():
        by_stage[STAGES_OF[f"tsg/{task}"]][item] = f"dropped by a person: {reason}"
    for name, items in by_stage.items():
        stage = stage_named(name)
        made = work.made_from(stage)
        work.do(stage, **{REMOVED: {**made.get(REMOVED, {}), **items}})
    return bool(by_stage)
