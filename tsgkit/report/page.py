"""Report as one HTML page without scripts or resources; foreign text is always escaped.

The page contains the settings, every number with its size and interval, outcomes, hallucinated elements, some items in
full, and explanations. The same runs give the same page, byte for byte.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from tsgkit.errors import TsgkitError
from tsgkit.graph.drawing.svg import Markup
from tsgkit.report import html, plots
from tsgkit.report.explanation_page import examples
from tsgkit.report.figures import NOTHING
from tsgkit.report.html import tag, text
from tsgkit.report.page_results import results
from tsgkit.report.page_title import title_of
from tsgkit.report.plots import Line, OutcomeBar, Point, ScoreRow
from tsgkit.report.report_rows import MAIN, Report, ReportRow, gather
from tsgkit.report.report_tables import (
    controls,
    group_tables,
    headlines,
    inventions,
    outcomes,
    published_tables,
    score_tables,
    shown_in,
    shown_path,
    tasks_of,
    usage,
)
from tsgkit.runs.folder import read_header
from tsgkit.suites.scoreboard import Board

SHORT_HASH = 16
PROFILES = ("strict", "official")
MOST_PARTS_DRAWN = 4
"""Of so many rows of a task all headline metrics are drawn, if it has more of them than this."""


def write(report: Report) -> str:
    """Return the page of a report: the grid first, plots next, then the tables and everything behind them."""
    title, drawn = title_of(report), partial(map, html.drawn_up)
    parts: list[tuple[str, Iterable[Markup]]] = [
        ("Results", results(report)),
        ("Plots", _plots(report)),
        ("Tables", _tables(report)),
        ("Beside the published tables", drawn(published_tables(report))),
        *((f"By {group}", drawn(group_tables(report, group))) for group in report.by),
        ("Elements outside L", drawn(inventions(report))),
        ("Examples", examples(report)),
        ("What was run", (*map(_run, report.runs), *_protocols(report))),
        ("How to read this", _reading_help()),
    ]
    lead = html.paragraph(title.lead, class_="lead") if title.lead else Markup("")
    return html.whole_page(title.whole, lead, html.chapters(parts), heading=title.heading)


def _by_task(rows: Iterable[ReportRow]) -> dict[str, list[ReportRow]]:
    tasks: dict[str, list[ReportRow]] = {}
    for row in rows:
        tasks.setdefault(row.task, []).append(row)
    return tasks


def label(row: ReportRow, among: Iterable[ReportRow]) -> str:
    """Return a label that distinguishes a row, with its run if another run has the same row."""
    return " ".join([row.subject, *row.way, *_run_told(row, among)])


def _run_told(row: ReportRow, among: Iterable[ReportRow]) -> tuple[str, ...]:
    return (f"({row.run})",) if any(row.cell == other.cell and row.run != other.run for other in among) else ()


def _tables(report: Report) -> Iterator[Markup]:
    """Yield for each task its metrics in both profiles, then how samples ended, and what it took."""
    for task in tasks_of(report):
        yield from (html.drawn_up(table, 3) for table in score_tables(report, task, headline=True))
        for table in score_tables(report, task, headline=False):
            yield html.folded(text(f"All other metrics of {task}"), html.drawn_up(table))
    yield from (html.drawn_up(table, 3) for table in (*controls(report), outcomes(report), usage(report)))


def _plots(report: Report) -> Iterator[Markup]:
    figures = list[Markup]()
    for task, rows in _by_task(report.rows).items():
        scored = [
            ScoreRow(label(row, rows), *(_point(row.board, profile, row.main) for profile in PROFILES)) for row in rows
        ]
        title = f"{task}: {rows[0].main}, percent"
        figures.append(html.drawing(plots.intervals(scored, title=title), title))
        if any(row.outcomes["answered"] < row.n for row in rows):
            title = f"{task}: how samples ended"
            bars = [OutcomeBar(label(row, rows), row.outcomes) for row in rows]
            figures.append(html.drawing(plots.outcomes(bars, title=title), title))
        figures += (_part_plot(row, label(row, rows)) for row in rows if _parts_shown(row))
        if len(rows) <= MOST_PARTS_DRAWN:
            figures += (_headline_plot(row, label(row, rows)) for row in rows if len(_shares(row)) >= MOST_PARTS_DRAWN)
    figures += _k_plots(report)
    yield tag("div", *figures, class_="plots")


def _parts_shown(row: ReportRow) -> tuple[str, ...]:
    """Return the displayed metrics that a row's main metric is made of."""
    main = row.metrics.get(row.main)
    return shown_in(row.board, main.made_of) if main is not None else ()


def _part_plot(row: ReportRow, label: str) -> Markup:
    """Return one subject over the parts of its main metric."""
    parts = [ScoreRow(name, *(_point(row.board, profile, name) for profile in PROFILES)) for name in _parts_shown(row)]
    title = f"{row.task}: what {row.main} is made of, percent: {label}"
    return html.drawing(plots.intervals(parts, title=title), title)


def _shares(row: ReportRow) -> tuple[str, ...]:
    """Return the headline metrics of a row that are shares, unless its main metric is made of some."""
    return () if _parts_shown(row) else tuple(name for name in headlines(row) if row.metrics[name].is_share)


def _headline_plot(row: ReportRow, label: str) -> Markup:
    """Return one subject over all headline metrics of its task."""
    parts = [ScoreRow(name, *(_point(row.board, profile, name) for profile in PROFILES)) for name in _shares(row)]
    title = f"{row.task}: all headline metrics, percent: {label}"
    return html.drawing(plots.intervals(parts, title=title), title)


def _point(board: Board, profile: str, metric: str) -> Point | None:
    value = (board.profiles[profile] or {}).get(metric)
    return None if value is None else Point(value.value, value.low, value.high)


def _k_plots(report: Report) -> Iterator[Markup]:
    """Scores against k, where it differs."""
    rows = [row for row in _with_k(report) if row.k_counts]
    for task, of_task in _by_task(rows).items():
        lines = [
            Line(
                label(row, of_task),
                {int(k): point for k, board in row.groups["k"].items() if (point := _strict(row, board))},
            )
            for row in of_task
            if all(k.isdecimal() for k in row.groups.get("k", ()))
        ]
        lines = [line for line in lines if len(line.points) > 1]
        for start in range(0, len(lines), plots.MOST_LINES):
            title = f"{task}: {of_task[0].main}, strict, against k"
            drawn = plots.against_k(lines[start : start + plots.MOST_LINES], title=title, counts=of_task[0].k_counts)
            yield html.drawing(drawn, title)


def _strict(row: ReportRow, board: Board) -> Point | None:
    return _point(board, "strict", row.main)


def _with_k(report: Report) -> tuple[ReportRow, ...]:
    """Return the rows grouped by k, whether or not that was asked for."""
    if "k" in report.by:
        return report.rows
    if not any(row.k_counts for row in report.rows):
        return ()
    try:
        tasks = {row.task for row in report.rows}
        return gather(report.runs, ("k",), report.data, metrics=MAIN, tasks=tasks).rows
    except TsgkitError:  # the runs have gone away since; the report itself is whole
        return ()


def _run(path: str) -> Markup:
    try:
        header = read_header(Path(path))
    except TsgkitError as error:
        return html.paragraph(str(error))
    return tag(
        "div",
        tag("h3", html.name(f"{header['name']}-{header['identity']}")),
        html.facts((name, html.name(said)) for name, said in facts_of(path, header)),
    )


def facts_of(path: str, header: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield what a run says of itself: names, and what they stand for."""
    plan, asked = header["plan"], header["asked"]
    versions = [f"{name} {number}" for name, number in (header.get("libraries") or {}).items() if number]
    yield "folder", path
    yield "begun", str(header.get("begun", NOTHING))
    yield "command", " ".join(header.get("command", ()))
    yield "versions", ", ".join([f"tsgkit {header['tsgkit']}", f"Python {header.get('python', NOTHING)}", *versions])
    yield "samples", f"{header.get('samples', 0):,}, seed {_listed(plan['seed'])}, repeat {plan['repeat']}"
    for model, settings in asked["models"].items():
        yield "subject", model + _settings(settings, header.get("models", {}).get(model, {}))
    for task, file in header["data"].items():
        sha = str(asked["data"].get(task, ""))[:SHORT_HASH]
        card = asked["tasks"].get(task, {})
        version = f"card version {card.get('version', NOTHING)}, {str(card.get('card', ''))[:SHORT_HASH]}"
        yield task, f"{shown_path(str(file))}, SHA-256 {sha}; {version}"
    asking = {way: sha for way, sha in asked.get("prompts", {}).items() if " baseline" not in way}
    for way, sha in asking.items():
        yield "prompts", f"{way}: {str(sha)[:SHORT_HASH]}"


def _listed(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _settings(settings: Mapping[str, Any], known: Mapping[str, Any]) -> str:
    """Return where a model was asked, and with which parameters."""
    if "endpoint" in settings:
        sent = known.get("sent")
        what = f"sent {sent}" if sent is not None else f"parameters {settings['parameters']}"
        return f" at {settings['endpoint']}, {what}"
    return f", content {str(settings['content'])[:SHORT_HASH]}" if settings.get("content") else ", asks no model"


def _protocols(report: Report) -> Iterator[Markup]:
    ours = [row for row in report.rows if row.protocol_note]
    if not ours:
        yield html.paragraph("Protocol: everything was asked in the published way, with our wording.")
        return
    yield html.paragraph("Protocol: asked in the published way with our wording, but for these:")
    yield html.listed(Markup(html.name(row.title) + text(f": {row.protocol_note}")) for row in ours)


READING = {
    "strict": "Every item counts. A reply that is missing, refused, cut off or unreadable scores zero; a missing or "
    "surplus graph is wrong; the answer is read where the reply says it is.",
    "official": "As the published code reads and scores, to stand beside published figures. It leaves out "
    "graphs without a partner and items without any graph, so it may be higher than strict. A dash: it does not apply; "
    "the reason stands below the table.",
    "brackets": "95 % intervals over clusters, such as scenarios, since items of one cluster resemble each other. "
    "Two intervals that overlap show neither that two results are equal nor that they differ.",
    "n": "How many items; of a metric, its summed weight, as the number of graphs.",
    "failed": "Items that ended without an answer: unreadable (no answer found), truncated (cut at the length limit), "
    "refused, empty, api error (the service failed after retries), missing (no reply).",
    "repaired": "The reply was not written as asked, but could be understood without guessing. It is scored.",
    "differences": "= in both graphs, − missing, + extra, ⇄ reversed, ≠ mismatched, ≠hand the wrong hand. Graphs are "
    "counted from 1.",
}


def _reading_help() -> Iterator[Markup]:
    yield html.facts((term, text(said)) for term, said in READING.items())
