"""Reads what a run left in its folder, as the tests compare it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from shipped import TASKS

from tsgkit.runs.journal import Journal, sealed

Line = dict[str, Any]


def lines(path: Path) -> list[Line]:
    """Return the lines of a JSON lines file; each must be whole."""
    text = path.read_bytes()
    assert not text or text.endswith(b"\n"), f"{path} ends in a torn line"
    return [json.loads(line) for line in text.splitlines()]


def write_lines(path: Path, values: Iterable[Any]) -> None:
    """Write a file of a run; records as those of a run that was killed."""
    written = sealed if path.name == "samples.jsonl" else Journal.encoded
    path.write_bytes(b"".join(map(written, values)))
    if written is sealed:
        write_header(path.parent, records=0)


def write_header(run: Path, **changes: object) -> None:
    if (file := run / "run.json").exists():
        file.write_text(json.dumps(json.loads(file.read_text()) | changes))


def key(sample: Line) -> tuple[Any, ...]:
    axes = (sample.get(name) for name in ("shots", "prompts", "seed"))
    return (*(sample[name] for name in ("subject", "task", "solver", "style", "repeat", "item_id")), *axes)


def samples(run: Path) -> dict[tuple[Any, ...], Line]:
    """Return the samples of a run by what tells them apart, without what may differ between two runs; each only
    once."""
    found = lines(run / "samples.jsonl")
    odd = ("usage", "error", "digest")
    keyed = {key(one): {name: part for name, part in one.items() if name not in odd} for one in found}
    assert len(keyed) == len(found), "a sample stands twice"
    return keyed


def good_calls(run: Path) -> int:
    """Return how many calls are recorded that need not be made again; a torn last line does not count."""
    path = run / "calls.jsonl"
    whole = path.read_bytes().rpartition(b"\n")[0].splitlines() if path.exists() else []
    return sum(json.loads(line)["reply"]["ending"] != "api_error" for line in whole)


def project_with_card(task: str, old: str, new: str, folder: Path) -> None:
    """Make a folder a project that has a shipped card with one text replaced."""
    for name in ("prompts", "eval", f"tasks/{task.partition('/')[0]}"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    card = (TASKS / f"{task}.yaml").read_text(encoding="utf-8")
    assert old in card
    (folder / f"tasks/{task}.yaml").write_text(card.replace(old, new), encoding="utf-8")


def everything(*folders: Path) -> bytes:
    """Return the bytes of all files beneath these folders."""
    return b"\n".join(path.read_bytes() for folder in folders for path in folder.rglob("*") if path.is_file())


def contents(folder: Path) -> dict[str, bytes]:
    """Return all files of a folder by name, but for its lock."""
    found = (file for file in folder.rglob("*") if file.is_file() and file.name != ".lock")
    return {file.relative_to(folder).as_posix(): file.read_bytes() for file in found}
