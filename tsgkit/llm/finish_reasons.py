"""Finish reasons of replies. Only known good ones count as answers.

LiteLLM maps every word it does not know to ``stop``; the word itself is read from the response.

>>> str(ending_of("stop", "stop", "[A]")), str(ending_of("model_length", "stop", "[A"))
('complete', 'truncated')
"""

from __future__ import annotations

from typing import Any

from tsgkit.llm.reply import Ending

ENDS = ("stop", "end_turn", "stop_sequence", "complete", "completed", "eos", "eos_token", "finished", "done", "end")
TOOLS = ("tool_calls", "tool_use", "tool_call", "function_call", "load", "unload")
GOOD = frozenset((*ENDS, *TOOLS))
CUT = frozenset(("length", "max_tokens", "model_length", "max_output_tokens", "max_length", "compaction"))
FILTERED = frozenset(("content_filter", "refusal", "safety", "sensitive"))
FILTERED_AS_WRITTEN = frozenset(
    (
        *("BLOCKLIST", "ERROR_TOXIC", "ESCALATION", "IMAGE_OTHER", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION"),
        *("IMAGE_SAFETY", "LANGUAGE", "NO_IMAGE", "OTHER", "PROHIBITED_CONTENT", "RECITATION", "SAFETY", "SPII"),
        *("content_filtered", "guardrail_intervened"),
    )
)
"""Words of Google, Cohere and Amazon; in small letters most of them could mean anything."""
FAILING = frozenset(("error", "insufficient_system_resource", "network_error", "ERROR", "abort", "cancelled"))
"""Words of services that failed on their way: another try may bring an answer."""
PLACES = ("stop_reason", "done_reason", "stopReason", "finish_reason")


def raw_reason(value: dict[str, Any]) -> str | None:
    """Return the word in a response, wherever the well-known services put it."""
    for name, word in (("choices", "finish_reason"), ("candidates", "finishReason"), ("generations", "finish_reason")):
        found = value.get(name)
        if isinstance(found, list) and found and isinstance(found[0], dict) and isinstance(found[0].get(word), str):
            return str(found[0][word]) or None
    return next((value[name] for name in PLACES if isinstance(value.get(name), str) and value[name]), None)


def ending_of(reason: str | None, mapped: str | None, text: str | None) -> Ending:
    """Return the ending for a finish reason; unknown ones count as truncated.

    ``mapped`` is LiteLLM's word for it; None where LiteLLM was not asked.
    """
    word = (reason or "stop").lower()
    if word in FILTERED or reason in FILTERED_AS_WRITTEN or mapped == "content_filter":
        return Ending.REFUSED
    if word in CUT or mapped == "length":
        return Ending.TRUNCATED
    if word not in GOOD:
        return Ending.TRUNCATED
    return Ending.COMPLETE if (text or "").strip() else Ending.EMPTY
