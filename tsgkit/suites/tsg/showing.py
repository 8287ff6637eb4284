"""How the values of a sample are shown in a prompt: readably in ours, as Python writes them in the published ones.

>>> from tsgkit.graph.model import ActionGraph
>>> wash = ActionGraph.of(("person", "verb", "wash"), ("wash", "dobj", "cup"))
>>> print(numbered([wash, wash]))
Graph 1:
person -> verb -> wash
wash -> dobj -> cup
<BLANKLINE>
Graph 2:
person -> verb -> wash
wash -> dobj -> cup
"""

from __future__ import annotations

from collections.abc import Sequence

from tsgkit.graph.model import DOBJ, HANDS, PERSON, VERB, ActionGraph, Vocabulary
from tsgkit.suites.tsg.samples import LETTERS, AnySample, GenerationSample, QuestionSample, SelectionSample

NOTHING_BEFORE = "(nothing: the scene begins here)"


def shown(sample: AnySample) -> dict[str, str]:
    """The values of a sample for the fields of our prompts."""
    if isinstance(sample, QuestionSample):
        return {"graphs": numbered(sample.graphs), "question": sample.question}
    if isinstance(sample, SelectionSample):
        letters = LETTERS[: len(sample.candidates)]
        return {
            "context": numbered(sample.context) or NOTHING_BEFORE,
            "graph": arrows(sample.graph),
            "candidates": _lettered(sample.candidates),
            "letters": ", ".join(letters),
        }
    return {
        "context": "\n".join(sample.context) or NOTHING_BEFORE,
        "sentence": sample.sentence,
        "nodes": ", ".join(allowed_nodes(sample.vocabulary)),
        "edges": ", ".join(allowed_edges(sample.vocabulary)),
        "count": str(sample.k),
    }


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
        return "\n\n".join(map(arrows, sample.references))
    return f"[{sample.answer}]"


def numbered(graphs: Sequence[ActionGraph]) -> str:
    """Graphs as blocks of arrow lines, numbered from 1."""
    return "\n\n".join([f"Graph {number}:\n{arrows(graph)}" for number, graph in enumerate(graphs, 1)])


def arrows(graph: ActionGraph) -> str:
    """A graph as arrow lines; unlike the notation of files, this refuses no name."""
    return "\n".join([f"{source} -> {edge} -> {target}" for source, edge, target in graph.triplets])


def allowed_nodes(vocabulary: Vocabulary) -> tuple[str, ...]:
    """The nodes of L: objects, then verbs, then what every L allows where it does not list it."""
    return tuple(dict.fromkeys((*vocabulary.objects, *vocabulary.verbs, PERSON, *HANDS)))


def allowed_edges(vocabulary: Vocabulary) -> tuple[str, ...]:
    """The edges of L, then what every L allows where it does not list it."""
    return tuple(dict.fromkeys((*vocabulary.relationships, VERB, DOBJ)))


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
    graph = {"type": "array", "items": {"$ref": "#/$defs/triplet"}}
    node = {"$ref": "#/$defs/node"}
    schema = _closed({"graphs": {"type": "array", "items": graph}})
    schema["$defs"] = {
        "node": _one_of(allowed_nodes(sample.vocabulary)),
        "edge": _one_of(allowed_edges(sample.vocabulary)),
        "triplet": _closed({"source": node, "edge": {"$ref": "#/$defs/edge"}, "target": node}),
    }
    return schema


def _closed(properties: dict[str, object]) -> dict[str, object]:
    return {"type": "object", "properties": properties, "required": [*properties], "additionalProperties": False}


def _one_of(names: tuple[str, ...]) -> dict[str, object]:
    return {"type": "string", "enum": list(names)}
