"""Annotations as solvers take them: read strictly, scored entry by entry, put to a vote entry by entry.

>>> from tsgkit.suites.sceneeval.annotation_replies import read_annotation_reply
>>> from tsgkit.suites.sceneeval.annotation_wording import wording_of_tables
>>> said = ["eq,1,sofa;ge,2,lamp", "eq,1,couch", "eq,1,sofa;eq,2,lamp"]
>>> draws = [read_annotation_reply('{"counts": "%s"}' % one) for one in said]
>>> [spec.text for spec in voted(draws, wording_of_tables()).answer.specifications]
['eq,1,sofa']
"""

from __future__ import annotations

from collections.abc import Sequence

from tsgkit.scoring.outcomes import Outcome
from tsgkit.suites.sceneeval.annotation_replies import AnnotationReading
from tsgkit.suites.sceneeval.annotation_wording import Wording
from tsgkit.suites.solvers.answerable import Reading
from tsgkit.suites.solvers.voting import majority

NO_FIGURES = "no figures are published for this task, and the published code does not score annotations"
NO_MAJORITY = "no entry has a majority"


def voted(draws: Sequence[AnnotationReading], wording: Wording) -> Reading[AnnotationReading]:
    """Return the entries that more than half of the draws have, as they were first written.

    Entries are the same where the exact scores take them for the same. An entry that cannot be read is one all the
    same, by its text: where most draws have it, it stays and counts as wrong.
    """
    entries = majority([draw.specifications for draw in draws], wording.key)
    bad = majority([draw.bad for draw in draws], lambda one: (one.kind, one.note.text))
    empty = sum(not draw.specifications and not draw.bad for draw in draws)
    if not entries and not bad and empty * 2 <= len(draws):
        return Reading(Outcome.UNREADABLE, AnnotationReading(unreadable=NO_MAJORITY))
    return Reading(Outcome.ANSWERED, AnnotationReading(tuple(entries), tuple(bad)))
