"""Scores and their statistics: corpus values, confidence intervals, paired comparisons, agreement of raters.

=================  ====================================================================================
``score``          a sample's share of a metric: sum, weight, reason, evidence
``outcomes``       how a sample can end, and the counts beside every score
``sets``           precision, recall and F1 of triplets, nodes, edges
``alignment``      which candidate graph answers which reference: by place, in order, whatever fits best
``sequences``      longest common subsequences of actions
``soft``           triplets that say the same in other spellings
``hallucination``  elements outside L, mentioned in the description or new
``pooling``        what a sample contributes to a metric, and the corpus value made of it
``intervals``      confidence intervals of corpus values over clusters
``comparison``      two systems on the same items: difference, interval, test, what could be seen at all
``significance``   the paired tests themselves, and Holm's correction for several of them
``agreement``      how far raters and judges agree
``versions``       pairs of graphs of two versions of a narrative
``set_agreement``  how far two annotators who gave sets agree, beyond chance
=================  ====================================================================================

Pure: nothing here touches the network, the clock, the disk or a model.
"""

from tsgkit.scoring.agreement import Agreement, Measure, balanced_accuracy, cohens_kappa, krippendorffs_alpha
from tsgkit.scoring.comparison import PairedComparison, Resolvable, compare, planned_difference, smallest_difference
from tsgkit.scoring.intervals import Interval, IntervalMethod, interval
from tsgkit.scoring.pooling import Outcome, Part, Pooled, Pooling, Score, pool
from tsgkit.scoring.set_scores import (
    Hallucinations,
    Overlap,
    common_subsequence,
    compare_graphs,
    hallucinations,
    soft_overlap,
)
from tsgkit.scoring.significance import PairedMethod, PairedTest, holm, mcnemar, sign_flip

__all__ = [
    "Agreement",
    "Hallucinations",
    "Interval",
    "IntervalMethod",
    "Measure",
    "Outcome",
    "Overlap",
    "PairedComparison",
    "PairedMethod",
    "PairedTest",
    "Part",
    "Pooled",
    "Pooling",
    "Resolvable",
    "Score",
    "balanced_accuracy",
    "cohens_kappa",
    "common_subsequence",
    "compare",
    "compare_graphs",
    "hallucinations",
    "holm",
    "interval",
    "krippendorffs_alpha",
    "mcnemar",
    "planned_difference",
    "pool",
    "sign_flip",
    "smallest_difference",
    "soft_overlap",
]
