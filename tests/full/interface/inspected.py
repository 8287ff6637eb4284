"""Asks tasks by Inspect and by tsgkit of the same model, in a process of its own; prints both results as JSON.

    python inspected.py FOLDER

The model is a function of the prompt, so that both get the same replies: right ones, and those that are hard to read.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from inspect_ai import eval as inspect_eval
from inspect_ai.model import ChatMessage, ModelOutput, ModelUsage, get_model

import tsgkit as tk
from tsgkit.llm.reply import ending_of

REPLIES = (
    *("[A]", "Answer: [B]", "<think>It is [C]... no</think>\nFinal answer: [D]", "", "I cannot help with that."),
    *("[C", "[[1, 2], {", "person -> verb -> wash\nwash -> dobj -> cup\nwash -> with -> hand1", "**Answer:** cup"),
    "[A] or [B]",
)
ASKED: tuple[tuple[str, dict[str, Any]], ...] = (
    ("tsg/sgqa", {"style": "cot"}),
    ("tsg/sgds", {}),
    ("tsg/sa-sgg", {}),
    ("tsg/ma-sgg", {"solver": "vote:3"}),
    ("formalimg/layout", {}),
)
ITEMS = 12


def reply_to(prompt: str) -> tuple[str, str]:
    """Return what is said to a prompt, and why it ended."""
    number = int(hashlib.sha256(prompt.encode()).hexdigest()[:8], 16)
    text = REPLIES[number % len(REPLIES)]
    return text, "max_tokens" if number % 7 == 0 else "content_filter" if number % 7 == 1 else "stop"


def output(messages: list[ChatMessage], *_: object) -> ModelOutput:
    text, reason = reply_to(str(messages[-1].text))
    made = ModelOutput.from_content("mock", text, stop_reason=reason)  # type: ignore[arg-type]
    made.usage = ModelUsage(input_tokens=7, output_tokens=3, total_tokens=10)
    return made


def said(messages: list[Any]) -> tk.Reply:
    text, reason = reply_to(str(messages[-1]["content"]))
    return tk.Reply(text, ending_of(reason, None, text), finish_reason=reason)


def by_inspect(folder: Path) -> dict[str, Any]:
    words: dict[str, Any] = {"log_dir": str(folder), "display": "none"}
    [named] = inspect_eval("tsgkit/sgds", model="mockllm/model", task_args={"items": 3}, **words)  # by its entry point
    from tsgkit.interface.inspect_tasks import inspect_task

    found: dict[str, Any] = {"named": named.status}
    for key, options in ASKED:
        made = inspect_task(key, items=ITEMS, **options)
        [log] = inspect_eval(made, model=get_model("mockllm/model", custom_outputs=output), **words)
        assert log.status == "success", log.error
        assert log.results is not None and log.samples is not None
        metrics = {name: one.value for score in log.results.scores for name, one in score.metrics.items()}
        samples = {str(one.id): dict((one.scores or {})["tsgkit"].value) for one in log.samples}  # type: ignore[arg-type]
        outcomes = {str(one.id): ((one.scores or {})["tsgkit"].metadata or {})["outcome"] for one in log.samples}
        found[key] = {"metrics": metrics, "samples": samples, "outcomes": outcomes, "log": log.location}
    return found


def named(profiles: Mapping[str, Any]) -> dict[str, float]:
    """Return the figures of all profiles under the names that Inspect gives them."""
    return {
        f"{profile}_{name}": getattr(value, "value", value)
        for profile, values in profiles.items()
        for name, value in (values or {}).items()
        if value is not None
    }


def by_us(folder: Path) -> dict[str, Any]:
    found = {}
    for key, options in ASKED:
        out = folder / key.replace("/", "-")
        run = tk.evaluate(key, model={"mock": said}, limit=ITEMS, out=out, cache=False, quiet=True, **options)
        metrics = named(run.results[0].board.profiles)
        samples = {one.item_id: named(one.scores) for one in run.samples}
        outcomes = {one.item_id: one.outcome for one in run.samples}
        found[key] = {"metrics": metrics, "samples": samples, "outcomes": outcomes, "run": str(run.path)}
    return found


if __name__ == "__main__":
    home = Path(sys.argv[1])
    print(json.dumps({"inspect": by_inspect(home / "logs"), "ours": by_us(home / "runs")}))
