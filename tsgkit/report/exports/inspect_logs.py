"""Logs of Inspect: an ``.eval`` file for each task, subject and way of asking; repeats are its epochs.

Needs the extra ``inspect``. Every sample is added as a member of the archive as soon as it is read, since Inspect's own
writer keeps all of them in memory; that writer makes the rest of the log: what was asked of whom, the results with
their intervals, the usage. A sample has the messages and events of every call, scores with reasons, and its usage.
"""

from __future__ import annotations

import json
import math
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any
from zipfile import ZIP_DEFLATED, ZipFile

from tsgkit.llm.reply import Ending, Usage
from tsgkit.report.exports.exported_run import ExportedRun, file_name, mark_of, whole
from tsgkit.report.plain_text import inert
from tsgkit.report.recorded_sample import RecordedSample, SampleCall, in_a_line
from tsgkit.report.report_rows import comparison_metric
from tsgkit.runs.folder import CALLS
from tsgkit.runs.plan import Cell
from tsgkit.runs.results import NOWHERE, Result, RowState, usage_value
from tsgkit.scoring.pooling import FAILURES, Outcome
from tsgkit.suites.foreign_replies import CALLS as STORED_CALLS
from tsgkit.suites.foreign_replies import SOLVER, STYLE
from tsgkit.suites.scoreboard import board_value
from tsgkit.version import __version__

if TYPE_CHECKING:
    from inspect_ai.event import Event
    from inspect_ai.log import EvalLog, EvalSample, EvalScore, EvalSpec, EvalStats, HeadlineMetric
    from inspect_ai.model import ChatMessage, ChatMessageAssistant, ModelOutput, ModelUsage, StopReason
    from inspect_ai.scorer import Score
    from pydantic import BaseModel

ENDING = ".eval"
SUMMARIES = "summaries.json"
COPIED = 1 << 20
LEVEL = 4
"""The level of compression: 40 % faster than the usual 6, and a fifth larger."""
VALUE, MEAN = "value", "mean"
"""The names of a metric of one repeat, and of the mean over several."""
LOCAL = "local"
LONGEST_ID = 200
SHORT = 8
"""Characters of an id, and of the hash that tells harmless ids apart."""
STOPS: dict[Ending, StopReason] = {
    Ending.COMPLETE: "stop",
    Ending.EMPTY: "stop",
    Ending.TRUNCATED: "max_tokens",
    Ending.REFUSED: "content_filter",
}
"""Inspect's word for the ending of a reply; any other is ``unknown``."""
REASONS = {
    Outcome.UNREADABLE: "invalid_response_format",
    Outcome.REFUSED: "refusal",
    Outcome.EMPTY: "no_response",
    Outcome.ERROR: "scoring_failed",
}
"""Inspect's word for the reason of an abnormal score; any other outcome stands under its own name."""
METADATA = ("item_id", "cluster", "groups", "outcome", "answer", "notes", "counts", "evidence", "error")
"""The fields of a record that stand in the metadata of its sample."""


def names(run: ExportedRun) -> Sequence[str]:
    """Return the names of the logs, in the form TIME_TASK_WAY_ID by which Inspect lists them."""
    time = file_name(str(run.header["begun"]).replace(":", "-"))
    ways = {cell: file_name(cell.subject.rpartition("/")[2], *cell.ways) for cell in run.logs()}
    return [f"{time}_{file_name(cell.task)}_{way}_{mark_of(run.opened, *cell)}{ENDING}" for cell, way in ways.items()]


def write(run: ExportedRun, folder: Path) -> None:
    """Write the logs one after the other: the samples of each, and then its head, which names them."""
    from inspect_ai.log import write_eval_log

    for name, (cell, states) in zip(names(run), run.logs().items(), strict=True):
        file = folder / name
        with ZipFile(file, "w", ZIP_DEFLATED, compresslevel=LEVEL) as archive:
            sample_ids, usage = _write_samples(run, states, archive, folder)
            empty = file.with_suffix(f".empty{ENDING}")
            write_eval_log(_head(run, cell, states, sample_ids, usage), empty)
            with ZipFile(empty) as members:
                for member in members.namelist():
                    if member != SUMMARIES:
                        archive.writestr(member, members.read(member))
            empty.unlink()


def _write_samples(
    run: ExportedRun, states: Sequence[RowState], archive: ZipFile, folder: Path
) -> tuple[list[str], dict[str, ModelUsage]]:
    """Write samples and their summaries into an archive; return their ids, those of several epochs once, and the usage
    of each model.
    """
    ids: dict[str, None] = {}
    usages: dict[str, ModelUsage] = {}
    with tempfile.TemporaryFile(dir=folder) as summaries:
        before = b"["
        for recorded in chain.from_iterable(map(run.recorded_of, states)):
            sample = sample_of(recorded)
            archive.writestr(f"samples/{sample.id}_epoch_{sample.epoch}.json", _dumped(sample))
            summaries.write(before + _dumped(sample.summary()))
            before = b","
            ids[str(sample.id)] = None
            for model, usage in sample.model_usage.items():
                usages[model] = usages[model] + usage if model in usages else usage
        summaries.write(b"]")
        summaries.seek(0)
        with archive.open(SUMMARIES, "w", force_zip64=True) as member:
            while part := summaries.read(COPIED):
                member.write(part)
    return list(ids), usages


def _dumped(value: BaseModel) -> bytes:
    """Return the JSON of a sample, or of its summary; an unknown score is NaN, as Inspect has it."""
    return value.model_dump_json(exclude_none=True).encode()


def _head(
    run: ExportedRun, cell: Cell, states: Sequence[RowState], sample_ids: list[str], usage: Mapping[str, ModelUsage]
) -> EvalLog:
    """Return the log of rows that differ in their repeat alone, without its samples."""
    from inspect_ai.log import EvalLog, EvalPlan, EvalPlanStep, EvalResults, HeadlineMetric

    row, plan = states[0].row, run.opened.prepared.plan
    settings = {"solver": row.cell.solver, "style": row.cell.style or None, "judge": row.judge, **row.values(plan)}
    settings |= {"limit": plan.limit, "first": plan.first, "ids": list(plan.ids) or None}
    arguments: dict[str, Any] = whole({name: value for name, value in settings.items() if value is not None})
    metric = comparison_metric(row.task.card.metrics)
    headline = HeadlineMetric(score=f"strict.{metric}", metric=VALUE if len(states) == 1 else MEAN)
    results = [run.results[state.row.cell] for state in states]
    repeats = [
        {
            "repeat": result.cell.repeat,
            **board_value(result.board),
            "unasked": result.unasked,
            "usage": usage_value(result.usage),
        }
        for result in results
    ]
    return EvalLog(
        status="success" if all(NOWHERE not in state.places for state in states) else "cancelled",
        eval=_spec(run, cell, states, arguments, sample_ids, headline),
        plan=EvalPlan(name="tsgkit", steps=[EvalPlanStep(solver=whole(cell.solver), params=arguments)]),
        results=EvalResults(
            total_samples=sum(result.total for result in results),
            completed_samples=sum(result.board.n for result in results),
            scores=list(_metrics(results)),
            headline=headline,
            metadata={"repeats": whole(repeats)},
        ),
        stats=_stats(run, states, usage),
    )


def _spec(
    run: ExportedRun,
    cell: Cell,
    states: Sequence[RowState],
    arguments: dict[str, Any],
    sample_ids: list[str],
    headline: HeadlineMetric,
) -> EvalSpec:
    """Return what was asked of whom; the facts that Inspect has no field for are its metadata."""
    from inspect_ai.log import EvalConfig, EvalDataset, EvalSpec

    row, header = states[0].row, run.header
    about = {
        "run": run.identity,
        "run_name": header["name"],
        "command": header["command"],
        "data_sha256": row.dataset.sha256,
        "reader": header["reader"],
        "exported_by": f"tsgkit {__version__}",
        "official": row.solver.unpublished or "asked as published",
        "notes": list(row.notes),
        "unasked": sum(state.places.count(NOWHERE) for state in states),
    }
    return EvalSpec(
        eval_id=mark_of(run.opened, *cell, "eval"),
        run_id=mark_of(run.opened),
        task_id=mark_of(run.opened, *cell),
        created=header["begun"],
        task=whole(cell.task),
        task_version=header["asked"]["tasks"][cell.task]["version"],
        task_args=dict(arguments),
        task_args_passed=dict(arguments),
        solver=whole(cell.solver),
        solver_args={},
        dataset=EvalDataset(
            name=whole(PurePath(row.dataset.file).name),
            location=whole(row.dataset.file),
            samples=len(row.numbers),
            sample_ids=sample_ids,  # Inspect reads a log sample by sample only by these
        ),
        model=whole(cell.subject),
        model_args=run.parameters_of(row),
        model_base_url=whole(run.model_of(row).get("endpoint")),
        config=EvalConfig(epochs=len(states), fail_on_error=False),
        packages={"tsgkit": str(header["tsgkit"])},
        metadata=whole(about),
        headline_metric=headline,
    )


def _metrics(results: Sequence[Result]) -> Iterator[EvalScore]:
    """Yield every metric of both profiles that has a value: of one repeat, or the mean over several and the value of
    each. Intervals are in the metadata.
    """
    from inspect_ai.log import EvalMetric, EvalScore

    several = len(results) > 1
    for profile in results[0].board.profiles:
        for name in results[0].board.profiles[profile] or {}:
            boards = [(result.cell.repeat, result.board.profiles[profile] or {}) for result in results]
            values = {repeat: value for repeat, board in boards if (value := board.get(name)) is not None}
            metrics = []
            if values and several:
                mean = sum(value.value for value in values.values()) / len(values)
                metrics.append(EvalMetric(name=MEAN, value=mean, metadata={"repeats": len(values)}))
            for repeat, value in values.items():
                about = {"low": value.low, "high": value.high, "n": value.n, "level": 0.95, "is_share": value.is_share}
                title = f"repeat_{repeat + 1}" if several else VALUE
                metrics.append(EvalMetric(name=title, value=value.value, metadata=about))
            if metrics:
                by_name = {metric.name: metric for metric in metrics}
                yield EvalScore(name=f"{profile}.{name}", scorer=profile, metrics=by_name)


def _stats(run: ExportedRun, states: Sequence[RowState], usage: Mapping[str, ModelUsage]) -> EvalStats:
    """Return when the run began, when its last call was recorded (the time of its file, not before the run's begin),
    and the tokens of each model; those that no call reported are not in it.
    """
    from inspect_ai.log import EvalStats

    row, used = states[0].row, dict(usage)
    if any(run.results[state.row.cell].usage.get("unpriced") for state in states):
        used = {model: tokens.model_copy(update={"total_cost": None}) for model, tokens in used.items()}
    start, file = datetime.fromisoformat(run.header["begun"]), run.opened.path / CALLS
    last = datetime.fromtimestamp(file.stat().st_mtime, UTC) if file.exists() else start
    return EvalStats(
        started_at=run.header["begun"],
        completed_at=max(start, last).isoformat(timespec="seconds"),
        model_usage=used,
        role_usage={"judge": used[whole(row.asked)]} if used and row.judge else {},
    )


def sample_of(recorded: RecordedSample) -> EvalSample:
    """Return a sample as Inspect has it.

    Its store holds the style, the solver and the calls that count, as our tasks for Inspect keep them; its metadata all
    else that the record holds. Its error is one that says nothing of its subject.
    """
    from inspect_ai.log import EvalError, EvalSample
    from inspect_ai.model import ModelOutput

    record, calls, row = recorded.record, recorded.calls, recorded.row
    usage = _usage_of(calls)
    model, seconds = whole(recorded.row.asked), record["usage"].get("seconds")
    counted = [position for position, call in enumerate(calls) if not call.made_again]
    replies = [(calls[position].label, calls[position].reply) for position in counted]
    stored = [{"label": label, "reply": {"text": reply.text, "ending": str(reply.ending)}} for label, reply in replies]
    error = None
    if record["outcome"] in FAILURES:
        message = record["error"] or f"{record['outcome']}: no reason was recorded"
        error = EvalError(message=message, traceback="", traceback_ansi="")
    first = next((position for position, call in enumerate(calls) if call.prompt), None)
    return EvalSample(
        id=_sample_id(recorded),
        epoch=row.cell.repeat + 1,
        input=str(whole(row.task.view.question(recorded.item))) if first is None else _messages(recorded, first),
        target=whole(recorded.key),
        messages=list(_conversation(recorded)),
        output=_output(recorded, counted[-1]) if counted else ModelOutput(),
        scores=_sample_scores(recorded),
        metadata={name: record[name] for name in METADATA}
        | {"why_wrong": whole(recorded.reason), "usage": dict(record["usage"])}
        | {"reference": whole(json.loads(json.dumps(row.task.view.value_of(recorded.item))))},
        store=whole({STYLE: row.cell.style, SOLVER: row.cell.solver, STORED_CALLS: stored}),
        events=list(_events(recorded)),
        model_usage={model: usage} if usage else {},
        role_usage={"judge": usage} if usage and row.judge is not None else {},
        total_time=seconds,
        working_time=seconds,
        uuid=mark_of(recorded.run.opened, *row.cell, recorded.item_id),
        error=error,
    )


def _sample_id(recorded: RecordedSample) -> str:
    """Return the id of a sample, which names its member of the archive: the item's, or a harmless one made of it."""
    item_id = recorded.item_id
    parts = [part.replace(".", "%2E") if part in ("", ".", "..") else part for part in inert(item_id).split("/")]
    harmless = "/".join(part or "%2F" for part in parts)[:LONGEST_ID]
    return item_id if harmless == item_id else f"{harmless}-{mark_of(recorded.run.opened, item_id)[:SHORT]}"


def _sample_scores(recorded: RecordedSample) -> dict[str, Score]:
    """Return the recorded scores as ``PROFILE.METRIC``, each with the answer and the reason."""
    from inspect_ai.scorer import Score

    outcome = recorded.record["outcome"]
    abnormal = None if outcome == Outcome.ANSWERED else REASONS.get(outcome, outcome)
    answer = in_a_line(recorded.record["answer"]) or None
    return {
        f"{profile}.{metric}": Score(
            value=total / weight if weight else math.nan,
            answer=answer,
            explanation=whole(recorded.score_reason(profile, metric)) or None,
            reason=abnormal,
            metadata={"sum": total, "weight": weight},
        )
        for profile, parts in recorded.record["parts"].items()
        for metric, (total, weight) in parts.items()
    }


def _usage_of(calls: Sequence[SampleCall]) -> ModelUsage | None:
    """Return the known tokens of all calls of a sample together; None if no call reports any."""
    total: ModelUsage | None = None
    for reply in (call.reply for call in calls):
        if reply.source in ("model", "cache") and reply.usage.total:
            usage = _usage(reply.usage, cost=reply.spent.cost)
            total = usage if total is None or usage is None else total + usage
    return total


def _usage(usage: Usage, *, cost: float | None) -> ModelUsage | None:
    """Return the usage of a call; Inspect counts cached input apart, and knows no unknown number."""
    from inspect_ai.model import ModelUsage

    if usage.prompt is None or usage.completion is None:
        return None
    return ModelUsage(
        input_tokens=max(usage.prompt - (usage.cached or 0) - (usage.written or 0), 0),
        output_tokens=usage.completion,
        total_tokens=usage.prompt + usage.completion,
        input_tokens_cache_read=usage.cached,
        input_tokens_cache_write=usage.written,
        reasoning_tokens=usage.reasoning,
        total_cost=cost,
    )


def _messages(recorded: RecordedSample, position: int) -> list[ChatMessage]:
    """Return the messages of the call at a place."""
    from inspect_ai.model import ChatMessageAssistant, ChatMessageSystem, ChatMessageTool, ChatMessageUser

    kinds = {"system": ChatMessageSystem, "assistant": ChatMessageAssistant, "tool": ChatMessageTool}
    return [
        kinds.get(message.role, ChatMessageUser)(id=_mark(recorded, position, number), content=whole(message.content))
        for number, message in enumerate(recorded.calls[position].prompt)
    ]


def _reply(recorded: RecordedSample, position: int) -> ChatMessageAssistant:
    from inspect_ai.model import ChatMessageAssistant

    call = recorded.calls[position]
    text = whole(call.reply.text or call.reply.refusal or "")
    about = {"label": call.label, "draw": call.draw}
    model = whole(call.reply.model) or whole(recorded.row.asked)
    return ChatMessageAssistant(
        id=_mark(recorded, position, "reply"), content=text, source="generate", model=model, metadata=about
    )


def _conversation(recorded: RecordedSample) -> Iterator[ChatMessage]:
    """Yield the messages of all calls and their replies; a prompt that is drawn several times stands once."""
    before = ""
    for position, call in enumerate(recorded.calls):
        if not call.prompt_hash or call.prompt_hash != before:
            yield from _messages(recorded, position)
        before = call.prompt_hash
        if call.reply.text is not None or call.reply.refusal:
            yield _reply(recorded, position)


def _output(recorded: RecordedSample, position: int) -> ModelOutput:
    from inspect_ai.model import ChatCompletionChoice, ModelOutput

    reply = recorded.calls[position].reply
    is_told = reply.text is not None or reply.refusal or reply.ending in (Ending.REFUSED, Ending.TRUNCATED)
    choice = ChatCompletionChoice(message=_reply(recorded, position), stop_reason=STOPS.get(reply.ending, "unknown"))
    return ModelOutput(
        model=whole(reply.model) or whole(recorded.row.asked),
        choices=[choice] if is_told else [],
        usage=_usage(reply.usage, cost=reply.usage.cost),
        time=reply.seconds,
        metadata=_about(recorded.calls[position]),
        error=whole(reply.error or reply.refusal),
    )


def _about(call: SampleCall) -> dict[str, Any]:
    """Return the facts about a call that Inspect has no field for."""
    reply = call.reply
    about = {"label": call.label, "draw": call.draw, "ending": str(reply.ending), "source": reply.source}
    optional = {"finish_reason": reply.finish_reason, "status": reply.status, "made_again": call.made_again or None}
    value: dict[str, Any] = whole(about | {name: fact for name, fact in optional.items() if fact is not None})
    return value


def _events(recorded: RecordedSample) -> Iterator[Event]:
    """Yield a span for every call, named by its label; what no model said is an event of information.

    Runs do not hold the time of a call: all events have that of the run's begin, and ``working_start`` adds up the
    seconds of the calls before.
    """
    from inspect_ai.event import InfoEvent, ModelEvent, SpanBeginEvent, SpanEndEvent
    from inspect_ai.model import GenerateConfig

    start, waited = datetime.fromisoformat(recorded.run.opened.header["begun"]), 0.0
    times = Counter(call.label for call in recorded.calls)
    for position, call in enumerate(recorded.calls):
        span = _mark(recorded, position, "span")
        name = call.label if times[call.label] == 1 else f"{call.label} #{call.draw + 1}"
        when: dict[str, Any] = {"timestamp": start, "working_start": waited, "span_id": span}
        yield SpanBeginEvent(id=span, name=whole(name), type="solver", uuid=_mark(recorded, position, "begin"), **when)
        when["uuid"] = _mark(recorded, position, "call")
        if call.reply.source == LOCAL:
            yield InfoEvent(source=whole(call.label), data=whole(call.reply.text), metadata=_about(call), **when)
        else:
            yield ModelEvent(
                model=whole(recorded.row.asked),
                role=None if recorded.row.judge is None else "judge",
                input=_messages(recorded, position),
                tools=[],
                tool_choice="none",
                config=GenerateConfig(),
                output=_output(recorded, position),
                retries=max(len(call.reply.attempts) - 1, 0) or None,
                error=whole(call.reply.error),
                cache="read" if call.reply.source == "cache" else None,
                working_time=call.reply.seconds,
                **when,
            )
        waited += call.reply.seconds
        when |= {"working_start": waited, "uuid": _mark(recorded, position, "end")}
        yield SpanEndEvent(id=span, **when)


def _mark(recorded: RecordedSample, *parts: object) -> str:
    return mark_of(recorded.run.opened, *recorded.row.cell, recorded.item_id, *parts)
