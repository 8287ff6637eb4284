"""The benchmarks still work: each runs at its smallest size, where no limit holds."""

from __future__ import annotations

from pathlib import Path

import pytest
from prefork import Prefork

BENCH = Path(__file__).resolve().parents[3] / "eval" / "bench"
BENCHES = sorted(path.name for path in BENCH.glob("*.py") if '__name__ == "__main__"' in path.read_text())


@pytest.mark.parametrize("name", BENCHES)
def test_a_benchmark_runs_at_its_smallest_size(name: str, commands: Prefork) -> None:
    ran = commands.start("--smoke", program=str(BENCH / name), cwd=BENCH.parents[1]).wait(300)
    assert ran.code == 0, ran.out + ran.err
    assert ran.out
