"""Strict scores of derived tasks: sets of nodes, lists of actions, graphs that were to be mended.

>>> from tsgkit.replies.lists import Listed
>>> overlap_scores(common_subsequence(("take", "fill"), ("take", "dip", "fill")))["precision"].value
0.6666666666666666
"""

from __future__ import annotations

from tsgkit.graph.edits import Change
from tsgkit.graph.folding import fold, fold_graph, fold_triplet, fold_vocabulary
from tsgkit.graph.model import ActionGraph, Triplet
from tsgkit.graph.reading.answers import GraphAnswer
from tsgkit.replies.lists import Listed
from tsgkit.scoring.score import Score, right_or_wrong
from tsgkit.scoring.sequences import common_subsequence
from tsgkit.scoring.sets import Overlap, compare_graphs, overlap, triplets_of
from tsgkit.suites.tsg.derived import ActionsSample, NodesSample, RefineSample
from tsgkit.suites.tsg.generation import Scored, headline


def score_nodes(sample: NodesSample, answer: Listed | None) -> Scored:
    """The set of names against the set of nodes; repeats count once."""
    wanted = {fold(name) for name in sample.nodes}
    said = set(answer.names) if answer else set()
    vocabulary = fold_vocabulary(sample.vocabulary)
    outside = {name for name in said if not vocabulary.allows_node(name)}
    scores = {
        **overlap_scores(overlap(wanted, said)),
        "exact_match": right_or_wrong(wanted == said, f"{len(said)} names for {len(wanted)}"),
        "outside": Score(len(outside), len(said), f"out of L: {', '.join(sorted(outside)) or 'none'}"),
    }
    return Scored(scores, {})


def score_actions(sample: ActionsSample, answer: Listed | None) -> Scored:
    """The list of actions against the wanted one, by their longest common subsequence."""
    wanted = [fold(name) for name in sample.actions]
    said = list(answer.names) if answer else []
    actions = {fold(name) for name in sample.vocabulary.verbs}
    outside = [name for name in said if name not in actions]
    scores = {
        **overlap_scores(common_subsequence(wanted, said)),
        "exact_match": right_or_wrong(wanted == said, f"{len(said)} actions for {len(wanted)}"),
        "count_match": right_or_wrong(len(wanted) == len(said), f"{len(said)} actions for {len(wanted)}"),
        "outside": Score(len(outside), len(said), f"no actions of L: {', '.join(dict.fromkeys(outside)) or 'none'}"),
    }
    return Scored(scores, {})


def overlap_scores(found: Overlap) -> dict[str, Score]:
    """Precision, recall and F1 of one sample, each out of one."""
    reason = f"{found.right} right, {found.said} said, {found.wanted} wanted"
    return {name: Score(getattr(found, name), 1, reason) for name in ("precision", "recall", "f1")}


def score_refinement(sample: RefineSample, answer: GraphAnswer | None) -> Scored:
    """The mended graph against the original, and what became of each error.

    Fixed is an error whose wrong triplet is gone and whose right one is there; left is one of which nothing changed;
    what is neither was mended by half. Newly broken are right triplets lost and wrong ones added: no repair is asked
    to do either; the metric is the share of graphs in which that happens, the count that of triplets. Without an answer
    all errors are left, and nothing is said about newly broken triplets.
    """
    original, spoilt = fold_graph(sample.original), fold_graph(sample.spoilt)
    candidates = list(answer.graphs) if answer else []
    scored = headline([triplets_of(original)], list(map(triplets_of, candidates)))
    mended = candidates[0] if candidates else spoilt
    fixed = sum(_is_fixed(change, mended) for change in sample.changes)
    left = sum(_is_left(change, mended) for change in sample.changes)
    broken = _newly_broken(original, spoilt, mended)
    errors = len(sample.changes)
    reason = f"{fixed} fixed, {left} left of {errors}; newly broken: {'; '.join(map(str, broken)) or 'none'}"
    scores = {
        **{name: scored[name] for name in ("precision", "recall", "f1")},
        "exact_match": right_or_wrong(candidates == [original], reason),
        "f1_before": Score(compare_graphs(original, spoilt).f1, 1, "the graph as it was given"),
        "fixed": Score(fixed, errors, reason),
        "left": Score(left, errors, reason),
        "newly_broken": right_or_wrong(bool(broken), reason) if answer else Score.missing("no answer"),
    }
    counts = {"errors": errors, "fixed": fixed, "left": left, "newly_broken": len(broken)}
    return Scored(
        scores, counts | {"missing_graphs": int(not candidates), "surplus_graphs": max(len(candidates) - 1, 0)}
    )


def _is_fixed(change: Change, mended: ActionGraph) -> bool:
    wrong_gone = change.candidate is None or fold_triplet(change.candidate) not in mended
    return wrong_gone and (change.reference is None or fold_triplet(change.reference) in mended)


def _is_left(change: Change, mended: ActionGraph) -> bool:
    wrong_there = change.candidate is None or fold_triplet(change.candidate) in mended
    return wrong_there and (change.reference is None or fold_triplet(change.reference) not in mended)


def _newly_broken(original: ActionGraph, spoilt: ActionGraph, mended: ActionGraph) -> list[Triplet]:
    wanted, given, said = set(original), set(spoilt), set(mended)
    return sorted((wanted & given) - said) + sorted(said - wanted - given)
