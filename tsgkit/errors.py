"""The exception tree of tsgkit, and the exit code of each branch.

    TsgkitError                something went wrong that is not our bug
    ├── UsageError             exit 2: a wrong name, option or file was given
    │   └── FileProblem        a file that cannot be read or written at all
    │       └── DownloadProblem  a file that cannot be had from where it is said to lie
    ├── NotationError          a text is not in the notation it was said to be in
    ├── CannotCarry            a notation has no way to write this graph
    ├── Interrupted            exit 130: the user stopped the work
    ├── OwnCodeError           a function of the user's failed on an item, or returned what it must not
    └── EditError              an edit does not apply to this graph

A message says what was found and where, and what was expected; ``hint`` says what to do next.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pydantic import ValidationError

GOOD = 0
FINISHED_WITH_ERRORS = 1
WRONG_USAGE = 2
GATE_MISSED = 3
BUDGET_REACHED = 4
BATCHES_OPEN = 5
OUR_BUG = 70
INTERRUPTED = 130
NAMES_A_TYPE = re.compile(r"str|int|float|bool|.*\[.*\]|function-.*")
"""What pydantic adds to a place where a value may have one of several types."""


class TsgkitError(Exception):
    """The root of all exceptions that tsgkit raises on purpose."""

    exit_code = WRONG_USAGE

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


def first_fault(error: ValidationError) -> str:
    """Return the first thing that pydantic finds wrong in a value: its place, if it is a part, and the reason."""
    fault = error.errors(include_url=False, include_input=False)[0]
    place = ".".join(str(part) for part in fault["loc"] if not NAMES_A_TYPE.fullmatch(str(part)))
    reason = fault["msg"].removeprefix("Value error, ")
    return f"{place}: {reason}" if place else reason


class UsageError(TsgkitError):
    """A name, option or value that does not exist or does not fit."""


class ExtraMissing(UsageError):
    """A library of an extra that is not installed.

    >>> error = ExtraMissing("figures are drawn", "matplotlib", "figures")
    >>> print(error)
    figures are drawn with matplotlib, which is not installed
    >>> print(error.hint)
    install the extra: pip install "tsgkit[figures]" (in a clone: pip install ".[figures]")
    """

    def __init__(self, work: str, library: str, extra: str) -> None:
        hint = f'install the extra: pip install "tsgkit[{extra}]" (in a clone: pip install ".[{extra}]")'
        super().__init__(f"{work} with {library}, which is not installed", hint=hint)


class FileProblem(UsageError):
    """A file that cannot be read or written at all."""


class DownloadProblem(FileProblem):
    """A file that cannot be downloaded."""


class NotationError(TsgkitError):
    """A text that does not follow its notation; ``line`` (from 1) says where, if known."""

    def __init__(self, message: str, *, line: int | None = None, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.line = line

    def __str__(self) -> str:
        return f"line {self.line}: {self.message}" if self.line else self.message


class CannotCarry(TsgkitError):
    """A graph that a notation cannot represent; ``graph`` is its number, from 0."""

    def __init__(self, message: str, *, graph: int | None = None, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.graph = graph

    def __str__(self) -> str:
        return f"graph {self.graph + 1}: {self.message}" if self.graph is not None else self.message


class Interrupted(TsgkitError):
    """Work that the user stopped. Replies and decisions so far are kept."""

    exit_code = INTERRUPTED


class OwnCodeError(TsgkitError):
    """A user's function (a prompt, reader, metric or solver) that failed or returned an invalid value."""


class EditError(TsgkitError):
    """An edit (a patch, a corruption) that does not apply to a graph."""


class Incomplete(UserWarning):
    """A figure is over a part of the samples, because the others were not asked yet or ended in an error."""


class Lacking(UserWarning):
    """Something of a saved run is shown only as it was recorded, because its code or its data are not here."""
