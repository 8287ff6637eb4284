"""A suite of another package whose code raises on some items: on those named in ``faults.json``, until it is mended."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from shipped import TASKS

from tsgkit.library.cards import Card
from tsgkit.llm.reply import Ask
from tsgkit.scoring.pooling import Outcome
from tsgkit.suites.judgement import AnswerScores, Given, Sample
from tsgkit.suites.solvers.factories import SINGLES, PromptSolver
from tsgkit.suites.solvers.offline_solvers import programs
from tsgkit.suites.solvers.prompter import Prompter
from tsgkit.suites.suite import Suite
from tsgkit.suites.task import Task, with_parts
from tsgkit.suites.transcript import Transcript
from tsgkit.suites.tsg.qa import questions

ENTRY_POINTS = "[tsgkit.suites]\nfaulty = faulty_suite:SUITE\n[tsgkit.solvers]\nfaulty = faulty_suite:SOLVERS\n"
FAULTS = "faults.json"
SECRET = "sk-not-to-be-told"  # noqa: S105  (what a message may hold)


def stumble(step: str, item_id: str) -> None:
    """Raise where this step has a fault on this item."""
    if item_id in json.loads(Path(FAULTS).read_text("utf-8")).get(step, ()):
        raise ValueError(f"invalid literal: {SECRET}")


class Faulty(PromptSolver):
    """A solver that raises on some items after asking."""

    async def solve(self, item: Sample, ask: Ask | None) -> Transcript:
        transcript = await super().solve(item, ask)
        stumble("after", item.item_id)
        return transcript


def faulty_solver(name: str, task: Task, prompter: Prompter | None) -> Faulty:
    assert prompter is not None
    return Faulty(task, prompter.style.name, name, prompter=prompter)


SOLVERS = replace(SINGLES, names=("faulty",), solver=faulty_solver)


def faulty(card: Card) -> Task:
    """Return the questions of tsg, with a baseline that raises and scores that do."""
    made = questions(card)

    def answer(item: Sample, seed: int) -> str:
        stumble("solve", item.item_id)
        return "[cup]"

    def score(item: Sample, answer: Any, given: Given) -> AnswerScores:  # noqa: ANN401
        if given.outcome is not Outcome.MISSING:
            stumble("judge", item.item_id)
        assert made.score is not None
        return made.score(item, answer, given)

    return with_parts(made, baselines=programs({"rules": answer}), score=score, computes="solving")


SUITE = Suite("faulty", tasks={"sgqa": "faulty_suite:faulty"})


def install(folder: Path, monkeypatch: pytest.MonkeyPatch, **faults: Sequence[str]) -> None:
    """Make a folder the working project, with the suite, its task ``faulty/sgqa`` and its solver installed."""
    for name in ("tasks/faulty", "prompts", "eval"):
        (folder / name).mkdir(parents=True)
    card = (TASKS / "tsg/sgqa.yaml").read_text("utf-8").replace("task: tsg/sgqa", "task: faulty/sgqa")
    (folder / "tasks/faulty/sgqa.yaml").write_text(card)
    site = folder / "site/faulty_suite-1.dist-info"
    site.mkdir(parents=True)
    (site / "METADATA").write_text("Metadata-Version: 2.1\nName: faulty-suite\nVersion: 1\n")
    (site / "entry_points.txt").write_text(ENTRY_POINTS)
    monkeypatch.syspath_prepend(str(site.parent))
    monkeypatch.chdir(folder)
    mend(**faults)


def mend(**faults: Sequence[str]) -> None:
    """Leave these faults alone."""
    Path(FAULTS).write_text(json.dumps(faults))
