"""A suite of another package whose code raises on some items: on those named in ``faults.json``, until it is mended."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from shipped import TASKS

from tsgkit.library.cards import Card
from tsgkit.llm.reply import Ask
from tsgkit.suites.judgement import Judged
from tsgkit.suites.solvers.solver import Solver
from tsgkit.suites.suite import Suite
from tsgkit.suites.task import Dataset
from tsgkit.suites.transcript import Transcript
from tsgkit.suites.tsg.qa import Questions

FAULTS = "faults.json"
SECRET = "sk-not-to-be-told"  # noqa: S105  (what a message may hold)


def stumble(step: str, item_id: str) -> None:
    """Raise where this step has a fault on this item."""
    if item_id in json.loads(Path(FAULTS).read_text("utf-8")).get(step, ()):
        raise ValueError(f"invalid literal: {SECRET}")


class Faulty:
    """A solver that raises on some items."""

    def __init__(self, inner: Solver) -> None:
        self.inner, self.name, self.style = inner, inner.name, inner.style
        self.fingerprint, self.unpublished = inner.fingerprint, inner.unpublished
        self.expected, self.unfinished = inner.expected, inner.unfinished

    async def solve(self, sample: Any, ask: Ask | None) -> Transcript:  # noqa: ANN401
        stumble("solve", sample.item_id)
        transcript = await self.inner.solve(sample, ask)
        stumble("after", sample.item_id)
        return transcript

    def judge(self, sample: Any, transcript: Transcript | None) -> Judged:  # noqa: ANN401
        if transcript is not None:
            stumble("judge", sample.item_id)
        return self.inner.judge(sample, transcript)


class FaultyTask(Questions):
    """The questions of tsg, with faults."""

    computes = True

    def __init__(self, card: Card) -> None:
        super().__init__(card.model_copy(update={"task": "tsg/sgqa"}))

    def solver(
        self, name: str, style: str, dataset: Dataset, *, shots: int | None, seed: int, prompts: str | None
    ) -> Solver:
        return Faulty(super().solver(name, style, dataset, shots=shots, seed=seed, prompts=prompts))

    def baseline(self, subject: str, seed: int, dataset: Dataset) -> Solver:  # type: ignore[override]
        return Faulty(super().baseline(subject, seed, dataset))

    def recorded(self, solver: str, style: str) -> Solver:  # type: ignore[override]
        return Faulty(super().recorded(solver, style))


SUITE = Suite("faulty", tasks={"sgqa": "faulty_suite:FaultyTask"})


def install(folder: Path, monkeypatch: pytest.MonkeyPatch, **faults: Sequence[str]) -> None:
    """Make a folder the working project, with the suite as an installed package and its task ``faulty/sgqa``."""
    for name in ("tasks/faulty", "prompts", "eval"):
        (folder / name).mkdir(parents=True)
    card = (TASKS / "tsg/sgqa.yaml").read_text("utf-8").replace("task: tsg/sgqa", "task: faulty/sgqa")
    (folder / "tasks/faulty/sgqa.yaml").write_text(card)
    site = folder / "site/faulty_suite-1.dist-info"
    site.mkdir(parents=True)
    (site / "METADATA").write_text("Metadata-Version: 2.1\nName: faulty-suite\nVersion: 1\n")
    (site / "entry_points.txt").write_text("[tsgkit.suites]\nfaulty = faulty_suite:SUITE\n")
    monkeypatch.syspath_prepend(str(site.parent))
    monkeypatch.chdir(folder)
    mend(**faults)


def mend(**faults: Sequence[str]) -> None:
    """Leave these faults alone."""
    Path(FAULTS).write_text(json.dumps(faults))
