"""Benchmark: time and memory of a report of a large run: gathered, with intervals, written.

    python eval/bench/reporting.py [--samples 20000]

Each report is made in a fresh process, of a run of ``baseline/random`` whose rows have scenarios. The limits are 5 s
and 200 MiB for 20,000 samples. Seconds are those of the clock and, in brackets, of the processor: on a machine that
does other work the two part.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from smoke import printed, sized

sys.path.insert(0, str(Path(__file__).parent))
from evaluating import OFFLINE, ROOT, python, rows_of

REPORT = """
import resource, sys, time
from tsgkit.report.formats import write
from tsgkit.report.report_rows import gather
began, used = time.perf_counter(), time.process_time()
run, name, metrics, *by = sys.argv[1:]
text = write(gather([run], by, metrics=metrics), name)
assert len(text) > 200
memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(time.perf_counter() - began, time.process_time() - used, memory)
"""

READING = {"ma-sgg": (["json", "headline", "implicit"],)}
"""Groups that look up every action in its sentence; they take longer than the limit."""


def measured(run: Path, *words: str) -> tuple[float, float, float]:
    """Seconds by the clock and by the processor, and MiB, of one report."""
    wall, used, memory = map(float, printed(REPORT, run, *words, PYTHONPATH=str(ROOT)).split())
    return wall, used, memory


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=sized(20_000, 12))
    samples = parser.parse_args().samples
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for task in sized(("sgqa", "ma-sgg"), ("ma-sgg",)):
            data, run = rows_of(task, samples, folder / f"{task}.jsonl"), folder / task
            python(OFFLINE, f"tsg/{task}", data, run, cache=folder)
            for words in (["terminal", "headline"], ["json", "headline", "k"], ["csv", "all"], *READING.get(task, ())):
                wall, used, memory = measured(run, *words)
                shown = f"{samples:,} samples of tsg/{task}, {' '.join(words)}"
                print(f"{shown:<52} {wall:6.2f} s ({used:.2f} s; limit 5 s), {memory:4.0f} MiB (limit 200 MiB)")


if __name__ == "__main__":
    main()
