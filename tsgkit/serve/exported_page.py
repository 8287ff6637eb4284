"""A run as one HTML file: all samples inside, shown by the same browser modules as the live page.

Texts are kept once, in compressed blocks that the browser unpacks when it needs them, so that a run of 20,000 samples
opens at once. The file's content security policy allows its own script and style, and no connection.

    {"$": 7}  in a block of samples stands for text 7
    {"$json": 7}  for the JSON value that text 7 holds
"""

from __future__ import annotations

import base64
import functools
import gzip
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from itertools import combinations
from pathlib import Path
from typing import Any
from urllib.parse import quote

from tsgkit.browser.modules import STYLES, allowed, joined, text_of
from tsgkit.errors import TsgkitError
from tsgkit.report.html import thumbnail
from tsgkit.runs.executors.executor import processors
from tsgkit.runs.executors.workers import Workers
from tsgkit.serve.local_server import json_text
from tsgkit.serve.viewed_run import ViewedRun, pair_values
from tsgkit.serve.viewed_runs import ViewedRuns
from tsgkit.suites.panels import Panel
from tsgkit.suites.solvers.factories import has_registered_factories
from tsgkit.suites.suite import has_registered_parts
from tsgkit.version import __version__

ENTRY = "exported.js"
SHORT = 60
"""Characters of a text that is not worth a reference."""
SAMPLES_A_BLOCK = 128
TEXT_A_BLOCK = 400_000
"""Characters of the texts in a block."""
MOST_PAIRS = 300
"""Pairs of rows that are compared in the file."""
MOST_SCENES = 60_000_000
"""Characters of all rooms in 3D together; the rest are named."""
FEWEST_FOR_WORKERS = 400
CHUNK = 64
Progress = Callable[[int, int], None]


@dataclass
class SharedTexts:
    """Every text once, in blocks."""

    numbers: dict[str, int] = field(default_factory=dict)
    blocks: list[list[str]] = field(default_factory=lambda: [[]])
    starts: list[int] = field(default_factory=lambda: [0])
    _room: int = TEXT_A_BLOCK

    def number(self, text: str) -> int:
        """Return the number of a text, which is kept if it is new."""
        if text not in self.numbers:
            if self._room <= 0:
                self.blocks.append([])
                self.starts.append(len(self.numbers))
                self._room = TEXT_A_BLOCK
            self.numbers[text] = len(self.numbers)
            self.blocks[-1].append(text)
            self._room -= len(text)
        return self.numbers[text]

    def shortened(self, value: Any) -> Any:  # noqa: ANN401  (as JSON has it)
        """Return a JSON value with references in the place of its long texts."""
        if isinstance(value, str):
            return value if len(value) <= SHORT else {"$": self.number(value)}
        if isinstance(value, Mapping):
            return {name: self.shortened(part) for name, part in value.items()}
        if isinstance(value, list | tuple):
            return [self.shortened(part) for part in value]
        return value

    def whole(self, value: Any) -> dict[str, int]:  # noqa: ANN401  (as JSON has it)
        """Return a reference to a JSON value, which is kept as one text."""
        return {"$json": self.number(json_text(value))}


def write_page(runs: ViewedRuns, run: str, output: Path, *, linked: bool, progress: Progress) -> str:
    """Return the page of a run, which will be written to ``output``."""
    opened = runs.open(run)
    texts, samples, searched = SharedTexts(), list[dict[str, Any]](), list[list[int]]()
    images = ImageAddresses(output, linked=linked)
    left = MOST_SCENES
    for value, panels in _samples(opened, progress):
        value["panels"], left = _panels(value["panels"], panels, texts, images, left)
        searched.append(_searched(value, texts))
        samples.append(texts.shortened(value))
    listed = [brief for brief in runs.value(wait=True)["runs"] if brief["id"] == run]
    groups = dict.fromkeys(group for row in opened.prepared.rows for group in row.task.groups.names)
    head = {
        "runs": {"version": __version__, "runs": listed},
        "run": {"id": run, **opened.value()},
        "groups": opened.groups_by(list(groups)),
        "labels": runs.labels(run),
        "comparisons": _comparisons(opened),
        "texts": texts.starts,
        "samples_a_block": SAMPLES_A_BLOCK,
    }
    blocks: dict[str, object] = {"head": head, "samples": opened.samples(), "search": searched}
    for number, start in enumerate(range(0, len(samples), SAMPLES_A_BLOCK)):
        blocks[f"samples-{number}"] = samples[start : start + SAMPLES_A_BLOCK]
    blocks |= {f"texts-{number}": block for number, block in enumerate(texts.blocks)}
    return _page(run, blocks)


def _samples(opened: ViewedRun, progress: Progress) -> Iterator[tuple[dict[str, Any], tuple[Panel, ...]]]:
    """Yield all samples in order, worked out by several processes where there are many."""
    total = opened.columns.total
    progress(0, total)
    is_known_here_alone = has_registered_parts() or has_registered_factories()
    if total < FEWEST_FOR_WORKERS or processors() < 2 or is_known_here_alone:
        for number in range(total):
            yield opened.sample(number)
            progress(number + 1, total)
        return
    with Workers(processors()) as workers:
        chunks = ((opened.path, opened.data, start) for start in range(0, total, CHUNK))
        for number, values in enumerate(workers.map(_of_worker, chunks)):
            yield from values
            progress(min((number + 1) * CHUNK, total), total)


_opened = functools.cache(ViewedRun)


def _of_worker(path: Path, data: str | None, start: int) -> list[tuple[dict[str, Any], tuple[Panel, ...]]]:
    opened = _opened(path, data)
    return [opened.sample(number) for number in range(start, min(start + CHUNK, opened.columns.total))]


def _panels(
    values: list[dict[str, Any]], panels: Sequence[Panel], texts: SharedTexts, images: ImageAddresses, left: int
) -> tuple[list[dict[str, Any]], int]:
    """Return panels with their images, and how much more rooms may take."""
    found = []
    for value, panel in zip(values, panels, strict=True):
        if panel.kind == "scene":
            left -= len(json_text(panel.value))
            if left < 0:
                words = "The room is not in this file, which has so many already; tsgkit view shows it."
                found.append({"kind": "text", "title": panel.title, "value": {"text": words}})
                continue
        shown = {name: {"$": texts.number(url)} for name, url in images.urls(panel.images)}
        parts = {"value": texts.whole(value["value"]), "drawings": texts.shortened(value["drawings"])}
        found.append({**value, **parts, "images": shown})
    return found, left


def _searched(value: dict[str, Any], texts: SharedTexts) -> list[int]:
    """Return the numbers of the texts that a search for words looks through: prompts and replies."""
    values: dict[int, None] = {}
    for call in value["calls"]:
        replied = (call["reply"].get(name) for name in ("text", "reasoning", "refusal", "error"))
        for text in (*(message["content"] for message in call["messages"]), *replied):
            if isinstance(text, str) and text:
                values[texts.number(text)] = None
    return list(values)


@dataclass
class ImageAddresses:
    """Images of panels as addresses that work in the file."""

    output: Path
    linked: bool

    def urls(self, images: Mapping[str, Path]) -> Iterator[tuple[str, str]]:
        """Yield names and addresses; an image that cannot be read has none."""
        for name, path in images.items():
            if self.linked:
                yield name, quote(os.path.relpath(path.resolve(), self.output.resolve().parent))
            elif url := thumbnail(path):
                yield name, url


def _comparisons(opened: ViewedRun) -> dict[str, Any]:
    """Return the paired tests of rows of the same task, by the numbers of both; of the first ones where there are
    many."""
    rows = list(enumerate(opened.prepared.rows))
    pairs = [
        (first, second)
        for (first, left), (second, right) in combinations(rows, 2)
        if left.cell.task == right.cell.task and not left.cell.repeat and not right.cell.repeat
    ]
    try:
        values = pair_values(opened, pairs[:MOST_PAIRS])
    except TsgkitError as error:
        return {"problem": str(error)}
    return {f"{first}/{second}": value for (first, second), value in values}


def _page(title: str, blocks: Mapping[str, object]) -> str:
    script, style = joined(ENTRY), "\n".join(map(text_of, STYLES))
    policy = (
        f"default-src 'none'; script-src {allowed(script)}; style-src {allowed(style)}; "
        "img-src 'self' data: blob: file:; base-uri 'none'; form-action 'none'"
    )
    scripts = []
    for name, value in blocks.items():
        packed = base64.b64encode(gzip.compress(json_text(value).encode(), 6, mtime=0)).decode()
        scripts.append(f'<script type="application/octet-stream" id="block-{name}">{packed}</script>')
    return PAGE.format(
        policy=escape(policy),
        title=escape(title),
        style=style,
        address=escape(f"#/run/{quote(title, safe='')}"),
        data="\n".join(scripts),
        script=script,
    )


PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<div id="app" data-address="{address}"></div>
{data}
<script type="module">{script}</script>
</body>
</html>
"""
