"""Request forms: numbered ways of composing requests, so that old runs continue unchanged.

A run stores the form that it began with in ``run.json`` and keeps it, so that nothing is asked twice and all its
replies answer the same kind of request. New runs use the newest form.

>>> form_of({"tsgkit": "0.1.0"}), form_of({"request_form": 2})
(1, 2)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tsgkit.errors import UsageError

FIELD = "request_form"
"""The field of ``run.json``; runs that lack it have the first form."""
FIRST = 1
IMAGES_FIRST = 2
"""The first form in which judges in our protocols receive images first and the question last."""
FORMS = (IMAGES_FIRST, FIRST)
"""All forms, the newest first."""
NEWEST = FORMS[0]


def form_of(header: Mapping[str, Any]) -> int:
    """Return the request form of a run; ``UsageError`` where this version does not know it."""
    form = header.get(FIELD, FIRST)
    if form not in FORMS or isinstance(form, bool):
        wrong = f"run.json: {FIELD} is {form!r}; this version knows {', '.join(map(str, reversed(FORMS)))}"
        raise UsageError(wrong, hint="use the version that wrote the run, or a newer one")
    return int(form)


def mark_of(form: int) -> str:
    """Return the suffix that a request form adds to the fingerprint of an affected solver."""
    return "" if form == FIRST else f"/form {form}"
