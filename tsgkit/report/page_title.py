"""Title of a report's page: its subjects, its tasks, its dates and its data.

>>> enumerated(["a", "b", "c"]), enumerated(["a"]), enumerated(list("abcde"), "subject")
('a, b and c', 'a', '5 subjects')
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from tsgkit.errors import TsgkitError
from tsgkit.report.plain_text import count
from tsgkit.report.report_rows import Report
from tsgkit.report.report_tables import shown_path
from tsgkit.runs.folder import read_header

MOST_NAMED = 4
DATE = len("2026-01-01")


class Title(NamedTuple):
    """The title of a report: what stands at the top of the page, and below it."""

    heading: str
    dates: str
    data: str

    @property
    def whole(self) -> str:
        """Everything on one line, for the browser's window and for lists of files."""
        return ", ".join(filter(None, (self.heading, self.dates, self.data and f"data {self.data}")))

    @property
    def lead(self) -> str:
        """What stands below the heading."""
        return ". ".join(filter(None, (self.dates, self.data and f"Data: {self.data}")))


def title_of(report: Report) -> Title:
    """Return the title of a report."""
    subjects = enumerated(list(dict.fromkeys(row.subject for row in report.rows)), "subject")
    heading = f"{subjects} on {tasks_named(row.task for row in report.rows)}" if report.rows else "No results"
    files = dict.fromkeys("/".join(Path(shown_path(row.data)).parts[-2:]) for row in report.rows)
    return Title(heading, _dates(report.runs), enumerated(list(files), "file"))


def enumerated(names: Sequence[str], noun: str = "", most: int = MOST_NAMED) -> str:
    """Return names as words, or how many there are."""
    if noun and len(names) > most:
        return count(len(names), noun)
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def tasks_named(tasks: Iterable[str]) -> str:
    """Return tasks by name, those of one suite together.

    >>> tasks_named(["tsg/sgqa", "tsg/sgds", "formalimg/layout"])
    'tsg (sgqa and sgds) and formalimg/layout'
    """
    suites: dict[str, dict[str, None]] = {}
    for task in tasks:
        suite, _, name = task.rpartition("/")
        suites.setdefault(suite, {})[name] = None
    return enumerated([_suite(suite, list(names)) for suite, names in suites.items()])


def _suite(suite: str, names: list[str]) -> str:
    if len(names) == 1 or not suite:
        return f"{suite}/{names[0]}".lstrip("/") if len(names) == 1 else enumerated(names)
    return f"{suite} ({enumerated(names, 'task')})"


def _dates(runs: Iterable[str]) -> str:
    """Return the days on which the runs began; empty where no run says so any more."""
    days = sorted({day for day in _days(runs) if day})
    return f"{days[0]} to {days[-1]}" if len(days) > 1 else "".join(days)


def _days(runs: Iterable[str]) -> Iterator[str]:
    for run in runs:
        try:
            yield str(read_header(Path(run)).get("begun") or "")[:DATE]
        except TsgkitError:  # the run has gone away since; the report itself is whole
            continue
