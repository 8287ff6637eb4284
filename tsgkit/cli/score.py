"""Score replies you collected elsewhere, in two profiles: strict, to trust, and official, as the published code does.

Replies are JSON Lines of {"item_id", "reply"}; an optional "outcome" is truncated, refused or api_error. An item
without a reply is wrong in strict. The exit code does not depend on the score; it is 1 if code of tsgkit or a suite
raised on an item, which is counted as error. If an item has several calls, reply is a list of strings in order:
spatialgen/questions has five rounds, and also takes the published grader's result rows (id, model_preds_cot).

  tsgkit score --task tsg/ma-sgg --data ma-sgg.jsonl --replies replies.jsonl
  tsgkit score --task tsg/sgqa --data sgqa.jsonl --replies replies.jsonl --style cot --by domain --json --samples
  tsgkit score --task spatialgen/questions --data questions.jsonl --replies results.jsonl --by scene
"""

from __future__ import annotations

import argparse
import json

from tsgkit.cli.options import add_mapping
from tsgkit.cli.parser import Listed
from tsgkit.cli.terminal import complain, count, inert, say, say_lines
from tsgkit.errors import FINISHED_WITH_ERRORS, GOOD, UsageError
from tsgkit.library.files import STDIN
from tsgkit.library.row_sources import pinned


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``tsgkit score``."""
    parser.add_argument(
        "--task",
        required=True,
        metavar="TASK",
        help="the task that was asked: tsg/sgqa, formalimg/layout, spatialgen/questions",
    )
    parser.add_argument(
        "--data",
        required=True,
        metavar="D",
        help="the rows that were asked: a file, a folder, an installed dataset, hf://OWNER/NAME[@REVISION][/PATH]",
    )
    add_mapping(parser)
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
        action=Listed,
        default=[],
        metavar="G",
        help="also by a group, as k, domain, tag, scene; a wrong name lists those of the task; several: A,B",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--samples", action="store_true", help="add every sample with its answer, scores and evidence")
    parser.add_argument(
        "--seed", type=int, default=0, metavar="N", help="of drawn intervals, formalimg's g (default 0)"
    )


def run(arguments: argparse.Namespace) -> int:
    """Score one file of replies."""
    from tsgkit.report.score_text import score_lines
    from tsgkit.suites.scoreboard import report_value
    from tsgkit.suites.suite import score

    if arguments.data == arguments.replies == STDIN:
        raise UsageError(
            "--data and --replies are both standard input", hint="save one of them to a file and name that"
        )
    arguments.data = pinned(arguments.data)
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
        say_lines(score_lines(report, arguments.data, samples=arguments.samples))
    for error, number in report.errors.items():
        complain(
            f"{count(number, 'item')} ended in an error: {inert(error)}",
            "an error of tsgkit's or a suite's code: report it",
        )
    return FINISHED_WITH_ERRORS if report.errors else GOOD
