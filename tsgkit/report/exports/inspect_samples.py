"""Samples of a run as samples of an Inspect log: messages and events of every call, scores with reasons, usage."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from tsgkit.llm.reply import Ending, Usage
from tsgkit.report.explanation import Called
from tsgkit.report.exports.recorded_run import RecordedSample, mark_of, whole
from tsgkit.report.plain_text import inert
from tsgkit.report.sample_list import in_a_line
from tsgkit.scoring.pooling import FAILURES, Outcome
from tsgkit.suites.foreign_replies import CALLS, SOLVER, STYLE

if TYPE_CHECKING:
    from inspect_ai.event import Event
    from inspect_ai.log import EvalSample
    from inspect_ai.model import ChatMessage, ChatMessageAssistant, ModelOutput, ModelUsage, StopReason
    from inspect_ai.scorer import Score

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
"""What Inspect calls the ending of a reply; any other is ``unknown``."""
REASONS = {
    Outcome.UNREADABLE: "invalid_response_format",
    Outcome.REFUSED: "refusal",
    Outcome.EMPTY: "no_response",
    Outcome.ERROR: "scoring_failed",
}
"""What Inspect calls the reason for an abnormal score; any other outcome stands under its own name."""
METADATA = ("item_id", "cluster", "groups", "outcome", "answer", "notes", "counts", "evidence", "error")
"""The fields of a record that stand in the metadata of its sample."""


def sample_of(recorded: RecordedSample) -> EvalSample:
    """Return a sample as Inspect has it.

    Its store holds the style, the solver and the calls that count, as our tasks for Inspect keep them; its metadata all
    else that the record holds. Its error is one that says nothing of its subject.
    """
    from inspect_ai.log import EvalError, EvalSample
    from inspect_ai.model import ModelOutput

    record, calls, row = recorded.record, recorded.calls, recorded.row
    usage = _usage_of(calls)
    asked, seconds = recorded.asked, record["usage"].get("seconds")
    counted = [place for place, call in enumerate(calls) if not call.made_again]
    replies = [(calls[place].label, calls[place].reply) for place in counted]
    stored = [{"label": label, "reply": {"text": reply.text, "ending": str(reply.ending)}} for label, reply in replies]
    error = None
    if record["outcome"] in FAILURES:
        message = record["error"] or f"{record['outcome']}: no reason was recorded"
        error = EvalError(message=message, traceback="", traceback_ansi="")
    first = next((place for place, call in enumerate(calls) if call.prompt), None)
    return EvalSample(
        id=_sample_id(recorded),
        epoch=row.cell.repeat + 1,
        input=str(whole(row.task.view.question(recorded.item))) if first is None else _messages(recorded, first),
        target=whole(recorded.key),
        messages=list(_conversation(recorded)),
        output=_output(recorded, counted[-1]) if counted else ModelOutput(),
        scores=_scores(recorded),
        metadata={name: record[name] for name in METADATA}
        | {"why_wrong": whole(recorded.facts.reason), "usage": dict(record["usage"])}
        | {"reference": whole(json.loads(json.dumps(row.task.view.value_of(recorded.item))))},
        store=whole({STYLE: row.cell.style, SOLVER: row.cell.solver, CALLS: stored}),
        events=list(_events(recorded)),
        model_usage={asked: usage} if usage else {},
        role_usage={"judge": usage} if usage and row.judge is not None else {},
        total_time=seconds,
        working_time=seconds,
        uuid=mark_of(recorded.run, *row.cell, recorded.item_id),
        error=error,
    )


def _sample_id(recorded: RecordedSample) -> str:
    """Return the id of a sample, which names its member of the archive: the item's, or a harmless one made of it."""
    item_id = recorded.item_id
    parts = [part.replace(".", "%2E") if part in ("", ".", "..") else part for part in inert(item_id).split("/")]
    harmless = "/".join(part or "%2F" for part in parts)[:LONGEST_ID]
    return item_id if harmless == item_id else f"{harmless}-{mark_of(recorded.run, item_id)[:SHORT]}"


def _scores(recorded: RecordedSample) -> dict[str, Score]:
    """Return the recorded scores as ``PROFILE.METRIC``, each with the answer and the reason."""
    from inspect_ai.scorer import Score

    outcome = recorded.record["outcome"]
    abnormal = None if outcome == Outcome.ANSWERED else REASONS.get(outcome, outcome)
    answer = in_a_line(recorded.record["answer"]) or None
    return {
        f"{profile}.{metric}": Score(
            value=total / weight if weight else math.nan,
            answer=answer,
            explanation=whole(recorded.reason(profile, metric)) or None,
            reason=abnormal,
            metadata={"sum": total, "weight": weight},
        )
        for profile, parts in recorded.record["parts"].items()
        for metric, (total, weight) in parts.items()
    }


def _usage_of(calls: Sequence[Called]) -> ModelUsage | None:
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


def _messages(recorded: RecordedSample, place: int) -> list[ChatMessage]:
    """Return the messages of the call at a place."""
    from inspect_ai.model import ChatMessageAssistant, ChatMessageSystem, ChatMessageTool, ChatMessageUser

    kinds = {"system": ChatMessageSystem, "assistant": ChatMessageAssistant, "tool": ChatMessageTool}
    return [
        kinds.get(message.role, ChatMessageUser)(id=_mark(recorded, place, number), content=whole(message.content))
        for number, message in enumerate(recorded.calls[place].prompt)
    ]


def _reply(recorded: RecordedSample, place: int) -> ChatMessageAssistant:
    from inspect_ai.model import ChatMessageAssistant

    call = recorded.calls[place]
    text = whole(call.reply.text or call.reply.refusal or "")
    about = {"label": call.label, "draw": call.draw}
    model = whole(call.reply.model) or recorded.asked
    return ChatMessageAssistant(
        id=_mark(recorded, place, "reply"), content=text, source="generate", model=model, metadata=about
    )


def _conversation(recorded: RecordedSample) -> Iterator[ChatMessage]:
    """Yield the messages of all calls and their replies; a prompt that is drawn several times stands once."""
    before = ""
    for place, call in enumerate(recorded.calls):
        if not call.prompt_hash or call.prompt_hash != before:
            yield from _messages(recorded, place)
        before = call.prompt_hash
        if call.reply.text is not None or call.reply.refusal:
            yield _reply(recorded, place)


def _output(recorded: RecordedSample, place: int) -> ModelOutput:
    from inspect_ai.model import ChatCompletionChoice, ModelOutput

    reply = recorded.calls[place].reply
    is_told = reply.text is not None or reply.refusal or reply.ending in (Ending.REFUSED, Ending.TRUNCATED)
    choice = ChatCompletionChoice(message=_reply(recorded, place), stop_reason=STOPS.get(reply.ending, "unknown"))
    return ModelOutput(
        model=whole(reply.model) or recorded.asked,
        choices=[choice] if is_told else [],
        usage=_usage(reply.usage, cost=reply.usage.cost),
        time=reply.seconds,
        metadata=_about(recorded.calls[place]),
        error=whole(reply.error or reply.refusal),
    )


def _about(call: Called) -> dict[str, Any]:
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

    begun, waited = datetime.fromisoformat(recorded.run.header["begun"]), 0.0
    times = Counter(call.label for call in recorded.calls)
    for place, call in enumerate(recorded.calls):
        span = _mark(recorded, place, "span")
        name = call.label if times[call.label] == 1 else f"{call.label} #{call.draw + 1}"
        when: dict[str, Any] = {"timestamp": begun, "working_start": waited, "span_id": span}
        yield SpanBeginEvent(id=span, name=whole(name), type="solver", uuid=_mark(recorded, place, "begin"), **when)
        when["uuid"] = _mark(recorded, place, "call")
        if call.reply.source == LOCAL:
            yield InfoEvent(source=whole(call.label), data=whole(call.reply.text), metadata=_about(call), **when)
        else:
            yield ModelEvent(
                model=recorded.asked,
                role=None if recorded.row.judge is None else "judge",
                input=_messages(recorded, place),
                tools=[],
                tool_choice="none",
                config=GenerateConfig(),
                output=_output(recorded, place),
                retries=max(len(call.reply.attempts) - 1, 0) or None,
                error=whole(call.reply.error),
                cache="read" if call.reply.source == "cache" else None,
                working_time=call.reply.seconds,
                **when,
            )
        waited += call.reply.seconds
        when |= {"working_start": waited, "uuid": _mark(recorded, place, "end")}
        yield SpanEndEvent(id=span, **when)


def _mark(recorded: RecordedSample, *parts: object) -> str:
    return mark_of(recorded.run, *recorded.row.cell, recorded.item_id, *parts)
