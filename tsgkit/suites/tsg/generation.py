"""Graph generation (``sa-sgg``, ``ma-sgg``): from a sentence with its context and L to its graphs.

>>> from tsgkit.library.cards import load_card
>>> task = generation(load_card("tsg/ma-sgg"))
>>> item = task.dataset(None).sample(0)
>>> item.k, len(read(shown_answer(item), item).graphs)
(2, 2)
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import accumulate, zip_longest
from typing import Any

from tsgkit.graph.folding import fold_graph, fold_vocabulary
from tsgkit.graph.model import ActionGraph, Triplet, Vocabulary
from tsgkit.graph.prompt_text import NOTHING_BEFORE, allowed_edges, allowed_nodes, arrows
from tsgkit.graph.reading import Reading as GraphReading
from tsgkit.graph.reading.answers import GraphAnswer, read_graphs
from tsgkit.library.cards import Card
from tsgkit.library.documents.rows import Entry
from tsgkit.replies import Unreadable
from tsgkit.scoring.alignment import in_order
from tsgkit.scoring.pooling import Score
from tsgkit.scoring.set_scores import overlap, triplets_of
from tsgkit.suites.audits.items import AuditedItem, context_hash
from tsgkit.suites.judgement import AnswerScores, Given, Judged, Scores, Spans
from tsgkit.suites.solvers.examples import Identity, folded
from tsgkit.suites.solvers.prompt_files import closed, list_of, one_of
from tsgkit.suites.task import Graphs, Task, WriterInput
from tsgkit.suites.tsg import official
from tsgkit.suites.tsg.audit import AuditRules
from tsgkit.suites.tsg.baselines.generation import generate, guess_graphs
from tsgkit.suites.tsg.clusters import scenarios_of
from tsgkit.suites.tsg.graph_scores import GRAPHS, score_generation
from tsgkit.suites.tsg.items import DerivedSample, EdgesSample, GenerationSample, RefineSample, SentenceGraphs
from tsgkit.suites.tsg.rows import RowRules
from tsgkit.suites.tsg.task import lists_of, row_groups, tsg_task

GraphItem = GenerationSample | EdgesSample | RefineSample
RULES = ("graph-rules", "node-rules", "hand-rules", "edge-rules")
MOST_QUOTED = 3
MOST_GRAPHS = 2000
"""So many graphs, of all draws together, are compared each with each, which takes a few seconds."""
NO_GRAPH = "no graph was found in any reply: the published code divides by zero here"
NO_TEXT = "no text: strict counts the item as wrong, official leaves it out"

# Answers that are graphs


def graphs_text(graphs: Iterable[ActionGraph]) -> str:
    """Return graphs as arrow lines, a blank line between graphs."""
    return "\n\n".join(map(arrows, graphs))


def shown_answer(item: GraphItem) -> str:
    """Return the graphs in the form that is asked for."""
    return graphs_text(item.references)


def graphs_schema(k: int, most: int, nodes: tuple[str, ...], edges: tuple[str, ...]) -> dict[str, Any]:
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


def schema(item: GenerationSample | RefineSample, most: int) -> dict[str, Any]:
    """Return the JSON schema of an answer, which allows exactly L."""
    return graphs_schema(len(item.references), most, allowed_nodes(item.vocabulary), allowed_edges(item.vocabulary))


def read(text: str, item: GraphItem) -> GraphAnswer | Unreadable:
    """Read as many graphs as are wanted."""
    return read_graphs(text, len(item.references))


def vote(answers: Sequence[GraphAnswer]) -> GraphAnswer | Unreadable:
    """Return the triplets that most draws have.

    Graphs are compared with all others: where the draws hold too many of them, the longest draws have no vote, and a
    note says so.
    """
    draws = [answer.graphs for answer in answers]
    voters = comparable(draws)
    if not voters:
        return Unreadable(f"every draw holds more than {MOST_GRAPHS} graphs: too many to compare")
    graphs = majority_graphs(voters)
    if not graphs:
        return Unreadable("no triplet has a majority")
    left_out = len(draws) - len(voters)
    note = f"{left_out} of {len(draws)} draws had no vote: the draws hold more than {MOST_GRAPHS} graphs"
    return GraphAnswer(graphs, GraphReading(graphs, (), ()), (note,) if left_out else ())


def comparable(draws: Sequence[Sequence[ActionGraph]]) -> list[Sequence[ActionGraph]]:
    """Return the draws that can be compared with each other: the shortest ones, as many as hold ``MOST_GRAPHS``
    together.
    """
    shortest_first = sorted(range(len(draws)), key=lambda index: len(draws[index]))
    totals = accumulate(len(draws[index]) for index in shortest_first)
    voters = {index for index, total in zip(shortest_first, totals, strict=True) if total <= MOST_GRAPHS}
    return [draw for index, draw in enumerate(draws) if index in voters]


def majority_graphs(draws: Sequence[Sequence[ActionGraph]]) -> tuple[ActionGraph, ...]:
    """Return the triplets that more than half of the draws have, graph by graph.

    The draw most similar to the others gives the order of graphs, of equals the first; the others are aligned to it in
    order. A graph without a majority for any triplet is left out.
    """
    sets = [[triplets_of(graph) for graph in draw] for draw in draws]
    alignments = [
        [in_order([[overlap(mine, theirs).f1 for theirs in peer] for mine in draw]) for peer in sets] for draw in sets
    ]
    likeness = [
        math.fsum(aligned.total / max(len(draw), len(peer), 1) for aligned, peer in zip(of_draw, sets, strict=True))
        for draw, of_draw in zip(sets, alignments, strict=True)
    ]
    centre = likeness.index(max(likeness))
    votes: list[Counter[Triplet]] = [Counter() for _ in draws[centre]]
    for draw, aligned in zip(draws, alignments[centre], strict=True):
        for index, partner in aligned.pairs:
            votes[index].update(set(draw[partner]))
    written = dict.fromkeys(triplet for draw in draws for graph in draw for triplet in graph)
    majorities = (ActionGraph(t for t in written if of_graph[t] * 2 > len(draws)) for of_graph in votes)
    return tuple(graph for graph in majorities if graph.triplets)


def graph_task(card: Card, rows: RowRules, *, prompt: Mapping[str, Any], **parts: Any) -> Task:  # noqa: ANN401
    """Return a task whose answers are graphs, with the other parts of its prompt and of a task of this suite."""

    def spans(item: GraphItem, text: str) -> Spans:
        answer = read(text, item)
        return answer.spans if isinstance(answer, GraphAnswer) else ()

    def faults(answer: Any, evidence: Any) -> Iterator[str]:  # noqa: ANN401  (as a record has them)
        """Yield the differences of graphs, with the number of each graph once, from 1."""
        graphs = evidence if isinstance(evidence, list) else [evidence]
        for number, graph in enumerate(graphs, 1):
            prefix = f"graph {number}: " if len(graphs) > 1 else ""
            for change in graph["changes"]:
                yield prefix + change.replace(": ", " ", 1)
                prefix = ""

    def compared(item: GraphItem, judged: Judged) -> Graphs:
        """Return the graphs wanted and given, as strict compares them."""
        answers = tuple(ActionGraph(graph) for graph in judged.answer or ())
        return Graphs(tuple(map(fold_graph, item.references)), answers, fold_vocabulary(item.vocabulary))

    return tsg_task(
        card,
        rows,
        answer=shown_answer,
        written=graphs_text,
        prompt={
            "longest": lambda item: max(len(graph.triplets) for graph in item.references),
            "identity": identity,
            **prompt,
        },
        read=read,
        vote=vote,
        view={
            "reference": lambda item: "\n\n".join(
                f"Graph {number}:\n{arrows(graph)}" for number, graph in enumerate(item.references, 1)
            ),
            "value": lambda item: lists_of(item.references),
            "told": lambda answer: answer.graphs,
            "noted": lambda answer: answer.reading.notes,
            "spans": spans,
            "faults": faults,
            "graphs": compared,
        },
        **parts,
    )


# Items made of a sentence and its graphs


def generation_item(entry: Entry, cluster: str, *, of_several: bool = False) -> GenerationSample:
    """Return the item of a row."""
    row = entry.row or {}
    narrative = entry.narrative
    context = row["context"]
    return GenerationSample(
        item_id=entry.item,
        cluster=cluster,
        scenarios=scenarios_of(row),
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


def audit_item(item: GenerationSample | DerivedSample, more: str = "") -> AuditedItem:
    """Return an item made of a sentence and its graphs as an audit sees it."""
    source = item.source if isinstance(item, DerivedSample) else item
    return AuditedItem(
        item.item_id,
        item.cluster,
        question=source.sentence + more,
        answer=context_hash(source.references),
        context=context_hash(source.context, source.vocabulary),
    )


# The generation tasks


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


def score(item: GenerationSample, answer: GraphAnswer | None, facts: Given) -> AnswerScores:
    """Compare graphs by place, and as published where a published reader is shown the reply."""
    theirs: Scores | None = None
    if facts.published is not None:  # over the pairs that the published zip leaves; with none the item has no weight
        pairs = official.score_graphs(item.references, official.graphs(facts.published))
        reason = "no graph found: the published code skips the item"
        reason = f"{len(pairs)} of {item.k} graphs scored" if pairs else reason
        sums = {name: sum(getattr(pair, name) for pair in pairs) for name in ("precision", "recall", "f1")}
        theirs = {name: Score(total, len(pairs), reason) for name, total in sums.items()}
    return score_generation(item, answer, theirs)


def differences(
    item: GenerationSample, mine: Sequence[ActionGraph] | None, theirs: Sequence[ActionGraph] | None
) -> Iterator[str]:
    """Yield where the profiles read different graphs; folding alone counts only if it costs a match."""
    if len(mine := mine or ()) != len(theirs := theirs or ()):
        how = "only blank lines end a graph there, and only lines of exactly two arrows count"
        yield f"official finds {len(theirs)} graphs, strict {len(mine)}: {how}"
    for number, (strict, published) in enumerate(zip_longest(mine, theirs, fillvalue=ActionGraph()), 1):
        only_strict = [triplet for triplet in strict if triplet not in set(published)]
        only_official = [triplet for triplet in published if triplet not in set(strict)]
        if only_strict and fold_graph(published) == strict:
            how = "strict folds case, quotes and final periods, official does not"
            yield f"graph {number}: {how}: {_some(only_official)}"
        elif only_strict and len(only_strict) == len(only_official):
            more = f" ({len(only_strict)} triplets differ)" if len(only_strict) > 1 else ""
            yield f"graph {number}: strict reads {only_strict[0]}, official {only_official[0]}{more}"
        else:
            if only_strict:
                yield f"graph {number}: only strict reads {_some(only_strict)}"
            if only_official:
                yield f"graph {number}: only official reads {_some(only_official)}"
    if len(theirs) != item.k:
        yield (
            f"official scores {min(len(theirs), item.k)} of {item.k} graphs wanted, {len(theirs)} found, and forgets "
            "the others; strict counts a missing or surplus graph as wrong"
        )


def _some(triplets: Sequence[object]) -> str:
    more = f" and {len(triplets) - MOST_QUOTED} more" if len(triplets) > MOST_QUOTED else ""
    return "; ".join(map(str, triplets[:MOST_QUOTED])) + more


def draft(item: GenerationSample) -> WriterInput:
    """Return the input of an agent, which is that of the prompt."""
    return WriterInput(
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
        items=lambda entry, cluster, file: (generation_item(entry, cluster, of_several=of_several),),
        problem=partial(problem_of, kind=kind),
        of_several=of_several,
    )
    several = {"num_scene_graphs": lambda item: str(item.k)} if of_several else {}
    return graph_task(
        card,
        rows,
        fields=fields,
        asked=("context", "sentence", "nodes", "edges", *(("count",) if of_several else ())),
        about=("sentence", "count", "nodes", "edges"),
        score=score,
        metrics=GRAPHS,
        programs_of={"random": guess_graphs, "rules": lambda item, _: generate(item)},
        prompt={"rules": RULES, "schema": schema, "whole": WHOLE | several},
        official=official.published(("precision", "recall", "f1"), official.graphs, differences, NO_GRAPH, NO_TEXT),
        draft=draft,
        k_counts="graphs asked for",
        audit=AuditRules(audit_item, lambda item: SentenceGraphs(item.sentence, item.references)),
    )
