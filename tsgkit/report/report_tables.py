"""The tables of a report: scores by task and by group, what is published, how samples ended, what it took."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from tsgkit.library.projects import portable
from tsgkit.report.figures import (
    NOTHING,
    UNKNOWN,
    cached_input,
    cost,
    number,
    one_of,
    percent,
    tokens,
    weight,
    with_interval,
)
from tsgkit.report.phrases import more_room
from tsgkit.report.plain_text import Foreign, count
from tsgkit.report.report_rows import Beside, Figure, Report, ReportRow
from tsgkit.report.results_grid import results_table
from tsgkit.report.table import Cell, Document, Line, Table
from tsgkit.scoring.pooling import COUNTS, Outcome
from tsgkit.suites.scoreboard import Board
from tsgkit.suites.task import Control

NO_METRIC = "the published code has no such metric"
VALUES = ("strict", "n", "official", "n")
MOST_DIFFERENCES = 25
"""The number of differences from official results that tables list."""
COUNTED = "hallucinated_"
"""Prefixes of counts that were also published."""
MOST_ERRORS = 5
REPAIRS = ("restored", "still_wrong", "newly_broken", "clean_touched")
"""The metrics of graphs to mend, which stand in one line beside the calls."""


def document(report: Report) -> Document:
    """Return the report as tables."""
    tables = (
        *([results_table(report)] if len(report.rows) > 1 else []),
        *(table for task in tasks_of(report) for table in score_tables(report, task)),
        *controls(report),
        *(table for group in report.by for table in group_tables(report, group)),
        *_repairs(report),
        *inventions(report),
        *published_tables(report),
        outcomes(report),
        usage(report),
    )
    return Document("Results", tables, _reading(report), tuple(_sources(report)))


def tasks_of(report: Report) -> tuple[str, ...]:
    """Return the tasks, in the order of the rows."""
    return tuple(dict.fromkeys(row.task for row in report.rows))


def _who(report: Report, row: ReportRow) -> tuple[str, ...]:
    """Return the cells that distinguish the row within its task."""
    run = (Foreign(row.run),) if len(report.runs) > 1 else ()
    return (*run, Foreign(row.subject), Foreign(" ".join(row.way)) if row.way else NOTHING)


def _who_head(report: Report) -> tuple[str, ...]:
    return (*(("run",) if len(report.runs) > 1 else ()), "subject", "way")


def score_tables(report: Report, task: str, *, headline: bool | None = None) -> Iterator[Table]:
    """Yield the scores on a task: of all metrics shown, of the headlines, or of the others."""
    rows = [row for row in report.rows if row.task == task]
    lines = [
        (*_who(report, row), name, "more" if metric.more_is_better else "less", *_values(row.board, name))
        for row in rows
        for name, metric in row.metrics.items()
        if headline is None or (name in row.headlines) is headline
    ]
    if lines or headline is not False:
        notes = [] if headline is False else [note for row in rows for note in _row_notes(row)]
        title = (Foreign(task), *([": other metrics"] if headline is False else []))
        yield _scored(title, (*_who_head(report), "metric", "better"), lines, notes, label=task)


def _scored(
    title: Line,
    who: Sequence[str],
    rows: Sequence[tuple[Cell, ...]],
    notes: Sequence[Line] = (),
    *,
    label: str,
    more: Sequence[str] = (),
) -> Table:
    """Return a table of values, with n once where it is the same in both profiles."""
    is_same = all(row[-1] in (row[-3], NOTHING) for row in rows)
    head, end = (*who, *more, *VALUES), -1 if is_same else None
    cells = tuple(row[:end] for row in rows)
    return Table(title, head[:end], cells, tuple(notes), len(who), caption=("Results on ", *title), label=label)


def _values(board: Board, name: str) -> Iterator[Cell]:
    for profile in ("strict", "official"):
        value = (board.profiles[profile] or {}).get(name)
        yield from (with_interval(value), weight(value))


def _row_notes(row: ReportRow) -> Iterator[Line]:
    who = Foreign(row.title)
    for what, reason in row.board.reasons.items():
        if row.n and reason != NO_METRIC and not (row.board.never_answered and what == "official"):  # once
            yield (who, f": {what}: ", Foreign(reason))
    if row.unasked:
        unasked = f"{row.unasked:,} of {row.total:,} samples were not asked"
        yield (who, f": unfinished: {unasked}; the figures are over the others")
    if truncated := row.board.counts["truncated"]:
        yield (who, f": {count(truncated, 'reply was', 'replies were')} cut off: {more_room(row.parameters)}")
    for error, times in list(row.errors.items())[:MOST_ERRORS]:
        yield (who, f": {times:,} of {row.n:,} samples failed: ", Foreign(error))
    if (more := len(row.errors) - MOST_ERRORS) > 0:
        yield (who, f": and {more:,} other errors")


def controls(report: Report) -> Iterator[Table]:
    """Yield the scores of control programs on the same samples, if the task has any."""
    for task, found, rows in _controlled(report):
        names = list(dict.fromkeys(name for one in found for name in one.values))
        lines = tuple(
            (Foreign(one.name), number(one.n), *(percent(one.values.get(name)) for name in names)) for one in found
        )
        runs = tuple(Foreign(run) for run in dict.fromkeys(row.run for row in rows))
        among = (("of ", *runs),) if len(report.runs) > 1 else ()
        title = (Foreign(task), ": what answering without looking gets")
        yield Table(title, ("control", "n", *names), lines, (*among, (CONTROLS_HELP,)), label=f"{task} controls")


CONTROLS_HELP = (
    "the same items without a model; compare voted figures with voted ones, and single rounds with single rounds"
)


def _controlled(report: Report) -> list[tuple[str, tuple[Control, ...], list[ReportRow]]]:
    """Return rows by task and controls, which are the same where the same items were asked."""
    found: dict[str, list[tuple[tuple[Control, ...], list[ReportRow]]]] = {}
    for row in report.rows:
        if row.controls:
            known = found.setdefault(row.task, [])
            mine = next((rows for controls, rows in known if controls == row.controls), None)
            if mine is None:
                known.append((row.controls, mine := []))
            mine.append(row)
    return [(task, controls, rows) for task, known in found.items() for controls, rows in known]


def group_tables(report: Report, group: str) -> Iterator[Table]:
    """Yield the scores of the members of a group, task by task."""
    for task in tasks_of(report):
        rows = [row for row in report.rows if row.task == task and row.groups.get(group)]
        if rows:
            lines = [line for row in rows for line in _members(report, row, group)]
            who, title = (*_who_head(report), group, "metric"), (Foreign(task), " by ", group)
            yield _scored(title, who, lines, label=f"{task} by {group}", more=("items",))


def _members(report: Report, row: ReportRow, group: str) -> Iterator[tuple[Cell, ...]]:
    for name, board in row.groups[group].items():
        for metric in shown_in(board, row.measured):
            yield (*_who(report, row), Foreign(name), metric, number(board.n), *_values(board, metric))


def shown_in(board: Board, metrics: Iterable[str]) -> tuple[str, ...]:
    """Return which of these metrics a board was made for and has a value of; the first if it has none of any."""
    made = tuple(name for name in metrics if name in (board.profiles["strict"] or {}))
    return tuple(name for name in made if any((one or {}).get(name) for one in board.profiles.values())) or made[:1]


def _repairs(report: Report) -> Iterator[Table]:
    """Yield what became of graphs to mend and what it took, for all of them and for the members of each group."""
    for task in tasks_of(report):
        rows = [row for row in report.rows if row.task == task and set(REPAIRS) <= set(row.metrics)]
        if rows:
            took = ("calls an item", "tokens an item", "cost")
            head = (*_who_head(report), "of", "items", *(name.replace("_", " ") for name in REPAIRS), *took)
            lines = tuple(line for row in rows for line in _repaired(report, row))
            title = (Foreign(task), ": graphs mended, and what it took")
            yield Table(title, head, lines, words=1 + len(_who_head(report)), label=f"{task} repairs")


def _repaired(report: Report, row: ReportRow) -> Iterator[tuple[str, ...]]:
    members = [("all", row.board, row.usage)]
    for group, boards in row.groups.items():
        members += [(f"{group} {name}", board, row.group_usage[group][name]) for name, board in boards.items()]
    for name, board, usage in members:
        values = board.profiles["strict"] or {}
        figures = (percent(values.get(metric)) for metric in REPAIRS)
        yield (*_who(report, row), Foreign(name), number(board.n), *figures, *_each(usage, board.n), cost(usage))


def _each(usage: Mapping[str, Any] | None, items: int) -> Iterator[str]:
    """Yield calls and tokens for each of so many items."""
    if usage is None or not items:
        yield from (NOTHING, NOTHING)
        return
    yield f"{usage['calls'] / items:.2f}"
    told = usage["prompt_tokens"] is not None
    yield f"{(usage['prompt_tokens'] + usage['completion_tokens']) / items:,.0f}" if told else UNKNOWN


def inventions(report: Report) -> Iterator[Table]:
    """Elements outside L: all, those the sentence mentions, new ones; and the items that have any."""
    rows = [row for row in report.rows if "hallucinating" in row.measured]
    if not rows:
        return
    kinds = ("total", "desc", "new")
    names = (*(f"hallucinated_{kind}" for kind in kinds), "hallucinating_items", "hallucinating_items_desc")
    names = (*names, "hallucinating_items_new")
    head = ("task", *_who_head(report), "n", *kinds, *(f"items {kind}" for kind in kinds))
    lines = tuple(
        (Foreign(row.task), *_who(report, row), number(row.n), *(number(row.board.counts.get(n, 0)) for n in names))
        for row in rows
    )
    note = "total, desc and new count elements (a node name or edge label once an item): outside L; outside L though "
    note += "the sentence mentions them; neither. The items that have any stand beside them."
    yield Table(("elements outside L",), head, lines, ((note,),), words=1 + len(_who_head(report)))


def published_tables(report: Report) -> Iterator[Table]:
    """For every task and style our rows first, then the published ones; each row by itself beside official results."""
    together: dict[tuple[str, str, int | None], list[Beside]] = {}
    for place, beside in enumerate(report.beside):
        by_itself = place if beside.are_results else None
        together.setdefault((beside.row.task, beside.style, by_itself), []).append(beside)
    for (task, style, _), ours in together.items():
        found = _by_model(ours[0].figures)
        shown = {name for beside in ours for name in beside.row.metrics}
        named = dict.fromkeys(figure.metric for figure in ours[0].figures)
        metrics = tuple(name for name in named if name in shown or name.startswith(COUNTED))
        title: Line = (Foreign(task), f" beside the published tables, {style}")
        source: Line = (f"theirs: {ours[0].source}; ours: official figures, or strict where it says so",)
        profiles: tuple[str, ...] = ("official",)
        if ours[0].are_results:
            title = (Foreign(task), " beside results of the official code on ", Foreign(style))
            source = ("theirs: ", Foreign(ours[0].source), "; all figures are over the scenes that both have")
            profiles = ("official", "strict")
        lines = (
            *(_ours(report, beside, metrics, profile) for beside in ours for profile in profiles),
            *(_theirs(report, model, figures, metrics) for model, figures in found.items()),
        )
        head = (*_who_head(report), "source", "n", *metrics)
        notes = (*_differences(ours), *_doubts(found), source)
        words, label = 1 + len(_who_head(report)), f"{task} published {style}"
        yield Table(title, head, lines, notes, words, label=label)


def _differences(ours: Sequence[Beside]) -> Iterator[Line]:
    """Yield the differences, each once for all rows that it applies to; of official results only the first."""
    if ours[0].are_results:
        yield from ((Foreign(text),) for text in ours[0].differences[:MOST_DIFFERENCES])
        if (more := len(ours[0].differences) - MOST_DIFFERENCES) > 0:
            yield (f"and {more:,} more; --format json has all",)
        return
    said: dict[str, list[str]] = {}
    for beside in ours:
        for text in beside.differences:
            said.setdefault(text, []).append(beside.row.title)
    for text, titles in said.items():
        yield (Foreign("; ".join(dict.fromkeys(titles))), " differs in ", Foreign(text))


def _doubts(found: Mapping[str, Mapping[str, Figure]]) -> Iterator[Line]:
    """Yield the doubts, each once for all figures of a row that it applies to."""
    said: dict[tuple[str, str, str], list[str]] = {}
    for figure in (figure for figures in found.values() for figure in figures.values()):
        if figure.doubt:
            said.setdefault((figure.model, figure.table, figure.doubt), []).append(figure.metric)
    for (model, table, doubt), metrics in said.items():
        yield ("(?) ", Foreign(model), f", {table}, {', '.join(metrics)}: {doubt}")


def _ours(report: Report, beside: Beside, metrics: Sequence[str], profile: str) -> tuple[Cell, ...]:
    row, cells = beside.row, list[Cell]()
    for name in metrics:
        if name.startswith(COUNTED):
            cells.append(number(row.board.counts.get(name, 0)))
        else:
            cells.append(_value_beside(beside, name, profile))
    return (*_who(report, row), f"here, {profile}" if beside.are_results else "here", number(row.n), *cells)


def _value_beside(beside: Beside, name: str, profile: str) -> Cell:
    """Our figure in a profile; beside published tables the strict one where there is no official one, which says so."""
    if (value := beside.value(name, profile)) is not None:
        return with_interval(value)
    strict = None if beside.are_results else beside.value(name, "strict")
    return NOTHING if strict is None else replace(with_interval(strict), mark="(strict)")


def _by_model(figures: Iterable[Figure]) -> dict[str, dict[str, Figure]]:
    """Return the figures of each model; those of the first table if a model is in two."""
    models: dict[str, dict[str, Figure]] = {}
    for figure in figures:
        models.setdefault(figure.model, {}).setdefault(figure.metric, figure)
    return models


def _theirs(report: Report, model: str, found: Mapping[str, Figure], metrics: Sequence[str]) -> tuple[str, ...]:
    tables = ", ".join(dict.fromkeys(figure.table for figure in found.values()))
    items = max(figure.items for figure in found.values())
    rest = (NOTHING,) * (len(_who_head(report)) - 2)
    return (*rest, Foreign(model), NOTHING, tables, number(items), *(_figure(found.get(name)) for name in metrics))


def _figure(figure: Figure | None) -> str:
    if figure is None:
        return NOTHING
    shown = number(figure.value) if not figure.is_share else f"{round(100 * figure.value, 6):.1f}"
    return f"{shown} (?)" if figure.doubt else shown


def outcomes(report: Report) -> Table:
    """Return how samples ended, and other counts; those that are zero everywhere are only named."""
    ends = tuple(map(str, Outcome))
    never = [name for name in ends if not any(row.board.counts[name] for row in report.rows)]
    always = ("items", *(name for name in ends if name not in never))
    named = dict.fromkeys([*map(str, COUNTS), *(name for row in report.rows for name in row.board.counts)])
    counted = {name for row in report.rows for name, times in row.board.counts.items() if times}
    counted -= {
        "items",
        *ends,
        *(name for name in counted if name.startswith((COUNTED, "hallucinating"))),
    }  # in other tables
    more = [name for name in named if name in counted]
    head = ("task", *_who_head(report), *always, "not asked", *more)
    lines = tuple(
        (
            Foreign(row.task),
            *_who(report, row),
            *(number(row.board.counts[name]) for name in always),
            number(row.unasked),
            *(number(row.board.counts.get(name, 0)) for name in more),
        )
        for row in report.rows
    )
    notes = ((f"none: {', '.join(never)}",),) if never else ()
    return Table(("how samples ended",), head, lines, notes, words=1 + len(_who_head(report)), label="outcomes")


def usage(report: Report) -> Table:
    """Return what it took: calls, tokens, cost and time."""
    told = any(cached_input(row.usage) != NOTHING for row in report.rows)
    cached = ("cached input",) if told else ()
    who = ("task", *_who_head(report))
    head = (*who, "calls", "from cache", "tokens in", *cached, "tokens out", "cost", "seconds", "protocol")
    used = (_used(row, with_cached=told) for row in report.rows)
    lines = tuple(
        (Foreign(row.task), *_who(report, row), *one, row.protocol) for row, one in zip(report.rows, used, strict=True)
    )
    return Table(("what it took",), head, lines, words=1 + len(_who_head(report)), label="usage")


def _used(row: ReportRow, *, with_cached: bool) -> Iterator[str]:
    usage = row.usage
    yield from (NOTHING if usage is None else number(usage[name]) for name in ("calls", "from_cache"))
    yield tokens(usage, "prompt_tokens")
    yield from (cached_input(usage),) if with_cached else ()
    yield tokens(usage, "completion_tokens")
    yield cost(usage)
    yield NOTHING if usage is None else f"{usage['seconds']:,.1f}"


def _reading(report: Report) -> tuple[Line, ...]:
    units = one_of(row.clusters_are for row in report.rows)
    return (
        ("Values are percent. strict counts every item; official scores as the published code does.",),
        (f"Brackets hold 95 % intervals over {units}; n is what a value is out of.",),
    )


def _sources(report: Report) -> Iterator[Line]:
    yield from (("run: ", Foreign(run)) for run in report.runs)
    for task, file, sha in dict.fromkeys((row.task, row.data, row.data_sha256) for row in report.rows):
        yield ("data of ", Foreign(task), ": ", Foreign(shown_path(file)), f", SHA-256 {sha[:16]}")


def shown_path(file: str) -> str:
    """Return the path of a data file for readers elsewhere: shipped data and files below this folder are relative."""
    with suppress(OSError, ValueError):  # the working folder may be gone; the file may lie elsewhere
        return Path(file).relative_to(Path.cwd()).as_posix()
    return portable(file)
