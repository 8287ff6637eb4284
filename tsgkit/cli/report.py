"""Report runs: the scores of every row with intervals, outcomes, groups, and the published tables.

  tsgkit report runs/gpt-4o-tsg-0123456789abcdef
  tsgkit report runs/A runs/B --by k --by implicit --format markdown -o report.md
  tsgkit report runs/A --task sgqa,sgds --against published
  tsgkit report runs/rooms --against output/Holodeck
  tsgkit report runs/A --junit junit.xml --summary "$GITHUB_STEP_SUMMARY" --fail-under tsg/sgqa.exact_match=0.8
  tsgkit report runs/A --figure f1:k -o f1.pdf

--figure draws one metric for a paper (pdf, svg or png): METRIC:G or TASK.METRIC:G; headline:G draws all headline
metrics. G is a group as below, or task, style, solver, subject or run. It is described on the output.

Groups: k, domain and tag, from the data; for generation tasks also implicit (actions that the sentence does not
mention), repetition (cue words in it) and descriptiveness (words for each edge). No model is called.
"""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from tsgkit.cli.options import add_options
from tsgkit.cli.parser import refuse_options
from tsgkit.cli.terminal import complain, complain_first, count, inert, say, screen
from tsgkit.errors import FINISHED_WITH_ERRORS, GATE_MISSED, GOOD, FileProblem, UsageError
from tsgkit.interface.options import CompareOptions, ReportOptions
from tsgkit.library.files import refuse_to_replace_data, write_report

if TYPE_CHECKING:
    from tsgkit.report.paper import Columns, Figure
    from tsgkit.report.report_rows import Report, ReportRow
    from tsgkit.runs.gates import Gate
    from tsgkit.runs.shard_merge import Merged

SHOWN = 10
COLUMNS_HELP = "the width of the figure in columns (default 1)"
PUBLISHED = "published"
OF_TABLES = ("by", "format", "against", "junit", "summary", "fail_under")
"""Options that a figure does not have."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of this command."""
    parser.add_argument("runs", nargs="+", type=Path, metavar="RUN", help="the folder of a run")
    add_options(parser, ReportOptions, until="by")
    add_output_arguments(parser, "report")
    add_options(parser, ReportOptions, after="by")
    add_options(parser, CompareOptions, after="seed", until="data")
    parser.add_argument("--junit", type=Path, metavar="FILE", help="write JUnit XML: a test case for each row")
    parser.add_argument("--summary", type=Path, metavar="FILE", help="add a few lines of Markdown to this file")
    parser.add_argument("--figure", metavar="M:G", help="draw metric M by G into FILE: pdf, svg or png")
    parser.add_argument("--columns", type=int, choices=(1, 2), help=COLUMNS_HELP)
    parser.add_argument("--profile", metavar="P", help="of the figure: strict (default) or official")
    parser.add_argument("--fail-under", action="append", default=[], metavar="T.M=V", help="exit 3 below this (strict)")


def run(arguments: argparse.Namespace) -> int:
    """Write the report where it is wanted."""
    from tsgkit.report import continuous_integration, official_results, published_tables
    from tsgkit.report.formats import write
    from tsgkit.report.report_rows import gather
    from tsgkit.report.terminal import PAPER
    from tsgkit.runs.gates import gates_for
    from tsgkit.suites.suite import task_named

    if arguments.figure is not None:
        return _figure(arguments)
    hint = "add --figure METRIC:G -o FILE.pdf"
    refuse_options(arguments, ("columns", "profile"), "{} is said of a figure", hint)
    check_targets([file for file in (arguments.output, arguments.junit, arguments.summary) if file], arguments.runs)
    format, against = chosen_format(arguments, "report", "--figure METRIC:G"), arguments.against
    if against not in (None, PUBLISHED) and not Path(against).is_dir():
        hint = f"give {PUBLISHED}, or the folder that the official SceneEval code wrote to"
        raise UsageError(f"--against {against}: no such folder", hint=hint)
    gated = []
    for text in arguments.fail_under:
        task, _, metric = text.partition("=")[0].rpartition(".")
        with suppress(UsageError):  # it is raised when the gates are read
            task = task_named(task)
        gated.append(f"{task}.{metric}")
    with shards_united(arguments) as shown:
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
        width = screen() if arguments.output is None else PAPER
        deliver(write(report, format, width), arguments.output)
        if arguments.junit is not None:
            write_report(arguments.junit, continuous_integration.junit(report, gates))
        if arguments.summary is not None:
            refuse_to_replace_data(arguments.summary, "")  # lines are added to it, which rows do not survive
            try:
                with arguments.summary.open("a", encoding="utf-8") as file:
                    file.write(continuous_integration.summary(report, gates))
            except OSError as error:
                raise FileProblem(f"{arguments.summary}: cannot be written: {error.strerror}") from None
        return _exit_code(report, gates)


def _figure(arguments: argparse.Namespace) -> int:
    """Draw the figure of ``--figure``."""
    from tsgkit.report.charts import gather_for
    from tsgkit.report.paper import figure

    what, _, by = arguments.figure.rpartition(":")
    task, _, metric = what.rpartition(".")
    if not metric or not by:
        hint = "as f1:k, headline:task or tsg/ma-sgg.f1:k"
        raise UsageError(f"--figure {arguments.figure}: expected a metric and a group, METRIC:G", hint=hint)
    names = OF_TABLES if arguments.metrics == "headline" else ("metrics", *OF_TABLES)
    hint = "a figure is written alone: leave one of them out"
    refuse_options(arguments, names, "--figure and {} do not go together", hint)
    if arguments.output is None:
        raise UsageError("--figure: no file is named", hint="add -o FILE.pdf, FILE.svg or FILE.png")
    check_figure_target(arguments.output, arguments.runs)
    with shards_united(arguments) as shown:
        report = _renamed(gather_for(arguments.runs, metric, by, arguments.data, tasks=arguments.task), shown)
        _say_left_out(report)
        drawing = figure(report, metric, by, task=task or None, profile=arguments.profile or "strict")
        save_figure(drawing, arguments.output, arguments.columns)
        say(inert(drawing.alt))
    return _exit_code(report, ())


def _say_left_out(report: Report) -> None:
    """Print the runs that a report leaves out, and the tasks asked for that some runs do not have."""
    for problem in report.left_out:
        complain(f"left out: {problem.message}", problem.hint)
    for text in report.lacking:
        complain(f"note: {text}")


def _renamed(report: Report, shown: Mapping[str, str]) -> Report:
    """Return the report with merged runs named like their merged folder."""

    def renamed(row: ReportRow) -> ReportRow:
        return replace(row, run=shown.get(row.run, row.run))

    beside = tuple(replace(figures, row=renamed(figures.row)) for figures in report.beside)
    return replace(report, rows=tuple(map(renamed, report.rows)), beside=beside)


def _exit_code(report: Report, gates: tuple[Gate, ...]) -> int:
    from tsgkit.report.continuous_integration import gates_missed

    missed = [line for row in report.rows for line in gates_missed(row, gates)]
    for line in missed:
        complain(line)
    if missed:
        return GATE_MISSED
    return FINISHED_WITH_ERRORS if report.left_out or any(row.failed for row in report.rows) else GOOD


def check_targets(files: Sequence[Path], runs: Sequence[Path]) -> None:
    """No run's folder is written into, no two things into one file, and nothing if one of them has no folder."""
    from tsgkit.library.files import require_folder
    from tsgkit.runs.folder import refuse_inside_a_run

    for file in files:
        require_folder(file)
        refuse_inside_a_run(file, runs)
    if len({file.resolve() for file in files}) < len(files):
        raise UsageError("two outputs name one file", hint="give each its own")


def add_output_arguments(parser: argparse.ArgumentParser, what: str) -> None:
    """The options of tables: their format, and their file."""
    from tsgkit.report.formats import FORMATS

    about = f"{', '.join(FORMATS)} (default: by the ending of FILE, else terminal)"
    parser.add_argument("--format", metavar="F", help=about)
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help=f"write the {what} there")


def chosen_format(arguments: argparse.Namespace, what: str, figure: str) -> str:
    """Return the format asked for: by name, by the ending of the file, else that of a terminal."""
    from tsgkit.report.formats import check_format, format_of

    if arguments.format is None:
        return "terminal" if arguments.output is None else format_of(arguments.output, what, figure)
    check_format(arguments.format)
    return str(arguments.format)


def deliver(text: str, output: Path | None) -> None:
    """Print the text, or write it into its file."""
    if output is None:
        say(text.removesuffix("\n"))
    else:
        write_report(output, text)
        complain(f"written: {inert(str(output))}")


def check_figure_target(path: Path, runs: Sequence[Path]) -> None:
    """``UsageError`` where a figure cannot be written there, before anything is computed."""
    from tsgkit.report.paper import format_of

    format_of(path)
    check_targets([path], runs)


def save_figure(figure: Figure, path: Path, columns: Columns | None) -> None:
    """Write a figure, one column wide by default."""
    figure.save(path, columns=columns or 1)
    complain(f"written: {inert(str(path))}")


def say_merged(merged: Merged) -> None:
    """Print what is missing, and what differs between the folders."""
    for problem in merged.problems[:SHOWN]:
        complain(problem)
    if merged.conflicts:
        several = count(merged.conflicts, "call was", "calls were")
        complain(f"{several} answered differently in several folders, as {inert(merged.example)}",
                 "the record with the smaller hash was taken")  # fmt: skip
    missing = [f"{row.title}: {row.samples:,} of {count(row.total, 'sample')}" for row in merged.missing]
    complain_first((f"missing: {inert(row)}" for row in missing), SHOWN, "and {} more rows")
    if merged.lacking:
        complain(f"shards that were not given: {', '.join(merged.lacking)}")
    for command in merged.commands[:SHOWN]:
        complain(f"to do what is missing: {inert(command[0] if len(command) == 1 else shlex.join(command))}")


@contextmanager
def shards_united(arguments: argparse.Namespace) -> Iterator[dict[str, str]]:
    """Take the shards of one run among ``runs`` as one run, wherever the arguments name them.

    The result is the path at which the merged run would be beside its shards; the merged run exists while the block
    runs.
    """
    from tsgkit.runs.shard_merge import united
    from tsgkit.runs.shards import whole_of

    with united(arguments.runs, arguments.data) as (paths, merged):
        for whole in merged:
            complain(f"{count(whole.sources, 'shard is', 'shards are')} taken as one run: {whole.path.name}")
            say_merged(whole)
        known = {str(path): str(folder) for path, folder in paths.items()}
        if (baseline := getattr(arguments, "baseline", None)) is not None:
            arguments.baseline = known.get(str(baseline), baseline)
        wholes, chosen = {whole.path for whole in merged}, [paths[path] for path in arguments.runs]
        arguments.runs = [path for number, path in enumerate(chosen) if path not in wholes & {*chosen[:number]}]
        yield {str(folder): str(whole_of(path)) for path, folder in paths.items() if folder != path}
