"""Solvers that ask no model: baselines, which are programs, and recorded transcripts."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

from tsgkit.errors import UsageError
from tsgkit.lexicon import meant
from tsgkit.llm.reply import Ask
from tsgkit.suites.judgement import Judged
from tsgkit.suites.rows import Dataset
from tsgkit.suites.solvers.solver import BASELINE, Baselines, Expected, Program, Scorer
from tsgkit.suites.task import Task
from tsgkit.suites.transcript import Transcript, local

PREFIX = f"{BASELINE}/"
"""The beginning of a baseline's name as a subject: ``baseline/rules``."""


def programs(functions: Mapping[str, Callable[[Any, int], str]]) -> Baselines:
    """Return programs by name; each answers an item in the requested form. The seed decides random choices."""

    def program(task: Task, subject: str, seed: int, dataset: Dataset | None) -> OwnProgram:
        name = baseline_name(subject, functions)
        return OwnProgram(task, name, seed, functions[name])

    return Baselines(tuple(functions), program)


@dataclass(frozen=True)
class OwnProgram:
    """A program of a task, which another process finds by task and name."""

    task: Task
    name: str
    seed: int
    function: Callable[[Any, int], str]

    def __reduce__(self) -> tuple[Any, ...]:
        return _program_named, (self.task, self.name, self.seed)

    @property
    def fingerprint(self) -> str:
        """The program and its seed."""
        return f"{self.name}/{self.seed}"

    def answer(self, item: Any) -> str:  # noqa: ANN401
        """Call the function."""
        return self.function(item, self.seed)


def _program_named(task: Task, name: str, seed: int) -> Program:
    assert task.baselines.program is not None  # noqa: S101  (it was one of its programs)
    return task.baselines.program(task, name, seed, None)


@dataclass(frozen=True)
class OfflineSolver:
    """A solver that asks no model: a built-in program that sees the item, or one of which only transcripts are left."""

    scorer: Scorer
    name: str = BASELINE
    style: str = ""
    program: Program | None = None
    """The program; None where transcripts were recorded, and can only be scored."""
    package: str = "tsgkit"
    """The package whose code it is."""

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the program; empty without one."""
        return "" if self.program is None else self.program.fingerprint

    @property
    def unpublished(self) -> str:
        """The reason why official figures do not apply; else empty."""
        return self.scorer.unpublished

    def judge(self, item: Any, transcript: Transcript | None) -> Judged:  # noqa: ANN401
        """Score a transcript."""
        return self.scorer.judge(item, transcript)

    def unfinished(self, transcript: Transcript) -> str:
        """Return what a transcript lacks."""
        return self.scorer.unfinished(transcript)

    def expected(self, item: Any) -> Expected:  # noqa: ANN401
        """Return no calls."""
        return Expected()

    async def solve(self, item: Any, ask: Ask | None) -> Transcript:  # noqa: ANN401
        """Run the program; ``UsageError`` where there is none."""
        if self.program is None:
            raise UsageError(f"{self.name}: a recorded run can only be scored", hint="tsgkit eval resumes it")
        reply = self.program.answer(item)
        return local(reply) if isinstance(reply, str) else reply


def baseline_name(subject: str, known: Collection[str]) -> str:
    """Return which of the known baselines a subject names; ``UsageError`` where it is none of them.

    >>> baseline_name("baseline/rules", ["random", "rules"])
    'rules'
    """
    name = subject.removeprefix(PREFIX)
    if name not in known:
        raise UsageError(f"there is no {subject}", hint=meant(subject, [PREFIX + baseline for baseline in known]))
    return name
