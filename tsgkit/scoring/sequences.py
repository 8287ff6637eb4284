"""Longest common subsequence of two lists of actions.

Precision = LCS / said, recall = LCS / wanted, F1 their harmonic mean, all in [0, 1]; of two empty lists all are 1.

>>> common_subsequence(["take", "fill", "put"], ["fill", "take", "put", "wipe"])
Overlap(right=2, said=4, wanted=3)
"""

from __future__ import annotations

from collections.abc import Sequence

from tsgkit.scoring.sets import Overlap


def common_subsequence(reference: Sequence[str], candidate: Sequence[str]) -> Overlap:
    """Return the longest common subsequence of two lists, as an overlap."""
    lengths = [0] * (len(candidate) + 1)
    for wanted in reference:
        diagonal = 0
        for place, said in enumerate(candidate, 1):
            above = lengths[place]
            lengths[place] = diagonal + 1 if said == wanted else max(above, lengths[place - 1])
            diagonal = above
    return Overlap(lengths[-1], len(candidate), len(reference))
