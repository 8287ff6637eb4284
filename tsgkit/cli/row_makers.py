"""Makers of rows without a model: their options, and the loop that draws, rejects repeats, and writes.

A maker's module needs only ``add_arguments = add_row_options`` and ``run``, which calls :func:`write_rows` with a
function that draws one row, or gives the reason why the draw is invalid.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Callable, Mapping
from random import Random
from typing import Any

from tsgkit.cli.agent_work import add_force, json_lines, put
from tsgkit.cli.terminal import complain, count, inert, say, say_json
from tsgkit.errors import FINISHED_WITH_ERRORS, GOOD, UsageError

Draw = Callable[[Random], Mapping[str, Any] | str]
MOST = 100_000
TRIES = 20
"""So many draws for each row that is wanted."""
REPEATED = "drawn before"


def add_row_options(parser: argparse.ArgumentParser) -> None:
    """The options of a maker that asks no model."""
    parser.add_argument("--n", type=int, default=10, metavar="N", help="how many items (default 10)")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="another seed makes other items (default 0)")
    parser.add_argument("-o", "--out", required=True, metavar="FILE", help="the rows to write, as JSON Lines")
    add_force(parser)
    parser.add_argument("--json", action="store_true", help="print the summary as one JSON object")


def write_rows(draw: Draw, arguments: argparse.Namespace) -> int:
    """Draw rows until there are enough distinct ones, write them with ids, and print what was rejected and why."""
    if not 1 <= arguments.n <= MOST:
        raise UsageError(f"--n {arguments.n}: from 1 to {MOST:,}")
    chance, refused = Random(arguments.seed), Counter[str]()
    rows: dict[str, Mapping[str, Any]] = {}
    for _ in range(TRIES * arguments.n + TRIES):
        if len(rows) == arguments.n:
            break
        row = draw(chance)
        if isinstance(row, str):
            refused[row] += 1
        elif (text := json.dumps(row)) in rows:
            refused[REPEATED] += 1
        else:
            rows[text] = row
    if rows:
        named = ({"item_id": f"made-{arguments.seed}-{number}", **row} for number, row in enumerate(rows.values()))
        put(json_lines(named), None, arguments)
    if arguments.json:
        say_json({"items": len(rows), "refused": dict(refused)}, ensure_ascii=False)
    else:
        say(f"{count(len(rows), 'item')} made by rules, no model was asked")
        for reason, number in refused.most_common():
            say(f"refused: {inert(reason)} ({number:,})")
        if rows:
            say(f"written: {inert(arguments.out)}")
    if len(rows) == arguments.n:
        return GOOD
    complain(f"only {len(rows):,} of {arguments.n:,} different sound items were found with this seed")
    return FINISHED_WITH_ERRORS
