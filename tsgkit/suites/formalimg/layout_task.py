"""Layouts in words: a model, or a baseline, says what lies where.

>>> from tsgkit.library.cards import load_card
>>> task = LayoutTask(load_card("formalimg/layout"))
>>> task.kind, task.takes, task.metrics["g"].is_share
('layout', ('models',), False)
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from tsgkit.llm.reply import Reply
from tsgkit.suites.formalimg import official
from tsgkit.suites.formalimg.baselines import baseline_named
from tsgkit.suites.formalimg.examples import chosen
from tsgkit.suites.formalimg.formula_task import FormulaTask, own_rows
from tsgkit.suites.formalimg.judging import read_reply
from tsgkit.suites.formalimg.prompting import Prompter, Texts, layout_text
from tsgkit.suites.formalimg.rows import FormulaSample
from tsgkit.suites.formalimg.scoreboard import score
from tsgkit.suites.formalimg.solvers import Baseline, Recorded, Single, check_solver, unpublished
from tsgkit.suites.formalimg.strict import LayoutAnswer, Unreadable
from tsgkit.suites.readings import TwoReadings
from tsgkit.suites.replies import read_as
from tsgkit.suites.scoreboard import ScoreReport
from tsgkit.suites.solving import Solver
from tsgkit.suites.styles import style_of
from tsgkit.suites.tasks import Dataset

DIFFERENCE = (
    "official takes the first fenced list of objects, else the widest span of brackets, as JSON or a Python literal "
    "and as it stands; strict takes the last list of objects, and brings keys and values into the form asked for"
)


class LayoutTask(FormulaTask):
    """The task that takes layouts as text."""

    def check_way(self, style: str, solver: str, prompts: str | None) -> None:
        """Names of styles, solvers and prompts are true ones."""
        style_of(style)
        check_solver(solver)
        Texts.of("layout", prompts)

    def solver(
        self, name: str, style: str, dataset: Dataset, *, shots: int | None, seed: int, prompts: str | None
    ) -> Solver:
        """A solver with its prompts; the pool of examples is held against the items."""
        check_solver(name)
        composed = style_of(style, shots)
        examples = chosen(self.card, composed.shots, seed, own_rows(dataset)) if composed.shots else ()
        return Single(Prompter(self.card, composed, prompts, examples))

    def baseline(self, subject: str, seed: int, dataset: Dataset) -> Baseline:
        """A subject that asks nobody."""
        return Baseline(baseline_named(subject), seed)

    def recorded(self, solver: str, style: str) -> Solver:
        """A way of answering of which only the transcripts are left."""
        return Recorded(solver, style)

    def score(
        self, data: str, replies: str, *, style: str | None = None, by: Sequence[str] = (), seed: int = 0
    ) -> ScoreReport:
        """Scores of layouts that were collected elsewhere."""
        source = data if Path(data).exists() else str(self._source(data))
        return score(self._metrics, source, replies, style=style or "zero-shot", by=by, seed=seed)

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
        differences = () if strict == theirs else (DIFFERENCE,)
        return TwoReadings(outcome, strict, unreadable, notes, theirs, "", differences)


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
