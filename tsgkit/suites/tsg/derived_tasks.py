"""Derived tasks: the nodes, edges or actions of graphs, each asked for with the rest given.

``nodes-*``   the edge labels are given, the nodes are asked for (actions left out)
``edges-*``   the nodes are given, the graphs are asked for
``actions``   nodes (actions left out) and edge labels are given, the actions are asked for, in order

Given elements are in the order of L, so that their order reveals nothing.

>>> from tsgkit.scoring.set_scores import common_subsequence
>>> overlap_scores(common_subsequence(("take", "fill"), ("take", "dip", "fill")))["precision"].value
0.6666666666666666
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import fsum
from types import MappingProxyType
from typing import Any

from tsgkit.errors import UsageError
from tsgkit.graph.folding import fold, fold_vocabulary
from tsgkit.graph.model import DOBJ, HANDS, PERSON, VERB, ActionGraph, Kind, Vocabulary
from tsgkit.graph.prompt_text import allowed_actions, allowed_edges, allowed_nodes
from tsgkit.library.cards import Card
from tsgkit.library.documents.rows import Entry
from tsgkit.replies import Unreadable, lists
from tsgkit.replies.lists import Listed
from tsgkit.scoring.pooling import Score, right_or_wrong
from tsgkit.scoring.set_scores import Overlap, common_subsequence, overlap
from tsgkit.suites.judgement import AnswerScores, Given, Scores, Spans
from tsgkit.suites.metrics import Metric
from tsgkit.suites.solvers.prompt_files import closed, list_of, one_of
from tsgkit.suites.suite import CHECK
from tsgkit.suites.task import Task
from tsgkit.suites.tsg.audit import AuditRules
from tsgkit.suites.tsg.baselines import derived_tasks as baselines
from tsgkit.suites.tsg.generation import (
    audit_item,
    generation_item,
    graph_task,
    graphs_schema,
    identity,
    problem_of,
    sentence_fields,
)
from tsgkit.suites.tsg.graph_scores import GRAPHS, extra, score_generation
from tsgkit.suites.tsg.items import ActionsSample, EdgesSample, GenerationSample, NodesSample, TsgSample
from tsgkit.suites.tsg.rows import RowRules
from tsgkit.suites.tsg.task import tsg_task

Derive = Callable[[GenerationSample, Entry], TsgSample]
"""Makes the item of a generation item and its row."""

# Rows


def derived_rows(
    card: Card,
    sources: tuple[str, ...],
    derive: Callable[[GenerationSample, Entry], Iterable[TsgSample]],
    *,
    of_several: bool = False,
) -> RowRules:
    """Return the rows of a task whose items are made of generation items that can themselves be answered."""

    def items_of(entry: Entry, cluster: str, file: str) -> Iterator[TsgSample]:
        source = generation_item(entry, cluster, of_several=of_several)
        task_name = "sa-sgg" if source.k == 1 else "ma-sgg"
        if problem := problem_of(source, task_name if task_name in sources else sources[0]):
            raise UsageError(f"{file}: item {source.item_id} {problem}", hint=CHECK)
        yield from derive(source, entry)

    kind = card.task.partition("/")[2]
    return RowRules(kind=kind, of="sgg", items=items_of, sources=sources, of_several=of_several)


def half_rows(card: Card, derive: Derive) -> RowRules:
    """Return the rows of a task about the graphs of sa-sgg or ma-sgg, by the ending of its name."""
    of_several = not card.task.endswith("-sa")
    sources = ("ma-sgg",) if of_several else ("sa-sgg",)
    return derived_rows(card, sources, lambda source, entry: (derive(source, entry),), of_several=of_several)


def common(source: GenerationSample, ending: str = "", /, **groups: str) -> dict[str, Any]:
    """Return what an item has of the one it is made of."""
    return {
        "item_id": f"{source.item_id}{ending}",
        "cluster": source.cluster,
        "scenarios": source.scenarios,
        "groups": source.groups | {name: (value,) for name, value in groups.items()},
        "source": source,
    }


ABOUT = AuditRules(audit_item, texts=lambda item: (item.sentence,))
"""How an audit sees the items."""

# Answers that are lists of names


def list_task(
    card: Card,
    derive: Derive,
    wanted: Callable[[Any], tuple[str, ...]],
    compare: Callable[[Any, Sequence[str]], Scores],
    about: tuple[str, ...],
    prompt: Mapping[str, Any],
    **parts: Any,  # noqa: ANN401  (the other parts of a task of this suite)
) -> Task:
    """Return a task whose answers are lists of names: ``wanted`` ones; ``compare`` scores a list."""

    def score(item: Any, answer: Listed | None, facts: Given) -> AnswerScores:  # noqa: ANN401
        """Compare lists of names; there are no official figures."""
        scores, expected = compare(item, answer.names if answer else ()), {"expected": list(wanted(item))}
        if answer is None:
            return AnswerScores(scores, evidence=expected)
        return AnswerScores(scores, None, list(answer.names), expected, notes=answer.notes)

    def spans(item: Any, text: str) -> Spans:  # noqa: ANN401
        listed = names(text)
        return tuple(listed.spans) if isinstance(listed, Listed) else ()

    def faults(answer: Sequence[str], evidence: Mapping[str, Sequence[str]]) -> Sequence[str]:
        """Return the names that are missing and those that are too many, or else both lists."""
        expected = evidence["expected"]
        differences = [f"missing {name}" for name in expected if name not in answer]
        differences += [f"extra {name}" for name in answer if name not in expected]
        return differences or [f"{', '.join(answer)}, expected {', '.join(expected)}"]

    return tsg_task(
        card,
        half_rows(card, derive),
        asked=("context", *about),
        about=about,
        answer=lambda item: "\n".join(wanted(item)),
        written="\n".join,
        prompt={"longest": lambda item: len(wanted(item)), "identity": identity, **prompt},
        read=lambda text, item: names(text),
        score=score,
        vote=central_list,
        view={
            "value": lambda item: "\n".join(wanted(item)).split("\n"),
            "told": lambda answer: "\n".join(answer.names),
            "spans": spans,
            "faults": faults,
        },
        audit=ABOUT,
        **parts,
    )


def names(reply: str) -> Listed | Unreadable:
    """Return the names of a list, folded."""
    listed = lists.names(reply)
    if isinstance(listed, Unreadable):
        return listed
    folded = [(name, span) for name, span in zip(map(fold, listed.names), listed.spans, strict=True) if name]
    if not folded:
        return Unreadable("no names listed")
    return listed._replace(names=tuple(name for name, _ in folded), spans=tuple(span for _, span in folded))


def central_list(answers: Sequence[Listed]) -> Listed:
    """Return the list that is most similar to all others, by common subsequences; the first of equals.

    >>> draws = ("take", "put"), ("take", "wash", "put"), ("take", "wash", "put", "dry")
    >>> central_list([Listed(names) for names in draws]).names
    ('take', 'wash', 'put')
    """
    draws = [answer.names for answer in answers]
    likeness = [fsum(common_subsequence(draw, rival).f1 for rival in draws) for draw in draws]
    return Listed(draws[likeness.index(max(likeness))])


def overlap_scores(common: Overlap) -> Scores:
    """Precision, recall and F1 of one sample, each out of one."""
    reason = f"{common.right} right, {common.said} said, {common.wanted} wanted"
    return {name: Score(getattr(common, name), 1, reason) for name in ("precision", "recall", "f1")}


def _names(graphs: Iterable[ActionGraph], vocabulary: Vocabulary, *, with_actions: bool) -> tuple[str, ...]:
    """Return the different node names in the order of L; an object of an action's name stays where actions are left
    out.
    """
    nodes = (node for graph in graphs for node in graph.nodes(vocabulary))
    names = {node.name for node in nodes if with_actions or node.kind is not Kind.ACTION}
    return _in_order(names, (PERSON, *HANDS, *vocabulary.objects, *vocabulary.verbs))


def _labels(graphs: Iterable[ActionGraph], vocabulary: Vocabulary) -> tuple[str, ...]:
    labels = {triplet.edge for graph in graphs for triplet in graph}
    return _in_order(labels, (VERB, DOBJ, *vocabulary.relationships))


def _in_order(names: set[str], order: Iterable[str]) -> tuple[str, ...]:
    known = [name for name in dict.fromkeys(order) if name in names]
    return (*known, *sorted(names.difference(known)))


def _by_graph(names: Sequence[Sequence[str]]) -> str:
    return "\n".join([f"Graph {number}: {', '.join(of_one)}" for number, of_one in enumerate(names, 1)])


# The nodes of all graphs of an item, from the labels of each

NODES = MappingProxyType(
    {
        "precision": Metric("the share of the names said that are nodes, per item"),
        "recall": Metric("the share of the nodes that were named, per item"),
        "f1": Metric("the harmonic mean of both, per item"),
        "exact_match": extra("all nodes of an item and no other names"),
        "outside": extra("names outside L over all names said", more_is_better=False),
    }
)


def score_nodes(sample: NodesSample, names: Sequence[str]) -> Scores:
    """Return the set of names against the set of nodes; repeats count once."""
    wanted, answered = {fold(name) for name in sample.nodes}, set(names)
    vocabulary = fold_vocabulary(sample.vocabulary)
    outside = {name for name in answered if not vocabulary.allows_node(name)}
    return {
        **overlap_scores(overlap(wanted, answered)),
        "exact_match": right_or_wrong(wanted == answered, f"{len(answered)} names for {len(wanted)}"),
        "outside": Score(len(outside), len(answered), f"out of L: {', '.join(sorted(outside)) or 'none'}"),
    }


def nodes(card: Card) -> Task:
    """Return the task that asks for nodes."""
    return list_task(
        card,
        lambda source, entry: NodesSample(
            **common(source),
            labels=tuple(_labels([graph], source.vocabulary) for graph in source.references),
            nodes=_names(source.references, source.vocabulary, with_actions=False),
        ),
        wanted=lambda item: item.nodes,
        compare=score_nodes,
        fields=lambda item: {
            **sentence_fields(item),
            "nodes": ", ".join(allowed_nodes(item.vocabulary)),
            "given_edges": _by_graph(item.labels),
        },
        about=("sentence", "given_edges", "nodes"),
        prompt={
            "rules": ("node-rules", "hand-rules"),
            "schema": lambda item, most: closed(
                {"nodes": list_of(one_of(tuple(dict.fromkeys((*item.vocabulary.objects, PERSON, *HANDS)))), 1, most)}
            ),
        },
        metrics=NODES,
        programs_of={"random": baselines.guess_nodes, "rules": lambda item, _: baselines.nodes(item)},
    )


# The graphs of an item, from the nodes of each


def edges(card: Card) -> Task:
    """Return the task that asks for the graphs of given nodes."""

    def derive(source: GenerationSample, entry: Entry) -> EdgesSample:
        names = (_names([graph], source.vocabulary, with_actions=True) for graph in source.references)
        return EdgesSample(**common(source), nodes=tuple(names))

    def schema(item: EdgesSample, most: int) -> dict[str, Any]:
        """Return the JSON schema of an answer, which allows the given nodes."""
        names = tuple(dict.fromkeys(name for of_graph in item.nodes for name in of_graph))
        return graphs_schema(item.source.k, most, names, allowed_edges(item.vocabulary))

    return graph_task(
        card,
        half_rows(card, derive),
        fields=lambda item: {
            **sentence_fields(item),
            "edges": ", ".join(allowed_edges(item.vocabulary)),
            "given_nodes": _by_graph(item.nodes),
            "count": str(item.source.k),
        },
        asked=("context", "sentence", "edges", "given_nodes", "count"),
        about=("sentence", "given_nodes", "edges"),
        score=lambda item, answer, facts: score_generation(item.source, answer),
        metrics=GRAPHS,
        programs_of={"random": baselines.guess_edges, "rules": lambda item, _: baselines.joined(item)},
        prompt={"rules": ("graph-rules", "edge-rules"), "schema": schema},
        audit=ABOUT,
    )


# The actions of an item in order, from the nodes and labels of all its graphs together

ACTIONS = MappingProxyType(
    {
        "precision": Metric("common subsequence of actions over actions said, per item"),
        "recall": Metric("common subsequence of actions over actions wanted, per item"),
        "f1": Metric("the harmonic mean of both, per item"),
        "exact_match": extra("all actions of an item in order and no others"),
        "count_match": extra("as many actions as there are, right or not"),
        "outside": extra("names that are no actions of L over all names said", more_is_better=False),
    }
)


def score_actions(sample: ActionsSample, names: Sequence[str]) -> Scores:
    """Return the list of actions against the wanted one, by their longest common subsequence."""
    wanted, answered = [fold(name) for name in sample.actions], list(names)
    actions = {fold(name) for name in sample.vocabulary.verbs}
    outside = [name for name in answered if name not in actions]
    reason = f"{len(answered)} actions for {len(wanted)}"
    return {
        **overlap_scores(common_subsequence(wanted, answered)),
        "exact_match": right_or_wrong(wanted == answered, reason),
        "count_match": right_or_wrong(len(wanted) == len(answered), reason),
        "outside": Score(
            len(outside), len(answered), f"no actions of L: {', '.join(dict.fromkeys(outside)) or 'none'}"
        ),
    }


def actions(card: Card) -> Task:
    """Return the task that asks for actions."""
    return list_task(
        card,
        lambda source, entry: ActionsSample(
            **common(source),
            nodes=_names(source.references, source.vocabulary, with_actions=False),
            labels=_labels(source.references, source.vocabulary),
            actions=tuple(action for graph in source.references for action in graph.actions),
        ),
        wanted=lambda item: item.actions,
        compare=score_actions,
        fields=lambda item: {
            **sentence_fields(item),
            "actions": ", ".join(allowed_actions(item.vocabulary)),
            "given_nodes": ", ".join(item.nodes),
            "given_edges": ", ".join(item.labels),
        },
        about=("sentence", "given_nodes", "given_edges", "actions"),
        prompt={
            "rules": ("action-rules",),
            "schema": lambda item, most: closed(
                {"actions": list_of(one_of(allowed_actions(item.vocabulary)), 1, most)}
            ),
        },
        metrics=ACTIONS,
        programs_of={"random": baselines.guess_actions, "rules": lambda item, _: baselines.actions(item)},
    )
