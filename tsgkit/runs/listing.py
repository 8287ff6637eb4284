"""Which runs lie in a folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tsgkit.errors import TsgkitError
from tsgkit.runs.folder import HEADER, SAMPLES, read_header
from tsgkit.runs.journal import lines_of
from tsgkit.scoring.outcomes import FAILURES


def runs_in(folder: Path) -> list[dict[str, Any]]:
    """Every run, the latest last; a folder that holds none, or one that cannot be read, is left out."""
    if (folder / HEADER).is_file():
        return [_summary(folder)]
    found = []
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        if (path / HEADER).is_file():
            try:
                found.append(_summary(path))
            except (TsgkitError, KeyError):  # another format, or the calls of an agent
                continue
    return sorted(found, key=lambda one: str(one["begun"]))


def _summary(path: Path) -> dict[str, Any]:
    header = read_header(path)
    recorded = set[str]()
    if (path / SAMPLES).is_file():
        for _, value in lines_of(path / SAMPLES):
            if value["outcome"] not in FAILURES:
                names = ("subject", "task", "solver", "style", "repeat", "item_id")
                recorded.add(repr([value[name] for name in names]))
    return {
        "run": str(path),
        "identity": header["identity"],
        "begun": header["begun"],
        "styles": header["plan"]["styles"],
        "limit": header["plan"]["limit"],
        "models": header["plan"]["models"],
        "tasks": header["plan"]["tasks"],
        "samples": header["samples"],
        "recorded": len(recorded),
    }
