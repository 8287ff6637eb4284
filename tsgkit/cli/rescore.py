"""Judge the stored replies of a run again with the readers and metrics of this version. No model is called.

tsgkit rescore runs/gpt-4o-tsg-0123456789abcdef
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from tsgkit.cli.terminal import count, inert, say
from tsgkit.errors import GOOD


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of this command."""
    parser.add_argument("run", type=Path, metavar="RUN", help="the folder of a run")
    parser.add_argument("--data", metavar="D", help="where its data lie now, if elsewhere")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(arguments: argparse.Namespace) -> int:
    """Judge again, and say what changed."""
    from tsgkit.cli.table import print_board
    from tsgkit.report.figures import percent
    from tsgkit.report.gathering import main_metric
    from tsgkit.runs.reopened import reopen, rescore
    from tsgkit.runs.results import result_value

    before, after = rescore(arguments.run, arguments.data)
    reopened = reopen(arguments.run, arguments.data)
    if arguments.json:
        values = [result_value(one, reopened.states[one.cell], reopened.samples) for one in after]
        say(json.dumps({"run": str(arguments.run), "results": values}, indent=2))
        return GOOD
    print_board(after, reopened.prepared)
    metrics = {row.cell: main_metric(row.task.card.metrics) for row in reopened.prepared.rows}
    for old, new in zip(before, after, strict=True):
        name = metrics[new.cell]
        was, now = ((one.board.profiles["strict"] or {}).get(name) for one in (old, new))
        if was is not None and now is not None and was.value != now.value:
            say(f"  {inert(new.cell.title)}: {name} was {percent(was)}, is {percent(now)}")
    changed = sum(old.board != new.board for old, new in zip(before, after, strict=True))
    say(f"{count(len(after), 'row')} judged again, {changed or 'none'} changed; run: {inert(str(arguments.run))}")
    return GOOD
