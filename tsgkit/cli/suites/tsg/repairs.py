"""Make items of graphs to mend from the wrong graphs of a run: errors as models make them.

  tsgkit make repairs --from runs/gpt-4o-tsg-0123456789abcdef -o repairs.jsonl
  tsgkit eval --task refine --data repairs.jsonl --model baseline/rules

Every wrong graph that a subject wrote for sa-sgg or ma-sgg becomes one row: sentence, context, L, the reference graphs,
the graph as it was written, and who wrote it. The stored replies are read again; no model is called. Right graphs,
replies without graphs, and graphs that match no reference are dropped and counted.
"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tsgkit.cli.agents import add_force, json_lines, put
from tsgkit.cli.report import check_targets
from tsgkit.cli.terminal import count, inert, say, say_json
from tsgkit.errors import GOOD, UsageError
from tsgkit.library.files import refuse_to_overwrite_sources

if TYPE_CHECKING:
    from tsgkit.graph.model import ActionGraph
    from tsgkit.runs.run_setup import PlannedRow
    from tsgkit.suites.tsg.items import GenerationSample

FILE = "repairs.jsonl"
RIGHT = "right"
NOT_ASKED = "not asked to the end"
OTHER = "no triplet in common with a reference"
MISSING, SURPLUS = "no graph written for the reference", "more graphs written than there are references"
TOO_MANY = "too many graphs written to be aligned"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``tsgkit make repairs``."""
    option = parser.add_argument
    option("--from", dest="source", required=True, type=Path, metavar="RUN", help="the run of sa-sgg or ma-sgg")
    option("-o", "--out", default=FILE, metavar="FILE", help=f"the rows to write (default {FILE})")
    option("--subject", metavar="NAME", help="only the graphs of this subject")
    option("--data", metavar="D", help="where the data of the run lie now, if elsewhere")
    add_force(parser)
    option("--json", action="store_true", help="print the summary as one JSON object")
    option("--quiet", action="store_true", help="print nothing but the summary of --json")


def run(arguments: argparse.Namespace) -> int:
    """Write the rows, and print how many graphs were dropped and why."""
    from tsgkit.library.cards import load_card
    from tsgkit.runs.folder import CALLS, check_evaluation, read_header
    from tsgkit.runs.journal import Journal
    from tsgkit.runs.saved_run import places_of_calls, prepared_again

    path, subject = arguments.source, arguments.subject
    check_targets([Path(arguments.out)], [path])
    header = read_header(path)
    plan = check_evaluation(header, path)
    tasks = [name for name in plan.tasks if load_card(name).task in ("tsg/sa-sgg", "tsg/ma-sgg")]
    if not tasks:
        hint = "make one of tsg/sa-sgg or tsg/ma-sgg: tsgkit eval --task sa-sgg,ma-sgg --model M"
        raise UsageError(f"{path}: no graphs were asked for in this run, but {', '.join(plan.tasks)}", hint=hint)
    asked = prepared_again(header, path, arguments.data, only=tasks, to_be="searched for wrong graphs").rows
    subjects = dict.fromkeys(row.cell.subject for row in asked)
    if subject is not None and subject not in subjects:
        raise UsageError(f"{path}: {subject} was not asked in this run", hint=f"there are {', '.join(subjects)}")
    places, calls = places_of_calls(path), Journal(path / CALLS, writes=False)
    rows, dropped = list[dict[str, Any]](), Counter[str]()
    for row in asked:
        for number in row.numbers if subject in (None, row.cell.subject) else ():
            sample = row.dataset.sample(number)
            lines = places.get((row.cell, sample.item_id), ())
            wrong, reasons = wrong_graphs(row, sample, [calls.read(offset) for offset in lines])
            rows += [_repair(row, sample, offset, graph) for offset, graph in wrong]
            dropped.update(reasons)
    dropped = +dropped
    if not rows:
        why = "; ".join(f"{reason}: {times:,}" for reason, times in dropped.most_common())
        raise UsageError(f"{path}: no wrong graph to make an item of ({why})", hint="name a run with mistakes in it")
    refuse_to_overwrite_sources(arguments.out, *{row.dataset.file for row in asked})
    put(json_lines(rows), None, arguments)
    if arguments.json:
        say_json({"items": len(rows), "dropped": dict(dropped)}, ensure_ascii=False)
    elif not arguments.quiet:
        say(f"{count(len(rows), 'item')} made from wrong graphs, no model was asked")
        for reason, times in dropped.most_common():
            say(f"dropped: {inert(reason)} ({times:,})")
        say(f"written: {inert(arguments.out)}")
    return GOOD


def wrong_graphs(
    row: PlannedRow, sample: GenerationSample, calls: list[dict[str, Any]]
) -> tuple[list[tuple[int, ActionGraph]], dict[str, int]]:
    """Return the wrong graphs of one answer, each with the place of its reference, and how many others there are.

    The reply is read again, strictly. Its graphs are paired with the references as in the score ``f1_aligned``: the
    pairing, in any order, with the largest sum of F1. A graph that shares no triplet with its reference is another one
    and not a spoilt one; it is dropped, as are right graphs and graphs without a partner.
    """
    from tsgkit.graph.folding import fold_graphs
    from tsgkit.graph.model import ActionGraph
    from tsgkit.runs.saved_run import transcript_of
    from tsgkit.scoring import alignment
    from tsgkit.scoring.set_scores import overlap, triplets_of

    transcript = transcript_of(iter(calls))
    if not calls or row.solver.unfinished(transcript):
        return [], {NOT_ASKED: sample.k}
    judged = row.scoring.judged(sample, transcript).judged
    if judged.answer is None:
        return [], {str(judged.outcome): sample.k}
    written = [ActionGraph.of(*(tuple(triplet) for triplet in graph)) for graph in judged.answer]
    if alignment.too_large(sample.k, len(written)):
        return [], {TOO_MANY: sample.k}
    references = fold_graphs(sample.references)
    gains = [[overlap(triplets_of(reference), triplets_of(other)).f1 for other in written] for reference in references]
    pairs = alignment.best(gains).pairs
    wrong = [(place, written[number]) for place, number in pairs if written[number] != references[place]]
    wanting, left_over = sample.k - len(pairs), len(written) - len(pairs)
    others = min(wanting, left_over)
    counts = {OTHER: others, MISSING: wanting - others, SURPLUS: left_over - others}
    return wrong, counts | {RIGHT: len(pairs) - len(wrong)}


def _repair(row: PlannedRow, sample: GenerationSample, number: int, graph: ActionGraph) -> dict[str, Any]:
    """Return the row of a graph to mend: that of its item, with the graph as it was written."""
    from tsgkit.graph.notation.narratives import vocabulary_value
    from tsgkit.suites.solvers.solver import BASELINE, SINGLE
    from tsgkit.suites.tsg.faults import GIVEN
    from tsgkit.suites.tsg.task import NONE, lists_of

    cell = row.cell
    solver = "" if cell.solver in (SINGLE, BASELINE) else cell.solver
    way = [str(part) for part in (solver, cell.style, *cell.own_axes.values()) if part not in (None, "")]
    domain, tags = sample.groups["domain"][0], sample.groups["tag"]
    origin = {name: getattr(cell, name) for name in ("subject", "solver", "style", "repeat", "task")}
    return {
        "item_id": "/".join([cell.task, sample.item_id, str(number), cell.subject, *way, *cell.repeat_marks]),
        **dict(zip(("scenario_id", "data_id"), sample.scenarios, strict=False)),
        **({} if domain == NONE else {"domain": domain}),
        **({} if tags == (NONE,) else {"tags": list(tags)}),
        "context": sample.context[0] if sample.context_is_text else list(sample.context),
        "target_sentence": sample.sentence,
        "mandatory_space": vocabulary_value(sample.vocabulary),
        "graphs": [{"triplets": triplets} for triplets in lists_of(sample.references)],
        GIVEN: {"number": number, "triplets": lists_of([graph])[0], **origin, "item_id": sample.item_id},
    }
