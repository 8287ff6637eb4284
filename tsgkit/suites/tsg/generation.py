"""Strict scores of generated graphs: the headline by place, and what tells decomposition from content.

With k reference graphs and m candidates, paired by place, an item has P = sum(P_i) / max(k, m), F1 = sum(F1_i) /
max(k, m) and R = sum(R_i) / k; missing and surplus graphs contribute 0. The corpus value weights items by k.

>>> from tsgkit.graph import ActionGraph, Vocabulary
>>> from tsgkit.suites.tsg.strict import graphs
>>> wash, dry = (ActionGraph.of(("person", "verb", verb)) for verb in ("wash", "dry"))
>>> sample = GenerationSample(item_id="0", cluster="", context=(), sentence="", vocabulary=Vocabulary(),
...                           references=(wash, dry))
>>> scores = score_generation(sample, graphs("person -> verb -> dry", 2)).scores
>>> scores["f1"].value, scores["f1_in_order"].value, scores["micro_precision"].value
(0.0, 0.5, 0.0)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tsgkit.graph import ActionGraph
from tsgkit.scoring import alignment
from tsgkit.scoring.hallucination import hallucinations
from tsgkit.scoring.score import Score, right_or_wrong
from tsgkit.scoring.sequences import common_subsequence
from tsgkit.scoring.sets import Overlap, compare_graphs, edges_of, nodes_of, overlap, triplets_of
from tsgkit.scoring.soft import soft_overlap
from tsgkit.suites.tsg.samples import GenerationSample
from tsgkit.suites.tsg.strict import GraphAnswer, fold_graphs, fold_vocabulary

Graphs = Sequence[ActionGraph]
Compare = Callable[[ActionGraph, ActionGraph], Overlap]


@dataclass(frozen=True)
class Scored:
    """The scores of an item and what was counted on the way."""

    scores: dict[str, Score]
    counts: dict[str, int]


def score_generation(sample: GenerationSample, answer: GraphAnswer | None) -> Scored:
    """Every strict metric of an item; without an answer all are zero, with their full weight."""
    references = fold_graphs(sample.references)
    candidates = answer.graphs if answer else ()
    aligned, too_large = alignments(references, candidates)
    made_up, made_up_counts = invented(sample, candidates)
    scores = {
        **headline(references, candidates),
        "exact_match": right_or_wrong(references == candidates, _whether_exact(references, candidates)),
        **aligned,
        "f1_soft": mean_f1(references, candidates, soft_overlap),
        "nodes_f1": mean_f1(references, candidates, lambda one, other: compare_graphs(one, other, nodes_of)),
        "edges_f1": mean_f1(references, candidates, lambda one, other: compare_graphs(one, other, edges_of)),
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


def _whether_exact(references: Graphs, candidates: Graphs) -> str:
    if not candidates:
        return "no graphs"
    return "all graphs, in order" if references == candidates else "not all graphs, in order"


def headline(references: Graphs, candidates: Graphs) -> dict[str, Score]:
    """Precision, recall and F1 by place, and their micro counterparts."""
    pairs = [compare_graphs(*pair) for pair in zip(references, candidates, strict=False)]
    k, m = len(references), len(candidates)
    share = k / max(k, m) if k else 0.0
    reason = f"{m} graphs for {k}: " + (", ".join(f"{pair.f1:.2f}" for pair in pairs[:20]) or "none to compare")
    f1 = Score(share * sum(pair.f1 for pair in pairs), k, reason)
    return {
        "precision": Score(share * sum(pair.precision for pair in pairs), k, reason),
        "recall": Score(sum(pair.recall for pair in pairs), k, reason),
        "f1": f1,
        "f1_per_item": f1,
        **_micro(pairs, references, candidates),
    }


def _micro(pairs: Sequence[Overlap], references: Graphs, candidates: Graphs) -> dict[str, Score]:
    right = sum(pair.right for pair in pairs)
    said, wanted = sum(map(len, candidates)), sum(map(len, references))
    reason = f"{right} right, {said} said, {wanted} wanted"
    return {
        "micro_precision": Score(right, said, reason),
        "micro_recall": Score(right, wanted, reason),
        "micro_f1": Score(2 * right, said + wanted, reason),
    }


def mean_f1(references: Graphs, candidates: Graphs, compare: Compare) -> Score:
    """F1 by place of whatever two graphs are compared by."""
    k, m = len(references), len(candidates)
    total = sum(compare(*pair).f1 for pair in zip(references, candidates, strict=False))
    return Score(total * k / max(k, m) if k else 0.0, k, f"{m} graphs for {k}")


def alignments(references: Graphs, candidates: Graphs) -> tuple[dict[str, Score], bool]:
    """F1 of the best pairings; refused, with no weight, where they would cost too much."""
    k, m = len(references), len(candidates)
    if m and alignment.too_large(k, m):
        refused = Score.missing(f"{m} graphs for {k}: too many to align")
        return {"f1_in_order": refused, "f1_aligned": refused}, True
    if not m:
        nothing = Score(0.0, k, "no graphs to align")
        return {"f1_in_order": nothing, "f1_aligned": nothing}, False
    said = [triplets_of(graph) for graph in candidates]
    gains = [[overlap(one, other).f1 for other in said] for one in map(triplets_of, references)]
    found = {"f1_in_order": alignment.in_order(gains), "f1_aligned": alignment.best(gains)}
    return {
        name: Score(one.total * k / max(k, m), k, " ".join(f"{a}-{b}" for a, b in one.pairs), one.pairs)
        for name, one in found.items()
    }, False


def actions(references: Graphs, candidates: Graphs) -> dict[str, Score]:
    """How well the description was decomposed into actions, whatever else the graphs hold."""
    common = common_subsequence(_action_list(references), _action_list(candidates))
    reason = f"{common.right} in common, {common.said} said, {common.wanted} wanted"
    return {
        "actions_precision": Score(common.precision, 1, reason),
        "actions_recall": Score(common.recall, 1, reason),
        "actions_f1": Score(common.f1, 1, reason),
    }


def _action_list(graphs: Graphs) -> list[str]:
    return [action for graph in graphs for action in graph.actions]


def invented(sample: GenerationSample, candidates: Graphs) -> tuple[dict[str, Score], dict[str, int]]:
    """Elements outside L; an item without an answer invents nothing."""
    found = hallucinations(candidates, fold_vocabulary(sample.vocabulary), sample.sentence)
    elements = {(name, place == 1) for graph in candidates for triplet in graph for place, name in enumerate(triplet)}
    reason = f"mentioned: {', '.join(found.described) or 'none'}; new: {', '.join(found.new) or 'none'}"
    scores = {
        "hallucinated": Score(min(found.total, len(elements)), len(elements), reason, found),
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
