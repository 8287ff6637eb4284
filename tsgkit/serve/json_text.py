"""JSON for the browser, whatever the data of a run hold.

>>> json_text({"answer": float("nan"), "name": chr(0xD800)})
'{"answer":null,"name":"\\\\ud800"}'
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any


def json_text(value: object) -> str:
    """Return JSON that every browser reads: in ASCII, with null in the place of numbers that JSON does not know."""
    try:
        return json.dumps(value, separators=(",", ":"), allow_nan=False)
    except ValueError:
        return json.dumps(_known(value), separators=(",", ":"), allow_nan=False)


def _known(value: Any) -> Any:  # noqa: ANN401  (as JSON has it)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {name: _known(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_known(one) for one in value]
    return value
