"""Executors: computing is spread over processes, and one that dies affects one unit only."""

from __future__ import annotations

import asyncio
import json
import os
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from dying import Dying, DyingScorer
from run_files import lines

from tsgkit.cli import main
from tsgkit.errors import UsageError
from tsgkit.library.cards import card_names, load_card
from tsgkit.runs.evaluation import Options, evaluate
from tsgkit.runs.execute import solved
from tsgkit.runs.executors import NAMES, Executor, Here, checked_executor, executor_named
from tsgkit.runs.executors.executor import in_order
from tsgkit.runs.executors.processes import DIED, Processes
from tsgkit.runs.plan import Plan
from tsgkit.runs.saved_run import open_saved_run, records_from_calls
from tsgkit.suites.item_errors import ItemError
from tsgkit.suites.suite import task_of
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


@pytest.mark.parametrize("name", card_names())
def test_every_task_can_be_sent_to_other_processes(name: str) -> None:
    Processes(1).check(task_of(load_card(name)))


async def _number(log: list[str], number: int) -> int:
    log.append(f"{number} begins")
    await asyncio.sleep(0.05 / (number + 1))
    log.append(f"{number} ends")
    return number


def test_results_come_in_order_and_no_more_are_begun_than_may_run() -> None:
    log: list[str] = []
    assert list(in_order((partial(_number, log, number) for number in range(6)), 2)) == list(range(6))
    for place, said in enumerate(log):
        begun, ended = (sum(one.endswith(word) for one in log[: place + 1]) for word in ("begins", "ends"))
        assert begun - ended <= 2, said


def test_what_runs_is_cancelled_where_one_fails() -> None:
    log: list[str] = []

    async def failing(*given: object) -> int:
        raise KeyError

    with pytest.raises(KeyError):
        list(in_order([partial(failing), *[partial(_number, log, 0)] * 2], 3))
    assert "0 ends" not in log


@pytest.fixture
def layouts(tmp_path: Path) -> Path:
    """A run of layouts, scored here."""
    pytest.importorskip("ortools", reason="formulas are solved by the extra tsgkit[logic]")
    plan = Plan(tasks=("formalimg/layout",), models=("baseline/random",), limit=30)
    evaluate(plan, Options(out=tmp_path / "here", executor="here"))
    return tmp_path / "here"


def test_scores_that_take_computing_are_the_same_wherever_they_are_made(
    layouts: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    records = (layouts / "samples.jsonl").read_bytes()
    plan = Plan(tasks=("formalimg/layout",), models=("baseline/random",), limit=30)
    evaluate(plan, Options(out=tmp_path / "other", executor="processes"))
    assert (tmp_path / "other/samples.jsonl").read_bytes() == records
    for name in ("processes", "here"):
        (layouts / "samples.jsonl").write_bytes(b"")
        assert main(["rescore", str(layouts), "--executor", name]) == 0
        assert (layouts / "samples.jsonl").read_bytes() == records
    assert main(["rescore", str(layouts), "--executor", "her"]) == 2
    assert "  here?" in capsys.readouterr().err


def test_a_sample_whose_scoring_kills_processes_is_a_counted_error_and_the_others_are_scored(layouts: Path) -> None:
    before = lines(layouts / "samples.jsonl")
    [row] = open_saved_run(layouts).prepared.rows
    deadly = before[7]["item_id"]
    with Processes(2) as executor:
        other = replace(row, solver=DyingScorer(scorer=row.solver, deadly=deadly))
        found = [json.loads(line) for line in records_from_calls([other], layouts, executor=executor)]
    assert [one["item_id"] for one in found] == [one["item_id"] for one in before]
    assert [one["outcome"] for one in found if one["item_id"] == deadly] == ["error"]
    assert [one["parts"] for one in found if one["item_id"] != deadly] == [
        one["parts"] for one in before if one["item_id"] != deadly
    ]


def test_code_that_cannot_be_sent_to_another_process_is_refused_before_anything_is_scored(layouts: Path) -> None:
    [row] = open_saved_run(layouts).prepared.rows
    own = replace(row, solver=DyingScorer(scorer=lambda: None))
    with Processes(1) as executor, pytest.raises(UsageError, match="cannot be sent to another process"):
        list(records_from_calls([own], layouts, executor=executor))
