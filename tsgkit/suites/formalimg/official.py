"""The published readers of replies: of layouts, of objects located in an image, and of verdicts on an image.

>>> layout("I think... ```json\\n[{'label': 'cup', 'box_2d': [0, 0, 9, 9]}]\\n``` done")
[{'label': 'cup', 'box_2d': [0, 0, 9, 9]}]
>>> layout("[]"), layout("no layout") is None
([], True)

A layout is looked for in the text after the last thinking section: first a fenced block that is a list of objects, then
the widest span from ``[ {`` to ``} ]``, then from the first ``[`` to the last ``]``. The extracted text is parsed as
JSON, else as a Python literal, else the item fails. The contents of the list are not validated; the verifier reads them
as they are.
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
FENCED = (re.compile(r"```json(.*?)```", re.DOTALL), re.compile(r"```(?:json)?(.*?)```", re.DOTALL))
FENCE_OPENS, FENCE_CLOSES = re.compile(r"```(?:json)?\s*\{"), re.compile(r"\}\s*```")


def layout(reply: str) -> Any:  # noqa: ANN401  (whatever was written there)
    """Return the list of objects as the published reader reads it; None if it finds none."""
    text = reply.rpartition(THINKING_ENDS)[2]
    for block in text.split(FENCE)[1:-1]:
        inside = INFO.sub("", block, count=1).strip() if INFO.match(block) else block.strip()
        if BEGINS.match(inside) and inside.endswith("]") and inside[:-1].rstrip().endswith("}"):
            return value_of(inside)
    if begins := BEGINS.search(text):
        ends = [end.end() for end in ENDS.finditer(text, begins.start())]
        if ends:
            return value_of(text[begins.start() : ends[-1]])
    first, last = text.find("["), text.rfind("]")
    return value_of(text[first : last + 1]) if 0 <= first < last else None


def published_objects(text: str) -> Any:  # noqa: ANN401  (whatever stands there)
    """Return the objects that the published code reads from a reply. Raise ``ValueError`` if that code asks again.

    >>> published_objects('```json {"objects": []}``` ok'), published_objects("{}")
    ([], [])
    >>> published_objects('{"objects": null}') is None
    True
    """
    fenced = FENCED[0].search(text) or FENCED[1].search(text)
    try:
        value = json.loads(fenced.group(1) if fenced else text)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if not isinstance(value, dict):
        raise ValueError("no object")  # noqa: TRY004  (as json says of a text that is no JSON)
    return value.get("objects", [])


def judgement(text: str) -> dict[str, Any] | None:
    """Read a reply as the published code does: the shortest fenced object, else from the first brace to the last.

    Return None if there is no result.

    >>> judgement("I say {'satisfies_constraint': True}."), judgement("{}"), judgement("yes")
    ({'satisfies_constraint': True}, None, None)
    """
    first, after = text.find("{"), text.rfind("}") + 1
    opens = FENCE_OPENS.search(text)
    if opens and (closes := FENCE_CLOSES.search(text, opens.end())):  # up to the first brace before a closing fence
        first, after = opens.end() - 1, closes.start() + 1
    value = value_of(text[first:after]) if 0 <= first < after else None
    return value if isinstance(value, dict) and value else None


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
