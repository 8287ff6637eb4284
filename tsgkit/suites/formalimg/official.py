"""The published readers, as coded; of layouts: what follows the last thinking, then the first of several ways to cut.

>>> layout("I think... ```json\\n[{'label': 'cup', 'box_2d': [0, 0, 9, 9]}]\\n``` done")
[{'label': 'cup', 'box_2d': [0, 0, 9, 9]}]
>>> layout("[]"), layout("no layout") is None
([], True)

First a fenced block that is a list of objects, then the widest span from ``[ {`` to ``} ]``, then from the first ``[``
to the last ``]``. What was cut out is read as JSON, else as a Python literal, else the item fails. The list is taken as
it is: nothing in it is looked at before the verifier does.
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
FENCE_OPENS, FENCE_CLOSES = re.compile(r"```(?:json)?\s*\{"), re.compile(r"\}\s*```")
FENCED = re.compile(r"```(?:json)?(.*?)```", re.DOTALL)
INFO = re.compile(r"[A-Za-z]*\s*")


def layout(reply: str) -> Any:  # noqa: ANN401  (whatever was written there)
    """What the published reader takes for the list of objects; None where it finds nothing it can read."""
    text = reply.rpartition(THINKING_ENDS)[2]
    cut = _fenced(text) or _widest(text) or _between_brackets(text)
    return None if cut is None else value_of(cut)


def value_of(text: str) -> Any:  # noqa: ANN401
    """A text as JSON, else as a Python literal; None where it is neither."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of escapes that Python does not know
            return ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None


def _fenced(text: str) -> str | None:
    """The first fenced block that holds a list of objects."""
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


def judgement(text: str) -> dict[str, Any] | None:
    """The published reading: the shortest fenced object, else from the first brace to the last; None for no result.

    >>> judgement("I say {'satisfies_constraint': True}."), judgement("{}"), judgement("yes")
    ({'satisfies_constraint': True}, None, None)
    """
    fenced = _fenced_object(text)
    first, last = text.find("{"), text.rfind("}")
    if not fenced and not 0 <= first < last:
        return None
    value = value_of(fenced or text[first : last + 1])
    return value if isinstance(value, dict) and value else None


def _fenced_object(text: str) -> str:
    """Return the first object in a fence up to the first brace at a fence's end; empty where there is none."""
    opens = FENCE_OPENS.search(text)
    closes = FENCE_CLOSES.search(text, opens.end()) if opens else None
    return text[opens.end() - 1 : closes.start() + 1] if opens and closes else ""


def objects(text: str) -> Any:  # noqa: ANN401  (whatever stands there)
    """What the published code takes from a reply: the objects, whatever they are; ``ValueError`` where it asks again.

    >>> objects('```json {"objects": []}``` ok'), objects("{}")
    ([], [])
    >>> objects('{"objects": null}') is None
    True
    """
    fenced = re.search(r"```json(.*?)```", text, re.DOTALL) or FENCED.search(text)
    try:
        value = json.loads(fenced.group(1) if fenced else text)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if not isinstance(value, dict):
        raise ValueError("no object")  # noqa: TRY004  (as json says of a text that is no JSON)
    return value.get("objects", [])
