"""Report runs: the scores of every row with intervals, outcomes, groups, and the published tables.

  tsgkit report runs/gpt-4o-tsg-0123456789abcdef
  tsgkit report runs/A runs/B --by k --by implicit --format markdown -o report.md
  tsgkit report runs/A --task sgqa,sgds --against published
  tsgkit report runs/rooms --against output/Holodeck
  tsgkit report runs/A --junit junit.xml --summary "$GITHUB_STEP_SUMMARY" --fail-under tsg/sgqa.exact_match=0.8
  tsgkit report runs/A --figure f1:k -o f1.pdf

--figure draws one metric for a paper (pdf, svg or png): METRIC:G or TASK.METRIC:G, where the metric may be main (the
main one of each task) and G is a group as below, or task, style, solver, subject or run. It is described on the output.

Groups: k, domain and tag, from the data; for generation tasks also implicit (actions that the sentence does not
mention), repetition (cue words in it) and descriptiveness (words for each edge). No model is called.
"""

from __future__ import annotations

import argparse
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from tsgkit.cli.parser import Listed
from tsgkit.cli.run_outputs import (
    add_output_arguments,
    add_report_arguments,
    check_targets,
    chosen_format,
    deliver,
    renamed,
    report_figure,
    say_left_out,
    shards_united,
)
from tsgkit.cli.terminal import complain, screen
from tsgkit.errors import FINISHED_WITH_ERRORS, GATE_MISSED, GOOD, FileProblem, UsageError
from tsgkit.library.overwrites import refuse_to_replace_data, write_report
from tsgkit.report.report_rows import CHOICES, HEADLINE

if TYPE_CHECKING:
    from tsgkit.report.report_rows import Report
    from tsgkit.runs.gates import Gate

PUBLISHED = "published"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of this command."""
    parser.add_argument("runs", nargs="+", type=Path, metavar="RUN", help="the folder of a run")
    parser.add_argument("--task", action=Listed, default=[], metavar="T", help="only these tasks: A,B")
    parser.add_argument("--by", action=Listed, default=[], metavar="G", help="also by these groups: A,B")
    add_output_arguments(parser, "report")
    about = "published: the tables of the paper beside ours; or a folder of results of the official SceneEval code"
    parser.add_argument("--against", metavar="WHAT", help=about)
    parser.add_argument("--metrics", default=HEADLINE, metavar="WHICH", help=f"{', '.join(CHOICES)} (default headline)")
    parser.add_argument("--data", metavar="D", help="where the data of the runs lie now, if elsewhere")
    parser.add_argument("--junit", type=Path, metavar="FILE", help="write JUnit XML: a test case for each row")
    parser.add_argument("--summary", type=Path, metavar="FILE", help="add a few lines of Markdown to this file")
    add_report_arguments(parser)
    parser.add_argument("--fail-under", action="append", default=[], metavar="T.M=V", help="exit 3 below this (strict)")


def run(arguments: argparse.Namespace) -> int:
    """Write the report where it is wanted."""
    if arguments.figure is not None:
        return _exit_code(report_figure(arguments), ())
    for name in ("columns", "profile"):
        if getattr(arguments, name) is not None:
            raise UsageError(f"--{name} is said of a figure", hint="add --figure METRIC:G -o FILE.pdf")
    files = [file for file in (arguments.output, arguments.junit, arguments.summary) if file is not None]
    check_targets(files, arguments.runs)
    name = chosen_format(arguments, "report", "--figure METRIC:G")
    if arguments.against not in (None, PUBLISHED) and not Path(arguments.against).is_dir():
        hint = f"give {PUBLISHED}, or the folder that the official SceneEval code wrote to"
        raise UsageError(f"--against {arguments.against}: no such folder", hint=hint)
    with shards_united(arguments) as shown:
        return _write(renamed(_gathered(arguments), shown), name, arguments)


def _gathered(arguments: argparse.Namespace) -> Report:
    """Return the report, with other results beside it where they are asked for."""
    from tsgkit.report.report_rows import gather
    from tsgkit.suites.suite import task_named

    gated = []
    for text in arguments.fail_under:
        task, _, metric = text.partition("=")[0].rpartition(".")
        with suppress(UsageError):  # it is raised when the gates are read
            task = task_named(task)
        gated.append(f"{task}.{metric}")
    metrics, tasks = arguments.metrics, arguments.task
    report = gather(arguments.runs, arguments.by, arguments.data, metrics=metrics, also=gated, tasks=tasks)
    say_left_out(report)
    if arguments.against == PUBLISHED:
        from tsgkit.report.published_tables import against_published

        return against_published(report)
    if arguments.against is not None:
        from tsgkit.report.official_results import against_official

        return against_official(report, Path(arguments.against))
    return report


def _write(report: Report, name: str, arguments: argparse.Namespace) -> int:
    from tsgkit.report import junit, summary, terminal
    from tsgkit.report.formats import write
    from tsgkit.runs.gates import gates_for

    tasks = {row.task: row.of for row in report.rows if row.of is not None}
    gates = gates_for(arguments.fail_under, tasks) if arguments.fail_under else ()
    on_screen = name == "terminal" and arguments.output is None
    deliver(terminal.write(report, screen()) if on_screen else write(report, name), arguments.output)
    if arguments.junit is not None:
        write_report(arguments.junit, junit.write(report, gates))
    if arguments.summary is not None:
        refuse_to_replace_data(arguments.summary, "")  # lines are added to it, which rows do not survive
        try:
            with arguments.summary.open("a", encoding="utf-8") as file:
                file.write(summary.write(report, gates))
        except OSError as error:
            raise FileProblem(f"{arguments.summary}: cannot be written: {error.strerror}") from None
    return _exit_code(report, gates)


def _exit_code(report: Report, gates: tuple[Gate, ...]) -> int:
    from tsgkit.report.junit import gates_missed

    low = [line for row in report.rows for line in gates_missed(row, gates)]
    for line in low:
        complain(line)
    if low:
        return GATE_MISSED
    return FINISHED_WITH_ERRORS if report.left_out or any(row.failed for row in report.rows) else GOOD
