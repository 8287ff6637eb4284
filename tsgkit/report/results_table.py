"""Table of a run's results as text."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tsgkit.report.figures import interval, one_of, percent
from tsgkit.report.phrases import more_room
from tsgkit.report.plain_text import code_options, count, inert
from tsgkit.report.report_rows import main_metric
from tsgkit.report.terminal import PAPER, Screen, aligned
from tsgkit.runs.evaluation import EvaluationOutcome
from tsgkit.runs.plan import BASELINE, Plan
from tsgkit.runs.records import add_usage
from tsgkit.runs.results import Result, cached_share, usage_value
from tsgkit.runs.run_setup import RunSetup
from tsgkit.suites.scoreboard import Value
from tsgkit.suites.suite import default_tasks
from tsgkit.suites.task import controls_of

HEAD = ("task", "style", "metric", "n", "strict", "official", "unreadable", "failed", "tokens", "cost")
WORDS = 3
"""Columns of the table that hold words; the others hold figures."""
MOST_ERRORS = 3
PROFILES = "strict: every item counts; official: as the published code counts"


def results_lines(
    finished: EvaluationOutcome, prepared: RunSetup, *, samples: bool = False, screen: Screen = PAPER
) -> Iterator[str]:
    """Yield the table, what went wrong, and where everything lies."""
    yield from board_lines(finished.results, prepared, screen)
    if samples:
        import json

        for value in finished.values:
            for sample in value["samples"]:
                yield inert(json.dumps(sample, ensure_ascii=False))
    for notice in finished.notices:
        yield f"note: {inert(notice)}"
    if not never_answered(finished.results):
        units = one_of(row.task.clusters_are(row.dataset) for row in prepared.rows)
        yield f"brackets: 95 % intervals over {units}; {PROFILES}"
    yield f"run: {inert(str(finished.path))}"
    models = prepared.plan.models
    if models and all(model.startswith(BASELINE) for model in models):
        if prepared.plan.styles != Plan().styles or prepared.plan.solvers != Plan().solvers:
            yield "note: baselines have no style and no solver; these are for models"
        yield from _next_steps(prepared)
    elif any(result.board.n for result in finished.results) and not never_answered(finished.results):
        words = shlex.join(["tsgkit", "samples", str(finished.path), "--wrong", *code_options()])
        yield f"what went wrong: {inert(words)}"


def _next_steps(prepared: RunSetup) -> Iterator[str]:
    """Yield the commands that make sense next, for the tasks that they make sense for together."""
    tasks = {row.cell.task: row.task for row in prepared.rows}
    alike: dict[tuple[str, ...], list[str]] = {}
    for name, task in tasks.items():
        alike.setdefault(task.next_steps(""), []).append(name)
    for names in alike.values():
        same = "".join(f" {inert(word)}" for word in _the_same(prepared.plan, tuple(names)))
        yield from tasks[names[0]].next_steps(same)


def _the_same(plan: Plan, tasks: tuple[str, ...]) -> list[str]:
    """Return the options that ask another subject the same."""
    named = [] if tasks == default_tasks() else ["--task", ",".join(tasks)]
    return [*map(shlex.quote, code_options()), *named, *(["--data", shlex.quote(plan.data)] if plan.data else [])]


def board_lines(results: Sequence[Result], prepared: RunSetup, screen: Screen = PAPER) -> Iterator[str]:
    """Yield one table for each subject, and what went wrong."""
    shown = {row.cell: row.task.shown or (main_metric(row.task.card.metrics),) for row in prepared.rows}
    judges = {row.cell.subject: f", judged by {row.judge}" for row in prepared.rows if row.judge is not None}
    asked = {row.cell.subject: row.asked for row in prepared.rows}
    for subject in dict.fromkeys(result.cell.subject for result in results):
        mine = [result for result in results if result.cell.subject == subject]
        if never_answered(mine):
            yield f"{inert(asked[subject])}: never answered, so there is nothing to show"
            for result in mine:
                yield from () if result.given_up else _troubles(result)  # an evaluation tells the reason at its end
            continue
        yield screen.bold(inert(subject + judges.get(subject, "")))
        rows = [_row(result, metric) for result in mine for metric in shown[result.cell]]
        yield from aligned([HEAD, *rows], WORDS, screen)
        for result in mine:
            yield from _troubles(result)
        if any(result.board.counts["truncated"] for result in mine):
            settings = prepared.settings.get(asked[subject])
            yield f"  {more_room(None if settings is None else settings.parameters)}"
        for why, advice in dict.fromkeys((result.given_up, result.advice) for result in mine if result.given_up):
            yield f"  given up: {inert(why)}"
            yield from [f"  {inert(advice)}"] if advice else []
        if unasked := sum(result.unasked for result in mine):
            total = sum(result.total for result in mine)
            yield f"  unfinished: {unasked:,} of {count(total, 'sample')} not asked; the figures are over the others"
        if again := sum(result.usage.get("retried", 0) for result in mine):
            yield f"  {count(again, 'request')} failed and {'was' if again == 1 else 'were'} tried again"
        if kept := sum(result.usage.get("from_cache", 0) for result in mine):
            yield f"  {count(kept, 'reply', 'replies')} from the cache, paid for before (--no-cache asks again)"
        if share := cached_share(_usage_of(mine)):
            yield f"  {100 * share:.0f} % of the input tokens came from the service's prompt cache"
        for line in dict.fromkeys(line for result in mine for line in _unofficial(result, shown[result.cell])):
            yield f"  {inert(line)}"
        for why in dict.fromkeys(result.board.reasons.get("pairing", "") for result in mine):
            if why:
                yield f"  {inert(why)}"
    yield from _controls(prepared, screen)


def _usage_of(results: Sequence[Result]) -> dict[str, Any]:
    """Return the usage of all rows of a subject."""
    total: dict[str, Any] = {}
    for result in results:
        add_usage(total, result.usage)
    return total


def never_answered(results: Sequence[Result]) -> bool:
    """Return whether no sample of these rows was answered, and some ended in an error of the service."""
    asked = [result for result in results if result.board.n or result.given_up]
    return bool(asked) and all(result.never_answered for result in asked)


def _controls(prepared: RunSetup, screen: Screen) -> Iterator[str]:
    """Yield the scores of control programs on the same samples, if the task has any."""
    for task, row in {row.cell.task: row for row in prepared.rows}.items():
        controls = controls_of(row.task, row.dataset, row.numbers, prepared.plan.at("seed"))
        names = list(dict.fromkeys(name for one in controls for name in one.values))
        if not names:
            continue
        yield f"controls of {task}, free: the same {count(len(row.numbers), 'item')} answered without looking"
        lines = [("control", "n", *names)]
        lines += [(one.name, f"{one.n:,}", *(_percent(one.values.get(name)) for name in names)) for one in controls]
        yield from aligned(lines, 1, screen)


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.1f}"


def _row(result: Result, metric: str) -> tuple[str, ...]:
    cell, counts = result.cell, result.board.counts
    usage = usage_value(result.usage)
    style = cell.style or ("" if cell.axes else "-")
    way = [*filter(None, [style]), *([cell.solver] if cell.solver not in ("single", "baseline") else [])]
    return (
        cell.task,
        " ".join([*way, *cell.axes, *([f"#{cell.repeat + 1}"] if cell.repeat else [])]),
        metric,
        str(result.total) if not result.unasked else f"{result.board.n}/{result.total}",
        *(_shown(_value(result, profile, metric)) for profile in ("strict", "official")),
        str(counts["unreadable"]),
        str(result.failed),
        _tokens(usage),
        _cost(usage),
    )


def _value(result: Result, profile: str, metric: str) -> Value | None:
    """Return a value of a row; none where nothing ended yet."""
    return (result.board.profiles[profile] or {}).get(metric)


def _shown(value: Value | None) -> str:
    around = "" if value is None or value.low is None else f" {interval(value)}"
    return f"{percent(value)}{around}"


def _tokens(usage: Mapping[str, Any] | None) -> str:
    if usage is None:
        return "-"
    if usage["prompt_tokens"] is None:
        return "unknown"
    at_least = ">=" if usage["calls_without_usage"] else ""
    return f"{at_least}{usage['prompt_tokens'] + usage['completion_tokens']:,}"


def _cost(usage: Mapping[str, Any] | None) -> str:
    if usage is None:
        return "-"
    if usage["from_cache"] == usage["calls"]:
        return "(cached)"
    if usage["cost"] is None:
        return "unknown"
    at_least = ">=" if usage["calls_without_price"] else ""
    return f"{at_least}${usage['cost']:.4f}"


def _unofficial(result: Result, metrics: Sequence[str]) -> Iterator[str]:
    """Yield why the table shows no official value, of all metrics or of some."""
    if not result.board.n:
        return
    reasons = result.board.reasons
    if whole := reasons.get("official"):
        yield f"no official figures: {whole}"
        return
    whys = {metric: why for metric in metrics if (why := reasons.get(f"official.{metric}"))}
    for why in dict.fromkeys(whys.values()):
        names = [metric for metric in metrics if whys.get(metric) == why]
        yield f"no official {'figures' if len(names) == len(metrics) else ', '.join(names)}: {why}"


def _troubles(result: Result) -> Iterator[str]:
    title = inert(result.cell.title)
    for error, number in sorted(result.errors.items(), key=lambda item: -item[1])[:MOST_ERRORS]:
        yield f"  {title}: {count(number, 'sample')} failed: {inert(error)}"
    for error, number in sorted(result.raised.items(), key=lambda item: -item[1])[:MOST_ERRORS]:
        yield f"  {title}: {count(number, 'sample')} ended in an error: {inert(error)}"
    for error, number in sorted(result.partial.items(), key=lambda item: -item[1])[:MOST_ERRORS]:
        yield f"  {title}: {count(number, 'sample')} partial: {inert(error)}"
    if result.unreadable:
        number = result.board.counts["unreadable"]
        first = ", the first" if number > 1 else ""
        yield f"  {title}: {count(number, 'sample')} unreadable{first}: {inert(result.unreadable)}"
    told = ("missing", "empty", "truncated", "refused", "unknown", "single_graph_items")
    others = {name: result.board.counts[name] for name in told if name in result.board.counts}
    if others := {name: number for name, number in others.items() if number}:
        yield f"  {title}: " + ", ".join(f"{number} {name.replace('_', ' ')}" for name, number in others.items())
