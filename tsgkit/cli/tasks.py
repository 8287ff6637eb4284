"""List the tasks: what each asks and needs, and which ones run by default.

tsgkit tasks
tsgkit tasks --json
"""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict

from tsgkit.cli.terminal import inert, say
from tsgkit.errors import GOOD
from tsgkit.report.task_list import listed_tasks, task_lines


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of this command."""
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(arguments: argparse.Namespace) -> int:
    """List the tasks."""
    tasks = listed_tasks()
    if arguments.json:
        say(json.dumps({"tasks": [asdict(one) for one in tasks]}, indent=2, ensure_ascii=False))
    else:
        for line in task_lines(tasks):
            say(inert(line))
    return GOOD
