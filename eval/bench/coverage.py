"""Count how often the 95 % intervals hold the truth, on simulated corpora, and how wide they are.

python eval/bench/coverage.py                  # 1,000 corpora a setting; some minutes
python eval/bench/coverage.py --corpora 4000   # what the documentation shows

A corpus has clusters of 5 items each, or of very unequal size (log-normal, a hundred times between the smallest and the
largest of 60). Items of a cluster are unrelated, alike or equal (intraclass correlation 0, 0.1, 0.3, 1). Scores are
right or wrong (share), the F1 of a graph (half of the graphs all or nothing, half in fifths), or triplets pooled over
graphs of random size (ratio); a difference is that of two systems on the same items.

Limits: at least 93 % everywhere, and at most 98 % for values from .2 to .8; where a setting is above that, the interval
is wider than it had to be, and its mean width stands beside.
"""

from __future__ import annotations

import argparse
import math
import random
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from statistics import NormalDist, fmean
from typing import NamedTuple

from smoke import SMOKE, sized

from tsgkit.scoring import Part, Pooling, interval
from tsgkit.scoring.comparison import paired_interval
from tsgkit.scoring.significance import pair

CLUSTERS = sized((10, 20, 40, 60), (10,))
VALUES = sized((0.03, 0.1, 0.2, 0.5, 0.8, 0.97), (0.5,))
DIFFERENCES = sized((0.0, 0.03, 0.1, 0.3, 0.6, 0.9), (0.3,))
LIKENESS = (0.0, 0.1, 0.3, 1.0)
LEAST, MOST = 0.93, 0.98

Draw = Callable[[random.Random, int, float, float], list[tuple[float, float]]]


class Setting(NamedTuple):
    """One kind of corpus and its true value."""

    kind: str
    sizes: str
    clusters: int
    likeness: float
    truth: float


class Found(NamedTuple):
    """The share of intervals that hold the truth, and their mean width."""

    setting: Setting
    coverage: float
    width: float


def sizes_of(kind: str, clusters: int) -> list[int]:
    """Return how many items each cluster has."""
    if kind == "equal":
        return [5] * clusters
    normal = NormalDist()
    return [max(1, round(4 * math.exp(1.2 * normal.inv_cdf((n + 0.5) / clusters)))) for n in range(clusters)]


def ease_of(rng: random.Random, truth: float, likeness: float) -> float:
    """Return the expected score of a cluster's items."""
    if likeness == 0:
        return truth
    if likeness == 1:
        return float(rng.random() < truth)
    concentration = 1 / likeness - 1
    return rng.betavariate(truth * concentration, (1 - truth) * concentration)


def shares(rng: random.Random, items: int, ease: float) -> tuple[float, float]:
    """Return how many items are right, and how many there are."""
    return float(sum(rng.random() < ease for _ in range(items))), float(items)


def graphs(rng: random.Random, items: int, ease: float) -> tuple[float, float]:
    """Return the summed F1 of graphs, and how many there are."""
    total = 0.0
    for _ in range(items):
        steps = 1 if rng.random() < 0.5 else 5
        total += sum(rng.random() < ease for _ in range(steps)) / steps
    return total, float(items)


def ratios(rng: random.Random, items: int, ease: float) -> tuple[float, float]:
    """Return how many triplets are right, and how many were written."""
    written = sum(1 + sum(rng.random() < 0.4 for _ in range(10)) for _ in range(items))
    return float(sum(rng.random() < ease for _ in range(written))), float(written)


KINDS = {"share": shares, "F1": graphs, "ratio": ratios}


def corpus(rng: random.Random, setting: Setting) -> list[Part]:
    """Return one corpus, a part for each cluster."""
    found = []
    for n, items in enumerate(sizes_of(setting.sizes, setting.clusters)):
        right, weight = KINDS[setting.kind](rng, items, ease_of(rng, setting.truth, setting.likeness))
        found.append(Part(right, weight, str(n)))
    return found


def pairs(rng: random.Random, setting: Setting) -> tuple[dict[int, Part], dict[int, Part]]:
    """Return two systems on the same items: a fifth of the items (or more) tells them apart."""
    discordant = max(abs(setting.truth), 0.2)
    gain, loss = (discordant + setting.truth) / 2, (discordant - setting.truth) / 2
    ours, theirs = {}, {}
    for n, items in enumerate(sizes_of(setting.sizes, setting.clusters)):
        won, lost = _chances(rng, gain, loss, setting.likeness)
        ours[n], theirs[n] = _scored(rng, items, won, lost, str(n))
    return ours, theirs


def _chances(rng: random.Random, gain: float, loss: float, likeness: float) -> tuple[float, float]:
    if likeness == 0:
        return gain, loss
    if likeness == 1:
        draw = rng.random()
        return float(draw < gain), float(gain <= draw < gain + loss)
    parts = [rng.gammavariate(max(part, 1e-9) * (1 / likeness - 1), 1) for part in (gain, loss, 1 - gain - loss)]
    whole = sum(parts) or 1.0
    return parts[0] / whole, parts[1] / whole


def _scored(rng: random.Random, items: int, won: float, lost: float, cluster: str) -> tuple[Part, Part]:
    mine = other = 0.0
    for _ in range(items):
        draw, both = rng.random(), float(rng.random() < 0.5)
        mine += 1.0 if draw < won else 0.0 if draw < won + lost else both
        other += 0.0 if draw < won else 1.0 if draw < won + lost else both
    return Part(mine, items, cluster), Part(other, items, cluster)


def settings() -> Iterator[Setting]:
    """Return every setting that is simulated."""
    for kind in (*KINDS, "difference"):
        truths = DIFFERENCES if kind == "difference" else VALUES
        for sizes in ("equal", "unequal"):
            for clusters in CLUSTERS:
                yield from (Setting(kind, sizes, clusters, one, truth) for one in LIKENESS for truth in truths)


def simulate(setting: Setting, corpora: int) -> Found:
    """Count how often the interval holds the truth."""
    rng = random.Random(repr(setting))
    held, widths = 0, []
    for _ in range(corpora):
        if setting.kind == "difference":
            found = paired_interval(pair(*pairs(rng, setting), Pooling.POOLED))
        else:
            found = interval(corpus(rng, setting), Pooling.POOLED)
        if found is None:
            raise AssertionError(setting)
        held += found.low <= setting.truth <= found.high
        widths.append(found.high - found.low)
    return Found(setting, held / corpora, fmean(widths))


def table(found: list[Found]) -> Iterator[str]:
    """Return the rows of the documentation's table."""
    groups: dict[tuple[str, str, int], list[Found]] = defaultdict(list)
    for one in found:
        groups[one.setting[:3]].append(one)
    yield "| value | sizes | clusters | least coverage | between .2 and .8 | mean width there |"
    yield "|---|---|---|---|---|---|"
    for (kind, sizes, clusters), members in groups.items():
        middle = [one for one in members if 0.2 <= one.setting.truth <= 0.8]
        least, most = min(one.coverage for one in middle), max(one.coverage for one in middle)
        yield (
            f"| {kind} | {sizes} | {clusters} | {min(one.coverage for one in members):.1%} "
            f"| {least:.1%} to {most:.1%} | {fmean(one.width for one in middle):.2f} |"
        )


def main() -> int:
    """Print the table, and what misses a limit by more than chance."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpora", type=int, default=sized(1000, 2), help="corpora a setting (default 1000)")
    corpora = parser.parse_args().corpora
    found = [simulate(setting, corpora) for setting in settings()]
    print("\n".join(table(found)))
    doubt = 2.6 * math.sqrt(LEAST * (1 - LEAST) / corpora)
    low = [one for one in found if one.coverage < LEAST - doubt]
    high = [one for one in found if 0.2 <= one.setting.truth <= 0.8 and one.coverage > MOST + doubt / 2]
    print(
        f"\n{len(found)} settings, {corpora} corpora each; below {LEAST:.0%}: {len(low)}; above {MOST:.0%}: {len(high)}"
    )
    for one in low:
        print(f"below: {one.setting} {one.coverage:.1%}")
    return 1 if low and not SMOKE else 0


if __name__ == "__main__":
    sys.exit(main())
