"""Benchmark: ``tsgkit refine`` on a file of 50,000 graphs without a model (limit 30 s), and its memory.

Memory: the peak of the largest process above that of a file of one story; the limit is 150 MiB, whatever the number of
graphs.

    python eval/bench/cleaning_files.py [--graphs 50000]

The file holds 18 bundled narratives again and again, a tenth of their graphs spoilt by another seed each time.
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
MOST_MEMORY = 150


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


def cleaned(source: Path, out: Path) -> tuple[float, float]:
    """Clean a file; return the peak of the largest process so far in MiB, and the seconds."""
    began = time.perf_counter()
    command = [sys.executable, "-m", "tsgkit", "refine", str(source), "-o", str(out)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024, time.perf_counter() - began


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--graphs", type=int, default=sized(50_000, 500))
    graphs = parser.parse_args().graphs
    with tempfile.TemporaryDirectory() as folder:
        source, out = Path(folder, "in.jsonl"), Path(folder, "out.jsonl")
        made = written(source, graphs)
        few = Path(folder, "few.jsonl")
        few.write_text(source.read_text("utf-8").partition("\n")[0] + "\n", "utf-8")
        idle, _ = cleaned(few, Path(folder, "few-out.jsonl"))
        memory, seconds = cleaned(source, out)
        limit = LIMIT * graphs / 50_000
        size = source.stat().st_size / 2**20
    print(f"{made:,} graphs ({size:.0f} MiB): {seconds:.1f} s (limit {limit:.0f}), largest process {memory:.0f} MiB")
    print(f"  {memory - idle:.0f} MiB more than one story takes (limit {MOST_MEMORY})")
    if (seconds > limit or memory - idle > MOST_MEMORY) and not SMOKE:
        sys.exit("limit missed")


if __name__ == "__main__":
    main()
