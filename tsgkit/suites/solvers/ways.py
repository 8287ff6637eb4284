"""Asking a task: the solver of each way of answering, what a way would send, and what is read in a reply."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tsgkit.errors import UsageError
from tsgkit.llm.reply import Reply
from tsgkit.scoring.pooling import Outcome
from tsgkit.suites.judgement import TwoReadings
from tsgkit.suites.judges.ratings import GRADE, GradedScorer, GradedSolver
from tsgkit.suites.replies import read_as
from tsgkit.suites.rows import Dataset
from tsgkit.suites.solvers.factories import check_solver, factory_of
from tsgkit.suites.solvers.offline_solvers import OfflineSolver
from tsgkit.suites.solvers.prompter import Preview, PreviewOptions, prompter_of
from tsgkit.suites.solvers.scorers import Draws, read_twice
from tsgkit.suites.solvers.solver import BASELINE, SINGLE, Solver
from tsgkit.suites.styles import style_of
from tsgkit.suites.task import Task, item_to_preview


def check_way(task: Task, style: str, solver: str, prompts: str | None) -> None:
    """Raise ``UsageError`` if the style, solver or prompt set does not exist, or is not for this task."""
    if task.prompt is None:
        if solver != SINGLE:
            factory_of(solver)
            hint = "leave out --solver"
            raise UsageError(f"solver {solver} cannot do {task.key}: no model answers it", hint=hint)
        if task.looks is not None:
            task.looks.check(style, prompts)
        return
    check_solver(solver, task)
    task.prompt.check(style_of(style), prompts)


def solver_of(
    task: Task, name: str, style: str, dataset: Dataset, *, shots: int | None, seed: int, prompts: str | None
) -> Solver:
    """Return a solver of a task for models, with prompts where it has none of its own."""
    if task.prompt is None:
        if task.looks is None:
            raise UsageError(f"{task.key}: no model is asked this", hint="tsgkit eval --help lists its options")
        problem = f"{task.key}: this task judges {task.looks.kind}, not replies of models"
        raise UsageError(problem, hint=task.looks.hint)
    factory, prompter = factory_of(name), None
    if factory.styled:
        prompter = prompter_of(task.prompt, style_of(style, shots), dataset, seed=seed, prompts=prompts)
    factory.check_task(name, task)
    solver = factory.solver(name, task, prompter)
    return solver if task.grader is None else GradedSolver(solver, task.grader, task.prompt.fields)


def baseline_of(task: Task, subject: str, seed: int, dataset: Dataset) -> Solver:
    """Return a built-in subject of a task, which asks no model."""
    if task.looks is not None and task.looks.baseline is not None:
        return task.looks.baseline(task, subject, seed, dataset)
    if task.prompt is None:
        raise UsageError(f"{task.key}: there is no {subject}", hint=task.looks.hint if task.looks else "")
    if task.baselines.program is None:
        raise UsageError(f"{task.key} has no baselines, so there is no {subject}", hint="name a model: --model")
    program = task.baselines.program(task, subject, seed, dataset)
    solver = OfflineSolver(Draws(task, "", BASELINE), program=program, package=task.package)
    return solver if task.grader is None else GradedSolver(solver, task.grader, task.prompt.fields)


def recorded_of(task: Task, solver: str, style: str) -> OfflineSolver:
    """Return a solver that scores recorded transcripts and cannot ask; ``UsageError`` where its package is lacking."""
    if task.looks is not None:
        scorer = task.looks.scorer(task, solver, style)
    elif solver == BASELINE:
        scorer = Draws(task, style, solver)
    else:
        scorer = factory_of(solver).scorer(solver, task, style)
    return OfflineSolver(scorer if task.grader is None else GradedScorer(scorer, task.grader), solver, style)


def readings_of(task: Task, sample: Any, reply: Reply, solver: Solver, label: str = "") -> TwoReadings:  # noqa: ANN401
    """Return what both profiles read in the reply to one call."""
    if task.grader is not None and label == GRADE:
        rating = task.grader.rated([reply])
        why = "" if isinstance(rating, int) else rating.reason
        mine = None if why else f"rating {rating}"
        return TwoReadings(Outcome.UNREADABLE if why else Outcome.ANSWERED, mine, why, (), None, solver.unpublished, ())
    if task.looks is not None:
        return task.looks.readings(task, sample, reply, solver)
    return read_twice(task, sample, read_as(reply), solver.style, solver.name)


def preview_of(task: Task, options: PreviewOptions) -> Preview:
    """Return what would be sent for one item. Raise ``UsageError`` if that cannot be shown."""
    if task.prompt is not None:
        dataset, item = item_to_preview(task, options)
        style = style_of(options.style, options.shots)
        prompter = prompter_of(task.prompt, style, dataset, seed=options.seed, prompts=options.prompts)
        return prompter.preview(task.key, item)
    if task.looks is not None and task.looks.preview is not None:
        return task.looks.preview(task, options)
    if not task.card.prompts:
        raise UsageError(f"{task.key}: no model is asked this task", hint="tsgkit prompts list names the others")
    hint = f"its texts lie in prompts/{task.card.prompts}, and a run's prompts.jsonl has all that was sent"
    raise UsageError(f"{task.key}: the prompt of one item cannot be shown", hint=hint)


@dataclass(frozen=True)
class TaskPrompts:
    """The prompts of one task: the source of each part, or the reason why there are none."""

    task: str
    title: str
    parts: Mapping[str, str] = field(default_factory=dict)
    problem: str = ""


def task_prompts(tasks: Iterable[Task], prompts: str | None = None) -> tuple[TaskPrompts, ...]:
    """Return the prompts of these tasks, ours or those of a folder, which may lack some."""
    if prompts is not None and not Path(prompts).is_dir():
        raise UsageError(f"{prompts}: no such folder of prompts")
    listed = []
    for task in tasks:
        source = task.prompt.sources if task.prompt is not None else task.looks.sources if task.looks else None
        try:
            parts, problem = source(prompts) if source is not None else {}, ""
        except UsageError as error:
            parts, problem = {}, str(error)
        listed.append(TaskPrompts(task.key, task.card.title, parts, problem))
    return tuple(listed)
