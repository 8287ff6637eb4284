"""Results of runs, and scores of replies collected elsewhere, as lines of text."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tsgkit.errors import BATCHES_OPEN
from tsgkit.replies import READER
from tsgkit.report.figures import cost, one_of, percent, tokens, with_interval
from tsgkit.report.phrases import more_room
from tsgkit.report.plain_text import code_options, count, inert
from tsgkit.report.report_rows import comparison_metric, controls_of
from tsgkit.report.table import Cell
from tsgkit.report.terminal import PAPER, Screen, aligned
from tsgkit.runs.evaluation import EvaluationOutcome
from tsgkit.runs.plan import BASELINE, Plan
from tsgkit.runs.records import add_usage
from tsgkit.runs.rescore_job import RescoredRun
from tsgkit.runs.results import Result, cached_share, result_value, usage_value
from tsgkit.runs.run_setup import RunSetup
from tsgkit.runs.saved_run import SavedRun
from tsgkit.scoring.pooling import TOO_LONG
from tsgkit.suites.metrics import PROFILES, Metric
from tsgkit.suites.scoreboard import NO_SUCH_METRIC, Board, ScoreReport, sample_value
from tsgkit.suites.suite import default_tasks
from tsgkit.suites.task import Task

HEAD = ("task", "style", "metric", "n", "strict", "official", "unreadable", "failed", "tokens", "cost")
WORDS = 3
"""Columns of the table that hold words; the others hold figures."""
MOST_ERRORS = 3
OTHER_ENDS = ("missing", "empty", "truncated", "refused", "unknown", "single_graph_items")
"""Counts that are named below the table."""
MOST_REREAD, LONGEST = 5, 60
"""The samples shown that are read differently, and the characters shown of an answer."""
PROFILES_HELP = "strict: every item counts; official: as the published code counts"


def results_lines(
    finished: EvaluationOutcome, prepared: RunSetup, *, samples: bool = False, screen: Screen = PAPER
) -> Iterator[str]:
    """Yield the table, what went wrong, and where everything lies."""
    yield from board_lines(finished.results, prepared, screen)
    if samples:
        for value in finished.values:
            for sample in value["samples"]:
                yield inert(json.dumps(sample, ensure_ascii=False))
    for notice in finished.notices:
        yield f"note: {inert(notice)}"
    if not never_answered(finished.results):
        units = one_of(row.task.rows.clusters_are(row.dataset) for row in prepared.rows)
        yield f"brackets: 95 % intervals over {units}; {PROFILES_HELP}"
    yield f"run: {inert(str(finished.path))}"
    models = prepared.plan.models
    if models and all(model.startswith(BASELINE) for model in models):
        if prepared.plan.styles != Plan().styles or prepared.plan.solvers != Plan().solvers:
            yield "note: baselines have no style and no solver; these are for models"
        yield from _next_steps(prepared)
    elif any(result.board.n for result in finished.results) and not never_answered(finished.results):
        words = shlex.join(["tsgkit", "samples", str(finished.path), "--wrong", *code_options()])
        yield f"what went wrong: {inert(words)}"


def unfinished_lines(
    finished: EvaluationOutcome, prepared: RunSetup, words: Sequence[str]
) -> Iterator[tuple[str, str]]:
    """Yield why a run is not finished, each line with what to do next, and at the end how to go on: by the same words,
    where they may do more than this time."""
    if finished.complete:
        return
    can_go_on = False  # True if the same command may do more than this time
    models = {row.cell.subject: row.asked for row in prepared.rows}
    for subject in dict.fromkeys(result.cell.subject for result in finished.results):
        mine = [result for result in finished.results if result.cell.subject == subject]
        is_left = any(result.unasked or result.failed for result in mine)
        if never_answered(mine):
            row, model = next((result for result in mine if result.given_up), mine[0]), models[subject]
            why = row.given_up.removeprefix(f"{model}: not asked any more: ") or "; ".join(row.errors)
            yield f"{model} never answered: {why}", row.advice
            is_left = not row.advice
        can_go_on |= is_left
    if not can_go_on:
        return
    if finished.interrupted:
        yield f"interrupted; {count(finished.unasked, 'sample')} not asked", ""
        for why in finished.trouble:
            yield f"while waiting for {inert(why)}", ""
    if finished.budget:
        yield f"stopped: {finished.budget}; {count(finished.unasked, 'sample')} not asked", ""
    counts = [result.board.counts for result in finished.results]
    if late := sum(outcomes.get(TOO_LONG, 0) for outcomes in counts):
        yield f"{count(late, 'scene')} took longer to measure than --scene-time allows (0: no limit)", ""
    if raised := sum(outcomes["error"] for outcomes in counts) - late:
        again = "the same command tries it again, without asking again what was answered"
        ended = f"{count(raised, 'sample')} ended in an error of tsgkit's or a suite's code"
        yield ended, f"{again}; report what names a line of code"
    how = "raise the limit in" if finished.budget else "go on with"
    if finished.open_batches:
        yield f"{count(finished.open_batches, 'batch', 'batches')} left with the service, which works on", ""
        how = "collect later with" if finished.exit_code == BATCHES_OPEN else how
    yield f"nothing is lost; {how}: {prepared.secrets.redact(shlex.join(['tsgkit', *words]))}", ""


def rescored_value(rescored: RescoredRun, reopened: SavedRun) -> dict[str, Any]:
    """Return the JSON value of what rescoring changed; ``reopened`` is the run as it is afterwards."""
    values = [result_value(result, reopened.states[result.cell], reopened.samples) for result in rescored.after]
    reread = []
    for sample in rescored.reread:
        readings = (("before", sample.before), ("after", sample.after))
        value = {name: {"outcome": outcome, "answer": answer} for name, (outcome, answer) in readings}
        reread.append({**sample.cell.value, "item_id": sample.item_id, **value})
    return {"results": values, "reread": reread, "misfits": rescored.misfits}


def rescored_lines(rescored: RescoredRun, reopened: SavedRun, screen: Screen = PAPER) -> Iterator[str]:
    """Yield the results of a run that was scored again, and what changed."""
    yield from board_lines(rescored.after, reopened.prepared, screen)
    metrics = {row.cell: comparison_metric(row.task.card.metrics) for row in reopened.prepared.rows}
    for old, new in zip(rescored.before, rescored.after, strict=True):
        name = metrics[new.cell]
        was, now = old.board.value(name), new.board.value(name)
        if was is not None and now is not None and was.value != now.value:
            yield f"  {inert(new.cell.title)}: {name} was {percent(was)}, is {percent(now)}"
    if rescored.misfits:
        misfits = "did not fit into the run: made anew where their replies are recorded, else not asked yet"
        yield f"  {count(rescored.misfits, 'record')} of samples.jsonl {misfits}"
    if rescored.reread:
        than = f"by reader {READER} than by reader {rescored.reader}" if rescored.reader != READER else "than before"
        yield f"  {count(len(rescored.reread), 'sample')} read differently {than}:"
    for sample in rescored.reread[:MOST_REREAD]:
        texts = []
        for outcome, answer in (sample.before, sample.after):
            text = answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)
            text = "" if answer is None else inert(text)
            texts.append(f"{outcome} {text if len(text) <= LONGEST else f'{text[:LONGEST]}...'}".strip())
        yield f"    {inert(sample.cell.title)} {inert(sample.item_id)}: {' -> '.join(texts)}"
    if (more := len(rescored.reread) - MOST_REREAD) > 0:
        yield f"    and {more:,} more: --json lists them"
    changed = sum(old.board != new.board for old, new in zip(rescored.before, rescored.after, strict=True))
    samples = count(reopened.header["samples"], "sample")
    scored = f"{samples} scored again, {changed} of {count(len(rescored.after), 'row')} changed"
    yield f"{scored}; run: {inert(str(reopened.path))}"


def _next_steps(prepared: RunSetup) -> Iterator[str]:
    """Yield the commands that make sense next, for the tasks that they make sense for together."""
    tasks = {row.cell.task: row.task for row in prepared.rows}
    alike: dict[tuple[str, ...], list[str]] = {}
    for name, task in tasks.items():
        alike.setdefault(_steps_after(task, ""), []).append(name)
    data = ["--data", shlex.quote(prepared.plan.data)] if prepared.plan.data else []
    for names in alike.values():
        options = [] if tuple(names) == default_tasks() else ["--task", ",".join(names)]
        command = "".join(f" {inert(word)}" for word in (*map(shlex.quote, code_options()), *options, *data))
        yield from _steps_after(tasks[names[0]], command)


def _steps_after(task: Task, command: str) -> tuple[str, ...]:
    """Return the commands that make sense after a baseline; ``same`` are the options that ask the same again."""
    if task.looks is not None and task.looks.next_steps is not None:
        return task.looks.next_steps(command)
    if "models" in task.takes:
        return (
            f"a real model: export OPENAI_API_KEY=...; tsgkit eval{command} --model openai/gpt-4o --limit 10",
            f"a server of yours: tsgkit eval{command} --model openai/NAME --model-arg api_base=http://127.0.0.1:8000/v1",
        )
    return tuple(f"a folder of {kind} of yours: tsgkit eval{command} --{kind} NAME=DIR" for kind in task.takes)


def board_lines(results: Sequence[Result], prepared: RunSetup, screen: Screen = PAPER) -> Iterator[str]:
    """Yield one table for each subject, and what went wrong."""
    shown = {row.cell: row.task.shown or (comparison_metric(row.task.card.metrics),) for row in prepared.rows}
    judges = {row.cell.subject: f", judged by {row.judge}" for row in prepared.rows if row.judge is not None}
    asked_models = {row.cell.subject: row.asked for row in prepared.rows}
    for subject in dict.fromkeys(result.cell.subject for result in results):
        mine = [result for result in results if result.cell.subject == subject]
        if never_answered(mine):
            yield f"{inert(asked_models[subject])}: never answered, so there is nothing to show"
            for result in mine:
                yield from () if result.given_up else _troubles(result)  # an evaluation tells the reason at its end
            continue
        yield screen.bold(inert(subject + judges.get(subject, "")))
        rows = [_row(result, metric) for result in mine for metric in shown[result.cell]]
        yield from aligned([HEAD, *rows], WORDS, screen)
        for result in mine:
            yield from _troubles(result)
        if any(result.board.counts["truncated"] for result in mine):
            settings = prepared.settings.get(asked_models[subject])
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
        used: dict[str, Any] = {}
        for result in mine:
            add_usage(used, result.usage)
        if share := cached_share(used):
            yield f"  {100 * share:.0f} % of the input tokens came from the service's prompt cache"
        for line in dict.fromkeys(line for result in mine for line in _unofficial(result, shown[result.cell])):
            yield f"  {inert(line)}"
        for why in dict.fromkeys(result.board.reasons.get("pairing", "") for result in mine):
            if why:
                yield f"  {inert(why)}"
    for task, row in {row.cell.task: row for row in prepared.rows}.items():
        controls = controls_of(row, prepared.plan.at("seed"))
        names = list(dict.fromkeys(name for control in controls for name in control.values))
        if names:
            yield f"controls of {task}, free: the same {count(len(row.numbers), 'item')} answered without looking"
            lines = [("control", "n", *names)]
            for control in controls:
                figures = (percent(control.values.get(name)) for name in names)
                lines.append((control.name, f"{control.n:,}", *figures))
            yield from aligned(lines, 1, screen)


def never_answered(results: Sequence[Result]) -> bool:
    """Return whether no sample of these rows was answered, and some ended in an error of the service."""
    asked_models = [result for result in results if result.board.n or result.given_up]
    return bool(asked_models) and all(result.never_answered for result in asked_models)


def _row(result: Result, metric: str) -> tuple[Cell, ...]:
    """Return the line of a metric: the row, its figures, and what they took."""
    cell, board, usage = result.cell, result.board, usage_value(result.usage)
    ways = cell.ways if cell.style or cell.axes else ("-", *cell.ways)
    return (
        cell.task,
        " ".join([*ways, *cell.repeat_marks]),
        metric,
        str(result.total) if not result.unasked else f"{board.n}/{result.total}",
        *(with_interval(board.value(metric, profile)) for profile in PROFILES),
        *(str(board.counts["unreadable"]), str(result.failed)),
        *(tokens(usage, "prompt_tokens", "completion_tokens"), cost(usage)),
    )


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
    """Yield how samples of a row ended that have no whole answer, the most frequent errors by name."""
    title, counts = inert(result.cell.title), result.board.counts
    errors = ((result.errors, "failed"), (result.raised, "ended in an error"), (result.partial, "partial"))
    for of_kind, ended in errors:
        for error, number in sorted(of_kind.items(), key=lambda item: -item[1])[:MOST_ERRORS]:
            yield f"  {title}: {count(number, 'sample')} {ended}: {inert(error)}"
    if result.unreadable:
        first = ", the first" if counts["unreadable"] > 1 else ""
        yield f"  {title}: {count(counts['unreadable'], 'sample')} unreadable{first}: {inert(result.unreadable)}"
    if others := [f"{counts[name]} {name.replace('_', ' ')}" for name in OTHER_ENDS if counts.get(name)]:
        yield f"  {title}: {', '.join(others)}"


def score_lines(report: ScoreReport, data: str, *, samples: bool = False) -> Iterator[str]:
    """Yield the figures of replies collected elsewhere in both profiles, in all and by groups."""
    items = count(report.board.n, "item")
    style = f", asked for in style {report.style}" if report.style else ""
    yield f"{report.task}: {items} of {inert(data)}{style}"
    for note in report.notes:
        yield f"note: {inert(note)}"
    yield from _board(report.board, report.metrics)
    for group, boards in report.groups.items():
        for name, board in boards.items():
            yield f"\n{group} {inert(name)}: {count(board.n, 'item')}"
            yield from _board(board, report.metrics, headline_only=True)
    if samples:
        for judged in report.judged:
            yield inert(json.dumps(sample_value(judged), ensure_ascii=False))


def _board(board: Board, metrics: Mapping[str, Metric], *, headline_only: bool = False) -> Iterator[str]:
    """Yield a table of both profiles, with the counts and the reasons why values are missing."""
    of_strict = board.profiles["strict"] or {}
    headlines = [name for name, metric in metrics.items() if metric.is_headline and name in of_strict]
    rows = [["", *PROFILES, "official - strict"]]
    for name in (headlines or of_strict) if headline_only else metrics:
        scale, cells = 100 if metrics[name].is_share else 1, list[str]()
        strict, official = (board.value(name, profile) for profile in PROFILES)
        for value in (strict, official):
            shown = "" if value is None else f"{scale * value.value:.1f}"
            if value is not None and value.low is not None and value.high is not None:
                shown += f" [{scale * value.low:.1f}, {scale * value.high:.1f}]"
            cells.append(shown)
        difference = "" if strict is None or official is None else f"{scale * (official.value - strict.value):+.1f}"
        rows.append([name, *cells, difference])
    yield from aligned(rows, 1)
    counts = [f"{number} {name}" for name, number in board.counts.items() if number and name != "items"]
    yield f"  counts: {', '.join(counts)}"
    derived = {name for name, metric in metrics.items() if metric.made_by is not None} if headline_only else ()
    for what, reason in board.reasons.items():
        if reason != NO_SUCH_METRIC and what.partition(".")[2] not in derived:
            yield f"  {what}: {reason}"
