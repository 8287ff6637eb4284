"""Outputs of commands about runs: formats and files, never inside a run and never two in one file; figures for papers;
and runs given as shards."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from tsgkit.cli.terminal import complain, count, inert, say
from tsgkit.errors import UsageError
from tsgkit.library.overwrites import write_report

if TYPE_CHECKING:
    from tsgkit.report.paper import Figure
    from tsgkit.runs.shard_merge import Merged

SHOWN = 10
COLUMNS_HELP = "the width of the figure in columns (default 1)"


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

    name = str(arguments.format) if arguments.format is not None else "terminal"
    if arguments.format is None and arguments.output is not None:
        name = format_of(arguments.output, what, figure)
    check_format(name)
    return name


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


def save_figure(figure: Figure, path: Path, columns: int | None) -> None:
    """Write a figure, one column wide by default."""
    figure.save(path, columns=2 if columns == 2 else 1)
    complain(f"written: {inert(str(path))}")


def say_merged(merged: Merged) -> None:
    """Print what is missing, and what differs between the folders."""
    for problem in merged.problems[:SHOWN]:
        complain(problem)
    if merged.conflicts:
        several = count(merged.conflicts, "call was", "calls were")
        complain(f"{several} answered differently in several folders, as {inert(merged.example)}",
                 "the record with the smaller hash was taken")  # fmt: skip
    for row in merged.missing[:SHOWN]:
        complain(f"missing: {inert(row.title)}: {row.samples:,} of {count(row.total, 'sample')}")
    if len(merged.missing) > SHOWN:
        complain(f"and {len(merged.missing) - SHOWN} more rows")
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
        known = {str(path): str(place) for path, place in paths.items()}
        if (baseline := getattr(arguments, "baseline", None)) is not None:
            arguments.baseline = known.get(str(baseline), baseline)
        wholes, chosen = {whole.path for whole in merged}, [paths[path] for path in arguments.runs]
        arguments.runs = [path for number, path in enumerate(chosen) if path not in wholes & {*chosen[:number]}]
        yield {str(place): str(whole_of(path)) for path, place in paths.items() if place != path}
