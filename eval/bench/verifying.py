"""Benchmark: verdicts a second on one core, against plain evaluation, and the cost of the worst scenes.

    python eval/bench/verifying.py

Two tables. Speed: a formula of K classes in a chain, lifted, on layouts of n objects of these classes; the rival is
the plain evaluator of the tests, which remembers nothing and is stopped where it takes more than a number of steps.
The worst: a column of K classes of which the last is missing, with m copies of each; plain evaluation doubles and
doubles again, and what is remembered keeps ours polynomial.

Times are processor times, so that other programs on the machine disturb them little.
"""

from __future__ import annotations

import gc
import itertools
import platform
import sys
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from statistics import median
from typing import Any, NamedTuple

from smoke import sized

from tsgkit.logic.formula import Formula
from tsgkit.logic.official import verify_official
from tsgkit.logic.parser import parse
from tsgkit.logic.verdicts import Verdict
from tsgkit.logic.verification import verify
from tsgkit.logic.vocabulary import KNOLLING

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))
from logic import naive

KS = sized((3, 6, 10), (3,))
SIZES = sized((5, 10, 20, 40, 64), (5,))
LAYOUTS = sized(12, 1)
GUARD = 400_000
"""How many steps plain evaluation may take: about a second."""
AIM = 10.0
"""Milliseconds that the worst scene (K = 9, 32 objects) may take."""
COLUMNS = sized(((6, 3), (9, 2), (9, 3), (9, 4), (9, 8)), ((6, 3),))
RELATIONS = ("LeftOf", "Above", "AlignedHorizontally", "LargerThan", "Below", "RightOf")
Scene = dict[str, Any]


class Way(NamedTuple):
    """One way to come to a verdict."""

    name: str
    verdict: Callable[[Formula, Scene], object]


def chain(classes: list[str], relations: list[str]) -> Formula:
    """Objects of these classes, each in a relation to the next."""
    names = [f"?{name}" for name in classes]
    atoms = [f"(Is {name} '{label}')" for name, label in zip(names, classes, strict=True)]
    pairs = zip(relations, itertools.pairwise(names), strict=True)
    atoms += [f"({relation} {one} {other})" for relation, (one, other) in pairs]
    return parse("".join(f"(exists {name} " for name in names) + f"(and {' '.join(atoms)})" + ")" * len(names))


def scattered(random: Random, classes: list[str], count: int) -> Scene:
    """Return that many objects of these classes, each somewhere in a cell of its own."""
    objects = []
    for cell in random.sample(range(64), count):
        x, y = 125 * (cell % 8) + random.randrange(60), 125 * (cell // 8) + random.randrange(60)
        objects.append({"label": random.choice(classes), "color": "red", "box_2d": [x, y, x + 60, y + 60]})
    return {"objects": objects}


def column(k: int, copies: int) -> tuple[Formula, Scene]:
    """Return a column of k classes without its last one, with so many copies of each of the others side by side."""
    classes = list(KNOLLING.classes[:k])
    objects = [
        {"label": label, "box_2d": [100 * copy, 100 * row, 100 * copy + 90, 100 * row + 40]}
        for row, label in enumerate(classes[:-1])
        for copy in range(copies)
    ]
    return chain(classes, ["Above"] * (k - 1)), {"objects": objects}


def plain(formula: Formula, scene: Scene) -> bool | None:
    """Plain evaluation of the lifted formula; None where it was stopped."""
    try:
        return naive.official(naive.lift(naive.tree(formula)), scene, GUARD)
    except naive.Slow:
        return None


WAYS = (
    Way("plain", plain),
    Way("official", verify_official),
    Way("strict", lambda formula, scene: verify(formula, scene, explain=False)),
    Way("strict, explained", verify),
)


def milliseconds(way: Way, formula: Formula, scene: Scene) -> tuple[float, bool | None]:
    """Return the processor time of one verdict, and its truth."""
    start = time.process_time()
    verdict = way.verdict(formula, scene)
    spent = (time.process_time() - start) * 1000
    return spent, verdict.truth if isinstance(verdict, Verdict) else verdict  # type: ignore[return-value]


def speed() -> None:
    """Print verdicts per second for each K and n."""
    print(f"Speed: verdicts a second, median of {LAYOUTS} layouts (plain: stopped after {GUARD:,} steps)\n")
    print(f"  {'K':>3}{'n':>4}" + "".join(f"{way.name:>19}" for way in WAYS) + f"{'official/plain':>16}")
    for k, count in itertools.product(KS, SIZES):
        random = Random(f"{k}/{count}")
        times: list[list[float]] = [[] for _ in WAYS]
        stopped = 0
        for _ in range(LAYOUTS):
            classes = random.sample(KNOLLING.classes, k)
            formula = chain(classes, [random.choice(RELATIONS) for _ in range(k - 1)])
            scene = scattered(random, classes, count)
            gc.collect()
            results = [milliseconds(way, formula, scene) for way in WAYS]
            for column_of_times, (spent, _) in zip(times, results, strict=True):
                column_of_times.append(spent)
            stopped += results[0][1] is None
            if len({truth for _, truth in results if truth is not None}) > 1:
                raise SystemExit("the verdicts differ")
        rates = [1000 / max(median(one), 1e-3) for one in times]
        note = f"  plain stopped {stopped} times" if stopped else ""
        print(
            f"  {k:>3}{count:>4}" + "".join(f"{rate:>19,.0f}" for rate in rates) + f"{rates[1] / rates[0]:>16.2f}{note}"
        )
    print()


def worst() -> float:
    """Print what columns cost; the milliseconds of the one that is aimed at."""
    print("The worst: milliseconds for a column whose last class is missing, median of 5\n")
    print(f"  {'K':>3}{'n':>4}" + "".join(f"{way.name:>19}" for way in WAYS))
    aimed = 0.0
    for k, copies in COLUMNS:
        formula, scene = column(k, copies)
        cells = []
        for way in WAYS:
            results = [milliseconds(way, formula, scene) for _ in range(1 if way.name == "plain" else 5)]
            spent = median(one for one, _ in results)
            cells.append(f"{spent:>18.1f}" + ("+" if results[0][1] is None else " "))
            if (k, copies) == (9, 4) and way.name in ("official", "strict"):
                aimed = max(aimed, spent)
        print(f"  {k:>3}{len(scene['objects']):>4}" + "".join(cells))
    print("\n  + stopped there\n")
    return aimed


def main() -> None:
    """Print both tables, and whether the aim is met."""
    print(f"CPython {platform.python_version()}, {platform.machine()}, one core\n")
    speed()
    aimed = worst()
    print(f"aim: {AIM:g} ms for K = 9 and 32 objects: {aimed:.1f} ms, {'met' if aimed <= AIM else 'not met'}")


if __name__ == "__main__":
    main()
