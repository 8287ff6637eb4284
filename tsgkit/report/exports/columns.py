"""Columns of the three tables of a run: samples, calls and scores, with their types, meanings and values.

Values that are no text, number or truth are JSON. A value that is unknown, or does not apply, is null.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from enum import StrEnum
from typing import Any, NamedTuple

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


class Column(NamedTuple):
    """A column of a table."""

    name: str
    kind: Kind
    meaning: str


ROW = (
    Column("run", Kind.TEXT, "the identity of the run, the hash in its folder's name"),
    Column("subject", Kind.TEXT, "the model, baseline or folder that is evaluated"),
    Column("task", Kind.TEXT, "the task, with its suite"),
    Column("judge", Kind.TEXT, "who looks at images or scenes, or rates answers; null where replies are scored"),
    Column("solver", Kind.TEXT, "the way of asking, or the protocol of a judge"),
    Column("style", Kind.TEXT, "the style of the prompts; empty where there is none"),
    Column("repeat", Kind.WHOLE, "the number of the repeat, from 0"),
    Column("shots", Kind.WHOLE, "worked examples; null where the row does not depend on them"),
    Column("prompts", Kind.TEXT, "the folder of prompts; null where the row does not depend on it"),
    Column("seed", Kind.WHOLE, "the seed; null where the row does not depend on it"),
    Column("item_id", Kind.TEXT, "the id of the item"),
)
"""The first columns of every table: together they name a sample."""
SAMPLES = (
    *ROW,
    Column("number", Kind.WHOLE, "the place of the item in the data, from 0; null where the run does not keep it"),
    Column("cluster", Kind.TEXT, "samples of one cluster are not independent"),
    Column("groups", Kind.JSON, "the members of each group: an object of lists"),
    Column("outcome", Kind.TEXT, "answered, unreadable, empty, truncated, refused, missing, api_error or error"),
    Column(
        "wrong",
        Kind.TRUTH,
        "true if the sample has no answer, or is not fully right in `metric` or on one of its questions",
    ),
    Column("metric", Kind.TEXT, "the metric that samples of the task are compared by"),
    Column("value", Kind.NUMBER, "its strict value"),
    Column("answer", Kind.TEXT, "what was read from the reply; JSON unless it is text"),
    Column("key", Kind.TEXT, "the right answer, in words"),
    Column("reason", Kind.TEXT, "why it is not fully right, in a few words; else empty"),
    Column("error", Kind.TEXT, "the error that it ended with"),
    Column("notes", Kind.JSON, "notes of reader and scorer: a list of texts"),
    Column("counts", Kind.JSON, "what the sample adds to the counts: an object of numbers"),
    Column("evidence", Kind.JSON, "the evidence for the scores, as the suite has it"),
    Column("calls", Kind.WHOLE, "calls of a model, answers from the cache included"),
    Column("requests", Kind.WHOLE, "requests that were sent for them"),
    Column("prompt_tokens", Kind.WHOLE, "input tokens; null unless every call reports them"),
    Column("completion_tokens", Kind.WHOLE, "output tokens, reasoning included"),
    Column("reasoning_tokens", Kind.WHOLE, "output tokens of reasoning"),
    Column("cached_tokens", Kind.WHOLE, "input tokens from the service's prompt cache"),
    Column("cost", Kind.NUMBER, "dollars; null unless every call has a price"),
    Column("seconds", Kind.NUMBER, "seconds that the calls took"),
)
CALLS = (
    *ROW,
    Column("place", Kind.WHOLE, "the place of the call among those of the sample, from 0"),
    Column("label", Kind.TEXT, "what the call is for; `local` if no model was asked"),
    Column("draw", Kind.WHOLE, "the number of the draw of one prompt, from 0"),
    Column("made_again", Kind.TRUTH, "true if a later call replaced it"),
    Column("prompt_hash", Kind.TEXT, "the hash of its messages; null if no model was asked"),
    Column("messages", Kind.JSON, "its messages: a list of objects with role and content; images are named"),
    Column("reply", Kind.TEXT, "the text that came back"),
    Column("ending", Kind.TEXT, "complete, empty, truncated, refused, api_error or missing"),
    Column("finish_reason", Kind.TEXT, "the reason for the end, as the service names it"),
    Column("refusal", Kind.TEXT, "the refusal, where the service has a field for it"),
    Column("error", Kind.TEXT, "the error of the service, after retries"),
    Column("model", Kind.TEXT, "the model that the service says has answered"),
    Column("source", Kind.TEXT, "model, cache, script, or local if no model was asked"),
    Column("status", Kind.WHOLE, "the status of HTTP, of a failure"),
    Column("requests", Kind.WHOLE, "requests that were sent, those refused with 429 not counted"),
    Column("seconds", Kind.NUMBER, "seconds of its requests and retries, not of its wait for a turn"),
    Column("prompt_tokens", Kind.WHOLE, "input tokens, as the service reports them"),
    Column("completion_tokens", Kind.WHOLE, "output tokens, reasoning included"),
    Column("reasoning_tokens", Kind.WHOLE, "output tokens of reasoning"),
    Column("cached_tokens", Kind.WHOLE, "input tokens from the service's prompt cache"),
    Column("cost", Kind.NUMBER, "dollars, of an answer from the cache those that it once cost"),
)
SCORES = (
    *ROW,
    Column("profile", Kind.TEXT, "strict or official"),
    Column("metric", Kind.TEXT, "the metric"),
    Column("value", Kind.NUMBER, "sum / weight; null without weight"),
    Column("sum", Kind.NUMBER, "what the sample adds to the sum of the metric"),
    Column("weight", Kind.NUMBER, "what it adds to the weight; 0 means that it does not count"),
    Column("reason", Kind.TEXT, "the reason for the score; empty if today's readers would score differently"),
)
TOKENS = ("prompt", "completion", "reasoning", "cached")
"""The kinds of tokens, each in its own column."""
TABLES = {"samples": SAMPLES, "calls": CALLS, "scores": SCORES}
"""The columns of each table."""


def values_of(sample: RecordedSample) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the lines of a sample as values by column, each with the name of its table."""
    row = _row_values(sample)
    values = {
        "samples": [_sample_values(sample)],
        "calls": _call_values(sample),
        "scores": _score_values(sample),
    }
    for table, lines in values.items():
        for line in lines:
            yield table, {column.name: whole((row | line)[column.name]) for column in TABLES[table]}


def _row_values(sample: RecordedSample) -> dict[str, Any]:
    row, cell = sample.row, sample.row.cell
    axes = row.values(sample.run.opened.prepared.plan)
    return {
        "run": sample.run.identity,
        **{name: getattr(cell, name) for name in ("subject", "task", "solver", "style", "repeat")},
        "judge": row.judge,
        **{name: axes.get(name) for name in ("shots", "prompts", "seed")},
        "item_id": sample.item_id,
    }


def _sample_values(sample: RecordedSample) -> dict[str, Any]:
    record, facts = sample.record, sample.facts
    answer = record["answer"]
    return {
        "number": sample.number,
        **{name: record[name] for name in ("cluster", "outcome", "error")},
        **{name: _json(record[name]) for name in ("groups", "notes", "counts", "evidence")},
        "wrong": facts.is_wrong,
        "metric": facts.metric,
        "value": facts.value,
        "answer": answer if isinstance(answer, str | None) else _json(answer),
        "key": sample.key,
        "reason": facts.reason,
        **{name: known_usage(record["usage"], name) for name in ("calls", "requests", "cost", "seconds")},
        **{f"{name}_tokens": known_usage(record["usage"], name) for name in TOKENS},
    }


def _call_values(sample: RecordedSample) -> Iterator[dict[str, Any]]:
    for place, call in enumerate(sample.calls):
        reply, usage = call.reply, call.reply.usage
        yield {
            "place": place,
            **{name: getattr(call, name) for name in ("label", "draw", "made_again")},
            "prompt_hash": call.prompt_hash or None,
            "messages": _json(call.messages),
            "reply": reply.text,
            "ending": str(reply.ending),
            **{name: getattr(reply, name) for name in ("finish_reason", "refusal", "error", "model", "source")},
            **{name: getattr(reply, name) for name in ("status", "requests", "seconds")},
            **{f"{name}_tokens": getattr(usage, name) for name in TOKENS},
            "cost": usage.cost,
        }


def _score_values(sample: RecordedSample) -> Iterator[dict[str, Any]]:
    for profile in PROFILES:
        for metric, (total, weight) in sample.record["parts"].get(profile, {}).items():
            yield {
                "profile": profile,
                "metric": metric,
                "value": total / weight if weight else None,
                "sum": float(total),
                "weight": float(weight),
                "reason": sample.reason(profile, metric),
            }


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
