"""What both profiles read in one reply of a judge, beside each other, and in words why they differ.

>>> from tsgkit.suites.spatialgen.rows import question_from, row_of
>>> asked = question_from("Where?  Options: A: up, B: down, E: None", "B", "Position")
>>> sample = SpatialSample(row_of("1", "Park", "", [asked] * 10))
>>> found = read_twice(sample, Reply("\\n".join(["**B**"] * 10)), "published")
>>> found.strict, found.official
('BBBBBBBBBB', '**********')
"""

from __future__ import annotations

from tsgkit.llm.reply import Reply
from tsgkit.replies import Unreadable
from tsgkit.scoring.outcomes import Outcome
from tsgkit.suites.judges.judge import outcome_of
from tsgkit.suites.readings import TwoReadings
from tsgkit.suites.spatialgen import official
from tsgkit.suites.spatialgen.asking import APART, way_of
from tsgkit.suites.spatialgen.judging import unpublished
from tsgkit.suites.spatialgen.rows import LETTERS, Question
from tsgkit.suites.spatialgen.samples import SpatialSample
from tsgkit.suites.spatialgen.strict import letters
from tsgkit.suites.task import PUBLISHED
from tsgkit.suites.transcript import LOCAL

NOTHING = "-"
RECORD = '{"found":'
"""How the record of what was shown begins."""
NO_REPLY = "this is no reply, but the record of what was shown, and in which orders"
ANY = Question("", dict.fromkeys(LETTERS, "an option"), "")
REJECTED = "official rejects a reply that is not exactly ten lines, and asks again"
FIRST_CHARACTERS = "official takes the first character of every line, whatever it is"
AS_SHOWN = "letters as they were shown: the orders of the options are undone before votes are counted"


def read_twice(sample: SpatialSample, reply: Reply, protocol: str) -> TwoReadings:
    """One reply as both profiles read it; letters are those that were said, before orders are undone."""
    if reply.source == LOCAL and (reply.text or "").startswith(RECORD):
        return TwoReadings(Outcome.ANSWERED, None, NO_REPLY, (), None, NO_REPLY, ())
    way = way_of(protocol)
    questions = [ANY] if way.base == APART else sample.questions
    found = letters(reply.text or "", questions)
    unread = [one.reason for one in found if isinstance(one, Unreadable)]
    strict = (
        None if len(unread) == len(found) else "".join(NOTHING if isinstance(one, Unreadable) else one for one in found)
    )
    accepted = official.accepted(reply.text or "")
    theirs = None if accepted is None else "".join(accepted)
    not_official = unpublished(way)
    return TwoReadings(
        outcome=Outcome.ANSWERED if strict is not None else outcome_of(reply),
        strict=strict,
        unreadable=unread[0] if strict is None else "",
        notes=(),
        official=None if not_official else theirs,
        not_official=not_official,
        why=_why(strict, theirs, protocol, bool(not_official)),
    )


def _why(strict: str | None, theirs: str | None, protocol: str, not_official: bool) -> tuple[str, ...]:
    if not_official:
        return () if way_of(protocol).base == PUBLISHED else (AS_SHOWN,)
    if strict == theirs:
        return ()
    return (REJECTED if theirs is None else FIRST_CHARACTERS,)
