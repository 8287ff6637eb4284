"""The metrics of the four tasks: what each means, how samples are pooled, and which way is better."""

from __future__ import annotations

from dataclasses import dataclass

from tsgkit.scoring.pooling import Pooling

POOLED, PER_ITEM = Pooling.POOLED, Pooling.PER_ITEM


@dataclass(frozen=True)
class Metric:
    """A number a task is judged by, or a diagnostic beside it (``is_headline`` false)."""

    meaning: str
    pooling: Pooling = POOLED
    more_is_better: bool = True
    is_headline: bool = True


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
METRICS = {"sgqa": QUESTIONS, "sgds": CHOICES, "sa-sgg": GRAPHS, "ma-sgg": GRAPHS}
PUBLISHED = {
    "sgqa": ("exact_match",),
    "sgds": ("accuracy",),
    "sa-sgg": ("precision", "recall", "f1"),
    "ma-sgg": ("precision", "recall", "f1"),
}
"""The metrics that the published code computes."""
STYLES = ("zero-shot", "cot", "few-shot", "cot-few-shot", "structured")
