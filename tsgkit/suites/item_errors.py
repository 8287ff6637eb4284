"""Exceptions of our own or a suite's code on one item, turned into its counted outcome with type and place.

The exception's own message is left out unless it was written for users: it may contain anything, including a key.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from traceback import walk_tb
from typing import TypeVar

from tsgkit.errors import OwnCodeError, TsgkitError
from tsgkit.scoring.outcomes import Outcome
from tsgkit.suites.judgement import Judged, Sample
from tsgkit.suites.metrics import PROFILES

Asked = TypeVar("Asked", bound=Sample)
Said = TypeVar("Said")


class ItemError(Exception):
    """An exception as text, which can leave another process without its traceback."""


@dataclass(frozen=True)
class Scored:
    """The scores of a sample, and the exception that prevented them, if any."""

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
    if isinstance(error, (ItemError, OwnCodeError)):
        return str(error)
    packages = {"tsgkit", *(type(owner).__module__.partition(".")[0] for owner in owners)}
    words = f"{type(error).__name__}{_place(error, packages)}"
    return f"{words}: {error}" if isinstance(error, TsgkitError) else words


def _place(error: Exception, packages: Collection[str]) -> str:
    frames = [(str(frame.f_globals.get("__name__", "")), line) for frame, line in walk_tb(error.__traceback__)]
    ours = [(name, line) for name, line in frames if name.partition(".")[0] in packages]
    return f" at {ours[-1][0].replace('.', '/')}.py:{ours[-1][1]}" if ours else ""


def scored(judge: Callable[[Asked, Said | None], Judged], sample: Asked, said: Said | None, *owners: object) -> Scored:
    """Return the scores of a transcript, or the counted error of the scoring code."""
    try:
        return Scored(judge(sample, said))
    except Exception as error:  # noqa: BLE001 - a suite's code fails in every way there is
        return failed(judge, sample, told(error, *owners))


def failed(judge: Callable[[Asked, Said | None], Judged], sample: Asked, error: str) -> Scored:
    """Return the scores of a sample that ended in an error: scored as one without a reply, counted as ``error``."""
    try:
        judged = judge(sample, None)
    except Exception:  # noqa: BLE001 - as above
        judged = Judged(sample, Outcome.ERROR, None, {profile: {} for profile in PROFILES})
    counts = {name: number for name, number in judged.counts.items() if name not in list(Outcome)}
    counts = {"items": 1, **counts, str(Outcome.ERROR): 1}
    judged = replace(judged, outcome=Outcome.ERROR, notes=(error,), counts=counts)
    return Scored(judged, error)
