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
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from tsgkit.cli.figures import add_report_arguments, report_figure, say_left_out
from tsgkit.cli.parser import Listed
from tsgkit.cli.targets import add_output_arguments, check_targets, chosen_format, deliver, write_output
from tsgkit.cli.terminal import complain, screen
from tsgkit.errors import FINISHED_WITH_ERRORS, GATE_MISSED, GOOD, FileProblem, UsageError
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
    parser.add_argument(
        "--against",
        metavar="WHAT",
        help="published: the tables of the paper beside ours; or a folder of results of the official SceneEval code",
    )
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
    return _tables(arguments)


def _tables(arguments: argparse.Namespace) -> int:
    from tsgkit.cli.merge_summary import shards_united

    files = [file for file in (arguments.output, arguments.junit, arguments.summary) if file is not None]
    check_targets(files, arguments.runs)
    name = chosen_format(arguments, "report", "--figure METRIC:G")
    if arguments.against not in (None, PUBLISHED) and not Path(arguments.against).is_dir():
        hint = f"give {PUBLISHED}, or the folder that the official SceneEval code wrote to"
        raise UsageError(f"--against {arguments.against}: no such folder", hint=hint)
    with shards_united(arguments) as shown:
        return _report(name, arguments, shown)


def _report(name: str, arguments: argparse.Namespace, shown: Mapping[str, str]) -> int:
    from tsgkit.report import terminal
    from tsgkit.report.formats import write
    from tsgkit.report.report_rows import gather

    also = [_gated(text) for text in arguments.fail_under]
    chosen = {"metrics": arguments.metrics, "also": also, "tasks": arguments.task}
    report = gather(arguments.runs, arguments.by, arguments.data, **chosen)
    say_left_out(report)
    if arguments.against == PUBLISHED:
        from tsgkit.report.published_tables import against_published

        report = against_published(report)
    elif arguments.against is not None:
        from tsgkit.report.official_results import against_official

        report = against_official(report, Path(arguments.against))
    rows = tuple(replace(row, run=shown.get(row.run, row.run)) for row in report.rows)  # the shards have one name
    beside = (replace(one, row=replace(one.row, run=shown.get(one.row.run, one.row.run))) for one in report.beside)
    report = replace(report, rows=rows, beside=tuple(beside))
    gates = _gates(arguments.fail_under, report)
    on_screen = name == "terminal" and arguments.output is None
    deliver(terminal.write(report, screen()) if on_screen else write(report, name), arguments.output)
    _write_for_ci(report, gates, arguments)
    return _exit_code(report, gates)


def _gated(text: str) -> str:
    """Return the metric that a gate is about, with its task, if there is one of this name."""
    from tsgkit.suites.suite import task_named

    task, _, metric = text.partition("=")[0].rpartition(".")
    try:
        return f"{task_named(task)}.{metric}"
    except UsageError:  # told when the gates are read
        return f"{task}.{metric}"


def _gates(texts: list[str], report: Report) -> tuple[Gate, ...]:
    if not texts:
        return ()
    from tsgkit.runs.gates import gates_for

    return gates_for(texts, {row.task: row.of for row in report.rows if row.of is not None})


def _write_for_ci(report: Report, gates: tuple[Gate, ...], arguments: argparse.Namespace) -> None:
    from tsgkit.library.overwrites import refuse_to_replace_data

    if arguments.junit is not None:
        from tsgkit.report import junit

        write_output(arguments.junit, junit.write(report, gates))
    if arguments.summary is not None:
        from tsgkit.report import summary

        refuse_to_replace_data(arguments.summary, "")  # lines are added to it, which rows do not survive
        try:
            with arguments.summary.open("a", encoding="utf-8") as file:
                file.write(summary.write(report, gates))
        except OSError as error:
            raise FileProblem(f"{arguments.summary}: cannot be written: {error.strerror}") from None


def _exit_code(report: Report, gates: tuple[Gate, ...]) -> int:
    from tsgkit.report.junit import gates_missed

    low = [line for row in report.rows for line in gates_missed(row, gates)]
    for line in low:
        complain(line)
    if low:
        return GATE_MISSED
    return FINISHED_WITH_ERRORS if report.left_out or any(row.failed for row in report.rows) else GOOD
