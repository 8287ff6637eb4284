"""Report as one HTML page without scripts or resources; foreign text is always escaped.

The page contains the settings, every number with its size and interval, outcomes, hallucinated elements, some items in
full, and explanations. The same runs give the same page, byte for byte.

Examples are selected by rule. For each row: the worst answer, the median one, the one with the largest difference
between the profiles, a repaired one, and one for each outcome without an answer. Ties are broken by the order of the
data, and no item is shown twice.

>>> enumerated(["a", "b", "c"]), enumerated(["a"]), enumerated(list("abcde"), "subject")
('a, b and c', 'a', '5 subjects')
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

from tsgkit.errors import ExtraMissing, TsgkitError
from tsgkit.graph.drawing.svg import Markup
from tsgkit.report import chart_plots, charts, html
from tsgkit.report.charts import Bars, Chart, ChartPanel
from tsgkit.report.explanation_page import brief_parts, legend_of
from tsgkit.report.figures import NOTHING
from tsgkit.report.html import tag, text
from tsgkit.report.plain_text import count
from tsgkit.report.recorded_sample import RecordedRun, RecordedSample
from tsgkit.report.report_rows import HEADLINE, Report, ReportRow, gather
from tsgkit.report.report_tables import (
    LESS,
    controls,
    group_tables,
    inventions,
    outcomes,
    published_tables,
    results_table,
    score_tables,
    shown_in,
    shown_path,
    tasks_of,
    usage,
)
from tsgkit.runs.folder import read_header
from tsgkit.runs.saved_run import open_saved_run
from tsgkit.scoring.pooling import Outcome

SHORT_HASH = 16
MOST_OPEN = 8
"""The meaning of so many metrics is shown without a click."""
MOST_ROWS = 20
"""Of more rows of a task there are several figures."""
MOST_PARTS_DRAWN = 4
"""Of so many rows of a task all headline metrics are drawn, if it has more of them than this."""
MOST_NAMED = 4
DATE = len("2026-01-01")
MOST_WITH_EXAMPLES = 3
"""The number of rows of a task of which examples are shown."""
ENDINGS = (
    Outcome.UNREADABLE,
    Outcome.TRUNCATED,
    Outcome.REFUSED,
    Outcome.EMPTY,
    Outcome.API_ERROR,
    Outcome.ERROR,
    Outcome.MISSING,
)


def write(report: Report) -> str:
    """Return the page of a report: the grid first, plots next, then the tables and everything behind them."""
    drawn = partial(map, partial(html.drawn_up, level=3))
    subjects = enumerated(list(dict.fromkeys(row.subject for row in report.rows)), "subject")
    heading = f"{subjects} on {tasks_named(row.task for row in report.rows)}" if report.rows else "No results"
    files = dict.fromkeys("/".join(Path(shown_path(row.data)).parts[-2:]) for row in report.rows)
    dates, data = _dates(report.runs), enumerated(list(files), "file")
    title = ", ".join(filter(None, (heading, dates, data and f"data {data}")))
    below = ". ".join(filter(None, (dates, data and f"Data: {data}")))
    parts: list[tuple[str, Iterable[Markup]]] = [
        ("Results", _results(report)),
        ("Plots", _plots(report)),
        ("Tables", _tables(report)),
        ("Beside the published tables", drawn(published_tables(report))),
        *((f"By {group}", drawn(group_tables(report, group))) for group in report.by),
        ("Elements outside L", drawn(inventions(report))),
        ("Examples", _examples(report)),
        ("What was run", (*map(_run, report.runs), *_protocols(report))),
        ("How to read this", [html.facts((term, text(words)) for term, words in READING.items())]),
    ]
    lead = html.paragraph(below, class_="lead") if below else Markup("")
    return html.whole_page(title, lead, html.chapters(parts), heading=heading)


def enumerated(names: Sequence[str], noun: str = "") -> str:
    """Return names as words, or how many there are."""
    if noun and len(names) > MOST_NAMED:
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
    words = []
    for suite, names in suites.items():
        shown = enumerated(list(names), "task" if suite and len(names) > 1 else "")
        words.append(f"{suite} ({shown})" if suite and len(names) > 1 else f"{suite}/{shown}".lstrip("/"))
    return enumerated(words)


def _dates(runs: Iterable[str]) -> str:
    """Return the days on which the runs began; empty where no run says so any more."""
    days = set[str]()
    for run in runs:
        with suppress(TsgkitError):  # the run has gone away since; the report itself is whole
            days.add(str(read_header(Path(run)).get("begun") or "")[:DATE])
    first, *rest = sorted(filter(None, days)) or [""]
    return f"{first} to {rest[-1]}" if rest else first


def _results(report: Report) -> Iterator[Markup]:
    """Yield the grid of the strict values, and what all metrics are; those of several tasks that mean the same once."""
    if not report.rows:
        return
    grid = results_table(report)
    yield tag("div", html.drawn_up(replace(grid, notes=()), level=3), class_="scores")
    yield html.paragraph("; ".join(map("".join, grid.notes)), class_="pale")
    metrics = {name: row.metrics[name] for row in report.rows for name in (*row.headlines, *row.metrics)}
    less = f" ({LESS} less is better)"
    meanings = [(name, metric.meaning + ("" if metric.more_is_better else less)) for name, metric in metrics.items()]
    facts = html.facts((name, text(meaning)) for name, meaning in meanings)
    yield html.folded(text("What the metrics are"), facts, is_open=len(meanings) <= MOST_OPEN)


def _by_task(rows: Iterable[ReportRow]) -> dict[str, list[ReportRow]]:
    tasks: dict[str, list[ReportRow]] = {}
    for row in rows:
        tasks.setdefault(row.task, []).append(row)
    return tasks


def label(row: ReportRow, among: Iterable[ReportRow]) -> str:
    """Return a label that distinguishes a row, with its run if another run has the same row."""
    is_in_several = any(row.cell == twin.cell and row.run != twin.run for twin in among)
    return " ".join([row.subject, *row.way, *([f"({row.run})"] if is_in_several else [])])


def _tables(report: Report) -> Iterator[Markup]:
    """Yield for each task its metrics in both profiles, then how samples ended, and what it took."""
    for task in tasks_of(report):
        yield from (html.drawn_up(table, level=3) for table in score_tables(report, task, headline=True))
        for table in score_tables(report, task, headline=False):
            yield html.folded(text(f"All other metrics of {task}"), html.drawn_up(table))
    yield from (html.drawn_up(table, level=3) for table in (*controls(report), outcomes(report), usage(report)))


def _plots(report: Report) -> Iterator[Markup]:
    """Yield the figures of a report; without the library that draws them, how to get them."""
    try:
        chart_plots.load()
    except ExtraMissing as error:
        yield html.paragraph(f"{str(error).capitalize()}; {error.hint}.")
        return
    figures = [
        html.drawing(chart_plots.inlined(chart, charts.COLUMN), chart.title)
        for chart in (*_charts(report), *_charts_by_k(report))
        if chart.panels
    ]
    yield tag("div", *figures, class_="plots")


def _charts(report: Report) -> Iterator[Chart[ChartPanel | Bars]]:
    """Yield for each task the metric its rows are compared by, how samples ended, and the parts of a metric or all
    headline metrics.
    """
    for task, rows in _by_task(report.rows).items():
        labelled = [(label(row, rows), row) for row in rows]
        for start in range(0, len(rows), MOST_ROWS):
            some = labelled[start : start + MOST_ROWS]
            yield charts.in_both_profiles(f"{task}: {rows[0].metric}", [(name, row, row.metric) for name, row in some])
            if any(row.outcomes["answered"] < row.n for _, row in some):
                yield charts.outcomes(f"{task}: how samples ended", some)
        for name, row in labelled:
            metric = row.metrics.get(row.metric)
            parts = () if metric is None else shown_in(row.board, metric.made_of)
            title = f"{task}: what {row.metric} is made of: {name}"
            if not parts and len(rows) <= MOST_PARTS_DRAWN:
                shares = tuple(metric for metric in row.headlines if row.metrics[metric].is_share)
                parts = shares if len(shares) >= MOST_PARTS_DRAWN else ()
                title = f"{task}: all headline metrics: {name}"
            if parts:
                yield charts.in_both_profiles(title, [(metric, row, metric) for metric in parts])


def _charts_by_k(report: Report) -> Iterator[Chart[ChartPanel]]:
    """Yield the metric of each task against k, where it differs."""
    rows = [row for row in _with_k(report) if row.k_counts]
    for task, of_task in _by_task(rows).items():
        metric = of_task[0].metric
        several = [
            row
            for row in of_task
            if (by_k := row.groups.get("k", {})) and all(map(str.isdecimal, by_k))
            if sum((board.profiles["strict"] or {}).get(metric) is not None for board in by_k.values()) > 1
        ]
        for start in range(0, len(several), charts.MOST_SERIES):
            some = replace(report, rows=tuple(several[start : start + charts.MOST_SERIES]), by=("k",))
            drawn = charts.chart(some, metric, "k")
            panels = tuple(replace(panel, title="") for panel in drawn.panels)
            yield replace(drawn, title=f"{task}: {metric}, strict, against k", panels=panels)


def _with_k(report: Report) -> tuple[ReportRow, ...]:
    """Return the rows grouped by k, whether or not that was asked for."""
    if "k" in report.by:
        return report.rows
    if not any(row.k_counts for row in report.rows):
        return ()
    try:
        tasks = {row.task for row in report.rows}
        return gather(report.runs, ("k",), report.data, metrics=HEADLINE, tasks=tasks).rows
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
        html.facts((name, html.name(fact)) for name, fact in facts_of(path, header)),
    )


def facts_of(path: str, header: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield what a run says of itself: names, and what they stand for."""
    plan, recorded = header["plan"], header["asked"]
    versions = [f"{name} {number}" for name, number in (header.get("libraries") or {}).items() if number]
    yield "folder", path
    yield "begun", str(header.get("begun", NOTHING))
    yield "command", " ".join(header.get("command", ()))
    yield "versions", ", ".join([f"tsgkit {header['tsgkit']}", f"Python {header.get('python', NOTHING)}", *versions])
    seeds = ", ".join(map(str, plan["seed"])) if isinstance(plan["seed"], list) else plan["seed"]
    yield "samples", f"{header.get('samples', 0):,}, seed {seeds}, repeat {plan['repeat']}"
    for model, settings in recorded["models"].items():
        how = f", content {str(settings['content'])[:SHORT_HASH]}" if settings.get("content") else ", asks no model"
        if "endpoint" in settings:
            sent = header.get("models", {}).get(model, {}).get("sent")
            how = f"parameters {settings['parameters']}" if sent is None else f"sent {sent}"
            how = f" at {settings['endpoint']}, {how}"
        yield "subject", model + how
    for task, file in header["data"].items():
        sha = str(recorded["data"].get(task, ""))[:SHORT_HASH]
        card = recorded["tasks"].get(task, {})
        version = f"card version {card.get('version', NOTHING)}, {str(card.get('card', ''))[:SHORT_HASH]}"
        yield task, f"{shown_path(str(file))}, SHA-256 {sha}; {version}"
    for way, sha in recorded.get("prompts", {}).items():
        if " baseline" not in way:
            yield "prompts", f"{way}: {str(sha)[:SHORT_HASH]}"


def _protocols(report: Report) -> Iterator[Markup]:
    ours = [row for row in report.rows if row.protocol_note]
    if not ours:
        yield html.paragraph("Protocol: everything was asked in the published way, with our wording.")
        return
    yield html.paragraph("Protocol: asked in the published way with our wording, but for these:")
    yield html.listed(Markup(html.name(row.title) + text(f": {row.protocol_note}")) for row in ours)


class ReportExample(NamedTuple):
    """A sample of one row, and the reason for showing it."""

    row: ReportRow
    why: str
    sample: RecordedSample


class ExampleCandidate(NamedTuple):
    """The part of a record that the selection of examples needs."""

    place: int
    """Its place in the row."""
    outcome: str
    strict: float
    official: float | None
    is_repaired: bool


def examples_of(report: Report) -> Iterator[ReportExample]:
    """Yield the examples of a report: of the first rows of each task, and of repeats only the first."""
    tasks = _by_task(row for row in report.rows if not row.repeat)
    shown = {id(row) for rows in tasks.values() for row in rows[:MOST_WITH_EXAMPLES]}
    order = [id(row) for row in report.rows if id(row) in shown]
    examples = list[ReportExample]()
    for run in report.runs:
        with open_saved_run(Path(run), report.data) as opened:
            recorded = RecordedRun(opened)
            for row in report.rows:
                if row.run != run or id(row) not in shown or (state := opened.states.get(row.cell)) is None:
                    continue
                candidates = (
                    ExampleCandidate(
                        position,
                        sample.outcome,
                        sample.value() or 0.0,
                        sample.value("official"),
                        bool(sample.counts.get("repaired")),
                    )
                    for position, sample in enumerate(recorded.samples_of(state))
                )
                for why, position in choose(candidates):
                    sample = recorded.sample(state, state.row.numbers[position], state.places[position])
                    examples.append(ReportExample(row, why, sample.read()))
    yield from sorted(examples, key=lambda example: order.index(id(example.row)))


def choose(candidates: Iterable[ExampleCandidate]) -> Iterator[tuple[str, int]]:
    """Yield why and which, from the samples of a row.

    >>> answered = [ExampleCandidate(place, "answered", place / 10, place / 10, place == 3) for place in range(5)]
    >>> list(choose([*answered, ExampleCandidate(5, "api_error", 0.0, None, False)]))
    [('worst', 0), ('median', 2), ('repaired', 3), ('api error', 5)]
    """
    candidates = list(candidates)
    answered = sorted((each for each in candidates if each.outcome == Outcome.ANSWERED), key=lambda each: each.strict)
    apart = [(abs(each.official - each.strict), each) for each in answered if each.official is not None]
    reasons: list[tuple[str, list[ExampleCandidate]]] = [
        ("worst", [each for each in answered[:1] if each.strict < 1]),
        ("median", answered[len(answered) // 2 :]),
        ("read differently", [max(apart, key=itemgetter(0))[1]] if any(size > 1e-9 for size, _ in apart) else []),
        ("repaired", [each for each in candidates if each.is_repaired]),
        *((end.replace("_", " "), [each for each in candidates if each.outcome == end]) for end in ENDINGS),
    ]
    chosen = set[int]()
    for why, (position, *_) in ((why, members[0]) for why, members in reasons if members):
        if position not in chosen:
            chosen.add(position)
            yield why, position


def _examples(report: Report) -> Iterator[Markup]:
    """Yield the examples of a report, those of a row under its title, and one legend of all graphs."""
    try:
        examples = list(examples_of(report))
    except TsgkitError as error:
        yield html.paragraph(f"There are none: {error}")
        return
    yield html.paragraph(
        "Chosen by rule, the first of equals: of each result the worst answer, the one in the middle, the one whose "
        "readings are furthest apart, one that had to be repaired, and one for each way of ending without an answer.",
        class_="pale",
    )
    yield legend_of(graph for example in examples for graph in example.sample.graphs)
    for _, of_row in groupby(examples, key=lambda example: id(example.row)):
        for number, (row, why, sample) in enumerate(of_row):
            if not number:
                yield tag("h3", html.name(row.title))
            summary = f"{why}: item {sample.item_id}, {sample.judged.outcome}"
            headline = sample.headline
            yield html.folded(text(f"{summary}, {headline}" if headline else summary), *brief_parts(sample))


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
