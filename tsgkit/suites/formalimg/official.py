"""The published reader of layouts: text after the last thinking section, then the first extraction that succeeds.

>>> layout("I think... ```json\\n[{'label': 'cup', 'box_2d': [0, 0, 9, 9]}]\\n``` done")
[{'label': 'cup', 'box_2d': [0, 0, 9, 9]}]
>>> layout("[]"), layout("no layout") is None
([], True)

First a fenced block that is a list of objects, then the widest span from ``[ {`` to ``} ]``, then from the first ``[``
to the last ``]``. The extracted text is parsed as JSON, else as a Python literal, else the item fails. The contents of
the list are not validated; the verifier reads them as they are.
"""

from __future__ import annotations

import ast
import json
import re
import warnings
from typing import Any

THINKING_ENDS = "</think>"
FENCE = "```"
BEGINS, ENDS = re.compile(r"\[\s*\{"), re.compile(r"\}\s*\]")
INFO = re.compile(r"[A-Za-z]*\s*")


def layout(reply: str) -> Any:  # noqa: ANN401  (whatever was written there)
    """Return the list of objects as the published reader reads it; None if it finds none."""
    text = reply.rpartition(THINKING_ENDS)[2]
    cut = _fenced(text) or _widest(text) or _between_brackets(text)
    return None if cut is None else value_of(cut)


def value_of(text: str) -> Any:  # noqa: ANN401
    """Parse a text as JSON, else as a Python literal; None if it is neither."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about unknown escapes
            return ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None


def _fenced(text: str) -> str | None:
    """Return the first fenced block that contains a list of objects."""
    for block in text.split(FENCE)[1:-1]:
        inside = INFO.sub("", block, count=1).strip() if INFO.match(block) else block.strip()
        if BEGINS.match(inside) and inside.endswith("]") and inside[:-1].rstrip().endswith("}"):
            return inside
    return None


def _widest(text: str) -> str | None:
    first = BEGINS.search(text)
    if first is None:
        return None
    last = 0
    for end in ENDS.finditer(text, first.start()):
        last = end.end()
    return text[first.start() : last] if last else None


def _between_brackets(text: str) -> str | None:
    first, last = text.find("["), text.rfind("]")
    return text[first : last + 1] if 0 <= first < last else None
