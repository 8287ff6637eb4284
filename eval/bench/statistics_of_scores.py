"""Time the statistics of scores, and count how often tests of equal systems are right.

python eval/bench/statistics_of_scores.py             # seconds
python eval/bench/statistics_of_scores.py --simulate  # false alarms of the tests too; some minutes

The coverage of intervals is counted by eval/bench/coverage.py.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable

from smoke import SMOKE, sized

from tsgkit.scoring import Part, Pooling, compare, interval, sign_flip

CORPORA = sized(1000, 1)
APART = 1_000_000  # a statistic must not draw the very numbers its corpus was made of


def main() -> None:
    """Print the seconds and, where asked, the shares."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--simulate", action="store_true", default=SMOKE, help="count false alarms")
    arguments = parser.parse_args()
    _time_all(random.Random(1))
    if arguments.simulate:
        _simulate()


def _time_all(rng: random.Random) -> None:
    ours = {n: Part(rng.random(), rng.randint(1, 9), str(n)) for n in range(sized(4000, 50))}
    theirs = {n: Part(rng.random(), rng.randint(1, 9), str(n)) for n in range(sized(4000, 50))}
    few = [Part(rng.random(), 1, str(n)) for n in range(200)]
    _timed("interval, 4,000 clusters", lambda: interval(ours.values(), Pooling.POOLED))
    _timed("interval, 200 clusters", lambda: interval(few, Pooling.POOLED))
    _timed("sign-flip, 4,000 clusters, 10,000 rounds", lambda: sign_flip(ours, theirs, Pooling.POOLED, seed=1))
    _timed("compare, 4,000 clusters, all of it", lambda: compare(ours, theirs, Pooling.POOLED, seed=1))


def _timed(name: str, work: Callable[[], object]) -> None:
    began, used = time.perf_counter(), time.process_time()
    work()
    print(f"{name:42} {time.perf_counter() - began:6.2f} s, {time.process_time() - used:6.2f} s of one core")


def _simulate() -> None:
    for clusters in (8, 14, 30):
        print(
            f"5 % sign-flip test of {clusters} clusters of two equal systems: {_false_alarms(clusters):.1%} different"
        )


def _false_alarms(clusters: int) -> float:
    return sum(_differ(random.Random(seed), clusters) for seed in range(CORPORA)) / CORPORA


def _differ(rng: random.Random, clusters: int) -> bool:
    """Return whether two equal systems, on clusters of three items that are hard or easy together, are called
    different.
    """
    ease = [rng.random() for _ in range(clusters)]
    ours, theirs = (
        {(n, k): Part(float(rng.random() < ease[n]), 1, str(n)) for n in range(clusters) for k in range(3)}
        for _ in range(2)
    )
    return sign_flip(ours, theirs, Pooling.POOLED, seed=APART).differs()


if __name__ == "__main__":
    main()
