"""A run whose replies end in every way, to be exported and scored again."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from samples import SGQA, lines

import tsgkit as tk
from tsgkit.llm.reply import Ending, Reply

SAID = {
    "answered": [Reply("[cup]")],
    "truncated": [Reply("[cu", Ending.TRUNCATED, finish_reason="length")],
    "refused": [Reply("[cup]", Ending.REFUSED, finish_reason="content_filter")],
    "api_error": [Reply(None, Ending.API_ERROR)],
    "empty": [Reply("", Ending.EMPTY)],
    "voted": [Reply("[cup]"), Reply("[cup]", Ending.TRUNCATED, finish_reason="length"), Reply("[towel]")],
    "failed": [Reply("[cup]"), Reply("[cup]"), Reply(None, Ending.API_ERROR)],
    "won": [Reply("[cup]"), Reply("[towel]"), Reply("[cup]")],
    "silent": [Reply("", Ending.EMPTY), Reply(None, Ending.REFUSED), Reply("[cup]", Ending.TRUNCATED)],
}
"""The replies to the first, second and third call about an item; the last one repeats."""


def rows_asked(folder: Path) -> Path:
    """Return a file of rows whose prompts hold the names of their replies."""
    rows = [
        SGQA | {"item_id": name, "scenario_id": name, "qa_pairs": [{"Q": f"What is washed, {name}?", "A": "cup"}]}
        for name in SAID
    ]
    file = folder / "sgqa.jsonl"
    file.write_text(lines(*rows), encoding="utf-8")
    return file


def run_of(rows: Path, folder: Path, **options: Any) -> tk.Run:  # noqa: ANN401
    asked: Counter[str] = Counter()

    def model(messages: list[dict[str, str]]) -> Reply:
        name = next(name for name in SAID if f"washed, {name}?" in messages[-1]["content"])
        asked[name] += 1
        return SAID[name][min(asked[name], len(SAID[name])) - 1]

    return tk.evaluate("sgqa", model={"cup": model}, data=rows, out=folder, quiet=True, cache=False, **options)


def check_figures(folder: Path, to: str, source: str) -> None:
    """Check that an exported log, scored again, has the outcomes, answers and figures of its run."""
    rows = rows_asked(folder)
    for solver, style in (("single", "zero-shot"), ("vote:3", "zero-shot"), ("single", "cot")):
        place = folder / f"{solver[:4]}-{style}"
        run = run_of(rows, place / "run", solver=solver, style=style)
        (file,) = run.export(to, place / "logs").files
        report = tk.score("sgqa", rows, file, source=source)
        assert report.style == style
        meant = {sample.item_id: (sample.outcome, sample.answer) for sample in run.samples}
        assert {one.sample.item_id: (str(one.outcome), one.answer) for one in report.judged} == meant
        assert {"answered", "truncated", "refused", "api_error", "empty"} <= {outcome for outcome, _ in meant.values()}
        assert report.board == run.results[0].board, (solver, style)
