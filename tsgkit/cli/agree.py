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
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tsgkit.cli.options import add_options, add_vocabulary, read_vocabulary
from tsgkit.cli.parser import refuse_options
from tsgkit.cli.terminal import complain_unread, count, inert, say_json, say_lines, screen
from tsgkit.errors import GOOD, UsageError
from tsgkit.interface.options import GridOptions
from tsgkit.lexicon import listed

if TYPE_CHECKING:
    from tsgkit.report.agreement import RowAgreements
    from tsgkit.report.graph_agreement import GraphAgreement
    from tsgkit.scoring.agreement import MeasuredAgreement

OF_RUNS = ("human", "with", "subject", "data")
"""Options that belong to runs."""
OF_JUDGES = ("on", "between", "kind", "measure", "value", "n", "left_out", "raters", "reason")
OF_ANNOTATORS = ("on", "measure", "value", "low", "high", "n", "reason")
"""The fields of an agreement in JSON."""
MOST_SHOWN = 25
"""The number of answers listed that differ from official results."""


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
    from tsgkit.report.agreement import agreements_of, read_ratings

    human, other = arguments.human, getattr(arguments, "with")
    if human is not None and other is not None:
        raise UsageError("--human and --with are two questions", hint="give one of them")
    people = None if human is None else read_ratings(human)
    rows = agreements_of(arguments.paths[0], people, other, arguments.subject, arguments.data)
    if arguments.json:
        say_json({"rows": list(map(row_value, rows))})
    else:
        say_lines(line for row in rows for line in _row_lines(row, with_people=people is not None))
    return GOOD


def row_value(row: RowAgreements) -> dict[str, Any]:
    """Return the JSON value of the agreements on a row of a run."""
    counts = {name: getattr(row, name) for name in ("questions", "rated", "elsewhere", "ties", "unsure")}
    return {"run": row.run, **row.cell.value, "judge": row.judge, **counts} | {
        "measures": [_measure_value(measured, OF_JUDGES) for measured in row.measures],
        "notes": list(row.notes),
        "differing": [answer._asdict() for answer in row.differing],
    }


def _measure_value(measured: MeasuredAgreement, fields: Sequence[str]) -> dict[str, Any]:
    """Return the JSON value of an agreement; a value or interval that is undefined is null, with a reason."""
    agreement = measured.agreement
    around = agreement.interval
    value = measured._asdict() | vars(agreement) | {"kind": measured.kind or None, "measure": str(agreement.measure)}
    value |= {"low": None if around is None else around.low, "high": None if around is None else around.high}
    return {name: value[name] for name in fields}


def _row_lines(row: RowAgreements, *, with_people: bool) -> Iterator[str]:
    """Yield the agreements on a row of a run as text."""
    from tsgkit.report.terminal import aligned

    judge = f", judged by {inert(row.judge)}" if row.judge else ""
    yield f"{inert(row.cell.title)}{judge}: {row.questions:,} questions"
    if with_people:
        others = f", {row.elsewhere:,} others of the file are not in this run" if row.elsewhere else ""
        unsure = f", {count(row.unsure, 'unsure rating')} left out" if row.unsure else ""
        yield f"  {row.rated:,} of them rated by people; {row.ties:,} ties dropped{unsure}{others}"
    if not row.measures:
        yield "  nothing to compare: there are no several rounds, and neither people nor another run were named"
        return
    rows = [("agreement on", "between", "questions of", "measure", "value", "n", "left out")]
    for on, agreement, between, kind in row.measures:
        numbers = (_decimal(agreement.value), f"{agreement.n:,}", f"{agreement.left_out:,}")
        rows.append((on, between, kind or "all kinds", str(agreement.measure), *numbers))
    yield from aligned(rows, 4, screen())
    yield from (f"  {inert(note)}" for note in row.notes)
    if row.differing:
        answers = [(answer.on, f"scene {answer.item_id}", *answer[2:]) for answer in row.differing[:MOST_SHOWN]]
        yield from aligned([("differing", "item", "question", "here", "there"), *answers], 5, screen())
    if (more := len(row.differing) - MOST_SHOWN) > 0:
        yield f"  and {more:,} more; --json has all"
    reasons = dict.fromkeys(measured.agreement.reason for measured in row.measures)
    yield from (f"  no value: {inert(reason)}" for reason in reasons if reason)


def _decimal(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _agree_on_graphs(arguments: argparse.Namespace) -> int:
    from tsgkit.library.documents.rewriter import DROPPED, UNREAD
    from tsgkit.report.annotated_items import versions_of
    from tsgkit.report.graph_agreement import graph_agreement

    first, second = arguments.paths
    versions = versions_of(first, second, read_vocabulary(arguments.vocabulary))
    for document in (versions.first, versions.second):
        unread = sum(finding.code in {*UNREAD, *DROPPED} for finding in document.findings)
        complain_unread(document.file, unread, "tsgkit check shows them")
    agreement, by_item = graph_agreement(versions), arguments.by == "item"
    if arguments.json:
        say_json(agreement_value(agreement, by_item=by_item))
    else:
        say_lines(_graph_lines(agreement, by_item=by_item))
    return GOOD


def agreement_value(agreement: GraphAgreement, *, by_item: bool = False) -> dict[str, Any]:
    """Return the JSON value of the agreement of two annotators of graphs."""
    versions = agreement.versions
    value = {
        "first": versions.first.file,
        "second": versions.second.file,
        "items": len(versions.items),
        "matched_by": "position" if versions.by_position else "id",
        "only_first": [entry.item for entry in versions.only_first],
        "only_second": [entry.item for entry in versions.only_second],
        "descriptions": agreement.descriptions,
        "only_descriptions": list(agreement.only_descriptions),
        "graphs": list(agreement.graphs),
        "unpaired_graphs": list(agreement.unpaired),
        "disagreements": versions.disagreements,
        "texts_that_differ": versions.differing_texts,
        "vocabularies_that_differ": [item.item for item in versions.items if item.differs_in_vocabulary],
        "items_without_vocabulary": agreement.without_vocabulary,
        "outside_vocabulary": list(agreement.outside),
        "clusters": {"of": agreement.clusters, "n": agreement.cluster_count},
        "measures": [_measure_value(measured, OF_ANNOTATORS) for measured in agreement.measures],
    }
    if by_item:
        value["by"] = {"item": [{**vars(item), "graphs": list(item.graphs)} for item in agreement.items]}
    return value


def _graph_lines(agreement: GraphAgreement, *, by_item: bool) -> Iterator[str]:
    """Yield the agreement of two annotators of graphs as text; ``by_item``: with a row for each item."""
    from tsgkit.report.terminal import aligned

    versions = agreement.versions
    one, two = map(inert, versions.names)
    yield f"{one} and {two}: {count(len(versions.items), 'item')}, {count(agreement.descriptions, 'description')}"
    graphs = f"{agreement.graphs[0]:,} and {agreement.graphs[1]:,} graphs"
    yield f"  {graphs}; without a partner: {agreement.unpaired[0]:,} of {one}, {agreement.unpaired[1]:,} of {two}"
    rows = [("agreement on", "measure", "value", "95 % interval", "n")]
    for on, measured, *_ in agreement.measures:
        around = "-" if measured.interval is None else f"{measured.interval.low:.3f} to {measured.interval.high:.3f}"
        rows.append((on, str(measured.measure), _decimal(measured.value), around, f"{measured.n:,}"))
    yield from aligned(rows, 2, screen())
    if by_item:
        yield ""
        items: list[Sequence[str]] = [("item", *versions.names, "unpaired", "disagreements", "F1 of triplets", "equal")]
        for item in agreement.items:
            counts = (f"{number:,}" for number in (*item.graphs, item.unpaired, item.disagreements))
            items.append((item.item, *counts, _decimal(item.f1), _decimal(item.equal)))
        yield from aligned(items, 1, screen())
    yield from (f"  {inert(note)}" for note in _notes(agreement))
    if not versions.disagreements:
        yield "  no graph differs"
        return
    settled = f"settled{Path(versions.first.file).suffix}"
    words = shlex.join(["tsgkit", "view", versions.first.file, versions.second.file, "--edit", "-o", settled])
    yield f"  {count(versions.disagreements, 'graph differs', 'graphs differ')}; to settle: {inert(words)}"


def _notes(agreement: GraphAgreement) -> Iterator[str]:
    """Yield notes on the intervals, on L, and on what only one of the annotators has."""
    if agreement.cluster_count > 1:
        yield f"intervals: over {agreement.cluster_count:,} {agreement.clusters}, which are taken as independent"
    elif agreement.cluster_count == 1:
        cluster = agreement.clusters.removesuffix("s")
        yield f"no intervals: all paired graphs are of one {cluster}; at least two are needed"
    else:
        yield "no graph of one has a partner of the other"
    for on, measured, *_ in agreement.measures:
        if measured.reason:
            yield f"no value for {on}, {measured.measure}: {measured.reason}"
    if agreement.without_vocabulary:
        items = count(agreement.without_vocabulary, "item")
        yield f"{items} without L: all names that either annotator used there stand for it"
    if agreement.outside:
        yield f"kappa leaves out {count(len(agreement.outside), 'name')} outside L: {listed(agreement.outside)}"
    versions = agreement.versions
    names = versions.names
    if versions.by_position:
        yield "items are matched by position: no id is in both files"
    for name, entries in zip(names, (versions.only_first, versions.only_second), strict=True):
        if entries:
            items = listed([entry.item for entry in entries])
            yield f"only in {name}: {count(len(entries), 'item')}, left out: {items}"
    if texts := versions.differing_texts:
        yield count(texts, "text of a description differs", "texts of descriptions differ")
    if differing := [item.item for item in versions.items if item.differs_in_vocabulary]:
        items = f"{count(len(differing), 'item')} with another L in each file"
        yield f"{items}, which count together as L: {listed(differing)}"
    if alone := [item.item for item in versions.items if item.has_vocabulary_of_one]:
        yield f"{count(len(alone), 'item')} with L in one file alone: {listed(alone)}"
    if any(agreement.only_descriptions):
        left, right = agreement.only_descriptions
        yield f"descriptions without a partner: {left:,} of {names[0]}, {right:,} of {names[1]}"
