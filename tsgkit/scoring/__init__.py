"""Scores and what may be concluded from them: corpus values, intervals, paired comparisons, agreement of raters.

=================  ====================================================================================
``pooling``        what a sample contributes to a metric, and the corpus value made of it
=================  ====================================================================================

Pure: nothing here touches the network, the clock, the disk or a model.
"""

from tsgkit.scoring.pooling import Part, Pooled, Pooling, pool

__all__ = [
    "Part",
    "Pooled",
    "Pooling",
    "pool",
]
