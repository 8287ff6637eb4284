"""Measure how far a judge agrees with people, with another judge, and with itself between rounds.

  tsgkit agree runs/mine                             its rounds with each other
  tsgkit agree runs/mine --human people.jsonl        with the majority of people
  tsgkit agree runs/mine --with runs/other           with the judge of another run of the same subject

People's ratings are JSON Lines: {"item_id": "000001", "question": 3, "rater": "ann", "right": true}, or "label": "B"
for the chosen answer instead of "right", or "unsure": true. question counts from 0 and is left out if an item is one
question. For scenes a question is the number of a demand, or about an object: "lamp_1/held", "lamp_1/free" (of
collisions), "lamp_1/inside" (the floor). "subject", "task", "style" and so on restrict a rating to some rows; "note" is
for people. tsgkit view writes such a file beside a run, RUN.labels.jsonl, where "right" is about the whole sample.

Ties between people and unsure ratings are left out and counted. Balanced accuracy is the mean recall of the judge over
people's labels. Kappa and alpha are agreement beyond chance. No model is asked.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

from tsgkit.cli.terminal import count, inert, say, say_lines, screen
from tsgkit.errors import GOOD, UsageError

if TYPE_CHECKING:
    from tsgkit.report.agreement import RowAgreements

HEAD = ("agreement on", "between", "questions of", "measure", "value", "n", "left out")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of this command."""
    parser.add_argument("run", type=Path, metavar="RUN", help="the folder of a run")
    parser.add_argument("--human", type=Path, metavar="FILE", help="what people said, as JSON Lines")
    parser.add_argument("--with", dest="other", type=Path, metavar="RUN2", help="another run of the same subject")
    parser.add_argument("--subject", metavar="NAME", help="only this subject of the run")
    parser.add_argument("--data", metavar="D", help="where the data of the runs lie now, if elsewhere")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(arguments: argparse.Namespace) -> int:
    """Measure it."""
    from tsgkit.report.agreement import agreed_value, agreements_of, read_ratings

    if arguments.human is not None and arguments.other is not None:
        raise UsageError("--human and --with are two questions", hint="give one of them")
    people = None if arguments.human is None else read_ratings(arguments.human)
    found = agreements_of(arguments.run, people, arguments.other, arguments.subject, arguments.data)
    if arguments.json:
        say(json.dumps({"rows": [agreed_value(one) for one in found]}, indent=2))
        return GOOD
    for one in found:
        _print(one, with_people=people is not None)
    return GOOD


def _print(found: RowAgreements, *, with_people: bool) -> None:
    judge = f", judged by {inert(found.judge)}" if found.judge else ""
    say(f"{inert(found.cell.title)}{judge}: {found.questions:,} questions")
    if with_people:
        others = f", {found.elsewhere:,} others of the file are not in this run" if found.elsewhere else ""
        unsure = f", {count(found.unsure, 'unsure rating')} left out" if found.unsure else ""
        say(f"  {found.rated:,} of them rated by people; {found.ties:,} ties dropped{unsure}{others}")
    if not found.measures:
        say("  nothing to compare: there are no several rounds, and neither people nor another run were named")
        return
    rows = [HEAD]
    for on, between, kind, one in found.measures:
        value = f"{one.value:.3f}" if one.value is not None else "-"
        rows.append(
            (on, inert(between), kind or "all kinds", str(one.measure), value, f"{one.n:,}", f"{one.left_out:,}")
        )
    from tsgkit.report.terminal import aligned

    say_lines(aligned(rows, len(HEAD) - 3, screen()))
    for reason in dict.fromkeys(one.agreement.reason for one in found.measures if one.agreement.reason):
        say(f"  no value: {inert(reason)}")
