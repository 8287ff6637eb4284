"""How the values of a sample are shown in a prompt: readably in ours, as Python writes them in the published ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tsgkit.errors import UsageError
from tsgkit.graph.model import HANDS, PERSON, ActionGraph, Vocabulary
from tsgkit.graph.wording import NOTHING_BEFORE, allowed_actions, allowed_edges, allowed_nodes, arrows, numbered
from tsgkit.suites.tsg.derived import ActionsSample, DerivedSample, EdgesSample, NodesSample, RefineSample
from tsgkit.suites.tsg.samples import LETTERS, AnySample, GenerationSample, QuestionSample, SelectionSample

NO_HINT = "not told"
"""What stands for the type of error where a repair goes without it."""


def shown(sample: AnySample) -> dict[str, str]:
    """The values of a sample for the fields of our prompts."""
    return VALUES[type(sample)](sample)


def _question(sample: QuestionSample) -> dict[str, str]:
    return {"graphs": numbered(sample.graphs), "question": sample.question}


def _selection(sample: SelectionSample) -> dict[str, str]:
    return {
        "context": numbered(sample.context) or NOTHING_BEFORE,
        "graph": arrows(sample.graph),
        "candidates": _lettered(sample.candidates),
        "letters": ", ".join(LETTERS[: len(sample.candidates)]),
    }


def _told(sample: GenerationSample | DerivedSample) -> dict[str, str]:
    """The sentence, after what was told before it."""
    return {"context": "\n".join(sample.context) or NOTHING_BEFORE, "sentence": sample.sentence}


def _elements(vocabulary: Vocabulary) -> dict[str, str]:
    return {"nodes": ", ".join(allowed_nodes(vocabulary)), "edges": ", ".join(allowed_edges(vocabulary))}


def _generation(sample: GenerationSample) -> dict[str, str]:
    return {**_told(sample), **_elements(sample.vocabulary), "count": str(sample.k)}


def _nodes(sample: NodesSample) -> dict[str, str]:
    return {
        **_told(sample),
        "nodes": ", ".join(allowed_nodes(sample.vocabulary)),
        "given_edges": _by_graph(sample.labels),
    }


def _edges(sample: EdgesSample) -> dict[str, str]:
    return {
        **_told(sample),
        "edges": ", ".join(allowed_edges(sample.vocabulary)),
        "given_nodes": _by_graph(sample.nodes),
        "count": str(sample.source.k),
    }


def _actions(sample: ActionsSample) -> dict[str, str]:
    return {
        **_told(sample),
        "actions": ", ".join(allowed_actions(sample.vocabulary)),
        "given_nodes": ", ".join(sample.nodes),
        "given_edges": ", ".join(sample.labels),
    }


def _refine(sample: RefineSample) -> dict[str, str]:
    return {
        **_told(sample),
        **_elements(sample.vocabulary),
        "place": f"{sample.number + 1} of {sample.source.k}",
        "graph": arrows(sample.spoilt),
        "hint": " and ".join(map(str, sample.kinds)) if sample.hinted else NO_HINT,
    }


VALUES: dict[type, Callable[[Any], dict[str, str]]] = {
    QuestionSample: _question,
    SelectionSample: _selection,
    GenerationSample: _generation,
    NodesSample: _nodes,
    EdgesSample: _edges,
    ActionsSample: _actions,
    RefineSample: _refine,
}
"""How each kind of sample is shown."""


def shown_as_published(sample: AnySample) -> dict[str, str]:
    """The values of a sample for the fields of the published prompts, written as the published code writes them."""
    if isinstance(sample, QuestionSample):
        return {"scene_graph": repr(_lists(sample.graphs)), "question": sample.question}
    if isinstance(sample, SelectionSample):
        return {
            "context": repr(_lists(sample.context)),
            "triplet": repr(_lists([sample.graph])[0]),
            "sentences": _lettered(sample.candidates),
        }
    if isinstance(sample, DerivedSample):
        raise UsageError(f"item {sample.item_id} is of a derived task, which has no published prompt")
    vocabulary = sample.vocabulary
    return {
        "context": sample.context[0] if sample.context_is_text else repr(list(sample.context)),
        "target_sentence": sample.sentence,
        "available_nodes": ", ".join((*vocabulary.objects, *vocabulary.verbs)),
        "available_edges": ", ".join(vocabulary.relationships),
        "num_scene_graphs": str(sample.k),
    }


def shown_answer(sample: AnySample) -> str:
    """The right answer in the form that is asked for."""
    if isinstance(sample, GenerationSample):
        return _blocks(sample.references)
    if isinstance(sample, EdgesSample):
        return _blocks(sample.source.references)
    if isinstance(sample, RefineSample):
        return arrows(sample.original)
    if isinstance(sample, NodesSample | ActionsSample):
        return "\n".join(sample.nodes if isinstance(sample, NodesSample) else sample.actions)
    return f"[{sample.answer}]"


def _blocks(graphs: Sequence[ActionGraph]) -> str:
    return "\n\n".join(map(arrows, graphs))


def _by_graph(names: Sequence[Sequence[str]]) -> str:
    return "\n".join([f"Graph {number}: {', '.join(of_one)}" for number, of_one in enumerate(names, 1)])


def _lettered(candidates: Sequence[str]) -> str:
    return "\n".join([f"{letter}: {text}" for letter, text in zip(LETTERS, candidates, strict=False)])


def _lists(graphs: Sequence[ActionGraph]) -> list[list[list[str]]]:
    return [[list(triplet) for triplet in graph.triplets] for graph in graphs]


def schema_of(sample: AnySample) -> dict[str, object]:
    """The JSON schema of an answer: every field required, no other allowed, names exactly those that may be used."""
    if isinstance(sample, QuestionSample):
        names = dict.fromkeys(name for graph in sample.graphs for one in graph for name in (one.source, one.target))
        return _closed({"answer": _one_of(tuple(names))})
    if isinstance(sample, SelectionSample):
        return _closed({"answer": _one_of(tuple(LETTERS[: len(sample.candidates)]))})
    if isinstance(sample, NodesSample):
        things = tuple(dict.fromkeys((*sample.vocabulary.objects, PERSON, *HANDS)))
        return _closed({"nodes": {"type": "array", "items": _one_of(things)}})
    if isinstance(sample, ActionsSample):
        return _closed({"actions": {"type": "array", "items": _one_of(allowed_actions(sample.vocabulary))}})
    nodes = allowed_nodes(sample.vocabulary)
    if isinstance(sample, EdgesSample):
        nodes = tuple(dict.fromkeys(name for of_one in sample.nodes for name in of_one))
    return _graphs_schema(nodes, allowed_edges(sample.vocabulary))


def _graphs_schema(nodes: tuple[str, ...], edges: tuple[str, ...]) -> dict[str, object]:
    graph = {"type": "array", "items": {"$ref": "#/$defs/triplet"}}
    node = {"$ref": "#/$defs/node"}
    schema = _closed({"graphs": {"type": "array", "items": graph}})
    schema["$defs"] = {
        "node": _one_of(nodes),
        "edge": _one_of(edges),
        "triplet": _closed({"source": node, "edge": {"$ref": "#/$defs/edge"}, "target": node}),
    }
    return schema


def _closed(properties: dict[str, object]) -> dict[str, object]:
    return {"type": "object", "properties": properties, "required": [*properties], "additionalProperties": False}


def _one_of(names: tuple[str, ...]) -> dict[str, object]:
    return {"type": "string", "enum": list(names)}
