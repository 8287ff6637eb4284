"""Phrases with which a reply takes an answer back or offers several.

>>> bool(TAKEN_BACK.search("Actually, it is on the left.")), bool(WITHDRAWN.search("Wait, no."))
(True, True)
"""

from __future__ import annotations

import re
from collections.abc import Callable

TAKEN_BACK = re.compile(
    r"\b(?:wait|hmm+|correct(?:ion|ed)|actually|scratch\s++that|second\s++thought"
    r"|(?:reconsider|(?:re-?|double[- ])check|re-?examin|verify|mistake)\w*|misread|was\s++wrong"
    r"|sorry|revis(?:e|ed|ing)|chang(?:e|ed|ing)\s++my|oops|apologies|korrektur|korrigiere|doch|perdón|mejor\s++dicho|en\s++realidad|corrección|pardon|en\s++fait|finalement|rectification)\b|不对|更正|等等|重新|纠正|其实|(?<=[.!?…]\s)no[,:]\s",
    re.IGNORECASE,
)
"""A phrase between two answers that makes the second one count."""
WITHDRAWN = re.compile(
    r"\b(?:wait|actually)\b[,.]?\s*+(?:no\b(?!\s++(?:other|need|doubt|change))|that(?:'s|\s++is)\s++(?:not|wrong))\b|\bno,?\s++wait\b|\bscratch\s++that\b|\bnot\s++sure\s++any\s?more\b"
    r"|\bmoment\b,?\s*+(?:nein|das\s++stimmt\s++nicht)|不对|更正",
    re.IGNORECASE,
)
"""A phrase after an answer that withdraws it without giving another."""
DOUBTED = re.compile(
    r"\bor\s++(?:maybe|perhaps|possibly)\s++(?:(?:the|an?|option|it(?:['’]s|\s++(?:is|was)))\s++)*+[\[(*\"'`]*+(?P<name>[\w-]++)"
    r"|\b(?:can(?:no|['’])t\s++(?:tell|decide|say|settle\s++on\s++(?:one|either)(?:\s++of\s++them)?+)|(?:hard|impossible)\s++to\s++(?:tell|say|decide)|not\s++sure)[^\S\n]*+(?:[.!;]|$)"
    r"|\A[^\w.!?\n]{0,6}(?:unless|if|provided|assuming|falls|wenn)\b[^.\n]{1,200}\b(?:then|otherwise|else|sonst|dann)\b",
    re.IGNORECASE | re.MULTILINE,
)
"""What makes an answer before it one of two: another name, an admission, a condition right behind it."""
ALTERNATIVE = re.compile(
    r"^[^\w\n]*(?:option|alternative|variant|possibility)\s*(?:\d{1,2}|[A-D])\b[^\w\n]*$", re.IGNORECASE | re.MULTILINE
)
"""A heading above one of several offered answers."""


def is_doubted(behind: str, is_answer: Callable[[str], object]) -> bool:
    """Return whether the text behind an answer leaves it open which of several counts."""
    return any(not doubt["name"] or is_answer(doubt["name"]) for doubt in DOUBTED.finditer(behind))
