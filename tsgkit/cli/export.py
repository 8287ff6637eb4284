"""Write a run in a format of another tool. No model is called.

  tsgkit export RUN --to inspect -o logs     logs for inspect view, one for each task, subject and way of asking
  tsgkit export RUN --to parquet -o tables   three tables: samples, calls and scores
  tsgkit export RUN --to csv -o tables       the same for a spreadsheet
  tsgkit export RUN --to jsonl -o samples    sample logs like those of lm-evaluation-harness, one for each row

PATH is a folder. Where a run gives a single log or file, PATH may name it: FILE.eval, FILE.jsonl. inspect needs the
extra tsgkit[inspect], parquet the extra tsgkit[parquet].
"""

from __future__ import annotations

import argparse
from pathlib import Path

from tsgkit.cli.options import add_options
from tsgkit.cli.terminal import complain, count, inert, say
from tsgkit.errors import GOOD
from tsgkit.interface.options import DataOptions
from tsgkit.report.progress import Countdown


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of this command."""
    parser.add_argument("run", type=Path, metavar="RUN", help="the folder of a run")
    parser.add_argument("--to", required=True, metavar="F", help="inspect, parquet, csv or jsonl")
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="PATH", help="the folder, or the one file")
    add_options(parser, DataOptions)
    parser.add_argument("--force", action="store_true", help="replace files that lie there")


def run(arguments: argparse.Namespace) -> int:
    """Export a run."""
    from tsgkit.report.exports import export_run

    countdown = Countdown("samples")
    try:
        exported = export_run(
            arguments.run, arguments.to, arguments.output, data=arguments.data, force=arguments.force, done=countdown
        )
    finally:
        countdown.ended()
    for file in exported.files:
        say(inert(str(file)))
    if exported.unasked:
        unasked = count(exported.unasked, "sample")
        complain(f"the run is not finished: {unasked} not asked yet, left out of the export")
    complain(f"{count(exported.samples, 'sample')} in {count(len(exported.files), 'file')}")
    return GOOD
