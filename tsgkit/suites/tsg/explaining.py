"""How a sample of this suite is put in words, and which graphs were wanted and given."""

from __future__ import annotations

from typing import Any

from tsgkit.graph.folding import fold_graph, fold_vocabulary
from tsgkit.graph.model import ActionGraph
from tsgkit.graph.wording import arrows
from tsgkit.suites.judged import Judged
from tsgkit.suites.task import Graphs
from tsgkit.suites.tsg.derived import ActionsSample, EdgesSample, NodesSample, RefineSample
from tsgkit.suites.tsg.samples import AnySample, GenerationSample, QuestionSample, SelectionSample, references_of
from tsgkit.suites.tsg.showing import shown, shown_answer

SHOWN = {
    QuestionSample: ("question",),
    SelectionSample: ("graph", "candidates"),
    GenerationSample: ("sentence", "count", "nodes", "edges"),
    NodesSample: ("sentence", "given_edges", "nodes"),
    EdgesSample: ("sentence", "given_nodes", "edges"),
    ActionsSample: ("sentence", "given_nodes", "given_edges", "actions"),
    RefineSample: ("sentence", "graph", "hint", "place", "nodes", "edges"),
}
BRIEFLY = 2


def question_of(sample: AnySample, *, briefly: bool = False) -> str:
    """What was asked about, without its context; briefly, without L."""
    values, fields = shown(sample), SHOWN[type(sample)]
    return "\n\n".join(f"{field}:\n{values[field]}" for field in (fields[:BRIEFLY] if briefly else fields))


def reference_text(sample: AnySample) -> str:
    """What is right."""
    if references := references_of(sample):
        return "\n\n".join(f"Graph {number}:\n{arrows(graph)}" for number, graph in enumerate(references))
    if isinstance(sample, SelectionSample):
        return f"{shown_answer(sample)} {sample.candidates[sample.position]}"
    return shown_answer(sample)


def reference_value(sample: AnySample) -> Any:  # noqa: ANN401  (a word or graphs, as JSON has them)
    """What is right, as a value."""
    if references := references_of(sample):
        return [[list(triplet) for triplet in graph] for graph in references]
    if isinstance(sample, QuestionSample | SelectionSample):
        return sample.answer
    return shown_answer(sample).split("\n")


def graphs_of(sample: AnySample, judged: Judged) -> Graphs | None:
    """The graphs wanted and given, as strict compares them; None where a word or names are asked for."""
    references = references_of(sample)
    if not references or isinstance(sample, QuestionSample | SelectionSample):
        return None
    answers = tuple(ActionGraph(graph) for graph in judged.answer or ())
    return Graphs(tuple(map(fold_graph, references)), answers, fold_vocabulary(sample.vocabulary))
