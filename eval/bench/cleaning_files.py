"""Benchmark: ``tsgkit refine`` on a file of 50,000 graphs without a model (limit 30 s), and its memory.

    python eval/bench/cleaning_files.py [--graphs 50000]

The file holds the bundled narratives again and again, a tenth of their graphs spoilt by another seed each time.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from itertools import count
from pathlib import Path

from smoke import SMOKE, sized

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]
from seeded_faults import spoilt_narratives  # noqa: E402

from tsgkit.graph.notation import narratives  # noqa: E402

LIMIT = 30.0


def written(path: Path, graphs: int) -> int:
    """Write so many graphs to a file, or a few more, and return how many."""
    made, lines = 0, list[str]()
    for seed in count():
        for one in spoilt_narratives(share=0.1, seed=seed):
            lines.append(narratives.write(replace(one.spoilt, id=f"{one.spoilt.id}-{seed}")))
            made += len(one.spoilt.graphs)
        if made >= graphs:
            path.write_text("".join(lines), "utf-8")
            return made
    raise AssertionError


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--graphs", type=int, default=sized(50_000, 500))
    graphs = parser.parse_args().graphs
    with tempfile.TemporaryDirectory() as folder:
        source, out = Path(folder, "in.jsonl"), Path(folder, "out.jsonl")
        made = written(source, graphs)
        began = time.perf_counter()
        subprocess.run(
            [sys.executable, "-m", "tsgkit", "refine", str(source), "-o", str(out)],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        seconds = time.perf_counter() - began
        memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        limit = LIMIT * graphs / 50_000
        size = source.stat().st_size / 2**20
    print(f"{made:,} graphs ({size:.0f} MiB): {seconds:.1f} s (limit {limit:.0f}), largest process {memory:.0f} MiB")
    if seconds > limit and not SMOKE:
        sys.exit("limit missed")


if __name__ == "__main__":
    main()
