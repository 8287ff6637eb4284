"""Columns of the three tables of a run: samples, calls and scores, with their types and meanings.

Values that are no text, number or truth are JSON. A value that is unknown, or does not apply, is null.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from tsgkit.report.explanation import Called
from tsgkit.report.exports.recorded_run import RecordedSample, whole
from tsgkit.report.sample_facts import known_usage
from tsgkit.suites.metrics import PROFILES


class Kind(StrEnum):
    """The type of a column."""

    TEXT = "text"
    WHOLE = "whole number"
    NUMBER = "number"
    TRUTH = "true or false"
    JSON = "JSON"


@dataclass(frozen=True)
class Line:
    """A line of one of the tables: a sample, with one of its calls or scores in theirs."""

    of: RecordedSample
    place: int = 0
    """The place of the call among those of the sample."""
    call: Called | None = None
    profile: str = ""
    metric: str = ""

    @property
    def called(self) -> Called:
        """The call, in a line about one."""
        assert self.call is not None  # noqa: S101  (the table of calls alone asks)
        return self.call

    @property
    def part(self) -> tuple[float, float]:
        """The recorded sum and weight of the score, in a line about one."""
        total, weight = self.of.record["parts"][self.profile][self.metric]
        return total, weight


@dataclass(frozen=True)
class Column:
    """A column of a table."""

    name: str
    kind: Kind
    meaning: str
    value: Callable[[Line], Any]


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _text(value: object) -> str | None:
    """Return an answer as it stands if it is text, else as JSON."""
    return value if isinstance(value, str | None) else _json(value)


def _axis(line: Line, name: str) -> Any:  # noqa: ANN401  (a number or a name)
    return line.of.row.values(line.of.run.opened.prepared.plan).get(name)


def _used(name: str) -> Callable[[Line], float | None]:
    return lambda line: known_usage(line.of.record["usage"], name)


def _told(name: str) -> Callable[[Line], Any]:
    return lambda line: getattr(line.called.reply, name)


def _spent(name: str) -> Callable[[Line], Any]:
    return lambda line: getattr(line.called.reply.usage, name)


ROW = (
    Column(
        "run", Kind.TEXT, "the identity of the run, the hash in its folder's name", lambda line: line.of.run.identity
    ),
    Column(
        "subject", Kind.TEXT, "the model, baseline or folder that is evaluated", lambda line: line.of.row.cell.subject
    ),
    Column("task", Kind.TEXT, "the task, with its suite", lambda line: line.of.row.cell.task),
    Column(
        "judge",
        Kind.TEXT,
        "who looks at images or scenes, or rates answers; null where replies are scored",
        lambda line: line.of.row.judge,
    ),
    Column("solver", Kind.TEXT, "the way of asking, or the protocol of a judge", lambda line: line.of.row.cell.solver),
    Column(
        "style", Kind.TEXT, "the style of the prompts; empty where there is none", lambda line: line.of.row.cell.style
    ),
    Column("repeat", Kind.WHOLE, "the number of the repeat, from 0", lambda line: line.of.row.cell.repeat),
    Column(
        "shots",
        Kind.WHOLE,
        "worked examples; null where the row does not depend on them",
        lambda line: _axis(line, "shots"),
    ),
    Column(
        "prompts",
        Kind.TEXT,
        "the folder of prompts; null where the row does not depend on it",
        lambda line: _axis(line, "prompts"),
    ),
    Column("seed", Kind.WHOLE, "the seed; null where the row does not depend on it", lambda line: _axis(line, "seed")),
    Column("item_id", Kind.TEXT, "the id of the item", lambda line: line.of.item_id),
)
"""The first columns of every table: together they name a sample."""
SAMPLES = (
    *ROW,
    Column(
        "number",
        Kind.WHOLE,
        "the place of the item in the data, from 0; null where the run does not keep it",
        lambda line: line.of.number,
    ),
    Column("cluster", Kind.TEXT, "samples of one cluster are not independent", lambda line: line.of.record["cluster"]),
    Column(
        "groups",
        Kind.JSON,
        "the members of each group: an object of lists",
        lambda line: _json(line.of.record["groups"]),
    ),
    Column(
        "outcome",
        Kind.TEXT,
        "answered, unreadable, empty, truncated, refused, missing, api_error or error",
        lambda line: line.of.record["outcome"],
    ),
    Column(
        "wrong",
        Kind.TRUTH,
        "true if the sample has no answer, or is not fully right in `metric` or on one of its questions",
        lambda line: line.of.facts.is_wrong,
    ),
    Column(
        "metric", Kind.TEXT, "the metric that samples of the task are compared by", lambda line: line.of.facts.metric
    ),
    Column("value", Kind.NUMBER, "its strict value", lambda line: line.of.facts.value),
    Column(
        "answer",
        Kind.TEXT,
        "what was read from the reply; JSON unless it is text",
        lambda line: _text(line.of.record["answer"]),
    ),
    Column("key", Kind.TEXT, "the right answer, in words", lambda line: line.of.key),
    Column(
        "reason", Kind.TEXT, "why it is not fully right, in a few words; else empty", lambda line: line.of.facts.reason
    ),
    Column("error", Kind.TEXT, "the error that it ended with", lambda line: line.of.record["error"]),
    Column(
        "notes", Kind.JSON, "notes of reader and scorer: a list of texts", lambda line: _json(line.of.record["notes"])
    ),
    Column(
        "counts",
        Kind.JSON,
        "what the sample adds to the counts: an object of numbers",
        lambda line: _json(line.of.record["counts"]),
    ),
    Column(
        "evidence",
        Kind.JSON,
        "the evidence for the scores, as the suite has it",
        lambda line: _json(line.of.record["evidence"]),
    ),
    Column("calls", Kind.WHOLE, "calls of a model, answers from the cache included", _used("calls")),
    Column("requests", Kind.WHOLE, "requests that were sent for them", _used("requests")),
    Column("prompt_tokens", Kind.WHOLE, "input tokens; null unless every call reports them", _used("prompt")),
    Column("completion_tokens", Kind.WHOLE, "output tokens, reasoning included", _used("completion")),
    Column("reasoning_tokens", Kind.WHOLE, "output tokens of reasoning", _used("reasoning")),
    Column("cached_tokens", Kind.WHOLE, "input tokens from the service's prompt cache", _used("cached")),
    Column("cost", Kind.NUMBER, "dollars; null unless every call has a price", _used("cost")),
    Column("seconds", Kind.NUMBER, "seconds that the calls took", _used("seconds")),
)
CALLS = (
    *ROW,
    Column("place", Kind.WHOLE, "the place of the call among those of the sample, from 0", lambda line: line.place),
    Column("label", Kind.TEXT, "what the call is for; `local` if no model was asked", lambda line: line.called.label),
    Column("draw", Kind.WHOLE, "the number of the draw of one prompt, from 0", lambda line: line.called.draw),
    Column("made_again", Kind.TRUTH, "true if a later call replaced it", lambda line: line.called.made_again),
    Column(
        "prompt_hash",
        Kind.TEXT,
        "the hash of its messages; null if no model was asked",
        lambda line: line.called.prompt_hash or None,
    ),
    Column(
        "messages",
        Kind.JSON,
        "its messages: a list of objects with role and content; images are named",
        lambda line: _messages(line.called),
    ),
    Column("reply", Kind.TEXT, "the text that came back", _told("text")),
    Column(
        "ending",
        Kind.TEXT,
        "complete, empty, truncated, refused, api_error or missing",
        lambda line: str(line.called.reply.ending),
    ),
    Column("finish_reason", Kind.TEXT, "the reason for the end, as the service names it", _told("finish_reason")),
    Column("refusal", Kind.TEXT, "the refusal, where the service has a field for it", _told("refusal")),
    Column("error", Kind.TEXT, "the error of the service, after retries", _told("error")),
    Column("model", Kind.TEXT, "the model that the service says has answered", _told("model")),
    Column("source", Kind.TEXT, "model, cache, script, or local if no model was asked", _told("source")),
    Column("status", Kind.WHOLE, "the status of HTTP, of a failure", _told("status")),
    Column("requests", Kind.WHOLE, "requests that were sent, those refused with 429 not counted", _told("requests")),
    Column(
        "seconds",
        Kind.NUMBER,
        "seconds of its requests and retries, not of its wait for a turn",
        _told("seconds"),
    ),
    Column("prompt_tokens", Kind.WHOLE, "input tokens, as the service reports them", _spent("prompt")),
    Column("completion_tokens", Kind.WHOLE, "output tokens, reasoning included", _spent("completion")),
    Column("reasoning_tokens", Kind.WHOLE, "output tokens of reasoning", _spent("reasoning")),
    Column("cached_tokens", Kind.WHOLE, "input tokens from the service's prompt cache", _spent("cached")),
    Column("cost", Kind.NUMBER, "dollars, of an answer from the cache those that it once cost", _spent("cost")),
)
SCORES = (
    *ROW,
    Column("profile", Kind.TEXT, "strict or official", lambda line: line.profile),
    Column("metric", Kind.TEXT, "the metric", lambda line: line.metric),
    Column(
        "value",
        Kind.NUMBER,
        "sum / weight; null without weight",
        lambda line: line.part[0] / line.part[1] if line.part[1] else None,
    ),
    Column("sum", Kind.NUMBER, "what the sample adds to the sum of the metric", lambda line: float(line.part[0])),
    Column(
        "weight",
        Kind.NUMBER,
        "what it adds to the weight; 0 means that it does not count",
        lambda line: float(line.part[1]),
    ),
    Column(
        "reason",
        Kind.TEXT,
        "the reason for the score; empty if today's readers would score differently",
        lambda line: line.of.reason(line.profile, line.metric),
    ),
)
TABLES = {"samples": SAMPLES, "calls": CALLS, "scores": SCORES}
"""The columns of each table."""


def lines_of(table: str, sample: RecordedSample) -> Iterator[Line]:
    """Yield the lines of a sample in one of the tables."""
    if table == "calls":
        yield from (Line(sample, place, call) for place, call in enumerate(sample.calls))
    elif table == "scores":
        for profile in PROFILES:
            for metric in sample.record["parts"].get(profile, {}):
                yield Line(sample, profile=profile, metric=metric)
    else:
        yield Line(sample)


def values_of(table: str, sample: RecordedSample) -> Iterator[dict[str, Any]]:
    """Yield the lines of a sample in one of the tables, as values by column."""
    for line in lines_of(table, sample):
        yield {column.name: whole(column.value(line)) for column in TABLES[table]}


def _messages(call: Called) -> str:
    return _json([{"role": one.role, "content": one.content} for one in call.prompt])
