"""Narratives as JSON, one object each, with everything that :class:`~tsgkit.graph.Narrative` holds.

>>> narrative = parse('''{"id": "tea", "descriptions": [
...     {"text": "She fills the kettle.", "graphs": [[["person", "verb", "fill"], ["fill", "dobj", "kettle"]]]}],
...     "vocabulary": {"object": ["kettle"], "relationship": ["verb", "dobj"], "verb": ["fill"]}}''')
>>> narrative.descriptions[0].text, len(narrative.graphs)
('She fills the kettle.', 1)
>>> parse(write(narrative)) == narrative
True

The vocabulary has the three lists, and their names, of the ``mandatory_space`` of published generation rows. The fact
``domain`` is a field of the object, as it is in rows and in published narratives.
"""

from __future__ import annotations

import json
from typing import TypeVar

from tsgkit.errors import NotationError
from tsgkit.graph.model import Description, Frames, Narrative, Vocabulary
from tsgkit.graph.notation.json_triplets import graph_from, kind_of, load
from tsgkit.graph.notation.json_triplets import to_value as graph_value
from tsgkit.graph.notation.limits import not_text, refuse, refuse_unless_text

T = TypeVar("T")
EXAMPLE = '{"object": ["cup", "lid"], "relationship": ["verb", "dobj", "with"], "verb": ["wash"]}'
FIELDS = ("id", "domain", "descriptions", "vocabulary", "summaries", "facts")


def parse(text: str) -> Narrative:
    """Return the narrative of one JSON object."""
    return from_value(load(text))


def is_narrative(value: object) -> bool:
    """Return whether a JSON value looks like a narrative."""
    return isinstance(value, dict) and "descriptions" in value


def from_value(value: object) -> Narrative:
    """Return the narrative of a JSON value already loaded."""
    if not isinstance(value, dict):
        raise NotationError(f"expected a narrative object, found {kind_of(value)}")
    if unknown := [name for name in value if name not in FIELDS]:
        raise NotationError(f"a narrative has no field {unknown[0]!r}", hint=f"its fields: {', '.join(FIELDS)}")
    vocabulary = value.get("vocabulary")
    facts = _field(value, "facts", dict[str, object]())
    if domain := _field(value, "domain", ""):
        if facts.get("domain", domain) != domain:
            raise NotationError("a narrative has two domains", hint="leave out that of its facts")
        facts = {"domain": domain} | facts
    return Narrative(
        descriptions=tuple(
            _description(item, f"description {number}")
            for number, item in enumerate(_field(value, "descriptions", list[object]()), 1)
        ),
        vocabulary=None if vocabulary is None else vocabulary_from(vocabulary),
        id=_field(value, "id", ""),
        summaries=_strings(value.get("summaries", []), "summaries"),
        facts=tuple(zip(facts, _strings(list(facts.values()), "facts"), strict=True)),
    )


def vocabulary_from(value: object) -> Vocabulary:
    """L, from an object with the lists ``object``, ``relationship`` and ``verb``."""
    if not isinstance(value, dict):
        raise NotationError(f"vocabulary: expected an object, found {kind_of(value)}")
    names = ("object", "relationship", "verb")
    lists = {name: value.get(name, value.get(f"{name}s")) for name in names}
    if missing := [name for name, strings in lists.items() if strings is None]:
        raise NotationError(f"vocabulary: the list {missing[0]!r} is missing", hint=f"L looks like this: {EXAMPLE}")
    return Vocabulary(*(_strings(strings, f"vocabulary {name}") for name, strings in lists.items()))


def vocabulary_value(vocabulary: Vocabulary) -> dict[str, list[str]]:
    """Return the JSON value of L."""
    return {
        "object": list(vocabulary.objects),
        "relationship": list(vocabulary.relationships),
        "verb": list(vocabulary.verbs),
    }


def _description(value: object, location: str) -> Description:
    if not isinstance(value, dict):
        raise NotationError(f"{location}: expected an object, found {kind_of(value)}")
    if unknown := [name for name in value if name not in ("text", "graphs", "frames")]:
        raise NotationError(f"{location}: no such field as {unknown[0]!r}", hint="its fields: text, graphs, frames")
    text, frames = value.get("text"), value.get("frames")
    if text is not None and not isinstance(text, str):
        raise NotationError(f"{location}: text is {kind_of(text)}, not a string")
    graphs = _field(value, "graphs", list[object](), location)
    return Description(
        text,
        tuple(graph_from(item, f"{location}, graph {number}") for number, item in enumerate(graphs, 1)),
        None if frames is None else _frames(frames, location),
    )


def _frames(value: object, location: str) -> Frames:
    if isinstance(value, list) and len(value) == 3 and all(type(part) in (int, float) for part in value):
        return Frames(*value)
    raise NotationError(f"{location}: frames is not three numbers")


def _field(value: dict[str, object], name: str, default: T, location: str = "narrative") -> T:
    """Return a field that must be of its default's type."""
    content = value.get(name, default)
    if not isinstance(content, type(default)):
        expected = kind_of(default).removesuffix(" of 0")
        raise NotationError(f"{location}: {name} is {kind_of(content)}, expected {expected}")
    return content


def _strings(value: object, name: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(issubclass(kind, str) for kind in set(map(type, value))):
        raise NotationError(f"{name}: expected strings only")
    return tuple(value)


def to_value(narrative: Narrative) -> dict[str, object]:
    """Return the JSON value of a narrative; what is empty is left out."""
    refuse(narrative.graphs, "JSON", not_text)
    vocabulary, facts = narrative.vocabulary, dict(narrative.facts)
    value = {
        "id": narrative.id,
        "domain": facts.pop("domain") if facts.get("domain") else "",
        "descriptions": [_description_value(description) for description in narrative.descriptions],
        "vocabulary": None if vocabulary is None else vocabulary_value(vocabulary),
        "summaries": list(narrative.summaries),
        "facts": facts,
    }
    return {name: part for name, part in value.items() if name == "descriptions" or part not in (None, "", [], {})}


def _description_value(description: Description) -> dict[str, object]:
    value: dict[str, object] = {} if description.text is None else {"text": description.text}
    if description.graphs:
        value["graphs"] = [graph_value(graph) for graph in description.graphs]
    if description.frames is not None:
        value["frames"] = list(description.frames)
    return value


def write(narrative: Narrative) -> str:
    """Return the JSON object of a narrative, on one line."""
    return refuse_unless_text(json.dumps(to_value(narrative), ensure_ascii=False) + "\n", "JSON")
