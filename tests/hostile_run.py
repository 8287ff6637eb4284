"""A run of a model whose answers are hostile or no answers, in two styles."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import tsgkit as tk

HOSTILE = "<script>alert(1)</script>\x1b[31m"


def hostile(messages: list[dict[str, Any]]) -> str:
    return f"[{HOSTILE}]" if "cup" in messages[-1]["content"] else "I do not know."


def hostile_run(folder: Path) -> tk.Run:
    models = {"mine": hostile}
    styles = ["zero-shot", "cot"]
    return tk.evaluate("tsg/sgqa", model=models, style=styles, limit=8, out=folder, cache=False, quiet=True)
