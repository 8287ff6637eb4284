"""The task of this suite as runs see it: its items, who looks at their pictures, its scores.

>>> from tsgkit.library.cards import load_card
>>> task = SpatialGenTask(load_card("spatialgen/questions"))
>>> task.takes, task.protocols[:3], len(task.dataset(None))
(('models', 'images'), ('published', 'ours', 'ours-apart'), 25)
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tsgkit.errors import TsgkitError, UsageError
from tsgkit.llm.reply import Reply
from tsgkit.scoring.tally import Tally
from tsgkit.suites.audits.audit import Auditable
from tsgkit.suites.images import ENDINGS, is_file_id
from tsgkit.suites.judgement import Verdict
from tsgkit.suites.judges.images import folder_of
from tsgkit.suites.metrics import Metric
from tsgkit.suites.paintable import Painting, PaintingOptions
from tsgkit.suites.profile_readings import TwoReadings
from tsgkit.suites.scoreboard import Board, ScoreReport
from tsgkit.suites.solvers.factories import refuse_solver
from tsgkit.suites.solvers.offline_solvers import Baseline, Recorded
from tsgkit.suites.solvers.solver import BASELINE, Solver
from tsgkit.suites.spatialgen.audit import auditable_rows
from tsgkit.suites.spatialgen.baselines import controls, guessing
from tsgkit.suites.spatialgen.judge_requests import BLIND, PROTOCOLS, SHUFFLED, Way, Words, way_of
from tsgkit.suites.spatialgen.metrics import METRICS, PUBLISHED, board_of, tally_for
from tsgkit.suites.spatialgen.replies import score
from tsgkit.suites.spatialgen.rows import Rows, SpatialSample, rows_in, scenes_in_order
from tsgkit.suites.spatialgen.scores import read_twice, verdicts_of
from tsgkit.suites.spatialgen.vlm_judge import Judgements, looking, sayable
from tsgkit.suites.task import BY_ID, BY_POSITION, Control, Dataset, Piece, Task, Viewing
from tsgkit.suites.task import PUBLISHED as PUBLISHED_WAY

SUITE = "spatialgen/"
QUESTIONS = "questions"


class SpatialGenTask(Task):
    """Ten questions about each picture, as a card declares it."""

    takes = ("models", "images")
    protocols = PROTOCOLS
    pairings = (BY_ID, BY_POSITION)
    groups = ("scene", "group")

    @property
    def metrics(self) -> Mapping[str, Metric]:
        """What it is judged by."""
        return METRICS

    @property
    def published_metrics(self) -> Collection[str]:
        """Those that are computed from votes."""
        return PUBLISHED

    def dataset(self, data: str | None) -> Rows:
        """The rows of a file, a folder, an installed dataset, or (None) those the card names."""
        source = self.source(data)
        return Rows(str(source), rows_in(source))

    def draws_lots(self, way: str) -> bool:
        """Whether a baseline breaks ties or guesses by lot, or a protocol orders options or chooses pictures so."""
        if way.startswith(f"{BASELINE}/"):
            return not way.startswith(f"{BASELINE}/constant:")
        shown = way_of(way)
        return shown.base != PUBLISHED_WAY or shown.control == SHUFFLED

    def check_way(self, style: str, solver: str, prompts: str | None) -> None:
        """Prompts are true ones; solvers are for models that answer in words."""
        refuse_solver(solver, self.key)
        if prompts is not None:
            Words(self.card, Way(PUBLISHED_WAY), prompts).check()

    def solver(
        self, name: str, style: str, dataset: Dataset, *, shots: int | None, seed: int, prompts: str | None
    ) -> Solver:
        """None for models: pictures are judged here."""
        hint = f"name a folder of pictures: --images NAME=DIR; tsgkit images --task {self.key} makes them"
        raise UsageError(f"{self.key}: no model is asked this, but who looks at its pictures", hint=hint)

    def viewer(self, viewing: Viewing, dataset: Dataset) -> Solver:
        """A solver for a folder of pictures; ``UsageError`` where none of them can be that of an item."""
        solver = looking(viewing, _own(dataset), self.card)
        if viewing.pairing == BY_POSITION:
            if not solver.images.folder.in_order:
                raise UsageError(f"{viewing.folder.path}: there is no file in it", hint="name the folder of pictures")
            return solver
        if solver.way.control != BLIND and not any(True for _ in self.pieces_of(viewing, _own(dataset))):
            found = next(iter(solver.images.folder.stray(dataset.item_ids)), None)
            hint = f"the picture of an item is called {dataset.item_ids[0]}.png" + (f", not {found}" if found else "")
            raise UsageError(f"{viewing.folder.path}: no picture there is named after an item", hint=hint)
        return solver

    def pieces_of(self, viewing: Viewing, samples: Iterable[SpatialSample]) -> Iterable[Piece]:
        """The pictures of these items; by position all that lies in the folder, since each file shifts others."""
        if viewing.pairing == BY_POSITION:
            files = ((name, viewing.folder.path / name) for name in folder_of(viewing).in_order)
            return (Piece(sayable(name), path if path.is_file() else "") for name, path in files)
        ids = (sample.item_id for sample in samples)
        paths = (viewing.folder.path / f"{one}{ending}" for one in ids if is_file_id(one) for ending in ENDINGS)
        return (Piece(path.name, path) for path in paths if path.is_file())

    def baseline(self, subject: str, seed: int, dataset: Dataset) -> Solver:
        """A subject that looks at nothing."""
        return Baseline(Judgements(BASELINE), guessing(subject, _own(dataset).rows, seed))

    def recorded(self, solver: str, style: str) -> Recorded:
        """A way of answering or looking of which only the transcripts are left."""
        return Recorded(Judgements(solver), solver)

    def tally(self) -> Tally:
        """An empty tally of its metrics in both profiles."""
        return tally_for()

    def board(self, tally: Tally, solver: Solver, seed: int, *, only: Collection[str] | None = None) -> Board:
        """The values of a tally, of these metrics (None: all)."""
        return board_of(tally, seed, unpublished=solver.unpublished, only=only)

    def controls(self, dataset: Dataset, numbers: Sequence[int], seed: int) -> Sequence[Control]:
        """All baselines, voted and unvoted."""
        rows = _own(dataset)
        return controls([rows.sample(number) for number in numbers], rows.rows, seed)

    def score_replies(
        self, data: str, replies: str, *, style: str | None = None, by: Sequence[str] = (), seed: int = 0
    ) -> ScoreReport:
        """Scores of replies, or of the published grader's result rows, that were collected elsewhere."""
        for group in by:
            if group not in self.groups:
                raise self.no_group(group, [self])
        return score(self.key, self.dataset(data), replies, style=style, by=by, seed=seed)

    def next_steps(self, same: str) -> tuple[str, ...]:
        """Questions are put to a judge about images: those of a folder, which ``tsgkit images`` fills."""
        made = f"images from a model: export OPENAI_API_KEY=...; tsgkit images{same} --model openai/gpt-image-1 -o DIR"
        return made, f"a folder of images: tsgkit eval{same} --images NAME=DIR --judge openai/gpt-4o --limit 10"

    def clusters_are(self, dataset: Dataset) -> str:
        """The ten questions of a prompt are one cluster."""
        return "prompts"

    def auditable(self, data: str | None) -> Auditable:
        """Its questions as an audit sees them, whatever is wrong with them."""
        return auditable_rows(rows_in(self.source(data)))

    def verdicts(self, record: Mapping[str, Any], sample: SpatialSample, metric: str) -> Iterable[Verdict]:
        """What the votes say of each question, under its domain."""
        return verdicts_of(sample, record)

    def paintings(
        self, data: str | None, ids: Sequence[str], limit: int | None, options: PaintingOptions
    ) -> Iterable[Painting]:
        """The pictures to be made of the chosen items: each of its prompt, as it stands."""
        if options.condition != "none" or options.layouts is not None:
            raise UsageError(f"{self.key}: there is no layout that could go into a prompt", hint="leave it out")
        rows = self.dataset(data)
        return [Painting(rows.item_ids[number], rows.sample(number).row.prompt) for number in rows.chosen(ids, limit)]

    def in_order(self, members: Iterable[str], group: str) -> list[str]:
        """Scenes and their groups in the published order."""
        return scenes_in_order(members, group)

    def question(self, sample: SpatialSample, *, briefly: bool = False) -> str:
        """What the picture had to show, and what is asked about it."""
        if briefly:
            return sample.row.prompt
        asked = (f"{number}. {question.written()}" for number, question in enumerate(sample.questions, 1))
        return "\n".join([sample.row.prompt, "", *asked])

    def reference(self, sample: SpatialSample) -> str:
        """The keys, in words."""
        return "\n".join(
            f"{number}. {question.sub_domain}: {question.key}: {question.options.get(question.key, '(no such option)')}"
            for number, question in enumerate(sample.questions, 1)
        )

    def reference_value(self, sample: SpatialSample) -> object:
        """The keys."""
        return list(sample.row.answers)

    def readings(self, sample: SpatialSample, reply: Reply, solver: Solver) -> TwoReadings:
        """What both profiles read in one reply."""
        return read_twice(sample, reply, solver.name)


def _own(dataset: Dataset) -> Rows:
    if not isinstance(dataset, Rows):
        raise UsageError(f"{dataset.file}: not rows of this suite")
    return dataset


def kinds_of(file: Path) -> tuple[str, ...]:
    """The tasks whose rows a file holds, by its first row, or a folder, by its files; none where it cannot be told."""
    if file.is_dir():
        return (QUESTIONS,) if (file / f"{QUESTIONS}.jsonl").exists() else ()
    try:
        next(rows_in(file))
    except (TsgkitError, StopIteration):
        return ()
    return (QUESTIONS,)
