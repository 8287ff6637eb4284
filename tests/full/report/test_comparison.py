"""Comparisons of rows that are equal: as many are called different as the level allows."""

from __future__ import annotations

import random

from reported import contender

from tsgkit.report.comparison import paired
from tsgkit.scoring.pooling import Part


def parts(rng: random.Random) -> dict[str, Part]:
    return {str(n): Part(rng.random(), 1, str(n)) for n in range(10)}


def test_about_one_in_twenty_of_equal_rows_is_called_different() -> None:
    # With ten clusters the attainable level is 25 / 512; of 1,000, 99.9 % of binomial counts lie between 26 and 72.
    rng = random.Random(2024)
    couples = [(contender("a", parts(rng)), contender("b", parts(rng))) for _ in range(1000)]
    raw = [paired([couple], seed=7)[0] for couple in couples]
    assert 26 <= sum(pair.differs for pair in raw) <= 72
    # Five at a time, corrected: of 200 studies at most one in twenty may call any pair different.
    studies = [paired(couples[start : start + 5], seed=7) for start in range(0, 1000, 5)]
    assert sum(any(pair.differs for pair in study) for study in studies) <= 20
