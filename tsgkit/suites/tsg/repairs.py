"""Repair tasks (``refine``, ``refine-hinted``): a graph with faults, or without any, is given.

The items of a row are made in :mod:`~tsgkit.suites.tsg.faults`; a row that holds a graph as a model wrote it makes one
item, of that graph.

Clean graphs, in which nothing is wrong, are there to be left alone. They count in ``clean_touched`` and nowhere else:
all other metrics are over the spoilt graphs, as if there were no clean ones, so that handing back every graph as it
was gains nothing there. A clean graph without an answer was not touched by anyone; as with ``newly_broken``, it
carries no weight, and its outcome is counted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from types import MappingProxyType

from tsgkit.errors import NotationError
from tsgkit.graph.edits import Change, ChangeKind, diff
from tsgkit.graph.folding import fold_graph, fold_triplet, fold_vocabulary
from tsgkit.graph.model import ActionGraph
from tsgkit.graph.prompt_text import arrows
from tsgkit.graph.reading.answers import GraphAnswer
from tsgkit.graph.repairs import mend_graph
from tsgkit.library.cards import Card
from tsgkit.library.documents.rows import Entry
from tsgkit.scoring.pooling import Score, right_or_wrong
from tsgkit.scoring.set_scores import compare_graphs, triplets_of
from tsgkit.suites.judgement import AnswerScores, Given
from tsgkit.suites.metrics import Metric
from tsgkit.suites.task import Task, WriterInput
from tsgkit.suites.tsg.audit import AuditRules
from tsgkit.suites.tsg.baselines.derived_tasks import guess_repair, mended
from tsgkit.suites.tsg.derived_tasks import common, derived_rows
from tsgkit.suites.tsg.faults import NONE, SEED, Fault, faults_of, given_in, written_fault
from tsgkit.suites.tsg.generation import RULES, audit_item, element_fields, graph_task, schema, sentence_fields
from tsgkit.suites.tsg.graph_scores import extra, headline, scores_of_graphs
from tsgkit.suites.tsg.items import GenerationSample, RefineSample
from tsgkit.suites.tsg.task import OF_REPAIRS

NO_HINT = "not told"
"""The text in place of the kind of error for repairs without a hint."""
CLEAN = "nothing was wrong in the graph"
SPOILT = "the graph had faults"
NOTHING_WRONG = "Nothing is wrong in the given graph."
MOST_FAULTS = 4
"""Graphs with more faults are one group; only models write such."""


METRICS = MappingProxyType(
    {
        "precision": extra("the share of the triplets said that are right"),
        "recall": extra("the share of the triplets wanted that were said"),
        "restored": Metric("spoilt graphs that are exactly the original again"),
        "still_wrong": Metric("spoilt graphs that are not the original again", more_is_better=False),
        "newly_broken": Metric(
            "spoilt graphs in which a right triplet was lost or a wrong one added", more_is_better=False
        ),
        "clean_touched": Metric("clean graphs that were changed", more_is_better=False),
        "f1": Metric("the harmonic mean of precision and recall, per spoilt graph"),
        "exact_match": extra("the graph is as it was before it was spoilt"),
        "f1_before": extra("f1 of the graphs as they were given, the same for every subject"),
        "fixed": extra("errors that are mended, over all errors"),
        "left": extra("errors of which nothing changed, over all errors", more_is_better=False),
    }
)


def items_of(source: GenerationSample, entry: Entry, *, hinted: bool) -> Iterator[RefineSample]:
    """Make the items of a row: of each graph one for each fault that the graph and L leave a way to, and one without;
    a row with a graph as a model wrote it makes one item."""
    model_graph = given_in(entry.row or {}, source.item_id)
    if model_graph is not None:
        fault = written_fault(source.references[model_graph.number], model_graph.graph)
        if fault is None:
            raise NotationError(f"item {source.item_id}: given: nothing is wrong in this graph")
        yield _item(source, model_graph.number, fault, hinted=hinted)
        return
    for number, graph in enumerate(source.references):
        seed = f"{SEED}/{source.item_id}/{number}"
        for fault in faults_of(graph, source.references, source.vocabulary, seed):
            yield _item(source, number, fault, ending=f"/{number}/{fault.error}", seed=seed, hinted=hinted)


def _item(
    source: GenerationSample, number: int, fault: Fault, *, hinted: bool, ending: str = "", seed: str = ""
) -> RefineSample:
    count = len(fault.changes)
    faults = str(count) if count <= MOST_FAULTS else f"{MOST_FAULTS + 1} and more"
    return RefineSample(
        **common(source, ending, error=fault.error, source=fault.origin, faults=faults),
        number=number,
        error=fault.error,
        origin=fault.origin,
        spoilt=fault.graph,
        kinds=fault.kinds,
        changes=fault.changes,
        hinted=hinted,
        seed=seed,
    )


def fields(item: RefineSample) -> Mapping[str, str]:
    """Return the values of an item for our prompts."""
    return {
        **sentence_fields(item),
        **element_fields(item.vocabulary),
        "place": f"{item.number + 1} of {item.source.k}",
        "graph": arrows(item.spoilt),
        "hint": (" and ".join(item.kinds) or NONE) if item.hinted else NO_HINT,
    }


def draft(item: RefineSample) -> WriterInput:
    """Return the input of an agent, which is that of the prompt."""
    return WriterInput(
        sentence=item.sentence,
        context=item.context,
        vocabulary=item.vocabulary,
        k=1,
        begins=not item.context and not item.number,
        spoilt=item.spoilt,
        hints=tuple(map(str, item.kinds)) if item.hinted else (),
        right=(item.original,),
    )


def rationale(item: RefineSample, rationale: str) -> str:
    """Return the rationale of a row with the errors of the given graph added."""
    if not rationale:
        return ""
    return " ".join([rationale, *(map(described_error, item.changes) if item.changes else (NOTHING_WRONG,))])


def described_error(change: Change) -> str:
    """Return an error in a sentence.

    >>> from tsgkit.graph.edits import ChangeKind
    >>> from tsgkit.graph.model import Triplet
    >>> described_error(Change(ChangeKind.MISSING, Triplet("take", "dobj", "lid"), None))
    'In the given graph the edge dobj from take to lid is missing.'
    """
    triplet = change.candidate if change.candidate is not None else change.reference
    if triplet is None:
        return ""
    opening = f"In the given graph the edge {triplet.edge} from {triplet.source} to {triplet.target}"
    right = change.reference
    if change.kind is ChangeKind.MISSING:
        return f"{opening} is missing."
    if change.kind is ChangeKind.EXTRA or right is None:
        return f"{opening} is told by nothing and goes."
    if change.kind is ChangeKind.REVERSED:
        return f"{opening} points the wrong way."
    return f"{opening} has a wrong element: it is {right.edge} from {right.source} to {right.target}."


def score(item: RefineSample, answer: GraphAnswer | None, facts: Given) -> AnswerScores:
    """Return the repaired graph's score against the original, and the fate of each error; there are no official
    figures.

    An error is fixed if its wrong triplet is gone and its right one is there; it is left if neither is the case;
    otherwise it is half repaired. Newly broken are right triplets lost and wrong ones added; the metric is the share of
    graphs with any, the count is that of triplets. Without an answer all errors are left, and nothing is newly broken.

    A clean graph has a value in ``clean_touched`` alone, and a spoilt one has none there.
    """
    original, spoilt = fold_graph(item.original), fold_graph(item.spoilt)
    candidates = list(answer.graphs) if answer else []
    restored = candidates == [original]
    difference = diff(original, candidates[0] if candidates else ActionGraph(), fold_vocabulary(item.vocabulary))
    evidence = {
        "error": item.error,
        "source": item.origin,
        "seed": item.seed,
        "errors": [str(change) for change in item.changes],
        "changes": [str(change) for change in difference.changes],
    }
    graphs = {"missing_graphs": int(not candidates), "surplus_graphs": max(len(candidates) - 1, 0)}
    if item.is_clean:
        reason = f"{CLEAN}, and it was {'left alone' if restored else 'changed'}"
        scores = dict.fromkeys(METRICS, Score.missing(CLEAN))
        scores["clean_touched"] = right_or_wrong(not restored, reason) if answer else Score.missing("no answer")
        counts = {"clean_touched": int(bool(answer) and not restored), **graphs}
        return scores_of_graphs(answer, scores, counts, evidence)
    mended = candidates[0] if candidates else spoilt
    fixed = left = 0
    for change in item.changes:
        has_wrong = change.candidate is not None and fold_triplet(change.candidate) in mended
        has_right = change.reference is not None and fold_triplet(change.reference) in mended
        fixed += not has_wrong and (has_right or change.reference is None)
        left += (has_wrong or change.candidate is None) and not has_right
    lost, added = (set(original) & set(spoilt)) - set(mended), set(mended) - set(original) - set(spoilt)
    broken, errors = [*sorted(lost), *sorted(added)], len(item.changes)
    reason = f"{fixed} fixed, {left} left of {errors}; newly broken: {'; '.join(map(str, broken)) or 'none'}"
    means = headline([triplets_of(original)], list(map(triplets_of, candidates)))
    scores = {
        **{name: means[name] for name in ("precision", "recall", "f1")},
        "restored": right_or_wrong(restored, reason),
        "still_wrong": right_or_wrong(not restored, reason),
        "newly_broken": right_or_wrong(bool(broken), reason) if answer else Score.missing("no answer"),
        "clean_touched": Score.missing(SPOILT),
        "exact_match": right_or_wrong(restored, reason),
        "f1_before": Score(compare_graphs(original, spoilt).f1, 1, "the graph as it was given"),
        "fixed": Score(fixed, errors, reason),
        "left": Score(left, errors, reason),
    }
    counts = {"errors": errors, "fixed": fixed, "left": left, "newly_broken": len(broken), "clean_touched": 0}
    return scores_of_graphs(answer, scores, counts | graphs, evidence)


def refine(card: Card) -> Task:
    """Return the repair task, with a hint or without one."""
    hinted = card.task.endswith("-hinted")
    rows = derived_rows(card, ("sa-sgg", "ma-sgg"), partial(items_of, hinted=hinted))
    return graph_task(
        card,
        rows,
        fields=fields,
        asked=("context", "sentence", "nodes", "edges", "place", "graph", "hint"),
        about=("sentence", "graph", "hint", "place", "nodes", "edges"),
        score=score,
        programs_of={
            "none": lambda item, _: [item.spoilt],
            "random": lambda item, seed: [guess_repair(item, seed)],
            "rules": lambda item, _: [mended(item.spoilt, item.vocabulary)],
            "exact": lambda item, _: [mend_graph(item.spoilt, item.vocabulary)[0]],
        },
        prompt={"rules": (*RULES, "error-rules"), "schema": schema, "rationale": rationale},
        metrics=METRICS,
        draft=draft,
        own_groups=OF_REPAIRS,
        audit=AuditRules(
            lambda item: audit_item(item, f"\n{arrows(item.spoilt)}"), texts=lambda item: (item.sentence,)
        ),
    )
