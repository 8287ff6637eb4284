"""Which task of this suite a card declares, and which a file has items for."""

from __future__ import annotations

from pathlib import Path

from tsgkit.errors import TsgkitError
from tsgkit.suites.formalimg.formula_task import SCENARIO
from tsgkit.suites.formalimg.rows import read_rows


def kinds_of(file: Path) -> tuple[str, ...]:
    """The tasks whose items a file holds, by its first row, or a folder; none where it cannot be told."""
    try:
        first = next(iter(read_rows(file)), None)
    except TsgkitError:
        return ()
    value = first.value if first is not None else None
    if not isinstance(value, dict) or "dsl" not in value or "prompt" not in value:
        return ()
    scenario = value.get("scenario")
    return tuple(kind for kind, of in SCENARIO.items() if of == scenario)
