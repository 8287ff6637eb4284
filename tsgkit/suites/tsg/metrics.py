"""The metrics of all tasks: what each means, how samples are pooled, and which way is better."""

from __future__ import annotations

from tsgkit.scoring.pooling import Pooling
from tsgkit.suites.metrics import PER_ITEM, POOLED, Metric


def _extra(meaning: str, pooling: Pooling = POOLED, *, more_is_better: bool = True) -> Metric:
    return Metric(meaning, pooling, more_is_better, is_headline=False)


QUESTIONS = {
    "exact_match": Metric("the answer is the node that was asked for"),
    "normalised": _extra("the same, spaces, underscores and hyphens folded"),
    "not_a_node": _extra("the answer is no node of the graphs", more_is_better=False),
}
CHOICES = {"accuracy": Metric("the right candidate was chosen")}
GRAPHS = {
    "precision": Metric("the share of what was said that is right, per graph"),
    "recall": Metric("the share of what was wanted that was said, per graph"),
    "f1": Metric("the harmonic mean of both, per graph"),
    "f1_per_item": _extra("f1, every item counting the same whatever its number of graphs", PER_ITEM),
    "exact_match": _extra("all graphs of an item are right, none is missing or surplus"),
    "micro_precision": _extra("right triplets over all triplets said"),
    "micro_recall": _extra("right triplets over all triplets wanted"),
    "micro_f1": _extra("the harmonic mean of both"),
    "f1_in_order": _extra("f1 of the best pairing of graphs that keeps their order"),
    "f1_aligned": _extra("f1 of the best pairing of graphs in any order"),
    "f1_soft": _extra("f1 with other spellings and inflections of the same words counting as equal"),
    "nodes_f1": _extra("f1 of the sets of node names"),
    "edges_f1": _extra("f1 of the sets of edge labels"),
    "actions_precision": _extra("common subsequence of actions over actions said", PER_ITEM),
    "actions_recall": _extra("common subsequence of actions over actions wanted", PER_ITEM),
    "actions_f1": _extra("the harmonic mean of both, per item", PER_ITEM),
    "hallucinated": _extra("elements outside L over all elements said", more_is_better=False),
    "hallucinating": _extra("items with an element outside L", more_is_better=False),
}
NODES = {
    "precision": Metric("the share of the names said that are nodes, per item"),
    "recall": Metric("the share of the nodes that were named, per item"),
    "f1": Metric("the harmonic mean of both, per item"),
    "exact_match": _extra("all nodes of an item and no other names"),
    "outside": _extra("names outside L over all names said", more_is_better=False),
}
ACTIONS = {
    "precision": Metric("common subsequence of actions over actions said, per item"),
    "recall": Metric("common subsequence of actions over actions wanted, per item"),
    "f1": Metric("the harmonic mean of both, per item"),
    "exact_match": _extra("all actions of an item in order and no others"),
    "count_match": _extra("as many actions as there are, right or not"),
    "outside": _extra("names that are no actions of L over all names said", more_is_better=False),
}
REPAIRS = {
    "precision": Metric("the share of the triplets said that are right"),
    "recall": Metric("the share of the triplets wanted that were said"),
    "f1": Metric("the harmonic mean of both, per graph"),
    "exact_match": _extra("the graph is as it was before it was spoilt"),
    "f1_before": _extra("f1 of the graphs as they were given, the same for every subject"),
    "fixed": _extra("errors that are mended, over all errors"),
    "left": _extra("errors of which nothing changed, over all errors", more_is_better=False),
    "newly_broken": _extra("graphs in which a right triplet was lost or a wrong one added", more_is_better=False),
}
METRICS = {
    "sgqa": QUESTIONS,
    "sgds": CHOICES,
    "sa-sgg": GRAPHS,
    "ma-sgg": GRAPHS,
    "nodes-sa": NODES,
    "nodes-ma": NODES,
    "edges-sa": GRAPHS,
    "edges-ma": GRAPHS,
    "actions": ACTIONS,
    "refine": REPAIRS,
    "refine-hinted": REPAIRS,
}
PUBLISHED = {
    "sgqa": ("exact_match",),
    "sgds": ("accuracy",),
    "sa-sgg": ("precision", "recall", "f1"),
    "ma-sgg": ("precision", "recall", "f1"),
}
"""The metrics that the published code computes; for other tasks it has no reader."""
STYLES = ("zero-shot", "cot", "few-shot", "cot-few-shot", "structured")
