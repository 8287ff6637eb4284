"""Where in a reply the answer is: after the last label with something behind it, else anywhere.

>>> answer_section("The cup comes first.\\n**Final answer:** [cup]")
Section(text=' [cup]', label='**Final answer:**')
>>> answer_section("[cup]").label is None
True

A label stands at the start of a line: ``Final answer:``, ``Answer:``, ``Final graph(s):``, with or without bold or
heading marks; ``Final answer`` alone on a line counts too. What stands in a closed ``<think>`` block is reasoning.
"""

from __future__ import annotations

import re
from typing import NamedTuple

LABEL = re.compile(
    r"^(?:[-+*][ \t]+|\d{1,3}[.)][ \t]+)?[#>*_ \t]{0,12}(?:the[ \t])?"
    r"(?:final[ \t](?:answer|graphs?|scene[ \t]graphs?|triplets|output)(?:[ \t]is)?[*_ \t]{0,6}(?:[:：][*_]{0,3}|$)"
    r"|answer[*_ \t]{0,6}[:：][*_]{0,3})",
    re.IGNORECASE | re.MULTILINE,
)
THINKING_ENDS = "</think>"


class Section(NamedTuple):
    """The part of a reply that holds the answer, and the label that announced it (None: the whole reply)."""

    text: str
    label: str | None


def answer_section(reply: str) -> Section:
    """The text after the last answer label, or all of it where there is none."""
    spoken = reply.replace("\r\n", "\n").rpartition(THINKING_ENDS)[2]
    found = list(LABEL.finditer(spoken))
    if not found:
        return Section(spoken, None)
    labels = [label for label in found if label.end() < len(spoken.rstrip())]
    if not labels:
        return Section(LABEL.sub("", spoken), None)
    return Section(spoken[labels[-1].end() :], labels[-1].group().strip())
