"""Layouts in words: a model, or a baseline, says what lies where.

>>> from tsgkit.library.cards import load_card
>>> task = LayoutTask(load_card("formalimg/layout"))
>>> task.kind, task.takes, task.metrics["g"].is_share
('layout', ('models',), False)
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from tsgkit.llm.reply import Reply
from tsgkit.replies import Unreadable
from tsgkit.suites.asked_task import AskedTask
from tsgkit.suites.formalimg import official
from tsgkit.suites.formalimg.baselines import program_named
from tsgkit.suites.formalimg.examples import pool_of
from tsgkit.suites.formalimg.formula_task import FormulaTask, own_rows
from tsgkit.suites.formalimg.judging import Found, judge_reading, published_reading, read_reply
from tsgkit.suites.formalimg.prompting import Texts, layout_text, prompter_of
from tsgkit.suites.formalimg.rows import FormulaSample
from tsgkit.suites.formalimg.scoreboard import score, unpublished
from tsgkit.suites.formalimg.strict import LayoutAnswer
from tsgkit.suites.judged import Judged
from tsgkit.suites.readings import TwoReadings
from tsgkit.suites.replies import Reply as AskedReply
from tsgkit.suites.replies import read_as
from tsgkit.suites.scoreboard import ScoreReport
from tsgkit.suites.solvers.answerable import AsAsked, Reading
from tsgkit.suites.solvers.prompter import Prompter
from tsgkit.suites.solvers.solver import Solver
from tsgkit.suites.solvers.unasked import Seeded
from tsgkit.suites.styles import Style
from tsgkit.suites.task import Dataset

CHARACTERS = 64
"""As many as an object of a layout takes."""
DIFFERENCE = (
    "official takes the first fenced list of objects, else the widest span of brackets, as JSON or a Python literal "
    "and as it stands; strict takes the last list of objects, and brings keys and values into the form asked for"
)


class LayoutTask(FormulaTask, AskedTask[FormulaSample, LayoutAnswer]):
    """The task that takes layouts as text."""

    def read(self, item: FormulaSample, reply: AskedReply | None) -> Reading[Found]:
        """Read strictly."""
        return read_reply(reply)

    def score(self, item: FormulaSample, reading: Reading[Found], asked: AsAsked | None) -> Judged:
        """Verify the layout in both profiles."""
        return judge_reading(item, reading, None if asked is None else published_reading(item, asked.reply))

    def length(self, item: FormulaSample) -> tuple[int, int]:
        """An object for each class, or two."""
        said = CHARACTERS * max(len(item.classes), 1)
        return said, 2 * said

    def unpublished(self, style: str, solver: str) -> str:
        """Why there are no official figures: only the style can be unpublished."""
        return unpublished(style)

    def prompt_sources(self, prompts: str | None) -> Mapping[str, str]:
        """Where each part of its prompts comes from."""
        return Texts.of("layout", prompts).sources

    def prompter(self, style: Style, dataset: Dataset, *, seed: int, prompts: str | None) -> Prompter[FormulaSample]:
        """The prompts in a style; the pool of examples is held against the items."""
        examples = pool_of(self.card).chosen(style.shots, seed, own_rows(dataset)) if style.shots else ()
        return prompter_of(style, prompts, examples)

    def program(self, subject: str, seed: int, dataset: Dataset) -> Seeded[FormulaSample]:
        """The baseline of a name."""
        return program_named(subject, seed)

    def score_replies(
        self, data: str, replies: str, *, style: str | None = None, by: Sequence[str] = (), seed: int = 0
    ) -> ScoreReport:
        """Scores of layouts that were collected elsewhere."""
        source = data if Path(data).exists() else str(self._source(data))
        return score(self.metrics, source, replies, style=style or "zero-shot", by=by, seed=seed)

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
