"""A task of a saved run whose code or data are not here: it shows what was recorded, and can neither ask nor score.

A run describes each of its tasks (:func:`description_of`), so that its tables, samples and replies are shown anywhere.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NoReturn

from tsgkit.errors import UsageError
from tsgkit.library.cards import Card
from tsgkit.library.projects import portable
from tsgkit.llm.reply import Reply
from tsgkit.scoring.combination import mean_of_all
from tsgkit.scoring.pooling import Outcome, Pooling, Score
from tsgkit.suites.judgement import Judged, TwoReadings
from tsgkit.suites.metrics import Metric
from tsgkit.suites.replies import read_as
from tsgkit.suites.rows import Dataset, Items, Rows
from tsgkit.suites.solvers.solver import Solver
from tsgkit.suites.task import Groups, Looks, Official, Task, View
from tsgkit.suites.transcript import Transcript

Records = Callable[[str], Mapping[str, Any] | None]
"""A function from an item's id to its record in one row of a run; None where it has none."""


def description_of(task: Task, dataset: Dataset) -> dict[str, Any]:
    """Return what a run keeps of a task beside its card, to show results without its code."""
    card = task.card.model_copy(update={"source": portable(task.card.source)})
    metrics = {}
    for name, metric in task.metrics.items():
        how = "" if metric.made_by is None else "mean" if metric.made_by is mean_of_all else "other"
        metrics[name] = {
            "meaning": metric.meaning,
            "pooling": metric.pooling.value,
            "more_is_better": metric.more_is_better,
            "is_headline": metric.is_headline,
            "is_share": metric.is_share,
            **({} if metric.is_share or metric.top == math.inf else {"top": metric.top}),
            **({"made_of": list(metric.made_of), "made_by": how} if how else {}),
        }
    return {
        "card": card.model_dump(mode="json"),
        "kind": task.kind,
        "takes": list(task.takes),
        "groups": list(task.groups.names),
        "shown": list(task.shown),
        "published": list(task.official.metrics),
        "clusters_are": task.rows.clusters_are(dataset),
        "metrics": metrics,
    }


def metrics_of(described: Mapping[str, Any]) -> dict[str, Metric]:
    """Return the metrics that a description names, but those that only their code can combine of others."""
    metrics = {}
    for name, value in described["metrics"].items():
        how = value.get("made_by", "")
        if how != "other":
            metrics[name] = Metric(
                str(value["meaning"]),
                Pooling(value["pooling"]),
                bool(value["more_is_better"]),
                bool(value["is_headline"]),
                tuple(value.get("made_of", ())),
                mean_of_all if how else None,
                bool(value["is_share"]),
                float(value.get("top", math.inf)),
            )
    return metrics


@dataclass(frozen=True)
class RecordedItem:
    """An item as a run describes it."""

    item_id: str
    cluster: str
    groups: Mapping[str, tuple[str, ...]]
    question: str = ""
    reference: str = ""


def recorded_task(card: Card, described: Mapping[str, Any], dataset: Items, lacking: str) -> Task:
    """Return a task as a run describes it; ``lacking`` says what is not here."""

    def unread(task: Task, sample: Any, reply: Reply, solver: Solver) -> TwoReadings:  # noqa: ANN401
        """Say that no reader is here."""
        collected = read_as(reply)
        ended = Outcome.MISSING if collected is None else collected.outcome
        if ended is None:
            ended = Outcome.EMPTY if collected is not None and collected.is_empty else Outcome.ANSWERED
        return TwoReadings(ended, None, lacking, (), None, lacking, ())

    metrics = metrics_of(described)
    declared = {name: metric for name, metric in card.metrics.items() if name in metrics}
    takes = described["takes"]
    return Task(
        card=card.model_copy(update={"metrics": declared}),
        rows=Rows(
            stored=str(described["kind"]),
            load=lambda _: dataset,
            held=lambda: dataset,
            clusters=str(described["clusters_are"]),
            notes=lambda _: (f"shown as recorded: {lacking}",),
        ),
        metrics=MappingProxyType(metrics),
        view=View(question=lambda sample: str(sample.question), reference=lambda sample: str(sample.reference)),
        groups=Groups(names=tuple(described["groups"])),
        official=Official(metrics=tuple(name for name in described["published"] if name in metrics)),
        looks=Looks(
            kind=takes[-1],
            viewer=lambda task, *_: _refuse(task, lacking),
            pieces=lambda *_: (),
            scorer=RecordedScorer,
            readings=unread,
            hint=lacking,
            baseline=(lambda task, *_: _refuse(task, lacking)) if "models" in takes else None,
        ),
        shown=tuple(described["shown"]),
    )


def _refuse(task: Task, lacking: str) -> NoReturn:
    raise UsageError(f"{task.key}: cannot be asked here: {lacking}")


@dataclass(frozen=True)
class RecordedScorer:
    """A scorer of which only the records are left."""

    task: Task
    name: str
    style: str
    unpublished: str = ""
    records: Records = lambda _: None

    def judge(self, item: Any, transcript: Transcript | None) -> Judged:  # noqa: ANN401
        """Return the judgement that was recorded."""
        record = self.records(item.item_id)
        if record is None:
            counts = {"items": 1, str(Outcome.MISSING): 1}
            return Judged(item, Outcome.MISSING, None, {"strict": {}}, ("it was not scored",), None, counts)
        why = record.get("why", {})
        scores = {
            profile: {
                name: Score(part[0], part[1], str(why.get(f"{profile}.{name}", ""))) for name, part in parts.items()
            }
            for profile, parts in record["parts"].items()
        }
        outcome = Outcome(record["outcome"])
        notes = tuple(map(str, record["notes"]))
        return Judged(item, outcome, record["answer"], scores, notes, record["evidence"], dict(record["counts"]))

    def unfinished(self, transcript: Transcript) -> str:
        """Return nothing: what was scored had come to its end."""
        return ""


def recorded_items(file: str, sha256: str, values: Sequence[Mapping[str, Any]]) -> Items:
    """Return the items that a run describes."""
    samples = [
        RecordedItem(
            str(value["item_id"]),
            str(value["cluster"]),
            {str(name): tuple(map(str, members)) for name, members in value["groups"].items()},
            str(value.get("question", "")),
            str(value.get("reference", "")),
        )
        for value in values
    ]
    return Items(file, sha256, samples)
