"""Scores and what may be concluded from them: corpus values, intervals, paired comparisons, agreement of raters.

=================  ====================================================================================
``pooling``        what a sample contributes to a metric, and the corpus value made of it
``bootstrap``      how sure a corpus value is: intervals over clusters
``comparing``      two systems on the same items: difference, interval, test, what could be seen at all
``significance``   the paired tests themselves, and Holm's correction for several of them
``agreement``      how far raters and judges agree
=================  ====================================================================================

Pure: nothing here touches the network, the clock, the disk or a model.
"""

from tsgkit.scoring.agreement import Agreement, Measure, balanced_accuracy, cohens_kappa, krippendorffs_alpha
from tsgkit.scoring.bootstrap import Interval, IntervalMethod, interval
from tsgkit.scoring.comparing import Comparison, Resolvable, compare, smallest_difference
from tsgkit.scoring.pooling import Part, Pooled, Pooling, pool
from tsgkit.scoring.significance import PairedMethod, PairedTest, holm, mcnemar, sign_flip

__all__ = [
    "Agreement",
    "Comparison",
    "Interval",
    "IntervalMethod",
    "Measure",
    "PairedMethod",
    "PairedTest",
    "Part",
    "Pooled",
    "Pooling",
    "Resolvable",
    "balanced_accuracy",
    "cohens_kappa",
    "compare",
    "holm",
    "interval",
    "krippendorffs_alpha",
    "mcnemar",
    "pool",
    "sign_flip",
    "smallest_difference",
]
