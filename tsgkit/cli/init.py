"""Create a project: a task card, prompts, ten rows, a plan and a file of code; it runs at once.

tsgkit init mine
cd mine && tsgkit eval --task my/actions
cd mine && tsgkit eval --code parts.py --task my/capitals --model python:./parts.py:model
"""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path

from tsgkit.cli.terminal import inert, say
from tsgkit.errors import GOOD


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of this command."""
    parser.add_argument("folder", type=Path, metavar="DIR", help="a new or empty folder")


def run(arguments: argparse.Namespace) -> int:
    """Write the project, and print the next commands."""
    from tsgkit.library.projects import start_project

    for path in start_project(arguments.folder):
        say(f"  {inert(str(arguments.folder / path))}")
    folder = shlex.quote(str(arguments.folder))
    say(f"try: cd {folder} && tsgkit eval --task my/actions")
    say("parts.py has a model, a task, a metric, a style and a solver of your own; it says how they are switched on")
    return GOOD
