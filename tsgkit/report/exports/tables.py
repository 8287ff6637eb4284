"""Tables of a run, samples, calls and scores: their columns with types and meanings, written as Parquet or CSV.

Values that are no text, number or truth are JSON. A value that is unknown, or does not apply, is null. Parquet is three
typed files, written in groups of rows so that memory does not grow; it needs the extra ``parquet``, and pyarrow is
imported here alone, when a table is written. In CSV no cell is a formula, and control characters are escapes.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from enum import StrEnum
from pathlib import Path
from typing import Any, NamedTuple

from tsgkit.errors import UsageError
from tsgkit.report.exports.exported_run import ExportedRun, whole
from tsgkit.report.recorded_sample import TOKENS, RecordedSample
from tsgkit.report.spreadsheet import cell
from tsgkit.suites.metrics import PROFILES
from tsgkit.version import __version__

PARQUET, CSV = ".parquet", ".csv"
GROUP_ROWS = 5_000
GROUP_LETTERS = 1 << 23
"""Rows, and characters of text, of one group of rows at most."""
LEAST, MOST = -(1 << 63), (1 << 63) - 1
"""The least and the greatest whole number that a column holds."""


class DataType(StrEnum):
    """The type of a column."""

    TEXT = "text"
    WHOLE = "whole number"
    NUMBER = "number"
    TRUTH = "true or false"
    JSON = "JSON"


class Column(NamedTuple):
    """A column of a table."""

    name: str
    kind: DataType
    meaning: str


ROW = (
    Column("run", DataType.TEXT, "the identity of the run, the hash in its folder's name"),
    Column("subject", DataType.TEXT, "the model, baseline or folder that is evaluated"),
    Column("task", DataType.TEXT, "the task, with its suite"),
    Column("judge", DataType.TEXT, "who looks at images or scenes, or rates answers; null where replies are scored"),
    Column("solver", DataType.TEXT, "the way of asking, or the protocol of a judge"),
    Column("style", DataType.TEXT, "the style of the prompts; empty where there is none"),
    Column("repeat", DataType.WHOLE, "the number of the repeat, from 0"),
    Column("shots", DataType.WHOLE, "worked examples; null where the row does not depend on them"),
    Column("prompts", DataType.TEXT, "the folder of prompts; null where the row does not depend on it"),
    Column("seed", DataType.WHOLE, "the seed; null where the row does not depend on it"),
    Column("item_id", DataType.TEXT, "the id of the item"),
)
"""The first columns of every table: together they name a sample."""
SAMPLES = (
    *ROW,
    Column("number", DataType.WHOLE, "the place of the item in the data, from 0; null where the run does not keep it"),
    Column("cluster", DataType.TEXT, "samples of one cluster are not independent"),
    Column("groups", DataType.JSON, "the members of each group: an object of lists"),
    Column("outcome", DataType.TEXT, "answered, unreadable, empty, truncated, refused, missing, api_error or error"),
    Column(
        "wrong",
        DataType.TRUTH,
        "true if the sample has no answer, or is not fully right in `metric` or on one of its questions",
    ),
    Column("metric", DataType.TEXT, "the metric that samples of the task are compared by"),
    Column("value", DataType.NUMBER, "its strict value"),
    Column("answer", DataType.TEXT, "what was read from the reply; JSON unless it is text"),
    Column("key", DataType.TEXT, "the right answer, in words"),
    Column("reason", DataType.TEXT, "why it is not fully right, in a few words; else empty"),
    Column("error", DataType.TEXT, "the error that it ended with"),
    Column("notes", DataType.JSON, "notes of reader and scorer: a list of texts"),
    Column("counts", DataType.JSON, "what the sample adds to the counts: an object of numbers"),
    Column("evidence", DataType.JSON, "the evidence for the scores, as the suite has it"),
    Column("calls", DataType.WHOLE, "calls of a model, answers from the cache included"),
    Column("requests", DataType.WHOLE, "requests that were sent for them"),
    Column("prompt_tokens", DataType.WHOLE, "input tokens; null unless every call reports them"),
    Column("completion_tokens", DataType.WHOLE, "output tokens, reasoning included"),
    Column("reasoning_tokens", DataType.WHOLE, "output tokens of reasoning"),
    Column("cached_tokens", DataType.WHOLE, "input tokens from the service's prompt cache"),
    Column("cost", DataType.NUMBER, "dollars; null unless every call has a price"),
    Column("seconds", DataType.NUMBER, "seconds that the calls took"),
)
CALLS = (
    *ROW,
    Column("place", DataType.WHOLE, "the place of the call among those of the sample, from 0"),
    Column("label", DataType.TEXT, "what the call is for; `local` if no model was asked"),
    Column("draw", DataType.WHOLE, "the number of the draw of one prompt, from 0"),
    Column("made_again", DataType.TRUTH, "true if a later call replaced it"),
    Column("prompt_hash", DataType.TEXT, "the hash of its messages; null if no model was asked"),
    Column("messages", DataType.JSON, "its messages: a list of objects with role and content; images are named"),
    Column("reply", DataType.TEXT, "the text that came back"),
    Column("ending", DataType.TEXT, "complete, empty, truncated, refused, api_error or missing"),
    Column("finish_reason", DataType.TEXT, "the reason for the end, as the service names it"),
    Column("refusal", DataType.TEXT, "the refusal, where the service has a field for it"),
    Column("error", DataType.TEXT, "the error of the service, after retries"),
    Column("model", DataType.TEXT, "the model that the service says has answered"),
    Column("source", DataType.TEXT, "model, cache, script, or local if no model was asked"),
    Column("status", DataType.WHOLE, "the status of HTTP, of a failure"),
    Column("requests", DataType.WHOLE, "requests that were sent, those refused with 429 not counted"),
    Column("seconds", DataType.NUMBER, "seconds of its requests and retries, not of its wait for a turn"),
    Column("prompt_tokens", DataType.WHOLE, "input tokens, as the service reports them"),
    Column("completion_tokens", DataType.WHOLE, "output tokens, reasoning included"),
    Column("reasoning_tokens", DataType.WHOLE, "output tokens of reasoning"),
    Column("cached_tokens", DataType.WHOLE, "input tokens from the service's prompt cache"),
    Column("cost", DataType.NUMBER, "dollars, of an answer from the cache those that it once cost"),
)
SCORES = (
    *ROW,
    Column("profile", DataType.TEXT, "strict or official"),
    Column("metric", DataType.TEXT, "the metric"),
    Column("value", DataType.NUMBER, "sum / weight; null without weight"),
    Column("sum", DataType.NUMBER, "what the sample adds to the sum of the metric"),
    Column("weight", DataType.NUMBER, "what it adds to the weight; 0 means that it does not count"),
    Column("reason", DataType.TEXT, "the reason for the score; empty if today's readers would score differently"),
)
TABLES = {"samples": SAMPLES, "calls": CALLS, "scores": SCORES}
"""The columns of each table."""


def values_of(sample: RecordedSample) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the lines of a sample as values by column, each with the name of its table."""
    opened, cell, record = sample.run.opened, sample.cell, sample.record
    axes = sample.row.values(opened.prepared.plan)
    row = {
        "run": opened.header["identity"],
        **{name: getattr(cell, name) for name in ("subject", "task", "solver", "style", "repeat")},
        "judge": sample.row.judge,
        **{name: axes.get(name) for name in ("shots", "prompts", "seed")},
        "item_id": sample.item_id,
    }
    of_sample = {
        "number": sample.number_in_data,
        **{name: record[name] for name in ("cluster", "outcome", "error")},
        **{name: _json(record[name]) for name in ("groups", "notes", "counts", "evidence")},
        "wrong": sample.is_wrong,
        "metric": sample.metric,
        "value": sample.value(),
        "answer": sample.answer if isinstance(sample.answer, str | None) else _json(sample.answer),
        "key": sample.key,
        "reason": sample.reason,
        **{name: sample.used(name) for name in ("calls", "requests", "cost", "seconds")},
        **{f"{name}_tokens": sample.used(name) for name in TOKENS},
    }
    lines = [("samples", of_sample)]
    for position, call in enumerate(sample.calls):
        reply, usage = call.reply, call.reply.usage
        of_call = {
            "place": position,
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
        lines.append(("calls", of_call))
    for profile in PROFILES:
        for metric, (total, weight) in record["parts"].get(profile, {}).items():
            value, reason = total / weight if weight else None, sample.score_reason(profile, metric)
            parts = {"value": value, "sum": float(total), "weight": float(weight), "reason": reason}
            lines.append(("scores", {"profile": profile, "metric": metric, **parts}))
    for table, line in lines:
        yield table, {column.name: whole((row | line)[column.name]) for column in TABLES[table]}


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def write_csv(run: ExportedRun, folder: Path) -> None:
    """Write the tables as CSV in one pass over the samples."""
    with ExitStack() as files:
        writers = {}
        for table, columns in TABLES.items():
            file = files.enter_context((folder / f"{table}{CSV}").open("w", encoding="utf-8", newline=""))
            writers[table] = csv.DictWriter(file, [column.name for column in columns], lineterminator="\r\n")
            writers[table].writeheader()
        for sample in run.samples():
            for table, line in values_of(sample):
                cells = {
                    name: str(value).lower() if isinstance(value, bool) else cell(value) for name, value in line.items()
                }
                writers[table].writerow(cells)


def write_parquet(run: ExportedRun, folder: Path) -> None:
    """Write the tables as Parquet in one pass over the samples."""
    with ExitStack() as stack:
        tables = {}
        for table, columns in TABLES.items():
            about = {"tsgkit": __version__, "run": run.identity, "table": table}
            tables[table] = _ParquetTable(folder / f"{table}{PARQUET}", columns, about)
            stack.callback(tables[table].close)
        for sample in run.samples():
            for table, line in values_of(sample):
                tables[table].add(line)
        for file in tables.values():
            file.flush()


class _ParquetTable:
    """A Parquet file that is being written."""

    def __init__(self, path: Path, columns: Sequence[Column], about: Mapping[str, str]) -> None:
        import pyarrow
        import pyarrow.parquet

        types = {
            DataType.TEXT: pyarrow.string(),
            DataType.JSON: pyarrow.string(),
            DataType.WHOLE: pyarrow.int64(),
            DataType.NUMBER: pyarrow.float64(),
            DataType.TRUTH: pyarrow.bool_(),
        }
        fields = [pyarrow.field(name, types[kind], metadata={"meaning": meaning}) for name, kind, meaning in columns]
        self._name = path.name
        self._schema = pyarrow.schema(fields, dict(about))
        self._writer = pyarrow.parquet.ParquetWriter(path, self._schema, compression="zstd")
        self._lines: list[dict[str, Any]] = []
        self._letters = 0

    def add(self, line: dict[str, Any]) -> None:
        """Add a line; a full group of rows is written."""
        for name, value in line.items():
            if isinstance(value, int) and not LEAST <= value <= MOST:
                problem = f"{self._name}: column {name}: a number takes more than 64 bits, the most that Parquet holds"
                raise UsageError(problem, hint="nothing was written; csv holds it: --to csv")
        self._lines.append(line)
        self._letters += sum(len(value) for value in line.values() if isinstance(value, str))
        if len(self._lines) >= GROUP_ROWS or self._letters >= GROUP_LETTERS:
            self.flush()

    def flush(self) -> None:
        """Write the lines that were added as a group of rows."""
        import pyarrow

        if self._lines:
            self._writer.write_table(pyarrow.Table.from_pylist(self._lines, schema=self._schema))
        self._lines, self._letters = [], 0

    def close(self) -> None:
        """Finish the file."""
        self._writer.close()
