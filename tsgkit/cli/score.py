"""Score replies you collected elsewhere, in two profiles: strict, to trust, and official, as the published code does.

Replies are JSON Lines of {"item_id", "reply"}; an optional "outcome" says truncated, refused or api_error. An item
without a reply is wrong in strict. The exit code never depends on the score; it is 1 where code of tsgkit's or of a
suite's raised on an item, which is counted as error. Where an item is asked about in several calls, reply is a list of
strings in order: spatialgen/questions has five rounds, and also takes the published grader's result rows (id,
model_preds_cot).

  tsgkit score --task tsg/ma-sgg --data ma-sgg.jsonl --replies replies.jsonl
  tsgkit score --task tsg/sgqa --data sgqa.jsonl --replies replies.jsonl --style cot --by domain --json --samples
  tsgkit score --task spatialgen/questions --data questions.jsonl --replies results.jsonl --by scene
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING

from tsgkit.cli.terminal import complain, count, inert, say
from tsgkit.errors import FINISHED_WITH_ERRORS, GOOD, UsageError
from tsgkit.library.files import STDIN

if TYPE_CHECKING:
    from tsgkit.suites.metrics import Metric
    from tsgkit.suites.scoreboard import Board, ScoreReport, Value


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``tsgkit score``."""
    parser.add_argument(
        "--task",
        required=True,
        metavar="TASK",
        help="the task that was asked: tsg/sgqa, formalimg/layout, spatialgen/questions",
    )
    parser.add_argument(
        "--data", required=True, metavar="D", help="the rows that were asked: a file, a folder, an installed dataset"
    )
    parser.add_argument(
        "--replies", required=True, metavar="FILE", help="the replies, one JSON object a line (-: standard input)"
    )
    parser.add_argument(
        "--style",
        metavar="S",
        help="how replies were asked for: zero-shot (default), cot, few-shot, cot-few-shot, structured; "
        "spatialgen/questions: published",
    )
    parser.add_argument(
        "--by",
        action="append",
        default=[],
        metavar="G",
        help="also by a group, as k, domain, tag, scene; a wrong name lists those of the task; repeatable",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--samples", action="store_true", help="add every sample with its answer, scores and evidence")
    parser.add_argument(
        "--seed", type=int, default=0, metavar="N", help="of drawn intervals, formalimg's g (default 0)"
    )


def run(arguments: argparse.Namespace) -> int:
    """Score one file of replies."""
    from tsgkit.suites.scoreboard import report_value
    from tsgkit.suites.suite import score

    if arguments.data == arguments.replies == STDIN:
        raise UsageError(
            "--data and --replies are both standard input", hint="save one of them to a file and name that"
        )
    report = score(
        arguments.task,
        arguments.data,
        arguments.replies,
        style=arguments.style,
        by=arguments.by,
        seed=arguments.seed,
    )
    if arguments.json:
        say(json.dumps(report_value(report, with_samples=arguments.samples), indent=2))
    else:
        _print(report, arguments)
    for error, number in report.errors.items():
        complain(
            f"{count(number, 'item')} ended in an error: {inert(error)}",
            "an error of tsgkit's or a suite's code: report it",
        )
    return FINISHED_WITH_ERRORS if report.errors else GOOD


def _print(report: ScoreReport, arguments: argparse.Namespace) -> None:
    from tsgkit.suites.scoreboard import sample_value

    items = count(report.board.n, "item")
    style = f", asked for in style {report.style}" if report.style else ""
    say(f"{report.task}: {items} of {inert(arguments.data)}{style}")
    for note in report.notes:
        say(f"note: {inert(note)}")
    _print_board(report.board, report.metrics)
    for group, boards in report.groups.items():
        for name, board in boards.items():
            say(f"\n{group} {inert(name)}: {count(board.n, 'item')}")
            _print_board(board, report.metrics, headline_only=True)
    if arguments.samples:
        for judged in report.judged:
            say(inert(json.dumps(sample_value(judged), ensure_ascii=False)))


def _print_board(board: Board, metrics: Mapping[str, Metric], *, headline_only: bool = False) -> None:
    from tsgkit.suites.metrics import PROFILES
    from tsgkit.suites.scoreboard import NO_SUCH_METRIC

    say(f"  {'':<18} {'strict':<24} {'official':<24} official - strict")
    made = board.profiles["strict"] or {}
    headlines = [name for name, metric in metrics.items() if metric.is_headline and name in made]
    for name in (headlines or made) if headline_only else metrics:
        metric = metrics[name]
        strict, official = ((board.profiles[profile] or {}).get(name) for profile in PROFILES)
        scale = 100 if metric.is_share else 1
        shown = f"{_shown(strict, scale):<24} {_shown(official, scale):<24} {_difference(strict, official, scale)}"
        say(f"  {name:<18} {shown}".rstrip())
    counted = [f"{number} {name}" for name, number in board.counts.items() if number and name != "items"]
    say(f"  counts: {', '.join(counted)}")
    derived = {name for name, metric in metrics.items() if metric.made_by is not None} if headline_only else ()
    for what, reason in board.reasons.items():
        if reason != NO_SUCH_METRIC and what.partition(".")[2] not in derived:
            say(f"  {what}: {reason}")


def _difference(strict: Value | None, official: Value | None, scale: int) -> str:
    return "" if strict is None or official is None else f"{scale * (official.value - strict.value):+5.1f}"


def _shown(value: Value | None, scale: int) -> str:
    if value is None:
        return ""
    around = "" if value.low is None or value.high is None else f" [{scale * value.low:.1f}, {scale * value.high:.1f}]"
    return f"{scale * value.value:5.1f}{around}"
