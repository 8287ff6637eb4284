"""Make items of graphs to mend from the wrong graphs of a run: errors as models make them.

  tsgkit make repairs --from runs/gpt-4o-tsg-0123456789abcdef -o repairs.jsonl
  tsgkit eval --task refine --data repairs.jsonl --model baseline/rules

Every wrong graph that a subject wrote for sa-sgg or ma-sgg becomes one row: sentence, context, L, the reference graphs,
the graph as it was written, and who wrote it. The stored replies are read again; no model is called. Right graphs,
replies without graphs, and graphs that match no reference are dropped and counted.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from tsgkit.cli.agent_work import add_force, json_lines, put
from tsgkit.cli.run_outputs import check_targets
from tsgkit.cli.terminal import count, inert, say, say_json
from tsgkit.errors import GOOD
from tsgkit.library.overwrites import refuse_to_overwrite_sources

FILE = "repairs.jsonl"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``tsgkit make repairs``."""
    about = "the run of sa-sgg or ma-sgg"
    parser.add_argument("--from", dest="source", required=True, type=Path, metavar="RUN", help=about)
    parser.add_argument("-o", "--out", default=FILE, metavar="FILE", help=f"the rows to write (default {FILE})")
    parser.add_argument("--subject", metavar="NAME", help="only the graphs of this subject")
    parser.add_argument("--data", metavar="D", help="where the data of the run lie now, if elsewhere")
    add_force(parser)
    parser.add_argument("--json", action="store_true", help="print the summary as one JSON object")
    parser.add_argument("--quiet", action="store_true", help="print nothing but the summary of --json")


def run(arguments: argparse.Namespace) -> int:
    """Write the rows, and print how many graphs were dropped and why."""
    from tsgkit.cli.suites.tsg.wrong_graphs import wrong_graphs

    check_targets([Path(arguments.out)], [arguments.source])
    found = wrong_graphs(arguments.source, arguments.data, arguments.subject)
    refuse_to_overwrite_sources(arguments.out, *found.sources)
    put(json_lines(found.rows), None, arguments)
    if arguments.json:
        say_json({"items": len(found.rows), "dropped": dict(found.dropped)}, ensure_ascii=False)
    elif not arguments.quiet:
        say(f"{count(len(found.rows), 'item')} made from wrong graphs, no model was asked")
        for reason, times in found.dropped.most_common():
            say(f"dropped: {inert(reason)} ({times:,})")
        say(f"written: {inert(arguments.out)}")
    return GOOD
