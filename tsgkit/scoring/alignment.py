"""Alignment of candidate graphs with reference graphs: by position, in order, or in any order.

If several graphs are asked for, one forgotten at the start shifts all others. Pairing by position (as published)
then scores all of them as wrong; the two alignments here show how much of that is due to decomposition and not to
content.

>>> gains = [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
>>> by_place(gains).total, in_order(gains).total, best(gains)
(0.0, 2.0, Alignment(pairs=((0, 1), (1, 2)), total=2.0))

``gains[i][j]`` is the gain of pairing reference i with candidate j. Pairs without gain are left out; ties go to the
smaller numbers, so the result is reproducible. Both alignments are exact; :func:`too_large` says when that would take
too long, and then nothing is computed. :func:`assignment` gains as much as :func:`best` and handles hundreds of each,
but returns any of several equal pairings.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

Gains = Sequence[Sequence[float]]
MOST_REFERENCES = 10


class Alignment(NamedTuple):
    """Pairs of a reference number and a candidate number, and their total gain."""

    pairs: tuple[tuple[int, int], ...]
    total: float


NOTHING = Alignment((), 0.0)


def too_large(references: int, candidates: int) -> bool:
    """Return whether an exact alignment would take too long."""
    return candidates > 4 * references + 16 or references > MOST_REFERENCES


def by_place(gains: Gains) -> Alignment:
    """Pair the first with the first, the second with the second, and so on."""
    pairs = [(number, number) for number in range(min(len(gains), len(gains[0]) if gains else 0))]
    return _earning(pairs, gains)


def in_order(gains: Gains) -> Alignment:
    """Return the best pairing without crossings: it forgives wrong decomposition, but not wrong order."""
    if not _earns(gains):
        return NOTHING
    rows, columns = len(gains), len(gains[0])
    best = [[0.0] * (columns + 1) for _ in range(rows + 1)]
    for row in range(rows - 1, -1, -1):
        for column in range(columns - 1, -1, -1):
            paired = gains[row][column] + best[row + 1][column + 1]
            best[row][column] = max(paired, best[row + 1][column], best[row][column + 1])
    return _earning(_walk_in_order(gains, best), gains)


def _walk_in_order(gains: Gains, best: list[list[float]]) -> list[tuple[int, int]]:
    pairs, row, column = [], 0, 0
    while row < len(gains) and column < len(gains[0]):
        if gains[row][column] and best[row][column] == gains[row][column] + best[row + 1][column + 1]:
            pairs.append((row, column))
            row, column = row + 1, column + 1
        elif best[row][column] == best[row][column + 1]:
            column += 1
        else:
            row += 1
    return pairs


def best(gains: Gains) -> Alignment:
    """Return the best pairing in any order: it forgives wrong decomposition and order, but not wrong content."""
    if not _earns(gains):
        return NOTHING
    rows, columns = len(gains), len(gains[0])

    @cache
    def most(column: int, used: int) -> float:
        """Return the most that the candidates from ``column`` on can gain with the unused references."""
        if column == columns:
            return 0.0
        return max([most(column + 1, used), *(earned(row, column, used) for row in free(column, used))])

    def earned(row: int, column: int, used: int) -> float:
        return gains[row][column] + most(column + 1, used | 1 << row)

    def free(column: int, used: int) -> list[int]:
        return [row for row in range(rows) if gains[row][column] and not used >> row & 1]

    pairs, used = [], 0
    for column in range(columns):
        wanted = most(column, used)
        for row in free(column, used):
            if earned(row, column, used) == wanted:
                pairs.append((row, column))
                used |= 1 << row
                break
    return _earning(sorted(pairs), gains)


def assignment(gains: Gains) -> Alignment:
    """Return a best pairing in any order, with as many pairs as possible (the Hungarian method).

    >>> assignment([[3.0, 2.0], [2.0, 0.0]])
    Alignment(pairs=((0, 1), (1, 0)), total=4.0)
    """
    if not _earns(gains):
        return NOTHING
    if len(gains) > len(gains[0]):
        turned = assignment(list(zip(*gains, strict=True)))
        return turned._replace(pairs=tuple(sorted((row, column) for column, row in turned.pairs)))
    # Prices of rows and columns; a column's owner is the row it is paired with. Row and column 0 stand for none.
    rows, columns = [0.0] * (len(gains) + 1), [0.0] * (len(gains[0]) + 1)
    owners = [0] * len(columns)
    for row in range(1, len(rows)):
        _give(row, gains, rows, columns, owners)
    return _earning(sorted((row - 1, column) for column, row in enumerate(owners[1:]) if row), gains)


def _give(row: int, gains: Gains, rows: list[float], columns: list[float], owners: list[int]) -> None:
    """Pair one more row, and change earlier pairs if that costs less."""
    owners[0], column = row, 0
    costs, before = [math.inf] * len(columns), [0] * len(columns)
    left = set(range(1, len(columns)))
    visited = [0]
    while owners[column]:
        for candidate in left:
            cost = -gains[owners[column] - 1][candidate - 1] - rows[owners[column]] - columns[candidate]
            if cost < costs[candidate]:
                costs[candidate], before[candidate] = cost, column
        column = min(left, key=lambda candidate: (costs[candidate], candidate))
        step = costs[column]
        for candidate in visited:
            rows[owners[candidate]] += step
            columns[candidate] -= step
        for candidate in left:
            costs[candidate] -= step
        left.remove(column)
        visited.append(column)
    while column:
        owners[column], column = owners[before[column]], before[column]


def _earns(gains: Gains) -> bool:
    return any(map(any, gains))


def _earning(pairs: Sequence[tuple[int, int]], gains: Gains) -> Alignment:
    kept = tuple((row, column) for row, column in pairs if gains[row][column])
    return Alignment(kept, sum((gains[row][column] for row, column in kept), 0.0))
