"""List the tasks: what each asks and needs, and which ones run by default.

tsgkit tasks
tsgkit tasks --json
"""

from __future__ import annotations

import argparse
from dataclasses import asdict

from tsgkit.cli.terminal import inert, say_json, say_lines
from tsgkit.errors import GOOD
from tsgkit.report.task_list import listed_tasks, task_lines


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of this command."""
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(arguments: argparse.Namespace) -> int:
    """List the tasks."""
    tasks = listed_tasks()
    if arguments.json:
        say_json({"tasks": [asdict(task) for task in tasks]}, ensure_ascii=False)
    else:
        say_lines(map(inert, task_lines(tasks)))
    return GOOD
