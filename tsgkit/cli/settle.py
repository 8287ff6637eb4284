"""The settling of two annotators' disagreements: ``tsgkit view A B --edit -o SETTLED``."""

from __future__ import annotations

import argparse
from pathlib import Path

from tsgkit.cli.terminal import complain, count, inert, say
from tsgkit.errors import GOOD, INTERRUPTED, UsageError

USAGE = "tsgkit view A.jsonl B.jsonl --edit -o SETTLED.jsonl"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The option of settlements alone."""
    parser.add_argument("--force", action="store_true", help="with --edit and two files: replace what lies at FILE")


def refuse_elsewhere(arguments: argparse.Namespace) -> None:
    """Raise ``UsageError`` for the option of settlements where none is asked for."""
    if arguments.force:
        raise UsageError("--force goes with --edit and two files", hint=USAGE)


def settle(arguments: argparse.Namespace) -> int:
    """Show the disagreements in the browser until all are decided, and write the settled version."""
    first, second, out = _files(arguments)
    from tsgkit.report.annotated_items import versions_of
    from tsgkit.serve.decision_page import decide_in_browser
    from tsgkit.serve.settlement import Settling
    from tsgkit.serve.view import annotator_of

    settling = Settling(versions_of(first, second), out, annotator_of(arguments.annotator), force=arguments.force)
    for note in settling.notes:
        complain(note)
    if not decide_in_browser(settling, say=say, opens=not arguments.no_open, port=arguments.port):
        left = sum(entry["decision"] is None for entry in settling.entries())
        complain(f"left with {count(left, 'decision')} to make; nothing was written", "the same command goes on")
        return INTERRUPTED
    summary = settling.write()
    say(f"written: {inert(str(out))}; {inert(str(summary))}")
    return GOOD


def _files(arguments: argparse.Namespace) -> tuple[Path, Path, Path]:
    """Return both files, and the one to write. Raise ``UsageError`` for what does not fit."""
    paths, out = arguments.paths, arguments.output
    if len(paths) != 2:
        raise UsageError(f"{len(paths)} files: disagreements are settled between two", hint=USAGE)
    if folder := next((path for path in paths if path.is_dir()), None):
        raise UsageError(f"{folder}: this is a folder, and two files of graphs are settled", hint=USAGE)
    for name in ("proposals", "story", "images", "data"):
        if getattr(arguments, name) is not None:
            raise UsageError(f"--{name} does not go with two files", hint=USAGE)
    if out is None:
        raise UsageError("the file for the settled version is not named", hint=USAGE)
    return paths[0], paths[1], out
