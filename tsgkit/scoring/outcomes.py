"""Outcomes of a sample, and the counts beside every score.

Every sample ends in exactly one outcome, and each is counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from enum import StrEnum


class Outcome(StrEnum):
    """The outcome of a sample."""

    ANSWERED = "answered"
    MISSING = "missing"
    """There is no reply."""
    EMPTY = "empty"
    """The reply has no content."""
    TRUNCATED = "truncated"
    """The reply was cut off at its length limit."""
    REFUSED = "refused"
    """A content filter or the refusal field refused. A refusal in prose is unreadable."""
    UNREADABLE = "unreadable"
    """No answer could be read from the reply."""
    API_ERROR = "api_error"
    """The service failed, after retries."""
    ERROR = "error"
    """Our own or a suite's code raised an exception on this item, or took too long."""


FAILURES = frozenset((Outcome.API_ERROR, Outcome.ERROR))
"""The outcomes that say nothing about the subject. The same command asks such samples again."""
TOO_LONG = "too_long"
"""The count of items that ended in an error since measuring them took longer than its limit."""
COUNTS = ("items", *Outcome, "repaired", "missing_graphs", "surplus_graphs", "skipped_official")
"""The counts that every score carries, in this order."""


def add_counts(samples: Iterable[Mapping[str, int]]) -> dict[str, int]:
    """Return the sum of the counts of all samples: the shared counts first, then those of the suite.

    >>> list(add_counts([{"items": 1, "answered": 1, "too_large": 1}]).items())[-1]
    ('too_large', 1)
    """
    total: Counter[str] = Counter()
    for counts in samples:
        total.update(counts)
    own = [name for name in total if name not in COUNTS]
    return {str(name): total[name] for name in (*COUNTS, *own)}
