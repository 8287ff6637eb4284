"""Executors: computing is spread over processes, and one that dies affects one unit only."""

from __future__ import annotations

import asyncio
import json
import os
import pickle
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from dying import Dying, DyingScorer
from run_files import lines

from tsgkit.cli import main
from tsgkit.errors import Interrupted, UsageError
from tsgkit.library.cards import card_names, load_card
from tsgkit.runs import executors, rescore_job
from tsgkit.runs.evaluation import Options, evaluate
from tsgkit.runs.execute import solved
from tsgkit.runs.executors import NAMES, Executor, Here, checked_executor, executor_named
from tsgkit.runs.executors.executor import refuse_to_send
from tsgkit.runs.executors.processes import DIED, Processes
from tsgkit.runs.jobs import Engine, Watch
from tsgkit.runs.plan import Plan
from tsgkit.runs.rescore_job import Rescoring
from tsgkit.runs.run_setup import RunSetup
from tsgkit.runs.saved_run import prepared_again
from tsgkit.suites.item_errors import ItemError
from tsgkit.suites.solvers.solver import Solver
from tsgkit.suites.suite import task_of
from tsgkit.suites.tsg.qa import Questions


async def outcomes(executor: Executor, *samples: str) -> list[Any]:
    with executor:
        each = (executor.run(solved, Dying(), sample) for sample in samples)
        return list(await asyncio.gather(*each, return_exceptions=True))


def test_a_process_that_dies_takes_one_sample_with_it() -> None:
    found = asyncio.run(outcomes(Processes(2), "a", "deadly", "b", "c", "d"))
    died = found.pop(1)
    assert isinstance(died, ItemError), "it ends in an error, which is its outcome"
    assert str(died) == DIED == "the processes that computed it died, 3 times"
    texts = [one.replies[0].text.split() for one in found]
    assert [word for word, _ in texts] == ["a", "b", "c", "d"]
    assert str(os.getpid()) not in {process for _, process in texts}
    here = Here().run(lambda shared, item: (shared, item, os.getpid()), 1, 2)
    assert asyncio.run(here) == (1, 2, os.getpid())


def test_a_wrong_name_of_an_executor_gets_a_suggestion() -> None:
    with pytest.raises(UsageError, match="--executor rai: there is no such executor") as problem:
        checked_executor("rai")
    assert "ray" in problem.value.hint
    assert checked_executor(None) is None
    assert [executor_named(name).name for name in NAMES[:2]] == ["here", "processes"]


def test_every_task_can_be_sent_to_other_processes() -> None:
    for name in card_names():
        task = task_of(load_card(name))
        Processes(1).check(task)
        assert pickle.loads(pickle.dumps(task)).key == task.key, name  # noqa: S301  (written here)


def test_code_that_cannot_be_sent_works_here_unless_the_user_wants_it_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(executor: Processes, shared: object) -> None:
        refuse_to_send(executor.name, TypeError("cannot pickle a lock"))

    monkeypatch.setattr(Questions, "computes", True)
    monkeypatch.setattr(executors, "processors", lambda: 2)
    monkeypatch.setattr(Processes, "check", refuse)
    monkeypatch.setattr(Processes, "run", None)
    plan = Plan(tasks=("tsg/sgqa",), models=("baseline/rules",), limit=20)
    assert evaluate(plan, Options(out=tmp_path / "here")).exit_code == 0
    with pytest.raises(UsageError, match="cannot be sent to another process: TypeError: cannot pickle a lock"):
        evaluate(plan, Options(out=tmp_path / "elsewhere", executor="processes"))


PLAN = Plan(tasks=("formalimg/layout", "tsg/sgqa"), models=("baseline/random",), limit=8)


@pytest.fixture
def layouts(tmp_path: Path) -> Path:
    """A run of layouts, scored here."""
    return evaluate(PLAN, Options(out=tmp_path / "here", executor="here")).path


def test_scores_that_take_computing_are_the_same_wherever_they_are_made(
    layouts: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    records = (layouts / "samples.jsonl").read_bytes()
    other = evaluate(PLAN, Options(out=tmp_path / "other", executor="processes")).path
    assert (other / "samples.jsonl").read_bytes() == records
    assert len({json.loads((run / "run.json").read_text())["identity"] for run in (layouts, other)}) == 1
    for name in ("processes", "here"):
        (layouts / "samples.jsonl").write_bytes(b"")
        assert main(["rescore", str(layouts), "--executor", name]) == 0
        assert (layouts / "samples.jsonl").read_bytes() == records
    assert main(["rescore", str(layouts), "--executor", "her"]) == 2
    assert "  here?" in capsys.readouterr().err


def scored_by(monkeypatch: pytest.MonkeyPatch, change: Callable[[Solver], Solver]) -> None:
    """Let another solver score when a run is rescored."""

    def prepared(*given: Any, **named: Any) -> RunSetup:  # noqa: ANN401
        found = prepared_again(*given, **named)
        return replace(found, rows=tuple(replace(row, solver=change(row.solver)) for row in found.rows))

    monkeypatch.setattr(rescore_job, "prepared_again", prepared)


def test_a_sample_whose_scoring_kills_processes_is_a_counted_error_and_the_others_are_scored(
    layouts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = lines(layouts / "samples.jsonl")
    deadly = before[7]["item_id"]
    scored_by(monkeypatch, lambda solver: DyingScorer(scorer=solver, deadly=deadly))
    rescored = Rescoring(layouts, executor="processes").carry_out()
    after = lines(layouts / "samples.jsonl")
    assert [one["outcome"] == "error" for one in after] == [number == 7 for number in range(len(before))]
    others = [(one["item_id"], one["parts"]) for one in after if one["item_id"] != deadly]
    assert others == [(one["item_id"], one["parts"]) for one in before if one["item_id"] != deadly]
    assert [one.item_id for one in rescored.reread] == [deadly]


def test_a_rescoring_that_is_refused_or_interrupted_changes_nothing(
    layouts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = (layouts / "samples.jsonl").read_bytes()
    engines: list[Engine] = []
    watch = Watch(begun=engines.append, changed=lambda: engines[0].stop())
    with pytest.raises(Interrupted, match="is as it was"):
        Rescoring(layouts, executor="here").carry_out(watch)
    assert {one.name for one in layouts.iterdir() if "samples" in one.name} == {"samples.jsonl"}
    assert Rescoring(layouts).carry_out().reread == ()
    scored_by(monkeypatch, lambda solver: DyingScorer(scorer=lambda: None))
    with pytest.raises(UsageError, match="cannot be sent to another process"):
        Rescoring(layouts, executor="processes").carry_out()
    assert (layouts / "samples.jsonl").read_bytes() == before
