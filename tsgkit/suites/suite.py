"""Suites: one manifest each, with everything that a suite adds to tsgkit.

Everything in a manifest that takes time to import is named by its place, ``"package.module:name"``, and imported on
use. A package adds a suite by an entry point in the group ``tsgkit.suites``: its name is the suite's, its value the
manifest. The package may hold the folders ``tasks``, ``prompts`` and ``eval``, laid out as in a project.

>>> [suite.name for suite in suites() if suite.module.startswith("tsgkit.")]
['tsg', 'formalimg', 'sceneeval', 'spatialgen']
>>> task_named("sgds"), task_named("layout")
('tsg/sgds', 'formalimg/layout')
>>> task_named("sgdz")
Traceback (most recent call last):
tsgkit.errors.UsageError: there is no task sgdz
"""

from __future__ import annotations

import copyreg
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from functools import cache, lru_cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tsgkit.errors import UsageError
from tsgkit.library.projects import entry_points, installed_suites
from tsgkit.registry import Command as Command

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from tsgkit.library.cards import Card
    from tsgkit.suites.metrics import Metric
    from tsgkit.suites.task import Task

OURS = ("tsgkit.suites.tsg", "tsgkit.suites.formalimg", "tsgkit.suites.sceneeval", "tsgkit.suites.spatialgen")
"""The packages of our suites, in the order of tables; each holds its manifest as ``SUITE``."""
CODE = "tsgkit.code"
"""The entry-point group of modules with users' solvers, metrics, styles and tasks."""


@dataclass(frozen=True)
class Suite:
    """The manifest of a suite."""

    name: str
    tasks: Mapping[str, str] = field(default_factory=dict)
    """The places of functions from a card to its task, by the part of the card's ``task`` after the suite's name;
    tables keep this order."""
    needs: Mapping[str, str] = field(default_factory=dict)
    """Requirements of tasks, by the part after the suite's name; other tasks need a model."""
    kinds_of: str = ""
    """The place of a function that names the tasks whose rows a file or folder holds; tasks of rows need none."""
    inspector: str = ""
    """The module that inspects files of its datasets; tasks of rows need none."""
    importer: str = ""
    """The module that fetches and imports its datasets, where these do not come file by file."""
    makers: Mapping[str, Command] = field(default_factory=dict)
    """The verbs of ``tsgkit make`` that make its items; those of our suites are listed in the command line."""
    scenes: str = ""
    """The place of a function that reads the file of a scene, where it has such (see ``tk.scene``)."""
    view: str = ""
    """The place of a function that yields panels of a sample for the browser (see ``suites/panels.py``)."""
    commands: Mapping[str, Command] = field(default_factory=dict)
    """Commands of its own; those of our suites are listed in the command line."""
    tables: str = ""
    """The file of its published tables in ``eval/reference``; empty for that of its name."""
    module: str = ""
    """The module that holds the manifest, as tsgkit found it."""

    def task_of(self, card: Card) -> Task:
        """Return the task that a card declares; ``UsageError`` where the suite has none of this name."""
        kind = card.task.partition("/")[2]
        if kind not in self.tasks:
            from tsgkit.lexicon import meant

            known = [f"{self.name}/{task_name}" for task_name in self.tasks]
            raise UsageError(f"{card.source}: task: there is no {card.task}", hint=meant(card.task, known))
        task: Task = loaded(self.tasks[kind])(card)
        from tsgkit.suites.task import Task, with_parts

        copyreg.pickle(Task, reduced)
        return with_parts(task, package=self.module.partition(".")[0])

    def row_tasks(self) -> tuple[Task, ...]:
        """Return those of its tasks whose items are lines of JSON."""
        from tsgkit.library.cards import card_names, load_card

        tasks = (self.task_of(load_card(name)) for name in card_names() if name.startswith(f"{self.name}/"))
        return tuple(task for task in tasks if task.rows.lines is not None)

    def kinds(self, file: Path) -> tuple[str, ...]:
        """Return the tasks whose rows a file or folder holds, in the order of the manifest."""
        if self.kinds_of:
            known = set(loaded(self.kinds_of)(file))
        else:
            try:
                known = set(kinds_of_rows(self.row_tasks(), file))
            except UsageError:  # a card of the suite may be broken, and the rows another's
                return ()
        return tuple(f"{self.name}/{kind}" for kind in self.tasks if kind in known)


def kinds_of_rows(tasks: Sequence[Task], file: Path) -> tuple[str, ...]:
    """Return the tasks of rows that take the first row of a file, or that a folder has a file of."""
    if file.is_dir():
        return tuple(task.kind for task in tasks if (file / f"{task.rows.stored}.jsonl").exists())
    try:
        with file.open(encoding="utf-8-sig") as lines:
            first = next(filter(str.strip, lines), "")
    except (OSError, ValueError):
        return ()
    readers = {task.kind: task.rows.lines for task in tasks if task.rows.lines is not None}
    return tuple(kind for kind, lines_of in readers.items() if any(line.item is not None for line in lines_of(first)))


def loaded(address: str) -> Any:  # noqa: ANN401  (whatever lies there)
    """Return the thing at a place, such as ``"package.module:name"``."""
    module, _, name = address.partition(":")
    return getattr(import_module(module), name)


def suites() -> tuple[Suite, ...]:
    """Return all suites: ours, then those of installed packages by name. One that cannot be loaded causes a warning."""
    ours = [_ours(package) for package in OURS]
    names = {suite.name for suite in ours}
    return (*ours, *filter(None, (_listed(point) for point in installed_suites() if point.name not in names)))


@lru_cache(maxsize=64)
def _listed(point: EntryPoint) -> Suite | None:
    """Return the suite of another package; a warning says why there is none."""
    try:
        return _theirs(point)
    except UsageError as error:
        warnings.warn(str(error), RuntimeWarning, stacklevel=2)
        return None


@lru_cache(maxsize=8)
def _ours(package: str) -> Suite:
    suite: Suite = import_module(package).SUITE
    return replace(suite, module=package)


@lru_cache(maxsize=64)
def _theirs(point: EntryPoint) -> Suite:
    """Return the suite of another package."""
    try:
        manifest = point.load()
    except Exception as error:  # noqa: BLE001 - a package fails in every way there is
        raise UsageError(
            f"the suite {point.name} cannot be loaded from {point.value}: {type(error).__name__}: {error}",
            hint="fix or uninstall the package that adds it",
        ) from None
    entry = f"the entry point {point.name} of {point.group}"
    if not isinstance(manifest, Suite):
        raise UsageError(f"{entry} is {manifest!r:.60}", hint="name a tsgkit.suites.suite.Suite")
    if manifest.name != point.name:
        raise UsageError(f"{entry} is the suite {manifest.name}", hint="name it so")
    return replace(manifest, module=point.module)


_GIVEN: dict[str, tuple[Task, str]] = {}
_METRICS: dict[str, dict[str, tuple[Metric, Callable[[Any, Any], float]]]] = {}


def give_task(task: Task, code: str = "") -> None:
    """Let a task that a program, or a file of code, made be found by its name."""
    _GIVEN[task.key] = task, code


def code_of(task: str) -> str:
    """Return the file of code that made a task; empty where none did."""
    return _GIVEN[task][1] if task in _GIVEN else ""


def give_metric(task: str, name: str, described: Metric, function: Callable[[Any, Any], float]) -> None:
    """Let one more metric count for a task; ``UsageError`` where it has one of this name."""
    from tsgkit.library.cards import load_card

    key = task_named(str(task))
    _METRICS.setdefault(key, {}).pop(name, None)
    declared = task_of(load_card(key))
    if declared.score is None:
        raise UsageError(f"{key}: own metrics need a task that models answer in words")
    if name in declared.metrics:
        raise UsageError(f"{key} has a metric {name} already", hint="give yours another name")
    _METRICS[key][name] = described, function


def has_registered_parts() -> bool:
    """Return whether this process registered tasks or metrics, which a fresh one does not know."""
    return bool(_GIVEN or _METRICS)


@cache
def load_code() -> None:
    """Load the modules that installed packages name in the group ``tsgkit.code``: they register parts of their own."""
    for point in entry_points(group=CODE):
        try:
            point.load()
        except Exception as error:  # noqa: BLE001 - a package fails in every way there is
            problem = f"{point.value} of the entry point {point.name} in {CODE}: {type(error).__name__}: {error}"
            warnings.warn(problem, RuntimeWarning, stacklevel=2)


def task_of(card: Card) -> Task:
    """Return the task of a card, with users' metrics. Raise ``UsageError`` if no suite has it."""
    load_code()
    name = card.task.partition("/")[0]
    if card.name in _GIVEN:
        task = _GIVEN[card.name][0]
    elif ours := next((suite for suite in map(_ours, OURS) if suite.name == name), None):
        task = ours.task_of(card)
    elif point := next((point for point in installed_suites() if point.name == name), None):
        task = _theirs(point).task_of(card)
    else:
        known = ", ".join(suite.name for suite in suites())
        raise UsageError(f"{card.source}: task: there is no suite {name}", hint=f"the suites: {known}")
    metrics = _METRICS.get(card.name)
    if not metrics:
        return task
    from tsgkit.suites.task import with_metrics

    return with_metrics(task, metrics)


def reduced(task: Task) -> tuple[Any, ...]:
    """Return how a task is made again in another process: of its card, since functions cannot be sent."""
    return _task_again, (task.card, tuple(function for _, function in _METRICS.get(task.key, {}).values()))


def _task_again(card: Card, functions: Sequence[Callable[..., Any]]) -> Task:
    """Return a task in another process, which had to import the functions that were given to it."""
    return task_of(card)


def suite_of(card: Card) -> Suite | None:
    """Return the suite of a card; None for a task that a program made."""
    name = card.task.partition("/")[0]
    return next((suite for suite in suites() if suite.name == name), None)


def tasks_of_rows(file: Path) -> tuple[str, ...]:
    """Return the tasks whose rows a file or folder holds; none if unknown."""
    return tuple(name for suite in suites() for name in suite.kinds(file))


def tasks_of_data(data: str) -> tuple[str, ...]:
    """Return the tasks whose rows a file, a folder, a table or a dataset of the hub holds; none if unknown."""
    from tsgkit.library.cards import load_card
    from tsgkit.library.row_sources import row_place
    from tsgkit.library.tables import SUFFIXES

    source = row_place(data)
    if source is None or (source.is_folder and tasks_of_rows(Path(data))):
        return tasks_of_rows(Path(data))
    if names := [name for name in source.mappings if name]:
        return tasks_named(names)
    if matching := tuple(name for name in _tasks() if task_of(load_card(name)).rows.stored in source.stems):
        return matching
    raw = source.rows_of(native=SUFFIXES).held
    return tasks_of_rows(raw) or tasks_of_rows(source.rows_of().held)


CHECK = "tsgkit check shows all that is wrong"


def tasks_hint(file: str) -> str:
    """Return a hint at the tasks that take the rows of a file, where some task does."""
    from tsgkit.library.tables import TABLES, suffix_of

    if suffix_of(file) in TABLES:
        return "columns whose names are not those of our fields need a mapping: --mapping FILE"
    fitting = tasks_of_rows(Path(file)) if Path(file).is_file() else ()
    return f"these rows are of {' or '.join(fitting)}: --task {fitting[0]}" if fitting else CHECK


def default_tasks() -> tuple[str, ...]:
    """Return the tasks that run by default: those of the first suite."""
    return tasks_named([suites()[0].name])


def tasks_named(names: Iterable[str]) -> tuple[str, ...]:
    """Return the tasks for these names: a task, a suite for all its own, or a pattern such as ``tsg/*-sgg``.

    A suite's name selects its tasks that are not on request.
    """
    known = _tasks()
    chosen: list[str] = []
    for name in names:
        if of_suite := unnamed(task for task in known if task.startswith(f"{name}/")):
            chosen += in_order(of_suite)
        elif any(letter in name for letter in "*?["):
            matching = [task for task in known if fnmatchcase(task, name)]
            if not matching:
                raise UsageError(f"no task fits the pattern {name}", hint=f"the tasks: {', '.join(known)}")
            chosen += in_order(matching)
        else:
            chosen.append(task_named(name, known))
    return tuple(dict.fromkeys(chosen))


def task_named(name: str, known: Sequence[str] | None = None, where: str = "") -> str:
    """Return the task of a name, which may lack the suite's (the first suite that has it is meant).

    A suite's name selects its only task. ``where`` names the known tasks in messages, if not all are known.
    """
    from tsgkit.lexicon import meant

    known = _tasks() if known is None else known
    name = name.removesuffix(".yaml")
    if name in known:
        return name
    if "/" not in name:
        if bare := in_order(task for task in known if task.partition("/")[2] == name):
            return bare[0]
        of_suite = [task for task in known if task.startswith(f"{name}/")]
        if len(of_suite) == 1:
            return of_suite[0]
        if of_suite:
            raise UsageError(f"{name} is a suite; one task is wanted", hint=f"its tasks: {', '.join(of_suite)}")
    candidates = list(known)
    if "/" not in name:
        parts = [task.partition("/") for task in known]
        candidates = [*dict.fromkeys(suite for suite, _, _ in parts), *(kind for _, _, kind in parts)]
    raise UsageError(f"there is no task {name}{where}", hint=meant(name, candidates))


def _tasks() -> tuple[str, ...]:
    from tsgkit.library.cards import card_names

    return card_names()


def unnamed(names: Iterable[str]) -> list[str]:
    """Return those of some tasks that are run without being named themselves, as their cards say."""
    from tsgkit.library.cards import load_card

    return [name for name in names if not load_card(name).on_request]


def in_order(names: Iterable[str]) -> list[str]:
    """Return tasks in the order of tables: those of the first suite as its manifest has them, then all by name."""
    first = suites()[0]
    places = {f"{first.name}/{kind}": index for index, kind in enumerate(first.tasks)}
    return sorted(names, key=lambda name: (places.get(name, len(places)), name))
