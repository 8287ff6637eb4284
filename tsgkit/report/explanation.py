"""Explanation of one item of a run: prompt, reply, reading, scores and reasons, in every row that has the item.

    explanation = explain(Path("runs/rules-tsg-0123456789abcdef"), "wound/2", task="ma-sgg")
    explanation.rows[0].judged.scores["strict"]["f1"].reason

Everything is read from the run folder and scored with the present readers; no model is asked. The lines of a difference
between graphs stand here for text and pages alike:

>>> from tsgkit.graph.edits import diff
>>> wanted = ActionGraph.of(("person", "verb", "open"), ("open", "dobj", "lid"))
>>> got = ActionGraph.of(("person", "verb", "open"), ("open", "dobj", "jar"))
>>> for line in difference_lines(GraphDifference(wanted, got, diff(wanted, got))):
...     print(line.sign, line.words)
= person -> verb -> open
≠ open -> dobj -> jar, expected open -> dobj -> lid
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from tsgkit.errors import UsageError
from tsgkit.graph.drawing.graphs import MARKS
from tsgkit.graph.model import ActionGraph
from tsgkit.lexicon import meant, nearest
from tsgkit.llm.reply import reply_value
from tsgkit.report.recorded_sample import RecordedRun, RecordedSample, SampleCall
from tsgkit.runs.results import NOWHERE
from tsgkit.runs.saved_run import open_saved_run
from tsgkit.suites.panels import GraphDifference, difference_value
from tsgkit.suites.suite import task_named

NARROWING = ("task", "subject", "style", "solver", "repeat", "shots", "prompts", "seed")
MOST_NAMES = 10_000
MATCHED = "matched"


@dataclass(frozen=True)
class ItemExplanation:
    """One item in all selected rows of a run."""

    run: str
    item_id: str
    rows: tuple[RecordedSample, ...]

    @property
    def narrowing(self) -> tuple[str, ...]:
        """The options that distinguish the rows, as they are typed."""
        options = {
            name: dict.fromkeys(str(value) for row in self.rows if (value := getattr(row.cell, name)) is not None)
            for name in NARROWING
        }
        return tuple(f"--{name} {'|'.join(values)}" for name, values in options.items() if len(values) > 1)


def explain(path: str | Path, item: str, *, data: str | None = None, **narrowing: str | int | None) -> ItemExplanation:
    """Explain an item of a run in the rows that have these properties (names of ``NARROWING``; None: any value).

    ``data`` overrides the place of its data.
    """
    with open_saved_run(Path(path), data) as opened:
        if isinstance(task := narrowing.get("task"), str):
            narrowing["task"] = task_named(task, opened.prepared.plan.tasks, " in this run")
        properties = {name: value for name in NARROWING if (value := narrowing.get(name)) is not None}
        rows = opened.prepared.rows
        for name, value in properties.items():
            known = {str(own) for row in rows if (own := getattr(row.cell, name)) is not None}
            if str(value) not in known:
                raise UsageError(f"{opened.path}: no {name} {value} in this run", hint=meant(str(value), sorted(known)))
        selected = [row for row in rows if all(getattr(row.cell, name) == value for name, value in properties.items())]
        if not selected:
            words = ", ".join(f"{name} {value}" for name, value in properties.items())
            titles = "\n".join(row.cell.title for row in rows)
            raise UsageError(f"{opened.path}: no row of this run has {words}", hint=f"its rows:\n{titles}")
        run, samples = RecordedRun(opened), list[RecordedSample]()
        for row in selected:
            if item in row.dataset.item_ids:
                number, state = list(row.dataset.item_ids).index(item), opened.states[row.cell]
                offset = state.places[row.numbers.index(number)] if number in row.numbers else NOWHERE
                samples.append(run.sample(state, number, offset).read())
        if not samples:
            ids = tuple(dict.fromkeys(name for row in selected for name in row.dataset.item_ids))
            similar = nearest(item, ids[:MOST_NAMES], limit=1, least=0.6)
            begin = f"its items begin with {', '.join(ids[:3])}; other items of its data are shown with --data D"
            hint = f"{similar[0].name}?" if similar else begin
            raise UsageError(f"no item {item} was asked in this run", hint=hint)
        return ItemExplanation(str(path), item, tuple(samples))


def explanation_value(explanation: ItemExplanation) -> dict[str, Any]:
    """Return the JSON value of an explanation."""
    rows = [explained_value(sample) for sample in explanation.rows]
    return {"run": explanation.run, "item_id": explanation.item_id, "rows": rows}


def explained_value(sample: RecordedSample) -> dict[str, Any]:
    """Return the JSON value of the item in one row."""
    judged, view = sample.judged, sample.row.task.view
    scores = {
        profile: {
            name: {key: getattr(score, key) for key in ("value", "weight", "reason")} for name, score in of.items()
        }
        for profile, of in judged.scores.items()
    }
    return {
        **sample.cell.value,
        "outcome": str(judged.outcome),
        "unasked": sample.unasked or None,
        "is_counted": sample.is_counted,
        "calls": [_call_value(call) for call in sample.calls],
        "reference": view.value_of(sample.item),
        "answer": judged.answer,
        "notes": list(judged.notes),
        "scores": {"official": None} | scores,
        "unpublished": sample.unpublished or None,
        "graphs": [difference_value(graph) for graph in sample.graphs],
        "trace": list(view.trace(judged)),
        "changed": sample.changed or None,
    }


def _call_value(call: SampleCall) -> dict[str, Any]:
    readings = call.readings
    return {
        "label": call.label,
        "draw": call.draw,
        "made_again": call.made_again,
        "messages": call.messages,
        "reply": reply_value(call.reply),
        "strict": reading_value(readings.strict),
        "unreadable": readings.unreadable or None,
        "spans": [list(span) for span in readings.spans],
        "notes": [note._asdict() for note in readings.notes],
        "official": reading_value(readings.official),
        "not_official": readings.not_official or None,
        "why": list(readings.why),
    }


def reading_value(reading: str | tuple[ActionGraph, ...] | None) -> object:
    """Return a reading as JSON has it: text, or graphs as lists of triplets."""
    if reading is None or isinstance(reading, str):
        return reading
    return [[list(triplet) for triplet in graph] for graph in reading]


class DifferenceLine(NamedTuple):
    """A triplet of either graph, with a sign and words for its relation to the other graph."""

    kind: str
    sign: str
    words: str
    outside: tuple[str, ...] = ()
    """Its elements out of L."""


def difference_lines(graph: GraphDifference) -> Iterator[DifferenceLine]:
    """Yield a line for every triplet of both graphs."""
    if graph.difference is None:
        kind = "missing" if graph.candidate is None else "extra"
        for triplet in graph.reference or graph.candidate or ():
            yield DifferenceLine(kind, MARKS[kind].sign, str(triplet))
        return
    for triplet in graph.difference.matched:
        yield DifferenceLine(MATCHED, "=", str(triplet))
    for change in graph.difference.changes:
        words = str(change).partition(": ")[2].partition(" (out of L: ")[0]
        yield DifferenceLine(str(change.kind), MARKS[change.kind].sign, words, change.outside)
