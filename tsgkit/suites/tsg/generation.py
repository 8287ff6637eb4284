"""Graph generation (``sa-sgg``, ``ma-sgg``): from a sentence with its context and L to its graphs.

>>> from tsgkit.library.cards import load_card
>>> task = generation(load_card("tsg/ma-sgg"))
>>> item = task.dataset(None).sample(0)
>>> item.k, len(read(shown_answer(item), item).graphs)
(2, 2)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import zip_longest
from typing import Any

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
from tsgkit.suites.judgement import AnswerScores, Given, Judged, Scores, Spans
from tsgkit.suites.solvers.examples import Identity, folded
from tsgkit.suites.solvers.offline_solvers import programs
from tsgkit.suites.solvers.prompt_files import closed, list_of, one_of
from tsgkit.suites.task import Draft, Graphs, Task, View
from tsgkit.suites.tsg import official
from tsgkit.suites.tsg.audit import AuditRules
from tsgkit.suites.tsg.baselines.answer_text import graphs_text
from tsgkit.suites.tsg.baselines.generation import generate
from tsgkit.suites.tsg.baselines.random_guesses import guess_graphs
from tsgkit.suites.tsg.clusters import ids_of, own_name
from tsgkit.suites.tsg.graph_scores import GRAPHS, score_generation
from tsgkit.suites.tsg.items import DerivedSample, EdgesSample, GenerationSample, RefineSample, SentenceGraphs
from tsgkit.suites.tsg.rows import RowRules
from tsgkit.suites.tsg.task import graph_faults, published, row_groups, told, tsg_prompt, tsg_task
from tsgkit.suites.tsg.votes import voted_graphs

GraphItem = GenerationSample | EdgesSample | RefineSample
RULES = ("graph-rules", "node-rules", "hand-rules", "edge-rules")
MOST_QUOTED = 3
NO_GRAPH = "no graph was found in any reply: the published code divides by zero here"

# Answers that are graphs


def longest(item: GraphItem) -> int:
    """Return the number of triplets of the longest graph."""
    return max(len(graph.triplets) for graph in item.references)


def shown_answer(item: GraphItem) -> str:
    """Return the graphs in the form that is asked for."""
    return "\n\n".join(map(arrows, item.references))


def read(text: str, item: GraphItem) -> GraphAnswer | Unreadable:
    """Read as many graphs as are wanted."""
    return read_graphs(text, len(item.references))


def vote(answers: Sequence[GraphAnswer]) -> GraphAnswer | Unreadable:
    """Return the triplets that most draws have."""
    return voted_graphs([answer.graphs for answer in answers])


def graph_view(fields: Any, *names: str) -> View:  # noqa: ANN401  (a function of any of these items)
    """Return the display of items whose answers are graphs; ``names`` are the fields that describe the question."""
    return View(
        question=told(fields, *names),
        brief=told(fields, *names[:2]),
        reference=_numbered,
        value=lambda item: [[list(triplet) for triplet in graph] for graph in item.references],
        told=lambda answer: answer.graphs,
        noted=lambda answer: answer.reading.notes,
        spans=_spans,
        faults=graph_faults,
        graphs=_compared,
    )


def _numbered(item: GraphItem) -> str:
    graphs = enumerate(item.references)
    return "\n\n".join(f"Graph {number}:\n{arrows(graph)}" for number, graph in graphs)


def _spans(item: GraphItem, text: str) -> Spans:
    found = read(text, item)
    return found.spans if isinstance(found, GraphAnswer) else ()


def _compared(item: GraphItem, judged: Judged) -> Graphs:
    """Return the graphs wanted and given, as strict compares them."""
    answers = tuple(ActionGraph(graph) for graph in judged.answer or ())
    return Graphs(tuple(map(fold_graph, item.references)), answers, fold_vocabulary(item.vocabulary))


# Generation


def items_of(entry: Entry, cluster: str, file: str, *, of_several: bool) -> Iterator[GenerationSample]:
    """Make the item of a row."""
    yield generation_item(entry, cluster, of_several=of_several)


def fields(item: GenerationSample) -> Mapping[str, str]:
    """Return the values of an item for our prompts."""
    return {**sentence_fields(item), **element_fields(item.vocabulary), "count": str(item.k)}


WHOLE = {
    "context": lambda item: item.context[0] if item.context_is_text else repr(list(item.context)),
    "target_sentence": lambda item: item.sentence,
    "available_nodes": lambda item: ", ".join((*item.vocabulary.objects, *item.vocabulary.verbs)),
    "available_edges": lambda item: ", ".join(item.vocabulary.relationships),
}
"""The fields of the published prompt, as the published code writes them."""


def schema(item: GenerationSample, most: int) -> dict[str, Any]:
    """Return the JSON schema of an answer, which allows exactly L."""
    return graphs_schema(item.k, most, allowed_nodes(item.vocabulary), allowed_edges(item.vocabulary))


def graphs_schema(k: int, most: int, nodes: tuple[str, ...], edges: tuple[str, ...]) -> dict[str, object]:
    """Return the schema of k graphs of at most so many triplets, and at least one, with these nodes and edges.

    An element can stand twice in a triplet: to exclude that needs ``anyOf`` of objects with the same first field, which
    OpenAI refuses in strict mode, and an action may share its name with its object.
    """
    node = {"$ref": "#/$defs/node"}
    schema = closed({"graphs": list_of({"$ref": "#/$defs/graph"}, k, k)})
    schema["$defs"] = {
        "graph": list_of({"$ref": "#/$defs/triplet"}, 1, most),
        "node": one_of(nodes),
        "edge": one_of(edges),
        "triplet": closed({"source": node, "edge": {"$ref": "#/$defs/edge"}, "target": node}),
    }
    return schema


def score(item: GenerationSample, answer: GraphAnswer | None, given: Given) -> AnswerScores:
    """Compare graphs by place, and as published where a published reader is shown the reply."""
    return graph_scores(item, answer, None if given.published is None else _official_scores(item, given.published))


def draft(item: GenerationSample) -> Draft:
    """Return the input of an agent, which is that of the prompt."""
    return Draft(
        sentence=item.sentence,
        context=item.context,
        vocabulary=item.vocabulary,
        k=item.k,
        begins=not item.context,
        right=item.references,
    )


def generation(card: Card) -> Task:
    """Return the task with one graph, or that with several, where the number of graphs is given too."""
    kind = card.task.partition("/")[2]
    of_several = kind == "ma-sgg"
    rows = RowRules(
        kind=kind,
        of="sgg",
        items=partial(items_of, of_several=of_several),
        problem=partial(problem_of, kind=kind),
        of_several=of_several,
    )
    return tsg_task(
        card,
        rows,
        prompt=tsg_prompt(
            card,
            rows,
            rules=RULES,
            fields=fields,
            asked=("context", "sentence", "nodes", "edges", *(("count",) if of_several else ())),
            whole={**WHOLE, **({"num_scene_graphs": lambda item: str(item.k)} if of_several else {})},
            schema=schema,
            longest=longest,
            answer=shown_answer,
            identity=identity,
        ),
        read=read,
        score=score,
        metrics=GRAPHS,
        official=published(rows, ("precision", "recall", "f1"), official.graphs, _differences, NO_GRAPH),
        vote=vote,
        draft=draft,
        view=graph_view(fields, "sentence", "count", "nodes", "edges"),
        k_counts="graphs asked for",
        baselines=programs(
            {
                "random": lambda item, seed: graphs_text(guess_graphs(item, seed)),
                "rules": lambda item, _: graphs_text(generate(item)),
            }
        ),
        audit=AuditRules(audit_item, lambda item: SentenceGraphs(item.sentence, item.references)),
    )


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


def sentence_fields(item: GenerationSample | DerivedSample) -> dict[str, str]:
    """Return the sentence and its context."""
    return {"context": "\n".join(item.context) or NOTHING_BEFORE, "sentence": item.sentence}


def element_fields(vocabulary: Vocabulary) -> dict[str, str]:
    """Return L."""
    return {"nodes": ", ".join(allowed_nodes(vocabulary)), "edges": ", ".join(allowed_edges(vocabulary))}


def identity(item: GenerationSample | DerivedSample) -> Identity:
    """Return the identity of an item: its sentence and the graphs of its row."""
    source = item.source if isinstance(item, DerivedSample) else item
    return Identity((("generation", folded(source.sentence), source.references),), item.scenarios or (item.cluster,))


def audit_item(item: GenerationSample | DerivedSample, more: str = "") -> AuditItem:
    """Return an item made of a sentence and its graphs as an audit sees it."""
    source = item.source if isinstance(item, DerivedSample) else item
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
    item: GenerationSample, mine: Sequence[ActionGraph] | None, theirs: Sequence[ActionGraph] | None
) -> Iterator[str]:
    """Say where the profiles read different graphs."""
    strict, found = tuple(mine or ()), tuple(theirs or ())
    if len(strict) != len(found):
        how = "only blank lines end a graph there, and only lines of exactly two arrows count"
        yield f"official finds {len(found)} graphs, strict {len(strict)}: {how}"
    for number, pair in enumerate(zip_longest(strict, found, fillvalue=ActionGraph()), 1):
        yield from _triplet_differences(number, *pair)
    if len(found) != item.k:
        scored = min(len(found), item.k)
        yield (
            f"official scores {scored} of {item.k} graphs wanted, {len(found)} found, and forgets the others; "
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
