"""Export of runs from Python, as ``tsgkit export`` writes them.

tk.export("runs/gpt-4o-tsg-0123456789abcdef", to="parquet", path="tables")
tk.open_run("runs/...").export("inspect", "logs")
"""

from __future__ import annotations

from pathlib import Path

from tsgkit.errors import UsageError
from tsgkit.interface.arguments import checked_path
from tsgkit.interface.run import Run
from tsgkit.report.exports import Exported, export_run


def export(
    run: Run | str | Path, *, to: str, path: str | Path, data: str | Path | None = None, force: bool = False
) -> Exported:
    """Write a run for another tool and return the files: ``to`` is ``inspect``, ``parquet``, ``csv`` or ``jsonl``.

    ``path`` is a folder, or a file where the run gives one. ``force`` replaces files that lie there.
    """
    if not isinstance(to, str):
        raise UsageError(f"to: {to!r:.40} is no name of a format", hint="as in to='parquet'")
    if isinstance(run, Run):
        return run.export(to, path, force=force) if data is None else Run(run.path, data).export(to, path, force=force)
    place = None if data is None else str(data)
    return export_run(checked_path(run, "run"), to, checked_path(path, "path"), data=place, force=force)
