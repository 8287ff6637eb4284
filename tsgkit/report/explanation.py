"""Explanation of one item of a run: prompt, reply, reading, scores and reasons.

    explanation = explain(Path("runs/rules-tsg-0123456789abcdef"), "wound/2", task="ma-sgg")
    explanation.rows[0].judged.scores["strict"]["f1"].reason

Everything is read from the run folder and scored with the present readers; no model is asked. Each row of the run that
has the item gives one :class:`ExplainedRow`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from tsgkit.errors import UsageError
from tsgkit.graph.model import ActionGraph
from tsgkit.lexicon import meant, nearest
from tsgkit.llm.images import image_line, is_image
from tsgkit.llm.reply import Reply, reply_from, reply_value
from tsgkit.report.figures import NOTHING, percent
from tsgkit.report.report_rows import comparison_metric
from tsgkit.report.sample_facts import failures
from tsgkit.runs.plan import Cell
from tsgkit.runs.records import record_of, scores_of
from tsgkit.runs.results import NOWHERE
from tsgkit.runs.run_setup import PlannedRow
from tsgkit.runs.saved_run import RecordedCalls, SavedRun, open_saved_run, transcript_of
from tsgkit.scoring.pooling import Outcome
from tsgkit.suites.judgement import Judged, QuestionVerdict, Sample, TwoReadings, error_in_words
from tsgkit.suites.metrics import PROFILES
from tsgkit.suites.panels import GraphDifference, Panel, Shown, difference_value, differences, panels_of
from tsgkit.suites.solvers.ways import readings_of
from tsgkit.suites.suite import task_named
from tsgkit.suites.task import Folder, Task
from tsgkit.suites.transcript import Transcript

NARROWING = ("task", "subject", "style", "solver", "repeat", "shots", "prompts", "seed")
MOST_NAMES = 10_000


@dataclass(frozen=True)
class Message:
    """A message as it was sent."""

    role: str
    content: str


@dataclass(frozen=True)
class Called:
    """One call about a sample: messages (none if no model was asked) and reply."""

    label: str
    draw: int
    prompt: tuple[Message, ...]
    reply: Reply
    prompt_hash: str = field(default="", repr=False)
    """The hash of its prompt in the run; empty if no model was asked."""
    made_again: bool = field(default=False, repr=False)
    """True if a later call replaced it."""

    @property
    def messages(self) -> list[dict[str, str]]:
        """Its prompt as JSON has it."""
        return [{"role": message.role, "content": message.content} for message in self.prompt]


@dataclass(frozen=True)
class ExplainedCall(Called):
    """One call, and the readings of both profiles."""

    readings: TwoReadings = field(kw_only=True)

    @property
    def title(self) -> str:
        """The name of the call within the sample."""
        return f"{self.label}, draw {self.draw}" + (" (a later call took its place)" if self.made_again else "")

    @property
    def texts(self) -> tuple[str, ...]:
        """The texts that came back: reply, refusal, error."""
        return tuple(text for text in (self.reply.text, self.reply.refusal, self.reply.error) if text)


@dataclass(frozen=True)
class ExplainedRow:
    """The item in one row of the run."""

    cell: Cell
    task: Task
    sample: Sample
    transcript: Transcript | None
    """All calls; None if there are none."""
    asked: tuple[ExplainedCall, ...]
    judged: Judged
    graphs: tuple[GraphDifference, ...]
    verdicts: tuple[QuestionVerdict, ...]
    """The verdict on each question of the sample; none if it has no record."""
    unasked: str
    """The reason for missing calls; else empty."""
    is_counted: bool
    """True if the item is one of those chosen for the run, so that its scores count."""
    unpublished: str
    """The reason for missing official scores; else empty."""
    changed: str
    """The differences between the present scores and those on record; else empty."""
    folder: Folder | None = None
    """The folder of images or scenes that is evaluated; None for models."""
    assets: tuple[str, ...] = ()
    """Folders of assets for scenes, as ``LAYOUT=DIR``."""

    @property
    def metric(self) -> str:
        """The metric that the row is known by."""
        return comparison_metric(self.task.card.metrics)

    @cached_property
    def panels(self) -> tuple[Panel, ...]:
        """The panels of its suite."""
        shown = Shown(self.task, self.sample, self.judged, self.transcript, self.folder, self.assets)
        return tuple(panels_of(shown))

    @property
    def trace(self) -> tuple[str, ...]:
        """The lines of the strict verdict, where the suite gives them."""
        return self.task.view.trace(self.judged) if self.is_counted else ()

    @property
    def drawn(self) -> tuple[Panel, ...]:
        """The panels of the answer, but for those whose content stands in ``graphs`` or ``trace``."""
        if not self.is_counted:
            return ()
        graphs = {"pairs": [difference_value(graph) for graph in self.graphs]}
        shown = (panel for panel in self.panels if panel.value != graphs and not is_context(panel))
        return tuple(panel for panel in shown if not (self.trace and panel.kind == "formula"))

    @property
    def context(self) -> tuple[Panel, ...]:
        """The panels of graphs without references, which were given or asked about."""
        return tuple(filter(is_context, self.panels)) if self.is_counted else ()

    @property
    def headline(self) -> str:
        """How many of its verdicts failed, if any, and its metric in both profiles."""
        values = [f"{name} {self.figure(name, self.metric)}" for name in PROFILES]
        known = [value for value in values if not value.endswith(f" {NOTHING}")]
        failed = failures(self.verdicts)
        return "; ".join(filter(None, [failed, f"{self.metric} {', '.join(known)}" if known else ""]))

    def figure(self, profile: str, name: str) -> str:
        """Return a score as text: a share in percent, an amount as a number."""
        score, metric = self.judged.scores.get(profile, {}).get(name), self.task.metrics.get(name)
        return NOTHING if score is None else percent(score.value, is_share=metric is None or metric.is_share)


@dataclass(frozen=True)
class Explanation:
    """One item in all selected rows of a run."""

    run: str
    item_id: str
    rows: tuple[ExplainedRow, ...]

    @property
    def narrowing(self) -> tuple[str, ...]:
        """The options that distinguish the rows, as they are typed."""
        cells = [row.cell for row in self.rows]
        options = {
            name: dict.fromkeys(str(value) for cell in cells if (value := getattr(cell, name)) is not None)
            for name in NARROWING
        }
        return tuple(f"--{name} {'|'.join(values)}" for name, values in options.items() if len(values) > 1)


def explain(
    path: str | Path,
    item: str,
    *,
    task: str | None = None,
    subject: str | None = None,
    style: str | None = None,
    solver: str | None = None,
    repeat: int | None = None,
    shots: int | None = None,
    prompts: str | None = None,
    seed: int | None = None,
    data: str | None = None,
) -> Explanation:
    """Explain an item of a run; ``data`` overrides the place of its data."""
    with open_saved_run(Path(path), data) as reopened:
        named = None if task is None else task_named(task, reopened.prepared.plan.tasks, " in this run")
        wanted = {"task": named, "subject": subject, "style": style, "solver": solver, "repeat": repeat}
        wanted |= {"shots": shots, "prompts": prompts, "seed": seed}
        rows = _rows_meant(reopened, wanted)
        rows_with_item = [row for row in rows if item in row.dataset.item_ids]
        if not rows_with_item:
            ids = tuple(dict.fromkeys(name for row in rows for name in row.dataset.item_ids))
            similar = nearest(item, ids[:MOST_NAMES], limit=1, least=0.6)
            begin = f"its items begin with {', '.join(ids[:3])}; other items of its data are shown with --data D"
            hint = f"{similar[0].name}?" if similar else begin
            raise UsageError(f"no item {item} was asked in this run", hint=hint)
        calls = RecordedCalls(reopened.path)
        return Explanation(str(path), item, tuple(explained(reopened, calls, row, item) for row in rows_with_item))


def _rows_meant(reopened: SavedRun, wanted: Mapping[str, object]) -> list[PlannedRow]:
    """Return the rows with these properties; the run must have each of them."""
    rows = reopened.prepared.rows
    properties = {name: value for name, value in wanted.items() if value is not None}
    for name, value in properties.items():
        known = {str(own) for row in rows if (own := getattr(row.cell, name)) is not None}
        if str(value) not in known:
            raise UsageError(f"{reopened.path}: no {name} {value} in this run", hint=meant(str(value), sorted(known)))
    selected = [row for row in rows if all(getattr(row.cell, name) == value for name, value in properties.items())]
    if not selected:
        words = ", ".join(f"{name} {value}" for name, value in properties.items())
        titles = "\n".join(row.cell.title for row in rows)
        raise UsageError(f"{reopened.path}: no row of this run has {words}", hint=f"its rows:\n{titles}")
    return selected


def explained(reopened: SavedRun, recorded: RecordedCalls, row: PlannedRow, item: str) -> ExplainedRow:
    """Return an item of an opened run explained; it must be in the data of its row."""
    number, plan = list(row.dataset.item_ids).index(item), reopened.prepared.plan
    sample, chosen = row.dataset.sample(number), number in row.numbers
    calls = recorded.of(row.cell, item)
    place = reopened.states[row.cell].places[row.numbers.index(number)] if chosen else NOWHERE
    record = None if place == NOWHERE else reopened.samples.read(place)
    today = scored_today(row, sample, calls, record)
    judged, transcript = today.judged, today.transcript
    graphs = row.task.view.graphs(sample, judged)
    changed, unasked, verdicts = "", "", tuple[QuestionVerdict, ...]()
    if record is not None:
        current = record
        if transcript is not None and not today.ended_in_error:
            current = record_of(row.cell, judged, transcript)
            changed = "; ".join(_changes(record, current))
        verdicts = tuple(row.task.view.verdicts(current, sample, comparison_metric(row.task.card.metrics)))
    if today.lacking:
        unasked = f"{today.lacking}: the run was stopped here"
    elif not chosen and not calls:
        unasked = "in the data, but not among the items chosen for this run (--limit or --ids): never asked"
    elif not calls and not today.ended_in_error:
        unasked = "not asked yet; it counts as missing until the same command goes on"
    return ExplainedRow(
        cell=row.cell,
        task=row.task,
        sample=sample,
        transcript=transcript,
        asked=tuple(
            ExplainedCall(**vars(call), readings=readings_in(row, sample, call.reply, call.label))
            for call in calls_about(calls, recorded)
        ),
        judged=judged,
        graphs=() if graphs is None else tuple(differences(graphs)),
        verdicts=verdicts,
        unasked=unasked,
        is_counted=chosen,
        unpublished=row.solver.unpublished,
        changed=changed,
        folder=next((each for each in plan.folders if each.name == row.cell.subject), None),
        assets=plan.assets,
    )


def calls_about(calls: Sequence[Mapping[str, Any]], recorded: RecordedCalls) -> tuple[Called, ...]:
    """Return the calls that these lines record, in order."""
    last = {(value["label"], value["draw"]): place for place, value in enumerate(calls)}
    return tuple(
        Called(
            label=value["label"],
            draw=value["draw"],
            prompt=tuple(map(message_of, recorded.messages(value.get("prompt", "")))),
            reply=reply_from(value["reply"]),
            prompt_hash=value.get("prompt", ""),
            made_again=last[value["label"], value["draw"]] != place,
        )
        for place, value in enumerate(calls)
    )


def message_of(value: Mapping[str, Any]) -> Message:
    """Return a message of the records; images are named, not shown."""
    content = value.get("content", "")
    if isinstance(content, list):
        parts = [part if isinstance(part, dict) else {"text": part} for part in content]
        content = "\n".join(image_line(part) if is_image(part) else str(part.get("text", part)) for part in parts)
    return Message(str(value.get("role", "")), str(content or ""))


class ScoredToday(NamedTuple):
    """A sample as the present readers score its recorded calls."""

    judged: Judged
    transcript: Transcript | None
    """All calls; None if there are none."""
    lacking: str
    """The reason why its calls are not complete; else empty."""
    ended_in_error: bool
    """True if its record says that it ended in an exception, and its calls are not complete."""


def scored_today(
    row: PlannedRow, sample: Sample, calls: Sequence[dict[str, Any]], record: Mapping[str, Any] | None
) -> ScoredToday:
    """Score the recorded calls about a sample again; ``record`` is its record, if it has one."""
    transcript = transcript_of(iter(calls)) if calls else None
    lacking = "" if transcript is None else row.solver.unfinished(transcript)
    ended = record is not None and record["outcome"] == Outcome.ERROR and (transcript is None or bool(lacking))
    if ended and record is not None:
        return ScoredToday(row.scoring.failed(sample, record["error"]).judged, transcript, "", ended_in_error=True)
    judged = row.scoring.judged(sample, None if lacking else transcript).judged
    return ScoredToday(judged, transcript, lacking, ended_in_error=False)


def readings_in(row: PlannedRow, sample: Sample, reply: Reply, label: str = "") -> TwoReadings:
    """Return what both profiles read in one reply, or the error of the code that reads it."""
    try:
        return readings_of(row.task, sample, reply, row.solver, label)
    except Exception as error:  # noqa: BLE001 - a suite's code fails in every way there is
        words = f"error: {error_in_words(error, row.task, row.solver)}"
        return TwoReadings(Outcome.ERROR, None, words, (), None, words, ())


def _changes(record: Mapping[str, Any], today: Mapping[str, Any]) -> Iterator[str]:
    """Yield the differences between present and recorded scores."""
    if record["outcome"] != today["outcome"]:
        yield f"the record says {record['outcome']}, today's reader {today['outcome']}"
    before = scores_of(record)
    for profile, scores in scores_of(today).items():
        for name, score in scores.items():
            old = before.get(profile, {}).get(name)
            if old is not None and (old.sum, old.weight) != (score.sum, score.weight):
                was, now = ("none" if value is None else f"{value:.3f}" for value in (old.value, score.value))
                yield f"{profile} {name} was {was}, is {now}"


def is_context(panel: Panel) -> bool:
    """Return whether a panel shows graphs without references."""
    return panel.kind == "graphs" and all(pair["matched"] is None for pair in panel.value["pairs"])


def explanation_value(explanation: Explanation) -> dict[str, Any]:
    """Return the JSON value of an explanation."""
    rows = [explained_value(row) for row in explanation.rows]
    return {"run": explanation.run, "item_id": explanation.item_id, "rows": rows}


def explained_value(row: ExplainedRow) -> dict[str, Any]:
    """Return the JSON value of the item in one row."""
    judged = row.judged
    scores = {
        profile: {
            name: {key: getattr(score, key) for key in ("value", "weight", "reason")} for name, score in of.items()
        }
        for profile, of in judged.scores.items()
    }
    return {
        **row.cell.value,
        "outcome": str(judged.outcome),
        "unasked": row.unasked or None,
        "is_counted": row.is_counted,
        "calls": [_asked_value(asked) for asked in row.asked],
        "reference": row.task.view.value_of(row.sample),
        "answer": judged.answer,
        "notes": list(judged.notes),
        "scores": {"official": None} | scores,
        "unpublished": row.unpublished or None,
        "graphs": [difference_value(graph) for graph in row.graphs],
        "trace": list(row.task.view.trace(judged)),
        "changed": row.changed or None,
    }


def _asked_value(asked: ExplainedCall) -> dict[str, Any]:
    readings = asked.readings
    return {
        "label": asked.label,
        "draw": asked.draw,
        "made_again": asked.made_again,
        "messages": asked.messages,
        "reply": reply_value(asked.reply),
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
