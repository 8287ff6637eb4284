"""Fit the weights of evidence to spoilt graphs, and measure proposals on narratives held out.

    python eval/bench/fitting_repairs.py [--seeds 8] [--folds 6] [--write]

Every bundled narrative is spoilt in the four seeded ways in a quarter of its graphs, as often as there are seeds, and is
seen in three ways: as it is, without sentences, and cut into single sentences without the story. A fit maximises the
probability of the right graph among all edits, with a penalty for large weights. Measured is on narratives that took no
part in the fit, in the way ``tsgkit refine`` works: exact repairs by rules, then evidence. ``--write`` fits to all
narratives and writes tsgkit/graph/evidence/weights.py.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import scipy.optimize
import scipy.sparse

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]
from seeded_faults import Spoilt, bundled, spoilt_narratives  # noqa: E402

from tsgkit.graph.evidence.candidates import edits_of  # noqa: E402
from tsgkit.graph.evidence.features import Situation, Story, action_of, graph_features, triplet_features  # noqa: E402
from tsgkit.graph.evidence.habits import Habits  # noqa: E402
from tsgkit.graph.model import ActionGraph, Description, Narrative  # noqa: E402

PENALTY = 0.02
"""Of squared weights, times the number of graphs, over 100."""
FEATURES = dict[str, float]


@dataclass
class Case:
    """One graph with its edits: their features beside those of the graph as it is, and the place of the right one."""

    features: list[FEATURES]
    right: int
    narrative: int
    kind: str
    way: str
    graph: ActionGraph


def ways(one: Spoilt) -> Iterator[tuple[str, Narrative, list[int]]]:
    """Yield the spoilt narrative in three ways, with the numbers that its graphs have in the whole."""
    whole = one.spoilt
    numbers = list(range(len(whole.graphs)))
    yield "story", whole, numbers
    bare = tuple(replace(description, text=None) for description in whole.descriptions)
    yield "untold", replace(whole, descriptions=bare), numbers
    start = 0
    for description in whole.descriptions:
        size = len(description.graphs)
        for number in range(start, start + size):
            if size == 1:
                alone = (Description(description.text, (whole.graphs[number],)),)
                yield "alone", replace(whole, descriptions=alone), [number]
        start += size


def difference(situation: Situation, graph: ActionGraph, base: Mapping[str, float]) -> FEATURES:
    """Return the features of a graph less those of the graph as it is."""
    found = defaultdict(float, {name: -value for name, value in base.items()})
    for name, value in features_of(situation, graph).items():
        found[name] += value
    return {name: value for name, value in found.items() if value}


def features_of(situation: Situation, graph: ActionGraph) -> FEATURES:
    """Return the features of a graph and all its triplets."""
    action = action_of(graph)
    found = defaultdict[str, float](float)
    for triplet in graph.triplets:
        for name, value in triplet_features(situation, action, triplet):
            found[name] += value
    for name, value in graph_features(situation, action, graph):
        found[name] += value
    return found


def case_of(story: Story, place: int, right: ActionGraph) -> tuple[list[FEATURES], int]:
    """Return the features of all edits of one graph, and the place of the right one (-1: no edit leads there)."""
    situation = story.situation(place)
    base = features_of(situation, situation.graph)
    rows: list[FEATURES] = [{}]
    answer = 0 if situation.graph == right else -1
    for edit in edits_of(situation):
        made = edit.made(situation.graph)
        row = difference(situation, made, base)
        row[f"edit.{edit.name}"] = 1.0
        rows.append(row)
        if answer == -1 and made == right:
            answer = len(rows) - 1
    return rows, answer


def cases_of(seeds: Sequence[int]) -> list[Case]:
    """Return all cases; the habits of other data are those of the other narratives."""
    clean = bundled()
    others = [
        Habits.of(g for place, one in enumerate(clean) if place != number for g in one.graphs)
        for number in range(len(clean))
    ]
    cases = []
    for seed in seeds:
        for number, one in enumerate(spoilt_narratives(seed=seed)):
            for way, narrative, numbers in ways(one):
                story = Story(narrative, others[number])
                for place, whole in enumerate(numbers):
                    kind = str(one.kinds.get(whole, "clean"))
                    if kind == "clean" and (whole + seed) % 2:
                        continue
                    rows, answer = case_of(story, place, one.clean.graphs[whole])
                    cases.append(Case(rows, answer, number, kind, way, narrative.graphs[place]))
    return cases


def fitted(cases: Sequence[Case]) -> dict[str, float]:
    """Return the weights."""
    used = [case for case in cases if case.right >= 0]
    index = {
        name: place for place, name in enumerate(sorted({n for case in used for row in case.features for n in row}))
    }
    matrix, starts, rights = _matrix(used, index)
    sizes = np.diff([*starts, matrix.shape[0]])
    weight = np.array([1.0 if case.kind != "clean" else 2.0 for case in used])
    penalty = PENALTY * weight.sum() / 100

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        scores = matrix @ weights
        most = np.maximum.reduceat(scores, starts)
        powers = np.exp(scores - np.repeat(most, sizes))
        sums = np.add.reduceat(powers, starts)
        shares = powers / np.repeat(sums, sizes)
        value = (weight * (np.log(sums) + most - scores[rights])).sum() + penalty * (weights**2).sum()
        pull = shares * np.repeat(weight, sizes)
        pull[rights] -= weight
        return float(value), matrix.T @ pull + 2 * penalty * weights

    found = scipy.optimize.minimize(loss, np.zeros(len(index)), jac=True, method="L-BFGS-B", options={"maxiter": 400})
    return {name: float(found.x[place]) for name, place in index.items()}


def _matrix(cases: Sequence[Case], index: Mapping[str, int]) -> tuple[scipy.sparse.csr_matrix, np.ndarray, np.ndarray]:
    rows, columns, values, starts, rights = [], [], [], [], []
    number = 0
    for case in cases:
        starts.append(number)
        rights.append(number + case.right)
        for row in case.features:
            for name, value in row.items():
                if name in index:
                    rows.append(number)
                    columns.append(index[name])
                    values.append(value)
            number += 1
    matrix = scipy.sparse.csr_matrix((values, (rows, columns)), shape=(number, len(index)))
    return matrix, np.array(starts), np.array(rights)


def shares_of(case: Case, weights: Mapping[str, float]) -> np.ndarray:
    """Return the probability of each edit; the first is none."""
    scores = np.array([sum(weights.get(n, 0.0) * v for n, v in row.items()) for row in case.features])
    powers = np.exp(scores - scores.max())
    return powers / powers.sum()


def table(cases: Sequence[Case], shares: Sequence[np.ndarray]) -> None:
    """Print what would be restored and what would be touched at several thresholds."""
    for way in ("story", "untold", "alone"):
        mine = [(case, share) for case, share in zip(cases, shares, strict=True) if case.way == way]
        print(
            way,
            {
                kind: sum(case.kind == kind for case, _ in mine)
                for kind in ("clean", "reversed", "mismatched", "missing", "redundant")
            },
        )
        lost = Counter(case.kind for case, _ in mine if case.right < 0)
        print("  no edit leads to the right graph:", dict(lost))
        for least in (0.5, 0.8, 0.9, 0.95):
            done, total = Counter[str](), Counter[str]()
            for case, share in mine:
                best = int(share[1:].argmax()) + 1 if len(share) > 1 else 0
                total[case.kind] += 1
                if best and share[best] >= least:
                    done[case.kind] += best == case.right if case.kind != "clean" else 1
            row = "  ".join(
                f"{kind} {done[kind] / max(1, total[kind]):.1%}"
                for kind in ("reversed", "mismatched", "missing", "redundant")
            )
            print(f"  at {least}: {row}  clean touched {done['clean']} of {total['clean']}")


def main() -> None:
    """Fit and measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=8)
    parser.add_argument("--folds", type=int, default=6)
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    began = time.perf_counter()
    cases = cases_of(range(arguments.seeds))
    print(
        f"{len(cases):,} graphs, {sum(len(case.features) for case in cases):,} edits, {time.perf_counter() - began:.0f} s",
        flush=True,
    )
    shares: list[np.ndarray] = [np.zeros(0)] * len(cases)
    for fold in range(arguments.folds):
        weights = fitted([case for case in cases if case.narrative % arguments.folds != fold])
        for place, case in enumerate(cases):
            if case.narrative % arguments.folds == fold:
                shares[place] = shares_of(case, weights)
    table(cases, shares)
    calibration(cases, shares)
    if arguments.write:
        write(fitted(cases))
    print(f"measured in {time.perf_counter() - began:.0f} s")


def calibration(cases: Sequence[Case], shares: Sequence[np.ndarray]) -> None:
    """Print how often edits of a confidence were right."""
    told = defaultdict[int, list[tuple[float, bool]]](list)
    for case, share in zip(cases, shares, strict=True):
        for place in range(1, len(share)):
            if share[place] >= 0.05:
                told[min(9, int(share[place] * 10))].append((float(share[place]), place == case.right))
    for step in sorted(told):
        pairs = told[step]
        print(
            f"  said {sum(s for s, _ in pairs) / len(pairs):.2f}: right {sum(r for _, r in pairs) / len(pairs):.2f} of {len(pairs)}"
        )


def write(weights: Mapping[str, float]) -> None:
    """Write the weights that say something."""
    lines = [f'        "{name}": {value:.2f},' for name, value in sorted(weights.items()) if abs(value) >= 0.01]
    path = ROOT / "tsgkit" / "graph" / "evidence" / "weights.py"
    head = '"""Weights of the features, written by eval/bench/fitting_repairs.py."""\n\nfrom __future__ import annotations\n\nfrom collections.abc import Mapping\nfrom types import MappingProxyType\n\nWEIGHTS: Mapping[str, float] = MappingProxyType(\n    {\n'
    path.write_text(head + "\n".join(lines) + "\n    }\n)\n", "utf-8")
    print(f"wrote {len(lines)} weights to {path.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
