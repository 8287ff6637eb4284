"""Score the stored replies of a run again with the readers and metrics of this version. No model is called.

tsgkit rescore runs/gpt-4o-tsg-0123456789abcdef
"""

from __future__ import annotations

import argparse
from pathlib import Path

from tsgkit.cli.options import add_options
from tsgkit.cli.terminal import job_watch, say_json, say_lines, screen
from tsgkit.errors import GOOD
from tsgkit.interface.options import RescoreOptions


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of this command."""
    parser.add_argument("run", type=Path, metavar="RUN", help="the folder of a run")
    add_options(parser, RescoreOptions, until="executor")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    add_options(parser, RescoreOptions, after="executor")


def run(arguments: argparse.Namespace) -> int:
    """Score again, and print the changes."""
    from tsgkit.report.results_table import rescored_lines, rescored_value
    from tsgkit.runs.rescore_job import Rescoring
    from tsgkit.runs.saved_run import open_saved_run

    job = Rescoring(arguments.run, arguments.data, arguments.executor)
    rescored = job.carry_out(job_watch(quiet=arguments.quiet))
    reopened = open_saved_run(arguments.run, arguments.data)
    if arguments.json:
        say_json({"run": str(arguments.run), **rescored_value(rescored, reopened)})
    else:
        say_lines(rescored_lines(rescored, reopened, screen()))
    return GOOD
