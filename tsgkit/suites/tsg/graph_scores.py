"""Strict scores of generated graphs: the main one by position, and diagnostics of decomposition and content.

With k reference graphs and m candidates, paired by place, an item has P = sum(P_i) / max(k, m), F1 = sum(F1_i) /
max(k, m) and R = sum(R_i) / k; missing and surplus graphs contribute 0. The corpus value weights items by k.

>>> from tsgkit.graph import ActionGraph, Vocabulary
>>> from tsgkit.graph.reading.answers import read_graphs
>>> wash, dry = (ActionGraph.of(("person", "verb", verb)) for verb in ("wash", "dry"))
>>> sample = GenerationSample(item_id="0", cluster="", context=(), sentence="", vocabulary=Vocabulary(),
...                           references=(wash, dry))
>>> scores = score_generation(sample, read_graphs("person -> verb -> dry", 2)).strict
>>> scores["f1"].value, scores["f1_in_order"].value, scores["micro_precision"].value
(0.0, 0.5, 0.0)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar

from tsgkit.graph import ActionGraph
from tsgkit.graph.edits import diff
from tsgkit.graph.folding import fold_graphs, fold_vocabulary
from tsgkit.graph.reading.answers import GraphAnswer
from tsgkit.scoring import alignment
from tsgkit.scoring.pooling import Pooling, Score, right_or_wrong
from tsgkit.scoring.set_scores import (
    Overlap,
    common_subsequence,
    edges_of,
    hallucinations,
    nodes_of,
    overlap,
    soft_overlap,
    triplets_of,
)
from tsgkit.suites.judgement import AnswerScores, Scores
from tsgkit.suites.metrics import PER_ITEM, POOLED, Metric
from tsgkit.suites.tsg.items import GenerationSample
from tsgkit.suites.tsg.task import lists_of

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


def score_generation(
    sample: GenerationSample, answer: GraphAnswer | None, official: Scores | None = None
) -> AnswerScores:
    """Return every strict metric of an item beside the official ones; without an answer all are zero, with their full
    weight.
    """
    references = fold_graphs(sample.references)
    candidates = answer.graphs if answer else ()
    wanted, answered = GraphSets.of(references), GraphSets.of(candidates)
    aligned, too_large = alignments(wanted.triplets, answered.triplets)
    hallucinated, hallucinated_counts = invented(sample, candidates, answered)
    is_right = references == candidates
    verdict = ("all" if is_right else "not all") + " graphs, in order" if candidates else "no graphs"
    scores = {
        **headline(wanted.triplets, answered.triplets),
        "exact_match": right_or_wrong(is_right, verdict),
        **aligned,
        "f1_soft": mean_f1(references, candidates, soft_overlap),
        "nodes_f1": mean_f1(wanted.nodes, answered.nodes, overlap),
        "edges_f1": mean_f1(wanted.edges, answered.edges, overlap),
        **actions(references, candidates),
        **hallucinated,
    }
    counts = {
        "missing_graphs": max(len(references) - len(candidates), 0),
        "surplus_graphs": max(len(candidates) - len(references), 0),
        "too_large": int(too_large),
        **hallucinated_counts,
    }
    vocabulary = fold_vocabulary(sample.vocabulary)
    evidence: list[dict[str, object]] = []
    for reference, candidate in zip(references, candidates, strict=False):
        difference = diff(reference, candidate, vocabulary)
        evidence.append({"matched": len(difference.matched), "changes": [str(c) for c in difference.changes]})
    evidence += [{"matched": 0, "changes": ["the whole graph is missing"]} for _ in references[len(candidates) :]]
    evidence += [{"matched": 0, "changes": ["a surplus graph"]} for _ in candidates[len(references) :]]
    scored = scores_of_graphs(answer, scores, counts, evidence)
    skipped = int(official is not None and official["f1"].weight == 0)
    return scored._replace(official=official, counts={**scored.counts, "skipped_official": skipped})


def scores_of_graphs(
    answer: GraphAnswer | None,
    scores: Scores,
    counts: dict[str, int],
    evidence: Any,  # noqa: ANN401
) -> AnswerScores:
    """Return scores with the graphs as JSON has them, and the notes about their reading."""
    counts = counts | {"repaired": int(bool(answer and answer.reading.repaired))}
    if not answer:
        return AnswerScores(scores, evidence=evidence, counts=counts)
    notes = (*map(str, answer.reading.notes), *answer.asides)
    return AnswerScores(scores, None, lists_of(answer.graphs), evidence, counts, notes)


def headline(wanted: Sets, answered: Sets) -> dict[str, Score]:
    """Precision, recall and F1 by place, and their micro counterparts, of graphs given as sets of triplets."""
    pairs = [overlap(*pair) for pair in zip(wanted, answered, strict=False)]
    k, m = len(wanted), len(answered)
    share = k / max(k, m) if k else 0.0
    reason = f"{m} graphs for {k}: " + (", ".join(f"{pair.f1:.2f}" for pair in pairs[:20]) or "none to compare")
    f1 = Score(share * sum(pair.f1 for pair in pairs), k, reason)
    right, all_answered, all_wanted = sum(pair.right for pair in pairs), sum(map(len, answered)), sum(map(len, wanted))
    micro = f"{right} right, {all_answered} said, {all_wanted} wanted"
    return {
        "precision": Score(share * sum(pair.precision for pair in pairs), k, reason),
        "recall": Score(sum(pair.recall for pair in pairs), k, reason),
        "f1": f1,
        "f1_per_item": f1,
        "micro_precision": Score(right, all_answered, micro),
        "micro_recall": Score(right, all_wanted, micro),
        "micro_f1": Score(2 * right, all_answered + all_wanted, micro),
    }


def mean_f1(
    wanted: Sequence[Compared], answered: Sequence[Compared], compare: Callable[[Compared, Compared], Overlap]
) -> Score:
    """F1 by place of whatever two graphs are compared by."""
    k, m = len(wanted), len(answered)
    total = sum([compare(*pair).f1 for pair in zip(wanted, answered, strict=False)])
    return Score(total * k / max(k, m) if k else 0.0, k, f"{m} graphs for {k}")


def alignments(wanted: Sets, answered: Sets) -> tuple[dict[str, Score], bool]:
    """F1 of the best pairings of sets of triplets; refused, with no weight, where they would cost too much."""
    k, m = len(wanted), len(answered)
    too_large = bool(m) and alignment.too_large(k, m)
    if too_large or not m:
        none = Score.missing(f"{m} graphs for {k}: too many to align") if m else Score(0.0, k, "no graphs to align")
        return {"f1_in_order": none, "f1_aligned": none}, too_large
    gains = [[overlap(reference, candidate).f1 for candidate in answered] for reference in wanted]
    pairings = {"f1_in_order": alignment.in_order(gains), "f1_aligned": alignment.best(gains)}
    return {
        name: Score(best.total * k / max(k, m), k, " ".join(f"{a}-{b}" for a, b in best.pairs), best.pairs)
        for name, best in pairings.items()
    }, False


def actions(references: Graphs, candidates: Graphs) -> dict[str, Score]:
    """Return how well the description was decomposed into actions, whatever else the graphs hold."""
    wanted, answered = ([action for graph in graphs for action in graph.actions] for graphs in (references, candidates))
    common = common_subsequence(wanted, answered)
    reason = f"{common.right} in common, {common.said} said, {common.wanted} wanted"
    return {f"actions_{name}": Score(getattr(common, name), 1, reason) for name in ("precision", "recall", "f1")}


def invented(sample: GenerationSample, candidates: Graphs, sets: GraphSets) -> tuple[dict[str, Score], dict[str, int]]:
    """Elements outside L; an item without an answer invents nothing."""
    outside = hallucinations(candidates, fold_vocabulary(sample.vocabulary), sample.sentence)
    elements = sum(len(frozenset().union(*names)) for names in (sets.nodes, sets.edges))
    reason = f"mentioned: {', '.join(outside.described) or 'none'}; new: {', '.join(outside.new) or 'none'}"
    scores = {
        "hallucinated": Score(min(outside.total, elements), elements, reason, outside),
        "hallucinating": right_or_wrong(bool(outside.total), reason),
    }
    counts = {
        "hallucinated_total": outside.total,
        "hallucinated_desc": len(outside.described),
        "hallucinated_new": len(outside.new),
        "hallucinating_items": int(bool(outside.total)),
        "hallucinating_items_desc": int(bool(outside.described)),
        "hallucinating_items_new": int(bool(outside.new)),
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
