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
import shlex
from pathlib import Path

from tsgkit.cli.options import add_options, add_vocabulary, read_vocabulary
from tsgkit.cli.parser import refuse_options
from tsgkit.cli.terminal import complain_unread, say_json, say_lines, screen
from tsgkit.errors import GOOD, UsageError
from tsgkit.interface.options import GridOptions

OF_RUNS = ("human", "with", "subject", "data")
"""Options that belong to runs."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of this command."""
    about = "the folder of a run, or two files of graphs"
    parser.add_argument("paths", nargs="+", type=Path, metavar="RUN", help=about)
    parser.add_argument("--human", type=Path, metavar="FILE", help="what people said, as JSON Lines")
    about = "another run of the same subject, or a folder of results of the official SceneEval code"
    parser.add_argument("--with", type=Path, metavar="RUN2", help=about)
    parser.add_argument("--subject", metavar="NAME", help="only this subject of the run")
    add_options(parser, GridOptions, after="seed")
    parser.add_argument("--by", choices=("item",), help="with two files: the numbers of each item too")
    add_vocabulary(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(arguments: argparse.Namespace) -> int:
    """Measure it. Raise ``UsageError`` for a mixture of files of graphs and runs."""
    paths = arguments.paths
    folders = [path for path in paths if path.is_dir()]
    if len(paths) == 1 and paths[0].is_file():
        hint = "name the file of a second annotator, or the folder of a run"
        raise UsageError(f"{paths[0]}: one file has nothing to agree with", hint=hint)
    if len(paths) > 2:
        raise UsageError(f"{len(paths)} files or runs; agreement is of two", hint="compare two at a time")
    if len(folders) == 2:
        hint = shlex.join(["tsgkit", "agree", str(paths[0]), "--with", str(paths[1])])
        raise UsageError("two runs are compared with --with", hint=hint)
    if folders and len(paths) == 2:
        hint = "name two files of graphs; or a run, with ratings of people in --human FILE"
        raise UsageError(f"{folders[0]}: a folder beside a file", hint=hint)
    what, excluded = ("one run", ("by", "vocabulary")) if len(paths) == 1 else ("two files of graphs", OF_RUNS)
    hint = "tsgkit agree --help shows the ways to call it"
    refuse_options(arguments, excluded, f"{{}} does not go with {what}", hint)
    return (_agree_in_a_run if len(paths) == 1 else _agree_on_graphs)(arguments)


def _agree_in_a_run(arguments: argparse.Namespace) -> int:
    from tsgkit.report.agreement import agreed_value, agreement_lines, agreements_of, read_ratings

    human, other = arguments.human, getattr(arguments, "with")
    if human is not None and other is not None:
        raise UsageError("--human and --with are two questions", hint="give one of them")
    people = None if human is None else read_ratings(human)
    rows = agreements_of(arguments.paths[0], people, other, arguments.subject, arguments.data)
    if arguments.json:
        say_json({"rows": list(map(agreed_value, rows))})
    else:
        say_lines(line for row in rows for line in agreement_lines(row, screen(), with_people=people is not None))
    return GOOD


def _agree_on_graphs(arguments: argparse.Namespace) -> int:
    from tsgkit.library.documents.rewriter import DROPPED, UNREAD
    from tsgkit.report.annotated_items import versions_of
    from tsgkit.report.graph_agreement import agreement_value, graph_agreement, graph_agreement_lines

    first, second = arguments.paths
    versions = versions_of(first, second, read_vocabulary(arguments.vocabulary))
    for document in (versions.first, versions.second):
        unread = sum(finding.code in {*UNREAD, *DROPPED} for finding in document.findings)
        complain_unread(document.file, unread, "tsgkit check shows them")
    agreement, by_item = graph_agreement(versions), arguments.by == "item"
    if arguments.json:
        say_json(agreement_value(agreement, by_item=by_item))
    else:
        say_lines(graph_agreement_lines(agreement, screen(), by_item=by_item))
    return GOOD
