"""Removal of reasoning blocks, which are never read as an answer.

>>> spoken("<think>B or C?</think>\\nC").text.strip()
'C'
>>> spoken("<think>It is B. No, C.")
Unreadable(reason='the reasoning never ends')

A block begins with its mark (``<think>`` anywhere, others at the start of a line) and ends with the last closing mark;
services that put the opening mark into their own template leave only the closing one. A reply that ends within its
reasoning has no answer, even if the reasoning names one: its conclusion is unknown. Only what it calls its final
answer, on a line of its own, counts.
"""

from __future__ import annotations

import re

from tsgkit.replies.spans import Part, Unreadable

NEVER_ENDS = "the reasoning never ends"
TOO_MANY_LINES = "it has too many lines to read"
MOST_LINES, CHARACTERS_A_LINE = 20_000, 20
"""The lines of a text that are read, at least and for each so many characters: a line costs more than its length."""
NAMES = r"(?:seed:)?(?:think(?:ing)?|thoughts?|reasoning|reflection|scratchpad)"
OPENS = re.compile(
    rf"(?<!`)<think(?:ing)?>|^[ \t]*(?:<{NAMES}>|\[THINK\]|◁think▷|<\|(?:begin_of_thought|START_THINKING)\|>"
    r"|(?:<\|start\|>assistant)?<\|channel\|>(?:analysis|commentary)<\|message\|>)",
    re.IGNORECASE | re.MULTILINE,
)
CLOSES = re.compile(
    rf"</{NAMES}>|\[/THINK\]|◁/think▷|<\|(?:end_of_thought|END_THINKING)\|>"
    r"|<\|channel\|>final<\|message\|>|(?<=\S)assistantfinal(?=\S)",
    re.IGNORECASE,
)
MARKS = re.compile(r"<\|[A-Za-z_]{1,30}\|>|</?s>|<(?:end|start)_of_turn>|\[/?INST\]")
"""Template marks that some services leave in a reply: ``<|im_end|>``."""
BEGINNINGS = ("<", "[", "◁", "assistantfinal")
CORRECTED = r"correction|(?:corrected|revised)[ \t](?:answer|graphs?|output)(?:[ \t]is)?"
"""A phrase that announces a correction of an answer before it."""
FINAL = (
    r"final[ \t](?:answer|graphs?|scene[ \t]graphs?|triplets|output|response|choice|layout|annotation|version|result)"
    rf"(?:[ \t]is)?|(?P<corrected>{CORRECTED})"
    r"|最终答案|最后答案|endgültige[ \t]antwort|endantwort|respuesta[ \t]final|réponse[ \t]finale"
)
"""A phrase that announces the final answer."""
TAG = r"<(?:final_?)?(?:answer|output|final|response)>"
ENDING = re.compile(
    rf"^[#>*_ \t]{{0,12}}(?:the[ \t])?(?:{FINAL})[*_ \t]{{0,6}}(?:[:：]|$)|^[ \t]*{TAG}", re.IGNORECASE | re.MULTILINE
)


def most_lines(text: str) -> int:
    """Return how many lines of a text are read, so that a megabyte takes a second at most."""
    return max(MOST_LINES, len(text) // CHARACTERS_A_LINE)


def spoken(reply: str) -> Part | Unreadable:
    """Return the reply outside its reasoning: after the last block, else before the first."""
    if reply.count("\n") > most_lines(reply):
        return Unreadable(TOO_MANY_LINES)
    if not any(map(reply.__contains__, BEGINNINGS)):
        return Part(reply)
    last = None
    for last in CLOSES.finditer(reply):  # noqa: B007  (the last one is wanted)
        pass
    behind = Part(reply, 0) if last is None else Part(reply[last.end() :], last.end())
    if OPENS.search(behind.text):
        names = list(ENDING.finditer(behind.text))
        if not names or not behind.text[names[-1].end() :].strip():
            return Unreadable(NEVER_ENDS)
        return behind.cut(names[-1].start())
    opens = OPENS.search(reply) if last is not None and not behind.text.strip() else None
    answer = behind if opens is None else Part(reply[: opens.start()])
    if "<" not in answer.text and "INST]" not in answer.text:
        return answer
    return Part(MARKS.sub(lambda mark: " " * len(mark.group()), answer.text), answer.start)
