"""Phrases for samples, replies and readings, shared by all outputs.

>>> from tsgkit.llm.reply import Usage
>>> ended(Reply("x", seconds=1.25, usage=Usage(100, 10)))
'complete, from model, 1.25 s, 100 tokens in, 10 out'
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tsgkit.graph.model import ActionGraph
from tsgkit.llm.reply import Reply
from tsgkit.suites.judgement import TwoReadings


def more_room(parameters: Mapping[str, Any] | None) -> str:
    """Return the advice for replies that were cut off, with the limit that is among a model's parameters."""
    limit = (parameters or {}).get("max_tokens")
    return "give replies more room: --model-arg max_tokens=N" + (f" (here {limit:,})" if isinstance(limit, int) else "")


def reading_text(reading: str | tuple[ActionGraph, ...] | None) -> str:
    """Return what was read, as text; graphs are counted from 1."""
    if isinstance(reading, tuple):
        graphs = []
        for number, graph in enumerate(reading, 1):
            arrows = [f"{source} -> {edge} -> {target}" for source, edge, target in graph.triplets]
            graphs.append(f"Graph {number}:\n" + "\n".join(arrows))
        return "\n\n".join(graphs) or "no graph"
    return "nothing" if reading is None else reading or '""'


def readings_text(readings: TwoReadings) -> tuple[str, str]:
    """Return what strict and official read, or why they did not."""
    strict = readings.unreadable or reading_text(readings.strict)
    if readings.not_official:
        return strict, readings.not_official
    if readings.strict is not None and readings.strict == readings.official:
        return strict, "the same"
    return strict, reading_text(readings.official)


def ended(reply: Reply) -> str:
    """Return the ending of a call, its duration, its usage, its errors and the note recorded with it, as text.

    >>> ended(Reply("[cup]", seconds=1, note="the response is no valid UTF-8"))
    'complete, from model, 1.00 s; the response is no valid UTF-8'
    """
    parts = [str(reply.ending), f"from {reply.source}"]
    if reply.model:
        parts.append(reply.model)
    if reply.finish_reason:
        parts.append(f"finish reason {reply.finish_reason}")
    if reply.seconds:
        parts.append(f"{reply.seconds:.2f} s")
    usage = reply.usage
    if usage.prompt is not None:
        parts.append(f"{usage.prompt:,} tokens in" + (f" ({usage.cached:,} cached)" if usage.cached else ""))
    if usage.completion is not None:
        parts.append(f"{usage.completion:,} out" + (f" ({usage.reasoning:,} reasoning)" if usage.reasoning else ""))
    if usage.cost is not None:
        parts.append(f"${usage.cost:.6f}")
    if len(reply.attempts) > 1 or any(attempt.error for attempt in reply.attempts):
        attempts = []
        for attempt in reply.attempts:
            status = f" {attempt.status}" if attempt.status else ""
            trouble = f"{status} {attempt.error}, waited {attempt.waited:.1f} s"
            attempts.append(f"{attempt.seconds:.2f} s:{' good' if attempt.error is None else trouble}")
        parts.append(f"{len(reply.attempts)} attempts ({'; '.join(attempts)})")
    return ", ".join(parts) + (f"; {reply.note}" if reply.note else "")
