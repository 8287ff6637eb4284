"""Tasks that models answer in words: solvers, baselines and prompts of one, made from what its suite offers.

A suite says how answers are read and scored (:attr:`AskedTask.answers`), what is asked (:meth:`AskedTask.prompter`) and
which programs answer (:meth:`AskedTask.program`); everything that runs want of solvers follows.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from tsgkit.suites.previews import Preview, PreviewOptions
from tsgkit.suites.solvers.answerable import Answerable
from tsgkit.suites.solvers.families import check_solver, family_of, recorded
from tsgkit.suites.solvers.prompter import Prompter
from tsgkit.suites.solvers.scorers import OneReply
from tsgkit.suites.solvers.solver import BASELINE, Solver
from tsgkit.suites.solvers.unasked import Baseline, Program, Recorded
from tsgkit.suites.styles import Style, style_of
from tsgkit.suites.task import Dataset, Task


class AskedTask(Task):
    """A task that models answer in words."""

    @property
    @abstractmethod
    def answers(self) -> Answerable[Any, Any]:
        """How its answers are read and scored."""

    @abstractmethod
    def prompter(self, style: Style, dataset: Dataset, *, seed: int, prompts: str | None) -> Prompter[Any]:
        """Return its prompts in a style; the pool of examples is held against the items."""

    @abstractmethod
    def program(self, subject: str, seed: int, dataset: Dataset) -> Program[Any]:
        """Return the baseline of a subject's name (``baseline/rules``); ``UsageError`` where there is none."""

    def check_way(self, style: str, solver: str, prompts: str | None) -> None:
        """Refuse a style, a solver or prompts that there are none of, or that are not for this task."""
        style_of(style)
        check_solver(solver, self.answers)
        self.prompt_sources(prompts)

    def item(self, options: PreviewOptions) -> tuple[Dataset, Any]:
        """Return the data that a prompt is shown of, and the item it is about."""
        dataset = self.dataset(options.data)
        ids = () if options.item is None else (options.item,)
        return dataset, dataset.sample(dataset.chosen(ids)[0])

    def preview(self, options: PreviewOptions) -> Preview:
        """Return what a model would be sent for one item."""
        dataset, item = self.item(options)
        style = style_of(options.style, options.shots)
        return self.prompter(style, dataset, seed=options.seed, prompts=options.prompts).preview(self.key, item)

    def solver(
        self, name: str, style: str, dataset: Dataset, *, shots: int | None, seed: int, prompts: str | None
    ) -> Solver:
        """Return a solver for models, with prompts where it has none of its own."""
        family = family_of(name)
        if not family.styled:
            return family.solver(name, self.answers, None)
        chosen = style_of(style, shots)
        return family.solver(name, self.answers, self.prompter(chosen, dataset, seed=seed, prompts=prompts))

    def baseline(self, subject: str, seed: int, dataset: Dataset) -> Baseline[Any]:
        """Return a subject that asks nobody."""
        return Baseline(OneReply(self.answers, "", BASELINE), self.program(subject, seed, dataset))

    def recorded(self, solver: str, style: str) -> Recorded:
        """Return a way of answering of which only the transcripts are left."""
        return recorded(self.answers, solver, style)
