"""Results in notebooks: text for a console, and HTML with all data escaped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tsgkit.errors import UsageError
from tsgkit.graph.drawing.svg import Markup
from tsgkit.lexicon import meant
from tsgkit.library.overwrites import write_report
from tsgkit.report import (
    comparison,
    comparison_formats,
    comparison_tables,
    explanation,
    explanation_page,
    grid,
    grid_table,
    html,
    terminal,
)
from tsgkit.report.audit_report import TaskAudit
from tsgkit.report.explanation_text import explanation_lines
from tsgkit.report.figures import percent
from tsgkit.report.formats import format_of
from tsgkit.report.html import drawn_up
from tsgkit.report.plain_text import Foreign, count
from tsgkit.report.score_text import score_lines
from tsgkit.report.tables import Line, Table
from tsgkit.runs import rescore_job
from tsgkit.runs.estimate import RowEstimate
from tsgkit.suites.metrics import check_profile
from tsgkit.suites.scoreboard import ScoreReport

if TYPE_CHECKING:
    from tsgkit.report.paper import Figure

FLOATS = ("strict.", "official.", "usage.")
"""Columns of numbers; also where no sample has one."""
MOST_SHOWN = 10
LIBRARIES = ("pandas", "polars")
WHOLE = ("shots", "seed")
KINDS = ("strict.", "official.", "group.", "count.", "usage.")
TEXTS = ("prompt", "reply")


@dataclass(frozen=True)
class Shown:
    """Tables as text and as HTML."""

    text: str
    html: str

    def __repr__(self) -> str:
        return self.text.rstrip("\n")

    def _repr_html_(self) -> str:
        return self.html


class Explanation(explanation.Explanation):
    """One item in all selected rows of a run, with prompts, replies and scores."""

    def __repr__(self) -> str:
        return "\n".join(explanation_lines(self))

    def _repr_html_(self) -> str:
        return explanation_page.fragment(self)


class Comparison(comparison.Comparison):
    """All pairs of rows as a table."""

    def __repr__(self) -> str:
        return "\n".join(comparison_tables.terminal(self))

    def _repr_html_(self) -> str:
        return comparison_tables.fragment(self)

    def report(self, output: str | Path | None = None, *, format: str | None = None, items: bool = False) -> str:
        """Return the tables that ``tsgkit compare`` writes; ``output`` is a file that they are written into as well."""
        return _report(self, output, format, with_items=items)

    def figure(self, *, items: bool = False) -> Figure:
        """Draw the difference of each pair with its interval, or how many items each got right and wrong."""
        from tsgkit.report.paper import comparison_figure, paired_figure

        return paired_figure(self) if items else comparison_figure(self)


@dataclass(frozen=True, repr=False)
class Grid(grid.Grid):
    """Styles by tasks for every model as a table."""

    def __repr__(self) -> str:
        return "\n".join(grid_table.terminal(self))

    def _repr_html_(self) -> str:
        document = grid_table.document(self)
        notes = html.listed(html.name("".join(note)) for note in document.notes)
        return Markup("".join(map(drawn_up, document.tables)) + notes)

    def report(self, output: str | Path | None = None, *, format: str | None = None) -> str:
        """Return the table that ``tsgkit compare --grid`` writes; ``output`` is a file that it is written into too."""
        return _report(self, output, format, with_items=False)


def _report(
    result: comparison.Comparison | grid.Grid, output: str | Path | None, format: str | None, *, with_items: bool
) -> str:
    """Return tables in a format, Markdown by default, and write them where that is asked for."""
    chosen = format or ("markdown" if output is None else format_of(Path(output), "comparison", ""))
    text = comparison_formats.write(result, chosen, with_items=with_items)
    if output is not None:
        write_report(output, text)
    return text


@dataclass(frozen=True, repr=False)
class Scores(ScoreReport):
    """Scores of replies collected elsewhere, in both profiles."""

    data: str = ""

    def value(self, metric: str, *, profile: str = "strict") -> float | None:
        """Return one figure; None if no item counts in the profile, ``UsageError`` for an unknown name."""
        check_profile(profile)
        board = self.board.profiles[profile] or {}
        if metric not in board:
            raise UsageError(f"{self.task} has no metric {metric} in {profile}", hint=meant(metric, board))
        found = board[metric]
        return None if found is None else found.value

    def __repr__(self) -> str:
        return "\n".join(score_lines(self, self.data))


class Audits(tuple[TaskAudit, ...]):
    """Audits of several tasks, one after the other."""

    def __repr__(self) -> str:
        return "\n\n".join(map(str, self))

    def _repr_html_(self) -> str:
        return Markup("".join(one._repr_html_() for one in self))


class Estimates(tuple[RowEstimate, ...]):
    """Estimated requests and costs of a plan's rows as a table."""

    @property
    def table(self) -> Table:
        """The rows, each with its samples, requests, tokens and cost."""
        head = ("row", "samples", "requests", "tokens in", "tokens out", "cost")
        rows = []
        for one in self:
            cost = "unknown" if one.cost is None else f"${one.cost.low:.4f} to ${one.cost.high:.4f}"
            pairs = (one.requests, (one.prompt.low, one.prompt.high), (one.completion.low, one.completion.high))
            spreads = [dict.fromkeys(f"{end:,.0f}" for end in pair) for pair in pairs]
            rows.append((Foreign(one.cell.title), f"{one.samples:,}", *map(" to ".join, spreads), cost))
        return Table(("What would be asked",), head, tuple(rows))

    def __repr__(self) -> str:
        return "\n".join(terminal.table(self.table))

    def _repr_html_(self) -> str:
        return drawn_up(self.table)


class Rescored(rescore_job.Rescored):
    """The results of a run before and after rescoring, with the changes."""

    @property
    def table(self) -> Table:
        """Every metric of strict that changed, and every sample that is read differently."""
        changed: list[tuple[str, ...]] = []
        for old, new in zip(self.before, self.after, strict=True):
            before, after = (one.board.profiles["strict"] or {} for one in (old, new))
            changed += [
                (Foreign(new.cell.title), name, percent(before.get(name)), percent(after.get(name)))
                for name in dict.fromkeys([*before, *after])
                if before.get(name) != after.get(name)
            ]
        notes: list[Line] = [(f"{count(len(self.reread), 'sample')} read differently",)]
        for one in self.reread[:MOST_SHOWN]:
            before_and_now = (f"{outcome} {answer!r:.60}" for outcome, answer in (one.before, one.after))
            notes.append((Foreign(f"{one.item_id} ({one.cell.title}): {' -> '.join(before_and_now)}"),))
        title = f"{count(len(self.after), 'row')} scored again, {count(len(changed), 'value')} changed"
        return Table((title,), ("row", "metric", "was", "is"), tuple(changed), tuple(notes), words=2)

    def __repr__(self) -> str:
        return "\n".join(terminal.table(self.table))

    def _repr_html_(self) -> str:
        return drawn_up(self.table)


def frame_of(rows: Sequence[Mapping[str, Any]], library: str | None = None) -> Any:  # noqa: ANN401
    """Return rows as a data frame; each has all columns: those of every row, then kind by kind, texts last."""
    if library is not None and library not in LIBRARIES:
        raise UsageError(f"there is no library {library}", hint=f"choose from {', '.join(LIBRARIES)}")
    chosen = next((name for name in LIBRARIES if library in (None, name) and find_spec(name) is not None), None)
    if chosen is None:
        wanted = library or "pandas or polars"
        raise UsageError(f"{wanted} is not installed", hint=f"pip install {library or 'pandas'}")
    first = list(dict.fromkeys(name for row in rows for name in row))
    names = [name for name in first if not name.startswith(KINDS) and name not in TEXTS]
    names += [name for kind in KINDS for name in first if name.startswith(kind)]
    names += [name for name in TEXTS if name in first]
    columns = {name: [row.get(name) for row in rows] for name in names}
    empty = {name for name, values in columns.items() if all(value is None for value in values)}
    floats = [name for name in names if name in empty and name.startswith(FLOATS)]
    module = import_module(chosen)
    if chosen == "pandas":
        return module.DataFrame(columns).astype(dict.fromkeys(floats, "float64"))
    kinds = {name: module.Int64 if name in WHOLE else module.String for name in empty}
    kinds |= dict.fromkeys(floats, module.Float64)
    return module.DataFrame(columns, strict=False, schema_overrides=kinds)
