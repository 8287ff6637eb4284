"""One sample of a run: its item, its record, its calls, and its scores by the present readers.

    run = RecordedRun(open_saved_run(Path("runs/rules-tsg-0123456789abcdef")))
    sample = next(run.samples_of(state) for state in run.opened.states.values())
    sample.outcome, sample.scores["strict"]["f1"], sample.calls[-1].reply.text
    sample.judged.scores["strict"]["f1"].reason, sample.panels

Explanations, lists of samples, exports, notebooks and the browser read this one value. Its fields are those of its
record; whatever needs the calls, the item or a scorer is computed when it is first asked for. No model is called.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from tsgkit.llm.images import image_line, is_image
from tsgkit.llm.reply import Reply, reply_from
from tsgkit.report.figures import NOTHING, percent
from tsgkit.report.report_rows import comparison_metric
from tsgkit.runs.plan import Cell
from tsgkit.runs.records import record_of, sample_value, scores_of
from tsgkit.runs.results import NOWHERE, RowState
from tsgkit.runs.run_setup import PlannedRow
from tsgkit.runs.saved_run import RecordedCalls, SavedRun, transcript_of
from tsgkit.scoring.pooling import Outcome
from tsgkit.suites.judgement import Judged, QuestionVerdict, TwoReadings, error_in_words
from tsgkit.suites.metrics import PROFILES
from tsgkit.suites.panels import GraphDifference, Panel, SampleView, difference_value, differences, panels_of
from tsgkit.suites.solvers.ways import readings_of
from tsgkit.suites.task import right_in_full
from tsgkit.suites.transcript import Transcript

MOST_FAULTS = 3
"""The number of faults that a reason names."""
RECORDED = ("item_id", "cluster", "groups", "outcome", "answer", "counts", "evidence", "error", "usage")
"""The fields of a sample that stand in its record under the same names."""

TOKENS = ("prompt", "completion", "reasoning", "cached")
"""The kinds of tokens in a usage."""


@dataclass(frozen=True)
class Message:
    """A message as it was sent."""

    role: str
    content: str

    @classmethod
    def of(cls, value: Mapping[str, Any]) -> Message:
        """Return a message of the records; images are named, not shown."""
        content = value.get("content", "")
        if isinstance(content, list):
            parts = [part if isinstance(part, dict) else {"text": part} for part in content]
            content = "\n".join(image_line(part) if is_image(part) else str(part.get("text", part)) for part in parts)
        return cls(str(value.get("role", "")), str(content or ""))


@dataclass(frozen=True)
class SampleCall:
    """One call about a sample: messages (none if no model was asked), reply and readings."""

    label: str
    draw: int
    prompt: tuple[Message, ...]
    reply: Reply
    prompt_hash: str = field(repr=False)
    """The hash of its prompt in the run; empty if no model was asked."""
    made_again: bool = field(repr=False)
    """True if a later call replaced it."""
    row: PlannedRow = field(repr=False, compare=False)
    number: int = field(repr=False, compare=False)
    """The place of its item in the data of the row."""

    @property
    def messages(self) -> list[dict[str, str]]:
        """Its prompt as JSON has it."""
        return [{"role": message.role, "content": message.content} for message in self.prompt]

    @property
    def title(self) -> str:
        """The name of the call within the sample."""
        return f"{self.label}, draw {self.draw}" + (" (a later call took its place)" if self.made_again else "")

    @property
    def texts(self) -> tuple[str, ...]:
        """The texts that came back: reply, refusal, error."""
        return tuple(text for text in (self.reply.text, self.reply.refusal, self.reply.error) if text)

    @cached_property
    def readings(self) -> TwoReadings:
        """The readings of both profiles, or the error of the code that reads."""
        row = self.row
        try:
            return readings_of(row.task, row.dataset.sample(self.number), self.reply, row.solver, self.label)
        except Exception as error:  # noqa: BLE001 - a suite's code fails in every way there is
            words = f"error: {error_in_words(error, row.task, row.solver)}"
            return TwoReadings(Outcome.ERROR, None, words, (), None, words, ())


@dataclass(frozen=True)
class RecordedRun:
    """A saved run, which is read sample by sample."""

    opened: SavedRun
    restored: Callable[[Any], Any] = field(default=lambda value: value)
    """Applied to every record and call that is read, as JSON has it."""

    @cached_property
    def calls(self) -> RecordedCalls:
        """The positions of its calls."""
        return RecordedCalls(self.opened.path)

    def samples_of(self, state: RowState) -> Iterator[RecordedSample]:
        """Yield the samples of a row in the order of its data; those that were not asked yet are missing."""
        return (
            self.sample(state, number, offset) for number, offset in zip(state.row.numbers, state.places, strict=True)
        )

    def sample(self, state: RowState, number: int, offset: int) -> RecordedSample:
        """Return the sample of a row about an item of its data, whose record stands at a place or ``NOWHERE``."""
        row = state.row
        if offset != NOWHERE:
            return RecordedSample.of(self, row, number, self.restored(self.opened.samples.read(offset)))
        missing = row.scoring.judged(row.dataset.sample(number), None).judged
        return RecordedSample.of(self, row, number, record_of(row.cell, missing, Transcript(())), is_recorded=False)


@dataclass(frozen=True, repr=False)
class RecordedSample:
    """One item answered once by one subject in one way."""

    subject: str
    task: str
    solver: str
    style: str
    repeat: int
    shots: int | None
    """The axes of the plan, where it has several values of them; likewise prompts and seed."""
    prompts: str | None
    seed: int | None
    item_id: str
    cluster: str
    groups: Mapping[str, Sequence[str]]
    outcome: str
    """``answered``, ``unreadable``, ``empty``, ``truncated``, ``refused``, ``api_error``, ``error`` or ``missing``."""
    answer: Any
    """The strict reading of the reply."""
    scores: Mapping[str, Mapping[str, float | None] | None]
    """Profile, metric, value."""
    counts: Mapping[str, float]
    notes: tuple[str, ...]
    evidence: Any
    error: str | None
    usage: Mapping[str, float]
    run: RecordedRun = field(kw_only=True, compare=False)
    row: PlannedRow = field(kw_only=True, compare=False)
    number: int = field(kw_only=True, compare=False)
    """The place of its item in the data of the row."""
    record: Mapping[str, Any] = field(kw_only=True, compare=False)
    is_recorded: bool = field(kw_only=True, compare=False)
    """False if it was not asked yet, and its record is that of a missing sample."""

    @classmethod
    def of(
        cls, run: RecordedRun, row: PlannedRow, number: int, record: Mapping[str, Any], *, is_recorded: bool = True
    ) -> RecordedSample:
        """Return the sample that a record of a row is about."""
        return cls(
            **row.cell._asdict(),
            **{name: record[name] for name in RECORDED},
            scores=sample_value(record)["scores"],
            notes=tuple(record["notes"]),
            run=run,
            row=row,
            number=number,
            record=record,
            is_recorded=is_recorded,
        )

    @property
    def cell(self) -> Cell:
        """The row of the run that it is of."""
        return self.row.cell

    @cached_property
    def item(self) -> Any:  # noqa: ANN401
        """The item as its suite has it."""
        return self.row.dataset.sample(self.number)

    @property
    def number_in_data(self) -> int | None:
        """The place of its item in the whole data; None where the run does not keep it."""
        numbers = self.run.opened.prepared.numbers_in_data.get(self.task)
        return self.number if numbers is None else numbers.get(self.row.dataset.item_ids[self.number])

    @cached_property
    def key(self) -> str:
        """The right answer, in words."""
        value = self.row.task.view.value_of(self.item)
        return in_a_line(value) if isinstance(value, (str, list)) else self.row.task.view.reference(self.item)

    def read(self) -> RecordedSample:
        """Read its calls and score them now, while the run lies here; return the sample."""
        for call in self.calls:
            call.readings  # noqa: B018
        self.graphs, self.changed, self.present_verdicts  # noqa: B018
        return self

    def used(self, name: str) -> float | None:
        """Return a part of its usage; None unless every call reports it."""
        lacking = "unpriced" if name == "cost" else "untold" if name in TOKENS else ""
        return None if self.usage.get(lacking) else self.usage.get(name)

    # Calls

    @cached_property
    def lines(self) -> list[dict[str, Any]]:
        """Its lines in the file of calls."""
        recorded = self.run.calls.of(self.cell, self.row.dataset.item_ids[self.number])  # as recorded, not restored
        lines: list[dict[str, Any]] = self.run.restored(recorded)
        return lines

    @cached_property
    def calls(self) -> tuple[SampleCall, ...]:
        """All calls that were made about it, in order."""
        last = {(line["label"], line["draw"]): offset for offset, line in enumerate(self.lines)}
        return tuple(
            SampleCall(
                label=line["label"],
                draw=line["draw"],
                prompt=tuple(map(Message.of, self.run.calls.messages(line.get("prompt", "")))),
                reply=reply_from(line["reply"]),
                prompt_hash=line.get("prompt", ""),
                made_again=last[line["label"], line["draw"]] != offset,
                row=self.row,
                number=self.number,
            )
            for offset, line in enumerate(self.lines)
        )

    @property
    def prompt(self) -> tuple[Message, ...]:
        """The messages of the first call; none if no model was asked."""
        return next((call.prompt for call in self.calls), ())

    @property
    def reply(self) -> str | None:
        """The text of the last call; None where there is none."""
        return next((call.reply.text for call in reversed(self.calls)), None)

    def texts(self) -> Iterator[str]:
        """Yield what can be searched of it: the reason, its prompts and replies."""
        yield self.reason
        for call in self.calls:
            yield from (message.content for message in call.prompt)
            yield call.reply.text or ""

    # Its record: whether it is right, and why not

    @cached_property
    def metric(self) -> str:
        """The metric that its row is compared by."""
        return comparison_metric(self.row.task.card.metrics)

    def value(self, profile: str = "strict") -> float | None:
        """Return the recorded value of its metric."""
        return (self.scores.get(profile) or {}).get(self.metric)

    @property
    def full_marks(self) -> float | None:
        """The best value of its metric; None for an amount."""
        metric = self.row.task.metrics.get(self.metric)
        return None if metric is None or not metric.is_share else float(metric.more_is_better)

    @cached_property
    def faults(self) -> tuple[str, ...]:
        """The missing, extra and wrong parts of its answer, as its task names them."""
        return self.row.task.view.faults_of(self.record)

    @cached_property
    def verdicts(self) -> tuple[QuestionVerdict, ...]:
        """The recorded verdicts on its questions, where its task has several."""
        verdicts = self.row.task.view.verdicts
        return () if verdicts is right_in_full else tuple(verdicts(self.record, self.item, self.metric))

    @cached_property
    def is_wrong(self) -> bool:
        """True if a verdict on it failed, its strict value is below full marks, or there is no answer."""
        value, full_marks = self.value(), self.full_marks
        is_below = None not in (value, full_marks) and value != full_marks
        return self.outcome != Outcome.ANSWERED or is_below or not all(verdict.right for verdict in self.verdicts)

    @cached_property
    def reason(self) -> str:
        """The reason why it is not fully right, in a few words: its error, its notes, its failed verdicts and the first
        of its faults, or else its value; empty if it is right."""
        if self.error:
            return self.error
        if self.notes and self.outcome != Outcome.ANSWERED:
            return "; ".join(self.notes)
        failed, value = failures(self.verdicts), self.value()
        if not self.is_wrong or (value is None and not failed):
            return ""
        more = f"and {len(self.faults) - MOST_FAULTS} more" if len(self.faults) > MOST_FAULTS else ""
        faults = [part for part in (failed, *self.faults[:MOST_FAULTS], more) if part]
        figure = f"{self.metric} {percent(value, is_share=self.full_marks is not None)}"
        return "; ".join([*(faults or [figure]), *self.notes])

    def score_reason(self, profile: str, metric: str) -> str:
        """Return the reason for a score: the recorded one, else that of the present readers if they score the same."""
        if recorded := self.record["why"].get(f"{profile}.{metric}"):
            return str(recorded)
        score = self.judged.scores.get(profile, {}).get(metric)
        total, weight = self.record["parts"][profile][metric]
        return score.reason if score is not None and (score.sum, score.weight) == (total, weight) else ""

    # By the present readers

    @cached_property
    def transcript(self) -> Transcript | None:
        """All calls; None if there are none."""
        return transcript_of(iter(self.lines)) if self.lines else None

    @cached_property
    def lacking(self) -> str:
        """The reason why its calls are not complete; else empty."""
        return "" if self.transcript is None else self.row.solver.unfinished(self.transcript)

    @property
    def ended_in_error(self) -> bool:
        """True if its record says that it ended in an exception, and its calls are not complete."""
        has_failed = self.is_recorded and self.outcome == Outcome.ERROR
        return has_failed and (self.transcript is None or bool(self.lacking))

    @cached_property
    def judged(self) -> Judged:
        """Its scores, with reasons and evidence."""
        if self.ended_in_error:
            return self.row.scoring.failed(self.item, self.record["error"]).judged
        return self.row.scoring.judged(self.item, None if self.lacking else self.transcript).judged

    @cached_property
    def _present_record(self) -> Mapping[str, Any]:
        if self.transcript is None or self.ended_in_error:
            return self.record
        return record_of(self.cell, self.judged, self.transcript)

    @cached_property
    def present_verdicts(self) -> tuple[QuestionVerdict, ...]:
        """The verdict on each of its questions; none if it has no record."""
        verdicts = self.row.task.view.verdicts
        return tuple(verdicts(self._present_record, self.item, self.metric)) if self.is_recorded else ()

    @cached_property
    def changed(self) -> str:
        """The differences between the present scores and those on record; else empty."""
        if not self.is_recorded:
            return ""
        outcome, changes = self._present_record["outcome"], list[str]()
        if outcome != self.outcome:
            changes.append(f"the record says {self.outcome}, today's reader {outcome}")
        recorded = scores_of(self.record)
        for profile, scores in scores_of(self._present_record).items():
            for name, score in scores.items():
                old = recorded.get(profile, {}).get(name)
                if old is not None and (old.sum, old.weight) != (score.sum, score.weight):
                    was, now = ("none" if value is None else f"{value:.3f}" for value in (old.value, score.value))
                    changes.append(f"{profile} {name} was {was}, is {now}")
        return "; ".join(changes)

    @cached_property
    def is_counted(self) -> bool:
        """True if the item is one of those chosen for the run, so that its scores count."""
        return self.number in self.row.numbers

    @property
    def unasked(self) -> str:
        """The reason for missing calls; else empty."""
        if self.ended_in_error:
            return ""
        if self.lacking:
            return f"{self.lacking}: the run was stopped here"
        if self.lines:
            return ""
        if self.is_counted:
            return "not asked yet; it counts as missing until the same command goes on"
        return "in the data, but not among the items chosen for this run (--limit or --ids): never asked"

    # What is shown of it

    @property
    def unpublished(self) -> str:
        """The reason for missing official scores; else empty."""
        return self.row.solver.unpublished

    @cached_property
    def graphs(self) -> tuple[GraphDifference, ...]:
        """The graphs of the reference beside those of the answer."""
        graphs = self.row.task.view.graphs(self.item, self.judged)
        return () if graphs is None else tuple(differences(graphs))

    @cached_property
    def panels(self) -> tuple[Panel, ...]:
        """The panels of its suite."""
        plan = self.run.opened.prepared.plan
        folder = next((folder for folder in plan.folders if folder.name == self.subject), None)
        return tuple(panels_of(SampleView(self.row.task, self.item, self.judged, self.transcript, folder, plan.assets)))

    @property
    def trace(self) -> tuple[str, ...]:
        """The lines of the strict verdict, where the suite gives them."""
        return self.row.task.view.trace(self.judged) if self.is_counted else ()

    @property
    def drawn(self) -> tuple[Panel, ...]:
        """The panels of the answer, but for those whose content stands in ``graphs`` or ``trace``."""
        graphs, trace = {"pairs": [difference_value(graph) for graph in self.graphs]}, self.trace
        panels = [panel for panel in self.panels if panel.value != graphs and not is_context(panel)]
        return tuple(panel for panel in panels if not (trace and panel.kind == "formula")) if self.is_counted else ()

    @property
    def context(self) -> tuple[Panel, ...]:
        """The panels of graphs without references, which were given or asked about."""
        return tuple(filter(is_context, self.panels)) if self.is_counted else ()

    @property
    def headline(self) -> str:
        """The number of its failed verdicts, if any, and its metric in both profiles."""
        values = [f"{name} {self.figure(name, self.metric)}" for name in PROFILES]
        known = [value for value in values if not value.endswith(f" {NOTHING}")]
        failed = failures(self.present_verdicts)
        return "; ".join(filter(None, [failed, f"{self.metric} {', '.join(known)}" if known else ""]))

    def figure(self, profile: str, name: str) -> str:
        """Return a score as text: a share in percent, an amount as a number."""
        score, metric = self.judged.scores.get(profile, {}).get(name), self.row.task.metrics.get(name)
        return NOTHING if score is None else percent(score.value, is_share=metric is None or metric.is_share)


def is_context(panel: Panel) -> bool:
    """Return whether a panel shows graphs without references."""
    return panel.kind == "graphs" and all(pair["matched"] is None for pair in panel.value["pairs"])


def failures(verdicts: Sequence[QuestionVerdict]) -> str:
    """Return how many of several verdicts failed, or could not be given; empty if all are right.

    >>> right, wrong = QuestionVerdict("0", True, "met"), QuestionVerdict("1", False, "unmet")
    >>> unknown = QuestionVerdict("2", False)
    >>> failures([right, wrong, unknown]), failures([right, unknown]), failures([wrong])
    ('1 of 3 failed, 1 undecided', '1 of 2 undecided', '')
    """
    failed = sum(not verdict.right and verdict.label is not None for verdict in verdicts)
    undecided = sum(not verdict.right and verdict.label is None for verdict in verdicts)
    if len(verdicts) < 2 or not failed + undecided:
        return ""
    if not failed:
        return f"{undecided} of {len(verdicts)} undecided"
    return f"{failed} of {len(verdicts)} failed" + (f", {undecided} undecided" if undecided else "")


def in_a_line(value: Any) -> str:  # noqa: ANN401  (an answer, as JSON has it)
    """Return an answer in one line: a text as it is, triplets as arrows, anything else as JSON.

    >>> in_a_line("cup"), in_a_line([[["person", "verb", "wash"], ["wash", "dobj", "cup"]]]), in_a_line({"a": 1})
    ('cup', 'person -> verb -> wash; wash -> dobj -> cup', '{"a": 1}')
    """
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if _is_triplet(value):
        return " -> ".join(value)
    if isinstance(value, list) and value and all(isinstance(part, list) for part in value):
        between = "; " if all(map(_is_triplet, value)) else " | "
        return between.join(map(in_a_line, value))
    return json.dumps(value, ensure_ascii=False)


def _is_triplet(value: Any) -> bool:  # noqa: ANN401
    return isinstance(value, list) and len(value) == 3 and all(isinstance(part, str) for part in value)
