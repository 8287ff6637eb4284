"""Strict scores of generated graphs: the main one by position, and diagnostics of decomposition and content.

With k reference graphs and m candidates, paired by place, an item has P = sum(P_i) / max(k, m), F1 = sum(F1_i) /
max(k, m) and R = sum(R_i) / k; missing and surplus graphs contribute 0. The corpus value weights items by k.

>>> from tsgkit.graph import ActionGraph, Vocabulary
>>> from tsgkit.graph.reading.answers import read_graphs
>>> wash, dry = (ActionGraph.of(("person", "verb", verb)) for verb in ("wash", "dry"))
>>> sample = GenerationSample(item_id="0", cluster="", context=(), sentence="", vocabulary=Vocabulary(),
...                           references=(wash, dry))
>>> scores = score_generation(sample, read_graphs("person -> verb -> dry", 2)).scores
>>> scores["f1"].value, scores["f1_in_order"].value, scores["micro_precision"].value
(0.0, 0.5, 0.0)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from tsgkit.graph import ActionGraph
from tsgkit.graph.folding import fold_graphs, fold_vocabulary
from tsgkit.graph.reading.answers import GraphAnswer
from tsgkit.scoring import alignment
from tsgkit.scoring.hallucination import hallucinations
from tsgkit.scoring.pooling import Pooling
from tsgkit.scoring.score import Score, right_or_wrong
from tsgkit.scoring.sequences import common_subsequence
from tsgkit.scoring.sets import Overlap, edges_of, nodes_of, overlap, triplets_of
from tsgkit.scoring.soft import soft_overlap
from tsgkit.suites.metrics import PER_ITEM, POOLED, Metric
from tsgkit.suites.tsg.items import GenerationSample

Graphs = Sequence[ActionGraph]
Sets = Sequence[frozenset[object]]
Compared = TypeVar("Compared")


class GraphSets(NamedTuple):
    """The sets by which graphs are compared: one of each kind for every graph."""

    triplets: Sets
    nodes: Sets
    edges: Sets

    @classmethod
    def of(cls, graphs: Graphs) -> GraphSets:
        """Return the sets of these graphs."""
        return cls(*([set_of(graph) for graph in graphs] for set_of in (triplets_of, nodes_of, edges_of)))


@dataclass(frozen=True)
class Scored:
    """The scores of an item, and its counts."""

    scores: dict[str, Score]
    counts: dict[str, int]


def score_generation(sample: GenerationSample, answer: GraphAnswer | None) -> Scored:
    """Return every strict metric of an item; without an answer all are zero, with their full weight."""
    references = fold_graphs(sample.references)
    candidates = answer.graphs if answer else ()
    wanted, said = GraphSets.of(references), GraphSets.of(candidates)
    aligned, too_large = alignments(wanted.triplets, said.triplets)
    made_up, made_up_counts = invented(sample, candidates, said)
    scores = {
        **headline(wanted.triplets, said.triplets),
        "exact_match": _exact_match(references, candidates),
        **aligned,
        "f1_soft": mean_f1(references, candidates, soft_overlap),
        "nodes_f1": mean_f1(wanted.nodes, said.nodes, overlap),
        "edges_f1": mean_f1(wanted.edges, said.edges, overlap),
        **actions(references, candidates),
        **made_up,
    }
    counts = {
        "missing_graphs": max(len(references) - len(candidates), 0),
        "surplus_graphs": max(len(candidates) - len(references), 0),
        "too_large": int(too_large),
        **made_up_counts,
    }
    return Scored(scores, counts)


def _exact_match(references: Graphs, candidates: Graphs) -> Score:
    right = references == candidates
    found = "all graphs, in order" if right else "not all graphs, in order"
    return right_or_wrong(right, found if candidates else "no graphs")


def headline(wanted: Sets, said: Sets) -> dict[str, Score]:
    """Precision, recall and F1 by place, and their micro counterparts, of graphs given as sets of triplets."""
    pairs = [overlap(*pair) for pair in zip(wanted, said, strict=False)]
    k, m = len(wanted), len(said)
    share = k / max(k, m) if k else 0.0
    f1s = [pair.f1 for pair in pairs]
    reason = f"{m} graphs for {k}: " + (", ".join(f"{f1:.2f}" for f1 in f1s[:20]) or "none to compare")
    f1 = Score(share * sum(f1s), k, reason)
    return {
        "precision": Score(share * sum(pair.precision for pair in pairs), k, reason),
        "recall": Score(sum(pair.recall for pair in pairs), k, reason),
        "f1": f1,
        "f1_per_item": f1,
        **_micro(sum(pair.right for pair in pairs), sum(map(len, said)), sum(map(len, wanted))),
    }


def _micro(right: int, said: int, wanted: int) -> dict[str, Score]:
    reason = f"{right} right, {said} said, {wanted} wanted"
    return {
        "micro_precision": Score(right, said, reason),
        "micro_recall": Score(right, wanted, reason),
        "micro_f1": Score(2 * right, said + wanted, reason),
    }


def mean_f1(
    wanted: Sequence[Compared], said: Sequence[Compared], compare: Callable[[Compared, Compared], Overlap]
) -> Score:
    """F1 by place of whatever two graphs are compared by."""
    k, m = len(wanted), len(said)
    total = sum([compare(*pair).f1 for pair in zip(wanted, said, strict=False)])
    return Score(total * k / max(k, m) if k else 0.0, k, f"{m} graphs for {k}")


def alignments(wanted: Sets, said: Sets) -> tuple[dict[str, Score], bool]:
    """F1 of the best pairings of sets of triplets; refused, with no weight, where they would cost too much."""
    k, m = len(wanted), len(said)
    if m and alignment.too_large(k, m):
        refused = Score.missing(f"{m} graphs for {k}: too many to align")
        return {"f1_in_order": refused, "f1_aligned": refused}, True
    if not m:
        nothing = Score(0.0, k, "no graphs to align")
        return {"f1_in_order": nothing, "f1_aligned": nothing}, False
    gains = [[overlap(one, other).f1 for other in said] for one in wanted]
    found = {"f1_in_order": alignment.in_order(gains), "f1_aligned": alignment.best(gains)}
    return {
        name: Score(one.total * k / max(k, m), k, " ".join(f"{a}-{b}" for a, b in one.pairs), one.pairs)
        for name, one in found.items()
    }, False


def actions(references: Graphs, candidates: Graphs) -> dict[str, Score]:
    """Return how well the description was decomposed into actions, whatever else the graphs hold."""
    common = common_subsequence(_action_list(references), _action_list(candidates))
    reason = f"{common.right} in common, {common.said} said, {common.wanted} wanted"
    return {
        "actions_precision": Score(common.precision, 1, reason),
        "actions_recall": Score(common.recall, 1, reason),
        "actions_f1": Score(common.f1, 1, reason),
    }


def _action_list(graphs: Graphs) -> list[str]:
    return [action for graph in graphs for action in graph.actions]


def invented(sample: GenerationSample, candidates: Graphs, said: GraphSets) -> tuple[dict[str, Score], dict[str, int]]:
    """Elements outside L; an item without an answer invents nothing."""
    found = hallucinations(candidates, fold_vocabulary(sample.vocabulary), sample.sentence)
    elements = sum(len(frozenset().union(*names)) for names in (said.nodes, said.edges))
    reason = f"mentioned: {', '.join(found.described) or 'none'}; new: {', '.join(found.new) or 'none'}"
    scores = {
        "hallucinated": Score(min(found.total, elements), elements, reason, found),
        "hallucinating": right_or_wrong(bool(found.total), reason),
    }
    counts = {
        "hallucinated_total": found.total,
        "hallucinated_desc": len(found.described),
        "hallucinated_new": len(found.new),
        "hallucinating_items": int(bool(found.total)),
        "hallucinating_items_desc": int(bool(found.described)),
        "hallucinating_items_new": int(bool(found.new)),
    }
    return scores, counts


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
