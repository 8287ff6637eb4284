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

from tsgkit.errors import NotationError, UsageError
from tsgkit.graph.notation.json_triplets import kind_of
from tsgkit.lexicon import meant
from tsgkit.llm.reply import Reply
from tsgkit.replies import Unreadable
from tsgkit.suites.asked_task import DEFAULT_STYLE, AskedTask
from tsgkit.suites.formalimg import official
from tsgkit.suites.formalimg.baselines import program_named
from tsgkit.suites.formalimg.formula_task import GROUPS, NO_LAYOUT, FormulaTask, own_rows
from tsgkit.suites.formalimg.prompts import Texts, layout_text, pool_of, prompter_of
from tsgkit.suites.formalimg.rows import KNOLLING, NATURAL, FormulaSample, Rows, read_samples
from tsgkit.suites.formalimg.strict import LayoutAnswer, layout_in
from tsgkit.suites.formalimg.verdicts import Found, judge_reading, published_reading
from tsgkit.suites.judged import Judged
from tsgkit.suites.readings import TwoReadings
from tsgkit.suites.replies import read_as, read_replies
from tsgkit.suites.scoreboard import ScoreReport
from tsgkit.suites.solvers.answerable import AsAsked, Reading
from tsgkit.suites.solvers.prompter import Prompter
from tsgkit.suites.solvers.solver import Solver
from tsgkit.suites.solvers.unasked import Seeded
from tsgkit.suites.styles import Style, style_of
from tsgkit.suites.task import Dataset

CHARACTERS = 64
"""As many as an object of a layout takes."""
DIFFERENCE = (
    "official takes the first fenced list of objects, else the widest span of brackets, as JSON or a Python literal "
    "and as it stands; strict takes the last list of objects, and brings keys and values into the form asked for"
)


class LayoutTask(FormulaTask, AskedTask[FormulaSample, LayoutAnswer]):
    """The task that takes layouts as text."""

    def read_text(self, item: FormulaSample, text: str) -> LayoutAnswer | Unreadable:
        """Read a list of objects."""
        return layout_in(text)

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
        """Scores of layouts that were collected elsewhere; replies to items of another scenario are left out."""
        style = style or DEFAULT_STYLE
        style_of(style)
        for group in by:
            if group not in GROUPS:
                raise UsageError(f"there is no group {group}", hint=meant(group, GROUPS))
        source = data if Path(data).exists() else str(self.source(data))
        every = read_samples(source, needs_prompts=False)
        rows = Rows(source, every, KNOLLING)
        found = read_replies(replies, [sample.item_id for sample in every], text_of_reply)
        judged = self.judged(rows, found, style)
        unused = sum(sample.scenario == NATURAL and sample.item_id in found for sample in every)
        notes = rows.told(f"{NO_LAYOUT}; so are the replies to them: {unused}" if unused else NO_LAYOUT)
        return self.report_on(judged, style=style, by=by, seed=seed, notes=notes)

    def readings(self, sample: FormulaSample, reply: Reply, solver: Solver) -> TwoReadings:
        """What both profiles read in one reply."""
        said = read_as(reply)
        outcome, found = self.read(sample, said)
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


def unpublished(style: str) -> str:
    """Why replies asked for in a style have no official figures; empty where they have."""
    return "replies in a JSON schema were not asked for in the published way" if style == "structured" else ""


def text_of_reply(value: object) -> str | None:
    """The text that a reply stands for; a list of objects is one as a model would write it.

    >>> text_of_reply([{"label": "cup"}]), text_of_reply("[]"), text_of_reply([])
    ('[{"label": "cup"}]', '[]', '[]')
    """
    if value is None or isinstance(value, str):
        return value
    if not isinstance(value, list):
        found = kind_of(value)
        raise NotationError(f"not a reply: reply: expected a string, a list of objects, or null, found {found}")
    if any(isinstance(one, str) for one in value):
        raise NotationError("not a reply: reply: expected a list of objects, found strings in it: one reply an item")
    return json.dumps(value)
