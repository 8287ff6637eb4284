"""Agreement beyond chance of two annotators who gave sets: the triplets of graphs, the elements of L in a graph.

>>> first = [frozenset("abc"), frozenset("de"), frozenset("fg"), frozenset("h")]
>>> second = [frozenset("abc"), frozenset("dx"), frozenset("fg"), frozenset("h")]
>>> found = sets_alpha([SetPair(*pair, str(number)) for number, pair in enumerate(zip(first, second))])
>>> round(found.value, 3), found.n
(0.75, 4)

Both figures are (observed - expected) / (1 - expected) for a share that is observed and one expected by chance. Their
intervals are those of :mod:`tsgkit.scoring.intervals` for the observed share, with the variance of the whole figure
(the linearised jackknife over clusters), moved to its scale. No interval is given for fewer than two clusters.
"""

from __future__ import annotations

import math
import random
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence, Set
from dataclasses import replace
from itertools import chain
from typing import NamedTuple

from tsgkit.scoring.agreement import Agreement, Measure
from tsgkit.scoring.intervals import (
    Contribution,
    Interval,
    Spread,
    check_level,
    constant_interval,
    jackknife_variance,
    share_interval,
)

MOST_SHARED = 10_000_000
"""With more pairs of sets that share an element, chance is estimated from a sample of the sets."""
SEED = 20
_ROUNDING = 1e-12


class SetPair(NamedTuple):
    """The sets of two annotators for one unit, and the unit's cluster."""

    first: frozenset[Hashable]
    second: frozenset[Hashable]
    cluster: str


class Presence(NamedTuple):
    """The elements that two annotators use in one place, those allowed there, and the cluster of the place."""

    first: frozenset[Hashable]
    second: frozenset[Hashable]
    allowed: frozenset[Hashable]
    cluster: str


def masi_similarity(first: Set[Hashable], second: Set[Hashable]) -> float:
    """Return the similarity of two sets by MASI, 1 minus the distance.

    Definition: the Jaccard index times 1 for equal sets, 2/3 if one holds the other, 1/3 if they overlap otherwise, and
    0 if they are disjoint. Range: 0 to 1; two empty sets are equal, an empty and a filled one disjoint.

    Passonneau 2006, "Measuring Agreement on Set-valued Items (MASI) for Semantic and Pragmatic Annotation".

    >>> round(masi_similarity({"a", "b"}, {"a", "b", "c", "d"}), 3), masi_similarity({"a"}, {"b"})
    (0.333, 0.0)
    """
    return _similarity(len(first), len(second), len(first & second))


def _similarity(first: int, second: int, shared: int) -> float:
    if first == second == shared:
        return 1.0
    jaccard = shared / (first + second - shared)
    return jaccard * (2 / 3 if shared == min(first, second) else 1 / 3)


def sets_alpha(pairs: Iterable[SetPair], *, level: float = 0.95, most_shared: int = MOST_SHARED) -> Agreement:
    """Return Krippendorff's alpha of two annotators with the MASI distance.

    Definition: 1 - Do / De, where Do is the mean distance of the two sets of a unit, and De the mean distance of any
    two of all given sets. Range: -1 to 1; 1 is full agreement, 0 is chance. Without a unit, or where all sets are the
    same, it is undefined.

    De is exact: only sets that share an element are less than 1 apart, and those are counted. Where more than about
    ``most_shared`` pairs of sets do, each set is compared with a sample drawn from a fixed seed, which is the same for
    both orders of the annotators.

    Krippendorff 2011, "Computing Krippendorff's Alpha-Reliability".
    """
    check_level(level)
    units = list(pairs)
    counts = Counter(chain.from_iterable((one.first, one.second) for one in units))
    if not units:
        return Agreement(None, Measure.ALPHA_OF_SETS, 0, reason="no graphs are paired")
    if len(counts) == 1:
        reason = "all graphs are the same, so chance alone would agree"
        return Agreement(None, Measure.ALPHA_OF_SETS, len(units), reason=reason)
    near = _nearness(counts, most_shared)
    number = 2 * len(units)
    ordered = number * (number - 1)
    alike = math.fsum(counts[one] * near[one] for one in counts)
    similar = [masi_similarity(one.first, one.second) for one in units]
    observed = math.fsum(similar) / len(units)
    clusters = _Clusters(observed, alike / ordered)
    for one, share in zip(units, similar, strict=True):
        chance = 2 * (near[one.first] + near[one.second]) / ordered - 2 * alike * (2 * number - 1) / ordered**2
        clusters.add(one.cluster, share / len(units), 1 / len(units), chance)
    return clusters.measured(Measure.ALPHA_OF_SETS, len(units), level)


def _nearness(counts: Mapping[frozenset[Hashable], int], most_shared: int) -> dict[frozenset[Hashable], float]:
    """Return the summed similarity of each set to all other given sets."""
    uses = Counter(chain.from_iterable(counts))
    shared = sum(number * number for number in uses.values()) // 2
    if shared <= most_shared:
        return {one: total - 1 for one, total in _similarities(counts, counts).items()}
    total = sum(counts.values())
    size = max(2, total * most_shared // (2 * shared))
    everything = sorted(counts, key=lambda one: sorted(map(repr, one)))
    drawn = random.Random(SEED).sample(everything, k=size, counts=[counts[one] for one in everything])
    sample = Counter(drawn)
    return {
        one: (similar - sample[one] / counts[one]) * total / size
        for one, similar in _similarities(counts, sample).items()
    }


def _similarities(
    sets: Iterable[frozenset[Hashable]], others: Mapping[frozenset[Hashable], int]
) -> dict[frozenset[Hashable], float]:
    """Return the summed similarity of each set to the others, which count so many times."""
    places: defaultdict[Hashable, list[int]] = defaultdict(list)
    sizes = list(map(len, others))
    for number, other in enumerate(others):
        for element in other:
            places[element].append(number)
    times = list(others.values())
    empty = others.get(frozenset(), 0)
    found = {}
    for one in sets:
        size = len(one)
        kinds: Counter[tuple[int, int]] = Counter()
        for number, shared in Counter(chain.from_iterable(places.get(element, ()) for element in one)).items():
            kinds[sizes[number], shared] += times[number]
        sums = (_similarity(size, other, shared) * number for (other, shared), number in kinds.items())
        found[one] = math.fsum(sums) if one else float(empty)
    return found


def presence_kappa(places: Iterable[Presence], *, level: float = 0.95) -> Agreement:
    """Return Cohen's kappa over whether each allowed element is in a place, pooled over the elements.

    Definition: (Ao - Ae) / (1 - Ae), where Ao is the share of places and elements on which both say present or both
    absent, and Ae what it would be if each annotator used every element as often, but in random places. Chance is
    computed for each element by itself, over the places that allow it: that some elements are in every graph and others
    in few is no agreement. Elements that a place does not allow are left out. Range: -1 to 1; 1 is full agreement, 0 is
    chance. Where every element is everywhere or nowhere, it is undefined. ``n`` counts places times allowed elements.

    Cohen 1960; pooled as in De Vries, Elliott, Kanouse and Teleki 2008, "Using Pooled Kappa to Summarize Interrater
    Agreement across Many Items".

    >>> elements = frozenset("ab")
    >>> used = [("ab", "ab"), ("a", "a"), ("b", "ab"), ("a", "b")]
    >>> found = presence_kappa(Presence(*map(frozenset, pair), elements, "tea") for pair in used)
    >>> round(found.value, 3)
    0.143
    """
    check_level(level)
    found = [one._replace(first=one.first & one.allowed, second=one.second & one.allowed) for one in places]
    table = _Table(found)
    if not table.measured:
        reason = "every element is everywhere or nowhere, so chance alone would agree"
        return Agreement(None, Measure.KAPPA, table.n, reason=reason if found else "no graphs are paired")
    clusters = _Clusters(2 * table.both / table.present, 2 * table.chance / table.present)
    for one in found:
        weight = (len(one.first) + len(one.second)) / table.present
        chance = 2 * table.drawn(one) / table.present - clusters.expected * weight
        clusters.add(one.cluster, 2 * len(one.first & one.second) / table.present, weight, chance)
    return clusters.measured(Measure.KAPPA, table.n, level)


class _Table:
    """How often each element is present to each annotator, and by chance to both.

    With B the number of places where both have an element, a and b where each has it, n where it is allowed, and S the
    sum of a * b / n over the elements, kappa is 2 (B - S) / (a + b - 2 S), each summed over the elements. So it is the
    F1 of the elements, 2 B / (a + b), beyond the one that chance gives, 2 S / (a + b).
    """

    def __init__(self, places: Sequence[Presence]) -> None:
        self.first = Counter(chain.from_iterable(one.first for one in places))
        self.second = Counter(chain.from_iterable(one.second for one in places))
        times = Counter(one.allowed for one in places)
        self.allowed: Counter[Hashable] = Counter()
        for elements, number in times.items():
            self.allowed.update(dict.fromkeys(elements, number))
        self.n = sum(self.allowed.values())
        chance = {
            element: self.first[element] * self.second[element] / self.allowed[element]
            for element in self.first.keys() & self.second.keys()
        }
        self.chance = math.fsum(chance.values())
        lessened = {element: share / self.allowed[element] for element, share in chance.items()}
        self.lessened = {
            elements: math.fsum(lessened[element] for element in elements & lessened.keys()) for elements in times
        }
        self.both = sum(len(one.first & one.second) for one in places)
        self.present = self.first.total() + self.second.total()
        self.measured = self.present - 2 * self.chance > _ROUNDING * max(self.present, 1)

    def drawn(self, one: Presence) -> float:
        """Return the derivative of S by the weight of a place."""
        return math.fsum(
            [
                *(self.second[element] / self.allowed[element] for element in one.first),
                *(self.first[element] / self.allowed[element] for element in one.second),
                -self.lessened[one.allowed],
            ]
        )


class _Clusters:
    """An observed and an expected share, and the contributions of clusters to both."""

    def __init__(self, observed: float, expected: float) -> None:
        self.observed, self.expected = observed, expected
        self._parts: defaultdict[str, list[tuple[float, float, float]]] = defaultdict(list)

    def add(self, cluster: str, agreed: float, weight: float, chance: float) -> None:
        """Add a unit: its part of the observed share, its weight, and the derivative of the expected share by it."""
        self._parts[cluster].append((agreed, weight, chance))

    def measured(self, measure: Measure, n: int, level: float) -> Agreement:
        """Return the agreement with its interval."""
        value = (self.observed - self.expected) / (1 - self.expected)
        interval = self._interval(level)
        return Agreement(value, measure, n, interval=interval, observed=self.observed, expected=self.expected)

    def _interval(self, level: float) -> Interval | None:
        sums = [tuple(map(math.fsum, zip(*self._parts[name], strict=True))) for name in sorted(self._parts)]
        parts = [(Contribution(agreed, weight), chance) for agreed, weight, chance in sums if weight]
        if len(parts) < 2 or max(one.weight for one, _ in parts) > 1 - _ROUNDING:
            return None
        # The change of the figure, times 1 - expected, when a cluster is left out.
        pull = (1 - self.observed) / (1 - self.expected)
        shifts = [(own.sum - self.observed * own.weight - pull * chance) / (1 - own.weight) for own, chance in parts]
        contributions = [own for own, _ in parts]
        if max(map(abs, shifts)) <= _ROUNDING or not _ROUNDING < self.observed < 1 - _ROUNDING:
            found = constant_interval(self.observed, [own.weight for own in contributions], (0.0, 1.0), level)
        else:
            found = share_interval(Spread(self.observed, jackknife_variance(shifts), contributions), level)
        return found and replace(found, low=self._moved(found.low), high=self._moved(found.high))

    def _moved(self, share: float) -> float:
        return (share - self.expected) / (1 - self.expected)
