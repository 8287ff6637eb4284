"""Where the declarations and data that ship lie, in a checkout as in an installed wheel."""

from __future__ import annotations

from pathlib import Path

from tsgkit.library.bundle import bundled

TASKS = Path(str(bundled("tasks")))
EVAL = Path(str(bundled("eval")))
DATA = TASKS / "tsg" / "data"
