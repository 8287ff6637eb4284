"""One disagreement of two annotators as the page of decisions shows it, and edits that come back from there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tsgkit.errors import NotationError, UsageError
from tsgkit.graph.edits import diff
from tsgkit.graph.model import ActionGraph, Description, Vocabulary
from tsgkit.graph.notation.json_triplets import graph_from, to_value
from tsgkit.graph.notation.limits import not_text
from tsgkit.graph.notation.narratives import vocabulary_value
from tsgkit.library.documents.rows import Entry
from tsgkit.report.annotated_items import joint
from tsgkit.report.plain_text import count
from tsgkit.serve.decision_protocol import EDIT, Choice, ContextText, Edit, Elements, Part, TextField, elements_of
from tsgkit.serve.disagreements import Disagreement, Kind, Value
from tsgkit.serve.story_checks import mentioned

FIRST, SECOND, BOTH, NONE = "first", "second", "both", "none"
ONLY_HERE = "extra"
"""The mark of a triplet without a counterpart in the other version."""
LISTS = {"object": "objects", "relationship": "relationships", "verb": "verbs"}
LEFT_OUT = {
    Kind.GRAPH: "no graph",
    Kind.TEXT: "no text",
    Kind.VOCABULARY: "no L",
    Kind.DESCRIPTION: "leave it out",
    Kind.ITEM: "leave it out",
}
Names = tuple[str, str]
"""The names of the two annotators."""


def context_of(one: Disagreement) -> list[ContextText]:
    """Return the sentence, between its pale neighbours."""
    if not one.texts:
        return []
    text, before, after = one.texts
    around = [(before, True), (text if one.kind is not Kind.TEXT else "", False), (after, True)]
    return [{"text": part, "pale": pale} for part, pale in around if part]


def parts_of(one: Disagreement, names: Names) -> list[Part]:
    """Return both versions side by side."""
    if one.kind is Kind.GRAPH:
        marks = _marks(one.first, one.second)
        return [_graph_part(*each) for each in zip(names, (one.first, one.second), marks, strict=True)]
    if one.kind is Kind.TEXT:
        texts = zip(names, (one.first, one.second), strict=True)
        return [{"kind": "text", "title": name, "text": text or ""} for name, text in texts]
    if one.kind is Kind.VOCABULARY:
        lines = _vocabulary_lines(one.first, one.second), _vocabulary_lines(one.second, one.first)
        return [
            {"kind": "lines", "title": f"only in L of {name}", "lines": told}
            for name, told in zip(names, lines, strict=True)
        ]
    owner = names[0] if one.first else names[1]
    if isinstance(one.whole, Description):
        return list(_description_parts(one.whole, owner))
    return [{"kind": "lines", "title": f"the item of {owner}", "lines": list(_item_lines(one.whole))}]


def reason_of(one: Disagreement, names: Names) -> str:
    """Return how the two versions differ, in words."""
    other = names[1] if one.first else names[0]
    if one.kind is Kind.GRAPH:
        if one.first is None or one.second is None:
            return f"{names[0] if one.first is None else names[1]} has no such graph"
        return f"{count(len(set(one.first) & set(one.second)), 'triplet')} in both"
    if one.kind is Kind.TEXT:
        return "the texts differ"
    if one.kind is Kind.VOCABULARY:
        return "L differs"
    return f"{other} has no such {one.kind}"


def choices_of(one: Disagreement, names: Names) -> list[Choice]:
    """Return the buttons."""
    sides = zip((FIRST, SECOND), names, (one.first, one.second), ("1", "2"), strict=True)
    found: list[Choice] = [
        {"choice": choice, "label": _label(one.kind, name, value), "key": key} for choice, name, value, key in sides
    ]
    if one.kind is Kind.VOCABULARY:
        found.append({"choice": BOTH, "label": "all names of both", "key": "b"})
    if one.kind not in (Kind.DESCRIPTION, Kind.ITEM):
        found.append({"choice": EDIT, "label": "edit", "key": "e"})
    return found


def _label(kind: Kind, name: str, value: Value) -> str:
    if value is None or value is False:
        return f"{name}: {LEFT_OUT[kind]}"
    return f"{name}: keep it" if value is True else name


def edit_of(one: Disagreement, edited: Value, *, is_edited: bool) -> Edit | None:
    """Return the form, which begins with the earlier edit, else with the first version that has something."""
    value = edited if is_edited else one.second if one.first is None else one.first
    if one.kind is Kind.GRAPH:
        triplets = None if value is None else to_value(value)
        return {"kind": "graph-or-none", "value": triplets, "elements": _elements(one)}
    if one.kind is Kind.TEXT:
        return {"kind": "texts", "value": [_field("text", "text", value or "")]}
    if one.kind is Kind.VOCABULARY:
        lists = vocabulary_value(value).items()
        return {"kind": "texts", "value": [_field(name, LISTS[name], "\n".join(names)) for name, names in lists]}
    return None


def edited_value(one: Disagreement, edited: object) -> Value:
    """Return the part that an edit makes. Raise ``UsageError`` for what is none."""
    if one.kind is Kind.GRAPH:
        return None if edited is None else _edited_graph(edited)
    if one.kind is Kind.TEXT:
        return _texts(edited, ["text"])["text"].strip() or None
    if one.kind is Kind.VOCABULARY:
        told = _texts(edited, list(LISTS)).values()
        lists = ([name.strip() for name in text.split("\n")] for text in told)
        return Vocabulary(*(tuple(dict.fromkeys(filter(None, names))) for names in lists))
    raise UsageError(f"a whole {one.kind} cannot be edited here", hint="keep it, and edit the settled file")


def chosen_value(one: Disagreement, choice: str, edited: object) -> Value:
    """Return the part that a choice leads to. Raise ``UsageError`` for a choice that there is not."""
    if choice == FIRST:
        return one.first
    if choice == SECOND:
        return one.second
    if choice == BOTH and one.kind is Kind.VOCABULARY:
        return joint([one.first, one.second])
    if choice == NONE and one.kind is Kind.GRAPH and None in (one.first, one.second):
        return None
    if choice == EDIT:
        return edited_value(one, edited)
    known = ", ".join(each["choice"] for each in choices_of(one, ("", "")))
    raise UsageError(f"there is no choice {choice:.40} here", hint=f"the choices: {known}")


def _edited_graph(edited: object) -> ActionGraph:
    try:
        graph = graph_from(edited, "graph")
    except NotationError as error:
        raise UsageError(f"not a graph: {error.message}", hint=error.hint) from None
    if not graph.triplets:
        raise UsageError("a graph without triplets", hint="add one, or choose no graph")
    for element in graph.elements:
        if not element.strip():
            raise UsageError("a triplet lacks an element", hint="a triplet is source, edge and target")
        if reason := not_text(element):
            raise UsageError(f"not text: {reason}", hint="type the name anew")
    return graph


def _texts(edited: object, names: Sequence[str]) -> Mapping[str, str]:
    if not isinstance(edited, dict) or {*edited} != {*names}:
        raise UsageError("not an edit of these texts", hint=f"its fields: {', '.join(names)}")
    for text in edited.values():
        if not isinstance(text, str):
            raise UsageError("a text is a string", hint=f"the fields: {', '.join(names)}")
        if reason := not_text(text):
            raise UsageError(f"not text: {reason}", hint="type it anew")
    return edited


def _field(name: str, label: str, text: str) -> TextField:
    return {"name": name, "label": label, "text": text, "is_long": True}


def _graph_part(name: str, graph: ActionGraph | None, marks: list[str | None]) -> Part:
    return {"kind": "graph", "title": name, "triplets": None if graph is None else to_value(graph), "marks": marks}


def _marks(first: ActionGraph | None, second: ActionGraph | None) -> tuple[list[str | None], list[str | None]]:
    """Return the kind of difference of each triplet; None where the other version has the triplet too."""
    if first is None or second is None:
        return [None] * len((first or ActionGraph()).triplets), [None] * len((second or ActionGraph()).triplets)
    changes = diff(first, second).changes
    paired = {True: ONLY_HERE, False: ""}
    ours = {change.reference: paired[change.candidate is None] or str(change.kind) for change in changes}
    theirs = {change.candidate: paired[change.reference is None] or str(change.kind) for change in changes}
    return [ours.get(triplet) for triplet in first], [theirs.get(triplet) for triplet in second]


def _vocabulary_lines(vocabulary: Vocabulary, other: Vocabulary) -> list[str]:
    """Return the names that only one L has."""
    mine, theirs = vocabulary_value(vocabulary), vocabulary_value(other)
    only = {name: [one for one in names if one not in set(theirs[name])] for name, names in mine.items()}
    return [f"{LISTS[name]}: {', '.join(names)}" for name, names in only.items() if names] or ["nothing"]


def _description_parts(description: Description, owner: str) -> Iterator[Part]:
    yield {"kind": "text", "title": f"the description of {owner}", "text": description.text or ""}
    for number, graph in enumerate(description.graphs, 1):
        yield _graph_part(f"its graph {number}", graph, [None] * len(graph.triplets))


def _item_lines(entry: Entry | None) -> Iterator[str]:
    for number, part in enumerate(entry.narrative.descriptions if entry is not None else (), 1):
        yield f"{part.text or f'description {number}'} ({count(len(part.graphs), 'graph')})"


def _elements(one: Disagreement) -> Elements:
    names = one.names or Vocabulary()
    return {**elements_of(names), "mentioned": mentioned(one.texts[0] if one.texts else None, names)}
