"""Samples of a run as samples of an Inspect log: messages and events of every call, scores with reasons, usage."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from tsgkit.llm.reply import Ending, Reply, Usage
from tsgkit.report.explanation import Called
from tsgkit.report.exports.recorded_run import RecordedSample, mark_of, whole
from tsgkit.report.plain_text import inert
from tsgkit.report.sample_list import in_a_line
from tsgkit.scoring.outcomes import FAILURES, Outcome
from tsgkit.suites.foreign_replies import CALLS, SOLVER, STYLE

if TYPE_CHECKING:
    from inspect_ai.event import Event
    from inspect_ai.log import EvalError, EvalSample
    from inspect_ai.model import ChatMessage, ModelOutput, ModelUsage, StopReason
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


@dataclass
class WrittenSamples:
    """The facts about the samples of a log that its head holds: their ids, and the usage of each model."""

    ids: dict[str, None] = field(default_factory=dict)
    """The ids in order; those of several epochs once."""
    usage: dict[str, ModelUsage] = field(default_factory=dict)

    def add(self, sample: EvalSample) -> None:
        """Add a sample that was written."""
        self.ids[str(sample.id)] = None
        for model, usage in sample.model_usage.items():
            self.usage[model] = self.usage[model] + usage if model in self.usage else usage


def sample_of(recorded: RecordedSample) -> EvalSample:
    """Return a sample as Inspect has it."""
    from inspect_ai.log import EvalSample
    from inspect_ai.model import ModelOutput

    record, calls = recorded.record, recorded.calls
    usage = usage_of(recorded)
    asked = recorded.asked
    last = next((one for one in reversed(calls) if not one.made_again), None)
    seconds = record["usage"].get("seconds")
    return EvalSample(
        id=sample_id(recorded),
        epoch=recorded.row.cell.repeat + 1,
        input=_input(recorded),
        target=whole(recorded.key),
        messages=list(_conversation(recorded)),
        output=ModelOutput() if last is None else _output(recorded, last, calls.index(last)),
        scores=scores_of(recorded),
        metadata=_metadata(recorded),
        store=_store(recorded),
        events=list(_events(recorded)),
        model_usage={asked: usage} if usage else {},
        role_usage={"judge": usage} if usage and recorded.row.judge is not None else {},
        total_time=seconds,
        working_time=seconds,
        uuid=mark_of(recorded.run, *recorded.row.cell, recorded.item_id),
        error=_error(record),
    )


def _error(record: Mapping[str, Any]) -> EvalError | None:
    """Return the error of a sample that says nothing of its subject."""
    from inspect_ai.log import EvalError

    if record["outcome"] not in FAILURES:
        return None
    message = record["error"] or f"{record['outcome']}: no reason was recorded"
    return EvalError(message=message, traceback="", traceback_ansi="")


def _store(recorded: RecordedSample) -> dict[str, Any]:
    """Return the style, the solver and the calls that count, as our tasks for Inspect keep them."""
    calls = [
        {"label": one.label, "reply": {"text": one.reply.text, "ending": str(one.reply.ending)}}
        for one in recorded.calls
        if not one.made_again
    ]
    cell = recorded.row.cell
    value: dict[str, Any] = whole({STYLE: cell.style, SOLVER: cell.solver, CALLS: calls})
    return value


def sample_id(recorded: RecordedSample) -> str:
    """Return the id of a sample, which names its member of the archive: the item's, or a harmless one made of it."""
    item_id = recorded.item_id
    parts = [part.replace(".", "%2E") if part in ("", ".", "..") else part for part in inert(item_id).split("/")]
    harmless = "/".join(part or "%2F" for part in parts)[:LONGEST_ID]
    return item_id if harmless == item_id else f"{harmless}-{mark_of(recorded.run, item_id)[:SHORT]}"


def scores_of(recorded: RecordedSample) -> dict[str, Score]:
    """Return the recorded scores as ``PROFILE.METRIC``, each with the answer and the reason."""
    from inspect_ai.scorer import Score

    outcome = recorded.record["outcome"]
    abnormal = None if outcome == Outcome.ANSWERED else REASONS.get(outcome, outcome)
    answer = in_a_line(recorded.record["answer"]) or None
    found = {}
    for profile, parts in recorded.record["parts"].items():
        for metric, (total, weight) in parts.items():
            found[f"{profile}.{metric}"] = Score(
                value=total / weight if weight else math.nan,
                answer=answer,
                explanation=whole(recorded.reason(profile, metric)) or None,
                reason=abnormal,
                metadata={"sum": total, "weight": weight},
            )
    return found


def usage_of(recorded: RecordedSample) -> ModelUsage | None:
    """Return the known tokens of all calls of a sample together; None if no call reports any."""
    known = [one.reply for one in recorded.calls if one.reply.source in ("model", "cache") and one.reply.usage.total]
    found: ModelUsage | None = None
    for reply in known:
        usage = _usage(reply.usage, cost=reply.spent.cost)
        found = usage if found is None or usage is None else found + usage
    return found


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


def _input(recorded: RecordedSample) -> str | list[ChatMessage]:
    """Return the messages of the first call; the item in words where no model was asked."""
    first = next((place for place, one in enumerate(recorded.calls) if one.prompt), None)
    if first is None:
        return str(whole(recorded.row.task.view.question(recorded.item)))
    return _messages(recorded, first)


def _messages(recorded: RecordedSample, place: int) -> list[ChatMessage]:
    """Return the messages of the call at a place."""
    from inspect_ai.model import ChatMessageAssistant, ChatMessageSystem, ChatMessageTool, ChatMessageUser

    kinds = {"system": ChatMessageSystem, "assistant": ChatMessageAssistant, "tool": ChatMessageTool}
    found: list[ChatMessage] = []
    for number, one in enumerate(recorded.calls[place].prompt):
        kind = kinds.get(one.role, ChatMessageUser)
        found.append(kind(id=_mark(recorded, place, number), content=whole(one.content)))
    return found


def _reply(recorded: RecordedSample, place: int) -> ChatMessage:
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


def _output(recorded: RecordedSample, call: Called, place: int) -> ModelOutput:
    from inspect_ai.model import ChatCompletionChoice, ChatMessageAssistant, ModelOutput

    reply = call.reply
    message = _reply(recorded, place)
    assert isinstance(message, ChatMessageAssistant)  # noqa: S101  (made as one)
    is_told = reply.text is not None or reply.refusal or reply.ending in (Ending.REFUSED, Ending.TRUNCATED)
    choice = ChatCompletionChoice(message=message, stop_reason=STOPS.get(reply.ending, "unknown"))
    return ModelOutput(
        model=whole(reply.model) or recorded.asked,
        choices=[choice] if is_told else [],
        usage=_usage(reply.usage, cost=reply.usage.cost),
        time=reply.seconds,
        metadata=_about(call),
        error=whole(reply.error or reply.refusal),
    )


def _about(call: Called) -> dict[str, Any]:
    """Return the facts about a call that Inspect has no field for."""
    reply: Reply = call.reply
    about = {"label": call.label, "draw": call.draw, "ending": str(reply.ending), "source": reply.source}
    told = {"finish_reason": reply.finish_reason, "status": reply.status, "made_again": call.made_again or None}
    value: dict[str, Any] = whole(about | {name: one for name, one in told.items() if one is not None})
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
                output=_output(recorded, call, place),
                retries=max(len(call.reply.attempts) - 1, 0) or None,
                error=whole(call.reply.error),
                cache="read" if call.reply.source == "cache" else None,
                working_time=call.reply.seconds,
                **when,
            )
        waited += call.reply.seconds
        when |= {"working_start": waited, "uuid": _mark(recorded, place, "end")}
        yield SpanEndEvent(id=span, **when)


def _metadata(recorded: RecordedSample) -> dict[str, Any]:
    """Return everything else that the record holds."""
    record = recorded.record
    names: Sequence[str] = ("item_id", "cluster", "groups", "outcome", "answer", "notes", "counts", "evidence", "error")
    found: dict[str, Any] = {name: record[name] for name in names} | {"why_wrong": whole(recorded.facts.reason)}
    return found | {"usage": dict(record["usage"]), "reference": _reference(recorded)}


def _reference(recorded: RecordedSample) -> Any:  # noqa: ANN401  (as JSON has it)
    return whole(json.loads(json.dumps(recorded.row.task.view.value_of(recorded.item))))


def _mark(recorded: RecordedSample, *parts: object) -> str:
    return mark_of(recorded.run, *recorded.row.cell, recorded.item_id, *parts)
