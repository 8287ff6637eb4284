"""Metrics that several tasks share: those of generated graphs."""

from __future__ import annotations

from tsgkit.scoring.pooling import Pooling
from tsgkit.suites.metrics import PER_ITEM, POOLED, Metric


def extra(meaning: str, pooling: Pooling = POOLED, *, more_is_better: bool = True) -> Metric:
    """Return a diagnostic that stands beside what a task is judged by."""
    return Metric(meaning, pooling, more_is_better, is_headline=False)


GRAPHS = {
    "precision": Metric("the share of what was said that is right, per graph"),
    "recall": Metric("the share of what was wanted that was said, per graph"),
    "f1": Metric("the harmonic mean of both, per graph"),
    "f1_per_item": extra("f1, every item counting the same whatever its number of graphs", PER_ITEM),
    "exact_match": extra("all graphs of an item are right, none is missing or surplus"),
    "micro_precision": extra("right triplets over all triplets said"),
    "micro_recall": extra("right triplets over all triplets wanted"),
    "micro_f1": extra("the harmonic mean of both"),
    "f1_in_order": extra("f1 of the best pairing of graphs that keeps their order"),
    "f1_aligned": extra("f1 of the best pairing of graphs in any order"),
    "f1_soft": extra("f1 with other spellings and inflections of the same words counting as equal"),
    "nodes_f1": extra("f1 of the sets of node names"),
    "edges_f1": extra("f1 of the sets of edge labels"),
    "actions_precision": extra("common subsequence of actions over actions said", PER_ITEM),
    "actions_recall": extra("common subsequence of actions over actions wanted", PER_ITEM),
    "actions_f1": extra("the harmonic mean of both, per item", PER_ITEM),
    "hallucinated": extra("elements outside L over all elements said", more_is_better=False),
    "hallucinating": extra("items with an element outside L", more_is_better=False),
}
