"""Measure how far a judge agrees with people, with another judge, and with itself between rounds; or how far two
annotators of graphs agree.

  tsgkit agree runs/mine                             its rounds with each other
  tsgkit agree runs/mine --human people.jsonl        with the majority of people
  tsgkit agree runs/mine --with runs/other           with the judge of another run of the same subject
  tsgkit agree runs/mine --with output/Holodeck      with results of the official SceneEval code
  tsgkit agree ann.jsonl bob.jsonl                   two annotators who made graphs of the same items

People's ratings are JSON Lines: {"item_id": "000001", "question": 3, "rater": "ann", "right": true}, or "label": "B"
for the chosen answer instead of "right", or "unsure": true. question counts from 0 and is left out if an item is one
question. For scenes a question is the number of a demand, or about an object: "lamp_1/held", "lamp_1/free" (of
collisions), "lamp_1/inside" (the floor). "subject", "task", "style" and so on restrict a rating to some rows; "note" is
for people. tsgkit view writes such a file beside a run, RUN.labels.jsonl, where "right" is about the whole sample.

Ties between people and unsure ratings are left out and counted. Balanced accuracy is the mean recall of the judge over
people's labels. Kappa and alpha are agreement beyond chance. No model is asked.

Two files of graphs, in any format that is read, are compared by graph, by element and in how descriptions were divided
into graphs; docs/annotating.md defines the figures. Items are matched by id, else by position. tsgkit view A B --edit
-o SETTLED walks through the disagreements.
"""

from __future__ import annotations

import argparse
import json
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from tsgkit.cli.options import add_vocabulary, read_vocabulary
from tsgkit.cli.terminal import count, inert, say, say_lines, screen
from tsgkit.errors import GOOD, UsageError

if TYPE_CHECKING:
    from tsgkit.report.agreement import RowAgreements

HEAD = ("agreement on", "between", "questions of", "measure", "value", "n", "left out")

MOST_SHOWN = 25
"""The number of answers listed that differ from official results."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of this command."""
    parser.add_argument(
        "paths", nargs="+", type=Path, metavar="RUN", help="the folder of a run, or two files of graphs"
    )
    parser.add_argument("--human", type=Path, metavar="FILE", help="what people said, as JSON Lines")
    parser.add_argument(
        "--with",
        dest="other",
        type=Path,
        metavar="RUN2",
        help="another run of the same subject, or a folder of results of the official SceneEval code",
    )
    parser.add_argument("--subject", metavar="NAME", help="only this subject of the run")
    parser.add_argument("--data", metavar="D", help="where the data of the runs lie now, if elsewhere")
    parser.add_argument("--by", choices=("item",), help="with two files: the numbers of each item too")
    add_vocabulary(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(arguments: argparse.Namespace) -> int:
    """Measure it."""
    if _are_files(arguments):
        from tsgkit.cli.agree_graphs import agree_on_graphs

        vocabulary = read_vocabulary(arguments.vocabulary)
        by_item = arguments.by == "item"
        first, second = arguments.paths
        return agree_on_graphs(first, second, vocabulary, by_item=by_item, as_json=arguments.json)
    return _agree_in_a_run(arguments)


def _are_files(arguments: argparse.Namespace) -> bool:
    """Return whether two files of graphs are named, and not a run. Raise ``UsageError`` for a mixture of both."""
    paths = arguments.paths
    folders = [path for path in paths if path.is_dir()]
    if len(paths) == 1:
        if paths[0].is_file():
            hint = "name the file of a second annotator, or the folder of a run"
            raise UsageError(f"{paths[0]}: one file has nothing to agree with", hint=hint)
        _refuse_options("one run", {"--by": arguments.by, "--vocabulary": arguments.vocabulary})
        return False
    if len(paths) > 2:
        raise UsageError(f"{len(paths)} files or runs; agreement is of two", hint="compare two at a time")
    if len(folders) == 2:
        raise UsageError(
            "two runs are compared with --with",
            hint=shlex.join(["tsgkit", "agree", str(paths[0]), "--with", str(paths[1])]),
        )
    if folders:
        hint = "name two files of graphs; or a run, with ratings of people in --human FILE"
        raise UsageError(f"{folders[0]}: a folder beside a file", hint=hint)
    named = {"--human": arguments.human, "--with": arguments.other, "--subject": arguments.subject}
    _refuse_options("two files of graphs", {**named, "--data": arguments.data})
    return True


def _refuse_options(what: str, options: dict[str, object]) -> None:
    if named := [name for name, value in options.items() if value is not None]:
        raise UsageError(f"{named[0]} does not go with {what}", hint="tsgkit agree --help shows the ways to call it")


def _agree_in_a_run(arguments: argparse.Namespace) -> int:
    from tsgkit.report.agreement import agreed_value, agreements_of, read_ratings

    if arguments.human is not None and arguments.other is not None:
        raise UsageError("--human and --with are two questions", hint="give one of them")
    people = None if arguments.human is None else read_ratings(arguments.human)
    found = agreements_of(arguments.paths[0], people, arguments.other, arguments.subject, arguments.data)
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
    for line in found.notes:
        say(f"  {inert(line)}")
    if found.differing:
        lines = [(one.on, f"scene {one.item_id}", *one[2:]) for one in found.differing[:MOST_SHOWN]]
        say_lines(aligned([("differing", "item", "question", "here", "there"), *lines], 5, screen()))
    if (more := len(found.differing) - MOST_SHOWN) > 0:
        say(f"  and {more:,} more; --json has all")
    for reason in dict.fromkeys(one.agreement.reason for one in found.measures if one.agreement.reason):
        say(f"  no value: {inert(reason)}")
