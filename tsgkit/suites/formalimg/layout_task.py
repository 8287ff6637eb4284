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
from tsgkit.suites.formalimg import official
from tsgkit.suites.formalimg.baselines import baseline_named
from tsgkit.suites.formalimg.examples import chosen
from tsgkit.suites.formalimg.formula_task import FormulaTask, own_rows
from tsgkit.suites.formalimg.judging import read_reply
from tsgkit.suites.formalimg.prompting import SCHEMA, Prompter, Texts, layout_text
from tsgkit.suites.formalimg.rows import FormulaSample, Rows
from tsgkit.suites.formalimg.scoreboard import score
from tsgkit.suites.formalimg.solvers import Baseline, Recorded, Single, check_solver, unpublished
from tsgkit.suites.formalimg.strict import LayoutAnswer
from tsgkit.suites.previews import Preview, PreviewOptions, as_sent
from tsgkit.suites.readings import TwoReadings
from tsgkit.suites.replies import read_as
from tsgkit.suites.scoreboard import ScoreReport
from tsgkit.suites.solving import Solver
from tsgkit.suites.styles import Style, style_of
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

    def prompt_sources(self, prompts: str | None) -> Mapping[str, str]:
        """Where each part of its prompts comes from."""
        return Texts.of("layout", prompts).sources

    def preview(self, options: PreviewOptions) -> Preview:
        """What a model would be sent for one item."""
        rows, sample = self.item(options)
        prompter = self._prompter(style_of(options.style, options.shots), rows, options.seed, options.prompts)
        return Preview(
            task=self.key,
            style=prompter.style,
            item_id=sample.item_id,
            text=prompter.text(sample),
            messages=as_sent(prompter.messages(sample)),
            schema=SCHEMA if prompter.style.schema else None,
            fingerprint=prompter.fingerprint,
            examples=tuple(example.sample.item_id for example in prompter.examples),
        )

    def solver(
        self, name: str, style: str, dataset: Dataset, *, shots: int | None, seed: int, prompts: str | None
    ) -> Solver:
        """A solver with its prompts; the pool of examples is held against the items."""
        check_solver(name)
        return Single(self._prompter(style_of(style, shots), own_rows(dataset), seed, prompts))

    def _prompter(self, style: Style, rows: Rows, seed: int, prompts: str | None) -> Prompter:
        examples = chosen(self.card, style.shots, seed, rows) if style.shots else ()
        return Prompter(self.card, style, prompts, examples)

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
