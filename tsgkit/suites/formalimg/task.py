"""A task of this suite as runs see it: its items, its solvers, its scores.

>>> from tsgkit.library.cards import load_card
>>> task = FormalImgTask(load_card("formalimg/layout"))
>>> task.kind, task.takes, task.metrics["g"].is_share
('layout', ('models',), False)
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import TYPE_CHECKING

from tsgkit.errors import TsgkitError, UsageError
from tsgkit.library.cards import Card
from tsgkit.library.catalogue import catalogue
from tsgkit.library.datasets import dataset_file, installed
from tsgkit.library.projects import find
from tsgkit.llm.reply import Reply
from tsgkit.logic.reading import reading_of
from tsgkit.scoring.tally import Tally
from tsgkit.suites.cards import check_metrics, task_named
from tsgkit.suites.formalimg import official
from tsgkit.suites.formalimg.baselines import baseline_named
from tsgkit.suites.formalimg.examples import chosen
from tsgkit.suites.formalimg.judging import read_reply
from tsgkit.suites.formalimg.metrics import METRICS, metrics_of, published
from tsgkit.suites.formalimg.prompting import Prompter, Texts, layout_text
from tsgkit.suites.formalimg.rows import KNOLLING, NATURAL, FormulaSample, Rows, read_rows, read_samples
from tsgkit.suites.formalimg.scoreboard import GROUPS, board_of, score, tally_for
from tsgkit.suites.formalimg.solvers import Baseline, Recorded, Single, check_solver, unpublished
from tsgkit.suites.formalimg.strict import LayoutAnswer, Unreadable
from tsgkit.suites.metrics import Metric
from tsgkit.suites.readings import TwoReadings
from tsgkit.suites.replies import read_as
from tsgkit.suites.scoreboard import Board, ScoreReport
from tsgkit.suites.solving import Solver
from tsgkit.suites.styles import style_of
from tsgkit.suites.tasks import OURS, PUBLISHED, Dataset, Kind, Task

if TYPE_CHECKING:
    pass

SUITE = "formalimg/"
SCENARIO = {"layout": KNOLLING, "knolling": KNOLLING, "natural": NATURAL}
TAKES: dict[str, tuple[Kind, ...]] = {"layout": ("models",), "knolling": ("images",), "natural": ("images",)}


class FormalImgTask(Task):
    """One task, as a card declares it."""

    groups = GROUPS

    def __init__(self, card: Card) -> None:
        self.card = card
        self.kind = task_named(card, SUITE, METRICS)
        self._metrics = metrics_of(self.kind, card.metrics)
        check_metrics(card, self._metrics)
        self.takes = TAKES[self.kind]
        self.protocols = (PUBLISHED, OURS) if self.kind == "knolling" else (PUBLISHED,)

    @property
    def metrics(self) -> Mapping[str, Metric]:
        """What it is judged by."""
        return self._metrics

    @property
    def published_metrics(self) -> Collection[str]:
        """Those of verdicts."""
        return published(self._metrics)

    def dataset(self, data: str | None) -> Rows:
        """The items of a file, a folder, an installed dataset, or (None) those the card names."""
        source = self._source(data)
        return Rows(str(source), read_samples(source), SCENARIO[self.kind])

    def _source(self, data: str | None) -> Path | Traversable:
        known = {*catalogue(), *(one.name for one in installed())}
        scenario = SCENARIO[self.kind]
        if data is None:
            named = self.card.data
            return dataset_file(named, scenario) if named in known else find("tasks", named)
        path = Path(data)
        return path if path.exists() or data not in known else dataset_file(data, scenario)

    def check_way(self, style: str, solver: str, prompts: str | None) -> None:
        """Names of styles, solvers and prompts are true ones."""
        style_of(style)
        if self.kind == "layout":
            check_solver(solver)
            Texts.of("layout", prompts)

    def solver(
        self, name: str, style: str, dataset: Dataset, *, shots: int | None, seed: int, prompts: str | None
    ) -> Solver:
        """A solver with its prompts; the pool of examples is held against the items."""
        if self.kind != "layout":
            raise self._wants_pictures(f"{name} answers in words")
        check_solver(name)
        style_chosen = style_of(style, shots)
        examples = chosen(self.card, style_chosen.shots, seed, _own(dataset)) if style_chosen.shots else ()
        return Single(Prompter(self.card, style_chosen, prompts, examples))

    def _wants_pictures(self, why: str) -> UsageError:
        hint = f"name a folder of pictures: --images NAME=DIR; tsgkit images --task {self.key} makes them"
        return UsageError(f"{self.key}: {why}, and pictures are judged here", hint=hint)

    def baseline(self, subject: str, seed: int, dataset: Dataset) -> Baseline:
        """A subject that asks nobody."""
        if self.kind != "layout":
            raise self._wants_pictures(f"{subject} makes layouts")
        return Baseline(baseline_named(subject), seed)

    def recorded(self, solver: str, style: str) -> Solver:
        """A way of answering of which only the transcripts are left."""
        return Recorded(solver, style)

    def tally(self) -> Tally:
        """An empty tally of its metrics in both profiles."""
        return tally_for(self._metrics)

    def board(self, tally: Tally, solver: Solver, seed: int, *, only: Collection[str] | None = None) -> Board:
        """The values of a tally, of these metrics (None: all)."""
        return board_of(tally, self._metrics, seed, unpublished=solver.unpublished, only=only)

    def score(
        self, data: str, replies: str, *, style: str | None = None, by: Sequence[str] = (), seed: int = 0
    ) -> ScoreReport:
        """Scores of layouts that were collected elsewhere."""
        if self.kind != "layout":
            hint = f"tsgkit eval --task {self.key} --images NAME=DIR --judge MODEL"
            raise UsageError(f"{self.key}: pictures are judged by looking at them, not by replies", hint=hint)
        source = str(self._source(data)) if not Path(data).exists() else data
        return score(self._metrics, source, replies, style=style or "zero-shot", by=by, seed=seed)

    def question(self, sample: FormulaSample, *, briefly: bool = False) -> str:
        """What was asked for."""
        return sample.prompt if briefly else f"{sample.prompt}\n\n{sample.dsl}"

    def reference(self, sample: FormulaSample) -> str:
        """What has to hold, in plain words."""
        try:
            return f"{sample.dsl}\n{reading_of(sample.formula)}"
        except TsgkitError:
            return sample.dsl

    def reference_value(self, sample: FormulaSample) -> object:
        """What has to hold."""
        return {"dsl": sample.dsl, "k": sample.k}

    def readings(self, sample: FormulaSample, reply: Reply, solver: Solver) -> TwoReadings:
        """What both profiles read in one reply."""
        said = read_as(reply)
        outcome, found = read_reply(said)
        strict = _shown(found.objects) if isinstance(found, LayoutAnswer) else None
        unreadable = found.reason if isinstance(found, Unreadable) else ""
        notes = found.notes if isinstance(found, LayoutAnswer) else ()
        if why := unpublished(solver.style):
            return TwoReadings(outcome, strict, unreadable, notes, None, why, ())
        value = official.layout((said.text if said is not None else None) or "")
        theirs = None if value is None else _shown(value)
        return TwoReadings(outcome, strict, unreadable, notes, theirs, "", _differences(strict, theirs))


def _own(dataset: Dataset) -> Rows:
    if not isinstance(dataset, Rows):
        raise UsageError(f"{dataset.file}: not rows of this suite")
    return dataset


def _shown(value: object) -> str:
    if isinstance(value, list) and all(isinstance(one, dict) for one in value):
        try:
            return layout_text(value)
        except (TypeError, ValueError):
            pass
    try:
        return json.dumps(value)
    except (TypeError, ValueError):  # a Python literal can hold what no JSON can
        return ascii(value)


def _differences(strict: str | None, theirs: str | None) -> tuple[str, ...]:
    if strict == theirs:
        return ()
    return (
        "official takes the first fenced list of objects, else the widest span of brackets, as JSON or a Python "
        "literal and as it stands; strict takes the last list of objects, and brings keys and values into the form "
        "asked for",
    )


def kinds_of(file: Path) -> tuple[str, ...]:
    """The tasks whose items a file holds, by its first row, or a folder; none where it cannot be told."""
    try:
        first = next(iter(read_rows(file)), None)
    except TsgkitError:
        return ()
    value = first.value if first is not None else None
    if not isinstance(value, dict) or "dsl" not in value or "prompt" not in value:
        return ()
    scenario = value.get("scenario")
    return tuple(kind for kind, of in SCENARIO.items() if of == scenario)
