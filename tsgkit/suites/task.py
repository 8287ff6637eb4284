"""Tasks: data, ways of answering, scores and displays; and optional capabilities as protocols.

A suite makes a :class:`Task` of a card (:mod:`~tsgkit.suites.suite`); runs and reports use nothing else. A task that
lacks a capability raises ``UsageError``.
"""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Literal, NamedTuple, Protocol, runtime_checkable

from tsgkit.errors import UsageError
from tsgkit.graph.model import ActionGraph, Vocabulary
from tsgkit.lexicon import meant
from tsgkit.library.cards import Card
from tsgkit.library.catalogue import catalogue
from tsgkit.library.datasets import dataset_file, default_file, installed, shipped_datasets, shipped_file
from tsgkit.library.projects import find
from tsgkit.library.row_sources import row_place
from tsgkit.llm.reply import Reply
from tsgkit.scoring.outcomes import Outcome
from tsgkit.scoring.tally import Tally
from tsgkit.suites.audits.audit import Auditable
from tsgkit.suites.item_choice import ALL, ItemChoice, Traits, chosen_numbers, numbers_of, traits_of
from tsgkit.suites.judgement import Judged, PartOfSample, Sample, TwoReadings, Verdict
from tsgkit.suites.judges.judge import ResponseFormats
from tsgkit.suites.metrics import Metric, check_metrics, columns_of
from tsgkit.suites.scoreboard import Board, ScoreReport
from tsgkit.suites.solvers.solver import BASELINE, Solver
from tsgkit.suites.transcript import Transcript

Kind = Literal["models", "images", "scenes"]
"""The kinds of subjects: models, folders of images, folders of scenes."""
OURS, PUBLISHED = "ours", "published"
Pairing = Literal["id", "position"]
"""The pairing of images with items: by id, or by sorted position."""
BY_ID: Pairing = "id"
BY_POSITION: Pairing = "position"


class Dataset(Protocol):
    """The samples of one task in one file."""

    @property
    def file(self) -> str:
        """The file of the samples."""

    @property
    def sha256(self) -> str:
        """A hash of all that is asked."""

    @property
    def item_ids(self) -> Sequence[str]:
        """The ids of all samples, in the order of the file."""

    def __len__(self) -> int:
        """Return how many there are."""

    def sample(self, number: int) -> Any:  # noqa: ANN401  (its suite's sample)
        """Return a sample by its number from 0."""

    def chosen(self, choice: ItemChoice = ALL) -> Sequence[int]:
        """Return the numbers of the samples of a choice, in the order of the file."""

    def chosen_hash(self, numbers: Iterable[int]) -> str:
        """Return a hash of the list of items that are asked."""

    @property
    def ending(self) -> str:
        """The ending of a file that :meth:`written` makes."""

    def written(self, numbers: Iterable[int]) -> Iterator[str]:
        """Yield, in pieces, the text of a file that holds these samples; nothing where they come from no file."""

    def call_it(self, file: str, sha256: str) -> None:
        """Take the name and the hash of the file that these rows were copied from."""


class Items:
    """A dataset held in memory.

    >>> items = Items("rows.jsonl", "0" * 64, [])
    >>> items.chosen(ItemChoice(("7",)))
    Traceback (most recent call last):
    tsgkit.errors.UsageError: rows.jsonl: there is no item 7
    """

    ending = ".jsonl"

    def __init__(self, file: str, sha256: str, samples: Sequence[Sample], lines: Sequence[str] | None = None) -> None:
        self.file, self.sha256, self._samples, self._lines = file, sha256, samples, lines
        self.item_ids: Sequence[str] = [sample.item_id for sample in samples]
        self._numbers = {item_id: number for number, item_id in enumerate(self.item_ids)}
        if len(self._numbers) < len(samples):
            twice = next(name for place, name in enumerate(self.item_ids) if self._numbers[name] != place)
            raise UsageError(f"{file}: the item id {twice} occurs twice")

    def __len__(self) -> int:
        return len(self._samples)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._samples)

    def sample(self, number: int) -> Any:  # noqa: ANN401  (its suite's sample)
        """Return a sample by its number from 0."""
        return self._samples[number]

    def chosen(self, choice: ItemChoice = ALL) -> Sequence[int]:
        """Return the numbers of the samples of a choice, in the order of the file."""
        numbers = numbers_of(choice.ids, self._numbers, self.item_ids, self.file)
        return chosen_numbers(self.item_ids, numbers, choice, self._traits)

    def _traits(self, number: int) -> Traits:
        return traits_of(self._samples[number].cluster, self._samples[number].groups)

    def chosen_hash(self, numbers: Iterable[int]) -> str:
        """Return a hash of the list of items that are asked."""
        return hashlib.sha256(json.dumps([self.item_ids[number] for number in numbers]).encode()).hexdigest()

    def written(self, numbers: Iterable[int]) -> Iterator[str]:
        """Yield the lines of these samples; nothing where the lines are not known."""
        if self._lines is not None:
            yield from (f"{self._lines[number]}\n" for number in numbers)

    def call_it(self, file: str, sha256: str) -> None:
        """Take the name and the hash of the file that these rows were copied from."""
        self.file, self.sha256 = file, sha256


@dataclass(frozen=True)
class Folder:
    """A folder as a subject: its name in tables, its kind, and its path."""

    name: str
    kind: Kind
    path: Path


@dataclass(frozen=True)
class Viewing:
    """The way in which a folder is judged: the judge, the protocol, and the seed."""

    folder: Folder
    judge: str
    """The judge: a model to ask, or ``rules``."""
    protocol: str
    seed: int
    prompts: str | None = None
    assets: tuple[str, ...] = ()
    """Folders of assets named by id, as ``LAYOUT=DIR``."""
    missing: str = "error"
    """The treatment of a missing part: an ``error``, or its ``box``."""
    pairing: Pairing = BY_ID
    boxes: bool = False
    """True if a model may judge scenes in which most objects are bare boxes."""
    seconds: float | None = None
    """The time limit for measuring one scene, without replies; None for no limit."""
    formats: ResponseFormats = field(default_factory=ResponseFormats, repr=False, compare=False)
    """Response formats that the judge's service is known to accept."""


class Piece(NamedTuple):
    """Content that is judged: a name that does not depend on its folder, and its file or text."""

    name: str
    held: Path | str


@dataclass(frozen=True)
class Control:
    """The scores of a control program on the same samples, by metric; ``n`` counts its answers."""

    name: str
    n: int
    values: Mapping[str, float]


class Task(ABC):
    """A task as declared by a card."""

    takes: tuple[Kind, ...] = ("models",)
    protocols: tuple[str, ...] = (PUBLISHED,)
    """The ways in which finished things are looked at; the first is taken where none is named."""
    pairings: tuple[Pairing, ...] = (BY_ID,)
    """The possible pairings of images with its items."""
    groups: tuple[str, ...] = ()
    """The groups of its samples."""
    k_counts: str = ""
    """The meaning of the group ``k``, for plots; empty if there is no such group."""
    shown: tuple[str, ...] = ()
    """The metrics in the table of a terminal; empty for the main one only."""
    computes: bool = False
    """True if its offline solvers compute long enough for several processes; their inputs and outputs are then
    pickled."""
    scoring_computes: bool = False
    """True if scoring a sample takes milliseconds, as proving formulas does: an executor then does it, too."""
    formats: tuple[str, ...] = (".jsonl",)
    """The endings of the files of rows that it reads as they are; tables of other formats are converted."""
    shared_labels: tuple[str, ...] = ()
    """Labels of questions about the task and not about a sample: asked in the same words, they are asked once a run."""

    def __init__(self, card: Card) -> None:
        self.card = card
        self.kind = card.task.partition("/")[2]
        check_metrics(card, self.metrics)

    @property
    def key(self) -> str:
        """The name of its card."""
        return self.card.name

    @property
    def stored(self) -> str:
        """The name of its rows in folders and datasets."""
        return self.kind

    @property
    @abstractmethod
    def metrics(self) -> Mapping[str, Metric]:
        """Its metrics."""

    @property
    def published_metrics(self) -> Collection[str]:
        """The metrics that the published code computes."""
        return ()

    @abstractmethod
    def dataset(self, data: str | None) -> Dataset:
        """Return the rows of a file, a folder, an installed dataset, or (None) those the card names."""

    def source(self, data: str | None) -> Path | Traversable:
        """Return the source of its rows: a file, a file in a folder, a table, an installed dataset, a dataset of the
        hub, or (None) the card's data."""
        if data is None:
            return self._default_source()
        if place := row_place(data, self.stored, self.formats):
            return place.rows_of(self.key, self.stored, self.formats)
        path = Path(data)
        if path.is_dir():
            return path / f"{self.stored}.jsonl"
        return path if path.exists() else self._named_source(data) or path

    def _named_source(self, name: str) -> Path | Traversable | None:
        """Return the source of its rows in a dataset of this name; None for what looks like a path."""
        suite = self.key.partition("/")[0]
        if name in {*catalogue(), *(one.name for one in installed())}:
            return dataset_file(name, self.stored)
        if (found := shipped_file(suite, name, self.stored)) is None and not set("./\\") & set(name):
            names = (*shipped_datasets(suite), *catalogue())
            raise UsageError(f"{self.key}: no file, folder or dataset is called {name}", hint=meant(name, names))
        return found

    def _default_source(self) -> Path | Traversable:
        """Return the source that ``TSGKIT_DATASET`` names, if that dataset has such rows, else the card's."""
        if found := default_file(self.key.partition("/")[0], self.stored):
            return found
        named = self.card.data
        is_known = named in {*catalogue(), *(one.name for one in installed())}
        return dataset_file(named, self.stored) if is_known else find("tasks", named)

    def clusters_are(self, dataset: Dataset) -> str:
        """Return the unit that the clusters of its samples are counted in, as tables name it."""
        return "scenarios"

    def notes(self, dataset: Dataset) -> tuple[str, ...]:
        """Return notes about the rows, such as rows that this task leaves out."""
        return ()

    def draws_lots(self, way: str) -> bool:
        """Return whether a baseline, or a protocol, depends on the seed; other rows are not repeated for
        several seeds."""
        return way.startswith(f"{BASELINE}/") and way != f"{BASELINE}/rules"

    def check_way(self, style: str, solver: str, prompts: str | None) -> None:  # noqa: B027  (most tasks have one way)
        """Raise ``UsageError`` if the style, solver or prompt set does not exist."""

    def solver(
        self, name: str, style: str, dataset: Dataset, *, shots: int | None, seed: int, prompts: str | None
    ) -> Solver:
        """Return a solver for models, with its prompts."""
        raise UsageError(f"{self.key}: no model is asked this", hint="tsgkit eval --help lists its options")

    @abstractmethod
    def baseline(self, subject: str, seed: int, dataset: Dataset) -> Solver:
        """Return a built-in subject, which asks no model."""

    @abstractmethod
    def recorded(self, solver: str, style: str) -> Solver:
        """Return a solver that scores recorded transcripts and cannot ask."""

    def tally(self) -> Tally:
        """Return an empty tally of its metrics in both profiles."""
        return Tally({"strict": columns_of(self.metrics), "official": self.official_columns()})

    def official_columns(self) -> Sequence[str]:
        """Return what the official profile is tallied by."""
        return columns_of({name: self.metrics[name] for name in self.published_metrics})

    @abstractmethod
    def board(self, tally: Tally, solver: Solver, seed: int, *, only: Collection[str] | None = None) -> Board:
        """Return the values of a tally, of these metrics (None: all)."""

    def next_steps(self, same: str) -> tuple[str, ...]:
        """Return the commands that make sense after a baseline; ``same`` are the options that ask the same again."""
        if "models" in self.takes:
            return (
                f"a real model: export OPENAI_API_KEY=...; tsgkit eval{same} --model openai/gpt-4o --limit 10",
                f"a server of yours: tsgkit eval{same} --model openai/NAME --model-arg api_base=http://127.0.0.1:8000/v1",
            )
        return tuple(f"a folder of {kind} of yours: tsgkit eval{same} --{kind} NAME=DIR" for kind in self.takes)

    def verdicts(self, record: Mapping[str, Any], sample: Any, metric: str) -> Iterable[Verdict]:  # noqa: ANN401
        """Yield a record's verdict on each question of a sample: right if strict gives the full weight of a metric."""
        total, weight = record["parts"].get("strict", {}).get(metric, (0.0, 0.0))
        answer = record["answer"]
        yield Verdict("", bool(weight) and total == weight, answer if isinstance(answer, str) else None)

    def group_of(self, sample: Any, group: str) -> tuple[str, ...]:  # noqa: ANN401  (its suite's sample)
        """Return the members of a group that a sample belongs to."""
        found: tuple[str, ...] = sample.groups.get(group, ())
        return found

    def group_metrics(self, group: str, shown: Sequence[str]) -> Sequence[str]:
        """Return the metrics shown for members of groups if these are shown for all samples."""
        return [name for name in shown if self.metrics[name].is_headline]

    def in_order(self, members: Iterable[str], group: str) -> list[str]:
        """Return the members of a group as people expect them: numbers by size, then names."""
        return sorted(members, key=lambda name: (not name.isdecimal(), int(name) if name.isdecimal() else 0, name))

    def no_group(self, group: str, tasks: Sequence[Task]) -> UsageError:
        """Return why none of these tasks can be grouped so."""
        names = tuple(dict.fromkeys(name for task in tasks for name in task.groups))
        if not names:
            return UsageError(f"{', '.join(task.key for task in tasks)}: cannot be grouped by anything")
        return UsageError(f"there is no group {group}", hint=meant(group, names))

    @abstractmethod
    def question(self, sample: Any, *, briefly: bool = False) -> str:  # noqa: ANN401
        """Return what was asked about, in words."""

    @abstractmethod
    def reference(self, sample: Any) -> str:  # noqa: ANN401
        """Return what is right, in words."""

    def reference_value(self, sample: Any) -> Any:  # noqa: ANN401  (as JSON has it)
        """Return what is right, as a value."""
        return self.reference(sample)

    @abstractmethod
    def readings(self, sample: Any, reply: Reply, solver: Solver) -> TwoReadings:  # noqa: ANN401
        """Return what both profiles read in one reply."""


@dataclass(frozen=True)
class Graphs:
    """The graphs of reference and answer, and the elements that they may use."""

    references: tuple[ActionGraph, ...]
    answers: tuple[ActionGraph, ...]
    vocabulary: Vocabulary


@runtime_checkable
class Viewable(Protocol):
    """A task that judges images or scenes in folders."""

    def viewer(self, viewing: Viewing, dataset: Dataset) -> Solver:
        """Return a solver for a folder of finished things."""

    def pieces_of(self, viewing: Viewing, samples: Iterable[Any]) -> Iterable[Piece]:
        """Return all judged content for these samples; it is part of a run's identity."""


@runtime_checkable
class ScoresReplies(Protocol):
    """A task that scores replies collected elsewhere."""

    def score_replies(
        self, data: str, replies: str, *, style: str | None = None, by: Sequence[str] = (), seed: int = 0
    ) -> ScoreReport:
        """Score a file of replies."""


@runtime_checkable
class ScoresCalls(Protocol):
    """A task that scores answers made of several calls, which a solver made elsewhere."""

    def score_calls(
        self,
        data: str,
        calls: Mapping[str, Transcript],
        solver: str,
        *,
        style: str | None = None,
        by: Sequence[str] = (),
        seed: int = 0,
    ) -> ScoreReport:
        """Score the calls about each item."""


@runtime_checkable
class AuditableTask(Protocol):
    """A task that can be audited."""

    def auditable(self, data: str | None) -> Auditable:
        """Return its items for an audit, with its own checks and shortcuts. Defective items are included."""


@runtime_checkable
class Controlled(Protocol):
    """A task with control programs whose scores are shown beside every score."""

    def controls(self, dataset: Dataset, numbers: Sequence[int], seed: int) -> Sequence[Control]:
        """Return the scores of the control programs on these samples; they are computed whenever they are shown."""


@runtime_checkable
class TakesParts(Protocol):
    """A task with partial groups, such as the clauses of one predicate."""

    part_groups: tuple[str, ...]

    def part_of(self, sample: Any, evidence: Any, group: str, member: str) -> PartOfSample | None:  # noqa: ANN401
        """Return the part of a sample that counts for a member of such a group; None for nothing."""


@dataclass(frozen=True)
class OfficialResults:
    """The results that the official code of a task gave to one subject, scored in the profile ``official``."""

    subject: str
    judged: Mapping[str, Judged]
    """The scored results by item."""
    problems: Mapping[str, Sequence[str]]
    """The names of what is not compared, by kind: files that cannot be read, items that are only there."""


@runtime_checkable
class ReadsOfficialResults(Protocol):
    """A task that reads the results of its official code."""

    def official_results(self, folder: Path, samples: Iterable[Any]) -> Sequence[OfficialResults]:
        """Return the results in a folder, subject by subject."""

    def verdicts(
        self,
        record: Mapping[str, Any],
        sample: Any,  # noqa: ANN401
        metric: str,
        profile: str = "strict",
    ) -> Iterable[Verdict]:
        """Yield a record's verdict on each question of a sample, under a profile."""

    def categories(self, record: Mapping[str, Any]) -> Mapping[str, str]:
        """Return the category that each object was matched to."""


@runtime_checkable
class Traced(Protocol):
    """A task whose verdicts follow explainable rules."""

    def trace(self, judged: Judged) -> tuple[str, ...]:
        """Return how a verdict came about, line by line."""


@runtime_checkable
class NamesFaults(Protocol):
    """A task that names what is missing, extra or wrong in an answer."""

    def faults(self, answer: Any, evidence: Any) -> Iterable[str]:  # noqa: ANN401  (as a record has them)
        """Return the differences of an answer that is not fully right, in a few words each."""


@runtime_checkable
class Drawable(Protocol):
    """A task whose answers are graphs."""

    def graphs(self, sample: Any, judged: Judged) -> Graphs | None:  # noqa: ANN401  (its suite's sample)
        """Return the graphs that were wanted and given; None where something else is asked for."""


def part_groups_of(task: Task) -> tuple[str, ...]:
    """Return the groups of a task whose members take only some of a sample."""
    return task.part_groups if isinstance(task, TakesParts) else ()


def controls_of(task: Task, dataset: Dataset, numbers: Sequence[int], seed: int) -> tuple[Control, ...]:
    """Return the scores of control programs on these samples, if the task has any."""
    return tuple(task.controls(dataset, numbers, seed)) if isinstance(task, Controlled) else ()


def faults_of(task: Task, record: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the differences that the evidence of an answered sample names, if the task names any."""
    if not isinstance(task, NamesFaults) or record["outcome"] != Outcome.ANSWERED or record["evidence"] is None:
        return ()
    return tuple(task.faults(record["answer"], record["evidence"]))


def trace_of(task: Task, judged: Judged) -> tuple[str, ...]:
    """Return the derivation of a verdict, line by line; empty if the task has none."""
    return task.trace(judged) if isinstance(task, Traced) else ()
