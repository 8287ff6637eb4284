"""Samples of stored runs as views show them, and checks that every panel must pass."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

from tsgkit.runs.folder import calls_in
from tsgkit.runs.plan import Cell
from tsgkit.runs.saved_run import open_saved_run, transcript_of
from tsgkit.suites.panels import Kind, Panel, SampleView, panels_of

STORED = Path(__file__).parent / "stored_runs"


def stored_samples(suite: str, run: str, *, at: Path = STORED) -> Iterator[SampleView]:
    """Yield every sample of a run that something was asked about; ``at`` holds the folders of suites."""
    path = at / suite / run
    opened = open_saved_run(path)
    folders = {one.name: replace(one, path=at / suite / one.path) for one in opened.prepared.plan.folders}
    calls: Mapping[tuple[Cell, str], list[dict[str, Any]]] = defaultdict(list)
    for _, value in calls_in(path / "calls.jsonl"):
        calls[Cell.of(value), value["sample"]].append(value)
    for row in opened.prepared.rows:
        for number in row.numbers:
            sample = row.dataset.sample(number)
            if (row.cell, sample.item_id) in calls:
                transcript = transcript_of(iter(calls[row.cell, sample.item_id]))
                judged = row.scoring.judged(sample, transcript).judged
                folder = folders.get(row.cell.subject)
                yield SampleView(row.task, sample, judged, transcript, folder, opened.prepared.plan.assets)
    opened.samples.close()


def panels(shown: SampleView) -> list[Panel]:
    """Return the panels of a sample, checked: kinds are known, values are JSON, images are named and exist."""
    found = list(panels_of(shown))
    for panel in found:
        assert panel.kind in get_args(Kind)
        assert panel.title
        value = json.loads(json.dumps(panel.value, allow_nan=False))
        assert value == panel.value
        assert all(path.is_file() for path in panel.images.values())
        assert value.get("image") in (None, *panel.images)
    return found


def of_kind(found: list[Panel], kind: str) -> list[Any]:
    """Return the values of the panels of a kind."""
    return [panel.value for panel in found if panel.kind == kind]
