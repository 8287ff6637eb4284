"""The benchmarks still work: each runs at its smallest size, where no limit holds."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).resolve().parents[3] / "eval" / "bench"
BENCHES = sorted(path.name for path in BENCH.glob("*.py") if "__main__" in path.read_text())


@pytest.mark.parametrize("name", BENCHES)
def test_a_benchmark_runs_at_its_smallest_size(name: str) -> None:
    command = [sys.executable, str(BENCH / name), "--smoke"]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, cwd=BENCH.parents[1])
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert ran.stdout
