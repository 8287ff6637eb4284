"""A task of this suite as runs see it: its data, its solvers, its scores.

>>> from tsgkit.library.cards import load_card
>>> task = TsgTask(load_card("tsg/sgqa"))
>>> dataset = task.dataset(None)
>>> len(dataset), task.baseline("baseline/rules", 0, dataset).name
(90, 'baseline')
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from importlib.resources.abc import Traversable
from itertools import islice
from pathlib import Path

from tsgkit.errors import NotationError, UsageError
from tsgkit.graph.notation.json_triplets import load
from tsgkit.library.cards import Card
from tsgkit.library.catalogue import catalogue
from tsgkit.library.datasets import dataset_file, installed
from tsgkit.library.documents.reading import read_document, read_file
from tsgkit.library.documents.rows import row_kind
from tsgkit.library.files import STDIN
from tsgkit.library.projects import find, text_of
from tsgkit.llm.reply import Reply
from tsgkit.scoring.tally import Tally
from tsgkit.suites.asked_task import AskedTask
from tsgkit.suites.auditing.audit import Auditable
from tsgkit.suites.judged import Judged
from tsgkit.suites.metrics import Metric
from tsgkit.suites.readings import TwoReadings
from tsgkit.suites.replies import Reply as AskedReply
from tsgkit.suites.replies import read_as
from tsgkit.suites.scoreboard import Board, ScoreReport
from tsgkit.suites.solvers.answerable import AsAsked, Reading
from tsgkit.suites.solvers.examples import Pool, pool_file
from tsgkit.suites.solvers.prompter import Prompter
from tsgkit.suites.solvers.solver import Solver
from tsgkit.suites.solvers.unasked import Seeded
from tsgkit.suites.styles import Style
from tsgkit.suites.task import Dataset as AnyDataset
from tsgkit.suites.task import Graphs, Task
from tsgkit.suites.tsg.auditing import auditable
from tsgkit.suites.tsg.baselines import program_named
from tsgkit.suites.tsg.dataset import Dataset
from tsgkit.suites.tsg.derived import DERIVATIONS
from tsgkit.suites.tsg.examples import pool_of
from tsgkit.suites.tsg.explaining import graphs_of, question_of, reference_text, reference_value
from tsgkit.suites.tsg.grouping import GROUPS, REPAIRS, applies, check_group, groups_of, in_order
from tsgkit.suites.tsg.judging import Found, judgement, official_text, read_reply, unpublished
from tsgkit.suites.tsg.metrics import METRICS, PUBLISHED, STYLES
from tsgkit.suites.tsg.prompt_sets import prompt_set
from tsgkit.suites.tsg.prompting import prompter_of
from tsgkit.suites.tsg.samples import TASKS, AnySample, task_of_counts
from tsgkit.suites.tsg.scoreboard import board_of, score
from tsgkit.suites.tsg.showing import shown_answer
from tsgkit.suites.tsg.two_readings import read_twice
from tsgkit.suites.tsg.voting import voted

ROWS_LOOKED_AT = 50
GENERATING = ("sa-sgg", "ma-sgg")


class TsgTask(AskedTask[AnySample, Found]):
    """One task, as a card declares it."""

    def __init__(self, card: Card) -> None:
        super().__init__(card)
        self.k_counts = "graphs asked for" if self.kind in GENERATING else ""
        self.groups = tuple(group for group in (*GROUPS, *REPAIRS) if applies(group, self.kind))

    @property
    def metrics(self) -> Mapping[str, Metric]:
        """What it is judged by."""
        return METRICS[self.kind]

    @property
    def published_metrics(self) -> Collection[str]:
        """Those of the published code."""
        return PUBLISHED.get(self.kind, ())

    def dataset(self, data: str | None) -> Dataset:
        """The rows of a file, a folder, an installed dataset, or (None) those the card names."""
        return Dataset(self._source(data), self.kind)

    def clusters_are(self, dataset: AnyDataset) -> str:
        """Scenarios where all rows name theirs; else what the file lets one tell apart."""
        return self._own(dataset).clusters_are

    def _source(self, data: str | None) -> Path | Traversable:
        known = {*catalogue(), *(one.name for one in installed())}
        if data is None:
            named = self.card.data
            return dataset_file(named, self._file) if named in known else find("tasks", named)
        path = Path(data)
        if path.is_dir():
            return path / f"{self._file}.jsonl"
        if path.exists() or data not in known:
            return path
        return dataset_file(data, self._file)

    @property
    def _file(self) -> str:
        """The task whose file in a folder or dataset holds the rows: a derived task's first source."""
        return DERIVATIONS[self.kind].sources[0] if self.kind in DERIVATIONS else self.kind

    def read(self, item: AnySample, reply: AskedReply | None) -> Reading[Found]:
        """Read strictly."""
        return read_reply(item, reply)

    def score(self, item: AnySample, reading: Reading[Found], asked: AsAsked | None) -> Judged:
        """Score strictly, and as published where a published reader knows the task and the style."""
        shown = None if asked is None else official_text(item, asked.reply, asked.style)
        return judgement(item, reading, shown)

    def shown_answer(self, item: AnySample) -> str:
        """The right answer in the form that is asked for."""
        return shown_answer(item)

    def unpublished(self, style: str, solver: str) -> str:
        """Why there are no official figures."""
        return unpublished(style, solver)

    def vote(self, item: AnySample, answers: Sequence[Found]) -> Reading[Found]:
        """Vote on words and letters by plurality, on triplets by majority; of lists take the central one."""
        return voted(answers)

    def prompt_sources(self, prompts: str | None) -> Mapping[str, str]:
        """Where each part of its prompts comes from."""
        return {part: template.source for part, template in prompt_set(prompts, self.card).templates.items()}

    def prompter(self, style: Style, dataset: AnyDataset, *, seed: int, prompts: str | None) -> Prompter[AnySample]:
        """The prompts in a style; the pool of examples is held against the data."""
        texts = prompt_set(prompts, self.card)
        examples = self._pool().chosen(style.shots, seed, self._own(dataset)) if style.shots else ()
        return prompter_of(self.kind, style, texts, examples)

    def _pool(self) -> Pool[AnySample]:
        found = pool_file(self.card)
        return pool_of(read_document(text_of(found), str(found)), self.kind)

    def _own(self, dataset: AnyDataset) -> Dataset:
        if not isinstance(dataset, Dataset):
            raise UsageError(f"{dataset.file}: not rows of this suite")
        return dataset

    def program(self, subject: str, seed: int, dataset: AnyDataset) -> Seeded[AnySample]:
        """The baseline of a name."""
        return program_named(subject, seed)

    def board(self, tally: Tally, solver: Solver, seed: int, *, only: Collection[str] | None = None) -> Board:
        """The values of a tally, of these metrics (None: all)."""
        return board_of(tally, self.kind, seed, style=solver.style, unpublished=solver.unpublished, only=only)

    def score_replies(
        self, data: str, replies: str, *, style: str | None = None, by: Sequence[str] = (), seed: int = 0
    ) -> ScoreReport:
        """Scores of replies that were collected elsewhere."""
        data = data if data == STDIN else str(self._source(data))
        return score(self.kind, data, replies, style=style or STYLES[0], by=by, seed=seed)

    def auditable(self, data: str | None) -> Auditable:
        """Its rows, slips and all, beside what the prompts and worked examples show."""
        source = self._source(data)
        document = read_file(source) if isinstance(source, Path) else read_document(text_of(source), str(source))
        shown = () if self.card.examples is None else self._pool().examples
        return auditable(
            document, self.kind, shown, [one.text for one in prompt_set(None, self.card).templates.values()]
        )

    def group_of(self, sample: AnySample, group: str) -> tuple[str, ...]:
        """The members of a group that a sample belongs to."""
        return groups_of(sample, group)

    def in_order(self, members: Iterable[str], group: str) -> list[str]:
        """The members of a group as people expect them."""
        return in_order(members, group)

    def no_group(self, group: str, tasks: Sequence[Task]) -> UsageError:
        """Why none of these tasks can be grouped so."""
        try:
            check_group(group, *(task.kind for task in tasks if isinstance(task, TsgTask)))
        except UsageError as error:
            return error
        return super().no_group(group, tasks)

    def question(self, sample: AnySample, *, briefly: bool = False) -> str:
        """What was asked about."""
        return question_of(sample, briefly=briefly)

    def reference(self, sample: AnySample) -> str:
        """What is right."""
        return reference_text(sample)

    def reference_value(self, sample: AnySample) -> object:
        """What is right, as JSON has it."""
        return reference_value(sample)

    def readings(self, sample: AnySample, reply: Reply, solver: Solver) -> TwoReadings:
        """What both profiles read in one reply."""
        return read_twice(sample, read_as(reply), solver.style, solver.name)

    def graphs(self, sample: AnySample, judged: Judged) -> Graphs | None:
        """The graphs wanted and given."""
        return graphs_of(sample, judged)


def kinds_of(file: Path) -> tuple[str, ...]:
    """The tasks whose rows a file holds, by its first rows, or a folder, by its files; none where it cannot be told."""
    if file.is_dir():
        return tuple(task for task in TASKS if (file / f"{task}.jsonl").exists())
    rows = _first_rows(file)
    kind = row_kind(rows[0]) if rows else None
    if kind == "sgg":
        graphs = [row.get("graphs") for row in rows if isinstance(row, dict)]
        return (task_of_counts([len(found) for found in graphs if isinstance(found, list)]),)
    return tuple(task for task, of in TASKS.items() if of == kind)


def _first_rows(file: Path) -> list[object]:
    """Read the first rows of a file, up to one that cannot be read."""
    rows: list[object] = []
    with suppress(OSError, UnicodeDecodeError, NotationError), file.open(encoding="utf-8-sig") as lines:
        for line in islice(filter(str.strip, lines), ROWS_LOOKED_AT):
            rows.append(load(line))  # noqa: PERF401  (what was read before an error stays)
    return rows
