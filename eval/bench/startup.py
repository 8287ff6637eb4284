"""Benchmark: ``tsgkit --help`` and ``import tsgkit``, which load no heavy library, and ``tsgkit tasks``.

    python eval/bench/startup.py

Each command runs in a process of its own, in turn with ``python -c pass``, whose time is what Python itself needs; the
median counts, of processor time. The first round, which fills the file cache, is left out.
"""

from __future__ import annotations

import platform
import subprocess
import sys
from resource import RUSAGE_CHILDREN, getrusage
from statistics import median

from smoke import sized

HELP_BEYOND_PYTHON, TASKS = 0.06, 0.25
"""The aims in seconds."""
ROUNDS = sized(21, 1)
HEAVY = ("networkx", "nltk", "rapidfuzz", "pydantic")
COMMANDS = {
    "python -c pass": ["-c", "pass"],
    "python -c 'import tsgkit'": ["-c", "import tsgkit"],
    "python -m tsgkit --help": ["-m", "tsgkit", "--help"],
    "python -m tsgkit --version": ["-m", "tsgkit", "--version"],
    "python -m tsgkit tasks": ["-m", "tsgkit", "tasks"],
}
IMPORTED = """
import contextlib, io, sys
{work}
print(*(name for name in {heavy} if name in sys.modules))
"""
WORKS = {
    "import tsgkit": "import tsgkit",
    "tsgkit --help": "import tsgkit.cli\nwith contextlib.redirect_stdout(io.StringIO()): tsgkit.cli.main(['--help'])",
}


def seconds(arguments: list[str]) -> float:
    """Return the processor time of a command in a process of its own."""
    before = getrusage(RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)
    after = getrusage(RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def imported(work: str) -> list[str]:
    """Return which heavy libraries a piece of work loads."""
    code = IMPORTED.format(work=work, heavy=HEAVY)
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    return done.stdout.split()


def main() -> None:
    """Print the times, whether the aim is met, and what was loaded."""
    print(f"CPython {platform.python_version()}, {platform.machine()}, median of {ROUNDS} rounds\n")
    rounds = [[seconds(arguments) for arguments in COMMANDS.values()] for _ in range(ROUNDS + 1)]
    medians = dict(zip(COMMANDS, (median(column[1:]) for column in zip(*rounds, strict=True)), strict=True))
    bare = medians["python -c pass"]
    print(f"  {'command':<28}{'ms':>8}{'beyond Python':>16}")
    for name, own in medians.items():
        print(f"  {name:<28}{own * 1000:>8.0f}{(own - bare) * 1000:>16.0f}")
    print()
    for name, work in WORKS.items():
        print(f"heavy libraries loaded by {name}: {', '.join(imported(work)) or 'none'}")
    beyond, tasks = medians["python -m tsgkit --help"] - bare, medians["python -m tsgkit tasks"]
    for command, aim, own in (
        ("--help beyond Python", HELP_BEYOND_PYTHON, beyond),
        ("tasks", TASKS, tasks),
    ):
        print(f"aim: tsgkit {command} in {aim} s: {own:.3f} s, {'met' if own <= aim else 'not met'}")


if __name__ == "__main__":
    main()
