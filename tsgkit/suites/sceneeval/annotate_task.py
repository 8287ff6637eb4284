"""Annotations asked of a model: what a description demands, written down entry by entry.

>>> from tsgkit.library.cards import load_card
>>> task = AnnotateTask(load_card("sceneeval/annotate"))
>>> dataset = task.dataset(None)
>>> task.takes, len(dataset), task.baseline("baseline/rules", 0, dataset).name
(('models',), 30, 'baseline')
"""

from __future__ import annotations

import functools
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from tsgkit.errors import UsageError
from tsgkit.llm.reply import Reply as ModelReply
from tsgkit.scoring.tally import Tally
from tsgkit.suites.asked_task import AskedTask
from tsgkit.suites.judged import Judged
from tsgkit.suites.readings import TwoReadings
from tsgkit.suites.replies import Reply, read_as
from tsgkit.suites.sceneeval.annotation_answers import NO_FIGURES, voted
from tsgkit.suites.sceneeval.annotation_baselines import Annotator, annotator_named
from tsgkit.suites.sceneeval.annotation_examples import pool_of
from tsgkit.suites.sceneeval.annotation_prompting import AnnotationTexts, answer_text
from tsgkit.suites.sceneeval.annotation_replies import FIELDS, AnnotationReading
from tsgkit.suites.sceneeval.annotation_scores import UNREAD, judge_reading, read_reply
from tsgkit.suites.sceneeval.annotation_wording import Wording, wording_of_tables
from tsgkit.suites.sceneeval.annotations import KINDS, Annotation, annotation_value
from tsgkit.suites.sceneeval.description_task import DescriptionTask
from tsgkit.suites.scoreboard import Board
from tsgkit.suites.solvers.answerable import AsAsked, Reading
from tsgkit.suites.solvers.prompter import Prompter
from tsgkit.suites.solvers.solver import Solver
from tsgkit.suites.styles import Style
from tsgkit.suites.task import Dataset, Items

MARKS = {"matched": "✓", "missing": "✗ missing:", "extra": "✗ not wanted:"}


class AnnotateTask(DescriptionTask, AskedTask[Annotation, AnnotationReading]):
    """The task that asks for annotations."""

    @functools.cached_property
    def wording(self) -> Wording:
        """What makes two entries the same, by the tables of the working project or ours."""
        return wording_of_tables()

    def read(self, item: Annotation, reply: Reply | None) -> Reading[AnnotationReading]:
        """Read strictly."""
        return read_reply(reply)

    def score(self, item: Annotation, reading: Reading[AnnotationReading], asked: AsAsked | None) -> Judged:
        """Score the entries."""
        return judge_reading(item, reading, self.wording)

    def shown_answer(self, item: Annotation) -> str:
        """The right answer in the form that is asked for."""
        return answer_text(item)

    def unpublished(self, style: str, solver: str) -> str:
        """Why there are no official figures."""
        return NO_FIGURES

    def vote(self, item: Annotation, answers: Sequence[AnnotationReading]) -> Reading[AnnotationReading]:
        """Put the entries to the majority."""
        return voted(answers, self.wording)

    def prompt_sources(self, prompts: str | None) -> Mapping[str, str]:
        """Where each part of its prompts comes from."""
        return AnnotationTexts.of(self.card.prompts, prompts).sources

    def prompter(self, style: Style, dataset: Dataset, *, seed: int, prompts: str | None) -> Prompter[Annotation]:
        """The prompts in a style; the pool of examples is held against the descriptions."""
        texts = AnnotationTexts.of(self.card.prompts, prompts)
        examples = pool_of(self.card).chosen(style.shots, seed, own(dataset)) if style.shots else ()
        return Prompter(texts, style, examples)

    def program(self, subject: str, seed: int, dataset: Dataset) -> Annotator:
        """The baseline of a name."""
        return annotator_named(subject, seed, list(own(dataset)))

    def board_by(
        self, tally: Tally, seed: int, *, style: str, unpublished: str, only: Collection[str] | None = None
    ) -> Board:
        """The values of a tally, with the number of entries that nobody could read."""
        board = super().board_by(tally, seed, style=style, unpublished=unpublished, only=only)
        return replace(board, counts={**board.counts, UNREAD: board.counts.get(UNREAD, 0)})

    def reference(self, sample: Annotation) -> str:
        """The annotation, in the form that is asked for."""
        return answer_text(sample)

    def reference_value(self, sample: Annotation) -> object:
        """The annotation."""
        return annotation_value(sample)

    def readings(self, sample: Annotation, reply: ModelReply, solver: Solver) -> TwoReadings:
        """What was read in one reply; nobody published a reader."""
        outcome, reading = read_reply(read_as(reply))
        text = None if reading.unreadable else answer_text(reading.annotation(sample.item_id))
        return TwoReadings(outcome, text, reading.unreadable, reading.findings, None, NO_FIGURES, ())

    def trace(self, judged: Judged) -> tuple[str, ...]:
        """Each entry that was said or wanted, field by field."""
        return tuple(_traced(judged.evidence)) if judged.evidence else ()


def own(dataset: Dataset) -> Items:
    """The descriptions of a dataset of this suite."""
    if not isinstance(dataset, Items):
        raise UsageError(f"{dataset.file}: not descriptions of rooms")
    return dataset


def _traced(evidence: Mapping[str, Any]) -> Iterator[str]:
    nearly = {one["said"]: one for one in evidence["nearly"]}
    for kind in KINDS:
        found = evidence["fields"][kind]
        for name, mark in MARKS.items():
            for entry in found[name]:
                near = nearly.get(entry) if name == "extra" else None
                why = f" ({near['differs']}: {near['wanted']} is wanted)" if near else ""
                yield f"{FIELDS[kind]}: {mark} {entry}{why}"
        for bad in found["unread"]:
            yield f"{FIELDS[kind]}: ✗ unread: {bad['entry']} ({bad['reason']})"
