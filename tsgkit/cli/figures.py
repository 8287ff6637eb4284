"""Options of figures for papers, and writing them with their description."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from tsgkit.cli.targets import check_targets
from tsgkit.cli.terminal import complain, inert, say
from tsgkit.errors import UsageError
from tsgkit.report.report_rows import HEADLINE

if TYPE_CHECKING:
    from tsgkit.report.paper import Figure
    from tsgkit.report.report_rows import Report

COLUMNS_HELP = "the width of the figure in columns (default 1)"
EXCLUDED = ("by", "metrics", "format", "against", "junit", "summary", "fail_under")
"""Options of tables, which a figure does not have."""


def add_report_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of a figure of scores."""
    parser.add_argument("--figure", metavar="M:G", help="draw metric M by G into FILE: pdf, svg or png")
    parser.add_argument("--columns", type=int, choices=(1, 2), help=COLUMNS_HELP)
    parser.add_argument("--profile", metavar="P", help="of the figure: strict (default) or official")


def report_figure(arguments: argparse.Namespace) -> Report:
    """Draw the figure of ``--figure``, and return its report."""
    from tsgkit.cli.merge_summary import shards_united
    from tsgkit.report.charts import gather_for
    from tsgkit.report.paper import figure

    metric, by, task = _asked(arguments.figure)
    for name in EXCLUDED:
        if getattr(arguments, name) not in (None, [], HEADLINE):
            hint = "a figure is written alone: leave one of them out"
            raise UsageError(f"--figure and --{name.replace('_', '-')} do not go together", hint=hint)
    if arguments.output is None:
        raise UsageError("--figure: no file is named", hint="add -o FILE.pdf, FILE.svg or FILE.png")
    check_figure_target(arguments.output, arguments.runs)
    with shards_united(arguments) as shown:
        report = _named(gather_for(arguments.runs, metric, by, arguments.data, tasks=arguments.task), shown)
        say_left_out(report)
        found = figure(report, metric, by, task=task, profile=arguments.profile or "strict")
        save_figure(found, arguments.output, arguments.columns)
        say(inert(found.alt))
    return report


def _asked(text: str) -> tuple[str, str, str | None]:
    """Return the metric, the group and the task, if one is named.

    >>> _asked("f1:k"), _asked("tsg/ma-sgg.f1:k")
    (('f1', 'k', None), ('f1', 'k', 'tsg/ma-sgg'))
    """
    what, _, by = text.rpartition(":")
    task, _, metric = what.rpartition(".")
    if not metric or not by:
        hint = "as f1:k, main:task or tsg/ma-sgg.f1:k"
        raise UsageError(f"--figure {text}: expected a metric and a group, METRIC:G", hint=hint)
    return metric, by, task or None


def _named(report: Report, shown: Mapping[str, str]) -> Report:
    """Return the report with merged runs named like their merged folder."""
    return replace(report, rows=tuple(replace(row, run=shown.get(row.run, row.run)) for row in report.rows))


def say_left_out(report: Report) -> None:
    """Print the runs that a report leaves out, and the tasks asked for that some runs do not have."""
    for problem in report.left_out:
        complain(f"left out: {problem.message}", problem.hint)
    for text in report.lacking:
        complain(f"note: {text}")


def check_figure_target(path: Path, runs: Sequence[Path]) -> None:
    """``UsageError`` where a figure cannot be written there, before anything is computed."""
    from tsgkit.report.paper import format_of

    format_of(path)
    check_targets([path], runs)


def save_figure(figure: Figure, path: Path, columns: int | None) -> None:
    """Write a figure, one column wide by default."""
    figure.save(path, columns=2 if columns == 2 else 1)
    complain(f"written: {inert(str(path))}")
