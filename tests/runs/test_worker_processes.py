"""Worker processes: computing is spread over them, and one that dies affects one sample only."""

from __future__ import annotations

import asyncio
import os

from dying import Dying
from tsgkit.runs.worker_processes import DIED, WorkerPool, spread

from tsgkit.suites.item_errors import ItemError
from tsgkit.suites.transcript import Transcript


def worked_on(*samples: str, workers: int = 2) -> list[Transcript | BaseException]:
    async def work() -> list[Transcript | BaseException]:
        computing = WorkerPool(workers)
        try:
            each = (computing.solve(Dying(), sample) for sample in samples)
            return await asyncio.gather(*each, return_exceptions=True)
        finally:
            computing.close()

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
    assert str(found[1]) == DIED


def test_work_is_spread_over_processes_or_done_here() -> None:
    async def both() -> tuple[list[int], list[int]]:
        with spread(_process, 2) as there:
            others = list(await asyncio.gather(*(there(number) for number in range(6))))
        with spread(_process, 1) as here:
            return others, [await here(0)]

    others, own = asyncio.run(both())
    assert os.getpid() not in others and own == [os.getpid()]


def _process(number: int) -> int:
    return os.getpid()
