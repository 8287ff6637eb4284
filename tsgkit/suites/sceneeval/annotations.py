"""Annotations: the demands of a description on the number of objects, their attributes and relations.

>>> item = annotation_of("0", "easy", "A bedroom.", ("eq,1,bed", "ge,2,lamp"), (), ("eq,2,next_to,0,bed,lamp",))
>>> [spec.text for spec in item.specifications], item.room
(['eq,1,bed', 'ge,2,lamp', 'eq,2,next_to,0,bed,lamp'], 'bedroom')
>>> item.object_relations[0].anchor, item.object_relations[0].others, item.object_relations[0].holds(2)
('bed', ('lamp',), True)

There are four kinds of demands. Each starts with a comparison (``eq``, ``lt``, ``gt``, ``le``, ``ge``) and a number:
the required number of objects or groups that satisfy the demand.

================  =====================================  ============================
count             ``quant,n,category``                    ``ge,2,lamp``
attribute         ``quant,n,category,attribute``          ``eq,1,bed,king_size``
object relation   ``quant,n,relation,anchor,obj,obj...``  ``eq,1,left,0,bed,lamp``
room relation     ``quant,n,relation,category,ref...``    ``gt,2,against,shelf,wall``
================  =====================================  ============================

``anchor`` is the index of the anchor among the objects, or -1 if none is given. An object may carry an instance mark
that distinguishes it from others of its category: ``chair:1``.
"""

from __future__ import annotations

import operator
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from tsgkit.errors import NotationError
from tsgkit.geometry import ELEMENTS

if TYPE_CHECKING:
    import networkx

Kind = Literal["cnt", "atr", "oor", "oar"]
KINDS: tuple[Kind, ...] = ("cnt", "atr", "oor", "oar")
QUANTITIES: Mapping[str, Callable[[int, int], bool]] = {
    "eq": operator.eq,
    "lt": operator.lt,
    "gt": operator.gt,
    "le": operator.le,
    "ge": operator.ge,
}
WORDS = {"eq": "exactly", "lt": "fewer than", "gt": "more than", "le": "at most", "ge": "at least"}


class Level(NamedTuple):
    """What a description of a difficulty holds: the least and greatest number of objects, and of words."""

    objects: tuple[int, int]
    most_small: int
    """The greatest number of small objects."""
    drawn: tuple[int, int]
    """The least and greatest number of objects of a drawn plan."""
    drawn_small: int
    """The greatest number of small objects of a drawn plan."""
    words: tuple[int, int]
    meaning: str


DIFFICULTIES = {
    "easy": Level((1, 4), 0, (2, 4), 0, (8, 60), "at most four objects, none of them small"),
    "medium": Level((5, 8), 3, (5, 8), 3, (20, 110), "five to eight objects, at most three of them small"),
    "hard": Level((9, 10_000), 10_000, (9, 16), 6, (35, 230), "nine objects or more"),
}
ROOMS = (
    "bedroom",
    "living room",
    "dining room",
    "playroom",
    "gaming room",
    "kitchen",
    "bathroom",
    "basement",
    "den",
    "office",
    "room",
)
NONE = "(none)"
NO_ANCHOR = -1
_INSTANCE = re.compile(r":\d+$")
_NUMBER = re.compile(r"\d{1,6}")
_PLACE = re.compile(r"-1|\d{1,3}")


def spaced(name: str) -> str:
    """Return a name in lower case with spaces for underscores."""
    return " ".join(name.replace("_", " ").lower().split())


class Specification(NamedTuple):
    """One demand of a description. Fields that do not apply to its kind are empty."""

    kind: Kind
    text: str
    quantity: str
    n: int
    objects: tuple[str, ...]
    """The category, or the categories of a relation in order."""
    attribute: str = ""
    relation: str = ""
    anchor_place: int = NO_ANCHOR
    elements: tuple[str, ...] = ()
    """The built elements or rooms that a relation refers to."""

    def holds(self, count: int) -> bool:
        """Return True if a count satisfies the demand."""
        return QUANTITIES[self.quantity](count, self.n)

    @property
    def category(self) -> str:
        """The category to count."""
        return _INSTANCE.sub("", self.objects[0])

    @property
    def categories(self) -> tuple[str, ...]:
        """The named categories, without instance marks."""
        return tuple(_INSTANCE.sub("", name) for name in self.objects)

    @property
    def named(self) -> Mapping[str, int]:
        """The number of times each category is named."""
        return Counter(self.categories)

    @property
    def anchor(self) -> str:
        """The category of the anchor, or the first category if no anchor is given."""
        return self.categories[max(self.anchor_place, 0)]

    @property
    def others(self) -> tuple[str, ...]:
        """The categories other than the anchor."""
        index = max(self.anchor_place, 0)
        return self.categories[:index] + self.categories[index + 1 :]

    @property
    def wanted(self) -> str:
        """The comparison in words."""
        return f"{WORDS[self.quantity]} {self.n}"


@dataclass(frozen=True)
class Annotation:
    """A description with its demands: one item."""

    item_id: str
    difficulty: str
    description: str
    counts: tuple[Specification, ...]
    attributes: tuple[Specification, ...] = ()
    object_relations: tuple[Specification, ...] = ()
    room_relations: tuple[Specification, ...] = ()
    room_type: str = ""

    @property
    def cluster(self) -> str:
        """The item's id: each description is its own cluster."""
        return self.item_id

    @cached_property
    def room(self) -> str:
        """The type of room: the one in the file, else the first one that the relations or the description name."""
        element_names = [spaced(name) for spec in self.room_relations for name in spec.elements]
        known = [name for name in element_names if name in ROOMS[:-1]]
        words = f" {' '.join(re.findall(r'[a-z]+', self.description.lower()))} "
        mentions = sorted((words.index(f" {name} "), name) for name in ROOMS[:-1] if f" {name} " in words)
        return spaced(self.room_type) or next(iter(known), "") or (mentions[0][1] if mentions else NONE)

    @property
    def groups(self) -> Mapping[str, tuple[str, ...]]:
        """The difficulty and the type of room."""
        return {"difficulty": (self.difficulty or NONE,), "room": (self.room,)}

    @property
    def specifications(self) -> tuple[Specification, ...]:
        """All demands, kind by kind, without duplicates."""
        listed = self.counts + self.attributes + self.object_relations + self.room_relations
        return tuple(dict.fromkeys(listed))

    def of_kind(self, kind: Kind) -> tuple[Specification, ...]:
        """Return the demands of one kind."""
        return tuple(spec for spec in self.specifications if spec.kind == kind)

    @property
    def categories(self) -> tuple[str, ...]:
        """All categories that are named, counted ones first."""
        return tuple(dict.fromkeys(name for spec in self.specifications for name in spec.categories))


def annotation_of(
    item_id: str,
    difficulty: str,
    description: str,
    counts: Sequence[str],
    attributes: Sequence[str] = (),
    object_relations: Sequence[str] = (),
    room_relations: Sequence[str] = (),
    room_type: str = "",
) -> Annotation:
    """Build an annotation from its entries as text. Raise NotationError for the first invalid one."""
    return Annotation(
        item_id,
        difficulty,
        description,
        tuple(map(count_of, counts)),
        tuple(map(attribute_of, attributes)),
        tuple(map(object_relation_of, object_relations)),
        tuple(map(room_relation_of, room_relations)),
        room_type,
    )


def _head(entry: str, least: int, form: str) -> tuple[str, int, list[str]]:
    fields = [field.strip() for field in entry.split(",")]
    if len(fields) < least or not all(fields):
        raise NotationError(f"{entry!r}: not {form}")
    if fields[0] not in QUANTITIES:
        raise NotationError(f"{entry!r}: {fields[0]} is none of {', '.join(QUANTITIES)}")
    if not _NUMBER.fullmatch(fields[1]):
        raise NotationError(f"{entry!r}: {fields[1]} is no number from 0 on")
    return fields[0], int(fields[1]), fields[2:]


def count_of(entry: str) -> Specification:
    """Parse a count such as ``ge,2,lamp``."""
    quantity, n, rest = _head(entry, 3, "quant,n,category")
    if len(rest) > 1:
        raise NotationError(f"{entry!r}: not quant,n,category")
    return Specification("cnt", entry.strip(), quantity, n, (rest[0],))


def attribute_of(entry: str) -> Specification:
    """Parse an attribute such as ``eq,1,bed,king_size``. Each attribute needs its own entry."""
    quantity, n, rest = _head(entry, 4, "quant,n,category,attribute")
    if len(rest) > 2:
        raise NotationError(f"{entry!r}: several attributes in one entry; write an entry for each")
    return Specification("atr", entry.strip(), quantity, n, (rest[0],), attribute=rest[1])


def object_relation_of(entry: str) -> Specification:
    """Parse an object relation such as ``eq,1,left,0,bed,lamp``."""
    quantity, n, rest = _head(entry, 6, "quant,n,relation,anchor,object,object")
    relation, anchor, *objects = rest
    if not _PLACE.fullmatch(anchor) or int(anchor) >= len(objects):
        raise NotationError(f"{entry!r}: {anchor} is no place among {len(objects)} objects (from 0; -1 for none)")
    return Specification("oor", entry.strip(), quantity, n, tuple(objects), relation=relation, anchor_place=int(anchor))


def room_relation_of(entry: str) -> Specification:
    """Parse a room relation such as ``gt,2,against,shelf,wall``."""
    quantity, n, rest = _head(entry, 5, "quant,n,relation,category,reference")
    relation, category, *elements = rest
    return Specification("oar", entry.strip(), quantity, n, (category,), relation=relation, elements=tuple(elements))


PARSERS: Mapping[Kind, Callable[[str], Specification]] = {
    "cnt": count_of,
    "atr": attribute_of,
    "oor": object_relation_of,
    "oar": room_relation_of,
}


def is_built(name: str) -> bool:
    """Return True if a reference is a built element or a type of room."""
    return spaced(name) in ELEMENTS or spaced(name) in ROOMS


def in_words(spec: Specification) -> str:
    """Return a demand as an English phrase."""
    if spec.kind == "cnt":
        return f"{spec.wanted} {spaced(spec.category)}"
    if spec.kind == "atr":
        return f"{spec.wanted} {spaced(spec.category)} that is {spaced(spec.attribute)}"
    if spec.kind == "oar":
        return f"{spec.wanted} {spaced(spec.category)} {spaced(spec.relation)} {' '.join(map(spaced, spec.elements))}"
    return f"{spec.wanted} {', '.join(map(spaced, spec.others))} {spaced(spec.relation)} {spaced(spec.anchor)}"


def scene_graph(annotation: Annotation) -> networkx.MultiDiGraph[str]:
    """Return the demands as a graph. Categories, attributes and built elements are nodes; edges lead to the anchor.

    >>> graph = scene_graph(annotation_of("0", "easy", "", ("eq,1,bed", "ge,2,lamp"), (), ("eq,2,left,0,bed,lamp",)))
    >>> sorted(graph.nodes(data="count")), list(graph.edges(data="relation"))
    ([('bed', 'exactly 1'), ('lamp', 'at least 2')], [('lamp', 'bed', 'left')])
    """
    import networkx

    graph: networkx.MultiDiGraph[str] = networkx.MultiDiGraph(
        item=annotation.item_id, description=annotation.description
    )
    for spec in annotation.of_kind("cnt"):
        graph.add_node(spaced(spec.category), kind="object", count=spec.wanted)
    for source, relation, target, spec in _edges(annotation):
        for node in (source, target):
            if "kind" not in graph.nodes.get(node, ()):
                graph.add_node(node, kind="object")
        if spec.kind != "oor":
            graph.nodes[target]["kind"] = "attribute" if spec.kind == "atr" else "built"
        graph.add_edge(source, target, relation=relation, quantity=spec.wanted, text=spec.text)
    return graph


def _edges(annotation: Annotation) -> Iterator[tuple[str, str, str, Specification]]:
    """Yield the edges between names, each with its demand."""
    for spec in annotation.specifications:
        if spec.kind == "atr":
            yield spaced(spec.category), "is", spaced(spec.attribute), spec
        for subject in dict.fromkeys(spec.others) if spec.kind == "oor" else ():
            yield spaced(subject), spaced(spec.relation), spaced(spec.anchor), spec
        for element in spec.elements:
            yield spaced(spec.category), spaced(spec.relation), spaced(element), spec


def triplets(annotation: Annotation) -> tuple[tuple[str, str, str], ...]:
    """Return the graph as triplets, for drawing. Categories without relations carry their count."""
    edges = [(source, relation, target) for source, relation, target, _ in _edges(annotation)]
    alone = {name for edge in edges for name in (edge[0], edge[2])}
    counted = [
        (spaced(spec.category), "count", spec.wanted)
        for spec in annotation.of_kind("cnt")
        if spaced(spec.category) not in alone or (spec.quantity, spec.n) != ("eq", 1)
    ]
    return tuple(dict.fromkeys([*counted, *edges]))


def annotation_value(annotation: Annotation) -> dict[str, Any]:
    """Return an annotation as a JSON value."""
    return {
        "item_id": annotation.item_id,
        "difficulty": annotation.difficulty,
        "room": annotation.room,
        "description": annotation.description,
        "counts": [spec.text for spec in annotation.counts],
        "attributes": [spec.text for spec in annotation.attributes],
        "object_relations": [spec.text for spec in annotation.object_relations],
        "room_relations": [spec.text for spec in annotation.room_relations],
    }
