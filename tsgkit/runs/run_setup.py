"""A plan with its data, prompts, solvers and subjects, loaded and checked before anything is asked.

:attr:`RunSetup.asked` holds everything that can change an answer. Its hash, without the text of cards, is the identity
of the run.
"""

from __future__ import annotations

import hashlib
import os
import platform
import re
import stat
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cache, cached_property
from importlib.metadata import PackageNotFoundError, version
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from tsgkit.defaults import SCENE_TIME
from tsgkit.errors import FileProblem, UsageError
from tsgkit.lexicon import meant
from tsgkit.library.cards import card_names, load_card
from tsgkit.library.files import look_alike
from tsgkit.library.projects import find, portable
from tsgkit.library.row_sources import NamedFile, pinned
from tsgkit.llm.asker import model_settings
from tsgkit.llm.door import Call, canonical
from tsgkit.llm.local_models import registered
from tsgkit.llm.secrets import Secrets
from tsgkit.llm.settings import Settings, is_local, parse, secrets_of
from tsgkit.replies import READER
from tsgkit.runs.folder import CALLS, FORMAT, SHARD, identifying
from tsgkit.runs.plan import AXES, BASELINE, DEFAULT, FEW_SHOT, REPLAY, RULES, SCRIPT, Cell, Plan, axes_of, cells_of
from tsgkit.runs.records import Scoring
from tsgkit.runs.reply_limits import ReplyLimit, reply_limit, with_limit
from tsgkit.runs.shards import Shard
from tsgkit.suites.judges.judge import ResponseFormats
from tsgkit.suites.rows import Dataset, ItemChoice, hash_of_items
from tsgkit.suites.solvers.factories import factory_of
from tsgkit.suites.solvers.solver import SINGLE, HasWarnings, Solver
from tsgkit.suites.solvers.ways import baseline_of, check_way, solver_of
from tsgkit.suites.styles import SHOTS, style_of
from tsgkit.suites.suite import default_tasks, in_order, task_of, tasks_named, tasks_of_data, unnamed
from tsgkit.suites.task import BY_ID, PUBLISHED, Folder, Task, Viewing, source_of
from tsgkit.version import __version__

LIBRARIES = ("litellm", "langchain-core", "networkx", "pydantic", "rapidfuzz", "nltk", "xllamacpp")
LONGEST_NAME = 60
SUBJECTS = {"models": "--model NAME", "images": "--images NAME=DIR", "scenes": "--scenes NAME=DIR"}
"""Names of each kind of subject."""


@dataclass(frozen=True)
class PlannedRow:
    """A row of the result, ready to be run."""

    cell: Cell
    task: Task
    solver: Solver
    dataset: Dataset
    numbers: Sequence[int]
    """The numbers of the samples that are asked."""
    judge: str | None = None
    """The judge of images or scenes, or the model that rates answers."""
    depends: frozenset[str] = frozenset()
    """The axes that it depends on, whether the plan has several values of them or one."""

    @cached_property
    def scoring(self) -> Scoring:
        """The scorer of its samples."""
        return Scoring(self.cell, self.task, self.solver)

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes about its data."""
        return self.task.rows.notes(self.dataset)

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings about the pairing of its images or scenes."""
        return self.solver.warnings if isinstance(self.solver, HasWarnings) else ()

    @property
    def asked(self) -> str:
        """The model that is asked: the subject or the judge. ``rules`` and baselines ask none."""
        return self.cell.subject if self.judge is None or self.task.grader is not None else self.judge

    def values(self, plan: Plan) -> dict[str, Any]:
        """Return its values of the axes that it depends on, whether the plan has several of them or one; prompts by
        folder.
        """
        usual = {"shots": SHOTS, "prompts": DEFAULT}
        return {name: plan.at(name, self.cell) or usual.get(name, 0) for name in AXES if name in self.depends}

    def where(self, item_id: str) -> Call:
        """Return who asks, when a sample of this row is worked on; the call's own fields are empty."""
        cell = self.cell
        at = (cell.subject, self.judge or "", cell.task, cell.solver, cell.style, item_id, cell.repeat, "", "", 0)
        return Call(*at, cell.shots, cell.prompts, cell.seed)


class ChosenItems(NamedTuple):
    """A task, its data, and the numbers of the samples that are asked."""

    task: Task
    dataset: Dataset
    numbers: Sequence[int]


@dataclass(frozen=True)
class RunSetup:
    """A plan and everything that it refers to."""

    plan: Plan
    rows: tuple[PlannedRow, ...]
    settings: Mapping[str, Settings]
    secrets: Secrets
    asked: dict[str, Any] = field(default_factory=dict)
    formats: ResponseFormats = field(default_factory=ResponseFormats, repr=False, compare=False)
    """Response formats that the judge's service is known to accept."""
    shard: Shard | None = None
    """The part of the items that its rows have; identity and name are those of the whole."""
    whole_name: str = ""
    lacking: Mapping[str, str] = field(default_factory=dict)
    """Of a saved run, what is only shown as it was recorded, by name, and what is missing here to do more."""
    items: Mapping[str, ChosenItems] = field(default_factory=dict)
    """The items that are asked of each task, in all shards together."""
    numbers_in_data: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """Of a saved run that keeps only some rows of a task, the places of its items in the data."""

    @property
    def identity(self) -> str:
        """A hash of all that can change an answer, and of the list of items."""
        return hashlib.sha256(canonical(identifying(self.asked)).encode()).hexdigest()[:16]

    @property
    def name(self) -> str:
        """A name for people: the models and the tasks."""
        if self.whole_name:
            return self.whole_name
        subjects = (*self.plan.models, *(folder.name for folder in self.plan.folders))
        models = "+".join(subject.rpartition("/")[2] for subject in subjects)
        tasks = "+".join(dict.fromkeys(row.task.key.replace("/", "-") for row in self.rows))
        suites = "+".join(dict.fromkeys(row.task.key.partition("/")[0] for row in self.rows))
        words = f"{models}-{tasks if len(tasks) < 30 else suites}"
        return re.sub(r"[^A-Za-z0-9.+_-]+", "-", words)[:LONGEST_NAME].strip("-.")

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes about the data, task by task."""
        told = (f"{row.task.key}: {note}" for row in self.rows for note in row.notes)
        shown = any("shots" in row.values(self.plan) for row in self.rows)
        shots = ["--shots changes nothing in this run: no style of it shows examples"]
        return (
            *dict.fromkeys(told),
            *(shots if self.plan.shots != Plan().shots and not shown else ()),
            *self.warnings,
        )

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings to show before anything is asked."""
        return tuple(dict.fromkeys(f"{row.task.key}: {warning}" for row in self.rows for warning in row.warnings))

    def header(self, command: Sequence[str]) -> dict[str, Any]:
        """Return what the run says of itself, without any key."""
        sources = {row.task.key: source_of(row.task, self.plan.data) for row in self.rows} if self.plan.data else {}
        origins = {name: dict(source.origin) for name, source in sources.items() if isinstance(source, NamedFile)}
        value = {
            "format": FORMAT,
            "tsgkit": __version__,
            "reader": READER,
            "name": self.name,
            "identity": self.identity,
            "begun": datetime.now(UTC).isoformat(timespec="seconds"),
            "command": list(command),
            "plan": self.plan.model_dump(mode="json"),
            "asked": self.asked,
            "data": {row.task.key: portable(row.dataset.file) for row in self.rows},
            **({"sources": origins} if origins else {}),
            "samples": sum(len(row.numbers) for row in self.rows),
            "python": platform.python_version(),
            "libraries": {name: _version(name) for name in LIBRARIES},
            **({} if self.shard is None else {SHARD: str(self.shard)}),
        }
        clean = self.secrets.redact_value(value)
        assert isinstance(clean, dict)  # noqa: S101  (redaction keeps the shape)
        return clean


def in_shard(prepared: RunSetup, shard: Shard) -> RunSetup:
    """Return the part of a plan in a shard; rows without items are left out.

    The key of an item is its task and its id, so that all styles, solvers and repeats of an item are in one shard.
    """

    def taken(row: PlannedRow) -> PlannedRow:
        ids = row.dataset.item_ids
        return replace(row, numbers=[number for number in row.numbers if shard.takes(f"{row.task.key}/{ids[number]}")])

    rows = tuple(row for row in map(taken, prepared.rows) if row.numbers)
    return replace(prepared, rows=rows, shard=shard, whole_name=prepared.name)


def prepare(plan: Plan, *, scene_time: float = SCENE_TIME, boxes: bool = False) -> RunSetup:
    """Load and check all that a plan names; ``UsageError`` before anything is asked.

    ``scene_time`` is the time limit for measuring a scene (0: none). ``boxes`` allows a model to judge scenes in which
    most objects are bare boxes.
    """
    if not scene_time >= 0:
        raise UsageError(f"--scene-time {scene_time}: seconds are needed, or 0 for no limit")
    plan = plan.model_copy(update={"data": None if plan.data is None else pinned(plan.data)})
    tasks = {name: task_of(load_card(name)) for name in _task_names(plan)}
    plan = _with_registered_files(_with_subjects(plan.model_copy(update={"tasks": tuple(tasks)}), tasks))
    settings = _settings(plan, tasks)
    _check_ways(plan, tasks)
    limits = limits_of_replies(plan, tasks.values(), settings)
    settings |= {name: with_limit(settings[name], limit) for name, limit in limits.items()}
    items = chosen_items(plan, tasks, {name: task.dataset(plan.data) for name, task in tasks.items()})
    formats, folders = ResponseFormats(), {folder.name: folder for folder in plan.folders}

    @cache
    def way_of(cell: Cell) -> Solver:
        task, dataset, _ = items[cell.task]
        seed, prompts = plan.at("seed", cell), plan.at("prompts", cell)
        if (folder := folders.get(cell.subject)) is not None:
            assert task.looks is not None  # noqa: S101  (it takes folders of this kind)
            viewing = replace(_viewing(plan, folder, cell), seconds=scene_time or None, boxes=boxes, formats=formats)
            return task.looks.viewer(task, viewing, dataset)
        if cell.subject:
            return baseline_of(task, cell.subject, seed, dataset)
        shots = plan.at("shots", cell) if FEW_SHOT in cell.style else None
        return solver_of(task, cell.solver, cell.style, dataset, shots=shots, seed=seed, prompts=prompts)

    rows = []
    for cell in cells_of(plan, tasks):
        if cell.task in items:
            answers_itself = cell.subject.startswith(BASELINE) or cell.subject in folders
            solver = way_of(cell._replace(subject=cell.subject if answers_itself else "", repeat=0))
            rows.append(row_of(cell, plan, items, solver))
    secrets = secrets_of(settings.values())
    return RunSetup(plan, tuple(rows), settings, secrets, _asked(plan, rows, settings), formats, items=items)


def row_of(cell: Cell, plan: Plan, items: Mapping[str, ChosenItems], solver: Solver) -> PlannedRow:
    """Return a row of a plan."""
    task, dataset, numbers = items[cell.task]
    is_judged = task.grader is not None or any(cell.subject == folder.name for folder in plan.folders)
    judge = plan.judge if is_judged else None
    return PlannedRow(cell, task, solver, dataset, numbers, judge, axes_of(cell, plan, {cell.task: task}))


def _task_names(plan: Plan) -> tuple[str, ...]:
    """Return the tasks meant: those named, else those that fit the data, else those of the first suite."""
    if plan.tasks:
        return tasks_named(plan.tasks)
    fitting = tasks_of_data(plan.data) if plan.data else ()
    known = [name for name in card_names() if name in fitting]
    return tuple(in_order(unnamed(known))) if known else default_tasks()


def _with_subjects(plan: Plan, tasks: Mapping[str, Task]) -> Plan:
    """Return a plan with the subjects and the judge that it names, else with those that the cards of its tasks name."""
    if not all(plan.models):
        raise UsageError("--model: a name is empty", hint="a model is named PROVIDER/NAME, as in openai/gpt-4o")
    models, scenes, judge = list(dict.fromkeys(plan.models)), plan.scenes, plan.judge
    if not (models or scenes or plan.images):
        rooms = [(name, path) for task in tasks.values() for name, path in (task.card.scenes or {}).items()]
        scenes = tuple(dict.fromkeys(f"{name}={find('tasks', path)}" for name, path in rooms))
    folders = plan.model_copy(update={"scenes": scenes}).folders
    for task in tasks.values() if not models and not folders else ():
        if task.card.subject is None:
            ways = " or ".join(SUBJECTS[kind] for kind in task.takes)
            raise UsageError(f"{task.card.source}: the card names no subject", hint=f"say whom to evaluate: {ways}")
        models.append(task.card.subject)
    models = list(dict.fromkeys(models))
    names = [*models, *(folder.name for folder in folders)]
    if twice := [name for name in names if names.count(name) > 1]:
        raise UsageError(f"two subjects are called {twice[0]}", hint="give each folder a name of its own")
    for folder in folders:
        _check_folder(folder, tasks)
    if folders and judge is None:
        judges = {task.card.judge for task in tasks.values()}
        judge = (judges.pop() if len(judges) == 1 else None) or RULES
    graders = {task.grader.model: task.key for task in tasks.values() if task.grader is not None}
    if graders and judge is None:
        if len(graders) > 1:
            raise UsageError(f"{' and '.join(graders.values())} have different judges", hint="name one: --judge MODEL")
        judge = next(iter(graders))
    if graders and judge is not None and (judge == RULES or judge.startswith(BASELINE)):
        raise UsageError(f"--judge {judge}: answers are rated by a model", hint="--judge PROVIDER/MODEL")
    if judge is not None and not folders and not graders:
        hint = "name one: --images NAME=DIR; or a task with score=tk.judged_by(...)"
        raise UsageError("--judge looks at folders, and none is named", hint=hint)
    return plan.model_copy(update={"models": tuple(models), "scenes": scenes, "judge": judge})


def _check_folder(folder: Folder, tasks: Mapping[str, Task]) -> None:
    """Raise ``UsageError`` for a folder that is not there, or that a task cannot look at."""
    if not folder.path.is_dir():
        if folder.path.exists():
            raise FileProblem(f"{folder.path}: a file, not a folder", hint="name the folder that it lies in")
        raise FileProblem(f"{folder.path}: no such folder", hint=look_alike(folder.path))
    for task in tasks.values():
        if folder.kind not in task.takes:
            # Not all that take such folders: each may want folders of its own.
            takers = " or --task ".join(name for name in card_names() if folder.kind in task_of(load_card(name)).takes)
            hint = f"name a task that takes them: --task {takers}" if takers else "no task here takes them"
            raise UsageError(f"--{folder.kind}: {task.key} takes {' and '.join(task.takes)}", hint=hint)


def _with_registered_files(plan: Plan) -> Plan:
    """Return a plan in which files of weights have the names that say what they hold, not where they lie."""
    names = {name: registered(name) if is_local(name) else name for name in asked_of(plan)}
    changed = sorted((name for name in names if names[name] != name), key=len, reverse=True)
    if not changed:
        return plan
    arguments = [
        next((names[name] + text[len(name) :] for name in changed if text.startswith(f"{name}:")), text)
        for text in plan.model_args
    ]
    judge = None if plan.judge is None else names[plan.judge]
    models = tuple(dict.fromkeys(names[name] for name in plan.models))
    return plan.model_copy(update={"models": models, "judge": judge, "model_args": tuple(arguments)})


def _settings(plan: Plan, tasks: Mapping[str, Task]) -> dict[str, Settings]:
    """Return the settings of each model; recommendations of cards are defaults."""
    asked = asked_of(plan)
    arguments = parse(plan.model_args, asked)
    is_asked = any(map(asks_a_model, asked))
    if arguments and not is_asked:
        raise UsageError("no model is asked, so --model-arg has no use", hint="add --model PROVIDER/NAME")
    temperatures = {task.card.temperature for task in tasks.values()}
    is_set = any(argument.name == "temperature" for argument in arguments)
    if len(temperatures) > 1 and is_asked and not is_set:
        hint = "give --model-arg temperature=..., or run the tasks apart"
        raise UsageError(f"the tasks recommend different temperatures: {sorted(temperatures)}", hint=hint)
    defaults = {"temperature": temperatures.pop()} if len(temperatures) == 1 else {}
    return {
        name: model_settings(name, arguments, defaults) if asks_a_model(name) else Settings(name, {}, {}, {})
        for name in asked
    }


def limits_of_replies(plan: Plan, tasks: Iterable[Task], settings: Mapping[str, Settings]) -> dict[str, ReplyLimit]:
    """Return the default limits of replies by model, for all that are servers of the user's own."""
    cards = [task.card for task in tasks]
    is_plain = all(name == SINGLE or name.startswith("vote:") for name in plan.solvers)
    reasons = not is_plain or any(style.reasoning or style.rewrite for style in map(style_of, plan.styles))
    asked = ((name, model) for name, model in settings.items() if asks_a_model(name))
    limits = {name: reply_limit(model, cards, reasons=reasons) for name, model in asked}
    return {name: limit for name, limit in limits.items() if limit is not None}


WHY_NOT = {
    "shots": "no model is asked in a few-shot style",
    "prompts": "no model is asked in the words of prompts",
    "seed": "nothing that is asked or drawn depends on it",
}
"""Reasons why an axis multiplies no row."""


def _check_ways(plan: Plan, tasks: Mapping[str, Task]) -> None:
    """Raise ``UsageError`` for settings that nothing depends on, and for unknown names of styles, solvers and prompts,
    even where only baselines answer, which use none of them.
    """
    changing = {name for cell in cells_of(plan, tasks) for name in cell.own_axes}
    for name in AXES:
        if plan.several(name) != (None,) and name not in changing:
            shown = ", ".join(map(str, plan.several(name)))
            wrong = f"--{name}: several values ({shown}), but {WHY_NOT[name]}"
            raise UsageError(wrong, hint="name one, or leave it out")
    folders: dict[Path, str] = {}
    for folder in filter(None, plan.prompt_names.values()):
        if (same_folder := folders.setdefault(Path(folder).resolve(), folder)) != folder:
            raise UsageError(f"--prompts: {same_folder} and {folder} are the same folder", hint="name it once")
    if (plan.assets or plan.missing != Plan().missing) and not plan.scenes:
        raise UsageError("--assets and --missing only apply with --scenes", hint="--scenes NAME=DIR")
    if plan.pairing != BY_ID and not plan.images:
        raise UsageError(f"--pairing {plan.pairing} only applies with --images", hint="--images NAME=DIR")
    if plan.styles != Plan().styles and not any(factory_of(solver).styled for solver in plan.solvers):
        raise UsageError(f"solver {plan.solvers[0]} asks in words of its own, so --style has no use")
    for task in tasks.values():
        for style, solver, prompts in product(plan.styles, plan.solvers, plan.prompt_names.values()):
            check_way(task, style, solver, prompts)
        looks = task.looks
        pairings, protocols = ((BY_ID,), (PUBLISHED,)) if looks is None else (looks.pairings, looks.protocols)
        if plan.pairing not in pairings:
            ways = " or ".join(pairings)
            raise UsageError(f"--pairing {plan.pairing}: {task.key} pairs images with items by {ways}")
        for protocol in plan.protocols:
            if protocol not in protocols:
                raise UsageError(f"{task.key} has no protocol {protocol}", hint=meant(protocol, protocols))


def asked_of(plan: Plan) -> tuple[str, ...]:
    """Everybody who is asked something: the models, and who looks at folders or rates answers."""
    return tuple(dict.fromkeys((*plan.models, *([plan.judge] if plan.judge is not None else []))))


def asks_a_model(name: str) -> bool:
    """Return whether a subject or judge is a model behind an interface, rather than something that answers by
    itself."""
    return name != RULES and not name.startswith((BASELINE, SCRIPT, REPLAY))


def chosen_items(
    plan: Plan, tasks: Mapping[str, Task], datasets: Mapping[str, Dataset], *, is_part: bool = False
) -> dict[str, ChosenItems]:
    """Return the items that are asked of each task, without tasks of which none is. An unknown id is an error, unless
    it may be in another part of the run.
    """
    known = {item_id for dataset in datasets.values() for item_id in dataset.item_ids} if plan.ids else set()
    if is_part:
        known |= set(plan.ids)
    if missing := [item_id for item_id in plan.ids if item_id not in known]:
        raise UsageError(f"no task has an item {missing[0]}", hint=meant(missing[0], sorted(known)[:10_000]))
    items = {}
    for name, dataset in datasets.items():
        here = set(dataset.item_ids) if plan.ids else set()
        ids = tuple(item_id for item_id in plan.ids if item_id in here)
        numbers = () if plan.ids and not ids else dataset.chosen(ItemChoice(ids, plan.limit, plan.first))
        if numbers:
            items[name] = ChosenItems(tasks[name], dataset, numbers)
    return items


def _viewing(plan: Plan, folder: Folder, cell: Cell) -> Viewing:
    judge, seed, prompts = plan.judge or RULES, plan.at("seed", cell), plan.at("prompts", cell)
    return Viewing(folder, judge, cell.solver, seed, prompts, plan.assets, plan.missing, plan.pairing)


def _asked(plan: Plan, rows: Sequence[PlannedRow], settings: Mapping[str, Settings]) -> dict[str, Any]:
    """Return all that can change an answer, and the list of items."""
    value = {
        "models": {name: _model(settings[name]) for name in plan.models},
        "tasks": {row.task.key: {"card": row.task.card.sha256, "version": row.task.card.version} for row in rows},
        "data": {row.task.key: row.dataset.sha256 for row in rows},
        "items": {row.task.key: hash_of_items(row.dataset, row.numbers) for row in rows},
        "prompts": {
            " ".join([row.cell.task, row.cell.solver, row.cell.style, *row.cell.axes]): row.solver.fingerprint
            for row in rows
        },
        "repeat": plan.repeat,
        "seed": plan.seed,
    }
    if not plan.folders and plan.judge is None:
        return value
    content, contents = cache(_content), dict[str, str]()
    for folder, row in product(plan.folders, rows):
        if row.cell.subject == folder.name:
            samples = (row.dataset.sample(number) for number in row.numbers)
            viewing = _viewing(plan, folder, row.cell)
            pieces = () if row.task.looks is None else row.task.looks.pieces(viewing, samples)
            digest = hashlib.sha256()  # of all images or scenes by name and content, wherever their folder lies
            for name, piece in sorted(dict(pieces).items()):
                digest.update(f"{name}\0{content(piece) if isinstance(piece, Path) else piece}\n".encode())
            contents[f"{folder.name} {row.task.key}"] = digest.hexdigest()
    judge = None if plan.judge is None else {"name": plan.judge} | _model(settings[plan.judge])
    return value | {"folders": contents, "judge": judge}


def _model(settings: Settings) -> dict[str, Any]:
    name = settings.model
    if name.startswith(BASELINE) or name == RULES:
        return {}
    if name.startswith((SCRIPT, REPLAY)):
        rest = name.partition(":")[2]
        return {"content": _content(Path(rest.partition("#")[0] if name.startswith(REPLAY) else rest))}
    return {"endpoint": settings.endpoint, "parameters": settings.parameters}


def _content(path: Path) -> str:
    """Return a hash of a script, or of a replayed run's calls."""
    if path.is_dir() and not (path / CALLS).is_file():
        raise FileProblem(f"{path}: no run lies here: it has no {CALLS}", hint="tsgkit runs list shows what there is")
    file = path / CALLS if path.is_dir() else path
    try:
        with file.open("rb") as stream:
            if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
                raise FileProblem(f"{file}: not a file of replies: it is a device or a pipe", hint="write it to a file")
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise FileProblem(f"{file}: cannot be read: {error.strerror}", hint=look_alike(file)) from None


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
