"""Graph generation (``sa-sgg``, ``ma-sgg``): from a sentence with its context and L to its graphs.

>>> from tsgkit.library.cards import load_card
>>> task = Generation(load_card("tsg/ma-sgg"))
>>> item = task.dataset(None).sample(0)
>>> item.k, len(task.read_text(item, task.shown_answer(item)).graphs)
(2, 2)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from types import MappingProxyType
from typing import Any, TypeVar

from tsgkit.graph.edits import diff
from tsgkit.graph.folding import fold_graph, fold_graphs, fold_vocabulary
from tsgkit.graph.model import ActionGraph, Vocabulary
from tsgkit.graph.prompt_text import NOTHING_BEFORE, allowed_edges, allowed_nodes, arrows
from tsgkit.graph.reading.answers import GraphAnswer, read_graphs
from tsgkit.library.cards import Card
from tsgkit.library.documents.rows import Entry
from tsgkit.replies import Unreadable
from tsgkit.scoring.score import Score
from tsgkit.suites.audits.items import Item as AuditItem
from tsgkit.suites.audits.items import context_hash
from tsgkit.suites.judgement import AnswerScores, Judged, Scores, Spans
from tsgkit.suites.solvers.examples import Identity, folded
from tsgkit.suites.solvers.protocols import AsAsked, Draft, Reading
from tsgkit.suites.task import Graphs
from tsgkit.suites.tsg import official
from tsgkit.suites.tsg.baselines.answer_text import graphs_text
from tsgkit.suites.tsg.baselines.generation import generate
from tsgkit.suites.tsg.baselines.random_guesses import guess_graphs
from tsgkit.suites.tsg.clusters import ids_of, own_name
from tsgkit.suites.tsg.graph_scores import GRAPHS, score_generation
from tsgkit.suites.tsg.items import DerivedSample, GenerationSample, Sample, SentenceGraphs
from tsgkit.suites.tsg.prompts import graphs_schema
from tsgkit.suites.tsg.task import TsgTask, row_groups
from tsgkit.suites.tsg.votes import voted_graphs

Item = TypeVar("Item", bound=Sample)
RULES = ("graph-rules", "node-rules", "hand-rules", "edge-rules")
MOST_QUOTED = 3
NO_GRAPH = "no graph was found in any reply: the published code divides by zero here"


class GraphTask(TsgTask[Item, GraphAnswer]):
    """A task whose answers are graphs."""

    def references_of(self, item: Item) -> tuple[ActionGraph, ...]:
        """Return the graphs that are wanted."""
        raise NotImplementedError

    def vocabulary_of(self, item: Item) -> Vocabulary:
        """Return L."""
        raise NotImplementedError

    def longest(self, item: Item) -> int:
        """Return the number of triplets of the longest graph."""
        return max(len(graph.triplets) for graph in self.references_of(item))

    def read_text(self, item: Item, text: str) -> GraphAnswer | Unreadable:
        """Read as many graphs as are wanted."""
        return read_graphs(text, len(self.references_of(item)))

    def told(self, answer: GraphAnswer) -> tuple[ActionGraph, ...]:
        """Return the graphs."""
        return answer.graphs

    def spans(self, item: Item, text: str) -> Spans:
        """Return where the triplets stand in a text."""
        found = self.read_text(item, text)
        return found.spans if isinstance(found, GraphAnswer) else ()

    def vote(self, item: Item, answers: Sequence[GraphAnswer]) -> Reading[Any]:
        """Return the triplets that most draws have."""
        return voted_graphs([answer.graphs for answer in answers])

    def shown_answer(self, item: Item) -> str:
        """Return the graphs in the form that is asked for."""
        return "\n\n".join(map(arrows, self.references_of(item)))

    def reference(self, sample: Item) -> str:
        """Return the graphs, numbered."""
        graphs = enumerate(self.references_of(sample))
        return "\n\n".join(f"Graph {number}:\n{arrows(graph)}" for number, graph in graphs)

    def reference_value(self, sample: Item) -> object:
        """Return the graphs as lists."""
        return [[list(triplet) for triplet in graph] for graph in self.references_of(sample)]

    def graphs(self, sample: Item, judged: Judged) -> Graphs | None:
        """Return the graphs wanted and given, as strict compares them."""
        answers = tuple(ActionGraph(graph) for graph in judged.answer or ())
        wanted = tuple(map(fold_graph, self.references_of(sample)))
        return Graphs(wanted, answers, fold_vocabulary(self.vocabulary_of(sample)))


class Generation(GraphTask[GenerationSample]):
    """The tasks with one graph, and with several."""

    item_type = GenerationSample
    rows = "sgg"
    metrics = GRAPHS
    published_metrics = ("precision", "recall", "f1")
    without_weight = NO_GRAPH
    rules = RULES
    k_counts = "graphs asked for"
    told_fields = ("sentence", "count", "nodes", "edges")
    asked_fields: tuple[str, ...] = ("context", "sentence", "nodes", "edges")
    whole_fields: tuple[str, ...] = ("context", "target_sentence", "available_nodes", "available_edges")
    baselines = MappingProxyType(
        {
            "random": lambda item, seed: graphs_text(guess_graphs(item, seed)),
            "rules": lambda item, _: graphs_text(generate(item)),
        }
    )

    def __init__(self, card: Card) -> None:
        super().__init__(card)
        self.of_several = self.kind == "ma-sgg"
        if self.of_several:  # the number of graphs is given too
            self.asked_fields = (*self.asked_fields, "count")
            self.whole_fields = (*self.whole_fields, "num_scene_graphs")

    # What is asked

    def items_of(self, entry: Entry, cluster: str) -> Iterator[GenerationSample]:
        """Make the item of a row."""
        yield generation_item(entry, cluster, of_several=self.of_several)

    def problem(self, item: GenerationSample) -> str:
        """Return why an item cannot be asked here; empty where it can."""
        return problem_of(item, self.kind)

    def fields(self, item: GenerationSample) -> Mapping[str, str]:
        """Return the values of an item for our prompts."""
        return {**told_fields(item), **element_fields(item.vocabulary), "count": str(item.k)}

    def published_values(self, item: GenerationSample) -> Mapping[str, str]:
        """Return the values of an item as the published code writes them."""
        vocabulary = item.vocabulary
        return {
            "context": item.context[0] if item.context_is_text else repr(list(item.context)),
            "target_sentence": item.sentence,
            "available_nodes": ", ".join((*vocabulary.objects, *vocabulary.verbs)),
            "available_edges": ", ".join(vocabulary.relationships),
            "num_scene_graphs": str(item.k),
        }

    def schema(self, item: GenerationSample, most: int) -> dict[str, Any]:
        """Return the JSON schema of an answer, which allows exactly L."""
        return graphs_schema(item.k, most, allowed_nodes(item.vocabulary), allowed_edges(item.vocabulary))

    def references_of(self, item: GenerationSample) -> tuple[ActionGraph, ...]:
        """Return the graphs that are wanted."""
        return item.references

    def vocabulary_of(self, item: GenerationSample) -> Vocabulary:
        """Return L."""
        return item.vocabulary

    def draft(self, item: GenerationSample) -> Draft:
        """Return the input of an agent, which is that of the prompt."""
        return Draft(
            sentence=item.sentence,
            context=item.context,
            vocabulary=item.vocabulary,
            k=item.k,
            begins=not item.context,
            right=item.references,
        )

    # How an answer is scored

    def answer_scores(self, item: GenerationSample, answer: GraphAnswer | None, asked: AsAsked | None) -> AnswerScores:
        """Compare graphs by place, and as published where a published reader is shown the reply."""
        text = self.official_text(asked)
        return graph_scores(item, answer, None if text is None else _official_scores(item, text))

    def official_reading(self, text: str) -> tuple[ActionGraph, ...]:
        """Return what the published reader finds."""
        return official.graphs(text)

    def differences(self, item: GenerationSample, mine: Any, theirs: Any, view: str) -> Iterator[str]:  # noqa: ANN401
        """Say where the profiles read different graphs."""
        return _differences(item, mine or (), theirs or ())

    # How it is recognised and audited

    def identity(self, item: GenerationSample) -> Identity:
        """Return what the item is recognised by in a pool of examples."""
        return generation_identity(item, item)

    def audit_item(self, item: GenerationSample) -> AuditItem:
        """Return the item as an audit sees it."""
        return generation_audit_item(item, item)

    def told_graphs(self, item: GenerationSample) -> SentenceGraphs:
        """Return the sentence and its graphs."""
        return SentenceGraphs(item.sentence, item.references)

    def own_texts(self, item: GenerationSample) -> tuple[str, ...]:
        """Return the texts that no prompt may show."""
        return (item.sentence,)


def generation_item(entry: Entry, cluster: str, *, of_several: bool = False) -> GenerationSample:
    """Return the item of a row."""
    row = entry.row or {}
    narrative = entry.narrative
    context = row["context"]
    return GenerationSample(
        item_id=entry.item,
        cluster=cluster,
        scenarios=ids_of(row) or (own_name(row),),
        groups=row_groups(row, len(narrative.graphs)),
        context=(context,) if isinstance(context, str) else tuple(context),
        sentence=row["target_sentence"],
        vocabulary=narrative.vocabulary or Vocabulary(),
        references=narrative.graphs,
        context_is_text=isinstance(context, str),
        of_several=of_several,
    )


def problem_of(item: GenerationSample, kind: str) -> str:
    """Return why an item cannot be one of a generation task; empty where it can."""
    if not item.k or not all(graph.triplets for graph in item.references):
        return "has no reference graphs, or one without triplets"
    if item.k > 1 and kind == "sa-sgg":
        return f"has k = {item.k}, so it belongs to ma-sgg, not {kind}"
    return ""


def told_fields(item: GenerationSample | DerivedSample) -> dict[str, str]:
    """Return the sentence and its context."""
    return {"context": "\n".join(item.context) or NOTHING_BEFORE, "sentence": item.sentence}


def element_fields(vocabulary: Vocabulary) -> dict[str, str]:
    """Return L."""
    return {"nodes": ", ".join(allowed_nodes(vocabulary)), "edges": ", ".join(allowed_edges(vocabulary))}


def generation_identity(item: Sample, source: GenerationSample) -> Identity:
    """Return the identity of an item made of a sentence and its graphs."""
    content = "generation", folded(source.sentence), source.references
    return Identity((content,), item.scenarios or (item.cluster,))


def generation_audit_item(item: Sample, source: GenerationSample, more: str = "") -> AuditItem:
    """Return an item made of a sentence and its graphs as an audit sees it."""
    return AuditItem(
        item.item_id,
        item.cluster,
        question=source.sentence + more,
        answer=context_hash(source.references),
        context=context_hash(source.context, source.vocabulary),
    )


def graph_scores(item: GenerationSample, answer: GraphAnswer | None, published: Scores | None = None) -> AnswerScores:
    """Return what generated graphs are worth."""
    scored = score_generation(item, answer)
    skipped = int(published is not None and published["f1"].weight == 0)
    counts = scored.counts | {"repaired": is_repaired(answer), "skipped_official": skipped}
    return AnswerScores(
        scored.scores, published, graph_lists(answer), _evidence(item, answer), counts, notes_of(answer)
    )


def is_repaired(answer: GraphAnswer | None) -> int:
    """Count an answer that was repaired while it was read."""
    return int(bool(answer and answer.reading.repaired))


def notes_of(answer: GraphAnswer | None) -> tuple[str, ...]:
    """Return the notes about the reading of an answer."""
    return (*map(str, answer.reading.notes), *answer.asides) if answer else ()


def graph_lists(answer: GraphAnswer | None) -> list[list[list[str]]] | None:
    """Return the graphs as JSON has them."""
    return [[list(triplet) for triplet in graph] for graph in answer.graphs] if answer else None


def _official_scores(item: GenerationSample, text: str) -> Scores:
    """Sums over the pairs that the published zip leaves; none means that the item is not scored at all."""
    pairs = official.score_graphs(item.references, official.graphs(text))
    reason = f"{len(pairs)} of {item.k} graphs scored" if pairs else "no graph found: the published code skips the item"
    return {
        name: Score(sum(getattr(pair, name) for pair in pairs), len(pairs), reason)
        for name in ("precision", "recall", "f1")
    }


def _evidence(item: GenerationSample, answer: GraphAnswer | None) -> list[dict[str, object]]:
    """Return how each graph differs from its reference, by place."""
    graphs = answer.graphs if answer else ()
    vocabulary = fold_vocabulary(item.vocabulary)
    evidence: list[dict[str, object]] = []
    for number, reference in enumerate(fold_graphs(item.references)):
        if number < len(graphs):
            difference = diff(reference, graphs[number], vocabulary)
            evidence.append({"matched": len(difference.matched), "changes": [str(c) for c in difference.changes]})
        else:
            evidence.append({"matched": 0, "changes": ["the whole graph is missing"]})
    evidence += [{"matched": 0, "changes": ["a surplus graph"]} for _ in graphs[item.k :]]
    return evidence


def _differences(
    item: GenerationSample, strict: Sequence[ActionGraph], published: Sequence[ActionGraph]
) -> Iterator[str]:
    if len(strict) != len(published):
        how = "only blank lines end a graph there, and only lines of exactly two arrows count"
        yield f"official finds {len(published)} graphs, strict {len(strict)}: {how}"
    for number, (mine, theirs) in enumerate(zip_longest(strict, published), 1):
        yield from _triplet_differences(number, mine or ActionGraph(), theirs or ActionGraph())
    if len(published) != item.k:
        scored = min(len(published), item.k)
        yield (
            f"official scores {scored} of {item.k} graphs wanted, {len(published)} found, and forgets the others; "
            "strict counts a missing or surplus graph as wrong"
        )


def _triplet_differences(number: int, strict: ActionGraph, published: ActionGraph) -> Iterator[str]:
    """Yield triplets that only one of both readings has; folding alone counts only if it costs a match."""
    only_strict = [triplet for triplet in strict if triplet not in set(published)]
    only_official = [triplet for triplet in published if triplet not in set(strict)]
    if only_strict and fold_graph(published) == strict:
        yield f"graph {number}: strict folds case, quotes and final periods, official does not: {_some(only_official)}"
        return
    if only_strict and len(only_strict) == len(only_official):
        more = f" ({len(only_strict)} triplets differ)" if len(only_strict) > 1 else ""
        yield f"graph {number}: strict reads {only_strict[0]}, official {only_official[0]}{more}"
        return
    if only_strict:
        yield f"graph {number}: only strict reads {_some(only_strict)}"
    if only_official:
        yield f"graph {number}: only official reads {_some(only_official)}"


def _some(triplets: Sequence[object]) -> str:
    more = f" and {len(triplets) - MOST_QUOTED} more" if len(triplets) > MOST_QUOTED else ""
    return "; ".join(map(str, triplets[:MOST_QUOTED])) + more
