"""Derived tasks: the nodes, edges or actions of graphs, each asked for with the rest given.

``nodes-*``   the edge labels are given, the nodes are asked for (actions left out)
``edges-*``   the nodes are given, the graphs are asked for
``actions``   nodes (actions left out) and edge labels are given, the actions are asked for, in order

Given elements are in the order of L, so that their order reveals nothing.

>>> from tsgkit.scoring.sequences import common_subsequence
>>> overlap_scores(common_subsequence(("take", "fill"), ("take", "dip", "fill")))["precision"].value
0.6666666666666666
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any

from tsgkit.errors import UsageError
from tsgkit.graph.folding import fold, fold_vocabulary
from tsgkit.graph.model import DOBJ, HANDS, PERSON, VERB, ActionGraph, Kind, Vocabulary
from tsgkit.graph.prompt_text import allowed_actions, allowed_edges, allowed_nodes
from tsgkit.graph.reading.answers import GraphAnswer
from tsgkit.library.cards import Card
from tsgkit.library.documents.rows import Entry
from tsgkit.replies import Unreadable, lists
from tsgkit.replies.lists import Listed
from tsgkit.scoring.score import Score, right_or_wrong
from tsgkit.scoring.sequences import common_subsequence
from tsgkit.scoring.sets import Overlap, overlap
from tsgkit.suites.judgement import AnswerScores, Given, Spans
from tsgkit.suites.metrics import Metric
from tsgkit.suites.solvers.offline_solvers import programs
from tsgkit.suites.solvers.prompt_files import closed, list_of, one_of
from tsgkit.suites.suite import CHECK
from tsgkit.suites.task import Task, View
from tsgkit.suites.tsg import generation
from tsgkit.suites.tsg.audit import AuditRules
from tsgkit.suites.tsg.baselines import partial_graphs as completing
from tsgkit.suites.tsg.baselines.answer_text import graphs_text, listed
from tsgkit.suites.tsg.baselines.random_guesses import guess_actions, guess_edges, guess_nodes
from tsgkit.suites.tsg.generation import (
    audit_item,
    generation_item,
    graph_scores,
    graphs_schema,
    identity,
    problem_of,
    sentence_fields,
)
from tsgkit.suites.tsg.graph_scores import GRAPHS, Scored, extra
from tsgkit.suites.tsg.items import ActionsSample, EdgesSample, GenerationSample, NodesSample, Sample
from tsgkit.suites.tsg.rows import RowRules
from tsgkit.suites.tsg.task import told, tsg_prompt, tsg_task
from tsgkit.suites.tsg.votes import central_list

# Rows


def derived_rows(
    card: Card,
    sources: tuple[str, ...],
    derive: Callable[[GenerationSample, Entry], Iterator[Sample]],
    *,
    of_several: bool = False,
) -> RowRules:
    """Return the rows of a task whose items are made of generation items that can themselves be answered."""

    def items_of(entry: Entry, cluster: str, file: str) -> Iterator[Sample]:
        source = generation_item(entry, cluster, of_several=of_several)
        own = "sa-sgg" if source.k == 1 else "ma-sgg"
        if problem := problem_of(source, own if own in sources else sources[0]):
            raise UsageError(f"{file}: item {source.item_id} {problem}", hint=CHECK)
        yield from derive(source, entry)

    kind = card.task.partition("/")[2]
    return RowRules(kind=kind, of="sgg", items=items_of, sources=sources, of_several=of_several)


def half_rows(card: Card, derive: Callable[[GenerationSample, Entry], Iterator[Sample]]) -> RowRules:
    """Return the rows of a task about the graphs of sa-sgg or ma-sgg, by the ending of its name."""
    of_several = not card.task.endswith("-sa")
    return derived_rows(card, ("ma-sgg",) if of_several else ("sa-sgg",), derive, of_several=of_several)


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
    derive: Callable[[GenerationSample, Entry], Iterator[Sample]],
    wanted: Callable[[Any], tuple[str, ...]],
    compare: Callable[[Any, Listed | None], Scored],
    fields: Callable[[Any], Mapping[str, str]],
    about: tuple[str, ...],
    baselines: Mapping[str, Callable[[Any, int], str]],
    *,
    metrics: Mapping[str, Metric],
    **prompt: Any,  # noqa: ANN401  (the other parts of its prompt)
) -> Task:
    """Return a task whose answers are lists of names; ``about`` are the fields that describe the question."""
    rows = half_rows(card, derive)

    def shown_answer(item: Any) -> str:  # noqa: ANN401  (of its task)
        return "\n".join(wanted(item))

    return tsg_task(
        card,
        rows,
        prompt=tsg_prompt(
            card,
            rows,
            fields=fields,
            asked=("context", *about),
            answer=shown_answer,
            longest=lambda item: len(wanted(item)),
            identity=identity,
            **prompt,
        ),
        read=lambda text, item: names(text),
        score=partial(_score_list, wanted, compare),
        metrics=metrics,
        vote=_central,
        view=View(
            question=told(fields, *about),
            brief=told(fields, *about[:2]),
            reference=shown_answer,
            value=lambda item: shown_answer(item).split("\n"),
            told=lambda answer: "\n".join(answer.names),
            spans=_spans,
            faults=_faults,
        ),
        baselines=programs(baselines),
        audit=ABOUT,
    )


def _score_list(
    wanted: Callable[[Any], tuple[str, ...]],
    compare: Callable[[Any, Listed | None], Scored],
    item: Any,  # noqa: ANN401  (of its task)
    answer: Listed | None,
    given: Given,
) -> AnswerScores:
    """Compare lists of names; there are no official figures."""
    scored, expected = compare(item, answer), {"expected": list(wanted(item))}
    value, notes = (list(answer.names), answer.notes) if answer else (None, ())
    return AnswerScores(scored.scores, None, value, expected, scored.counts, notes)


def _central(answers: Sequence[Listed]) -> Listed:
    """Return the list that is most like all others."""
    return Listed(central_list([answer.names for answer in answers]))


def _spans(item: Any, text: str) -> Spans:  # noqa: ANN401
    found = names(text)
    return tuple(found.spans) if isinstance(found, Listed) else ()


def _faults(answer: Sequence[str], evidence: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Yield the names that are missing and those that are too many, or else both lists."""
    expected = evidence["expected"]
    sides = {"missing": [name for name in expected if name not in answer]}
    sides["extra"] = [name for name in answer if name not in expected]
    yield from (f"{side} {name}" for side, names in sides.items() for name in names)
    if not any(sides.values()):
        yield f"{', '.join(answer)}, expected {', '.join(expected)}"


def names(reply: str) -> Listed | Unreadable:
    """Return the names of a list, folded."""
    found = lists.names(reply)
    if isinstance(found, Unreadable):
        return found
    folded = [(name, span) for name, span in zip(map(fold, found.names), found.spans, strict=True) if name]
    if not folded:
        return Unreadable("no names listed")
    return found._replace(names=tuple(name for name, _ in folded), spans=tuple(span for _, span in folded))


def overlap_scores(found: Overlap) -> dict[str, Score]:
    """Precision, recall and F1 of one sample, each out of one."""
    reason = f"{found.right} right, {found.said} said, {found.wanted} wanted"
    return {name: Score(getattr(found, name), 1, reason) for name in ("precision", "recall", "f1")}


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


def _nodes_of(source: GenerationSample, entry: Entry) -> Iterator[NodesSample]:
    yield NodesSample(
        **common(source),
        labels=tuple(_labels([graph], source.vocabulary) for graph in source.references),
        nodes=_names(source.references, source.vocabulary, with_actions=False),
    )


def _node_fields(item: NodesSample) -> Mapping[str, str]:
    nodes = ", ".join(allowed_nodes(item.vocabulary))
    return {**sentence_fields(item), "nodes": nodes, "given_edges": _by_graph(item.labels)}


def _node_schema(item: NodesSample, most: int) -> dict[str, Any]:
    things = tuple(dict.fromkeys((*item.vocabulary.objects, PERSON, *HANDS)))
    return closed({"nodes": list_of(one_of(things), 1, most)})


def score_nodes(sample: NodesSample, answer: Listed | None) -> Scored:
    """Return the set of names against the set of nodes; repeats count once."""
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


def nodes(card: Card) -> Task:
    """Return the task that asks for nodes."""
    return list_task(
        card,
        _nodes_of,
        wanted=lambda item: item.nodes,
        compare=score_nodes,
        fields=_node_fields,
        about=("sentence", "given_edges", "nodes"),
        schema=_node_schema,
        rules=("node-rules", "hand-rules"),
        metrics=NODES,
        baselines={
            "random": lambda item, seed: listed(guess_nodes(item, seed)),
            "rules": lambda item, _: listed(completing.nodes(item)),
        },
    )


# The graphs of an item, from the nodes of each


def _edges_of(source: GenerationSample, entry: Entry) -> Iterator[EdgesSample]:
    given = (_names([graph], source.vocabulary, with_actions=True) for graph in source.references)
    yield EdgesSample(**common(source), nodes=tuple(given))


def _edge_fields(item: EdgesSample) -> Mapping[str, str]:
    edges = ", ".join(allowed_edges(item.vocabulary))
    given = {"edges": edges, "given_nodes": _by_graph(item.nodes), "count": str(item.source.k)}
    return {**sentence_fields(item), **given}


def _edge_schema(item: EdgesSample, most: int) -> dict[str, Any]:
    """Return the JSON schema of an answer, which allows the given nodes."""
    given = tuple(dict.fromkeys(name for of_graph in item.nodes for name in of_graph))
    return graphs_schema(item.source.k, most, given, allowed_edges(item.vocabulary))


def _score_edges(item: EdgesSample, answer: GraphAnswer | None, given: Given) -> AnswerScores:
    """Compare graphs by position; there are no official figures."""
    return graph_scores(item.source, answer)


def edges(card: Card) -> Task:
    """Return the task that asks for the graphs of given nodes."""
    rows = half_rows(card, _edges_of)
    return tsg_task(
        card,
        rows,
        prompt=tsg_prompt(
            card,
            rows,
            rules=("graph-rules", "edge-rules"),
            fields=_edge_fields,
            asked=("context", "sentence", "edges", "given_nodes", "count"),
            schema=_edge_schema,
            longest=generation.longest,
            answer=generation.shown_answer,
            identity=identity,
        ),
        read=generation.read,
        score=_score_edges,
        metrics=GRAPHS,
        vote=generation.vote,
        view=generation.graph_view(_edge_fields, "sentence", "given_nodes", "edges"),
        baselines=programs(
            {
                "random": lambda item, seed: graphs_text(guess_edges(item, seed)),
                "rules": lambda item, _: graphs_text(completing.joined(item)),
            }
        ),
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


def _actions_of(source: GenerationSample, entry: Entry) -> Iterator[ActionsSample]:
    yield ActionsSample(
        **common(source),
        nodes=_names(source.references, source.vocabulary, with_actions=False),
        labels=_labels(source.references, source.vocabulary),
        actions=tuple(action for graph in source.references for action in graph.actions),
    )


def _action_fields(item: ActionsSample) -> Mapping[str, str]:
    given = {"given_nodes": ", ".join(item.nodes), "given_edges": ", ".join(item.labels)}
    return {**sentence_fields(item), "actions": ", ".join(allowed_actions(item.vocabulary)), **given}


def _action_schema(item: ActionsSample, most: int) -> dict[str, Any]:
    return closed({"actions": list_of(one_of(allowed_actions(item.vocabulary)), 1, most)})


def score_actions(sample: ActionsSample, answer: Listed | None) -> Scored:
    """Return the list of actions against the wanted one, by their longest common subsequence."""
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


def actions(card: Card) -> Task:
    """Return the task that asks for actions."""
    return list_task(
        card,
        _actions_of,
        wanted=lambda item: item.actions,
        compare=score_actions,
        fields=_action_fields,
        about=("sentence", "given_nodes", "given_edges", "actions"),
        schema=_action_schema,
        rules=("action-rules",),
        metrics=ACTIONS,
        baselines={
            "random": lambda item, seed: listed(guess_actions(item, seed)),
            "rules": lambda item, _: listed(completing.actions(item)),
        },
    )
