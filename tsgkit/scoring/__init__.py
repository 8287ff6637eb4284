"""Scores and what may be concluded from them: corpus values, intervals, paired comparisons, agreement of raters.

=================  ====================================================================================
``pooling``        what a sample contributes to a metric, and the corpus value made of it
``bootstrap``      how sure a corpus value is: intervals over clusters
=================  ====================================================================================

Pure: nothing here touches the network, the clock, the disk or a model.
"""

from tsgkit.scoring.bootstrap import Interval, IntervalMethod, interval
from tsgkit.scoring.pooling import Part, Pooled, Pooling, pool

__all__ = [
    "Interval",
    "IntervalMethod",
    "Part",
    "Pooled",
    "Pooling",
    "interval",
    "pool",
]
