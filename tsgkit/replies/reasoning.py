"""Reasoning that stands beside an answer: blocks of it are no answer, whatever they hold.

>>> spoken("<think>B or C?</think>\\nC").text.strip()
'C'
>>> spoken("<think>It is B. No, C.")
Unreadable(reason='the reasoning never ends')

A block begins with its mark (``<think>`` anywhere, others at the start of a line) and ends with the last mark that closes one; services that put the
first mark into their own template leave only the closing one. A reply that ends within its reasoning has no answer,
even where the reasoning names one: nobody knows what it would have come to.
"""

from __future__ import annotations

import re

from tsgkit.replies.parts import Part, Unreadable

NEVER_ENDS = "the reasoning never ends"
NAMES = r"(?:seed:)?(?:think(?:ing)?|thoughts?|reasoning|reflection|scratchpad)"
OPENS = re.compile(
    rf"(?<![`\w])<think(?:ing)?>|^[ \t]*(?:<{NAMES}>|\[THINK\]|◁think▷|<\|(?:begin_of_thought|START_THINKING)\|>"
    r"|(?:<\|start\|>assistant)?<\|channel\|>(?:analysis|commentary)<\|message\|>)",
    re.IGNORECASE | re.MULTILINE,
)
CLOSES = re.compile(
    rf"</{NAMES}>|\[/THINK\]|◁/think▷|<\|(?:end_of_thought|END_THINKING)\|>"
    r"|<\|channel\|>final<\|message\|>|(?<=\S)assistantfinal(?=\S)",
    re.IGNORECASE,
)
MARKS = re.compile(r"<\|[A-Za-z_]{1,30}\|>")
"""Marks of templates that some services leave in a reply: ``<|im_end|>``."""
BEGINNINGS = ("<", "[", "◁", "assistantfinal")


def spoken(reply: str) -> Part | Unreadable:
    """Return what a reply says outside its reasoning: behind the last block, else before the first."""
    if not any(mark in reply for mark in BEGINNINGS):
        return Part(reply)
    last = None
    for last in CLOSES.finditer(reply):  # noqa: B007  (the last one is wanted)
        pass
    behind = Part(reply, 0) if last is None else Part(reply[last.end() :], last.end())
    if OPENS.search(behind.text):
        return Unreadable(NEVER_ENDS)
    opens = OPENS.search(reply) if last is not None and not behind.text.strip() else None
    said = behind if opens is None else Part(reply[: opens.start()])
    return _without_marks(said)


def _without_marks(part: Part) -> Part:
    """Blank the marks of templates, so that all places stay."""
    if "<|" not in part.text:
        return part
    return Part(MARKS.sub(lambda mark: " " * len(mark.group()), part.text), part.start)
