"""The settling of two annotators' disagreements: ``tsgkit view A B --edit -o SETTLED``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from tsgkit.cli.terminal import complain, count, inert, say
from tsgkit.errors import GOOD, INTERRUPTED, UsageError

USAGE = "tsgkit view A.jsonl B.jsonl --edit -o SETTLED.jsonl"


class SettleOptions(NamedTuple):
    """The options of the command; ``annotator`` None stands for the user."""

    annotator: str | None = None
    force: bool = False
    port: int = 0
    opens: bool = True


def settle(paths: Sequence[Path], out: Path | None, options: SettleOptions) -> int:
    """Show the disagreements in the browser until all are decided, and write the settled version."""
    from tsgkit.report.annotated_items import versions_of
    from tsgkit.serve.decision_page import decide_in_browser
    from tsgkit.serve.settlement import Settling
    from tsgkit.serve.view import annotator_of

    if len(paths) != 2:
        raise UsageError(f"{len(paths)} files: disagreements are settled between two", hint=USAGE)
    if folder := next((path for path in paths if path.is_dir()), None):
        raise UsageError(f"{folder}: this is a folder, and two files of graphs are settled", hint=USAGE)
    if out is None:
        raise UsageError("the file for the settled version is not named", hint=USAGE)
    first, second = paths
    versions = versions_of(first, second)
    settling = Settling(versions, out, annotator_of(options.annotator), force=options.force)
    for note in settling.notes:
        complain(note)
    if not decide_in_browser(settling, say=say, opens=options.opens, port=options.port):
        left = sum(entry["decision"] is None for entry in settling.entries())
        complain(f"left with {count(left, 'decision')} to make; nothing was written", "the same command goes on")
        return INTERRUPTED
    summary = settling.write()
    say(f"written: {inert(str(out))}; {inert(str(summary))}")
    return GOOD
