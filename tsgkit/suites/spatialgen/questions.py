"""The task ``spatialgen/questions``: a judge answers ten questions about each image.

>>> from tsgkit.library.cards import load_card
>>> task = SpatialGenTask(load_card("spatialgen/questions"))
>>> task.takes, task.protocols[:3], len(task.dataset(None))
(('models', 'images'), ('published', 'ours', 'ours-apart'), 25)
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tsgkit.errors import TsgkitError, UsageError
from tsgkit.llm.reply import Reply
from tsgkit.scoring.tally import Tally
from tsgkit.suites.audits.audit import Auditable
from tsgkit.suites.images import ENDINGS, is_file_id
from tsgkit.suites.item_choice import ItemChoice
from tsgkit.suites.judgement import TwoReadings, Verdict
from tsgkit.suites.judges.images import folder_of
from tsgkit.suites.metrics import Metric
from tsgkit.suites.paintable import Painting, PaintingOptions
from tsgkit.suites.scoreboard import Board, ScoreReport
from tsgkit.suites.solvers.factories import refuse_solver
from tsgkit.suites.solvers.offline_solvers import Baseline, Recorded
from tsgkit.suites.solvers.solver import BASELINE, Solver
from tsgkit.suites.spatialgen.audit import auditable_rows
from tsgkit.suites.spatialgen.baselines import baseline_subject, controls
from tsgkit.suites.spatialgen.judge_requests import (
    BLIND,
    PROTOCOLS,
    SHUFFLED,
    ParsedProtocol,
    QuestionPrompts,
    parse_protocol,
)
from tsgkit.suites.spatialgen.metrics import METRICS, PUBLISHED, board_of, tally_for
from tsgkit.suites.spatialgen.replies import score
from tsgkit.suites.spatialgen.rows import Rows, SpatialSample, rows_in, scenes_in_order
from tsgkit.suites.spatialgen.scores import read_twice, verdicts_of
from tsgkit.suites.spatialgen.vlm_judge import VoteScorer, image_folder_solver, printable
from tsgkit.suites.task import BY_ID, BY_POSITION, Control, Dataset, Piece, Task, Viewing
from tsgkit.suites.task import PUBLISHED as PUBLISHED_PROTOCOL

SUITE = "spatialgen/"
QUESTIONS = "questions"


class SpatialGenTask(Task):
    """The task of answering ten questions about each image."""

    takes = ("models", "images")
    protocols = PROTOCOLS
    pairings = (BY_ID, BY_POSITION)
    groups = ("scene", "group")

    @property
    def metrics(self) -> Mapping[str, Metric]:
        """The metrics."""
        return METRICS

    @property
    def published_metrics(self) -> Collection[str]:
        """The metrics that are computed from votes."""
        return PUBLISHED

    def dataset(self, data: str | None) -> Rows:
        """Return the rows of a file, of a folder, of an installed dataset, or (None) of the dataset that the card
        names."""
        source = self.source(data)
        return Rows(str(source), rows_in(source))

    def draws_lots(self, way: str) -> bool:
        """Return True if a baseline or protocol uses randomness."""
        if way.startswith(f"{BASELINE}/"):
            return not way.startswith(f"{BASELINE}/constant:")
        shown = parse_protocol(way)
        return shown.base != PUBLISHED_PROTOCOL or shown.control == SHUFFLED

    def check_way(self, style: str, solver: str, prompts: str | None) -> None:
        """Raise UsageError if the prompts are invalid, or if a solver for models that answer in words is given."""
        refuse_solver(solver, self.key)
        if prompts is not None:
            QuestionPrompts(self.card, ParsedProtocol(PUBLISHED_PROTOCOL), prompts).check()

    def solver(
        self, name: str, style: str, dataset: Dataset, *, shots: int | None, seed: int, prompts: str | None
    ) -> Solver:
        """Raise UsageError: this task judges images, and models do not answer it directly."""
        hint = f"name a folder of images: --images NAME=DIR; tsgkit images --task {self.key} generates them"
        raise UsageError(f"{self.key}: this task judges images, not replies of models", hint=hint)

    def viewer(self, viewing: Viewing, dataset: Dataset) -> Solver:
        """Return a solver for a folder of images. Raise UsageError if no file can belong to an item."""
        solver = image_folder_solver(viewing, _rows_of(dataset), self.card)
        if viewing.pairing == BY_POSITION:
            if not solver.images.folder.in_order:
                raise UsageError(f"{viewing.folder.path}: the folder is empty", hint="name a folder of images")
            return solver
        if solver.way.control != BLIND and not any(True for _ in self.pieces_of(viewing, _rows_of(dataset))):
            found = next(iter(solver.images.folder.stray(dataset.item_ids)), None)
            hint = f"the image of an item is named {dataset.item_ids[0]}.png" + (f", not {found}" if found else "")
            raise UsageError(f"{viewing.folder.path}: no image in this folder is named after an item", hint=hint)
        return solver

    def pieces_of(self, viewing: Viewing, samples: Iterable[SpatialSample]) -> Iterable[Piece]:
        """Return the images of these items. Pairing by position returns every file, since each one shifts the
        others."""
        if viewing.pairing == BY_POSITION:
            files = ((name, viewing.folder.path / name) for name in folder_of(viewing).in_order)
            return (Piece(printable(name), path if path.is_file() else "") for name, path in files)
        ids = (sample.item_id for sample in samples)
        paths = (viewing.folder.path / f"{one}{ending}" for one in ids if is_file_id(one) for ending in ENDINGS)
        return (Piece(path.name, path) for path in paths if path.is_file())

    def baseline(self, subject: str, seed: int, dataset: Dataset) -> Solver:
        """Return a baseline, which sees no images."""
        return Baseline(VoteScorer(BASELINE), baseline_subject(subject, _rows_of(dataset).rows, seed))

    def recorded(self, solver: str, style: str) -> Recorded:
        """Return the solver of a recorded run, which has only its transcripts."""
        return Recorded(VoteScorer(solver), solver)

    def tally(self) -> Tally:
        """Return an empty tally of the metrics in both profiles."""
        return tally_for()

    def board(self, tally: Tally, solver: Solver, seed: int, *, only: Collection[str] | None = None) -> Board:
        """Return the scoreboard of a tally for these metrics (None: all)."""
        return board_of(tally, seed, unpublished=solver.unpublished, only=only)

    def controls(self, dataset: Dataset, numbers: Sequence[int], seed: int) -> Sequence[Control]:
        """Return the results of all baselines, with and without voting."""
        rows = _rows_of(dataset)
        return controls([rows.sample(number) for number in numbers], rows.rows, seed)

    def score_replies(
        self, data: str, replies: str, *, style: str | None = None, by: Sequence[str] = (), seed: int = 0
    ) -> ScoreReport:
        """Score replies collected elsewhere, or result rows of the published grader."""
        for group in by:
            if group not in self.groups:
                raise self.no_group(group, [self])
        return score(self.key, self.dataset(data), replies, style=style, by=by, seed=seed)

    def next_steps(self, same: str) -> tuple[str, ...]:
        """Return example commands for generating images and for judging a folder of them."""
        made = f"images from a model: export OPENAI_API_KEY=...; tsgkit images{same} --model openai/gpt-image-1 -o DIR"
        return made, f"a folder of images: tsgkit eval{same} --images NAME=DIR --judge openai/gpt-4o --limit 10"

    def clusters_are(self, dataset: Dataset) -> str:
        """Return the unit of the clusters: the ten questions of a prompt form one."""
        return "prompts"

    def auditable(self, data: str | None) -> Auditable:
        """Return the questions for an audit, including invalid ones."""
        return auditable_rows(rows_in(self.source(data)))

    def verdicts(self, record: Mapping[str, Any], sample: SpatialSample, metric: str) -> Iterable[Verdict]:
        """Return the verdict of the votes on each question, with its domain as the kind."""
        return verdicts_of(sample, record)

    def faults(self, answer: Sequence[str | None], evidence: Mapping[str, Any]) -> Iterator[str]:
        """Yield the questions, from 1, that most rounds did not answer rightly."""
        for number, (letter, is_right) in enumerate(zip(answer, evidence["right"], strict=True), 1):
            if not is_right:
                yield f"question {number}: {letter or 'no majority'} is wrong"

    def paintings(self, data: str | None, choice: ItemChoice, options: PaintingOptions) -> Iterable[Painting]:
        """Return the images to generate for the chosen items, each from its unchanged prompt."""
        if options.condition != "none" or options.layouts is not None:
            raise UsageError(f"{self.key}: its prompts take no layouts", hint="omit --condition and --layouts")
        rows = self.dataset(data)
        return [Painting(rows.item_ids[number], rows.sample(number).row.prompt) for number in rows.chosen(choice)]

    def in_order(self, members: Iterable[str], group: str) -> list[str]:
        """Sort scenes and groups in the published order."""
        return scenes_in_order(members, group)

    def question(self, sample: SpatialSample, *, briefly: bool = False) -> str:
        """Return the prompt of the image, followed by the questions."""
        if briefly:
            return sample.row.prompt
        asked = (f"{number}. {question.written()}" for number, question in enumerate(sample.questions, 1))
        return "\n".join([sample.row.prompt, "", *asked])

    def reference(self, sample: SpatialSample) -> str:
        """Return the keys in words."""
        return "\n".join(
            f"{number}. {question.sub_domain}: {question.key}: {question.options.get(question.key, '(no such option)')}"
            for number, question in enumerate(sample.questions, 1)
        )

    def reference_value(self, sample: SpatialSample) -> object:
        """Return the keys."""
        return list(sample.row.answers)

    def readings(self, sample: SpatialSample, reply: Reply, solver: Solver) -> TwoReadings:
        """Return the readings of one reply by both profiles."""
        return read_twice(sample, reply, solver.name)


def _rows_of(dataset: Dataset) -> Rows:
    if not isinstance(dataset, Rows):
        raise UsageError(f"{dataset.file}: not rows of this suite")
    return dataset


def kinds_of(file: Path) -> tuple[str, ...]:
    """Return the task whose rows a file (by its first row) or folder (by its files) holds, or none."""
    if file.is_dir():
        return (QUESTIONS,) if (file / f"{QUESTIONS}.jsonl").exists() else ()
    try:
        next(rows_in(file))
    except (TsgkitError, StopIteration):
        return ()
    return (QUESTIONS,)
