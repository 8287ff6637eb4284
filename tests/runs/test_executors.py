"""Executors: computing is spread over processes, and one that dies affects one unit only."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest
from dying import Dying

from tsgkit.errors import UsageError
from tsgkit.runs.evaluation import Options, evaluate
from tsgkit.runs.execute import solved
from tsgkit.runs.executors import NAMES, Executor, Here, checked_executor, executor_named
from tsgkit.runs.executors.processes import DIED, Processes
from tsgkit.runs.plan import Plan
from tsgkit.suites.item_errors import ItemError
from tsgkit.suites.transcript import Transcript


def worked_on(*samples: str, workers: int = 2) -> list[Transcript | BaseException]:
    async def work() -> list[Transcript | BaseException]:
        with Processes(workers) as executor:
            each = (executor.run(solved, Dying(), sample) for sample in samples)
            return list(await asyncio.gather(*each, return_exceptions=True))

    return asyncio.run(work())


def said(found: Transcript | BaseException) -> str | None:
    return None if isinstance(found, BaseException) else found.replies[0].text


def test_samples_are_worked_on_in_other_processes() -> None:
    texts = [said(found) or "" for found in worked_on("a", "b", "c", "d")]
    assert [text.split()[0] for text in texts] == ["a", "b", "c", "d"]
    assert str(os.getpid()) not in {text.split()[1] for text in texts}


def test_a_process_that_dies_takes_one_sample_with_it() -> None:
    found = worked_on("a", "deadly", "b", "c", "d")
    assert [said(one) is None for one in found] == [False, True, False, False, False]
    assert isinstance(found[1], ItemError), "it ends in an error, which is its outcome"
    assert str(found[1]) == DIED == "the processes that computed it died, 3 times"


def test_work_is_spread_over_processes_or_done_here() -> None:
    async def of(executor: Executor, count: int) -> list[int]:
        with executor:
            return list(await asyncio.gather(*(executor.run(_process, None, number) for number in range(count))))

    assert os.getpid() not in asyncio.run(of(Processes(2), 6))
    assert asyncio.run(of(Here(), 1)) == [os.getpid()]


def _process(shared: object, number: int) -> int:
    return os.getpid()


def test_a_wrong_name_of_an_executor_gets_a_suggestion() -> None:
    with pytest.raises(UsageError, match="--executor rai: there is no such executor") as problem:
        checked_executor("rai")
    assert "ray" in problem.value.hint
    assert checked_executor(None) is None
    assert [executor_named(name).name for name in NAMES[:2]] == ["here", "processes"]


def test_where_work_is_done_changes_no_byte_of_its_records(tmp_path: Path) -> None:
    plan = Plan(tasks=("tsg/sgqa", "tsg/ma-sgg"), models=("baseline/rules", "baseline/random"), limit=8)
    for name in ("here", "processes"):
        evaluate(plan, Options(out=tmp_path / name, executor=name))
    assert (tmp_path / "here/samples.jsonl").read_bytes() == (tmp_path / "processes/samples.jsonl").read_bytes()
    headers = [(tmp_path / name / "run.json").read_text(encoding="utf-8") for name in ("here", "processes")]
    assert len({header[header.index('"identity"') :][:40] for header in headers}) == 1
