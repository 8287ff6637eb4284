"""Wrong graphs of a run as rows of graphs to mend.

found = wrong_graphs(Path("runs/mine"))
len(found.rows), found.dropped["right"]

Replies are read again from the recorded calls, strictly. The graphs of a reply are paired with the references as in
the score ``f1_aligned``: the pairing, in any order, with the largest sum of F1. A graph that shares no triplet with its
reference is another graph and not a spoilt one; it is dropped, as are right graphs and graphs without a partner.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tsgkit.errors import UsageError
from tsgkit.graph.folding import fold_graphs
from tsgkit.graph.model import ActionGraph
from tsgkit.graph.notation.narratives import vocabulary_value
from tsgkit.library.cards import load_card
from tsgkit.runs.folder import CALLS, read_header
from tsgkit.runs.journal import Journal
from tsgkit.runs.plan import Cell
from tsgkit.runs.run_files import check_evaluation
from tsgkit.runs.run_setup import Row
from tsgkit.runs.saved_run import places_of_calls, prepared_again, transcript_of
from tsgkit.scoring import alignment
from tsgkit.scoring.sets import overlap, triplets_of
from tsgkit.suites.solvers.solver import BASELINE, SINGLE
from tsgkit.suites.suite import task_of
from tsgkit.suites.tsg.generation import Generation
from tsgkit.suites.tsg.given_graphs import GIVEN
from tsgkit.suites.tsg.groups import NONE
from tsgkit.suites.tsg.items import GenerationSample
from tsgkit.suites.tsg.task import lists_of

RIGHT = "right"
NOT_ASKED = "not asked to the end"
OTHER = "no triplet in common with a reference"
MISSING, SURPLUS = "no graph written for the reference", "more graphs written than there are references"
TOO_MANY = "too many graphs written to be aligned"


@dataclass
class WrongGraphs:
    """Rows of graphs to mend, and how many graphs were dropped for which reason."""

    rows: list[dict[str, Any]] = field(default_factory=list)
    dropped: Counter[str] = field(default_factory=Counter)
    sources: tuple[str, ...] = ()
    """The files of the run's data."""


def wrong_graphs(path: Path, data: str | None = None, subject: str | None = None) -> WrongGraphs:
    """Return the wrong graphs of a run's graph tasks; ``data`` is where its data lie now, ``subject`` one of several.

    Raise ``UsageError`` where there is no run, no graph task, no such subject, or nothing wrong.
    """
    header = read_header(path)
    plan = check_evaluation(header, path)
    tasks = [name for name in plan.tasks if isinstance(task_of(load_card(name)), Generation)]
    if not tasks:
        hint = "make one of tsg/sa-sgg or tsg/ma-sgg: tsgkit eval --task sa-sgg,ma-sgg --model M"
        raise UsageError(f"{path}: no graphs were asked for in this run, but {', '.join(plan.tasks)}", hint=hint)
    rows = prepared_again(header, path, data, only=tasks, to_be="searched for wrong graphs").rows
    subjects = dict.fromkeys(row.cell.subject for row in rows)
    if subject is not None and subject not in subjects:
        raise UsageError(f"{path}: {subject} was not asked in this run", hint=f"there are {', '.join(subjects)}")
    found, places = WrongGraphs(sources=tuple({row.dataset.file for row in rows})), places_of_calls(path)
    calls = Journal(path / CALLS, writes=False)
    for row in rows:
        if subject in (None, row.cell.subject):
            for number in row.numbers:
                sample = row.dataset.sample(number)
                lines = places.get((row.cell, sample.item_id), ())
                _add(found, row, sample, [calls.read(place) for place in lines])
    found.dropped = +found.dropped
    if not found.rows:
        why = "; ".join(f"{reason}: {times:,}" for reason, times in found.dropped.most_common())
        raise UsageError(f"{path}: no wrong graph to make an item of ({why})", hint="name a run with mistakes in it")
    return found


def _add(found: WrongGraphs, row: Row, sample: GenerationSample, calls: list[dict[str, Any]]) -> None:
    """Add the wrong graphs of one answer, each at the place of its reference, and count the others."""
    transcript = transcript_of(iter(calls))
    if not calls or row.solver.unfinished(transcript):
        found.dropped[NOT_ASKED] += sample.k
        return
    judged = row.scoring.judged(sample, transcript).judged
    if judged.answer is None:
        found.dropped[str(judged.outcome)] += sample.k
        return
    written = [ActionGraph.of(*(tuple(triplet) for triplet in graph)) for graph in judged.answer]
    if alignment.too_large(sample.k, len(written)):
        found.dropped[TOO_MANY] += sample.k
        return
    references = fold_graphs(sample.references)
    gains = [[overlap(triplets_of(one), triplets_of(other)).f1 for other in written] for one in references]
    pairs = alignment.best(gains).pairs
    wanting, left_over = sample.k - len(pairs), len(written) - len(pairs)
    others = min(wanting, left_over)
    found.dropped.update({OTHER: others, MISSING: wanting - others, SURPLUS: left_over - others})
    for place, other in pairs:
        if written[other] == references[place]:
            found.dropped[RIGHT] += 1
        else:
            found.rows.append(_row(row.cell, sample, place, written[other]))


def _row(cell: Cell, sample: GenerationSample, number: int, graph: ActionGraph) -> dict[str, Any]:
    """Return the row of a graph to mend: that of its item, with the graph as it was written."""
    solver = "" if cell.solver in (SINGLE, BASELINE) else cell.solver
    way = [str(part) for part in (solver, cell.style, *cell.own_axes.values()) if part not in (None, "")]
    repeat = [f"#{cell.repeat}"] if cell.repeat else []
    domain, tags = sample.groups["domain"][0], sample.groups["tag"]
    return {
        "item_id": "/".join([cell.task, sample.item_id, str(number), cell.subject, *way, *repeat]),
        **dict(zip(("scenario_id", "data_id"), sample.scenarios, strict=False)),
        **({} if domain == NONE else {"domain": domain}),
        **({} if tags == (NONE,) else {"tags": list(tags)}),
        "context": sample.context[0] if sample.context_is_text else list(sample.context),
        "target_sentence": sample.sentence,
        "mandatory_space": vocabulary_value(sample.vocabulary),
        "graphs": [{"triplets": triplets} for triplets in lists_of(sample.references)],
        GIVEN: {
            "number": number,
            "triplets": lists_of([graph])[0],
            "subject": cell.subject,
            "solver": cell.solver,
            "style": cell.style,
            "repeat": cell.repeat,
            "task": cell.task,
            "item_id": sample.item_id,
        },
    }
