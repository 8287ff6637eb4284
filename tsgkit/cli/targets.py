"""Outputs of commands about runs: formats, and files, never inside a run and never two outputs in one file."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from tsgkit.cli.terminal import complain, inert, say
from tsgkit.errors import UsageError


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

    parser.add_argument(
        "--format", metavar="F", help=f"{', '.join(FORMATS)} (default: by the ending of FILE, else terminal)"
    )
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
        write_output(output, text)
        complain(f"written: {inert(str(output))}")


def write_output(path: Path, text: str) -> None:
    """Write a file, unless data would be lost."""
    from tsgkit.library.files import write_text
    from tsgkit.library.overwrites import refuse_to_replace_data

    refuse_to_replace_data(path, text)
    write_text(path, text)
