"""Layouts as solvers take them: read strictly, verified in both profiles.

They are not put to a vote: boxes that two replies place apart have no majority, and their mean may be where nobody put
anything.
"""

from __future__ import annotations

from dataclasses import dataclass

from tsgkit.suites.formalimg.judging import Found, judge_reading, published_reading, read_reply
from tsgkit.suites.formalimg.rows import FormulaSample
from tsgkit.suites.judged import Judged
from tsgkit.suites.replies import Reply
from tsgkit.suites.solvers.answerable import AsAsked, Reading

CHARACTERS = 64
"""As many as an object of a layout takes."""


def unpublished(style: str) -> str:
    """Why replies asked for in a style have no official figures; empty where they have."""
    return "replies in a JSON schema were not asked for in the published way" if style == "structured" else ""


@dataclass(frozen=True)
class LayoutAnswers:
    """The answers of the task that asks for layouts."""

    name: str = "formalimg/layout"

    def read(self, item: FormulaSample, reply: Reply | None) -> Reading[Found]:
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
        """Return why there are no official figures: only the style can be unpublished."""
        return unpublished(style)
