"""Exceptions of our own or a suite's code on one item: that item's counted outcome, told by type and place.

The exception's own message is left out where it was not written for people: it may hold anything, a key included.
"""

from __future__ import annotations

import os
from collections.abc import Collection
from dataclasses import dataclass, replace
from traceback import walk_tb
from typing import Any

from tsgkit.errors import TsgkitError
from tsgkit.runs.journal import Journal
from tsgkit.runs.prepared import Row
from tsgkit.runs.records import record_of
from tsgkit.scoring.outcomes import Outcome
from tsgkit.suites.judged import Judged
from tsgkit.suites.transcript import Transcript


class ItemError(Exception):
    """An exception told in words: it leaves another process without its traceback."""


@dataclass(frozen=True)
class Scored:
    """The judgement on a sample, and the exception that stands in its way, if any."""

    judged: Judged
    error: str = ""


def told(error: Exception, *owners: object) -> str:
    """Return an exception's type and the innermost line of tsgkit or of the packages of some objects that it left.

    >>> try:
    ...     int("x")
    ... except ValueError as error:
    ...     told(error).partition(" at ")[0]
    'ValueError'
    """
    if os.environ.get("TSGKIT_DEBUG"):
        raise error
    if isinstance(error, ItemError):
        return str(error)
    packages = {"tsgkit", *(type(owner).__module__.partition(".")[0] for owner in owners)}
    words = f"{type(error).__name__}{_place(error, packages)}"
    return f"{words}: {error}" if isinstance(error, TsgkitError) else words


def _place(error: Exception, packages: Collection[str]) -> str:
    frames = [(str(frame.f_globals.get("__name__", "")), line) for frame, line in walk_tb(error.__traceback__)]
    ours = [(name, line) for name, line in frames if name.partition(".")[0] in packages]
    return f" at {ours[-1][0].replace('.', '/')}.py:{ours[-1][1]}" if ours else ""


def judge(row: Row, sample: Any, transcript: Transcript | None) -> Scored:  # noqa: ANN401  (its suite's sample)
    """Return the judgement on a transcript, or the counted error of the code that judges it."""
    try:
        return Scored(row.solver.judge(sample, transcript))
    except Exception as error:  # noqa: BLE001 - a suite's code fails in every way there is
        return failed(row, sample, told(error, row.task, row.solver))


def written(row: Row, score: Scored, transcript: Transcript) -> tuple[dict[str, Any], bytes]:
    """Return the record of a sample and its line; one that cannot be written is an error of the code that judged it."""
    record = record_of(row.cell, score.judged, transcript, score.error)
    try:
        return record, Journal.encoded(record)
    except (TypeError, ValueError, RecursionError) as error:
        score = failed(row, score.judged.sample, f"{told(error, row.task, row.solver)}: its judgement is not JSON")
        record = record_of(row.cell, replace(score.judged, answer=None, evidence=None), transcript, score.error)
        return record, Journal.encoded(record)


def failed(row: Row, sample: Any, error: str) -> Scored:  # noqa: ANN401
    """Return the judgement on a sample that ended in an error: scored as one without a reply, counted as what it is."""
    try:
        judged = row.solver.judge(sample, None)
    except Exception:  # noqa: BLE001 - as above
        judged = Judged(sample, Outcome.ERROR, None, {profile: {} for profile in ("strict", "official")})
    counts = {name: number for name, number in judged.counts.items() if name not in list(Outcome)}
    counts = {"items": 1, **counts, str(Outcome.ERROR): 1}
    judged = replace(judged, outcome=Outcome.ERROR, notes=(error,), counts=counts)
    return Scored(judged, error)
