"""A task is one value: a card, and the parts by which its items are found, asked, read, scored and shown.

A suite makes a :class:`Task` of a card (:mod:`~tsgkit.suites.suite`); runs and reports use nothing else. Parts are
functions and small values, and a capability that a task lacks is a part that it does not name.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from numbers import Real
from pathlib import Path
from typing import Any, Literal, NamedTuple

from tsgkit.errors import OwnCodeError, UsageError
from tsgkit.graph.model import ActionGraph, Vocabulary
from tsgkit.graph.reading import Note
from tsgkit.lexicon import meant
from tsgkit.library.cards import Card
from tsgkit.llm.images import ImageFile
from tsgkit.llm.reply import Reply
from tsgkit.llm.user_code import call_own
from tsgkit.scoring.pooling import Outcome, Score, Tally
from tsgkit.suites.audits.audit import Auditable
from tsgkit.suites.judgement import AnswerScores, Given, Judged, PartOfSample, QuestionVerdict, Spans, TwoReadings
from tsgkit.suites.judges.judge import ResponseFormats
from tsgkit.suites.judges.ratings import JudgedBy
from tsgkit.suites.metrics import Metric, check_metrics, columns_of
from tsgkit.suites.replies import CollectedReply
from tsgkit.suites.rows import Dataset, ItemChoice, Rows, Source
from tsgkit.suites.scoreboard import Board, BoardRules, ScoreReport, board_of
from tsgkit.suites.solvers.prompt_files import Prompt
from tsgkit.suites.solvers.prompter import Preview, PreviewOptions
from tsgkit.suites.solvers.solver import BASELINE, Baselines, Scorer, Solver

Kind = Literal["models", "images", "scenes"]
"""The kinds of subjects: models, folders of images, folders of scenes."""
OURS, PUBLISHED = "ours", "published"
Pairing = Literal["id", "position"]
"""The pairing of images with items: by id, or by sorted position."""
BY_ID: Pairing = "id"
BY_POSITION: Pairing = "position"
NO_FIGURES = "no figures are published for this task"
ROUNDING = 1e-9
MOST_AMOUNT = 1e12
"""No score is larger, so that sums of squares are numbers, too."""


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


class JudgedContent(NamedTuple):
    """Content that is judged: a name that does not depend on its folder, and its file or text."""

    name: str
    held: Path | str


@dataclass(frozen=True)
class Control:
    """The scores of a control program on the same samples, by metric; ``n`` counts its answers."""

    name: str
    n: int
    values: Mapping[str, float]


@dataclass(frozen=True)
class OfficialResults:
    """The results that the official code of a task gave to one subject, scored in the profile ``official``."""

    subject: str
    judged: Mapping[str, Judged]
    """The scored results by item."""
    problems: Mapping[str, Sequence[str]]
    """The names of what is not compared, by kind: files that cannot be read, items that are only there."""


@dataclass(frozen=True)
class Graphs:
    """The graphs of reference and answer, and the elements that they may use."""

    references: tuple[ActionGraph, ...]
    answers: tuple[ActionGraph, ...]
    vocabulary: Vocabulary | None = None
    """None if any name is allowed."""


@dataclass(frozen=True, kw_only=True)
class WriterInput:
    """The input for writing or repairing the graphs of a sentence."""

    sentence: str
    context: tuple[str, ...] = ()
    """The sentences before."""
    vocabulary: Vocabulary | None = None
    """The allowed names of nodes and edges; None if any name is allowed."""
    k: int = 1
    """How many graphs are asked for."""
    begins: bool
    """True if nothing happened before the sentence, so that the hands are free; else their content is unknown."""
    spoilt: ActionGraph | None = None
    """The graph to be mended; None where graphs are to be written."""
    hints: tuple[str, ...] = ()
    """The kinds of errors in it, if given: values of :class:`~tsgkit.graph.corruptions.Corruption`."""
    right: tuple[ActionGraph, ...] = ()
    """The right graphs, by which sizes are estimated; no prompt shows them."""


Condition = Literal["none", "text", "drawn"]


@dataclass(frozen=True)
class Painting:
    """An image to make: the id that names it, the prompt, and an image to show to the model."""

    item_id: str
    prompt: str
    image: ImageFile | None = None


@dataclass(frozen=True)
class PaintingOptions:
    """Options of image prompts that the task decides.

    ``condition`` says how a layout from ``layouts`` enters the prompt: not at all, as text, or as an image (kept in
    ``drawings``). Without ``instruction`` the layout is given alone.
    """

    condition: Condition = "none"
    layouts: Path | None = None
    instruction: bool = True
    drawings: Path = Path("drawings")


# The parts


def right_in_full(
    record: Mapping[str, Any],
    sample: Any,  # noqa: ANN401
    metric: str,
    profile: str = "strict",
) -> Iterable[QuestionVerdict]:
    """Yield a record's one verdict: right if a profile gives the full weight of a metric."""
    total, weight = record["parts"].get(profile, {}).get(metric, (0.0, 0.0))
    answer = record["answer"]
    yield QuestionVerdict("", bool(weight) and total == weight, answer if isinstance(answer, str) else None)


@dataclass(frozen=True, kw_only=True)
class View:
    """The display of items and answers to people."""

    question: Callable[[Any], str]
    """Returns what was asked about, in words."""
    brief: Callable[[Any], str] | None = None
    """Returns the same briefly; None for the same."""
    reference: Callable[[Any], str]
    """Returns what is right, in words."""
    value: Callable[[Any], Any] | None = None
    """Returns what is right, as JSON has it; None for the words."""
    told: Callable[[Any], Any] = str
    """Returns an answer as people are shown it: a text, or graphs."""
    noted: Callable[[Any], Iterable[Note]] = lambda _: ()
    """Returns the notes of the reader about an answer: repaired, ignored and unreadable lines."""
    spans: Callable[[Any, str], Spans] = lambda _, __: ()
    """Returns the positions of the answer in a reply; empty if the reader does not give them."""
    trace: Callable[[Judged], tuple[str, ...]] = lambda _: ()
    """Returns how a verdict came about, line by line."""
    faults: Callable[[Any, Any], Iterable[str]] = lambda _, __: ()
    """Returns, of an answer and its evidence, the differences of one that is not fully right."""
    graphs: Callable[[Any, Judged], Graphs | None] = lambda _, __: None
    """Returns the graphs that were wanted and given, where these are graphs."""
    verdicts: Callable[..., Iterable[QuestionVerdict]] = right_in_full
    """Yields, of record, sample, metric and profile, the verdict on each question of a sample."""

    def value_of(self, sample: Any) -> Any:  # noqa: ANN401  (as JSON has it)
        """Return what is right, as a value."""
        return self.reference(sample) if self.value is None else self.value(sample)

    def brief_of(self, sample: Any) -> str:  # noqa: ANN401  (its suite's sample)
        """Return what was asked about, briefly."""
        return self.question(sample) if self.brief is None else self.brief(sample)

    def faults_of(self, record: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the differences that the evidence of an answered sample names."""
        if record["outcome"] != Outcome.ANSWERED or record["evidence"] is None:
            return ()
        return tuple(self.faults(record["answer"], record["evidence"]))


def stored_members(sample: Any, group: str) -> tuple[str, ...]:  # noqa: ANN401
    """Return the members of a group that the data name for a sample."""
    members: tuple[str, ...] = sample.groups.get(group, ())
    return members


def by_number(members: Iterable[str], group: str) -> list[str]:
    """Return the members of a group as people expect them: numbers by size, then names."""
    return sorted(members, key=lambda name: (not name.isdecimal(), int(name) if name.isdecimal() else 0, name))


@dataclass(frozen=True, kw_only=True)
class Groups:
    """The groups of a task's samples."""

    names: tuple[str, ...] = ()
    of: Callable[[Any, str], tuple[str, ...]] = stored_members
    """Returns the members of a group that a sample belongs to."""
    order: Callable[[Iterable[str], str], list[str]] = by_number
    """Returns the members of a group as people expect them."""
    k_counts: str = ""
    """The meaning of the group ``k``, for plots; empty if there is no such group."""
    parts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The groups whose members take only some of a sample, with the metrics shown for these."""
    part_of: Callable[[Any, Any, str, str], PartOfSample | None] = lambda *_: None
    """Returns the part of a sample, by its evidence, that counts for a member of such a group; None for nothing."""
    refusal: Callable[[str, Sequence[str]], UsageError] | None = None
    """Returns why none of these tasks can be grouped so; None for the usual words."""


@dataclass(frozen=True, kw_only=True)
class Official:
    """The published code of a task: what it computes, what it reads, and where its figures do not apply."""

    metrics: Collection[str] = ()
    """The metrics that it computes."""
    unpublished: Callable[[str, str], str] = lambda _, __: NO_FIGURES
    """Returns why replies asked for in a style with a solver have no official figures; empty where they have."""
    view: Callable[[str, str], str] = lambda text, _: text
    """Returns the text that the published reader sees of a reply to a prompt in a style."""
    read: Callable[[str], Any] = lambda _: None
    """Returns what the published reader finds in a text, as people are shown it."""
    differences: Callable[[Any, Outcome, Any, Any, str], Iterable[str]] = lambda *_: ()
    """Yields, of item, outcome, both readings and the text, why the profiles read different answers."""
    without_weight: str = "no item carries weight"
    """The reason for a missing value of a metric that it computes."""
    reasons: Callable[[str, Tally], Mapping[str, str]] = lambda _, __: {}
    """Returns further reasons beside the figures of a style and a tally."""
    results: Callable[[Task, Path, Iterable[Any]], Sequence[OfficialResults]] | None = None
    """Returns the results in a folder that its own code wrote, subject by subject."""
    categories: Callable[[Mapping[str, Any]], Mapping[str, str]] = lambda _: {}
    """Returns the category that each object of a record was matched to."""

    def text_of(self, reply: CollectedReply | None, style: str) -> str:
        """Return the text of a reply that the published reader sees."""
        return self.view((reply.text if reply is not None else None) or "", style)


def left_out_reasons(words: str) -> Callable[[str, Tally], Mapping[str, str]]:
    """Return the reasons of a task whose published code leaves out the items that ``skipped_official`` counts."""

    def reasons(style: str, tally: Tally) -> Mapping[str, str]:
        skipped = tally.counts["skipped_official"]
        return {"official.n": f"{words}: {skipped}; strict counts these as wrong"} if skipped else {}

    return reasons


@dataclass(frozen=True, kw_only=True)
class Looks:
    """The judging of finished things in folders."""

    kind: Kind
    viewer: Callable[[Task, Viewing, Dataset], Solver]
    """Returns a solver for a folder."""
    pieces: Callable[[Viewing, Iterable[Any]], Iterable[JudgedContent]]
    """Returns all judged content for some samples; it is part of a run's identity."""
    scorer: Callable[[Task, str, str], Scorer]
    """Returns, for a protocol and a style, the scorer of transcripts."""
    readings: Callable[[Task, Any, Reply, Solver], TwoReadings]
    """Returns what both profiles read in a reply about a sample."""
    hint: str
    """What to name instead, where a model is asked."""
    check: Callable[[str, str | None], None] = lambda _, __: None
    """Raises ``UsageError`` if a style, or a folder of prompts for the judge, does not exist."""
    sources: Callable[[str | None], Mapping[str, str]] = lambda _: {}
    """Returns where each part of the judge's prompts comes from."""
    preview: Callable[[Task, PreviewOptions], Preview] | None = None
    """Returns what a judge is sent about one item."""
    protocols: tuple[str, ...] = (PUBLISHED,)
    """The ways of looking; the first is taken where none is named."""
    pairings: tuple[Pairing, ...] = (BY_ID,)
    """The possible pairings of images with items."""
    baseline: Callable[[Task, str, int, Dataset], Solver] | None = None
    """Returns a subject that is built in, and sees nothing."""
    draws_lots: Callable[[str], bool] | None = None
    """Tells whether a baseline or a protocol depends on the seed; None for most."""
    controls: Callable[[Dataset, Sequence[int], int], Sequence[Control]] = lambda *_: ()
    """Returns the scores of control programs on some samples, shown beside every score."""
    replies: Callable[..., ScoreReport] | None = None
    """Scores a file of replies that were collected elsewhere."""
    next_steps: Callable[[str], tuple[str, ...]] | None = None
    """Returns the commands that make sense after a baseline; None for the usual ones."""
    shared_labels: tuple[str, ...] = ()
    """Labels of questions about the task and not about a sample: asked in the same words, they are asked once a run."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Task:
    """A task. Without ``prompt`` no model is asked it in words; without ``looks`` it judges no folders."""

    card: Card
    rows: Rows
    metrics: Mapping[str, Metric]
    view: View
    groups: Groups = field(default_factory=Groups)
    official: Official = field(default_factory=Official)
    prompt: Prompt | None = None
    read: Callable[[str, Any], Any] | None = None
    """Returns the answer in a text to an item, or why there is none (:class:`~tsgkit.replies.Unreadable`)."""
    score: Callable[[Any, Any, Given], AnswerScores] | None = None
    """Scores an answer to an item; None is no answer, which is worth nothing and weighs as much as a wrong one."""
    grader: JudgedBy | None = None
    """The model that rates its answers, where no rules do."""
    baselines: Baselines = field(default_factory=Baselines)
    vote: Callable[[Sequence[Any]], Any] | None = None
    """Combines the answers of one or more draws into one, or returns why there is none (``Unreadable``)."""
    draft: Callable[[Any], WriterInput] | None = None
    """Returns an agent's input for an item whose answer is the graphs of a sentence."""
    looks: Looks | None = None
    audit: Callable[[Task, str | None], Auditable] | None = None
    """Returns the items of some data for an audit, defective ones included."""
    paint: Callable[[Task, str | None, ItemChoice, PaintingOptions], Iterable[Painting]] | None = None
    """Returns the image prompts of chosen items."""
    shown: tuple[str, ...] = ()
    """The metrics in the table of a terminal; empty for the one that rows are compared by."""
    finish: Callable[[Board, Tally], Board] = lambda board, _: board
    """Adds to a board what this task alone counts."""
    computes: Literal["", "scoring", "solving"] = ""
    """What takes long enough for several processes, if anything; its inputs and outputs are then pickled."""
    package: str = "tsgkit"
    """The package whose code it is; empty for a task made in a program."""

    def __post_init__(self) -> None:
        check_metrics(self.card, self.metrics)
        if self.prompt is not None and not self.card.prompts:
            raise UsageError(f"{self.card.source}: prompts: a task for models needs them")

    def __repr__(self) -> str:
        return f"Task({self.key!r})"

    def __str__(self) -> str:
        return self.key

    @property
    def key(self) -> str:
        """The name of its card."""
        return self.card.name

    @property
    def kind(self) -> str:
        """The part of its card's ``task`` after the suite."""
        return self.card.task.partition("/")[2]

    @property
    def takes(self) -> tuple[Kind, ...]:
        """The kinds of subjects that it takes."""
        answers = self.prompt is not None or (self.looks is not None and self.looks.baseline is not None)
        folders = () if self.looks is None else (self.looks.kind,)
        return tuple(dict.fromkeys((*(("models",) if answers else ()), *folders)))

    def dataset(self, data: str | None) -> Dataset:
        """Return the items of a file, a folder, an installed dataset, or (None) those that it has itself."""
        if data is None and self.rows.held is not None:
            return self.rows.held()
        return self.rows.load(source_of(self, data))

    def tally(self) -> Tally:
        """Return an empty tally of its metrics in both profiles."""
        published = {name: self.metrics[name] for name in self.official.metrics}
        return Tally({"strict": columns_of(self.metrics), "official": columns_of(published)})

    def board(self, tally: Tally, solver: Scorer, seed: int, *, only: Collection[str] | None = None) -> Board:
        """Return the values of a tally, of these metrics (None: all), since intervals take time."""
        rules = BoardRules(
            metrics={name: metric for name, metric in self.metrics.items() if only is None or name in only},
            published=self.official.metrics,
            unpublished=solver.unpublished,
            without_weight=self.official.without_weight,
            own_reasons=self.official.reasons(solver.style, tally),
            seed=seed,
        )
        return self.finish(board_of(tally, rules), tally)


# What is asked of tasks in several places


def with_parts(task: Task, **parts: Any) -> Task:  # noqa: ANN401  (each of its field's type)
    """Return a task with other parts."""
    return Task(**{part.name: getattr(task, part.name) for part in fields(Task)} | parts)


OwnMetrics = Mapping[str, tuple[Metric, Callable[[Any, Any], float]]]


def with_metrics(task: Task, added: OwnMetrics) -> Task:
    """Return a task that has these metrics as well, each a function of an item and its answer, in strict."""
    metrics = {**task.metrics, **{name: described for name, (described, _) in added.items()}}

    def score(item: Any, answer: Any, facts: Given) -> AnswerScores:  # noqa: ANN401  (its suite's item)
        assert task.score is not None  # noqa: S101  (who gives metrics looked)
        scored = task.score(item, answer, facts)
        strict = dict(scored.strict)
        for name, (described, function) in added.items():
            value = call_own(f"metric {name}", function, getattr(item, "row", item), scored.answer)
            number = checked_number(value, name, is_share=described.is_share, otherwise="leave out share=True")
            strict[name] = Score(number, 1.0)
        return scored._replace(strict=strict)

    return with_parts(task, metrics=metrics, score=score)


def source_of(task: Task, data: str | None) -> Source:
    """Return the source of a task's rows: a file, a table, a dataset, or (None) what its card names."""
    return task.rows.source(task.key, task.card.data, data)


def group_metrics(task: Task, group: str, shown: Sequence[str]) -> Sequence[str]:
    """Return the metrics shown for members of a group if these are shown for all samples."""
    return task.groups.parts.get(group) or [name for name in shown if task.metrics[name].is_headline]


def no_group(group: str, tasks: Sequence[Task]) -> UsageError:
    """Return why none of these tasks can be grouped so."""
    if refusal := tasks[0].groups.refusal:
        return refusal(group, [task.kind for task in tasks if task.groups.refusal is refusal])
    names = tuple(dict.fromkeys(name for task in tasks for name in task.groups.names))
    if not names:
        return UsageError(f"{', '.join(task.key for task in tasks)}: cannot be grouped by anything")
    return UsageError(f"there is no group {group}", hint=meant(group, names))


def draws_lots(task: Task, way: str) -> bool:
    """Return whether a baseline, or a protocol, depends on the seed; other rows are not repeated for several seeds."""
    if task.looks is not None and task.looks.draws_lots is not None:
        return task.looks.draws_lots(way)
    return way.startswith(f"{BASELINE}/") and way != f"{BASELINE}/rules"


def item_to_preview(task: Task, options: PreviewOptions) -> tuple[Dataset, Any]:
    """Return the data of a preview, and the item that it shows."""
    dataset = task.dataset(options.data)
    ids = () if options.item is None else (task.rows.full_id(dataset, options.item),)
    return dataset, dataset.sample(dataset.chosen(ItemChoice(ids))[0])


def checked_number(value: object, metric: str, *, is_share: bool, otherwise: str) -> float:
    """Return the number that a user's function gave a sample. Raise ``OwnCodeError`` if it is invalid.

    ``otherwise`` says how to declare a metric that is not a share.
    """
    number: Any = value.item() if hasattr(value, "item") and getattr(value, "ndim", 1) == 0 else value  # of numpy
    is_number = isinstance(number, Real)  # a bool is one
    if not is_number or not abs(number) <= MOST_AMOUNT:
        raise OwnCodeError(f"{metric}: a score is a number of at most {MOST_AMOUNT:g}, not {str(value)[:40]!r}")
    score = float(number)
    if not is_share:
        return score
    if not -ROUNDING <= score <= 1 + ROUNDING:
        raise OwnCodeError(f"{metric}: a share lies from 0 to 1, not at {score:g}: {otherwise}")
    return min(max(score, 0.0), 1.0)
