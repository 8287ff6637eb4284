"""The tables of a report: scores by task and by group, what is published, how samples ended, what it took."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from tsgkit.errors import TsgkitError
from tsgkit.lexicon import listed
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
from tsgkit.report.grid import grid
from tsgkit.report.phrases import more_room
from tsgkit.report.plain_text import Foreign, count
from tsgkit.report.report_rows import PublishedFigure, PublishedMatch, Report, ReportRow
from tsgkit.report.table import Cell, Line, ReportDocument, Table
from tsgkit.runs.plan import Cell as PlanCell
from tsgkit.scoring.pooling import COUNTS, Outcome
from tsgkit.suites.metrics import PROFILES
from tsgkit.suites.scoreboard import NO_SUCH_METRIC, Board

VALUES = ("strict", "n", "official", "n")
MOST_DIFFERENCES = 25
"""The number of differences from official results that tables list."""
COUNTED = "hallucinated_"
"""Prefixes of counts that were also published."""
MOST_ERRORS = 5
LESS = "↓"
"""The sign at the head of a metric of which less is better."""
CONTROLS_HELP = (
    "the same items without a model; compare voted figures with voted ones, and single rounds with single rounds"
)
INVENTIONS_HELP = (
    "total, desc and new count elements (a node name or edge label once an item): outside L; outside L though "
    "the sentence mentions them; neither. The items that have any stand beside them."
)
REPAIRS = ("restored", "still_wrong", "newly_broken", "clean_touched")
"""The metrics of graphs to mend, which stand in one line beside the calls."""


def document(report: Report) -> ReportDocument:
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
    units = one_of(row.clusters_are for row in report.rows)
    reading: tuple[Line, ...] = (
        ("Values are percent. strict counts every item; official scores as the published code does.",),
        (f"Brackets hold 95 % intervals over {units}; n is what a value is out of.",),
    )
    sources: list[Line] = [("run: ", Foreign(run)) for run in report.runs]
    for task, file, sha in dict.fromkeys((row.task, row.data, row.data_sha256) for row in report.rows):
        sources.append(("data of ", Foreign(task), ": ", Foreign(shown_path(file)), f", SHA-256 {sha[:16]}"))
    return ReportDocument("Results", tables, reading, tuple(sources))


def tasks_of(report: Report) -> tuple[str, ...]:
    """Return the tasks, in the order of the rows."""
    return tuple(dict.fromkeys(row.task for row in report.rows))


def shown_path(file: str) -> str:
    """Return the path of a data file for readers elsewhere: shipped data and files below this folder are relative."""
    with suppress(OSError, ValueError):  # the working folder may be gone; the file may lie elsewhere
        return Path(file).relative_to(Path.cwd()).as_posix()
    return portable(file)


def results_table(report: Report) -> Table:
    """Return the table that a report opens with: models and their ways as rows, the headline metrics of all tasks as
    columns; the strict values, marked where a model's way differs from its first one.
    """
    columns = {(row.task, name): row.metrics[name] for row in report.rows for name in row.headlines}
    tasks = list(dict.fromkeys(task for task, _ in columns))
    columns = dict(sorted(columns.items(), key=lambda column: tasks.index(column[0][0])))
    is_one_suite = len({task.rpartition("/")[0] for task in tasks}) == 1
    heads = []
    for (task, name), metric in columns.items():
        shown = name if metric.more_is_better else f"{name} {LESS}"
        above = task.rpartition("/")[2] if is_one_suite else task
        heads.append(f"{above}\n{shown}" if len(tasks) > 1 else shown)
    # a run is named where two of them have the same result
    has_runs = len({row.cell for row in report.rows}) < len(report.rows)
    lines = dict[tuple[str, tuple[str, ...], str, int], dict[str, ReportRow]]()
    for row in report.rows:
        lines.setdefault((row.subject, row.way, row.run if has_runs else "", row.repeat), {})[row.task] = row
    marks, legend = marks_of(report)
    subjects, rows = list(dict.fromkeys(row.subject for row in report.rows)), []
    for (subject, way, run, _), by_task in sorted(lines.items(), key=lambda line: subjects.index(line[0][0])):
        cells: list[Cell] = [Foreign(subject), Foreign(" ".join(way)) if way else NOTHING]
        cells += [Foreign(run)] if has_runs else []
        for task, name in columns:
            if task not in by_task or name not in by_task[task].metrics:
                cells.append(NOTHING)
                continue
            row = by_task[task]
            mark = marks.get((row.run, row.cell), "") if name == row.metric and not row.repeat else ""
            cells.append(with_interval(row.board.value(name), mark))
        rows.append(tuple(cells))
    head = ("subject", "style", *(["run"] if has_runs else []), *heads)
    notes = tuple((Foreign(note),) for note in legend)
    return Table(("results, strict",), head, tuple(rows), notes, 2 + has_runs, label="results")


def marks_of(report: Report) -> tuple[Mapping[tuple[str, PlanCell], str], tuple[str, ...]]:
    """Return the marks that ``compare`` gives, by run and row, if a model has several rows on a task; and a legend."""
    brackets = "values in percent unless they are counts; brackets hold 95 % intervals"
    seen = [(row.subject, row.task, row.run, row.cell._replace(repeat=0)) for row in report.rows]
    if len({(subject, task) for subject, task, *_ in seen}) == len(set(seen)):
        return {}, (brackets,)
    try:
        marked = grid([Path(run) for run in report.runs], data=report.data)
    except TsgkitError as error:
        return {}, (brackets, f"differences are not marked: {error}")
    cells = [cell for row in marked.rows for cell in row.cells if cell is not None]
    marks = {(report.runs[cell.row.place], cell.row.cell): cell.mark for cell in cells if cell.mark}
    return marks, (*marked.legend, f"marks are about {', '.join(dict.fromkeys(marked.metrics))}")


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
        notes: dict[Line, list[str]] = {}
        for row in rows if headline is not False else ():
            run = [f"({row.run})"] if len(report.runs) > 1 else []
            for note in _row_notes(row):
                notes.setdefault(note, []).append(" ".join([row.subject, *row.way, *run]))
        row_notes = [
            ("all rows" if len(names) == len(rows) > 1 else Foreign(listed(names, 3)), ": ", *note)
            for note, names in notes.items()
        ]
        title = (Foreign(task), *([": other metrics"] if headline is False else []))
        yield _scored(title, (*_who_head(report), "metric", "better"), lines, row_notes, label=task)


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


def _values(board: Board, name: str) -> tuple[Cell, ...]:
    strict, official = (board.value(name, profile) for profile in PROFILES)
    return with_interval(strict), weight(strict), with_interval(official), weight(official)


def _row_notes(row: ReportRow) -> Iterator[Line]:
    """Yield what is to be known about a row, without its name."""
    reasons: dict[str, list[str]] = {}
    for what, reason in row.board.reasons.items():
        if row.n and reason != NO_SUCH_METRIC and not (row.board.never_answered and what == "official"):  # once
            reasons.setdefault(reason, []).append(what)
    yield from ((f"{', '.join(names)}: ", Foreign(reason)) for reason, names in reasons.items())
    if row.unasked:
        unasked = f"{row.unasked:,} of {row.total:,} samples were not asked"
        yield (f"unfinished: {unasked}; the figures are over the others",)
    if truncated := row.board.counts["truncated"]:
        yield (f"{count(truncated, 'reply was', 'replies were')} cut off: {more_room(row.parameters)}",)
    for error, times in list(row.errors.items())[:MOST_ERRORS]:
        yield (f"{times:,} of {row.n:,} samples failed: ", Foreign(error))
    if (more := len(row.errors) - MOST_ERRORS) > 0:
        yield (f"and {more:,} other errors",)


def controls(report: Report) -> Iterator[Table]:
    """Yield the scores of control programs on the same samples, which are the same where the same items were asked."""
    alike: dict[str, list[list[ReportRow]]] = {}
    for row in report.rows:
        if row.controls:
            of_task = alike.setdefault(row.task, [])
            equal = next((rows for rows in of_task if rows[0].controls == row.controls), None)
            if equal is None:
                of_task.append(equal := [])
            equal.append(row)
    for rows in (rows for of_task in alike.values() for rows in of_task):
        programs, task = rows[0].controls, rows[0].task
        names = list(dict.fromkeys(name for program in programs for name in program.values))
        lines = tuple(
            (Foreign(program.name), number(program.n), *(percent(program.values.get(name)) for name in names))
            for program in programs
        )
        runs = tuple(Foreign(run) for run in dict.fromkeys(row.run for row in rows))
        among = (("of ", *runs),) if len(report.runs) > 1 else ()
        title = (Foreign(task), ": what answering without looking gets")
        yield Table(title, ("control", "n", *names), lines, (*among, (CONTROLS_HELP,)), label=f"{task} controls")


def group_tables(report: Report, group: str) -> Iterator[Table]:
    """Yield the scores of the members of a group, task by task."""
    for task in tasks_of(report):
        lines = [
            (*_who(report, row), Foreign(member), metric, number(board.n), *_values(board, metric))
            for row in report.rows
            if row.task == task
            for member, board in row.groups.get(group, {}).items()
            for metric in shown_in(board, row.measured)
        ]
        if any(row.task == task and row.groups.get(group) for row in report.rows):
            who, title = (*_who_head(report), group, "metric"), (Foreign(task), " by ", group)
            yield _scored(title, who, lines, label=f"{task} by {group}", more=("items",))


def shown_in(board: Board, metrics: Iterable[str]) -> tuple[str, ...]:
    """Return which of these metrics a board was made for and has a value of; the first if it has none of any."""
    computed = tuple(name for name in metrics if name in (board.profiles["strict"] or {}))
    return tuple(name for name in computed if any(board.value(name, each) for each in PROFILES)) or computed[:1]


def _repairs(report: Report) -> Iterator[Table]:
    """Yield what became of graphs to mend and what it took, for all of them and for the members of each group."""
    for task in tasks_of(report):
        lines = list[tuple[Cell, ...]]()
        for row in report.rows:
            if row.task != task or not set(REPAIRS) <= set(row.metrics):
                continue
            parts = [("all", row.board, row.usage)]
            for group, boards in row.groups.items():
                parts += [(f"{group} {name}", board, row.group_usage[group][name]) for name, board in boards.items()]
            for name, board, used in parts:
                calls = spent = NOTHING
                if used is not None and board.n:
                    is_known = used["prompt_tokens"] is not None
                    calls, spent = f"{used['calls'] / board.n:.2f}", UNKNOWN
                    if is_known:
                        spent = f"{(used['prompt_tokens'] + used['completion_tokens']) / board.n:,.0f}"
                figures = (percent(board.value(metric)) for metric in REPAIRS)
                lines.append((*_who(report, row), Foreign(name), number(board.n), *figures, calls, spent, cost(used)))
        if lines:
            took = ("calls an item", "tokens an item", "cost")
            head = (*_who_head(report), "of", "items", *(name.replace("_", " ") for name in REPAIRS), *took)
            title = (Foreign(task), ": graphs mended, and what it took")
            yield Table(title, head, tuple(lines), words=1 + len(_who_head(report)), label=f"{task} repairs")


def inventions(report: Report) -> Iterator[Table]:
    """Yield the elements outside L: all, those the sentence mentions, new ones; and the items that have any."""
    rows = [row for row in report.rows if "hallucinating" in row.measured]
    if not rows:
        return
    kinds = ("total", "desc", "new")
    names = (*(f"hallucinated_{kind}" for kind in kinds), "hallucinating_items", "hallucinating_items_desc")
    names = (*names, "hallucinating_items_new")
    head = ("task", *_who_head(report), "n", *kinds, *(f"items {kind}" for kind in kinds))
    lines = tuple((Foreign(row.task), *_who(report, row), number(row.n), *_counts(row, names)) for row in rows)
    yield Table(("elements outside L",), head, lines, ((INVENTIONS_HELP,),), words=1 + len(_who_head(report)))


def _counts(row: ReportRow, names: Iterable[str]) -> Iterator[str]:
    return (number(row.board.counts.get(name, 0)) for name in names)


def published_tables(report: Report) -> Iterator[Table]:
    """Yield a table for every task and style: our rows first, then the published ones; each row by itself beside
    official results.
    """
    together: dict[tuple[str, str, int | None], list[PublishedMatch]] = {}
    for place, match in enumerate(report.beside):
        by_itself = place if match.are_results else None
        together.setdefault((match.row.task, match.style, by_itself), []).append(match)
    for (task, style, _), matches in together.items():
        theirs: dict[str, dict[str, PublishedFigure]] = {}  # those of the first table if a model is in two
        for figure in matches[0].figures:
            theirs.setdefault(figure.model, {}).setdefault(figure.metric, figure)
        shown = {name for match in matches for name in match.row.metrics}
        names = dict.fromkeys(figure.metric for figure in matches[0].figures)
        metrics = tuple(name for name in names if name in shown or name.startswith(COUNTED))
        title: Line = (Foreign(task), f" beside the published tables, {style}")
        source: Line = (f"theirs: {matches[0].source}; ours: official figures, or strict where it says so",)
        profiles: tuple[str, ...] = ("official",)
        if matches[0].are_results:
            title = (Foreign(task), " beside results of the official code on ", Foreign(style))
            source = ("theirs: ", Foreign(matches[0].source), "; all figures are over the scenes that both have")
            profiles = ("official", "strict")
        lines = [_ours(report, match, metrics, profile) for match in matches for profile in profiles]
        for model, figures in theirs.items():
            tables = ", ".join(dict.fromkeys(figure.table for figure in figures.values()))
            items = number(max(figure.items for figure in figures.values()))
            run = (NOTHING,) * (len(_who_head(report)) - 2)
            values = (_published(figures.get(name)) for name in metrics)
            lines.append((*run, Foreign(model), NOTHING, tables, items, *values))
        head, label = (*_who_head(report), "source", "n", *metrics), f"{task} published {style}"
        notes = (*_differences(matches), *_doubts(theirs), source)
        yield Table(title, head, tuple(lines), notes, 1 + len(_who_head(report)), label=label)


def _ours(report: Report, match: PublishedMatch, metrics: Sequence[str], profile: str) -> tuple[Cell, ...]:
    """Return a row of ours; beside published tables the strict figure where there is no official one, which says so."""
    row, cells = match.row, list[Cell]()
    for name in metrics:
        value, strict = row.board.value(name, profile), row.board.value(name)
        if name.startswith(COUNTED):
            cells += _counts(row, [name])
        elif value is not None or strict is None or match.are_results:
            cells.append(NOTHING if value is None else with_interval(value))
        else:
            cells.append(with_interval(strict, "(strict)"))
    return (*_who(report, row), f"here, {profile}" if match.are_results else "here", number(row.n), *cells)


def _published(figure: PublishedFigure | None) -> str:
    if figure is None:
        return NOTHING
    shown = number(figure.value) if not figure.is_share else f"{round(100 * figure.value, 6):.1f}"
    return f"{shown} (?)" if figure.doubt else shown


def _differences(matches: Sequence[PublishedMatch]) -> Iterator[Line]:
    """Yield the differences, each once for all rows that it applies to; of official results only the first."""
    if matches[0].are_results:
        yield from ((Foreign(text),) for text in matches[0].differences[:MOST_DIFFERENCES])
        if (more := len(matches[0].differences) - MOST_DIFFERENCES) > 0:
            yield (f"and {more:,} more; --format json has all",)
        return
    titles: dict[str, dict[str, None]] = {}
    for match in matches:
        for text in match.differences:
            titles.setdefault(text, {})[match.row.title] = None
    yield from ((Foreign("; ".join(rows)), " differs in ", Foreign(text)) for text, rows in titles.items())


def _doubts(theirs: Mapping[str, Mapping[str, PublishedFigure]]) -> Iterator[Line]:
    """Yield the doubts, each once for all figures of a row that it applies to."""
    doubtful: dict[tuple[str, str, str], list[str]] = {}
    for figure in (figure for figures in theirs.values() for figure in figures.values()):
        if figure.doubt:
            doubtful.setdefault((figure.model, figure.table, figure.doubt), []).append(figure.metric)
    for (model, table, doubt), metrics in doubtful.items():
        yield ("(?) ", Foreign(model), f", {table}, {', '.join(metrics)}: {doubt}")


def outcomes(report: Report) -> Table:
    """Return how samples ended, and other counts; those that are zero everywhere are only named."""
    ends = tuple(map(str, Outcome))
    never = [name for name in ends if not any(row.board.counts[name] for row in report.rows)]
    always = ("items", *(name for name in ends if name not in never))
    names = dict.fromkeys([*map(str, COUNTS), *(name for row in report.rows for name in row.board.counts)])
    more = [
        name
        for name in names
        if name not in ("items", *ends) and not name.startswith((COUNTED, "hallucinating"))  # in other tables
        if any(row.board.counts.get(name) for row in report.rows)
    ]
    head = ("task", *_who_head(report), *always, "not asked", *more)
    lines = tuple(
        (Foreign(row.task), *_who(report, row), *_counts(row, always), number(row.unasked), *_counts(row, more))
        for row in report.rows
    )
    notes = ((f"none: {', '.join(never)}",),) if never else ()
    return Table(("how samples ended",), head, lines, notes, words=1 + len(_who_head(report)), label="outcomes")


def usage(report: Report) -> Table:
    """Return what it took: calls, tokens, cost and time."""
    has_cached = any(cached_input(row.usage) != NOTHING for row in report.rows)
    who, lines = ("task", *_who_head(report)), []
    for row in report.rows:
        used = row.usage
        lines.append(
            (
                *(Foreign(row.task), *_who(report, row)),
                *(NOTHING if used is None else number(used[name]) for name in ("calls", "from_cache")),
                *(tokens(used, "prompt_tokens"), *([cached_input(used)] if has_cached else [])),
                *(tokens(used, "completion_tokens"), cost(used)),
                *(NOTHING if used is None else f"{used['seconds']:,.1f}", row.protocol),
            )
        )
    cached = ("cached input",) if has_cached else ()
    head = (*who, "calls", "from cache", "tokens in", *cached, "tokens out", "cost", "seconds", "protocol")
    return Table(("what it took",), head, tuple(lines), words=len(who), label="usage")
