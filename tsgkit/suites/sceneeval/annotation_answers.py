"""Annotations as solvers take them: read strictly, scored entry by entry."""

from __future__ import annotations

from dataclasses import dataclass, field

from tsgkit.suites.judged import Judged
from tsgkit.suites.replies import Reply
from tsgkit.suites.sceneeval.annotation_prompting import answer_text
from tsgkit.suites.sceneeval.annotation_replies import AnnotationReading
from tsgkit.suites.sceneeval.annotation_scores import judge_reading, read_reply
from tsgkit.suites.sceneeval.annotation_wording import Wording
from tsgkit.suites.sceneeval.annotations import Annotation
from tsgkit.suites.solvers.answerable import AsAsked, Reading

NO_FIGURES = "no figures are published for this task, and the published code does not score annotations"


@dataclass(frozen=True)
class AnnotationAnswers:
    """The answers of the task that asks for annotations; nothing of it is published, whoever answers."""

    wording: Wording = field(repr=False)
    name: str = "sceneeval/annotate"

    def read(self, item: Annotation, reply: Reply | None) -> Reading[AnnotationReading]:
        """Read strictly."""
        return read_reply(reply)

    def score(self, item: Annotation, reading: Reading[AnnotationReading], asked: AsAsked | None) -> Judged:
        """Score the entries."""
        return judge_reading(item, reading, self.wording)

    def length(self, item: Annotation) -> tuple[int, int]:
        """Return the length of the right answer."""
        said = len(answer_text(item))
        return said, said

    def unpublished(self, style: str, solver: str) -> str:
        """Return that there are no official figures."""
        return NO_FIGURES
