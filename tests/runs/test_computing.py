"""What computes is spread over processes; one that dies takes one sample with it, and no other."""

from __future__ import annotations

import asyncio
import os

from dying import Dying

from tsgkit.llm.reply import Ending
from tsgkit.runs.computing import DIED, Computing
from tsgkit.suites.transcript import Transcript


def worked_on(*samples: str, workers: int = 2) -> list[Transcript]:
    async def work() -> list[Transcript]:
        computing = Computing(workers)
        try:
            return await asyncio.gather(*(computing.solve(Dying(), sample) for sample in samples))
        finally:
            computing.close()

    return asyncio.run(work())


def test_samples_are_worked_on_in_other_processes() -> None:
    texts = [transcript.replies[0].text or "" for transcript in worked_on("a", "b", "c", "d")]
    assert [text.split()[0] for text in texts] == ["a", "b", "c", "d"]
    assert str(os.getpid()) not in {text.split()[1] for text in texts}


def test_a_process_that_dies_takes_one_sample_with_it() -> None:
    found = worked_on("a", "deadly", "b", "c", "d")
    texts = [transcript.replies[0].text for transcript in found]
    assert [text is None for text in texts] == [False, True, False, False, False]
    failed = found[1].replies[0]
    assert (failed.ending, failed.error) == (Ending.API_ERROR, DIED)
