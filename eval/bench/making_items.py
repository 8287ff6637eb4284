"""Benchmark: 10,000 items of all kinds made from stories without a model; the limits are 60 seconds and 1.5 GB.

The stories are made up, of 30 steps each. Import, sentences and their checks, L, questions, choices and rows count, in
one process and its workers. The audit and the data card follow and are timed apart (:mod:`auditing` has their limit).
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from itertools import repeat
from pathlib import Path

from smoke import SMOKE, sized

TESTS = Path(__file__).resolve().parents[2] / "tests"
sys.path.insert(0, str(TESTS))

from made_up_stories import made_up_story, possible_steps  # noqa: E402

from tsgkit.graph.notation import narratives  # noqa: E402

SECONDS, MEGABYTES = 60.0, 1_500.0
ITEMS, STORIES, STEPS = 10_000, sized(336, 3), sized(30, 9)
ROWS = ("sgds.jsonl", "sa-sgg.jsonl", "ma-sgg.jsonl")


def items_in(folder: Path) -> int:
    """Return the number of items of all files of rows."""
    lines = sum(len((folder / name).read_text(encoding="utf-8").splitlines()) for name in ROWS)
    questions = (folder / "sgqa.jsonl").read_text(encoding="utf-8").splitlines()
    return lines + sum(len(json.loads(line)["qa_pairs"]) for line in questions)


def timed(command: list[str]) -> tuple[float, int]:
    """Run a command, and return its seconds and exit code."""
    began = time.perf_counter()
    code = subprocess.run(command, check=False).returncode
    return time.perf_counter() - began, code


def main() -> int:
    """Make a benchmark once, and say how long it took and how much memory."""
    with tempfile.TemporaryDirectory() as name:
        source, possible, out = Path(name, "stories.jsonl"), Path(name, "possible.jsonl"), Path(name, "made")
        with source.open("w", encoding="utf-8") as stories, possible.open("w", encoding="utf-8") as steps:
            for story in map(made_up_story, range(STORIES), repeat(STEPS)):
                stories.write(narratives.write(story))
                steps.write(narratives.write(possible_steps(story)))
        command = [sys.executable, "-m", "tsgkit", "make", "tsg", str(source), "-o", str(out), "--quiet"]
        command += ["--possible", str(possible)]
        command += ["--questions", "8", "--choices", "4", "--only"]
        seconds, code = timed([*command, "import,describe,elements,questions,choices,generation"])
        audited, gate = timed([*command, "audit,card"])
        made = items_in(out)
    used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    rate = seconds * ITEMS / made
    print(
        f"{made:,} items in {seconds:.1f} s, so {ITEMS:,} in {rate:.1f} s: {rate / SECONDS:.2f} of the limit", end="; "
    )
    print(f"{used:,.0f} MB at most: {used / MEGABYTES:.2f} of the limit; audit and card {audited:.1f} s")
    missed = rate > SECONDS or used > MEGABYTES or gate != 0
    return int(code != 0 or (missed and not SMOKE))


if __name__ == "__main__":
    sys.exit(main())
