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
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from tsgkit.cli import run_outputs
from tsgkit.cli.options import add_options
from tsgkit.cli.terminal import complain, inert, say, screen
from tsgkit.errors import FINISHED_WITH_ERRORS, GATE_MISSED, GOOD, FileProblem, UsageError
from tsgkit.interface.options import CompareOptions, ReportOptions
from tsgkit.library.overwrites import refuse_to_replace_data, write_report

if TYPE_CHECKING:
    from tsgkit.report.report_rows import Report
    from tsgkit.runs.gates import Gate

PUBLISHED = "published"
EXCLUDED = ("by", "metrics", "format", "against", "junit", "summary", "fail_under")
"""Options of tables, which a figure does not have."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of this command."""
    parser.add_argument("runs", nargs="+", type=Path, metavar="RUN", help="the folder of a run")
    add_options(parser, ReportOptions, until="by")
    run_outputs.add_output_arguments(parser, "report")
    add_options(parser, ReportOptions, after="by")
    add_options(parser, CompareOptions, after="seed", until="data")
    parser.add_argument("--junit", type=Path, metavar="FILE", help="write JUnit XML: a test case for each row")
    parser.add_argument("--summary", type=Path, metavar="FILE", help="add a few lines of Markdown to this file")
    parser.add_argument("--figure", metavar="M:G", help="draw metric M by G into FILE: pdf, svg or png")
    parser.add_argument("--columns", type=int, choices=(1, 2), help=run_outputs.COLUMNS_HELP)
    parser.add_argument("--profile", metavar="P", help="of the figure: strict (default) or official")
    parser.add_argument("--fail-under", action="append", default=[], metavar="T.M=V", help="exit 3 below this (strict)")


def run(arguments: argparse.Namespace) -> int:
    """Write the report where it is wanted."""
    from tsgkit.report import junit, official_results, published_tables, summary, terminal
    from tsgkit.report.formats import write
    from tsgkit.report.report_rows import gather
    from tsgkit.runs.gates import gates_for
    from tsgkit.suites.suite import task_named

    if arguments.figure is not None:
        return _exit_code(_figure(arguments), ())
    for name in ("columns", "profile"):
        if getattr(arguments, name) is not None:
            raise UsageError(f"--{name} is said of a figure", hint="add --figure METRIC:G -o FILE.pdf")
    run_outputs.check_targets(
        [file for file in (arguments.output, arguments.junit, arguments.summary) if file], arguments.runs
    )
    format, against = run_outputs.chosen_format(arguments, "report", "--figure METRIC:G"), arguments.against
    if against not in (None, PUBLISHED) and not Path(against).is_dir():
        hint = f"give {PUBLISHED}, or the folder that the official SceneEval code wrote to"
        raise UsageError(f"--against {against}: no such folder", hint=hint)
    gated = []
    for text in arguments.fail_under:
        task, _, metric = text.partition("=")[0].rpartition(".")
        with suppress(UsageError):  # it is raised when the gates are read
            task = task_named(task)
        gated.append(f"{task}.{metric}")
    with run_outputs.shards_united(arguments) as shown:
        metrics, tasks = arguments.metrics, arguments.task
        report = gather(arguments.runs, arguments.by, arguments.data, metrics=metrics, also=gated, tasks=tasks)
        _say_left_out(report)
        if against == PUBLISHED:
            report = published_tables.against_published(report)
        elif against is not None:
            report = official_results.against_official(report, Path(against))
        report = _renamed(report, shown)
        of_tasks = {row.task: row.of for row in report.rows if row.of is not None}
        gates = gates_for(arguments.fail_under, of_tasks) if arguments.fail_under else ()
        on_screen = format == "terminal" and arguments.output is None
        run_outputs.deliver(terminal.write(report, screen()) if on_screen else write(report, format), arguments.output)
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


def _figure(arguments: argparse.Namespace) -> Report:
    """Draw the figure of ``--figure``, and return its report."""
    from tsgkit.report.charts import gather_for
    from tsgkit.report.paper import figure

    what, _, by = arguments.figure.rpartition(":")
    task, _, metric = what.rpartition(".")
    if not metric or not by:
        hint = "as f1:k, main:task or tsg/ma-sgg.f1:k"
        raise UsageError(f"--figure {arguments.figure}: expected a metric and a group, METRIC:G", hint=hint)
    for name in EXCLUDED:
        if getattr(arguments, name) not in (None, [], (), "headline"):
            hint = "a figure is written alone: leave one of them out"
            raise UsageError(f"--figure and --{name.replace('_', '-')} do not go together", hint=hint)
    if arguments.output is None:
        raise UsageError("--figure: no file is named", hint="add -o FILE.pdf, FILE.svg or FILE.png")
    run_outputs.check_figure_target(arguments.output, arguments.runs)
    with run_outputs.shards_united(arguments) as shown:
        report = _renamed(gather_for(arguments.runs, metric, by, arguments.data, tasks=arguments.task), shown)
        _say_left_out(report)
        drawing = figure(report, metric, by, task=task or None, profile=arguments.profile or "strict")
        run_outputs.save_figure(drawing, arguments.output, arguments.columns)
        say(inert(drawing.alt))
    return report


def _say_left_out(report: Report) -> None:
    """Print the runs that a report leaves out, and the tasks asked for that some runs do not have."""
    for problem in report.left_out:
        complain(f"left out: {problem.message}", problem.hint)
    for text in report.lacking:
        complain(f"note: {text}")


def _renamed(report: Report, shown: Mapping[str, str]) -> Report:
    """Return the report with merged runs named like their merged folder."""
    rows = tuple(replace(row, run=shown.get(row.run, row.run)) for row in report.rows)
    beside = (replace(one, row=replace(one.row, run=shown.get(one.row.run, one.row.run))) for one in report.beside)
    return replace(report, rows=rows, beside=tuple(beside))


def _exit_code(report: Report, gates: tuple[Gate, ...]) -> int:
    from tsgkit.report.junit import gates_missed

    missed = [line for row in report.rows for line in gates_missed(row, gates)]
    for line in missed:
        complain(line)
    if missed:
        return GATE_MISSED
    return FINISHED_WITH_ERRORS if report.left_out or any(row.failed for row in report.rows) else GOOD
