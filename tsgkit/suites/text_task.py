"""Tasks that models answer in words; everything follows from how a reply is read and scored.

:class:`TextTask` reads, scores, votes, previews, and scores files of replies for any such task. A suite provides the
prompts (:meth:`~TextTask.prompter`), the reader of a text (:meth:`~TextTask.read_text`) and the scores of an answer
(:meth:`~TextTask.answer_scores`). :class:`RowTask` adds the rest for tasks whose items are lines of JSON.
"""

from __future__ import annotations

import functools
import hashlib
from abc import abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from numbers import Real
from pathlib import Path
from types import MappingProxyType
from typing import Any, Generic, NamedTuple

from tsgkit.errors import NotationError, OwnCodeError, UsageError
from tsgkit.graph.notation.json_triplets import load
from tsgkit.graph.reading import Note
from tsgkit.library.cards import Card
from tsgkit.library.files import read_text
from tsgkit.library.projects import text_of
from tsgkit.llm.reply import Reply as ModelReply
from tsgkit.llm.user_code import call_own
from tsgkit.replies import Unreadable
from tsgkit.scoring.outcomes import Outcome
from tsgkit.scoring.score import Score
from tsgkit.scoring.tally import Tally
from tsgkit.suites.audits.audit import Auditable
from tsgkit.suites.audits.rows import auditable_rows
from tsgkit.suites.item_choice import ItemChoice
from tsgkit.suites.judgement import AnswerScores, Judged, Spans, TwoReadings, scored
from tsgkit.suites.metrics import Metric
from tsgkit.suites.replies import Reply, one_text, read_as, read_replies
from tsgkit.suites.scoreboard import Board, Rules, ScoreReport, add_judged, board_of
from tsgkit.suites.solvers.examples import Example, Identity, Pool, folded, pool_file
from tsgkit.suites.solvers.factories import check_solver, factory_of, recorded
from tsgkit.suites.solvers.offline_solvers import Baseline, Program, Recorded, baseline_name
from tsgkit.suites.solvers.prompt_files import Parts, Texts
from tsgkit.suites.solvers.prompter import Preview, PreviewOptions, Prompter
from tsgkit.suites.solvers.protocols import Answer, AsAsked, Item, Reading
from tsgkit.suites.solvers.scorers import OneReply
from tsgkit.suites.solvers.solver import BASELINE, SINGLE, Solver
from tsgkit.suites.styles import Style, style_of
from tsgkit.suites.task import Dataset, Items, TakesParts, Task, part_groups_of
from tsgkit.suites.transcript import Transcript

NO_FIGURES = "no figures are published for this task"
DEFAULT_STYLE = "zero-shot"


class _Way(NamedTuple):
    """The way in which replies collected elsewhere were asked for, and the seed of their intervals."""

    solver: str
    style: str
    seed: int


def _samples_in(dataset: Dataset) -> Iterator[Any]:
    return (dataset.sample(number) for number in range(len(dataset)))


class TextTask(Task, Generic[Item, Answer]):
    """A task that models answer in words."""

    baselines: Mapping[str, Callable[[Any, int], str]] = MappingProxyType({})
    """Built-in programs by name; each answers an item in the requested form. The seed decides random choices."""
    text_of_reply: Callable[[Any], str | None] = staticmethod(one_text)
    """A function from a ``reply`` in a file to its text."""

    def __init__(self, card: Card) -> None:
        super().__init__(card)
        if not card.prompts:
            raise UsageError(f"{card.source}: prompts: a task for models needs them")

    @property
    def name(self) -> str:
        """The task as its suite declares it: ``tsg/sgqa``."""
        return self.card.task

    @abstractmethod
    def prompt_sources(self, prompts: str | None) -> Mapping[str, str]:
        """Return where each part of its prompts comes from."""

    @abstractmethod
    def prompter(self, style: Style, dataset: Dataset, *, seed: int, prompts: str | None) -> Prompter[Item]:
        """Return its prompts in a style, after checking that the examples do not overlap with the items."""

    @abstractmethod
    def read_text(self, item: Item, text: str) -> Answer | Unreadable:
        """Read the text of a reply strictly."""

    def answer_scores(self, item: Item, answer: Answer | None, asked: AsAsked | None) -> AnswerScores:
        """Score an answer (None: there is none, which is worth nothing and weighs as much as a wrong one).

        ``asked`` is the reply that a published reader sees; None if the answer was not read from one reply. A task
        whose scores need more than the answer overrides :meth:`score` instead.
        """
        raise NotImplementedError

    def shown_answer(self, item: Item) -> str:
        """Return the right answer as it is asked for; a task with many right ones overrides :meth:`length` instead."""
        raise NotImplementedError

    def told(self, answer: Answer) -> Any:  # noqa: ANN401  (what a reader found: a text, or graphs)
        """Return an answer as it is shown to people."""
        return str(answer)

    def noted(self, answer: Answer) -> tuple[Note, ...]:
        """Return notes of the reader about an answer: repaired, ignored and unreadable lines."""
        return ()

    def spans(self, item: Item, text: str) -> Spans:
        """Return the positions of the answer in the text; empty if the reader does not give them."""
        return ()

    def read(self, item: Item, reply: Reply | None) -> Reading[Any]:
        """Return the outcome of a reply (None: missing), and the answer."""
        if reply is None:
            return Reading(Outcome.MISSING, None)
        if reply.outcome is not None:
            return Reading(reply.outcome, None)
        if reply.is_empty:
            return Reading(Outcome.EMPTY, None)
        found = self.read_text(item, reply.text or "")
        return Reading(Outcome.UNREADABLE if isinstance(found, Unreadable) else Outcome.ANSWERED, found)

    def score(self, item: Item, reading: Reading[Any], asked: AsAsked | None) -> Judged:
        """Score an answer in both profiles."""
        outcome, found = reading
        is_answer = outcome is Outcome.ANSWERED
        made = self.answer_scores(item, found if is_answer else None, asked)
        notes = (found.reason, *made.notes) if isinstance(found, Unreadable) else made.notes
        return made._replace(notes=notes).judged(item, outcome)

    def length(self, item: Item) -> tuple[int, int]:
        """Return how many characters a right reply has, at least and at most."""
        said = len(self.shown_answer(item))
        return said, said

    def unpublished(self, style: str, solver: str) -> str:
        """Return why replies asked for in this way have no official figures; empty where they have."""
        return NO_FIGURES

    def check_way(self, style: str, solver: str, prompts: str | None) -> None:
        """Refuse a style, a solver or prompts that there are none of, or that are not for this task."""
        style_of(style)
        check_solver(solver, self)
        self.prompt_sources(prompts)

    def item(self, options: PreviewOptions) -> tuple[Dataset, Any]:
        """Return the data that a prompt is shown of, and the item it is about."""
        dataset = self.dataset(options.data)
        ids = () if options.item is None else (options.item,)
        return dataset, dataset.sample(dataset.chosen(ItemChoice(ids))[0])

    def preview(self, options: PreviewOptions) -> Preview:
        """Return what a model would be sent for one item."""
        dataset, item = self.item(options)
        style = style_of(options.style, options.shots)
        return self.prompter(style, dataset, seed=options.seed, prompts=options.prompts).preview(self.key, item)

    def solver(
        self, name: str, style: str, dataset: Dataset, *, shots: int | None, seed: int, prompts: str | None
    ) -> Solver:
        """Return a solver for models, with prompts where it has none of its own."""
        family = factory_of(name)
        if not family.styled:
            return family.solver(name, self, None)
        chosen = style_of(style, shots)
        return family.solver(name, self, self.prompter(chosen, dataset, seed=seed, prompts=prompts))

    def baseline(self, subject: str, seed: int, dataset: Dataset) -> Baseline[Any]:
        """Return a built-in subject."""
        return Baseline(OneReply(self, "", BASELINE), self.program(subject, seed, dataset))

    def program(self, subject: str, seed: int, dataset: Dataset) -> Program[Any]:
        """Return the baseline of a subject's name (``baseline/rules``); ``UsageError`` where there is none."""
        return OwnProgram(self, baseline_name(subject, self.baselines), seed)

    def recorded(self, solver: str, style: str) -> Recorded:
        """Return a way of answering of which only the transcripts are left."""
        return recorded(self, solver, style)

    def board(self, tally: Tally, solver: Solver, seed: int, *, only: Collection[str] | None = None) -> Board:
        """Return the values of a tally, of these metrics (None: all)."""
        return self.board_by(tally, seed, style=solver.style, unpublished=solver.unpublished, only=only)

    def board_by(
        self, tally: Tally, seed: int, *, style: str, unpublished: str, only: Collection[str] | None = None
    ) -> Board:
        """Return the values of a tally of replies asked for in a style."""
        metrics = {name: metric for name, metric in self.metrics.items() if only is None or name in only}
        return board_of(tally, Rules(metrics, self.published_metrics, unpublished, seed=seed))

    def score_replies(
        self, data: str, replies: str, *, style: str | None = None, by: Sequence[str] = (), seed: int = 0
    ) -> ScoreReport:
        """Score replies that were collected elsewhere."""
        way = self._checked_way(SINGLE, style, by, seed)
        dataset = self._some_items(data)
        found, notes = self.replies_in(replies, dataset)
        judging = functools.partial(self._judge, style=way.style)
        judged = tuple(scored(judging, item, found.get(item.item_id)).judged for item in _samples_in(dataset))
        return self._report(judged, way, by, notes)

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
        """Score answers that a solver made of several calls, collected elsewhere."""
        way = self._checked_way(solver, style, by, seed)
        check_solver(solver, self)
        dataset = self._some_items(data)
        judging = self.recorded(solver, way.style).judge
        judged = tuple(scored(judging, item, calls.get(item.item_id)).judged for item in _samples_in(dataset))
        return self._report(judged, way, by, self.notes(dataset))

    def _checked_way(self, solver: str, style: str | None, by: Sequence[str], seed: int) -> _Way:
        style = style or DEFAULT_STYLE
        style_of(style)
        for group in by:
            if group not in self.groups:
                raise self.no_group(group, [self])
        return _Way(solver, style, seed)

    def _some_items(self, data: str) -> Dataset:
        dataset = self.items_to_score(data)
        if not len(dataset):
            raise UsageError(f"{data}: there are no items in it")
        return dataset

    def _report(self, judged: tuple[Judged, ...], way: _Way, by: Sequence[str], notes: tuple[str, ...]) -> ScoreReport:
        groups = {group: self._boards_by(group, judged, way) for group in by}
        board = self._board_of(judged, way)
        return ScoreReport(self.key, way.style, way.seed, self.metrics, board, groups, judged, notes)

    def items_to_score(self, data: str) -> Dataset:
        """Return the items that replies collected elsewhere are held against."""
        return self.dataset(data)

    def replies_in(self, file: str, dataset: Dataset) -> tuple[Mapping[str, Reply], tuple[str, ...]]:
        """Return the replies in a file by item, and notes about rows and unused replies."""
        return read_replies(file, dataset.item_ids, self.text_of_reply), self.notes(dataset)

    def _judge(self, item: Item, reply: Reply | None, *, style: str) -> Judged:
        return self.score(item, self.read(item, reply), AsAsked(reply, style))

    def _board_of(self, judged: Iterable[Judged], way: _Way, only: Collection[str] | None = None) -> Board:
        tally = add_judged(self.tally(), judged)
        unpublished = self.unpublished(way.style, way.solver)
        return self.board_by(tally, way.seed, style=way.style, unpublished=unpublished, only=only)

    def _boards_by(self, group: str, judged: Iterable[Judged], way: _Way) -> dict[str, Board]:
        """Return a board for each member of a group."""
        members: dict[str, list[Judged]] = {}
        for one in judged:
            for name in self.group_of(one.sample, group):
                if (part := self._part(one, group, name)) is not None:
                    members.setdefault(name, []).append(part)
        only = set(self.group_metrics(group, tuple(self.metrics))) if group in part_groups_of(self) else None
        ordered = self.in_order(members, group)
        return {name: self._board_of(members[name], way, only) for name in ordered}

    def _part(self, judged: Judged, group: str, member: str) -> Judged | None:
        """Return what counts of an item for a member of a group."""
        if not isinstance(self, TakesParts) or group not in self.part_groups:
            return judged
        part = self.part_of(judged.sample, judged.evidence, group, member)
        return None if part is None else replace(judged, scores=part.scores, counts=judged.counts | part.counts)

    def readings(self, sample: Item, reply: ModelReply, solver: Solver) -> TwoReadings:
        """Return the strict reading of a reply; there is no published reader."""
        outcome, found = self.read(sample, read_as(reply))
        answered = outcome is Outcome.ANSWERED
        reason = found.reason if isinstance(found, Unreadable) else ""
        why = self.unpublished(solver.style, solver.name)
        if not answered:
            return TwoReadings(outcome, None, reason, (), None, why, ())
        spans = self.spans(sample, reply.text or "")
        return TwoReadings(outcome, self.told(found), reason, self.noted(found), None, why, (), spans)


ROUNDING = 1e-9
MOST_AMOUNT = 1e12
"""No score is larger, so that sums of squares are numbers, too."""


def number_of(value: object, metric: str, *, is_share: bool, otherwise: str) -> float:
    """Return the number that a user's function gave a sample. Raise ``OwnCodeError`` if it is invalid.

    ``otherwise`` says how to declare a metric that is not a share.
    """
    number: Any = value.item() if hasattr(value, "item") and getattr(value, "ndim", 1) == 0 else value  # of numpy
    is_number = isinstance(number, Real)  # a bool is one
    if not is_number or not abs(number) <= MOST_AMOUNT:
        raise OwnCodeError(f"{metric}: a score is a number of at most {MOST_AMOUNT:g}, not {str(value)[:40]!r}")
    found = float(number)
    if not is_share:
        return found
    if not -ROUNDING <= found <= 1 + ROUNDING:
        raise OwnCodeError(f"{metric}: a share lies from 0 to 1, not at {found:g}: {otherwise}")
    return min(max(found, 0.0), 1.0)


OwnMetrics = Mapping[str, tuple[Metric, Callable[[Any, Any], float]]]


def with_metrics(task: Any, own: OwnMetrics) -> Any:  # noqa: ANN401  (a task of any kind, and one of the same kind)
    """Return a task that has these metrics as well, each a function of an item and its answer, in strict."""
    kind: Any = type(task)

    class Measured(kind):  # type: ignore[misc]
        """The same task with more metrics."""

        metrics = MappingProxyType({**task.metrics, **{name: described for name, (described, _) in own.items()}})

        def score(self, item: Any, reading: Reading[Any], asked: AsAsked | None) -> Judged:  # noqa: ANN401
            """Score an answer, with the added metrics too."""
            judged: Judged = super().score(item, reading, asked)
            told, strict = getattr(item, "row", item), dict(judged.scores["strict"])
            for name, (described, function) in own.items():
                value = call_own(f"metric {name}", function, told, judged.answer)
                number = number_of(value, name, is_share=described.is_share, otherwise="leave out share=True")
                strict[name] = Score(number, 1.0)
            return replace(judged, scores={**judged.scores, "strict": strict})

    Measured.__module__ = kind.__module__  # whose code a task is depends on it
    measured = copy(task)
    vars(measured).pop("metrics", None)  # a cached property has left them there
    measured.__class__ = Measured
    return measured


@dataclass(frozen=True)
class OwnProgram(Generic[Item, Answer]):
    """A baseline of a task, which another process finds by task and name."""

    task: TextTask[Item, Answer]
    name: str
    seed: int

    @property
    def fingerprint(self) -> str:
        """The program and its seed."""
        return f"{self.name}/{self.seed}"

    def answer(self, item: Item) -> str:
        """Call the function."""
        return self.task.baselines[self.name](item, self.seed)


@dataclass(frozen=True)
class RowItem:
    """An item with the fields that every item has, in a cluster of its own."""

    item_id: str
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict, kw_only=True)

    @property
    def cluster(self) -> str:
        """The item itself."""
        return self.item_id


@dataclass(frozen=True)
class RowLine(Generic[Item]):
    """A line of a file of rows, from 1: its item, or the reason why it has none."""

    number: int
    item: Item | None = None
    row: Mapping[str, Any] = field(default_factory=dict)
    problem: str = ""


class RowTask(TextTask[Item, Answer]):
    """A task whose items and examples are lines of JSON, and whose prompts are parts in files."""

    rules: tuple[str, ...] = ("rules",)
    """The parts of its prompts between statement and reasoning."""
    asked_fields: tuple[str, ...] = ()
    """The fields of its input, in which :meth:`fields` puts the values of an item."""

    @abstractmethod
    def item_of(self, row: Mapping[str, Any], number: int) -> Item:
        """Return the item of a row; ``KeyError``, ``TypeError`` and ``ValueError`` say that it is none."""

    @abstractmethod
    def fields(self, item: Item) -> Mapping[str, str]:
        """Return the values of an item for the fields of its prompts."""

    def schema(self, item: Item) -> dict[str, Any]:
        """Return the JSON schema of an answer, for the style ``structured``."""
        raise UsageError(f"{self.key}: style structured has no use here: the answer has no JSON schema")

    def identity(self, item: Item) -> Identity:
        """Return the identity of an item for comparison with examples: its displayed content, and its cluster."""
        shown = tuple(folded(value) for _, value in sorted(self.fields(item).items()))
        return Identity((shown,), (item.cluster,))

    def dataset(self, data: str | None) -> Items:
        """Return the items of a file, a folder, an installed dataset, or (None) those the card names."""
        source = self.source(data)
        text = read_text(source) if isinstance(source, Path) else text_of(source)
        items = [item for item, _ in self._items(text, str(source))]
        if not items:
            raise UsageError(f"{source}: there are no items in it")
        lines = [line for line in text.split("\n") if line.strip()]
        return Items(str(source), hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest(), items, lines)

    def row_of(self, line: str) -> Mapping[str, Any]:
        """Return the row in a line: a JSON object, or another notation of the task's data."""
        row = load(line)
        if not isinstance(row, dict):
            raise ValueError('expected an object, as in {"item_id": ...}')  # noqa: TRY004  (what a line says)
        return row

    def lines(self, text: str) -> Iterator[RowLine[Item]]:
        """Yield each line of a text that is not blank, with its item or why there is none."""
        numbered = ((number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip())
        for place, (number, line) in enumerate(numbered):
            try:
                row = self.row_of(line)
                yield RowLine(number, self.item_of(row, place), row)
            except NotationError as error:
                yield RowLine(number, problem=error.message)
            except KeyError as error:
                yield RowLine(number, problem=f"there is no field {error.args[0]}")
            except (TypeError, ValueError) as error:
                yield RowLine(number, problem=str(error))

    def _items(self, text: str, file: str) -> Iterator[tuple[Item, Mapping[str, Any]]]:
        """Yield each item of a text with its row."""
        for line in self.lines(text):
            if line.item is None:
                raise UsageError(f"{file}: line {line.number}: {line.problem}")
            yield line.item, line.row

    def prompt_sources(self, prompts: str | None) -> Mapping[str, str]:
        """Return where each part of its prompts comes from."""
        return {name: part.source for name, part in self._parts.load(prompts).items()}

    @property
    def _parts(self) -> Parts:
        return Parts(self.card.prompts, self.rules, self.asked_fields)

    def prompter(self, style: Style, dataset: Dataset, *, seed: int, prompts: str | None) -> Prompter[Item]:
        """Return its prompts in a style, after checking that the examples do not overlap with the items."""
        texts: Texts[Item] = Texts(self._parts, self._parts.load(prompts), self.fields, self.schema)
        items = (dataset.sample(number) for number in range(len(dataset)))
        examples = self.pool().chosen(style.shots, seed, items) if style.shots else ()
        return Prompter(texts, style, examples)

    def pool(self) -> Pool[Item]:
        """Return the worked examples that the card names: rows with a ``rationale``."""
        found = pool_file(self.card)
        rows = self._items(text_of(found), str(found))
        examples = (Example(item, self.shown_answer(item), str(row.get("rationale", ""))) for item, row in rows)
        return Pool(str(found), tuple(examples), self.identity)

    def clusters_are(self, dataset: Dataset) -> str:
        """Return the unit that clusters are counted in."""
        return "items"

    def auditable(self, data: str | None) -> Auditable:
        """Return its items for an audit, with the scores of its baselines beside the shortcuts."""
        return auditable_rows(self, tuple(self.dataset(data)))

    def question(self, sample: Item, *, briefly: bool = False) -> str:
        """Return what was asked about."""
        return "\n\n".join(self.fields(sample).values())

    def reference(self, sample: Item) -> str:
        """Return what is right."""
        return self.shown_answer(sample)
