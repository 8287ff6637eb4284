"""The work of making a benchmark: stages that are not up to date are done, each as a job; the rest stays as it is.
Then its gate: defects and shortcuts of the audit that no published item should have, and repairs.

blames = blames_of(audits_of("made/sgds.jsonl"))
[(blame.code, blame.message, blame.items) for blame in blames]

Slips that make an item unusable count, and of the remarks those that a maker can avoid: twins, an answer in its own
context, wrong candidates that are true. A shortcut counts if it surely beats chance, on all items or on a group of
them, and letters of keys if chance alone does not explain their spread. Items without a chance level (graphs to
generate) have no such shortcut. Items to blame are drawn anew, or left out where there is nothing else to draw.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from math import ceil
from random import Random
from typing import Any

from tsgkit.cli.agents import asking, digest, limits_of
from tsgkit.cli.suites.tsg.benchmark_stages import (
    CHOICES,
    QUESTIONS,
    STAGE_OF,
    STAGES,
    TASKS,
    Stage,
    StageSettings,
    StageWork,
)
from tsgkit.cli.terminal import complain, inert, job_watch, say
from tsgkit.errors import BUDGET_REACHED, FINISHED_WITH_ERRORS, FileProblem, Interrupted
from tsgkit.llm.failures import NotFinished
from tsgkit.report.audit_report import TaskAudit, audit_of
from tsgkit.runs.agent_calls import check_model
from tsgkit.runs.jobs import Engine
from tsgkit.suites.tsg.makers.stage_files import VERSION, StageFiles, StageFolder, checksum
from tsgkit.suites.tsg.makers.writer import texts

KEPT_LISTS = ("avoided", "removed")
"""The lists that fixes and reviews add to the settings of a stage; they stay while everything else is as it was."""
RESUME = "the same command goes on from there"
POSSIBLE = "--possible FILE names what else could be done in them"
ATTEMPTS = 4
"""The number of times that items to blame are drawn anew."""
AVOIDABLE = (
    *("twin", "repeated-question", "step-before", "earlier-step", "better-option", "lone-letter", "contradiction"),
    *("hands", "unfinished-option", "strange-key", "answer-kind"),
)
"""Remarks that count as defects of made items."""


class Unfinished(Exception):
    """A stage whose model was not asked to the end; its arguments are the reason and the exit code."""


@dataclass
class BenchmarkWork:
    """The stages of one folder."""

    folder: StageFolder
    settings: StageSettings
    arguments: argparse.Namespace
    done: list[str] = field(default_factory=list)
    """The stages that were done now."""
    usage: dict[str, Any] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)
    """The requests that gave no answer, in words."""

    def carry_out(self, names: Iterable[str]) -> None:
        """Do stages that are not up to date, in their order. Refuse what would lose files before anything is done."""
        wanted = [stage for stage in STAGES if stage.name in names]
        known = self.folder.stages.get("import", {}).get("made_from", {}).get("inputs", {})
        sources = {str(path) for path in self.settings.sources}
        if known and sources and sources != {*known} and not self.arguments.force and wanted:
            hint = "name another DIR, or replace everything with --force"
            raise FileProblem(f"{self.folder.path}: made from other sources: {', '.join(sorted(known))}", hint=hint)
        for stage in wanted:
            if stage.name not in self.folder.stages:
                self.folder.refuse_to_overwrite(stage.name, stage.leaves, force=self.arguments.force)
        if self.settings.model is not None and any(stage.asks for stage in wanted):
            check_model(self.settings.model, self.arguments.model_arg or (), limits_of(self.arguments))
        for stage in wanted:
            for name in stage.needs:
                self.folder.require(name, STAGE_OF[name])
            self.do(stage)

    def recipe(self, stage: Stage, **lists: Any) -> dict[str, Any]:  # noqa: ANN401  (as JSON has them)
        """Return what a stage is made from; lists of fixes and reviews stay as recorded if nothing else changed."""
        settings = {name: getattr(self.settings, name) for name in stage.settings}
        if stage.asks and self.settings.model is not None:
            settings["texts"] = digest(texts())
        sources = settings.pop("sources", ())
        if settings.get("possible") is not None:
            sources, settings["possible"] = (settings["possible"],), settings["possible"].name
        inputs = {name: self.folder.checksum(name) for name in stage.needs}
        inputs |= {str(path): checksum(path) for path in sources}
        recipe = {**settings, "inputs": inputs, "version": VERSION}
        recorded = self.folder.stages.get(stage.name, {}).get("made_from", {})
        if {name: setting for name, setting in recorded.items() if name not in KEPT_LISTS} == recipe:
            recipe |= {name: recorded[name] for name in KEPT_LISTS if name in recorded}
        return recipe | lists

    def do(self, stage: Stage, **lists: Any) -> None:  # noqa: ANN401
        """Do a stage, unless its files are up to date; ``lists`` are those of fixes and reviews."""
        recipe, is_silent = self.recipe(stage, **lists), self.arguments.quiet or self.arguments.json
        if self.folder.is_current(stage.name, recipe) and not (self.arguments.new and stage.name not in self.done):
            if (edited := self.folder.edited(stage.name)) and not is_silent:
                say(f"{stage.name}: changed by hand and kept: {', '.join(edited)}")
            return
        self.folder.refuse_to_overwrite(stage.name, stage.leaves, force=self.arguments.force)
        with self.folder.writing(stage.name, recipe, stage.leaves) as files:
            summary = self._make(stage, files, recipe)
        self.done.append(stage.name)
        if not is_silent:
            left_out = sum(files.figures["dropped"].values())
            more = f", {left_out:,} rejected or left out ({stage.drops})" if left_out else ""
            say(f"{stage.name}: {inert(summary)}{more}")
        if stage.name == "choices" and self.settings.possible is None and not self.arguments.quiet:
            wanted = self.settings.choices * self.folder.stages["import"]["figures"]["stories"]
            if files.figures["items"][CHOICES] < wanted / 2:
                complain("choices: these stories alone show few other actions with the same things", POSSIBLE)

    def _make(self, stage: Stage, files: StageFiles, recipe: dict[str, Any]) -> str:
        """Do a stage as a job, and return what it made, in words."""
        arguments, watch = self.arguments, job_watch(quiet=self.arguments.quiet)
        asks = stage.asks and self.settings.model is not None
        job = {"work": f"make tsg {stage.name}", "made_from": digest(recipe), "rounds": self.settings.rounds}
        with asking(arguments, str(self.folder.file(stage.name)), job) if asks else nullcontext() as calls:
            if calls is None:
                engine, workers = Engine(watch=watch, noun="story", title=stage.name), 1
            else:
                engine, workers = calls.engine("story", watch), arguments.concurrency
            making = StageWork(stage, self.folder, self.settings, files, engine, calls, workers, arguments.executor)
            making.avoided, making.removed = (recipe.get(name) or {} for name in KEPT_LISTS)
            try:
                summary = engine.carry_out(lambda: stage.make(making))
            except NotFinished as error:
                is_budget = calls is not None and calls.budget.reached
                code = BUDGET_REACHED if is_budget else FINISHED_WITH_ERRORS
                raise Unfinished(f"{stage.name}: {error}", code) from None
            finally:
                if calls is not None:
                    for name in ("requests", "tokens", "cost"):
                        self.usage[name] = self.usage.get(name, 0) + getattr(calls.budget, f"used_{name}")
        if summary is None or engine.interrupted:
            raise Interrupted(f"interrupted in the stage {stage.name}", hint=RESUME)
        files.figures["dropped"] = making.dropped
        self.failures += making.failures
        return summary

    def leave_out(self, by_stage: Mapping[str, Mapping[str, str]]) -> None:
        """Do stages again without some of their items, which have reasons."""
        for stage in STAGES:
            if items := by_stage.get(stage.name):
                self.do(stage, removed={**self.recipe(stage).get("removed", {}), **items})

    def redraw(self, stage: Stage, items: Iterable[str]) -> None:
        """Do a stage again without what was drawn for some items: the path of a question, the step of a choice."""
        if stage.name == "choices":
            parts = (item.rsplit("/", 2) for item in sorted(items))
            drawn: list[tuple[str, Any]] = [(story, int(step)) for story, step, _ in parts]
        else:
            pairs = ((row["scenario_id"], pair) for row in self.folder.values(QUESTIONS) for pair in row["qa_pairs"])
            drawn = [(story, pair["path"]) for story, pair in pairs if pair["item_id"] in items]
        avoided = {story: list(earlier) for story, earlier in self.recipe(stage).get("avoided", {}).items()}
        for story, path in drawn:
            if path not in avoided.setdefault(story, []):
                avoided[story].append(path)
        self.do(stage, avoided=avoided)

    def fixed(self, audits: Sequence[TaskAudit]) -> tuple[Sequence[TaskAudit], int]:
        """Draw items to blame anew until the gate is passed or nothing changes; return the audits and how often."""
        for attempt in range(ATTEMPTS):
            blamed = to_blame(audits, blames_of(audits), Random(f"{self.settings.seed}/fix/{attempt + 1}"))
            if not any(blamed.values()):
                return audits, attempt
            for stage in STAGES:  # others take the places of questions and choices
                items = blamed.get(stage.name, {})
                if stage.name == "generation":
                    self.leave_out({stage.name: items})
                elif items:
                    self.redraw(stage, items)
            audits = audits_of_folder(self.folder)
        return audits, ATTEMPTS


@dataclass(frozen=True)
class Blame:
    """A reason why the gate is missed, and the items to blame."""

    task: str
    code: str
    message: str
    items: tuple[str, ...]


def audits_of_folder(folder: StageFolder) -> list[TaskAudit]:
    """Audit every file of rows that has any."""
    files = [(task, folder.file(name)) for name, task in TASKS.items()]
    return [audit_of(f"tsg/{task}", str(file)) for task, file in files if file.is_file() and file.stat().st_size > 0]


def blames_of(audits: Iterable[TaskAudit]) -> list[Blame]:
    """Return all reasons why these audits miss the gate."""
    blames: list[Blame] = []
    for task, audit in ((audited.task, audited.audit) for audited in audits):
        for defect in audit.findings:
            if defect.slips and (defect.check.is_error or defect.check.code in AVOIDABLE):
                items = tuple(dict.fromkeys(slip.item_id for slip in defect.slips))
                blames.append(Blame(task, defect.check.code, defect.slips[0].message, items))
        for shortcut in audit.shortcuts:
            shares: list[tuple[Any, str]] = [(shortcut, f"{shortcut.n:,} items")]
            shares += [(share, share.group) for share in shortcut.groups]
            above = next(((share, items_of) for share, items_of in shares if share.beats_chance), None)
            if shortcut.is_blind and shortcut.chance and above is not None:
                share, items_of = above
                rate = f"{100 * share.value:.1f} % of {items_of}, where chance is {100 * share.chance:.1f} %"
                by = f", by {'; '.join(shortcut.carriers)}" if shortcut.carriers else ""
                solved = tuple(item for item, names in audit.solved.items() if shortcut.name in names)
                blames.append(Blame(task, "shortcut", f"{shortcut.name}: {rate}{by}", solved))
        for spread in audit.spreads:
            if spread.is_skewed:
                counts = ", ".join(f"{letter} {times:,}" for letter, times in spread.counts.items())
                group = f" of {spread.group}" if spread.group else ""
                blames.append(Blame(task, "keys", f"the keys{group} are not even: {counts}", ()))
    return blames


def to_blame(audits: Sequence[TaskAudit], blames: Sequence[Blame], choice: Random) -> dict[str, dict[str, str]]:
    """Return by stage the items that are drawn anew, with reasons: of a shortcut, as many as it solves too many."""
    blamed: dict[str, dict[str, str]] = defaultdict(dict)
    for blame in blames:
        items = list(blame.items)
        if blame.code == "shortcut":
            shortcuts = (each for audit in audits if audit.task == blame.task for each in audit.audit.shortcuts)
            shortcut = next(each for each in shortcuts if blame.message.startswith(f"{each.name}: "))
            shares: list[Any] = [shortcut, *shortcut.groups]
            excess = max(ceil(share.n * (share.value - share.chance)) for share in shares)
            items = choice.sample(items, min(len(items), 1 + excess))
        for item in items:
            stage = STAGE_OF[f"{blame.task.removeprefix('tsg/')}.jsonl"]
            blamed[stage].setdefault(item, f"{blame.code}: {blame.message}")
    return blamed
