"""Grid of styles by tasks for every model, with shots, prompts and seeds, and marks for significant differences.

    from tsgkit.report.grid import grid

    for row in grid([Path("runs/ablation")]).rows:
        print(row.subject, row.way, [cell and cell.value for cell in row.cells])

Every other row of a model is compared with its first one, task by task, on the same items; p-values are Holm-corrected
over the whole grid. Only significant differences are marked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tsgkit.report.comparison import Pair, paired, too_many, value_of
from tsgkit.report.comparison_rows import ComparisonRequest, Contender, ContenderGroups, gather
from tsgkit.report.figures import one_of
from tsgkit.runs.plan import AXES, Axes
from tsgkit.suites.scoreboard import Value

BETTER, WORSE = "(+)", "(-)"


@dataclass(frozen=True)
class GridCell:
    """A row on one task; ``pair`` compares it with the model's first row, which has none itself."""

    row: Contender
    value: Value | None
    pair: Pair | None

    @property
    def verdict(self) -> str:
        """``better`` or ``worse`` than the first row, where that is shown; else empty."""
        if self.pair is None or self.pair.better is None:
            return ""
        return "better" if self.pair.better is self.row else "worse"

    @property
    def mark(self) -> str:
        """The verdict as a sign."""
        return {"": "", "better": BETTER, "worse": WORSE}[self.verdict]


@dataclass(frozen=True)
class GridRow:
    """One style of one model, with one value of each axis that the run has several of."""

    subject: str
    way: str
    cells: tuple[GridCell | None, ...]
    axes: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class ResultsGrid:
    """The grid: models and styles as rows, tasks as columns."""

    profile: str
    seed: int
    tasks: tuple[str, ...]
    metrics: tuple[str, ...]
    rows: tuple[GridRow, ...]
    pairs: tuple[Pair, ...]
    notes: tuple[str, ...]
    clusters_are: str = "scenarios"

    @property
    def axes(self) -> tuple[str, ...]:
        """The axes, beside the style, that some row has a value of."""
        return tuple(name for name in AXES if any(name in row.axes for row in self.rows))

    @property
    def legend(self) -> tuple[str, ...]:
        """The meaning of values and marks, in lines."""
        values = {cell.row.measure.is_share for row in self.rows for cell in row.cells if cell is not None}
        unit = "values in percent" if values == {True} else "shares in percent"
        brackets = f"{unit}; brackets hold 95 % intervals over {self.clusters_are}"
        row = "row" if self.axes else "style"
        if not self.pairs:
            return brackets, f"every model has one {row} only, so nothing is compared"
        number = len(self.pairs)
        over = "one comparison" if number == 1 else f"{number} comparisons"
        return (
            brackets,
            f"{BETTER} better, {WORSE} worse than the model's first {row} on the same items",
            f"at p <= 0.05, Holm-corrected over {over}; without a mark no difference is shown",
        )


def grid(
    paths: Sequence[Path],
    *,
    tasks: Sequence[str] = (),
    metric: str | None = None,
    profile: str = "strict",
    common: bool = False,
    data: str | None = None,
    seed: int = 0,
) -> ResultsGrid:
    """Return the grid of these runs; ``UsageError`` where data or items differ."""
    gathered = gather(paths, ComparisonRequest(tuple(tasks), metric, profile, data, common))
    firsts = {(row.subject, row.task): row for row in reversed(gathered.all)}
    couples = [(row, first) for row in gathered.all if (first := firsts[row.subject, row.task]) is not row]
    pairs = paired(couples, seed)
    return ResultsGrid(
        profile=profile,
        seed=seed,
        tasks=tuple(group[0].task for group in gathered.groups),
        metrics=tuple(group[0].metric for group in gathered.groups),
        rows=tuple(_rows(gathered, {pair.first: pair for pair in pairs})),
        pairs=pairs,
        notes=(*gathered.notes, *too_many(pairs)),
        clusters_are=one_of(row.clusters_are for row in gathered.all),
    )


def _rows(gathered: ContenderGroups, pairs: Mapping[Contender, Pair]) -> Iterator[GridRow]:
    """Yield models in the order they came, each with its styles; a row of the same name in two runs is two rows."""
    lines: dict[tuple[str, str, Axes], dict[str, Contender]] = {}
    for row in gathered.all:
        way = f"{row.way}{row.name.removeprefix(row.title)}".strip()  # with the run where the name has it
        lines.setdefault((row.subject, way, row.axes), {})[row.task] = row
    subjects = list(dict.fromkeys(row.subject for row in gathered.all))
    for line in sorted(lines, key=lambda line: subjects.index(line[0])):
        by_task, cells = lines[line], list[GridCell | None]()
        for group in gathered.groups:
            if (contender := by_task.get(group[0].task)) is None:
                cells.append(None)
                continue
            pair = pairs.get(contender)
            cells.append(GridCell(contender, value_of(contender) if pair is None else pair.first_value, pair))
        yield GridRow(line[0], line[1], tuple(cells), next(iter(by_task.values())).cell.own_axes)
