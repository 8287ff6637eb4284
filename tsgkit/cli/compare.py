"""Compare runs, or the rows of one run, item by item: differences, intervals, tests, smallest detectable difference.

  tsgkit compare runs/ablation                       all rows of a run with each other
  tsgkit compare runs/ablation --baseline zero-shot  every other style with this one
  tsgkit compare runs/old runs/new                   each row with the row of the other run that is most like it
  tsgkit compare runs/new --baseline runs/old --fail-if-worse
  tsgkit compare runs/ablation --by seed             rows that differ in the seed alone, each with that of the first
  tsgkit compare runs/ablation --grid                styles by tasks, with marks where a style really differs
  tsgkit compare runs/ablation --grid -o grid.tex    the same as LaTeX; also .md, .csv, .json and .html
  tsgkit compare runs/old runs/new --figure f.pdf    the differences, drawn for a paper; with --items, how many items
                                                     each row got right and wrong, by a group too (--by k)

Rows are compared on the last headline metric of their task (f1, accuracy), or on all of a table that a task has of its
own, and on equal items of equal data only. p comes from a paired test (sign-flip over scenarios; exact McNemar if each
scenario has one item that is right or wrong) and is Holm-corrected over all pairs. "No difference shown" does not mean
"equal": the smallest difference that such items are likely to show is printed beside it. Samples without an answer
count as wrong and are listed.

--fail-if-worse makes a gate: exit 3 when a row is shown to be worse than its baseline (--baseline, else the first run),
or has no value where the baseline has one. Otherwise the exit code is 0, whatever the verdicts.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from tsgkit.cli import report
from tsgkit.cli.options import add_options
from tsgkit.cli.parser import refuse_options
from tsgkit.cli.terminal import complain, screen
from tsgkit.errors import GATE_MISSED, GOOD, UsageError
from tsgkit.interface.options import GridOptions, PairOptions, ReportOptions, options_in


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of this command."""
    parser.add_argument("runs", nargs="+", type=Path, metavar="RUN", help="the folder of a run")
    add_options(parser, ReportOptions, until="task")
    add_options(parser, GridOptions, until="profile")
    add_options(parser, PairOptions, until="baseline")
    add_options(parser, GridOptions, after="profile", until="common")
    parser.add_argument("--grid", action="store_true", help="styles by tasks, each with the model's first style")
    parser.add_argument("--items", action="store_true", help="list the items won and lost")
    parser.add_argument("--fail-if-worse", action="store_true", help="exit 3 when a row is worse than its baseline")
    add_options(parser, GridOptions, after="common")
    report.add_output_arguments(parser, "comparison")
    parser.add_argument("--json", action="store_true", help="the same as --format json")
    parser.add_argument("--figure", type=Path, metavar="FILE", help="draw it too: pdf, svg or png")
    add_options(parser, PairOptions, after="baseline")
    parser.add_argument("--columns", type=int, choices=(1, 2), help=report.COLUMNS_HELP)


def run(arguments: argparse.Namespace) -> int:
    """Compare, and print the result."""
    from tsgkit.report.comparison import BY, compare
    from tsgkit.report.comparison_formats import write
    from tsgkit.report.grid import grid
    from tsgkit.report.paper import comparison_figure, paired_figure

    output, drawing, by = arguments.output, arguments.figure, arguments.by
    if drawing is not None:
        report.check_figure_target(drawing, arguments.runs)
    else:
        refuse_options(arguments, ("columns",), "{} is said of a figure", "add --figure FILE.pdf")
    if by is not None and by not in BY and not (drawing is not None and arguments.items):
        hint = f"compare rows by {', '.join(BY)}; items by a group: add --figure FILE.pdf --items"
        raise UsageError(f"--by {by}: no rows differ by that", hint=hint)
    if arguments.json and arguments.format not in (None, "json"):
        raise UsageError(f"--json and --format {arguments.format} do not go together", hint="leave one of them out")
    arguments.format = "json" if arguments.json else arguments.format
    format = report.chosen_format(arguments, "comparison", "" if arguments.grid else "--figure FILE")
    report.check_targets([file for file in (output, drawing) if file is not None], arguments.runs)
    if arguments.grid:
        hint = "leave one of them out: the grid compares each style with the model's first one"
        names = ("baseline", "by", "items", "fail_if_worse", "figure")
        refuse_options(arguments, names, "--grid and {} do not go together", hint)
    with report.shards_united(arguments) as shown:
        settings: dict[str, Any] = {name: getattr(arguments, name) for name in options_in(GridOptions)}
        settings["tasks"] = arguments.task
        if arguments.grid:
            comparison: Any = grid(arguments.runs, **settings)
        else:
            baseline = arguments.baseline
            if baseline is None and arguments.fail_if_worse and by not in BY:  # the first of several runs
                if len(arguments.runs) < 2:
                    hint = "add --baseline or --by, or name the older run"
                    raise UsageError("--fail-if-worse: worse than what?", hint=hint)
                baseline = str(arguments.runs[0])
            comparison = compare(arguments.runs, baseline=baseline, by=by, **settings)
        figure = None
        if drawing is not None:  # checked before anything is printed
            group = None if by in BY else by
            figure = paired_figure(comparison, group) if arguments.items else comparison_figure(comparison)
            figure.check(arguments.columns or 1)
        on = {"screen": screen()} if output is None else {}
        report.deliver(write(comparison, format, with_items=arguments.items, runs=shown, **on), output)
        for note in comparison.notes if format == "csv" else ():  # a format for programs that holds rows only
            complain(f"note: {note}")
        if figure is not None:
            report.save_figure(figure, drawing, arguments.columns)
        if not arguments.fail_if_worse:
            return GOOD
        for pair in comparison.worse:
            complain(f"gate missed: {pair.first.task}: {pair.first.name} against {pair.second.name}: {pair.verdict}")
        return GATE_MISSED if comparison.worse else GOOD
