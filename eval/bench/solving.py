"""Time solving made-up and bundled knolling formulas by K, against the limits: median 20 ms, 95 % under 1 s.

python eval/bench/solving.py             # 40 formulas of each K, half of them with a forall, and the bundled items
python eval/bench/solving.py --each 200
python eval/bench/solving.py --rows formalimg_sample.jsonl   # published rows too

The ratio is the time over the limit: below 1 is good. Grounding, the search and both verdicts are timed, loading
OR-tools is not. What is reported as deterministic does not depend on the machine.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Sequence
from pathlib import Path

from smoke import sized

from tsgkit.library.projects import bundled
from tsgkit.logic.formula import Formula
from tsgkit.logic.parser import parse
from tsgkit.logic.repairs import repair
from tsgkit.logic.samples import Twist, configuration, formula_of
from tsgkit.logic.solver import near_misses, solve

MEDIAN_MS = 20
MOST_MS = 1000
TWISTS: tuple[Twist, ...] = ("", "", "or", "not")


def main() -> None:
    """Print a table by K, then the bundled rows, repairs and near misses."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--each", type=int, default=sized(40, 1), help="formulas of each K")
    parser.add_argument("--rows", metavar="JSONL", help="published rows to solve too")
    arguments = parser.parse_args()
    solve(sampled(1, 0))  # loads OR-tools
    print(f"{'':14} {'n':>4} {'median ms':>9} {'ratio':>6} {'95 % ms':>8} {'ratio':>6} {'slowest':>8} {'solved':>7}")
    everything = []
    for k in sized(range(1, 11), range(1, 3)):
        everything += timed(f"K = {k}", [sampled(k, seed) for seed in range(arguments.each)])
    shown("all K", everything)
    timed("bundled", rows(Path(str(bundled("tasks"))) / "formalimg" / "data" / "knolling.jsonl")[: sized(None, 3)])
    if arguments.rows:
        timed("published", rows(Path(arguments.rows)))
    _time_changes()


def sampled(k: int, seed: int) -> Formula:
    """Return a formula of some K."""
    return formula_of(configuration(k, "knolling", seed, universal=seed % 2 == 1, twist=TWISTS[seed // 2 % 4]))


def rows(path: Path) -> list[Formula]:
    """Return the knolling formulas of a file."""
    found = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return [parse(row["dsl"]) for row in found if row["scenario"] == "knolling"]


def timed(name: str, formulas: Sequence[Formula]) -> list[tuple[float, bool]]:
    """Milliseconds of each formula and whether a layout was found, printed as a line."""
    found = []
    for formula in formulas:
        began = time.perf_counter()
        status = solve(formula).status
        found.append(((time.perf_counter() - began) * 1000, status == "satisfiable"))
    shown(name, found)
    return found


def shown(name: str, found: Sequence[tuple[float, bool]]) -> None:
    """One line of the table."""
    times = sorted(one for one, _ in found)
    median, most = statistics.median(times), times[int(0.95 * (len(times) - 1))]
    print(
        f"{name:14} {len(times):4} {median:9.1f} {median / MEDIAN_MS:6.2f} {most:8.1f} {most / MOST_MS:6.2f}"
        f" {times[-1]:8.1f} {sum(solved for _, solved in found):4}/{len(found)}"
    )


def _time_changes() -> None:
    seeds = sized(5, 1)
    for k in sized((3, 6, 10), (3,)):
        formulas = [sampled(k, seed) for seed in range(seeds)]
        layouts = [solve(sampled(k, seed + 100)).layout for seed in range(seeds)]
        began = time.perf_counter()
        least = [repair(formula, layout, effort=1.0).least for formula, layout in zip(formulas, layouts, strict=True)]
        repaired = (time.perf_counter() - began) / seeds
        began = time.perf_counter()
        misses = sum(len(near_misses(formula, 5)) for formula in formulas)
        missed = (time.perf_counter() - began) / max(1, misses)
        proven = f"{sum(least)}/{seeds} proven least"
        print(f"K = {k}: repair of another's layout {repaired:.2f} s ({proven}), near miss {missed:.3f} s")


if __name__ == "__main__":
    main()
