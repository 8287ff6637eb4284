"""The work of making a benchmark: stages that are not up to date are done, each as a job; the rest stays as it is."""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterable
from contextlib import ExitStack, nullcontext
from dataclasses import dataclass, field
from typing import Any

from tsgkit.cli.agent_work import agent_calls, digest, limits_of
from tsgkit.cli.suites.tsg.benchmark_settings import CHOICES, Making, Settings, checksum, dropped_file
from tsgkit.cli.suites.tsg.benchmark_stages import STAGES, Stage
from tsgkit.cli.terminal import complain, count, inert, job_watch, say
from tsgkit.errors import FileProblem, Interrupted, UsageError
from tsgkit.llm.failures import NotFinished
from tsgkit.runs.agent_calls import AgentCalls, check_model
from tsgkit.runs.jobs import Engine, Part
from tsgkit.suites.tsg.makers.stage_files import VERSION, StageFiles, StageFolder
from tsgkit.suites.tsg.makers.writer import texts

AVOIDED, REMOVED = "avoided", "removed"
KEPT_LISTS = (AVOIDED, REMOVED)
"""What fixes and reviews add to the settings of a stage; it stays while everything else is as it was."""
RESUME = "the same command goes on from there"
POSSIBLE = "--possible FILE names what else could be done in them"


@dataclass
class Work:
    """The stages of one folder."""

    folder: StageFolder
    settings: Settings
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
            for name, earlier in stage.needs:
                self.folder.require(name, earlier)
            self.do(stage)

    def made_from(self, stage: Stage, **lists: Any) -> dict[str, Any]:  # noqa: ANN401  (as JSON has them)
        """Return what a stage is made from; lists of fixes and reviews stay as recorded if nothing else changed."""
        settings = self.settings.of(*stage.settings)
        if stage.asks and self.settings.model is not None:
            settings["texts"] = digest(texts())
        sources = settings.pop("sources", ())
        if settings.get("possible") is not None:
            sources, settings["possible"] = (settings["possible"],), settings["possible"].name
        inputs = {name: self.folder.checksum(name) for name, _ in stage.needs}
        inputs |= {str(path): checksum(path) for path in sources}
        made = {**settings, "inputs": inputs, "version": VERSION}
        recorded = self.folder.stages.get(stage.name, {}).get("made_from", {})
        if {name: one for name, one in recorded.items() if name not in KEPT_LISTS} == made:
            made |= {name: recorded[name] for name in KEPT_LISTS if name in recorded}
        return made | lists

    def do(self, stage: Stage, **lists: Any) -> None:  # noqa: ANN401
        """Do a stage, unless its files are up to date."""
        made = self.made_from(stage, **lists)
        if self.folder.is_current(stage.name, made) and not (self.arguments.new and stage.name not in self.done):
            if edited := self.folder.edited(stage.name):
                self._say(f"{stage.name}: changed by hand and kept: {', '.join(edited)}")
            return
        self.folder.refuse_to_overwrite(stage.name, stage.leaves, force=self.arguments.force)
        with self.folder.writing(stage.name, made, stage.leaves) as files:
            self._make(stage, files, made)
        self.done.append(stage.name)
        self._tell(stage)

    def _make(self, stage: Stage, files: StageFiles, made: dict[str, Any]) -> None:
        watch = job_watch(quiet=self.arguments.quiet)
        with ExitStack() as stack:
            calls = None
            if stage.asks and self.settings.model is not None:
                asked = {"work": f"make tsg {stage.name}", "made_from": digest(made), "rounds": self.settings.rounds}
                self.folder.path.mkdir(parents=True, exist_ok=True)
                calls = stack.enter_context(agent_calls(self.arguments, str(self.folder.file(stage.name)), asked))
                engine, workers = calls.engine("story", watch), self.arguments.concurrency
            else:
                engine, workers = Engine(watch=watch, noun="story"), 1
                began = time.monotonic()

                def parts() -> list[Part]:
                    done, total = engine.done, engine.expected
                    return [Part(stage.name, done, total, done, total - done, began=began, busy=engine.busy)]

                engine.parts = parts
            making = Making(self.folder, self.settings, files, engine, calls, workers, self.arguments.executor)
            making.avoided, making.removed = (made.get(name) or {} for name in KEPT_LISTS)

            async def work() -> bool:
                await stage.make(making)
                return True

            try:
                with nullcontext() if calls is None else calls.traced():
                    made_all = engine.carry_out(work)
            except NotFinished as error:
                raise Unfinished(stage.name, error, calls) from None
            finally:
                if calls is not None:
                    for name in ("requests", "tokens", "cost"):
                        self.usage[name] = self.usage.get(name, 0) + getattr(calls.budget, f"used_{name}")
            if made_all is None or engine.interrupted:
                raise Interrupted(f"interrupted in the stage {stage.name}", hint=RESUME)
            files.figures["dropped"] = making.dropped
            self.failures += making.failures

    def _tell(self, stage: Stage) -> None:
        """Print the main figures of a stage."""
        figures = self.folder.stages[stage.name]["figures"]
        if "stories" in figures:
            main = f"{count(figures['stories'], 'story', 'stories')} with {count(figures['graphs'], 'graph')}"
        elif "sentences" in figures:
            written, kept = (figures["sentences"].get(name, 0) for name in ("written", "kept"))
            of_source = f", {kept:,} of the source kept" if kept else ""
            main = f"{count(written, 'sentence')} by {figures['written_by']}{of_source}"
        elif "added" in figures:
            main = "added to L: " + ", ".join(f"{number:,} {name}" for name, number in figures["added"].items())
        else:
            main = ", ".join(f"{count(number, 'item')} in {name}" for name, number in figures.get("items", {}).items())
        left_out = sum(figures.get("dropped", {}).values())
        more = f", {left_out:,} rejected or left out ({dropped_file(stage.name)})" if left_out else ""
        self._say(f"{stage.name}: {inert(main)}{more}")
        if stage.name == "choices" and self.settings.possible is None and not self.arguments.quiet:
            wanted = self.settings.choices * self.folder.stages["import"]["figures"]["stories"]
            if figures["items"][CHOICES] < wanted / 2:
                complain("choices: these stories alone show few other actions with the same things", POSSIBLE)

    def _say(self, text: str) -> None:
        if not (self.arguments.quiet or self.arguments.json):
            say(text)


class Unfinished(Exception):
    """A stage whose model was not asked to the end."""

    def __init__(self, stage: str, error: NotFinished, calls: AgentCalls | None) -> None:
        super().__init__(str(error))
        self.stage, self.error = stage, error
        self.is_budget = bool(calls is not None and calls.budget.reached)


def stage_named(name: str) -> Stage:
    """Return a stage. Raise ``UsageError`` if there is none of this name."""
    for stage in STAGES:
        if stage.name == name:
            return stage
    raise UsageError(f"there is no stage {name}")
