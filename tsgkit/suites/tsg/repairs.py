"""Repair tasks (``refine``, ``refine-hinted``): a graph with one or two seeded errors is given.

Errors are drawn by :data:`SEED` and the item's id, so that the same row always makes the same items.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import permutations
from random import Random
from types import MappingProxyType
from typing import Any

from tsgkit.errors import EditError
from tsgkit.graph.corruptions import Corrupted, Corruption, corrupt
from tsgkit.graph.edits import Change, ChangeKind, diff
from tsgkit.graph.folding import fold_graph, fold_triplet, fold_vocabulary
from tsgkit.graph.model import ActionGraph, Triplet, Vocabulary
from tsgkit.graph.prompt_text import allowed_edges, allowed_nodes, arrows
from tsgkit.graph.reading.answers import GraphAnswer
from tsgkit.library.cards import Card
from tsgkit.scoring.score import Score, right_or_wrong
from tsgkit.scoring.sets import compare_graphs, triplets_of
from tsgkit.suites.audits.items import Item as AuditItem
from tsgkit.suites.judgement import AnswerScores
from tsgkit.suites.metrics import Metric
from tsgkit.suites.solvers.protocols import AsAsked, Draft
from tsgkit.suites.tsg.baselines.answer_text import graphs_text
from tsgkit.suites.tsg.baselines.graph_repair import mend
from tsgkit.suites.tsg.baselines.random_guesses import guess_repair
from tsgkit.suites.tsg.derived_tasks import Derived, common
from tsgkit.suites.tsg.generation import (
    RULES,
    GraphTask,
    element_fields,
    generation_audit_item,
    graph_lists,
    is_repaired,
    notes_of,
    told_fields,
)
from tsgkit.suites.tsg.graph_scores import Scored, extra, headline
from tsgkit.suites.tsg.items import GenerationSample, RefineSample
from tsgkit.suites.tsg.prompts import graphs_schema

SEED = 0
"""The seed of the errors, recorded with every score; the hash of the data covers what was drawn."""
SEVERAL = "several"
"""The error type of a graph with two errors of different kinds."""
ERRORS = (*map(str, Corruption), SEVERAL)
NO_HINT = "not told"
"""The text in place of the kind of error for repairs without a hint."""


class Refine(Derived[RefineSample, GraphAnswer], GraphTask[RefineSample]):
    """The repair tasks, with and without a hint."""

    item_type = RefineSample
    metrics = MappingProxyType(
        {
            "precision": Metric("the share of the triplets said that are right"),
            "recall": Metric("the share of the triplets wanted that were said"),
            "f1": Metric("the harmonic mean of both, per graph"),
            "exact_match": extra("the graph is as it was before it was spoilt"),
            "f1_before": extra("f1 of the graphs as they were given, the same for every subject"),
            "fixed": extra("errors that are mended, over all errors"),
            "left": extra("errors of which nothing changed, over all errors", more_is_better=False),
            "newly_broken": extra(
                "graphs in which a right triplet was lost or a wrong one added", more_is_better=False
            ),
        }
    )
    sources = ("sa-sgg", "ma-sgg")
    own_groups = ("error",)
    rules = (*RULES, "error-rules")
    asked_fields = ("context", "sentence", "nodes", "edges", "place", "graph", "hint")
    told_fields = ("sentence", "graph", "hint", "place", "nodes", "edges")
    baselines = MappingProxyType(
        {
            "random": lambda item, seed: graphs_text([guess_repair(item, seed)]),
            "rules": lambda item, _: graphs_text([mend(item)]),
        }
    )

    def __init__(self, card: Card) -> None:
        super().__init__(card)
        self.hinted = self.kind == "refine-hinted"

    # What is asked

    def derive(self, source: GenerationSample) -> Iterator[RefineSample]:
        """Make one item for each graph and type of error; none where a graph and L leave no way to such an error."""
        for number, graph in enumerate(source.references):
            seed = f"{SEED}/{source.item_id}/{number}"
            for error in ERRORS:
                try:
                    found = _spoilt(graph, error, source.vocabulary, seed)
                except EditError:
                    continue
                yield RefineSample(
                    **common(source, f"/{number}/{error}", error=error),
                    number=number,
                    error=error,
                    spoilt=found[-1].graph,
                    kinds=tuple(one.kind for one in found),
                    changes=tuple(one.change for one in found),
                    hinted=self.hinted,
                    seed=seed,
                )

    def references_of(self, item: RefineSample) -> tuple[ActionGraph, ...]:
        """Return the graph before it was spoilt."""
        return (item.original,)

    def vocabulary_of(self, item: RefineSample) -> Vocabulary:
        """Return L."""
        return item.vocabulary

    def fields(self, item: RefineSample) -> Mapping[str, str]:
        """Return the values of an item for our prompts."""
        return {
            **told_fields(item),
            **element_fields(item.vocabulary),
            "place": f"{item.number + 1} of {item.source.k}",
            "graph": arrows(item.spoilt),
            "hint": " and ".join(map(str, item.kinds)) if item.hinted else NO_HINT,
        }

    def schema(self, item: RefineSample) -> dict[str, Any]:
        """Return the JSON schema of an answer, which allows exactly L."""
        return graphs_schema(allowed_nodes(item.vocabulary), allowed_edges(item.vocabulary))

    def draft(self, item: RefineSample) -> Draft:
        """Return the input of an agent, which is that of the prompt."""
        return Draft(
            sentence=item.sentence,
            context=item.context,
            vocabulary=item.vocabulary,
            k=1,
            begins=not item.context and not item.number,
            spoilt=item.spoilt,
            hints=tuple(map(str, item.kinds)) if item.hinted else (),
            right=(item.original,),
        )

    # How an answer is scored

    def answer_scores(self, item: RefineSample, answer: GraphAnswer | None, asked: AsAsked | None) -> AnswerScores:
        """Compare a graph with the one before the errors; there are no official figures."""
        scored = score_refinement(item, answer)
        mended = answer.graphs[0] if answer else ActionGraph()
        left = diff(fold_graph(item.original), mended, fold_vocabulary(item.vocabulary))
        evidence = {
            "error": item.error,
            "seed": item.seed,
            "errors": [str(change) for change in item.changes],
            "changes": [str(change) for change in left.changes],
        }
        counts = scored.counts | {"repaired": is_repaired(answer)}
        return AnswerScores(scored.scores, None, graph_lists(answer), evidence, counts, notes_of(answer))

    # How it is recognised and audited

    def audit_item(self, item: RefineSample) -> AuditItem:
        """Return the item as an audit sees it."""
        return generation_audit_item(item, item.source, f"\n{arrows(item.spoilt)}")

    def rationale(self, item: RefineSample, rationale: str) -> str:
        """Return the rationale with the errors of the given graph added."""
        if not rationale:
            return ""
        return " ".join([rationale, *(told_error(change) for change in item.changes)])


def _spoilt(graph: ActionGraph, error: str, vocabulary: Vocabulary, seed: str) -> tuple[Corrupted, ...]:
    """Return the steps that spoil a graph: one, or for several errors two of different kinds that leave each other
    alone.
    """
    if error != SEVERAL:
        return (corrupt(graph, Corruption(error), vocabulary, seed=seed),)
    pairs = list(permutations(Corruption, 2))
    Random(f"{seed}/{SEVERAL}").shuffle(pairs)
    for one, other in pairs:
        try:
            first = corrupt(graph, one, vocabulary, seed=f"{seed}/{SEVERAL}")
            second = corrupt(first.graph, other, vocabulary, seed=f"{seed}/{SEVERAL}")
        except EditError:
            continue
        if _apart(first.change, second.change):
            return first, second
    raise EditError("no two errors of different kinds go together in this graph")


def _apart(first: Change, second: Change) -> bool:
    """Return whether a second change neither touches nor undoes the first one."""
    touched = {first.reference, first.reference and first.reference.reversed, first.candidate} - {None}
    return not touched & {second.reference, second.candidate}


def told_error(change: Change) -> str:
    """Return an error in a sentence.

    >>> from tsgkit.graph.edits import ChangeKind
    >>> from tsgkit.graph.model import Triplet
    >>> told_error(Change(ChangeKind.MISSING, Triplet("take", "dobj", "lid"), None))
    'In the given graph the edge dobj from take to lid is missing.'
    """
    found = change.candidate if change.candidate is not None else change.reference
    if found is None:
        return ""
    named = f"In the given graph the edge {found.edge} from {found.source} to {found.target}"
    right = change.reference
    if change.kind is ChangeKind.MISSING:
        return f"{named} is missing."
    if change.kind is ChangeKind.EXTRA or right is None:
        return f"{named} is told by nothing and goes."
    if change.kind is ChangeKind.REVERSED:
        return f"{named} points the wrong way."
    return f"{named} has a wrong element: it is {right.edge} from {right.source} to {right.target}."


def score_refinement(sample: RefineSample, answer: GraphAnswer | None) -> Scored:
    """Return the repaired graph's score against the original, and the fate of each error.

    An error is fixed if its wrong triplet is gone and its right one is there; it is left if neither is the case;
    otherwise it is half repaired. Newly broken are right triplets lost and wrong ones added; the metric is the share of
    graphs with any, the count is that of triplets. Without an answer all errors are left, and nothing is newly broken.
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
