"""Runs to be exported, made by the real commands: of a server on loopback with tokens, errors, votes and repeats."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from model_server import model_server
from samples import SGQA, lines

import tsgkit as tk

KEY = "sk-secret-0123456789abcdef"
HOSTILE = "=HYPERLINK(1)\x1b[31m<script>alert(1)</script>\ud83d |"
USAGE = {
    "prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110, "prompt_tokens_details": {"cached_tokens": 40},
    "completion_tokens_details": {"reasoning_tokens": 3},
}  # fmt: skip


def served_run(folder: Path, **settings: Any) -> Path:  # noqa: ANN401  (whatever evaluate takes)
    """Return a run of a model on loopback that is given a key and repeats it; one item always meets an error."""
    asked: dict[str, Any] = {"task": "sgqa", "first": 4, "style": ["zero-shot", "cot"], "repeat": 2} | settings
    with model_server(echo_key=True, always={"tin has come out": "400"}, usage=USAGE) as server:
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
