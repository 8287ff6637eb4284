"""Results as notebooks show them: text for a console, HTML in which nothing that data hold is obeyed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from tsgkit.errors import UsageError
from tsgkit.report import comparison, comparison_tables, explained_page, explaining
from tsgkit.report.explained_text import explanation_lines
from tsgkit.report.scored_text import score_lines
from tsgkit.suites.scoreboard import ScoreReport

if TYPE_CHECKING:
    from tsgkit.report.paper import Figure

LIBRARIES = ("pandas", "polars")


@dataclass(frozen=True)
class Shown:
    """Tables, as text and as HTML."""

    text: str
    html: str

    def __repr__(self) -> str:
        return self.text.rstrip("\n")

    def _repr_html_(self) -> str:
        return self.html


class Explanation(explaining.Explanation):
    """One item in every row of a run that was meant, shown with all that was asked, read and scored."""

    def __repr__(self) -> str:
        return "\n".join(explanation_lines(self))

    def _repr_html_(self) -> str:
        return explained_page.fragment(self)


class Comparison(comparison.Comparison):
    """All pairs of rows, shown as a table."""

    def __repr__(self) -> str:
        return "\n".join(comparison_tables.terminal(self))

    def _repr_html_(self) -> str:
        return comparison_tables.fragment(self)

    def figure(self, *, items: bool = False) -> Figure:
        """Draw the difference of each pair with its interval, or how many items each got right and wrong."""
        from tsgkit.report.paper import comparison_figure, paired_figure

        return paired_figure(self) if items else comparison_figure(self)


@dataclass(frozen=True, repr=False)
class Scores(ScoreReport):
    """Scores of replies that were collected elsewhere, shown in both profiles."""

    data: str = ""

    def __repr__(self) -> str:
        return "\n".join(score_lines(self, self.data))


def frame_of(rows: Sequence[Mapping[str, Any]], library: str | None = None) -> Any:  # noqa: ANN401
    """Return rows as a data frame; each has all columns, in the order in which they first come."""
    if library is not None and library not in LIBRARIES:
        raise UsageError(f"there is no library {library}", hint=f"choose from {', '.join(LIBRARIES)}")
    found = next((name for name in LIBRARIES if library in (None, name) and find_spec(name) is not None), None)
    if found is None:
        wanted = library or "pandas or polars"
        raise UsageError(f"{wanted} is not installed", hint=f"pip install {library or 'pandas'}")
    names = _in_order(rows)
    columns = {name: [row.get(name) for row in rows] for name in names}
    module = import_module(found)
    return module.DataFrame(columns) if found == "pandas" else module.DataFrame(columns, strict=False)


KINDS = ("strict.", "official.", "group.", "count.", "usage.")


def _in_order(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the names of all columns: those of every row, then kind by kind, texts last."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    texts = [name for name in ("prompt", "reply") if name in names]
    plain = [name for name in names if not name.startswith(KINDS) and name not in texts]
    return [*plain, *(name for kind in KINDS for name in names if name.startswith(kind)), *texts]
