"""Score replies you collected elsewhere, in two profiles: strict, to trust, and official, as the published code does.

Replies are JSON Lines of {"item_id", "reply"}; an optional "outcome" is truncated, refused or api_error. An item
without a reply is wrong in strict. The exit code does not depend on the score; it is 1 if code of tsgkit or a suite
raised on an item, which is counted as error. If an item has several calls, reply is a list of strings in order:
spatialgen/questions has five rounds, and also takes the published grader's result rows (id, model_preds_cot).

  tsgkit score --task tsg/ma-sgg --data ma-sgg.jsonl --replies replies.jsonl
  tsgkit score --task tsg/sgqa --data sgqa.jsonl --replies replies.jsonl --style cot --by domain --json --samples
  tsgkit score --task spatialgen/questions --data questions.jsonl --replies results.jsonl --by scene
  tsgkit score --task tsg/sgds --data sgds.jsonl --from inspect logs/2026-01-31_sgds.eval
  tsgkit score --task tsg/sgqa --data sgqa.jsonl --from lm-eval out/samples_sgqa_2026-01-31.jsonl
"""

from __future__ import annotations

import argparse

from tsgkit.cli.options import add_mapping, add_options
from tsgkit.cli.terminal import complain, count, inert, say_json, say_lines
from tsgkit.errors import FINISHED_WITH_ERRORS, GOOD, UsageError
from tsgkit.interface.options import ScoreOptions, options_in
from tsgkit.library.files import STDIN


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``tsgkit score``."""
    about = "the task that was asked: tsg/sgqa, formalimg/layout, spatialgen/questions"
    parser.add_argument("--task", required=True, metavar="TASK", help=about)
    about = "the rows that were asked: a file, a folder, an installed dataset, hf://OWNER/NAME[@REVISION][/PATH]"
    parser.add_argument("--data", required=True, metavar="D", help=about)
    add_mapping(parser)
    replies = parser.add_mutually_exclusive_group(required=True)
    replies.add_argument("--replies", metavar="FILE", help="the replies, one JSON object a line (-: standard input)")
    about = "the replies in a log: inspect LOG.eval, or lm-eval samples_TASK_DATE.jsonl"
    replies.add_argument("--from", dest="log", nargs=2, metavar=("TOOL", "LOG"), help=about)
    add_options(parser, ScoreOptions, until="by")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--samples", action="store_true", help="add every sample with its answer, scores and evidence")
    add_options(parser, ScoreOptions, after="by")


def run(arguments: argparse.Namespace) -> int:
    """Score one file of replies."""
    from tsgkit.library.row_sources import pinned
    from tsgkit.report.results_table import score_lines
    from tsgkit.suites.foreign_replies import score
    from tsgkit.suites.scoreboard import report_value

    source, replies = arguments.log or (None, arguments.replies)
    if arguments.data == STDIN and source is not None:
        raise UsageError("--data: a file is needed beside a log", hint="save the rows to a file and name that")
    if arguments.data == replies == STDIN:
        hint = "save one of them to a file and name that"
        raise UsageError("--data and --replies are both standard input", hint=hint)
    arguments.data = pinned(arguments.data)
    options = {name: getattr(arguments, name) for name in options_in(ScoreOptions)}
    report = score(arguments.task, arguments.data, replies, source=source, **options)
    if arguments.json:
        say_json(report_value(report, with_samples=arguments.samples))
    else:
        say_lines(score_lines(report, arguments.data, samples=arguments.samples))
    for error, number in report.errors.items():
        ended = f"{count(number, 'item')} ended in an error: {inert(error)}"
        complain(ended, "an error of tsgkit's or a suite's code: report it")
    return FINISHED_WITH_ERRORS if report.errors else GOOD
