"""A task of a saved run whose code or data are not here: it shows what was recorded, and can neither ask nor score.

A run describes each of its tasks (:func:`description_of`), so that its tables, samples and replies are shown anywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from tsgkit.errors import UsageError
from tsgkit.library.bundle import portable
from tsgkit.library.cards import Card
from tsgkit.llm.reply import Ask, Reply
from tsgkit.scoring.combination import mean_of_all
from tsgkit.scoring.outcomes import Outcome
from tsgkit.scoring.pooling import Pooling
from tsgkit.scoring.score import Score
from tsgkit.scoring.tally import Tally
from tsgkit.suites.judgement import Judged, TwoReadings
from tsgkit.suites.metrics import Metric
from tsgkit.suites.replies import read_as
from tsgkit.suites.scoreboard import Board, Rules, board_of
from tsgkit.suites.solvers.solver import Expected, Solver
from tsgkit.suites.task import Dataset, Items, Task
from tsgkit.suites.transcript import Transcript

Records = Callable[[str], Mapping[str, Any] | None]
"""A function from an item's id to its record in one row of a run; None where it has none."""


def description_of(task: Task, dataset: Dataset) -> dict[str, Any]:
    """Return what a run keeps of a task beside its card, to show results without its code."""
    card = task.card.model_copy(update={"source": portable(task.card.source)})
    return {
        "card": card.model_dump(mode="json"),
        "kind": task.kind,
        "takes": list(task.takes),
        "groups": list(task.groups),
        "shown": list(task.shown),
        "published": list(task.published_metrics),
        "clusters_are": task.clusters_are(dataset),
        "metrics": {name: _metric_value(metric) for name, metric in task.metrics.items()},
    }


def _metric_value(metric: Metric) -> dict[str, Any]:
    how = "" if metric.made_by is None else "mean" if metric.made_by is mean_of_all else "other"
    return {
        "meaning": metric.meaning,
        "pooling": metric.pooling.value,
        "more_is_better": metric.more_is_better,
        "is_headline": metric.is_headline,
        "is_share": metric.is_share,
        **({"made_of": list(metric.made_of), "made_by": how} if how else {}),
    }


def metrics_of(described: Mapping[str, Any]) -> dict[str, Metric]:
    """Return the metrics that a description names, but those that only their code can combine of others."""
    found = {}
    for name, value in described["metrics"].items():
        how = value.get("made_by", "")
        if how != "other":
            found[name] = Metric(
                str(value["meaning"]),
                Pooling(value["pooling"]),
                bool(value["more_is_better"]),
                bool(value["is_headline"]),
                tuple(value.get("made_of", ())),
                mean_of_all if how else None,
                bool(value["is_share"]),
            )
    return found


@dataclass(frozen=True)
class RecordedSample:
    """An item as a run describes it."""

    item_id: str
    cluster: str
    groups: Mapping[str, tuple[str, ...]]
    question: str = ""
    reference: str = ""


class RecordedTask(Task):
    """A task as a run describes it."""

    def __init__(self, card: Card, described: Mapping[str, Any], dataset: Items, lacking: str) -> None:
        self._metrics, self._dataset, self.lacking = metrics_of(described), dataset, lacking
        self._published = tuple(name for name in described["published"] if name in self._metrics)
        self._clusters_are = str(described["clusters_are"])
        self.groups, self.shown = tuple(described["groups"]), tuple(described["shown"])
        self.takes = tuple(described["takes"])
        declared = {name: one for name, one in card.metrics.items() if name in self._metrics}
        super().__init__(card.model_copy(update={"metrics": declared}))
        self.kind = str(described["kind"])

    @property
    def metrics(self) -> Mapping[str, Metric]:
        """The metrics whose values were recorded."""
        return MappingProxyType(self._metrics)

    @property
    def published_metrics(self) -> Collection[str]:
        """The metrics that the published code computes."""
        return self._published

    def dataset(self, data: str | None) -> Dataset:
        """Return the items that the run describes."""
        return self._dataset

    def clusters_are(self, dataset: Dataset) -> str:
        """Return the unit that the clusters were counted in."""
        return self._clusters_are

    def notes(self, dataset: Dataset) -> tuple[str, ...]:
        """Say what is not here."""
        return (f"shown as recorded: {self.lacking}",)

    def baseline(self, subject: str, seed: int, dataset: Dataset) -> Solver:
        """Raise an error: nothing can be asked."""
        raise self.cannot("asked")

    def recorded(self, solver: str, style: str) -> Solver:
        """Return a solver that knows no record yet."""
        return RecordedSolver(self, solver, style)

    def board(self, tally: Tally, solver: Solver, seed: int, *, only: Collection[str] | None = None) -> Board:
        """Return the values of a tally, of these metrics (None: all)."""
        metrics = {name: metric for name, metric in self._metrics.items() if only is None or name in only}
        return board_of(tally, Rules(metrics, self._published, solver.unpublished, seed=seed))

    def question(self, sample: Any, *, briefly: bool = False) -> str:  # noqa: ANN401
        """Return what was asked about, as the run kept it."""
        return str(sample.question)

    def reference(self, sample: Any) -> str:  # noqa: ANN401
        """Return what is right, as the run kept it."""
        return str(sample.reference)

    def readings(self, sample: Any, reply: Reply, solver: Solver) -> TwoReadings:  # noqa: ANN401
        """Say that no reader is here."""
        found = read_as(reply)
        ended = Outcome.MISSING if found is None else found.outcome or (Outcome.EMPTY if found.is_empty else None)
        return TwoReadings(ended or Outcome.ANSWERED, None, self.lacking, (), None, self.lacking, ())

    def cannot(self, done: str) -> UsageError:
        """Return why nothing can be done with it but showing it."""
        return UsageError(f"{self.key}: cannot be {done} here: {self.lacking}")


def _no_record(item_id: str) -> None:
    return None


def _score(part: Sequence[float], reason: str) -> Score:
    total, weight = part
    return Score(total, weight, reason)


@dataclass(frozen=True)
class RecordedSolver:
    """A way of answering of which only the records are left."""

    task: Task
    name: str
    style: str
    unpublished: str = ""
    records: Records = _no_record
    fingerprint: str = ""

    def judge(self, item: Any, transcript: Transcript | None) -> Judged:  # noqa: ANN401
        """Return the judgement that was recorded."""
        record = self.records(item.item_id)
        if record is None:
            counts = {"items": 1, str(Outcome.MISSING): 1}
            return Judged(item, Outcome.MISSING, None, {"strict": {}}, ("it was not scored",), None, counts)
        why = record.get("why", {})
        scores = {
            profile: {name: _score(part, str(why.get(f"{profile}.{name}", ""))) for name, part in of.items()}
            for profile, of in record["parts"].items()
        }
        outcome = Outcome(record["outcome"])
        notes = tuple(map(str, record["notes"]))
        return Judged(item, outcome, record["answer"], scores, notes, record["evidence"], dict(record["counts"]))

    def unfinished(self, transcript: Transcript) -> str:
        """Return nothing: what was scored had come to its end."""
        return ""

    def expected(self, item: Any) -> Expected:  # noqa: ANN401
        """Return no calls."""
        return Expected()

    async def solve(self, item: Any, ask: Ask | None) -> Transcript:  # noqa: ANN401
        """Raise an error: nothing can be asked."""
        raise UsageError(f"{self.name}: a recorded run can only be shown")


def with_recorded(task: Any, metrics: Mapping[str, Metric]) -> Any:  # noqa: ANN401  (a task, and one of the same kind)
    """Return a task that shows these metrics as they were recorded; it scores without them."""
    kind: Any = type(task)

    class Recorded(kind):  # type: ignore[misc]
        """The same task with recorded metrics."""

    Recorded.__module__ = kind.__module__  # whose code a task is depends on it
    Recorded.metrics = MappingProxyType({**task.metrics, **metrics})
    found = copy(task)
    found.__class__ = Recorded
    return found


def recorded_items(file: str, sha256: str, values: Sequence[Mapping[str, Any]]) -> Items:
    """Return the items that a run describes."""
    samples = [
        RecordedSample(
            str(value["item_id"]),
            str(value["cluster"]),
            {str(name): tuple(map(str, members)) for name, members in value["groups"].items()},
            str(value.get("question", "")),
            str(value.get("reference", "")),
        )
        for value in values
    ]
    return Items(file, sha256, samples)
