"""Annotations asked of a model: what a description demands, written down entry by entry.

>>> from tsgkit.library.cards import load_card
>>> task = AnnotateTask(load_card("sceneeval/annotate"))
>>> dataset = task.dataset(None)
>>> task.takes, len(dataset), task.baseline("baseline/rules", 0, dataset).name
(('models',), 30, 'baseline')
"""

from __future__ import annotations

import functools
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from tsgkit.errors import UsageError
from tsgkit.lexicon import meant
from tsgkit.llm.reply import Reply
from tsgkit.scoring.tally import Tally
from tsgkit.suites.asked_tasks import AskedTask
from tsgkit.suites.item_errors import scored
from tsgkit.suites.judged import Judged
from tsgkit.suites.readings import TwoReadings
from tsgkit.suites.replies import read_as, read_replies
from tsgkit.suites.sceneeval.annotation_answers import NO_FIGURES, AnnotationAnswers
from tsgkit.suites.sceneeval.annotation_baselines import Annotator, annotator_named
from tsgkit.suites.sceneeval.annotation_examples import pool_of
from tsgkit.suites.sceneeval.annotation_prompting import AnnotationTexts, answer_text
from tsgkit.suites.sceneeval.annotation_replies import FIELDS
from tsgkit.suites.sceneeval.annotation_scores import UNREAD, judge_reply, read_reply
from tsgkit.suites.sceneeval.annotation_wording import Wording, wording_of_tables
from tsgkit.suites.sceneeval.annotations import KINDS, Annotation, annotation_value
from tsgkit.suites.sceneeval.description_task import DescriptionTask
from tsgkit.suites.scoreboard import Board, Rules, ScoreReport, add_judged
from tsgkit.suites.scoreboard import board_of as made_board
from tsgkit.suites.solvers.prompter import Prompter
from tsgkit.suites.solvers.solver import Solver
from tsgkit.suites.styles import Style, style_of
from tsgkit.suites.task import Dataset, Items

MARKS = {"matched": "✓", "missing": "✗ missing:", "extra": "✗ not wanted:"}


class AnnotateTask(DescriptionTask, AskedTask):
    """The task that asks for annotations."""

    @functools.cached_property
    def wording(self) -> Wording:
        """What makes two entries the same, by the tables of the working project or ours."""
        return wording_of_tables()

    @functools.cached_property
    def answers(self) -> AnnotationAnswers:
        """How annotations are read, scored and put to a vote."""
        return AnnotationAnswers(self.wording)

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

    def board(self, tally: Tally, solver: Solver, seed: int, *, only: Collection[str] | None = None) -> Board:
        """The values of a tally, of these metrics (None: all)."""
        return self._board(tally, seed, only)

    def _board(self, tally: Tally, seed: int, only: Collection[str] | None = None) -> Board:
        metrics = {name: metric for name, metric in self.metrics.items() if only is None or name in only}
        board = made_board(tally, Rules(metrics, (), NO_FIGURES, seed=seed))
        return replace(board, counts={**board.counts, UNREAD: board.counts.get(UNREAD, 0)})

    def score(
        self, data: str, replies: str, *, style: str | None = None, by: Sequence[str] = (), seed: int = 0
    ) -> ScoreReport:
        """Scores of annotations that were collected elsewhere."""
        style_of(style or "zero-shot")
        for group in by:
            if group not in self.groups:
                raise UsageError(f"there is no group {group}", hint=meant(group, self.groups))
        dataset = self.dataset(data)
        found = read_replies(replies, dataset.item_ids)
        judging = functools.partial(judge_reply, wording=self.wording)
        judged = tuple(scored(judging, sample, found.get(sample.item_id)).judged for sample in dataset)
        groups = {group: self._boards_by(group, judged, seed) for group in by}
        board = self._board(add_judged(self.tally(), judged), seed)
        return ScoreReport(self.key, style or "zero-shot", seed, self.metrics, board, groups, judged)

    def _boards_by(self, group: str, judged: Iterable[Judged], seed: int) -> dict[str, Board]:
        members: dict[str, list[Judged]] = {}
        for one in judged:
            for name in self.group_of(one.sample, group):
                members.setdefault(name, []).append(one)
        ordered = self.in_order(members, group)
        return {name: self._board(add_judged(self.tally(), members[name]), seed) for name in ordered}

    def reference(self, sample: Annotation) -> str:
        """The annotation, in the form that is asked for."""
        return answer_text(sample)

    def reference_value(self, sample: Annotation) -> object:
        """The annotation."""
        return annotation_value(sample)

    def readings(self, sample: Annotation, reply: Reply, solver: Solver) -> TwoReadings:
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
