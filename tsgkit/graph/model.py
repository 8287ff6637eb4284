"""The data model: triplets, action graphs, vocabularies, narratives.

>>> graph = ActionGraph.of(("person", "verb", "screw"), ("screw", "dobj", "screw"), ("screw", "with", "hand1"))
>>> graph.actions
('screw',)
>>> [str(node) for node in graph.nodes()]
['person:person', 'action:screw', 'object:screw', 'hand:hand1']
>>> graph == ActionGraph(reversed(graph.triplets))
True

A graph is a set of triplets of three strings, compared as strings. The written order is kept but plays no part in
equality. Kinds of nodes are derived from roles and never stored: a word that is both an action and an object is two
nodes.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from typing import NamedTuple

PERSON = "person"
HANDS = ("hand1", "hand2")
VERB = "verb"
DOBJ = "dobj"
WITH = "with"
INSTANCE = re.compile(r":\d{1,9}$")
"""The suffix that distinguishes objects of one name (``book:1``) in data with instances."""


class Kind(StrEnum):
    """The kinds of nodes."""

    PERSON = "person"
    ACTION = "action"
    OBJECT = "object"
    HAND = "hand"


class EdgeKind(StrEnum):
    """The kinds of edges; a preposition is written as itself (``with``, ``on``)."""

    VERB = "verb"
    DOBJ = "dobj"
    PREPOSITION = "preposition"


class Node(NamedTuple):
    """A name in a role: the action ``screw`` and the object ``screw`` are two nodes."""

    kind: Kind
    name: str

    def __str__(self) -> str:
        return f"{self.kind}:{self.name}"


class Triplet(NamedTuple):
    """One labelled edge, as three strings."""

    source: str
    edge: str
    target: str

    def __str__(self) -> str:
        return f"{self.source} -> {self.edge} -> {self.target}"

    @property
    def kind(self) -> EdgeKind:
        """The kind of the edge, by its label."""
        return edge_kind(self.edge)

    @property
    def reversed(self) -> Triplet:
        """The same edge pointing the other way."""
        return Triplet(self.target, self.edge, self.source)


class TypedTriplet(NamedTuple):
    """A triplet between nodes of known kinds."""

    source: Node
    edge: str
    target: Node


@dataclass(frozen=True)
class Vocabulary:
    """L: the elements that a scenario allows. Person and hands are always allowed.

    >>> L = Vocabulary(objects=("cup", "lid"), relationships=("verb", "dobj", "with", "on"), verbs=("open",))
    >>> L.allows_node("cup"), L.allows_node("hand1"), L.allows_node("mug"), L.allows_edge("under")
    (True, True, False, False)
    >>> L.outside(Triplet("open", "under", "mug"))
    ('mug', 'under')
    """

    objects: tuple[str, ...] = ()
    relationships: tuple[str, ...] = ()
    verbs: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in ("objects", "relationships", "verbs"):
            if isinstance(names := getattr(self, name), str):
                raise TypeError(f"{name} are several strings, not the one string {names!r}")
            object.__setattr__(self, name, tuple(names))

    @classmethod
    def of(cls, graphs: Iterable[ActionGraph]) -> Vocabulary:
        """Return the smallest vocabulary these graphs fit in, each list in order of first use."""
        objects, relationships, verbs = dict[str, None](), dict[str, None](), dict[str, None]()
        for graph in graphs:
            relationships.update(dict.fromkeys(triplet.edge for triplet in graph.triplets))
            for node in graph.nodes():
                (verbs if node.kind is Kind.ACTION else objects)[node.name] = None
        return cls(tuple(objects), tuple(relationships), tuple(verbs))

    @property
    def nodes(self) -> tuple[str, ...]:
        """All node names, objects before verbs, without repeats."""
        return tuple(dict.fromkeys((*self.objects, *self.verbs)))

    def allows_node(self, name: str) -> bool:
        """Return whether a node may have this name."""
        return name in self._nodes

    def allows_edge(self, label: str) -> bool:
        """Return whether an edge may have this label."""
        return label in self._edges

    def outside(self, triplet: Triplet) -> tuple[str, ...]:
        """Return the elements of a triplet that L does not allow, nodes before the edge, without repeats."""
        source, edge, target = triplet
        if source in self._nodes and target in self._nodes and edge in self._edges:
            return ()
        nodes = [name for name in (source, target) if name not in self._nodes]
        return tuple(dict.fromkeys([*nodes, *([] if edge in self._edges else [edge])]))

    def is_only_a_verb(self, name: str) -> bool:
        """Return whether L lists this name as a verb and not as an object."""
        return name in self._only_verbs

    @cached_property
    def _nodes(self) -> frozenset[str]:
        return frozenset((*self.objects, *self.verbs, PERSON, *HANDS))

    @cached_property
    def _edges(self) -> frozenset[str]:
        return frozenset((*self.relationships, VERB, DOBJ))

    @cached_property
    def _only_verbs(self) -> frozenset[str]:
        return frozenset(self.verbs) - frozenset(self.objects)


@dataclass(frozen=True, eq=False, slots=True)
class ActionGraph:
    """One action: a set of triplets that remembers the order they were written in, repeats included."""

    triplets: tuple[Triplet, ...]

    def __init__(self, triplets: Iterable[Sequence[str]] = ()) -> None:
        kept = [triplet if type(triplet) is Triplet else _triplet(triplet) for triplet in triplets]
        object.__setattr__(self, "triplets", tuple(kept))

    @classmethod
    def of(cls, *triplets: Sequence[str]) -> ActionGraph:
        """Return the graph of these triplets."""
        return cls(triplets)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ActionGraph):
            return NotImplemented
        return self.triplets == other.triplets or set(self.triplets) == set(other.triplets)

    def __hash__(self) -> int:
        return hash(frozenset(self.triplets))

    def __len__(self) -> int:
        """Return how many different triplets there are."""
        return len(set(self.triplets))

    def __iter__(self) -> Iterator[Triplet]:
        return iter(self.triplets)

    def __contains__(self, triplet: object) -> bool:
        return triplet in self.triplets

    def __str__(self) -> str:
        return "\n".join(map(str, self.triplets))

    @property
    def actions(self) -> tuple[str, ...]:
        """The targets of ``verb`` edges, in written order, without repeats; one in a well-formed graph."""
        return tuple(dict.fromkeys([target for _, edge, target in self.triplets if edge == VERB]))

    @property
    def elements(self) -> tuple[str, ...]:
        """Every node name and edge label, in written order, without repeats."""
        return tuple(dict.fromkeys(element for triplet in self.triplets for element in triplet))

    def typed(self, vocabulary: Vocabulary | None = None) -> tuple[TypedTriplet, ...]:
        """Return the triplets with the kind of each end derived from its role, and from L where roles leave it open."""
        actions = frozenset(self.actions)
        return tuple(
            TypedTriplet(
                Node(source_kind(triplet.source, actions, vocabulary), triplet.source),
                triplet.edge,
                Node(target_kind(triplet.edge, triplet.target, vocabulary), triplet.target),
            )
            for triplet in self.triplets
        )

    def nodes(self, vocabulary: Vocabulary | None = None) -> tuple[Node, ...]:
        """Return the distinct nodes, in written order."""
        typed = self.typed(vocabulary)
        return tuple(dict.fromkeys(node for triplet in typed for node in (triplet.source, triplet.target)))


def _triplet(parts: Sequence[str]) -> Triplet:
    if isinstance(parts, str):
        raise TypeError(f"a triplet is three strings, not the one string {parts!r}")
    return Triplet(*parts)


def edge_kind(label: str) -> EdgeKind:
    """Return the kind an edge label stands for."""
    if label == VERB:
        return EdgeKind.VERB
    return EdgeKind.DOBJ if label == DOBJ else EdgeKind.PREPOSITION


def source_kind(name: str, actions: Collection[str], vocabulary: Vocabulary | None = None) -> Kind:
    """Return the kind of a name where an edge starts: the action if the graph has an action of that name."""
    return Kind.ACTION if name in actions else _kind_by_name(name, vocabulary)


def target_kind(edge: str, name: str, vocabulary: Vocabulary | None = None) -> Kind:
    """Return the kind of a name where an edge ends: the target of ``verb`` is an action, whatever it is called."""
    return Kind.ACTION if edge == VERB else _kind_by_name(name, vocabulary)


def _kind_by_name(name: str, vocabulary: Vocabulary | None) -> Kind:
    if name == PERSON:
        return Kind.PERSON
    if name in HANDS:
        return Kind.HAND
    if vocabulary is not None and vocabulary.is_only_a_verb(name):
        return Kind.ACTION
    return Kind.OBJECT


class Frames(NamedTuple):
    """The times of an action in its video: the point of no return, the first and the last frame (or seconds)."""

    turning_point: float
    start: float
    end: float


@dataclass(frozen=True)
class Description:
    """A sentence (possibly missing) and the graphs of its actions, in order.

    Without graphs it describes something that was not annotated.
    """

    text: str | None = None
    graphs: tuple[ActionGraph, ...] = ()
    frames: Frames | None = None


@dataclass(frozen=True)
class Narrative:
    """A scenario: descriptions in order, and L if known.

    ``facts`` are other fields of its file (a domain, a video's id, a split), as pairs of strings.
    """

    descriptions: tuple[Description, ...] = ()
    vocabulary: Vocabulary | None = None
    id: str = ""
    summaries: tuple[str, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(cls, graphs: Iterable[ActionGraph], vocabulary: Vocabulary | None = None) -> Narrative:
        """Return a narrative of which only the graphs are known."""
        if vocabulary is not None and not isinstance(vocabulary, Vocabulary):
            raise TypeError("a narrative is made of one list of graphs, and perhaps a Vocabulary")
        return cls((Description(graphs=tuple(graphs)),), vocabulary)

    @property
    def graphs(self) -> tuple[ActionGraph, ...]:
        """All graphs along time."""
        return tuple(graph for description in self.descriptions for graph in description.graphs)

    def with_graphs(self, graphs: Iterable[ActionGraph]) -> Narrative:
        """Return the narrative with as many other graphs in the places of its own."""
        left = iter(graphs)
        descriptions = tuple(
            replace(description, graphs=tuple(next(left) for _ in description.graphs))
            for description in self.descriptions
        )
        return replace(self, descriptions=descriptions)
