"""Requests of a page that come as messages rather than over HTTP, as from a notebook to its kernel."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from tsgkit.errors import UsageError
from tsgkit.serve.local_server import Asked, Page, problem_of


def answer(page: Page, message: Mapping[str, Any]) -> dict[str, Any]:
    """Return the answer to a message of the page.

    >>> page = Page("widget.js", {"echo": dict})
    >>> answer(page, {"id": "1", "name": "echo", "values": {"a": "b"}})
    {'id': '1', 'value': {'a': 'b'}}
    >>> answer(page, {"id": "2", "name": "nothing"})["problem"]["message"]
    'there is no request nothing'
    """
    name, values = str(message.get("name")), Asked(message.get("values") or {})
    try:
        return {"id": message.get("id"), "value": _value(page, name, values, message.get("body"))}
    except Exception as error:  # noqa: BLE001 - the page tells it, and goes on
        problem, status = problem_of(error)
        return {"id": message.get("id"), "problem": problem, "status": status}


def _value(page: Page, name: str, values: Asked, body: object) -> dict[str, Any]:
    if body is not None and name in page.changing:
        return page.changing[name](values, json.dumps(body).encode())
    if body is None and name in page.asking:
        return page.asking[name](values)
    raise UsageError(f"there is no request {name:.40}")
