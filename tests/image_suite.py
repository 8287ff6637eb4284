"""A suite of another package, as its authors would write it: cups to be drawn. It joins by its entry point."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from image_server import png

from tsgkit.errors import UsageError
from tsgkit.library.cards import Card
from tsgkit.library.files import read_text
from tsgkit.suites.images import keep_image
from tsgkit.suites.metrics import Metric
from tsgkit.suites.rows import ItemChoice, Items, Rows
from tsgkit.suites.suite import Suite
from tsgkit.suites.task import Painting, PaintingOptions, Task, View, with_parts

CARD = """title: {title}
citation: nobody
task: {task}
version: 1
data: demo/cups.json
prompts: demo
metrics:
  score: {{pooling: pooled, better: more, headline: true}}
"""
ENTRY_POINTS = "[tsgkit.suites]\ndemo = image_suite:SUITE\n"


def paintings(task: Task, data: str | None, choice: ItemChoice, options: PaintingOptions) -> Iterator[Painting]:
    """Yield an image to make for each colour in a file."""
    rows: dict[str, str] = json.loads(read_text(data or "tasks/demo/cups.json"))
    if unknown := [item_id for item_id in choice.ids if item_id not in rows]:
        raise UsageError(f"no item is called {unknown[0]}")
    chosen = list(choice.ids or rows)[: choice.limit or choice.first]
    layouts = json.loads(options.layouts.read_text()) if options.layouts else {}
    for item_id in chosen:
        yield _painting(item_id, rows[item_id], layouts.get(item_id), options)


def _painting(item_id: str, text: str, layout: object, options: PaintingOptions) -> Painting:
    said = [text] if options.instruction else []
    if options.condition == "text":
        said.append(f"Layout: {json.dumps(layout)}")
    if options.condition != "drawn":
        return Painting(item_id, "\n".join(said))
    return Painting(item_id, "\n".join([*said, "Follow the drawing."]), keep_image(
        options.drawings, png(json.dumps(layout)), (8, 6)
    ))  # fmt: skip


def words(card: Card) -> Task:
    """Return a task without images to make."""
    rows = Rows(stored="words", load=lambda source: Items(str(source), "", ()))
    return Task(card=card, rows=rows, metrics={"score": Metric("a score")}, view=View(question=str, reference=str))


def cups(card: Card) -> Task:
    """Return one that has some."""
    return with_parts(words(card), paint=paintings)


SUITE = Suite("demo", tasks={"cups": "image_suite:cups", "words": "image_suite:words"})


def install(folder: Path, rows: dict[str, str], monkeypatch: pytest.MonkeyPatch | None = None) -> dict[str, str]:
    """Return a project in a folder with the suite's two tasks, and the suite as an installed package.

    The result is what the environment of another process needs to find it.
    """
    for room in ("tasks/demo", "prompts", "eval"):
        (folder / room).mkdir(parents=True)
    (folder / "tasks/demo/cups.json").write_text(json.dumps(rows))
    for name in ("cups", "words"):
        card = CARD.format(title=f"The {name}", task=f"demo/{name}")
        (folder / f"tasks/demo/{name}.yaml").write_text(card)
    site = folder / "site/image_suite-1.dist-info"
    site.mkdir(parents=True)
    (site / "METADATA").write_text("Metadata-Version: 2.1\nName: picture-suite\nVersion: 1\n")
    (site / "entry_points.txt").write_text(ENTRY_POINTS)
    if monkeypatch is not None:
        monkeypatch.syspath_prepend(str(site.parent))
        monkeypatch.chdir(folder)
    return {"PYTHONPATH": os.pathsep.join([str(site.parent), *filter(None, sys.path)])}
