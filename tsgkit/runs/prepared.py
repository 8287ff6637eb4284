"""A plan with everything it names loaded and checked, before anything is asked.

What can change an answer is gathered in :attr:`Prepared.asked`; its hash is the identity of the run.
"""

from __future__ import annotations

import hashlib
import platform
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from tsgkit import __version__
from tsgkit.errors import FileProblem, UsageError
from tsgkit.library.cards import card_names, load_card
from tsgkit.library.files import look_alike
from tsgkit.llm.cache import canonical
from tsgkit.llm.door import Call
from tsgkit.llm.secrets import Secrets
from tsgkit.llm.settings import Settings, parse, secrets_of, settings_of
from tsgkit.runs.folder import CALLS, FORMAT
from tsgkit.runs.plan import BASELINE, REPLAY, SCRIPT, Cell, Plan, cells_of
from tsgkit.suites.registry import task_of
from tsgkit.suites.solving import check_solver, family_of
from tsgkit.suites.tsg.cards import near
from tsgkit.suites.tsg.dataset import Dataset
from tsgkit.suites.tsg.prompt_sets import prompt_set
from tsgkit.suites.tsg.prompting import style_of
from tsgkit.suites.tsg.solvers import Solver
from tsgkit.suites.tsg.task import TsgTask, kinds_of

DEFAULT_SUITE = "tsg"
LIBRARIES = ("litellm", "langchain-core", "networkx", "pydantic", "rapidfuzz", "nltk")
LONGEST_NAME = 60


@dataclass(frozen=True)
class Row:
    """One row of the result, ready to be worked on."""

    cell: Cell
    task: TsgTask
    solver: Solver
    dataset: Dataset
    numbers: Sequence[int]
    """Which samples of the dataset are asked."""

    def where(self, item_id: str) -> Call:
        """Who asks, when a sample of this row is worked on; the call's own fields are empty."""
        cell = self.cell
        return Call(cell.subject, "", cell.task, cell.solver, cell.style, item_id, cell.repeat, "", "", 0)


@dataclass(frozen=True)
class Prepared:
    """A plan and what it stands for."""

    plan: Plan
    rows: tuple[Row, ...]
    settings: Mapping[str, Settings]
    secrets: Secrets
    asked: dict[str, Any] = field(default_factory=dict)

    @property
    def identity(self) -> str:
        """A hash of all that can change an answer, and of the list of items."""
        return hashlib.sha256(canonical(self.asked).encode()).hexdigest()[:16]

    @property
    def name(self) -> str:
        """A name for people: the models and the tasks."""
        models = "+".join(model.rpartition("/")[2] for model in self.plan.models)
        tasks = "+".join(dict.fromkeys(row.task.key.replace("/", "-") for row in self.rows))
        words = f"{models}-{tasks if len(tasks) < 30 else DEFAULT_SUITE}"
        return re.sub(r"[^A-Za-z0-9.+_-]+", "-", words)[:LONGEST_NAME].strip("-.")

    def header(self, command: Sequence[str]) -> dict[str, Any]:
        """What the run says of itself, without any key."""
        value = {
            "format": FORMAT,
            "tsgkit": __version__,
            "name": self.name,
            "identity": self.identity,
            "begun": datetime.now(UTC).isoformat(timespec="seconds"),
            "command": list(command),
            "plan": self.plan.model_dump(mode="json"),
            "asked": self.asked,
            "data": {row.task.key: row.dataset.file for row in self.rows},
            "samples": sum(len(row.numbers) for row in self.rows),
            "python": platform.python_version(),
            "libraries": {name: _version(name) for name in LIBRARIES},
        }
        clean = self.secrets.redact_value(value)
        assert isinstance(clean, dict)  # noqa: S101  (redaction keeps the shape)
        return clean


def prepare(plan: Plan) -> Prepared:
    """Load and check all that a plan names; ``UsageError`` before anything is asked."""
    tasks = {name: task_of(load_card(name)) for name in _task_names(plan)}
    if not all(plan.models):
        raise UsageError("--model: a name is empty", hint="a model is named PROVIDER/NAME, as in openai/gpt-4o")
    models = plan.models or tuple(dict.fromkeys(_default_subject(task) for task in tasks.values()))
    plan = plan.model_copy(update={"tasks": tuple(tasks), "models": tuple(dict.fromkeys(models))})
    settings = _settings(plan, tasks)
    _check_ways(plan, tasks)
    datasets = {name: task.dataset(plan.data) for name, task in tasks.items()}
    chosen = chosen_numbers(plan, datasets)
    solvers = _Solvers(plan, tasks, datasets)
    rows = tuple(
        Row(cell, tasks[cell.task], solvers.of(cell), datasets[cell.task], chosen[cell.task])
        for cell in cells_of(plan)
        if chosen[cell.task]
    )
    return Prepared(plan, rows, settings, secrets_of(settings.values()), _asked(plan, rows, settings))


def _task_names(plan: Plan) -> tuple[str, ...]:
    """The tasks meant: names, a suite's name for all of its tasks, none for those that fit the data."""
    known = card_names()
    if not plan.tasks:
        fitting = kinds_of(Path(plan.data)) if plan.data else ()
        ours = [name for name in known if name.startswith(f"{DEFAULT_SUITE}/")]
        return tuple(_in_order(_unnamed(name for name in ours if not fitting or name.partition("/")[2] in fitting)))
    found: list[str] = []
    for name in plan.tasks:
        suite = _unnamed(one for one in known if one.startswith(f"{name}/"))
        found += _in_order(suite) if suite else [name if name in known or "/" in name else f"{DEFAULT_SUITE}/{name}"]
    return tuple(dict.fromkeys(found))


def _unnamed(names: Iterable[str]) -> list[str]:
    """Those of some tasks that are run without being named themselves: not the derived ones, as their cards say."""
    return [name for name in names if not load_card(name).on_request]


def _in_order(names: Sequence[str]) -> list[str]:
    """Understanding before generation, as the tables have it; then by name."""
    first = ("tsg/sgqa", "tsg/sgds", "tsg/sa-sgg", "tsg/ma-sgg")
    return sorted(names, key=lambda name: (first.index(name) if name in first else len(first), name))


def _default_subject(task: TsgTask) -> str:
    if task.card.subject is None:
        raise UsageError(f"{task.card.source}: the card names no subject", hint="say whom to evaluate: --model NAME")
    return task.card.subject


def _settings(plan: Plan, tasks: Mapping[str, TsgTask]) -> dict[str, Settings]:
    """How each model is asked; what the cards recommend are defaults."""
    arguments = parse(plan.model_args, plan.models)
    if arguments and not any(asks_a_model(model) for model in plan.models):
        raise UsageError("no model is asked, so --model-arg has no use", hint="add --model PROVIDER/NAME")
    temperatures = {task.card.temperature for task in tasks.values()}
    given = any(argument.name == "temperature" for argument in arguments)
    if len(temperatures) > 1 and not given:
        hint = "give --model-arg temperature=..., or run the tasks apart"
        raise UsageError(f"the tasks recommend different temperatures: {sorted(temperatures)}", hint=hint)
    defaults = {"temperature": temperatures.pop()} if len(temperatures) == 1 else {}
    return {model: settings_of(model, arguments, defaults) for model in plan.models}


def _check_ways(plan: Plan, tasks: Mapping[str, TsgTask]) -> None:
    """Names of styles, solvers and prompts are true ones even where only baselines answer, which use none of them."""
    for style in plan.styles:
        style_of(style)
    for solver in plan.solvers:
        check_solver(solver, tuple(task.kind for task in tasks.values()))
    if plan.styles != Plan().styles and not any(family_of(solver).styled for solver in plan.solvers):
        raise UsageError(f"solver {plan.solvers[0]} asks in words of its own, so --style has no use")
    for task in tasks.values():
        prompt_set(plan.prompts, task.card)


def asks_a_model(subject: str) -> bool:
    """Whether a subject is a model behind an interface, rather than something that answers by itself."""
    return not subject.startswith((BASELINE, SCRIPT, REPLAY))


def chosen_numbers(plan: Plan, datasets: Mapping[str, Dataset]) -> dict[str, Sequence[int]]:
    """The samples asked of each dataset; an id that no dataset has is a slip."""
    known = {item_id for dataset in datasets.values() for item_id in dataset.item_ids} if plan.ids else set()
    if missing := [item_id for item_id in plan.ids if item_id not in known]:
        raise UsageError(f"no task has an item {missing[0]}", hint=near(missing[0], sorted(known)[:10_000]))
    chosen: dict[str, Sequence[int]] = {}
    for name, dataset in datasets.items():
        here = set(dataset.item_ids) if plan.ids else set()
        ids = [item_id for item_id in plan.ids if item_id in here]
        chosen[name] = () if plan.ids and not ids else dataset.chosen(ids, plan.limit)
    return chosen


class _Solvers:
    """The solvers of a plan, each made once."""

    def __init__(self, plan: Plan, tasks: Mapping[str, TsgTask], datasets: Mapping[str, Dataset]) -> None:
        self.plan, self.tasks, self.datasets = plan, tasks, datasets
        self._made = cache(self._make)

    def of(self, cell: Cell) -> Solver:
        """The solver of a row."""
        subject = cell.subject if cell.subject.startswith(BASELINE) else ""
        return self._made(subject, cell.task, cell.solver, cell.style)

    def _make(self, baseline: str, task: str, solver: str, style: str) -> Solver:
        plan = self.plan
        if baseline:
            return self.tasks[task].baseline(baseline, plan.seed)
        shots = plan.shots if "few-shot" in style else None
        return self.tasks[task].solver(
            solver, style, self.datasets[task], shots=shots, seed=plan.seed, prompts=plan.prompts
        )


def _asked(plan: Plan, rows: Sequence[Row], settings: Mapping[str, Settings]) -> dict[str, Any]:
    """All that can change an answer, and the list of items."""
    return {
        "models": {model: _model(settings[model]) for model in plan.models},
        "tasks": {row.task.key: {"card": row.task.card.sha256, "version": row.task.card.version} for row in rows},
        "data": {row.task.key: row.dataset.sha256 for row in rows},
        "items": {row.task.key: row.dataset.chosen_hash(row.numbers) for row in rows},
        "prompts": {f"{row.task.key} {row.cell.solver} {row.cell.style}": row.solver.fingerprint for row in rows},
        "repeat": plan.repeat,
        "seed": plan.seed,
    }


def _model(settings: Settings) -> dict[str, Any]:
    name = settings.model
    if name.startswith(BASELINE):
        return {}
    if name.startswith((SCRIPT, REPLAY)):
        rest = name.partition(":")[2]
        return {"content": _content(Path(rest.partition("#")[0] if name.startswith(REPLAY) else rest))}
    return {"endpoint": settings.endpoint, "parameters": settings.parameters}


def _content(path: Path) -> str:
    """A hash of a script, or of a replayed run's calls."""
    file = path / CALLS if path.is_dir() else path
    try:
        return hashlib.sha256(file.read_bytes()).hexdigest()
    except OSError as error:
        raise FileProblem(f"{file}: cannot be read: {error.strerror}", hint=look_alike(file)) from None


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
