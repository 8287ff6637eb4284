"""Score replies you collected elsewhere, in two profiles: strict, to trust, and official, as the published code does.

Replies are JSON Lines of {"item_id", "reply"}; an optional "outcome" says truncated, refused or api_error. An item
without a reply is wrong in strict; the exit code never depends on the score.

  tsgkit score --task tsg/ma-sgg --data ma-sgg.jsonl --replies replies.jsonl
  tsgkit score --task tsg/sgqa --data sgqa.jsonl --replies replies.jsonl --style cot --by domain --json --samples
"""

from __future__ import annotations

import argparse
import json

from tsgkit.cli.terminal import count, inert, say
from tsgkit.errors import GOOD
from tsgkit.suites.tsg.grouping import GROUPS, REPAIRS
from tsgkit.suites.tsg.metrics import METRICS, STYLES
from tsgkit.suites.tsg.scoreboard import Board, ScoreReport, Value, report_value, sample_value, score


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``tsgkit score``."""
    tasks = [f"tsg/{task}" for task in METRICS]
    parser.add_argument("--task", required=True, metavar="TASK", help=f"one of {', '.join(tasks)}")
    parser.add_argument("--data", required=True, metavar="FILE", help="the rows that were asked, official or ours")
    parser.add_argument("--replies", required=True, metavar="FILE", help="the replies, one JSON object a line")
    parser.add_argument(
        "--style",
        default="zero-shot",
        metavar="S",
        help=f"how replies were asked for: {', '.join(STYLES)} (default zero-shot)",
    )
    parser.add_argument(
        "--by", action="append", default=[], metavar="G", help=f"also by {', '.join((*GROUPS, *REPAIRS))}; repeatable"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--samples", action="store_true", help="add every sample with its answer, scores and evidence")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="the seed of the intervals (default 0)")


def run(arguments: argparse.Namespace) -> int:
    """Score one file of replies."""
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
    return GOOD


def _print(report: ScoreReport, arguments: argparse.Namespace) -> None:
    items = count(report.board.n, "item")
    say(f"tsg/{report.task}: {items} of {inert(arguments.data)}, asked for in style {report.style}")
    _print_board(report.board, report.task)
    for group, boards in report.groups.items():
        for name, board in boards.items():
            say(f"\n{group} {inert(name)}: {count(board.n, 'item')}")
            _print_board(board, report.task, headline_only=True)
    if arguments.samples:
        for judged in report.judged:
            say(inert(json.dumps(sample_value(judged), ensure_ascii=False)))


def _print_board(board: Board, task: str, *, headline_only: bool = False) -> None:
    say(f"  {'':<18} {'strict':<24} {'official':<24} official - strict")
    for name, metric in METRICS[task].items():
        if headline_only and not metric.is_headline:
            continue
        values = [(board.profiles[profile] or {}).get(name) for profile in ("strict", "official")]
        strict, official = map(_shown, values)
        say(f"  {name:<18} {strict:<24} {official:<24} {_difference(*values)}".rstrip())
    counted = [f"{number} {name}" for name, number in board.counts.items() if number and name != "items"]
    say(f"  counts: {', '.join(counted)}")
    for what, reason in board.reasons.items():
        if reason == "the published code has no such metric":
            continue
        say(f"  {what}: {reason}")


def _difference(strict: Value | None, official: Value | None) -> str:
    return "" if strict is None or official is None else f"{100 * (official.value - strict.value):+5.1f}"


def _shown(value: Value | None) -> str:
    if value is None:
        return ""
    around = "" if value.low is None or value.high is None else f" [{100 * value.low:.1f}, {100 * value.high:.1f}]"
    return f"{100 * value.value:5.1f}{around}"
