"""Runs to be exported, made by the real commands: of a server on loopback with tokens, errors, votes and repeats."""

from __future__ import annotations

import resource
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from model_server import model_server
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


KEY = "sk-secret-0123456789abcdef"
HOSTILE = "=HYPERLINK(1)\x1b[31m<script>alert(1)</script>\ud83d |"
USAGE = {
    "prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110, "prompt_tokens_details": {"cached_tokens": 40},
    "completion_tokens_details": {"reasoning_tokens": 3},
}  # fmt: skip


def served_run(folder: Path, **settings: Any) -> Path:  # noqa: ANN401  (whatever evaluate takes)
    """Return a run of a model on loopback that is given a key and repeats it; one item always meets an error."""
    asked: dict[str, Any] = {"task": "sgqa", "first": 4, "style": ["zero-shot", "cot"], "repeat": 2} | settings
    with model_server(echo_key=True, always={"write the number": "400"}, usage=USAGE) as server:
        arguments = {"api_base": server.base, "api_key": KEY, "temperature": 0.5}
        task = asked.pop("task")
        tk.evaluate(task, model="openai/org/m", model_arg=arguments, out=folder, quiet=True, **asked)
    return folder


def stopped_run(folder: Path) -> Path:
    """Return a run that stopped at its budget: two of its four samples are asked."""
    return served_run(folder, style="zero-shot", repeat=1, max_requests=2)


def hostile_run(folder: Path, *, repeat: int = 1) -> Path:
    """Return a run whose subject, item ids, clusters and replies hold what must not be live anywhere."""
    names = ("../../etc/passwd", HOSTILE, "/root", "a\x01b", "x" * 300)
    rows = [SGQA | {"item_id": name, "scenario_id": name} for name in names]
    folder.mkdir(parents=True)
    data = folder / "sgqa.jsonl"
    data.write_text(lines(*rows), encoding="utf-8")

    def model(messages: list[dict[str, str]]) -> str:
        return f"[{HOSTILE}]"

    tk.evaluate("sgqa", model={"../=cmd|<b>": model}, data=data, out=folder / "run", repeat=repeat, quiet=True)
    return folder / "run"


@contextmanager
def largest_file(size: int) -> Iterator[None]:
    """Let no file grow beyond a size: a write fails as on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
