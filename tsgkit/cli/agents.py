"""Show the graphs of the agents.

tsgkit agents draw               the refiner and the decomposer as Mermaid
tsgkit agents draw refiner
"""

from __future__ import annotations

import argparse

from tsgkit.cli.terminal import say
from tsgkit.errors import GOOD

NAMES = ("refiner", "decomposer")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``tsgkit agents``."""
    parser.add_argument("verb", choices=("draw",), help="print the graphs as Mermaid")
    parser.add_argument("names", nargs="*", metavar="AGENT", help=f"{' or '.join(NAMES)}; by default both")


def run(arguments: argparse.Namespace) -> int:
    """Print the graphs."""
    from tsgkit.agents.mermaid import mermaid

    for name in arguments.names or NAMES:
        say(f"%% {name}")
        say(mermaid(name).rstrip("\n"))
    return GOOD
