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

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, TypeVar

from tsgkit.errors import UsageError
from tsgkit.graph.folding import fold, fold_vocabulary
from tsgkit.graph.model import DOBJ, HANDS, PERSON, VERB, ActionGraph, Kind, Vocabulary
from tsgkit.graph.prompt_text import allowed_actions, allowed_edges, allowed_nodes
from tsgkit.graph.reading.answers import GraphAnswer
from tsgkit.library.cards import Card
from tsgkit.library.documents.rows import Entry
from tsgkit.replies import Unreadable, lists
from tsgkit.replies.lists import Listed
from tsgkit.scoring.outcomes import Outcome
from tsgkit.scoring.score import Score, right_or_wrong
from tsgkit.scoring.sequences import common_subsequence
from tsgkit.scoring.sets import Overlap, overlap
from tsgkit.suites.audits.items import Item as AuditItem
from tsgkit.suites.judgement import AnswerScores, Spans
from tsgkit.suites.metrics import Metric
from tsgkit.suites.solvers.examples import Identity
from tsgkit.suites.solvers.protocols import AsAsked, Reading
from tsgkit.suites.suite import CHECK
from tsgkit.suites.tsg.baselines import partial_graphs as completing
from tsgkit.suites.tsg.baselines.answer_text import graphs_text, listed
from tsgkit.suites.tsg.baselines.random_guesses import guess_actions, guess_edges, guess_nodes
from tsgkit.suites.tsg.clusters import own_name
from tsgkit.suites.tsg.generation import (
    GraphTask,
    generation_audit_item,
    generation_identity,
    generation_item,
    graph_scores,
    problem_of,
    told_fields,
)
from tsgkit.suites.tsg.graph_scores import GRAPHS, Scored, extra
from tsgkit.suites.tsg.items import ActionsSample, DerivedSample, EdgesSample, GenerationSample, NodesSample
from tsgkit.suites.tsg.prompts import closed, graphs_schema, list_of, one_of
from tsgkit.suites.tsg.task import TsgTask
from tsgkit.suites.tsg.votes import central_list

Half = TypeVar("Half", bound=DerivedSample)
Answer = TypeVar("Answer")


class Derived(TsgTask[Half, Answer]):
    """A task whose items are made of generation items."""

    rows = "sgg"

    @abstractmethod
    def derive(self, source: GenerationSample) -> Iterator[Half]:
        """Make items of a generation item."""

    def derived_from(self, source: GenerationSample, entry: Entry) -> Iterator[Half]:
        """Make items of a generation item and the row that it was made of."""
        return self.derive(source)

    def items_of(self, entry: Entry, cluster: str) -> Iterator[Half]:
        """Make the items of a row."""
        yield from self.derived_from(generation_item(entry, cluster, of_several=self.of_several), entry)

    def items_from(self, entry: Entry, file: str = "the data", cluster: str = "") -> tuple[Half, ...]:
        """Make the items of a row that can itself be answered."""
        source = generation_item(entry, cluster or own_name(entry.row or {}), of_several=self.of_several)
        own = "sa-sgg" if source.k == 1 else "ma-sgg"
        if problem := problem_of(source, own if own in self.sources else self.sources[0]):
            raise UsageError(f"{file}: item {source.item_id} {problem}", hint=CHECK)
        return tuple(self.derived_from(source, entry))

    def identity(self, item: Half) -> Identity:
        """Return what the item is recognised by in a pool of examples."""
        return generation_identity(item, item.source)

    def audit_item(self, item: Half) -> AuditItem:
        """Return the item as an audit sees it."""
        return generation_audit_item(item, item.source)

    def own_texts(self, item: Half) -> tuple[str, ...]:
        """Return the texts that no prompt may show."""
        return (item.sentence,)


class HalfTask(Derived[Half, Answer]):
    """A task about the graphs of sa-sgg or ma-sgg, by the ending of its name."""

    def __init__(self, card: Card) -> None:
        super().__init__(card)
        self.of_several = not self.kind.endswith("-sa")
        self.sources = ("ma-sgg",) if self.of_several else ("sa-sgg",)


class ListTask(HalfTask[Half, Listed]):
    """A task whose answers are lists of names."""

    @abstractmethod
    def wanted(self, item: Half) -> tuple[str, ...]:
        """Return the names that are asked for."""

    @abstractmethod
    def compared(self, item: Half, answer: Listed | None) -> Scored:
        """Return what a list is worth."""

    def longest(self, item: Half) -> int:
        """Return the number of names."""
        return len(self.wanted(item))

    def read_text(self, item: Half, text: str) -> Listed | Unreadable:
        """Read names."""
        return names(text)

    def spans(self, item: Half, text: str) -> Spans:
        """Return where the names stand."""
        found = names(text)
        return tuple(found.spans) if isinstance(found, Listed) else ()

    def answer_scores(self, item: Half, answer: Listed | None, asked: AsAsked | None) -> AnswerScores:
        """Compare lists of names; there are no official figures."""
        scored = self.compared(item, answer)
        value = list(answer.names) if answer else None
        expected = {"expected": list(self.wanted(item))}
        return AnswerScores(scored.scores, None, value, expected, scored.counts, answer.notes if answer else ())

    def faults(self, answer: Sequence[str], evidence: Mapping[str, Sequence[str]]) -> Iterator[str]:
        """Yield the names that are missing and those that are too many, or else both lists."""
        expected = evidence["expected"]
        sides = {"missing": [name for name in expected if name not in answer]}
        sides["extra"] = [name for name in answer if name not in expected]
        yield from (f"{side} {name}" for side, names in sides.items() for name in names)
        if not any(sides.values()):
            yield f"{', '.join(answer)}, expected {', '.join(expected)}"

    def shown_answer(self, item: Half) -> str:
        """Return the names in the form that is asked for."""
        return "\n".join(self.wanted(item))

    def reference_value(self, sample: Half) -> object:
        """Return the names as a list."""
        return self.shown_answer(sample).split("\n")

    def told(self, answer: Listed) -> str:
        """Return the names, one a line."""
        return "\n".join(answer.names)

    def vote(self, item: Half, answers: Sequence[Listed]) -> Reading[Listed]:
        """Return the list that is most like all others."""
        return Reading(Outcome.ANSWERED, Listed(central_list([answer.names for answer in answers])))


class Nodes(ListTask[NodesSample]):
    """The nodes of all graphs of an item, from the labels of each."""

    item_type = NodesSample
    metrics = MappingProxyType(
        {
            "precision": Metric("the share of the names said that are nodes, per item"),
            "recall": Metric("the share of the nodes that were named, per item"),
            "f1": Metric("the harmonic mean of both, per item"),
            "exact_match": extra("all nodes of an item and no other names"),
            "outside": extra("names outside L over all names said", more_is_better=False),
        }
    )
    rules = ("node-rules", "hand-rules")
    asked_fields = ("context", "sentence", "nodes", "given_edges")
    told_fields = ("sentence", "given_edges", "nodes")
    baselines = MappingProxyType(
        {
            "random": lambda item, seed: listed(guess_nodes(item, seed)),
            "rules": lambda item, _: listed(completing.nodes(item)),
        }
    )

    def derive(self, source: GenerationSample) -> Iterator[NodesSample]:
        """Make the item."""
        yield NodesSample(
            **common(source),
            labels=tuple(_labels([graph], source.vocabulary) for graph in source.references),
            nodes=_names(source.references, source.vocabulary, with_actions=False),
        )

    def wanted(self, item: NodesSample) -> tuple[str, ...]:
        """Return the nodes."""
        return item.nodes

    def compared(self, item: NodesSample, answer: Listed | None) -> Scored:
        """Compare sets of names."""
        return score_nodes(item, answer)

    def fields(self, item: NodesSample) -> Mapping[str, str]:
        """Return the values of an item for our prompts."""
        nodes = ", ".join(allowed_nodes(item.vocabulary))
        return {**told_fields(item), "nodes": nodes, "given_edges": _by_graph(item.labels)}

    def schema(self, item: NodesSample, most: int) -> dict[str, Any]:
        """Return the JSON schema of an answer."""
        things = tuple(dict.fromkeys((*item.vocabulary.objects, PERSON, *HANDS)))
        return closed({"nodes": list_of(one_of(things), 1, most)})


class Edges(HalfTask[EdgesSample, GraphAnswer], GraphTask[EdgesSample]):
    """The graphs of an item, from the nodes of each."""

    item_type = EdgesSample
    metrics = GRAPHS
    rules = ("graph-rules", "edge-rules")
    asked_fields = ("context", "sentence", "edges", "given_nodes", "count")
    told_fields = ("sentence", "given_nodes", "edges")
    baselines = MappingProxyType(
        {
            "random": lambda item, seed: graphs_text(guess_edges(item, seed)),
            "rules": lambda item, _: graphs_text(completing.joined(item)),
        }
    )

    def derive(self, source: GenerationSample) -> Iterator[EdgesSample]:
        """Make the item."""
        nodes = (_names([graph], source.vocabulary, with_actions=True) for graph in source.references)
        yield EdgesSample(**common(source), nodes=tuple(nodes))

    def references_of(self, item: EdgesSample) -> tuple[ActionGraph, ...]:
        """Return the graphs that are wanted."""
        return item.source.references

    def vocabulary_of(self, item: EdgesSample) -> Vocabulary:
        """Return L."""
        return item.vocabulary

    def answer_scores(self, item: EdgesSample, answer: GraphAnswer | None, asked: AsAsked | None) -> AnswerScores:
        """Compare graphs by position; there are no official figures."""
        return graph_scores(item.source, answer)

    def fields(self, item: EdgesSample) -> Mapping[str, str]:
        """Return the values of an item for our prompts."""
        edges = ", ".join(allowed_edges(item.vocabulary))
        given = {"edges": edges, "given_nodes": _by_graph(item.nodes), "count": str(item.source.k)}
        return {**told_fields(item), **given}

    def schema(self, item: EdgesSample, most: int) -> dict[str, Any]:
        """Return the JSON schema of an answer, which allows the given nodes."""
        nodes = tuple(dict.fromkeys(name for of_one in item.nodes for name in of_one))
        return graphs_schema(item.source.k, most, nodes, allowed_edges(item.vocabulary))


class Actions(ListTask[ActionsSample]):
    """The actions of an item in order, from the nodes and labels of all its graphs together."""

    item_type = ActionsSample
    metrics = MappingProxyType(
        {
            "precision": Metric("common subsequence of actions over actions said, per item"),
            "recall": Metric("common subsequence of actions over actions wanted, per item"),
            "f1": Metric("the harmonic mean of both, per item"),
            "exact_match": extra("all actions of an item in order and no others"),
            "count_match": extra("as many actions as there are, right or not"),
            "outside": extra("names that are no actions of L over all names said", more_is_better=False),
        }
    )
    rules = ("action-rules",)
    asked_fields = ("context", "sentence", "actions", "given_nodes", "given_edges")
    told_fields = ("sentence", "given_nodes", "given_edges", "actions")
    baselines = MappingProxyType(
        {
            "random": lambda item, seed: listed(guess_actions(item, seed)),
            "rules": lambda item, _: listed(completing.actions(item)),
        }
    )

    def derive(self, source: GenerationSample) -> Iterator[ActionsSample]:
        """Make the item."""
        yield ActionsSample(
            **common(source),
            nodes=_names(source.references, source.vocabulary, with_actions=False),
            labels=_labels(source.references, source.vocabulary),
            actions=tuple(action for graph in source.references for action in graph.actions),
        )

    def wanted(self, item: ActionsSample) -> tuple[str, ...]:
        """Return the actions."""
        return item.actions

    def compared(self, item: ActionsSample, answer: Listed | None) -> Scored:
        """Compare lists in order."""
        return score_actions(item, answer)

    def fields(self, item: ActionsSample) -> Mapping[str, str]:
        """Return the values of an item for our prompts."""
        given = {"given_nodes": ", ".join(item.nodes), "given_edges": ", ".join(item.labels)}
        return {**told_fields(item), "actions": ", ".join(allowed_actions(item.vocabulary)), **given}

    def schema(self, item: ActionsSample, most: int) -> dict[str, Any]:
        """Return the JSON schema of an answer."""
        return closed({"actions": list_of(one_of(allowed_actions(item.vocabulary)), 1, most)})


def names(reply: str) -> Listed | Unreadable:
    """Return the names of a list, folded."""
    found = lists.names(reply)
    if isinstance(found, Unreadable):
        return found
    folded = [(name, span) for name, span in zip(map(fold, found.names), found.spans, strict=True) if name]
    if not folded:
        return Unreadable("no names listed")
    return found._replace(names=tuple(name for name, _ in folded), spans=tuple(span for _, span in folded))


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


def overlap_scores(found: Overlap) -> dict[str, Score]:
    """Precision, recall and F1 of one sample, each out of one."""
    reason = f"{found.right} right, {found.said} said, {found.wanted} wanted"
    return {name: Score(getattr(found, name), 1, reason) for name in ("precision", "recall", "f1")}


def common(source: GenerationSample, ending: str = "", /, **groups: str) -> dict[str, Any]:
    """Return what an item has of the one it is made of."""
    return {
        "item_id": f"{source.item_id}{ending}",
        "cluster": source.cluster,
        "scenarios": source.scenarios,
        "groups": source.groups | {name: (value,) for name, value in groups.items()},
        "source": source,
    }


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
